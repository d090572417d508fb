//! RFC 8033's controller and lottery, worked out by hand and by a table of our own calculation.

use super::*;

/// The probabilities after so many steps at a delay that is constant from the first step on.
fn after(steps: &[u32], delay: f64) -> Vec<f64> {
    let (params, mut state, mut found) = (PieParams::default(), State::default(), Vec::new());
    for k in 1..=*steps.last().expect("steps") {
        state.step(delay, &params);
        if steps.contains(&k) {
            found.push(state.probability);
        }
    }
    found
}

#[test]
fn the_probability_follows_the_controller() {
    // By hand, at 30 ms: (0.125 * 0.015 + 1.25 * 0.030) / 2048, then 0.001875 / 128 more.
    let first = (0.125 * 0.015 + 1.25 * 0.030) / 2048.0;
    let found = after(&[1, 2], 0.030);
    assert!((found[0] - first).abs() < 1e-15 && (found[1] - first - 0.001875 / 128.0).abs() < 1e-15, "{found:?}");
    let steps = [1, 2, 5, 10, 20, 50, 100, 200];
    let table = [
        (0.020, [1.251e-5, 1.740e-5, 3.204e-5, 5.646e-5, 1.199e-4, 7.059e-4, 3.675e-3, 1.594e-2]),
        (0.030, [1.923e-5, 3.387e-5, 7.782e-5, 2.829e-4, 8.688e-4, 7.373e-3, 4.581e-2, 0.1789]),
        (0.060, [3.937e-5, 8.331e-5, 4.788e-4, 2.412e-3, 9.444e-3, 9.171e-2, 0.3645, 0.927]),
        (0.100, [6.622e-5, 1.492e-4, 1.145e-3, 7.786e-3, 5.294e-2, 0.3239, 0.8551, 1.0]),
        (0.300, [2.005e-4, 1.314e-3, 2.803e-2, 0.1171, 0.3171, 0.9171, 1.0, 1.0]),
    ];
    for (delay, expected) in table {
        for (found, expected) in after(&steps, delay).into_iter().zip(expected) {
            assert!((found / expected - 1.0).abs() < 1e-3, "{delay}: {found} is not {expected}");
        }
    }
}

#[test]
fn an_empty_queue_forgets_by_the_controller_and_by_decay() {
    let (params, mut state) = (PieParams::default(), State { probability: 0.2, ..State::default() });
    let mut found = Vec::new();
    let mut steps = 0;
    while state.probability > 0.0 {
        state.step(0.0, &params);
        steps += 1;
        if [10, 20, 50].contains(&steps) {
            found.push(state.probability);
        }
    }
    for (found, expected) in found.into_iter().zip([0.1466, 0.103, 0.0348]) {
        assert!((found - expected).abs() < 5e-4, "{found} is not {expected}");
    }
    assert_eq!(steps, 113);
    assert!(state.rests());
}

#[test]
fn each_band_of_the_probability_has_its_own_step() {
    // Section 4.2: the same error of 15 ms, with a constant delay, moves by 0.001875 divided by the band's scale.
    for (probability, scale) in [(9e-7, 2048.0), (2e-6, 512.0), (2e-5, 128.0), (2e-4, 32.0), (2e-3, 8.0), (0.02, 2.0), (0.1, 1.0), (0.5, 1.0)] {
        let mut state = State { probability, before: 0.030, ..State::default() };
        state.step(0.030, &PieParams::default());
        assert!((state.probability - probability - 0.001875 / scale).abs() < 1e-12, "{probability}");
    }
    // Section 5.5: no larger step than 0.02 upwards from 0.1 on; without a limit it is 0.125 * 0.285 + 1.25 * 0.3. Downwards there is no limit.
    let step = |probability, before, delay, max_step| {
        let mut state = State { probability, before, ..State::default() };
        state.step(delay, &PieParams { max_step, ..PieParams::default() });
        state.probability
    };
    assert!((step(0.1, 0.0, 0.3, 0.02) - 0.12).abs() < 1e-12);
    assert!((step(0.1, 0.0, 0.3, 1.0) - (0.1 + 0.125 * 0.285 + 1.25 * 0.3)).abs() < 1e-12);
    assert!(step(0.6, 0.3, 0.0, 0.02) < 0.3);
    // Linux adds 0.02 above 250 ms.
    let mut state = State { probability: 0.5, before: 0.3, ..State::default() };
    state.step(0.3, &PieParams { boost: Some(Duration::from_millis(250)), ..PieParams::default() });
    assert!((state.probability - 0.5 - 0.02 - 0.02).abs() < 1e-12, "{}", state.probability);
}

