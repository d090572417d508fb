//! Enhanced RED: Random Early Detection with a separate drop probability for each connection, computed beforehand from the input links.
//!
//! Source: Hasegawa, Matsuo, Murata and Miyahara 2001, sections 3.2 to 3.4. The computation is in `parts/fair_chances.rs`, for each queue separately;
//! the average queue and its thresholds, which are those of RED, are in `parts/early.rs`.
//!
//! Deviations: those of the parts, and
//! - Drops are independent of each other. The paper does not say so, but RED's count of packets since the last drop, shared by connections with
//!   different p_i, would starve those with a large one.
//! - Between the thresholds the probability grows linearly to p_i, or is p_i everywhere (`constant`): the paper's words allow both.
//! - The capacity of an input link is `access` times the weight of its conversation.
//! - A conversation counts as a connection from its first packet on, and the p_i are then computed again. It is never forgotten.
//! - An empty queue's average decays at the pace of the whole link, also where the link has several queues.
//!
//! State per flow: its class of equal input links. State per class: a number and p_i. State per queue: the average.

use super::{Aqm, Queue, Verdict};
use crate::parts::{Tuning, ChanceParams, Early, EarlyParams, EarlyQueues, FairChances};
use crate::{Backlog, Cx, Does, LinkInfo, Look, Tell};
use headgate_packet::{Buffer, Bytes, Card, Check, Duration, FlowId, Memory, Packet, Rate, Time, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// RED with a drop probability for each connection. It gives each connection a throughput in proportion to its input link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct EnhancedRedParams {
    /// Average queue below which every packet passes. If it is in bytes, the queue is measured in bytes.
    pub min_threshold: Buffer,
    /// Average queue at and above which no packet passes.
    pub max_threshold: Buffer,
    /// Weight of an arrival in the average queue.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub weight: f64,
    /// Every p_i at the start of the computation.
    #[schemars(range(min = 0.000001, max = 1.0))]
    pub initial_p: f64,
    /// Factor `a` on the p_i of a connection whose throughput is above its ideal.
    #[schemars(range(min = 1.0, max = 10.0))]
    pub increase: f64,
    /// Factor `b` on the p_i of a connection whose throughput is below its ideal.
    #[schemars(range(min = 0.1, max = 1.0))]
    pub decrease: f64,
    /// Largest relative difference from the ideal throughput that ends the computation.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub tolerance: f64,
    /// Between the thresholds the probability is p_i everywhere; else it grows from 0 to p_i.
    pub constant: bool,
    /// Capacity of a connection's input link per unit of its weight.
    pub access: Rate,
    /// One-way propagation delay of the connections.
    pub delay: Duration,
    /// Length of the packets, in the computation and where the average decays while the queue is empty.
    pub mean_packet: Bytes,
}

impl Default for EnhancedRedParams {
    fn default() -> EnhancedRedParams {
        EnhancedRedParams {
            min_threshold: Buffer::Bytes(10_000),
            max_threshold: Buffer::Bytes(30_000),
            weight: 0.002,
            initial_p: 0.005,
            increase: 1.1,
            decrease: 0.9,
            tolerance: 0.05,
            constant: false,
            access: Rate::from_bps(64_000).expect("above zero"),
            delay: Duration::from_ps(100_000_000_000),
            mean_packet: Bytes(2000),
        }
    }
}

impl Check for EnhancedRedParams {
    fn check(&self) -> Result<(), Wrong> {
        crate::parts::check_early(self.min_threshold, self.max_threshold, self.mean_packet)
    }
}

/// Enhanced RED.
#[derive(Clone, Debug)]
pub struct EnhancedRed {
    queues: EarlyQueues,
    chances: FairChances,
}

impl EnhancedRed {
    /// What it says of itself.
    pub const CARD: Card = Card {
        examples: &[r#"{"min_threshold": "1pkt", "max_threshold": "4pkt", "weight": 0.3}"#],
        main: &["min_threshold", "max_threshold", "delay"],
        says: &[Early::AVERAGE_SAYS, Early::CHOSEN_ALONE_SAYS],
        remembers: &[Memory::of("that it is a connection", Memory::NEVER)],
        ..Card::of("Hasegawa, Matsuo, Murata and Miyahara 2001, section 3.2")
    };

    /// No queue yet.
    pub fn new(params: &EnhancedRedParams, link: &LinkInfo) -> EnhancedRed {
        let EnhancedRedParams { min_threshold, max_threshold, weight, constant, mean_packet, .. } = *params;
        let EnhancedRedParams { access, delay, initial_p, increase, decrease, tolerance, .. } = *params;
        let (max_p, gentle, by_bytes, tuning) = (initial_p, false, false, Tuning::default());
        let early = EarlyParams { min_threshold, max_threshold, weight, max_p, constant, gentle, by_bytes, mean_packet, tuning };
        let chances =
            ChanceParams { access, delay, initial: initial_p, increase, decrease, tolerance, packet: mean_packet };
        EnhancedRed {
            queues: EarlyQueues::new(Early::new(early, link.rate)),
            chances: FairChances::new(chances, link, 0),
        }
    }
}

impl Aqm for EnhancedRed {
    const DOES: Does = Does { weights: true, ..Does::NOTHING };
    const PER_CONVERSATION: bool = true;
    const DROPS_AT_RANDOM: bool = true;

