//! Events: a line whose rate and delay change, that breaks and comes back, and flows that end.

use crate::common;

use common::{column, run};
use headgate_sim::Run;
use headgate_sim::spec::Scenario;
use proptest::prelude::*;

/// Two transfers of window 5 over a line of ten packets a second; a detour around it has half that rate. Seven intervals of 10 s.
fn scenario(queue: &str, events: &str) -> String {
    format!(
        r#"{{"duration": "70s", "interval": "10s", "warm_up": "0s", "traces": ["rtt"],
            "nodes": [{{"name": "s", "kind": "host", "count": 2}}, {{"name": "g"}}, {{"name": "x"}},
                      {{"name": "d", "kind": "host"}}],
            "links": [{{"name": "in", "from": "s-{{i}}", "to": "g", "count": 2, "rate": "800kbit/s"}},
                      {{"name": "slow", "from": "g", "to": "d", "rate": "80kbit/s", "queue": {queue}}},
                      {{"name": "out", "from": "g", "to": "x", "rate": "40kbit/s", "queue": {queue}}},
                      {{"name": "on", "from": "x", "to": "d", "rate": "400kbit/s"}}],
            "flows": [{{"name": "f", "count": 2, "from": "s-{{i}}", "to": "d",
                        "control": {{"kind": "generic", "window": 5}}}}],
            "events": [{events}]}}"#
    )
}

/// Packets received of both flows in each of the seven intervals.
fn received(text: &str) -> Vec<[f64; 2]> {
    let (s, running) = run(text);
    column(&running.finished().interval_table(&s), "received").chunks(2).map(|c| [c[0], c[1]]).collect()
}

fn near(got: &[[f64; 2]], due: &[[f64; 2]], slack: f64) {
    let fits = got.iter().flatten().zip(due.iter().flatten()).all(|(a, b)| (a - b).abs() <= slack);
    assert!(fits && got.len() == due.len(), "{got:?}, {due:?} due");
}

#[test]
fn throughput_follows_the_rate_and_a_full_line_stays_full() {
    let text = scenario(
        r#""fq""#,
        r#"{"at": "20s", "link": "slow", "rate": "40kbit/s"}, {"at": "40s", "link": "slow", "rate": "160kbit/s"},
           {"at": "40s", "link": "slow", "rate": "120kbit/s"}"#,
    );
    // 10, 5 and 15 packets a second, shared equally: of two events at one instant the last in the file stays.
    let due = [50.0, 50.0, 25.0, 25.0, 75.0, 75.0, 75.0].map(|n| [n; 2]);
    near(&received(&text), &due, 2.0);
    let (s, running) = run(&text);
    let links = running.finished().link_table(&s);
    // 20 s at 80, 20 s at 40 and 30 s at 120 kbit/s.
    let mean = (20.0 * 80e3 + 20.0 * 40e3 + 30.0 * 120e3) / 70.0;
    assert!((column(&links, "utilisation")[4] - 1.0).abs() < 2e-3);
    assert!((column(&links, "achieved_rate_bps")[4] / mean - 1.0).abs() < 2e-3);
}

