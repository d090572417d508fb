//! Pacing rate, send quantum and window.
//!
//! Source: draft-ietf-ccwg-bbr, "Updating Control Parameters".

use super::{LEAST, MARGIN, Phase, State, secs};
use crate::Ack;

impl State {
    /// The path at a rate, times a gain; the first window while no round trip is known.
    fn path(&self, bw: f64, gain: f64) -> f64 {
        self.min_rtt.map_or(self.initial, |rtt| gain * (bw * secs(rtt)))
    }

    pub(super) fn bdp_multiple(&self, gain: f64) -> f64 {
        self.path(self.bw, gain)
    }

    /// Packets that are scheduled together (SetSendQuantum).
    pub(super) fn send_quantum(&self) -> f64 {
        let most = 8.0 * 65_536.0 / self.params.packet_bits as f64;
        (self.pacing * 1e-3).min(most).max(2.0)
    }

    /// QuantizationBudget.
    fn budgeted(&self, volume: f64) -> f64 {
        let least = (f64::from(self.params.quanta) * self.send_quantum()).max(LEAST);
        volume.max(least) + if self.phase == Phase::Up { 2.0 } else { 0.0 }
    }

    /// What is in flight at a rate with a gain, without aggregation (Inflight).
    pub(super) fn inflight(&self, bw: f64, gain: f64) -> f64 {
        self.budgeted(self.path(bw, gain))
    }

    /// UpdateMaxInflight.
    pub(super) fn max_inflight(&self) -> f64 {
        self.budgeted(self.bdp_multiple(self.gains().1) + self.extra_acked.get())
    }

    /// SetPacingRateWithGain.
    pub(super) fn pace_with(&mut self, gain: f64) {
        let rate = gain * self.bw * MARGIN;
        if rate > 0.0 && (self.full.reached || rate > self.pacing) {
            self.pacing = rate;
        }
    }

    pub(super) fn set_pacing_rate(&mut self, ack: &Ack) {
        if !self.seen_rtt
            && let Some(rtt) = ack.smoothed
        {
            self.seen_rtt = true;
            self.pacing = self.params.startup_gain * self.initial / secs(rtt).max(1e-6);
        }
        self.pace_with(self.gains().0);
    }

    /// SaveCwnd: within an episode or a probe for the round trip the window has come down, and the greater one counts.
    pub(super) fn save_cwnd(&mut self) {
        let whole = !self.repairing && self.phase != Phase::ProbeRtt;
        self.prior_cwnd = if whole { self.cwnd } else { self.prior_cwnd.max(self.cwnd) };
    }

    pub(super) fn restore_cwnd(&mut self) {
        self.cwnd = self.cwnd.max(self.prior_cwnd);
    }

    /// Whether the window was fully used within the last round trip.
    pub(super) fn is_cwnd_limited(&self) -> bool {
        self.delivered <= self.used_until
    }

    pub(super) fn set_cwnd(&mut self, ack: &Ack) {
        let (most, acked) = (self.max_inflight(), ack.delivered as f64);
        if self.full.reached {
            self.cwnd = (self.cwnd + acked).min(most);
        } else if self.cwnd < most || (self.delivered as f64) < self.initial {
            self.cwnd += acked;
        }
        self.cwnd = self.cwnd.max(LEAST);
        if self.phase == Phase::ProbeRtt {
            self.cwnd = self.cwnd.min(self.probe_rtt_cwnd());
        }
        self.bound_cwnd();
    }

    /// BoundCwndForModel.
    fn bound_cwnd(&mut self) {
        let bound = match self.phase {
            Phase::Down | Phase::Refill | Phase::Up => self.inflight_longterm,
            Phase::Cruise | Phase::ProbeRtt => self.with_headroom(),
            Phase::Startup | Phase::Drain => f64::INFINITY,
        };
        self.cwnd = self.cwnd.min(bound.min(self.inflight_shortterm).max(LEAST));
    }
}
