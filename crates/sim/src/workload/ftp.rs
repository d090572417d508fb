//! A file transfer without end: there is always a packet to send.
//!
//! Source: Demers, Keshav and Shenker 1989, section 3. Deviations: none.

use super::{Supply, Workload};
use headgate_packet::{Card, Check, Rng};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An endless transfer, as fast as the flow control allows. Packets are there whenever the flow control can send one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FtpParams {}

impl Check for FtpParams {}

impl FtpParams {
    /// Without end.
    pub fn demand_bps(&self, _packet_bytes: u32) -> f64 {
        f64::INFINITY
    }
}

/// An endless transfer.
#[derive(Clone, Debug)]
pub struct Ftp;

impl Ftp {
    /// What it says of itself.
    pub const CARD: Card = Card::of("Demers, Keshav and Shenker 1989, section 3");

    /// A new transfer.
    pub fn new(_: &FtpParams, _packet_bytes: u32) -> Ftp {
        Ftp
    }
}

impl Workload for Ftp {
    fn draws(&self) -> bool {
        false
    }

    fn supply(&mut self, _: &mut Rng) -> Supply {
        Supply { packets: u64::MAX, again: None }
    }
}
