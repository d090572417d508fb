//! Whether the retransmissions of an episode were needless.
//!
//! Source: RFC 3522 (Eifel detection by time stamps), RFC 5682 (F-RTO), RFC 3708 (duplicates reported by the sink).
//! Deviations:
//! - With blocks F-RTO uses which packet was acknowledged, which the sender knows from its records, in the first step, too.
//! - With the preset `linux` both are tried, and F-RTO does not send new packets first: a block for a packet that a timeout took for lost, and that did
//!   not go again, is enough, as in Linux (tcp_process_loss). In a timeout within fast recovery it is tried from the second timeout on.

use super::Undo;
use headgate_packet::Time;

/// One episode of recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Episode {
    by_timeout: bool,
    /// It began here, and with its own cut, which may be undone; not so after a mark.
    from: u64,
    pub cut: bool,
    /// When the first retransmission was sent: of this episode, or of those that were still under way when it began.
    again_at: Option<Time>,
    /// Retransmissions that the sink has not reported as duplicates.
    unreported: u64,
}

impl Episode {
    /// None.
    pub const NONE: Episode = Episode { by_timeout: false, from: 0, cut: false, again_at: None, unreported: 0 };

    /// It begins, with this packet as the oldest. `under_way` is when the first retransmission was sent that is not yet acknowledged: what that
    /// causes was sent before this episode's own, and proves nothing against it.
    pub fn new(by_timeout: bool, from: u64, under_way: Option<Time>) -> Episode {
        Episode { by_timeout, from, cut: true, again_at: under_way, unreported: 0 }
    }

    /// A packet is sent again.
    pub fn sent_again(&mut self, now: Time) {
        self.again_at.get_or_insert(now);
        self.unreported += 1;
    }

    /// The sink reports that it had this packet already; true if that was the last of those sent again.
    pub fn reported(&mut self, seq: u64) -> bool {
        if seq < self.from {
            return false;
        }
        let last = self.unreported == 1;
        self.unreported = self.unreported.saturating_sub(1);
        last
    }

    /// Whether an acknowledgement that advanced proves it needless: `echoed` is when the packet that caused it was sent, `original` says that it
    /// is the first to acknowledge a packet taken for lost that was not sent again.
    pub fn was_needless(&self, rule: Undo, echoed: Time, original: bool) -> bool {
        match rule {
            Undo::None => false,
            Undo::FRto => self.by_timeout && original,
            Undo::Eifel => self.again_at.is_some_and(|at| echoed < at),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_echo_from_before_the_retransmission_proves_it_needless() {
        let at = |ms: u64| Time::from_ps(ms * 1_000_000_000);
        let mut fast = Episode::new(false, 5, None);
        assert!(!fast.was_needless(Undo::Eifel, at(0), false), "nothing was sent again");
        fast.sent_again(at(100));
        fast.sent_again(at(120));
        for (echoed, needless) in [(99, true), (100, false), (119, false)] {
            assert_eq!(fast.was_needless(Undo::Eifel, at(echoed), false), needless);
            assert!(
                !fast.was_needless(Undo::FRto, at(echoed), true) && !fast.was_needless(Undo::None, at(echoed), true)
            );
        }
        assert!(!fast.reported(5) && !fast.reported(4) && fast.reported(6) && !fast.reported(6));
        assert!(Episode::new(true, 0, None).was_needless(Undo::FRto, at(0), true));
    }

    #[test]
    fn what_an_earlier_episodes_retransmission_brings_about_proves_nothing() {
        let at = |ms: u64| Time::from_ps(ms * 1_000_000_000);
        for (under_way, needless) in [(Some(at(100)), false), (None, true)] {
            let mut episode = Episode::new(false, 5, under_way);
            assert!(!episode.reported(5), "no packet of this episode was sent again");
            episode.sent_again(at(200));
            assert_eq!(episode.was_needless(Undo::Eifel, at(150), false), needless);
        }
    }
}
