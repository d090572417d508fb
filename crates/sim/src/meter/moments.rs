//! Mean and deviation of a stream of durations, numerically stable and mergeable.

use headgate_packet::Duration;

/// Count, mean, deviation, least and greatest. Sums are taken relative to the first value, so a small deviation around a large
/// mean keeps its digits; two of these merge by the formula of Chan, Golub and LeVeque (1979).
#[derive(Clone, Copy, Debug, Default)]
pub struct Moments {
    /// How many values.
    pub count: u64,
    origin: f64,
    sum: f64,
    squares: f64,
    least: f64,
    greatest: f64,
}

impl Moments {
    /// Adds one duration, in seconds.
    #[inline]
    pub fn record(&mut self, d: Duration) {
        self.record_value(d.as_secs_f64());
    }

    /// Adds one value.
    #[inline]
    pub fn record_value(&mut self, x: f64) {
        if self.count == 0 {
            *self = Moments { count: 1, origin: x, sum: 0.0, squares: 0.0, least: x, greatest: x };
            return;
        }
        let d = x - self.origin;
        self.count += 1;
        self.sum += d;
        self.squares += d * d;
        self.least = self.least.min(x);
        self.greatest = self.greatest.max(x);
    }

    /// Mean in seconds; NaN without values.
    pub fn mean(&self) -> f64 {
        if self.count == 0 { f64::NAN } else { self.origin + self.sum / self.count as f64 }
    }

    /// Sum of squared distances from the mean.
    fn spread(&self) -> f64 {
        (self.squares - self.sum * self.sum / self.count.max(1) as f64).max(0.0)
    }

    /// Standard deviation in seconds (n - 1); NaN below two values.
    pub fn deviation(&self) -> f64 {
        if self.count < 2 { f64::NAN } else { (self.spread() / (self.count - 1) as f64).sqrt() }
    }

    /// The least value in seconds; NaN without values.
    pub fn least(&self) -> f64 {
        if self.count == 0 { f64::NAN } else { self.least }
    }

    /// The greatest value in seconds; NaN without values.
    pub fn greatest(&self) -> f64 {
        if self.count == 0 { f64::NAN } else { self.greatest }
    }

    /// Takes in the values of another.
    pub fn merge(&mut self, other: &Moments) {
        if other.count == 0 {
            return;
        }
        if self.count == 0 {
            *self = *other;
            return;
        }
        let (n, m) = (self.count as f64, other.count as f64);
        let (gap, spread) = (other.mean() - self.mean(), self.spread() + other.spread());
        let mean = self.mean() + gap * m / (n + m);
        *self = Moments {
            count: self.count + other.count,
            origin: mean,
            sum: 0.0,
            squares: spread + gap * gap * n * m / (n + m),
            least: self.least.min(other.least),
            greatest: self.greatest.max(other.greatest),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_deviation_is_that_of_a_sample() {
        let of = |values: &[f64]| {
            let mut m = Moments::default();
            values.iter().for_each(|x| m.record_value(*x));
            m.deviation()
        };
        // Mean 3, squares 4 + 1 + 9 over n - 1 = 2.
        assert_eq!(of(&[1.0, 2.0, 6.0]), 7f64.sqrt());
        assert_eq!(of(&[1.0, 3.0]), 2f64.sqrt());
        assert!(of(&[1.0]).is_nan() && of(&[]).is_nan());
    }

    proptest! {
        #[test]
        fn merging_is_recording_together(a in prop::collection::vec(0..9_000_000_000_000u64, 0..50), b in prop::collection::vec(0..9_000_000_000_000u64, 0..50)) {
            let all = |xs: &[u64]| { let mut m = Moments::default(); xs.iter().for_each(|&x| m.record(Duration::from_ps(x))); m };
            let (mut merged, whole) = (all(&a), all(&[a.clone(), b.clone()].concat()));
            merged.merge(&all(&b));
            prop_assert_eq!(merged.count, whole.count);
            if whole.count > 1 {
                prop_assert!((merged.mean() - whole.mean()).abs() < 1e-9);
                prop_assert!((merged.deviation() - whole.deviation()).abs() < 1e-9);
                prop_assert_eq!(merged.least(), whole.least());
                prop_assert_eq!(merged.greatest(), whole.greatest());
            }
        }
    }

    #[test]
    fn the_least_and_the_greatest_are_those_of_all() {
        let mut m = Moments::default();
        assert!(m.mean().is_nan() && m.least().is_nan() && m.greatest().is_nan());
        [3.0, -2.0, 8.0].into_iter().for_each(|x| m.record_value(x));
        assert_eq!((m.least(), m.greatest(), m.mean()), (-2.0, 8.0, 3.0));
        m.merge(&Moments::default());
        assert_eq!((m.count, m.least(), m.greatest()), (3, -2.0, 8.0));
    }
}
