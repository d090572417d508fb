//! Worked examples of the round number, and the same as by the book.

use super::*;
use proptest::prelude::*;

/// Feeds (time in s, conversation, bits) and then reads R at given times; all values in bits.
fn rounds(rate: u64, weights: &[u32], arrivals: &[(f64, u32, u64)], at: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let bits = |x: Rounds| x as f64 / (1u64 << FINE) as f64;
    let time = |s: f64| Time::from_ps((s * 1e12).round() as u64);
    let mut round = Round::new(Rate::from_bps(rate).unwrap(), weights.iter().copied());
    let mut finishes = Vec::new();
    for &(t, id, length) in arrivals {
        round.advance(time(t));
        round.extend(id, length, 0);
        finishes.push(bits(round.finish(id)));
    }
    let mut reached = |t: &f64| {
        round.advance(time(*t));
        bits(round.reached())
    };
    (finishes, at.iter().map(&mut reached).collect())
}

fn near(got: &[f64], expected: &[f64]) {
    assert_eq!(got.len(), expected.len());
    assert!(got.iter().zip(expected).all(|(a, b)| (a - b).abs() < 2.5e-4), "{got:?} {expected:?}");
}

#[test]
fn the_thesis_example() {
    let (f, r) = rounds(1, &[1, 1], &[(0.0, 0, 100), (50.0, 1, 100)], &[50.0, 100.0, 150.0, 200.0, 250.0]);
    near(&f, &[100.0, 150.0]);
    near(&r, &[50.0, 75.0, 100.0, 150.0, 150.0]);
}

#[test]
fn three_deletions_in_one_advance() {
    let arrivals = [(0.0, 0, 10), (0.0, 1, 20), (0.0, 2, 30), (0.0, 3, 40)];
    let (_, r) = rounds(1, &[1; 4], &arrivals, &[95.0, 100.0, 130.0]);
    near(&r, &[35.0, 40.0, 40.0]);
}

#[test]
fn fractions_and_a_return() {
    let arrivals = [(0.0, 1, 40), (0.0, 0, 100), (10.0, 2, 30), (60.0, 1, 20)];
    let (f, r) = rounds(1, &[1; 3], &arrivals, &[80.0, 120.0, 160.0, 190.0]);
    near(&f, &[40.0, 100.0, 35.0, 60.0]);
    near(&r, &[85.0 / 3.0, 45.0, 70.0, 100.0]);
}

#[test]
fn weights() {
    let arrivals = [(0.0, 0, 100), (0.0, 1, 100), (30.0, 0, 100)];
    let (f, r) = rounds(1, &[2, 1], &arrivals, &[150.0, 180.0, 200.0, 300.0]);
    near(&f, &[50.0, 100.0, 100.0]);
    near(&r, &[50.0, 60.0, 200.0 / 3.0, 100.0]);
}

#[test]
fn slots_that_nobody_uses_take_their_time() {
    // Five slots in a round, of which the two conversations have three: R grows by 1/5 until both have left, at 250 and at 500. Four active ones
    // that weigh 6 have more slots than that.
    let mut round = Round::new(Rate::from_bps(1).unwrap(), [2, 1, 2, 1].into_iter()).with_slots(5);
    let mut at = |s: u64, calls: &[(u32, u64)]| {
        round.advance(Time::from_ps(s * 1_000_000_000_000));
        for &(id, bits) in calls {
            round.extend(id, bits, 0);
        }
        Round::as_bits(round.reached())
    };
    near(
        &[at(0, &[(0, 100), (1, 100)]), at(100, &[]), at(250, &[]), at(500, &[]), at(600, &[])],
        &[0.0, 20.0, 50.0, 100.0, 100.0],
    );
    let all = [(0, 1000), (1, 1000), (2, 1000), (3, 1000)];
    near(&[at(600, &all), at(660, &[])], &[100.0, 110.0]);
}

#[test]
fn the_spec_line_of_80_kbit() {
    let arrivals = [(0.0, 0, 8000), (0.0, 1, 8000), (0.05, 2, 320), (0.1, 0, 8000), (0.15, 2, 320)];
    let (f, r) = rounds(80_000, &[1; 3], &arrivals, &[0.2, 0.3, 0.31]);
    near(&f, &[8000.0, 8000.0, 2320.0, 16000.0, 6160.0]);
    near(&r, &[7680.0, 15360.0, 16000.0]);
}

