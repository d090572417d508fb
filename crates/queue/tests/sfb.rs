//! Stochastic Fair BLUE at a port: a conversation that does not answer beside others, the rules one by one, and what it counts under every scheduler.

use crate::common::told::each_sent;
use headgate_packet::{Ecn, FlowId, Packet, Rate, Rng, Time};
use headgate_queue::{Discipline as _, DropReason, LinkInfo, Port, Sent, Spec};
use proptest::prelude::*;

const MS: u64 = 1_000_000_000;

fn port(spec: &str, flows: usize) -> Port {
    let link = LinkInfo { rate: Rate::from_bps(8_000_000).expect("above zero"), flows, weights: vec![], hosts: vec![] };
    let spec: Spec = serde_json::from_str(spec).expect("a discipline");
    Port::new(spec.build(&link), link.rate, Rng::new(1, 0, "test"))
}

fn told(port: &Port, flow: u32, now: Time) -> Vec<(&'static str, f64)> {
    let mut all = Vec::new();
    port.explain(Packet { flow: FlowId(flow), bytes: 1000, ..Packet::default() }, now, &mut |number, value| {
        all.push((number.name(), value));
    });
    all
}

fn number(port: &Port, flow: u32, now: Time, wanted: &str) -> Option<f64> {
    told(port, flow, now).iter().find(|(name, _)| *name == wanted).map(|(_, value)| *value)
}

/// Offers packets of these conversations at one instant.
fn offer(port: &mut Port, now: Time, ecn: Ecn, flows: &[u32]) {
    for (handle, flow) in (port.counters(now).offered as u32..).zip(flows) {
        port.offer(
            Packet { handle, flow: FlowId(*flow), bytes: 1000, ecn, ..Packet::default() },
            now,
            &mut each_sent(|_| {}),
        );
    }
}

#[test]
fn a_bin_by_hand() {
    // One packet goes to the line. The bins may hold four; the second and third that find two of them raise the probability by a half each.
    let spec =
        r#"{"kind": "sfb", "bin_size": 2, "max": 4, "increment": 0.5, "penalty_rate": 1000.0, "penalty_burst": 2}"#;
    let mut port = port(spec, 8);
    offer(&mut port, Time::ZERO, Ecn::NotEct, &[1, 1, 1]);
    assert_eq!(number(&port, 1, Time::ZERO, "bin_packets"), Some(2.0));
    assert_eq!(number(&port, 1, Time::ZERO, "bin_limit"), Some(4.0));
    assert_eq!(number(&port, 1, Time::ZERO, "base_probability"), Some(0.5));
    assert_eq!(number(&port, 1, Time::ZERO, "probability"), Some(0.5));
    // Another conversation has its own bins.
    assert_eq!(number(&port, 2, Time::ZERO, "probability"), Some(0.0));
    assert_eq!(number(&port, 2, Time::ZERO, "bin_packets"), Some(0.0));
    // With the one after, whether it is dropped or not, the probability is 1: the box lets two pass if there is room, and then one in each millisecond.
    offer(&mut port, Time::ZERO, Ecn::NotEct, &[1]);
    let held = number(&port, 1, Time::ZERO, "bin_packets").expect("it is told");
    assert_eq!(number(&port, 1, Time::ZERO, "base_probability"), Some(1.0));
    assert_eq!(number(&port, 1, Time::ZERO, "penalty_wait"), Some(0.0));
    offer(&mut port, Time::ZERO, Ecn::Ect0, &[1; 6]);
    assert_eq!(number(&port, 1, Time::ZERO, "bin_packets"), Some((held + 2.0).min(4.0)));
    let reasons: Vec<DropReason> = port.dropped().iter().skip(3 - held as usize).map(|gone| gone.reason).collect();
    if held == 2.0 {
        // Two passed, then the bins were full.
        assert_eq!(reasons, [DropReason::OverShare; 4]);
    } else {
        assert_eq!(reasons, [DropReason::OverShare; 5]);
    }
}

