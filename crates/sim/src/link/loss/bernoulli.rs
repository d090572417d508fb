//! Each packet is lost with the same probability, independently of the others.
//!
//! Source: Feller 1968, section VI.1 (Bernoulli trials). Deviations: none.

use super::Loss;
use headgate_packet::{Card, Check, Rng, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Independent losses with one probability. Each packet is lost with the same probability, independently of the others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BernoulliParams {
    /// Probability that a packet is lost.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub probability: f64,
}

impl Default for BernoulliParams {
    fn default() -> BernoulliParams {
        BernoulliParams { probability: 0.01 }
    }
}

impl Check for BernoulliParams {}

/// Independent losses with one probability. Each packet is lost with the same probability, independently of the others.
#[derive(Clone, Debug)]
pub struct Bernoulli {
    probability: f64,
}

impl Bernoulli {
    /// What it says of itself.
    pub const CARD: Card = Card { main: &["probability"], ..Card::of("Feller 1968, section VI.1 (Bernoulli trials)") };

    /// The law from its beginning.
    pub fn new(params: &BernoulliParams, _: &mut Rng) -> Bernoulli {
        Bernoulli { probability: params.probability }
    }
}

impl Loss for Bernoulli {
    fn loses(&mut self, _: Time, rng: &mut Rng) -> bool {
        rng.uniform() < self.probability
    }
}
