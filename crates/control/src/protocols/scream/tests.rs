//! Worked examples of the draft's formulas, and what holds for any input.

use super::*;
use headgate_packet::Check;
use proptest::prelude::*;

fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

fn at(n: u64) -> Time {
    Time::ZERO + ms(n)
}

/// A flow with this window, of which all has been in flight, over a path whose one-way delay is 20 ms without a queue.
fn with(params: ScreamParams, ref_wnd: f64) -> Scream {
    let mut s = Scream { ref_wnd, most: 10_000, smoothed: ms(100), ..Scream::new(&params) };
    s.delays.sample(ms(20), Time::ZERO);
    s
}

fn flow(ref_wnd: f64) -> Scream {
    with(ScreamParams::default(), ref_wnd)
}

fn l4s(ref_wnd: f64) -> Scream {
    with(ScreamParams { l4s: true, ..Default::default() }, ref_wnd)
}

/// An acknowledgement at `now` ms of `delivered` packets, some marked, with this time in the queue in ms and a smoothed round trip of 100 ms.
fn ack(s: &mut Scream, now: u64, delivered: u64, marks: u64, qdelay: u64) -> f64 {
    arrive(s, delivered, marks, &Ack { now: at(now), one_way: ms(20 + qdelay), smoothed: Some(ms(100)), ..Ack::default() })
}

fn arrive(s: &mut Scream, delivered: u64, marks: u64, ack: &Ack) -> f64 {
    s.on_delivered(delivered, marks, ack.round);
    s.on_ack(&Ack { delivered, ..*ack });
    s.ref_wnd
}

fn lose(s: &mut Scream, kind: LossKind, now: u64, again: bool) -> f64 {
    s.on_loss(&Loss { now: at(now), kind, in_flight: 9, remaining: 0, again, used: u64::MAX, left: None });
    s.ref_wnd
}

#[track_caller]
fn near(a: f64, b: f64) {
    assert!((a - b).abs() < 1e-9, "{a}, not {b}");
}

#[test]
fn before_congestion_a_round_trip_adds_a_packet_and_a_part_of_the_window() {
    // 1 / 50 a packet times 1 + 0.02 x 50.
    near(ack(&mut flow(50.0), 1000, 1, 0, 0), 50.04);
    near(ack(&mut flow(50.0), 1000, 50, 0, 0), 52.0);
    near(ack(&mut flow(4.0), 1000, 2, 0, 0), 4.0 + 0.5 * 1.08);
    // Marked ones add nothing: one of two.
    let mut s = Scream { congested: Some(at(999)), ..l4s(100.0) };
    near(ack(&mut s, 1000, 2, 1, 0) - 100.0, 0.01 * (1.0 + 2.0 * 0.001 / 4.0));
}

#[test]
fn on_short_paths_the_increase_falls_by_the_square() {
    for (rtt, part) in [(5_u64, 0.04), (10, 0.16), (25, 1.0), (50, 1.0)] {
        let mut s = flow(50.0);
        let got = arrive(&mut s, 1, 0, &Ack { now: at(1000), one_way: ms(20), smoothed: Some(ms(rtt)), ..Ack::default() });
        near(got, 50.0 + 0.04 * part);
    }
}

