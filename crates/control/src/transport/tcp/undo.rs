//! Whether the retransmissions of an episode were spurious.
//!
//! Source: RFC 3522 (Eifel detection by time stamps), RFC 5682 (F-RTO), RFC 3708 (duplicates reported by the sink).
//! Deviations:
//! - With blocks F-RTO uses which packet was acknowledged, which the sender knows from its records, in the first step, too.
//! - With the preset `linux` both are tried, F-RTO as in Linux (tcp_process_loss): as many new packets as the window allows are sent at the first
//!   acknowledgement that advances, retransmissions from the next one on; a packet that a timeout declared lost, that did not go again and that is
//!   acknowledged meanwhile, or reported by a block, proves the timeout spurious. In a timeout within fast recovery it is tried from the second timeout on.

use super::Undo;
use headgate_packet::Time;

/// One episode of recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Episode {
    by_timeout: bool,
    /// It began here, and with its own reduction of the window, which may be undone; not so after a mark.
    from: u64,
    pub reduced: bool,
    /// When the first retransmission was sent: of this episode, or of those that were still under way when it began.
    first_retransmission: Option<Time>,
    /// Retransmissions that the sink has not reported as duplicates.
    unreported: u64,
}

impl Episode {
    /// None, as when Linux has no `undo_marker`: nothing that was sent or is reported proves anything.
    pub const NONE: Episode = Episode {
        by_timeout: false,
        from: u64::MAX,
        reduced: false,
        first_retransmission: Some(Time::ZERO),
        unreported: 0,
    };

    /// It begins, with this packet as the oldest. `under_way` is when the first retransmission was sent that is not yet acknowledged: what that
    /// causes was sent before this episode's own, and proves nothing against it.
    pub fn new(by_timeout: bool, from: u64, under_way: Option<Time>) -> Episode {
        Episode { by_timeout, from, reduced: true, first_retransmission: under_way, unreported: 0 }
    }

    /// A packet is sent again.
    pub fn on_retransmission(&mut self, now: Time) {
        self.first_retransmission.get_or_insert(now);
        self.unreported += 1;
    }

    /// A timeout happened in it (Linux), of which F-RTO may show that it was spurious.
    pub fn on_timeout(&mut self) {
        self.by_timeout = true;
    }

    /// The sink reports that it had this packet already; true if that was the last of those sent again.
    pub fn on_reported_duplicate(&mut self, seq: u64) -> bool {
        if seq < self.from {
            return false;
        }
        let last = self.unreported == 1;
        self.unreported = self.unreported.saturating_sub(1);
        last
    }

    /// Whether an acknowledgement that advanced proves it spurious: `echoed` is when the packet that caused it was sent, `original` says that it
    /// is the first to acknowledge a packet declared lost that was not sent again.
    pub fn is_spurious(&self, rule: Undo, echoed: Time, original: bool) -> bool {
        match rule {
            Undo::None => false,
            Undo::FRto => self.by_timeout && original,
            Undo::Eifel => self.first_retransmission.is_some_and(|at| echoed < at),
        }
    }
}

/// More new packets than a window after a timeout has room for.
const ANY: u8 = u8::MAX;

/// A trial after a timeout (RFC 5682, sections 2.1 and 3.1): new packets are sent first, and their acknowledgements decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trial {
    No,
    /// After the timeout.
    First,
    /// Something advanced: this many new packets may be sent, and nothing else.
    Second(u8),
}

/// F-RTO.
#[derive(Clone, Copy, Debug)]
pub(super) struct FRto {
    trial: Trial,
    /// As Linux has it: the last timeout began an episode, or was another one in it, and what a block says may prove it spurious.
    pub by_blocks: bool,
    /// The oldest packet at the last timeout.
    pub expired: u64,
}

impl Default for FRto {
    fn default() -> FRto {
        FRto { trial: Trial::No, by_blocks: false, expired: u64::MAX }
    }
}

impl FRto {
    /// Whether [`FRto::new_packets`] may say anything.
    #[inline]
    pub fn is_second(&self) -> bool {
        matches!(self.trial, Trial::Second(_))
    }

    /// How many new packets may be sent, and nothing else; `None` without a trial. `can`: one can be sent now.
    #[inline]
    pub fn new_packets(&self, can: bool) -> Option<u8> {
        match self.trial {
            // Linux: where none was sent for the test, everything is sent again.
            Trial::Second(ANY) if !can => None,
            Trial::Second(left) => Some(left),
            _ => None,
        }
    }

    /// One of them is sent.
    pub fn on_new_packet(&mut self) {
        if let Trial::Second(left) = &mut self.trial {
            *left -= 1;
        }
    }

