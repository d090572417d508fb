//! Jacobson and Karels' flow control as in 4.3BSD-Reno: Tahoe with fast recovery.
//!
//! Source: Jacobson and Karels 1988; Demers, Keshav and Shenker 1989, section 3 (JK), and the Reno rules as RFC 2001 writes them.
//! After a fast retransmission the window stays at half, and each further duplicate allows one more packet.
//! Deviations:
//! - Packets are counted, not bytes.
//! - The timer has no clock tick.
//! - The papers write two mean deviations in one place (thesis, chapter 4), and BSD later used four: the number is a parameter.
//! - A fast retransmission is not repeated within one window of data.
//!
//! State per flow: window and threshold; whether it recovers.

use crate::protocols::jk_tahoe::JkTahoeParams;
use crate::parts::slow_start::SlowStart;
use crate::transport::Config;
use crate::{Ack, Allowance, FlowControl, Loss, LossKind};
use headgate_packet::{Card, Check, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Reno of 4.3BSD: Tahoe's rules and fast recovery. A loss shown by duplicates only halves the window.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct JkRenoParams(pub JkTahoeParams);

impl Check for JkRenoParams {
    fn check(&self) -> Result<(), Wrong> {
        self.0.check()
    }
}

impl JkRenoParams {
    /// How the transport serves it: as Tahoe.
    pub fn transport(&self) -> Config {
        self.0.transport()
    }
}

/// Slow start and congestion avoidance with fast recovery.
#[derive(Clone, Debug)]
pub struct JkReno {
    window: SlowStart,
    duplicates: u32,
    recovering: bool,
}

impl JkReno {
    /// What it says of itself.
    pub const CARD: Card = Card { main: &["window"], ..Card::of("Jacobson 1990 (4.3BSD-Reno); RFC 2001") };

    /// A source with a window of one packet.
    pub fn new(params: &JkRenoParams) -> JkReno {
        let JkTahoeParams { window, duplicates, .. } = params.0;
        JkReno { window: SlowStart::new(window), duplicates, recovering: false }
    }
}

impl FlowControl for JkReno {
    #[inline]
    fn on_ack(&mut self, ack: &Ack) {
        match (ack.newly_acked > 0, self.recovering) {
            (true, false) => self.window.open(),
            (true, true) => {
                // The hole is filled: deflate.
                self.window.set(self.window.threshold);
                self.recovering = false;
            }
            // Each duplicate beyond those that showed the loss says that a packet has left the network.
            (false, true) if ack.duplicates > self.duplicates => self.window.set(self.window.window + 1),
            (false, _) => {}
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.window.halve();
        self.recovering = loss.kind == LossKind::DuplicateAcks;
        self.window.set(if self.recovering { self.window.threshold + u64::from(self.duplicates) } else { 1 });
    }

    #[inline]
    fn allowance(&self) -> Allowance {
        Allowance::window(self.window.allowance())
    }

    fn probe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        sink("window", self.window.gauge().min(self.window.most as f64));
        sink("threshold", self.window.threshold as f64);
    }
}
