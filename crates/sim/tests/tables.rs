//! The tables of a run, number by number, against a run computed by hand.

use crate::common;

use common::{cell, column, run};
use headgate_sim::spec::Scenario;
use headgate_sim::{Cells, Run, Table};

/// Two sources that send a packet of 1000 bytes each half second, both at once: it takes 10 ms on `fast` and 100 ms on `slow`, which are 20 and
/// 50 ms long. So the first waits nowhere, the second 10 and 90 ms. An acknowledgement of 40 bytes takes 4 and 0.4 ms.
const PAIR: &str = r#"{"duration": "75s", "interval": "10s", "warm_up": "20s",
    "nodes": [{"name": "s", "kind": "host"}, {"name": "g"}, {"name": "d", "kind": "host"}],
    "links": [{"name": "fast", "from": "s", "to": "g", "rate": "800kbit/s", "delay": "20ms"},
              {"name": "slow", "from": "g", "to": "d", "rate": "80kbit/s", "delay": "50ms", "queue": {"kind": "fq", "buffer": "9pkt"}}],
    "flows": [{"name": "e", "from": "s", "to": "d", "control": "none", "workload": {"kind": "cbr", "rate": "16kbit/s"}},
              {"name": "f", "from": "s", "to": "d", "control": "none", "workload": {"kind": "cbr", "rate": "16kbit/s"}, "weight": 2}]}"#;

fn names(table: &Table, column: &str) -> Vec<String> {
    match &table.iter().find(|(n, _)| *n == column).expect(column).1 {
        Cells::Name(codes, names) => codes.iter().map(|c| names[*c as usize].clone()).collect(),
        _ => panic!("{column} holds numbers"),
    }
}

/// Cells of the columns of one row, to the nanosecond or to the share `slack`.
fn check(table: &Table, row: (&str, &str), due: &[(&str, f64)], slack: f64) {
    for (name, due) in due {
        let got = cell(table, row, name);
        assert!((got - due).abs() <= 1e-9 + slack * due.abs(), "{name} of {}: {got}, {due} due", row.1);
    }
}

#[test]
fn the_table_of_flows() {
    let (s, running) = run(PAIR);
    let table = running.finished().flow_table(&s);
    for (name, weight, one_way, waited) in [("e", 1.0, 0.18, 0.0), ("f", 2.0, 0.28, 0.1)] {
        let rtt = one_way + 0.0744;
        let due = [
            ("weight", weight),
            ("packet_bytes", 1000.0),
            ("demand_bps", 16_000.0),
            ("start_s", 20.0),
            ("end_s", 75.0),
            ("sent", 110.0),
            ("received", 110.0),
            ("rtt_count", 110.0),
            ("rtt_mean_s", rtt),
            ("rtt_std_s", 0.0),
            ("rtt_min_s", rtt),
            ("rtt_max_s", rtt),
            ("owd_mean_s", one_way),
            ("queueing_mean_s", waited),
        ];
        check(&table, ("flow", name), &due, 0.0);
        let quantiles = ["owd_p50_s", "owd_p95_s", "owd_p99_s"].map(|q| (q, one_way));
        check(&table, ("flow", name), &quantiles, 1.0 / 32.0);
        check(&table, ("flow", name), &["rtt_p50_s", "rtt_p95_s", "rtt_p99_s"].map(|q| (q, rtt)), 1.0 / 32.0);
    }
    let text = ["flow", "source", "sink", "control", "workload"].map(|c| names(&table, c)[1].clone());
    assert_eq!(text, ["f", "s", "d", "none", "cbr"]);
}

