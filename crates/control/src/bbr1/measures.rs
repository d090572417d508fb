//! What BBR remembers: the maximum rate of the last rounds, and how many packets aggregated acknowledgements covered.
//!
//! Source: Linux, `lib/win_minmax.c` (minmax_running_max) and `tcp_bbr.c` (bbr_update_ack_aggregation).

use crate::Ack;
use headgate_packet::Time;

/// The greatest value of the last rounds, about: it, and two later ones that may follow it. Of the rounds right after the greatest value only what
/// comes near to it is kept, so that the maximum that follows it may be less than all that the window holds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Greatest([(u64, f64); 3]);

impl Greatest {
    /// A value of a round. One that is `rounds` old still counts.
    pub fn put(&mut self, round: u64, value: f64, rounds: u64) {
        let (new, [first, second, third]) = ((round, value), &mut self.0);
        if value >= first.1 || round - third.0 > rounds {
            self.0 = [new; 3];
            return;
        }
        if value >= second.1 {
            (*second, *third) = (new, new);
        } else if value >= third.1 {
            *third = new;
        }
        let age = round - first.0;
        if age > rounds {
            (*first, *second, *third) = (*second, *third, new);
            // The third is within the window.
            if round - first.0 > rounds {
                (*first, *second) = (*second, *third);
            }
        } else if second.0 == first.0 && age > rounds / 4 {
            // A quarter of the window passed without a second one.
            (*second, *third) = (new, new);
        } else if third.0 == second.0 && age > rounds / 2 {
            *third = new;
        }
    }

    /// The greatest one; 0 before the first.
    pub fn get(&self) -> f64 {
        self.0[0].1
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

    /// The greatest value of ten rounds after each of these, one a round from this one on.
    fn after(start: u64, values: &[f64]) -> Vec<f64> {
        let mut greatest = Greatest::default();
        let each = |(n, value): (usize, &f64)| {
            greatest.put(start + n as u64, *value, 10);
            greatest.get()
        };
        values.iter().enumerate().map(each).collect()
    }

    #[test]
    fn a_rate_counts_until_it_is_more_than_ten_rounds_old() {
        // 9 in round 5 counts until round 15.
        let got = after(5, &[9.0, 5.0, 5.0, 5.0, 5.0, 5.0, 5.0, 5.0, 5.0, 5.0, 5.0, 5.0]);
        assert_eq!(got, [vec![9.0; 11], vec![5.0]].concat());
        // After a pause of more than ten rounds nothing that was before it counts.
        let mut greatest = Greatest::default();
        [(1, 9.0), (5, 7.0), (16, 2.0)].iter().for_each(|&(round, value)| greatest.put(round, value, 10));
        assert_eq!(greatest.get().to_bits(), f64::to_bits(2.0));
    }

    #[test]
    fn what_follows_the_greatest_is_looked_for_from_a_quarter_of_the_window_on() {
        // Rounds 1 and 2 after it do not count, round 3 does, whatever it is, and then what is at least as great.
        for (values, due) in [([9.0, 8.0, 8.0, 5.0, 4.0, 4.0, 4.0], 5.0), ([9.0, 8.0, 8.0, 5.0, 6.0, 4.0, 4.0], 6.0)] {
            let values = [values.to_vec(), vec![4.0; 5]].concat();
            assert_eq!(after(1, &values)[10..], [9.0, due]);
        }
        // The third is from the second half: round 6 after the greatest, or a greater one since.
        let mut values = vec![9.0, 1.0, 1.0, 8.0, 1.0, 1.0, 5.0, 4.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
        assert_eq!(after(1, &values)[10..], [9.0, 8.0, 8.0, 8.0, 5.0]);
        values[7] = 6.0;
        assert_eq!(after(1, &values)[14].to_bits(), f64::to_bits(6.0));
    }

    #[test]
    fn if_the_next_is_too_old_as_well_the_one_after_it_follows() {
        let mut greatest = Greatest::default();
        [(1, 9.0), (4, 8.0), (7, 7.0), (16, 1.0)].iter().for_each(|&(round, value)| greatest.put(round, value, 10));
        assert_eq!(greatest.get().to_bits(), f64::to_bits(7.0));
    }

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
