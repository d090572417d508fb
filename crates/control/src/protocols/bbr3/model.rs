//! What the path is taken to be: rounds, the maximum rate, aggregation, and the bounds that losses set.
//!
//! Source: draft-ietf-ccwg-bbr, "Updating Network Path Model Parameters".

use super::{AckPhase, EXTRA_ROUNDS, Phase, State, Undo, rate_of, secs};
use crate::Ack;
use crate::transport::tcp::{RateSample, Sent};
use headgate_packet::Time;

/// The packets in flight at which the losses exceeded the threshold, where a transmission of `size` made `tx_in_flight` packets in flight and was among
/// `lost` ones (InflightAtLoss).
pub(super) fn inflight_at_loss(tx_in_flight: f64, size: f64, lost: f64, threshold: f64) -> f64 {
    let (inflight_prev, lost_prev) = (tx_in_flight - size, lost - size);
    inflight_prev + (threshold * inflight_prev - lost_prev) / (1.0 - threshold)
}

impl State {
    /// The greatest rate of this cycle and the one before.
    pub(super) fn max_bw(&self) -> f64 {
        self.max_bw[0].max(self.max_bw[1])
    }

    pub(super) fn start_round(&mut self) {
        self.round_end = self.delivered;
    }

    /// Takes in what was delivered over the last round trip (UpdateLatestDeliverySignals).
    pub(super) fn update_latest_delivery(&mut self, sample: Option<&RateSample>) {
        self.loss_round_start = false;
        let Some(s) = sample else { return };
        self.bw_latest = self.bw_latest.max(rate_of(sample));
        self.inflight_latest = self.inflight_latest.max(s.delivered as f64);
        if s.prior_delivered >= self.loss_round_end {
            (self.loss_round_end, self.loss_round_start) = (self.delivered, true);
        }
    }

    /// Begins with the last sample anew at the end of a round (AdvanceLatestDeliverySignals).
    pub(super) fn advance_latest_delivery(&mut self, sample: Option<&RateSample>) {
        if self.loss_round_start {
            (self.bw_latest, self.inflight_latest) = (rate_of(sample), sample.map_or(0.0, |s| s.delivered as f64));
        }
    }

    pub(super) fn reset_congestion_signals(&mut self) {
        (self.is_loss_in_round, self.bw_latest, self.inflight_latest) = (false, 0.0, 0.0);
    }

    pub(super) fn reset_short_term(&mut self) {
        (self.bw_shortterm, self.inflight_shortterm) = (f64::INFINITY, f64::INFINITY);
    }

    pub(super) fn update_congestion_signals(&mut self, sample: Option<&RateSample>) {
        self.round_start = false;
        if let Some(s) = sample {
            self.update_max_bw(s);
        }
        if self.loss_round_start {
            self.adapt_lower_bounds();
            // Whether start-up ends by losses is judged after this.
            self.is_loss_in_round = false;
        }
    }

    fn update_max_bw(&mut self, sample: &RateSample) {
        if sample.prior_delivered >= self.round_end {
            self.start_round();
            (self.rounds, self.rounds_since_probe_up) = (self.rounds + 1, self.rounds_since_probe_up + 1);
            self.round_start = true;
        }
        let rate = rate_of(Some(sample));
        if rate >= self.max_bw() || !self.is_limited(sample) {
            self.max_bw[1] = self.max_bw[1].max(rate);
        }
    }

    /// A cycle is over: the samples of the one before it are forgotten (AdvanceMaxBwFilter).
    pub(super) fn advance_max_bw(&mut self) {
        if self.max_bw[1] > 0.0 {
            self.max_bw = [self.max_bw[1], 0.0];
        }
    }

    /// Once a round, the short-term bounds come down towards what was delivered (AdaptLowerBoundsFromCongestion).
    fn adapt_lower_bounds(&mut self) {
        if self.phase.accelerates() || !self.is_loss_in_round {
            return;
        }
        if self.bw_shortterm.is_infinite() {
            self.bw_shortterm = self.max_bw();
        }
        if self.inflight_shortterm.is_infinite() {
            self.inflight_shortterm = self.cwnd;
        }
        let beta = self.params.beta;
        self.bw_shortterm = self.bw_latest.max(beta * self.bw_shortterm);
        self.inflight_shortterm = self.inflight_latest.max(beta * self.inflight_shortterm);
    }

    /// Packets that arrived above what the rate says, at most in the last rounds (UpdateACKAggregation).
    pub(super) fn update_ack_aggregation(&mut self, ack: &Ack) {
        let mut expected = self.bw * secs(ack.now.since(self.extra_acked_start));
        if self.extra_acked_delivered <= expected {
            (self.extra_acked_delivered, self.extra_acked_start, expected) = (0.0, ack.now, 0.0);
        }
        self.extra_acked_delivered += ack.delivered as f64;
        let extra = (self.extra_acked_delivered - expected).min(self.cwnd);
        let rounds = if self.full.reached { EXTRA_ROUNDS.0 } else { EXTRA_ROUNDS.1 };
        self.extra_acked.put(self.rounds, extra, rounds);
    }

    /// Whether this number of losses says that this number in flight was too much (IsInflightTooHigh).
    pub(super) fn is_too_high(&self, lost: u64, tx_in_flight: u64) -> bool {
        lost as f64 > tx_in_flight as f64 * self.params.loss_threshold
    }

