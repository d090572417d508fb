//! Selective DECbit: the congestion bit only in packets of conversations above their fair share.
//!
//! Source: Demers, Keshav and Shenker 1989, section 4, after Ramakrishnan, Chiu and Jain 1987 (DEC TR-510), which was not at hand.
//! The gateway counts each conversation's packets over the averaging span of the original DECbit gateway. While the average
//! queue is above one, it marks those whose count is above the max-min fair share of the total times a capacity factor.
//!
//! Deviations:
//! - The reading of TR-510 is ours, from summaries.
//! - Counting the arrival, and marking every conversation above a second threshold (panic), reproduce the tables of 1989 and 1991.
//!
//! State per flow: two counters; those of a flow that left are kept until two cycles have ended.

use crate::disciplines::fcfs::FcfsParams;
use crate::parts::BusyQueue;
use crate::explain::tell_fact;
use crate::{Backlog, Cx, Discipline, Does, LinkInfo, Look, Number, Tell};
use headgate_packet::{Buffer, Card, Check, FlowId, Memory, Packet, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// DECbit gateway that marks what is above its fair share. Packets are served first come, first served; those of conversations above their fair share
/// are marked while the average queue is long.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SelectiveDecbitParams {
    /// Maximum backlog, in packets or bytes; the packet in transmission is not counted.
    pub buffer: Buffer,
    /// Average queue length, the packet in transmission included, above which conversations above their share are marked.
    #[schemars(range(min = 0.0, max = 1_000_000.0))]
    pub threshold: f64,
    /// Average queue length above which packets of all conversations are marked.
    #[schemars(range(min = 0.0, max = 1_000_000.0))]
    pub panic: f64,
    /// Capacity that is shared, as a part of the traffic counted.
    #[schemars(range(min = 0.0, max = 10.0))]
    pub capacity_factor: f64,
}

impl Default for SelectiveDecbitParams {
    fn default() -> SelectiveDecbitParams {
        SelectiveDecbitParams {
            buffer: FcfsParams::default().buffer,
            threshold: 1.0,
            panic: 2.0,
            capacity_factor: 0.9,
        }
    }
}

impl Check for SelectiveDecbitParams {}

/// Selective DECbit.
#[derive(Clone, Debug)]
pub struct SelectiveDecbit {
    params: SelectiveDecbitParams,
    queue: BusyQueue,
    counts: Counts,
}

/// Packets of conversations over the averaging span.
#[derive(Clone, Debug)]
struct Counts {
    /// Packets of each conversation in the last complete cycle and in the present one.
    last: Vec<u64>,
    present: Vec<u64>,
    /// The conversations that have such packets: the cost of a cycle depends on what it counted, not on the number of conversations.
    in_last: Vec<u32>,
    in_present: Vec<u32>,
    /// Counts in ascending order, kept to be used again.
    sorted: Vec<u64>,
}

impl SelectiveDecbit {
    /// What it says of itself.
    pub const CARD: Card = Card {
        main: &["buffer"],
        says: &[include_str!("selective_decbit.says")],
        remembers: &[Memory::of("its packets in this and the last busy cycle", "when both cycles have ended")],
        ..Card::of("Ramakrishnan, Chiu and Jain 1987; Demers, Keshav and Shenker 1989, section 4")
    };

    /// An empty queue.
    pub fn new(params: &SelectiveDecbitParams, link: &LinkInfo) -> SelectiveDecbit {
        SelectiveDecbit {
            params: params.clone(),
            queue: BusyQueue::new(params.buffer, link),
            counts: Counts {
                last: vec![0; link.flows],
                present: vec![0; link.flows],
                in_last: Vec::new(),
                in_present: Vec::new(),
                sorted: Vec::with_capacity(link.flows),
            },
        }
    }

    /// The comparisons at this average, for a conversation that sent this many packets of this share.
    fn judge(params: &SelectiveDecbitParams, average: f64, counted: f64, share: impl FnOnce() -> f64) -> Judged {
        let (above, panic) = (average > params.threshold, average > params.panic);
        Judged { above, panic, greedy: above && !panic && counted > share() }
    }
}

/// How the comparisons of a packet came out.
#[derive(Clone, Copy, Debug)]
struct Judged {
    /// The average queue is above the threshold.
    above: bool,
    /// It is so large that packets of all conversations are marked.
    panic: bool,
    /// The packet's conversation has more than its part.
    greedy: bool,
}

impl Counts {
    /// A packet of a conversation arrives, the first one of a new cycle or not.
    fn add(&mut self, flow: FlowId, new_cycle: bool) {
        if new_cycle {
            std::mem::swap(&mut self.last, &mut self.present);
            std::mem::swap(&mut self.in_last, &mut self.in_present);
            self.in_present.drain(..).for_each(|f| self.present[f as usize] = 0);
        }
        self.present[flow.index()] += 1;
        if self.present[flow.index()] == 1 {
            self.in_present.push(flow.0);
        }
    }

    /// Packets of a conversation in the span.
    fn of(&self, flow: FlowId) -> f64 {
        (self.last[flow.index()] + self.present[flow.index()]) as f64
    }

