//! Worked examples: the module's arithmetic, and the steady states that follow from it.

use super::*;
use headgate_packet::Rng;

fn ms(ms: u64) -> Time {
    Time::ZERO + Duration::from_millis(ms)
}

fn loss(kind: LossKind, now: Time) -> Loss {
    Loss { now, kind, in_flight: 100, remaining: 0, again: false, used: u64::MAX, left: None }
}

/// A flow past slow start with this window and this round trip.
fn flow(window: u64, rtt: Duration, params: &PragueParams) -> Prague {
    let mut p = Prague::new(params);
    p.on_start(window);
    (p.threshold, p.smoothed) = (window, Some(rtt));
    p
}

fn default(window: u64) -> Prague {
    flow(window, Duration::from_millis(40), &PragueParams::default())
}

/// An acknowledgement of this many packets, of which some carry a mark.
fn ack(p: &mut Prague, delivered: u64, marks: u64, now: Time) {
    p.on_delivered(delivered, marks, false);
    let smoothed = p.smoothed;
    // Nothing of the present round trip is acknowledged yet.
    p.end = u64::MAX;
    p.on_ack(&Ack { now, delivered, smoothed, limited: true, ..Ack::default() });
}

/// A round trip of this many packets ends, of which some carried a mark.
fn round(p: &mut Prague, packets: u64, marks: u64, now: Time) {
    p.on_delivered(packets, marks, true);
    p.end = 0;
    p.on_ack(&Ack { now, smoothed: p.smoothed, ..Ack::default() });
}

#[test]
fn the_share_of_marks_by_hand() {
    let shares = |marks: &[u64]| {
        let mut p = default(100);
        p.saw_mark = true;
        let each = |m: &u64| {
            round(&mut p, 100, *m, Time::ZERO);
            p.alpha
        };
        marks.iter().map(each).collect::<Vec<f64>>()
    };
    let near = |got: Vec<f64>, due: &[f64]| got.iter().zip(due).all(|(g, d)| (g - d).abs() < 6e-5);
    assert!(near(shares(&[0; 6]), &[0.9375, 0.8789, 0.8240, 0.7725, 0.7242, 0.6789]));
    assert!(near(shares(&[25; 5]), &[0.9531, 0.9092, 0.8680, 0.8294, 0.7931]));
}

#[test]
fn the_share_stays_1_until_the_first_mark() {
    let mut p = default(100);
    (0..100).for_each(|n| round(&mut p, 100, 0, ms(40 * n)));
    assert!((p.alpha - 1.0).abs() < 1e-12);
    round(&mut p, 100, 1, ms(4000));
    assert!((p.alpha - (1.0 - 0.99 / 16.0)).abs() < 1e-12);
}

#[test]
fn short_round_trips_add_as_much_a_second_as_the_virtual_one() {
    for (rtt_us, due) in [
        (500, 0.0004),
        (1000, 0.0016),
        (5000, 0.04),
        (10_000, 0.16),
        (15_000, 0.36),
        (20_000, 0.64),
        (25_000, 1.0),
        (60_000, 1.0),
        (200_000, 1.0),
    ] {
        let mut p = flow(100, Duration::from_ps(rtt_us * 1_000_000), &PragueParams::default());
        assert!((p.increase() - 1.0).abs() < 1e-12, "{rtt_us}: before the transition");
        p.rounds = 500;
        assert!((p.increase() - due).abs() < 1e-12, "{rtt_us}");
    }
}

#[test]
fn a_mark_takes_half_the_share_and_a_loss_half_one_packet_an_acknowledgement() {
    for (alpha, kind, due) in [
        (1.0, LossKind::Mark, 50.0),
        (0.5, LossKind::Mark, 75.0),
        (0.1, LossKind::Mark, 95.0),
        (0.1, LossKind::DuplicateAcks, 50.0),
    ] {
        let mut p = default(100);
        p.alpha = alpha;
        p.on_loss(&loss(kind, ms(1)));
        assert!((p.exact - due).abs() < 1e-9 && p.window == 100, "{alpha} {kind:?}");
        // Marked packets open nothing.
        for n in 1..=60 {
            ack(&mut p, 1, 1, ms(1));
            assert_eq!(p.window, (100 - n).max(due as u64));
        }
        assert!(!p.in_slow_start());
    }
    let mut p = default(100);
    p.on_loss(&loss(LossKind::Timeout, ms(1)));
    assert_eq!((p.window, p.threshold, p.in_slow_start()), (1, 50, true));
}

