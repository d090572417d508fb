//! How many packets aggregated acknowledgements covered.
//!
//! Source: Linux, `tcp_bbr.c` (bbr_update_ack_aggregation).

use crate::Ack;
use headgate_packet::Time;

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

    /// So many packets are delivered at this time, on a path of 100 packets a second with a window of 1000.
    fn delivered(aggregation: &mut AckAggregation, ms: u64, delivered: u64, starts: bool) -> u64 {
        let now = Time::ZERO + headgate_packet::Duration::from_millis(ms);
        aggregation.note(&Ack { now, delivered, ..Ack::default() }, starts, 100.0, 1000);
        aggregation.most()
    }

    #[test]
    fn an_interval_begins_with_the_first_acknowledgement_that_is_not_early() {
        // Linux, bbr_update_ack_aggregation: nothing is due of it yet. 7 at 1 s, and 3 more 20 ms later, when 2 are due; when 10 are, the next one begins.
        let mut aggregation = AckAggregation::default();
        for (ms, packets, most) in [(1000, 7, 7), (1020, 3, 8), (1100, 8, 8), (1101, 1, 9)] {
            assert_eq!(delivered(&mut aggregation, ms, packets, false), most, "{ms}");
        }
    }

    #[test]
    fn what_was_early_counts_for_five_to_ten_rounds() {
        // Linux: each of two windows lasts five rounds and starts empty. 9 are early in the fifth round, with which the second one begins.
        let mut aggregation = AckAggregation::default();
        for round in 1..=15 {
            let most = delivered(&mut aggregation, 1000 * round, if round == 5 { 9 } else { 2 }, true);
            assert_eq!(most, if (5..15).contains(&round) { 9 } else { 2 }, "{round}");
        }
    }
}
