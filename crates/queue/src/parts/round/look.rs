//! What R and the numbers of a packet are at a time, without a change, and their units.

use super::{COARSE, FINE, Finish, Round, Rounds};
use headgate_packet::Time;

/// What decides about a packet.
#[derive(Clone, Copy, Debug)]
pub struct Bidding {
    /// R when it arrives.
    pub round: Rounds,
    /// Conversations that are active then.
    pub active: usize,
    /// Its start number.
    pub start: Rounds,
    /// Its finish number.
    pub finish: Finish,
    /// As the finish number, if it may start before R.
    pub bid: Finish,
    /// Whether it starts at R: nothing of its conversation was left.
    pub starts_now: bool,
    /// Whether its bid is smaller than its finish number.
    pub prompt: bool,
}

impl Round {
    /// Sentences to what [`Bidding`] has.
    pub const SAYS: &str = include_str!("../round.says");

    /// What `advance` to `now` and then `extend` would find; changes nothing.
    pub fn look(&self, id: u32, bits: u64, back: Rounds, now: Time) -> Bidding {
        let (round, active) = self.at(now, Round::active);
        let share = &self.shares[id as usize];
        let (finish, bid) = (share.next(round, bits), share.next(round.saturating_sub(back), bits));
        let (last, prompt) = (share.last.value(share.weight), bid.value(share.weight) < finish.value(share.weight));
        Bidding {
            round,
            active,
            start: last.max(round),
            finish,
            bid,
            starts_now: share.last.is_over(share.weight, round),
            prompt,
        }
    }

    /// R at `now`, and what is seen then.
    fn at<T>(&self, now: Time, seen: impl FnOnce(&Round) -> T) -> (Rounds, T) {
        let left = now.since(self.now).as_ps();
        if left <= self.step {
            let work = self.work + if self.weight > 0 { self.worked(left) } else { 0 };
            if work < self.reaches {
                return (self.divide_up(work).0, seen(self));
            }
        }
        // R passes finish numbers by then: only a copy can find out which.
        let mut later = self.clone();
        later.advance(now);
        (later.reached(), seen(&later))
    }

    /// As `active_with` after `advance` to `now`; changes nothing.
    pub fn active_at(&self, id: u32, now: Time) -> usize {
        self.at(now, |round| round.active_with(id)).1
    }

    /// A number of bits as rounds.
    pub fn bits(bits: u64) -> Rounds {
        u128::from(bits) << FINE
    }

    /// Rounds in 2^-12 bit, cut off.
    pub fn coarse(rounds: Rounds) -> u128 {
        rounds >> (FINE - COARSE)
    }

    /// Rounds as a number of bits.
    pub fn as_bits(rounds: Rounds) -> f64 {
        rounds as f64 / (1u64 << FINE) as f64
    }

    /// A rounded finish number as a number of bits.
    pub fn rounded_as_bits(rounded: u128) -> f64 {
        rounded as f64 / f64::from(1u32 << COARSE)
    }
}
