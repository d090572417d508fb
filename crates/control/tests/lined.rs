//! Sources with their own line, by hand: when packets go, with which priority, and which duplicates begin a burst.

use headgate_control::{AckPacket, Connection, Spec};
use headgate_packet::{Duration, Time};
use std::sync::Arc;

fn at(ms: u64) -> Time {
    Time::ZERO + Duration::from_millis(ms)
}

/// A source whose packets of 500 bytes take 1 ms each on its line.
fn source(kind: &str, option: &str) -> Connection {
    let text = format!(r#"{{"kind": "{kind}", "line": "4Mbit/s", "{option}": true}}"#);
    let text = text.replace(r#", "": true"#, "");
    let spec: Spec = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{text}: {e}"));
    let mut source = Connection::new(&spec, &Arc::new(spec.transport()));
    source.set_packet_bytes(500);
    source.supply(100);
    source
}

/// Sequence number and priority of the packets that go at these times, one each.
fn sent(source: &mut Connection, times: std::ops::Range<u64>) -> Vec<(u64, Option<u8>)> {
    let one = |ms| {
        let segment = source.poll_send(at(ms)).unwrap_or_else(|| panic!("a packet is sent at {ms} ms"));
        (segment.seq, segment.priority)
    };
    times.map(one).collect()
}

/// At `now` ms, packet `seq` of `sent` ms caused an acknowledgement of everything below `cumulative`.
fn ack(source: &mut Connection, cumulative: u64, seq: u64, sent: u64, now: u64) {
    let ack = AckPacket {
        cumulative,
        seq,
        sent: at(sent),
        marked: false,
        waited: Duration::ZERO,
        one_way: Duration::ZERO,
        echo: None,
    };
    source.on_ack(&ack, at(now), &mut |_| {});
}

#[test]
fn a_packet_goes_when_the_one_before_has_left_the_line() {
    let mut source = source("blt", "");
    assert_eq!(sent(&mut source, 0..1), [(0, Some(0))]);
    assert_eq!((source.poll_send(at(0)), source.timeout()), (None, Some(at(1))));
    assert!(source.poll_send(Time::from_ps(999_999_999)).is_none());
    // Windows of 1, 2, 4, 8 packets.
    let due = [(1, 1), (2, 1), (3, 2), (4, 2), (5, 2), (6, 2), (7, 3)].map(|(seq, priority)| (seq, Some(priority)));
    assert_eq!(sent(&mut source, 1..8), due);
}

#[test]
fn a_loss_begins_a_burst_which_packets_of_the_old_one_do_not_break_off() {
    for (option, then) in [("", 5), ("count_old", 3)] {
        let mut source = source("blt", option);
        sent(&mut source, 0..8);
        ack(&mut source, 3, 2, 2, 10);
        // Packet 3 is lost.
        ack(&mut source, 3, 4, 4, 11);
        assert_eq!(
            (source.in_flight(), source.poll_send(at(11)).map(|s| (s.seq, s.priority))),
            (0, Some((3, Some(0))))
        );
        assert_eq!(sent(&mut source, 12..13), [(4, Some(1))]);
        ack(&mut source, 3, 5, 5, 12);
        assert_eq!(sent(&mut source, 13..14)[0].0, then, "{option}");
        // Packet 4 of the new burst arrived before 3 again.
        ack(&mut source, 3, 4, 12, 14);
        assert_eq!(sent(&mut source, 14..15), [(3, Some(0))], "{option}");
    }
}

#[test]
fn an_acknowledgement_brought_about_by_a_packet_that_had_arrived_tells_nothing() {
    for (option, then) in [("", None), ("count_old", Some(3))] {
        let mut source = source("kim_reno", option);
        // The window opens by a packet for each acknowledgement.
        sent(&mut source, 0..1);
        ack(&mut source, 1, 0, 0, 10);
        sent(&mut source, 10..12);
        ack(&mut source, 2, 1, 10, 20);
        ack(&mut source, 3, 2, 11, 21);
        sent(&mut source, 21..25);
        // A copy of packet 1.
        ack(&mut source, 3, 1, 10, 26);
        let next = source.poll_send(at(26)).map(|s| s.seq);
        assert_eq!(next, then, "{option}");
    }
}

#[test]
fn a_burst_may_be_counted_from_the_oldest_packet() {
    for (option, priority) in [("", 3), ("shift_on_ack", 2)] {
        let mut source = source("blt", option);
        sent(&mut source, 0..7);
        ack(&mut source, 3, 2, 2, 7);
        assert_eq!(sent(&mut source, 7..8), [(7, Some(priority))], "{option}");
    }
}

#[test]
fn what_is_known_to_have_come_is_left_out_of_a_burst() {
    for (option, then) in [("", [3, 4, 5, 6]), ("skip_received", [3, 6, 8, 9])] {
        let mut source = source("blt", option);
        sent(&mut source, 0..8);
        ack(&mut source, 3, 2, 2, 10);
        ack(&mut source, 3, 4, 4, 11);
        ack(&mut source, 3, 5, 5, 11);
        ack(&mut source, 3, 7, 7, 11);
        let seqs: Vec<u64> = sent(&mut source, 11..15).iter().map(|(seq, _)| *seq).collect();
        assert_eq!(seqs, then, "{option}");
    }
}
