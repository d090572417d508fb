//! The receiver's state machine: when it joins and leaves, from the losses that it sees.
//!
//! Source and deviations: see `rlm.rs`. Levels count from 1; the level is the number of layers joined.

use super::branch::Branch;
use super::{LEAST, MOST, RlmParams};
use headgate_packet::{Duration, Rng, Time};

/// The states of McCanne, Jacobson and Vetterli 1996, figure 5.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// Losses mean something, and the receiver may join.
    Steady,
    /// A loss occurred that no experiment explains: others may pass before it counts.
    Hysteresis,
    /// Losses are counted.
    Measurement,
    /// A layer was left: what arrives now of its queue says nothing.
    Drop,
}

/// What the receiver keeps of a layer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layer {
    /// Its join timer, in s.
    pub timer: f64,
    /// Packets of it that arrived in the last whole second in which a packet of any layer arrived.
    pub rate: u32,
    pub branch: Branch,
    /// Packets in the present second.
    count: u32,
    /// When it was joined last; when by an experiment.
    added: Option<Time>,
    experiment: Option<Time>,
    /// Packets of it arrived since it was joined.
    delivers: bool,
    /// Number of the packet that follows; none before the first one since it was joined.
    expected: Option<u64>,
    /// One above the greatest number that ever arrived; bit `i` says that the packet `i` + 1 below it arrived.
    next: u64,
    seen: u64,
}

/// The receiver of a session.
#[derive(Clone, Debug)]
pub(crate) struct Receiver {
    params: RlmParams,
    rng: Rng,
    level: usize,
    state: State,
    /// Detection time and its deviation, in s.
    detection: (f64, f64),
    join_due: Time,
    detection_due: Time,
    /// Packets of all layers that arrived and that were lost, and how many when measuring began.
    counts: (u64, u64),
    measured_from: (u64, u64),
    /// The present second.
    second: u64,
    count: usize,
    layers: [Layer; MOST],
}

impl Receiver {
    pub fn new(params: &RlmParams, layers: u8, rng: Rng) -> Receiver {
        let layer = Layer {
            timer: params.join_timer.as_secs_f64(),
            rate: 0,
            branch: Branch::CLOSED,
            count: 0,
            added: None,
            experiment: None,
            delivers: false,
            expected: None,
            next: 0,
            seen: 0,
        };
        Receiver {
            params: params.clone(),
            rng,
            level: 0,
            state: State::Steady,
            detection: (params.detection_time.as_secs_f64(), params.detection_deviation.as_secs_f64()),
            join_due: Time::NEVER,
            detection_due: Time::NEVER,
            counts: (0, 0),
            measured_from: (0, 0),
            second: 0,
            count: usize::from(layers).clamp(1, MOST),
            layers: [layer; MOST],
        }
    }

    /// Layers joined; 0 before the start.
    pub fn level(&self) -> usize {
        self.level
    }

    /// The estimate of the detection time and its deviation, in s.
    pub fn detection(&self) -> (f64, f64) {
        self.detection
    }

    /// All layers.
    pub fn layers(&self) -> &[Layer] {
        &self.layers[..self.count]
    }

    /// Whether packets of a layer, from 0, enter the network now.
    #[inline]
    pub fn carries(&self, layer: u8, now: Time) -> bool {
        self.layers[usize::from(layer)].branch.flows(now)
    }

    /// When to call [`Receiver::on_timeout`].
    #[inline]
    pub fn timeout(&self) -> Time {
        self.join_due.min(self.detection_due)
    }

    /// The session begins: the lowest layer is joined, which is no experiment.
    pub fn start(&mut self, now: Time) {
        if self.level == 0 {
            self.join(now);
            self.arm_join(now);
        }
    }

    /// The session ends: nothing is joined and no timer runs any longer.
    pub fn stop(&mut self) {
        (self.join_due, self.detection_due) = (Time::NEVER, Time::NEVER);
        self.level = 0;
    }