/// What waits.
fn bytes(bytes: u64) -> Backlog {
    Backlog { packets: 1, bytes }
}

#[test]
fn nothing_is_chosen_where_the_rfc_exempts_it() {
    let params = PieParams::default();
    let state = |probability, before, allowance| State { probability, before, allowance, ..State::default() };
    let chance = |state: State, waiting| state.chance(bytes(waiting), &params);
    assert_eq!(chance(state(0.1, 0.02, 0.0), 3001), 0.1);
    // Section 4.4: a burst; appendix A: no more than two packets wait, or the delay was below half of the target while the probability is below 0.2.
    assert_eq!(chance(state(0.1, 0.02, 0.001), 3001), 0.0);
    assert_eq!(chance(state(0.1, 0.02, 0.0), 3000), 0.0);
    assert_eq!(chance(state(0.19, 0.0074, 0.0), 3001), 0.0);
    assert_eq!(chance(state(0.19, 0.0075, 0.0), 3001), 0.19);
    assert_eq!(chance(state(0.2, 0.0074, 0.0), 3001), 0.2);
}

#[test]
fn a_quiet_queue_gets_its_burst_allowance_back() {
    let params = PieParams::default();
    let allowance = |probability, before, last_ms| {
        let mut state = State { probability, before, ..State::default() };
        let packet = Packet::default();
        state.gauge.on_departure(&packet, bytes(1), Estimate::Timestamp, Time::ZERO + Duration::from_millis(last_ms));
        state.chosen(bytes(9000), &params, || 1.0);
        state.allowance
    };
    assert_eq!([allowance(0.0, 0.007, 7), allowance(0.0, 0.008, 7), allowance(0.0, 0.007, 8), allowance(0.01, 0.0, 0)], [0.15, 0.0, 0.0, 0.0]);
    // At 15 ms a step it lasts for ten steps.
    let mut state = State::new(&params);
    (0..9).for_each(|_| state.step(0.1, &params));
    assert!(state.allowance > 0.0);
    (0..2).for_each(|_| state.step(0.1, &params));
    assert_eq!(state.allowance, 0.0);
}

#[test]
fn derandomised_drops_keep_their_distance() {
    // Section 5.4: with p = 0.125 six packets after a drop pass whatever chance says, since 0.75 is below 0.85, and packet 68, with 8.5, never passes.
    let params = PieParams { derandomise: true, ..PieParams::default() };
    let gaps = |uniform: f64| {
        let mut state = State { probability: 0.125, before: 0.02, ..State::default() };
        let chosen: Vec<usize> = (1..=200).filter(|_| state.chosen(bytes(9000), &params, || uniform)).collect();
        chosen.windows(2).map(|pair| pair[1] - pair[0]).collect::<Vec<_>>()
    };
    assert!(gaps(0.0).iter().all(|gap| *gap == 7), "{:?}", gaps(0.0));
    assert!(gaps(1.0).iter().all(|gap| *gap == 68), "{:?}", gaps(1.0));
    assert!(!gaps(0.0).is_empty() && !gaps(1.0).is_empty());
}

#[test]
fn the_edges_of_a_step() {
    let step = |state: State, delay, params: &PieParams| {
        let mut state = state;
        state.step(delay, params);
        state
    };
    let params = PieParams::default();
    let state = |probability, before| State { probability, before, ..State::default() };
    // The largest step holds from a probability of 0.1 on, and not below.
    let found = step(state(0.05, 0.0), 0.3, &params).probability;
    assert!((found - (0.05 + (0.125 * 0.285 + 1.25 * 0.3) / 2.0)).abs() < 1e-12, "{found}");
    // The probability decays only if the delay of the last step was zero too, which this one leaves behind.
    let after = step(state(0.3, 0.030), 0.0, &params);
    assert!((after.probability - (0.3 - 0.125 * 0.015 - 1.25 * 0.030)).abs() < 1e-12, "{}", after.probability);
    assert_eq!(after.before, 0.0);
    // A delay of just the bound adds nothing.
    let boost = PieParams { boost: Some(Duration::from_millis(250)), ..PieParams::default() };
    assert!((step(state(0.5, 0.25), 0.25, &boost).probability - 0.5 - 0.02).abs() < 1e-12);
    assert!((step(state(0.5, 0.251), 0.251, &boost).probability - 0.5 - 0.04).abs() < 1e-12);
    // The allowance is spent by the time between steps, whatever the target is.
    let ms = Duration::from_millis;
    let params = PieParams { target: ms(20), update: ms(5), max_burst: ms(50), ..PieParams::default() };
    let mut state = State::new(&params);
    let spent = (1..).find(|_| {
        state.step(0.1, &params);
        state.allowance < 1e-12
    });
    assert_eq!(spent, Some(10));
}

