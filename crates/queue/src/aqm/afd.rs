//! Approximate Fair Dropping: packets of a conversation are dropped at random in proportion to what it sends above a fair share, which samples of the
//! packets that arrived show.
//!
//! Source: Pan, Breslau, Prabhakar and Shenker 2003, "Approximate fairness through differential dropping". The paper was not at hand: the law of the
//! fair share with its numbers (1.7, 1.8, 160 times a second) and the probability were read in two implementations that cite it; the rest is recalled.
//! - A shadow buffer holds the conversations of the last `samples` packets that were sampled, one in `sample_interval` on average. M_i of them are of
//!   conversation i.
//! - Its packets are dropped with probability 1 - M_fair / M_i, where M_i is above M_fair.
//! - M_fair follows the queue Q: at each step it becomes M_fair + alpha (Q_old - Q_target) - beta (Q - Q_target).
//!
//! Deviations:
//! - One AFD serves all queues of a port: Q is what waits in all of them, in packets, and packets are counted whatever their length.
//! - The size of the shadow buffer, the share that is sampled and the target are choices of ours, for a line of some 10 Mbit/s.
//! - A sample replaces the oldest one. A packet is judged by the samples of those before it.
//! - M_fair begins at the size of the shadow buffer, where nothing is dropped, and stays between zero and that.
//! - The steps rest while nothing waits and none would change anything.
//!
//! State per conversation: 4 bytes. It is forgotten when none of its packets is in the shadow buffer.

use super::{Aqm, Queue, Verdict};
use crate::explain::numbers;
use crate::parts::StepClock;
use crate::{Backlog, Cx, DropReason, LinkInfo, Look, Number, Tell};
use headgate_packet::check::above_zero;
use headgate_packet::{Card, Check, Duration, FlowId, Memory, Packet, Time, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Approximate Fair Dropping: random drops above a fair share. Packets are dropped at random in proportion to what their conversation sends above a
/// fair share.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AfdParams {
    /// Packets that wait at the port on average, if it is overloaded.
    #[schemars(range(min = 0, max = 1_000_000_000))]
    pub target_queue: u32,
    /// Samples that the shadow buffer holds.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub samples: u32,
    /// One packet in this many is sampled, on average.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub sample_interval: u32,
    /// Time from one step of the fair share to the next.
    pub update: Duration,
    /// Samples that each packet above the target at the step before adds to the fair share.
    #[schemars(range(min = 0.0, max = 1_000_000.0))]
    pub alpha: f64,
    /// Samples that each packet above the target takes off the fair share.
    #[schemars(range(min = 0.0, max = 1_000_000.0))]
    pub beta: f64,
}

impl Default for AfdParams {
    fn default() -> AfdParams {
        AfdParams {
            target_queue: 25,
            samples: 500,
            sample_interval: 5,
            update: Duration::from_ps(6_250_000_000),
            alpha: 1.7,
            beta: 1.8,
        }
    }
}

impl Check for AfdParams {
    fn check(&self) -> Result<(), Wrong> {
        above_zero("update", self.update)
    }
}

/// Approximate Fair Dropping.
#[derive(Clone, Debug)]
pub struct Afd {
    params: AfdParams,
    /// Conversations of the samples, of which the oldest one stands at `oldest` once there are as many as there is room for.
    shadow: Vec<FlowId>,
    oldest: usize,
    /// M_i: samples of each conversation.
    counts: Vec<u32>,
    /// M_fair.
    fair: f64,
    /// Q_old: packets that waited at the step before.
    before: u64,
    clock: StepClock,
}

numbers! {
    /// Samples in the shadow buffer that are of the packet's conversation.
    Samples("samples", None),
    /// Samples above which packets of a conversation are dropped.
    FairSamples("fair_samples", None),
}

