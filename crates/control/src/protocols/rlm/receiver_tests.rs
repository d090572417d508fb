use super::*;
use headgate_packet::Rng;
use proptest::prelude::{Just, ProptestConfig, any, prop, prop_assert, prop_assert_eq, prop_oneof, proptest};

fn at(s: f64) -> Time {
    Time::ZERO + Duration::from_secs_f64(s)
}

/// A receiver that has begun, with a number for the next packet of each layer.
struct Bench {
    r: Receiver,
    numbers: [u64; MOST],
}

impl Bench {
    fn new(layers: u8, seed: u64) -> Bench {
        let params = RlmParams { join_latency: Duration::ZERO, leave_latency: Duration::ZERO, ..RlmParams::default() };
        let mut r = Receiver::new(&params, layers, Rng::new(seed, 0, "rlm"));
        r.start(Time::ZERO);
        Bench { r, numbers: [0; MOST] }
    }
    /// A packet of a level arrives, after `lost` others that do not.
    fn packet(&mut self, level: usize, lost: u64, now: Time) {
        let number = self.numbers[level - 1] + lost;
        self.numbers[level - 1] = number + 1;
        assert!(!self.r.on_packet(level as u8 - 1, number, now), "it comes for the first time");
    }
    /// Time passes until an experiment adds a level. Returns when that was.
    fn climb(&mut self, level: usize) -> Time {
        while self.r.level < level {
            let now = self.r.timeout();
            for joined in 1..=self.r.level {
                self.packet(joined, 0, now);
            }
            self.r.on_timeout(now);
        }
        self.r.layer(level).added.expect("it was added")
    }
    fn timers(&self) -> Vec<f64> {
        self.r.layers().iter().map(|layer| layer.timer).collect()
    }
}

fn near(time: Time, due: Time) {
    assert!((time.as_secs_f64() - due.as_secs_f64()).abs() < 1e-9, "{time:?} and not {due:?}");
}

#[test]
fn a_join_that_costs_packets_is_taken_back() {
    let mut b = Bench::new(4, 1);
    assert_eq!((b.r.level, b.r.state), (1, State::Steady));
    assert!((at(2.5)..at(22.5)).contains(&b.r.join_due), "half of 5 s, and at most four times 5 s");
    let joined = b.climb(2);
    assert_eq!((b.r.level, b.r.state, b.timers()), (2, State::Steady, vec![5.0; 4]));
    // The first packet since the join is no loss, whatever its number; one that misses a predecessor is.
    b.packet(2, 1000, joined + Duration::from_millis(100));
    assert_eq!(b.r.level, 2);
    let lost = joined + Duration::from_millis(400);
    b.packet(1, 1, lost);
    assert_eq!((b.r.level, b.r.state, b.timers()), (1, State::Drop, vec![5.0, 10.0, 10.0, 10.0]));
    // 5 + (0.4 - 5) / 4, and 2 + (4.6 - 2) / 4; the state lasts for 3.85 + 1.5 x 2.65 s.
    let (mean, deviation) = b.r.detection;
    assert!((mean - 3.85).abs() < 1e-9 && (deviation - 2.65).abs() < 1e-9, "{mean} {deviation}");
    near(b.r.detection_due, lost + Duration::from_millis(7825));
    // What is lost now was sent before the leave took effect.
    b.packet(1, 7, lost + Duration::from_secs(1));
    assert_eq!((b.r.level, b.r.state), (1, State::Drop));
    b.r.join_due = Time::NEVER;
    b.r.on_timeout(lost + Duration::from_millis(7826));
    assert_eq!(b.r.state, State::Steady);
    // The experiment is recent for 3.85 + 2 x 2.65 = 9.15 s from the join: this loss is still its.
    b.packet(1, 1, joined + Duration::from_millis(9149));
    assert_eq!((b.r.level, b.r.state, b.timers()), (1, State::Hysteresis, vec![5.0, 20.0, 20.0, 20.0]));
    assert!(b.r.join_due >= joined + Duration::from_millis(9149 + 10_000), "the join timer begins again, with 20 s");
}

