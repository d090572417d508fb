//! ATM cells of 53 bytes that carry 48, as on DSL lines: the last cell of a packet is filled up.
//!
//! Source: ITU-T I.363.5 (AAL5: a trailer of 8 bytes, and padding to whole cells); RFC 2684 (headers). Deviations: cells of different packets are not mixed.

use headgate_packet::check::at_most;
use headgate_packet::{Bytes, Card, Check, Wrong};
use headgate_queue::line::Frame;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

const TRAILER: u32 = 8;
const CELL: (u32, u32) = (48, 53);

/// ATM cells of 53 bytes that carry 48 each. They carry the packet and the 8 bytes of the AAL5 trailer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AtmParams {
    /// Bytes in front of each packet: 8 for LLC/SNAP (RFC 2684), 2 for PPP over ATM, 32 for PPP over Ethernet over LLC/SNAP without a check sequence.
    pub header: Bytes,
}

impl Check for AtmParams {
    fn check(&self) -> Result<(), Wrong> {
        at_most("header", self.header, super::fixed::MOST)
    }
}

impl AtmParams {
    /// What is sent for a packet.
    pub fn frame(&self) -> Frame {
        Frame { overhead: self.header.0 as u32 + TRAILER, least: 0, cell: Some(CELL) }
    }
}

/// ATM.
pub struct Atm;

impl Atm {
    /// What it says of itself.
    pub const CARD: Card = Card::of("ITU-T I.363.5 (AAL5); RFC 2684");
}
