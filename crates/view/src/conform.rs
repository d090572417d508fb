//! What a flow control must pass whoever wrote it, in whatever language: for each test the scenarios to run, and what their results say. The caller
//! makes the runs, each with the seed 1.
//!
//! Tests that belong to one language, such as those of a class's parameters, stand with that language.

use crate::effects::PLAIN;
use crate::words::{counted, general, verb};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// The flow control that is tested, as scenarios write it.
#[derive(Clone, Debug, Deserialize)]
pub struct Tested {
    /// Its table, with `kind`.
    pub control: Value,
    /// Keys of the transport that belong to it.
    #[serde(default)]
    pub transport: Map<String, Value>,
    /// What the scenario's key of this name has, for one of the user's own.
    #[serde(default)]
    pub plugins: Vec<Value>,
}

/// A path on which a flow control must not fail.
#[derive(Clone, Debug, Deserialize)]
pub struct Path {
    /// The title of the test.
    pub name: String,
    /// The least goodput, in packets a second, that shows that it goes on.
    pub least: f64,
    /// What is changed: see [`scenario`].
    #[serde(flatten)]
    pub change: Map<String, Value>,
}

/// A test: its title, and what is to be run for it.
#[derive(Clone, Debug, Serialize)]
pub struct Case {
    /// The title.
    pub name: String,
    /// The scenarios, in the order in which their results are judged.
    pub scenarios: Vec<Value>,
}

/// What a run gave.
#[derive(Clone, Debug, Deserialize)]
pub struct Outcome {
    /// Its digest.
    pub digest: String,
    /// What the flow received, in packets a second.
    pub goodput_pps: f64,
    /// Packets of the flow that queues dropped.
    pub drops: u64,
}

/// The titles of the tests that need no path.
const REPEATS: &str = "determinism";
const LATER: &str = "time of the start";
const REACTS: &str = "reaction to loss";

/// How much later the flow starts in the test of that, in s; by how much its goodput may differ then.
const AFTER_S: u64 = 64;
const DIFFERS: f64 = 0.05;

/// Drops are too many from this part of what arrived on.
const DROPS: f64 = 0.3;

/// How long a run lasts unless it is changed, in s.
const LASTS_S: u64 = 10;

/// One flow over a line of 10 Mbit/s and 20 ms. `change` has keys of a scenario; those of `line` and `flow` change the line and the flow, and `beside`
/// are further flows.
///
/// ```
/// use headgate_view::conform::{Tested, scenario};
/// use serde_json::json;
/// let tested = Tested { control: json!("cubic"), transport: Default::default(), plugins: Vec::new() };
/// let change = json!({"duration": "2s", "line": {"delay": "1s"}});
/// let made = scenario(&tested, change.as_object().unwrap());
/// assert_eq!((&made["duration"], &made["links"][1]["delay"], &made["links"][1]["rate"]), (&json!("2s"), &json!("1s"), &json!("10Mbit/s")));
/// ```
pub fn scenario(tested: &Tested, change: &Map<String, Value>) -> Value {
    let mut line = json!({
        "name": "line", "from": "g", "to": "h", "rate": "10Mbit/s", "delay": "10ms", "queue": {"kind": PLAIN, "buffer": "1BDP"},
    });
    let mut flow = json!({"name": "own", "from": "a", "to": "b", "packet": "1500B", "control": tested.control});
    for (table, key) in [(&mut line, "line"), (&mut flow, "flow")] {
        for (name, value) in change.get(key).and_then(Value::as_object).into_iter().flatten() {
            table[name] = value.clone();
        }
    }
    if !tested.transport.is_empty() {
        let mut transport = tested.transport.clone();
        transport.extend(flow["transport"].as_object().cloned().unwrap_or_default());
        flow["transport"] = Value::Object(transport);
    }
    let mut flows = vec![flow];
    flows.extend(change.get("beside").and_then(Value::as_array).into_iter().flatten().cloned());
    let mut made = json!({
        "duration": format!("{LASTS_S}s"),
        "plugins": tested.plugins,
        "nodes": [{"name": "a", "kind": "host"}, {"name": "b", "kind": "host"}, {"name": "g"}, {"name": "h"}],
        "links": [{"from": "a", "to": "g", "rate": "1Gbit/s"}, line, {"from": "h", "to": "b", "rate": "1Gbit/s"}],
        "flows": flows,
    });
    for (key, value) in change.iter().filter(|(key, _)| !["line", "flow", "beside"].contains(&key.as_str())) {
        made[key] = value.clone();
    }
    made
}

/// All tests, those of these paths last.
pub fn cases(tested: &Tested, paths: &[Path]) -> Vec<Case> {
    let made = |change: Value| scenario(tested, change.as_object().expect("a table is given"));
    let case = |name: &str, scenarios| Case { name: name.to_owned(), scenarios };
    let lossy = || made(json!({"line": {"loss": {"kind": "bernoulli", "probability": 0.01}}}));
    let starts = |after: u64| {
        let (start, lasts, warm_up) = (format!("{after}s"), format!("{}s", LASTS_S + after), format!("{after}s"));
        made(json!({"flow": {"start": start}, "duration": lasts, "warm_up": warm_up}))
    };
    let mut all = vec![
        case(REPEATS, vec![lossy(), lossy()]),
        case(LATER, vec![starts(0), starts(AFTER_S)]),
        case(REACTS, vec![made(json!({"line": {"queue": {"kind": PLAIN, "buffer": "20pkt"}}}))]),
    ];
    all.extend(paths.iter().map(|path| case(&path.name, vec![scenario(tested, &path.change)])));
    all
}

