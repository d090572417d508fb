//! Interrupted packets in a network: when they arrive, and what is counted.

use crate::common;

use common::{cell, column, run};
use headgate_sim::Run;
use headgate_sim::spec::Scenario;
use serde_json::{Value, json};

/// A long packet of 1000 bytes every 4 s and two short ones of 100 bytes after it, over a line of 8 kbit/s on which a byte takes a millisecond.
fn scenario(queue: &str) -> Value {
    let flow = |name: &str, bytes: u32, start: &str, more: Value| {
        let mut flow = json!({
            "name": name, "from": name, "to": "d", "start": start, "packet": format!("{bytes}B"), "control": "none", "acknowledge": false,
            "workload": {"kind": "cbr", "rate": format!("{}bit/s", bytes * 8 / 4)},
        });
        flow.as_object_mut().expect("a table").extend(more.as_object().expect("a table").clone());
        flow
    };
    json!({
        "duration": "40s", "warm_up": "0s",
        "nodes": [{"name": "long", "kind": "host"}, {"name": "short", "kind": "host"}, {"name": "shorter", "kind": "host"}, {"name": "g"},
                  {"name": "d", "kind": "host"}],
        "links": [
            {"name": "a", "from": "long", "to": "g", "rate": "8Gbit/s"}, {"name": "b", "from": "short", "to": "g", "rate": "8Gbit/s"},
            {"name": "c", "from": "shorter", "to": "g", "rate": "8Gbit/s"},
            {"name": "line", "from": "g", "to": "d", "rate": "8kbit/s", "delay": "0s", "queue": queue},
        ],
        "flows": [flow("long", 1000, "0s", json!({})), flow("short", 200, "200ms", json!({})), flow("shorter", 50, "250ms", json!({}))],
    })
}

/// Delays of the flows in ms, by name.
fn delays(value: &Value) -> [f64; 3] {
    let (s, running) = run(&value.to_string());
    let table = running.finished().flow_table(&s);
    ["long", "short", "shorter"].map(|name| (cell(&table, ("flow", name), "owd_mean_s") * 1e3).round())
}

#[test]
fn a_short_packet_does_not_wait_for_a_long_one() {
    // At 200 ms the short packet, F = 1600 + 1600 < 8000 bits, interrupts the long one; at 250 ms R = 1800, and the shorter one, 2200, interrupts it.
    // They end at 300 ms (50 after it came), 450 ms (250) and 1250 ms. Without preemption: 1000 ms, 1050 ms (800) and 1250 ms (1050).
    assert_eq!(delays(&scenario("fq_preemptive")), [1250.0, 250.0, 50.0]);
    assert_eq!(delays(&scenario("fq")), [1000.0, 1050.0, 800.0]);
}

#[test]
fn a_link_is_read_between_the_parts_of_a_packet() {
    // The long packet is interrupted at 200 ms, and read at 100 ms, when all of it was to follow: what was read does not fall.
    let mut value = scenario("fq_preemptive");
    value["interval"] = json!("50ms");
    let (s, running) = run(&value.to_string());
    let links = running.finished().link_table(&s);
    let line = ("link", "line");
    // 1000, 200 and 50 bytes every 4 s, at a millisecond a byte; the last ones come at 36 s.
    assert_eq!((cell(&links, line, "sent_bytes"), cell(&links, line, "utilisation")), (12_500.0, 12.5 / 40.0));
}

#[test]
fn the_delay_of_the_line_comes_after_the_last_bit() {
    let mut value = scenario("fq_preemptive");
    value["links"][3]["delay"] = json!("5s");
    assert_eq!(delays(&value), [6250.0, 5250.0, 5050.0]);
    // From 16 s on it is 2 s less: packets that end then are on the wire for 3 s, and none overtakes another.
    value["events"] = json!([{"at": "16s", "link": "line", "delay": "3s"}]);
    value["duration"] = json!("60s");
    let found = delays(&value);
    assert!(
        found.iter().zip([4250.0, 3250.0, 3050.0]).all(|(found, least)| *found > least && *found < least + 2000.0),
        "{found:?}"
    );
}

#[test]
fn nothing_is_lost_or_counted_twice() {
    for event in [
        json!([]),
        json!([{"at": "4300ms", "link": "line", "rate": "16kbit/s"}, {"at": "8350ms", "link": "line", "rate": "4kbit/s"}]),
        json!([{"at": "220ms", "link": "line", "up": false}, {"at": "9s", "link": "line", "up": true}]),
    ] {
        let mut value = scenario("fq_preemptive");
        value["events"] = event;
        let scenario = Scenario::from_json(&value.to_string()).unwrap_or_else(|e| panic!("{e}"));
        let mut running = Run::new(&scenario, 1, 0);
        while !running.advance(1) {
            assert_eq!(running.audit(), Ok(()));
        }
        assert_eq!(running.audit(), Ok(()));
        let table = running.finished().flow_table(&scenario);
        let all = |name: &str| column(&table, name).iter().sum::<f64>();
        // At most one packet of each flow is under way when the run ends.
        assert!(all("sent") >= 30.0 && all("received") >= all("sent") - 3.0, "{} of {}", all("received"), all("sent"));
    }
}

#[test]
fn the_line_counts_what_it_sends() {
    let (s, running) = run(&scenario("fq_preemptive").to_string());
    let links = running.finished().link_table(&s);
    // 1250 ms in each 4 s, as long as in one piece.
    let used = cell(&links, ("link", "line"), "utilisation");
    assert!((used - 1.25 / 4.0).abs() < 1e-9, "{used}");
}
