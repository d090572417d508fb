//! Round-trip estimate and retransmission timeout, with clocks that tick.
//!
//! Source: RFC 6298; for `kernel` what Linux does, as read in `tcp_rtt_estimator`:
//! - The deviation that counts is the maximum of a round trip; it rises at once and falls by a quarter of the difference once per round trip.
//! - It is at least the minimum timeout, and a sample below the mean moves it by a 32nd only.
//!
//! [`Averages`]: Jacobson and Karels 1988, appendix A; with no weight on the deviation and a multiple of the mean it is the generic timer of Demers,
//! Keshav and Shenker 1989, section 3.
//!
//! Deviations: times are not rounded to the estimator's own granularity, only deadlines to ticks.

use super::{Estimate, Rules};
use crate::transport::Clock;
use headgate_packet::{Duration, Time};

/// Clock and timeout of the protocols before 1990, whose parameters these are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Averages {
    /// Weight of a new sample in the mean round-trip time.
    pub gain: f64,
    /// Weight of a new sample in the mean deviation.
    pub deviation_gain: f64,
    /// The timeout is `means` times the mean plus `deviations` times the mean deviation ...
    pub means: f64,
    /// ... see `means`.
    pub deviations: f64,
    /// The average starts from this round-trip time and takes in every sample with its weight. Without it the first sample sets the mean, and the
    /// deviation to half of it; until then the timeout is the initial one of the rules.
    pub start: Option<Duration>,
    /// Factor of the timeout after each timeout in a row, and the greatest that they amount to.
    pub backoff: f64,
    /// See `backoff`.
    pub most_backoff: f64,
    /// Which transmission a round trip is counted from.
    pub clock: Clock,
    /// Every acknowledged packet gives a sample; else the newest one that an acknowledgement covers.
    pub every_sample: bool,
}

impl Averages {
    /// The greatest back-off where the source of a protocol sets none: a long outage must not overflow the timeout.
    pub const MOST_BACKOFF: f64 = 1e6;
}

/// The estimates, in seconds.
#[derive(Clone, Copy, Debug)]
pub struct RoundTrips {
    sampled: bool,
    /// Timeouts in a row, and the factor of the timeout that they amount to.
    backoffs: u32,
    factor: f64,
    mean: f64,
    /// RFC and averages: the mean deviation. Kernel: four times the deviation that counts.
    deviation: f64,
    /// Kernel only: four times the mean deviation, and its greatest value of this round trip.
    now: f64,
    most: f64,
    /// Kernel only: this round trip ends when what is below is acknowledged.
    round: u64,
}

impl Default for RoundTrips {
    fn default() -> RoundTrips {
        let (sampled, backoffs, round) = (false, 0, 0);
        RoundTrips { sampled, backoffs, factor: 1.0, mean: 0.0, deviation: 0.0, now: 0.0, most: 0.0, round }
    }
}

/// Maximum factor of a back-off by the RFC. A long outage must not overflow the timeout.
const MOST_FACTOR: f64 = (1u64 << 30) as f64;

impl RoundTrips {
    /// Takes in a sample; `una` and `next` are the oldest packet not acknowledged and the next new one.
    pub fn sample(&mut self, rtt: Duration, (una, next): (u64, u64), rules: &Rules) {
        if let Some(averages) = &rules.averages {
            return self.average(rtt, averages);
        }
        let r = rtt.as_secs_f64();
        (self.backoffs, self.factor) = (0, 1.0);
        match rules.estimate {
            Estimate::Rfc6298 => self.rfc(r),
            Estimate::Kernel => self.kernel(r, (una, next), rules.min_timeout.as_secs_f64()),
        }
        self.sampled = true;
    }

    /// Takes in a sample by its weights.
    #[inline]
    pub fn average(&mut self, rtt: Duration, averages: &Averages) {
        let r = rtt.as_secs_f64();
        (self.backoffs, self.factor) = (0, 1.0);
        if !self.sampled {
            self.sampled = true;
            match averages.start {
                Some(mean) => self.mean = mean.as_secs_f64(),
                None => {
                    (self.mean, self.deviation) = (r, r / 2.0);
                    return;
                }
            }
        }
        let error = r - self.mean;
        self.mean += averages.gain * error;
        self.deviation += averages.deviation_gain * (error.abs() - self.deviation);
    }

    /// Takes in a sample by its weights that ends no back-off.
    pub fn take_in(&mut self, rtt: Duration, averages: &Averages) {
        let backed_off = (self.backoffs, self.factor);
        self.average(rtt, averages);
        (self.backoffs, self.factor) = backed_off;
    }

    fn rfc(&mut self, r: f64) {
        if !self.sampled {
            (self.mean, self.deviation) = (r, r / 2.0);
            return;
        }
        let error = r - self.mean;
        // The deviation first: it is that from the former mean.
        self.deviation += (error.abs() - self.deviation) / 4.0;
        self.mean += error / 8.0;
    }