impl Afd {
    /// What it says of itself.
    pub const CARD: Card = Card {
        examples: &[r#"{"samples": 12, "sample_interval": 1, "target_queue": 1}"#],
        main: &["update", "target_queue"],
        says: &[include_str!("afd.says")],
        remembers: &[Memory::of("its samples in the shadow buffer", "when later samples have replaced them")],
        ..Card::of("Pan, Breslau, Prabhakar and Shenker 2003")
    };

    /// No queue yet.
    pub fn new(params: &AfdParams, link: &LinkInfo) -> Afd {
        let (counts, fair) = (vec![0; link.flows], f64::from(params.samples));
        let params = params.clone();
        Afd { params, shadow: Vec::new(), oldest: 0, counts, fair, before: 0, clock: StepClock::default() }
    }

    /// The probability with which a packet of a conversation is dropped.
    fn chance(&self, flow: FlowId) -> f64 {
        let samples = f64::from(self.counts[flow.index()]);
        if samples > self.fair { 1.0 - self.fair / samples } else { 0.0 }
    }

    /// M_fair after a step that finds this many packets.
    fn stepped(&self, waiting: u64) -> f64 {
        let AfdParams { target_queue, samples, alpha, beta, .. } = self.params;
        let above = |packets: u64| packets as f64 - f64::from(target_queue);
        (self.fair + alpha * above(self.before) - beta * above(waiting)).clamp(0.0, f64::from(samples))
    }

    /// Puts a packet into the shadow buffer.
    fn sample(&mut self, flow: FlowId) {
        self.counts[flow.index()] += 1;
        if self.shadow.len() < self.params.samples as usize {
            return self.shadow.push(flow);
        }
        let gone = std::mem::replace(&mut self.shadow[self.oldest], flow);
        self.counts[gone.index()] -= 1;
        self.oldest = (self.oldest + 1) % self.shadow.len();
    }
}

impl Aqm for Afd {
    const NUMBERS: &'static [Number] = NUMBERS;
    const PER_CONVERSATION: bool = true;
    const DROPS_AT_RANDOM: bool = true;

    fn on_link_change(&mut self, link: &LinkInfo, _queues: &[Backlog], _now: Time) {
        self.counts.resize(link.flows, 0);
    }

    fn on_arrival(&mut self, packet: &Packet, _queue: Queue, cx: &mut Cx<'_>) -> Verdict {
        self.clock.on_packet(cx.now, self.params.update);
        let chance = self.chance(packet.flow);
        let dropped = chance > 0.0 && cx.rng.uniform() < chance;
        if cx.rng.below(u64::from(self.params.sample_interval)) == 0 {
            self.sample(packet.flow);
        }
        if dropped { Verdict::Drop(DropReason::Random) } else { Verdict::Pass }
    }

    fn on_departure(&mut self, _packet: &Packet, _queue: Queue, cx: &mut Cx<'_>) -> Verdict {
        self.clock.on_packet(cx.now, self.params.update);
        Verdict::Pass
    }

    fn timeout(&self) -> Option<Time> {
        self.clock.due()
    }

    fn on_timeout(&mut self, queues: &[Backlog], now: Time) {
        let waiting = queues.iter().map(|queue| queue.packets).sum();
        self.fair = self.stepped(waiting);
        self.before = waiting;
        let rests = waiting == 0 && self.stepped(0) == self.fair;
        self.clock.on_step(now, self.params.update, rests);
    }

    fn has_forgotten(&self, flow: FlowId, _own: Option<usize>, _now: Time) -> bool {
        self.counts[flow.index()] == 0
    }

    fn probe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        sink("fair_samples", self.fair);
    }

