//! Vegas: the window follows the packets that the source itself has in the queue.
//!
//! Source: Brakmo and Peterson 1995; Linux's `tcp_vegas.c`, as the sheet of facts has it, for the variant `linux`; Hasegawa et al. 2001 for
//! `hasegawa2001`.
//! - Once a round trip the packets in the queue, window x (1 - least round trip / round trip), are compared with `alpha` and `beta`.
//! - The early retransmission of the paper, which uses a fine timer at the first duplicate, is a rule of the transport.
//!
//! Deviations:
//! - Packets are counted, not bytes.
//! - The round trip of a round is the mean of its samples; the paper times one packet.
//! - The window is cut by a quarter for losses detected by duplicates, and by half for timeouts.
//!
//! State per flow: window, threshold, least round trip, and the samples of this round.

use crate::parts::window::{Window, kept_in};
use crate::transport::Config;
use crate::transport::tcp::{Preset, Recovery, Rules};
use crate::{Ack, FlowControl, Loss, LossKind};
use headgate_packet::{Card, Check, Duration, Ecn, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whose rules it follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Variant {
    /// The paper's: slow start doubles every other round trip, and a loss detected by duplicates takes a quarter.
    Brakmo1995,
    /// The same, but a loss takes half.
    Hasegawa2001,
    /// Linux's: the least round trip of a round counts, in whole packets, and slow start doubles every round trip.
    Linux,
}

/// Vegas: a window by its own packets in the queue. The window follows the packets that the source itself has in the queue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct VegasParams {
    /// Whose rules it follows.
    pub variant: Variant,
    /// With fewer packets in the queue the window grows by one a round trip.
    #[schemars(range(min = 0.0, max = 1_000_000.0))]
    pub alpha: f64,
    /// With more packets in the queue it falls by one a round trip; at least `alpha`.
    #[schemars(range(min = 0.0, max = 1_000_000.0))]
    pub beta: f64,
    /// With more packets in the queue slow start ends.
    #[schemars(range(min = 0.0, max = 1_000_000.0))]
    pub gamma: f64,
    /// A packet is sent again at the first duplicate if its fine timer has run out.
    pub early: bool,
}

impl Default for VegasParams {
    fn default() -> VegasParams {
        VegasParams { variant: Variant::Brakmo1995, alpha: 2.0, beta: 4.0, gamma: 1.0, early: true }
    }
}

impl Check for VegasParams {
    fn check(&self) -> Result<(), Wrong> {
        if self.beta < self.alpha {
            return Err(Wrong::at("beta", format!("expected at least alpha, {}", self.alpha)).found(&self.beta));
        }
        Ok(())
    }
}

impl VegasParams {
    /// It slows down as the delay of its packets grows.
    pub(crate) fn by_delay(&self) -> bool {
        true
    }

    /// How the transport serves it.
    pub fn transport(&self) -> Config {
        let recovery = if self.variant == Variant::Linux { Recovery::Sack } else { Recovery::Newreno };
        let early = self.early && self.variant != Variant::Linux;
        let rules = Preset::Rfc.rules();
        Config::tcp(Rules { recovery, early, count_packets: true, ..rules }, Ecn::NotEct)
    }
}

/// A window by the packets in the queue.
#[derive(Clone, Debug)]
pub struct Vegas {
    params: VegasParams,
    window: Window,
    base: Option<Duration>,
    /// Of this round: samples, their sum in seconds, and the least.
    samples: u32,
    sum: f64,
    least: Option<Duration>,
    /// Slow start grows in this round.
    grows: bool,
}

/// Minimum window.
const LEAST: u64 = 2;

impl Vegas {
    /// What it says of itself.
    pub const CARD: Card = Card::of("Brakmo and Peterson 1995");

    /// A source before its first packet.
    pub fn new(params: &VegasParams) -> Vegas {
        let window = Window::new(1);
        Vegas { params: params.clone(), window, base: None, samples: 0, sum: 0.0, least: None, grows: true }
    }

    /// A round ended: adjusts the window.
    fn end_round(&mut self) {
        let (samples, sum, least) = (self.samples, self.sum, self.least);
        (self.samples, self.sum, self.least) = (0, 0.0, None);
        let (Some(base), Some(least)) = (self.base, least) else { return };
        match self.params.variant {
            Variant::Linux => self.adjust_as_linux(base, least),
            _ => self.adjust(base.as_secs_f64(), sum / f64::from(samples)),
        }
    }

    fn adjust(&mut self, base: f64, rtt: f64) {
        let queued = self.window.window as f64 * (1.0 - base / rtt);
        if self.in_slow_start() {
            self.grows = !self.grows;
            if queued > self.params.gamma {
                self.window.window = (self.window.window - self.window.window / 8).max(LEAST);
                self.window.threshold = self.window.window;
            }
        } else if queued < self.params.alpha {
            self.window.window += 1;
        } else if queued > self.params.beta {
            self.window.window = (self.window.window - 1).max(LEAST);
            // The threshold is for slow start alone: below it the next acknowledgement would give the packet back. ns-2's Vegas sets it to two here.
            self.window.threshold = self.window.threshold.min(self.window.window);
        }
    }

