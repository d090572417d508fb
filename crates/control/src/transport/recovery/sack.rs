//! Recovery by blocks: holes with enough packets above them that arrived are lost.
//!
//! Source: RFC 6675.
//! Deviations:
//! - Packets are counted, not bytes.
//! - A hole is declared lost when enough packets above it arrived, without the rule of three separate ranges, which says the same of whole packets.
//!
//! State per flow: three numbers; the ranges that arrived are the sender's.

use super::{Detected, LossRecovery, Phase, Signals, State};
use crate::transport::ledger::{Ledger, flag};
use crate::transport::ranges::Ranges;

/// How far the holes are marked and sent.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sack {
    /// All holes below are marked.
    marked: u64,
    /// Of holes that are not known to be lost, those below are finished (`HighRxt`).
    high_rxt: u64,
    /// The last packet is sent once an episode without proof (rule 4 of NextSeg), when more than this is acknowledged.
    rescue_after: u64,
}

impl Sack {
    /// Below this every hole is lost.
    fn lost_below(ledger: &Ledger, sacked: &Ranges, duplicates: u32) -> u64 {
        sacked.nth_greatest(u64::from(duplicates)).unwrap_or(ledger.una)
    }

    /// Declares every hole below `end` lost that was not sent again in this episode.
    fn mark_holes(&mut self, ledger: &mut Ledger, end: u64) {
        let known = flag::ARRIVED | flag::LOST | flag::RETRANSMITTED_IN_RECOVERY;
        for seq in self.marked.max(ledger.una)..end {
            if !ledger.get(seq).has(known) {
                ledger.declare_lost(seq);
            }
        }
        self.marked = self.marked.max(end);
    }

    /// Rules 3 and 4 of NextSeg: a hole that is not known to be lost; then, once an episode and when more than the first retransmission is
    /// acknowledged, the last packet.
    fn next_unproved(&self, ledger: &Ledger, state: &State, sacked: &Ranges) -> Option<u64> {
        if state.phase != Phase::Recovery || ledger.una == ledger.next {
            return None;
        }
        let unknown = |seq: &u64| !ledger.get(*seq).has(flag::ARRIVED | flag::RETRANSMITTED_IN_RECOVERY);
        let from = self.high_rxt.max(ledger.una);
        (from..Sack::top(ledger, sacked))
            .find(unknown)
            .or_else(|| Some(ledger.next - 1).filter(|last| ledger.una > self.rescue_after && unknown(last)))
    }

    fn top(ledger: &Ledger, sacked: &Ranges) -> u64 {
        sacked.end().unwrap_or(ledger.una)
    }
}

impl LossRecovery for Sack {
    fn detect_losses(&mut self, ledger: &mut Ledger, state: &mut State, signals: &Signals<'_>) -> Detected {
        let end = Sack::lost_below(ledger, signals.sacked, signals.rules.duplicates);
        if matches!(state.phase, Phase::Open | Phase::Cwr) {
            // An episode that is over leaves nothing below the recovery point.
            if end > ledger.una {
                self.marked = ledger.una;
                return Detected::Loss;
            }
        } else {
            self.mark_holes(ledger, end);
        }
        Detected::Nothing
    }

    fn on_enter(&mut self, ledger: &mut Ledger, _: &mut State, sacked: &Ranges, duplicates: u32) {
        (self.high_rxt, self.rescue_after) = (ledger.una, ledger.una + 1);
        self.mark_holes(ledger, Sack::lost_below(ledger, sacked, duplicates).max(ledger.una + 1));
    }

    fn on_exit(&mut self, _: &mut Ledger, _: bool) -> bool {
        false
    }

    fn on_timeout(&mut self, ledger: &mut Ledger, _: &State, _: &Signals<'_>) {
        self.marked = ledger.una;
        for seq in ledger.una..ledger.next {
            ledger.declare_lost(seq);
        }
    }

    fn has_unproved(&self, ledger: &Ledger, state: &State, sacked: &Ranges) -> bool {
        self.next_unproved(ledger, state, sacked).is_some()
    }

    fn take_unproved(&mut self, ledger: &Ledger, state: &State, sacked: &Ranges) -> Option<u64> {
        let next = self.next_unproved(ledger, state, sacked);
        let top = Sack::top(ledger, sacked);
        match next {
            Some(hole) if hole < top => self.high_rxt = hole + 1,
            _ => self.high_rxt = self.high_rxt.max(ledger.una).max(top),
        }
        if next.is_some_and(|seq| seq >= top) {
            self.rescue_after = u64::MAX;
        }
        next
    }
}