#[test]
fn near_the_last_inflection_point_and_soon_after_congestion_it_is_slower() {
    // (4 x part)^2 of it, at least a tenth: 0.1, 0.16, 1; the multiplicative part takes it twice, and 2 of 4 s.
    for (inflection, scale) in [(50.0, 0.1), (50.0 / 1.01, 0.1), (50.0 / 1.1, 0.16), (50.0 / 0.9, 0.16), (20.0, 1.0), (100.0, 1.0)] {
        let mut s = Scream { ref_wnd_i: Some(inflection), congested: Some(at(1000)), ..flow(50.0) };
        near(ack(&mut s, 3000, 1, 0, 0), 50.0 + 0.02 * scale * (1.0 + 0.5 * scale));
        let mut s = Scream { ref_wnd_i: Some(inflection), congested: Some(at(1000)), ..flow(50.0) };
        near(ack(&mut s, 6000, 1, 0, 0), 50.0 + 0.02 * scale * (1.0 + scale));
    }
    // While L4S is active 0.02 of the window is the least, up to all of it at 50 packets.
    for (window, scale) in [(4.0, 0.1), (20.0, 0.4), (50.0, 1.0), (80.0, 1.0)] {
        let active = Scream { ref_wnd_i: Some(window), mark_at: Some(at(1000)), congested: Some(at(1000)), ..l4s(window) };
        let mut s = active.clone();
        near(ack(&mut s, 1000, 1, 0, 0), window + scale / window);
        let mut s = Scream { mark_at: Some(at(0)), ..active };
        near(ack(&mut s, 6000, 1, 0, 0), window + 0.1 / window * (1.0 + 0.02 * window * 0.1));
    }
}

#[test]
fn the_window_stays_where_less_is_in_flight() {
    for (most, most_prev, grows) in [(25, 10, true), (10, 25, true), (24, 24, false), (0, 0, false)] {
        let mut s = Scream { most, most_prev, ..flow(50.0) };
        assert_eq!(ack(&mut s, 1000, 1, 0, 0) > 50.0, grows, "{most} {most_prev}");
    }
    // Both are of one round trip.
    let mut s = Scream { most: 0, ..flow(50.0) };
    [4, 7, 5].iter().for_each(|n| s.on_packet_sent(at(1), *n, false));
    assert_eq!((s.most, s.most_prev), (8, 0));
    arrive(&mut s, 1, 0, &Ack { now: at(1000), round: true, in_flight: 3, one_way: ms(20), ..Ack::default() });
    assert_eq!((s.most, s.most_prev), (3, 8));
}

#[test]
fn a_loss_leaves_seven_tenths_once_in_a_virtual_round_trip() {
    let mut s = flow(100.0);
    near(lose(&mut s, LossKind::DuplicateAcks, 1000, false), 100.0);
    near(ack(&mut s, 1000, 0, 0, 0), 70.0);
    assert_eq!((s.ref_wnd_i, s.before), (Some(100.0), 100.0));
    // 25 ms later again, with a loss that begins no episode; the inflection point stays for 250 ms.
    let lost = |now| Ack { now: at(now), lost: 2, one_way: ms(20), smoothed: Some(ms(100)), ..Ack::default() };
    near(arrive(&mut s, 0, 0, &lost(1024)), 70.0);
    near(ack(&mut s, 1025, 0, 0, 0), 70.0);
    near(arrive(&mut s, 0, 0, &lost(1025)), 49.0);
    near(arrive(&mut s, 0, 0, &lost(1250)), 34.3);
    assert_eq!(s.ref_wnd_i, Some(100.0));
    near(arrive(&mut s, 0, 0, &lost(1275)), 24.01);
    assert!((s.ref_wnd_i.unwrap_or(0.0) - 34.3).abs() < 1e-9);
    s.on_undo();
    near(s.ref_wnd, 100.0);
    // A timeout is one too, without an acknowledgement; three packets stay.
    let mut s = flow(5.0);
    near(lose(&mut s, LossKind::Timeout, 1000, false), 3.5);
    near(lose(&mut s, LossKind::Timeout, 2000, true), 3.0);
    near(s.before, 5.0);
    // On a path of 10 ms once in 10 ms.
    let mut s = flow(100.0);
    let lost = |now| Ack { smoothed: Some(ms(10)), ..lost(now) };
    near([1000, 1009, 1010].map(|now| arrive(&mut s, 0, 0, &lost(now)))[2], 49.0);
}

