//! Pareto distributed lengths between two bounds: many short packets, few long ones.
//!
//! Source: Johnson, Kotz and Balakrishnan 1994, Continuous Univariate Distributions 1, chapter 20 (the truncated Pareto distribution).
//! Deviations: a length is rounded to the nearest byte, which moves the mean by less than half a byte; `mean` is that before rounding.

use super::{Distribution, check_range, size};
use headgate_packet::{Card, Check, PacketSize, Wrong, unit};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Pareto distributed lengths between two bounds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ParetoParams {
    /// Least length.
    pub min: PacketSize,
    /// Greatest length.
    pub max: PacketSize,
    /// Shape: a length exceeds x in proportion to x to the power of minus this.
    #[schemars(range(min = 0.01, max = 100.0))]
    pub shape: f64,
}

impl Default for ParetoParams {
    fn default() -> ParetoParams {
        ParetoParams { min: size(40), max: size(1500), shape: 1.2 }
    }
}

impl Check for ParetoParams {
    fn check(&self) -> Result<(), Wrong> {
        check_range(self.min, self.max)
    }
}

/// Pareto distributed lengths.
#[derive(Clone, Debug)]
pub struct Pareto {
    min: f64,
    max: f64,
    shape: f64,
}

impl Pareto {
    /// What it says of itself.
    pub const CARD: Card = Card::of("Johnson, Kotz and Balakrishnan 1994, chapter 20 (truncated Pareto)");

    /// The distribution.
    pub fn new(params: &ParetoParams) -> Pareto {
        Pareto { min: f64::from(params.min.bytes()), max: f64::from(params.max.bytes()), shape: params.shape }
    }

    /// Share of the unbounded distribution that lies below `max`.
    fn inside(&self) -> f64 {
        1.0 - libm::pow(self.min / self.max, self.shape)
    }
}

impl Distribution for Pareto {
    fn draw(&self, bits: u64) -> u32 {
        let bytes = self.min * libm::pow(1.0 - unit(bits) * self.inside(), -1.0 / self.shape);
        libm::round(bytes).clamp(self.min, self.max) as u32
    }

    fn mean(&self) -> f64 {
        // The integral of x^-shape from min to max, by its exponent; it is a logarithm at shape 1.
        let (a, ratio) = (self.shape, self.max / self.min);
        let area =
            if (a - 1.0).abs() < 1e-9 { libm::log(ratio) } else { (1.0 - libm::pow(ratio, 1.0 - a)) / (a - 1.0) };
        a * self.min * area / self.inside()
    }

    fn longest(&self) -> u32 {
        self.max as u32
    }
}
