//! Whether the network carries a layer: the one branch of its multicast tree, on which joins and leaves take effect after a time.

use headgate_packet::{Duration, Time};

/// A layer flows from the time at which its join takes effect until the time at which its leave does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Branch {
    from: Time,
    until: Time,
}

impl Branch {
    /// One that nobody has joined.
    pub const CLOSED: Branch = Branch { from: Time::NEVER, until: Time::NEVER };

    /// The receiver joins; a layer that is still sent continues.
    pub fn join(&mut self, now: Time, latency: Duration) {
        let from = if self.flows(now) { now } else { now + latency };
        *self = Branch { from, until: Time::NEVER };
    }

    /// The receiver leaves.
    pub fn leave(&mut self, now: Time, latency: Duration) {
        self.until = now + latency;
    }

    /// Whether packets of the layer enter the network now.
    #[inline]
    pub fn flows(&self, now: Time) -> bool {
        self.from <= now && now < self.until
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn s(s: u64) -> Time {
        Time::ZERO + Duration::from_secs(s)
    }

    #[test]
    fn joins_and_leaves_take_effect_after_their_latency() {
        let (graft, prune) = (Duration::from_secs(2), Duration::from_secs(3));
        let mut branch = Branch::CLOSED;
        assert!(!branch.flows(s(0)));
        branch.join(s(10), graft);
        assert_eq!([11, 12, 99].map(|t| branch.flows(s(t))), [false, true, true]);
        branch.leave(s(20), prune);
        assert_eq!([20, 22, 23].map(|t| branch.flows(s(t))), [true, true, false]);
        branch.join(s(21), graft);
        assert_eq!([21, 23, 50].map(|t| branch.flows(s(t))), [true; 3], "it was still sent, and continues");
        branch.leave(s(50), prune);
        branch.join(s(53), graft);
        assert_eq!([53, 54, 55].map(|t| branch.flows(s(t))), [false, false, true], "it had ended");
        branch.leave(s(53), prune);
        assert_eq!([54, 55, 56].map(|t| branch.flows(s(t))), [false, true, false], "the join was on its way");
    }
}