#[test]
fn a_loss_later_than_an_experiment_is_not_its() {
    let mut b = Bench::new(4, 2);
    let joined = b.climb(2);
    // 5 + 2 x 2 = 9 s after the join.
    b.packet(1, 1, joined + Duration::from_millis(9000));
    assert_eq!((b.r.level, b.r.state, b.timers()), (2, State::Hysteresis, vec![5.0; 4]));
    let mut b = Bench::new(4, 2);
    let joined = b.climb(2);
    b.packet(1, 1, joined + Duration::from_millis(8999));
    assert_eq!((b.r.level, b.r.state), (1, State::Drop));
}

#[test]
fn losses_that_no_experiment_explains_are_counted_before_a_layer_is_left() {
    let mut b = Bench::new(7, 3);
    let joined = b.climb(3);
    let first = joined + Duration::from_secs(10);
    b.packet(3, 0, first);
    b.packet(3, 5, first);
    assert_eq!(b.r.state, State::Hysteresis);
    near(b.r.detection_due, first + Duration::from_secs(8));
    b.packet(2, 50, first + Duration::from_secs(1));
    assert_eq!(b.r.state, State::Hysteresis, "others may cause these");
    b.r.join_due = Time::NEVER;
    let measured = first + Duration::from_secs(8);
    b.r.on_timeout(measured);
    assert_eq!(b.r.state, State::Measurement);
    // 5 + (3/2 + 1.5) x 2 s.
    near(b.r.detection_due, measured + Duration::from_secs(11));
    // Nine arrived and ten are lost: too few to decide. With the tenth, and the eleventh loss, they are enough.
    for _ in 0..8 {
        b.packet(1, 0, measured);
    }
    b.packet(1, 10, measured);
    assert_eq!((b.r.level, b.r.state), (3, State::Measurement));
    b.packet(1, 1, measured);
    assert_eq!((b.r.level, b.r.state, b.timers()), (2, State::Drop, vec![5.0; 7]));
}

#[test]
fn a_quarter_of_losses_is_not_more_than_a_quarter() {
    for (lost, level) in [(4, 3), (5, 2)] {
        let mut b = Bench::new(7, 3);
        let joined = b.climb(3);
        let first = joined + Duration::from_secs(10);
        b.packet(3, 0, first);
        b.packet(3, 5, first);
        b.r.join_due = Time::NEVER;
        let measured = first + Duration::from_secs(8);
        b.r.on_timeout(measured);
        (0..11).for_each(|_| b.packet(1, 0, measured));
        // 4 of 16 are a quarter.
        b.packet(1, lost, measured);
        assert_eq!(b.r.level, level, "{lost} of {}", 12 + lost);
        if level == 3 {
            b.r.on_timeout(b.r.detection_due);
            assert_eq!(b.r.state, State::Steady);
        }
    }
}

#[test]
fn a_loss_soon_after_the_start_is_measured() {
    let mut b = Bench::new(7, 4);
    b.packet(1, 0, at(0.1));
    b.packet(1, 1, at(1.0));
    assert_eq!(b.r.state, State::Measurement);
    near(b.r.detection_due, at(1.0 + 5.0 + 2.0 * 2.0));
    // The lowest layer is kept, however much is lost.
    (0..30).for_each(|_| b.packet(1, 9, at(1.1)));
    assert_eq!((b.r.level, b.r.state), (1, State::Drop));
    assert!(b.r.carries(0, at(1.1)));
}