/// PIE with one queue in this state.
fn made(params: PieParams, state: State) -> Pie {
    let mut awake = Awake::default();
    awake.resize(1);
    awake.wake(0);
    Pie { params, queues: vec![state], awake, clock: StepClock::default() }
}

/// What becomes of a packet that finds 9000 bytes.
fn verdict(pie: &mut Pie, ecn: headgate_packet::Ecn) -> Verdict {
    let (mut rng, mut dropped) = (headgate_packet::Rng::new(1, 0, "test"), Vec::new());
    let queue = Queue { number: 0, waiting: bytes(9000), port: bytes(9000) };
    pie.on_arrival(&Packet { bytes: 1500, ecn, ..Packet::default() }, queue, &mut Cx::new(Time::ZERO, &mut rng, &mut dropped))
}

#[test]
fn packets_are_marked_below_the_threshold_and_dropped_from_it_on() {
    use headgate_packet::Ecn;
    let params = PieParams { mark: true, derandomise: true, ..PieParams::default() };
    // So much is accumulated that chance decides nothing.
    let state = |probability| State { probability, before: 0.02, accumulated: 9.0, ..State::default() };
    let due = Verdict::Drop(DropReason::Random);
    for (probability, ecn, expected) in
        [(0.099, Ecn::Ect0, Verdict::Mark), (0.1, Ecn::Ect0, due), (0.099, Ecn::NotEct, due), (0.3, Ecn::Ect1, due)]
    {
        let mut pie = made(params.clone(), state(probability));
        assert_eq!(verdict(&mut pie, ecn), expected, "{probability}");
        assert_eq!(pie.queues[0].accumulated, 0.0, "a mark counts as a drop");
    }
}

#[test]
fn what_was_accumulated_is_given_up() {
    // A packet found no room; and the probability is zero.
    let state = State { probability: 0.05, before: 0.02, accumulated: 0.7, ..State::default() };
    let mut pie = made(PieParams { derandomise: true, ..PieParams::default() }, state);
    pie.on_refused(0);
    assert_eq!(pie.queues[0].accumulated, 0.0);
    pie.queues[0] = State { probability: 0.0, ..state };
    assert_eq!(verdict(&mut pie, headgate_packet::Ecn::NotEct), Verdict::Pass);
    assert_eq!(pie.queues[0].accumulated, 0.0);
}

#[test]
fn an_empty_queue_comes_to_rest() {
    let mut pie = made(PieParams::default(), State { probability: 0.05, before: 0.02, ..State::default() });
    let (mut rng, mut dropped) = (headgate_packet::Rng::new(1, 0, "test"), Vec::new());
    let queue = Queue { number: 0, waiting: Backlog::default(), port: Backlog::default() };
    let mut cx = Cx::new(Time::ZERO + Duration::from_millis(20), &mut rng, &mut dropped);
    assert_eq!(pie.on_departure(&Packet { bytes: 1500, ..Packet::default() }, queue, &mut cx), Verdict::Pass);
    assert_eq!(pie.queues[0].gauge.delay(bytes(1), Estimate::Timestamp), 0.02, "the packet waited for 20 ms");
    let mut steps = 0;
    while let Some(due) = pie.timeout() {
        pie.on_timeout(&[Backlog::default()], due);
        steps += 1;
        assert_eq!(pie.queues[0].gauge.delay(bytes(1), Estimate::Timestamp), 0.0, "which says nothing any more");
        assert!(steps < 100, "it never rests");
    }
    assert!(pie.queues[0].rests() && steps > 1);
}
