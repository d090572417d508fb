//! DCTCP: the window falls by the share of packets that were marked.
//!
//! Source: RFC 8257. Packets are ECN-capable; the sink's echo should be `dctcp` or `counts`.
//! Deviations:
//! - Packets are counted, not bytes.
//! - Retransmissions are ECN-capable, too.
//! - An acknowledgement that ends a window and reports a mark first counts for the share and then cuts.
//! - With the transport's PRR, as in Linux, the window does not grow in a round trip in which it is cut.
//!
//! State per flow: window, threshold, share of marks and two counts.

use crate::parts::window::{Window, kept_in};
use crate::transport::Config;
use crate::transport::tcp::{Preset, Recovery, Rules};
use crate::{Ack, FlowControl, Loss, LossKind};
use headgate_packet::{Card, Check, Ecn, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Data Center TCP: cuts by the share of marked packets. The window falls by the share of packets that were marked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DctcpParams {
    /// Weight of the last window in the share of marked packets.
    #[schemars(range(min = 0.0001, max = 1.0))]
    pub gain: f64,
    /// The share at the start.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub alpha: f64,
}

impl Default for DctcpParams {
    fn default() -> DctcpParams {
        DctcpParams { gain: 1.0 / 16.0, alpha: 1.0 }
    }
}

impl Check for DctcpParams {
    fn check(&self) -> Result<(), Wrong> {
        Ok(())
    }
}

impl DctcpParams {
    /// How the transport serves it.
    pub fn transport(&self) -> Config {
        let rules = Preset::Rfc.rules();
        Config::tcp(Rules { recovery: Recovery::Sack, count_packets: true, ..rules }, Ecn::Ect0)
    }
}

/// A window that falls by the share of marks.
#[derive(Clone, Debug)]
pub struct Dctcp {
    window: Window,
    gain: f64,
    alpha: f64,
    acked: u64,
    marked: u64,
}

impl Dctcp {
    /// What it says of itself.
    pub const CARD: Card = Card::of("RFC 8257; Alizadeh et al. 2010");

    /// A source before its first packet.
    pub fn new(params: &DctcpParams) -> Dctcp {
        Dctcp { window: Window::new(1), gain: params.gain, alpha: params.alpha, acked: 0, marked: 0 }
    }
}

impl FlowControl for Dctcp {
    fn on_start(&mut self, window: u64) {
        self.window = Window::new(window);
    }

    fn on_delivered(&mut self, delivered: u64, marks: u64, round: bool) {
        self.acked += delivered;
        self.marked += marks;
        if round && self.acked > 0 {
            let share = (self.marked as f64 / self.acked as f64).min(1.0);
            self.alpha += self.gain * (share - self.alpha);
            (self.acked, self.marked) = (0, 0);
        }
    }

    fn on_ack(&mut self, ack: &Ack) {
        self.window.grow(ack);
    }

    fn on_loss(&mut self, loss: &Loss) {
        let part = if loss.kind == LossKind::Mark { 1.0 - self.alpha / 2.0 } else { 0.5 };
        let window = self.window.window as f64;
        let to = (window + self.window.credit as f64 / window) * part;
        self.window.cut(loss, to as u64);
        // Cuts are small and happen every round trip: parts of packets count, or the window would lose as much by rounding.
        if loss.kind == LossKind::Mark && to >= 2.0 {
            self.window.credit = ((to - to.floor()) * self.window.window as f64) as u64;
        }
    }

    kept_in!(window);

    fn probe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        self.window.probe(sink);
        sink("alpha", self.alpha);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use headgate_packet::Time;

    /// The share after each of these windows of 100 packets, of which this many were marked.
    fn shares(alpha: f64, marks: &[u64]) -> Vec<f64> {
        let mut d = Dctcp::new(&DctcpParams { alpha, ..DctcpParams::default() });
        let mut each = |marks: &u64| {
            d.on_delivered(60, *marks, false);
            d.on_delivered(40, 0, true);
            d.alpha
        };
        marks.iter().map(&mut each).collect()
    }

    #[test]
    fn the_share_of_marks_by_hand() {
        let near = |got: Vec<f64>, due: &[f64]| got.iter().zip(due).all(|(g, d)| (g - d).abs() < 6e-5);
        assert!(near(shares(1.0, &[0; 6]), &[0.9375, 0.8789, 0.8240, 0.7725, 0.7242, 0.6789]));
        assert!(near(shares(1.0, &[25; 5]), &[0.9531, 0.9092, 0.8680, 0.8294, 0.7931]));
    }

    #[test]
    fn a_mark_cuts_by_half_the_share_and_a_loss_by_half() {
        for (alpha, kind, due) in [
            (1.0, LossKind::Mark, 50),
            (0.5, LossKind::Mark, 75),
            (0.1, LossKind::Mark, 95),
            (0.1, LossKind::DuplicateAcks, 50),
        ] {
            let mut d = Dctcp::new(&DctcpParams { alpha, ..DctcpParams::default() });
            d.on_start(100);
            d.on_loss(&Loss { now: Time::ZERO, kind, in_flight: 100, remaining: 0, again: false, used: u64::MAX, left: None });
            assert_eq!(d.allowance().window, due, "{alpha} {kind:?}");
        }
    }

    #[test]
    fn no_more_than_all_of_a_window_is_marked() {
        // A report of marks may be of packets that were counted in the window before.
        let mut dctcp = Dctcp::new(&DctcpParams { gain: 1.0, alpha: 0.0 });
        dctcp.on_delivered(1, 3, true);
        assert!((dctcp.alpha - 1.0).abs() < f64::EPSILON);
    }

    #[test]
    fn parts_of_a_packet_that_a_mark_leaves_count_towards_the_next_one() {
        // A share of 0.1 leaves 9.5 of 10 packets: half of the 9 acknowledgements that one more takes are counted already, in whole ones 4.
        let mut d = Dctcp::new(&DctcpParams { alpha: 0.1, ..DctcpParams::default() });
        d.on_start(10);
        d.on_loss(&Loss { now: Time::ZERO, kind: LossKind::Mark, in_flight: 10, remaining: 0, again: false, used: u64::MAX, left: None });
        let mut each = || {
            d.on_ack(&Ack { newly_acked: 1, credit: 1, limited: true, ..Ack::default() });
            d.window.window
        };
        assert_eq!([each(), each(), each(), each(), each()], [9, 9, 9, 9, 10]);
    }
}
