//! Jacobson and Karels' flow control as in 4.3BSD-Tahoe: slow start, congestion avoidance, fast retransmit.
//!
//! Source: Jacobson and Karels 1988; Demers, Keshav and Shenker 1989, section 3 (JK).
//! The window opens from one packet; any loss halves the threshold and closes the window to one packet.
//! Deviations:
//! - Packets are counted, not bytes.
//! - The timer has no clock tick.
//! - The papers write two mean deviations in one place (thesis, chapter 4), and BSD later used four: the number is a parameter.
//! - A fast retransmission is not repeated within one window of data.
//!
//! State per flow: window and threshold.

use crate::parts::slow_start::SlowStart;
use crate::transport::basic::{Averages, Rules};
use crate::transport::{check_timer, Clock, Config, Retransmit};
use crate::{Ack, Allowance, FlowControl, Loss};
use headgate_packet::{Card, Check, Duration, Ecn, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Tahoe of 4.3BSD: each loss closes the window to one packet. It has slow start, congestion avoidance and fast retransmit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct JkTahoeParams {
    /// Maximum window in packets.
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
    /// Minimum timeout.
    pub min_timeout: Duration,
    /// Maximum timeout; at least 1 ms.
    pub max_timeout: Duration,
}

impl Default for JkTahoeParams {
    fn default() -> JkTahoeParams {
        JkTahoeParams {
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

impl Check for JkTahoeParams {
    fn check(&self) -> Result<(), Wrong> {
        check_timer("initial_timeout", self.initial_timeout, self.min_timeout, self.max_timeout)
    }
}

impl JkTahoeParams {
    /// How the transport serves it.
    pub fn transport(&self) -> Config {
        let averages = Averages {
            gain: self.gain,
            deviation_gain: self.deviation_gain,
            means: 1.0,
            deviations: self.deviations,
            start: None,
            backoff: self.backoff,
            most_backoff: Averages::MOST_BACKOFF,
            clock: self.clock,
            every_sample: false,
        };
        let rules = Rules {
            duplicates: self.duplicates,
            initial_timeout: self.initial_timeout,
            min_timeout: self.min_timeout,
            max_timeout: self.max_timeout,
            ..Rules::new(self.retransmit, averages)
        };
        Config::window(rules, Ecn::NotEct)
    }
}

/// Slow start and congestion avoidance; every loss closes the window to one packet.
#[derive(Clone, Debug)]
pub struct JkTahoe(SlowStart);

impl JkTahoe {
    /// What it says of itself.
    pub const CARD: Card = Card {
        main: &["window"],
        ..Card::of("Jacobson and Karels 1988; Demers, Keshav and Shenker 1989, section 3")
    };

    /// A source with a window of one packet.
    pub fn new(params: &JkTahoeParams) -> JkTahoe {
        JkTahoe(SlowStart::new(params.window))
    }
}

impl FlowControl for JkTahoe {
    #[inline]
    fn on_ack(&mut self, ack: &Ack) {
        if ack.newly_acked > 0 {
            self.0.open();
        }
    }

    fn on_loss(&mut self, _: &Loss) {
        self.0.halve();
        self.0.set(1);
    }

    #[inline]
    fn allowance(&self) -> Allowance {
        Allowance::window(self.0.allowance())
    }

    fn probe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        sink("window", self.0.gauge());
        sink("threshold", self.0.threshold as f64);
    }
}
