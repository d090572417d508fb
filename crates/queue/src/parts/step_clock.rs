//! The clock of a controller that takes a step at each multiple of a time, and rests while nothing would change.
//!
//! Source: none; RFC 8033, section 4.2, and RFC 9332, appendix A, have a timer that never ends.
//!
//! Deviations:
//! - It rests once the controller says that no step changes anything, and after [`MOST`] steps without a packet that arrives or leaves, which are
//!   more than any line takes for a packet that is in use. The next packet starts it again, at the next multiple.

use headgate_packet::{Duration, Time};

/// Steps after the last packet that arrived or left.
const MOST: u32 = 10_000;

/// The clock of a controller.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StepClock {
    due: Option<Time>,
    /// Steps since the last packet.
    steps: u32,
}

impl StepClock {
    /// When the next step is due; nothing while it rests.
    #[inline]
    pub fn due(&self) -> Option<Time> {
        self.due
    }

    /// A packet arrives or leaves.
    #[inline]
    pub fn on_packet(&mut self, now: Time, update: Duration) {
        self.steps = 0;
        if self.due.is_none() {
            self.due = next_multiple(now, update);
        }
    }

    /// A step was taken, after which the controller rests or not.
    pub fn on_step(&mut self, now: Time, update: Duration, rests: bool) {
        self.steps += 1;
        self.due = if rests || self.steps >= MOST { None } else { next_multiple(now, update) };
    }
}

/// The first multiple of a time after `now`; nothing beyond the end of time.
fn next_multiple(now: Time, update: Duration) -> Option<Time> {
    let update = update.as_ps();
    (now.as_ps() / update).checked_add(1)?.checked_mul(update).filter(|at| *at < Time::NEVER.as_ps()).map(Time::from_ps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_at_multiples_and_end() {
        let (mut clock, update) = (StepClock::default(), Duration::from_millis(15));
        let at = |ms| Time::ZERO + Duration::from_millis(ms);
        assert_eq!(clock.due(), None);
        clock.on_packet(at(20), update);
        assert_eq!(clock.due(), Some(at(30)));
        clock.on_step(at(30), update, false);
        clock.on_packet(at(31), update);
        assert_eq!(clock.due(), Some(at(45)));
        clock.on_step(at(45), update, true);
        assert_eq!(clock.due(), None);
        // A packet at a multiple waits for the next one.
        clock.on_packet(at(60), update);
        assert_eq!(clock.due(), Some(at(75)));
        let mut taken = 0;
        while let Some(due) = clock.due() {
            clock.on_step(due, update, false);
            taken += 1;
        }
        assert_eq!(taken, MOST);
        clock.on_packet(Time::from_ps(u64::MAX - 1), update);
        assert_eq!(clock.due(), None, "beyond the end of time");
    }
}
