//! DRR+: Deficit Round Robin whose queues each run Random Early Detection, or enhanced RED where connections share a queue.
//!
//! Source: Hasegawa, Matsuo, Murata and Miyahara 2001, sections 3.3 and 3.4. The rounds are those of `drr.rs`, the average queues and the random
//! drops those of `parts/early.rs`, enhanced RED's probabilities those of `parts/fair_chances.rs`, computed for each queue separately.
//!
//! Deviations: those of the parts and of `enhanced_red.rs`, and
//! - A queue's quantum is in proportion to the sum of its conversations' weights (section 3.3), not to the largest.
//! - The paper gives neither the thresholds of a queue, nor how the buffer is divided, nor which packet is dropped from a full one. Here the queues
//!   share it and the longest queue makes room, as in `drr`, unless `queue_buffer` gives each its own part.
//! - An empty queue's average decays at the pace of the whole line.
//!
//! State per queue: that of `drr`, the average, and a count. State per flow: as `enhanced_red`, where that is chosen.
//! The average of a conversation with its own queue is forgotten when it has decayed so far that no sample shows it.

use crate::drr::{Assign, Drr, DrrParams, check_quantum};
use crate::enhanced_red::EnhancedRedParams;
use crate::parts::{ChanceParams, DropEnd, Early, EarlyParams, FairChances, check_early};
use crate::{Backlog, Cx, Discipline, DropReason, LinkInfo, Look, Tell};
use headgate_packet::{Buffer, Bytes, Check, Duration, FlowId, Packet, Rate, Time, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What drops packets from each queue before it is full.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Within {
    /// RED, with one probability for all connections of the queue.
    #[default]
    Red,
    /// Enhanced RED, with a probability for each connection.
    EnhancedRed,
}

/// Deficit Round Robin and RED: queues take turns of a quantum of bytes each, and each queue drops packets at random, depending on its average
/// length.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DrrPlusParams {
    /// Maximum backlog of all queues together, in packets or bytes; the packet in transmission is not counted.
    pub buffer: Buffer,
    /// Maximum backlog of one queue, in packets or bytes. Without it only `buffer` limits the queue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue_buffer: Option<Buffer>,
    /// Quantum of a turn, in bytes per unit of weight. If it is shorter than the longest packet, a queue may wait several turns.
    pub quantum: Bytes,
    /// Number of queues; 0 for one per conversation.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub queues: u32,
    /// How conversations are put into the queues.
    pub assign: Assign,
    /// Which packet makes room in a full buffer.
    pub drop: DropEnd,
    /// What drops packets from each queue before it is full.
    pub within: Within,
    /// A queue's average length below which every packet passes. If it is in bytes, the queue is measured in bytes.
    pub min_threshold: Buffer,
    /// A queue's average length at and above which no packet passes.
    pub max_threshold: Buffer,
    /// Weight of an arrival in the average length.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub weight: f64,
    /// RED: probability pb just below the upper threshold. Enhanced RED: every p_i at the start of the computation.
    #[schemars(range(min = 0.000001, max = 1.0))]
    pub max_p: f64,
    /// Between the thresholds the probability pb or p_i does not depend on the average length.
    pub constant: bool,
    /// Enhanced RED: factor `a` on the p_i of a connection whose throughput is above its ideal.
    #[schemars(range(min = 1.0, max = 10.0))]
    pub increase: f64,
    /// Enhanced RED: factor `b` on the p_i of a connection whose throughput is below its ideal.
    #[schemars(range(min = 0.1, max = 1.0))]
    pub decrease: f64,
    /// Enhanced RED: largest relative difference from the ideal throughput that ends the computation.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub tolerance: f64,
    /// Enhanced RED: capacity of a connection's input link per unit of its weight.
    pub access: Rate,
    /// Enhanced RED: one-way propagation delay of the connections.
    pub delay: Duration,
    /// A typical packet: an empty queue's average decays by one arrival per its transmission time.
    pub mean_packet: Bytes,
}