    /// The first loss of a round saves what an undo restores (NoteLoss).
    pub(super) fn note_loss(&mut self) {
        if !self.is_loss_in_round {
            self.loss_round_end = self.delivered;
            self.save_state();
        }
        self.is_loss_in_round = true;
    }

    pub(super) fn handle_lost_packet(&mut self, now: Time, packet: &Sent) {
        self.lost += 1;
        self.note_loss();
        self.loss_at = Some(now);
        self.loss_ranges += u32::from(self.last_lost.is_none_or(|last| packet.seq != last + 1));
        self.last_lost = Some(packet.seq);
        let lost = self.lost.saturating_sub(packet.lost);
        if self.is_bw_probe_sample && self.is_too_high(lost, packet.in_flight) {
            let level = inflight_at_loss(packet.in_flight as f64, 1.0, lost as f64, self.params.loss_threshold);
            self.handle_too_high(level, packet.app_limited || self.small_window.covers(packet.delivered), now);
        }
    }

    /// A probe put too much in flight: that is remembered, and the probe is over (HandleInflightTooHigh).
    pub(super) fn handle_too_high(&mut self, level: f64, app_limited: bool, now: Time) {
        (self.prev_probe_too_high, self.is_bw_probe_sample) = (true, false);
        if !app_limited {
            self.inflight_longterm = level.max(self.target_inflight() * self.params.beta).floor();
        }
        if self.phase == Phase::Up {
            self.undo.phase = Some(Phase::Up);
            self.start_down(now);
        }
    }

    /// SaveStateUponLoss.
    pub(super) fn save_state(&mut self) {
        self.save_cwnd();
        self.undo = Undo {
            phase: None,
            bw_shortterm: self.bw_shortterm,
            inflight_shortterm: self.inflight_shortterm,
            inflight_longterm: self.inflight_longterm,
        };
    }

    /// Nothing was lost: the bounds are at least what they were, and a search that the loss ended goes on (HandleSpuriousLossDetection).
    pub(super) fn handle_spurious_loss(&mut self) {
        self.restore_cwnd();
        self.is_loss_in_round = false;
        self.reset_full_bw();
        self.bw_shortterm = self.bw_shortterm.max(self.undo.bw_shortterm);
        self.inflight_shortterm = self.inflight_shortterm.max(self.undo.inflight_shortterm);
        self.inflight_longterm = self.inflight_longterm.max(self.undo.inflight_longterm);
        match self.undo.phase.take() {
            Some(Phase::Startup) if self.phase != Phase::Startup => {
                self.full.reached = false;
                if self.phase != Phase::ProbeRtt {
                    self.phase = Phase::Startup;
                }
            }
            Some(Phase::Up) if !matches!(self.phase, Phase::Up | Phase::ProbeRtt) => self.start_refill(),
            _ => {}
        }
    }

    /// Follows what acknowledgements say of a probe, and raises the long-term bound. True if that decided on the next phase (AdaptLongTermModel).
    pub(super) fn adapt_long_term(&mut self, ack: &Ack) -> bool {
        let Some(sample) = &ack.rate else { return false };
        if self.ack_phase == AckPhase::ProbeStarting && self.round_start {
            self.ack_phase = AckPhase::ProbeFeedback;
        }
        if self.ack_phase == AckPhase::ProbeStopping && self.round_start {
            (self.is_bw_probe_sample, self.ack_phase) = (false, AckPhase::Init);
            if self.phase.probes_bw() && !self.is_limited(sample) {
                self.advance_max_bw();
            }
            // Nothing was lost after a probe that ended early out of caution: it goes on.
            if self.phase.probes_bw() && self.prev_probe_precautionary && !self.prev_probe_too_high {
                self.start_refill();
                return true;
            }
        }
        if self.inflight_longterm.is_finite() && !self.is_too_high(sample.lost, sample.in_flight) {
            self.inflight_longterm = self.inflight_longterm.max(sample.in_flight as f64);
            if self.phase == Phase::Up {
                self.probe_upward(ack);
            }
        }
        false
    }

    /// The long-term bound rises by 1, 2, 4 ... packets in successive rounds in which it is what limits (ProbeInflightLongtermUpward).
    fn probe_upward(&mut self, ack: &Ack) {
        if !self.is_cwnd_limited() || self.cwnd < self.inflight_longterm {
            return;
        }
        self.bw_probe_up_acked += ack.delivered as f64;
        if self.bw_probe_up_acked >= self.probe_up_acked_per_inc {
            let delta = (self.bw_probe_up_acked / self.probe_up_acked_per_inc).floor();
            self.bw_probe_up_acked -= delta * self.probe_up_acked_per_inc;
            self.inflight_longterm += delta;
        }
        if self.round_start {
            self.raise_slope();
        }
    }

    /// RaiseInflightLongtermSlope.
    pub(super) fn raise_slope(&mut self) {
        let growth = f64::from(1_u32 << self.bw_probe_up_rounds);
        self.bw_probe_up_rounds = (self.bw_probe_up_rounds + 1).min(30);
        self.probe_up_acked_per_inc = (self.cwnd / growth).max(1.0);
    }
}
