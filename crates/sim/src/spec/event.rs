//! Events: what happens to the network while a scenario runs.

use super::faults::Faults;
use super::{Scenario, SpecError};
use headgate_packet::{Duration, Rate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A direction of a link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Both directions.
    #[default]
    Both,
    /// From the `from` end to the `to` end.
    Forward,
    /// From the `to` end to the `from` end.
    Reverse,
}

/// Something that happens to a link or to a flow at a given time. Flows begin with their own `start`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NetworkEvent {
    /// Time of the event. Everything else at that instant happens first; events at one instant happen in the order of the file.
    pub at: Duration,
    /// Name of the link that changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// Direction of the link; both unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direction: Option<Direction>,
    /// New rate of the line. The transmission of a packet that has begun keeps the old rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// Propagation delay of packets whose transmission starts from then on. Earlier packets keep theirs, and none is overtaken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay: Option<Duration>,
    /// Whether the link is up. While it is down, packets wait for it, those in transmission and on the wire still arrive, and flows take the
    /// shortest path over the other links, if there is one; packets that were sent keep their path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub up: Option<bool>,
    /// Name of a flow that ends: it sends nothing new, but it still repairs losses of what it sent before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<String>,
}

/// Checks the events of a scenario whose counts are expanded.
pub(super) fn check(s: &Scenario, faults: &mut Faults) {
    for (i, event) in s.events.iter().enumerate() {
        faults.note(one(s, i, event));
    }
}

fn one(s: &Scenario, i: usize, event: &NetworkEvent) -> Result<(), SpecError> {
    let at = |key: &str, message: String| SpecError::at(format!("events[{i}].{key}"), message);
    if event.at >= s.duration {
        return Err(at("at", format!("expected less than the duration, {}", s.duration)).found(event.at));
    }
    let named = |key: &str, what: &str, name: &str, mut names: Box<dyn Iterator<Item = &str> + '_>| {
        let known: Vec<&str> = names.by_ref().collect();
        if known.contains(&name) {
            return Ok(());
        }
        Err(at(key, format!("expected the name of a {what}")).found(format!("{name:?}")).nearest(name, known))
    };
    let nothing = event.rate.is_none() && event.delay.is_none() && event.up.is_none();
    match (&event.link, &event.stop) {
        (Some(_), Some(flow)) => {
            return Err(at("stop", "expected an event without `link`".to_owned()).found(flow));
        }
        (None, None) => {
            return Err(SpecError::at(format!("events[{i}]"), "expected `link` or `stop`, which name what changes"));
        }
        (Some(link), None) => {
            named("link", "link", link, Box::new(s.links.iter().map(|l| l.name.as_str())))?;
            if nothing {
                let message = "expected `rate`, `delay` or `up`: the property of the link that changes";
                return Err(SpecError::at(format!("events[{i}]"), message));
            }
        }
        (None, Some(flow)) => {
            let names: Vec<_> = s.flows.iter().map(super::Flow::name).collect();
            named("stop", "flow", flow, Box::new(names.iter().map(|name| &**name)))?;
            let of_links = [
                ("direction", event.direction.is_some()),
                ("rate", event.rate.is_some()),
                ("delay", event.delay.is_some()),
                ("up", event.up.is_some()),
            ];
            if let Some((key, _)) = of_links.iter().find(|(_, given)| *given) {
                return Err(at(key, "expected a `link` that this belongs to".to_owned()));
            }
        }
    }
    Ok(())
}
