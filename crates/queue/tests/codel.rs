//! CoDel by the pseudocode of RFC 8289, section 5, worked out by hand.

use crate::common::told::each_sent;
use headgate_packet::{Ecn, FlowId, Packet, Rate, Rng, Time};
use headgate_queue::aqm::Verdict;
use headgate_queue::{Decision, DropReason, LinkInfo, Moment, Port, Spec};

const US: u64 = 1_000_000;

fn port(spec: &str, bps: u64, flows: usize) -> Port {
    let link = LinkInfo { rate: Rate::from_bps(bps).expect("above zero"), flows, weights: vec![], hosts: vec![] };
    let spec: Spec = serde_json::from_str(spec).expect("a discipline");
    Port::new(spec.build(&link), link.rate, Rng::new(0, 0, "test"))
}

fn us(us: u64) -> Time {
    Time::from_ps(us * US)
}

/// Packets of 1500 bytes every ms, from 0, on a line that sends one in 1.2 ms: packet k waits 0.2 k ms while none is dropped. The port after the arrivals of
/// `ms`, and the packets whose transmission started.
fn overload(queue: &str, ms: u64, ecn: Ecn) -> (Port, Vec<Packet>) {
    let (mut port, mut sent) = (port(queue, 10_000_000, 1), Vec::new());
    for k in 0..ms {
        let packet = Packet { handle: k as u32, bytes: 1500, ecn, ..Packet::default() };
        port.offer(packet, us(1000 * k), &mut each_sent(|s| sent.push(s.packet)));
    }
    (port, sent)
}

const UNLIMITED: &str = r#"{"kind": "codel", "buffer": "unlimited"}"#;

#[test]
fn constant_overload_is_dropped_at_the_times_of_the_pseudocode() {
    // Packet 25 is the first one that waits 5 ms; it leaves at 30.0 ms. Packet 109 leaves at 130.8 ms, the first one after an interval.
    let (mut port, _) = overload(UNLIMITED, 1000, Ecn::NotEct);
    let found: Vec<(u64, u32)> = port.dropped().iter().map(|gone| (gone.at.as_ps() / US, gone.handle)).collect();
    let due = [(130_800, 109), (231_600, 194), (302_400, 254), (360_000, 303), (410_400, 346), (454_800, 384)];
    assert_eq!(found[..6], due);
    assert_eq!(found[9], (602_400, 511));
    assert_eq!(found.len(), 26);
    assert!(port.dropped().iter().all(|gone| gone.reason == DropReason::Sojourn));
}

#[test]
fn episodes_end_and_begin_as_in_the_pseudocode() {
    let (mut port, sent) = overload(UNLIMITED, 10_000, Ecn::NotEct);
    let drops: Vec<f64> = port.dropped().iter().map(|gone| gone.at.as_secs_f64()).collect();
    let until = |s: f64| drops.iter().filter(|at| **at <= s).count();
    assert_eq!([1.0, 2.0, 3.0, 4.0, 5.0].map(until), [26, 101, 227, 403, 629]);
    // The first episode ends at 6.605 s with 1096 drops. The second begins at 6.707 s with the rate of 1095, an interval over its square root, and not of one;
    // the third at 6.911 s with that of the 33 drops that the second one had more, 17.4 ms. Drops are at departures, 1.2 ms from each other.
    let gaps: Vec<[f64; 3]> = drops.windows(3).map(|d| [d[1], d[1] - d[0], d[2] - d[1]]).collect();
    let pauses: Vec<&[f64; 3]> = gaps.iter().filter(|gap| gap[0] > 6.0 && gap[1] > 0.08).take(2).collect();
    for (pause, [begins, next]) in
        pauses.into_iter().zip([[6.707, 0.1 / 1095_f64.sqrt()], [6.911, 0.1 / 33_f64.sqrt()]])
    {
        assert!((pause[0] - begins).abs() < 0.0012 && pause[2] >= next && pause[2] < next + 0.0012, "{pause:?}");
    }
    assert!(sent.is_sorted_by_key(|packet| packet.handle), "first come, first served");
}

#[test]
fn marks_come_at_the_times_of_the_law_and_nothing_is_dropped() {
    let queue = r#"{"kind": "codel", "buffer": "unlimited", "mark": true}"#;
    let (mut port, sent) = overload(queue, 1000, Ecn::Ect0);
    assert!(port.dropped().is_empty());
    let marked: Vec<u32> = sent.iter().filter(|p| p.ecn == Ecn::Ce).map(|p| p.handle).collect();
    // Nothing is dropped, so packet k leaves at 1.2 k ms. The first mark is at 130.8 ms; the later ones at or after 230.8, 301.51, 359.25 and 409.25 ms.
    assert_eq!(marked[..5], [109, 193, 252, 300, 342]);
    // What cannot be marked is dropped, at the same times as without `mark`.
    let (mut plain, _) = overload(queue, 1000, Ecn::NotEct);
    assert_eq!(plain.dropped(), overload(UNLIMITED, 1000, Ecn::NotEct).0.dropped());
}

