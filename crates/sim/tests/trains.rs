//! Trains (`gso` of a transport) through a network.

use crate::common;

use common::{cell, run};

/// A paced flow over an access line of 1 Gbit/s and a line of 100 Mbit/s that marks what waits for 1 ms.
fn scenario(control: &str, gso: &str) -> String {
    let transport = if gso.is_empty() { String::new() } else { format!(r#", "transport": {{"gso": {gso}}}"#) };
    format!(
        r#"{{"duration": "10s", "warm_up": "5s", "nodes": [{{"name": "s", "kind": "host"}}, {{"name": "g"}}, {{"name": "d", "kind": "host"}}],
            "links": [{{"name": "access", "from": "s", "to": "g", "rate": "1Gbit/s"}},
                      {{"name": "slow", "from": "g", "to": "d", "rate": "100Mbit/s", "delay": "10ms",
                        "queue": {{"kind": "fcfs", "aqm": {{"kind": "threshold", "delay": "1ms"}}}}}}],
            "flows": [{{"name": "f", "from": "s", "to": "d", "packet": "1500B", "control": "{control}"{transport}}}]}}"#
    )
}

/// Packets received, marks and mean time in queues in us.
fn outcome(control: &str, gso: &str) -> [f64; 3] {
    let (s, running) = run(&scenario(control, gso));
    let table = running.finished().flow_table(&s);
    let value = |column| cell(&table, ("flow", "f"), column);
    [value("unique"), value("marks"), value("queueing_mean_s") * 1e6]
}

/// A rule whose trains have one packet.
const ONE: &str = r#"{"time": "0s", "min_packets": 1, "max_bytes": "1B", "halved_each": "0s"}"#;

#[test]
fn trains_of_one_packet_and_none_at_all_change_nothing() {
    for control in ["prague", "copa", "timely", "vivace", "allegro", "bbr1", "bbr3"] {
        let outcome = |control: &str, gso: &str| {
            let text = scenario(control, gso).replace(r#""10s""#, r#""2s""#).replace(r#""5s""#, r#""1s""#);
            run(&text).1.digest().value()
        };
        let plain = outcome(control, "");
        assert_eq!(outcome(control, ONE), plain, "{control}");
        assert_eq!(outcome(control, r#""off""#), plain, "{control}");
        assert_ne!(outcome(control, r#""linux""#), plain, "{control}");
    }
}

#[test]
fn longer_trains_make_queues_that_a_threshold_of_a_millisecond_sees() {
    // A train of 8 packets, Linux's at 100 Mbit/s, takes 0.96 ms of the line; one of 4 ms has up to 33 packets.
    let [plain, linux, long] = ["", r#""linux""#, r#"{"time": "4ms"}"#].map(|gso| outcome("bbr1", gso));
    assert!(plain[2] < linux[2] - 400.0 && linux[2] < long[2] - 1000.0, "{plain:?} {linux:?} {long:?}");
    // Prague sends in bursts of 0.24 ms of its own, of 2 packets; with its trains of 1/1024 s the line is still full, and with 4 ms each train is marked.
    let [plain, linux, long] = ["", r#""linux""#, r#"{"time": "4ms"}"#].map(|gso| outcome("prague", gso));
    assert!(plain[0] > 41_000.0 && linux[0] > 41_000.0 && long[0] < 20_000.0, "{plain:?} {linux:?} {long:?}");
}

#[test]
fn the_length_of_packets_counts_for_the_bytes_of_a_train() {
    // 3000 B are two packets of 1500 B, and one of 1501 B.
    let two = r#"{"time": "4ms", "min_packets": 1, "max_bytes": "3000B", "halved_each": "0s"}"#;
    let digest = |gso: &str, bytes: &str| {
        let text = scenario("bbr3", gso).replace("1500B", bytes);
        run(&text).1.digest().value()
    };
    assert_eq!(digest(two, "1501B"), digest(ONE, "1501B"));
    assert_ne!(digest(two, "1500B"), digest(ONE, "1500B"));
}

#[test]
fn a_wrong_rule_is_an_error_that_names_its_place() {
    for (control, gso, path, says) in [
        ("cubic", r#""linux""#, "flows[0].transport.gso", "paced = true"),
        ("bbr1", r#"{"max_bytes": "0B"}"#, "flows[0].transport.gso.max_bytes", "expected 1B to 16MiB"),
        ("bbr1", r#"{"min_packets": 0}"#, "flows[0].transport.gso.min_packets", "expected 1 to 1000"),
        ("bbr1", r#""on""#, "flows[0].transport.gso", r#"expected "off", "linux""#),
        ("bbr1", r#"{"segments": 2}"#, "flows[0].transport.gso", "max_bytes"),
    ] {
        let error =
            headgate_sim::spec::Scenario::from_json(&scenario(control, gso)).map(drop).expect_err(gso).to_string();
        assert!(error.contains(path) && error.contains(says), "{error}");
    }
}
