//! Tahoe: slow start, congestion avoidance and fast retransmit; every loss closes the window to one packet.
//!
//! Source: Jacobson and Karels 1988, and RFC 5681 for the parts that it kept.
//! Deviations:
//! - Packets are counted, not bytes.
//! - `jk_tahoe` is the same with the clocks and rules of the papers of its time.
//!
//! State per flow: window and threshold.

use crate::parts::window::{Window, kept_in};
use crate::transport::Config;
use crate::transport::tcp::Recovery;
use crate::{Ack, FlowControl, Loss};
use headgate_packet::{Card, Check, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Tahoe: every loss closes the window to one packet. It has slow start, congestion avoidance and fast retransmit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TahoeParams {}

impl Check for TahoeParams {
    fn check(&self) -> Result<(), Wrong> {
        Ok(())
    }
}

impl TahoeParams {
    /// How the transport serves it.
    pub fn transport(&self) -> Config {
        Config::rfc(Recovery::Tahoe)
    }
}

/// A window that every loss closes to one packet.
#[derive(Clone, Debug)]
pub struct Tahoe(Window);

impl Tahoe {
    /// What it says of itself.
    pub const CARD: Card = Card::of("Jacobson and Karels 1988");

    /// A source before its first packet.
    pub fn new(_: &TahoeParams) -> Tahoe {
        Tahoe(Window::new(1))
    }
}

impl FlowControl for Tahoe {
    fn on_start(&mut self, window: u64) {
        self.0 = Window::new(window);
    }

    #[inline]
    fn on_ack(&mut self, ack: &Ack) {
        self.0.grow(ack);
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.0.cut(loss, self.0.window.min(loss.used) / 2);
        self.0.window = 1;
    }

    kept_in!(0);

    fn probe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        self.0.probe(sink);
    }
}
