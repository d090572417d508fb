//! Worked examples of the law, the velocity and the modes.

use super::*;

fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

fn at(n: u64) -> Time {
    Time::ZERO + ms(n)
}

/// A flow past slow start with this window over a path of 100 ms.
fn flow(window: f64) -> Copa {
    let mut c = Copa::new(&CopaParams::default());
    (c.window, c.started, c.slow_start) = (window, window, false);
    c.path.sample(ms(100).as_ps(), Time::ZERO, ms(10_000));
    c
}

fn ack(c: &mut Copa, now: u64, rtt: u64, round: bool) -> f64 {
    let (rtt, smoothed) = (Some(ms(rtt)), Some(ms(100)));
    c.on_ack(&Ack { now: at(now), rtt, smoothed, delivered: 1, round, limited: true, ..Ack::default() });
    c.window
}

fn lose(c: &mut Copa, kind: LossKind) {
    c.on_loss(&Loss { now: at(1), kind, in_flight: 9, remaining: 0, again: false, used: u64::MAX, left: None });
}

#[test]
fn the_window_follows_the_rate_that_is_due() {
    // 10 ms in the queue and delta 0.5: 200 packets a second, 22 in 110 ms.
    for (window, due) in [(22.0, 2.0 / 22.0), (21.0, 2.0 / 21.0), (23.0, -2.0 / 23.0)] {
        let mut c = flow(window);
        assert!((ack(&mut c, 1000, 110, false) - window - due).abs() < 1e-12, "{window}");
    }
    // Without a queue any rate is below.
    assert!(ack(&mut flow(1000.0), 1000, 100, false) > 1000.0);
    let mut small = Copa { inverse: 0.5, ..flow(2.0) };
    assert!((ack(&mut small, 1000, 900, false) - 2.0).abs() < 1e-12);
}

/// After a timeout only retransmissions are acknowledged, of which a cumulative acknowledgement alone gives no round trip.
#[test]
fn a_time_stamp_gives_the_round_trip_of_a_retransmission() {
    let by_stamp = |c: &mut Copa, now: u64, sent: u64| {
        let smoothed = Some(ms(100));
        c.on_ack(&Ack { now: at(now), sent: at(sent), smoothed, delivered: 1, limited: true, ..Ack::default() });
        c.window
    };
    // 10 ms in the queue as above, on either side of the 22 packets that are due.
    assert!((by_stamp(&mut flow(21.0), 1000, 890) - 21.0 - 2.0 / 21.0).abs() < 1e-12);
    assert!((by_stamp(&mut flow(23.0), 1000, 890) - 23.0 + 2.0 / 23.0).abs() < 1e-12);
    let mut c = flow(50.0);
    lose(&mut c, LossKind::Timeout);
    let windows: Vec<_> = (0..5).map(|n| by_stamp(&mut c, 1000 + n, 900 + n)).collect();
    assert_eq!(windows, [2.0, 3.0, 4.0, 5.0, 6.0]);
    // What the transport measured itself comes first.
    let (now, rtt, smoothed) = (at(1000), Some(ms(110)), Some(ms(100)));
    let mut c = flow(21.0);
    c.on_ack(&Ack { now, sent: at(999), rtt, smoothed, delivered: 1, limited: true, ..Ack::default() });
    assert!((c.window - 21.0 - 2.0 / 21.0).abs() < 1e-12);
}

#[test]
fn the_least_round_trip_of_half_of_one_counts_and_that_of_ten_seconds() {
    let mut c = flow(22.0);
    let mut queueing = |now: u64, rtt: u64| {
        let q = c.measure(ms(rtt), &Ack { now: at(now), smoothed: Some(ms(100)), ..Ack::default() });
        (q * 1e3).round()
    };
    assert_eq!([queueing(1000, 110), queueing(1030, 130), queueing(1050, 130)], [10.0, 10.0, 10.0]);
    assert_eq!([queueing(1051, 130), queueing(1060, 120), queueing(10_000, 120)], [30.0, 20.0, 20.0]);
    // The 100 ms of the start are forgotten.
    assert_eq!(queueing(10_001, 120), 10.0);
}

#[test]
fn the_velocity_doubles_after_three_round_trips_in_one_direction() {
    let mut c = flow(1000.0);
    let mut velocity = |now: u64, rtt: u64| {
        ack(&mut c, now, rtt, true);
        c.velocity
    };
    // The first one ends before anything has moved.
    let up: Vec<f64> = (0..7).map(|n| velocity(1000 + 100 * n, 100)).collect();
    assert_eq!(up, [1.0, 1.0, 1.0, 1.0, 2.0, 4.0, 8.0]);
    // The direction is that of the round trip that ended: it turns one later.
    let down: Vec<f64> = (0..6).map(|n| velocity(2000 + 100 * n, 150)).collect();
    assert_eq!(down, [16.0, 1.0, 1.0, 1.0, 2.0, 4.0]);
}