#[test]
fn packets_without_a_mark_open_the_window_in_a_round_trip_with_marks_too() {
    let mut p = default(10);
    p.alpha = 0.2;
    p.on_loss(&loss(LossKind::Mark, ms(1)));
    // 9 packets; 4 of the 6 that arrive are not marked.
    ack(&mut p, 6, 2, ms(1));
    assert!((p.exact - (9.0 + 4.0 / 9.0)).abs() < 1e-9, "{}", p.exact);
    // While a loss is repaired, or the window is not in use, nothing does.
    for (repairing, limited) in [(true, true), (false, false)] {
        let (before, end) = (p.exact, p.end);
        p.on_delivered(5, 0, false);
        p.on_ack(&Ack { delivered: 5, repairing, limited, cumulative: 0, smoothed: p.smoothed, ..Ack::default() });
        assert!((p.exact - before).abs() < 1e-12 && p.end == end);
    }
}

#[test]
fn the_first_mark_ends_slow_start() {
    let mut p = Prague::new(&PragueParams::default());
    p.on_start(10);
    ack(&mut p, 10, 0, ms(1));
    assert_eq!((p.window, p.in_slow_start()), (20, true));
    p.on_loss(&loss(LossKind::Mark, ms(2)));
    for _ in 0..10 {
        ack(&mut p, 1, 1, ms(2));
    }
    assert_eq!((p.window, p.exact, p.in_slow_start()), (10, 10.0, false));
}

#[test]
fn reductions_and_averages_are_a_virtual_round_trip_apart() {
    let mut p = flow(100, Duration::from_millis(5), &PragueParams::default());
    (p.alpha, p.saw_mark) = (0.5, true);
    let exact = |p: &mut Prague, at: u64| {
        p.on_loss(&loss(LossKind::Mark, ms(at)));
        p.exact
    };
    // Before the transition each round trip counts.
    assert_eq!([exact(&mut p, 100), exact(&mut p, 105)], [75.0, 56.25]);
    (p.rounds, p.window, p.threshold) = (500, 57, 57);
    assert_eq!([exact(&mut p, 129), exact(&mut p, 130)], [56.25, 42.1875]);
    round(&mut p, 10, 10, ms(130));
    let alpha = p.alpha;
    round(&mut p, 10, 10, ms(154));
    assert_eq!((p.alpha, p.arrived), (alpha, 20 - 10));
    round(&mut p, 10, 10, ms(155));
    assert!(p.alpha > alpha && p.arrived == 0);
}

#[test]
fn it_paces_a_window_a_round_trip_and_two_in_slow_start() {
    let mut p = Prague::new(&PragueParams::default());
    p.on_start(100);
    assert!(p.allowance().rate.is_infinite());
    p.smoothed = Some(Duration::from_millis(10));
    // 20 000 packets a second for 2^-12 s.
    assert_eq!(p.allowance(), Allowance { window: 100, rate: 20_000.0, burst: 4 });
    p.threshold = 200;
    assert_eq!(p.allowance(), Allowance { window: 100, rate: 10_000.0, burst: 2 });
    p.smoothed = Some(Duration::from_millis(100));
    assert_eq!(p.allowance().burst, 1);
}

#[test]
fn what_was_spurious_is_taken_back() {
    let mut p = default(100);
    p.on_loss(&loss(LossKind::DuplicateAcks, ms(1)));
    ack(&mut p, 1, 0, ms(1));
    p.on_undo();
    assert_eq!((p.window, p.exact, p.threshold), (100, 100.0, 100));
}

/// Marks at random with probability p give 2 (1 - p) / p packets, and about a tenth more since the share is that of the past: the sheet's simulation of
/// rounds gives 8.8, 19.9, 42.2 and 108.2.
#[test]
fn random_marks_give_the_window_of_a_scalable_control() {
    for (probability, due) in [(0.2, 8.8), (0.1, 19.9), (0.05, 42.2), (0.02, 108.2)] {
        let (mut p, mut rng) = (default(due as u64), Rng::new(1, 0, "marks"));
        let (mut sum, rounds) = (0.0, 40_000);
        for n in 0..rounds {
            let now = ms(40 * n);
            let (packets, mut cut) = (p.window, false);
            for k in 0..packets {
                let marks = u64::from(rng.uniform() < probability);
                p.on_delivered(1, marks, false);
                if marks == 1 && !cut {
                    p.on_loss(&loss(LossKind::Mark, now));
                    cut = true;
                }
                p.end = if k + 1 == packets { 0 } else { u64::MAX };
                p.on_ack(&Ack { now, delivered: 1, smoothed: p.smoothed, limited: true, ..Ack::default() });
            }
            sum += p.exact;
        }
        let mean = sum / rounds as f64;
        assert!((mean / due - 1.0).abs() < 0.1, "{probability}: {mean}, {due} expected");
    }
}