#[test]
fn it_joins_only_in_the_steady_state_with_nothing_tried_and_packets_coming() {
    let mut b = Bench::new(7, 5);
    let due = b.r.join_due;
    b.r.on_timeout(due);
    assert_eq!(b.r.level, 1, "no packet has arrived");
    assert!(b.r.join_due > due);
    let joined = b.climb(2);
    // The detection time was too short: none arrived until then.
    assert!((b.r.detection.0 - 5.0).abs() < 1e-9 || b.r.detection.0 >= 1.2 * 5.0);
    b.r.detection.0 = 5.0;
    b.packet(2, 0, joined);
    b.r.join_due = joined + Duration::from_secs(8);
    b.r.on_timeout(b.r.join_due);
    assert_eq!(b.r.level, 2, "the last experiment may still fail");
    b.r.join_due = joined + Duration::from_secs(9);
    b.r.on_timeout(b.r.join_due);
    assert_eq!(b.r.level, 3);
    b.packet(3, 0, joined + Duration::from_secs(10));
    for (seconds, state, level) in [
        (99, State::Hysteresis, 3),
        (100, State::Measurement, 3),
        (101, State::Drop, 3),
        (102, State::Steady, 4),
    ] {
        b.r.state = state;
        (b.r.join_due, b.r.detection_due) = (joined + Duration::from_secs(seconds), Time::NEVER);
        b.r.on_timeout(b.r.join_due);
        assert_eq!(b.r.level, level, "{state:?}");
    }
}

#[test]
fn what_arrived_before_a_layer_was_left_does_not_count_when_it_is_joined_again() {
    let mut b = Bench::new(2, 13);
    let joined = b.climb(2);
    b.packet(2, 0, joined + Duration::from_secs(1));
    b.packet(1, 1, joined + Duration::from_secs(2));
    assert_eq!((b.r.level, b.r.state), (1, State::Drop));
    let again = b.climb(2);
    assert!(!b.r.layer(2).delivers, "nothing of it has arrived since then");
    // The source made packets of the layer all the time; none of them was to arrive.
    b.packet(2, 5000, again + Duration::from_secs(1));
    assert_eq!((b.r.level, b.r.state), (2, State::Steady), "they are not lost");
    assert!(b.r.layer(2).delivers);
    b.packet(2, 1, again + Duration::from_secs(2));
    assert_eq!((b.r.level, b.r.state), (1, State::Drop), "this one is");
}

#[test]
fn after_a_leave_the_receiver_waits_for_a_whole_detection_time_again() {
    let mut b = Bench::new(3, 14);
    let joined = b.climb(2) + Duration::from_secs(20);
    b.r.measure(joined);
    near(b.r.detection_due, joined + Duration::from_secs(5 + 5));
    let left = joined + Duration::from_secs(4);
    (0..10).for_each(|_| b.packet(2, 1, left));
    assert_eq!((b.r.level, b.r.state), (1, State::Drop));
    near(b.r.detection_due, left + Duration::from_secs(5 + 3));
}

#[test]
fn a_loss_is_blamed_on_the_highest_layer_that_is_tried() {
    let mut b = Bench::new(4, 15);
    let joined = b.climb(3);
    // The detection time has grown since layer 2 was joined, so that its experiment is under way again.
    (b.r.layers[1].experiment, b.r.layers[2].experiment) = (Some(joined), Some(joined));
    b.packet(1, 1, joined + Duration::from_secs(1));
    assert_eq!((b.r.level, b.timers()), (2, vec![5.0, 5.0, 10.0, 10.0]));
}

#[test]
fn a_loss_soon_after_the_layer_above_was_tried_sets_its_timer_again() {
    let mut b = Bench::new(4, 16);
    let joined = b.climb(2);
    b.r.level = 1;
    b.r.join_due = joined;
    b.packet(1, 1, joined + Duration::from_secs(1));
    // It has 10 s now, so the wait is at least half of that.
    assert_eq!((b.r.level, b.timers()), (1, vec![5.0, 10.0, 10.0, 10.0]));
    assert!(b.r.join_due >= joined + Duration::from_secs(6), "{:?}", b.r.join_due);
}

