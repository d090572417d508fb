//! PIE at a port: a flood that answers nothing, and what stands beside the lottery.

use crate::common::told::each_sent;
use headgate_packet::{Ecn, Packet, Rate, Rng, Time};
use headgate_queue::{DropReason, LinkInfo, Port, Sent, Spec};

const US: u64 = 1_000_000;

fn us(us: u64) -> Time {
    Time::from_ps(us * US)
}

fn port(spec: &str) -> Port {
    let link =
        LinkInfo { rate: Rate::from_bps(10_000_000).expect("above zero"), flows: 1, weights: vec![], hosts: vec![] };
    let spec: Spec = serde_json::from_str(spec).expect("a discipline");
    Port::new(spec.build(&link), link.rate, Rng::new(1, 0, "test"))
}

/// Packets of 1500 bytes on a line that sends one in 1.2 ms, `load` times as many, for so many seconds: what was sent and the port.
fn flood(spec: &str, load: f64, seconds: u64, ecn: Ecn) -> (Port, Vec<Sent>) {
    let (mut port, mut sent) = (port(spec), Vec::new());
    let gap = (1200.0 / load) as u64;
    for k in 0..seconds * 1_000_000 / gap {
        port.offer(
            Packet { handle: k as u32, bytes: 1500, ecn, ..Packet::default() },
            us(gap * k),
            &mut each_sent(|s| sent.push(s)),
        );
    }
    (port, sent)
}

/// Seconds that packets waited whose transmission started after this time, on average.
fn waited(sent: &[Sent], after: Time) -> f64 {
    let waits: Vec<f64> = sent
        .iter()
        .filter(|s| s.packet.arrived > after)
        .map(|s| s.start.since(s.packet.arrived).as_secs_f64())
        .collect();
    waits.iter().sum::<f64>() / waits.len() as f64
}

#[test]
fn a_flood_waits_for_the_target_and_loses_what_is_too_much() {
    // An integral controller has no other equilibrium: the delay is the target, and what is dropped is 1 - 1/x of a load x.
    for derandomise in [false, true] {
        let spec = format!(r#"{{"kind": "pie", "buffer": "unlimited", "derandomise": {derandomise}}}"#);
        for load in [1.05, 1.2, 1.5, 2.0] {
            let (mut port, sent) = flood(&spec, load, 100, Ecn::NotEct);
            let mean = waited(&sent, us(50_000_000));
            assert!((mean - 0.015).abs() < 0.001, "load {load}: packets wait {mean} s");
            let drops: Vec<u64> =
                port.dropped().iter().map(|gone| gone.at.as_ps() / US).filter(|at| *at > 50_000_000).collect();
            let share = drops.len() as f64 / (50e6 / (1200.0 / load));
            assert!((share - (1.0 - 1.0 / load)).abs() < 0.005, "load {load}: {share} is dropped");
            // Random drops of one in six are as irregular as throws of a die; with section 5.4 half as much.
            let gaps: Vec<f64> = drops.windows(2).map(|pair| (pair[1] - pair[0]) as f64).collect();
            let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
            let variance = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / gaps.len() as f64;
            let spread = variance.sqrt() / mean;
            if load == 1.2 {
                assert!(if derandomise { spread < 0.65 } else { spread > 0.85 }, "{derandomise}: {spread}");
            }
        }
    }
}

#[test]
fn a_burst_of_ten_steps_passes() {
    // Section 4.4: the burst allowance of 150 ms is whole at the start. At twice the line's rate the queue has 75 ms by then.
    let (mut port, _) = flood(r#"{"kind": "pie", "buffer": "unlimited"}"#, 2.0, 1, Ecn::NotEct);
    let first = port.dropped().first().expect("drops").at;
    assert!(first >= us(150_000) && first < us(250_000), "{first:?}");
    assert!(port.dropped().iter().all(|gone| gone.reason == DropReason::Random));
}

#[test]
fn marks_are_set_only_while_they_are_rare() {
    // Section 5.1: below a probability of 0.1 packets are marked, and nothing is dropped, so that a flood's probability rises until it is.
    let spec = r#"{"kind": "pie", "buffer": "unlimited", "mark": true}"#;
    let (mut port, sent) = flood(spec, 1.2, 60, Ecn::Ect0);
    let first = port.dropped().first().expect("drops").at;
    let marked: Vec<Time> = sent.iter().filter(|s| s.packet.ecn == Ecn::Ce).map(|s| s.packet.arrived).collect();
    assert!(marked[0] < first && !marked.is_empty());
    // In the end 1 in 6 is dropped, and none marked.
    assert!(*marked.last().expect("marks") < us(30_000_000) && port.dropped().len() > 5000);
    let (_, sent) = flood(spec, 1.2, 60, Ecn::NotEct);
    assert!(sent.iter().all(|s| s.packet.ecn == Ecn::NotEct));
}