#[test]
fn the_table_of_intervals() {
    let (s, running) = run(PAIR);
    let table = running.finished().interval_table(&s);
    let numbers: Vec<f64> = (0..8).flat_map(|n| [f64::from(n); 2]).collect();
    assert_eq!(column(&table, "interval"), numbers);
    assert_eq!(column(&table, "start_s"), numbers.iter().map(|n| 10.0 * n).collect::<Vec<_>>());
    assert_eq!(names(&table, "flow"), ["e", "f"].repeat(8));
    // The first sends at 0 s and at 10 s too, the others not at their beginnings.
    assert_eq!(column(&table, "sent")[..4], [21.0, 21.0, 20.0, 20.0]);
    for (row, one_way) in column(&table, "owd_mean_s").into_iter().enumerate() {
        assert!((one_way - [0.18, 0.28][row % 2]).abs() < 1e-9, "row {row}: {one_way}");
    }
}

#[test]
fn intervals_end_whole_steps_from_the_warm_up() {
    for (warm_up, due) in [
        ("25s", vec![5.0, 15.0, 25.0, 35.0, 45.0, 55.0, 65.0, 75.0]),
        ("4s", vec![4.0, 14.0, 24.0, 34.0, 44.0, 54.0, 64.0, 74.0, 75.0]),
        ("0s", vec![10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 75.0]),
    ] {
        let (s, running) = run(&PAIR.replace(r#""warm_up": "20s""#, &format!(r#""warm_up": "{warm_up}""#)));
        let table = running.finished().interval_table(&s);
        assert_eq!(column(&table, "end_s").into_iter().step_by(2).collect::<Vec<_>>(), due, "{warm_up}");
    }
}

#[test]
fn the_table_of_ports() {
    let (s, running) = run(PAIR);
    let table = running.finished().link_table(&s);
    for (port, rate, bytes, delay, wait) in [
        ("fast", 800_000.0, 1000.0, 0.02, 0.005),
        ("slow", 80_000.0, 1000.0, 0.05, 0.045),
        ("slow:reverse", 80_000.0, 40.0, 0.05, 0.0),
    ] {
        // In each half second two transmissions, and one packet that waits as long as the other is sent.
        let busy = bytes * 8.0 / rate;
        let due = [
            ("rate_bps", rate),
            ("delay_s", delay),
            ("achieved_delay_s", delay),
            ("queueing_mean_s", wait),
            ("intervals", 5.0),
            ("offered", 220.0),
            ("sent", 220.0),
            ("sent_bytes", 220.0 * bytes),
        ];
        check(&table, ("link", port), &due, 0.0);
        check(
            &table,
            ("link", port),
            &[("achieved_rate_bps", rate), ("utilisation", 4.0 * busy), ("backlog_mean", 4.0 * wait)],
            0.01,
        );
        let most = f64::from(u8::from(wait > 0.0));
        check(&table, ("link", port), &[("backlog_max", most), ("backlog_std", 0.0), ("utilisation_std", 0.0)], 0.0);
    }
}

#[test]
fn marks_of_the_warm_up_are_none_of_the_table() {
    // The window of a source that reads marks rises and falls all the time.
    let text = |warm_up: &str| {
        format!(
            r#"{{"duration": "100s", "interval": "50s", "warm_up": "{warm_up}",
                "nodes": [{{"name": "s", "kind": "host"}}, {{"name": "g"}}, {{"name": "d", "kind": "host"}}],
                "links": [{{"from": "s", "to": "g", "rate": "800kbit/s"}},
                          {{"name": "slow", "from": "g", "to": "d", "rate": "80kbit/s", "queue": {{"kind": "decbit", "buffer": "40pkt"}}}}],
                "flows": [{{"name": "f", "from": "s", "to": "d", "control": {{"kind": "decbit", "window": 12}}}}]}}"#
        )
    };
    let marks = |warm_up: &str| {
        let (s, running) = run(&text(warm_up));
        (
            cell(&running.finished().link_table(&s), ("link", "slow"), "marks"),
            column(&running.finished().interval_table(&s), "marks"),
        )
    };
    let ((all, _), (late, rows)) = (marks("0s"), marks("50s"));
    assert!(rows[0] > 10.0 && rows[1] > 10.0 && (all - rows[0] - rows[1]).abs() <= 1.0, "{all} of {rows:?}");
    assert!((late - rows[1]).abs() <= 1.0, "{late} marks after the warm-up, {} by the intervals", rows[1]);
}

