//! LEDBAT: transfers in the background, which hold a fixed time in the queue and make way for others.
//!
//! Source: RFC 6817, sections 2.4.1, 2.4.2 and 2.5.
//! - The time in the queue is the least of the last one-way delays less the least of the last minutes.
//! - The window moves by `gain` x (1 - time in the queue / `target`) packets a round trip, and stays within `allowed_increase` packets of what is in use.
//! - A loss or a mark takes half, a timeout all but one packet.
//!
//! Deviations:
//! - Packets are counted, not bytes.
//! - One delay a received acknowledgement, that of the packet that caused it.
//! - No slow start, as in the pseudocode of the RFC; implementations often have one.
//! - The timer is the transport's; that of the RFC has no minimum of its own.
//! - An idle time leaves of the window what the transport's rule says.
//!
//! State per flow: window, delays of minutes and the last ones.

use crate::parts::base_delay::BaseDelay;
use crate::transport::Config;
use crate::transport::tcp::{AfterIdle, Preset, Recovery, Rules};
use crate::{Ack, Allowance, FlowControl, Loss, LossKind};
use headgate_packet::{Card, Check, Duration, Ecn, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which delay is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Delay {
    /// From the source to the sink.
    OneWay,
    /// There and back, with queues on the way back and acknowledgements that wait.
    RoundTrip,
}

/// LEDBAT: background transfers that make way for others. They hold a fixed time in the queue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LedbatParams {
    /// Time in the queue that is to be held; the RFC allows at most 100 ms.
    pub target: Duration,
    /// Packets that a round trip adds without a queue.
    #[schemars(range(min = 0.0001, max = 1.0))]
    pub gain: f64,
    /// Packets that the window may be above what is in use.
    #[schemars(range(min = 1, max = 1000))]
    pub allowed_increase: u64,
    /// Minutes over which the least delay counts as that of the path.
    #[schemars(range(min = 1, max = 1000))]
    pub base_history: u32,
    /// Delays of which the least one counts as the present one.
    #[schemars(range(min = 1, max = 1000))]
    pub current_filter: u32,
    /// Which delay is measured.
    pub delay: Delay,
}

impl Default for LedbatParams {
    fn default() -> LedbatParams {
        LedbatParams {
            target: Duration::from_millis(100),
            gain: 1.0,
            allowed_increase: 1,
            base_history: 10,
            current_filter: 4,
            delay: Delay::OneWay,
        }
    }
}

impl Check for LedbatParams {
    fn check(&self) -> Result<(), Wrong> {
        headgate_packet::check::at_least("target", self.target, Duration::from_ps(1_000_000))
    }
}

impl LedbatParams {
    /// It slows down as the delay of its packets grows.
    pub(crate) fn by_delay(&self) -> bool {
        true
    }

    /// How the transport serves it.
    pub fn transport(&self) -> Config {
        let rules = Preset::Rfc.rules();
        let rules = Rules { recovery: Recovery::Sack, initial_window: LEAST as u64, own_window: true, ..rules };
        Config::tcp(Rules { count_packets: true, ..rules }, Ecn::NotEct)
    }
}

/// Initial window, and the minimum one but after a timeout (INIT_CWND, MIN_CWND).
const LEAST: f64 = 2.0;

/// A window by the time in the queue.
#[derive(Clone, Debug)]
pub struct Ledbat {
    params: LedbatParams,
    window: f64,
    before: f64,
    delays: BaseDelay,
}

impl Ledbat {
    /// What it says of itself.
    pub const CARD: Card = Card::of("RFC 6817");

    /// A source before its first packet.
    pub fn new(params: &LedbatParams) -> Ledbat {
        let delays = BaseDelay::new(params.base_history as usize, params.current_filter as usize);
        Ledbat { params: params.clone(), window: 1.0, before: 0.0, delays }
    }
}

impl FlowControl for Ledbat {
    fn on_start(&mut self, window: u64) {
        self.window = window as f64;
    }

    fn on_ack(&mut self, ack: &Ack) {
        let sample = if self.params.delay == Delay::OneWay { Some(ack.one_way) } else { ack.rtt };
        if let Some(delay) = sample {
            self.delays.sample(delay, ack.now);
        }
        let Some(queueing) = self.delays.queueing().filter(|_| ack.delivered > 0) else { return };
        let off_target = 1.0 - queueing.as_secs_f64() / self.params.target.as_secs_f64();
        self.window += self.params.gain * off_target * ack.delivered as f64 / self.window;
        // Packets outstanding before it, those included that are lost and will be sent again.
        let outstanding = ack.highest_sent.saturating_sub(ack.cumulative) + ack.newly_acked;
        let most = (outstanding + self.params.allowed_increase) as f64;
        self.window = self.window.min(most).max(LEAST);
    }