#[test]
fn a_layer_that_takes_longer_to_come_than_the_detection_time_lengthens_it() {
    let mut b = Bench::new(7, 6);
    for (due, mean) in [(4.0, 5.0), (6.0, 7.2), (7.0, 7.2), (10.0, 12.0)] {
        b.r.join_due = at(due);
        b.r.on_timeout(at(due));
        assert!((b.r.detection.0 - mean).abs() < 1e-9, "{} at {due} s", b.r.detection.0);
    }
    assert_eq!(b.r.level, 1);
}

#[test]
fn quiet_times_shorten_the_timer_of_the_present_layer() {
    let mut b = Bench::new(3, 7);
    b.climb(2);
    b.r.join_due = Time::NEVER;
    b.r.layers[1].timer = 16.0;
    b.r.enter(State::Steady, at(100.0));
    for (end, timer) in [(108.0, 12.0), (116.0, 9.0), (124.0, 6.75), (132.0, 5.0625), (140.0, 5.0)] {
        near(b.r.detection_due, at(end));
        b.r.on_timeout(b.r.detection_due);
        assert_eq!((b.r.state, b.timers()), (State::Steady, vec![5.0, timer, 5.0]), "at {end} s");
    }
}

#[test]
fn timers_of_failed_layers_double_up_to_the_greatest() {
    let mut b = Bench::new(4, 8);
    for timer in [10.0, 20.0, 40.0, 60.0, 60.0] {
        b.r.back_off(3);
        assert_eq!(b.timers(), [5.0, 5.0, timer, timer]);
    }
    b.r.back_off(2);
    assert_eq!(b.timers(), [5.0, 10.0, 60.0, 60.0]);
}

#[test]
fn at_the_top_no_join_timer_runs_and_below_it_one_does() {
    let mut b = Bench::new(2, 9);
    let joined = b.climb(2);
    assert_eq!(b.r.join_due, Time::NEVER);
    b.packet(1, 1, joined + Duration::from_secs(1));
    assert_eq!(b.r.level, 1);
    assert!(b.r.join_due > joined && b.r.join_due != Time::NEVER);
}

#[test]
fn the_wait_for_a_join_is_half_the_timer_and_an_exponential_cut_at_four_times() {
    let mut b = Bench::new(2, 10);
    b.r.layers[1].timer = 8.0;
    let n = 100_000;
    let waits: Vec<f64> = (0..n)
        .map(|_| {
            b.r.arm_join(at(1.0));
            b.r.join_due.as_secs_f64() - 1.0
        })
        .collect();
    assert!(waits.iter().all(|wait| (4.0..36.0).contains(wait)));
    // Mean of an exponential cut at 4 means: 1 - 4 e^-4 / (1 - e^-4) = 0.9254; standard error 8 / sqrt(n) = 0.025.
    let mean = waits.iter().sum::<f64>() / f64::from(n);
    assert!((mean - (4.0 + 8.0 * 0.9254)).abs() < 0.1, "{mean}");
}

#[test]
fn packets_that_arrive_late_or_twice_or_of_a_layer_that_was_left_are_no_losses() {
    let mut b = Bench::new(3, 11);
    for (number, duplicate, lost) in
        [(5, false, 0), (6, false, 0), (8, false, 1), (7, false, 1), (7, true, 1), (8, true, 1), (9, false, 1), (90, false, 81), (8, true, 81)]
    {
        assert_eq!((b.r.on_packet(0, number, at(1.0)), b.r.counts.1), (duplicate, lost), "number {number}");
    }
    assert!(!b.r.on_packet(1, 4, at(1.0)) && !b.r.on_packet(1, 8, at(1.0)), "it is not joined");
    assert_eq!(b.r.counts.1, 81);
}

#[test]
fn rates_are_packets_of_the_last_second() {
    let mut b = Bench::new(2, 12);
    let mut rates = vec![];
    for (s, level) in [(0.1, 1), (0.2, 2), (0.9, 1), (1.5, 1), (2.0, 1), (4.0, 1), (5.0, 2)] {
        b.packet(level, 0, at(s));
        rates.push([b.r.layers[0].rate, b.r.layers[1].rate]);
    }
    assert_eq!(rates, [[0, 0], [0, 0], [0, 0], [2, 1], [1, 0], [0, 0], [1, 0]]);
}

