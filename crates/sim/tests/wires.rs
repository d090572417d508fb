//! Whatever wires do to packets, none is lost from the books: each arrives, was dropped, was lost or is on its way.

use crate::common;

use common::column;
use headgate_sim::Run;
use headgate_sim::spec::Scenario;
use proptest::prelude::*;
use serde_json::{Value, json};

/// The laws of one direction.
fn laws() -> impl Strategy<Value = Value> {
    let loss = prop::sample::select(vec![
        Value::Null,
        json!({"kind": "bernoulli", "probability": 0.05}),
        json!({"kind": "gilbert_elliott", "to_bad": 0.02, "to_good": 0.3}),
        json!({"kind": "packets", "packets": [1, 2, 5, 6, 7]}),
    ]);
    let jitter = prop::sample::select(vec![
        Value::Null,
        json!({"mean": "30ms"}),
        json!({"mean": "30ms", "reorder": true}),
        json!({"mean": "10ms", "law": {"kind": "pareto", "shape": 1.5}, "reorder": true}),
    ]);
    let duplicate = prop::sample::select(vec![0.0, 0.2]);
    (loss, jitter, duplicate)
        .prop_map(|(loss, jitter, duplicate)| json!({"loss": loss, "jitter": jitter, "duplicate": duplicate}))
}

/// Those of both directions as keys of a link.
fn both(there: &Value, back: &Value) -> Value {
    let mut link = json!({});
    for key in ["loss", "jitter", "duplicate"] {
        let ways: serde_json::Map<String, Value> = [("forward", there), ("reverse", back)]
            .into_iter()
            .filter(|(_, laws)| !laws[key].is_null())
            .map(|(name, laws)| (name.to_owned(), laws[key].clone()))
            .collect();
        if !ways.is_empty() {
            link[key] = Value::Object(ways);
        }
    }
    link
}

/// The flow controls that have acknowledgements.
fn controlled() -> Vec<&'static str> {
    let open =
        |name: &str| headgate_control::Spec::default_of(name).expect("it is in the list").transport().is_open_loop();
    headgate_control::LIST.iter().map(|entry| entry.name).filter(|name| !open(name)).collect()
}

/// A run in slices of this size, with an audit from time to time.
fn run(scenario: &Scenario, slice: u64) -> Run {
    let mut running = Run::new(scenario, 1, 0);
    while !running.advance(slice) {
        running.audit().expect("packets are conserved");
    }
    running.audit().expect("packets are conserved");
    running
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]
    #[test]
    fn packets_are_conserved_on_any_wire(
        (there, back) in (laws(), laws()),
        control in prop::sample::select(controlled()),
        queue in prop::sample::select(vec!["fcfs", "fq", "drr", "red", "csfq"]),
        delay in prop::sample::select(vec!["0s", "20ms"]),
        noise in prop::sample::select(vec!["0pkt", "1pkt", "70ms"]),
    ) {
        let mut line = json!({"name": "l", "from": "g", "to": "b", "rate": "400kbit/s", "delay": delay, "queue": {"kind": queue, "buffer": "12pkt"}, "classify": "flow"});
        line.as_object_mut().expect("a table").extend(both(&there, &back).as_object().expect("a table").clone());
        let scenario = json!({
            "duration": "20s", "warm_up": "0s", "interval": "5s", "hosts": {"noise": noise},
            "nodes": [{"name": "a"}, {"name": "g"}, {"name": "b"}],
            "links": [{"from": "a", "to": "g", "rate": "2Mbit/s"}, line],
            "flows": [{"name": "bulk", "from": "a", "to": "b", "control": control},
                      {"name": "back", "from": "b", "to": "a", "control": control, "start": "1s"},
                      {"name": "short", "from": "a", "to": "b", "control": control, "arrivals": {"kind": "poisson", "mean": "500ms"},
                       "workload": {"kind": "transfer", "packets": 4}},
                      {"name": "open", "from": "a", "to": "b", "control": "none", "workload": {"kind": "cbr", "rate": "40kbit/s"}},
                      {"name": "layers", "from": "a", "to": "b", "control": "rlm", "workload": {"kind": "layers", "rate": "8kbit/s"}}],
        });
        let scenario = Scenario::from_json(&scenario.to_string()).expect("a good scenario");
        let running = run(&scenario, 10_000);
        prop_assert_eq!(running.digest().value(), run(&scenario, 17).digest().value(), "in other slices");
        let (flows, links) = (running.finished().flow_table(&scenario), running.finished().link_table(&scenario));
        let total = |name: &str| column(&flows, name).iter().sum::<f64>();
        // Ports: a to g and back, g to b and back. Acknowledgements are lost and doubled too.
        let (lost, twice) = (column(&links, "lost"), column(&links, "duplicated"));
        prop_assert_eq!(lost[..2].iter().sum::<f64>() + twice[..2].iter().sum::<f64>(), 0.0);
        prop_assert!(total("received") <= total("sent") + twice.iter().sum::<f64>());
        prop_assert!(total("unique") <= total("sent"));
        let gone = total("drops") + lost.iter().sum::<f64>();
        prop_assert!(total("sent") - total("received") <= gone + 300.0, "{} sent, {} received, {} gone", total("sent"), total("received"), gone);
        // The uncontrolled source meets the laws as they are. A flow control that never lets the buffer empty may take all of its packets' places.
        let open = |name: &str| column(&flows, name)[3];
        prop_assert!(open("sent") > 0.0 && open("unique") <= open("sent"));
        // What wires lost and no flow did were acknowledgements.
        prop_assert!(total("lost") <= lost.iter().sum::<f64>());
        prop_assert!(open("lost") + open("drops") + open("received") <= open("sent") + twice.iter().sum::<f64>());
    }
}

