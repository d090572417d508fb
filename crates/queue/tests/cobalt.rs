//! COBALT and BLUE at a port: a flood that answers nothing, marks, and what the last packet of a queue is spared.

use crate::common::told::each_sent;
use headgate_packet::{Ecn, Packet, Rate, Rng, Time};
use headgate_queue::{Discipline as _, DropReason, LinkInfo, Port, Sent, Spec};

const US: u64 = 1_000_000;

fn us(us: u64) -> Time {
    Time::from_ps(us * US)
}

fn port(spec: &str) -> Port {
    let link =
        LinkInfo { rate: Rate::from_bps(12_000_000).expect("above zero"), flows: 1, weights: vec![], hosts: vec![] };
    let spec: Spec = serde_json::from_str(spec).expect("a discipline");
    Port::new(spec.build(&link), link.rate, Rng::new(1, 0, "test"))
}

/// Packets of 1500 bytes on a line that sends one in 1 ms, one each so many microseconds from a time on until another one.
fn feed(port: &mut Port, sent: &mut Vec<Sent>, gap_us: u64, from_ms: u64, to_ms: u64, ecn: Ecn) {
    for at in (from_ms * 1000..to_ms * 1000).step_by(gap_us as usize) {
        port.offer(
            Packet { handle: at as u32, bytes: 1500, ecn, ..Packet::default() },
            us(at),
            &mut each_sent(|s| sent.push(s)),
        );
    }
}

#[test]
fn a_standing_queue_is_signalled_at_the_times_of_the_law() {
    // 21 packets at once, then one each millisecond: the queue stays at 20, so that all wait 20 ms but the first ones. With marks it keeps its length.
    for (ecn, mark) in [(Ecn::Ect0, true), (Ecn::NotEct, false)] {
        let mut port = port(&format!(r#"{{"kind": "cobalt", "buffer": "unlimited", "mark": {mark}}}"#));
        let mut sent = Vec::new();
        for handle in 0..21 {
            port.offer(
                Packet { handle, bytes: 1500, ecn, ..Packet::default() },
                Time::ZERO,
                &mut each_sent(|s| sent.push(s)),
            );
        }
        feed(&mut port, &mut sent, 1000, 1, 500, ecn);
        let dropped: Vec<u64> = port.dropped().iter().map(|gone| gone.at.as_ps() / US / 1000).collect();
        let marked: Vec<u64> =
            sent.iter().filter(|s| s.packet.ecn == Ecn::Ce).map(|s| s.start.as_ps() / US / 1000).collect();
        // The packet that starts after 6 ms is the first that waited more than 5 ms.
        let due = [106, 177, 235, 285, 330, 370, 408, 444, 477];
        assert_eq!(if mark { &marked } else { &dropped }, &due);
        assert!(if mark { dropped.is_empty() } else { marked.is_empty() });
        assert!(port.dropped().iter().all(|gone| gone.reason == DropReason::Sojourn));
    }
}

#[test]
fn a_flood_into_a_full_buffer_is_dropped_at_random_ever_more() {
    // Twice the line's rate: BLUE's probability rises by 1/256 each 5 ms and more, until what is dropped as it leaves is half of what arrives: the buffer is
    // full no longer.
    let mut port = port(r#"{"kind": "cobalt", "buffer": "100pkt", "mark": true}"#);
    let mut sent = Vec::new();
    feed(&mut port, &mut sent, 500, 0, 20_000, Ecn::Ect0);
    let dropped = port.dropped().to_vec();
    let of = |why: DropReason, from: u64| dropped.iter().filter(|d| d.reason == why && d.at >= us(from)).count();
    assert!(of(DropReason::Random, 0) > 5000, "BLUE drops what could be marked");
    assert_eq!(of(DropReason::Sojourn, 0), 0);
    let (full, random) = (of(DropReason::Full, 10_000_000), of(DropReason::Random, 10_000_000));
    assert!(full * 20 < random, "{full} of {random}");
}

#[test]
fn the_last_packet_of_a_queue_is_never_dropped() {
    // A packet arrives each time that the one before it starts: all wait 40 ms, longer than the target and than four packets, and none has one behind it.
    let mut port = port(r#"{"kind": "cobalt", "buffer": "unlimited", "max_packet": "64B"}"#);
    let (mut sent, bytes) = (0, 60_000);
    port.offer(Packet { bytes, ..Packet::default() }, Time::ZERO, &mut each_sent(|_| sent += 1));
    for k in 0..100 {
        port.offer(Packet { bytes, ..Packet::default() }, us(40_000 * k + 1), &mut each_sent(|_| sent += 1));
    }
    assert!(port.dropped().is_empty() && sent == 100, "{sent}");
}

#[test]
fn blue_by_hand() {
    // Room for two packets, and three of 1 ms every millisecond: one finds no room from 2 ms on.
    let spec = r#"{"kind": "blue", "buffer": "2pkt", "increment": 0.25, "decrement": 0.125, "freeze": "10ms"}"#;
    let mut port = port(spec);
    let probability = |port: &Port| {
        let mut found = None;
        port.discipline().probe(&mut |name, value| {
            if name == "probability" {
                found = Some(value);
            }
        });
        found.expect("a gauge")
    };
    let mut rises = Vec::new();
    for at in 0..60_000 {
        if at % 400 == 0 {
            let before = probability(&port);
            port.offer(Packet { bytes: 1500, ..Packet::default() }, us(at), &mut each_sent(|_| {}));
            if probability(&port) != before {
                rises.push((at / 1000, probability(&port)));
            }
        }
    }
    // More than 10 ms apart; at a half, what passes is less than the line sends, so that the probability stays.
    assert_eq!(rises[..2], [(1, 0.25), (12, 0.5)], "{rises:?}");
    assert!(port.dropped().iter().any(|gone| gone.reason == DropReason::Random));
    // It is empty after 63 ms, and falls once in each 10 ms from then on.
    let reached = rises.last().expect("rises").1;
    port.offer(Packet { bytes: 1500, ..Packet::default() }, us(95_000), &mut each_sent(|_| {}));
    assert!(probability(&port) <= reached - 3.0 * 0.125, "{}", probability(&port));
    port.offer(Packet { bytes: 1500, ..Packet::default() }, us(900_000), &mut each_sent(|_| {}));
    assert_eq!(probability(&port), 0.0);
}

#[test]
fn blue_takes_a_long_queue_for_a_loss_and_marks() {
    let spec =
        r#"{"kind": "blue", "buffer": "unlimited", "queue": "5pkt", "freeze": "2ms", "increment": 0.02, "mark": true}"#;
    let mut port = port(spec);
    let mut sent = Vec::new();
    feed(&mut port, &mut sent, 500, 0, 1000, Ecn::Ect0);
    assert!(port.dropped().is_empty());
    let marked = sent.iter().filter(|s| s.packet.ecn == Ecn::Ce).count();
    assert!(marked > sent.len() / 3, "{marked} of {}", sent.len());
    // Those of flows that do not understand marks are dropped.
    let (mut port, mut sent) = (self::port(spec), Vec::new());
    feed(&mut port, &mut sent, 500, 0, 1000, Ecn::NotEct);
    assert!(port.dropped().iter().any(|gone| gone.reason == DropReason::Random));
}