/// What happens on a line that loses each packet with a probability that depends on the level: all levels and timers.
fn lossy(seed: u64, loss: [f64; 8], end: f64) -> Vec<(Time, usize, Vec<f64>)> {
    let mut b = Bench::new(7, seed);
    let mut rng = Rng::new(seed, 1, "channel");
    let (mut log, mut due) = (vec![], [0.0f64; 7]);
    loop {
        let k = (0..7).min_by(|a, b| due[*a].total_cmp(&due[*b])).unwrap();
        let now = at(due[k]).min(b.r.timeout());
        if now > at(end) {
            return log;
        }
        if now == b.r.timeout() {
            b.r.on_timeout(now);
            assert!(b.r.timeout() > now, "each timer that ran out is set for later");
        } else {
            due[k] += 0.25 / f64::from(1 << k);
            let number = b.numbers[k];
            b.numbers[k] += 1;
            if b.r.carries(k as u8, now) && rng.uniform() >= loss[b.r.level] {
                b.r.on_packet(k as u8, number, now);
            }
        }
        if log.last().is_none_or(|last: &(Time, usize, Vec<f64>)| last.1 != b.r.level || last.2 != b.timers()) {
            log.push((now, b.r.level, b.timers()));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn whatever_is_lost_levels_and_timers_keep_within_their_bounds(
        seed in any::<u64>(),
        loss in prop::array::uniform8(prop_oneof![Just(0.0), 0.0..0.01f64, 0.0..1.0f64]),
    ) {
        let log = lossy(seed, loss, 200.0);
        for (now, level, timers) in &log {
            prop_assert!((1..=7).contains(level), "{level} at {now:?}");
            prop_assert!(timers.iter().all(|timer| (5.0..=60.0).contains(timer)), "{timers:?} at {now:?}");
        }
        prop_assert!(log.windows(2).all(|w| w[0].1.abs_diff(w[1].1) <= 1), "one layer at a time");
        prop_assert_eq!(lossy(seed, loss, 200.0), log, "the same seed repeats");
    }
}

#[test]
fn a_line_without_losses_ends_with_all_layers_and_one_for_three_layers_with_three() {
    for seed in 1..6 {
        assert_eq!(lossy(seed, [0.0; 8], 400.0).last().unwrap().1, 7);
        let log = lossy(seed, [0.0, 0.0, 0.0, 0.0, 0.3, 0.5, 0.5, 0.5], 1000.0);
        assert!(log.iter().all(|(_, level, _)| *level <= 4), "each experiment fails at once");
        let (mut three, mut four) = (0.0, 0.0);
        for w in log.windows(2).filter(|w| w[0].0 > at(100.0)) {
            let span = w[1].0.since(w[0].0).as_secs_f64();
            match w[0].1 {
                3 => three += span,
                4 => four += span,
                level => panic!("level {level} of three that fit"),
            }
        }
        assert!(four < 0.05 * three, "{four} s in experiments, {three} s without");
    }
}

#[test]
fn joins_and_leaves_reach_the_network_after_the_millisecond_of_the_defaults() {
    let mut r = Receiver::new(&RlmParams::default(), 2, Rng::new(17, 0, "rlm"));
    let half = Duration::from_secs_f64(0.0005);
    r.start(at(1.0));
    assert_eq!([at(1.0), at(1.0) + half, at(1.001)].map(|now| r.carries(0, now)), [false, false, true]);
    r.join(at(2.0));
    assert_eq!([at(2.0) + half, at(2.001)].map(|now| r.carries(1, now)), [false, true]);
    r.leave_for_drop(at(3.0));
    assert_eq!([at(3.0) + half, at(3.001)].map(|now| r.carries(1, now)), [true, false]);
}
