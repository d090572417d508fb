//! Worked examples of algorithm 1.

use super::*;
use crate::LossKind;
use crate::transport::tcp::RateSample;
use headgate_packet::Time;

fn us(n: u64) -> Duration {
    Duration::from_ps(n * 1_000_000)
}

/// A flow at 10 000 packets a second after a round-trip time of `last` us, with the paper's absolute thresholds and 20 us.
fn flow(last: f64) -> Timely {
    let params = TimelyParams { path: Some(Duration::ZERO), min_rtt: Some(us(20)), ..Default::default() };
    Timely { rate: 10_000.0, last: Some(last * 1e6), least: 20e6, ..Timely::new(&params) }
}

/// The rate after a completion.
fn after(t: &mut Timely, rtt: f64) -> f64 {
    t.complete(rtt * 1e6, true);
    t.rate
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-6
}

#[test]
fn below_the_lower_threshold_it_adds_whatever_the_gradient() {
    assert!(near(after(&mut flow(20.0), 49.9), 10_833.0));
    assert!(near(after(&mut flow(400.0), 20.0), 10_833.0));
    // Even in the fifth of a row.
    let mut t = Timely { steady: 9, ..flow(49.0) };
    assert!(near(after(&mut t, 49.0), 10_833.0));
}

#[test]
fn above_the_upper_threshold_it_falls_by_the_part_that_is_beyond() {
    // 1 - 0.8 (1 - 500 / 1000) = 0.6; and the more the longer.
    for (rtt, left) in [(1000.0, 0.6), (625.0, 0.84), (5000.0, 0.5)] {
        assert!(near(after(&mut flow(9000.0), rtt), 10_000.0 * left), "{rtt}");
    }
    // At the thresholds the gradient counts: it rises by 1 us, or not at all.
    assert!(near(after(&mut flow(49.0), 50.0), 10_000.0 * (1.0 - 0.8 * 0.875 / 20.0)));
    assert!(near(after(&mut flow(500.0), 500.0), 10_833.0));
    assert!(near(after(&mut flow(50.0), 50.0), 10_833.0));
}

#[test]
fn between_them_the_gradient_counts() {
    // 4 us longer: 0.875 * 4 / 20 = 0.175, of which 0.8 go.
    let mut t = flow(100.0);
    assert!(near(after(&mut t, 104.0), 8600.0));
    // The same again: 0.875 * 0 + 0.125 * 3.5 = 0.4375 us, 0.021875.
    assert!(near(after(&mut t, 104.0), 8600.0 * (1.0 - 0.8 * 0.021_875)));
    // Shorter by 1 us: 0.875 * -1 + 0.125 * 0.4375 is below 0.
    let before = t.rate;
    assert!(near(after(&mut t, 103.0), before + 833.0));
    // Half of the rate is left, whatever the gradient, and beyond the upper threshold.
    assert!(near(after(&mut flow(100.0), 200.0), 5000.0));
    assert!(near(after(&mut Timely { rate: 15.0, ..flow(100.0) }, 200.0), 10.0), "and the minimum");
}

#[test]
fn the_fifth_completion_without_a_rise_begins_the_fast_increase() {
    let mut t = flow(100.0);
    let rates: Vec<f64> = (0..6).map(|_| after(&mut t, 100.0)).collect();
    let due = [10_833.0, 11_666.0, 12_499.0, 13_332.0, 13_332.0 + 4165.0, 13_332.0 + 8330.0];
    assert!(rates.iter().zip(due).all(|(a, b)| near(*a, b)), "{rates:?}");
    // A rise ends it.
    after(&mut t, 100.1);
    assert_eq!(t.steady, 0);
}