#[test]
fn no_drift_in_a_million_odd_steps() {
    // Three conversations that are always active; steps whose rounds are no fixed-point numbers.
    let mut round = Round::new(Rate::from_bps(1_000_003).unwrap(), [1; 3].into_iter());
    for id in 0..3 {
        round.extend(id, 1 << 50, 0);
    }
    let mut now = 0u64;
    for i in 0..1_000_000u64 {
        now += 777_777_777 + i % 13;
        round.advance(Time::from_ps(now));
    }
    let exact = u128::from(now) * 1_000_003 * 4096 / (3 * PS);
    assert!(Round::coarse(round.reached()).abs_diff(exact) <= 1);
}

/// The same as the definition says: each step divides, and every finish number is examined.
struct Eager {
    rate: u128,
    slots: u128,
    round: Rounds,
    work: u128,
    /// Weight, last finish number, whether it is active.
    shares: Vec<(u32, Finish, bool)>,
}

impl Eager {
    fn advance(&mut self, mut left: u128) {
        while left > 0 && self.shares.iter().any(|share| share.2) {
            let step = left.min(((1 << 84) / self.rate).max(1));
            left -= step;
            self.work += (step * self.rate) << FINE;
            self.spend();
        }
    }

    fn spend(&mut self) {
        loop {
            let weight: u128 = self.shares.iter().filter(|share| share.2).map(|share| u128::from(share.0)).sum();
            let weight = weight.max(self.slots);
            let first = self.shares.iter_mut().filter(|share| share.2).min_by_key(|share| share.1.value(share.0));
            let Some(first) = first else { break };
            let reach = self.round + self.work / (weight * PS);
            let to = first.1.value(first.0);
            let rounds = reach.min(to).saturating_sub(self.round);
            self.work -= rounds * weight * PS;
            self.round += rounds;
            if reach < to {
                return;
            }
            first.2 = false;
        }
        self.work = 0;
    }

    fn extend(&mut self, id: usize, bits: u64, back: Rounds) -> Finish {
        let (weight, last, active) = &mut self.shares[id];
        let mut bid = *last;
        bid.extend(self.round.saturating_sub(back), bits, *weight);
        last.extend(self.round, bits, *weight);
        *active = true;
        bid
    }
}

proptest! {
    #[test]
    fn it_is_what_divisions_at_every_step_give(
        rate in prop::sample::select(vec![1, 8_000, 10_000_000, 100_000_000_007, 1 << 62]),
        weights in prop::collection::vec(prop::sample::select(vec![1, 1, 1, 2, 3, 1 << 31]), 1..6),
        slots in prop::sample::select(vec![0, 0, 1, 4, 9]),
        start in prop::sample::select(vec![0, 1 << 54, 1 << 58]),
        calls in prop::collection::vec((0..8u32, 0..6u32, 0..64u32, 0..4u64), 0..200),
    ) {
        let mut round = Round::new(Rate::from_bps(rate).unwrap(), weights.iter().copied()).with_slots(slots);
        let shares = weights.iter().map(|weight| (*weight, Finish::default(), false)).collect();
        let mut model = Eager { rate: rate.into(), slots: slots.into(), round: Round::bits(start), work: 0, shares };
        round.start_at(Round::bits(start));
        let (mut now, mut last_bits) = (0u64, vec![0; weights.len()]);
        for (call, id, size, more) in calls {
            let id = id % weights.len() as u32;
            match call {
                0..4 => {
                    // From nothing to as much as takes R beyond the range of a key.
                    let gap = ((1 << size) + more).min(u64::MAX - now);
                    now += gap;
                    round.advance(Time::from_ps(now));
                    model.advance(gap.into());
                }
                4..7 => {
                    let bits = if size < 60 { 8 * (u64::from(size) + more) } else { 1 << (53 + more) };
                    let back = Round::bits(if call == 6 { 100 } else { 0 });
                    prop_assert_eq!(round.extend(id, bits, back), model.extend(id as usize, bits, back));
                    last_bits[id as usize] = bits;
                }
                _ => {
                    let bits = last_bits[id as usize];
                    round.retract(id, bits);
                    let (weight, last, _) = &mut model.shares[id as usize];
                    last.retract(bits, *weight);
                }
            }
            prop_assert_eq!(round.reached(), model.round);
            for (id, (weight, last, active)) in model.shares.iter().enumerate() {
                prop_assert_eq!(round.finish(id as u32), last.value(*weight));
                prop_assert_eq!(round.is_active(id as u32), *active, "{}", id);
            }
        }
    }
}
