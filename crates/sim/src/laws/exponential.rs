//! Exponentially distributed.
//!
//! Source: Feller 1971, An Introduction to Probability Theory II, section I.3. Deviations: no value exceeds 37 means, which one in 10^16 would.

use super::Law;
use headgate_packet::{Card, Check};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Exponentially distributed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ExponentialParams {}

impl Check for ExponentialParams {}

/// Exponentially distributed.
#[derive(Clone, Debug)]
pub struct Exponential;

impl Exponential {
    /// What it says of itself.
    pub const CARD: Card = Card::of("Feller 1971, An Introduction to Probability Theory II, section I.3");

    /// The distribution.
    pub fn new(_: &ExponentialParams) -> Exponential {
        Exponential
    }
}

impl Law for Exponential {
    #[inline]
    fn quantile(&self, share: f64) -> f64 {
        // The share lies below 1, so the logarithm is finite.
        -libm::log(1.0 - share)
    }
}
