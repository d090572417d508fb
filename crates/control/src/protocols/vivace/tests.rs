//! The table of utilities, worked steps, and the order of intervals.

use super::*;

fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

fn at(n: u64) -> Time {
    Time::ZERO + ms(n)
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9 * b.abs().max(1.0)
}

#[test]
fn utilities_are_those_of_the_table() {
    // Slopes are above the noise that the gate takes away, except where it is open.
    let open = VivaceParams { noise: 0.0, ..Default::default() };
    let pairs = [(0.0, 0.0), (0.0, 0.01), (0.0, 0.05), (0.0, 0.1), (0.001, 0.0), (0.01, 0.0)];
    for (rate, due) in [
        (10.0, [7.943, 6.808, 2.268, -3.407, -1.057, -82.06]),
        (50.0, [33.81, 28.14, 5.437, -22.94, -11.19, -416.2]),
        (100.0, [63.10, 51.75, 6.346, -50.40, -26.90, -836.9]),
    ] {
        for ((slope, loss), due) in pairs.into_iter().zip(due) {
            let u = open.utility(rate, slope, loss);
            assert!((u / due - 1.0).abs() < 5e-4, "{rate} {slope} {loss}: {u} {due}");
        }
    }
    let p = VivaceParams::default();
    for (slope, counts) in [(0.0099, false), (-0.0099, false), (0.01, true), (-0.01, true)] {
        let due = libm::pow(10.0, 0.9) - if counts { 9000.0 * slope } else { 0.0 };
        assert!(near(p.utility(10.0, slope, 0.0), due), "{slope}");
    }
    // A falling queue is worth as much as a rising one costs.
    assert!(near(p.utility(10.0, -0.02, 0.0) + p.utility(10.0, 0.02, 0.0), 2.0 * libm::pow(10.0, 0.9)));
}

#[test]
fn more_pays_up_to_a_share_of_losses_near_five_per_cent() {
    // 0.9 x^-0.1 / 11.35: 7.93 % at 1 Mbit/s, 6.30 at 10, 5.36 at 50, 5.00 at 100.
    let p = VivaceParams::default();
    for (rate, tolerance) in [(1.0, 0.0793), (10.0, 0.0630), (50.0, 0.0536), (100.0, 0.0500)] {
        let pays = |loss: f64| p.utility(rate * 1.0001, 0.0, loss) > p.utility(rate, 0.0, loss);
        assert!(pays(tolerance - 1e-4) && !pays(tolerance + 1e-4), "{rate}");
    }
}

#[test]
fn steps_of_one_sign_weigh_1_2_3_5_7() {
    assert_eq!([1, 2, 3, 4, 5, 6].map(Vivace::amplifier), [1.0, 2.0, 3.0, 5.0, 7.0, 9.0]);
    assert_eq!(Vivace::amplifier(0), 1.0);
    assert!(Vivace::amplifier(u32::MAX) > 1e9);
}

/// A flow at this many Mbit/s, past its start.
fn flow(rate: f64) -> Vivace {
    let mut v = Vivace::new(&VivaceParams::default());
    (v.starting, v.rate, v.smoothed) = (false, rate / 0.012, ms(40));
    v
}

fn climbed(v: &mut Vivace, gradient: f64) -> f64 {
    v.climb(gradient);
    v.params.megabits(v.rate)
}

#[test]
fn the_rate_climbs_by_the_gradient_within_a_bound_that_grows() {
    let mut v = flow(100.0);
    // 1, then twice, then three times, then five times 0.5 Mbit/s.
    let rates: Vec<f64> = (0..4).map(|_| climbed(&mut v, 0.5)).collect();
    assert!(rates.iter().zip([100.5, 101.5, 103.0, 105.5]).all(|(a, b)| near(*a, b)), "{rates:?}");
    // The other sign begins anew.
    assert!(near(climbed(&mut v, -0.5), 105.0) && near(climbed(&mut v, -0.5), 104.0));
    // 5, 15, 25 % where the gradient asks for more, and 5 again once it changes its sign.
    let mut v = flow(100.0);
    let rates: Vec<f64> = [80.0, 80.0, 80.0, -80.0, -80.0].iter().map(|g| climbed(&mut v, *g)).collect();
    let due = [105.0, 105.0 * 1.15, 105.0 * 1.15 * 1.25, 105.0 * 1.15 * 1.25 * 0.95, 105.0 * 1.15 * 1.25 * 0.95 * 0.85];
    assert!(rates.iter().zip(due).all(|(a, b)| near(*a, b)), "{rates:?}");
    // A change within the bound makes it the least one that holds: from 25 % to 15 % for 12 %.
    let mut v = Vivace { raised: 2, steps: 0, ..flow(100.0) };
    assert!(near(climbed(&mut v, 12.0), 112.0) && v.raised == 1);
    let mut v = Vivace { raised: 2, ..flow(100.0) };
    assert!(near(climbed(&mut v, 5.0), 105.0) && v.raised == 0);
    // No gradient is no rise.
    assert!(near(climbed(&mut flow(100.0), 0.0), 100.0));
    // The minimum holds.
    let mut v = Vivace { rate: 10.1, ..flow(1.0) };
    v.climb(-1e9);
    assert!(near(v.rate, 10.0));
}

/// Acknowledges a packet that was sent a round trip before, with what the clock says.
fn ack(v: &mut Vivace, now: u64, rtt: u64) {
    let rtt = Some(ms(rtt));
    v.on_ack(&Ack { now: at(now), rtt, smoothed: Some(ms(40)), delivered: 1, ..Ack::default() });
}

fn send(v: &mut Vivace, packets: u64) {
    (0..packets).for_each(|_| v.on_packet_sent(Time::ZERO, 1, false));
}

