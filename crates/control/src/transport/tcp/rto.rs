//! Round-trip estimate and retransmission timeout of TCP, with clocks that tick.
//!
//! Sources: RFC 6298; for `kernel` what Linux does, as read in `tcp_rtt_estimator`: the deviation that counts is the greatest of a round trip,
//! it rises at once and falls by a quarter of the difference once per round trip, it is at least the least timeout, and a sample
//! below the mean moves it by a 32nd only.
//! Deviations: times are not rounded to the estimator's own granularity, only deadlines to ticks.

use super::{Estimate, Rules};
use headgate_packet::{Duration, Time};

/// The estimates, in seconds.
#[derive(Clone, Copy, Debug, Default)]
pub struct RoundTrips {
    sampled: bool,
    mean: f64,
    /// RFC: the mean deviation. Kernel: four times the deviation that counts.
    deviation: f64,
    /// Kernel only: four times the mean deviation, and its greatest value of this round trip.
    now: f64,
    most: f64,
    /// Kernel only: this round trip ends when what is below is acknowledged.
    round: u64,
    /// Timeouts in a row.
    backoffs: u32,
}

impl RoundTrips {
    /// Takes in a sample; `una` and `next` are the oldest packet not acknowledged and the next new one.
    pub fn sample(&mut self, rtt: Duration, (una, next): (u64, u64), rules: &Rules) {
        let r = rtt.as_secs_f64();
        self.backoffs = 0;
        let least = rules.min_timeout.as_secs_f64();
        if !self.sampled {
            self.sampled = true;
            self.mean = r;
            match rules.estimate {
                Estimate::Rfc6298 => self.deviation = r / 2.0,
                Estimate::Kernel => {
                    self.now = 2.0 * r;
                    self.deviation = self.now.max(least);
                    (self.most, self.round) = (self.deviation, next);
                }
            }
            return;
        }
        let error = r - self.mean;
        match rules.estimate {
            Estimate::Rfc6298 => {
                // The deviation first: it is that from the former mean.
                self.deviation += (error.abs() - self.deviation) / 4.0;
                self.mean += error / 8.0;
            }
            Estimate::Kernel => {
                self.mean += error / 8.0;
                let more = error.abs() - self.now / 4.0;
                self.now += if error < 0.0 && more > 0.0 { more / 8.0 } else { more };
                if self.now > self.most {
                    self.most = self.now;
                    self.deviation = self.deviation.max(self.most);
                }
                if una > self.round {
                    self.deviation -= (self.deviation - self.most).max(0.0) / 4.0;
                    (self.round, self.most) = (next, least);
                }
            }
        }
    }

    /// The smoothed round-trip time, once there is one.
    pub fn smoothed(&self) -> Option<Duration> {
        self.sampled.then(|| Duration::from_secs_f64(self.mean))
    }

    /// The timeout without floor, ticks and back-off, once there is a sample (Brakmo and Peterson 1995, section 3.1).
    pub fn fine(&self, rules: &Rules) -> Option<Duration> {
        let spread = if rules.estimate == Estimate::Kernel { self.now } else { 4.0 * self.deviation };
        self.sampled.then(|| Duration::from_secs_f64(self.mean + spread))
    }

    /// A timeout happened: the next one comes later.
    pub fn back_off(&mut self) {
        self.backoffs = (self.backoffs + 1).min(30);
    }

    /// Timeouts in a row.
    pub fn backoffs(&self) -> u32 {
        self.backoffs
    }

    /// The present timeout.
    pub fn timeout(&self, rules: &Rules) -> Duration {
        let base = match rules.estimate {
            _ if !self.sampled => rules.initial_timeout,
            Estimate::Rfc6298 => {
                let spread = (4.0 * self.deviation).max(rules.tick.as_secs_f64());
                Duration::from_secs_f64(self.mean + spread).max(rules.min_timeout)
            }
            Estimate::Kernel => Duration::from_secs_f64(self.mean + self.deviation),
        };
        let seconds = base.as_secs_f64() * (1u64 << self.backoffs) as f64;
        Duration::from_secs_f64(seconds.min(rules.max_timeout.as_secs_f64()))
    }
}

