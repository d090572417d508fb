//! The state machine: start-up, draining, and the cycle of probes for bandwidth.
//!
//! Source: draft-ietf-ccwg-bbr, "State Machine Operation".

use super::{AckPhase, DRAIN_ROUNDS, FULL_RANGES, FULL_ROUNDS, Full, GROWTH, LEAST, Phase, State, rate_of};
use crate::Ack;
use crate::transport::tcp::RateSample;
use headgate_packet::Time;

impl State {
    /// Gains of the rate and of the window ("Summary of Control Behavior in the State Machine").
    pub(super) fn gains(&self) -> (f64, f64) {
        let p = &self.params;
        match self.phase {
            Phase::Startup => (p.startup_gain, p.window_gain),
            Phase::Drain => (p.drain_gain, p.window_gain),
            Phase::Down => (0.9, p.window_gain),
            Phase::Cruise | Phase::Refill => (1.0, p.window_gain),
            Phase::Up => (1.25, p.window_gain + 0.25),
            Phase::ProbeRtt => (1.0, 0.5),
        }
    }

    pub(super) fn reset_full_bw(&mut self) {
        self.full = Full { reached: self.full.reached, ..Full::default() };
    }

    /// Three rounds without growth by a quarter show that the pipe is full (CheckFullBWReached).
    pub(super) fn check_full_bw(&mut self, sample: Option<&RateSample>) {
        let Some(s) = sample else { return };
        if self.full.now || !self.round_start || self.is_limited(s) {
            return;
        }
        let rate = rate_of(sample);
        if rate >= self.full.bw * GROWTH {
            self.reset_full_bw();
            self.full.bw = rate;
            return;
        }
        self.full.rounds += 1;
        self.full.now = self.full.rounds >= FULL_ROUNDS;
        self.full.reached |= self.full.now;
    }

    /// CheckStartupDone.
    pub(super) fn check_startup_done(&mut self, ack: &Ack) {
        if self.phase == Phase::Startup {
            self.check_startup_losses(ack);
        }
        if self.loss_round_start {
            (self.loss_ranges, self.last_lost) = (0, None);
        }
        if self.phase == Phase::Startup && self.full.reached {
            (self.phase, self.drain_start_round) = (Phase::Drain, self.rounds);
        }
    }

    /// Many losses show it, too, at the end of a whole round within an episode ("Exiting Startup Based on Packet Loss").
    fn check_startup_losses(&mut self, ack: &Ack) {
        let Some(s) = &ack.rate else { return };
        // An episode that ends with this acknowledgement has lasted for the round.
        let whole_round = (ack.recovering || self.recovering) && s.prior_delivered >= self.repair_began;
        if self.loss_round_start
            && whole_round
            && self.loss_ranges >= FULL_RANGES
            && self.is_too_high(s.lost, s.in_flight)
        {
            (self.undo.phase, self.full.reached) = (Some(Phase::Startup), true);
            self.inflight_longterm = self.bdp_multiple(1.0).max(self.inflight_latest).floor();
        }
    }

    /// CheckDrainDone.
    pub(super) fn check_drain_done(&mut self, ack: &Ack) {
        if self.phase == Phase::Drain
            && (ack.in_flight as f64 <= self.inflight(self.bw, 1.0)
                || self.rounds > self.drain_start_round + DRAIN_ROUNDS)
        {
            self.start_down(ack.now);
        }
    }

    pub(super) fn start_down(&mut self, now: Time) {
        self.reset_congestion_signals();
        self.probe_up_acked_per_inc = f64::INFINITY;
        // PickProbeWait.
        let wait = self.params.probe_wait;
        (self.rounds_since_probe_up, self.bw_probe_wait) = (self.dice.0, wait + wait * (self.dice.1 / 2.0));
        self.cycle_stamp = now;
        self.ack_phase = AckPhase::ProbeStopping;
        self.start_round();
        self.phase = Phase::Down;
    }

    pub(super) fn start_refill(&mut self) {
        self.reset_short_term();
        (self.bw_probe_up_rounds, self.bw_probe_up_acked) = (0, 0.0);
        self.prev_probe_precautionary = false;
        self.ack_phase = AckPhase::Refilling;
        self.start_round();
        self.phase = Phase::Refill;
    }

    fn start_up(&mut self, sample: Option<&RateSample>) {
        self.ack_phase = AckPhase::ProbeStarting;
        self.start_round();
        self.reset_full_bw();
        self.full.bw = rate_of(sample);
        self.phase = Phase::Up;
        self.raise_slope();
    }

    /// UpdateProbeBWCyclePhase.
    pub(super) fn update_cycle(&mut self, ack: &Ack) {
        if !self.full.reached || self.adapt_long_term(ack) {
            return;
        }
        if self.phase == Phase::Up && self.is_time_to_go_down(ack) {
            self.prev_probe_too_high = false;
            return self.start_down(ack.now);
        }
        match self.phase {
            Phase::Down | Phase::Cruise if self.is_time_to_probe(ack.now) => self.start_refill(),
            Phase::Down if self.is_time_to_cruise(ack.in_flight) => self.phase = Phase::Cruise,
            Phase::Refill if self.round_start => {
                self.is_bw_probe_sample = true;
                self.start_up(ack.rate.as_ref());
            }
            _ => {}
        }
    }

    /// The time is over, or as many round trips as a window of Reno needs to grow by the path (IsTimeToProbeBW).
    pub(super) fn is_time_to_probe(&self, now: Time) -> bool {
        let reno = self.target_inflight() as u64;
        now > self.cycle_stamp + self.bw_probe_wait || self.rounds_since_probe_up >= reno.min(self.params.reno_rounds)
    }

    /// What is to be in flight (TargetInflight).
    pub(super) fn target_inflight(&self) -> f64 {
        self.bdp_multiple(1.0).min(self.cwnd)
    }

    /// The long-term bound less what is left free (InflightWithHeadroom).
    pub(super) fn with_headroom(&self) -> f64 {
        let bound = self.inflight_longterm;
        if bound.is_infinite() { bound } else { (bound - (self.params.headroom * bound).max(1.0)).max(LEAST) }
    }

    fn is_time_to_cruise(&self, in_flight: u64) -> bool {
        in_flight as f64 <= self.with_headroom().min(self.inflight(self.max_bw(), 1.0))
    }

    fn is_time_to_go_down(&mut self, ack: &Ack) -> bool {
        if self.prev_probe_too_high && ack.prior_in_flight as f64 >= self.inflight_longterm {
            self.prev_probe_precautionary = true;
            return true;
        }
        if self.is_cwnd_limited() && self.cwnd >= self.inflight_longterm {
            // The bound limits the rate: how much the path could take is not known.
            self.reset_full_bw();
            self.full.bw = rate_of(ack.rate.as_ref());
            return false;
        }
        self.full.now
    }
}
