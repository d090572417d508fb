//! CHOKe against a flow that answers nothing: what it leaves to one at a constant rate beside many TCP flows.

use crate::common;

use common::{cell, run};
use serde_json::{Value, json};

/// The share of a line of 10 Mbit/s that a flow at a constant rate gets beside this many TCP flows, after 10 s.
fn share_beside(n: u32, queue: &Value, rate: &str) -> f64 {
    let mut flows: Vec<Value> = (1..=n)
        .map(|i| json!({ "name": format!("tcp{i}"), "from": format!("s{i}"), "to": format!("d{i}"), "control": "newreno", "packet": "1000B", "start": format!("{}ms", 20 * i) }))
        .collect();
    flows.push(json!({ "name": "udp", "from": format!("s{}", n + 1), "to": format!("d{}", n + 1), "control": "none", "workload": { "kind": "cbr", "rate": rate }, "packet": "1000B" }));
    let file = json!({
        "duration": "40s", "warm_up": "10s",
        "topology": {
            "kind": "dumbbell", "hosts": n + 1, "access": { "rate": "1Gbit/s" },
            "line": { "rate": "10Mbit/s", "delay": "50ms", "queue": queue, "reverse_queue": "fcfs" },
        },
        "flows": flows,
    });
    let (scenario, run) = run(&file.to_string());
    cell(&run.finished().flow_table(&scenario), ("flow", "udp"), "received_bytes") * 8.0 / 30.0 / 10e6
}

/// The same beside 50 TCP flows.
fn share(queue: &Value, rate: &str) -> f64 {
    share_beside(50, queue, rate)
}

#[test]
fn it_needs_packets_to_draw_from() {
    // Nine flows: the documented beginning, three packets for each, against the thresholds of RED that are the defaults.
    let beginning = json!({ "kind": "choke", "buffer": "81pkt", "min_threshold": "27pkt", "max_threshold": "54pkt" });
    let [begins, defaults] = [beginning, json!("choke")].map(|queue| share_beside(8, &queue, "12Mbit/s"));
    assert!(begins < 0.75 && defaults > begins + 0.1, "{begins} {defaults}");
}

#[test]
fn a_flow_that_answers_nothing_gets_the_less_the_more_it_sends() {
    // Tang, Wang and Low 2004: with many TCP flows its share is at most 1/(e + 1) = 0.269, just above the capacity, and falls to zero with its rate.
    let limits = json!({ "kind": "choke", "buffer": "600pkt", "min_threshold": "20pkt", "max_threshold": "520pkt" });
    let shares: Vec<f64> =
        ["12Mbit/s", "20Mbit/s", "30Mbit/s", "50Mbit/s"].iter().map(|rate| share(&limits, rate)).collect();
    assert!(shares.iter().all(|s| *s < 0.30), "{shares:?}");
    assert!(shares.is_sorted_by(|a, b| a > b), "{shares:?}");
    assert!(shares[3] < 0.6 * shares[0], "{shares:?}");
    // RED with the same numbers leaves it nearly all.
    let mut red = limits;
    red["kind"] = "red".into();
    let red = share(&red, "12Mbit/s");
    assert!(red > 0.85, "{red}");
}
