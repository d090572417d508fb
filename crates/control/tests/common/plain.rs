//! The transport's sender with the rules of a protocol from before 1990, driven as a source drives it.

use headgate_control::transport::basic::{Averages, Progress, Rules, Sender};
use headgate_control::transport::{Clock, Retransmit};
use headgate_control::{LossKind, Spec};
use headgate_packet::{Duration, Time};
use std::sync::Arc;

/// The rules of `generic`: the average round trip starts at 1.5 s and has a gain of 1/4, and the timeout is twice the average.
pub fn rules() -> Rules {
    **Spec::default_of("generic").expect("in the list").transport().basic_rules().expect("it is of that time")
}

/// The same with another clock.
pub fn clock(clock: Clock) -> Rules {
    Rules { averages: Averages { clock, ..rules().averages }, ..rules() }
}

/// The same with another recovery.
pub fn retransmit(retransmit: Retransmit) -> Rules {
    Rules { retransmit, ..rules() }
}

/// A sender whose losses are answered at once, by a protocol that changes nothing.
pub struct Source(pub Sender);

impl Source {
    pub fn new(rules: &Rules) -> Source {
        let mut sender = Sender::new(&Arc::new(*rules));
        sender.supply(u64::MAX);
        Source(sender)
    }

    pub fn poll(&mut self, window: u64, now: Time) -> Option<(u64, bool)> {
        self.0.poll(window, now)
    }

    pub fn on_ack(&mut self, cumulative: u64, now: Time, rtts: &mut impl FnMut(Duration)) -> Progress {
        let p = self.0.on_ack(cumulative, now, rtts);
        if p.loss.is_some() {
            self.0.enter_recovery();
        }
        p
    }

    /// Whether duplicates showed a loss.
    pub fn is_lost(p: &Progress) -> bool {
        p.loss == Some(LossKind::DuplicateAcks)
    }

    /// True if the timer had run out.
    pub fn on_timeout(&mut self, now: Time) -> bool {
        let p = self.0.on_timeout(now);
        assert_eq!(p.loss.is_some(), !p.stale);
        !p.stale
    }

    pub fn timeout(&self) -> Option<Time> {
        Some(self.0.timeout()).filter(|at| *at != Time::NEVER)
    }
}
