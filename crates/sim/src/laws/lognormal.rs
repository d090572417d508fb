//! Lognormally distributed: the logarithm is normally distributed.
//!
//! Source: Johnson, Kotz and Balakrishnan 1994, Continuous Univariate Distributions 1, chapter 14; for sizes of files Downey 2001. Deviations: normal
//! numbers beyond 8.3 standard deviations do not occur, as random numbers have 53 bits; at sigma 5, the largest, this takes 0.06 % of the mean.

use super::{Law, normal};
use headgate_packet::{Card, Check};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Lognormally distributed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LognormalParams {
    /// Standard deviation of the natural logarithm.
    #[schemars(range(min = 0.0, max = 5.0))]
    pub sigma: f64,
}

impl Default for LognormalParams {
    fn default() -> LognormalParams {
        LognormalParams { sigma: 1.0 }
    }
}

impl Check for LognormalParams {}

/// Lognormally distributed.
#[derive(Clone, Debug)]
pub struct Lognormal(f64);

impl Lognormal {
    /// What it says of itself.
    pub const CARD: Card = Card::of("Johnson, Kotz and Balakrishnan 1994, chapter 14; Downey 2001");

    /// The distribution.
    pub fn new(params: &LognormalParams) -> Lognormal {
        Lognormal(params.sigma)
    }
}

impl Law for Lognormal {
    fn quantile(&self, share: f64) -> f64 {
        // The mean of e^(sigma z) is e^(sigma^2 / 2).
        libm::exp(self.0 * (normal::quantile(share) - 0.5 * self.0))
    }
}