/// A port with 20 packets of 1000 bytes from 1 ms on, that only sends when its line is brought up for a moment: at these times in ms. The packets sent, and
/// the packets dropped at each time.
fn at_times(times: &[u64]) -> Vec<(Vec<u32>, Vec<u32>)> {
    let mut port = port(UNLIMITED, 1_000_000_000_000, 1);
    port.set_up(false, Time::ZERO);
    for handle in 0..20 {
        port.offer(Packet { handle, bytes: 1000, ..Packet::default() }, us(1000), &mut each_sent(|_| {}));
    }
    let mut found = Vec::new();
    for ms in times {
        let mut sent = Vec::new();
        port.set_up(true, us(1000 * ms));
        port.start(us(1000 * ms), &mut each_sent(|s| sent.push(s.packet.handle)));
        port.set_up(false, us(1000 * ms));
        found.push((sent, port.dropped().drain(..).map(|gone| gone.handle).collect()));
    }
    found
}

#[test]
fn a_late_dequeue_catches_up_with_the_law() {
    // 211 ms: 200 ms after packets were first seen to wait too long, one is dropped and the next sent; the next drop is due at 311 ms. At 421 ms those of 311
    // and 381.7 ms are overdue, and the one after them, of 439.4 ms, is not: the base is the time at which a drop was due, not the present.
    let none = Vec::new;
    let due = vec![(vec![0], none()), (vec![2], vec![1]), (vec![5], vec![3, 4])];
    assert_eq!(at_times(&[11, 211, 421]), due);
}