#[test]
fn the_table_of_routes() {
    let (s, running) = run(PAIR);
    let table = running.finished().route_table(&s);
    assert_eq!(names(&table, "flow"), ["e", "e", "f", "f"]);
    assert_eq!(column(&table, "hop"), [0.0, 1.0, 0.0, 1.0]);
    assert_eq!(names(&table, "link"), ["fast", "slow", "fast", "slow"]);
}

#[test]
fn the_table_of_gauges() {
    let (s, running) = run(PAIR);
    let table = running.finished().gauge_table(&s);
    let (gauges, links, values) = (names(&table, "gauge"), names(&table, "link"), column(&table, "value"));
    let of = |gauge: &str, of: &[f64]| {
        (0..values.len()).filter(|i| gauges[*i] == gauge && links[*i] == "slow").map(|i| of[i]).collect::<Vec<_>>()
    };
    assert_eq!(of("inserts", &column(&table, "interval")), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
    assert_eq!(of("inserts", &column(&table, "end_s")), [10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 75.0]);
    // Every packet is put in and taken out once: 20 pairs have arrived within 10 s, the one of 10 s has not.
    let due: Vec<f64> = [10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 75.0].iter().map(|end| 4.0 * end).collect();
    assert_eq!(of("inserts", &values), due);
    assert_eq!(of("gets", &values), due);
}

/// The rows of the traces: trace, object, time in 0.1 ms, value.
fn traces(kinds: &str) -> Vec<(String, String, u64, f64)> {
    // Four packets of a window of four; the buffer holds two, so that the fourth is dropped.
    let text = format!(
        r#"{{"duration": "1s", "warm_up": "0s", "traces": [{kinds}], "nodes": [{{"name": "s", "kind": "host"}}, {{"name": "g"}}, {{"name": "d", "kind": "host"}}],
            "links": [{{"name": "fast", "from": "s", "to": "g", "rate": "800kbit/s"}},
                      {{"name": "slow", "from": "g", "to": "d", "rate": "80kbit/s", "queue": {{"kind": "fcfs", "buffer": "2pkt"}}}}],
            "flows": [{{"name": "x", "from": "s", "to": "d", "start": "500s"}},
                      {{"name": "f", "from": "s", "to": "d", "control": {{"kind": "generic", "window": 4, "initial_rtt": "100s"}},
                        "workload": {{"kind": "transfer", "packets": 4}}}}]}}"#
    );
    let (s, running) = run(&text);
    let table = running.finished().trace_table(&s);
    let times = column(&table, "time_s").into_iter().map(|t| (t * 1e4).round() as u64);
    let (traces, objects) = (names(&table, "trace"), names(&table, "object"));
    let rows = traces.into_iter().zip(objects).zip(times).zip(column(&table, "value"));
    rows.map(|(((trace, object), at), value)| (trace, object, at, value)).collect()
}

