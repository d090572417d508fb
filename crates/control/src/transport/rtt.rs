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

    /// The present timeout.
    #[inline]
    pub fn timeout(&self, config: &Config) -> Duration {
        let base = if self.sampled {
            Duration::from_secs_f64(config.means * self.mean + config.deviations * self.deviation)
        } else {
            match config.initial {
                Initial::Mean(mean) => Duration::from_secs_f64(config.means * mean.as_secs_f64()),
                Initial::Timeout(timeout) => timeout,
            }
        };
        let base = base.max(config.min_timeout);
        let backed_off =
            if self.backoff > 1.0 { Duration::from_secs_f64(base.as_secs_f64() * self.backoff) } else { base };
        backed_off.min(config.max_timeout)
    }
}
