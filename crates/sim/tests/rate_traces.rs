//! Rate traces: replayed opportunity by opportunity, step by step.

use crate::common;

use common::{cell, column, run};
use headgate_sim::Run;
use headgate_sim::spec::Scenario;
use proptest::prelude::*;
use serde_json::{Value, json};

/// Sources over a link of this rate from a to b; acknowledgements come back over a line that takes 320 ps for each.
fn line(rate: Value, flows: Value, duration: &str) -> Value {
    json!({
        "duration": duration, "warm_up": "0s", "interval": "1s", "traces": ["rtt"],
        "nodes": [{"name": "a"}, {"name": "b"}],
        "links": [{"name": "l", "from": "a", "to": "b", "rate": {"forward": rate, "reverse": "1Tbit/s"},
                   "queue": {"kind": "fcfs", "buffer": "100000pkt"}}],
        "flows": flows,
    })
}

fn cbr(rate: &str, packet: &str) -> Value {
    json!([{"name": "f", "from": "a", "to": "b", "control": "none", "packet": packet, "workload": {"kind": "cbr", "rate": rate}}])
}

fn ran(value: &Value) -> (Scenario, Run) {
    let (s, mut running) = run(&value.to_string());
    running.audit().expect("packets are conserved");
    (s, running)
}

/// Times at which packets reached the sink and when they had been sent, in ns; acknowledgements of packets that arrived together wait for each
/// other for less than a microsecond, which is rounded away.
fn arrivals(s: &Scenario, running: &Run) -> Vec<(u64, u64)> {
    let traces = running.finished().trace_table(s);
    let (at, rtt) = (column(&traces, "time_s"), column(&traces, "value"));
    let ns = |s: f64| (s * 1e9).round() as u64;
    at.iter().zip(&rtt).map(|(at, rtt)| (ns(at - 320e-12) / 1000 * 1000, ns(at - rtt))).collect()
}

/// What mahimahi's own loop does, opportunity by opportunity: (arrival in ns, bytes) in, times of departure in ns out.
fn mahimahi(times: &[u64], packets: &[(u64, u64)], end: u64) -> Vec<u64> {
    let (mut gone, mut next, mut left) = (Vec::new(), 0, None);
    for round in 0.. {
        for ms in times {
            let now = (round * times[times.len() - 1] + ms) * 1_000_000;
            if now > end || next == packets.len() {
                return gone;
            }
            let mut opportunity = 1504;
            while opportunity > 0 && next < packets.len() && packets[next].0 <= now {
                let bytes = left.take().unwrap_or(packets[next].1);
                let sent = bytes.min(opportunity);
                opportunity -= sent;
                if sent < bytes {
                    left = Some(bytes - sent);
                } else {
                    gone.push(now);
                    next += 1;
                }
            }
        }
    }
    gone
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]
    #[test]
    fn a_trace_is_replayed_opportunity_by_opportunity(
        gaps in prop::collection::vec(prop::sample::select(vec![0_u64, 0, 1, 1, 2, 7, 60]), 1..40),
        bytes in prop::sample::select(vec![40_u64, 400, 1504, 1505, 9000]),
        kbps in 50..4000_u64,
    ) {
        let mut times: Vec<u64> = gaps.iter().scan(0, |at, gap| { *at += gap; Some(*at) }).collect();
        if times[times.len() - 1] == 0 {
            times.push(1);
        }
        let mut flows = cbr(&format!("{kbps}kbit/s"), &format!("{bytes}B"));
        flows[0]["workload"] = json!({"kind": "poisson", "mean": format!("{}us", bytes * 8000 / kbps)});
        let (s, running) = ran(&line(json!({"kind": "mahimahi", "times": times}), flows, "3s"));
        let got = arrivals(&s, &running);
        let packets: Vec<(u64, u64)> = got.iter().map(|(_, sent)| (*sent, bytes)).collect();
        // The trace of round trips is in order: the line is first come, first served.
        let due = mahimahi(&times, &packets, 3_000_000_000);
        let got: Vec<u64> = got.iter().map(|(at, _)| *at).collect();
        prop_assert_eq!(got, due);
    }
}

