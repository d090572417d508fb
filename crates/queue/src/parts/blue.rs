//! BLUE's probability: it rises when packets were lost, falls while nothing waits, and rests for some time after each step.
//!
//! Source: Feng, Kandlur, Saha and Shin 1999, CSE-TR-387-99; in Linux's `sch_cake` with the time between steps that is COBALT's target.
//!
//! Deviations:
//! - A queue that stays empty is found empty again after each pause, so that the probability falls all the while.
//!
//! State: 24 bytes.

use headgate_packet::{Duration, Time};

/// By how much the probability changes, and how long it rests.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlueSteps {
    /// What a loss adds.
    pub increment: f64,
    /// What an empty queue takes off.
    pub decrement: f64,
    /// A step follows the last one only after more than this.
    pub freeze: Duration,
}

/// The probability of a queue.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Blue {
    probability: f64,
    /// Time of the last step, if there was one.
    stepped: Option<Time>,
}

impl Blue {
    /// The probability with which a packet is chosen.
    #[inline]
    pub fn probability(&self) -> f64 {
        self.probability
    }

    /// Whether a step may follow the last one.
    fn may_step(&self, now: Time, freeze: Duration) -> bool {
        self.stepped.is_none_or(|last| now.since(last) > freeze)
    }

    /// A packet was lost, or the queue is too long.
    pub fn raise(&mut self, now: Time, steps: &BlueSteps) {
        if self.may_step(now, steps.freeze) {
            self.probability = (self.probability + steps.increment).min(1.0);
            self.stepped = Some(now);
        }
    }

    /// The queue is found empty.
    pub fn lower(&mut self, now: Time, steps: &BlueSteps) {
        if self.probability > 0.0 && self.may_step(now, steps.freeze) {
            self.probability = (self.probability - steps.decrement).max(0.0);
            self.stepped = Some(now);
        }
    }

    /// The queue was empty from a time on until now.
    pub fn rest(&mut self, since: Time, now: Time, steps: &BlueSteps) {
        let first = self.stepped.map_or(since, |last| since.max(last + steps.freeze));
        if self.probability == 0.0 || now <= first {
            return;
        }
        // As long as the freeze lasts, and no longer than until the probability is zero.
        let fit = now.since(first).as_ps().div_ceil(steps.freeze.as_ps().max(1));
        let due = if steps.decrement > 0.0 { (self.probability / steps.decrement).ceil() } else { f64::INFINITY };
        let taken = (fit as f64).min(due);
        self.probability = (self.probability - taken * steps.decrement).max(0.0);
        self.stepped = Some(first + steps.freeze * (taken as u64).saturating_sub(1));
    }

    /// Whether it is as that of a new queue from now on.
    pub fn is_new(&self, now: Time, steps: &BlueSteps) -> bool {
        self.probability == 0.0 && self.may_step(now, steps.freeze)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    const STEPS: BlueSteps = BlueSteps { increment: 0.25, decrement: 0.0625, freeze: Duration::from_millis(100) };

    #[test]
    fn steps_are_more_than_a_freeze_apart() {
        let mut blue = Blue::default();
        for (at, due) in [(0, 0.25), (1, 0.25), (100, 0.25), (101, 0.5), (202, 0.75), (303, 1.0), (404, 1.0)] {
            blue.raise(ms(at), &STEPS);
            assert_eq!(blue.probability(), due, "{at} ms");
        }
        for (at, due) in [(504, 1.0), (505, 0.9375), (600, 0.9375), (606, 0.875)] {
            blue.lower(ms(at), &STEPS);
            assert_eq!(blue.probability(), due, "{at} ms");
        }
    }

    #[test]
    fn an_empty_queue_is_asked_all_the_while() {
        // What `rest` gives at once is what the questions give one by one, and the next step comes at the same time.
        let mut start = Blue::default();
        start.raise(ms(1000), &STEPS);
        for (since, now) in [(1000, 1100), (1000, 1101), (1050, 1250), (1500, 1501), (1500, 1700), (1200, 3000)] {
            let (mut at_once, mut asked) = (start, start);
            at_once.rest(ms(since), ms(now), &STEPS);
            let first = since.max(1100) * 1_000_000_000 + 1;
            let mut t = first;
            while t <= ms(now).as_ps() {
                asked.lower(Time::from_ps(t), &STEPS);
                t += 100_000_000_001;
            }
            assert_eq!(at_once.probability(), asked.probability(), "{since} to {now}");
        }
        let mut blue = start;
        blue.rest(ms(1000), ms(1450), &STEPS);
        assert!(blue.probability() == 0.0 && !blue.is_new(ms(1500), &STEPS) && blue.is_new(ms(1501), &STEPS));
    }
}
