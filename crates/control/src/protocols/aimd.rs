//! Additive increase, multiplicative decrease with parameters: for teaching, and for comparison.
//!
//! Source: Chiu and Jain 1989; the window of RFC 5681 with its two constants as parameters.
//! Deviations:
//! - Packets are counted, not bytes.
//!
//! State per flow: window and threshold.

use crate::parts::window::{Window, kept_in};
use crate::transport::Config;
use crate::transport::tcp::Recovery;
use crate::{Ack, FlowControl, Loss};
use headgate_packet::{Card, Check, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Additive increase and multiplicative decrease of the window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AimdParams {
    /// Packets by which the window grows in a round trip.
    #[schemars(range(min = 0.001, max = 1000.0))]
    pub increase: f64,
    /// Part of the window that is left after a loss or a mark.
    #[schemars(range(min = 0.01, max = 1.0))]
    pub decrease: f64,
    /// The window opens exponentially until the first loss.
    pub slow_start: bool,
}

impl Default for AimdParams {
    fn default() -> AimdParams {
        AimdParams { increase: 1.0, decrease: 0.5, slow_start: true }
    }
}

impl Check for AimdParams {
    fn check(&self) -> Result<(), Wrong> {
        Ok(())
    }
}

impl AimdParams {
    /// How the transport serves it.
    pub fn transport(&self) -> Config {
        Config::rfc(Recovery::Sack)
    }
}

/// A window that grows by addition and falls by multiplication.
#[derive(Clone, Debug)]
pub struct Aimd {
    params: AimdParams,
    window: Window,
    /// Part of a packet beyond the window.
    part: f64,
}

impl Aimd {
    /// What it says of itself.
    pub const CARD: Card = Card::of("Chiu and Jain 1989");

    /// A source before its first packet.
    pub fn new(params: &AimdParams) -> Aimd {
        Aimd { params: params.clone(), window: Window::new(1), part: 0.0 }
    }
}

impl FlowControl for Aimd {
    fn on_start(&mut self, window: u64) {
        self.window = Window::new(window);
        if !self.params.slow_start {
            self.window.threshold = window;
        }
    }

    fn on_ack(&mut self, ack: &Ack) {
        if !Window::may_grow(ack) {
            return;
        }
        let rest = self.window.open(ack.credit);
        self.part += self.params.increase * rest as f64 / self.window.window as f64;
        self.window.window += self.part as u64;
        self.part -= self.part.floor();
    }

    fn on_loss(&mut self, loss: &Loss) {
        let to = (self.window.window as f64 + self.part) * self.params.decrease;
        self.window.cut(loss, to as u64);
        self.part = 0.0;
    }

    kept_in!(window);

    fn probe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        self.window.probe(sink);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LossKind;
    use headgate_packet::Time;

    #[test]
    fn the_part_of_a_packet_before_a_loss_is_cut_with_the_window_and_does_not_come_back() {
        // Five acknowledgements make 10.5 of 10 packets, of which 0.77 are 8.085: with 10 it would be 7. Eight more make the next packet.
        let mut aimd = Aimd::new(&AimdParams { decrease: 0.77, slow_start: false, ..AimdParams::default() });
        aimd.on_start(10);
        let after = |aimd: &mut Aimd, acks| {
            let ack = Ack { newly_acked: 1, credit: 1, limited: true, ..Ack::default() };
            (0..acks).for_each(|_| aimd.on_ack(&ack));
            aimd.window.window
        };
        assert_eq!(after(&mut aimd, 5), 10);
        let kind = LossKind::DuplicateAcks;
        aimd.on_loss(&Loss { now: Time::ZERO, kind, in_flight: 10, remaining: 0, again: false, used: u64::MAX, left: None });
        assert_eq!([0, 7, 1].map(|acks| after(&mut aimd, acks)), [8, 8, 9]);
    }
}