    fn on_link_change(&mut self, link: &LinkInfo, queues: &[Backlog], now: Time) {
        self.queues.on_link_change(link.rate, queues, now);
        self.chances.grow(link, queues.len());
    }

    fn on_arrival(&mut self, packet: &Packet, queue: Queue, cx: &mut Cx<'_>) -> Verdict {
        let (flow, Queue { number, waiting, .. }) = (packet.flow.index(), queue);
        let (early, chances) = (self.queues.of(number), &mut self.chances);
        chances.meet(flow, number);
        early.on_arrival(cx.now, waiting);
        if early.chosen_alone(packet.bytes, || chances.of(flow, number), || cx.rng.uniform()) {
            Verdict::Drop(early.reason())
        } else {
            Verdict::Pass
        }
    }

    fn on_departure(&mut self, packet: &Packet, queue: Queue, cx: &mut Cx<'_>) -> Verdict {
        self.queues.of(queue.number).on_start(cx.now, packet.bytes, queue.waiting);
        Verdict::Pass
    }

    fn never_forgets(&self, _own: bool) -> bool {
        true
    }

    fn has_forgotten(&self, flow: FlowId, own: Option<usize>, now: Time) -> bool {
        !self.chances.has_met(flow.index()) && own.is_none_or(|queue| self.queues.has_forgotten(queue, now))
    }

    fn probe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        self.queues.probe(sink);
    }

    fn explain_arrival(&self, packet: &Packet, queue: Queue, look: &Look, tell: Tell<'_>) {
        let early = self.queues.look(queue.number, queue.waiting, look.now);
        early.tell_average(tell);
        early.tell_chosen_alone(packet.bytes, self.chances.look(packet.flow.index(), queue.number), tell);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use headgate_packet::Rng;

    /// Shares of arrivals that are dropped while 20 KB wait, of four connections with input links of 64 to 512 kbit/s: first of the third alone,
    /// then of each as it arrives, then of each when all have arrived.
    fn shares(constant: bool) -> [f64; 8] {
        let rate = Rate::from_bps(400_000).unwrap();
        // Conversations 0, 2, 4 and 6; the odd ones never send a packet here.
        let link = LinkInfo { rate, flows: 8, weights: vec![1, 1, 2, 2, 4, 4, 8, 8], hosts: vec![] };
        let params = EnhancedRedParams { weight: 1.0, constant, ..Default::default() };
        let (mut aqm, mut rng, mut dropped) = (EnhancedRed::new(&params, &link), Rng::new(1, 0, "red"), Vec::new());
        let mut cx = Cx::new(Time::ZERO, &mut rng, &mut dropped);
        // With a weight of 1 the average is the queue found.
        let waiting = Backlog { packets: 10, bytes: 20_000 };
        aqm.on_link_change(&link, &[waiting], Time::ZERO);
        let mut offer = |flow| {
            let packet = Packet { flow: FlowId(flow), bytes: 2000, ..Packet::default() };
            f64::from(u8::from(aqm.on_arrival(&packet, Queue { number: 0, waiting, port: waiting }, &mut cx) != Verdict::Pass))
        };
        [4, 0, 2, 6, 0, 2, 4, 6].map(|flow| (0..40_000).map(|_| offer(flow)).sum::<f64>() / 40_000.0)
    }

    #[test]
    fn each_connection_has_its_probability() {
        // p_i of the line of 400 kbit/s, start 0.005: 0.2057, 0.0655, 0.0173, 0.005 (parts/fair_chances.rs). 20 KB are half way between the thresholds.
        let expected = [0.20572389, 0.06554997, 0.01726136, 0.005];
        for (constant, factor) in [(false, 0.5), (true, 1.0)] {
            let got = shares(constant);
            // The only connection seen so far has the start value.
            for (g, p) in [(got[0], 0.005)].into_iter().chain(got[4..].iter().copied().zip(expected)) {
                // Four standard deviations of the share of 40000 independent drops.
                let p = p * factor;
                assert!((g - p).abs() < 4.0 * (p / 40_000.0_f64).sqrt(), "{got:?}");
            }
        }
    }

    #[test]
    fn connections_of_a_queue_have_the_probabilities_of_the_paper() {
        // Two queues on a line of 400 kbit/s, {64, 128} and {256, 512} kbit/s: 0.0628 and 0.02 in each (parts/fair_chances.rs).
        let link = LinkInfo { rate: Rate::from_bps(400_000).unwrap(), flows: 4, weights: vec![1, 4, 2, 8], hosts: vec![] };
        let params = EnhancedRedParams { initial_p: 0.02, ..Default::default() };
        let (mut aqm, mut rng, mut dropped) = (EnhancedRed::new(&params, &link), Rng::new(1, 0, "red"), Vec::new());
        let mut cx = Cx::new(Time::ZERO, &mut rng, &mut dropped);
        aqm.on_link_change(&link, &[Backlog::default(); 2], Time::ZERO);
        for flow in 0..4 {
            let packet = Packet { flow: FlowId(flow), bytes: 2000, ..Packet::default() };
            let waiting = Backlog::default();
            let queue = Queue { number: flow as usize % 2, waiting, port: waiting };
            assert_eq!(aqm.on_arrival(&packet, queue, &mut cx), Verdict::Pass);
        }
        for (flow, p) in [0.06276857, 0.06276857, 0.02, 0.02].into_iter().enumerate() {
            assert!((aqm.chances.of(flow, flow % 2) / p - 1.0).abs() < 1e-6, "{flow}");
        }
    }
}
