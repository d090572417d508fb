//! Prague's fall-back: a score says from the delay whether a queue marks packets as if for Reno, and then a mark takes a classic part of the window.
//!
//! Source: Linux's `tcp_prague.c` version 0.6 (L4STeam/linux), read for its rules and constants; Briscoe and Ahmed 2019 (arXiv 1911.00710) say why, of which
//! only the abstract was at hand.
//! - Round trips are averaged slowly, with a gain of 2^-(1.5 lg(threshold) + 1) for each sample, at least 2^-18, and their mean deviation with half of it.
//! - Each average of marks adds V lg(deviation / V0) + D lg(max(depth / D0, 1)) to the score: V0 is 750 us, D0 is 2 ms, V and D are 1/2, and the depth of the
//!   queue is the smoothed round trip less the least one. The score stays between 0 and 17: the queue is for L4S up to 8, and a classic one from 9 on.
//! - Then 0.625 of the step from 8 to 9 is the least share of marks that a reduction goes by, so that at most 0.3125 of the window goes.
//! - Logarithms are whole numbers; what is left of one is carried to the next one as a factor.
//!
//! Deviations:
//! - Times are not rounded to microseconds, so that no half of one is added against that; less than one counts as one.
//! - The least round trip is that of the flow, in the kernel of the last five minutes. The first sample is that of the first packet, not of the handshake.
//! - A flow that its program limits does not lower the score; the module leaves that out, too.
//!
//! The constants belong to a share of marks with 20 bits, as in 0.6. Later versions of the module have 24 and the same constants, and then take every queue for classic (Greenscreen23,
//! prague-fallback-experiments).

use headgate_packet::Duration;

/// Greatest exponent of the smoothed round trip's gain.
const SLOWEST: u32 = 18;
/// lg of 750 us and of 2 ms in microseconds, and the weights V and D.
const LG_V0: f64 = 9.550_746_785_383_243;
const LG_D0: f64 = 10.965_784_284_662_087;
const V: f64 = 0.5;
const D: f64 = 0.5;
/// Up to the first score it is a queue for L4S, from the second on a classic one; the last one is the maximum.
const L4S: f64 = 8.0;
const CLASSIC: f64 = 9.0;
const MOST: f64 = CLASSIC + L4S;
/// The least share of marks at a classic queue.
const SHARE: f64 = 0.625;

/// Whole logarithms of base 2, whose rests are not lost: the factor is at least 1 and less than 2.
#[derive(Clone, Copy, Debug)]
struct Logarithm(f64);

impl Logarithm {
    /// Of a time in microseconds.
    fn take(&mut self, us: f64) -> f64 {
        let all = self.0 * us.max(1.0);
        // The exponent of the number itself: a logarithm of the machine would not be the same on all of them.
        let exponent = (all.to_bits() >> 52) - 1023;
        self.0 = f64::from_bits((all.to_bits() & ((1 << 52) - 1)) | (1023 << 52));
        exponent as f64
    }
}

/// What is known of the delay, in microseconds.
#[derive(Clone, Debug)]
pub(super) struct Fallback {
    least: f64,
    smoothed: f64,
    deviation: f64,
    /// The gain of a sample.
    gain: f64,
    logs: [Logarithm; 2],
    score: f64,
}

impl Fallback {
    pub fn new() -> Fallback {
        // Half of a rest, in the mean.
        let half = Logarithm(std::f64::consts::SQRT_2);
        let mut new = Fallback { least: 0.0, smoothed: 0.0, deviation: 1.0, gain: 0.0, logs: [half; 2], score: 0.0 };
        new.set_gain(u64::MAX);
        new
    }

    /// A loss or a mark: some round trips of this threshold are averaged from now on (prague_update_rtt_scaling).
    pub fn set_gain(&mut self, threshold: u64) {
        let lg = threshold.max(1).ilog2();
        self.gain = 1.0 / f64::from(1u32 << (lg + lg / 2 + 1).min(SLOWEST));
    }

    /// A round trip was measured (prague_rtt_estimator).
    pub fn sample(&mut self, rtt: Duration) {
        let us = rtt.as_ps() as f64 / 1e6;
        if self.smoothed == 0.0 {
            (self.least, self.smoothed) = (us, us);
            return;
        }
        self.least = self.least.min(us);
        let error = us - self.smoothed;
        self.smoothed += self.gain * error;
        self.deviation += self.gain / 2.0 * (error.abs() - self.deviation);
    }

    /// Marks are averaged: the score moves (prague_classic_ecn_detection).
    pub fn judge(&mut self) {
        self.score += V * (self.logs[0].take(self.deviation) - LG_V0);
        // A queue that is longer than usual speaks for a classic one; a short one says nothing.
        self.score += (D * (self.logs[1].take(self.smoothed - self.least) - LG_D0)).max(0.0);
        self.score = self.score.clamp(0.0, MOST);
    }

    #[cfg(test)]
    pub fn set_score(&mut self, score: f64) {
        self.score = score;
    }

    /// How far it is on the way from a queue for L4S, 0, to a classic one, 1.
    pub fn part(&self) -> f64 {
        (self.score - L4S).clamp(0.0, 1.0)
    }