/// What is wrong with a flow control by the runs of the test with this title, if anything is. A test without all of its runs says that they are missing.
pub fn verdict(title: &str, paths: &[Path], runs: &[Outcome]) -> Option<String> {
    match (title, runs) {
        (REPEATS, [a, b]) => (a.digest != b.digest)
            .then(|| format!("two runs of one scenario have digests {} and {}; expected the same", a.digest, b.digest)),
        (LATER, [at_once, later]) => later_than(at_once.goodput_pps, later.goodput_pps),
        (REACTS, [run]) => too_many(run),
        (_, [run]) => match paths.iter().find(|path| path.name == title) {
            Some(path) => (run.goodput_pps.is_nan() || run.goodput_pps < path.least).then(|| {
                let (got, least) = (general(run.goodput_pps, 3), general(path.least, 6));
                format!("it received {got} packets a second; expected at least {least}")
            }),
            None => Some(format!("there is no test {title:?}")),
        },
        _ => Some(format!("the test {title:?} has no result for each of its runs")),
    }
}

/// Everything happens as much later as the flow starts.
fn later_than(at_once: f64, later: f64) -> Option<String> {
    ((at_once - later).abs() > DIFFERS * at_once.max(later)).then(|| {
        let (at_once, later) = (general(at_once, 4), general(later, 4));
        format!(
            "from 0 s on it receives {at_once} packets a second, and in the same run {AFTER_S} s later {later}; expected about the same: what it does \
             must not depend on the time since the start of the simulation"
        )
    })
}

/// Packets that are lost make it send less: without a reaction a queue stays full of retransmissions.
fn too_many(run: &Outcome) -> Option<String> {
    let arrived = run.goodput_pps * LASTS_S as f64;
    (run.drops as f64 > DROPS * arrived.max(1.0)).then(|| {
        let gone = format!("{} {}", counted(run.drops, "packet"), verb(run.drops, "was", "were"));
        format!("{gone} dropped for {arrived:.0} that arrived; expected that it slows down when packets are lost")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use headgate_sim::spec::Scenario;

    fn tested() -> Tested {
        serde_json::from_value(json!({"control": {"kind": "cubic"}, "transport": {"preset": "linux"}})).unwrap()
    }

    fn paths() -> Vec<Path> {
        serde_json::from_value(json!([
            {"name": "a slow line", "least": 0.1, "line": {"rate": "20kbit/s", "queue": {"kind": PLAIN, "buffer": "10pkt"}}},
            {"name": "marks", "least": 5, "flow": {"transport": {"ecn": "classic"}}},
            {"name": "a neighbour", "least": 1, "beside": [{"name": "x", "from": "a", "to": "b", "control": "cubic"}]},
        ]))
        .unwrap()
    }

    fn ran(goodput_pps: f64, drops: u64) -> Outcome {
        Outcome { digest: "d".to_owned(), goodput_pps, drops }
    }

    #[test]
    fn every_scenario_is_valid_and_changed_as_its_test_says() {
        let all = cases(&tested(), &paths());
        for made in all.iter().flat_map(|case| &case.scenarios) {
            Scenario::from_json(&made.to_string()).unwrap();
        }
        let of = |name: &str| &all.iter().find(|case| case.name == name).unwrap().scenarios;
        assert_eq!(of("a slow line")[0]["links"][1]["rate"], "20kbit/s");
        assert_eq!(of("marks")[0]["flows"][0]["transport"], json!({"preset": "linux", "ecn": "classic"}));
        assert_eq!(of("a neighbour")[0]["flows"][1]["name"], "x");
        assert_eq!((&of(LATER)[1]["duration"], &of(LATER)[1]["flows"][0]["start"]), (&json!("74s"), &json!("64s")));
    }

    #[test]
    fn what_is_wrong_is_said_and_what_is_right_is_not() {
        let found = |title, runs: &[Outcome]| verdict(title, &paths(), runs);
        assert_eq!(found(REPEATS, &[ran(1.0, 0), ran(1.0, 0)]), None);
        let other = Outcome { digest: "e".to_owned(), ..ran(1.0, 0) };
        assert!(found(REPEATS, &[ran(1.0, 0), other]).unwrap().contains("digests d and e"));
        assert_eq!(found(LATER, &[ran(100.0, 0), ran(96.0, 0)]), None);
        assert!(
            found(LATER, &[ran(100.0, 0), ran(94.0, 0)]).unwrap().starts_with("from 0 s on it receives 100 packets")
        );
        assert_eq!(found(REACTS, &[ran(100.0, 300)]), None);
        assert_eq!(
            found(REACTS, &[ran(100.0, 301)]).unwrap(),
            "301 packets were dropped for 1000 that arrived; expected that it slows down when packets are lost"
        );
        assert_eq!(found("a slow line", &[ran(0.1, 0)]), None);
        assert_eq!(
            found("a slow line", &[ran(0.0, 0)]).unwrap(),
            "it received 0 packets a second; expected at least 0.1"
        );
        assert!(found("a slow line", &[ran(f64::NAN, 0)]).is_some() && found("a slow line", &[]).is_some());
        assert!(found("no such", &[ran(1.0, 0)]).is_some());
    }
}
