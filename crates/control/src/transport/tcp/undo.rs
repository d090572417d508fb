//! Whether the retransmissions of an episode were needless.
//!
//! Sources: RFC 3522 (Eifel detection by time stamps), RFC 5682 (F-RTO), RFC 3708 (duplicates reported by the sink).
//! Deviations: with blocks F-RTO goes by which packet was acknowledged, which the sender knows from its records, so that it needs no two steps.

use super::Undo;
use headgate_packet::Time;

/// One episode of recovery.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Episode {
    by_timeout: bool,
    /// When the first retransmission went: of this episode, or of earlier ones if some of theirs are still under way.
    again_at: Option<Time>,
    /// Retransmissions that the sink has not reported as duplicates.
    unreported: u64,
}

impl Episode {
    /// It begins. `under_way`: retransmissions of earlier ones are not yet acknowledged. What they bring about was sent before this
    /// episode's own, and proves nothing against it.
    pub fn begin(&mut self, by_timeout: bool, under_way: bool) {
        let again_at = self.again_at.filter(|_| under_way);
        *self = Episode { by_timeout, again_at, unreported: 0 };
    }

    /// It was taken back.
    pub fn undone(&mut self) {
        self.unreported = 0;
    }

    /// A packet is sent again.
    pub fn sent_again(&mut self, now: Time) {
        self.again_at.get_or_insert(now);
        self.unreported += 1;
    }

    /// The sink reports that it had a packet already; true if that was the last of those sent again.
    pub fn reported(&mut self) -> bool {
        let last = self.unreported == 1;
        self.unreported = self.unreported.saturating_sub(1);
        last
    }

    /// Whether an acknowledgement that advanced proves it needless: `echoed` is when the packet that caused it was sent, `original` says that it
    /// is the first to acknowledge a packet taken for lost that did not go again.
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
        let mut fast = Episode::default();
        assert!(!fast.was_needless(Undo::Eifel, at(0), false), "nothing went again");
        fast.sent_again(at(100));
        fast.sent_again(at(120));
        for (echoed, needless) in [(99, true), (100, false), (119, false)] {
            assert_eq!(fast.was_needless(Undo::Eifel, at(echoed), false), needless);
            assert!(
                !fast.was_needless(Undo::FRto, at(echoed), true) && !fast.was_needless(Undo::None, at(echoed), true)
            );
        }
        assert!(!fast.reported() && fast.reported() && !fast.reported());
        fast.begin(true, false);
        assert!(fast.was_needless(Undo::FRto, at(0), true));
    }

    #[test]
    fn what_an_earlier_episodes_retransmission_brings_about_proves_nothing() {
        let at = |ms: u64| Time::from_ps(ms * 1_000_000_000);
        for (under_way, needless) in [(true, false), (false, true)] {
            let mut episode = Episode::default();
            episode.sent_again(at(100));
            episode.begin(false, under_way);
            episode.sent_again(at(200));
            assert_eq!(episode.was_needless(Undo::Eifel, at(150), false), needless);
        }
    }
}
