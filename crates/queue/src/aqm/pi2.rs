//! PI2: packets are dropped or marked as they leave, with the square of a probability that a controller moves until the delay is what it should be.
//!
//! Source: RFC 9332, appendix A: the AQM of the Classic queue (figures 6 and 7) with one queue, and its coupling for packets with ECT(1) in the same queue, as in
//! De Schepper et al. 2016.
//!
//! Deviations:
//! - The delay of a step is the time that the last packet waited, and that of an empty queue zero. RFC 9332 takes the age of the packet at the head.
//! - The controller runs at multiples of `update` from the start on; it rests while all queues are empty and nothing would change (`parts/step_clock.rs`).
//! - There is no fall-back to drops where marks do not help: packets with ECT(1) are marked with a probability of up to 1.
//!
//! State per queue: 72 bytes. A queue is forgotten when its probability and its delays are zero.

use super::{Aqm, Queue, Verdict};
use crate::parts::{Awake, DelayGauge, Estimate, Pi, PiGains, StepClock};
use crate::{Backlog, Cx, Does, DropReason, LinkInfo, Look, Number, Tell};
use headgate_packet::{Card, Check, Duration, Ecn, FlowId, Memory, Packet, Time, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// PI2: random drops on leaving that keep to a delay. Packets are dropped or marked as they leave, with the square of a probability that a controller
/// moves until the delay is what it should be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Pi2Params {
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
    /// Marks packets of flows that understand marks instead of dropping them.
    pub mark: bool,
    /// With `mark`, packets with ECT(1) are marked with the probability itself times this, not with its square; 0 treats them like the others.
    #[schemars(range(min = 0.0, max = 255.0))]
    pub coupling: f64,
}

impl Default for Pi2Params {
    fn default() -> Pi2Params {
        let ms = Duration::from_millis;
        Pi2Params { target: ms(15), update: ms(16), alpha: 0.16, beta: 3.2, mark: false, coupling: 2.0 }
    }
}

impl Pi2Params {
    /// What is left of it with these parameters.
    pub(crate) fn decides(&self, does: Does) -> Does {
        Does { marks: self.mark, ..does }
    }

    /// The gains of the controller.
    fn gains(&self) -> PiGains {
        PiGains { target: self.target, update: self.update, alpha: self.alpha, beta: self.beta }
    }
}

impl Check for Pi2Params {
    fn check(&self) -> Result<(), Wrong> {
        self.gains().check()
    }
}

/// PI2.
#[derive(Clone, Debug)]
pub struct Pi2 {
    params: Pi2Params,
    queues: Vec<State>,
    awake: Awake,
    clock: StepClock,
}

/// What PI2 knows of a queue.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct State {
    gauge: DelayGauge,
    pi: Pi,
}

impl State {
    /// Whether a step of the controller changes nothing, of a queue that is empty.
    fn rests(&self) -> bool {
        *self == State::default()
    }
}

impl Pi2 {
    /// What it says of itself.
    pub const CARD: Card = Card {
        examples: &[r#"{"target": "30ms"}"#],
        main: &["target", "update", "mark"],
        says: &[include_str!("pi2.says")],
        remembers: &[
            Memory::of("as without it, and the probability with which its packets are dropped", "when that is zero"),
        ],
        ..Card::of("RFC 9332, appendix A")
    };

    /// No queue yet.
    pub fn new(params: &Pi2Params, _link: &LinkInfo) -> Pi2 {
        Pi2 { params: params.clone(), queues: Vec::new(), awake: Awake::default(), clock: StepClock::default() }
    }

    /// The probability with which a packet is chosen.
    fn chance(&self, packet: &Packet, queue: usize) -> f64 {
        let Pi2Params { mark, coupling, .. } = self.params;
        let p = self.queues[queue].pi.probability;
        if mark && coupling > 0.0 && packet.ecn == Ecn::Ect1 { (coupling * p).min(1.0) } else { p * p }
    }
}

impl Aqm for Pi2 {
    const DOES: Does = Does { marks: true, ..Does::NOTHING };
    const DROPS_AT_RANDOM: bool = true;
    const DROPS_ON_DEPARTURE: bool = true;

    fn on_link_change(&mut self, _link: &LinkInfo, queues: &[Backlog], _now: Time) {
        self.queues.resize(queues.len(), State::default());
        self.awake.resize(queues.len());
    }

    #[inline]
    fn on_arrival(&mut self, _packet: &Packet, queue: Queue, cx: &mut Cx<'_>) -> Verdict {
        self.clock.on_packet(cx.now, self.params.update);
        self.awake.wake(queue.number);
        Verdict::Pass
    }

    #[inline]
    fn on_departure(&mut self, packet: &Packet, queue: Queue, cx: &mut Cx<'_>) -> Verdict {
        self.clock.on_packet(cx.now, self.params.update);
        self.queues[queue.number].gauge.on_departure(packet, queue.waiting, Estimate::Timestamp, cx.now);
        let chance = self.chance(packet, queue.number);
        if chance == 0.0 || cx.rng.uniform() >= chance {
            Verdict::Pass
        } else if self.params.mark && packet.ecn.is_capable() {
            Verdict::Mark
        } else {
            Verdict::Drop(DropReason::Random)
        }
    }