#[test]
fn while_losses_are_repaired_a_smoothed_round_trip_is_one() {
    // A queue of 50 ms over 100 ms, 200 packets: the velocity doubles once the window has fallen for three round trips.
    let mut c = flow(200.0);
    let mut velocity = |now: u64, repairing: bool| {
        let (rtt, smoothed) = (Some(ms(150)), Some(ms(150)));
        c.on_ack(&Ack { now: at(now), rtt, smoothed, delivered: 1, repairing, ..Ack::default() });
        c.velocity
    };
    assert_eq!([1000, 1100, 1200, 1300].map(|now| velocity(now, false)), [1.0; 4]);
    let repaired: Vec<f64> = (0..80).map(|n| velocity(2000 + 15 * n, true)).collect();
    assert_eq!([0, 10, 20, 29, 30, 40, 50, 60].map(|n| repaired[n]), [1.0, 1.0, 1.0, 1.0, 2.0, 4.0, 8.0, 16.0]);
}

#[test]
fn the_window_moves_by_itself_at_most_in_a_round_trip() {
    let mut c = flow(10.0);
    (c.velocity, c.same, c.rises) = (64.0, 9, false);
    c.end_round();
    assert!((c.velocity - 5.0).abs() < 1e-12);
}

#[test]
fn slow_start_ends_when_the_rate_is_above_the_one_that_is_due() {
    let mut c = flow(10.0);
    c.slow_start = true;
    assert_eq!([ack(&mut c, 1000, 100, true), ack(&mut c, 1060, 110, true)], [11.0, 12.0]);
    c.window = 23.0;
    assert!((ack(&mut c, 1061, 110, false) - 23.0 + 2.0 / 23.0).abs() < 1e-12 && !c.slow_start);
}

#[test]
fn a_window_that_is_not_in_use_does_not_grow_and_slow_start_counts_no_direction() {
    for slow_start in [false, true] {
        let mut c = Copa { slow_start, ..flow(22.0) };
        c.on_ack(&Ack { now: at(1000), rtt: Some(ms(100)), delivered: 1, ..Ack::default() });
        assert!((c.window - 22.0).abs() < 1e-12);
    }
    let mut c = Copa { slow_start: true, ..flow(10.0) };
    ack(&mut c, 1000, 100, true);
    assert!((c.started - 11.0).abs() < 1e-12);
}

#[test]
fn it_paces_two_windows_a_round_trip() {
    let mut c = flow(22.0);
    assert!(c.allowance().rate.is_infinite());
    ack(&mut c, 1000, 110, false);
    let rate = c.allowance().rate;
    assert!((rate - 2.0 * c.window / 0.11).abs() < 1e-9 && c.allowance().burst == 1);
}

#[test]
fn a_queue_that_is_never_nearly_empty_is_that_of_others() {
    let mut c = flow(22.0);
    ack(&mut c, 990, 100, true);
    // The longest time in the queue is 100 ms, and 11 ms are not nearly nothing.
    for n in 1..=9 {
        ack(&mut c, 1000 + 50 * n, if n % 2 == 0 { 111 } else { 200 }, true);
    }
    ack(&mut c, 1490, 111, true);
    assert!(!c.competitive && (c.inverse - 2.0).abs() < 1e-12, "{}", c.inverse);
    ack(&mut c, 1491, 111, true);
    assert!(c.competitive && (c.inverse - 3.0).abs() < 1e-12);
    lose(&mut c, LossKind::DuplicateAcks);
    assert!((c.inverse - 2.0).abs() < 1e-12, "1 / delta is 2 at least");
    ack(&mut c, 1540, 150, true);
    assert!((c.inverse - 2.0).abs() < 1e-12, "a round trip with a loss adds nothing");
    (0..7).for_each(|n| _ = ack(&mut c, 1541 + n, 150, true));
    lose(&mut c, LossKind::DuplicateAcks);
    assert!((c.inverse - 4.5).abs() < 1e-12, "{}", c.inverse);
    // 10 ms are.
    ack(&mut c, 1600, 110, false);
    assert!(!c.competitive && (c.inverse - 2.0).abs() < 1e-12);
    let mut never = Copa { params: CopaParams { competes: false, ..CopaParams::default() }, ..flow(22.0) };
    (0..10).for_each(|n| _ = ack(&mut never, 1000 + 100 * n, 200, true));
    assert!(!never.competitive);
}

#[test]
fn a_loss_leaves_the_window_and_a_timeout_one_packet() {
    let mut c = flow(22.0);
    lose(&mut c, LossKind::DuplicateAcks);
    assert!((c.window - 22.0).abs() < 1e-12 && (c.inverse - 2.0).abs() < 1e-12);
    lose(&mut c, LossKind::Timeout);
    assert!((c.window - 1.0).abs() < 1e-12 && c.slow_start);
    c.on_undo();
    assert!((c.window - 22.0).abs() < 1e-12);
}