#[test]
fn the_penalty_box_is_for_all_that_do_not_answer() {
    // The probability is 1 with the first packet that finds one. Conversations 1 and 2 share what the box lets pass.
    let spec = r#"{"kind": "sfb", "bin_size": 1, "max": 1000, "increment": 1.0, "penalty_rate": 100.0, "penalty_burst": 3, "mark": true}"#;
    let mut port = port(spec, 8);
    let hold = |flow| [flow; 2];
    offer(&mut port, Time::ZERO, Ecn::Ect0, &[0]);
    offer(&mut port, Time::ZERO, Ecn::Ect0, &hold(1));
    offer(&mut port, Time::ZERO, Ecn::Ect0, &hold(2));
    assert!(port.dropped().is_empty(), "each found its bins empty once, and the box had room for one");
    assert_eq!(number(&port, 1, Time::ZERO, "penalty_wait"), Some(0.0));
    offer(&mut port, Time::ZERO, Ecn::Ect0, &[1]);
    assert_eq!(number(&port, 2, Time::ZERO, "penalty_wait"), Some(0.01));
    assert_eq!(number(&port, 2, Time::ZERO, "probability"), Some(1.0));
    offer(&mut port, Time::ZERO, Ecn::Ect0, &[1, 2, 1]);
    let reasons: Vec<DropReason> = port.dropped().iter().map(|gone| gone.reason).collect();
    assert_eq!(reasons, [DropReason::Penalty; 3], "they are not marked");
}

#[test]
fn new_hashes_know_those_that_did_not_answer_while_they_were_prepared() {
    // Of four packets the first goes to the line; the third and the fourth find a packet, so that the probability is 1 and they go through the box.
    let spec = r#"{"kind": "sfb", "bin_size": 1, "max": 1000, "increment": 1.0, "rehash": "1s", "warm_up": "500ms", "penalty_rate": 1000}"#;
    for (at, due) in [(300, 0.0), (600, 1.0 - 11.0 / 65_536.0)] {
        let mut port = port(spec, 8);
        offer(&mut port, Time::from_ps(at * MS), Ecn::NotEct, &[1; 4]);
        assert!(port.dropped().is_empty());
        // The second of them found the first one in the new bins too. All have left when the hashes change.
        let now = Time::from_ps(1000 * MS);
        port.advance(now, &mut each_sent(|_| {}));
        assert_eq!(number(&port, 1, now, "base_probability"), Some(due), "{at} ms");
        assert_eq!(number(&port, 1, now, "bin_packets"), Some(0.0));
    }
}

#[test]
fn above_a_half_what_could_be_marked_is_dropped_ever_more() {
    // Each packet finds bins whose probability is 0.8: of 0.8 that are chosen, 0.6 are dropped.
    for (p, ecn, marked, dropped) in [
        (0.25, Ecn::Ect0, 0.25, 0.0),
        (0.5, Ecn::Ect0, 0.5, 0.0),
        (0.75, Ecn::Ect0, 0.25, 0.5),
        (0.75, Ecn::NotEct, 0.0, 0.75),
    ] {
        let spec = format!(
            r#"{{"kind": "sfb", "bin_size": 1, "max": 1000000, "increment": {p}, "decrement": 0.0, "mark": true, "buffer": "unlimited"}}"#
        );
        let (mut marks, mut drops, trials) = (0, 0, 4000);
        let mut rng = Rng::new(5, 0, "marks");
        for _ in 0..trials {
            let link = LinkInfo { rate: Rate::from_bps(8_000_000).unwrap(), flows: 1, weights: vec![], hosts: vec![] };
            let spec: Spec = serde_json::from_str(&spec).expect("a discipline");
            let (mut queue, mut gone) = (spec.build(&link), Vec::new());
            for _ in 0..2 {
                let packet = Packet { bytes: 1000, ecn, ..Packet::default() };
                queue.enqueue(packet, &mut headgate_queue::Cx::new(Time::ZERO, &mut rng, &mut gone));
            }
            drops += gone.len();
            let mut cx = headgate_queue::Cx::new(Time::ZERO, &mut rng, &mut gone);
            marks += std::iter::from_fn(|| queue.dequeue(&mut cx)).filter(|packet| packet.ecn == Ecn::Ce).count();
        }
        let near = |count: usize, due: f64| (count as f64 / trials as f64 - due).abs() < 0.035;
        assert!(near(marks, marked) && near(drops, dropped), "{p} {ecn:?}: {marks} marked, {drops} dropped");
    }
}