/// A packet a millisecond from `from` to `until`, and an acknowledgement of one sent 40 ms before.
fn pass(v: &mut Vivace, from: u64, until: u64) {
    for now in from..until {
        ack(v, now, 40);
        send(v, 1);
    }
}

#[test]
fn the_rate_doubles_while_the_utility_rises() {
    let mut v = Vivace::new(&VivaceParams::default());
    v.on_start(10);
    assert_eq!(v.allowance(), Allowance::window(10));
    ack(&mut v, 40, 40);
    // 10 packets in 40 ms.
    assert!(near(v.rate, 250.0) && v.in_slow_start());
    send(&mut v, 1);
    pass(&mut v, 41, 119);
    assert!(near(v.rate, 250.0), "its packets are not all known");
    pass(&mut v, 119, 121);
    assert!(near(v.rate, 500.0), "{}", v.rate);
    assert_eq!((v.allowance().window, v.allowance().burst), (40, 1));
    // A utility that is a little less ends the start: 4.97 at 6 Mbit/s are not more than 5.02.
    let mut less = Vivace { last: Some(5.02), ..v.clone() };
    less.intervals.clear();
    less.intervals.push(Interval::new(500.0, at(0)));
    less.decide();
    assert!(!less.starting && near(less.rate, 250.0));
    // The next one loses half of its packets.
    pass(&mut v, 121, 150);
    let start = v.intervals[0].clone();
    assert!(start.is_open() && near(start.rate, 500.0));
    for now in 121..141 {
        let packet = Sent { seq: 0, at: at(now), in_flight: 1, delivered: 0, lost: 0, app_limited: false };
        v.on_packet_lost(at(150), &packet);
    }
    pass(&mut v, 150, 240);
    assert!(!v.starting && near(v.rate, 250.0), "{}", v.rate);
}

#[test]
fn a_step_tries_more_and_less() {
    for lower in [false, true] {
        let mut v = Vivace { lower, ..flow(12.0) };
        v.restart(at(1000));
        let rates = if lower { [950.0, 1050.0] } else { [1050.0, 950.0] };
        assert!(near(v.allowance().rate, rates[0]) && near(v.intervals[0].rate, rates[0]));
        send(&mut v, 1);
        pass(&mut v, 1001, 1041);
        assert!(near(v.allowance().rate, rates[1]) && v.intervals.len() == 2, "{}", v.allowance().rate);
        pass(&mut v, 1041, 1081);
        assert!(near(v.allowance().rate, 1000.0), "between until the utilities are known");
        // More pays without loss: the gradient is that of x^0.9 between 11.4 and 12.6 Mbit/s, at most 5 %.
        pass(&mut v, 1081, 1125);
        let gradient = (libm::pow(12.6, 0.9) - libm::pow(11.4, 0.9)) / 1.2;
        assert!(gradient / 12.0 > 0.05 && near(v.rate, 1050.0), "{}", v.rate);
        assert!((v.allowance().rate - v.rate).abs() > 1.0, "the next step began");
    }
}

#[test]
fn packets_that_were_sent_again_are_judged_too() {
    // As in a repair in which all that arrives was sent again: the transport has no round trip of it.
    let mut v = flow(12.0);
    v.restart(at(1000));
    for now in 1001..1125 {
        v.on_ack(&Ack { now: at(now), sent: at(now - 40), smoothed: Some(ms(40)), delivered: 1, ..Ack::default() });
        send(&mut v, 1);
    }
    assert!(near(v.rate, 1050.0), "{}", v.rate);
    // A duplicate that tells of nothing is none.
    let mut v = Vivace::new(&VivaceParams::default());
    v.on_ack(&Ack { now: at(40), ..Ack::default() });
    assert!(v.intervals.is_empty());
}

#[test]
fn which_comes_first_is_drawn_between_steps_only() {
    let mut rng = Rng::new(1, 0, "test");
    let mut v = flow(12.0);
    let drawn: Vec<bool> = (0..40).map(|_| { v.on_round(&mut rng); v.lower }).collect();
    assert!(drawn.contains(&true) && drawn.contains(&false));
    v.restart(at(0));
    let lower = v.lower;
    for _ in 0..40 {
        v.on_round(&mut rng);
        assert_eq!(v.lower, lower);
    }
}

#[test]
fn an_interval_without_data_counts_for_nothing() {
    let mut v = flow(12.0);
    v.restart(at(1000));
    v.on_packet_sent(at(1000), 1, true);
    pass(&mut v, 1001, 1041);
    assert!(v.intervals.len() == 1 && v.intervals[0].is_open() && !v.intervals[0].is_spoiled());
    pass(&mut v, 1041, 1060);
    v.on_idle(AfterIdle::Initial, 10, 1);
    assert!(near(v.rate, 250.0) && v.intervals[0].is_spoiled());
}

#[test]
fn a_timeout_halves_the_rate_and_begins_anew() {
    let loss = |kind| Loss { now: at(2000), kind, in_flight: 9, remaining: 0, again: false, used: u64::MAX, left: None };
    let mut v = flow(12.0);
    v.on_loss(&loss(LossKind::Timeout));
    assert!(near(v.rate, 1000.0), "before the first round trip nothing");
    v.restart(at(1000));
    (v.steps, v.raised) = (3, 2);
    v.on_loss(&loss(LossKind::DuplicateAcks));
    v.on_loss(&loss(LossKind::Mark));
    assert!(near(v.rate, 1000.0) && !v.starting);
    v.on_loss(&loss(LossKind::Timeout));
    assert!(near(v.rate, 500.0) && v.starting && v.last.is_none() && (v.steps, v.raised) == (0, 0));
    assert!(v.intervals.len() == 1 && near(v.intervals[0].rate, 500.0));
}