#[test]
fn a_busy_trace_has_its_mean_rate() {
    let times = [0, 0, 3, 4, 4, 4, 9, 20, 21, 33];
    let (s, running) = ran(&line(json!({"kind": "mahimahi", "times": times}), cbr("10Mbit/s", "1504B"), "330s"));
    let mean = 10.0 * 1504.0 * 8.0 / 0.033;
    for column in ["rate_bps", "achieved_rate_bps"] {
        let rate = cell(&running.finished().link_table(&s), ("link", "l"), column);
        assert!((rate / mean - 1.0).abs() < 1e-4, "{column} {rate}, {mean} due");
    }
    let busy = cell(&running.finished().link_table(&s), ("link", "l"), "utilisation");
    assert!((busy - 1.0).abs() < 1e-4, "{busy}");
    // A third of the load: a third of the opportunities.
    let (s, running) = ran(&line(json!({"kind": "mahimahi", "times": [1]}), cbr("4Mbit/s", "1504B"), "330s"));
    let busy = cell(&running.finished().link_table(&s), ("link", "l"), "utilisation");
    assert!((busy * 12.032 / 4.0 - 1.0).abs() < 1e-4, "{busy}");
}

#[test]
fn the_utilisation_of_a_trace_is_bytes_sent_over_bytes_offered() {
    // Twenty opportunities in a second, of which 1, 2 and 10 are used: a packet each. By time those that the packets wait for would weigh more: the
    // gaps are 1 ms, but for one of 981 ms.
    let times: Vec<u64> = (1..20).chain([1000]).collect();
    for (packets, due) in [(1, 0.05), (2, 0.1), (10, 0.5)] {
        let rate = format!("{}bit/s", packets * 1504 * 8);
        let mut value = line(json!({"kind": "mahimahi", "times": times}), cbr(&rate, "1504B"), "21s");
        value["warm_up"] = json!("1s");
        let (s, running) = ran(&value);
        let links = running.finished().link_table(&s);
        let of = |column| cell(&links, ("link", "l"), column);
        assert_eq!((of("utilisation"), of("capacity_bps")), (due, 20.0 * 1504.0 * 8.0), "{packets} of 20");
        // What is sent takes up what it uses of the line.
        assert!((of("achieved_rate_bps") / (20.0 * 1504.0 * 8.0) - 1.0).abs() < 1e-9);
        assert_eq!(of("utilisation_std"), 0.0);
    }
}

#[test]
fn what_is_used_of_a_line_that_changes_is_never_more_than_it_offers() {
    let steps =
        json!({"kind": "steps", "steps": [["0s", "8Mbit/s"], ["2s", "0bit/s"], ["3s", "4Mbit/s"]], "period": "5s"});
    let trace = json!({"kind": "mahimahi", "times": [1, 1, 7, 40, 41, 300]});
    let once = json!({"kind": "mahimahi", "times": [400, 5001, 9000], "loop": false});
    for rate in [steps, trace, once, json!("5Mbit/s")] {
        let mut value = line(rate.clone(), cbr("20Mbit/s", "1504B"), "20s");
        value["warm_up"] = json!("1500ms");
        value["events"] = json!([{"at": "6s", "link": "l", "up": false}, {"at": "8.2s", "link": "l", "up": true}]);
        if rate.is_string() {
            value["events"]
                .as_array_mut()
                .expect("a list")
                .push(json!({"at": "9.0001s", "link": "l", "rate": "700kbit/s"}));
        }
        let (s, running) = ran(&value);
        let links = running.finished().link_table(&s);
        let busy = cell(&links, ("link", "l"), "utilisation");
        // It is never idle, but for what the last opportunity does not send of a packet.
        assert!(busy <= 1.0 && busy > 0.999, "{rate}: {busy}");
    }
}

#[test]
fn the_capacity_is_the_mean_rate_of_the_time_measured() {
    // From 3 s to 10 s; down from 5 s to 7 s.
    let steps = json!([["0s", "8Mbit/s"], ["4s", "2Mbit/s"], ["8s", "6Mbit/s"], ["11s", "50Mbit/s"]]);
    let mut value = line(json!({"kind": "steps", "steps": steps}), cbr("20Mbit/s", "1000B"), "10s");
    value["warm_up"] = json!("3s");
    value["events"] = json!([{"at": "5s", "link": "l", "up": false}, {"at": "7s", "link": "l", "up": true}]);
    let (s, running) = ran(&value);
    let links = running.finished().link_table(&s);
    let of = |port, column| cell(&links, ("link", port), column);
    assert_eq!(of("l", "capacity_bps"), (8e6 + 2e6 + 2e6 + 2.0 * 6e6) / 7.0);
    assert_eq!(of("l:reverse", "capacity_bps"), 5e12 / 7.0);
    assert_eq!(of("l", "rate_bps"), 50e6);
}

#[test]
fn mahimahi_packets_are_four_bytes_longer() {
    let mut value = line(json!({"kind": "mahimahi", "times": [2]}), cbr("10Mbit/s", "1500B"), "10s");
    value["links"][0]["framing"] = json!({"forward": {"kind": "fixed", "overhead": "4B"}});
    let (s, running) = ran(&value);
    let got: Vec<u64> = arrivals(&s, &running).iter().map(|(at, _)| *at / 2_000_000).collect();
    assert_eq!(got, (1..5000).collect::<Vec<_>>());
}