    /// The least share of marks that a reduction goes by (prague_classic_ecn_fallback).
    pub fn share(&self) -> f64 {
        SHARE * self.part()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn us(us: u64) -> Duration {
        Duration::from_ps(us * 1_000_000)
    }

    /// Settled at this deviation and this depth, in microseconds.
    fn settled(deviation: f64, depth: f64) -> Fallback {
        Fallback { least: 10_000.0, smoothed: 10_000.0 + depth, deviation, ..Fallback::new() }
    }

    #[test]
    fn the_gain_is_that_of_some_round_trips() {
        // 6 + 3 + 1 for 64 to 127 packets: 1024 samples are about ten round trips.
        for (threshold, exponent) in
            [(0, 1), (1, 1), (2, 2), (7, 4), (8, 5), (64, 10), (127, 10), (128, 11), (1 << 11, 17), (1 << 12, 18)]
        {
            let mut f = Fallback::new();
            assert_eq!(f.gain, 0.5f64.powi(18), "before the first threshold");
            f.set_gain(threshold);
            assert_eq!(f.gain, 0.5f64.powi(exponent), "{threshold}");
            f.set_gain(u64::MAX);
            assert_eq!(f.gain, 0.5f64.powi(18));
        }
    }

    #[test]
    fn round_trips_by_hand() {
        let mut f = Fallback::new();
        f.judge();
        assert_eq!(f.score, 0.0, "nothing is known yet");
        // Samples count a quarter, deviations an eighth: those of the average before.
        f.set_gain(2);
        let mut sample = |rtt| {
            f.sample(us(rtt));
            (f.least, f.smoothed, f.deviation)
        };
        assert_eq!(sample(10_000), (10_000.0, 10_000.0, 1.0));
        assert_eq!(sample(14_000), (10_000.0, 11_000.0, 500.875));
        assert_eq!(sample(9_000), (9_000.0, 10_500.0, 688.265_625));
    }

    #[test]
    fn the_score_by_hand() {
        // The logarithm of the square root of 2 times 2048 is 11; what is left counts the next time, as two in two are a power of two.
        let mut f = settled(2048.0, 0.0);
        let mut steps = [0.0; 3].map(|_| {
            f.judge();
            f.score
        });
        for (n, score) in (1..).zip(&mut steps) {
            assert!((*score - f64::from(n) * 0.5 * (11.0 - LG_V0)).abs() < 1e-12, "{score}");
        }
        // 1024 sqrt(2) are 10.5: 11 with the half that is there, then 10 and 11 by turns.
        let mut log = Logarithm(std::f64::consts::SQRT_2 * (1.0 + 1e-12));
        let half = 1024.0 * std::f64::consts::SQRT_2;
        assert_eq!([0; 4].map(|_| log.take(half)), [11.0, 10.0, 11.0, 10.0]);
        // 8192 us of queue are 13.
        let mut f = settled(2048.0, 8192.0);
        f.judge();
        assert!((f.score - 0.5 * (24.0 - LG_V0 - LG_D0)).abs() < 1e-12);
        // 1 ms of queue is less than D0; a deviation of less than a microsecond is one.
        for (deviation, depth) in [(0.25, 0.0), (1.0, 1000.0)] {
            let mut f = settled(deviation, depth);
            f.score = 10.0;
            f.judge();
            assert!((f.score - (10.0 - 0.5 * LG_V0)).abs() < 1e-12, "{}", f.score);
        }
    }

    #[test]
    fn the_reference_deviation_changes_nothing_in_the_mean() {
        for (deviation, step) in [(750.0, 0.0), (375.0, -0.5), (1500.0, 0.5)] {
            let mut f = settled(deviation, 500.0);
            let mut sum = 0.0;
            for _ in 0..2000 {
                f.score = 8.0;
                f.judge();
                sum += f.score - 8.0;
            }
            assert!((sum / 2000.0 - step).abs() < 1e-3, "{deviation}: {}", sum / 2000.0);
        }
    }

    #[test]
    fn between_8_and_9_the_share_rises() {
        for (score, part) in [(0.0, 0.0), (8.0, 0.0), (8.5, 0.5), (8.75, 0.75), (9.0, 1.0), (17.0, 1.0)] {
            let f = Fallback { score, ..Fallback::new() };
            assert_eq!((f.part(), f.share()), (part, 0.625 * part), "{score}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

        /// Whatever is measured, the score is bounded; a longer queue never lowers it.
        #[test]
        fn the_score_is_bounded_and_rises_with_delay(
            rtts in prop::collection::vec(prop::num::u64::ANY.prop_map(|n| n >> (n % 64)), 1..60),
            threshold in prop::num::u64::ANY.prop_map(|n| n >> (n % 64)),
            factor in 1.0..1e6f64,
        ) {
            let mut f = Fallback::new();
            for rtt in rtts {
                f.set_gain(threshold);
                f.sample(Duration::from_ps(rtt));
                f.judge();
                prop_assert!((0.0..=MOST).contains(&f.score) && (0.0..=1.0).contains(&f.part()), "{:?}", f);
                prop_assert!(f.logs.iter().all(|log| (1.0..2.0).contains(&log.0)), "{:?}", f);
                let (mut deeper, mut varies) = (f.clone(), f.clone());
                deeper.smoothed = f.least + (f.smoothed - f.least).max(1.0) * factor;
                varies.deviation = f.deviation.max(1.0) * factor;
                let mut same = f.clone();
                [&mut same, &mut deeper, &mut varies].into_iter().for_each(Fallback::judge);
                prop_assert!(deeper.score >= same.score && varies.score >= same.score, "{:?}", f);
            }
        }
    }
}
