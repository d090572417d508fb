//! The utility, and each state by worked examples.

use super::*;

fn at(n: u64) -> Time {
    Time::ZERO + Duration::from_millis(n)
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9 * b.abs().max(1.0)
}

#[test]
fn the_utility_breaks_down_at_five_per_cent() {
    // By hand: 1 / (1 + e^-5) = 0.993307, at 5 % one half, at 10 % 1 / (1 + e^5) = 0.006693.
    let p = AllegroParams::default();
    for (loss, due) in [(0.0, 99.3307), (0.05, 95.0 / 2.0 - 5.0), (0.1, 90.0 * 0.006_692_85 - 10.0), (1.0, -100.0)] {
        assert!((p.utility(100.0, loss) - due).abs() < 1e-3, "{loss}: {} {due}", p.utility(100.0, loss));
    }
    // Twice the rate is worth twice as much: what counts is the share of losses.
    assert!(near(p.utility(200.0, 0.03), 2.0 * p.utility(100.0, 0.03)));
}

/// A flow at 1000 packets a second whose intervals have these rates and losses of 100 packets.
fn judged(mode: Mode, last: Option<f64>, trials: &[(f64, u64)]) -> Allegro {
    let mut a = Allegro::new(&AllegroParams::default());
    (a.mode, a.rate, a.before, a.last, a.smoothed) = (mode, 1000.0, 500.0, last, Duration::from_millis(40));
    for (rate, lost) in trials {
        let mut i = Interval::new(*rate, at(0));
        (0..100).for_each(|_| i.on_sent(false));
        (0..*lost).for_each(|_| i.on_lost(at(0)));
        a.intervals.push(i);
    }
    a.decide();
    a
}

#[test]
fn it_doubles_until_the_utility_falls() {
    let a = judged(Mode::Starting, None, &[(1000.0, 0)]);
    assert!(near(a.rate, 2000.0) && near(a.before, 1000.0) && a.mode == Mode::Starting);
    let a = judged(Mode::Starting, Some(990.0), &[(1000.0, 0)]);
    assert!(near(a.rate, 2000.0), "993 is more");
    let a = judged(Mode::Starting, Some(990.0), &[(1000.0, 5)]);
    assert!(near(a.rate, 500.0) && a.mode == Mode::Deciding);
}

#[test]
fn two_pairs_that_agree_decide() {
    // Without loss more is better, whatever the order.
    for pairs in [[1010.0, 990.0, 990.0, 1010.0], [990.0, 1010.0, 1010.0, 990.0], [1010.0, 990.0, 1010.0, 990.0]] {
        let a = judged(Mode::Deciding, None, &pairs.map(|rate| (rate, 0)));
        // The better one, and the first change on top.
        assert!(near(a.rate, 1010.0 * 1.01) && near(a.before, 1010.0), "{pairs:?}: {}", a.rate);
        assert_eq!(a.mode, Mode::Adjusting { rises: true, steps: 1 });
        assert!(a.last.is_some_and(|u| near(u, a.params.utility(1010.0, 0.0))));
    }
    // With 8 % at the higher rate less is.
    let a = judged(Mode::Deciding, None, &[(1010.0, 8), (990.0, 0), (990.0, 0), (1010.0, 8)]);
    assert!(near(a.rate, 990.0 * 0.99) && a.mode == Mode::Adjusting { rises: false, steps: 1 });
}

#[test]
fn two_pairs_that_do_not_agree_try_more() {
    let trials = [(1010.0, 8), (990.0, 0), (990.0, 0), (1010.0, 0)];
    let a = judged(Mode::Deciding, None, &trials);
    assert!(near(a.rate, 1000.0) && near(a.step, 0.02) && a.mode == Mode::Deciding);
    let mut a = Allegro { step: 0.045, intervals: a.intervals.clone(), ..a };
    a.decide();
    assert!(near(a.step, 0.05));
    // The next decision begins with the least step.
    let mut a = judged(Mode::Adjusting { rises: true, steps: 3 }, Some(900.0), &[(1000.0, 0)]);
    (a.step, a.last) = (0.03, Some(1e9));
    a.decide();
    assert!(near(a.step, 0.01) && a.mode == Mode::Deciding);
}

#[test]
fn the_nth_change_is_n_steps() {
    for (rises, factor) in [(true, 1.04), (false, 0.96)] {
        let a = judged(Mode::Adjusting { rises, steps: 3 }, Some(900.0), &[(1000.0, 0)]);
        assert!(near(a.rate, 1000.0 * factor) && near(a.before, 1000.0));
        assert_eq!(a.mode, Mode::Adjusting { rises, steps: 4 });
    }
    let a = judged(Mode::Adjusting { rises: true, steps: 3 }, Some(994.0), &[(1000.0, 0)]);
    assert!(near(a.rate, 500.0) && a.mode == Mode::Deciding, "that of before");
    // As good as before goes on; half of the rate is the most that a change is.
    let last = AllegroParams::default().utility(1000.0, 0.0);
    let a = judged(Mode::Adjusting { rises: false, steps: 900 }, Some(last), &[(1000.0, 0)]);
    assert!(near(a.rate, 500.0) && matches!(a.mode, Mode::Adjusting { .. }));
}