#[test]
fn thresholds_count_from_the_path() {
    let mut t = flow(100.0);
    t.params.path = Some(us(60));
    assert!(near(after(&mut t, 109.9), 10_833.0), "60 + 50 us");
    let mut t = flow(100.0);
    (t.params.path, t.params.min_rtt) = (None, None);
    (t.least, t.rate) = (20e6, 10_000.0);
    t.least = 300e6;
    // 100 us longer are a third of the least: 0.875 / 3, of which 0.8 go. Below 350 us they would not count.
    t.complete(200e6, true);
    assert!(near(t.rate, 10_833.0));
    t.complete(1600e6, true);
    assert!(near(t.rate, 10_833.0 * (1.0 - 0.8 * (1.0 - 800.0 / 1600.0))));
    let mut t = Timely { least: 300e6, ..flow(400.0) };
    (t.params.path, t.params.min_rtt) = (None, None);
    assert!(near(after(&mut t, 500.0), 10_000.0 * (1.0 - 0.8 * 0.875 / 3.0)));
}

fn ack(t: &mut Timely, rtt: u64, round: bool, app_limited: bool) -> f64 {
    let (rtt, interval) = (Some(us(rtt)), us(100));
    let (delivered, prior_delivered, in_flight, lost, resent) = (1, 0, 1, 0, false);
    let rate = Some(RateSample { delivered, interval, prior_delivered, lost, in_flight, app_limited, resent });
    t.on_ack(&Ack { rtt, smoothed: rtt, delivered, rate, round, ..Ack::default() });
    t.rate
}

#[test]
fn a_completion_is_a_round_trip() {
    let mut t = Timely::new(&TimelyParams { path: Some(Duration::ZERO), ..Default::default() });
    t.on_start(10);
    assert_eq!(t.allowance(), Allowance::window(10));
    // 10 packets in 40 us.
    assert!(near(ack(&mut t, 40, true, false), 250_000.0));
    assert_eq!((t.allowance().window, t.allowance().burst), (20, 1));
    assert!(near(ack(&mut t, 40, false, false), 250_000.0));
    assert!(near(ack(&mut t, 40, true, false), 250_833.0));
    t.on_ack(&Ack { round: true, delivered: 1, ..Ack::default() });
    assert!(near(t.rate, 250_833.0), "without a measured time it is none");
    // The least one is the path's.
    let mut t = Timely::new(&TimelyParams::default());
    ack(&mut t, 40, true, false);
    ack(&mut t, 30, true, false);
    assert!(near(t.least, 30e6));
    t.rate = 10_000.0;
    assert!(near(ack(&mut t, 79, true, false), 10_833.0), "30 + 50 us");
    assert!(ack(&mut t, 85, true, false) < 10_833.0);
}

#[test]
fn without_data_for_its_rate_it_does_not_rise() {
    let mut t = flow(40.0);
    assert!(near(ack(&mut t, 40, true, true), 10_000.0));
    assert!(near(ack(&mut t, 1000, true, true), 6000.0), "but it falls");
}

#[test]
fn a_loss_halves_the_rate_and_what_was_spurious_is_taken_back() {
    let mut t = flow(40.0);
    let loss =
        |again| Loss { now: Time::ZERO, kind: LossKind::Timeout, in_flight: 9, remaining: 0, again, used: u64::MAX, left: None };
    t.on_loss(&loss(false));
    t.on_loss(&loss(true));
    assert!(near(t.rate, 2500.0));
    t.on_undo();
    assert!(near(t.rate, 10_000.0));
    // Before the first round trip there is no rate.
    let mut new = Timely::new(&TimelyParams::default());
    new.on_loss(&loss(false));
    new.on_undo();
    new.on_idle(AfterIdle::Initial, 10, 1);
    assert!(new.rate.is_infinite());
    t.smoothed = us(100_000);
    t.on_idle(AfterIdle::Initial, 10, 1);
    assert!(near(t.rate, 100.0));
    t.on_idle(AfterIdle::Initial, 20, 1);
    assert!(near(t.rate, 100.0));
}

#[test]
fn parameters_that_cannot_be_are_refused() {
    let d = TimelyParams::default;
    for (p, name) in [
        (TimelyParams { high: us(50), ..d() }, "high"),
        (TimelyParams { min_rtt: Some(Duration::ZERO), ..d() }, "min_rtt"),
        (TimelyParams { min_rate: 20.0, max_rate: 10.0, ..d() }, "min_rate"),
    ] {
        assert!(p.check().is_err_and(|e| e.to_string().contains(name)), "{name}");
    }
    assert!(d().check().is_ok());
}
