//! Exponentially distributed.
//!
//! Source: Feller 1971, An Introduction to Probability Theory II, section I.3. Deviations: no value exceeds 37 means, which one in 10^16 would.

use super::Law;
use headgate_packet::Check;
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
    /// Where it was published.
    pub const SOURCE: &'static str = "Feller 1971, An Introduction to Probability Theory II, section I.3";

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
