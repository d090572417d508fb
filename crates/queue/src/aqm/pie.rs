//! PIE (Proportional Integral controller Enhanced): packets are dropped or marked at random on arrival, with a probability that a controller moves until the
//! delay is what it should be.
//!
//! Source: RFC 8033, sections 4 and 5: the pseudocode of appendix A, with sections 5.1 (marks), 5.2 (the rate of departures), 5.4 (fewer random drops close
//! together) and 5.5 (the largest step) as parameters.
//!
//! Deviations:
//! - Appendix A draws a number for each arrival and appendix B first tests the burst allowance last; the allowance is tested first, as in appendix A, so
//!   that nothing is accumulated meanwhile.
//! - After a packet was marked the accumulated probability is zero, as after a drop; appendix B says nothing of it, and Linux does not reset it.
//! - Packets are counted as waiting with appendix A's two mean packets by what waits before the arrival.
//! - The controller runs at multiples of `update` from the start on; it rests while all queues are empty and nothing would change (`parts/step_clock.rs`).
//! - Section 5.3 (turning PIE off while the queue is short) is left out, as in Linux. Linux's `boost` is a parameter, off by default.
//! - Each queue of a scheduler has a probability of its own.
//!
//! State per queue: 96 bytes. A queue is forgotten when its probability, its delays and its allowance are zero.

use super::{Aqm, Queue, Verdict};
use crate::parts::{Awake, DelayGauge, Estimate, StepClock};
use crate::{Backlog, Cx, Does, DropReason, LinkInfo, Look, Number, Tell};
use headgate_packet::check::above_zero;
use headgate_packet::{Bytes, Card, Check, Duration, FlowId, Memory, Packet, Time, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// PIE: random drops on arrival that keep to a delay. Packets are dropped or marked at random on arrival, with a probability that a controller moves
/// until the delay is what it should be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PieParams {
    /// Delay that is to be held, on average.
    pub target: Duration,
    /// Time from one step of the controller to the next.
    pub update: Duration,
    /// How much probability a second of delay above the target adds in each step.
    #[schemars(range(min = 0.0, max = 1_000_000.0))]
    pub alpha: f64,
    /// How much probability a second of growth of the delay since the last step adds.
    #[schemars(range(min = 0.0, max = 1_000_000.0))]
    pub beta: f64,
    /// Time for which nothing is dropped after the queue was quiet.
    pub max_burst: Duration,
    /// Nothing is dropped while no more than two of these wait in the queue.
    pub mean_packet: Bytes,
    /// How the delay is found.
    pub estimate: Estimate,
    /// No packet is dropped soon after another one, and one is dropped for certain after many that were not (section 5.4).
    pub derandomise: bool,
    /// Largest step of a probability that is 0.1 or more, upwards (section 5.5).
    #[schemars(range(min = 0.0, max = 1.0))]
    pub max_step: f64,
    /// Part of the probability that each step leaves while the delay is zero.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub decay: f64,
    /// Delay above which each step adds 0.02, as in Linux with 250 ms; not at all without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub boost: Option<Duration>,
    /// Marks packets of flows that understand marks instead of dropping them, while the probability is below `mark_threshold`.
    pub mark: bool,
    /// Probability from which on packets are dropped that could be marked.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub mark_threshold: f64,
}

impl Default for PieParams {
    fn default() -> PieParams {
        let ms = Duration::from_millis;
        PieParams {
            target: ms(15),
            update: ms(15),
            alpha: 0.125,
            beta: 1.25,
            max_burst: ms(150),
            mean_packet: Bytes(1500),
            estimate: Estimate::Timestamp,
            derandomise: false,
            max_step: 0.02,
            decay: 0.98,
            boost: None,
            mark: false,
            mark_threshold: 0.1,
        }
    }
}

impl Check for PieParams {
    fn check(&self) -> Result<(), Wrong> {
        above_zero("target", self.target)?;
        above_zero("update", self.update)
    }
}

impl PieParams {
    /// What is left of it with these parameters.
    pub(crate) fn decides(&self, does: Does) -> Does {
        Does { marks: self.mark, ..does }
    }
}

/// Accumulated probability below which nothing is dropped, and from which on a packet is dropped for certain (section 5.4).
const ACCUMULATED: [f64; 2] = [0.85, 8.5];

