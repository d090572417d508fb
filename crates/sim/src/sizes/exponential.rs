//! Exponentially distributed lengths, in whole bytes: with Poisson arrivals, M/M/1.
//!
//! Source: Kleinrock 1975, Queueing Systems I, section 3.2 (M/M/1).
//!
//! Deviations:
//! - An exponential length is rounded up to whole bytes, which makes it geometric; its scale is chosen so that the mean is exact. The second
//!   moment of mean m is 2 m^2 - m instead of 2 m^2: waits are too short by the share 1 / (2 m), 0.05 % at 1000 bytes.
//! - A length above `max` becomes `max`; that happens to a share exp(-max / mean) of the packets.

use super::{Distribution, size};
use headgate_packet::{Card, Check, PacketSize, Wrong, unit};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Exponentially distributed lengths.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ExponentialParams {
    /// Mean length, before `max` cuts.
    pub mean: PacketSize,
    /// Longer packets become this long.
    pub max: PacketSize,
}

impl Default for ExponentialParams {
    fn default() -> ExponentialParams {
        ExponentialParams { mean: size(1000), max: size(16 << 20) }
    }
}

impl Check for ExponentialParams {
    fn check(&self) -> Result<(), Wrong> {
        if self.mean.bytes() <= self.max.bytes() {
            return Ok(());
        }
        Err(Wrong::at("max", format!("expected at least the mean, {}", self.mean)).found(&self.max))
    }
}

/// Exponentially distributed lengths.
#[derive(Clone, Debug)]
pub struct Exponential {
    mean: f64,
    /// Mean of the exponential before it is rounded up.
    scale: f64,
    max: u32,
}

impl Exponential {
    /// What it says of itself.
    pub const CARD: Card = Card::of("Kleinrock 1975, Queueing Systems I, section 3.2 (service times of M/M/1)");

    /// The distribution.
    pub fn new(params: &ExponentialParams) -> Exponential {
        let mean = f64::from(params.mean.bytes());
        // Rounded up, it exceeds k with probability exp(-k / scale) = (1 - 1/mean)^k: geometric with the mean asked for.
        let scale = if mean > 1.0 { -1.0 / libm::log1p(-1.0 / mean) } else { 0.0 };
        Exponential { mean, scale, max: params.max.bytes() }
    }
}

impl Distribution for Exponential {
    fn draw(&self, bits: u64) -> u32 {
        // 1 - u lies in (0, 1], so the logarithm is finite.
        let bytes = libm::ceil(-libm::log(1.0 - unit(bits)) * self.scale);
        (bytes as u32).clamp(1, self.max)
    }

    fn mean(&self) -> f64 {
        // The sum of P(length > k) for k below max.
        self.mean * (1.0 - libm::pow(1.0 - 1.0 / self.mean, f64::from(self.max)))
    }

    fn longest(&self) -> u32 {
        if self.mean > 1.0 { self.max } else { 1 }
    }
}
