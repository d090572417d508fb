//! Round-trip estimate and retransmission timeout, with clocks that tick.
//!
//! Source: RFC 6298; for `kernel` what Linux does, as read in `tcp_rtt_estimator`:
//! - The deviation that counts is the maximum of a round trip; it rises at once and falls by a quarter of the difference once per round trip.
//! - It is at least the minimum timeout, and a sample below the mean moves it by a 32nd only.
//!
//! For `ns2` what ns-2 did from 2.1b1 (November 1997) to 2002, as read in `TcpAgent::rtt_update` and `newack`, after 4.3BSD:
//! - Round trips are whole ticks of 0.1 s, at least one. The mean is kept in eighths of a tick and the deviation in quarters, both cut to whole numbers.
//!   So the deviation of equal round trips stays at half a tick, and with round trips of a tick the timeout is 0.3 s however long they go on.
//! - An acknowledgement sets the timer before its round trip is taken in and before it ends the back-off.
//!
//! Deviations:
//! - Times are not rounded to the estimator's own granularity, only deadlines to ticks; but for `ns2`.
//! - `ns2`: round trips are rounded to the nearest tick, as in 2.0 and 2.1b1; later the ticks that passed were counted, from a random phase. Each
//!   acknowledgement gives one (2.0: by its time stamp); later one packet at a time was timed. The mean is not given up after four back-offs in a row.
//! - The time stamp that Linux falls back to where only what went again is acknowledged (`sender/ack.rs`) is that of the packet that caused the
//!   acknowledgement. If that was delayed, the kernel returns the one of the packet before.

use super::{Estimate, Rules};
use headgate_packet::Duration;

/// What a timeout is computed from, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimates {
    sampled: bool,
    /// The factor of the timeout that timeouts in a row amount to.
    factor: f32,
    mean: f64,
    /// RFC: the mean deviation. Kernel: four times the deviation that counts.
    deviation: f64,
}

/// The estimates, and what they are made of.
#[derive(Clone, Copy, Debug)]
pub struct RoundTrips {
    estimates: Estimates,
    /// Timeouts in a row.
    backoffs: u32,
    /// ns2 only: the factor before the present acknowledgement, negative if it was the first; 0 if its timer is set.
    before: f32,
    /// Kernel: four times the mean deviation, and its greatest value of this round trip. ns2: mean and deviation before the present acknowledgement.
    now: f64,
    most: f64,
    /// Kernel only: this round trip ends when what is below is acknowledged.
    round: u64,
}

/// The tick of ns-2's estimates in seconds (`tcpTick_`), and of an eighth and a quarter of it.
const TICK: f64 = 0.1;
const MEAN_UNIT: f64 = TICK / 8.0;
const DEVIATION_UNIT: f64 = TICK / 4.0;

impl Default for RoundTrips {
    fn default() -> RoundTrips {
        let estimates = Estimates { sampled: false, factor: 1.0, mean: 0.0, deviation: 0.0 };
        RoundTrips { estimates, backoffs: 0, now: 0.0, most: 0.0, round: 0, before: 0.0 }
    }
}

/// Maximum factor of a back-off by the RFC. A long outage must not overflow the timeout.
const MOST_FACTOR: f64 = (1u64 << 30) as f64;

impl Estimates {
    /// The smoothed round-trip time, once there is one.
    #[inline]
    pub fn smoothed(&self) -> Option<Duration> {
        self.sampled.then(|| Duration::from_secs_f64(self.mean))
    }

    /// The timeout before any back-off.
    fn base(&self, rules: &Rules) -> Duration {
        match rules.estimate {
            _ if !self.sampled => rules.initial_timeout,
            Estimate::Rfc6298 => {
                let spread = (4.0 * self.deviation).max(rules.tick.as_secs_f64());
                let (timeout, least) = (self.mean + spread, rules.min_timeout);
                // In most networks the minimum decides, and nothing has to be converted.
                if timeout < 0.999 * least.as_secs_f64() { least } else { Duration::from_secs_f64(timeout).max(least) }
            }
            Estimate::Kernel => Duration::from_secs_f64(self.mean + self.deviation),
            Estimate::Ns2 => {
                let (mean, deviation) = self.in_ticks();
                Duration::from_secs_f64(((mean + 8 * deviation) / 8) as f64 * TICK).max(rules.min_timeout)
            }
        }
    }