    fn on_loss(&mut self, loss: &Loss) {
        if !loss.again {
            self.before = self.window;
        }
        self.window = match loss.kind {
            LossKind::Timeout => (loss.remaining + 1) as f64,
            _ => self.window.min((self.window / 2.0).max(LEAST)),
        };
    }

    fn on_undo(&mut self) {
        self.window = self.window.max(self.before);
    }

    fn on_idle(&mut self, rule: AfterIdle, initial: u64, timeouts: u64) {
        self.window = rule.window(self.window, initial, timeouts);
    }

    fn allowance(&self) -> Allowance {
        Allowance::window(self.window as u64)
    }

    fn probe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        sink("window", self.window);
        sink("base_delay", self.delays.base().map_or(f64::NAN, Duration::as_secs_f64));
        sink("queueing", self.delays.queueing().map_or(f64::NAN, Duration::as_secs_f64));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use headgate_packet::Time;

    fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    /// A flow with this window that knows a base delay of 50 ms.
    fn flow(window: u64, params: LedbatParams) -> Ledbat {
        let mut l = Ledbat::new(&LedbatParams { current_filter: 1, ..params });
        l.on_start(window);
        l.delays.sample(ms(50), Time::ZERO);
        l
    }

    /// An acknowledgement of this number of packets, with this number outstanding before it.
    fn ack(l: &mut Ledbat, one_way: u64, acked: u64, outstanding: u64) -> f64 {
        let (delivered, newly_acked) = (acked, acked);
        let (cumulative, highest_sent) = (1000, 1000 + outstanding - acked);
        let one_way = ms(one_way);
        l.on_ack(&Ack { one_way, delivered, newly_acked, cumulative, highest_sent, ..Ack::default() });
        l.window
    }

    #[test]
    fn a_round_trip_moves_the_window_by_the_distance_to_the_target() {
        // Section 2.4.2, by hand: 0, 25, ... ms in the queue add 1, 0.75, ... packets.
        for (queueing, due) in [
            (0, 1.0),
            (25, 0.75),
            (50, 0.5),
            (75, 0.25),
            (100, 0.0),
            (125, -0.25),
            (150, -0.5),
            (200, -1.0),
        ] {
            let mut l = flow(50, LedbatParams::default());
            let got = ack(&mut l, 50 + queueing, 50, 50) - 50.0;
            assert!((got - due).abs() < 1e-9, "{queueing}: {got}");
        }
        let mut l = flow(50, LedbatParams { gain: 0.5, target: ms(50), ..LedbatParams::default() });
        assert!((ack(&mut l, 75, 50, 50) - 50.25).abs() < 1e-9);
    }

    #[test]
    fn the_window_is_within_a_packet_of_what_is_in_use_and_two_at_least() {
        // 2 + 1 / 2 by hand; with one packet in use there is room for two.
        assert!((ack(&mut flow(2, LedbatParams::default()), 50, 1, 2) - 2.5).abs() < 1e-9);
        assert!((ack(&mut flow(2, LedbatParams::default()), 50, 1, 1) - 2.0).abs() < 1e-9);
        assert!((ack(&mut flow(30, LedbatParams::default()), 50, 1, 9) - 10.0).abs() < 1e-9);
        assert!((ack(&mut flow(30, LedbatParams { allowed_increase: 4, ..LedbatParams::default() }), 50, 1, 9) - 13.0).abs() < 1e-9);
        assert!((ack(&mut flow(2, LedbatParams::default()), 950, 2, 2) - 2.0).abs() < 1e-9);
    }

    #[test]
    fn a_loss_takes_half_and_a_timeout_all_but_one() {
        for (window, kind, due) in [
            (20, LossKind::DuplicateAcks, 10.0),
            (20, LossKind::Mark, 10.0),
            (3, LossKind::DuplicateAcks, 2.0),
            (1, LossKind::DuplicateAcks, 1.0),
            (20, LossKind::Timeout, 1.0),
        ] {
            let mut l = flow(window, LedbatParams::default());
            l.on_loss(&Loss { now: Time::ZERO, kind, in_flight: 20, remaining: 0, again: false, used: u64::MAX, left: None });
            assert!((l.window - due).abs() < 1e-9, "{window} {kind:?}");
            l.on_undo();
            assert!((l.window - window as f64).abs() < 1e-9);
        }
    }

    #[test]
    fn either_delay_may_be_measured() {
        let mut l = flow(50, LedbatParams { delay: Delay::RoundTrip, ..LedbatParams::default() });
        let rtt = Some(ms(150));
        l.on_ack(&Ack { rtt, one_way: ms(10), delivered: 50, newly_acked: 50, highest_sent: 100, ..Ack::default() });
        assert!((l.window - 50.0).abs() < 1e-9 && l.delays.base() == Some(ms(50)));
    }
}
