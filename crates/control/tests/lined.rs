//! Sources with their own line, by hand: when packets go, with which priority, and which duplicates begin a burst.

use headgate_control::{AckPacket, Connection, Spec};
use headgate_packet::{Duration, Time};
use std::sync::Arc;

fn at(ms: u64) -> Time {
    Time::ZERO + Duration::from_millis(ms)
}

/// A source whose packets of 500 bytes take 1 ms each on its line.
fn source(kind: &str, option: &str) -> Connection {
    let option = match option.split_once('=') {
        Some((name, value)) => format!(r#", "{name}": "{value}""#),
        None if option.is_empty() => String::new(),
        None => format!(r#", "{option}": true"#),
    };
    let text = format!(r#"{{"kind": "{kind}", "line": "4Mbit/s"{option}}}"#);
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
fn a_time_stamp_tells_what_was_sent_before_the_timeout_from_what_came_twice() {
    for (option, old, copy) in [("", None, None), ("by_stamp", None, Some(2)), ("count_old", Some(2), None)] {
        let mut source = source("kim_reno", option);
        sent(&mut source, 0..1);
        let timeout = source.timeout().expect("a timer runs");
        source.on_timeout(timeout);
        let ms = timeout.as_ps() / 1_000_000_000;
        sent(&mut source, ms..ms + 1);
        ack(&mut source, 1, 0, ms, ms + 10);
        sent(&mut source, ms + 10..ms + 12);
        ack(&mut source, 2, 1, ms + 10, ms + 20);
        assert_eq!(sent(&mut source, ms + 20..ms + 21)[0].0, 3);
        // A copy of packet 0 from before the timeout, then one of packet 1 from after it: nothing but 2 is missing.
        let again =
            |source: &mut Connection, now: u64| source.poll_send(at(now)).filter(|s| s.retransmission).map(|s| s.seq);
        ack(&mut source, 2, 0, 0, ms + 22);
        assert_eq!(again(&mut source, ms + 22), old, "{option}");
        ack(&mut source, 2, 1, ms + 10, ms + 23);
        assert_eq!(again(&mut source, ms + 23), copy, "{option}");
    }
}

#[test]
fn new_data_is_a_burst_of_its_own_and_old_data_keeps_its_priorities_until_a_loss() {
    for (option, second, after) in [("", [6, 6, 6, 6], [5, 5, 5]), ("reset_on_submit", [0, 1, 1, 2], [5, 5, 0])] {
        let mut source = source("blt", option);
        sent(&mut source, 0..98);
        source.supply(4);
        // The last two packets of the first 100 belong to window 6 still.
        assert_eq!(sent(&mut source, 98..100), [(98, Some(6)), (99, Some(6))]);
        let priorities: Vec<u8> = sent(&mut source, 100..104).iter().filter_map(|(_, p)| *p).collect();
        assert_eq!(priorities, second, "{option}");
        assert!(source.poll_send(at(104)).is_none());
        // Packet 60 is lost: everything from there on is one burst, the second data too. What is submitted then is not.
        ack(&mut source, 60, 59, 59, 110);
        ack(&mut source, 60, 61, 61, 112);
        source.supply(1);
        assert_eq!(sent(&mut source, 112..114), [(60, Some(0)), (61, Some(1))]);
        let rest = sent(&mut source, 114..157);
        assert_eq!(rest[40..], [(102, Some(after[0])), (103, Some(after[1])), (104, Some(after[2]))], "{option}");
    }
}

#[test]
fn data_that_waits_at_a_loss_belongs_to_the_new_burst() {
    let mut source = source("blt", "reset_on_submit");
    source.supply(50);
    sent(&mut source, 0..40);
    ack(&mut source, 30, 29, 29, 40);
    ack(&mut source, 30, 31, 31, 40);
    // Packet 100 of the second data is number 70 of the burst that began with packet 30.
    assert_eq!(sent(&mut source, 40..112)[69..], [(99, Some(6)), (100, Some(6)), (101, Some(6))]);
}

#[test]
fn an_abusive_source_marks_everything_urgent() {
    let mut source = source("blt", "marks=urgent");
    let all = sent(&mut source, 0..100);
    assert!(all.iter().all(|(_, priority)| *priority == Some(0)));
}

#[test]
fn a_stream_of_rates_begins_again_with_a_loss() {
    let mut source = source("blt", "marks=rates");
    let due = [0, 255, 254, 255, 253, 255, 254, 255, 252];
    let priorities: Vec<u8> = sent(&mut source, 0..9).iter().filter_map(|(_, p)| *p).collect();
    assert_eq!(priorities, due);
    ack(&mut source, 3, 2, 2, 10);
    ack(&mut source, 3, 4, 4, 11);
    assert_eq!(sent(&mut source, 11..14), [(3, Some(0)), (4, Some(255)), (5, Some(254))]);
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
