//! The greatest value of the last rounds.
//!
//! Source: Linux, `lib/win_minmax.c` (minmax_running_max), the windowed filter of Kathleen Nichols that draft-ietf-ccwg-bbr names, too.

/// The greatest value of the last rounds, about: it, and two later ones that may follow it. Of the rounds right after the greatest value only what
/// comes near to it is kept, so that the maximum that follows it may be less than all that the window holds.
#[derive(Clone, Copy, Debug, Default)]
pub struct Greatest([(u64, f64); 3]);

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
}
