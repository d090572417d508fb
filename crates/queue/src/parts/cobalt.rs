//! COBALT: CoDel, whose rate of signals falls as it rose once packets no longer wait too long, and BLUE beside it for queues that do not answer.
//!
//! Source: Linux's `sch_cake`, `cobalt_should_drop` and what stands around it, whose names are given.
//!
//! Deviations: times are in picoseconds, and BLUE's probability is a number from 0 to 1.
//!
//! State: 48 bytes.

use super::{Blue, BlueSteps};
use headgate_packet::{Duration, Time};

/// What a queue is held to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CobaltRule {
    /// Time in the queue that is acceptable.
    pub target: Duration,
    /// How long packets must have waited too long before the first signal, and the time by which the pauses between signals are scaled.
    pub interval: Duration,
    /// Transmission time of the longest packet.
    pub packet_time: Duration,
    /// Steps of BLUE's probability.
    pub blue: BlueSteps,
}

impl CobaltRule {
    /// The time in the queue that is acceptable where this number of queues with a standing backlog share the line; 0 of them if that does not matter.
    pub fn acceptable(&self, bulk: u32) -> Duration {
        self.target.max(self.packet_time * 4).max(self.packet_time * (2 * u64::from(bulk)))
    }

    /// Whether a packet waited longer than that.
    pub fn is_exceeded(&self, sojourn: Duration, bulk: u32) -> bool {
        sojourn > self.acceptable(bulk)
    }
}

/// What chooses a packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Chosen {
    /// CoDel: it is marked, or dropped if it cannot be marked.
    pub signal: bool,
    /// BLUE: it is dropped.
    pub lottery: bool,
}

/// COBALT's state of a queue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cobalt {
    /// `count`: the rate of signals is proportional to its square root.
    count: u32,
    /// `rec_inv_sqrt`: the reciprocal of that root, in units of 2^-32.
    root: u32,
    /// `drop_next`: when the next signal is due; with a count of zero, until when the queue counts as active.
    drop_next: Time,
    /// `dropping`: the last packet had waited too long.
    dropping: bool,
    blue: Blue,
}

/// The roots of small counts. One step of Newton's method does not suffice there.
const ROOTS: [u32; 16] = roots();

const fn roots() -> [u32; 16] {
    let (mut all, mut root, mut count) = ([u32::MAX; 16], u32::MAX, 1);
    while count < 16 {
        let mut step = 0;
        while step < 4 {
            root = newton(root, count);
            step += 1;
        }
        all[count as usize] = root;
        count += 1;
    }
    all
}

/// A step of Newton's method towards the reciprocal of the root of `count`: x (3 - count x^2) / 2.
const fn newton(root: u32, count: u32) -> u32 {
    let square = (root as u64 * root as u64) >> 32;
    let three = (3u64 << 32).saturating_sub(count as u64 * square);
    (((three >> 2) * root as u64) >> 31) as u32
}

impl Cobalt {
    /// Sentences to what it chose.
    pub const SAYS: &str = include_str!("cobalt.says");

    /// That of a new queue. `at_once`: without a first pause, as in the kernel's text, where the root begins at zero.
    pub fn new(at_once: bool) -> Cobalt {
        let root = if at_once { 0 } else { u32::MAX };
        Cobalt { count: 0, root, drop_next: Time::ZERO, dropping: false, blue: Blue::default() }
    }

    /// The count, which is zero while the queue does not have to be signalled.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// When the next signal is due, if any will be.
    pub fn next_signal(&self) -> Option<Time> {
        if self.count > 0 { Some(self.drop_next) } else { None }
    }

    /// The probability with which BLUE drops.
    pub fn probability(&self) -> f64 {
        self.blue.probability()
    }

    /// `cobalt_control`.
    fn pause(&self, rule: &CobaltRule) -> Duration {
        Duration::from_ps(((u128::from(rule.interval.as_ps()) * u128::from(self.root)) >> 32) as u64)
    }

    /// The count is another one, and the next signal is due a pause later.
    fn step(&mut self, count: u32, rule: &CobaltRule) {
        self.count = count;
        self.root = ROOTS.get(count as usize).copied().unwrap_or_else(|| newton(self.root, count));
        self.drop_next += self.pause(rule);
    }

    fn is_due(&self, now: Time) -> bool {
        self.count > 0 && now >= self.drop_next
    }

    /// `cobalt_should_drop`: what chooses a packet that leaves after this time in the queue. `marks`: a signal is a mark.
    pub fn decide(
        &mut self,
        now: Time,
        sojourn: Duration,
        bulk: u32,
        marks: bool,
        rule: &CobaltRule,
        uniform: impl FnOnce() -> f64,
    ) -> Chosen {
        let (due, mut late) = (self.is_due(now), now > self.drop_next);
        if rule.is_exceeded(sojourn, bulk) {
            if !self.dropping {
                self.dropping = true;
                self.drop_next = now + self.pause(rule);
            }
            self.count = self.count.max(1);
        } else {
            self.dropping = false;
        }
        let signal = due && self.dropping;
        if signal {
            self.step(self.count.saturating_add(1), rule);
            late = now > self.drop_next;
        } else if due {
            self.fall(now, rule);
            late = now > self.drop_next;
        }
        let lottery = self.probability() > 0.0 && uniform() < self.probability();
        if self.count == 0 {
            self.drop_next = now + rule.interval;
        } else if late && !lottery && (!signal || marks) {
            self.drop_next = now;
        }
        Chosen { signal, lottery }
    }

    /// The rate of signals falls as far as it would have risen.
    fn fall(&mut self, now: Time, rule: &CobaltRule) {
        while self.is_due(now) {
            self.step(self.count - 1, rule);
        }
    }

    /// `cobalt_queue_full`: a packet was dropped because the buffer is full.
    pub fn on_full(&mut self, now: Time, rule: &CobaltRule) {
        self.blue.raise(now, &rule.blue);
        (self.dropping, self.drop_next, self.count) = (true, now, self.count.max(1));
    }

    /// `cobalt_queue_empty`: the queue was to be served, and was found empty.
    pub fn on_empty(&mut self, now: Time, rule: &CobaltRule) {
        self.blue.lower(now, &rule.blue);
        self.dropping = false;
        if self.is_due(now) {
            self.step(self.count - 1, rule);
        }
    }

    /// The queue was empty from a time on until now: as if it had been asked all the while.
    pub fn rest(&mut self, since: Time, now: Time, rule: &CobaltRule) {
        self.blue.rest(since, now, &rule.blue);
        self.dropping = false;
        self.fall(now, rule);
    }

    /// Whether nothing would change any more in an empty queue.
    pub fn is_at_rest(&self, now: Time) -> bool {
        self.count == 0 && self.probability() == 0.0 && now >= self.drop_next
    }

    /// Whether it is as a new one from now on.
    pub fn is_new(&self, now: Time, at_once: bool, rule: &CobaltRule) -> bool {
        let start = Cobalt::new(at_once);
        let codel = (self.count, self.root, self.dropping) == (start.count, start.root, start.dropping);
        codel && now > self.drop_next && self.blue.is_new(now, &rule.blue)
    }
}

#[cfg(test)]
mod tests;
