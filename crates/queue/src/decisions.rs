//! Decisions about packets, written down as they are taken, for those who follow single packets. Nothing is written down unless it is asked for.

use crate::aqm::Verdict;
use crate::{Number, Tell};
use headgate_packet::Time;

/// The moments at which a port decides about a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// It arrives.
    Arrival,
    /// It was taken from its queue to be sent.
    Departure,
}

/// A decision about a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// When it was taken.
    pub at: Time,
    /// The packet's handle.
    pub handle: u32,
    /// On which occasion.
    pub moment: Moment,
    /// What was decided.
    pub verdict: Verdict,
    /// How many numbers belong to it.
    numbers: usize,
}

/// The decisions since the list was last emptied, in the order in which they were taken. Those on departure have the numbers with which they were
/// taken; those of an arrival are asked for before it, by [`crate::Port::explain`].
#[derive(Clone, Debug, Default)]
pub struct Decisions {
    all: Vec<Decision>,
    numbers: Vec<(Number, f64)>,
}

impl Decisions {
    /// A decision without numbers was taken.
    pub(crate) fn add(&mut self, at: Time, handle: u32, moment: Moment, verdict: Verdict) {
        self.all.push(Decision { at, handle, moment, verdict, numbers: 0 });
    }

    /// A decision on departure is about to be taken: `explain` gives its numbers. [`Decisions::took`] says what it is.
    pub(crate) fn take(&mut self, at: Time, handle: u32, explain: impl FnOnce(Tell<'_>)) {
        let first = self.numbers.len();
        explain(&mut |number, value| self.numbers.push((number, value)));
        let numbers = self.numbers.len() - first;
        self.all.push(Decision { at, handle, moment: Moment::Departure, verdict: Verdict::Pass, numbers });
    }

    /// What the decision is that was announced last.
    pub(crate) fn took(&mut self, verdict: Verdict) {
        if let Some(last) = self.all.last_mut() {
            last.verdict = verdict;
        }
    }

    /// Gives all decisions, each with its numbers, and empties the list.
    pub fn drain(&mut self, mut give: impl FnMut(Decision, &[(Number, f64)])) {
        let mut rest = &self.numbers[..];
        for decision in self.all.drain(..) {
            let (own, others) = rest.split_at(decision.numbers);
            give(decision, own);
            rest = others;
        }
        self.numbers.clear();
    }
}
