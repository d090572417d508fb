//! What became of single packets at the ports that they came to, against a run worked out by hand.

use headgate_sim::spec::Scenario;
use headgate_sim::{Cells, Run, Table};

/// Two sources that send a packet of 1000 bytes each half second, both at once: it takes 10 ms on `fast` and 100 ms on `slow`, which are 20 and
/// 50 ms long. So the first waits nowhere, the second 10 and 90 ms; with a buffer for no packet but the one on the line it is dropped.
fn pair(queue: &str) -> Scenario {
    let text = r#"{"duration": "2s", "interval": "500ms", "warm_up": "0s",
    "nodes": [{"name": "s", "kind": "host"}, {"name": "g"}, {"name": "d", "kind": "host"}],
    "links": [{"name": "fast", "from": "s", "to": "g", "rate": "800kbit/s", "delay": "20ms"},
              {"name": "slow", "from": "g", "to": "d", "rate": "80kbit/s", "delay": "50ms", "queue": QUEUE}],
    "flows": [{"name": "e", "from": "s", "to": "d", "control": "none", "workload": {"kind": "cbr", "rate": "16kbit/s"}},
              {"name": "f", "from": "s", "to": "d", "control": "none", "workload": {"kind": "cbr", "rate": "16kbit/s"}}]}"#;
    Scenario::from_json(&text.replace("QUEUE", queue)).expect("a good scenario")
}

fn tracked(scenario: &Scenario, most: usize) -> (Table, Table, u64) {
    let mut running = Run::new(scenario, 1, 0);
    running.track_packets(most);
    while !running.advance(7) {}
    let (packets, numbers) = running.tracked().expect("they were asked for");
    (packets, numbers, running.digest().value())
}

fn column(table: &Table, name: &str) -> Vec<f64> {
    match &table.iter().find(|(n, _)| *n == name).expect(name).1 {
        Cells::Float(x) => x.clone(),
        Cells::Int(x) | Cells::Name(x, _) => x.iter().map(|v| *v as f64).collect(),
    }
}

/// The rows as (time in ms, port, flow, number, wait in ms, reason).
fn rows(table: &Table) -> Vec<[i64; 6]> {
    let names = ["at_s", "port", "flow", "seq", "waited_s", "reason"];
    let columns = names.map(|name| column(table, name));
    (0..columns[0].len())
        .map(|i| {
            let ms = |of: usize| (columns[of][i] * 1e3).round() as i64;
            let whole = |of: usize| columns[of][i] as i64;
            [ms(0), whole(1), whole(2), whole(3), ms(4), whole(5)]
        })
        .collect()
}

#[test]
fn each_packet_is_seen_at_each_port_with_its_wait() {
    let (packets, numbers, digest) = tracked(&pair(r#"{"kind": "fcfs", "buffer": "9pkt"}"#), 1000);
    let first = [
        [30, 0, 0, 0, 0, 0],  // sent at 0 ms, 10 ms on the line, 20 ms long
        [40, 0, 1, 0, 10, 0], // behind it
        [180, 2, 0, 0, 0, 0],
        [280, 2, 1, 0, 90, 0],
    ];
    let due: Vec<[i64; 6]> = (0..4)
        .flat_map(|k| {
            first.map(|[at, port, flow, seq, wait, reason]| [at + 500 * k, port, flow, seq + k, wait, reason])
        })
        .collect();
    assert_eq!(rows(&packets), due);
    assert!(column(&packets, "bytes").iter().all(|bytes| *bytes == 1000.0));
    assert!(column(&numbers, "row").is_empty());
    let mut plain = Run::new(&pair(r#"{"kind": "fcfs", "buffer": "9pkt"}"#), 1, 0);
    while !plain.advance(7) {}
    assert_eq!(plain.digest().value(), digest, "who looks changes nothing");
    assert!(plain.tracked().is_none());
}

#[test]
fn a_drop_has_its_reason_and_the_gauges_of_the_discipline() {
    let queue = r#"{"kind": "red", "buffer": "1pkt", "min_threshold": "5pkt", "max_threshold": "9pkt"}"#;
    let scenario = r#"{"kind": "cbr", "rate": "16kbit/s"}"#;
    // Three sources: one packet is on the line, one waits, and the third finds the buffer full.
    let mut data = serde_json::to_value(pair(queue)).expect("a scenario is plain data");
    let third = serde_json::json!({"name": "h", "from": "s", "to": "d", "control": "none",
        "workload": serde_json::from_str::<serde_json::Value>(scenario).expect("a workload")});
    data["flows"].as_array_mut().expect("a list").push(third);
    let scenario = Scenario::from_json(&data.to_string()).expect("a good scenario");
    let (packets, numbers, _) = tracked(&scenario, 1000);
    let dropped: Vec<[i64; 6]> = rows(&packets).into_iter().filter(|row| row[5] > 0).collect();
    // It comes at 50 ms, when the second one waits.
    assert_eq!(dropped, (0..4).map(|k| [50 + 500 * k, 2, 2, k, 0, 1]).collect::<Vec<_>>());
    let of: Vec<i64> = column(&numbers, "row").iter().map(|row| rows(&packets)[*row as usize][5]).collect();
    assert_eq!(of, [1, 1, 1, 1], "one gauge, the average queue, at each drop");
    assert!(column(&numbers, "value").iter().all(|average| *average >= 0.0));
}

#[test]
fn no_more_are_kept_than_were_asked_for() {
    let scenario = pair(r#"{"kind": "fcfs", "buffer": "9pkt"}"#);
    let whole = rows(&tracked(&scenario, 1000).0);
    for most in [0, 1, 5] {
        assert_eq!(rows(&tracked(&scenario, most).0), whole[..most]);
    }
    let mut running = Run::new(&scenario, 1, 0);
    assert!(!running.tracked_all());
    running.track_packets(5);
    assert!(!running.tracked_all());
    while !running.advance(7) {}
    assert!(running.tracked_all());
}