#[test]
fn a_mark_leaves_eight_tenths_and_by_l4s_half_of_the_average_share() {
    let mut s = flow(100.0);
    lose(&mut s, LossKind::Mark, 1000, false);
    near(ack(&mut s, 1000, 0, 0, 0), 80.0);
    near(ack(&mut flow(100.0), 1000, 1, 1, 0), 80.0);
    // Alpha 0.5 x 15 / 16 + 1 / 16; 1 - 2 / 100 of half of it goes.
    let calm = Scream { congested: Some(at(900)), alpha: 0.5, ..l4s(100.0) };
    let mut s = calm.clone();
    near(ack(&mut s, 1000, 1, 1, 0), 100.0 * (1.0 - 0.53125 / 2.0 * 0.98));
    near(s.alpha, 0.53125);
    // Eight tenths of it at least, at five packets as at ten.
    let mut s = Scream { ref_wnd: 5.0, ..calm };
    near(ack(&mut s, 1000, 1, 1, 0), 5.0 * (1.0 - 0.53125 / 2.0 * 0.8));
    // More than 5 s after congestion, or before any: what was in flight, less a quarter.
    for congested in [None, Some(at(999))] {
        let mut s = Scream { congested, most_prev: 40, ..l4s(100.0) };
        near(ack(&mut s, 6000, 1, 1, 0), 30.0);
        near(s.alpha, 0.25);
    }
    let mut s = Scream { congested: Some(at(1000)), most_prev: 40, ..l4s(100.0) };
    near(ack(&mut s, 6000, 1, 1, 0), 100.0 * (1.0 - 0.03125 * 0.98));
}

#[test]
fn the_share_of_marks_is_averaged_every_ten_milliseconds() {
    let mut s = l4s(100.0);
    ack(&mut s, 1000, 4, 0, 0);
    ack(&mut s, 1005, 3, 1, 0);
    near(s.alpha, 0.25); // The first mark sets it.
    ack(&mut s, 1010, 1, 1, 0);
    near(s.alpha, 0.25 * 15.0 / 16.0 + 0.5 / 16.0);
    ack(&mut s, 1020, 5, 0, 0);
    near(s.alpha, (0.25 * 15.0 / 16.0 + 0.5 / 16.0) * 15.0 / 16.0);
}

#[test]
fn above_half_of_the_target_the_delay_is_as_marks() {
    // The average takes a quarter of what rises, once in a round trip, and all of what falls.
    let mut s = Scream { params: ScreamParams { competes: false, ..Default::default() }, ..flow(100.0) };
    let averages = [(1000, 40), (1050, 40), (1100, 40), (1200, 20), (1300, 8)].map(|(now, qdelay)| {
        ack(&mut s, now, 0, 0, qdelay);
        (s.qdelay_avg * 1e6).round()
    });
    assert_eq!(averages, [10_000.0, 10_000.0, 17_500.0, 18_125.0, 8000.0]);
    // (45 - 30) / 30 of half of the window; nothing at 30 ms, and no more than half.
    for (average, qdelay, left) in [(0.045, 45, 0.75), (0.045, 30, 1.0), (0.03, 40, 1.0), (0.09, 90, 0.5), (0.02, 31, 1.0)] {
        let mut s = Scream { qdelay_avg: average, qdelay_at: Some(at(990)), ..flow(100.0) };
        near(ack(&mut s, 1000, 0, 0, qdelay), 100.0 * left);
        assert_eq!(s.congested.is_some(), qdelay > 30, "{qdelay}");
    }
    // It does not count where L4S holds the window: two marks a round trip, alpha x window >= 2, and one in the last 5 s.
    for (alpha, mark_at, counts) in [(0.021, 900, false), (0.019, 900, true)] {
        let mut s = Scream { qdelay_avg: 0.045, qdelay_at: Some(at(990)), alpha, mark_at: Some(at(mark_at)), ..l4s(100.0) };
        (s.target_rate, s.alpha_at) = (Some(1000.0), Some(at(999)));
        assert_eq!(ack(&mut s, 1000, 0, 0, 45) < 99.0, counts, "{alpha} {mark_at}");
        let mut s = Scream { qdelay_at: Some(at(7990)), alpha_at: Some(at(7999)), qdelay_avg: 0.045, ref_wnd: 100.0, congested: None, ..s };
        assert!(ack(&mut s, 8000, 0, 0, 45) < 99.0, "long after the last mark");
    }
}

