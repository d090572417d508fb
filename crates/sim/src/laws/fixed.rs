//! Always the mean.
//!
//! Source: elementary. Deviations: none; it takes no random number.

use super::Law;
use headgate_packet::{Card, Check};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Always the mean.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FixedParams {}

impl Check for FixedParams {}

/// Always the mean.
#[derive(Clone, Debug)]
pub struct Fixed;

impl Fixed {
    /// What it says of itself.
    pub const CARD: Card = Card::of("elementary");

    /// The distribution.
    pub fn new(_: &FixedParams) -> Fixed {
        Fixed
    }
}

impl Law for Fixed {
    fn quantile(&self, _: f64) -> f64 {
        1.0
    }
}
