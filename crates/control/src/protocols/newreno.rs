//! NewReno: Reno that stays in fast recovery until a whole window is repaired.
//!
//! Source: RFC 5681 and 6582.
//! Each partial acknowledgement sends the next hole, one a round trip.
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

/// NewReno: Reno whose fast recovery repairs a whole window. It stays in fast recovery until a whole window is repaired.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct NewrenoParams {}

impl Check for NewrenoParams {
    fn check(&self) -> Result<(), Wrong> {
        Ok(())
    }
}

impl NewrenoParams {
    /// How the transport serves it.
    pub fn transport(&self) -> Config {
        Config::rfc(Recovery::Newreno)
    }
}

/// A window that opens by a packet an acknowledgement, then by a packet a round trip.
#[derive(Clone, Debug)]
pub struct Newreno(Window);

impl Newreno {
    /// What it says of itself.
    pub const CARD: Card = Card { family: "reno-window", aliases: &["new_reno"], ..Card::of("RFC 5681 and 6582") };

    /// A source before its first packet.
    pub fn new(_: &NewrenoParams) -> Newreno {
        Newreno(Window::new(1))
    }
}

by_window!(Newreno, |loss, window| window / 2);
