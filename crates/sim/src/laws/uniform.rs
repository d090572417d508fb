//! Uniformly distributed around the mean.
//!
//! Source: elementary. Deviations: none.

use super::Law;
use headgate_packet::{Card, Check};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Uniformly distributed around the mean.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct UniformParams {
    /// Values lie at most this share of the mean below and above it: with 1 from 0 to twice the mean.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub spread: f64,
}

impl Default for UniformParams {
    fn default() -> UniformParams {
        UniformParams { spread: 1.0 }
    }
}

impl Check for UniformParams {}

/// Uniformly distributed around the mean.
#[derive(Clone, Debug)]
pub struct Uniform(f64);

impl Uniform {
    /// What it says of itself.
    pub const CARD: Card = Card::of("elementary");

    /// The distribution.
    pub fn new(params: &UniformParams) -> Uniform {
        Uniform(params.spread)
    }
}

impl Law for Uniform {
    fn quantile(&self, share: f64) -> f64 {
        1.0 + self.0 * (2.0 * share - 1.0)
    }
}
