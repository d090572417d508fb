//! Buffers that are times or multiples of the bandwidth-delay product become bytes.
//!
//! - The rate is that of the port's line; of a trace its mean.
//! - The round-trip time is the link's `rtt` or, without it, the longest base round-trip time of the flows that cross the link in either direction:
//!   the sum of the propagation delays on the paths of their data and of their acknowledgements, as they are at the beginning, without
//!   transmission, queues and jitter.
//! - The time that is used appears in the resolved scenario as `rtt`.

use super::expand::Origins;
use super::{Flow, Link, Routing, Scenario, SpecError};
use crate::net::{Choice, Routes};
use crate::pace::Pace;
use headgate_packet::{Buffer, Duration, Wrong};
use headgate_queue::Spec as Queue;

/// Gives all ports buffers in packets or bytes.
pub(super) fn resolve(s: &mut Scenario, origins: &Origins, pace: &mut Pace<'_>) -> Result<(), SpecError> {
    let queues = |link: &Link| [Some(link.queue.clone()), link.reverse_queue.clone()];
    let (mut of, mut relative, mut products) = (Vec::new(), Vec::new(), Vec::new());
    for (k, link) in s.links.iter().enumerate() {
        pace.step()?;
        let now = queues(link);
        // Links of one entry follow each other and have the same queues.
        if of != now {
            let found: Vec<Buffer> = now.iter().flatten().flat_map(Queue::relative_buffers).map(|(_, b)| b).collect();
            let product = found.iter().any(|buffer| matches!(buffer, Buffer::Bdp(_)));
            (of, relative) = (now.to_vec(), vec![!found.is_empty(), product]);
        }
        if relative[0] {
            products.push((k, relative[1]));
        }
    }
    let needed = products.iter().any(|(k, product)| *product && s.links[*k].rtt.is_none());
    let longest = if needed { longest(s, pace)? } else { Vec::new() };
    for (k, product) in products {
        pace.step()?;
        let link = &s.links[k];
        let rtt = match link.rtt {
            None if product => Some(known(s, origins, k, &longest)?),
            given => given,
        };
        if let Some(zero) = rtt.filter(|rtt| product && *rtt == Duration::ZERO) {
            let expected = "expected a time above zero, of which `BDP` is a multiple";
            return Err(SpecError::at(format!("{}.rtt", origins.links[k]), expected).found(zero));
        }
        let at = |back: bool| {
            let queue = link.reverse_queue.as_ref().filter(|_| back).unwrap_or(&link.queue);
            queue.at_line(link.rate.way(back).mean(), rtt).map_err(|Wrong { path, found, expected }| {
                let place = origins.queue(2 * k + usize::from(back), link.reverse_queue.is_some());
                let error = SpecError::at(format!("{place}.{path}"), expected);
                if let Some(found) = found { error.found(found) } else { error }
            })
        };
        let (forward, reverse) = (at(false)?, at(true)?);
        let link = &mut s.links[k];
        link.rtt = rtt;
        link.reverse_queue = (link.reverse_queue.is_some() || reverse != forward).then_some(reverse);
        link.queue = forward;
    }
    Ok(())
}

/// The round-trip time of a link that is not given.
fn known(s: &Scenario, origins: &Origins, k: usize, longest: &[Option<Duration>]) -> Result<Duration, SpecError> {
    let missing = |why: &str| {
        SpecError::at(
            format!("{}.rtt", origins.links[k]),
            format!("expected a time, of which `BDP` is a multiple: {why}"),
        )
    };
    if s.routing == Routing::Ecmp {
        return Err(missing("with several paths it is not known which flows cross the link"));
    }
    longest[k].ok_or_else(|| missing("no flow crosses the link"))
}

/// Of each link the longest base round-trip time of the flows that cross it; nothing if none does. Flows that have no path are left out.
fn longest(s: &Scenario, pace: &mut Pace<'_>) -> Result<Vec<Option<Duration>>, SpecError> {
    let mut longest = vec![None; s.links.len()];
    let mut routes = Routes::new(s);
    let mut previous: Option<&Flow> = None;
    for flow in &s.flows {
        if previous.replace(flow).is_some_and(|p| p.same_way(flow)) {
            continue;
        }
        pace.long_step()?;
        let Some(mut path) = one_way(&mut routes, flow.stops()) else { continue };
        let back = match flow.via.is_empty() {
            true => one_way(&mut routes, [&*flow.to, &*flow.from].into_iter()),
            // Acknowledgements take the links of the data back.
            false => Some(path.iter().map(|lane| lane ^ 1).collect()),
        };
        path.extend(back.unwrap_or_default());
        let delay = |lane: &u32| *s.links[*lane as usize / 2].delay.way(lane % 2 == 1);
        let rtt = path.iter().map(delay).fold(Duration::ZERO, |sum, delay| sum + delay);
        for lane in path {
            let known = &mut longest[lane as usize / 2];
            *known = Some(known.map_or(rtt, |known: Duration| known.max(rtt)));
        }
    }
    Ok(longest)
}

/// The directed links of the shortest path over these nodes.
fn one_way<'a>(routes: &mut Routes<'_>, stops: impl Iterator<Item = &'a str>) -> Option<Vec<u32>> {
    let stops: Vec<u32> = stops.map(|name| routes.node(name)).collect::<Option<_>>()?;
    let mut path = Vec::new();
    for ends in stops.windows(2) {
        routes.extend(&mut path, ends[0], ends[1], Choice::First).ok()?;
    }
    Some(path)
}
