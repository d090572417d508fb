//! What BBR remembers: the maximum rate of the last rounds, and how many packets aggregated acknowledgements covered.

use crate::Ack;
use headgate_packet::Time;
use std::collections::VecDeque;

/// The greatest of the values of the last rounds.
#[derive(Clone, Debug, Default)]
pub(super) struct Greatest {
    /// The values that may yet be it, newest last; and the first of them.
    values: VecDeque<(u64, f64)>,
    greatest: f64,
}

impl Greatest {
    /// A value of a round. One that is `rounds` old still counts, as in the kernel.
    pub fn put(&mut self, round: u64, value: f64, rounds: u64) {
        while self.values.back().is_some_and(|(_, v)| *v <= value) {
            self.values.pop_back();
        }
        self.values.push_back((round, value));
        while self.values.front().is_some_and(|(r, _)| r + rounds < round) {
            self.values.pop_front();
        }
        self.greatest = self.values.front().map_or(0.0, |(_, v)| *v);
    }

    /// The greatest one; 0 before the first.
    pub fn get(&self) -> f64 {
        self.greatest
    }
}

/// Rounds of each of the two windows over which aggregated acknowledgements are remembered.
const ROUNDS: u32 = 5;

/// Acknowledgements that arrived faster than the rate says.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct AckAggregation {
    since: Time,
    acked: u64,
    most: [u64; 2],
    at: usize,
    rounds: u32,
}

impl AckAggregation {
    /// Takes in an acknowledgement; `starts` says that it is the first one of a round.
    pub fn note(&mut self, ack: &Ack, starts: bool, rate: f64, window: u64) {
        if starts {
            self.rounds += 1;
            if self.rounds >= ROUNDS {
                (self.rounds, self.at) = (0, 1 - self.at);
                self.most[self.at] = 0;
            }
        }
        let mut due = (rate * ack.now.since(self.since).as_secs_f64()) as u64;
        if self.acked <= due {
            (self.acked, self.since, due) = (0, ack.now, 0);
        }
        self.acked += ack.delivered;
        self.most[self.at] = self.most[self.at].max((self.acked - due).min(window));
    }

    /// The source had nothing to send until now.
    pub fn restart(&mut self, now: Time) {
        (self.since, self.acked) = (now, 0);
    }

    /// Packets that arrived at most above what the rate says.
    pub fn most(&self) -> u64 {
        self.most[0].max(self.most[1])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_counts_until_it_is_more_than_ten_rounds_old() {
        let mut greatest = Greatest::default();
        greatest.put(0, 9.0, 10);
        greatest.put(3, 5.0, 10);
        for (round, due) in [(10, 9.0), (11, 5.0), (13, 5.0), (14, 1.0)] {
            greatest.put(round, 1.0, 10);
            assert_eq!(greatest.get().to_bits(), f64::to_bits(due), "round {round}");
        }
    }
}
