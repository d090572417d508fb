//! COBALT by hand: a queue that is served every millisecond.

use super::*;

const RULE: CobaltRule = CobaltRule {
    target: Duration::from_millis(5),
    interval: Duration::from_millis(100),
    packet_time: Duration::from_millis(1),
    blue: BlueSteps { increment: 1.0 / 256.0, decrement: 1.0 / 4096.0, freeze: Duration::from_millis(5) },
};

fn ms(ms: u64) -> Time {
    Time::ZERO + Duration::from_millis(ms)
}

fn never() -> f64 {
    unreachable!("no number is drawn without a probability")
}

/// A packet leaves each millisecond from 0 on, which waited too long within these milliseconds: when a signal comes, and when the count falls and to what.
fn served(cobalt: &mut Cobalt, too_long: std::ops::Range<u64>, until: u64) -> (Vec<u64>, Vec<(u64, u32)>) {
    let (mut signals, mut falls) = (Vec::new(), Vec::new());
    for at in 0..until {
        let (before, sojourn) = (cobalt.count(), Duration::from_millis(if too_long.contains(&at) { 20 } else { 1 }));
        if cobalt.decide(ms(at), sojourn, 0, false, &RULE, never).signal {
            signals.push(at);
        }
        if cobalt.count() < before {
            falls.push((at, cobalt.count()));
        }
    }
    (signals, falls)
}

#[test]
fn the_pauses_between_signals_shrink() {
    let (signals, falls) = served(&mut Cobalt::new(false), 50..530, 530);
    assert_eq!(signals, [150, 221, 279, 329, 374, 414, 452, 488, 521]);
    assert!(falls.is_empty());
}

#[test]
fn the_kernels_text_signals_the_second_packet() {
    let (signals, _) = served(&mut Cobalt::new(true), 50..240, 240);
    assert_eq!(signals, [51, 121, 179, 229]);
}

#[test]
fn the_rate_falls_as_it_rose() {
    let mut cobalt = Cobalt::new(false);
    let (signals, falls) = served(&mut cobalt, 50..401, 700);
    assert_eq!(signals, [150, 221, 279, 329, 374]);
    assert_eq!(falls[..5], [(414, 5), (459, 4), (509, 3), (567, 2), (638, 1)]);
    // Packets that wait too long again before the last step are signalled as soon as that is due.
    assert!(cobalt.count() == 1 && cobalt.next_signal() > Some(ms(700)));
    assert!(!cobalt.decide(ms(700), Duration::from_millis(20), 0, false, &RULE, never).signal);
}

#[test]
fn roots_are_those_of_the_kernels_table() {
    let of = |count: usize| f64::from(ROOTS[count]) / 4_294_967_296.0;
    assert_eq!(ROOTS[0], u32::MAX);
    assert!((of(1) - 1.0).abs() < 1e-8 && (of(2) - 0.70671).abs() < 5e-6, "{} {}", of(1), of(2));
    for count in 3..16 {
        assert!((of(count) - (count as f64).sqrt().recip()).abs() < 1e-5, "{count}: {}", of(count));
    }
    // Beyond the table one step follows the count up and down.
    let mut cobalt = Cobalt { count: 15, root: ROOTS[15], ..Cobalt::new(false) };
    for count in (16..1000).chain((16..999).rev()) {
        cobalt.step(count, &RULE);
        let root = f64::from(cobalt.root) / 4_294_967_296.0;
        assert!((root * f64::from(count).sqrt() - 1.0).abs() < 2e-3, "{count}: {root}");
    }
}

#[test]
fn what_is_acceptable_is_the_longest_of_three_times() {
    assert_eq!(RULE.acceptable(0), Duration::from_millis(5));
    assert_eq!(CobaltRule { packet_time: Duration::from_millis(2), ..RULE }.acceptable(3), Duration::from_millis(12));
    assert_eq!(CobaltRule { packet_time: Duration::from_millis(2), ..RULE }.acceptable(1), Duration::from_millis(8));
    // At it is not above it.
    let mut cobalt = Cobalt::new(false);
    cobalt.decide(ms(1), Duration::from_millis(5), 0, false, &RULE, never);
    assert_eq!(cobalt.count(), 0);
    cobalt.decide(ms(1), Duration::from_ps(5_000_000_001), 0, false, &RULE, never);
    assert_eq!(cobalt.count(), 1);
}