#[test]
fn where_all_is_marked_two_packets_stay() {
    let mut p = default(10);
    for n in 0..50 {
        p.on_loss(&loss(LossKind::Mark, ms(40 * n)));
        ack(&mut p, 2, 2, ms(40 * n));
    }
    assert_eq!((p.window, p.exact, p.allowance().rate), (2, 2.0, 50.0));
}

#[test]
fn round_trips_count_from_slow_start_on_and_end_with_what_was_sent_at_their_start() {
    let mut p = Prague::new(&PragueParams::default());
    p.on_start(10);
    let each = |p: &mut Prague, cumulative: u64, highest_sent: u64| {
        p.on_delivered(1, 0, false);
        p.on_ack(&Ack { cumulative, highest_sent, ..Ack::default() });
        (p.rounds, p.arrived)
    };
    assert_eq!([each(&mut p, 1, 10), each(&mut p, 2, 12)], [(0, 0), (0, 1)]);
    p.threshold = 10;
    // Packet 9 ends the one that began when 10 had been sent; the next one lasts until 19 is acknowledged.
    let got = [(9, 19), (10, 20), (19, 29), (20, 30)].map(|(cumulative, sent)| each(&mut p, cumulative, sent));
    assert_eq!(got, [(0, 2), (1, 0), (1, 1), (2, 0)]);
}

#[test]
fn slow_start_ends_at_the_threshold() {
    let mut p = Prague::new(&PragueParams::default());
    p.on_start(10);
    p.threshold = 14;
    ack(&mut p, 10, 0, ms(1));
    // 4 packets of 10 reach it; the other 6 add 6 / 14.
    assert!((p.exact - (14.0 + 6.0 / 14.0)).abs() < 1e-9 && p.window == 15);
}

#[test]
fn at_a_classic_queue_a_mark_takes_what_the_fall_back_says_at_least() {
    for (on, alpha, score, due) in [
        (true, 0.1, 17.0, 100.0 - 31.25),
        (true, 0.1, 8.5, 100.0 - 15.625),
        (true, 0.1, 8.0, 95.0),
        (true, 0.8, 17.0, 60.0),
        (false, 0.1, 17.0, 95.0),
    ] {
        let mut p = flow(
            100,
            Duration::from_millis(40),
            &PragueParams { classic_fallback: on, ..PragueParams::default() },
        );
        p.alpha = alpha;
        p.fallback.iter_mut().for_each(|f| f.set_score(score));
        p.on_loss(&loss(LossKind::Mark, ms(1)));
        assert!((p.exact - due).abs() < 1e-9, "{on} {alpha} {score}: {}", p.exact);
        let mut gauge = None;
        p.probe(&mut |name, value| gauge = if name == "classic" { Some(value) } else { gauge });
        assert_eq!(gauge, on.then(|| (score - 8.0).clamp(0.0, 1.0)));
    }
}

/// Round trips of 10 packets, in which the queue grows from nothing to 18 ms; the threshold is 3 packets, so that a sample counts a quarter after a loss.
#[test]
fn the_fall_back_is_found_by_what_the_round_trips_do_from_the_first_mark_on() {
    let params = PragueParams { classic_fallback: true, ..PragueParams::default() };
    let mut p = flow(3, Duration::from_millis(40), &params);
    let rounds = |p: &mut Prague, count: u64, marks: u64| {
        for n in 0..count {
            for k in 0..10 {
                p.on_delivered(1, if k == 9 { marks } else { 0 }, false);
                p.end = if k == 9 { 0 } else { u64::MAX };
                let rtt = Some(Duration::from_millis(40 + 2 * k));
                p.on_ack(&Ack { now: ms(60 * n), rtt, delivered: 1, smoothed: p.smoothed, ..Ack::default() });
            }
        }
        p.fallback.as_ref().map(|f| f.part())
    };
    p.on_loss(&loss(LossKind::DuplicateAcks, ms(1)));
    assert_eq!(rounds(&mut p, 50, 0), Some(0.0), "nothing marks");
    // About 5 ms of deviation and 12 ms of queue at its end: each round trip adds 2.7.
    assert_eq!(rounds(&mut p, 2, 1), Some(0.0));
    assert_eq!(rounds(&mut p, 2, 1), Some(1.0));
    assert_eq!(rounds(&mut flow(3, Duration::from_millis(40), &params), 50, 1), Some(0.0), "before a threshold is known");
}