    /// The packet with a number of a layer, from 0, arrived. Returns whether it had arrived before.
    pub fn on_packet(&mut self, layer: u8, number: u64, now: Time) -> bool {
        self.tick(now);
        let k = usize::from(layer);
        let joined = k < self.level;
        let l = &mut self.layers[k];
        if l.arrived_before(number) {
            return true;
        }
        l.count += 1;
        if !joined {
            return false;
        }
        l.delivers = true;
        let lost = l.expected.map_or(0, |expected| number.saturating_sub(expected));
        l.expected = Some(l.expected.map_or(number + 1, |expected| expected.max(number + 1)));
        self.counts.0 += 1;
        self.counts.1 += lost;
        if lost > 0 {
            self.on_loss(now);
        }
        false
    }

    /// Performs what is due.
    pub fn on_timeout(&mut self, now: Time) {
        while self.timeout() <= now {
            if self.join_due <= self.detection_due {
                self.join_due = Time::NEVER;
                self.on_join_timer(now);
            } else {
                self.detection_due = Time::NEVER;
                self.on_detection_timer(now);
            }
        }
    }

    fn on_loss(&mut self, now: Time) {
        match self.state {
            State::Hysteresis | State::Drop => {}
            State::Measurement => {
                let arrived = self.counts.0 - self.measured_from.0;
                let lost = (self.counts.1 - self.measured_from.1) as f64;
                let much = lost / (lost + arrived as f64) > self.params.loss_threshold;
                if arrived >= self.params.loss_packets && much {
                    self.leave_for_drop(now);
                }
            }
            State::Steady => {
                if let Some(level) = (1..=self.count).rev().find(|level| self.tries(*level, now)) {
                    self.back_off(level);
                    if level == self.level {
                        let joined = self.layer(level).experiment.expect("it is being tried");
                        self.sample(now.since(joined).as_secs_f64());
                        return self.leave_for_drop(now);
                    }
                    // The experiment of the layer above is as good as one of ours.
                    if level == self.level + 1 {
                        self.arm_join(now);
                    }
                }
                if self.is_recent(self.layer(self.level).added, now) { self.measure(now) } else { self.enter(State::Hysteresis, now) }
            }
        }
    }

    fn on_join_timer(&mut self, now: Time) {
        let tried = (1..=self.level).any(|level| self.tries(level, now));
        if self.state == State::Steady && !tried && self.level < self.count && self.delivers(now) {
            self.join(now);
            self.layers[self.level - 1].experiment = Some(now);
        }
        self.arm_join(now);
    }

    fn on_detection_timer(&mut self, now: Time) {
        match self.state {
            State::Hysteresis => self.measure(now),
            State::Drop | State::Measurement => self.enter(State::Steady, now),
            State::Steady => {
                let least = self.params.join_timer.as_secs_f64();
                let timer = &mut self.layers[self.level - 1].timer;
                *timer = (*timer * self.params.relax).max(least);
                self.enter(State::Steady, now);
            }
        }
    }

    fn layer(&self, level: usize) -> &Layer {
        &self.layers[level - 1]
    }

    /// Whether what was done at that time is likely to show now.
    fn is_recent(&self, at: Option<Time>, now: Time) -> bool {
        let (mean, deviation) = self.detection;
        at.is_some_and(|at| now < at + Duration::from_secs_f64(mean + 2.0 * deviation))
    }

    /// Whether an experiment with the layer is under way.
    fn tries(&self, level: usize, now: Time) -> bool {
        self.is_recent(self.layer(level).experiment, now)
    }

    /// Whether packets of the highest layer arrived since it was joined. If none did for longer than the detection time, that was too short.
    fn delivers(&mut self, now: Time) -> bool {
        let layer = self.layer(self.level);
        if layer.delivers {
            return true;
        }
        let waits = now.since(layer.added.expect("it is joined")).as_secs_f64();
        if waits > self.detection.0 {
            self.detection.0 = 1.2 * waits;
        }
        false
    }

