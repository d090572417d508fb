//! The transport of rate-based protocols: its timers, what waits, what is outstanding, and which pairs measure something.

use headgate_control::transport::basic::{Progress, Rules, Sender};
use headgate_control::{Probe, Spec};
use headgate_packet::{Duration, Time};
use std::sync::Arc;

fn at(ms: u64) -> Time {
    Time::ZERO + Duration::from_millis(ms)
}

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// The timeout is 3 s, then three times the last round trip, doubled at each timeout of a packet.
fn rules(parameters: &str) -> Arc<Rules> {
    let text = format!(r#"{{"kind": "packet_pair"{parameters}}}"#);
    serde_json::from_str::<Spec>(&text)
        .unwrap_or_else(|e| panic!("{text}: {e}"))
        .transport()
        .basic_rules()
        .expect("it is of that time")
        .clone()
}

const ONE: &str = r#", "timers": "one_per_flow""#;

/// A sender that has sent this many packets, each for itself, at these times (the last time again and again).
fn sent(n: u64, times: &[u64], rules: &Arc<Rules>) -> Sender {
    let mut s = Sender::new(rules);
    s.supply(u64::MAX);
    for i in 0..n {
        let now = at(times[(i as usize).min(times.len() - 1)]);
        assert_eq!(s.release(None, now), Some((i, false)));
    }
    s
}

fn ack(s: &mut Sender, cumulative: u64, seq: u64, sent: u64, now: u64) -> (Progress, Probe) {
    s.on_named_ack(cumulative, (seq, at(sent)), at(now), &mut |_| {})
}

/// Sends a pair; the two sequence numbers.
fn pair(s: &mut Sender, now: u64) -> (u64, u64) {
    let mut one = |left| s.release(Some(left), at(now)).expect("something waits").0;
    (one(2), one(1))
}

#[test]
fn each_packet_has_a_timer_that_doubles_with_its_own_timeouts() {
    let rules = rules("");
    let mut s = sent(2, &[0, 1000], &rules);
    assert_eq!((s.timeout(), s.on_timeout(at(2999)).lost), (at(3000), 0));
    assert_eq!((s.on_timeout(at(3000)).lost, s.timeout()), (1, at(4000)));
    // Packet 0 again: 6 s, and, once more, 12 s. Packet 1 has only one timeout by then.
    assert_eq!(s.release(None, at(3000)), Some((0, true)));
    assert_eq!((s.on_timeout(at(4000)).lost, s.timeout()), (1, at(9000)));
    assert_eq!(s.on_timeout(at(9000)).lost, 1);
    assert_eq!(s.release(None, at(9000)).map(|sent| sent.0), Some(1));
    assert_eq!(s.timeout(), at(15_000));
    assert_eq!(s.release(None, at(9000)).map(|sent| sent.0), Some(0));
    assert_eq!((s.on_timeout(at(20_999)).lost, s.timeout()), (1, at(21_000)));
}

#[test]
fn a_timeout_is_three_of_the_last_round_trip_and_never_above_the_greatest() {
    let rules = rules(r#", "max_timeout": "5s""#);
    let mut s = sent(3, &[0], &rules);
    ack(&mut s, 1, 0, 0, 1200);
    s.release(None, at(1200));
    ack(&mut s, 3, 2, 0, 1300);
    assert_eq!(s.timeout(), at(1200 + 3600));
    // The last round trip was 1.3 s: 3.9 s, then twice that is above 5 s.
    assert_eq!(s.on_timeout(at(4800)).lost, 1);
    s.release(None, at(4800));
    assert_eq!(s.timeout(), at(9800));
}

#[test]
fn timeouts_in_a_row_double_the_one_timer_until_the_oldest_packet_is_acknowledged() {
    let rules = rules(ONE);
    let mut s = sent(2, &[0, 1000], &rules);
    let mut times = vec![];
    for _ in 0..3 {
        let due = s.timeout();
        times.push(due.as_ps() / 1_000_000_000);
        assert_eq!(s.on_timeout(due).lost, 1, "only the oldest packet");
        assert_eq!(s.release(None, due), Some((0, true)));
    }
    assert_eq!(times, [3000, 9000, 21_000]);
    // Packet 1 does not restart it; packet 0 does, and ends the doubling: three of its round trip of 0.5 s.
    ack(&mut s, 0, 1, 1000, 21_100);
    assert_eq!(s.timeout(), at(45_000));
    s.release(None, at(21_200));
    ack(&mut s, 2, 0, 21_000, 21_500);
    assert_eq!(s.timeout(), at(23_000));
    assert_eq!((s.on_timeout(at(23_000)).lost, s.timeout()), (1, at(26_000)));
}

#[test]
fn the_one_timer_stops_when_nothing_is_outstanding_and_starts_with_the_next_packet() {
    let rules = rules(ONE);
    let mut s = sent(2, &[0], &rules);
    assert_eq!(s.timeout(), at(3000));
    ack(&mut s, 1, 0, 0, 1000);
    assert_eq!(s.timeout(), at(4000), "it starts again from the acknowledgement of the oldest");
    ack(&mut s, 2, 1, 0, 1100);
    assert_eq!((s.timeout(), s.on_timeout(at(100_000)).lost), (Time::NEVER, 0));
    s.release(None, at(2000));
    assert_eq!(s.timeout(), at(2000 + 3300));
    s.release(None, at(2100));
    assert_eq!(s.timeout(), at(2000 + 3300), "later packets do not move it");
}

#[test]
fn if_the_oldest_waits_to_go_again_the_one_timer_turns_to_the_next() {
    let rules = rules(ONE);
    let mut s = sent(3, &[0], &rules);
    assert_eq!((s.on_timeout(at(3000)).lost, s.on_timeout(at(9000)).lost), (1, 1));
    assert_eq!(s.pipe(), 1);
    assert_eq!(s.on_timeout(at(21_000)).lost, 1);
    assert_eq!((s.on_timeout(at(45_000)).lost, s.pipe()), (0, 0), "all wait");
    let again: Vec<u64> = (0..3).map(|_| s.release(None, at(45_000)).expect("they wait").0).collect();
    assert_eq!(again, [0, 1, 2]);
}

#[test]
fn what_waits_and_what_is_outstanding_is_counted() {
    let rules = rules("");
    let mut s = Sender::new(&rules);
    s.supply(5);
    let counts = |s: &Sender| (s.waiting(), s.pipe(), s.unanswered(), s.highest());
    (0..3).for_each(|_| assert!(s.release(None, at(0)).is_some()));
    assert_eq!(counts(&s), (2, 3, 3, 3));
    // Given up for lost: they wait again.
    assert_eq!(s.on_timeout(at(3000)).lost, 3);
    assert_eq!(counts(&s), (5, 0, 3, 3));
    // One of them was only late: it waits no more, and is not sent again.
    let progress = ack(&mut s, 0, 1, 0, 3500).0;
    assert_eq!((progress.delivered, counts(&s)), (1, (4, 0, 2, 3)));
    assert_eq!(s.release(None, at(4000)), Some((0, true)));
    assert_eq!(counts(&s), (3, 1, 3, 3));
    assert_eq!(s.release(None, at(4000)), Some((2, true)));
    // Its first transmission arrives late too; that of the second counts for nothing new.
    assert_eq!(ack(&mut s, 3, 0, 0, 4100).0.delivered, 2);
    assert_eq!(counts(&s), (2, 0, 3, 3));
    let (again, probe) = ack(&mut s, 3, 0, 4000, 4200);
    assert_eq!((again.delivered, again.rtt, probe, counts(&s)), (0, None, Probe::None, (2, 0, 2, 3)));
    // The workload takes back what was never sent.
    s.stop();
    assert_eq!((counts(&s), s.release(None, at(5000))), ((0, 0, 2, 3), None));
    assert_eq!(s.timeout(), Time::NEVER);
}

#[test]
fn an_acknowledgement_covers_everything_below_it_once() {
    let rules = rules("");
    let mut s = sent(5, &[0], &rules);
    let mut delays = vec![];
    // Packet 3 alone, then all below 5: the delay is that of the packet that caused it.
    for (cumulative, seq, now, newly) in [(0, 3, 1000, 1), (0, 3, 1100, 0), (5, 4, 1200, 4), (5, 4, 1300, 0)] {
        let (progress, _) = s.on_named_ack(cumulative, (seq, at(0)), at(now), &mut |d| delays.push(d));
        assert_eq!(progress.delivered, newly, "{cumulative} {seq} {now}");
    }
    assert_eq!((delays, s.pipe(), s.timeout()), (vec![ms(1000), ms(1200)], 0, Time::NEVER));
}

#[test]
fn a_packet_sent_again_is_timed_by_the_transmission_that_is_acknowledged() {
    let rules = rules("");
    let mut s = sent(1, &[0], &rules);
    s.on_timeout(at(3000));
    s.release(None, at(3000));
    let mut delays = vec![];
    let (progress, _) = s.on_named_ack(1, (0, at(3000)), at(3700), &mut |d| delays.push(d));
    // The delay that the user sees runs from the first transmission, the round trip from the last.
    assert_eq!((progress.rtt, delays), (Some(ms(700)), vec![ms(3700)]));
    s.release(None, at(4000));
    assert_eq!(s.timeout(), at(4000 + 2100));
}

#[test]
fn the_two_acknowledgements_of_a_pair_tell_its_round_trip_and_its_spacing() {
    let rules = rules("");
    let mut s = sent(0, &[], &rules);
    assert_eq!(pair(&mut s, 0), (0, 1));
    assert_eq!(pair(&mut s, 10), (2, 3));
    assert_eq!(ack(&mut s, 1, 0, 0, 1000).1, Probe::First(ms(1000)));
    assert_eq!(ack(&mut s, 2, 1, 0, 1100).1, Probe::Second(ms(100)));
    // Two acknowledgements at one instant measure nothing.
    assert_eq!(ack(&mut s, 3, 2, 10, 1200).1, Probe::First(ms(1190)));
    assert_eq!(ack(&mut s, 4, 3, 10, 1200).1, Probe::None);
}

#[test]
fn the_second_of_a_pair_tells_nothing_without_the_first_of_the_same_pair() {
    let rules = rules("");
    let mut s = sent(0, &[], &rules);
    let _ = (pair(&mut s, 0), pair(&mut s, 10));
    // The first of the first pair, and the second of the second.
    assert_eq!(ack(&mut s, 1, 0, 0, 1000).1, Probe::First(ms(1000)));
    assert_eq!(ack(&mut s, 1, 3, 10, 1100).1, Probe::None);
    // Single packets belong to no pair, nor does a second one with another between it and the first.
    let mut s = sent(1, &[0], &rules);
    assert_eq!(s.release(Some(2), at(0)).map(|sent| sent.0), Some(1));
    s.release(None, at(0));
    assert_eq!(s.release(Some(1), at(0)).map(|sent| sent.0), Some(3));
    let probes = [0, 1, 2, 3].map(|seq| ack(&mut s, seq + 1, seq, 0, 1000 + 100 * seq).1);
    assert_eq!(probes, [Probe::None, Probe::First(ms(1100)), Probe::None, Probe::None]);
}

#[test]
fn a_second_that_leaves_after_the_first_was_acknowledged_tells_nothing() {
    let rules = rules("");
    for (acked, expected) in [(false, Probe::Second(ms(400))), (true, Probe::None)] {
        let mut s = sent(0, &[], &rules);
        s.supply(9);
        s.release(Some(2), at(0));
        if acked {
            assert_eq!(ack(&mut s, 1, 0, 0, 500).1, Probe::First(ms(500)));
        }
        // The window had no room before.
        assert_eq!(s.release(Some(1), at(600)).map(|sent| sent.0), Some(1));
        if !acked {
            assert_eq!(ack(&mut s, 1, 0, 0, 700).1, Probe::First(ms(700)));
        }
        assert_eq!(ack(&mut s, 2, 1, 600, 1100).1, expected, "{acked}");
    }
}

#[test]
fn the_last_packet_that_waits_is_no_pair() {
    let rules = rules("");
    let mut s = Sender::new(&rules);
    s.supply(1);
    assert_eq!(s.release(Some(2), at(0)).map(|sent| sent.0), Some(0));
    assert_eq!(s.release(Some(1), at(0)), None);
    s.supply(1);
    s.release(Some(1), at(0));
    assert_eq!(ack(&mut s, 1, 0, 0, 1000).1, Probe::None);
    assert_eq!(ack(&mut s, 2, 1, 0, 1100).1, Probe::None);
}

#[test]
fn a_pair_that_goes_again_tells_only_if_it_may() {
    for (again, first, second) in
        [(false, Probe::None, Probe::None), (true, Probe::First(ms(900)), Probe::Second(ms(150)))]
    {
        let rules = rules(&format!(r#", "probe_again": {again}"#));
        let mut s = sent(0, &[], &rules);
        pair(&mut s, 100);
        assert_eq!(s.on_timeout(at(3100)).lost, 2);
        assert_eq!(pair(&mut s, 3100), (0, 1));
        assert_eq!(ack(&mut s, 1, 0, 3100, 4000).1, first, "{again}");
        assert_eq!(ack(&mut s, 2, 1, 3100, 4150).1, second, "{again}");
    }
    // The late acknowledgements of its first transmissions count either way.
    for again in [false, true] {
        let rules = rules(&format!(r#", "probe_again": {again}"#));
        let mut s = sent(0, &[], &rules);
        pair(&mut s, 100);
        s.on_timeout(at(3100));
        pair(&mut s, 3100);
        assert_eq!(ack(&mut s, 1, 0, 100, 4000).1, Probe::First(ms(3900)), "{again}");
        assert_eq!(ack(&mut s, 2, 1, 100, 4150).1, Probe::Second(ms(150)), "{again}");
    }
}