#[test]
fn a_longer_line_raises_the_round_trip_at_once_and_a_shorter_one_does_not_reorder() {
    // A source of one packet every half second: each takes 10 ms at the first line and 0.1 s at the slow one, and its acknowledgement of 40 bytes
    // 4 ms and 0.4 ms back. From 20 s on 3 s more on the way there, from 40 s on no longer: what is sent then may not overtake the last one
    // sent before, which arrives 3 s after its transmission.
    let text = scenario(
        r#""fcfs""#,
        r#"{"at": "20s", "link": "slow", "direction": "forward", "delay": "3s"},
           {"at": "40s", "link": "slow", "direction": "forward", "delay": "0s"}"#,
    )
    .replace(
        r#""control": {"kind": "generic", "window": 5}"#,
        r#""control": "none", "workload": {"kind": "cbr", "rate": "16kbit/s"}"#,
    )
    .replace(r#""name": "f", "count": 2, "from": "s-{i}""#, r#""name": "f", "from": "s-1""#);
    let (s, running) = run(&text);
    let flows = running.finished().flow_table(&s);
    assert_eq!(column(&flows, "drops")[0], 0.0);
    let traces = running.finished().trace_table(&s);
    let (at, rtt) = (column(&traces, "time_s"), column(&traces, "value"));
    let plain = 0.01 + 0.1 + 0.004 + 0.0004;
    assert_eq!(at.len() as f64, column(&flows, "received")[0]);
    let order: Vec<f64> = at.iter().zip(&rtt).map(|(at, rtt)| at - rtt).collect();
    assert!(order.is_sorted(), "none overtakes another");
    for (at, rtt) in at.iter().zip(&rtt) {
        let sent = at - rtt;
        // Packets are sent at 0, 0.5, 1 s, ...; that of 40 s has its transmission at the slow line after the change.
        let due = if sent < 19.95 {
            plain
        } else if sent < 39.95 {
            plain + 3.0
        } else {
            // The one of 39.5 s arrives at 39.5 + 0.11 + 3 s.
            (39.5 + 0.11 + 3.0 - (sent + 0.11)).max(0.0) + plain
        };
        // Those held back arrive together, and their acknowledgements wait for each other, 4 ms each.
        let slack = if (39.95..43.0).contains(&sent) { 0.03 } else { 1e-6 };
        assert!((rtt - due).abs() < slack, "sent at {sent}: {rtt} s, {due} due");
    }
}

#[test]
fn a_broken_line_is_gone_round_and_taken_again() {
    let text = scenario(
        r#"{"kind": "fq", "buffer": "20pkt"}"#,
        r#"{"at": "20s", "link": "slow", "up": false}, {"at": "40s", "link": "slow", "up": true}"#,
    );
    // Ten packets wait at the broken line: windows of five are outstanding and time out, then the detour serves 5 a second.
    let got = received(&text);
    near(&got[..2], &[[50.0; 2]; 2], 2.0);
    assert!(got[3].iter().all(|n| (n - 25.0).abs() < 3.0), "{got:?}");
    near(&got[5..], &[[50.0; 2]; 2], 3.0);
    // Without a detour they wait: nothing arrives after what was on the line, and nothing is lost when it comes back.
    let text =
        text.replace(r#""to": "x""#, r#""to": "g2""#).replace(r#"{"name": "x"}"#, r#"{"name": "x"}, {"name": "g2"}"#);
    let got = received(&text);
    near(&got[..2], &[[50.0; 2]; 2], 2.0);
    near(&got[2..4], &[[1.0, 1.0], [0.0, 0.0]], 1.0);
    assert!((got[6].iter().sum::<f64>() - 100.0).abs() <= 1.0, "the line is full again: {got:?}");
}

#[test]
fn a_flow_that_stops_leaves_the_line_to_the_other() {
    let got = received(&scenario(r#""fq""#, r#"{"at": "30s", "stop": "f-1"}"#));
    // What it had outstanding, five packets, still arrives.
    near(&got[..3], &[[50.0; 2]; 3], 2.0);
    assert!(got[3][0] <= 5.0 && got[4..].iter().all(|n| n[0] == 0.0), "{got:?}");
    near(&got[4..], &[[0.0, 100.0]; 3], 2.0);
    // One that stops before it starts never sends.
    let text = scenario(r#""fq""#, r#"{"at": "5s", "stop": "f-1"}"#)
        .replace(r#""name": "f""#, r#""start": "9s", "name": "f""#);
    assert!(received(&text).iter().all(|n| n[0] == 0.0));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Whatever happens to the lines, each packet arrives, is dropped or is still on its way, the same in every run.
    #[test]
    fn packets_are_conserved(
        events in prop::collection::vec((0..70_000u32, 0..4usize, 0..3usize, prop::sample::select(vec![0u32, 1, 2, 3]), 1..300u32), 0..12),
        queue in prop::sample::select(headgate_queue::LIST.iter().map(|e| e.name).collect::<Vec<_>>()),
    ) {
        let events: Vec<String> = events.iter().map(|(at, link, way, what, n)| {
            let (link, way) = (["in-1", "slow", "out", "on"][*link], ["both", "forward", "reverse"][*way]);
            let change = match what {
                0 => format!(r#""rate": "{n}kbit/s""#),
                1 => format!(r#""delay": "{n}ms""#),
                _ => format!(r#""up": {}"#, *what == 3),
            };
            format!(r#"{{"at": "{at}ms", "link": "{link}", "direction": "{way}", {change}}}"#)
        }).collect();
        let text = scenario(&format!(r#""{queue}""#), &events.join(", "));
        let (s, running) = run(&text);
        let flows = running.finished().flow_table(&s);
        for f in 0..2 {
            let of = |name: &str| column(&flows, name)[f];
            let left = of("sent") - of("received") - of("drops");
            prop_assert!((0.0..=200.0).contains(&left), "{} of {} on their way", left, of("sent"));
        }
        let (_, again) = run(&text);
        prop_assert_eq!(running.digest().value(), again.digest().value());
        prop_assert_eq!(format!("{:?}", running.finished().interval_table(&s)), format!("{:?}", again.finished().interval_table(&s)));
        let utilisation = column(&running.finished().link_table(&s), "utilisation");
        prop_assert!(utilisation.iter().all(|u| *u >= 0.0 && *u < 1.2), "{:?}", utilisation);
    }
}

#[test]
fn events_are_in_the_log_and_in_the_digest() {
    let plain = scenario(r#""fq""#, "");
    // The rate that the line has already: nothing else happens.
    let same = scenario(r#""fq""#, r#"{"at": "20s", "link": "slow", "rate": "80kbit/s"}"#);
    assert_eq!(received(&plain), received(&same));
    assert_ne!(run(&plain).1.digest().value(), run(&same).1.digest().value());
    let scenario = Scenario::from_json(&same).unwrap();
    let mut running = Run::new(&scenario, 1, 0);
    running.log_events(0, 1_000_000);
    while !running.advance(10_000) {}
    assert!(running.logged().iter().any(|l| l.contains("event 0 of the scenario")));
    let json = headgate_sim::spec_json(&scenario);
    assert_eq!(json, headgate_sim::spec_json(&Scenario::from_json(&json).unwrap()));
}

#[test]
fn wrong_events_name_the_place() {
    for (event, path, part) in [
        (r#"{"at": "70s", "stop": "f-1"}"#, "events[0].at", "less than the duration, 70s"),
        (r#"{"at": "7s", "stop": "f-3"}"#, "events[0].stop", "name of a flow"),
        (r#"{"at": "7s", "link": "slw", "up": true}"#, "events[0].link", "did you mean `slow`"),
        (r#"{"at": "7s", "link": "slow"}"#, "events[0]", "`rate`, `delay` or `up`"),
        (r#"{"at": "7s"}"#, "events[0]", "`link` or `stop`"),
        (r#"{"at": "7s", "link": "slow", "stop": "f-1"}"#, "events[0].stop", "expected an event without `link`"),
        (r#"{"at": "7s", "stop": "f-1", "rate": "1bit/s"}"#, "events[0].rate", "a `link`"),
        (r#"{"at": "7s", "link": "slow", "rate": "0bit/s"}"#, "events[0].rate", "rate"),
        (r#"{"at": "7s", "link": "slow", "delya": "9s"}"#, "events[0].delya", "did you mean `delay`"),
        (r#"{"at": "7s", "link": "slow", "up": true, "direction": "left"}"#, "events[0].direction", "forward"),
        (r#"{"link": "slow", "up": true}"#, "events[0]", "missing"),
    ] {
        let e = Scenario::from_json(&scenario(r#""fq""#, event)).expect_err(event);
        assert_eq!(e.path, path, "{e}");
        assert!(e.to_string().contains(part), "{e}");
    }
}
