//! Losses in bursts: the wire is in a good or in a bad state, each with its own probability of loss.
//!
//! Source: Gilbert 1960, Capacity of a burst-noise channel (no loss in the good state), and Elliott 1963, Estimates of error rates for codes on
//! burst-noise channels (any probability in both). Deviations: the state may change from packet to packet, not from bit to bit; the first state is drawn from
//! the share of packets that meet each in the long run, `to_bad / (to_bad + to_good)` for the bad one.

use super::Loss;
use headgate_packet::{Card, Check, Rng, Time, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Losses in bursts. The wire is in a good or in a bad state, each with its own probability of loss.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct GilbertElliottParams {
    /// Probability that the packet after one in the good state meets the bad one.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub to_bad: f64,
    /// Probability that the packet after one in the bad state meets the good one. The mean number of packets in a bad state is one over it.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub to_good: f64,
    /// Probability of loss in the good state; Gilbert's model has 0.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub loss_good: f64,
    /// Probability of loss in the bad state.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub loss_bad: f64,
}

impl Default for GilbertElliottParams {
    fn default() -> GilbertElliottParams {
        GilbertElliottParams { to_bad: 0.001, to_good: 0.1, loss_good: 0.0, loss_bad: 1.0 }
    }
}

impl Check for GilbertElliottParams {
    fn check(&self) -> Result<(), Wrong> {
        if self.to_bad + self.to_good > 0.0 {
            return Ok(());
        }
        let message = "expected `to_good` or `to_bad` above zero: otherwise the wire would stay in its first state";
        Err(Wrong::at("to_good", message).found(&self.to_good))
    }
}

/// Losses in bursts.
#[derive(Clone, Debug)]
pub struct GilbertElliott {
    params: GilbertElliottParams,
    bad: bool,
}

impl GilbertElliott {
    /// What it says of itself.
    pub const CARD: Card = Card::of("Gilbert 1960; Elliott 1963");

    /// The law in its first state.
    pub fn new(params: &GilbertElliottParams, rng: &mut Rng) -> GilbertElliott {
        let share = params.to_bad / (params.to_bad + params.to_good);
        GilbertElliott { params: params.clone(), bad: rng.uniform() < share }
    }
}

impl Loss for GilbertElliott {
    fn loses(&mut self, _: Time, rng: &mut Rng) -> bool {
        let p = &self.params;
        let (loss, leave) = if self.bad { (p.loss_bad, p.to_good) } else { (p.loss_good, p.to_bad) };
        let lost = rng.uniform() < loss;
        self.bad ^= rng.uniform() < leave;
        lost
    }
}