/// When a timer runs out that is set now for so long: with ticks never early, and up to two of them late.
pub fn deadline(now: Time, after: Duration, tick: Duration) -> Time {
    let tick = tick.as_ps();
    if tick == 0 {
        return now + after;
    }
    let ticks = (now.as_ps() / tick).saturating_add(after.as_ps().div_ceil(tick)).saturating_add(1);
    ticks.checked_mul(tick).map_or(Time::NEVER, Time::from_ps)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::tcp::Preset;

    /// The timeouts in ms after each of these round-trip times in ms, one a round.
    fn timeouts(rules: &Rules, rtts: &[u64]) -> Vec<f64> {
        let mut estimate = RoundTrips::default();
        let each = |(round, rtt): (usize, &u64)| {
            let round = round as u64;
            estimate.sample(Duration::from_millis(*rtt), (10 * round + 1, 10 * round + 10), rules);
            estimate.timeout(rules).as_secs_f64() * 1e3
        };
        rtts.iter().enumerate().map(each).collect()
    }

    fn near(got: &[f64], due: &[f64]) -> bool {
        got.len() == due.len() && got.iter().zip(due).all(|(g, d)| (g - d).abs() < 2e-3)
    }

    const SERIES: [u64; 8] = [100, 100, 100, 300, 100, 100, 100, 50];

    #[test]
    fn the_rfcs_timeout_by_hand() {
        // 100 + 4 x 50; the deviation falls by a quarter; then 300: 7/8 100 + 1/8 300 and 3/4 28.125 + 1/4 200.
        let rules = Rules { min_timeout: Duration::ZERO, ..Preset::Rfc.rules() };
        let due = [300.0, 250.0, 212.5, 409.375, 360.156, 319.727, 286.328, 302.338];
        let got = timeouts(&rules, &SERIES);
        assert!(near(&got, &due), "{got:?}");
        assert!(timeouts(&Preset::Rfc.rules(), &SERIES).iter().all(|t| *t == 1000.0));
    }

    #[test]
    fn the_kernels_timeout_rises_at_once_and_falls_slowly() {
        let rules = Rules { tick: Duration::ZERO, ..Preset::Linux.rules() };
        let got = timeouts(&rules, &SERIES);
        let due = [300.0, 300.0, 300.0, 409.375, 394.727, 373.926, 357.838, 339.222];
        assert!(near(&got, &due), "{got:?}");
        assert!(near(&timeouts(&rules, &[1; 40])[39..], &[201.0]));
    }

    #[test]
    fn the_fine_timeout_has_no_floor() {
        for preset in [Preset::Rfc, Preset::Linux] {
            let (mut estimate, rules) = (RoundTrips::default(), preset.rules());
            assert_eq!(estimate.fine(&rules), None);
            // 1 + 4 x 0.5; and then the deviation falls by a quarter.
            for (una, due) in [(1, 3.0), (11, 2.5)] {
                estimate.sample(Duration::from_millis(1), (una, una + 10), &rules);
                let fine = estimate.fine(&rules).map_or(0.0, |t| t.as_secs_f64() * 1e3);
                assert!((fine - due).abs() < 1e-9, "{fine}");
            }
        }
    }

    #[test]
    fn each_timeout_doubles_the_next_up_to_the_greatest_until_a_sample() {
        let mut estimate = RoundTrips::default();
        let rules = Rules { max_timeout: Duration::from_secs(60), ..Preset::Rfc.rules() };
        let all: Vec<u64> = (0..8)
            .map(|_| {
                let t = estimate.timeout(&rules);
                estimate.back_off();
                t.as_ps() / 1_000_000_000_000
            })
            .collect();
        assert_eq!(all, [1, 2, 4, 8, 16, 32, 60, 60]);
        estimate.sample(Duration::from_millis(100), (1, 2), &rules);
        assert_eq!(estimate.timeout(&rules), Duration::from_secs(1));
    }

    #[test]
    fn with_ticks_a_timer_is_never_early_and_at_most_two_ticks_late() {
        let tick = Duration::from_millis(4);
        for now in [0, 1, 1_000_000, 3_999_999_999, 4_000_000_000, 4_000_000_001] {
            for after in [1, 3_999_999_999, 4_000_000_000, 200_000_000_000] {
                let (now, after) = (Time::from_ps(now), Duration::from_ps(after));
                let late = deadline(now, after, tick).since(now + after);
                assert!(late > Duration::ZERO && late <= tick * 2.0, "{now:?} {after:?} {late:?}");
            }
        }
        assert_eq!(deadline(Time::from_ps(5), Duration::from_ps(7), Duration::ZERO), Time::from_ps(12));
    }
}