#[test]
fn a_transfer_gets_through_a_wire_that_loses_doubles_and_delays() {
    for control in controlled() {
        let laws =
            json!({"loss": {"kind": "bernoulli", "probability": 0.02}, "jitter": {"mean": "5ms"}, "duplicate": 0.02});
        let mut line = json!({"name": "l", "from": "a", "to": "b", "rate": "2Mbit/s", "delay": "5ms"});
        line.as_object_mut().expect("a table").extend(laws.as_object().expect("a table").clone());
        let scenario = json!({
            "duration": "2000s", "warm_up": "0s", "interval": "500s",
            "nodes": [{"name": "a"}, {"name": "b"}],
            "links": [line],
            "flows": [{"name": "f", "from": "a", "to": "b", "control": control, "workload": {"kind": "transfer", "packets": 300}}],
        });
        let scenario = Scenario::from_json(&scenario.to_string()).expect("a good scenario");
        let running = run(&scenario, 10_000);
        let unique = column(&running.finished().flow_table(&scenario), "unique")[0];
        assert_eq!(unique, 300.0, "{control}");
    }
}

#[test]
fn what_a_wire_lost_of_each_flow_is_counted() {
    let scenario = json!({
        "duration": "20s", "warm_up": "0s", "interval": "5s",
        "nodes": [{"name": "a"}, {"name": "b"}],
        "links": [{"from": "a", "to": "b", "rate": "2Mbit/s", "loss": {"kind": "packets", "packets": [1, 2, 5]}}],
        "flows": [{"name": "f", "from": "a", "to": "b", "control": "none", "packet": "1000B", "workload": {"kind": "cbr", "rate": "80kbit/s"}},
                  {"name": "g", "from": "a", "to": "b", "control": "none", "packet": "1000B", "workload": {"kind": "cbr", "rate": "80kbit/s"},
                   "start": "50ms"}],
    });
    let scenario = scenario.to_string();
    let scenario = Scenario::from_json(&scenario).expect("a good scenario");
    let running = run(&scenario, 100);
    let flows = running.finished().flow_table(&scenario);
    // They send in turn.
    assert_eq!(column(&flows, "lost"), [2.0, 1.0]);
    assert_eq!(column(&flows, "drops"), [0.0, 0.0]);
}
