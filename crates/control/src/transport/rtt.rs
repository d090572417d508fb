//! Round-trip estimate and retransmission timeout: exponential averages of mean and deviation.
//!
//! Source: Jacobson and Karels 1988, appendix A; with no weight on the deviation and a multiple of the mean it is the generic
//! timer of Demers, Keshav and Shenker 1989, section 3.

use super::{Config, Initial};
use headgate_packet::Duration;

/// Averages of the round-trip time, in seconds.
#[derive(Clone, Copy, Debug)]
pub struct Estimator {
    mean: f64,
    deviation: f64,
    sampled: bool,
    backoff: f64,
}

impl Default for Estimator {
    fn default() -> Estimator {
        Estimator { mean: 0.0, deviation: 0.0, sampled: false, backoff: 1.0 }
    }
}

impl Estimator {
    /// Takes in a sample and ends any back-off.
    #[inline]
    pub fn sample(&mut self, rtt: Duration, config: &Config) {
        let rtt = rtt.as_secs_f64();
        self.backoff = 1.0;
        if !self.sampled {
            self.sampled = true;
            match config.initial {
                Initial::Mean(mean) => self.mean = mean.as_secs_f64(),
                Initial::Timeout(_) => {
                    (self.mean, self.deviation) = (rtt, rtt / 2.0);
                    return;
                }
            }
        }
        let error = rtt - self.mean;
        self.mean += config.gain * error;
        self.deviation += config.deviation_gain * (error.abs() - self.deviation);
    }

    /// A timeout happened: the next one comes later.
    pub fn back_off(&mut self, config: &Config) {
        // Bounded, so that a long outage cannot overflow the timeout.
        self.backoff = (self.backoff * config.backoff).min(1e6);
    }

    /// The timeout of a packet whose own timer ran out this often.
    pub fn timeout_after(&self, times: u32, config: &Config) -> Duration {
        // Bounded, as a back-off of the flow is.
        let factor = config.backoff.powf(f64::from(times)).min(1e6);
        Duration::from_secs_f64(self.timeout(config).as_secs_f64() * factor).min(config.max_timeout)
    }

    /// The present timeout.
    #[inline]
    pub fn timeout(&self, config: &Config) -> Duration {
        let base = if self.sampled {
            Duration::from_secs_f64(config.means * self.mean + config.deviations * self.deviation)
        } else {
            match config.initial {
                Initial::Mean(mean) => mean * config.means,
                Initial::Timeout(timeout) => timeout,
            }
        };
        let base = base.max(config.min_timeout);
        let backed_off = if self.backoff > 1.0 { base * self.backoff } else { base };
        backed_off.min(config.max_timeout)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Spec;

    fn config(kind: &str) -> Config {
        Spec::default_of(kind).expect(kind).transport()
    }

    fn seconds(s: f64) -> Duration {
        Duration::from_secs_f64(s)
    }

    /// The timeouts in seconds after each of these round-trip times.
    fn timeouts(config: &Config, rtts: &[f64]) -> Vec<f64> {
        let mut estimator = Estimator::default();
        let timeout = |e: &Estimator| e.timeout(config).as_secs_f64();
        let mut all = vec![timeout(&estimator)];
        for rtt in rtts {
            estimator.sample(seconds(*rtt), config);
            all.push(timeout(&estimator));
        }
        all
    }

    fn near(got: &[f64], due: &[f64]) -> bool {
        got.len() == due.len() && got.iter().zip(due).all(|(g, d)| (g - d).abs() < 1e-9)
    }

    #[test]
    fn mean_and_deviation_by_hand() {
        // Mean and deviation: 1 and 1/2; 1 + 1/8 and 1/2 + (1 - 1/2)/4 = 0.625; 1.125 - 1/8 = 1 and 0.625 + (1 - 0.625)/4 = 0.71875.
        // The timeout is the mean and four deviations.
        let got = timeouts(&config("jk_tahoe"), &[1.0, 2.0, 0.125]);
        assert!(near(&got, &[3.0, 3.0, 3.625, 3.875]), "{got:?}");
    }

    #[test]
    fn the_generic_average_starts_from_its_first_value_and_takes_in_every_sample() {
        // From 1.5 s by a quarter of the error, twice: 1.5, 1.25, 1.4375; the timeout is twice that.
        let got = timeouts(&config("generic"), &[0.5, 2.0]);
        assert!(near(&got, &[3.0, 2.5, 2.875]), "{got:?}");
    }

    #[test]
    fn each_timeout_in_a_row_doubles_the_next_up_to_the_greatest_and_a_sample_ends_that() {
        let config = Config { max_timeout: seconds(20.0), ..config("generic") };
        let mut estimator = Estimator::default();
        let mut backed_off = || {
            estimator.back_off(&config);
            estimator.timeout(&config).as_secs_f64()
        };
        let got = [backed_off(), backed_off(), backed_off(), backed_off()];
        assert!(near(&got, &[6.0, 12.0, 20.0, 20.0]), "{got:?}");
        estimator.sample(seconds(1.5), &config);
        assert_eq!(estimator.timeout(&config), seconds(3.0));
    }

    #[test]
    fn the_least_timeout_is_the_floor_before_any_back_off() {
        let config = Config { min_timeout: seconds(4.0), ..config("generic") };
        let mut estimator = Estimator::default();
        assert_eq!(estimator.timeout(&config), seconds(4.0));
        estimator.back_off(&config);
        assert_eq!(estimator.timeout(&config), seconds(8.0));
    }

    #[test]
    fn a_back_off_ends_at_a_million_timeouts() {
        let config = Config { backoff: 64.0, max_timeout: Duration::from_ps(u64::MAX), ..config("generic") };
        let mut estimator = Estimator::default();
        estimator.sample(seconds(0.0), &config);
        let base = estimator.timeout(&config).as_secs_f64();
        (0..1000).for_each(|_| estimator.back_off(&config));
        assert!((estimator.timeout(&config).as_secs_f64() / base - 1e6).abs() < 1e-3);
    }
}
