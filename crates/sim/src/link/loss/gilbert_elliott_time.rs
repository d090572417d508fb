//! Losses in bursts that last for a time: the wire is in a good or in a bad state, each with its own probability of loss, and changes on by itself.
//!
//! Source:
//! - Gilbert 1960, Capacity of a burst-noise channel (no loss in the good state), and Elliott 1963, Estimates of error rates for codes on burst-noise
//!   channels (any probability in both).
//! - Feller 1968, section XVII.5: the probabilities of a Markov process of two states at any time.
//!
//! Deviations:
//! - The state moves on with time, not from bit to bit: stays are exponentially distributed. So a source that backs off finds the wire good again, which
//!   with `gilbert_elliott` it never does while it sends nothing.
//! - The first state is drawn from the share of time in each, `bad / (good + bad)` for the bad one.

use super::Loss;
use headgate_packet::{Card, Check, Duration, Rng, Time, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Losses in bursts that last for a time. The wire is in a good or in a bad state, each with its own probability of loss, and changes on by itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct GilbertElliottTimeParams {
    /// Mean time in the good state.
    pub good: Duration,
    /// Mean time in the bad state.
    pub bad: Duration,
    /// Probability of loss in the good state; Gilbert's model has 0.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub loss_good: f64,
    /// Probability of loss in the bad state.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub loss_bad: f64,
}

impl Default for GilbertElliottTimeParams {
    fn default() -> GilbertElliottTimeParams {
        let (good, bad) = (Duration::from_secs(10), Duration::from_millis(100));
        GilbertElliottTimeParams { good, bad, loss_good: 0.0, loss_bad: 1.0 }
    }
}

impl Check for GilbertElliottTimeParams {
    fn check(&self) -> Result<(), Wrong> {
        for (name, time) in [("good", self.good), ("bad", self.bad)] {
            if time == Duration::ZERO {
                return Err(Wrong::at(name, "expected a mean time above zero").found(&time));
            }
        }
        Ok(())
    }
}

/// Losses in bursts that last for a time.
#[derive(Clone, Debug)]
pub struct GilbertElliottTime {
    params: GilbertElliottTimeParams,
    /// The share of time in the bad state, and how fast a state is forgotten, per second.
    share: f64,
    rate: f64,
    bad: bool,
    last: Time,
}

impl GilbertElliottTime {
    /// What it says of itself.
    pub const CARD: Card = Card::of("Gilbert 1960; Elliott 1963; Feller 1968, section XVII.5");

    /// The law in its first state.
    pub fn new(params: &GilbertElliottTimeParams, rng: &mut Rng) -> GilbertElliottTime {
        let (good, bad) = (params.good.as_secs_f64(), params.bad.as_secs_f64());
        let (share, rate) = (bad / (good + bad), 1.0 / good + 1.0 / bad);
        GilbertElliottTime { params: params.clone(), share, rate, bad: rng.uniform() < share, last: Time::ZERO }
    }
}

impl Loss for GilbertElliottTime {
    fn loses(&mut self, now: Time, rng: &mut Rng) -> bool {
        // What is left of a state after a time; of the rest each state has its share.
        let kept = libm::exp(-self.rate * now.since(self.last).as_secs_f64());
        let bad = self.share + (f64::from(u8::from(self.bad)) - self.share) * kept;
        (self.bad, self.last) = (rng.uniform() < bad, now);
        rng.uniform() < if self.bad { self.params.loss_bad } else { self.params.loss_good }
    }
}