#[test]
fn without_a_loop_nothing_is_sent_after_the_last_time() {
    let rate = json!({"kind": "mahimahi", "times": [5, 6, 6, 400], "loop": false});
    let (s, running) = ran(&line(rate, cbr("10Mbit/s", "1504B"), "3s"));
    let got: Vec<u64> = arrivals(&s, &running).iter().map(|(at, _)| *at / 1_000_000).collect();
    assert_eq!(got, [5, 6, 6, 400]);
}

#[test]
fn rates_change_at_their_times_and_repeat() {
    // 2 s at 8 Mbit/s, 1 s at rest, 2 s at 4 Mbit/s: a packet of 1000 bytes takes 1 or 2 ms.
    let steps = json!([["0s", "8Mbit/s"], ["2s", "0bit/s"], ["3s", "4Mbit/s"]]);
    let rate = json!({"kind": "steps", "steps": steps, "period": "5s"});
    let (s, running) = ran(&line(rate, cbr("9Mbit/s", "1000B"), "100s"));
    let received = column(&running.finished().interval_table(&s), "received");
    for (second, got) in received.iter().enumerate() {
        let due = [1000.0, 1000.0, 0.0, 500.0, 500.0][second % 5];
        // The packet in transmission at a change ends as it would have.
        assert!((got - due).abs() <= 2.0, "second {second}: {got}, {due} due");
    }
    let total: f64 = received.iter().sum();
    assert!((total / 60_000.0 - 1.0).abs() < 1e-4, "{total}");
    let mean = cell(&running.finished().link_table(&s), ("link", "l"), "rate_bps");
    assert!((mean - 4.8e6).abs() < 1.0, "{mean}");
}

#[test]
fn a_trace_is_a_row_of_events() {
    let changes = [("0s", 3_000_000), ("1.5s", 700_000), ("1.7s", 9_000_000), ("4s", 100_000), ("4.25s", 5_000_000)];
    let rate = |bps: u32| format!("{bps}bit/s");
    let steps: Vec<Value> = changes.iter().map(|(at, bps)| json!([at, rate(*bps)])).collect();
    let flows = json!([{"name": "f", "from": "a", "to": "b", "count": 3, "start_spread": "1s", "control": {"kind": "jk_reno", "window": 9}}]);
    let traced = line(json!({"kind": "steps", "steps": steps}), flows.clone(), "9s");
    let mut plain = line(json!(rate(changes[0].1)), flows, "9s");
    plain["events"] = changes[1..]
        .iter()
        .map(|(at, bps)| json!({"at": at, "link": "l", "direction": "forward", "rate": rate(*bps)}))
        .collect();
    for queue in ["fq", "csfq", "virtual_clock", "red"] {
        let outcome = |value: &Value| {
            let mut value = value.clone();
            value["links"][0]["queue"] = json!({"kind": queue, "buffer": "20pkt"});
            let (s, running) = ran(&value);
            (format!("{:?}", running.finished().interval_table(&s)), arrivals(&s, &running))
        };
        assert_eq!(outcome(&traced), outcome(&plain), "{queue}");
    }
}

#[test]
fn a_line_at_rest_and_a_broken_one_are_two_things() {
    // At rest from 1 to 2 s and from 5 s on; broken from 1.5 to 3 s and from 4 to 6 s.
    let steps = json!([["0s", "8Mbit/s"], ["1s", "0bit/s"], ["2s", "8Mbit/s"], ["5s", "0bit/s"]]);
    let mut value = line(json!({"kind": "steps", "steps": steps}), cbr("80kbit/s", "1000B"), "10s");
    let event = |at: &str, up: bool| json!({"at": at, "link": "l", "up": up});
    value["events"] = json!([event("1.5s", false), event("3s", true), event("4s", false), event("6s", true)]);
    let (s, running) = ran(&value);
    let received = column(&running.finished().interval_table(&s), "received");
    // What had to wait arrives when the line works again.
    let due = [10.0, 0.0, 0.0, 30.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    assert!(received.iter().zip(&due).all(|(got, due)| (got - due).abs() <= 1.0), "{received:?}");
    assert!(cell(&running.finished().link_table(&s), ("link", "l"), "backlog_max") > 50.0);
    // One that begins at rest.
    let steps = json!([["0s", "0bit/s"], ["2s", "8Mbit/s"]]);
    let (s, running) = ran(&line(json!({"kind": "steps", "steps": steps}), cbr("80kbit/s", "1000B"), "4s"));
    let received = column(&running.finished().interval_table(&s), "received");
    assert!(received[..2] == [0.0, 0.0] && received[2] == 30.0, "{received:?}");
}
