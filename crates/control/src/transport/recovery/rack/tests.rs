use super::*;
use crate::transport::tcp::{Preset, RoundTrips};

fn at(ms: u64) -> Time {
    Time::ZERO + Duration::from_millis(ms)
}

fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

#[test]
fn the_reordering_window_by_hand() {
    let least = Some(ms(100));
    let mut rack = Rack::default();
    assert_eq!(rack.window(false, least, Some(ms(100))), ms(25));
    assert_eq!(rack.window(true, least, Some(ms(100))), ms(0));
    rack.reordered = true;
    assert_eq!(rack.window(true, least, Some(ms(100))), ms(25));
    rack.quarters = 3;
    assert_eq!(rack.window(true, least, Some(ms(110))), ms(75));
    rack.quarters = 6;
    assert_eq!(rack.window(true, least, Some(ms(110))), ms(110));
}

#[test]
fn a_packet_is_lost_when_a_later_one_arrived_and_the_window_has_passed() {
    let mut rack = Rack::default();
    (0..3).for_each(|seq| rack.sent(seq, at(0)));
    rack.arrived(1, at(0), false, at(110), Some(ms(100)));
    let mut lost = vec![];
    // Packet 0 waits for 110 + 25; 2 was not sent before 1.
    rack.detect(at(110), ms(25), |_, seq| seq != 1, |seq| lost.push(seq));
    assert_eq!((&*lost, rack.until), (&[][..], Some(at(135))));
    rack.detect(at(135), ms(25), |_, seq| seq != 1, |seq| lost.push(seq));
    assert_eq!((&*lost, rack.until), (&[0][..], None));
}

#[test]
fn what_a_timeout_took_for_lost_is_watched_again_in_the_order_of_sending() {
    let mut rack = Rack::default();
    [(1, 25), (4, 40), (5, 50), (6, 60)].into_iter().for_each(|(seq, sent)| rack.sent(seq, at(sent)));
    rack.arrived(4, at(40), false, at(150), Some(ms(110)));
    // Packet 1 waits for 25 + 110 + 50.
    rack.detect(at(150), ms(50), |_, seq| seq != 4, |_| panic!("too early"));
    assert_eq!(rack.until, Some(at(185)));
    rack.watch_again(vec![(at(30), 3), (at(20), 2), (at(70), 7)]);
    let mut lost = vec![];
    rack.arrived(6, at(60), false, at(170), Some(ms(110)));
    rack.detect(at(182), ms(50), |_, seq| ![4, 6].contains(&seq), |seq| lost.push(seq));
    assert_eq!(lost, [2]);
    rack.detect(at(190), ms(50), |_, seq| ![2, 4, 6].contains(&seq), |seq| lost.push(seq));
    // 5 waits for 50 + 110 + 50; 7 was sent after the newest that arrived.
    assert_eq!((&*lost, rack.until), (&[2, 1, 3][..], Some(at(210))));
    rack.arrived(8, at(80), false, at(190), Some(ms(110)));
    rack.detect(at(240), ms(50), |_, seq| seq != 6, |seq| lost.push(seq));
    assert_eq!(lost, [2, 1, 3, 5, 7]);
}

#[test]
fn at_a_timeout_what_was_sent_a_round_trip_and_the_window_ago_is_lost() {
    let mut rack = Rack::default();
    rack.arrived(1, at(0), false, at(110), None);
    for (now, lost) in [(134, false), (135, true), (136, true)] {
        assert_eq!(rack.is_late(at(0), ms(25), at(now)), lost, "{now}");
    }
}

#[test]
fn of_one_instant_the_lower_numbers_went_first() {
    let mut rack = Rack::default();
    [5, 3, 4].into_iter().for_each(|seq| rack.sent(seq, at(0)));
    rack.arrived(4, at(0), false, at(100), Some(ms(100)));
    let mut lost = vec![];
    rack.detect(at(125), ms(25), |_, seq| seq != 4, |seq| lost.push(seq));
    assert_eq!((&*lost, rack.until), (&[3][..], None));
}

#[test]
fn transmissions_that_no_longer_count_are_forgotten() {
    let mut rack = Rack::default();
    (0..100).for_each(|n| rack.sent(0, at(n)));
    rack.forget(|sent, _| sent == at(99));
    assert_eq!((rack.order.len(), rack.order.front()), (1, Some(&(at(99), 0))));
}

#[test]
fn duplicates_widen_the_window_once_a_round_trip_and_recoveries_end_that() {
    let mut rack = Rack::default();
    rack.widen(5, 20);
    rack.widen(10, 30);
    assert_eq!(rack.quarters, 2);
    rack.widen(20, 40);
    assert_eq!(rack.quarters, 3);
    (0..15).for_each(|_| rack.recovered());
    assert_eq!(rack.quarters, 3);
    rack.recovered();
    assert_eq!(rack.quarters, 1);
}

#[test]
fn a_retransmission_that_arrived_too_soon_was_the_original() {
    let mut rack = Rack::default();
    rack.arrived(0, at(90), true, at(100), Some(ms(40)));
    assert_eq!(rack.newest, None);
    rack.arrived(0, at(50), true, at(100), Some(ms(40)));
    assert_eq!((rack.newest, rack.rtt, rack.reordered), (Some((at(50), 0)), ms(50), false));
    // Below the highest that arrived, and never sent again: the network reorders.
    rack.arrived(5, at(60), false, at(110), Some(ms(40)));
    rack.arrived(4, at(60), false, at(110), Some(ms(40)));
    assert!(rack.reordered);
}

#[test]
fn without_reordering_nothing_is_waited_for_in_recovery_or_after_three_that_arrived() {
    // RFC 8985, section 6.2, step 4; else a quarter of the least round trip.
    let rules = Preset::Linux.rules();
    let (rtt, sacked, min_rtt) = (RoundTrips::default(), &Ranges::EMPTY, Some(Duration::from_millis(100)));
    for (phase, arrived, ms) in
        [(Phase::Open, 2, 25), (Phase::Open, 3, 0), (Phase::Recovery, 0, 0), (Phase::Loss, 0, 0)]
    {
        let mut ledger = Ledger::new(false);
        ledger.arrived = arrived;
        let state = State { phase, ..State::default() };
        let signals =
            Signals { now: at(0), advanced: true, duplicate: false, sacked, rtt: &rtt, min_rtt, rules: &rules };
        assert_eq!(
            Rack::default().reordering_window(&ledger, &state, &signals),
            Duration::from_millis(ms),
            "{phase:?} {arrived}"
        );
    }
}
