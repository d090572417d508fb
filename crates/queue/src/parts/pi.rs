//! A proportional-integral controller: a probability that rises with how far a delay is above a target and with how fast it grows.
//!
//! Source: RFC 9332, appendix A.1, figure 6 (after Hollot et al. 2001). Deviations: none. State: 16 bytes.

use headgate_packet::check::above_zero;
use headgate_packet::{Duration, Wrong};

/// The gains of a controller.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PiGains {
    /// The delay that is to be held.
    pub target: Duration,
    /// Time from step to step.
    pub update: Duration,
    /// Probability that a second of delay above the target adds in each step.
    pub alpha: f64,
    /// Probability that a second of growth since the last step adds.
    pub beta: f64,
}

impl PiGains {
    /// The times that have to be above zero.
    ///
    /// # Errors
    /// One is zero.
    pub fn check(&self) -> Result<(), Wrong> {
        above_zero("target", self.target)?;
        above_zero("update", self.update)
    }
}

/// A controller.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pi {
    /// The probability, from 0 to 1.
    pub probability: f64,
    /// The delay at the last step, in seconds.
    pub before: f64,
}

impl Pi {
    /// A step, with the delay now in seconds.
    pub fn step(&mut self, delay: f64, gains: &PiGains) {
        let more = gains.alpha * (delay - gains.target.as_secs_f64()) + gains.beta * (delay - self.before);
        self.probability = (self.probability + more).clamp(0.0, 1.0);
        self.before = delay;
    }

    /// Whether a step without delay changes nothing.
    pub fn rests(&self) -> bool {
        *self == Pi::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAINS: PiGains =
        PiGains { target: Duration::from_millis(15), update: Duration::from_millis(16), alpha: 0.16, beta: 3.2 };

    #[test]
    fn a_constant_delay_is_a_line() {
        // p'(k) = beta d + k alpha (d - target), up to 1.
        for ms in [16, 20, 30, 50_u64] {
            let (mut pi, d) = (Pi::default(), ms as f64 / 1000.0);
            for k in 1..=100 {
                pi.step(d, &GAINS);
                let due = (3.2 * d + f64::from(k) * 0.16 * (d - 0.015)).min(1.0);
                assert!((pi.probability - due).abs() < 1e-12, "{ms} ms, step {k}");
            }
        }
    }

    #[test]
    fn it_is_a_probability() {
        let step = |probability, before, delay| {
            let mut pi = Pi { probability, before };
            pi.step(delay, &GAINS);
            pi.probability
        };
        assert_eq!([step(0.99, 0.0, 1.0), step(0.01, 1.0, 0.0)], [1.0, 0.0]);
        // A delay that shrinks takes away what its growth had added.
        assert!((step(0.5, 0.050, 0.020) - (0.5 + 0.16 * 0.005 - 3.2 * 0.030)).abs() < 1e-12);
    }

    #[test]
    fn without_delay_it_falls_to_rest() {
        // From 0.5 and no delay before, 0.0024 each step: 209 steps.
        let mut pi = Pi { probability: 0.5, before: 0.0 };
        let steps = (1..).find(|_| {
            pi.step(0.0, &GAINS);
            pi.rests()
        });
        assert_eq!(steps, Some(209));
    }
}
