use super::*;
use crate::parts::Tuning;
use headgate_packet::{Duration, Rng};

/// Thresholds of 5 and 15 packets; a packet of 1000 bytes takes a second.
fn early(change: impl Fn(&mut EarlyParams)) -> Early {
    let mut params = EarlyParams {
        min_threshold: Buffer::Packets(5),
        max_threshold: Buffer::Packets(15),
        weight: 0.002,
        max_p: 0.1,
        constant: false,
        gentle: false,
        by_bytes: false,
        mean_packet: Bytes(1000),
        tuning: Tuning::default(),
    };
    change(&mut params);
    Early::new(params, Rate::from_bps(8_000).unwrap())
}

/// Numbers of passed packets between drops, with the average held at a given value.
fn spacings(mut early: Early, average: f64, bytes: u32) -> Vec<u32> {
    let (mut rng, mut gaps, mut gap) = (Rng::new(1, 0, "red"), Vec::new(), 1);
    early.average = average;
    for _ in 0..400_000 {
        if early.chosen(bytes, || rng.uniform()) {
            gaps.push(gap);
            gap = 0;
        }
        gap += 1;
    }
    gaps
}

#[test]
fn the_lottery_by_hand() {
    // The average is 10, half way, and max_p 0.5: pb = 0.25. Chances pb / (1 - count pb): 0.25, 0.333, 0.5, 1 (without a draw).
    let mut early = early(|p| p.max_p = 0.5);
    early.average = 10.0;
    let mut numbers = [0.25, 0.34, 0.5, /* none */ 0.24, 0.3, 0.33, 0.26, 0.32].into_iter();
    let gone: Vec<bool> = (0..9).map(|_| early.chosen(1000, || numbers.next().expect("a number"))).collect();
    assert_eq!(gone, [false, false, false, true, true, false, true, false, true]);
    assert_eq!(numbers.next(), None);
    // Outside the thresholds nothing is drawn, and counting starts again below.
    early.average = 4.9;
    assert!(!early.chosen(1000, || unreachable!()));
    early.average = 15.0;
    assert!(early.chosen(1000, || unreachable!()));
}

#[test]
fn a_chance_for_each_arrival() {
    let mut params = early(|_| ());
    let chance = |early: &Early| early.chance(1000, || 0.4);
    for (average, linear, constant) in [(4.9, None, None), (10.0, Some(0.2), Some(0.4)), (15.0, Some(1.0), Some(1.0))] {
        params.average = average;
        assert_eq!(chance(&params), linear);
        let constantly = Early { params: EarlyParams { constant: true, ..params.params.clone() }, ..params.clone() };
        assert_eq!(chance(&constantly), constant);
    }
    params.average = 10.0;
    assert!(params.chosen_alone(1000, || 0.4, || 0.19) && !params.chosen_alone(1000, || 0.4, || 0.2));
}

#[test]
fn spacing_is_uniform_up_to_the_inverse_of_pb() {
    // Half way between the thresholds with max_p = 0.1, pb is 0.05: spacings 1 to 20, each as often (section 7, method 2).
    let gaps = spacings(early(|_| ()), 10.0, 1000);
    let mean = gaps.iter().sum::<u32>() as f64 / gaps.len() as f64;
    assert!((mean - 10.5).abs() < 0.1, "{mean}");
    assert_eq!((gaps.iter().min(), gaps.iter().max()), (Some(&1), Some(&20)));
    let expected = gaps.len() as f64 / 20.0;
    let chi2: f64 =
        (1..=20).map(|k| (gaps.iter().filter(|g| **g == k).count() as f64 - expected).powi(2) / expected).sum();
    assert!(chi2 < 43.8, "chi squared {chi2}, 19 degrees of freedom, 0.999 quantile 43.8");
}

#[test]
fn the_regions() {
    let share =
        |average: f64, gentle: bool| spacings(early(|p| p.gentle = gentle), average, 1000).len() as f64 / 400_000.0;
    assert_eq!(share(4.99, false), 0.0);
    assert_eq!(share(15.0, false), 1.0);
    // Mean spacing (1 + 1 / pb) / 2 with pb = 0.1 at the upper threshold, and with gentle pb = 0.55 half way to twice it: 1 or 2.
    assert!((share(14.999, false) - 1.0 / 5.5).abs() < 0.002);
    assert!((share(22.5, true) - 1.0 / 1.45).abs() < 0.01, "{}", share(22.5, true));
    assert_eq!(share(30.0, true), 1.0);
}

#[test]
fn long_packets_go_more_often_by_bytes() {
    let by_bytes = |p: &mut EarlyParams| (p.max_p, p.by_bytes) = (0.04, true);
    let share = |bytes| spacings(early(by_bytes), 10.0, bytes).len() as f64;
    let ratio = share(1000) / share(500);
    // (1 + 1 / 0.01) / (1 + 1 / 0.02)
    assert!((ratio - 101.0 / 51.0).abs() < 0.06, "{ratio}");
}

#[test]
fn the_average_follows_arrivals_and_decays_when_idle() {
    let second = |s: u64| Time::ZERO + Duration::from_secs(s);
    let waiting = |packets| Backlog { packets, bytes: 1000 * packets };
    let mut early = early(|p| p.weight = 0.25);
    // Queues of 0, 1, 2 are found: 0, 0.25, 0.6875.
    (0..3).for_each(|found| early.on_arrival(Time::ZERO, waiting(found)));
    assert_eq!(early.average(), 0.6875);
    (0..3).for_each(|s| early.on_start(second(s), 1000, waiting(2 - s)));
    // A packet takes a second: the line is idle from 3 s, and two packets' worth later the average has decayed twice.
    early.on_arrival(second(5), waiting(0));
    assert!((early.average() - 0.6875 * 0.75 * 0.75).abs() < 1e-12, "{}", early.average());
    // A packet that was found at 7 s is evicted, the next arrival finds nothing at 8 s: one sample was missed, not three.
    early.on_arrival(second(7), waiting(1));
    let before = early.average();
    early.on_arrival(second(8), waiting(0));
    assert!((early.average() - 0.75 * before).abs() < 1e-12, "{}", early.average());
}

#[test]
fn at_the_lower_threshold_packets_are_counted() {
    // pb is 0 at the threshold itself, but an arrival that passes counts: then, half way with pb = 0.25, the chance is 0.25 / (1 - 0.25) = 0.333.
    for pass in [|early: &mut Early| assert!(!early.chosen(1000, || 0.0)), Early::exempt] {
        let mut early = early(|p| p.max_p = 0.5);
        early.average = 5.0;
        pass(&mut early);
        early.average = 10.0;
        assert!(early.chosen(1000, || 0.33), "one packet has passed");
        // Below the threshold counting starts again: 0.25 again.
        early.exempt();
        early.average = 4.99;
        pass(&mut early);
        early.average = 10.0;
        assert!(!early.chosen(1000, || 0.26), "none has passed since");
    }
}

#[test]
fn an_arrival_as_the_line_becomes_idle_takes_an_empty_queue_as_a_sample() {
    let second = Time::from_ps(1_000_000_000_000);
    let mut early = early(|p| p.weight = 0.25);
    early.average = 8.0;
    early.on_start(Time::ZERO, 1000, Backlog::default());
    early.on_arrival(second, Backlog::default());
    assert_eq!(early.average(), 6.0);
}