    fn explain_arrival(&self, packet: &Packet, _queue: Queue, _look: &Look, tell: Tell<'_>) {
        tell(Number::Samples, f64::from(self.counts[packet.flow.index()]));
        tell(Number::FairSamples, self.fair);
        tell(Number::Probability, self.chance(packet.flow));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use headgate_packet::{Rate, Rng};

    fn made(change: impl Fn(&mut AfdParams)) -> Afd {
        let mut params = AfdParams::default();
        change(&mut params);
        let link = LinkInfo { rate: Rate::from_bps(8_000).unwrap(), flows: 3, weights: vec![], hosts: vec![] };
        Afd::new(&params, &link)
    }

    #[test]
    fn the_fair_share_by_hand() {
        // M + 1.7 (Q_old - 25) - 1.8 (Q - 25), beginning with 500 and an empty queue.
        let mut afd = made(|_| ());
        let mut step = |packets: u64, at: u64| {
            // They wait in two queues.
            let queues = [packets / 3, packets - packets / 3].map(|packets| Backlog { packets, bytes: 0 });
            afd.on_timeout(&queues, Time::from_ps(at));
            (afd.fair * 1e6).round() / 1e6
        };
        // 500 - 42.5 - 135 = 322.5; then the queue stays at 100: 0.1 times 75 less each step.
        assert_eq!([100, 100, 100].map(|q| step(q, 1)), [322.5, 315.0, 307.5]);
        // 307.5 + 127.5 - 0 = 435 at the target, and from there on it stays.
        assert_eq!([25, 25, 25].map(|q| step(q, 2)), [435.0, 435.0, 435.0]);
        // An empty queue: 435 - 0 + 45, then 2.5 more each step, and no more than there are samples.
        assert_eq!([0, 0, 0].map(|q| step(q, 3)), [480.0, 482.5, 485.0]);
        assert_eq!([1000, 1000].map(|q| step(q, 4)), [0.0, 0.0]);
        assert_eq!([0, 0].map(|q| step(q, 5)), [500.0, 500.0]);
    }

    #[test]
    fn the_probability_by_hand() {
        let mut afd = made(|p| (p.samples, p.sample_interval) = (10, 1));
        for flow in [0, 0, 0, 0, 0, 0, 1, 1, 1, 2] {
            afd.sample(FlowId(flow));
        }
        afd.fair = 3.0;
        assert_eq!([0, 1, 2].map(|flow| afd.chance(FlowId(flow))), [0.5, 0.0, 0.0]);
        afd.fair = 1.5;
        assert_eq!([0, 1, 2].map(|flow| afd.chance(FlowId(flow))), [0.75, 0.5, 0.0]);
        afd.fair = 0.0;
        assert_eq!([0, 1, 2].map(|flow| afd.chance(FlowId(flow))), [1.0; 3]);
        // The oldest samples go first: six of conversation 0, then those of 1.
        (0..7).for_each(|_| afd.sample(FlowId(2)));
        assert_eq!(afd.counts, [0, 2, 8]);
        assert!(afd.has_forgotten(FlowId(0), None, Time::ZERO) && !afd.has_forgotten(FlowId(1), None, Time::ZERO));
        (0..5).for_each(|_| afd.sample(FlowId(0)));
        assert_eq!(afd.counts, [5, 0, 5]);
        // Without samples nothing is dropped, whatever the fair share.
        assert_eq!(afd.chance(FlowId(1)), 0.0);
    }

    #[test]
    fn one_of_so_many_packets_is_sampled_also_of_those_that_are_dropped() {
        for (interval, fair) in [(1, 500.0), (1, 0.0), (4, 500.0), (4, 0.0)] {
            let mut afd = made(|p| (p.samples, p.sample_interval) = (1_000_000, interval));
            afd.fair = fair;
            let (mut rng, mut dropped) = (Rng::new(1, 0, "afd"), Vec::new());
            let queue = Queue { number: 0, waiting: Backlog::default(), port: Backlog::default() };
            for _ in 0..40_000 {
                afd.on_arrival(&Packet::default(), queue, &mut Cx::new(Time::ZERO, &mut rng, &mut dropped));
            }
            let due = 40_000 / interval;
            // Four standard deviations of 87.
            assert!(afd.counts[0].abs_diff(due) <= if interval == 1 { 0 } else { 350 }, "{:?}", afd.counts);
        }
    }

    #[test]
    fn the_steps_rest_once_nothing_would_change() {
        let mut afd = made(|_| ());
        let (mut rng, mut dropped) = (Rng::new(1, 0, "afd"), Vec::new());
        let queue = Queue { number: 0, waiting: Backlog::default(), port: Backlog::default() };
        assert_eq!(afd.timeout(), None);
        afd.on_arrival(&Packet::default(), queue, &mut Cx::new(Time::ZERO, &mut rng, &mut dropped));
        let step = 6_250_000_000;
        assert_eq!(afd.timeout(), Some(Time::from_ps(step)));
        afd.on_timeout(&[Backlog { packets: 100, bytes: 0 }], Time::from_ps(step));
        assert_eq!(afd.fair, 322.5);
        // 322.5 + 127.5 + 45 = 495, then 2.5 more twice: after that it is what it can be, and the next step would change nothing.
        for (n, due) in [(2, 495.0), (3, 497.5), (4, 500.0)] {
            assert_eq!(afd.timeout(), Some(Time::from_ps(n * step)));
            afd.on_timeout(&[Backlog::default()], Time::from_ps(n * step));
            assert!((afd.fair - due).abs() < 1e-9, "{}", afd.fair);
        }
        assert!(afd.timeout().is_none_or(|at| at == Time::from_ps(5 * step)));
        if afd.timeout().is_some() {
            afd.on_timeout(&[Backlog::default()], Time::from_ps(5 * step));
        }
        assert_eq!((afd.timeout(), afd.fair), (None, 500.0));
        // With a queue it goes on although nothing changes.
        afd.on_departure(&Packet::default(), queue, &mut Cx::new(Time::from_ps(9 * step), &mut rng, &mut dropped));
        afd.on_timeout(&[Backlog { packets: 1, bytes: 0 }], Time::from_ps(10 * step));
        assert_eq!(afd.timeout(), Some(Time::from_ps(11 * step)));
    }
}
