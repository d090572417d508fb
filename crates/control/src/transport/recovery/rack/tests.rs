use super::*;
use crate::transport::tcp::{Preset, RoundTrips};

fn at(ms: u64) -> Time {
    Time::ZERO + Duration::from_millis(ms)
}

fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

/// Packets that were sent once, at these times in ms.
fn sent(times: impl IntoIterator<Item = u64>) -> Ledger {
    let mut ledger = Ledger::new(false);
    ledger.supply(u64::MAX);
    for ms in times {
        ledger.send_new(at(ms));
    }
    ledger
}

/// Packets arrive: the last one newly so, 110 ms after it was sent.
fn arrive(ledger: &mut Ledger, rack: &mut Rack, seqs: &[u64]) {
    for seq in seqs {
        ledger.record(*seq).flags |= flag::ARRIVED;
    }
    let last = seqs[seqs.len() - 1];
    let at = ledger.get(last).sent;
    rack.arrived(last, at, false, at + ms(110), Some(ms(100)));
}

/// Declares lost what is lost by now; and until when the rest waits.
fn lost(ledger: &mut Ledger, rack: &mut Rack, now: u64, window: u64) -> (Vec<u64>, Option<Time>) {
    let mut lost = vec![];
    rack.detect(ledger, at(now), |_| ms(window), |seq| lost.push(seq));
    lost.iter().for_each(|seq| assert!(ledger.declare_lost(*seq)));
    (lost, rack.until)
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
    let (mut ledger, mut rack) = (sent([0, 0, 0]), Rack::default());
    arrive(&mut ledger, &mut rack, &[1]);
    // Packet 0 waits for 110 + 25; 2 was not sent before 1.
    assert_eq!(lost(&mut ledger, &mut rack, 110, 25), (vec![], Some(at(135))));
    assert_eq!(lost(&mut ledger, &mut rack, 135, 25), (vec![0], None));
}

#[test]
fn what_a_timeout_took_for_lost_is_watched_again_in_the_order_of_sending() {
    let (mut ledger, mut rack) = (sent([15, 20, 25, 30, 40, 50, 60, 70, 80]), Rack::default());
    // A timeout declares 1, 3 and 7 lost; then 4 arrives, as 0 did.
    for seq in [1, 3, 7] {
        assert!(ledger.declare_lost(seq));
    }
    arrive(&mut ledger, &mut rack, &[0, 4]);
    // Packet 2 waits for 25 + 110 + 50.
    assert_eq!(lost(&mut ledger, &mut rack, 150, 50), (vec![], Some(at(185))));
    let expired = vec![(at(30), 3), (at(20), 1), (at(70), 7)];
    expired.iter().for_each(|(_, seq)| ledger.record(*seq).flags &= !flag::LOST);
    rack.watch_again(&ledger, expired);
    arrive(&mut ledger, &mut rack, &[6]);
    assert_eq!(lost(&mut ledger, &mut rack, 182, 50).0, [1]);
    // 5 waits for 50 + 110 + 50; 7 was sent after the newest that arrived.
    assert_eq!(lost(&mut ledger, &mut rack, 190, 50), (vec![2, 3], Some(at(210))));
    arrive(&mut ledger, &mut rack, &[8]);
    assert_eq!(lost(&mut ledger, &mut rack, 240, 50).0, [5, 7]);
}