    fn adjust_as_linux(&mut self, base: Duration, rtt: Duration) {
        // The kernel adds a microsecond to each, lest one be nothing.
        let us = |d: Duration| d.as_ps() / 1_000_000 + 1;
        let (base, rtt, window) = (us(base), us(rtt), self.window.window);
        let queued = (u128::from(window) * u128::from(rtt - base) / u128::from(base)) as f64;
        let target = (u128::from(window) * u128::from(base) / u128::from(rtt)) as u64;
        if self.in_slow_start() {
            if queued > self.params.gamma {
                self.window.window = window.min(target + 1);
                self.window.threshold = self.window.threshold.min(self.window.window.saturating_sub(1));
            }
        } else if queued > self.params.beta {
            self.window.window = window - 1;
            self.window.threshold = self.window.threshold.min(self.window.window.saturating_sub(1));
        } else if queued < self.params.alpha {
            self.window.window += 1;
        }
        self.window.window = self.window.window.max(LEAST);
        self.window.threshold = self.window.threshold.max(self.window.window * 3 / 4).max(LEAST);
    }
}

impl FlowControl for Vegas {
    fn on_start(&mut self, window: u64) {
        self.window = Window::new(window);
    }

    fn on_ack(&mut self, ack: &Ack) {
        if let Some(rtt) = ack.rtt {
            self.base = Some(self.base.map_or(rtt, |base| base.min(rtt)));
            self.least = Some(self.least.map_or(rtt, |least| least.min(rtt)));
            (self.samples, self.sum) = (self.samples + 1, self.sum + rtt.as_secs_f64());
        }
        if ack.recovering {
            (self.samples, self.sum, self.least) = (0, 0.0, None);
            return;
        }
        if ack.round {
            // With two samples or fewer Linux does as Reno.
            if self.params.variant == Variant::Linux && self.samples <= 2 {
                (self.samples, self.sum, self.least) = (0, 0.0, None);
                return self.window.grow(ack);
            }
            self.end_round();
        }
        let grows = self.params.variant == Variant::Linux || self.grows;
        if self.in_slow_start() && grows && Window::may_grow(ack) {
            self.window.open(ack.credit);
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        let window = self.window.window;
        let fast = loss.kind == LossKind::DuplicateAcks && self.params.variant == Variant::Brakmo1995;
        self.window.cut(loss, if fast { window * 3 / 4 } else { window / 2 });
        self.grows = true;
    }

    kept_in!(window);

    fn probe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        self.window.probe(sink);
        sink("least_rtt", self.base.map_or(f64::NAN, Duration::as_secs_f64));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The window after a round in congestion avoidance with this window and these round trips in ms.
    fn after(variant: Variant, window: u64, base: u64, rtt: u64) -> u64 {
        let mut v = Vegas::new(&VegasParams { variant, ..VegasParams::default() });
        v.on_start(window);
        v.window.threshold = 2;
        v.base = Some(Duration::from_millis(base));
        for _ in 0..4 {
            v.on_ack(&Ack { rtt: Some(Duration::from_millis(rtt)), newly_acked: 1, credit: 1, ..Ack::default() });
        }
        v.on_ack(&Ack { round: true, newly_acked: 1, credit: 1, limited: true, ..Ack::default() });
        v.window.window
    }

    #[test]
    fn the_window_keeps_alpha_to_beta_packets_in_the_queue() {
        // 20 x (1 - 100/105) = 0.95, 20 x (1 - 100/115) = 2.6, 20 x (1 - 100/130) = 4.6.
        for (rtt, due) in [(105, 21), (115, 20), (130, 19)] {
            assert_eq!(after(Variant::Brakmo1995, 20, 100, rtt), due, "{rtt}");
        }
        // Linux: 10 x 10/100 = 1, 20 x 15/100 = 3, 20 x 30/100 = 6, whole packets.
        for (window, rtt, due) in [(10, 110, 11), (20, 115, 20), (20, 130, 19), (40, 110, 40)] {
            assert_eq!(after(Variant::Linux, window, 100, rtt), due, "{window} {rtt}");
        }
    }

    #[test]
    fn a_window_that_is_too_large_falls_round_by_round_below_where_slow_start_ended() {
        let mut v = Vegas::new(&VegasParams::default());
        v.on_start(20);
        (v.window.threshold, v.base) = (20, Some(Duration::from_millis(100)));
        for due in [19, 18, 17, 16] {
            for round in [false, false, false, true] {
                let rtt = Some(Duration::from_millis(200));
                v.on_ack(&Ack { rtt, round, newly_acked: 1, credit: 1, limited: true, ..Ack::default() });
            }
            assert_eq!(v.window.window, due);
        }
    }

    #[test]
    fn with_two_samples_linux_does_as_reno() {
        for (samples, due) in [(1, 20), (2, 20), (3, 19)] {
            let mut v = Vegas::new(&VegasParams { variant: Variant::Linux, ..VegasParams::default() });
            v.on_start(20);
            v.window.threshold = 2;
            v.base = Some(Duration::from_millis(100));
            for _ in 0..samples {
                v.on_ack(&Ack { rtt: Some(Duration::from_millis(130)), newly_acked: 1, credit: 1, ..Ack::default() });
            }
            v.on_ack(&Ack { round: true, newly_acked: 1, credit: 1, limited: true, ..Ack::default() });
            assert_eq!(v.window.window, due, "{samples}");
        }
    }

    #[test]
    fn a_loss_found_by_duplicates_takes_a_quarter_a_timeout_half() {
        let cut = |variant, kind| {
            let mut v = Vegas::new(&VegasParams { variant, ..VegasParams::default() });
            v.on_start(40);
            let now = headgate_packet::Time::ZERO;
            v.on_loss(&Loss { now, kind, in_flight: 40, remaining: 0, again: false, used: u64::MAX, left: None });
            (v.window.window, v.window.threshold)
        };
        assert_eq!(cut(Variant::Brakmo1995, LossKind::DuplicateAcks), (30, 30));
        assert_eq!(cut(Variant::Hasegawa2001, LossKind::DuplicateAcks), (20, 20));
        assert_eq!(cut(Variant::Brakmo1995, LossKind::Timeout), (1, 20));
    }

    #[test]
    fn linux_grows_once_with_the_acknowledgement_that_ends_a_round_of_two_samples() {
        // tcp_vegas_cong_avoid: Reno's growth is in place of slow start's, not in addition.
        let mut v = Vegas::new(&VegasParams { variant: Variant::Linux, ..VegasParams::default() });
        v.on_start(1);
        let rtt = Some(Duration::from_millis(100));
        v.on_ack(&Ack { rtt, round: true, newly_acked: 1, credit: 1, limited: true, ..Ack::default() });
        assert_eq!(v.window.window, 2);
    }

    #[test]
    fn slow_start_grows_in_every_other_round_and_at_once_after_a_loss() {
        // Brakmo and Peterson 1995, section 4.4; without a queue every round counts as one that fits.
        let mut v = Vegas::new(&VegasParams::default());
        v.on_start(4);
        let rtt = Some(Duration::from_millis(100));
        let ack = |v: &mut Vegas, round| {
            v.on_ack(&Ack { rtt, round, newly_acked: 1, credit: 1, limited: true, ..Ack::default() });
            v.window.window
        };
        let rounds = [false, true, false, true, false, true, false].map(|round| ack(&mut v, round));
        assert_eq!(rounds, [5, 5, 5, 6, 7, 7, 7]);
        let now = headgate_packet::Time::ZERO;
        let kind = LossKind::Timeout;
        v.on_loss(&Loss { now, kind, in_flight: 7, remaining: 0, again: false, used: u64::MAX, left: None });
        assert_eq!((v.window.window, ack(&mut v, false)), (1, 2));
    }

    #[test]
    fn round_trips_of_recovery_are_none_of_the_round_after_it() {
        // tcp_vegas.c: its count starts again with the state Open. 130 ms in recovery would take one off; 100 ms after it add one.
        for variant in [Variant::Brakmo1995, Variant::Linux] {
            let mut v = Vegas::new(&VegasParams { variant, ..VegasParams::default() });
            v.on_start(20);
            (v.window.threshold, v.base) = (2, Some(Duration::from_millis(100)));
            for (ms, recovering, round) in [(130, true, false), (130, true, false), (100, false, false), (100, false, true)] {
                let rtt = Some(Duration::from_millis(ms));
                v.on_ack(&Ack { rtt, recovering, round, newly_acked: 1, credit: 1, limited: true, ..Ack::default() });
            }
            // Linux has two samples only, and does as Reno: one of 20 packets for the next.
            assert_eq!(v.window.window, if variant == Variant::Linux { 20 } else { 21 });
        }
    }

    #[test]
    fn a_window_that_falls_does_not_open_exponentially_again() {
        // tcp_vegas.c: the threshold falls with it.
        let mut v = Vegas::new(&VegasParams { variant: Variant::Linux, ..VegasParams::default() });
        v.on_start(20);
        v.window.threshold = 20;
        v.adjust_as_linux(Duration::from_millis(100), Duration::from_millis(130));
        assert_eq!((v.window.window, v.in_slow_start()), (19, false));
    }
}
