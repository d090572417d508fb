//! The round number R(t) of bit-by-bit round robin, by iterative deletion.
//!
//! Source: Demers, Keshav and Shenker 1989, section 2.2; Keshav 1991, section 3.2 and figure 3.1. While the active conversations
//! weigh W together, R grows by mu / W; a conversation leaves when R reaches its last finish number.
//! Deviations: the printed loop has no case for nobody active; here R stands still then.
//!
//! Exactness: R and finish numbers are kept in 2^-40 bit. What a division leaves over is work (bits of line time times weight), and
//! work is carried on whatever happens to W, so R never drifts. Bids are rounded once to 2^-12 bit, far above what the
//! divisions cut off, so those that are equal compare equal.

use super::IndexedHeap;
use headgate_packet::{Rate, Time};

/// Fractional bits of R and of finish numbers.
const FINE: u32 = 40;
/// Fractional bits of a rounded finish number.
const COARSE: u32 = 12;
const PS: u128 = 1_000_000_000_000;

/// A number of rounds, in 2^-40 bit.
pub type Rounds = u128;

/// Virtual time and the conversations that are active in it.
#[derive(Clone, Debug)]
pub struct Round {
    rate: u128,
    now: Time,
    round: Rounds,
    /// Work not yet turned into rounds: below W * 10^12, in 2^-40 bit ps / s.
    work: u128,
    /// Sum of the weights of the active conversations.
    weight: u64,
    weights: Vec<u32>,
    /// Active conversations by last finish number, in two halves.
    active: IndexedHeap,
}

/// The finish number of one conversation's last packet: `base + bits / weight`, divided only when it is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Finish {
    base: Rounds,
    bits: u64,
}

impl Finish {
    /// Its value.
    #[inline]
    pub fn value(self, weight: u32) -> Rounds {
        let bits = u128::from(self.bits) << FINE;
        self.base + if weight == 1 { bits } else { bits / u128::from(weight) }
    }

    /// Rounded to 2^-12 bit: a number to order packets by.
    #[inline]
    pub fn rounded(self, weight: u32) -> u128 {
        (self.value(weight) + (1 << (FINE - COARSE - 1))) >> (FINE - COARSE)
    }

    /// The next packet starts at the later of the last finish number and `round`, and takes `bits`.
    #[inline]
    pub fn extend(&mut self, round: Rounds, bits: u64, weight: u32) {
        if self.value(weight) <= round {
            *self = Finish { base: round, bits };
        } else {
            *self = match self.bits.checked_add(bits) {
                Some(bits) => Finish { bits, ..*self },
                None => Finish { base: self.value(weight), bits },
            };
        }
    }

    /// Takes the last packet back.
    pub fn retract(&mut self, bits: u64, weight: u32) {
        match self.bits.checked_sub(bits) {
            Some(left) => self.bits = left,
            None => {
                let length = Finish { base: 0, bits }.value(weight);
                *self = Finish { base: self.value(weight).saturating_sub(length), bits: 0 };
            }
        }
    }
}

impl Round {
    /// Virtual time zero, nobody active. `weights` has an entry per conversation.
    pub fn new(rate: Rate, weights: Vec<u32>) -> Round {
        Round {
            rate: u128::from(rate.as_bps()),
            now: Time::ZERO,
            round: 0,
            work: 0,
            weight: 0,
            active: IndexedHeap::new(weights.len()),
            weights,
        }
    }

    /// R is this, whatever was done so far.
    #[cfg(test)]
    pub(crate) fn start_at(&mut self, round: Rounds) {
        self.round = round;
    }

    /// The line has another rate from `now` on. What was left over is work, and keeps its worth.
    pub fn set_rate(&mut self, rate: Rate, now: Time) {
        let rate = u128::from(rate.as_bps());
        if rate != self.rate {
            self.advance(now);
            self.rate = rate;
        }
    }

    /// More conversations, with these weights.
    pub fn grow(&mut self, weights: impl Iterator<Item = u32>) {
        self.weights.extend(weights);
        self.active.grow(self.weights.len());
    }