/// Acknowledges a packet that was sent 40 ms before, and sends one.
fn pass(a: &mut Allegro, from: u64, until: u64) {
    for now in from..until {
        let rtt = Some(Duration::from_millis(40));
        a.on_ack(&Ack { now: at(now), rtt, smoothed: rtt, delivered: 1, ..Ack::default() });
        a.on_packet_sent(at(now), 1, false);
    }
}

#[test]
fn four_intervals_of_1_7_round_trips_try_more_and_less() {
    let mut a = Allegro { lower: [true, false], ..judged(Mode::Starting, Some(1e9), &[(1000.0, 0)]) };
    (a.rate, a.before) = (1000.0, 1000.0);
    a.restart(at(1000));
    a.on_packet_sent(at(1000), 1, false);
    let mut rates = vec![];
    for n in 0..5 {
        rates.push(a.allowance().rate);
        pass(&mut a, 1001 + 68 * n, 1001 + 68 * (n + 1));
    }
    assert!(rates.iter().zip([990.0, 1010.0, 1010.0, 990.0, 1000.0]).all(|(a, b)| near(*a, b)), "{rates:?}");
    assert!(matches!(a.mode, Mode::Adjusting { rises: true, .. }));
    assert_eq!((a.allowance().window, a.allowance().burst), (82, 1));
}

#[test]
fn packets_that_were_sent_again_are_judged_too() {
    // As in a repair in which all that arrives was sent again: the transport has no round trip of it.
    let mut a = Allegro { lower: [true, false], ..judged(Mode::Starting, Some(1e9), &[(1000.0, 0)]) };
    (a.rate, a.before) = (1000.0, 1000.0);
    a.restart(at(1000));
    for now in 1001..1400 {
        a.on_ack(&Ack { now: at(now), sent: at(now - 40), smoothed: Some(Duration::from_millis(40)), delivered: 1, ..Ack::default() });
        a.on_packet_sent(at(now), 1, false);
    }
    assert!(matches!(a.mode, Mode::Adjusting { rises: true, .. }) && near(a.before, 1010.0), "{:?} {}", a.mode, a.before);
    // A duplicate that tells of nothing is none.
    let mut a = Allegro::new(&AllegroParams::default());
    a.on_ack(&Ack { now: at(40), ..Ack::default() });
    assert!(a.intervals.is_empty());
}

#[test]
fn the_first_round_trip_gives_the_first_rate() {
    let mut a = Allegro::new(&AllegroParams::default());
    a.on_start(10);
    assert_eq!(a.allowance(), Allowance::window(10));
    pass(&mut a, 40, 41);
    assert!(near(a.rate, 250.0) && a.in_slow_start());
    a.on_idle(AfterIdle::Initial, 5, 1);
    assert!(near(a.rate, 125.0) && a.intervals[0].is_spoiled());
    // Its interval counts for nothing.
    pass(&mut a, 41, 200);
    assert!(a.intervals.len() == 1 && !a.intervals[0].is_spoiled() && near(a.rate, 125.0));
}

#[test]
fn orders_and_lengths_are_drawn() {
    let mut rng = Rng::new(1, 0, "test");
    let mut a = Allegro::new(&AllegroParams::default());
    let drawn: Vec<([bool; 2], f64)> = (0..100).map(|_| { a.on_round(&mut rng); (a.lower, a.lasts) }).collect();
    for order in [[false, false], [false, true], [true, false], [true, true]] {
        assert!(drawn.iter().any(|(o, _)| *o == order), "{order:?}");
    }
    assert!(drawn.iter().all(|(_, lasts)| (1.7..2.2).contains(lasts)) && drawn.iter().any(|(_, l)| *l > 2.1));
    // Within a decision the order stays.
    let mut a = judged(Mode::Starting, Some(1e9), &[(1000.0, 0)]);
    a.restart(at(0));
    let order = a.lower;
    for _ in 0..100 {
        a.on_round(&mut rng);
        assert_eq!(a.lower, order);
    }
}

#[test]
fn a_timeout_halves_the_rate_and_begins_anew() {
    let loss = |kind| Loss { now: at(2000), kind, in_flight: 9, remaining: 0, again: false, used: u64::MAX, left: None };
    let mut a = judged(Mode::Adjusting { rises: true, steps: 3 }, None, &[(1000.0, 0)]);
    (a.rate, a.step) = (1000.0, 0.03);
    a.on_loss(&loss(LossKind::DuplicateAcks));
    assert!(near(a.rate, 1000.0));
    a.on_loss(&loss(LossKind::Timeout));
    assert!(near(a.rate, 500.0) && near(a.before, 500.0) && a.in_slow_start() && a.last.is_none() && near(a.step, 0.01));
    assert!(a.intervals.len() == 1 && near(a.intervals[0].rate, 500.0));
    Allegro::new(&AllegroParams::default()).on_loss(&loss(LossKind::Timeout));
}

#[test]
fn parameters_that_cannot_be_are_refused() {
    let p = AllegroParams { step: 0.06, ..Default::default() };
    assert!(p.check().is_err_and(|e| e.to_string().contains("max_step")));
    assert!(AllegroParams::default().check().is_ok());
}