impl Default for DrrPlusParams {
    fn default() -> DrrPlusParams {
        let enhanced = EnhancedRedParams::default();
        let EnhancedRedParams { buffer, weight, constant, increase, decrease, tolerance, .. } = enhanced;
        let EnhancedRedParams { access, delay, mean_packet, .. } = enhanced;
        let DrrParams { queues, assign, drop, .. } = DrrParams::default();
        DrrPlusParams {
            buffer,
            queue_buffer: None,
            quantum: Bytes(2000),
            queues,
            assign,
            drop,
            within: Within::Red,
            min_threshold: Buffer::Bytes(5_000),
            max_threshold: Buffer::Bytes(15_000),
            weight,
            max_p: 0.02,
            constant,
            increase,
            decrease,
            tolerance,
            access,
            delay,
            mean_packet,
        }
    }
}

impl Check for DrrPlusParams {
    fn check(&self) -> Result<(), Wrong> {
        check_quantum(self.quantum)?;
        check_early(self.min_threshold, self.max_threshold, self.mean_packet)
    }
}

/// DRR+.
#[derive(Clone, Debug)]
pub struct DrrPlus {
    drr: Drr,
    rate: Rate,
    queue_buffer: Option<Buffer>,
    /// What a queue begins with.
    template: Early,
    early: Vec<Early>,
    chances: Option<FairChances>,
}

impl DrrPlus {
    /// Where it was published.
    pub const SOURCE: &'static str = "Hasegawa, Matsuo, Murata and Miyahara 2001, section 3.4";

    /// Empty queues.
    pub fn new(params: &DrrPlusParams, link: &LinkInfo) -> DrrPlus {
        let DrrPlusParams { buffer, quantum, queues, assign, drop, .. } = *params;
        let DrrPlusParams { min_threshold, max_threshold, weight, max_p, constant, mean_packet, .. } = *params;
        let DrrPlusParams { access, delay, increase, decrease, tolerance, .. } = *params;
        let drr = Drr::with_weights(&DrrParams { buffer, quantum, queues, assign, drop }, link, u64::saturating_add);
        let (gentle, by_bytes) = (false, false);
        let template = Early::new(
            EarlyParams { min_threshold, max_threshold, weight, max_p, constant, gentle, by_bytes, mean_packet },
            link.rate,
        );
        let chances =
            ChanceParams { access, delay, initial: max_p, increase, decrease, tolerance, packet: mean_packet };
        DrrPlus {
            queue_buffer: params.queue_buffer,
            rate: link.rate,
            early: vec![template.clone(); drr.number()],
            template,
            chances: (params.within == Within::EnhancedRed).then(|| FairChances::new(chances, link, drr.number())),
            drr,
        }
    }
}

impl Discipline for DrrPlus {
    fn enqueue(&mut self, packet: Packet, cx: &mut Cx<'_>) {
        let flow = packet.flow.index();
        let queue = self.drr.queue_of(flow) as usize;
        let early = &mut self.early[queue];
        let held = self.drr.waiting(queue as u32);
        early.on_arrival(cx.now, held);
        let uniform = || cx.rng.uniform();
        let chosen = match &mut self.chances {
            None => early.chosen(packet.bytes, uniform),
            Some(chances) => {
                chances.meet(flow, queue);
                early.chosen_alone(packet.bytes, || chances.of(flow, queue), uniform)
            }
        };
        if chosen {
            cx.drop(&packet, DropReason::Early);
            return;
        }
        let before = cx.dropped.len();
        let (packets, bytes) = (held.packets + 1, held.bytes + u64::from(packet.bytes));
        if self.queue_buffer.is_some_and(|buffer| buffer.exceeded_by(packets, bytes)) {
            cx.drop(&packet, DropReason::Full);
        } else {
            self.drr.enqueue(packet, cx);
        }
        if cx.dropped[before..].iter().any(|d| d.reason == DropReason::Full) {
            early.on_loss();
        }
    }

