//! A rate as an exponential average over packets at uneven gaps.
//!
//! Source: Stoica, Shenker and Zhang 1998, equations 3 and 5. A packet of l bits that arrives T after the one before it takes the estimate
//! to (1 - e^(-T/K)) l / T + e^(-T/K) r. With a constant l / T the estimate approaches it as a fluid's would, whatever the lengths.
//!
//! Deviations: the paper has no rule for the first packet and for T = 0.
//! - The first packet gives l / K, the limit of T towards 0.
//! - Packets at one instant are added up and count with the next one that arrives later.

use headgate_packet::{Duration, Time};

/// An exponential average of a rate, in bit/s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateEstimator {
    rate: f64,
    /// When the last packet was averaged in; `NEVER` before the first one.
    last: Time,
    /// Bits that arrived at that very instant after it.
    pending: f64,
}

impl Default for RateEstimator {
    /// No packet was seen yet.
    fn default() -> RateEstimator {
        RateEstimator { rate: 0.0, last: Time::NEVER, pending: 0.0 }
    }
}

impl RateEstimator {
    /// A rate of zero so far, the first gap to be counted from `start`.
    pub fn since(start: Time) -> RateEstimator {
        RateEstimator { last: start, ..RateEstimator::default() }
    }

    /// Takes a packet in; `k` is the time constant in seconds. False if it only waits for a later packet.
    #[inline]
    pub fn on_packet(&mut self, now: Time, bits: f64, k: f64) -> bool {
        if self.last == Time::NEVER {
            (self.rate, self.last) = (bits / k, now);
            return true;
        }
        self.pending += bits;
        let gap = now.since(self.last).as_secs_f64();
        if gap == 0.0 {
            return false;
        }
        // 1 - e^(-T/K), exact for short gaps too.
        let weight = -libm::expm1(-gap / k);
        self.rate += weight * (self.pending / gap - self.rate);
        (self.last, self.pending) = (now, 0.0);
        true
    }

    /// The estimate after the last packet, in bit/s.
    #[inline]
    pub fn rate(&self) -> f64 {
        self.rate
    }

    /// The estimate at `now` if no packet arrived since `earlier`: it has decayed, as if one of no bits arrived now. `None` if one arrived.
    pub fn without_packets(&self, earlier: Time, now: Time, k: f64) -> Option<f64> {
        let idle = self.last != Time::NEVER && self.last <= earlier;
        idle.then(|| self.rate * libm::exp(-now.since(self.last).as_secs_f64() / k))
    }

    /// Whether there were packets, the last one longer ago than this.
    #[inline]
    pub fn is_silent_for(&self, span: Duration, now: Time) -> bool {
        self.last != Time::NEVER && now.since(self.last) > span
    }

    /// Sets the estimate.
    pub fn restart_at(&mut self, rate: f64) {
        self.rate = rate;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::test::csv;
    use proptest::prelude::*;

    fn at(seconds: f64) -> Time {
        Time::from_ps((seconds * 1e12).round() as u64)
    }

    /// Numbers computed from equation 3 by another program, for both readings of the first packet.
    #[test]
    fn worked_sequences() {
        let (mut estimator, mut rows) = (RateEstimator::default(), 0);
        for row in csv(include_str!("../../tests/data/csfq_rate_estimator.csv")) {
            let number = |i: usize| row[i].parse::<f64>().unwrap();
            let (k, now, bits) = (number(2), at(number(4)), number(5));
            match (row[3], row[1]) {
                ("0", "0") => estimator = RateEstimator::since(now),
                ("0", _) => {
                    estimator = RateEstimator::default();
                    estimator.on_packet(now, bits, k);
                }
                _ => {
                    estimator.on_packet(now, bits, k);
                }
            }
            assert!((estimator.rate() - number(6)).abs() < 2e-6, "{row:?}: {}", estimator.rate());
            rows += 1;
        }
        assert_eq!(rows, 70);
    }

    proptest! {
        /// If l / T is rho for every packet, the estimate is rho + (r(0) - rho) e^(-(t - t(0)) / K).
        #[test]
        fn a_constant_rate_is_found_whatever_the_lengths(
            lengths in prop::collection::vec(40..1500u32, 1..60), rho in 1e4..1e9f64, k in 0.01..1.0f64,
        ) {
            let (mut estimator, start) = (RateEstimator::default(), at(1.0));
            estimator.on_packet(start, 12_000.0, k);
            let (mut now, first) = (1.0, estimator.rate());
            for length in lengths {
                let bits = f64::from(8 * length);
                now += bits / rho;
                estimator.on_packet(at(now), bits, k);
                let expected = rho + (first - rho) * (-(now - 1.0) / k).exp();
                // Times are rounded to a picosecond.
                prop_assert!((estimator.rate() / expected - 1.0).abs() < 1e-5, "{} {}", estimator.rate(), expected);
            }
        }
    }

    /// Section 2.7: with a constant weight the estimate depends on the lengths, and can be far from the rate.
    #[test]
    fn a_constant_weight_would_not_do() {
        // Packets of 800 and 8000 bits in turn; each arrives after the gap that the other one's length would take at 1 Mbit/s.
        let (mut constant, mut estimator, mut now) = (0.0, RateEstimator::default(), 0.0);
        let mut sums = [0.0; 2];
        for i in 0..4000 {
            let (bits, other) = if i % 2 == 0 { (800.0, 8000.0) } else { (8000.0, 800.0) };
            now += other / 1e6;
            estimator.on_packet(at(now), bits, 0.1);
            constant += 0.04 * (bits / (other / 1e6) - constant);
            if i >= 2000 {
                sums = [sums[0] + estimator.rate() / 2000.0, sums[1] + constant / 2000.0];
            }
        }
        assert!((sums[0] / 1e6 - 1.0).abs() < 0.05, "{}", sums[0]);
        assert!(sums[1] > 4e6, "{}", sums[1]);
    }
}
