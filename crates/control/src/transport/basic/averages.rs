//! Round-trip estimate and retransmission timeout of the protocols before 1990.
//!
//! Source: Jacobson and Karels 1988, appendix A; with no weight on the deviation and a multiple of the mean it is the generic timer of Demers, Keshav
//! and Shenker 1989, section 3.

use super::Rules;
use crate::transport::Clock;
use headgate_packet::Duration;

/// Clock and timeout of a protocol from before 1990, whose parameters these are.
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
pub struct AverageRtt {
    sampled: bool,
    /// Timeouts in a row, and the factor of the timeout that they amount to.
    backoffs: u32,
    factor: f64,
    mean: f64,
    deviation: f64,
}

impl Default for AverageRtt {
    fn default() -> AverageRtt {
        AverageRtt { sampled: false, backoffs: 0, factor: 1.0, mean: 0.0, deviation: 0.0 }
    }
}

impl AverageRtt {
    /// Takes in a sample by its weights; it ends a back-off.
    #[inline]
    pub fn sample(&mut self, rtt: Duration, averages: &Averages) {
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

    /// Takes in a sample that ends no back-off.
    pub fn sample_within_back_off(&mut self, rtt: Duration, averages: &Averages) {
        let backed_off = (self.backoffs, self.factor);
        self.sample(rtt, averages);
        (self.backoffs, self.factor) = backed_off;
    }

    /// A timeout happened: the next one is due later.
    pub fn back_off(&mut self, averages: &Averages) {
        self.backoffs = self.backoffs.saturating_add(1);
        self.factor = (self.factor * averages.backoff).min(averages.most_backoff);
    }

    /// Timeouts in a row.
    pub fn backoffs(&self) -> u32 {
        self.backoffs
    }

    /// The present timeout.
    #[inline(always)]
    pub fn timeout(&self, rules: &Rules) -> Duration {
        let averages = &rules.averages;
        let base = if self.sampled {
            Duration::from_secs_f64(averages.means * self.mean + averages.deviations * self.deviation)
        } else {
            averages.start.map_or(rules.initial_timeout, |mean| mean * averages.means)
        };
        let base = base.max(rules.min_timeout);
        if self.factor > 1.0 { (base * self.factor).min(rules.max_timeout) } else { base.min(rules.max_timeout) }
    }

    /// The timeout of a packet whose own timer ran out this often.
    pub fn timeout_after(&self, times: u32, rules: &Rules) -> Duration {
        let averages = &rules.averages;
        let factor = libm::pow(averages.backoff, f64::from(times)).min(averages.most_backoff);
        (self.timeout(rules) * factor).min(rules.max_timeout)
    }
}
