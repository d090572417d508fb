//! CAKE in a network: hosts share by their number in the scenario, also those of flows that come and go, and the shaper keeps the queue.

use crate::common;

use common::{column, run};
use serde_json::{Value, json};

/// Hosts a and b send to x and y through g, whose line to h is faster than CAKE's rate; the flows' packets are 1000 bytes.
fn network(queue: &Value, flows: &Value) -> String {
    let hosts = ["a", "b", "x", "y"].map(|name| json!({"name": name, "kind": "host"}));
    let mut nodes = hosts.to_vec();
    nodes.extend(["g", "h"].map(|name| json!({"name": name})));
    let fast = |from: &str, to: &str| json!({"name": format!("{from}-{to}"), "from": from, "to": to, "rate": "1Gbit/s", "delay": "1ms"});
    let mut links = vec![fast("a", "g"), fast("b", "g"), fast("h", "x"), fast("h", "y")];
    links.push(json!({"name": "slow", "from": "g", "to": "h", "rate": "100Mbit/s", "delay": "5ms", "classify": "flow", "queue": queue}));
    let whole = json!({"duration": "20s", "warm_up": "5s", "nodes": nodes, "links": links, "flows": flows});
    whole.to_string()
}

fn flow(name: &str, from: &str, to: &str) -> Value {
    json!({"name": name, "from": from, "to": to, "control": "none", "acknowledge": false,
        "workload": {"kind": "cbr", "rate": "20Mbit/s"}, "packet": "1000B"})
}

/// The parts of what arrived that the flows have.
fn shares(queue: &Value, flows: &Value) -> Vec<f64> {
    let (spec, done) = run(&network(queue, flows));
    let received = column(&done.finished().flow_table(&spec), "unique");
    let all: f64 = received.iter().sum();
    // 10 Mbit/s are 1250 packets a second.
    assert!((all / 15.0 - 1250.0).abs() < 2.0, "{all}");
    received.iter().map(|one| one / all).collect()
}

#[test]
fn hosts_share_by_where_they_are_in_the_network() {
    let flows = json!([
        flow("one", "a", "x"),
        flow("two", "a", "y"),
        flow("three", "b", "x"),
        flow("four", "b", "x"),
        flow("five", "b", "x"),
    ]);
    let (sixth, third) = (1.0 / 6.0, 1.0 / 3.0);
    for (isolation, due) in [
        ("flows", [0.2; 5]),
        ("dual_srchost", [0.25, 0.25, sixth, sixth, sixth]),
        ("dual_dsthost", [0.125, 0.5, 0.125, 0.125, 0.125]),
        ("triple_isolate", [sixth, third, sixth, sixth, sixth]),
    ] {
        let found = shares(&json!({"kind": "cake", "rate": "10Mbit/s", "isolation": isolation}), &flows);
        assert!(found.iter().zip(due).all(|(found, due)| (found - due).abs() < 0.01 * due), "{isolation}: {found:?}");
    }
}

#[test]
fn code_points_are_priorities() {
    let with = |name, priority: u8| {
        let mut flow = flow(name, "a", "x");
        flow["priority"] = priority.into();
        flow
    };
    let found = shares(
        &json!({"kind": "cake", "rate": "10Mbit/s"}),
        &json!([with("best-effort", 0), with("bulk", 8), with("voice", 46)]),
    );
    for (found, due) in found.iter().zip([11.0 / 16.0, 1.0 / 16.0, 0.25]) {
        assert!((found - due).abs() < 0.002, "{found} for {due}");
    }
}

#[test]
fn flows_that_come_and_go_have_the_hosts_of_their_entry() {
    // Transfers from b come and go, several at a time: together with the permanent flow of b they have half, as does the flow
    // of a, less what their first packets are served early.
    let mut many = flow("many", "b", "y");
    many["workload"] = json!({"kind": "transfer", "bytes": "100KB"});
    many["control"] = "cubic".into();
    many["acknowledge"] = true.into();
    many["arrivals"] = json!({"kind": "poisson", "mean": "200ms"});
    let flows = json!([flow("one", "a", "x"), flow("two", "b", "x"), many]);
    for (isolation, due) in [("dual_srchost", 0.48..0.52), ("flows", 0.30..0.45)] {
        let (spec, done) = run(&network(&json!({"kind": "cake", "rate": "10Mbit/s", "isolation": isolation}), &flows));
        let received = column(&done.finished().flow_table(&spec), "unique");
        let share = received[0] / (15.0 * 1250.0);
        assert!(due.contains(&share), "{isolation}: {share}");
    }
}
