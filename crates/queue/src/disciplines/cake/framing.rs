//! What the lower layers add to a packet, by which CAKE reckons.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Cells or coding of the line below.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Framing {
    /// None.
    #[default]
    None,
    /// Cells of 53 bytes that carry 48.
    Atm,
    /// A byte more for each 64, or part of them.
    Ptm,
}

/// How long a packet is on the line below.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Framed {
    pub overhead: i32,
    pub least: u32,
    pub framing: Framing,
}

impl Framed {
    /// The bytes that a packet is charged for (`cake_calc_overhead`): at least one.
    #[inline]
    pub fn length(&self, bytes: u32) -> u32 {
        let bytes = bytes.saturating_add_signed(self.overhead).max(self.least).max(1);
        match self.framing {
            Framing::None => bytes,
            Framing::Atm => bytes.div_ceil(48).saturating_mul(53),
            Framing::Ptm => bytes.saturating_add(bytes.div_ceil(64)),
        }
    }
}
