//! Episodes of recovery: when one begins and ends, and how it is undone.

use super::{Progress, Sender};
use crate::LossKind;
use crate::transport::ledger::flag;
use crate::transport::recovery::{Detected, LossRecovery as _, Phase, Signals, State};
use crate::transport::tcp::prr::Reduction;
use crate::transport::tcp::undo::Episode;
use headgate_packet::Time;

impl Sender {
    /// Whether the acknowledgement shows a loss, ends an episode, or continues it.
    pub(super) fn detect(&mut self, now: Time, (advanced, duplicate): (bool, bool), p: &mut Progress) {
        let (una, point, as_linux) = (self.ledger.una, self.state.recovery_point, self.rules.as_linux);
        let over = match self.state.phase {
            Phase::Open => false,
            // Until then the sink may not know of it, and continues to report the mark.
            Phase::Cwr => una > point || (una == self.ledger.next && !as_linux),
            Phase::Recovery | Phase::Loss => una >= point,
        };
        if over {
            self.exit_recovery(p);
        }
        self.detect_losses(now, (advanced, duplicate), p);
        // What shows at the very end of an episode may be due to it. Linux takes any echo outside of an episode for another window's
        // (tcp_try_to_open): one more cut where the first packet after a cut is marked, too.
        let beyond = una > self.state.recovery_point || self.state.recovery_point == 0 || as_linux;
        if p.congested && self.state.phase == Phase::Open && beyond && p.loss.is_none() {
            p.loss = Some(LossKind::Mark);
        }
    }

    /// Lets the recovery declare what is lost by now.
    pub(super) fn detect_losses(&mut self, now: Time, (advanced, duplicate): (bool, bool), p: &mut Progress) {
        let min_rtt = self.min_rtt();
        let Sender { rules, ledger, state, recovery, scoreboard, rtt, .. } = self;
        let sacked = &scoreboard.sacked;
        let signals = Signals { now, advanced, duplicate, sacked, rtt, min_rtt, rules };
        match recovery.detect_losses(ledger, state, &signals) {
            Detected::Nothing => {}
            Detected::Repaired => self.exit_recovery(p),
            // After a mark in the same window the window has come down already.
            Detected::Loss if self.state.phase == Phase::Cwr => {
                let (state, cwr) = (self.state, self.cwr);
                self.begin_repair();
                self.episode.reduced = false;
                if self.rules.as_linux {
                    // One reduction goes on, up to the same packet (tcp_enter_recovery).
                    (self.state.recovery_point, self.state.forced, self.cwr) =
                        (state.recovery_point, state.forced, cwr);
                }
            }
            Detected::Loss => p.loss = Some(LossKind::DuplicateAcks),
        }
    }

    fn exit_recovery(&mut self, p: &mut Progress) {
        let repaired = std::mem::replace(&mut self.state.phase, Phase::Open) != Phase::Cwr;
        if self.recovery.on_exit(&mut self.ledger, repaired) {
            p.loss = Some(LossKind::DuplicateAcks);
        }
        self.prr_window = None;
    }

    /// The protocol has cut its window: an episode begins. `delivered` is that of the acknowledgement that showed it.
    pub fn enter_recovery(&mut self, kind: LossKind, delivered: u64, p: &mut Progress) {
        (self.usage.most_since, self.usage.lowered) = (0, true);
        match kind {
            LossKind::Mark => {
                self.ledger.clear(flag::RETRANSMITTED_IN_RECOVERY);
                (self.state.phase, self.state.recovery_point, self.cwr) = (Phase::Cwr, self.ledger.next, true);
                // A cut that cannot be taken back, and nor can those before it.
                (self.episode, self.tail.probe) = (Episode::NONE, None);
            }
            LossKind::DuplicateAcks => {
                self.begin_repair();
                self.episode.reduced &= !(p.congested && self.rules.as_linux);
            }
            LossKind::Probe => {
                self.episode = Episode::NONE;
                self.cwr |= self.rules.as_linux;
                return;
            }
            LossKind::Timeout => return,
        }
        if self.rules.prr && self.state.phase != Phase::Open {
            // RFC 9937, section 6.1; Linux counts the window (prior_cwnd).
            let outstanding = self.outstanding() + delivered - self.ledger.arrived;
            self.prr = Reduction::new(if self.rules.as_linux && p.window > 0 { p.window } else { outstanding });
            self.prr_window = None;
        }
        p.lost = self.ledger.declared_lost - p.declared_before;
    }

    fn begin_repair(&mut self) {
        self.cwr = true;
        if self.rules.recovery.is_plain() {
            self.episode = Episode::NONE;
        } else {
            self.ledger.clear(flag::RETRANSMITTED_IN_RECOVERY);
            self.state = State { phase: Phase::Recovery, recovery_point: self.ledger.next, forced: 1, ..self.state };
            self.episode = Episode::new(false, self.ledger.una, self.ledger.first_retransmission());
            self.tail.probe = None;
        }
        self.recovery.on_enter(&mut self.ledger, &mut self.state, &self.scoreboard.sacked, self.rules.duplicates);
    }

    /// Takes back an episode: nothing was lost.
    pub(super) fn undo(&mut self, p: &mut Progress) {
        p.undone = self.episode.reduced;
        // Nothing to report to the sink any more (tcp_ecn_withdraw_cwr).
        self.cwr &= !(p.undone && self.rules.as_linux);
        let mut expired = vec![];
        for seq in self.ledger.una..self.ledger.next {
            let record = self.ledger.record(seq);
            if record.has(flag::EXPIRED) {
                expired.push((record.sent, seq));
            }
            record.flags &= !(flag::LOST | flag::RETRANSMITTED_IN_RECOVERY | flag::EXPIRED);
        }
        self.recovery.on_undo(&self.ledger, expired);
        if self.rules.recovery.needs_blocks() {
            self.state.recovery_point = self.ledger.una;
        }
        (self.ledger.lost, self.state.forced, self.state.phase, self.prr_window) = (0, 0, Phase::Open, None);
        self.f_rto.stop();
        self.episode = Episode::NONE;
    }

    /// The window after an acknowledgement of an episode, on its way to the protocol's.
    pub fn reduce(&mut self, p: &Progress, target: u64) {
        if self.rules.prr && self.is_recovering() && (p.delivered > 0 || self.prr_window.is_none()) {
            let safe = p.advanced > 0 && p.lost == 0;
            let pipe = self.pipe();
            self.prr_window = Some(self.prr.window(p.delivered, safe, pipe, target));
        }
    }
}
