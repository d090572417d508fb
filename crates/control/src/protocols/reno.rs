//! Reno: slow start, congestion avoidance, fast retransmit and fast recovery.
//!
//! Source: RFC 5681.
//! Fast recovery ends with the first new acknowledgement: several losses in a window are several cuts, or a timeout.
//! Deviations:
//! - Packets are counted, not bytes.
//! - A cut halves the window, or the receiver's if that is less; the RFC halves the packets in flight. So a source that lacks data keeps its window.
//!
//! State per flow: window and threshold.

use crate::parts::window::{Window, by_window};
use crate::transport::Config;
use crate::transport::tcp::Recovery;
use headgate_packet::{Card, Check, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Reno: Tahoe's rules and fast recovery. It has slow start, congestion avoidance, fast retransmit and fast recovery.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RenoParams {}

impl Check for RenoParams {
    fn check(&self) -> Result<(), Wrong> {
        Ok(())
    }
}

impl RenoParams {
    /// How the transport serves it.
    pub fn transport(&self) -> Config {
        Config::rfc(Recovery::Reno)
    }
}

/// A window that opens by a packet an acknowledgement, then by a packet a round trip.
#[derive(Clone, Debug)]
pub struct Reno(Window);

impl Reno {
    /// What it says of itself.
    pub const CARD: Card = Card { family: "reno-window", ..Card::of("RFC 5681") };

    /// A source before its first packet.
    pub fn new(_: &RenoParams) -> Reno {
        Reno(Window::new(1))
    }
}

by_window!(Reno, |loss, window| window / 2);
