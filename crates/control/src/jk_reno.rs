//! Jacobson and Karels' flow control as in 4.3BSD-Reno: Tahoe with fast recovery.
//!
//! Source: Jacobson and Karels 1988; Demers, Keshav and Shenker 1989, section 3 (JK), and the Reno rules as RFC 2001 writes them.
//! After a fast retransmission the window stays at half, and each further duplicate lets one more packet out.
//! Deviations: packets are counted, not bytes; the timer has no clock tick. The papers write two mean deviations in one place (thesis,
//! chapter 4) and BSD came to use four: a parameter. A fast retransmission is not repeated within one window of data.
//! State per flow: window and threshold; whether it recovers.

use crate::transport::{Clock, Config, Initial, Retransmit, SlowStart};
use crate::{Ack, Allowance, FlowControl, Loss, LossKind};
use headgate_packet::Duration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Tahoe's rules, and fast recovery: a loss shown by duplicates only halves the window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct JkRenoParams {
    /// Largest window in packets.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub window: u64,
    /// Weight of a new sample in the mean round-trip time.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub gain: f64,
    /// Weight of a new sample in the mean deviation of the round-trip time.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub deviation_gain: f64,
    /// The timeout is the mean round-trip time plus this many mean deviations.
    #[schemars(range(min = 0.0, max = 100.0))]
    pub deviations: f64,
    /// Duplicate acknowledgements that mean a loss; 0 to leave losses to the timeout.
    #[schemars(range(min = 0, max = 1000))]
    pub duplicates: u32,
    /// Which transmission the round trip of a retransmitted packet is counted from.
    pub clock: Clock,
    /// What a timeout sends again.
    pub retransmit: Retransmit,
    /// Factor of the timeout after each timeout in a row.
    #[schemars(range(min = 1.0, max = 64.0))]
    pub backoff: f64,
    /// Timeout before the first round trip is known.
    pub initial_timeout: Duration,
    /// Least timeout.
    pub min_timeout: Duration,
    /// Greatest timeout.
    pub max_timeout: Duration,
}

impl Default for JkRenoParams {
    fn default() -> JkRenoParams {
        JkRenoParams {
            window: 65_535,
            gain: 0.125,
            deviation_gain: 0.25,
            deviations: 4.0,
            duplicates: 3,
            clock: Clock::Skip,
            retransmit: Retransmit::All,
            backoff: 2.0,
            initial_timeout: Duration::from_secs(3),
            min_timeout: Duration::from_millis(200),
            max_timeout: Duration::from_secs(64),
        }
    }
}

impl JkRenoParams {
    /// How the transport serves it.
    pub fn transport(&self) -> Config {
        Config {
            gain: self.gain,
            deviation_gain: self.deviation_gain,
            means: 1.0,
            deviations: self.deviations,
            initial: Initial::Timeout(self.initial_timeout),
            min_timeout: self.min_timeout,
            max_timeout: self.max_timeout,
            backoff: self.backoff,
            clock: self.clock,
            every_sample: false,
            retransmit: self.retransmit,
            duplicates: (self.duplicates > 0).then_some(self.duplicates),
            open_loop: false,
        }
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
    /// Where it was published.
    pub const SOURCE: &'static str = "Jacobson 1990 (4.3BSD-Reno); RFC 2001";

    /// A source with a window of one packet.
    pub fn new(params: &JkRenoParams) -> JkReno {
        JkReno { window: SlowStart::new(params.window), duplicates: params.duplicates, recovering: false }
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
            // Each duplicate says that a packet has left the network.
            (false, true) => self.window.set(self.window.window + 1),
            (false, false) => {}
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.window.halve();
        self.recovering = loss.kind == LossKind::DuplicateAcks;
        self.window.set(if self.recovering { self.window.threshold + u64::from(self.duplicates) } else { 1 });
    }

    #[inline]
    fn allowance(&self) -> Allowance {
        Allowance { window: self.window.allowance() }
    }

    fn probe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        sink("window", self.window.gauge().min(self.window.most as f64));
        sink("threshold", self.window.threshold as f64);
    }
}
