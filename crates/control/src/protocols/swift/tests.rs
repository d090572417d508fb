//! Worked examples of algorithm 1 and of the target.

use super::*;

fn us(n: u64) -> Duration {
    Duration::from_ps(n * 1_000_000)
}

fn at(n: u64) -> Time {
    Time::ZERO + us(n)
}

/// A flow with this window, whose target is 100 us at every window.
fn flow(window: f64) -> Swift {
    let params =
        SwiftParams { base_target: us(100), path: Some(Duration::ZERO), scaling: Duration::ZERO, ..Default::default() };
    Swift { window, ..Swift::new(&params) }
}

fn ack(s: &mut Swift, now: u64, rtt: u64, delivered: u64) -> f64 {
    s.on_ack(&Ack { now: at(now), rtt: Some(us(rtt)), delivered, limited: true, ..Ack::default() });
    s.window
}

fn lose(s: &mut Swift, kind: LossKind, now: u64, again: bool) -> f64 {
    s.on_loss(&Loss { now: at(now), kind, in_flight: 9, remaining: 0, again, used: u64::MAX, left: None });
    s.window
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

#[test]
fn below_the_target_a_round_trip_adds_one_packet() {
    assert!(near(ack(&mut flow(8.0), 0, 99, 1), 8.125));
    assert!(near(ack(&mut flow(8.0), 0, 99, 4), 8.5));
    assert!(near(ack(&mut flow(1.0), 0, 99, 1), 2.0));
    // Below one packet, one for each that arrives.
    assert!(near(ack(&mut flow(0.25), 0, 99, 1), 1.25));
    assert!(near(ack(&mut flow(0.25), 0, 99, 2), 2.25));
    let mut half = flow(8.0);
    half.params.increase = 0.5;
    assert!(near(ack(&mut half, 0, 99, 1), 8.0625));
}

#[test]
fn beyond_the_target_the_window_falls_by_the_part_of_the_delay_that_is_beyond() {
    // The sheet: twice the target leaves 0.6, 1.25 times 0.84, 8 / 3 times and more 0.5.
    for (rtt, left) in [(100, 1.0), (125, 0.84), (200, 0.6), (240, 1.0 - 0.8 * 140.0 / 240.0), (267, 0.5), (1000, 0.5)]
    {
        assert!(near(ack(&mut flow(50.0), 0, rtt, 1), 50.0 * left), "{rtt}");
    }
    let mut steep = flow(50.0);
    (steep.params.decrease, steep.params.largest_cut) = (1.0, 0.9);
    assert!(near(ack(&mut steep, 0, 200, 1), 25.0));
    assert!(near(ack(&mut Swift { cut: None, ..steep }, 0, 100_000, 1), 2.5));
}

#[test]
fn it_is_cut_once_in_a_round_trip_whatever_for() {
    let mut s = flow(100.0);
    assert!(near(ack(&mut s, 1000, 200, 1), 60.0));
    assert!(near(ack(&mut s, 1199, 200, 1), 60.0));
    assert!(near(ack(&mut s, 1200, 200, 1), 36.0));
    assert!(near(lose(&mut s, LossKind::DuplicateAcks, 1399, false), 36.0));
    assert!(near(lose(&mut s, LossKind::DuplicateAcks, 1400, false), 18.0));
    assert!(near(lose(&mut s, LossKind::Timeout, 1599, false), 18.0));
    assert!(near(lose(&mut s, LossKind::Timeout, 1600, true), 9.0));
    assert!(near(lose(&mut s, LossKind::Mark, 1800, false), 4.5));
    // What did not cut the window does not put off the next cut: growth, a delay at the target, and a queue that stays.
    assert!(near(ack(&mut s, 1850, 50, 9), 6.5) && near(ack(&mut s, 1999, 100, 1), 6.5));
    assert!(near(ack(&mut s, 2000, 200, 1), 3.9));
}

#[test]
fn the_fifth_timeout_in_a_row_leaves_the_minimum() {
    let mut s = flow(640.0);
    let mut timeout = |now: u64, again| lose(&mut s, LossKind::Timeout, now, again);
    assert_eq!([timeout(1, false), timeout(2, true), timeout(3, true), timeout(4, true)], [320.0, 160.0, 80.0, 40.0]);
    assert!(near(timeout(5, true), 0.01));
    // It does not wait for a round trip, either.
    let mut s = Swift { timeouts: 4, cut: Some(at(9)), rtt: us(100), ..flow(640.0) };
    assert!(near(lose(&mut s, LossKind::Timeout, 10, true), 0.01));
    // What arrives, and a loss that is repaired, begin the count again.
    let mut s = Swift { timeouts: 4, ..flow(640.0) };
    s.on_ack(&Ack { now: at(1), delivered: 0, ..Ack::default() });
    assert_eq!(s.timeouts, 4);
    s.on_ack(&Ack { now: at(1), delivered: 1, ..Ack::default() });
    assert_eq!((s.timeouts, s.window), (0, 640.0));
    let mut s = Swift { timeouts: 4, ..flow(640.0) };
    lose(&mut s, LossKind::DuplicateAcks, 1, false);
    assert_eq!(s.timeouts, 0);
}

#[test]
fn small_windows_aim_at_more() {
    // a = 100 us / (1 / sqrt(0.1) - 1 / sqrt(100)) = 32.6556 us and b = -3.2656 us.
    let p = SwiftParams::default();
    let a = 100e6 / (10f64.sqrt() - 0.1);
    for (window, due) in [
        (0.01, 100e6),
        (0.1, 100e6),
        (1.0, 0.9 * a),
        (4.0, 0.4 * a),
        (25.0, 0.1 * a),
        (100.0, 0.0),
        (400.0, 0.0),
    ] {
        assert!((p.scaled(window) - due).abs() < 1.0, "{window}: {} {due}", p.scaled(window));
    }
    assert!((p.scaled(1.0) - 29.390e6).abs() < 1e3, "{}", p.scaled(1.0));
    // Path, base and hops.
    let p = SwiftParams { path: Some(us(50)), hops: 4, per_hop: us(3), ..p };
    let s = Swift { window: 100.0, ..Swift::new(&p) };
    assert!((s.target() - 82e6).abs() < 1.0);
    assert!((Swift { window: 0.1, ..s }.target() - 182e6).abs() < 1.0);
}

#[test]
fn the_least_round_trip_stands_for_the_path() {
    let params = SwiftParams { scaling: Duration::ZERO, ..Default::default() };
    let mut s = Swift { window: 8.0, ..Swift::new(&params) };
    // The first one is the path's; 20 us more are too much, and the least one counts from then on.
    assert!(near(ack(&mut s, 0, 500, 1), 8.125) && near(ack(&mut s, 10, 519, 1), 8.125 + 1.0 / 8.125));
    let before = s.window;
    assert!(near(ack(&mut s, 20, 520, 1), before));
    ack(&mut s, 30, 400, 1);
    assert!((s.target() - 420e6).abs() < 1.0 && ack(&mut s, 40, 600, 1) < before);
}

#[test]
fn a_window_below_one_packet_is_a_wait() {
    let mut s = flow(2.0);
    ack(&mut s, 0, 100, 1);
    assert_eq!(s.allowance(), Allowance::window(2));
    s.window = 0.5;
    let allowance = s.allowance();
    assert_eq!((allowance.window, allowance.burst), (1, 1));
    // A packet in two round trips of 100 us.
    assert!((allowance.rate - 5000.0).abs() < 1e-6);
    s.window = 1.0;
    assert_eq!(s.allowance(), Allowance::window(1));
    s.window = 2.99;
    assert_eq!(s.allowance(), Allowance::window(2));
}

#[test]
fn it_stays_within_its_bounds() {
    let mut s = flow(0.011);
    assert!(near(ack(&mut s, 0, 100_000, 1), 0.01));
    let mut s = flow(4.0);
    s.params.max_window = 4.1;
    assert!(near(ack(&mut s, 0, 50, 1), 4.1));
    let mut s = Swift::new(&SwiftParams { max_window: 4.0, ..Default::default() });
    s.on_start(10);
    assert!(near(s.window, 4.0));
}

#[test]
fn a_window_that_is_not_in_use_does_not_grow_unless_it_is_below_one_packet() {
    for (window, due) in [(4.0, 4.0), (1.0, 1.0), (0.5, 1.5)] {
        let mut s = flow(window);
        s.on_ack(&Ack { now: at(0), rtt: Some(us(50)), delivered: 1, ..Ack::default() });
        assert!(near(s.window, due), "{window}");
    }
}

#[test]
fn what_was_spurious_is_taken_back_and_an_idle_time_leaves_the_initial_window() {
    let mut s = flow(64.0);
    assert!(near(lose(&mut s, LossKind::Timeout, 1, false), 32.0));
    assert!(near(lose(&mut s, LossKind::Timeout, 2, true), 16.0));
    s.on_undo();
    assert!(near(s.window, 64.0));
    s.on_idle(AfterIdle::Halved, 10, 3);
    assert!(near(s.window, 10.0));
    s.on_undo();
    let mut small = flow(3.0);
    small.on_idle(AfterIdle::Initial, 10, 1);
    assert!(near(small.window, 3.0));
}

#[test]
fn parameters_that_cannot_be_are_refused() {
    let zero = SwiftParams { base_target: Duration::ZERO, ..Default::default() };
    assert!(zero.check().is_err_and(|e| e.to_string().contains("base_target")));
    for most_scaled in [0.1, 0.05] {
        let p = SwiftParams { most_scaled, ..Default::default() };
        assert!(p.check().is_err_and(|e| e.to_string().contains("least_scaled")), "{most_scaled}");
    }
    assert!(SwiftParams::default().check().is_ok());
}

/// By the rules of the RFCs the transport has no round trip of a retransmission.
#[test]
fn a_retransmission_that_arrives_opens_the_minimum_window() {
    let mut s = Swift { timeouts: 4, rtt: us(90), ..flow(640.0) };
    assert!(near(lose(&mut s, LossKind::Timeout, 1000, true), 0.01));
    let mut stamped = |now, sent| {
        s.on_ack(&Ack { now: at(now), sent: at(sent), delivered: 1, limited: true, ..Ack::default() });
        (s.window, s.rtt)
    };
    assert_eq!(stamped(1095, 1000), (1.01, us(95)));
    // Beyond the target, too: 8 / 3 times and more leaves half.
    assert_eq!(stamped(2400, 1400), (0.505, us(1000)));
    // What the transport measured itself comes first.
    let mut s = flow(8.0);
    s.on_ack(&Ack { now: at(900), rtt: Some(us(99)), delivered: 1, limited: true, ..Ack::default() });
    assert!(near(s.window, 8.125));
}