    fn join(&mut self, now: Time) {
        self.level += 1;
        let layer = &mut self.layers[self.level - 1];
        (layer.added, layer.delivers, layer.expected) = (Some(now), false, None);
        layer.branch.join(now, self.params.join_latency);
    }

    /// Leaves the highest layer, unless it is the only one.
    fn leave_for_drop(&mut self, now: Time) {
        if self.level > 1 {
            self.layers[self.level - 1].branch.leave(now, self.params.leave_latency);
            self.level -= 1;
            // At the top no join timer ran.
            if self.join_due == Time::NEVER {
                self.arm_join(now);
            }
        }
        self.enter(State::Drop, now);
    }

    /// The experiment with a layer failed: it waits longer for the next one, and those above it at least as long.
    fn back_off(&mut self, level: usize) {
        let timer = (self.layer(level).timer * self.params.backoff).min(self.params.max_join_timer.as_secs_f64());
        self.layers[level - 1].timer = timer;
        for layer in &mut self.layers[level..self.count] {
            layer.timer = layer.timer.max(timer);
        }
    }

    /// A loss occurred so long after the join that caused it.
    fn sample(&mut self, time: f64) {
        let (mean, deviation) = self.detection;
        let gain = self.params.gain;
        let least = LEAST.as_secs_f64();
        self.detection =
            ((mean + gain * (time - mean)).max(least), deviation + gain * ((time - mean).abs() - deviation));
    }

    /// Sets the join timer: half the timer of the layer above, and a time that is exponentially distributed with it as the mean, at most four
    /// times it. At the top there is none.
    fn arm_join(&mut self, now: Time) {
        self.join_due = Time::NEVER;
        if self.level == self.count {
            return;
        }
        let mean = self.layers[self.level].timer;
        let random = loop {
            let drawn = self.rng.exponential_number(mean);
            if drawn < 4.0 * mean {
                break drawn;
            }
        };
        self.join_due = now + Duration::from_secs_f64(mean / 2.0 + random);
    }

    /// A state that lasts for the conservative detection time.
    fn enter(&mut self, state: State, now: Time) {
        self.state = state;
        self.arm_detection(now, 1.5);
    }

    /// The state that counts losses, which lasts longer with more layers.
    fn measure(&mut self, now: Time) {
        self.state = State::Measurement;
        self.measured_from = self.counts;
        self.arm_detection(now, self.level as f64 / 2.0 + 1.5);
    }

    fn arm_detection(&mut self, now: Time, deviations: f64) {
        let (mean, deviation) = self.detection;
        self.detection_due = now + Duration::from_secs_f64(mean + deviations * deviation);
    }

    /// Closes the second that is over, if it is.
    #[inline]
    fn tick(&mut self, now: Time) {
        let second = now.as_ps() / 1_000_000_000_000;
        if second != self.second {
            let follows = second == self.second + 1;
            for layer in &mut self.layers[..self.count] {
                layer.rate = if follows { layer.count } else { 0 };
                layer.count = 0;
            }
            self.second = second;
        }
    }
}

impl Layer {
    /// Takes note of a packet; returns whether it had arrived before. One that is more than 64 back is taken for a duplicate.
    fn arrived_before(&mut self, number: u64) -> bool {
        if number >= self.next {
            let step = number + 1 - self.next;
            self.seen = if step < 64 { self.seen << step } else { 0 } | 1;
            self.next = number + 1;
            return false;
        }
        let behind = self.next - 1 - number;
        let bit = if behind < 64 { 1 << behind } else { 0 };
        let before = bit == 0 || self.seen & bit != 0;
        self.seen |= bit;
        before
    }
}

#[cfg(test)]
#[path = "receiver_tests.rs"]
mod tests;