    fn dequeue(&mut self, cx: &mut Cx<'_>) -> Option<Packet> {
        let packet = self.drr.dequeue(cx)?;
        let queue = self.drr.queue_of(packet.flow.index());
        self.early[queue as usize].on_start(cx.now, packet.bytes, self.drr.waiting(queue));
        Some(packet)
    }

    #[inline]
    fn backlog(&self) -> Backlog {
        self.drr.backlog()
    }

    fn has_forgotten(&self, flow: FlowId, now: Time) -> bool {
        let queue = self.drr.queue_of(flow.index());
        let never_met = self.chances.as_ref().is_none_or(|chances| !chances.has_met(flow.index()));
        never_met && self.drr.has_forgotten(flow, now) && self.early[queue as usize].has_forgotten(now)
    }

    fn on_link_change(&mut self, link: &LinkInfo, now: Time) {
        self.drr.on_link_change(link, now);
        if link.rate != self.rate {
            // Only then, since a million conversations may come one at a time.
            self.rate = link.rate;
            self.template.set_rate(link.rate, now, Backlog::default());
            for (queue, early) in (0..).zip(&mut self.early) {
                early.set_rate(link.rate, now, self.drr.waiting(queue));
            }
        }
        self.early.resize(self.drr.number(), self.template.clone());
        if let Some(chances) = &mut self.chances {
            chances.grow(link, self.drr.number());
        }
    }