#[test]
fn a_flood_is_held_at_the_rate_of_the_penalty_box_and_others_pass() {
    // A line of 1000 packets per second. Conversation 0 sends 2000, 20 others 50 each, which fill the line.
    let mut port = port(r#"{"kind": "sfb", "buffer": "200pkt"}"#, 21);
    let mut events: Vec<(u64, u32)> = (0..40_000).map(|n| (n * MS / 2, 0)).collect();
    events
        .extend((1..21).flat_map(|flow| (0..1000).map(move |n| (n * 20 * MS + u64::from(flow) * 1_234_567_890, flow))));
    events.sort_unstable();
    let mut sent = [0u32; 21];
    for (handle, (at, flow)) in (0u32..).zip(events) {
        let packet = Packet { handle, flow: FlowId(flow), bytes: 1000, ..Packet::default() };
        let mut count = |s: Sent| sent[s.packet.flow.index()] += u32::from(s.start >= Time::from_ps(10_000 * MS));
        port.offer(packet, Time::from_ps(at), &mut count);
    }
    // From 10 s on 100 packets of the flood pass the box. The others lose what these take: none of them has the bins of the flood in all 8 levels.
    assert!((95..=125).contains(&sent[0]), "{sent:?}");
    assert!(sent[1..].iter().all(|n| *n >= 390) && sent[1..].iter().sum::<u32>() >= 9890, "{sent:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Whatever drops the packets that wait, the bins hold what waits: once nothing does, all are empty.
    #[test]
    fn bins_hold_what_waits(
        arrivals in prop::collection::vec((0..400u64, 0..6u32, 1..1500u32), 1..200),
        scheduler in prop::sample::select(vec![r#""fcfs""#, r#""drr", "drop": "head""#, r#""fq""#, r#""strict_priority""#, r#""sfq""#, r#""drr_plus_plus", "queues": 2"#]),
        rehash in prop::sample::select(vec!["0s", "9ms", "1s"]),
    ) {
        let aqm = format!(r#"{{"kind": "sfb", "levels": 2, "bins": 2, "bin_size": 1, "max": 50, "increment": 0.3, "penalty_rate": 500, "rehash": "{rehash}", "warm_up": "{}"}}"#,
            if rehash == "0s" { "0s" } else { "5ms" });
        let mut port = port(&format!(r#"{{"kind": {scheduler}, "buffer": "6pkt", "aqm": {aqm}}}"#), 6);
        let mut now = Time::ZERO;
        for (handle, (gap, flow, bytes)) in (0u32..).zip(arrivals) {
            now = Time::from_ps(now.as_ps() + gap * MS / 100);
            port.offer(Packet { handle, flow: FlowId(flow), bytes, ..Packet::default() }, now, &mut each_sent(|_| {}));
            if rehash == "0s" {
                // In two bins of a level the least is no more than what waits, and at least the conversation's own.
                let held = number(&port, flow, now, "bin_packets").expect("it is told");
                prop_assert!(held <= port.backlog().packets as f64);
            }
        }
        now = Time::from_ps(now.as_ps() + 1000 * MS);
        port.advance(now, &mut each_sent(|_| {}));
        prop_assert_eq!(port.backlog().packets, 0);
        for flow in 0..6 {
            prop_assert_eq!(number(&port, flow, now, "bin_packets"), Some(0.0));
        }
    }
}

#[test]
fn bad_parameters_are_refused() {
    for (text, place) in [
        (r#""levels": 0"#, "levels"),
        (r#""levels": 33"#, "levels"),
        (r#""bins": 0"#, "bins"),
        (r#""bins": 4097"#, "bins"),
        (r#""bin_size": 26"#, "max"),
        (r#""warm_up": "600s""#, "warm_up"),
        (r#""penalty_rate": -1"#, "penalty_rate"),
        (r#""penalty_burst": 0"#, "penalty_burst"),
        (r#""increment": 1.5"#, "increment"),
    ] {
        let found = serde_json::from_str::<Spec>(&format!(r#"{{"kind": "sfb", {text}}}"#)).map_err(|e| e.to_string());
        assert!(found.as_ref().is_err_and(|e| e.contains(place)), "{text}: {found:?}");
    }
    // The edges are taken, and run.
    let spec = r#"{"kind": "sfb", "levels": 32, "bins": 1, "rehash": "1ps", "warm_up": "0s", "penalty_rate": 1e-300, "bin_size": 1000000, "max": 1000000}"#;
    let mut port = port(spec, 2);
    offer(&mut port, Time::from_ps(u64::MAX - 1_000_000_000_000), Ecn::NotEct, &[0, 1, 0]);
    assert_eq!(port.backlog().packets, 2);
}
