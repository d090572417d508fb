//! The TCP that BLT is compared with: Reno that takes the first duplicate for a loss, with time stamps and exact timers.
//!
//! Source: Kim and Farber 1994, section 4.1.2 (Reno, packets of one size, time stamps, retransmission at the first duplicate, unlimited receiver
//! window). Window and recovery are those of 4.3BSD-Reno with a threshold of one duplicate in place of three.
//! Deviations:
//! - The paper does not give the first threshold; 131 packets are Reno's 65535 bytes in packets of 500, and 0 stands for none.
//! - The timer is that of `transport/basic/line.rs`, which BLT's source has, too.
//! - Data waits in the source, not in a queue behind it: a retransmission is the next packet on the source's line.
//!
//! State per flow: window, threshold, whether a loss is being repaired.

use crate::transport::basic::line;
use crate::transport::{Config, check_timer};
use crate::{Ack, Allowance, FlowControl, Loss, LossKind};
use headgate_packet::{Card, Check, Duration, Rate, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Reno that retransmits at the first duplicate. It has time stamps and exact timers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct KimRenoParams {
    /// Rate of the source's own link: a packet is sent when the one before has left. Its transmission time belongs to the delay of the first link.
    pub line: Rate,
    /// The first threshold of slow start in packets; 0 for none.
    #[schemars(range(max = 1_000_000_000))]
    pub threshold: u64,
    /// Timeout until the first round trip is known.
    pub initial_timeout: Duration,
    /// Maximum timeout; at least 1 ms.
    pub max_timeout: Duration,
    /// The timeout is the smoothed round trip and this many mean deviations.
    #[schemars(range(min = 0.0, max = 100.0))]
    pub deviations: f64,
    /// Duplicates caused by packets that had already arrived count, too, such as packets sent again after a timeout.
    pub count_old: bool,
    /// Duplicates count if the time stamp that they echo is later than the last timeout: the source knows when their packet was sent, not whether it had
    /// arrived before. Without effect with `count_old`.
    pub by_stamp: bool,
}

impl Default for KimRenoParams {
    fn default() -> KimRenoParams {
        let line = Rate::from_bps(150_000_000).expect("above zero");
        KimRenoParams {
            line,
            threshold: 131,
            initial_timeout: Duration::from_secs(1),
            max_timeout: Duration::from_secs(3600),
            deviations: 4.0,
            count_old: false,
            by_stamp: false,
        }
    }
}

impl Check for KimRenoParams {
    fn check(&self) -> Result<(), Wrong> {
        check_timer("initial_timeout", self.initial_timeout, Duration::ZERO, self.max_timeout)
    }
}

impl KimRenoParams {
    /// How the transport serves it.
    pub fn transport(&self) -> Config {
        let (count_old, by_stamp) = (self.count_old, self.by_stamp);
        let rules = line::Rules { count_old, by_stamp, ..line::Rules::new(self.line, line::Repair::Oldest) };
        rules.config(self.initial_timeout, self.max_timeout, self.deviations)
    }
}

/// A window that opens by a packet an acknowledgement, then by a packet a round trip.
#[derive(Clone, Debug)]
pub struct KimReno {
    window: f64,
    threshold: f64,
    recovering: bool,
}

impl KimReno {
    /// What it says of itself.
    pub const CARD: Card = Card::of("Kim and Farber 1994, section 4.1.2");

    /// A source before its first packet.
    pub fn new(params: &KimRenoParams) -> KimReno {
        let threshold = if params.threshold == 0 { f64::INFINITY } else { params.threshold as f64 };
        KimReno { window: 1.0, threshold, recovering: false }
    }
}

impl FlowControl for KimReno {
    fn on_ack(&mut self, ack: &Ack) {
        if ack.newly_acked == 0 {
            if self.recovering {
                self.window += 1.0;
            }
        } else if std::mem::take(&mut self.recovering) {
            self.window = self.threshold;
        } else {
            self.window += if self.window < self.threshold { 1.0 } else { 1.0 / self.window };
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.threshold = (loss.in_flight as f64 / 2.0).max(2.0);
        self.recovering = loss.kind == LossKind::DuplicateAcks;
        self.window = if self.recovering { self.threshold + 1.0 } else { 1.0 };
    }

    fn in_slow_start(&self) -> bool {
        self.window < self.threshold
    }

    fn allowance(&self) -> Allowance {
        Allowance::window(self.window as u64)
    }

    fn probe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        sink("window", self.window);
        sink("threshold", if self.threshold.is_finite() { self.threshold } else { f64::NAN });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use headgate_packet::Time;

    fn ack(newly_acked: u64) -> Ack {
        Ack { newly_acked, duplicates: u32::from(newly_acked == 0), ..Ack::default() }
    }

    fn lost(kind: LossKind, in_flight: u64) -> Loss {
        Loss { now: Time::ZERO, kind, in_flight, remaining: in_flight, again: false, used: u64::MAX, left: None }
    }

    #[test]
    fn the_window_by_hand() {
        let mut reno = KimReno::new(&KimRenoParams { threshold: 4, ..KimRenoParams::default() });
        let after = |reno: &mut KimReno, newly| {
            reno.on_ack(&ack(newly));
            reno.window
        };
        // Slow start to 4, whatever an acknowledgement covers, then 1/4.
        assert_eq!([1, 1, 3, 1].map(|n| after(&mut reno, n)), [2.0, 3.0, 4.0, 4.25]);
        // Half of what is outstanding and the packet that arrived; one more for each that arrives; then the threshold.
        reno.on_loss(&lost(LossKind::DuplicateAcks, 11));
        assert_eq!((reno.window, reno.threshold), (6.5, 5.5));
        assert_eq!([0, 0, 2].map(|n| after(&mut reno, n)), [7.5, 8.5, 5.5]);
        reno.on_loss(&lost(LossKind::Timeout, 3));
        assert_eq!((reno.window, reno.threshold, reno.in_slow_start()), (1.0, 2.0, true));
    }
}
