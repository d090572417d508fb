//! A fixed number of bytes with each packet.
//!
//! Source: none is needed. Deviations: none.

use headgate_packet::check::at_most;
use headgate_packet::{Bytes, Card, Check, Wrong};
use headgate_queue::line::Frame;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Maximum number of bytes that are added to a packet.
pub(super) const MOST: Bytes = Bytes(1 << 16);

/// A fixed number of bytes with each packet.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FixedParams {
    /// Bytes that are added to each packet.
    pub overhead: Bytes,
    /// Minimum length of a packet with its overhead; shorter ones are padded.
    pub least: Bytes,
}

impl Check for FixedParams {
    fn check(&self) -> Result<(), Wrong> {
        at_most("overhead", self.overhead, MOST)?;
        at_most("least", self.least, MOST)
    }
}

impl FixedParams {
    /// What is sent for a packet.
    pub fn frame(&self) -> Frame {
        Frame { overhead: self.overhead.0 as u32, least: self.least.0 as u32, cell: None }
    }
}

/// A fixed number of bytes.
pub struct Fixed;

impl Fixed {
    /// What it says of itself.
    pub const CARD: Card = Card::of("a fixed number of bytes");
}