#[test]
fn each_trace_has_its_own_rows() {
    let all = traces(r#""window", "in_flight", "rtt", "backlog", "drops""#);
    assert!(all.is_sorted_by_key(|row| row.2));
    let of = |kind: &str, object: &str| {
        let rows = all.iter().filter(|row| row.0 == kind && row.1 == object);
        rows.map(|row| (row.2, row.3)).collect::<Vec<_>>()
    };
    assert_eq!(of("window", "f"), [(0, 4.0)]);
    // Acknowledged after 10 + 100 + 4 + 0.4 ms, and each 100 ms.
    assert_eq!(of("in_flight", "f"), [(0, 4.0), (1144, 3.0), (2144, 2.0), (3144, 1.0)]);
    let rtt: Vec<_> = of("rtt", "f").into_iter().map(|(at, value)| (at, (value * 1e4).round() as u64)).collect();
    assert_eq!(rtt, [(1144, 1144), (2144, 2144), (3144, 3144)]);
    assert_eq!(of("drops", "slow"), [(400, 1.0)]);
    let mut backlog = of("backlog", "slow");
    backlog.dedup_by_key(|row| row.1);
    assert_eq!(backlog, [(100, 0.0), (200, 1.0), (300, 2.0), (1100, 1.0), (2100, 0.0)]);
    let own = |row: &&(String, String, u64, f64)| row.1 == "x" && row.2 > 0;
    assert_eq!(all.iter().filter(own).count(), 0, "a flow that does nothing");
    for kind in ["window", "in_flight", "rtt", "backlog", "drops"] {
        let alone = traces(&format!("\"{kind}\""));
        assert!(alone.iter().eq(all.iter().filter(|row| row.0 == kind)), "{kind} alone: {alone:?}");
    }
}

#[test]
fn the_log_names_each_event_once() {
    let text = r#"{"duration": "1s", "warm_up": "0s", "interval": "500ms", "nodes": [{"name": "s", "kind": "host"}, {"name": "d", "kind": "host"}],
        "links": [{"name": "l", "from": "s", "to": "d", "rate": "80kbit/s"}], "events": [{"at": "900ms", "stop": "f"}],
        "flows": [{"name": "f", "from": "s", "to": "d", "control": {"kind": "generic", "window": 2, "initial_rtt": "100s"},
                   "workload": {"kind": "transfer", "packets": 2}}]}"#;
    let scenario = Scenario::from_json(text).expect("a good scenario");
    let due = [
        "event 0 at 0.000000000000 s: source of flow 0",
        "event 1 at 0.100000000000 s: data 0 of flow 0 arrives over port 0",
        "event 2 at 0.104000000000 s: acknowledgement 0 of flow 0 arrives over port 1",
        "event 3 at 0.200000000000 s: data 1 of flow 0 arrives over port 0",
        "event 4 at 0.204000000000 s: acknowledgement 1 of flow 0 arrives over port 1",
        "event 5 at 0.500000000000 s: interval ends",
        "event 6 at 0.900000000000 s: event 0 of the scenario changes the network",
        "event 7 at 1.000000000000 s: interval ends",
    ];
    let logged = |first, count| {
        let mut running = Run::new(&scenario, 1, 0);
        running.log_events(first, count);
        while !running.advance(3) {}
        assert_eq!(running.digest().events, due.len() as u64);
        running.logged().to_vec()
    };
    assert_eq!(logged(0, 100), due);
    assert_eq!(logged(2, 3), due[2..5]);
    assert_eq!(logged(7, 5), due[7..]);
}

#[test]
fn progress_is_the_share_of_the_time_that_has_passed() {
    let scenario = Scenario::from_json(PAIR).expect("a good scenario");
    let mut running = Run::new(&scenario, 1, 0);
    assert_eq!(running.progress(), 0.0);
    let mut before = 0.0;
    while !running.advance(100) {
        // A hundred events in two seconds at the most: seven packets or acknowledgements in half a second, and more events than that.
        assert!(
            running.progress() > before && running.progress() < before + 10.0 / 75.0,
            "{before} {}",
            running.progress()
        );
        before = running.progress();
    }
    assert_eq!(running.progress(), 1.0);
}

