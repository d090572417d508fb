//! A ratio of two sums, such as the wait of all packets over their number, and how much it varies from interval to interval.
//!
//! Source: Cochran 1977, section 6.3 (the ratio estimate and its variance).

/// Sums over intervals.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ratio {
    intervals: u64,
    above: f64,
    below: f64,
    /// Sums of squares and of products.
    above_squared: f64,
    product: f64,
    below_squared: f64,
}

impl Ratio {
    /// One interval's part of the upper and of the lower sum.
    pub fn record(&mut self, above: f64, below: f64) {
        self.intervals += 1;
        self.above += above;
        self.below += below;
        self.above_squared += above * above;
        self.product += above * below;
        self.below_squared += below * below;
    }

    /// Standard deviation (n - 1) of an interval's `above - ratio * below`, in units of the mean `below`: that of one interval, so that
    /// the ratio's own is this over the root of their number. NaN below two intervals or with nothing below.
    pub fn deviation(&self) -> f64 {
        let n = self.intervals as f64;
        if self.intervals < 2 || self.below <= 0.0 {
            return f64::NAN;
        }
        let ratio = self.above / self.below;
        let squares = self.above_squared - 2.0 * ratio * self.product + ratio * ratio * self.below_squared;
        (squares.max(0.0) / (n - 1.0)).sqrt() / (self.below / n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deviation(parts: &[(f64, f64)]) -> f64 {
        let mut ratio = Ratio::default();
        parts.iter().for_each(|(above, below)| ratio.record(*above, *below));
        ratio.deviation()
    }

    #[test]
    fn with_equal_numbers_it_is_the_deviation_of_the_means() {
        // Means 1, 2, 6 of ten packets each: mean 3, squares 4 + 1 + 9 over n - 1 = 2.
        assert!((deviation(&[(10.0, 10.0), (20.0, 10.0), (60.0, 10.0)]) - 7f64.sqrt()).abs() < 1e-12);
    }

    #[test]
    fn an_interval_counts_by_its_packets() {
        // A thousand packets without a wait and one that waited a second, by hand: the ratio is 1/1001, the residuals are -1000/1001 and
        // 1000/1001, so the deviation is sqrt(2) * (1000/1001) / 500.5. The deviation of the two means would be 0.71.
        let due = 2f64.sqrt() * (1000.0 / 1001.0) / 500.5;
        assert!((deviation(&[(0.0, 1000.0), (1.0, 1.0)]) - due).abs() < 1e-12);
    }

    #[test]
    fn what_is_constant_does_not_vary_and_nothing_has_no_deviation() {
        assert_eq!(deviation(&[(2.0, 4.0), (8.0, 16.0), (0.0, 0.0)]), 0.0);
        assert!(deviation(&[(2.0, 4.0)]).is_nan() && deviation(&[(0.0, 0.0); 3]).is_nan());
    }

    #[test]
    fn one_interval_has_no_deviation_whatever_its_rounding() {
        assert!((1..100).all(|n| deviation(&[(f64::from(n) * 0.1, f64::from(n) * 0.3)]).is_nan()));
    }
}
