//! Approximate Fair Dropping at a port: flows that send at very different rates and do not answer get equal shares, and the queue stays at its target.

use crate::common::told::each_sent;
use headgate_packet::{Duration, FlowId, Packet, Rate, Rng, Time};
use headgate_queue::{DropReason, LinkInfo, Port, Spec};

/// What each of ten conversations gets of a line of 1000 packets per second in the last 40 of 60 s, as a part of the line, where conversation i sends
/// `load` (i + 1) / 55 of it at random times; with the mean of the queue that arrivals find and the reasons of drops.
fn shares(spec: &str, load: f64) -> (Vec<f64>, f64, Vec<DropReason>) {
    let (second, flows) = (1_000_000_000_000u64, 10u32);
    let rate = Rate::from_bps(8_000_000).expect("above zero");
    let link = LinkInfo { rate, flows: flows as usize, weights: vec![], hosts: vec![] };
    let spec: Spec = serde_json::from_str(spec).expect("a discipline");
    let mut port = Port::new(spec.build(&link), rate, Rng::new(1, 0, "port"));
    let mut rng = Rng::new(1, 0, "gaps");
    let mean = |flow: u32| Duration::from_secs_f64(55.0 / (1000.0 * load * f64::from(flow + 1)));
    let mut next: Vec<Time> = (0..flows).map(|flow| Time::ZERO + rng.exponential(mean(flow))).collect();
    let (mut sent, mut queue, mut arrivals, mut handle) = (vec![0u32; flows as usize], 0.0, 0.0, 0);
    loop {
        let flow = (0..flows).min_by_key(|flow| next[*flow as usize]).expect("ten flows");
        let now = next[flow as usize];
        if now >= Time::from_ps(60 * second) {
            let shares = sent.iter().map(|n| f64::from(*n) / 40_000.0).collect();
            return (shares, queue / arrivals, port.dropped().iter().map(|gone| gone.reason).collect());
        }
        let packet = Packet { handle, flow: FlowId(flow), bytes: 1000, ..Packet::default() };
        handle += 1;
        let late = now >= Time::from_ps(20 * second);
        port.offer(
            packet,
            now,
            &mut each_sent(|s| sent[s.packet.flow.index()] += u32::from(s.start >= Time::from_ps(20 * second))),
        );
        if late {
            queue += port.backlog().packets as f64;
            arrivals += 1.0;
        }
        next[flow as usize] = now + rng.exponential(mean(flow));
    }
}

/// The max-min fair shares of a line among these demands.
fn max_min(demands: &[f64]) -> Vec<f64> {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let share = (low + high) / 2.0;
        let sum: f64 = demands.iter().map(|demand| demand.min(share)).sum();
        if sum < 1.0 { low = share } else { high = share }
    }
    demands.iter().map(|demand| demand.min(low)).collect()
}

#[test]
fn flows_get_their_max_min_shares_and_the_queue_its_target() {
    let spec = r#"{"kind": "afd", "buffer": "300pkt", "samples": 2000, "sample_interval": 2}"#;
    for load in [1.5, 2.0, 3.0] {
        let demands: Vec<f64> = (0..10).map(|flow| load * f64::from(flow + 1) / 55.0).collect();
        let (shares, queue, reasons) = shares(spec, load);
        for (share, due) in shares.iter().zip(max_min(&demands)) {
            assert!((share / due - 1.0).abs() < 0.12, "{load}: {share} of {due}: {shares:?}");
        }
        assert!((20.0..32.0).contains(&queue), "{load}: {queue}");
        assert!(reasons.iter().filter(|why| **why != DropReason::Random).count() * 100 < reasons.len(), "{load}");
        assert!(shares.iter().sum::<f64>() > 0.985, "{load}: {shares:?}");
    }
}

#[test]
fn without_overload_hardly_anything_is_dropped() {
    let (shares, _, reasons) = shares(r#"{"kind": "afd", "buffer": "300pkt"}"#, 0.8);
    assert!(reasons.len() < 10, "{}", reasons.len());
    assert!((shares.iter().sum::<f64>() - 0.8).abs() < 0.02);
}

#[test]
fn under_a_scheduler_it_serves_the_whole_port() {
    // Fair Queueing gives equal shares anyway; the queue of the port is at the target, and not that of each conversation.
    let spec = r#"{"kind": "drr", "buffer": "300pkt", "aqm": {"kind": "afd", "samples": 2000, "sample_interval": 2, "target_queue": 40}}"#;
    let (_, queue, _) = shares(spec, 2.0);
    assert!((33.0..48.0).contains(&queue), "{queue}");
}

#[test]
fn bad_parameters_are_refused_and_extreme_ones_run() {
    for (text, place) in [
        (r#""samples": 0"#, "samples"),
        (r#""sample_interval": 0"#, "sample_interval"),
        (r#""update": "0s""#, "update"),
        (r#""alpha": -1"#, "alpha"),
        (r#""beta": 1e7"#, "beta"),
    ] {
        let found = serde_json::from_str::<Spec>(&format!(r#"{{"kind": "afd", {text}}}"#)).map_err(|e| e.to_string());
        assert!(found.as_ref().is_err_and(|e| e.contains(place)), "{text}: {found:?}");
    }
    for text in [
        r#""update": "1ps""#,
        r#""update": "213503s", "samples": 1"#,
        r#""target_queue": 1000000000, "alpha": 1000000.0"#,
    ] {
        let spec: Spec = serde_json::from_str(&format!(r#"{{"kind": "afd", {text}}}"#)).expect("legal");
        let link = LinkInfo { rate: Rate::from_bps(1).expect("above zero"), flows: 1, weights: vec![], hosts: vec![] };
        let mut port = Port::new(spec.build(&link), link.rate, Rng::new(1, 0, "port"));
        let mut sent = 0;
        for handle in 0..20 {
            port.offer(
                Packet { handle, bytes: 1, ..Packet::default() },
                Time::from_ps(u64::from(handle)),
                &mut each_sent(|_| sent += 1),
            );
        }
        port.advance(Time::from_ps(u64::MAX - 1), &mut each_sent(|_| sent += 1));
        assert_eq!(sent + port.dropped().len(), 20, "{text}");
    }
}