#[test]
fn the_target_rate_is_a_window_a_round_trip() {
    let rate = |s: &mut Scream, in_flight: u64, marks: u64| {
        let ack = Ack { now: at(1000), one_way: ms(20), smoothed: Some(ms(100)), prior_in_flight: in_flight, ..Ack::default() };
        arrive(s, 0, marks, &ack);
        s.target_rate.unwrap_or(0.0)
    };
    near(rate(&mut flow(100.0), 90, 0), 1000.0);
    // Less by what is in flight beyond nine tenths, and by a third at most; not with L4S.
    near(rate(&mut flow(100.0), 108, 0), 1000.0 / 1.2);
    near(rate(&mut flow(100.0), 500, 0), 1000.0 / 1.5);
    let mut marked = Scream { mark_at: Some(at(1)), ..l4s(100.0) };
    near(rate(&mut marked, 108, 0), 1000.0);
    // 1 - (1 / 4 - 0.1) with four packets.
    near(rate(&mut flow(4.0), 0, 0), 34.0);
    // One and a half windows; paced at the rate of the encoder, or, as a file, at one and a half of it.
    let mut s = flow(100.0);
    assert_eq!(s.allowance(), Allowance::window(150));
    rate(&mut s, 90, 0);
    near(s.allowance().rate, 1000.0);
    s.params.encoder = false;
    near(s.allowance().rate, 1500.0);
    s.target_rate = Some(1.0);
    assert_eq!(s.allowance(), Allowance { window: 150, rate: 9.375, burst: 1 });
}

#[test]
fn parameters_that_cannot_be_say_so() {
    let wrong = |p: ScreamParams| p.check().expect_err("wrong").to_string();
    let low = ScreamParams { qdelay_target: Duration::ZERO, ..Default::default() };
    assert!(wrong(low).starts_with("qdelay_target: "));
    let high = ScreamParams { qdelay_target_high: ms(59), ..Default::default() };
    assert!(wrong(high).contains("expected at least qdelay_target"));
    assert!(ScreamParams::default().check().is_ok());
}

proptest! {
    #[test]
    fn whatever_arrives_the_window_stays_in_its_bounds_and_answers_no_more_than_once_in_a_virtual_round_trip(
        enabled in any::<bool>(), encoder in any::<bool>(), rtt in 1..400u64,
        events in prop::collection::vec((0..60u64, 0..20u64, 0..20u64, 0..300u64, 0..12u8), 1..200),
    ) {
        let mut s = with(ScreamParams { l4s: enabled, encoder, ..Default::default() }, 20.0);
        let (mut now, mut last) = (1000, None);
        for (gap, delivered, marks, qdelay, event) in events {
            now += gap;
            let before = s.ref_wnd;
            s.on_packet_sent(at(now), delivered * 3, false);
            let lost = u64::from(event == 0);
            let ack = Ack { now: at(now), one_way: ms(20 + qdelay), smoothed: Some(ms(rtt)), round: event == 1, lost, ..Ack::default() };
            arrive(&mut s, delivered, marks.min(delivered) * u64::from(event == 2), &ack);
            let most = before + delivered as f64 * (1.0 / 3.0 + 0.02);
            prop_assert!(s.ref_wnd >= 3.0 && s.ref_wnd <= most + 1e-9, "{} after {}", s.ref_wnd, before);
            prop_assert!((0.0..=1.0).contains(&s.alpha) && s.qdelay_avg <= 0.5);
            prop_assert!((0.06..=0.4).contains(&s.target.seconds()));
            let allowed = s.allowance();
            prop_assert!(allowed.window as f64 <= 1.5 * s.ref_wnd && allowed.rate >= 6.25);
            prop_assert!(allowed.rate <= 1.5 * (s.ref_wnd / ms(rtt).as_secs_f64()).max(6.25) + 1e-6);
            if s.ref_wnd < before {
                prop_assert!(last.is_none_or(|at| now - at >= rtt.min(25)), "{} ms after {:?}", now, last);
                last = Some(now);
            }
        }
    }
}
