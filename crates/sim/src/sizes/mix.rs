//! A table of lengths with their shares, such as the Internet mix.
//!
//! Source: the "simple IMIX" in common use, 40, 576 and 1500 bytes at 7 : 4 : 1; on such mixes, Morton 2013, RFC 6985. Deviations: none.

use super::{Distribution, size};
use headgate_packet::{Card, Check, PacketSize, Wrong, scaled};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Lengths with their shares.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MixParams {
    /// The lengths, `{ size, share }` each; shares are whole numbers in any unit.
    pub sizes: Vec<Part>,
}

/// One length and its share of the packets.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// The length.
    pub size: PacketSize,
    /// Its share, against the sum of all shares.
    #[schemars(range(min = 1))]
    pub share: u32,
}

impl Default for MixParams {
    fn default() -> MixParams {
        let part = |bytes, share| Part { size: size(bytes), share };
        MixParams { sizes: vec![part(40, 7), part(576, 4), part(1500, 1)] }
    }
}

impl Check for MixParams {
    fn check(&self) -> Result<(), Wrong> {
        if self.sizes.is_empty() {
            return Err(Wrong::at("sizes", "expected at least one length with its share").found(&self.sizes));
        }
        match self.sizes.iter().position(|p| p.share == 0) {
            Some(i) => Err(Wrong::at(format!("sizes[{i}].share"), "expected a whole number above zero").found(&0)),
            None => Ok(()),
        }
    }
}

/// Lengths with their shares.
#[derive(Clone, Debug)]
pub struct Mix(Vec<Part>);

impl Mix {
    /// What it says of itself.
    pub const CARD: Card = Card::of("on such mixes, Morton 2013, RFC 6985");

    /// The distribution.
    pub fn new(params: &MixParams) -> Mix {
        Mix(params.sizes.clone())
    }

    fn total(&self) -> u64 {
        self.0.iter().map(|p| u64::from(p.share)).sum()
    }
}

impl Distribution for Mix {
    fn draw(&self, bits: u64) -> u32 {
        let mut left = scaled(bits, self.total());
        for part in &self.0 {
            match left.checked_sub(u64::from(part.share)) {
                Some(rest) => left = rest,
                None => return part.size.bytes(),
            }
        }
        unreachable!("the number drawn lies below the sum of the shares")
    }

    fn mean(&self) -> f64 {
        let bytes: f64 = self.0.iter().map(|p| f64::from(p.size.bytes()) * f64::from(p.share)).sum();
        bytes / self.total() as f64
    }

    fn longest(&self) -> u32 {
        self.0.iter().map(|p| p.size.bytes()).max().unwrap_or(1)
    }
}
