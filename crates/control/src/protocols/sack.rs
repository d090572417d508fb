//! Reno's window with selective acknowledgements.
//!
//! Source: RFC 5681 and 6675.
//! The sink reports which packets arrived, so that all holes of a window are repaired within a round trip or two.
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

/// SACK: Reno's window with selective acknowledgements.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SackParams {}

impl Check for SackParams {
    fn check(&self) -> Result<(), Wrong> {
        Ok(())
    }
}

impl SackParams {
    /// How the transport serves it.
    pub fn transport(&self) -> Config {
        Config::rfc(Recovery::Sack)
    }
}

/// A window that opens by a packet an acknowledgement, then by a packet a round trip.
#[derive(Clone, Debug)]
pub struct Sack(Window);

impl Sack {
    /// What it says of itself.
    pub const CARD: Card = Card { family: "reno-window", ..Card::of("RFC 5681 and 6675") };

    /// A source before its first packet.
    pub fn new(_: &SackParams) -> Sack {
        Sack(Window::new(1))
    }
}

by_window!(Sack, |loss, window| window / 2);
