//! `classify` by fields of headers: a fair scheduler with one queue for each priority, or for each codepoint of the ECN field.

use crate::common;

use common::{cell, run};
use headgate_sim::spec::Scenario;

/// Flows between the same two hosts over a line of 8 Mbit/s, which a queue of DRR shares; each with the rest of its entry.
fn scenario(classify: &str, queue: &str, flows: &[&str]) -> String {
    let flows: Vec<String> = flows
        .iter()
        .enumerate()
        .map(|(n, rest)| format!(r#"{{"name": "f{n}", "from": "s", "to": "d", "packet": "1000B", {rest}}}"#))
        .collect();
    format!(
        r#"{{"duration": "20s", "warm_up": "4s", "nodes": [{{"name": "s", "kind": "host"}}, {{"name": "g"}}, {{"name": "d", "kind": "host"}}],
            "links": [{{"from": "s", "to": "g", "rate": "1Gbit/s"}},
                      {{"name": "slow", "from": "g", "to": "d", "rate": "8Mbit/s", "delay": "5ms", "classify": "{classify}", "queue": {queue}}}],
            "flows": [{}]}}"#,
        flows.join(", ")
    )
}

/// Packets a second of each flow, and the conversations at the slow line.
fn shares(classify: &str, queue: &str, flows: &[&str]) -> (Vec<f64>, usize) {
    let (s, running) = run(&scenario(classify, queue, flows));
    let table = running.finished().flow_table(&s);
    let of = |n: usize| cell(&table, ("flow", &format!("f{n}")), "unique") / 16.0;
    ((0..flows.len()).map(of).collect(), running.conversations(2))
}

const DRR: &str = r#"{"kind": "drr", "quantum": "1000B", "buffer": "90pkt"}"#;

/// A source that sends at the rate of the whole line, with this priority.
fn flood(priority: u8) -> String {
    format!(
        r#""priority": {priority}, "control": "none", "acknowledge": false, "workload": {{"kind": "cbr", "rate": "8Mbit/s"}}"#
    )
}

fn near(found: &[f64], due: &[f64], part: f64) {
    assert!(found.iter().zip(due).all(|(x, due)| (x - due).abs() <= part * due), "{found:?} instead of {due:?}");
}

#[test]
fn each_priority_has_one_queue_whatever_flows_it_has() {
    // Three flows of priority 46 and one of 0, in any order: half of the line for each priority, of 1000 packets a second.
    let [low, high] = [flood(0), flood(46)];
    for (order, place) in
        [([&high, &high, &high, &low], 3), ([&low, &high, &high, &high], 0), ([&high, &low, &high, &high], 1)]
    {
        let (found, conversations) = shares("priority", DRR, &order.map(String::as_str));
        assert_eq!(conversations, 2);
        near(&[found[place]], &[500.0], 0.01);
        assert!((found.iter().sum::<f64>() - 1000.0).abs() < 2.0, "{found:?}");
        let (found, conversations) = shares("flow", DRR, &order.map(String::as_str));
        assert_eq!(conversations, 4);
        near(&found, &[250.0; 4], 0.01);
        assert_eq!(shares("pair", DRR, &order.map(String::as_str)).1, 1);
    }
}

#[test]
fn flows_of_an_entry_and_flows_that_come_and_go_are_in_the_queue_of_their_priority() {
    // Transfers of priority 46 that would take the whole line, beside one source of priority 0.
    let arrivals = r#""priority": 46, "control": "none", "acknowledge": false, "arrivals": {"kind": "poisson", "mean": "10ms"},
        "workload": {"kind": "transfer", "packets": 20}"#;
    let (found, conversations) = shares("priority", DRR, &[arrivals, &flood(0)]);
    assert_eq!(conversations, 2);
    near(&found, &[500.0, 500.0], 0.03);
}

#[test]
fn each_codepoint_has_one_queue() {
    // Two flows with Not-ECT, one with ECT(0), one with ECT(1): a third of the line for each codepoint, where marks do not move a packet.
    let queue = r#"{"kind": "drr", "quantum": "1000B", "buffer": "unlimited", "aqm": {"kind": "codel", "mark": true}}"#;
    let flows = [
        r#""control": "reno""#,
        r#""control": "reno", "transport": {"ecn": true}"#,
        r#""control": "prague""#,
        r#""control": "reno""#,
    ];
    let (found, conversations) = shares("ecn", queue, &flows);
    assert_eq!(conversations, 3);
    near(&[found[0] + found[3], found[1], found[2]], &[1000.0 / 3.0; 3], 0.1);
    assert!(found[0] < 250.0 && found[3] < 250.0, "{found:?}");
}

#[test]
fn a_flow_control_with_a_priority_for_each_packet_cannot_be_classified_by_it() {
    let text = scenario("priority", DRR, &[&flood(0), r#""control": "blt""#]);
    let error = Scenario::from_json(&text).map(drop).expect_err("blt").to_string();
    assert!(error.contains("links[1].classify") && error.contains("`blt` gives each packet"), "{error}");
    assert!(Scenario::from_json(&text.replace(r#""priority", "queue""#, r#""flow", "queue""#)).is_ok());
}

#[test]
fn other_names_for_a_class_say_what_is_meant() {
    for (name, says) in [
        ("host", "say `source` or `destination`, the host that packets come from"),
        ("hosts", "say `source` or `destination`"),
        ("dscp", "did you mean `priority`"),
        ("tos", "did you mean `priority`"),
        ("dsthost", "did you mean `destination`"),
        ("src", "did you mean `source`"),
        ("5tuple", "did you mean `flow`"),
        ("ECN", "did you mean `ecn`"),
    ] {
        let error = Scenario::from_json(&scenario(name, DRR, &[&flood(0)])).map(drop).expect_err(name).to_string();
        assert!(error.contains("links[1].classify") && error.contains(says), "{name}: {error}");
    }
}
