//! A scenario made ready for the page: with recorded traces and short intervals; the flows, the network and the warm-up do not change.

use crate::fault::Fault;
use headgate_packet::Duration;
use headgate_sim::spec::{Scenario, TraceKind};
use serde_json::{Value, json};

/// Intervals of a run, and rows of the table of intervals that are enough.
pub const INTERVALS: u64 = 240;
const ROWS: u64 = 200_000;

/// With more flows than this only drops are traced.
const FLOWS: usize = 200;

/// Traces that are recorded for all views; traces of a run whose other traces would take too much memory.
const ALL: [TraceKind; 6] = [
    TraceKind::Window,
    TraceKind::InFlight,
    TraceKind::Rtt,
    TraceKind::Backlog,
    TraceKind::Drops,
    TraceKind::Estimates,
];
const FEW: [TraceKind; 1] = [TraceKind::Drops];

/// What a page records of a run, in place of what the scenario says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recording {
    /// Length of an interval.
    pub interval: Duration,
    /// What is traced.
    pub traces: Vec<TraceKind>,
}

impl Recording {
    /// That of a scenario with this duration, these intervals, so many flows and these traces of its own. `few` leaves out all traces but drops, and
    /// many intervals: the run takes less memory.
    pub fn of(duration: Duration, interval: Duration, flows: usize, own: &[TraceKind], few: bool) -> Recording {
        let wanted = INTERVALS.min(ROWS / flows.max(1) as u64).max(1);
        let long = few || duration.as_ps() / interval.as_ps().max(1) < wanted;
        let traces = if few || flows > FLOWS { &FEW[..] } else { &ALL };
        let completions = own.iter().filter(|kind| **kind == TraceKind::Completions);
        Recording {
            interval: if long { parts(duration, wanted) } else { interval },
            traces: traces.iter().chain(completions).copied().collect(),
        }
    }
}

/// The scenario as the explorer runs it; its packets are those of the scenario itself.
///
/// # Errors
/// Something in it is wrong.
///
/// ```
/// use serde_json::json;
/// let link = json!({ "name": "slow", "from": "a", "to": "b", "rate": "10Mbit/s", "delay": "5ms" });
/// let flow = json!({ "name": "f", "from": "a", "to": "b", "control": "reno" });
/// let given = json!({ "nodes": [{ "name": "a" }, { "name": "b" }], "links": [link], "flows": [flow], "duration": "24s", "warm_up": "2s" });
/// let ready = headgate_view::prepared(&given, false).unwrap();
/// assert_eq!((&ready["interval"], &ready["warm_up"]), (&json!("100ms"), &json!("2s")));
/// assert_eq!(headgate_view::prepared(&given, true).unwrap()["traces"], json!(["drops"]));
/// assert_eq!(headgate_view::prepared(&json!({}), false).unwrap_err().message, "expected a value for `duration`, which is missing");
/// ```
pub fn prepared(given: &Value, few: bool) -> Result<Value, Fault> {
    let mut ready = given.clone();
    if let Some(keys) = ready.as_object_mut() {
        keys.remove("sweep");
    }
    let s = Scenario::from_json(&ready.to_string())?;
    let Recording { interval, traces } =
        Recording::of(s.duration, s.interval.unwrap_or(s.duration), s.flows.len(), &s.traces, few);
    Ok(with(ready, [("warm_up", json!(s.warm_up)), ("interval", json!(interval)), ("traces", json!(traces))]))
}

/// The length of an interval of which `count` are a duration, rounded up: otherwise one of almost no length would be left over.
fn parts(duration: Duration, count: u64) -> Duration {
    Duration::from_ps(duration.as_ps().div_ceil(count.max(1)).max(1))
}

/// The first part of a prepared scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Beginning {
    /// Where it ends.
    pub until: Duration,
    warm_up: Duration,
}

impl Beginning {
    /// That of a scenario of this duration, with a warm-up that is shorter.
    pub fn of(duration: Duration, warm_up: Duration, share: f64) -> Beginning {
        let until = ((duration.as_ps() as f64 * share) as u64).max(1000).min(duration.as_ps());
        Beginning { until: Duration::from_ps(until), warm_up: Duration::from_ps(warm_up.as_ps().min(until / 7)) }
    }

    /// Its keys in a scenario, with their values.
    pub fn keys(&self) -> [(&'static str, Value); 3] {
        let interval = parts(self.until, INTERVALS);
        [("duration", json!(self.until)), ("warm_up", json!(self.warm_up)), ("interval", json!(interval))]
    }
}

/// The first part of a prepared scenario: its packets up to then, with a shorter warm-up, and where it ends in s.
///
/// # Errors
/// It has no duration or no warm-up.
///
/// ```
/// use serde_json::json;
/// let (part, end) = headgate_view::shorter(&json!({ "duration": "700s", "warm_up": "100s" }), 0.01).unwrap();
/// assert_eq!((part, end), (json!({ "duration": "7s", "warm_up": "1s", "interval": "29166666.667ns" }), 7.0));
/// ```
pub fn shorter(ready: &Value, share: f64) -> Result<(Value, f64), Fault> {
    let time = |key| ready[key].as_str().unwrap_or("").parse().map_err(|e| Fault::at(key, format!("{key}: {e}")));
    let part = Beginning::of(time("duration")?, time("warm_up")?, share);
    Ok((with(ready.clone(), part.keys()), part.until.as_secs_f64()))
}

/// A scenario with other values of some keys.
fn with<const N: usize>(mut scenario: Value, keys: [(&'static str, Value); N]) -> Value {
    if let Some(own) = scenario.as_object_mut() {
        own.extend(keys.into_iter().map(|(key, value)| (key.to_owned(), value)));
    }
    scenario
}
