//! A source: protocol and transport together, of each kind.

use headgate_control::{AckPacket, Connection, Segment, Spec};
use headgate_packet::{Duration, Time};
use std::sync::Arc;

fn at(ms: u64) -> Time {
    Time::ZERO + Duration::from_millis(ms)
}

/// A source with these parameters and this number of packets to send.
fn source(text: &str, packets: u64) -> Connection {
    let spec: Spec = serde_json::from_str(text).unwrap_or_else(|e| panic!("{text}: {e}"));
    let mut source = Connection::new(&spec, &Arc::new(spec.transport()));
    source.supply(packets);
    source
}

fn send(source: &mut Connection, ms: u64) -> Vec<u64> {
    std::iter::from_fn(|| source.poll_send(at(ms))).map(|segment| segment.seq).collect()
}

/// Acknowledges everything below `cumulative`, by the packet before it, which was sent at `sent` ms; gives the round trips in ms.
fn ack(source: &mut Connection, cumulative: u64, sent: u64, ms: u64) -> Vec<u64> {
    let mut all = vec![];
    let seq = cumulative.saturating_sub(1);
    let ack = AckPacket {
        cumulative,
        seq,
        sent: at(sent),
        marked: false,
        waited: Duration::ZERO,
        one_way: Duration::ZERO,
        echo: None,
    };
    source.on_ack(&ack, at(ms), &mut |rtt| all.push(rtt.as_ps() / 1_000_000_000));
    all
}

#[test]
fn without_flow_control_everything_goes_at_once_and_once() {
    let mut source = source(r#""none""#, 3);
    assert!(!source.is_controlled() && source.window().is_nan());
    assert_eq!(source.poll_send(at(5)), Some(Segment::plain(0, false)));
    assert_eq!((send(&mut source, 5), source.in_flight()), (vec![1, 2], 3));
    // Each acknowledgement gives the round trip of its packet, whatever arrived before; none takes anything from what was sent.
    assert_eq!((ack(&mut source, 1, 5, 105), ack(&mut source, 1, 5, 205)), (vec![100], vec![200]));
    source.on_timeout(at(1_000_000));
    assert_eq!((source.in_flight(), source.timeouts(), source.timeout()), (3, 0, None));
    source.supply(u64::MAX);
    source.stop();
    source.supply(1);
    assert_eq!(send(&mut source, 300), [3]);
}

#[test]
fn timeouts_are_counted_when_they_happen() {
    let mut windowed = source(r#"{"kind": "generic", "window": 4}"#, 10);
    assert!(windowed.is_controlled());
    assert_eq!((send(&mut windowed, 0), windowed.timeouts()), (vec![0, 1, 2, 3], 0));
    windowed.on_timeout(at(2999));
    assert_eq!(windowed.timeouts(), 0, "the timer has not run out");
    for n in 1..4 {
        let due = windowed.timeout().expect("four packets are outstanding");
        windowed.on_timeout(due);
        assert_eq!(windowed.timeouts(), n, "one timer for the flow: one timeout, however many packets are outstanding");
    }
    // The oldest one is taken for lost until it is sent again.
    assert_eq!((windowed.in_flight(), send(&mut windowed, 100_000), windowed.in_flight()), (3, vec![0], 4));
}

#[test]
fn of_a_rate_based_source_each_packet_that_times_out_counts() {
    let mut paced = source(r#""packet_pair""#, 10);
    assert!(paced.is_controlled() && paced.window() == 1000.0);
    assert_eq!((send(&mut paced, 0), paced.in_flight()), (vec![0, 1], 2));
    paced.on_timeout(at(2999));
    assert_eq!((paced.timeouts(), paced.timeout()), (0, Some(at(3000))));
    paced.on_timeout(at(3000));
    assert_eq!((paced.timeouts(), paced.in_flight()), (2, 0));
}

#[test]
fn a_source_that_stops_repairs_what_is_outstanding_and_sends_nothing_new() {
    for (text, due, first) in [("generic", 3000, vec![0, 1, 2, 3, 4]), ("packet_pair", 3000, vec![0, 1])] {
        let mut source = source(&format!("\"{text}\""), 100);
        assert_eq!(send(&mut source, 0), first);
        source.stop();
        source.on_timeout(at(due));
        let again = send(&mut source, due);
        assert!(again[0] == 0 && again.iter().all(|seq| first.contains(seq)), "{text}: {again:?}");
        let end = first.len() as u64;
        ack(&mut source, end, due, due + 1000);
        assert_eq!((send(&mut source, due + 1000), source.in_flight()), (vec![], 0), "{text}");
    }
}

#[test]
fn a_packet_sent_again_names_its_first_transmission() {
    for text in ["generic", "packet_pair"] {
        let mut source = source(&format!("\"{text}\""), 1);
        let first = source.poll_send(at(10));
        assert_eq!(first, Some(Segment::plain(0, false)), "{text}");
        source.on_timeout(at(3010));
        let again = source.poll_send(at(3010));
        assert_eq!(again, Some(Segment::plain(0, true)), "{text}");
    }
}

#[test]
fn duplicates_that_mean_a_loss_reach_the_protocol() {
    let mut source = source(r#""jk_reno""#, u64::MAX);
    // The window opens to 8.
    let mut next = 0;
    for cumulative in 1..8 {
        next += send(&mut source, cumulative * 10).len() as u64;
        ack(&mut source, cumulative, cumulative * 10, cumulative * 10 + 5);
    }
    next += send(&mut source, 80).len() as u64;
    assert_eq!((source.window(), next, source.in_flight()), (8.0, 15, 8));
    for duplicates in 1..=3 {
        assert_eq!(source.window(), 8.0, "{duplicates}");
        ack(&mut source, 7, 80, 90 + duplicates);
    }
    // Half, and three that have left the network; the packet taken for lost is sent again, and this is no timeout.
    assert_eq!((source.window(), send(&mut source, 100)), (7.0, vec![7]));
    // Each further duplicate lets one more out: from the second on there is room.
    ack(&mut source, 7, 80, 101);
    assert!(send(&mut source, 101).is_empty());
    ack(&mut source, 7, 80, 102);
    assert_eq!(send(&mut source, 102), [15]);
    assert_eq!((source.timeouts(), source.in_flight()), (0, 9));
    // An acknowledgement of what was acknowledged before changes nothing.
    ack(&mut source, 6, 80, 103);
    assert_eq!((source.window(), send(&mut source, 103)), (9.0, vec![]));
    ack(&mut source, 15, 100, 110);
    assert_eq!(source.window(), 4.0);
}

#[test]
fn the_congestion_bit_reaches_the_protocol() {
    let window = |marked: bool| {
        let mut source = source(r#""decbit""#, u64::MAX);
        for seq in 0..5 {
            send(&mut source, seq * 100);
            // Of the two acknowledgements judged at a window of two, the last one.
            let marked = marked && seq == 4;
            let ack = AckPacket {
                cumulative: seq + 1,
                seq,
                sent: at(seq * 100),
                marked,
                waited: Duration::ZERO,
                one_way: Duration::ZERO,
                echo: None,
            };
            source.on_ack(&ack, at(seq * 100 + 50), &mut |_| {});
        }
        source.window()
    };
    assert_eq!((window(false), window(true)), (3.0, 2.0 * 0.875));
}
