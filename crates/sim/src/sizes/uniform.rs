//! Every whole number of bytes from the least to the greatest equally often.
//!
//! Source: elementary. Deviations: none.

use super::{Distribution, check_range, size};
use headgate_packet::{Card, Check, PacketSize, Wrong, scaled};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Every length from `min` to `max` equally often.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct UniformParams {
    /// Least length.
    pub min: PacketSize,
    /// Greatest length.
    pub max: PacketSize,
}

impl Default for UniformParams {
    fn default() -> UniformParams {
        UniformParams { min: size(40), max: size(1500) }
    }
}

impl Check for UniformParams {
    fn check(&self) -> Result<(), Wrong> {
        check_range(self.min, self.max)
    }
}

/// Every length equally often.
#[derive(Clone, Debug)]
pub struct Uniform {
    min: u32,
    max: u32,
}

impl Uniform {
    /// What it says of itself.
    pub const CARD: Card = Card::of("elementary");

    /// The distribution.
    pub fn new(params: &UniformParams) -> Uniform {
        Uniform { min: params.min.bytes(), max: params.max.bytes() }
    }
}

impl Distribution for Uniform {
    fn draw(&self, bits: u64) -> u32 {
        self.min + scaled(bits, u64::from(self.max - self.min) + 1) as u32
    }

    fn mean(&self) -> f64 {
        (f64::from(self.min) + f64::from(self.max)) / 2.0
    }

    fn longest(&self) -> u32 {
        self.max
    }
}
