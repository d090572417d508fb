//! The transport of rate-based protocols: its timers, what waits, what is outstanding, and which pairs tell something.

use headgate_control::transport::{Config, PairProgress, PairSender};
use headgate_control::{Probe, Spec};
use headgate_packet::{Duration, Time};

fn at(ms: u64) -> Time {
    Time::ZERO + Duration::from_millis(ms)
}

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// The timeout is 3 s, then three times the last round trip, doubled at each timeout of a packet.
fn config(parameters: &str) -> Config {
    let text = format!(r#"{{"kind": "packet_pair"{parameters}}}"#);
    serde_json::from_str::<Spec>(&text).unwrap_or_else(|e| panic!("{text}: {e}")).transport()
}

const ONE: &str = r#", "timers": "one_per_flow""#;

/// A sender that has sent this many packets, each for itself, at these times (the last time again and again).
fn sent(n: u64, times: &[u64], config: &Config) -> PairSender {
    let mut s = PairSender::default();
    s.supply(u64::MAX);
    for i in 0..n {
        let now = at(times[(i as usize).min(times.len() - 1)]);
        assert_eq!(s.send(None, now, config), Some((i, now, false)));
    }
    s
}

fn ack(s: &mut PairSender, cumulative: u64, seq: u64, sent: u64, now: u64, config: &Config) -> PairProgress {
    s.on_ack(cumulative, (seq, at(sent)), at(now), config, &mut |_| {})
}

/// Sends a pair; the two sequence numbers.
fn pair(s: &mut PairSender, now: u64, config: &Config) -> (u64, u64) {
    let mut one = |left| s.send(Some(left), at(now), config).expect("something waits").0;
    (one(2), one(1))
}

#[test]
fn each_packet_has_a_timer_that_doubles_with_its_own_timeouts() {
    let config = config("");
    let mut s = sent(2, &[0, 1000], &config);
    assert_eq!((s.timeout(), s.on_timeout(at(2999), &config)), (at(3000), 0));
    assert_eq!((s.on_timeout(at(3000), &config), s.timeout()), (1, at(4000)));
    // Packet 0 again: 6 s, and, once more, 12 s. Packet 1 has only one timeout by then.
    assert_eq!(s.send(None, at(3000), &config), Some((0, at(0), true)));
    assert_eq!((s.on_timeout(at(4000), &config), s.timeout()), (1, at(9000)));
    assert_eq!(s.on_timeout(at(9000), &config), 1);
    assert_eq!(s.send(None, at(9000), &config).map(|sent| sent.0), Some(1));
    assert_eq!(s.timeout(), at(15_000));
    assert_eq!(s.send(None, at(9000), &config).map(|sent| sent.0), Some(0));
    assert_eq!((s.on_timeout(at(20_999), &config), s.timeout()), (1, at(21_000)));
}

#[test]
fn a_timeout_is_three_of_the_last_round_trip_and_never_above_the_greatest() {
    let config = config(r#", "max_timeout": "5s""#);
    let mut s = sent(3, &[0], &config);
    ack(&mut s, 1, 0, 0, 1200, &config);
    s.send(None, at(1200), &config);
    ack(&mut s, 3, 2, 0, 1300, &config);
    assert_eq!(s.timeout(), at(1200 + 3600));
    // The last round trip was 1.3 s: 3.9 s, then twice that is above 5 s.
    assert_eq!(s.on_timeout(at(4800), &config), 1);
    s.send(None, at(4800), &config);
    assert_eq!(s.timeout(), at(9800));
}

#[test]
fn timeouts_in_a_row_double_the_one_timer_until_the_oldest_packet_is_acknowledged() {
    let config = config(ONE);
    let mut s = sent(2, &[0, 1000], &config);
    let mut times = vec![];
    for _ in 0..3 {
        let due = s.timeout();
        times.push(due.as_ps() / 1_000_000_000);
        assert_eq!(s.on_timeout(due, &config), 1, "only the oldest packet");
        assert_eq!(s.send(None, due, &config).map(|sent| (sent.0, sent.2)), Some((0, true)));
    }
    assert_eq!(times, [3000, 9000, 21_000]);
    // Packet 1 does not restart it; packet 0 does, and ends the doubling: three of its round trip of 0.5 s.
    ack(&mut s, 0, 1, 1000, 21_100, &config);
    assert_eq!(s.timeout(), at(45_000));
    s.send(None, at(21_200), &config);
    ack(&mut s, 2, 0, 21_000, 21_500, &config);
    assert_eq!(s.timeout(), at(23_000));
    assert_eq!((s.on_timeout(at(23_000), &config), s.timeout()), (1, at(26_000)));
}

#[test]
fn the_one_timer_stops_when_nothing_is_outstanding_and_starts_with_the_next_packet() {
    let config = config(ONE);
    let mut s = sent(2, &[0], &config);
    assert_eq!(s.timeout(), at(3000));
    ack(&mut s, 1, 0, 0, 1000, &config);
    assert_eq!(s.timeout(), at(4000), "it starts again from the acknowledgement of the oldest");
    ack(&mut s, 2, 1, 0, 1100, &config);
    assert_eq!((s.timeout(), s.on_timeout(at(100_000), &config)), (Time::NEVER, 0));
    s.send(None, at(2000), &config);
    assert_eq!(s.timeout(), at(2000 + 3300));
    s.send(None, at(2100), &config);
    assert_eq!(s.timeout(), at(2000 + 3300), "later packets do not move it");
}

#[test]
fn if_the_oldest_waits_to_go_again_the_one_timer_turns_to_the_next() {
    let config = config(ONE);
    let mut s = sent(3, &[0], &config);
    assert_eq!((s.on_timeout(at(3000), &config), s.on_timeout(at(9000), &config)), (1, 1));
    assert_eq!(s.in_flight(), 1);
    assert_eq!(s.on_timeout(at(21_000), &config), 1);
    assert_eq!((s.on_timeout(at(45_000), &config), s.in_flight()), (0, 0), "all wait");
    let again: Vec<u64> = (0..3).map(|_| s.send(None, at(45_000), &config).expect("they wait").0).collect();
    assert_eq!(again, [0, 1, 2]);
}

#[test]
fn what_waits_and_what_is_outstanding_is_counted() {
    let config = config("");
    let mut s = PairSender::default();
    s.supply(5);
    let counts = |s: &PairSender| (s.waiting(), s.in_flight(), s.unanswered(), s.highest());
    (0..3).for_each(|_| assert!(s.send(None, at(0), &config).is_some()));
    assert_eq!(counts(&s), (2, 3, 3, 3));
    // Given up for lost: they wait again.
    assert_eq!(s.on_timeout(at(3000), &config), 3);
    assert_eq!(counts(&s), (5, 0, 3, 3));
    // One of them was only late: it waits no more, and is not sent again.
    let progress = ack(&mut s, 0, 1, 0, 3500, &config);
    assert_eq!((progress.newly_acked, counts(&s)), (1, (4, 0, 2, 3)));
    assert_eq!(s.send(None, at(4000), &config), Some((0, at(0), true)));
    assert_eq!(counts(&s), (3, 1, 3, 3));
    assert_eq!(s.send(None, at(4000), &config), Some((2, at(0), true)));
    // Its first transmission comes late too; that of the second counts for nothing new.
    assert_eq!(ack(&mut s, 3, 0, 0, 4100, &config).newly_acked, 2);
    assert_eq!(counts(&s), (2, 0, 3, 3));
    let again = ack(&mut s, 3, 0, 4000, 4200, &config);
    assert_eq!((again.newly_acked, again.rtt, again.probe, counts(&s)), (0, None, Probe::None, (2, 0, 2, 3)));
    // The workload takes back what never went.
    s.stop();
    assert_eq!((counts(&s), s.send(None, at(5000), &config)), ((0, 0, 2, 3), None));
    assert_eq!(s.timeout(), Time::NEVER);
}

#[test]
fn an_acknowledgement_covers_everything_below_it_once() {
    let config = config("");
    let mut s = sent(5, &[0], &config);
    let mut delays = vec![];
    // Packet 3 alone, then all below 5: the delay is that of the packet that caused it.
    for (cumulative, seq, now, newly) in [(0, 3, 1000, 1), (0, 3, 1100, 0), (5, 4, 1200, 4), (5, 4, 1300, 0)] {
        let progress = s.on_ack(cumulative, (seq, at(0)), at(now), &config, &mut |d| delays.push(d));
        assert_eq!(progress.newly_acked, newly, "{cumulative} {seq} {now}");
    }
    assert_eq!((delays, s.in_flight(), s.timeout()), (vec![ms(1000), ms(1200)], 0, Time::NEVER));
}

#[test]
fn a_packet_sent_again_is_timed_by_the_transmission_that_is_acknowledged() {
    let config = config("");
    let mut s = sent(1, &[0], &config);
    s.on_timeout(at(3000), &config);
    s.send(None, at(3000), &config);
    let mut delays = vec![];
    let progress = s.on_ack(1, (0, at(3000)), at(3700), &config, &mut |d| delays.push(d));
    // The delay that the user sees runs from the first transmission, the round trip from the last.
    assert_eq!((progress.rtt, delays), (Some(ms(700)), vec![ms(3700)]));
    s.send(None, at(4000), &config);
    assert_eq!(s.timeout(), at(4000 + 2100));
}

#[test]
fn the_two_acknowledgements_of_a_pair_tell_its_round_trip_and_its_spacing() {
    let config = config("");
    let mut s = sent(0, &[], &config);
    assert_eq!(pair(&mut s, 0, &config), (0, 1));
    assert_eq!(pair(&mut s, 10, &config), (2, 3));
    assert_eq!(ack(&mut s, 1, 0, 0, 1000, &config).probe, Probe::First(ms(1000)));
    assert_eq!(ack(&mut s, 2, 1, 0, 1100, &config).probe, Probe::Second(ms(100)));
    // Two acknowledgements at one instant measure nothing.
    assert_eq!(ack(&mut s, 3, 2, 10, 1200, &config).probe, Probe::First(ms(1190)));
    assert_eq!(ack(&mut s, 4, 3, 10, 1200, &config).probe, Probe::None);
}

#[test]
fn the_second_of_a_pair_tells_nothing_without_the_first_of_the_same_pair() {
    let config = config("");
    let mut s = sent(0, &[], &config);
    let _ = (pair(&mut s, 0, &config), pair(&mut s, 10, &config));
    // The first of the first pair, and the second of the second.
    assert_eq!(ack(&mut s, 1, 0, 0, 1000, &config).probe, Probe::First(ms(1000)));
    assert_eq!(ack(&mut s, 1, 3, 10, 1100, &config).probe, Probe::None);
    // Single packets belong to no pair, nor does a second one with another between it and the first.
    let mut s = sent(1, &[0], &config);
    assert_eq!(s.send(Some(2), at(0), &config).map(|sent| sent.0), Some(1));
    s.send(None, at(0), &config);
    assert_eq!(s.send(Some(1), at(0), &config).map(|sent| sent.0), Some(3));
    let probes = [0, 1, 2, 3].map(|seq| ack(&mut s, seq + 1, seq, 0, 1000 + 100 * seq, &config).probe);
    assert_eq!(probes, [Probe::None, Probe::First(ms(1100)), Probe::None, Probe::None]);
}

#[test]
fn the_last_packet_that_waits_is_no_pair() {
    let config = config("");
    let mut s = PairSender::default();
    s.supply(1);
    assert_eq!(s.send(Some(2), at(0), &config).map(|sent| sent.0), Some(0));
    assert_eq!(s.send(Some(1), at(0), &config), None);
    s.supply(1);
    s.send(Some(1), at(0), &config);
    assert_eq!(ack(&mut s, 1, 0, 0, 1000, &config).probe, Probe::None);
    assert_eq!(ack(&mut s, 2, 1, 0, 1100, &config).probe, Probe::None);
}

#[test]
fn a_pair_that_goes_again_tells_only_if_it_may() {
    for (again, first, second) in
        [(false, Probe::None, Probe::None), (true, Probe::First(ms(900)), Probe::Second(ms(150)))]
    {
        let config = config(&format!(r#", "probe_again": {again}"#));
        let mut s = sent(0, &[], &config);
        pair(&mut s, 100, &config);
        assert_eq!(s.on_timeout(at(3100), &config), 2);
        assert_eq!(pair(&mut s, 3100, &config), (0, 1));
        assert_eq!(ack(&mut s, 1, 0, 3100, 4000, &config).probe, first, "{again}");
        assert_eq!(ack(&mut s, 2, 1, 3100, 4150, &config).probe, second, "{again}");
    }
    // The late acknowledgements of its first transmissions tell either way.
    for again in [false, true] {
        let config = config(&format!(r#", "probe_again": {again}"#));
        let mut s = sent(0, &[], &config);
        pair(&mut s, 100, &config);
        s.on_timeout(at(3100), &config);
        pair(&mut s, 3100, &config);
        assert_eq!(ack(&mut s, 1, 0, 100, 4000, &config).probe, Probe::First(ms(3900)), "{again}");
        assert_eq!(ack(&mut s, 2, 1, 100, 4150, &config).probe, Probe::Second(ms(150)), "{again}");
    }
}