#[test]
fn a_retransmission_that_a_timeout_took_for_lost_is_watched_again() {
    let (mut ledger, mut rack) = (sent([0, 10, 20]), Rack::default());
    // A tail probe sends the last packet again; a timeout takes that one for lost, and nothing else.
    ledger.send_again(2, true, at(250));
    rack.sent_again(2, at(250));
    assert!(ledger.declare_lost(2));
    rack.forget(&ledger);
    ledger.record(2).flags &= !flag::LOST;
    rack.watch_again(&ledger, vec![(at(250), 2)]);
    // Packet 3 is the newest that arrived: 2 waits for 250 + 110 + 50.
    ledger.send_new(at(300));
    arrive(&mut ledger, &mut rack, &[0, 1, 3]);
    assert_eq!(lost(&mut ledger, &mut rack, 409, 50), (vec![], Some(at(410))));
    assert_eq!(lost(&mut ledger, &mut rack, 410, 50), (vec![2], None));
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
fn at_a_timeout_the_oldest_packet_is_lost_however_lately_it_was_sent() {
    // RFC 8985, section 6.3: the others by time, which is 0 + 110 + 25 for packet 1 and 30 + 110 + 25 for packet 2.
    let rules = Preset::Rfc.rules();
    let (rtt, sacked, min_rtt) = (RoundTrips::default(), &Ranges::default(), Some(ms(100)));
    for (now, due) in [(134, [true, false, false]), (135, [true, true, false])] {
        let (mut ledger, mut rack) = (sent([20, 0, 30]), Rack { rtt: ms(110), ..Rack::default() });
        let (advanced, duplicate) = (false, false);
        let signals = Signals { now: at(now), advanced, duplicate, sacked, rtt: &rtt, min_rtt, rules: &rules };
        rack.on_timeout(&mut ledger, &State::default(), &signals);
        assert_eq!([0, 1, 2].map(|seq| ledger.get(seq).flags == flag::LOST | flag::EXPIRED), due, "{now}");
    }
}

#[test]
fn of_one_instant_the_lower_numbers_went_first() {
    let (mut ledger, mut rack) = (sent([0; 6]), Rack::default());
    // Again, at the instant at which the sixth is sent for the first time.
    for seq in [4, 2, 3] {
        ledger.send_again(seq, true, at(0));
        rack.sent_again(seq, at(0));
    }
    arrive(&mut ledger, &mut rack, &[0, 1, 3]);
    assert_eq!(lost(&mut ledger, &mut rack, 135, 25), (vec![2], None));
    arrive(&mut ledger, &mut rack, &[5]);
    assert_eq!(lost(&mut ledger, &mut rack, 135, 25), (vec![4], None));
}

#[test]
fn packets_sent_once_and_retransmissions_wait_in_the_order_of_time() {
    let (mut ledger, mut rack) = (sent([0, 10, 20]), Rack::default());
    assert!(ledger.declare_lost(0));
    ledger.send_again(0, true, at(15));
    rack.sent_again(0, at(15));
    ledger.send_new(at(30));
    arrive(&mut ledger, &mut rack, &[3]);
    // All were sent before packet 3, and 0 was sent again between the other two.
    assert_eq!(lost(&mut ledger, &mut rack, 140, 20), (vec![1], Some(at(150))));
    assert_eq!(lost(&mut ledger, &mut rack, 146, 20), (vec![0], Some(at(150))));
    assert_eq!(lost(&mut ledger, &mut rack, 150, 20), (vec![2], None));
}

#[test]
fn transmissions_that_no_longer_count_are_forgotten() {
    let (mut ledger, mut rack) = (sent([0]), Rack::default());
    for ms in 0..100 {
        ledger.send_again(0, true, at(ms));
        rack.sent_again(0, at(ms));
    }
    rack.forget(&ledger);
    assert_eq!((rack.again.len(), rack.again.front()), (1, Some(&(at(99), 0))));
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
    assert_eq!(rack.newest, 0);
    rack.arrived(0, at(50), true, at(100), Some(ms(40)));
    assert_eq!((rack.newest, rack.rtt, rack.reordered), (place((at(50), 0)) + 1, ms(50), false));
    // Below the highest that arrived, and never sent again: the network reorders.
    rack.arrived(5, at(60), false, at(110), Some(ms(40)));
    rack.arrived(4, at(60), false, at(110), Some(ms(40)));
    assert!(rack.reordered);
}

#[test]
fn without_reordering_nothing_is_waited_for_in_recovery_or_after_three_that_arrived() {
    // RFC 8985, section 6.2, step 4; else a quarter of the least round trip.
    let rules = Preset::Linux.rules();
    let (rtt, sacked, min_rtt) = (RoundTrips::default(), &Ranges::default(), Some(Duration::from_millis(100)));
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
