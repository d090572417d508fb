//! The recoveries in which a loss does nothing but send packets again: go-back-N, the oldest packet, repair, a timer for each packet.
//!
//! Source: Demers, Keshav and Shenker 1989, section 3; 4.3BSD as Jacobson 1988 describes it; `repair` is the recovery state of REAL.
//! - There is one timer per flow, set again when an acknowledgement advances and when something is sent again; or one for each packet.
//! - A loss that duplicates show sends the oldest packet alone. No further loss is seen before everything sent until then is acknowledged, so that
//!   duplicates caused by resending what had arrived are not taken for a new loss.
//!
//! State per flow: the timers of packets, if each has one.

use super::{Detected, LossRecovery, Phase, Signals, State};
use crate::transport::Retransmit;
use crate::transport::ledger::{Ledger, flag};
use crate::transport::ranges::Ranges;
use crate::transport::timers::PacketTimers;
use headgate_packet::Time;

/// What is sent again after a timeout, and the timers.
#[derive(Clone, Debug)]
pub(crate) struct Plain {
    retransmit: Retransmit,
    /// From the first packet on, if each has one.
    timers: Option<Box<PacketTimers>>,
}

impl Plain {
    /// One that sends these packets again.
    pub fn new(retransmit: Retransmit) -> Plain {
        Plain { retransmit, timers: None }
    }

    /// Whether each packet has a timer.
    #[inline]
    pub fn has_timers(&self) -> bool {
        self.retransmit == Retransmit::Each
    }

    /// Whether the duplicates so far, of which this many mean a loss, show one.
    pub fn is_loss_shown(&self, ledger: &Ledger, state: &State, threshold: u32) -> bool {
        state.duplicates == threshold && ledger.una >= state.recovery_point && state.phase != Phase::Loss
    }

    /// Something advanced after a timeout: all that was sent before it is acknowledged, or repair continues.
    #[cold]
    pub fn continue_repair(&self, ledger: &mut Ledger, state: &mut State) {
        if ledger.una >= state.recovery_point {
            state.phase = Phase::Open;
        } else if self.retransmit == Retransmit::Repair {
            ledger.declare_lost(ledger.una);
            state.forced = 1;
        }
    }

    /// Duplicates showed a loss, and the protocol has answered.
    pub fn enter(&self, ledger: &mut Ledger, state: &mut State) {
        *state = State { phase: Phase::Open, recovery_point: ledger.next, forced: 1, ..*state };
        ledger.declare_lost(ledger.una);
    }

    /// The timer of the flow ran out.
    pub fn declare_at_timeout(&self, ledger: &mut Ledger) {
        let end = if self.retransmit == Retransmit::All { ledger.next } else { ledger.una + 1 };
        for seq in ledger.una..end {
            ledger.declare_lost(seq);
        }
    }

    /// The timer of a packet runs out at `at`.
    pub fn start_timer(&mut self, seq: u64, at: Time) {
        self.timers.get_or_insert_default().start(seq, at);
    }

    /// When the next of the packets' own timers runs out; what arrived needs none.
    pub fn next_timer(&mut self, ledger: &Ledger) -> Time {
        let missing = |seq: u64| seq >= ledger.una && !ledger.get(seq).has(flag::ARRIVED);
        self.timers.as_mut().map_or(Time::NEVER, |timers| timers.next(missing))
    }

    /// Takes out the packets whose own timers ran out, in the order of their timers.
    pub fn expired(&mut self, ledger: &mut Ledger, now: Time) -> Vec<u64> {
        let mut all = vec![];
        while self.next_timer(ledger) <= now
            && let Some(seq) = self.timers.as_mut().and_then(|timers| timers.pop())
        {
            let record = ledger.record(seq);
            record.timeouts = record.timeouts.saturating_add(1);
            all.push(seq);
        }
        all
    }

    /// The timer of a packet ran out: it is sent again though it stays in the window.
    pub fn send_again(&mut self, seq: u64) {
        self.timers.get_or_insert_default().send_again(seq);
    }

    /// The first packet to be sent again, below `end`.
    pub fn take_due(&mut self, una: u64, end: u64) -> Option<u64> {
        self.timers.as_mut().and_then(|timers| timers.take(una, end))
    }

    /// Bytes of the timers.
    pub fn timers_memory(&self) -> usize {
        self.timers.as_ref().map_or(0, |timers| timers.memory())
    }

    /// Whether there is one.
    pub fn is_due(&self, end: u64) -> bool {
        self.timers.as_ref().is_some_and(|timers| timers.is_due(end))
    }
}

impl LossRecovery for Plain {
    fn detect_losses(&mut self, ledger: &mut Ledger, state: &mut State, signals: &Signals<'_>) -> Detected {
        if signals.duplicate && self.is_loss_shown(ledger, state, signals.rules.duplicates) {
            return Detected::Loss;
        }
        if signals.advanced && state.phase == Phase::Loss {
            self.continue_repair(ledger, state);
        }
        Detected::Nothing
    }

    fn on_enter(&mut self, ledger: &mut Ledger, state: &mut State, _: &Ranges, _: u32) {
        self.enter(ledger, state);
    }

    fn on_timeout(&mut self, ledger: &mut Ledger, _: &State, _: &Signals<'_>) {
        self.declare_at_timeout(ledger);
    }

    fn retransmission_restarts_timer(&self, _: bool) -> bool {
        !self.has_timers()
    }

    fn memory(&self) -> usize {
        self.timers_memory()
    }
}
