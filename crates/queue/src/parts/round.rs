//! The round number R(t) of bit-by-bit round robin, by iterative deletion.
//!
//! Source: Demers, Keshav and Shenker 1989, section 2.2; Keshav 1991, section 3.2 and figure 3.1. While the active conversations
//! weigh W together, R grows by mu / W; a conversation leaves when R reaches its last finish number. Where a round has a number of slots
//! (`with_slots`), it takes that long although fewer are in use: shares are then absolute fractions of the line (1989, section 5).
//!
//! Deviations: the printed loop has no case in which no conversation is active; here R stands still then.
//!
//! Exactness: R and finish numbers are kept in 2^-40 bit. What a division leaves over is work (bits of line time times weight), and
//! work is carried on whatever happens to W, so R never drifts. Bids are rounded once to 2^-12 bit, far above what the
//! divisions cut off, so those that are equal compare equal.
//!
//! Cost: work is divided into rounds only when a conversation becomes active that was not. Until then a comparison shows whether R has reached
//! the first of the finish numbers, and those are brought up to date in the heap only when R reaches what they were there.

mod look;

use super::{IndexedHeap, Packed};
use headgate_packet::{Rate, Time};
pub use look::Bidding;

/// Fractional bits of R and of finish numbers.
const FINE: u32 = 40;
/// Fractional bits of a rounded finish number.
const COARSE: u32 = 12;
const PS: u128 = 1_000_000_000_000;
/// Maximum work that is taken in at once, before it is shifted by `FINE`, and the least that is divided before more is taken in: their sum is a
/// number.
const MOST_STEP: u128 = 1 << 84;
const MUCH: u128 = 1 << 126;

/// A number of rounds, in 2^-40 bit.
pub type Rounds = u128;

/// Virtual time and the conversations that are active in it.
#[derive(Clone, Debug)]
pub struct Round {
    rate: u64,
    now: Time,
    /// R without what `work` is worth.
    round: Rounds,
    /// Work not yet turned into rounds, in 2^-40 bit ps / s.
    work: u128,
    /// With this much work R reaches the first key of `active`.
    reaches: u128,
    /// Sum of the weights of the active conversations.
    weight: u64,
    /// Slots of a round, in use or not; more if the active conversations weigh more.
    slots: u64,
    /// Maximum number of picoseconds whose work is taken in at once.
    step: u64,
    shares: Vec<Share>,
    /// What the keys of `active` are counted from; R when no conversation was active the last time, or later.
    origin: Rounds,
    /// Active conversations by a finish number that they had since they became active, none above the last one.
    active: IndexedHeap<Packed>,
}

/// What is known of a conversation.
#[derive(Clone, Copy, Debug)]
struct Share {
    last: Finish,
    weight: u32,
    active: bool,
}

impl Share {
    /// The finish number of a packet of `bits` bits that arrives after the last one and may start at `round`.
    #[inline]
    fn next(&self, round: Rounds, bits: u64) -> Finish {
        let mut finish = self.last;
        finish.extend(round, bits, self.weight);
        finish
    }
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

    /// Whether the fluid system has served the packet by `round`, so that the next one starts there.
    #[inline]
    fn is_over(self, weight: u32, round: Rounds) -> bool {
        self.value(weight) <= round
    }

    /// The next packet starts at the later of the last finish number and `round`, and takes `bits`.
    #[inline]
    fn extend(&mut self, round: Rounds, bits: u64, weight: u32) {
        if self.is_over(weight, round) {
            *self = Finish { base: round, bits };
        } else {
            *self = match self.bits.checked_add(bits) {
                Some(bits) => Finish { bits, ..*self },
                None => Finish { base: self.value(weight), bits },
            };
        }
    }