    fn kernel(&mut self, r: f64, (una, next): (u64, u64), least: f64) {
        if !self.sampled {
            (self.mean, self.now) = (r, 2.0 * r);
            self.deviation = self.now.max(least);
            (self.most, self.round) = (self.deviation, next);
            return;
        }
        let error = r - self.mean;
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

    /// The smoothed round-trip time, once there is one.
    #[inline]
    pub fn smoothed(&self) -> Option<Duration> {
        self.sampled.then(|| Duration::from_secs_f64(self.mean))
    }

    /// The timeout without floor, ticks and back-off, once there is a sample (Brakmo and Peterson 1995, section 3.1).
    pub fn fine(&self, rules: &Rules) -> Option<Duration> {
        let spread = if rules.estimate == Estimate::Kernel { self.now } else { 4.0 * self.deviation };
        self.sampled.then(|| Duration::from_secs_f64(self.mean + spread))
    }

    /// A timeout happened: the next one comes later.
    pub fn back_off(&mut self, rules: &Rules) {
        self.backoffs = self.backoffs.saturating_add(1);
        self.factor = match &rules.averages {
            Some(averages) => (self.factor * averages.backoff).min(averages.most_backoff),
            None => (self.factor * 2.0).min(MOST_FACTOR),
        };
    }

    /// Timeouts in a row.
    pub fn backoffs(&self) -> u32 {
        self.backoffs
    }

    /// The timeout before any back-off.
    fn base(&self, rules: &Rules) -> Duration {
        match rules.estimate {
            _ if !self.sampled => rules.initial_timeout,
            Estimate::Rfc6298 => {
                let spread = (4.0 * self.deviation).max(rules.tick.as_secs_f64());
                Duration::from_secs_f64(self.mean + spread).max(rules.min_timeout)
            }
            Estimate::Kernel => Duration::from_secs_f64(self.mean + self.deviation),
        }
    }

    /// The present timeout.
    pub fn timeout(&self, rules: &Rules) -> Duration {
        match &rules.averages {
            Some(averages) => self.plain_timeout(averages, rules),
            None => self.backed_off(self.base(rules), rules),
        }
    }

    /// The present timeout by averages.
    #[inline(always)]
    pub fn plain_timeout(&self, averages: &Averages, rules: &Rules) -> Duration {
        let base = if self.sampled {
            Duration::from_secs_f64(averages.means * self.mean + averages.deviations * self.deviation)
        } else {
            averages.start.map_or(rules.initial_timeout, |mean| mean * averages.means)
        };
        self.backed_off(base.max(rules.min_timeout), rules)
    }

    #[inline(always)]
    fn backed_off(&self, base: Duration, rules: &Rules) -> Duration {
        if self.factor > 1.0 { (base * self.factor).min(rules.max_timeout) } else { base.min(rules.max_timeout) }
    }

    /// The timeout of a packet whose own timer ran out this often.
    pub fn timeout_after(&self, times: u32, rules: &Rules) -> Duration {
        let (backoff, most) = rules.averages.as_ref().map_or((2.0, MOST_FACTOR), |a| (a.backoff, a.most_backoff));
        let factor = libm::pow(backoff, f64::from(times)).min(most);
        (self.timeout(rules) * factor).min(rules.max_timeout)
    }
}

/// When a timer runs out that is set now for this long: with ticks never early, and up to two of them late.
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
    fn the_kernels_deviation_takes_in_an_eighth_of_what_falls_and_decays_when_the_round_is_over() {
        let rules = Rules { tick: Duration::ZERO, ..Preset::Linux.rules() };
        let timeouts = |samples: &[(u64, u64, u64)]| -> Vec<f64> {
            let mut estimate = RoundTrips::default();
            let each = |&(rtt, una, next): &(u64, u64, u64)| {
                estimate.sample(Duration::from_millis(rtt), (una, next), &rules);
                estimate.timeout(&rules).as_secs_f64() * 1e3
            };
            samples.iter().map(each).collect()
        };
        // 80 below the mean of 100 is 30 more than a quarter of 200: 200 + 30 / 8, and a mean of 90.
        let got = timeouts(&[(100, 1, 10), (20, 5, 15)]);
        assert!(near(&got, &[300.0, 293.75]), "{got:?}");
        // A round is over when a packet beyond its end is acknowledged: 11, and then 22. The greatest of that round is 253.125.
        let got = timeouts(&[(300, 1, 10), (300, 10, 20), (300, 11, 21), (300, 21, 31), (300, 22, 32)]);
        assert!(near(&got, &[900.0, 900.0, 900.0, 900.0, 813.28125]), "{got:?}");
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
                estimate.back_off(&rules);
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
