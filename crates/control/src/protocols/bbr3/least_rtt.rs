//! The minimum round trip, the phase with a small window that measures it again, and a restart from idle.
//!
//! Source: draft-ietf-ccwg-bbr, "ProbeRTT" and "Restarting From Idle".

use super::{AckPhase, LEAST, Phase, State};
use crate::Ack;
use headgate_packet::Time;

impl State {
    /// Takes in a round trip (UpdateMinRTT).
    pub(super) fn update_min_rtt(&mut self, ack: &Ack) {
        self.probe_rtt_expired = ack.now > self.probe_rtt_min_stamp + self.params.probe_rtt_every;
        if let Some(rtt) = ack.rtt
            && (self.probe_rtt_expired || self.probe_rtt_min_delay.is_none_or(|least| rtt < least))
        {
            (self.probe_rtt_min_delay, self.probe_rtt_min_stamp) = (Some(rtt), ack.now);
        }
        let expired = ack.now > self.min_rtt_stamp + self.params.least_rtt_for;
        if let Some(delay) = self.probe_rtt_min_delay
            && (expired || self.min_rtt.is_none_or(|least| delay < least))
        {
            (self.min_rtt, self.min_rtt_stamp) = (Some(delay), self.probe_rtt_min_stamp);
        }
    }

    /// CheckProbeRTT.
    pub(super) fn check_probe_rtt(&mut self, ack: &Ack) {
        if self.phase != Phase::ProbeRtt && self.probe_rtt_expired && !self.idle_restart {
            self.phase = Phase::ProbeRtt;
            self.save_cwnd();
            (self.probe_rtt_done_stamp, self.ack_phase) = (None, AckPhase::ProbeStopping);
            self.start_round();
        }
        if self.phase == Phase::ProbeRtt {
            self.handle_probe_rtt(ack);
        }
        self.idle_restart &= ack.delivered == 0;
    }

    fn handle_probe_rtt(&mut self, ack: &Ack) {
        self.small_window.mark(self.delivered, ack.in_flight);
        if self.probe_rtt_done_stamp.is_none() {
            if ack.in_flight as f64 <= self.probe_rtt_cwnd() {
                self.probe_rtt_done_stamp = Some(ack.now + self.params.probe_rtt_for);
                self.probe_rtt_round_done = false;
                self.start_round();
            }
            return;
        }
        self.probe_rtt_round_done |= self.round_start;
        if self.probe_rtt_round_done {
            self.check_probe_rtt_done(ack.now);
        }
    }

    fn check_probe_rtt_done(&mut self, now: Time) {
        if self.probe_rtt_done_stamp.is_none_or(|done| now <= done) {
            return;
        }
        self.probe_rtt_min_stamp = now;
        self.restore_cwnd();
        self.reset_short_term();
        if self.full.reached {
            self.start_down(now);
            self.phase = Phase::Cruise;
        } else {
            self.phase = Phase::Startup;
        }
    }

    pub(super) fn probe_rtt_cwnd(&self) -> f64 {
        self.bdp_multiple(0.5).max(LEAST)
    }

    /// A packet is sent, with nothing in flight and after a lack of data (HandleRestartFromIdle).
    pub(super) fn restart_from_idle(&mut self, now: Time) {
        (self.idle_restart, self.extra_acked_start) = (true, now);
        if self.phase.probes_bw() {
            self.pace_with(1.0);
        } else if self.phase == Phase::ProbeRtt {
            self.check_probe_rtt_done(now);
        }
    }
}