    /// Max-min fair share of the capacity, the traffic counted times `capacity_factor`: what a conversation with more to send would get.
    fn fair_share(&mut self, capacity_factor: f64) -> f64 {
        let Counts { last, present, sorted, .. } = self;
        let only_present = self.in_present.iter().filter(|f| last[**f as usize] == 0);
        sorted.clear();
        sorted.extend(self.in_last.iter().chain(only_present).map(|f| last[*f as usize] + present[*f as usize]));
        self.sorted.sort_unstable();
        let mut capacity = capacity_factor * self.sorted.iter().sum::<u64>() as f64;
        let mut left = self.sorted.len();
        for &count in &self.sorted {
            let share = capacity / left as f64;
            if count as f64 > share {
                return share;
            }
            capacity -= count as f64;
            left -= 1;
        }
        f64::INFINITY
    }
}

impl Discipline for SelectiveDecbit {
    const DOES: Does = Does { marks: true, ..Does::NOTHING };
    fn enqueue(&mut self, mut packet: Packet, cx: &mut Cx<'_>) {
        let new_cycle = self.queue.on_arrival(cx.now);
        self.counts.add(packet.flow, new_cycle);
        if packet.ecn.is_capable() {
            let SelectiveDecbit { params, queue, counts } = self;
            let counted = counts.of(packet.flow);
            let share = || counts.fair_share(params.capacity_factor);
            let judged = SelectiveDecbit::judge(params, queue.average(cx.now), counted, share);
            if judged.above && (judged.panic || judged.greedy) {
                packet.ecn.mark();
            }
        }
        self.queue.enqueue(packet, cx);
    }

    fn dequeue(&mut self, cx: &mut Cx<'_>) -> Option<Packet> {
        self.queue.dequeue(cx)
    }

    fn backlog(&self) -> Backlog {
        self.queue.backlog()
    }

    fn has_forgotten(&self, flow: FlowId, _now: Time) -> bool {
        self.counts.of(flow) == 0.0
    }

    fn on_link_change(&mut self, link: &LinkInfo, _now: Time) {
        self.queue.set_rate(link.rate);
        self.counts.last.resize(link.flows, 0);
        self.counts.present.resize(link.flows, 0);
    }

    fn explain(&self, packet: &Packet, look: &Look, tell: Tell<'_>) {
        let (new_cycle, average) = self.queue.look(look.now);
        let mut counts = self.counts.clone();
        counts.add(packet.flow, new_cycle);
        self.queue.explain(packet, look, tell);
        tell(Number::AveragePackets, average);
        tell(Number::Threshold, self.params.threshold);
        tell(Number::Panic, self.params.panic);
        let (counted, share) = (counts.of(packet.flow), counts.fair_share(self.params.capacity_factor));
        tell(Number::Counted, counted);
        tell(Number::FairPackets, share);
        let judged = SelectiveDecbit::judge(&self.params, average, counted, || share);
        tell_fact(Number::AboveThreshold, judged.above, tell);
        tell_fact(Number::AbovePanic, judged.panic, tell);
        tell_fact(Number::AboveFair, judged.greedy, tell);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use headgate_packet::{Ecn, FlowId, Rate, Rng};

    #[test]
    fn the_share_is_max_min_of_nine_tenths() {
        let link = LinkInfo { rate: Rate::from_bps(8).unwrap(), flows: 3, weights: vec![], hosts: vec![] };
        let mut queue = SelectiveDecbit::new(&SelectiveDecbitParams::default(), &link);
        let counts = &mut queue.counts;
        (counts.last, counts.present, counts.in_last) = (vec![1, 5, 4], vec![1, 5, 4], vec![0, 1, 2]);
        // Capacity 18: the conversation with 2 gets them, the others 8 each.
        assert_eq!(counts.fair_share(0.9), 8.0);
    }

    #[test]
    fn the_thresholds_and_the_share_are_to_be_exceeded() {
        // Conversation 0 had this number of packets in queue and in transmission all the time: that is the average. Whether the first packet of
        // another is marked.
        let marked = |packets: u32, threshold, panic, capacity_factor| {
            let link = LinkInfo { rate: Rate::from_bps(8).unwrap(), flows: 2, weights: vec![], hosts: vec![] };
            let params =
                SelectiveDecbitParams { threshold, panic, capacity_factor, ..SelectiveDecbitParams::default() };
            let mut queue = SelectiveDecbit::new(&params, &link);
            let (mut rng, mut dropped) = (Rng::new(0, 0, "test"), Vec::new());
            let packet = |flow| Packet { flow: FlowId(flow), bytes: 10, ecn: Ecn::Ect0, ..Packet::default() };
            let mut cx = Cx::new(Time::ZERO, &mut rng, &mut dropped);
            (0..packets).for_each(|_| queue.enqueue(packet(0), &mut cx));
            queue.dequeue(&mut cx);
            let mut cx = Cx::new(Time::from_ps(5_000_000_000_000), &mut rng, &mut dropped);
            queue.enqueue(packet(1), &mut cx);
            std::iter::from_fn(|| queue.dequeue(&mut cx)).last().expect("one waits").ecn == Ecn::Ce
        };
        // The share is 0.9 packets of two, or all.
        assert_eq!([marked(1, 0.9, 1.0, 0.9), marked(1, 1.0, 1.0, 0.9)], [true, false]);
        assert_eq!([marked(1, 0.9, 0.9, 10.0), marked(1, 0.9, 1.0, 10.0)], [true, false]);
        // The share is 0.98 or 1 of four.
        assert_eq!([marked(3, 0.9, 100.0, 0.49), marked(3, 0.9, 100.0, 0.5)], [true, false]);
    }
}