#[test]
fn a_flood_is_dropped_for_certain_after_256_steps() {
    // A full buffer each millisecond: a step of 1/256 each 6 ms, the first time that more than 5 ms have passed.
    let mut cobalt = Cobalt::new(false);
    let full = |cobalt: &mut Cobalt, at| cobalt.on_full(ms(at), &RULE);
    (0..6 * 255).for_each(|at| full(&mut cobalt, at));
    assert_eq!(cobalt.probability(), 255.0 / 256.0);
    full(&mut cobalt, 6 * 255);
    assert_eq!(cobalt.probability(), 1.0);
    // Never sooner than 1.28 s after the beginning, however often the buffer is full.
    let (mut cobalt, mut steps) = (Cobalt::new(false), 0);
    for at in (0..).map(|i| Time::from_ps(i * 1_000_000_000 / 200)).take_while(|at| *at <= ms(1275)) {
        let before = cobalt.probability();
        cobalt.on_full(at, &RULE);
        steps += u32::from(cobalt.probability() > before);
    }
    assert_eq!(steps, 255);
    // BLUE drops packets even if they are marked.
    let chosen = cobalt.decide(ms(1280), Duration::from_millis(20), 0, true, &RULE, || 0.9);
    assert_eq!(chosen, Chosen { signal: true, lottery: true });
    assert!(!cobalt.decide(ms(1280), Duration::from_millis(20), 0, true, &RULE, || 0.999).lottery);
}

#[test]
fn an_empty_queue_comes_to_rest() {
    let mut full = Cobalt::new(false);
    for at in 0..20 {
        full.on_full(ms(at), &RULE);
        full.decide(ms(at), Duration::from_millis(20), 0, false, &RULE, || 1.0);
    }
    assert!(full.count() > 4 && full.probability() == 4.0 / 256.0);
    let (mut asked, mut at_once) = (full, full);
    let mut falls = Vec::new();
    let ends = (20..).find(|at| {
        let before = asked.probability();
        asked.on_empty(ms(*at), &RULE);
        if asked.probability() < before {
            falls.push(*at);
        }
        asked.is_at_rest(ms(*at))
    });
    let ends = ends.expect("it comes to rest");
    at_once.rest(ms(20), ms(ends), &RULE);
    // 64 steps of BLUE with 6 ms between them, asked each millisecond; the last one upwards was at 18 ms.
    assert_eq!(falls, (1..=64).map(|k| 18 + 6 * k).collect::<Vec<u64>>());
    assert_eq!((asked.count(), asked.probability()), (0, 0.0));
    assert!(at_once.is_at_rest(ms(ends)) && at_once.is_new(ms(ends + 10), false, &RULE));
    assert!(!at_once.is_new(ms(ends + 10), true, &RULE) && !full.is_new(ms(ends), false, &RULE));
}

#[test]
fn what_is_overdue_is_due_now() {
    // With marks the next signal comes a step after the last one, unless that would be in the past.
    let mut cobalt = Cobalt { count: 1, dropping: true, drop_next: ms(100), ..Cobalt::new(false) };
    cobalt.decide(ms(1000), Duration::from_millis(20), 0, true, &RULE, never);
    assert_eq!((cobalt.count(), cobalt.next_signal()), (2, Some(ms(1000))));
    // A drop leaves it in the past: the packet behind is dropped too.
    let mut cobalt = Cobalt { count: 1, dropping: true, drop_next: ms(100), ..Cobalt::new(false) };
    assert!(cobalt.decide(ms(1000), Duration::from_millis(20), 0, false, &RULE, never).signal);
    assert!(cobalt.next_signal() < Some(ms(1000)));
    assert!(cobalt.decide(ms(1000), Duration::from_millis(20), 0, false, &RULE, never).signal);
}