    /// ns2: the mean in eighths of a tick, the deviation in quarters.
    fn in_ticks(&self) -> (i64, i64) {
        ((self.mean / MEAN_UNIT).round() as i64, (self.deviation / DEVIATION_UNIT).round() as i64)
    }

    /// The present timeout.
    #[inline]
    pub fn timeout(&self, rules: &Rules) -> Duration {
        let base = self.base(rules);
        if self.factor > 1.0 {
            (base * f64::from(self.factor)).min(rules.max_timeout)
        } else {
            base.min(rules.max_timeout)
        }
    }

    /// A lower bound of the timeout, without work.
    #[inline]
    pub fn least_timeout(rules: &Rules) -> Duration {
        rules.min_timeout.min(rules.initial_timeout).min(rules.max_timeout)
    }

    /// The smoothed round trip in picoseconds.
    #[inline]
    pub fn smoothed_ps(&self) -> f64 {
        self.mean * 1e12
    }
}

impl RoundTrips {
    /// Takes in a sample; `una` and `next` are the oldest packet not acknowledged and the next new one.
    pub fn sample(&mut self, rtt: Duration, (una, next): (u64, u64), rules: &Rules) {
        let r = rtt.as_secs_f64();
        let Estimates { sampled, factor, mean, deviation } = self.estimates;
        if rules.estimate == Estimate::Ns2 {
            (self.now, self.most, self.before) = (mean, deviation, if sampled { factor } else { -factor });
        }
        (self.backoffs, self.estimates.factor) = (0, 1.0);
        match rules.estimate {
            Estimate::Rfc6298 => self.rfc(r),
            Estimate::Kernel => self.kernel(r, (una, next), rules.min_timeout.as_secs_f64()),
            Estimate::Ns2 => self.ns2(r),
        }
        self.estimates.sampled = true;
    }

    fn rfc(&mut self, r: f64) {
        if !self.estimates.sampled {
            (self.estimates.mean, self.estimates.deviation) = (r, r / 2.0);
            return;
        }
        let error = r - self.estimates.mean;
        // The deviation first: it is that from the former mean.
        self.estimates.deviation += (error.abs() - self.estimates.deviation) / 4.0;
        self.estimates.mean += error / 8.0;
    }

    fn kernel(&mut self, r: f64, (una, next): (u64, u64), least: f64) {
        if !self.estimates.sampled {
            (self.estimates.mean, self.now) = (r, 2.0 * r);
            self.estimates.deviation = self.now.max(least);
            (self.most, self.round) = (self.estimates.deviation, next);
            return;
        }
        let error = r - self.estimates.mean;
        self.estimates.mean += error / 8.0;
        let more = error.abs() - self.now / 4.0;
        self.now += if error < 0.0 && more > 0.0 { more / 8.0 } else { more };
        if self.now > self.most {
            self.most = self.now;
            self.estimates.deviation = self.estimates.deviation.max(self.most);
        }
        if una > self.round {
            self.estimates.deviation -= (self.estimates.deviation - self.most).max(0.0) / 4.0;
            (self.round, self.most) = (next, least);
        }
    }

    fn ns2(&mut self, r: f64) {
        let ticks = (r / TICK).round().max(1.0) as i64;
        let (mut mean, mut deviation) = self.estimates.in_ticks();
        if self.estimates.sampled {
            let error = ticks - mean / 8;
            mean = (mean + error).max(1);
            deviation = (deviation + error.abs() - deviation / 4).max(1);
        } else {
            (mean, deviation) = (8 * ticks, 2 * ticks);
        }
        (self.estimates.mean, self.estimates.deviation) = (mean as f64 * MEAN_UNIT, deviation as f64 * DEVIATION_UNIT);
    }

    /// Whether there is a sample.
    #[inline]
    pub fn is_sampled(&self) -> bool {
        self.estimates.sampled
    }

    /// The timeout without floor, ticks and back-off, once there is a sample (Brakmo and Peterson 1995, section 3.1).
    pub fn fine(&self, rules: &Rules) -> Option<Duration> {
        let spread = if rules.estimate == Estimate::Kernel { self.now } else { 4.0 * self.estimates.deviation };
        self.estimates.sampled.then(|| Duration::from_secs_f64(self.estimates.mean + spread))
    }