    /// Advances to `now` and gives R(now).
    #[inline]
    pub fn advance(&mut self, now: Time) -> Rounds {
        let mut left = u128::from(now.since(self.now).as_ps());
        self.now = now;
        while left > 0 && self.weight > 0 {
            // At most this much at once, so that the product fits; longer spans take several turns.
            let step = left.min((1 << 84) / self.rate.max(1)).max(1);
            left -= step;
            self.work += (step * self.rate) << FINE;
            self.spend();
        }
        self.round
    }

    /// Turns the work at hand into rounds, deleting the conversations that R passes.
    fn spend(&mut self) {
        while let Some(((high, low), id)) = self.active.first() {
            let per_round = u128::from(self.weight) * PS;
            let (to, reach) = (u128::from(high) << 64 | u128::from(low), self.round + self.work / per_round);
            if reach < to {
                self.work -= (reach - self.round) * per_round;
                self.round = reach;
                return;
            }
            // A finish number below R belongs to a conversation whose dropped packet was taken back.
            let rounds = to.saturating_sub(self.round);
            self.work -= rounds * per_round;
            self.round += rounds;
            self.active.remove(id);
            self.weight -= u64::from(self.weights[id as usize]);
        }
        self.work = 0;
    }

    /// The last finish number of a conversation is now this.
    #[inline]
    pub fn set(&mut self, id: u32, finish: Rounds) {
        if !self.active.contains(id) {
            self.weight += u64::from(self.weights[id as usize]);
        }
        self.active.set(id, ((finish >> 64) as u64, finish as u64));
    }

    /// R as far as it was advanced.
    #[inline]
    pub fn reached(&self) -> Rounds {
        self.round
    }

    /// Whether a conversation is active.
    #[inline]
    pub fn is_active(&self, id: u32) -> bool {
        self.active.contains(id)
    }

    /// How many conversations are active.
    #[inline]
    pub fn active(&self) -> usize {
        self.active.len()
    }

    /// The weight of a conversation.
    #[inline]
    pub fn weight(&self, id: u32) -> u32 {
        self.weights[id as usize]
    }

    /// A number of bits as rounds.
    pub fn bits(bits: u64) -> Rounds {
        u128::from(bits) << FINE
    }

    /// Rounds in 2^-12 bit, cut off.
    pub fn coarse(rounds: Rounds) -> u128 {
        rounds >> (FINE - COARSE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Feeds (time in s, conversation, bits) and then reads R at given times; all values in bits.
    fn rounds(rate: u64, weights: &[u32], arrivals: &[(f64, u32, u64)], at: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let bits = |x: Rounds| x as f64 / (1u64 << FINE) as f64;
        let time = |s: f64| Time::from_ps((s * 1e12).round() as u64);
        let mut round = Round::new(Rate::from_bps(rate).unwrap(), weights.to_vec());
        let (mut last, mut finishes) = (vec![Finish::default(); weights.len()], Vec::new());
        for &(t, id, length) in arrivals {
            let r = round.advance(time(t));
            let w = weights[id as usize];
            last[id as usize].extend(r, length, w);
            finishes.push(bits(last[id as usize].value(w)));
            round.set(id, last[id as usize].value(w));
        }
        (finishes, at.iter().map(|t| bits(round.advance(time(*t)))).collect())
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
    fn the_spec_line_of_80_kbit() {
        let arrivals = [(0.0, 0, 8000), (0.0, 1, 8000), (0.05, 2, 320), (0.1, 0, 8000), (0.15, 2, 320)];
        let (f, r) = rounds(80_000, &[1; 3], &arrivals, &[0.2, 0.3, 0.31]);
        near(&f, &[8000.0, 8000.0, 2320.0, 16000.0, 6160.0]);
        near(&r, &[7680.0, 15360.0, 16000.0]);
    }

    #[test]
    fn no_drift_in_a_million_odd_steps() {
        // Three conversations for ever active; steps whose rounds are no fixed-point numbers.
        let mut round = Round::new(Rate::from_bps(1_000_003).unwrap(), vec![1; 3]);
        for id in 0..3 {
            round.set(id, Round::bits(1 << 50));
        }
        let mut now = 0u64;
        for i in 0..1_000_000u64 {
            now += 777_777_777 + i % 13;
            round.advance(Time::from_ps(now));
        }
        let exact = u128::from(now) * 1_000_003 * 4096 / (3 * PS);
        assert!((round.round >> (FINE - COARSE)).abs_diff(exact) <= 1);
    }
}