    /// The timer ran out for this packet; `tries` begins a trial.
    pub fn on_timeout(&mut self, tries: bool, by_blocks: bool, una: u64) {
        self.trial = if tries { Trial::First } else { Trial::No };
        (self.by_blocks, self.expired) = (by_blocks, una);
    }

    /// An acknowledgement arrived after a timeout, which `advanced` without ending the episode, or shows that a packet `beyond_gap` arrived; `after`:
    /// packets were sent that are newer than the timeout (tcp_process_loss, steps 2.b and 3.a).
    pub fn on_ack_as_linux(&mut self, advanced: bool, beyond_gap: bool, after: bool, fits: bool) {
        self.trial = Trial::No;
        if after {
            self.by_blocks &= !beyond_gap;
        } else if advanced {
            self.by_blocks = fits;
            self.trial = if fits { Trial::Second(ANY) } else { Trial::No };
        }
    }

    /// The trial is over.
    pub fn stop(&mut self) {
        self.trial = Trial::No;
    }

    /// An acknowledgement arrived, which `ends` the episode if it acknowledged everything sent before the timeout; `fits` if a new packet could be
    /// sent. True if what was acknowledged proves that the timeout was spurious.
    #[inline]
    pub fn on_ack(&mut self, advanced: bool, duplicate: bool, ends: bool, fits: bool) -> bool {
        match self.trial {
            Trial::No => false,
            _ if duplicate || ends => {
                self.trial = Trial::No;
                false
            }
            Trial::First => {
                // Without new packets for the test, everything is sent again.
                self.trial = match (advanced, fits) {
                    (true, true) => Trial::Second(2),
                    (true, false) => Trial::No,
                    (false, _) => Trial::First,
                };
                false
            }
            Trial::Second(_) => {
                if advanced {
                    self.trial = Trial::No;
                }
                advanced
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_echo_from_before_the_retransmission_proves_it_spurious() {
        let at = |ms: u64| Time::from_ps(ms * 1_000_000_000);
        let mut fast = Episode::new(false, 5, None);
        assert!(!fast.is_spurious(Undo::Eifel, at(0), false), "nothing was sent again");
        fast.on_retransmission(at(100));
        fast.on_retransmission(at(120));
        for (echoed, spurious) in [(99, true), (100, false), (119, false)] {
            assert_eq!(fast.is_spurious(Undo::Eifel, at(echoed), false), spurious);
            assert!(!fast.is_spurious(Undo::FRto, at(echoed), true) && !fast.is_spurious(Undo::None, at(echoed), true));
        }
        assert!(
            !fast.on_reported_duplicate(5)
                && !fast.on_reported_duplicate(4)
                && fast.on_reported_duplicate(6)
                && !fast.on_reported_duplicate(6)
        );
        assert!(Episode::new(true, 0, None).is_spurious(Undo::FRto, at(0), true));
    }

    #[test]
    fn what_an_earlier_episodes_retransmission_brings_about_proves_nothing() {
        let at = |ms: u64| Time::from_ps(ms * 1_000_000_000);
        for (under_way, spurious) in [(Some(at(100)), false), (None, true)] {
            let mut episode = Episode::new(false, 5, under_way);
            assert!(!episode.on_reported_duplicate(5), "no packet of this episode was sent again");
            episode.on_retransmission(at(200));
            assert_eq!(episode.is_spurious(Undo::Eifel, at(150), false), spurious);
        }
    }

    #[test]
    fn as_linux_has_it_everything_goes_again_where_no_new_packet_was_sent() {
        let mut f_rto = FRto::default();
        f_rto.on_timeout(false, true, 0);
        f_rto.on_ack_as_linux(true, false, false, true);
        assert!(f_rto.new_packets(false).is_none() && f_rto.new_packets(true).is_some());
        f_rto.on_new_packet();
        // One was sent: the next acknowledgement decides.
        assert!(f_rto.new_packets(false).is_some() && f_rto.by_blocks);
        f_rto.on_ack_as_linux(true, false, true, true);
        assert!(f_rto.new_packets(true).is_none() && f_rto.by_blocks);
    }

    #[test]
    fn an_overtaken_acknowledgement_does_not_end_a_trial() {
        let mut f_rto = FRto::default();
        f_rto.on_timeout(true, false, 0);
        assert!(!f_rto.on_ack(true, false, false, true) && f_rto.new_packets(false) == Some(2));
        assert!(!f_rto.on_ack(false, false, false, true) && f_rto.new_packets(false) == Some(2));
        assert!(f_rto.on_ack(true, false, false, true) && f_rto.new_packets(false).is_none());
    }
}
