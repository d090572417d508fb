//! LEDBAT and LEDBAT++: the queue that they hold, what a flow that starts late takes, and what they leave to others.

use crate::common;

use common::{cell, run};

/// Rate in Mbit/s and mean time in queues in ms of each flow over 10 Mbit/s and 40 ms with a buffer of 0.3 s, from `warm_up` s on. Each flow is a control and
/// when it starts in s.
fn outcome(seconds: u64, warm_up: u64, flows: &[(&str, u64)]) -> Vec<[f64; 2]> {
    let all: Vec<String> = (0..)
        .zip(flows)
        .map(|(n, (control, start))| {
            format!(
                r#"{{"name": "f{n}", "from": "s", "to": "d", "packet": "1500B", "ack": "52B", "start": "{start}s", "control": {{{control}}}}}"#
            )
        })
        .collect();
    let (s, running) = run(&format!(
        r#"{{"duration": "{seconds}s", "warm_up": "{warm_up}s",
            "nodes": [{{"name": "s", "kind": "host"}}, {{"name": "g"}}, {{"name": "d", "kind": "host"}}],
            "links": [{{"from": "s", "to": "g", "rate": "1Gbit/s"}},
                      {{"name": "slow", "from": "g", "to": "d", "rate": "10Mbit/s", "delay": "20ms", "queue": {{"kind": "fcfs", "buffer": "250pkt"}}}}],
            "flows": [{}]}}"#,
        all.join(", ")
    ));
    let table = running.finished().flow_table(&s);
    let of_flow = |n: usize| {
        let value = |column| cell(&table, ("flow", &format!("f{n}")), column);
        [value("unique") * 12e-3 / (seconds - warm_up) as f64, value("queueing_mean_s") * 1e3]
    };
    (0..flows.len()).map(of_flow).collect()
}

const LEDBAT: &str = r#""kind": "ledbat""#;
const PLUS: &str = r#""kind": "ledbat_plus_plus""#;

#[test]
fn alone_they_fill_the_line_and_hold_their_targets() {
    // Sheet LB1: 100 ms within a tenth. LEDBAT++ moves about 60 ms, and its slowdowns, a tenth of the time, leave the line idle.
    let [rate, queueing] = outcome(60, 30, &[(LEDBAT, 0)])[0];
    assert!(rate > 9.9 && (90.0..110.0).contains(&queueing), "{rate} {queueing}");
    let [rate, queueing] = outcome(120, 30, &[(PLUS, 0)])[0];
    assert!(rate > 8.8 && (40.0..66.0).contains(&queueing), "{rate} {queueing}");
}

#[test]
fn with_ledbat_who_starts_late_takes_all_and_with_ledbat_plus_plus_half() {
    // The late one takes the queue of the first for part of the path (LB2).
    let flows = outcome(160, 100, &[(LEDBAT, 0), (LEDBAT, 30)]);
    assert!(flows[1][0] > 0.8 * (flows[0][0] + flows[1][0]), "{flows:?}");
    let flows = outcome(260, 100, &[(PLUS, 0), (PLUS, 30)]);
    let share = flows[1][0] / (flows[0][0] + flows[1][0]);
    assert!((0.4..0.6).contains(&share), "{flows:?}");
    // The slowdowns are what makes the difference.
    let without = r#""kind": "ledbat_plus_plus", "slowdown_every": 0"#;
    let flows = outcome(260, 100, &[(without, 0), (without, 30)]);
    let share = flows[1][0] / (flows[0][0] + flows[1][0]);
    assert!(share > 0.6, "{flows:?}");
}

#[test]
fn they_make_way_for_cubic() {
    // LB3: a tenth at most, and a buffer in which CUBIC passes their targets.
    for control in [LEDBAT, PLUS] {
        let flows = outcome(90, 30, &[(control, 0), (r#""kind": "cubic""#, 5)]);
        assert!(flows[0][0] < 1.0 && flows[1][0] > 8.5, "{control}: {flows:?}");
    }
}

#[test]
fn a_queue_on_the_way_back_is_not_in_the_one_way_delay() {
    // Acknowledgements wait behind a flow of CUBIC the other way: LEDBAT by round trips takes that for its own queue.
    let rate = |delay: &str| {
        let (s, running) = run(&format!(
            r#"{{"duration": "60s", "warm_up": "20s",
                "nodes": [{{"name": "s", "kind": "host"}}, {{"name": "g"}}, {{"name": "h"}}, {{"name": "d", "kind": "host"}}],
                "links": [{{"from": "s", "to": "g", "rate": "1Gbit/s"}},
                          {{"from": "g", "to": "h", "rate": "10Mbit/s", "delay": "20ms", "queue": {{"kind": "fcfs", "buffer": "250pkt"}}}},
                          {{"from": "h", "to": "d", "rate": "1Gbit/s"}}],
                "flows": [{{"name": "f", "from": "s", "to": "d", "packet": "1500B", "ack": "52B", "control": {{"kind": "ledbat", "delay": "{delay}"}}}},
                          {{"name": "back", "from": "d", "to": "s", "packet": "1500B", "ack": "52B", "control": "cubic", "start": "2s"}}]}}"#
        ));
        cell(&running.finished().flow_table(&s), ("flow", "f"), "unique") * 12e-3 / 40.0
    };
    let [one_way, round_trip] = ["one_way", "round_trip"].map(rate);
    assert!(one_way > 5.0 * round_trip, "{one_way} {round_trip}");
}
