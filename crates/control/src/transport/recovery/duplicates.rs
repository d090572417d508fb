//! Recovery by duplicate acknowledgements, without reports of the sink: Tahoe, Reno, NewReno.
//!
//! Source: RFC 5681, sections 3.1 and 3.2; RFC 6582; Jacobson and Karels 1988 (Tahoe). Vegas's check of its fine timer: Brakmo and Peterson 1995,
//! section 3.1.
//! Each duplicate says that one packet arrived, which is the same as the inflated window of RFC 5681.
//! Deviations:
//! - Reno may enter recovery again as soon as it left it, `newreno` and `tahoe` only for packets beyond that episode, without the heuristics of
//!   RFC 6582, section 4.
//! - In `newreno` the timer is set again by the first partial acknowledgement only.

use super::{Detected, LossRecovery, Phase, Signals, State};
use crate::transport::ledger::Ledger;
use crate::transport::ranges::Ranges;
use crate::transport::tcp::Recovery;
use headgate_packet::{Duration, Time};

/// Which of the three, and whether a partial acknowledgement arrived in this episode.
#[derive(Clone, Debug)]
pub(crate) struct Duplicates {
    kind: Recovery,
    partial: bool,
}

impl Duplicates {
    /// `tahoe`, `reno` or `newreno`.
    pub fn new(kind: Recovery) -> Duplicates {
        Duplicates { kind, partial: false }
    }

    /// A lost packet did not cause a duplicate.
    fn declare_lost(ledger: &mut Ledger, seq: u64) {
        if ledger.declare_lost(seq) && ledger.arrived > 0 {
            ledger.keep_arrived(ledger.outstanding() - ledger.lost);
        }
    }

    /// Vegas: the oldest packet's own timer, which does not tick and has no floor, has run out.
    fn is_overdue(ledger: &Ledger, signals: &Signals<'_>) -> bool {
        signals.rules.early && ledger.una < ledger.next && {
            let sent = ledger.get(ledger.una).sent;
            signals.rtt.fine(signals.rules).is_some_and(|fine| signals.now.since(sent) > fine)
        }
    }

    /// RFC 6582: with one hole a round trip, the timer is to end what lasts too long.
    fn is_impatient(&self) -> bool {
        self.kind == Recovery::Newreno && self.partial
    }
}

impl LossRecovery for Duplicates {
    fn on_advance(&mut self, ledger: &mut Ledger, state: &State, advanced: u64) -> u64 {
        if ledger.arrived == 0 {
            return 0;
        }
        // Duplicates stood for those acknowledged before, but for the one that filled the hole.
        let known = ledger.arrived.min(advanced.saturating_sub(1));
        ledger.arrived -= known;
        ledger.delivered -= known;
        // Outside of an episode the window bounds what is outstanding: spurious retransmissions cause duplicates that report nothing new.
        ledger.keep_arrived(if state.is_repairing() { ledger.outstanding() - ledger.lost } else { 0 });
        known
    }

    fn on_duplicate(&mut self, ledger: &mut Ledger) -> bool {
        let counts = ledger.arrived + ledger.lost < ledger.outstanding() - u64::from(ledger.lost == 0);
        ledger.arrived += u64::from(counts);
        counts
    }

    fn detect_losses(&mut self, ledger: &mut Ledger, state: &mut State, signals: &Signals<'_>) -> Detected {
        let reached = state.duplicates == signals.rules.duplicates;
        let beyond = ledger.una > state.recovery_point || state.recovery_point == 0;
        let enough = (reached && beyond) || (state.duplicates > 0 && Duplicates::is_overdue(ledger, signals));
        match state.phase {
            Phase::Open if enough && ledger.una >= state.recovery_point => return Detected::Loss,
            Phase::Cwr if enough || reached => return Detected::Loss,
            Phase::Recovery if signals.advanced && self.kind == Recovery::Newreno => {
                Duplicates::declare_lost(ledger, ledger.una);
                state.forced = 1;
            }
            Phase::Recovery if signals.advanced => {
                // Reno: the hole is filled, and what else is missing has to show by new duplicates.
                state.recovery_point = ledger.una - 1;
                return Detected::Repaired;
            }
            _ => {}
        }
        Detected::Nothing
    }

    fn on_enter(&mut self, ledger: &mut Ledger, state: &mut State, _: &Ranges, _: u32) {
        self.partial = false;
        Duplicates::declare_lost(ledger, ledger.una);
        if self.kind == Recovery::Tahoe {
            // BSD sends the oldest one and continues where it was.
            state.phase = Phase::Open;
        }
    }

    fn on_exit(&mut self, ledger: &mut Ledger, _: bool) -> bool {
        ledger.keep_arrived(0);
        self.partial = false;
        false
    }

    fn on_timeout(&mut self, ledger: &mut Ledger, _: &State, _: &Signals<'_>) {
        self.partial = false;
        ledger.keep_arrived(0);
        for seq in ledger.una..ledger.next {
            ledger.declare_lost(seq);
        }
    }

    fn restarts_timer(&mut self, _: &Ledger, state: &State, advanced: bool, _: Option<Duration>, _: Time) -> bool {
        let restarts = advanced && !self.is_impatient();
        self.partial = state.phase == Phase::Recovery && (self.partial || advanced);
        restarts
    }

    fn retransmission_restarts_timer(&self, of_oldest: bool) -> bool {
        of_oldest && !self.is_impatient()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::tcp::{Preset, RoundTrips, Rules};

    /// Brakmo and Peterson 1995: one duplicate is enough when the oldest packet was sent longer ago than the fine timeout, here 100 + 4 x 50 ms. What
    /// an episode that is over has repaired begins no other.
    #[test]
    fn an_early_loss_is_later_than_the_fine_timeout_and_beyond_the_last_episode() {
        let rules = Rules { early: true, ..Preset::Rfc.rules() };
        let mut ledger = Ledger::new(false);
        ledger.supply(4);
        for _ in 0..4 {
            ledger.send_new(Time::ZERO);
        }
        let mut rtt = RoundTrips::default();
        rtt.sample(Duration::from_millis(100), (0, 4), &rules);
        let mut detected = |recovery_point: u64, now: Time| {
            let mut state = State { duplicates: 1, recovery_point, ..State::default() };
            let (advanced, duplicate, sacked) = (false, true, &Ranges::default());
            let signals = Signals { now, advanced, duplicate, sacked, rtt: &rtt, min_rtt: None, rules: &rules };
            Duplicates::new(Recovery::Newreno).detect_losses(&mut ledger, &mut state, &signals)
        };
        let at = Time::ZERO + Duration::from_millis(300);
        assert_eq!(detected(0, at), Detected::Nothing);
        assert_eq!(detected(0, at + Duration::from_ps(1)), Detected::Loss);
        assert_eq!(detected(1, at + Duration::from_ps(1)), Detected::Nothing);
    }
}
