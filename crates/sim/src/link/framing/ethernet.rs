//! Ethernet: preamble, header, padding, check sequence and the gap between frames.
//!
//! Source: IEEE 802.3-2018, section 3.1.1 (preamble and delimiter 8 bytes, addresses and type 14, data at least 46, check sequence 4) and section 4.4.2 (gap
//! of 12 bytes). Deviations: packets longer than 1500 bytes are sent in one frame, as jumbo frames are.

use headgate_packet::{Card, Check};
use headgate_queue::line::Frame;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

const PREAMBLE: u32 = 8;
const HEADER: u32 = 14;
const TAG: u32 = 4;
const CHECK: u32 = 4;
const GAP: u32 = 12;
const SHORTEST: u32 = 64;

/// Ethernet: 38 bytes with each packet, at least 84 in all.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct EthernetParams {
    /// Whether frames have a VLAN tag of 4 bytes.
    pub tag: bool,
}

impl Check for EthernetParams {}

impl EthernetParams {
    /// What is sent for a packet.
    pub fn frame(&self) -> Frame {
        let tag = if self.tag { TAG } else { 0 };
        Frame { overhead: PREAMBLE + HEADER + tag + CHECK + GAP, least: PREAMBLE + SHORTEST + GAP, cell: None }
    }
}

/// Ethernet.
pub struct Ethernet;

impl Ethernet {
    /// What it says of itself.
    pub const CARD: Card = Card::of("IEEE 802.3-2018, sections 3.1.1 and 4.4.2");
}
