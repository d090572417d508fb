//! Shortest Queue First: the conversation of which the fewest bytes wait is served next.
//!
//! Source: Bonald, Muscariello and Ostallo 2011, "Self-prioritization of audio and video traffic", section II; Carofiglio and Muscariello 2010, "On the impact of
//! TCP and per-flow scheduling on Internet performance". Each conversation has a queue. The first packet of the queue with the fewest bytes is sent next, and a
//! full buffer drops from the longest queue. So conversations have priority by their rates, the slowest first, as long as those with priority fill no link. The
//! papers were not at hand: the rule is recalled, and it is that of the abstract of Guillemin and Simonian 2013, "Analysis of the Shortest Queue First service
//! discipline with two classes".
//!
//! Deviations:
//! - The packet in transmission counts in no queue.
//! - Of equal queues that one is served first whose length changed earlier.
//! - Of the longest queue the last packet is dropped.
//!
//! State per flow: its packets. A flow with no packet waiting is forgotten at once.

use crate::parts::{DropEnd, IndexedHeap, QueueSet};
use crate::{Backlog, Cx, Discipline, LinkInfo, Look, Number, Tell};
use headgate_packet::{Buffer, Card, Check, FlowId, Memory, Packet, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Shortest Queue First: slow flows go first. The conversation of which the fewest bytes wait is served next.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SqfParams {
    /// Maximum backlog, in packets or bytes; the packet in transmission is not counted.
    pub buffer: Buffer,
    /// Manages each queue actively: what drops or marks packets before the buffer is full.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aqm: Option<crate::aqm::Spec>,
}

impl Default for SqfParams {
    fn default() -> SqfParams {
        SqfParams { buffer: Buffer::Packets(100), aqm: None }
    }
}

impl Check for SqfParams {}

/// Shortest Queue First.
#[derive(Clone, Debug)]
pub struct Sqf {
    queues: QueueSet,
    /// Queues that hold packets, by their bytes; of equal ones the one that came to this length earlier.
    shortest: IndexedHeap,
    /// Counts changes of lengths.
    changes: u64,
    /// How many queues there are.
    count: u32,
}

impl Sqf {
    /// What it says of itself.
    pub const CARD: Card = Card {
        aliases: &["shortest_queue_first"],
        main: &["buffer"],
        says: &["
arrives:
Packets that leave before it, because they wait in its own queue or in one that held no more bytes than its own with it: {ahead}.
"],
        remembers: &[Memory::of("nothing", "at once")],
        ..Card::of("Bonald, Muscariello and Ostallo 2011")
    };

    /// Empty queues.
    pub fn new(params: &SqfParams, link: &LinkInfo) -> Sqf {
        Sqf {
            queues: QueueSet::new(params.buffer, DropEnd::Tail, link.flows),
            shortest: IndexedHeap::new(link.flows),
            changes: 0,
            count: link.flows as u32,
        }
    }

    /// A queue has got or lost a packet.
    fn reorder(&mut self, queue: u32) {
        self.changes += 1;
        let Backlog { packets, bytes } = self.queues.waiting(queue);
        if packets == 0 {
            self.shortest.remove(queue);
        } else {
            self.shortest.set(queue, (bytes, self.changes));
        }
    }

    /// The packets that are sent before one of this conversation that arrives now, if no other arrives: those of its own queue and of queues that are no longer
    /// than its own is with it. A queue that is served becomes shorter, so that it remains the shortest until it is empty.
    fn ahead(&self, packet: &Packet) -> u64 {
        let own = packet.flow.0;
        let length = self.queues.waiting(own).bytes + u64::from(packet.bytes);
        let is_ahead = |queue: &u32| *queue == own || self.queues.waiting(*queue).bytes <= length;
        (0..self.count).filter(is_ahead).map(|queue| self.queues.waiting(queue).packets).sum()
    }
}

impl Discipline for Sqf {
    fn enqueue(&mut self, packet: Packet, cx: &mut Cx<'_>) {
        let Sqf { queues, shortest, changes, .. } = self;
        let mut evicted = |queue, gone: Packet, only: bool| match shortest.key(queue) {
            Some((bytes, _)) if !only => {
                *changes += 1;
                shortest.set(queue, (bytes - u64::from(gone.bytes), *changes));
            }
            _ => shortest.remove(queue),
        };
        if queues.push_with(packet.flow.0, packet, cx, &mut evicted) {
            self.reorder(packet.flow.0);
        }
    }

    fn dequeue(&mut self, _cx: &mut Cx<'_>) -> Option<Packet> {
        let (_, queue) = self.shortest.first()?;
        let packet = self.queues.pop(queue)?;
        self.reorder(queue);
        Some(packet)
    }

    fn backlog(&self) -> Backlog {
        self.queues.backlog()
    }

    fn has_forgotten(&self, flow: FlowId, _now: Time) -> bool {
        self.queues.front(flow.0).is_none()
    }

    fn on_link_change(&mut self, link: &LinkInfo, _now: Time) {
        self.queues.grow(link.flows);
        self.shortest.grow(link.flows);
        self.count = self.count.max(link.flows as u32);
    }

    fn explain(&self, packet: &Packet, look: &Look, tell: Tell<'_>) {
        self.queues.explain(packet.flow.0, packet, look, tell);
        tell(Number::Ahead, self.ahead(packet) as f64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::test::{Arrival, dropped, order};
    use headgate_packet::{Rate, Rng};

    #[test]
    fn the_queue_with_the_fewest_bytes_goes_first() {
        // A byte takes a second. Until 10 s the first packet of A is sent. Then A has 20 bytes, B 4 and C 12: B's leaves until 14 s, when B has 15 more.
        // C goes on, with 12, then B with 15, then A.
        let arrivals: [Arrival; 6] = [(0, 0, 10), (0, 0, 10), (0, 0, 10), (1, 1, 4), (1, 2, 12), (12, 1, 15)];
        assert_eq!(order(r#"{"kind": "sqf"}"#, &[], &arrivals), [0, 3, 4, 5, 1, 2]);
    }

    #[test]
    fn bytes_count_and_not_packets() {
        // Behind a packet of A, B has three of 3 bytes and C one of 10.
        let arrivals: [Arrival; 5] = [(0, 0, 1), (0, 2, 10), (0, 1, 3), (0, 1, 3), (0, 1, 3)];
        assert_eq!(order(r#"{"kind": "sqf"}"#, &[], &arrivals), [0, 2, 3, 4, 1]);
    }

    #[test]
    fn a_shorter_queue_interrupts_the_service_of_a_longer_one() {
        // B is served as the only one, until C comes with less than what is left of B.
        let arrivals: [Arrival; 5] = [(0, 1, 10), (0, 1, 10), (0, 1, 10), (15, 2, 9), (15, 2, 2)];
        assert_eq!(order(r#"{"kind": "sqf"}"#, &[], &arrivals), [0, 1, 2, 3, 4]);
        let arrivals: [Arrival; 4] = [(0, 1, 10), (0, 1, 10), (0, 1, 10), (15, 2, 9)];
        assert_eq!(order(r#"{"kind": "sqf"}"#, &[], &arrivals), [0, 1, 3, 2]);
    }

    #[test]
    fn of_equal_queues_the_one_that_came_to_its_length_first() {
        let arrivals: [Arrival; 5] = [(0, 3, 10), (0, 2, 4), (0, 1, 2), (0, 0, 4), (0, 1, 2)];
        assert_eq!(order(r#"{"kind": "sqf"}"#, &[], &arrivals), [0, 1, 3, 2, 4]);
    }

    #[test]
    fn slow_conversations_have_priority() {
        // Packets of 10 bytes: A takes 0.4 of the link, B 0.5 and C 0.91. A and B fill less than the link, so they lose nothing, and C gets the tenth that they
        // leave. With fair queueing each would get a third.
        let mut arrivals: Vec<Arrival> = [(0, 25), (1, 20), (2, 11)]
            .iter()
            .flat_map(|&(flow, every)| (0..20_000 / every).map(move |n| (n * every, flow, 10)))
            .collect();
        arrivals.sort_unstable();
        let of = |packets: &[u32]| {
            [0, 1, 2].map(|flow| packets.iter().filter(|number| arrivals[**number as usize].1 == flow).count())
        };
        let spec = r#"{"kind": "sqf", "buffer": "30pkt"}"#;
        let (sent, lost) = (of(&order(spec, &[], &arrivals)), of(&dropped(spec, &arrivals)));
        assert_eq!((sent[0], sent[1], lost[0], lost[1]), (800, 1000, 0, 0));
        // Of 20,000 s 18,000 s are A's and B's. What waits in the end, 30 packets, is sent afterwards.
        assert!((200..=231).contains(&sent[2]), "{sent:?}");
    }

    #[test]
    fn a_full_buffer_drops_the_last_packet_of_the_longest_queue() {
        // Two places are A's, two B's, whose queue is longer in packets with the next one; then C's takes the place of A's last packet: A got one after B.
        let arrivals: [Arrival; 6] = [(0, 3, 9), (0, 0, 1), (0, 1, 2), (0, 1, 2), (0, 0, 1), (0, 2, 8)];
        let spec = r#"{"kind": "sqf", "buffer": "4pkt"}"#;
        assert_eq!(dropped(spec, &arrivals), [4]);
        assert_eq!(order(spec, &[], &arrivals), [0, 1, 2, 3, 5]);
    }

    #[test]
    fn what_is_told_is_ahead_is_sent_before() {
        // Bytes: A 4 + 4, B 6, C 9, D 10.
        let waiting = [(0, 4), (1, 6), (0, 4), (2, 9), (3, 10)];
        let link = LinkInfo { rate: Rate::from_bps(8).unwrap(), flows: 4, weights: vec![], hosts: vec![] };
        // One of A's makes 10 bytes: B's, C's and D's packets and its own two are ahead. One of C's makes 11, and so on; one of B's makes 8, as many as A has.
        for (flow, bytes, due) in [(0, 2, 5), (0, 1, 4), (2, 2, 5), (1, 2, 3), (1, 1, 1), (3, 1, 5)] {
            let mut queue = Sqf::new(&SqfParams::default(), &link);
            let (mut rng, mut gone) = (Rng::new(0, 0, "test"), Vec::new());
            let mut cx = Cx::new(Time::ZERO, &mut rng, &mut gone);
            for (handle, &(flow, bytes)) in waiting.iter().enumerate() {
                queue.enqueue(Packet { handle: handle as u32, flow: FlowId(flow), bytes, ..Packet::default() }, &mut cx);
            }
            let packet = Packet { handle: 9, flow: FlowId(flow), bytes, ..Packet::default() };
            assert_eq!(queue.ahead(&packet), due, "{flow}, {bytes} bytes");
            queue.enqueue(packet, &mut cx);
            let sent: Vec<u32> = std::iter::from_fn(|| queue.dequeue(&mut cx)).map(|packet| packet.handle).collect();
            assert_eq!(sent.iter().position(|handle| *handle == 9), Some(due as usize), "{sent:?}");
        }
    }
}