#[test]
fn nothing_is_dropped_while_no_more_than_a_packet_waits() {
    // 500 kbit/s and 1500 bytes each 24 ms, as much as the line sends, right before a packet leaves, after two more at 0.
    let dropped = |max_packet: &str| -> Vec<u64> {
        let spec = format!(r#"{{"kind": "codel", "buffer": "unlimited", "max_packet": "{max_packet}"}}"#);
        let mut port = port(&spec, 500_000, 1);
        let offer = |port: &mut Port, at: u64| {
            port.offer(Packet { bytes: 1500, ..Packet::default() }, us(at), &mut each_sent(|_| {}))
        };
        offer(&mut port, 0);
        offer(&mut port, 0);
        offer(&mut port, 0);
        (1..100).for_each(|k| offer(&mut port, 24_000 * k - 1));
        port.dropped().iter().map(|gone| gone.at.as_ps() / US).collect()
    };
    assert_eq!(dropped("1500B"), [144_000]);
    assert_eq!(dropped("512B"), [144_000, 264_000]);
}

#[test]
fn the_full_buffer_is_none_of_its_drops() {
    let (mut port, _) = overload(r#"{"kind": "codel", "buffer": "10pkt"}"#, 100, Ecn::NotEct);
    assert!(!port.dropped().is_empty() && port.dropped().iter().all(|gone| gone.reason == DropReason::Full));
}

#[test]
fn each_queue_has_its_own_state() {
    // Conversation 1 sends a short packet now and then, which leaves next and never waits 5 ms. Only conversation 0, which has the line's rate alone, is dropped.
    let mut port = port(r#"{"kind": "drr", "buffer": "unlimited", "aqm": "codel"}"#, 10_000_000, 2);
    for k in 0..1000u32 {
        port.offer(
            Packet { handle: 2 * k, bytes: 1500, ..Packet::default() },
            us(1000 * u64::from(k)),
            &mut each_sent(|_| {}),
        );
        let sparse = Packet { handle: 2 * k + 1, flow: FlowId(1), bytes: 100, ..Packet::default() };
        if k % 10 == 0 {
            port.offer(sparse, us(1000 * u64::from(k)), &mut each_sent(|_| {}));
        }
    }
    let dropped = port.dropped();
    assert!(dropped.len() > 20 && dropped.iter().all(|gone| gone.flow == FlowId(0)), "{dropped:?}");
}

#[test]
fn the_backlog_of_all_queues_counts() {
    // Ten conversations with two packets each, of which one is sent each 12 ms, right before which another comes: a queue never has more than one packet
    // after the one that leaves, but 14 or more wait in all. Each queue's first packet leaves within 12 ms, and its next one after 24 ms.
    let mut port =
        port(r#"{"kind": "drr", "buffer": "unlimited", "quantum": "1500B", "aqm": "codel"}"#, 10_000_000, 10);
    let mut round = |at: u64| {
        for flow in 0..10 {
            port.offer(Packet { flow: FlowId(flow), bytes: 1500, ..Packet::default() }, us(at), &mut each_sent(|_| {}));
        }
    };
    round(0);
    (0..30).for_each(|k| round(12_000 * k));
    let dropped: Vec<u64> = port.dropped().iter().map(|gone| gone.at.as_ps() / US).collect();
    assert!(dropped.len() >= 9 && dropped[0] >= 105_000 && dropped[0] < 140_000, "{dropped:?}");
}

/// The decisions about packets that leave, and the numbers of each.
fn written_down(queue: &str, ms: u64, ecn: Ecn) -> Vec<(Decision, Vec<(&'static str, f64)>)> {
    let (mut port, mut found) = (port(queue, 10_000_000, 1), Vec::new());
    port.write_down();
    for k in 0..ms {
        port.offer(
            Packet { handle: k as u32, bytes: 1500, ecn, ..Packet::default() },
            us(1000 * k),
            &mut each_sent(|_| {}),
        );
    }
    port.decisions().expect("they were asked for").drain(|decision, numbers| {
        if decision.moment == Moment::Departure {
            found.push((decision, numbers.iter().map(|(number, value)| (number.name(), *value)).collect()));
        }
    });
    found
}

#[test]
fn a_decision_has_the_numbers_of_the_departure() {
    let found = written_down(UNLIMITED, 300, Ecn::NotEct);
    let of = |handle: u32| found.iter().find(|(decision, _)| decision.handle == handle).expect("it left");
    let number = |handle: u32, name: &str| of(handle).1.iter().find(|(n, _)| *n == name).map(|(_, value)| *value);
    let close = |value: Option<f64>, due: f64| value.is_some_and(|value| (value - due).abs() < 1e-9);
    let (first, _) = of(109);
    assert_eq!((first.at, first.verdict), (us(130_800), Verdict::Drop(DropReason::Sojourn)));
    assert!(close(number(109, "sojourn"), 0.0218) && close(number(109, "above_target"), 0.1008));
    // 131 packets arrived until then, of which 0 to 109 have left the queue.
    assert!(close(number(109, "left_behind"), 21.0 * 1500.0) && close(number(109, "max_packet"), 1500.0));
    assert!(close(number(109, "target"), 0.005) && close(number(109, "interval"), 0.1));
    assert_eq!([number(109, "signals"), number(24, "above_target")], [None; 2]);
    // The next one is sent at the same instant, and the one after it knows when the next drop is due.
    assert_eq!((of(110).0.at, of(110).0.verdict), (us(130_800), Verdict::Pass));
    assert!(close(number(111, "next_signal"), 0.0988) && close(number(111, "signals"), 1.0));
    assert!(close(number(194, "next_signal"), -0.0008), "overdue by 0.8 ms: {:?}", number(194, "next_signal"));
    let marks = written_down(r#"{"kind": "codel", "buffer": "unlimited", "mark": true}"#, 300, Ecn::Ect1);
    let marked: Vec<u32> = marks.iter().filter(|(d, _)| d.verdict == Verdict::Mark).map(|(d, _)| d.handle).collect();
    assert_eq!(marked, [109, 193]);
}

#[test]
fn to_write_down_changes_nothing() {
    for queue in
        [UNLIMITED, r#"{"kind": "codel", "buffer": "20pkt", "mark": true}"#, r#"{"kind": "fq", "aqm": "codel"}"#]
    {
        let run = |write_down: bool| {
            let (mut port, mut sent) = (port(queue, 10_000_000, 1), Vec::new());
            if write_down {
                port.write_down();
            }
            for k in 0..2000 {
                let packet = Packet { handle: k as u32, bytes: 1500, ecn: Ecn::Ect0, ..Packet::default() };
                port.offer(packet, us(1000 * k), &mut each_sent(|s| sent.push(s)));
            }
            assert_eq!(port.decisions().is_some(), write_down);
            (sent, port.dropped().clone(), port.counters(us(2_000_000)))
        };
        assert_eq!(run(false), run(true), "{queue}");
    }
}

#[test]
fn time_and_rate_have_no_scale() {
    // All times ten times as long: the same packets are dropped, ten times as late.
    let slow = r#"{"kind": "codel", "buffer": "unlimited", "target": "50ms", "interval": "1s"}"#;
    let mut slow = port(slow, 1_000_000, 1);
    for k in 0..1000 {
        slow.offer(
            Packet { handle: k as u32, bytes: 1500, ..Packet::default() },
            us(10_000 * k),
            &mut each_sent(|_| {}),
        );
    }
    let (mut fast, _) = overload(UNLIMITED, 1000, Ecn::NotEct);
    let times = |port: &mut Port, factor: u64| -> Vec<(u32, u64)> {
        port.dropped().iter().map(|gone| (gone.handle, gone.at.as_ps() * factor)).collect()
    };
    assert_eq!(times(&mut slow, 1), times(&mut fast, 10));
}