    fn timeout(&self) -> Option<Time> {
        self.clock.due()
    }

    fn on_timeout(&mut self, queues: &[Backlog], now: Time) {
        let (gains, states) = (self.params.gains(), &mut self.queues);
        self.awake.step(|queue| {
            let (state, waiting) = (&mut states[queue], queues[queue]);
            if waiting.packets == 0 {
                state.gauge.on_empty();
                if state.rests() {
                    return false;
                }
            }
            state.pi.step(state.gauge.delay(waiting, Estimate::Timestamp), &gains);
            waiting.packets > 0 || !state.rests()
        });
        let rests = self.awake.is_empty();
        self.clock.on_step(now, self.params.update, rests);
    }

    fn has_forgotten(&self, _flow: FlowId, own: Option<usize>, _now: Time) -> bool {
        own.is_none_or(|queue| self.queues[queue].rests())
    }

    fn probe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        if let Some(state) = self.queues.first() {
            sink("probability", state.pi.probability);
        }
    }

    /// It decides nothing then.
    fn explain_arrival(&self, _packet: &Packet, _queue: Queue, _look: &Look, _tell: Tell<'_>) {}

    fn explain_departure(&self, packet: &Packet, queue: Queue, look: &Look, tell: Tell<'_>) {
        tell(Number::Sojourn, look.now.since(packet.arrived).as_secs_f64());
        tell(Number::Target, self.params.target.as_secs_f64());
        tell(Number::BaseProbability, self.queues[queue.number].pi.probability);
        tell(Number::Probability, self.chance(packet, queue.number));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use headgate_packet::Rng;

    fn made(params: Pi2Params, probability: f64) -> Pi2 {
        let state = State { pi: Pi { probability, before: 0.0 }, ..State::default() };
        let mut awake = Awake::default();
        awake.resize(1);
        awake.wake(0);
        Pi2 { params, queues: vec![state], awake, clock: StepClock::default() }
    }

    #[test]
    fn the_probability_is_squared_but_for_scalable_flows_that_are_marked() {
        let chance = |mark, coupling, p, ecn| {
            made(Pi2Params { mark, coupling, ..Pi2Params::default() }, p)
                .chance(&Packet { ecn, ..Packet::default() }, 0)
        };
        for ecn in [Ecn::NotEct, Ecn::Ect0, Ecn::Ect1, Ecn::Ce] {
            assert_eq!(chance(false, 2.0, 0.25, ecn), 0.0625, "{ecn:?}");
            assert_eq!(chance(true, 0.0, 0.25, ecn), 0.0625, "{ecn:?}");
            assert_eq!(chance(true, 2.0, 0.25, ecn), if ecn == Ecn::Ect1 { 0.5 } else { 0.0625 }, "{ecn:?}");
        }
        assert_eq!(chance(true, 2.0, 0.75, Ecn::Ect1), 1.0);
    }

    #[test]
    fn it_steps_from_the_first_arrival_until_nothing_would_change() {
        let mut pi2 = made(Pi2Params::default(), 0.01);
        let (mut rng, mut dropped) = (Rng::new(1, 0, "test"), Vec::new());
        let queue = Queue { number: 0, waiting: Backlog::default(), port: Backlog::default() };
        let mut cx = Cx::new(Time::ZERO, &mut rng, &mut dropped);
        assert_eq!(pi2.timeout(), None);
        assert_eq!(pi2.on_arrival(&Packet::default(), queue, &mut cx), Verdict::Pass);
        assert_eq!(pi2.timeout(), Some(Time::ZERO + Duration::from_millis(16)));
        // The packet leaves after 8 ms, and the queue is empty: the time that it waited does not count.
        cx.now = Time::ZERO + Duration::from_millis(8);
        pi2.on_departure(&Packet::default(), queue, &mut cx);
        let mut steps = 0;
        while let Some(due) = pi2.timeout() {
            pi2.on_timeout(&[Backlog::default()], due);
            steps += 1;
            // Of 0.01 each step takes 0.16 of 15 ms, 0.0024: nothing is left after five.
            let left = (0.01 - 0.0024 * f64::from(steps)).max(0.0);
            assert!((pi2.queues[0].pi.probability - left).abs() < 1e-12, "step {steps}");
        }
        assert!(pi2.queues[0].rests());
        assert_eq!(steps, 5);
    }

    #[test]
    fn so_many_packets_are_chosen() {
        // At p' = 0.5 a quarter of 10000: within five standard deviations of 43.
        let mut pi2 = made(Pi2Params::default(), 0.5);
        let (mut rng, mut dropped) = (Rng::new(1, 0, "test"), Vec::new());
        let queue = Queue { number: 0, waiting: Backlog::default(), port: Backlog::default() };
        let mut cx = Cx::new(Time::ZERO, &mut rng, &mut dropped);
        let chosen = (0..10_000).filter(|_| pi2.on_departure(&Packet::default(), queue, &mut cx) != Verdict::Pass);
        let count = chosen.count() as f64;
        assert!((count - 2500.0).abs() < 215.0, "{count}");
    }
}
