//! Self-clocked Fair Queueing: virtual time is the finish tag of the packet in service.
//!
//! Source: Golestani 1994, section II. A packet's tag is F = max(F of the conversation's last packet, v) + length / weight, where v is the
//! tag of the packet in service; the packet with the smallest tag is served next.
//!
//! Deviations:
//! - The paper starts all tags from zero after a busy period. The last packet of one has the largest tag of all, so keeping them gives the same
//!   order.
//! - A tag is computed when its packet becomes the first of its conversation. It is the same number, because a backlogged conversation's last
//!   tag is above v; so a packet that is pushed out was never counted.
//! - Where nothing of a conversation waits, its last tag is that of a packet served, and v, which never decreases, is no less: only v is used.
//! - Tags are in 2^-12 bit, up to 2^64 bits: the work of 213 days at 1 Tbit/s.
//! - A full buffer drops the last packet of the longest queue, which the paper leaves open.
//!
//! State per flow: its packets. A flow with no packet waiting is forgotten at once.

use crate::parts::{DropEnd, IndexedHeap, Key, QueueSet};
use crate::{Backlog, Cx, Discipline, Does, LinkInfo, Look, Number, Tell};
use headgate_packet::{Buffer, Card, Check, FlowId, Memory, Packet, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Self-Clocked Fair Queueing: packets leave in order of tags. Virtual time is the tag of the packet in service.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ScfqParams {
    /// Maximum backlog, in packets or bytes; the packet in transmission is not counted.
    pub buffer: Buffer,
    /// Manages each queue actively: what drops or marks packets before the buffer is full.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aqm: Option<crate::aqm::Spec>,
}

impl Default for ScfqParams {
    fn default() -> ScfqParams {
        ScfqParams { buffer: Buffer::Packets(100), aqm: None }
    }
}

impl Check for ScfqParams {}

/// Self-clocked Fair Queueing.
#[derive(Clone, Debug)]
pub struct Scfq {
    queues: QueueSet,
    weights: Vec<u64>,
    /// Backlogged conversations by the tag of their first packet.
    heads: IndexedHeap,
    /// Orders equal tags: the one that became first earlier.
    turn: u64,
    /// Tag of the packet in service, or of the last one that was.
    virtual_time: u128,
}

/// Fractional bits of a tag.
const FRACTION: u32 = 12;

/// A tag as a key: whole bits, then the fraction and, in 52 bits, the turn.
fn key(tag: u128, turn: u64) -> Key {
    (u64::try_from(tag >> FRACTION).unwrap_or(u64::MAX), (tag as u64) << (64 - FRACTION) | turn)
}

/// A tag as a number of bits.
fn as_bits(tag: u128) -> f64 {
    tag as f64 / f64::from(1u32 << FRACTION)
}

/// The tag of a key.
fn tag((whole, fraction): Key) -> u128 {
    u128::from(whole) << FRACTION | u128::from(fraction >> (64 - FRACTION))
}

impl Scfq {
    /// What it says of itself.
    pub const CARD: Card = Card {
        main: &["buffer"],
        says: &[include_str!("scfq.says")],
        remembers: &[Memory::of("nothing", "at once")],
        ..Card::of("Golestani 1994, section II")
    };

    /// An empty queue.
    pub fn new(params: &ScfqParams, link: &LinkInfo) -> Scfq {
        Scfq {
            queues: QueueSet::new(params.buffer, DropEnd::Tail, link.flows),
            weights: (0..link.flows).map(|f| u64::from(link.weight(f))).collect(),
            heads: IndexedHeap::new(link.flows),
            turn: 0,
            virtual_time: 0,
        }
    }

    /// A packet becomes the first of its conversation, whose tags continue from `start`.
    fn begin(&mut self, packet: &Packet, start: u128) {
        self.turn += 1;
        self.heads.set(packet.flow.0, key(self.after(start, packet), self.turn));
    }

    /// The tag of a packet after `start`.
    fn after(&self, start: u128, packet: &Packet) -> u128 {
        let length = ((u64::from(packet.bytes) * 8) << FRACTION) / self.weights[packet.flow.index()];
        start.saturating_add(u128::from(length))
    }
}

impl Discipline for Scfq {
    const DOES: Does = Does { weights: true, ..Does::NOTHING };
    fn enqueue(&mut self, packet: Packet, cx: &mut Cx<'_>) {
        if self.queues.push_first(packet, cx, &mut |queue| self.heads.remove(queue)) {
            self.begin(&packet, self.virtual_time);
        }
    }

    fn dequeue(&mut self, _cx: &mut Cx<'_>) -> Option<Packet> {
        let (first, flow) = self.heads.first()?;
        let tag = tag(first);
        self.heads.remove(flow);
        let packet = self.queues.pop(flow)?;
        self.virtual_time = tag;
        if let Some(next) = self.queues.front(flow).copied() {
            self.begin(&next, tag);
        }
        Some(packet)
    }

    fn backlog(&self) -> Backlog {
        self.queues.backlog()
    }

    fn has_forgotten(&self, flow: FlowId, _now: Time) -> bool {
        self.queues.front(flow.0).is_none()
    }

    fn on_link_change(&mut self, link: &LinkInfo, _now: Time) {
        self.weights.extend(link.weights_from(self.weights.len()).map(u64::from));
        self.queues.grow(link.flows);
        self.heads.grow(link.flows);
    }

    fn explain(&self, packet: &Packet, look: &Look, tell: Tell<'_>) {
        self.queues.explain(packet.flow.0, packet, look, tell);
        // A packet gets its tag when it becomes the first of its conversation: each one after that of the packet before it.
        let mut waiting = self.queues.packets(packet.flow.0);
        let first = waiting.next().and(self.heads.key(packet.flow.0)).map(tag);
        let last = waiting.fold(first, |last, next| last.map(|last| self.after(last, next)));
        tell(Number::Weight, self.weights[packet.flow.index()] as f64);
        tell(Number::VirtualTime, as_bits(self.virtual_time));
        tell(Number::Tag, as_bits(self.after(last.unwrap_or(self.virtual_time), packet)));
    }
}

#[cfg(test)]
mod tests {
    use crate::parts::test::{Arrival, order};

    #[test]
    fn a_newcomer_starts_at_the_tag_in_service() {
        // Lengths in bytes, a second each. A's first packet (tag 10) is in service when the others arrive: A 20, 30, B 10 + 12 = 22. At 11 s
        // A's second one is in service, v = 20: C's packet of 4 has tag 24, B's next of 5 has 27.
        let arrivals: [Arrival; 6] = [(0, 0, 10), (0, 0, 10), (0, 0, 10), (0, 1, 12), (11, 2, 4), (11, 1, 5)];
        assert_eq!(order(r#"{"kind": "scfq"}"#, &[], &arrivals), [0, 1, 3, 4, 5, 2]);
    }

    #[test]
    fn tags_go_on_beyond_2_to_the_52_bits() {
        use super::*;
        use headgate_packet::{Rate, Rng};
        let link = LinkInfo { rate: Rate::from_bps(8).unwrap(), flows: 3, weights: vec![], hosts: vec![] };
        for start in [(1u128 << 52) - 100, (1 << 63) - 100] {
            let (mut queue, mut rng, mut dropped) = (Scfq::new(&ScfqParams::default(), &link), Rng::new(0, 0, ""), vec![]);
            queue.virtual_time = start << FRACTION;
            let mut cx = Cx::new(Time::ZERO, &mut rng, &mut dropped);
            // Tags of 80, 320, 160 and 72 bits more; then 160 (the later of two) and 320 behind the first ones.
            for (handle, flow, bytes) in [(0, 0, 10), (1, 1, 40), (2, 0, 10), (3, 2, 9), (4, 2, 31)] {
                queue.enqueue(Packet { handle, flow: FlowId(flow), bytes, ..Packet::default() }, &mut cx);
            }
            let sent: Vec<u32> = std::iter::from_fn(|| queue.dequeue(&mut cx)).map(|p| p.handle).collect();
            assert_eq!(sent, [3, 0, 2, 1, 4]);
        }
    }

    #[test]
    fn weights_divide_lengths() {
        let arrivals: [Arrival; 5] = [(0, 0, 10), (0, 0, 10), (0, 1, 10), (0, 1, 10), (0, 1, 10)];
        // A packet of A is in service first; then tags 20 (A) and 3.3, 6.7, 10 (B, weight 3).
        assert_eq!(order(r#"{"kind": "scfq"}"#, &[1, 3], &arrivals), [0, 2, 3, 4, 1]);
    }

    #[test]
    fn of_equal_tags_the_earlier_comes_first() {
        let arrivals: [Arrival; 6] = [(0, 5, 10), (0, 3, 10), (0, 0, 10), (0, 4, 10), (0, 1, 10), (0, 2, 10)];
        assert_eq!(order(r#"{"kind": "scfq"}"#, &[], &arrivals), [0, 1, 2, 3, 4, 5]);
    }
}