    /// Takes the last packet back.
    fn retract(&mut self, bits: u64, weight: u32) {
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
    /// Virtual time zero, no conversation active. `weights` has an entry per conversation.
    pub fn new(rate: Rate, weights: impl Iterator<Item = u32>) -> Round {
        let mut made = Round {
            rate: 0,
            now: Time::ZERO,
            round: 0,
            work: 0,
            reaches: 0,
            weight: 0,
            slots: 0,
            step: 0,
            shares: Vec::new(),
            origin: 0,
            active: IndexedHeap::new(0),
        };
        made.set_rate(rate, Time::ZERO);
        made.grow(weights);
        made
    }

    /// The same with at least this many slots in a round. A conversation of weight w then has w of them, whether the others are in use or not.
    pub fn with_slots(self, slots: u32) -> Round {
        Round { slots: slots.into(), ..self }
    }

    /// R is this, whatever was done so far.
    #[cfg(test)]
    pub(crate) fn start_at(&mut self, round: Rounds) {
        self.round = round;
    }

    /// The line has another rate from `now` on. What was left over is work, and keeps its worth.
    pub fn set_rate(&mut self, rate: Rate, now: Time) {
        let rate = rate.as_bps();
        if rate != self.rate {
            self.advance(now);
            self.rate = rate;
            self.step = u64::try_from(MOST_STEP / u128::from(rate.max(1))).unwrap_or(u64::MAX).max(1);
        }
    }

    /// More conversations, with these weights.
    pub fn grow(&mut self, weights: impl Iterator<Item = u32>) {
        self.shares.extend(weights.map(|weight| Share { last: Finish::default(), weight, active: false }));
        self.active.grow(self.shares.len());
    }

    /// How many conversations are known.
    pub fn conversations(&self) -> usize {
        self.shares.len()
    }

    /// R advances to its value at `now`; the conversations that it passes are no longer active.
    #[inline]
    pub fn advance(&mut self, now: Time) {
        let mut left = now.since(self.now).as_ps();
        self.now = now;
        while left > 0 && self.weight > 0 {
            // At most this much at once, so that the product fits; longer spans take several turns.
            let step = left.min(self.step);
            left -= step;
            self.work += self.worked(step);
            if self.work >= self.reaches {
                self.pass();
            }
        }
    }

    /// The work of this number of picoseconds, at most `step`.
    #[inline]
    fn worked(&self, ps: u64) -> u128 {
        (u128::from(ps) * u128::from(self.rate)) << FINE
    }

    /// R has reached the first key of the heap, or there is much work.
    fn pass(&mut self) {
        while self.work >= self.reaches {
            let Some((key, id)) = self.active.first() else { return };
            if self.reaches == MUCH && self.worth(key) > self.work {
                self.divide();
                return self.watch();
            }
            let share = &mut self.shares[id as usize];
            let (last, weight) = (share.last.value(share.weight), u64::from(share.weight));
            if last > self.origin + key {
                if key == Packed::MOST {
                    self.move_origin();
                    continue;
                }
                self.active.put_back(self.key(last));
            } else {
                share.active = false;
                self.active.remove(id);
                // A finish number below R belongs to a conversation whose dropped packet was taken back.
                let rounds = last.saturating_sub(self.round);
                self.round += rounds;
                if !self.active.is_empty() {
                    self.work -= rounds * self.per_round();
                }
                self.weight -= weight;
            }
            self.watch();
        }
    }

    /// R has reached the largest key, which all conversations have by now.
    #[cold]
    fn move_origin(&mut self) {
        let rounds = (self.origin + Packed::MOST).saturating_sub(self.round);
        self.work -= rounds * self.per_round();
        self.round += rounds;
        self.origin = self.round;
        for id in 0..self.shares.len() as u32 {
            if self.is_active(id) {
                self.enter(id, self.finish(id));
            }
        }
        self.watch();
    }

    /// The heap has a conversation by this finish number.
    #[inline]
    fn enter(&mut self, id: u32, finish: Rounds) {
        self.active.set(id, self.key(finish));
    }

    /// The key of a finish number. One beyond the range of a key is recognised when R arrives there.
    #[inline]
    fn key(&self, finish: Rounds) -> u128 {
        finish.saturating_sub(self.origin).min(Packed::MOST)
    }

    /// Work that is worth one round.
    #[inline]
    fn per_round(&self) -> u128 {
        u128::from(self.weight.max(self.slots)) * PS
    }

    /// Work that takes R to a key of the heap.
    #[inline]
    fn worth(&self, key: u128) -> u128 {
        let (rounds, per_round) = ((self.origin + key).saturating_sub(self.round), self.per_round());
        match (u64::try_from(rounds), u64::try_from(per_round)) {
            (Ok(rounds), Ok(per_round)) => u128::from(rounds) * u128::from(per_round),
            _ => rounds.saturating_mul(per_round),
        }
    }

    /// Finds out how much work takes R to the first key of the heap. With no active conversation no work is taken in.
    #[inline]
    fn watch(&mut self) {
        self.reaches = match self.active.first() {
            Some((key, _)) => self.worth(key).min(MUCH),
            None => {
                self.work = 0;
                MUCH
            }
        };
    }

    /// R, and the work that is left over.
    #[inline]
    fn divided(&self) -> (Rounds, u128) {
        self.divide_up(self.work)
    }

    /// R with this much work, and what is left over of it.
    #[inline]
    fn divide_up(&self, work: u128) -> (Rounds, u128) {
        if work == 0 {
            return (self.round, 0);
        }
        let per_round = self.per_round();
        let rounds = work / per_round;
        (self.round + rounds, work - rounds * per_round)
    }

    /// Turns the present work into rounds.
    #[inline]
    fn divide(&mut self) {
        (self.round, self.work) = self.divided();
    }

    /// A packet of `bits` bits arrives, and is the last one of its conversation from now on. Gives the finish number that it has if it may start
    /// `back` rounds before R, but not before the last packet finishes.
    #[inline]
    pub fn extend(&mut self, id: u32, bits: u64, back: Rounds) -> Finish {
        let share = &mut self.shares[id as usize];
        // One that is active finishes above R, if R has not reached the first key: both then start where the last one finishes.
        if share.active
            && self.work < self.reaches
            && let Some(sum) = share.last.bits.checked_add(bits)
        {
            share.last.bits = sum;
            return share.last;
        }
        self.begin(id, bits, back)
    }

    /// As `extend`, where R counts.
    fn begin(&mut self, id: u32, bits: u64, back: Rounds) -> Finish {
        self.divide();
        let share = &mut self.shares[id as usize];
        let bid = share.next(self.round.saturating_sub(back), bits);
        share.last = share.next(self.round, bits);
        if !share.active {
            share.active = true;
            if self.weight == 0 {
                self.origin = self.round;
            }
            self.weight += u64::from(share.weight);
            let finish = share.last.value(share.weight);
            self.enter(id, finish);
        }
        self.watch();
        bid
    }

    /// The last packet of a conversation, of `bits` bits, is taken back.
    pub fn retract(&mut self, id: u32, bits: u64) {
        self.divide();
        let share = &mut self.shares[id as usize];
        share.last.retract(bits, share.weight);
        if share.active {
            let finish = share.last.value(share.weight);
            self.enter(id, finish);
        }
        self.watch();
    }

    /// R as far as it was advanced.
    #[inline]
    pub fn reached(&self) -> Rounds {
        self.divided().0
    }

    /// The finish number of a conversation's last packet.
    #[inline]
    pub fn finish(&self, id: u32) -> Rounds {
        let share = &self.shares[id as usize];
        share.last.value(share.weight)
    }

    /// Whether a conversation is active.
    #[inline]
    pub fn is_active(&self, id: u32) -> bool {
        self.shares[id as usize].active
    }

    /// How many conversations are active.
    #[inline]
    pub fn active(&self) -> usize {
        self.active.len()
    }

    /// How many are active if this one is.
    #[inline]
    pub fn active_with(&self, id: u32) -> usize {
        self.active() + usize::from(!self.is_active(id))
    }

    /// The weight of a conversation.
    #[inline]
    pub fn weight(&self, id: u32) -> u32 {
        self.shares[id as usize].weight
    }
}

#[cfg(test)]
mod tests;