    fn explain(&self, packet: &Packet, look: &Look, tell: Tell<'_>) {
        let flow = packet.flow.index();
        let queue = self.drr.queue_of(flow);
        let mut early = self.early[queue as usize].clone();
        early.on_arrival(look.now, self.drr.waiting(queue));
        self.drr.explain(packet, look, tell);
        early.tell_average(tell);
        match &self.chances {
            None => early.tell_chosen(packet.bytes, tell),
            Some(chances) => early.tell_chosen_alone(packet.bytes, chances.look(flow, queue as usize), tell),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::test::{Arrival, dropped, order};
    use headgate_packet::{FlowId, Rng, Time};

    #[test]
    fn each_queue_has_its_own_average() {
        // With a weight of 1 the average is the queue found, with thresholds of 2 and 3 packets pb is 0 at 2 and all are dropped at 3. Packet 0 is
        // sent on its arrival; 1, 2 and 3 find 0, 1 and 2 packets waiting, 4 and 5 find 3. The other conversation's find 0 and 1.
        let spec = r#"{"kind": "drr_plus", "weight": 1, "min_threshold": "2pkt", "max_threshold": "3pkt"}"#;
        let arrivals: [Arrival; 8] =
            [(0, 0, 9), (0, 0, 9), (0, 0, 9), (0, 0, 9), (0, 0, 9), (0, 0, 9), (0, 1, 9), (0, 1, 9)];
        assert_eq!(dropped(spec, &arrivals), [4, 5]);
    }

    #[test]
    fn a_queue_may_have_its_own_part_of_the_buffer() {
        let arrivals: [Arrival; 7] = [(0, 0, 9), (0, 0, 9), (0, 0, 9), (0, 0, 9), (0, 1, 9), (0, 1, 9), (0, 1, 9)];
        let spec = r#"{"kind": "drr_plus", "buffer": "4pkt", "queue_buffer": "2pkt"}"#;
        assert_eq!(dropped(spec, &arrivals[..6]), [3]);
        assert_eq!(dropped(spec, &arrivals), [3, 6]);
        // Shared, the buffer is full when packet 5 comes; the longest queue makes room.
        let spec = r#"{"kind": "drr_plus", "buffer": "4pkt"}"#;
        assert_eq!(dropped(spec, &arrivals[..5]), [] as [u32; 0]);
        assert_eq!(dropped(spec, &arrivals[..6]), [3]);
    }

    #[test]
    fn a_queue_may_have_its_own_part_of_the_buffer_in_bytes() {
        // 9 and 9 bytes wait of A: 5 more are too many, 2 more just fit, and then nothing does. B has as much for itself.
        let spec = r#"{"kind": "drr_plus", "buffer": "99pkt", "queue_buffer": "20B"}"#;
        let arrivals: [Arrival; 8] =
            [(0, 0, 9), (0, 0, 9), (0, 0, 9), (0, 0, 5), (0, 0, 2), (0, 0, 1), (0, 1, 20), (0, 1, 1)];
        assert_eq!(dropped(spec, &arrivals), [3, 5, 7]);
    }

    #[test]
    fn quanta_go_by_the_sum_of_the_weights() {
        // Conversations 0 and 2 of weights 1 and 4 share a queue, 1 and 3 of weights 2 and 3 the other: five packets a turn each. The first packet
        // is sent on its arrival and leaves its queue empty, so that the other one is first in the round.
        let arrivals: Vec<Arrival> = (0..24).map(|i| (0, i % 4, 100)).collect();
        let spec = r#"{"kind": "drr_plus", "quantum": "100B", "queues": 2, "min_threshold": "99pkt", "max_threshold": "100pkt"}"#;
        let queues: Vec<u32> = order(spec, &[1, 2, 4, 3], &arrivals)[..16].iter().map(|h| h % 2).collect();
        assert_eq!(queues, [0, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1]);
    }

    #[test]
    fn connections_of_a_queue_have_the_probabilities_of_the_paper() {
        // Two queues on a line of 400 kbit/s, {64, 128} and {256, 512} kbit/s: 0.0628 and 0.02 in each (parts/fair_chances.rs).
        let link = LinkInfo { rate: Rate::from_bps(400_000).unwrap(), flows: 4, weights: vec![1, 4, 2, 8] };
        let params = DrrPlusParams { queues: 2, within: Within::EnhancedRed, ..DrrPlusParams::default() };
        let (mut queue, mut rng, mut dropped) = (DrrPlus::new(&params, &link), Rng::new(1, 0, "red"), Vec::new());
        let mut cx = Cx::new(Time::ZERO, &mut rng, &mut dropped);
        for flow in 0..4 {
            queue.enqueue(Packet { flow: FlowId(flow), bytes: 2000, ..Packet::default() }, &mut cx);
        }
        let chances = queue.chances.as_mut().unwrap();
        for (flow, p) in [0.06276857, 0.06276857, 0.02, 0.02].into_iter().enumerate() {
            assert!((chances.of(flow, flow % 2) / p - 1.0).abs() < 1e-6, "{flow}");
        }
    }

    #[test]
    fn a_packet_lost_to_a_full_queue_starts_the_spacing_afresh() {
        // Two always wait, where pb is 0.5: after a packet that passed the next one would certainly be dropped. A packet that finds no room has
        // not passed.
        let link = LinkInfo { rate: Rate::from_bps(8_000).unwrap(), flows: 1, weights: vec![] };
        let text =
            r#"{"queue_buffer": "2pkt", "weight": 1, "max_p": 1, "min_threshold": "1pkt", "max_threshold": "3pkt"}"#;
        let params: DrrPlusParams = serde_json::from_str(text).expect("valid");
        let (mut queue, mut rng, mut dropped) = (DrrPlus::new(&params, &link), Rng::new(1, 0, "red"), Vec::new());
        let mut cx = Cx::new(Time::ZERO, &mut rng, &mut dropped);
        for _ in 0..100 {
            queue.enqueue(Packet { bytes: 10, ..Packet::default() }, &mut cx);
        }
        let fates: Vec<DropReason> = dropped.iter().map(|d| d.reason).collect();
        assert!(fates.len() == 98 && fates.contains(&DropReason::Early), "{fates:?}");
        assert!(fates.windows(2).any(|pair| pair == [DropReason::Full; 2]), "{fates:?}");
    }
}