/// PIE.
#[derive(Clone, Debug)]
pub struct Pie {
    params: PieParams,
    queues: Vec<State>,
    awake: Awake,
    clock: StepClock,
}

/// What PIE knows of a queue; the RFC's names are given.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct State {
    gauge: DelayGauge,
    /// `drop_prob_`.
    probability: f64,
    /// `qdelay_old_`, in seconds.
    before: f64,
    /// `burst_allowance_`, in seconds.
    allowance: f64,
    /// `accu_prob`.
    accumulated: f64,
}

impl State {
    /// A new queue: its burst allowance is whole.
    fn new(params: &PieParams) -> State {
        State { allowance: params.max_burst.as_secs_f64(), ..State::default() }
    }

    /// Whether a step of the controller changes nothing, of a queue that is empty.
    fn rests(&self) -> bool {
        self.probability == 0.0 && self.before == 0.0 && self.allowance == 0.0 && self.gauge.is_idle()
    }

    /// A step of the controller: `calculate_drop_prob` (sections 4.2 and 5.5, appendix A).
    fn step(&mut self, delay: f64, params: &PieParams) {
        let target = params.target.as_secs_f64();
        let mut more = params.alpha * (delay - target) + params.beta * (delay - self.before);
        more /= scale(self.probability);
        if self.probability >= 0.1 {
            more = more.min(params.max_step);
        }
        if params.boost.is_some_and(|boost| delay > boost.as_secs_f64()) {
            more += 0.02;
        }
        self.probability += more;
        if delay == 0.0 && self.before == 0.0 {
            self.probability *= params.decay;
        }
        self.probability = self.probability.clamp(0.0, 1.0);
        self.before = delay;
        self.allowance = (self.allowance - params.update.as_secs_f64()).max(0.0);
    }

    /// The probability with which a packet is chosen that finds this: zero where nothing is dropped.
    #[inline]
    fn chance(&self, waiting: Backlog, params: &PieParams) -> f64 {
        let allowance = self.allowance > 0.0 || params.max_burst > Duration::ZERO && self.is_quiet(waiting, params);
        let short = waiting.bytes <= params.mean_packet.0.saturating_mul(2);
        if allowance || short || self.probability < 0.2 && self.before < half(params) { 0.0 } else { self.probability }
    }

    /// Section 4.4: the burst allowance is whole again.
    #[inline]
    fn is_quiet(&self, waiting: Backlog, params: &PieParams) -> bool {
        let quiet = |delay| delay < half(params);
        self.probability == 0.0 && quiet(self.before) && quiet(self.gauge.delay(waiting, params.estimate))
    }

    /// Whether a packet is chosen that arrives (appendix A; with `derandomise` appendix B).
    #[inline]
    fn chosen(&mut self, waiting: Backlog, params: &PieParams, uniform: impl FnOnce() -> f64) -> bool {
        if self.probability == 0.0 {
            if self.is_quiet(waiting, params) {
                self.allowance = params.max_burst.as_secs_f64();
            }
            self.accumulated = 0.0;
            return false;
        }
        let chance = self.chance(waiting, params);
        if chance == 0.0 {
            return false;
        }
        if !params.derandomise {
            return uniform() < chance;
        }
        self.accumulated += chance;
        let [never, always] = ACCUMULATED;
        let chosen = self.accumulated >= never && (self.accumulated >= always || uniform() < chance);
        if chosen {
            self.accumulated = 0.0;
        }
        chosen
    }
}

/// Half of the delay that is to be held, in seconds.
#[inline]
fn half(params: &PieParams) -> f64 {
    params.target.as_secs_f64() / 2.0
}

/// By what the steps of a probability are divided (section 4.2).
fn scale(probability: f64) -> f64 {
    const SCALES: [(f64, f64); 6] = [(1e-6, 2048.0), (1e-5, 512.0), (1e-4, 128.0), (1e-3, 32.0), (1e-2, 8.0), (1e-1, 2.0)];
    SCALES.iter().find(|(below, _)| probability < *below).map_or(1.0, |(_, by)| *by)
}