#[test]
fn a_long_event_takes_more_of_a_slice() {
    // A window of 1000 is sent in one event, and an interval of 1000 flows ends in one: neither leaves anything of a slice of 500.
    let events = |flow: &str, slices: usize| {
        let text = format!(
            r#"{{"duration": "100s", "interval": "1s", "nodes": [{{"name": "s", "kind": "host"}}, {{"name": "d", "kind": "host"}}],
                "links": [{{"from": "s", "to": "d", "rate": "1kbit/s"}}], "flows": [{{"name": "f", "from": "s", "to": "d", {flow}}}]}}"#
        );
        let mut running = Run::new(&Scenario::from_json(&text).expect("a good scenario"), 1, 0);
        (0..slices).for_each(|_| assert!(!running.advance(500)));
        running.digest().events
    };
    assert_eq!(events(r#""control": {"kind": "generic", "window": 1000}"#, 1), 1);
    assert_eq!(events(r#""start": "99s", "count": 1000"#, 4), 4);
}

#[test]
fn acknowledgements_have_the_priority_of_their_flow() {
    // The way back takes an acknowledgement of 1000 bytes in 100 ms and both flows' are more than it takes: those of `first` never wait for more
    // than the one in transmission.
    let text = r#"{"duration": "60s", "warm_up": "0s", "nodes": [{"name": "s", "kind": "host"}, {"name": "g"}, {"name": "d"}],
        "links": [{"name": "fast", "from": "s", "to": "g", "rate": "8Mbit/s"},
                  {"name": "back", "from": "g", "to": "d", "rate": "80kbit/s", "queue": {"kind": "strict_priority", "buffer": "1000pkt"}}],
        "flows": [{"name": "last", "from": "s", "to": "d", "priority": 1, "packet": "100B", "ack": "1000B", "control": "none", "workload": {"kind": "cbr", "rate": "6400bit/s"}},
                  {"name": "first", "from": "s", "to": "d", "packet": "100B", "ack": "1000B", "control": "none", "workload": {"kind": "cbr", "rate": "6400bit/s"}}]}"#;
    let (s, running) = run(text);
    let table = running.finished().flow_table(&s);
    let (first, last) = (cell(&table, ("flow", "first"), "rtt_max_s"), cell(&table, ("flow", "last"), "rtt_mean_s"));
    assert!(first < 0.35 && last > 2.0, "at most {first} s, and {last} s in the mean");
}

#[test]
fn what_is_evicted_at_the_first_port_is_the_loss_of_its_own_flow() {
    // The sources stand at a gateway. One sends twice as fast as the line, the other a twentieth: all losses are the first one's.
    let text = r#"{"duration": "60s", "warm_up": "0s", "nodes": [{"name": "s", "kind": "gateway"}, {"name": "d", "kind": "host"}],
        "links": [{"name": "l", "from": "s", "to": "d", "rate": "80kbit/s", "classify": "flow", "queue": {"kind": "fq", "buffer": "4pkt"}}],
        "flows": [{"name": "fast", "from": "s", "to": "d", "control": "none", "workload": {"kind": "cbr", "rate": "160kbit/s"}},
                  {"name": "slow", "from": "s", "to": "d", "control": "none", "workload": {"kind": "cbr", "rate": "4kbit/s"}, "start": "73ms"}]}"#;
    let (s, running) = run(text);
    let table = running.finished().flow_table(&s);
    assert!(
        cell(&running.finished().link_table(&s), ("link", "l"), "drops_evicted") > 20.0,
        "the slow one takes places"
    );
    assert_eq!((cell(&table, ("flow", "slow"), "drops"), cell(&table, ("flow", "slow"), "received")), (0.0, 30.0));
    let lost = cell(&table, ("flow", "fast"), "sent") - cell(&table, ("flow", "fast"), "received");
    assert!((lost - cell(&table, ("flow", "fast"), "drops")).abs() <= 6.0, "{lost} lost");
}

/// What sources of transfers have to send in the time measured: ended before it, during it, longer than it, and transfers that come and go.
#[test]
fn the_demand_of_transfers_is_what_was_to_be_sent_in_the_time_measured() {
    let flow = |name: &str, more: &str| {
        format!(r#"{{"name": "{name}", "from": "a", "to": "b", "packet": "1000B", "control": "generic", {more}}}"#)
    };
    let flows = [
        flow("before", r#""workload": {"kind": "transfer", "packets": 10}"#),
        flow("within", r#""start": "20s", "workload": {"kind": "transfer", "packets": 100}"#),
        flow("beyond", r#""start": "20s", "workload": {"kind": "transfer", "packets": 1000000}"#),
        flow("later", r#""start": "200s", "workload": {"kind": "transfer", "packets": 7}"#),
        flow(
            "web",
            r#""arrivals": {"kind": "periodic", "every": "1s"}, "workload": {"kind": "transfer", "packets": 4}"#,
        ),
        flow("endless", r#""workload": "ftp""#),
    ];
    let text = format!(
        r#"{{"duration": "110s", "warm_up": "10s", "interval": "10s", "nodes": [{{"name": "a"}}, {{"name": "b"}}],
            "links": [{{"from": "a", "to": "b", "rate": "1Mbit/s", "queue": {{"kind": "fcfs", "buffer": "unlimited"}}}}], "flows": [{}]}}"#,
        flows.join(", ")
    );
    let (s, running) = run(&text);
    let table = running.finished().flow_table(&s);
    let demand = |name: &str| cell(&table, ("flow", name), "demand_bps");
    let (unique, seconds) = (cell(&table, ("flow", "web"), "unique"), 100.0);
    assert_eq!(demand("before"), 0.0);
    assert_eq!(demand("within"), 100.0 * 8000.0 / seconds);
    assert_eq!(demand("beyond"), 1_000_000.0 * 8000.0 / seconds);
    assert_eq!(demand("later"), 0.0);
    // A transfer a second, of which the last may be on their way.
    assert!((unique..=unique + 20.0).contains(&(demand("web") * seconds / 8000.0)), "{}", demand("web"));
    assert!((demand("web") - 4.0 * 8000.0).abs() < 0.05 * 4.0 * 8000.0, "{}", demand("web"));
    assert_eq!(demand("endless"), f64::INFINITY);
}

/// Bursts of 100 packets every 4 s, of which the time measured, 9.5 s, has two: a flow control is asked for these, which is less than in the long run. One that sends without flow control has the rate of the long run.
#[test]
fn the_demand_of_bursts_is_what_was_to_be_sent_in_the_time_measured() {
    let flow = |name: &str, control: &str, rate: &str| {
        format!(
            r#"{{"name": "{name}", "from": "a", "to": "b", "packet": "1000B", "control": "{control}",
                "workload": {{"kind": "on_off", "rate": "{rate}", "on": "1s", "off": "3s", "spans": "fixed"}}}}"#
        )
    };
    let flows = [flow("held", "reno", "800kbit/s"), flow("open", "none", "800kbit/s"), flow("more", "reno", "8Mbit/s")];
    let text = format!(
        r#"{{"duration": "11s", "warm_up": "1500ms", "interval": "9500ms", "nodes": [{{"name": "a"}}, {{"name": "b"}}],
            "links": [{{"from": "a", "to": "b", "rate": "5Mbit/s", "classify": "flow", "queue": "fq"}}], "flows": [{}]}}"#,
        flows.join(", ")
    );
    let (s, running) = run(&text);
    let table = running.finished().flow_table(&s);
    let of = |name: &str, column: &str| cell(&table, ("flow", name), column);
    assert_eq!(of("held", "demand_bps"), 200.0 * 8000.0 / 9.5);
    assert_eq!(of("held", "unique"), 200.0);
    assert_eq!(of("open", "demand_bps"), 200_000.0);
    // Of 3000 packets those that arrived before are not asked for any more, and those that wait at the end are.
    let (asked, got) = (of("more", "demand_bps") * 9.5 / 8000.0, of("more", "unique"));
    assert!(got <= asked && (2000.0..3000.0).contains(&asked), "{got} of {asked}");
    assert_eq!((of("held", "sends_from_s"), of("held", "sends_until_s")), (1.5, 11.0));
}