    /// A timeout happened: the next one is due later.
    pub fn back_off(&mut self) {
        self.backoffs = self.backoffs.saturating_add(1);
        self.estimates.factor = (self.estimates.factor * 2.0).min(MOST_FACTOR as f32);
    }

    /// Timeouts in a row.
    pub fn backoffs(&self) -> u32 {
        self.backoffs
    }

    /// What the present timeout is computed from.
    #[inline]
    pub fn estimates(&self) -> Estimates {
        self.estimates
    }

    /// The same for the timer that the present acknowledgement sets.
    #[inline]
    pub fn estimates_of_timer(&mut self) -> Estimates {
        let factor = std::mem::take(&mut self.before);
        if factor == 0.0 {
            return self.estimates;
        }
        Estimates { sampled: factor > 0.0, factor: factor.abs(), mean: self.now, deviation: self.most }
    }

    /// The smoothed round-trip time, once there is one.
    #[inline]
    pub fn smoothed(&self) -> Option<Duration> {
        self.estimates.smoothed()
    }

    /// The present timeout.
    #[inline]
    pub fn timeout(&self, rules: &Rules) -> Duration {
        self.estimates.timeout(rules)
    }

    /// The timeout of a packet whose own timer ran out this often.
    pub fn timeout_after(&self, times: u32, rules: &Rules) -> Duration {
        let factor = libm::pow(2.0, f64::from(times)).min(MOST_FACTOR);
        (self.timeout(rules) * factor).min(rules.max_timeout)
    }
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

    /// By hand from `rtt_update`, in ticks, eighths and quarters: each row a round trip in ms and the timeout after it.
    #[test]
    fn ns_2s_timeout_is_in_whole_ticks() {
        let rules = Preset::Ns21998.rules();
        assert_eq!(RoundTrips::default().timeout(&rules), Duration::from_secs(6));
        let series = [
            (30, 300.0),   // one tick at least: 8/8, 2/4
            (240, 400.0),  // two: 9/8, 3/4
            (30, 400.0),   // a quarter of 3 is nothing
            (960, 1400.0), // ten (9.6 rounded): 18/8, 12/4
            (30, 1200.0),  // 17/8, 10/4
        ];
        let (rtts, due): (Vec<u64>, Vec<f64>) = series.into_iter().unzip();
        let got = timeouts(&rules, &rtts);
        assert!(near(&got, &due), "{got:?}");
        // Round trips of a tick never bring it to the floor of two ticks.
        assert!(near(&timeouts(&rules, &[30; 100])[99..], &[300.0]));
        assert!(near(&timeouts(&rules, &[190; 100])[99..], &[500.0]));
        let floor = Rules { min_timeout: Duration::from_secs(1), ..rules };
        assert!(near(&timeouts(&floor, &[30]), &[1000.0]));
    }

    #[test]
    fn in_ns_2_an_acknowledgement_sets_the_timer_before_its_round_trip_counts() {
        for (preset, due) in [(Preset::Ns21998, [6000, 300, 600]), (Preset::Rfc, [1000, 1000, 1000])] {
            let (mut estimate, rules) = (RoundTrips::default(), preset.rules());
            let mut timer = |back_off: bool| {
                if back_off {
                    estimate.back_off();
                }
                estimate.sample(Duration::from_millis(30), (1, 2), &rules);
                estimate.estimates_of_timer().timeout(&rules)
            };
            assert_eq!([timer(false), timer(false), timer(true)], due.map(Duration::from_millis), "{preset:?}");
            // Once; a timer that is set later has the present ones.
            assert_eq!(estimate.estimates_of_timer(), estimate.estimates());
        }
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
    fn a_timeout_is_at_least_a_tick_above_the_mean() {
        // RFC 6298, section 2.3: max(G, 4 RTTVAR). After many equal round trips the deviation is nothing.
        let tick = Duration::from_millis(10);
        let rules = Rules { min_timeout: Duration::ZERO, tick, ..Preset::Rfc.rules() };
        assert!(near(&timeouts(&rules, &[100; 80])[79..], &[110.0]));
    }
}