impl Pie {
    /// What it says of itself.
    pub const CARD: Card = Card {
        examples: &[r#"{"target": "30ms"}"#, r#"{"target": "30ms", "derandomise": true}"#],
        main: &["target", "update", "mark"],
        says: &[include_str!("pie.says")],
        remembers: &[
            Memory::of(
                "as without it, and the probability with which its packets are dropped",
                "when that is zero and the burst allowance is spent; with `estimate = \"departure_rate\"` never, once a rate was measured",
            ),
        ],
        ..Card::of("RFC 8033")
    };

    /// No queue yet.
    pub fn new(params: &PieParams, _link: &LinkInfo) -> Pie {
        Pie { params: params.clone(), queues: Vec::new(), awake: Awake::default(), clock: StepClock::default() }
    }
}

impl Aqm for Pie {
    const DOES: Does = Does { marks: true, ..Does::NOTHING };
    const DROPS_AT_RANDOM: bool = true;

    fn on_link_change(&mut self, _link: &LinkInfo, queues: &[Backlog], _now: Time) {
        self.queues.resize(queues.len(), State::new(&self.params));
        self.awake.resize(queues.len());
    }

    #[inline(always)]
    fn on_arrival(&mut self, packet: &Packet, queue: Queue, cx: &mut Cx<'_>) -> Verdict {
        let Pie { params, queues, awake, clock } = self;
        clock.on_packet(cx.now, params.update);
        awake.wake(queue.number);
        let state = &mut queues[queue.number];
        if !state.chosen(queue.waiting, params, || cx.rng.uniform()) {
            Verdict::Pass
        } else if params.mark && packet.ecn.is_capable() && state.probability < params.mark_threshold {
            Verdict::Mark
        } else {
            Verdict::Drop(DropReason::Random)
        }
    }

    fn on_refused(&mut self, queue: usize) {
        self.queues[queue].accumulated = 0.0;
    }

    #[inline(always)]
    fn on_departure(&mut self, packet: &Packet, queue: Queue, cx: &mut Cx<'_>) -> Verdict {
        self.clock.on_packet(cx.now, self.params.update);
        self.queues[queue.number].gauge.on_departure(packet, queue.waiting, self.params.estimate, cx.now);
        Verdict::Pass
    }

    fn timeout(&self) -> Option<Time> {
        self.clock.due()
    }

    fn on_timeout(&mut self, queues: &[Backlog], now: Time) {
        let Pie { params, queues: states, awake, .. } = self;
        awake.step(|queue| {
            let (state, waiting) = (&mut states[queue], queues[queue]);
            if waiting.packets == 0 {
                if state.rests() {
                    return false;
                }
                state.gauge.on_empty();
            }
            state.step(state.gauge.delay(waiting, params.estimate), params);
            waiting.packets > 0 || !state.rests()
        });
        let rests = self.awake.is_empty();
        self.clock.on_step(now, self.params.update, rests);
    }

    fn has_forgotten(&self, _flow: FlowId, own: Option<usize>, _now: Time) -> bool {
        // Its first arrival makes the allowance whole, as that of a new queue is.
        own.is_none_or(|queue| {
            let state = self.queues[queue];
            let new = State { accumulated: state.accumulated, ..State::default() };
            state == new || state == State::new(&self.params)
        })
    }

    fn probe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        if let Some(state) = self.queues.first() {
            sink("probability", state.probability);
            sink("burst_allowance", state.allowance);
        }
    }

    fn explain_arrival(&self, _packet: &Packet, queue: Queue, _look: &Look, tell: Tell<'_>) {
        let (state, params) = (&self.queues[queue.number], &self.params);
        let delay = state.gauge.delay(queue.waiting, params.estimate);
        let quiet = state.is_quiet(queue.waiting, params);
        tell(Number::Delay, delay);
        tell(Number::Target, params.target.as_secs_f64());
        tell(Number::Allowance, if quiet { params.max_burst.as_secs_f64() } else { state.allowance });
        tell(Number::BaseProbability, state.probability);
        let chance = state.chance(queue.waiting, params);
        if !params.derandomise {
            return tell(Number::Probability, chance);
        }
        let accumulated = if state.probability == 0.0 { 0.0 } else { state.accumulated } + chance;
        let [never, always] = ACCUMULATED;
        tell(Number::Accumulated, accumulated);
        let certain = accumulated >= always && chance > 0.0;
        tell(Number::Probability, if certain { 1.0 } else if accumulated < never { 0.0 } else { chance });
    }
}

#[cfg(test)]
mod tests;
