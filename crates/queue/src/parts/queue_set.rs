//! Several first-in first-out queues that share one buffer: a full buffer takes from the longest queue.
//!
//! Source: McKenney 1990 (buffer stealing). Queues are compared in the unit of the buffer; where the arrival's queue is one of the
//! longest, the arrival counts in it; of others it is the one that got a packet last. A queue's number never matters.

use super::{IndexedHeap, Ring};
use crate::explain::{in_unit_of, tell_buffer, tell_fact};
use crate::{Backlog, Cx, DropReason, Look, Number, Tell};
use headgate_packet::{Buffer, Memory, Packet};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which packet makes room.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DropEnd {
    /// The last one of the longest queue.
    #[default]
    Tail,
    /// The first one of the longest queue.
    Head,
    /// The arriving packet, whichever queue is the longest.
    Arrival,
}

#[derive(Clone, Debug, Default)]
struct Queue {
    packets: Ring<Packet>,
    bytes: u64,
    /// Number of its last packet, in the order of arrival.
    latest: u64,
    /// What it held when its place in the order of lengths was found; 0 without a place.
    noted: u64,
}

/// Queues with a common buffer.
#[derive(Clone, Debug)]
pub struct QueueSet {
    buffer: Buffer,
    end: DropEnd,
    /// Queues are compared by their packets, otherwise by their bytes.
    by_packets: bool,
    queues: Vec<Queue>,
    /// Queues that hold something, the longest first. Packets sent since then are considered when the buffer is full, and arrivals only if a queue
    /// holds more than it did: most queues are never the longest.
    longest: IndexedHeap,
    backlog: Backlog,
    arrivals: u64,
}

impl QueueSet {
    /// What those keep that put conversations into queues by their numbers.
    pub const HASHED: Memory = Memory::of("its number, which gives the queue", Memory::NEVER);

    /// A number of empty queues.
    pub fn new(buffer: Buffer, end: DropEnd, queues: usize) -> QueueSet {
        QueueSet {
            buffer,
            end,
            by_packets: matches!(buffer, Buffer::Packets(_)),
            queues: vec![Queue::default(); queues],
            longest: IndexedHeap::new(queues),
            backlog: Backlog::default(),
            arrivals: 0,
        }
    }

    /// As `new`, for packets that are queued by [`QueueSet::push_and_trim`]: the longest queue is that with most bytes, whatever the unit of the buffer.
    pub fn by_bytes(buffer: Buffer, queues: usize) -> QueueSet {
        QueueSet { by_packets: false, ..QueueSet::new(buffer, DropEnd::Head, queues) }
    }

    /// Makes room for this number of queues, which never decreases.
    pub fn grow(&mut self, queues: usize) {
        self.queues.resize(queues.max(self.queues.len()), Queue::default());
        self.longest.grow(self.queues.len());
    }

    /// Queues a packet, dropping others or the packet itself as it takes; false if the packet was dropped.
    pub fn push(&mut self, queue: u32, packet: Packet, cx: &mut Cx<'_>) -> bool {
        self.push_with(queue, packet, cx, &mut |_, _, _| {})
    }

    /// As `push`; `evicted` is called for each packet that is dropped for it: its queue, the packet, and whether it was its queue's only one.
    #[inline]
    pub fn push_with(
        &mut self,
        queue: u32,
        packet: Packet,
        cx: &mut Cx<'_>,
        evicted: &mut impl FnMut(u32, Packet, bool),
    ) -> bool {
        let bytes = u64::from(packet.bytes);
        if !self.fits(&packet, cx) && !self.make_room(queue, bytes, cx, evicted) {
            cx.drop(&packet, DropReason::Full);
            return false;
        }
        self.append(queue, packet);
        true
    }

    #[inline]
    fn append(&mut self, queue: u32, packet: Packet) {
        self.arrivals += 1;
        let q = &mut self.queues[queue as usize];
        q.packets.push_back(packet);
        q.bytes += u64::from(packet.bytes);
        q.latest = self.arrivals;
        self.backlog.add(packet.bytes);
        if self.held(queue) >= self.queues[queue as usize].noted {
            self.reorder(queue);
        }
    }

    /// Queues a packet and then, as long as the buffer holds too much, drops half of the bytes of the longest queue from its head, but no more than `batch` packets
    /// at a time; false if the packet does not fit into an empty buffer.
    #[inline]
    pub fn push_and_trim(&mut self, queue: u32, packet: Packet, batch: u32, cx: &mut Cx<'_>) -> bool {
        if cx.exceeds(self.buffer, &Backlog::default(), 1, u64::from(packet.bytes)) {
            cx.drop(&packet, DropReason::Full);
            return false;
        }
        self.append(queue, packet);
        while cx.exceeds(self.buffer, &self.backlog, 0, 0) {
            self.trim(batch, cx);
        }
        true
    }

    /// Drops from the head of the longest queue.
    fn trim(&mut self, batch: u32, cx: &mut Cx<'_>) {
        let (_, queue) = self.longest();
        let (half, mut bytes) = (self.queues[queue as usize].bytes.div_ceil(2), 0);
        for _ in 0..batch {
            let Some(gone) = self.take(queue, DropEnd::Head) else { break };
            cx.drop(&gone, DropReason::Evicted);
            bytes += u64::from(gone.bytes);
            if bytes >= half {
                break;
            }
        }
        self.reorder(queue);
    }

    /// Drops what is needed to make room for additional bytes in a queue; false if they are refused.
    fn make_room(
        &mut self,
        queue: u32,
        bytes: u64,
        cx: &mut Cx<'_>,
        evicted: &mut impl FnMut(u32, Packet, bool),
    ) -> bool {
        if self.end == DropEnd::Arrival || cx.exceeds(self.buffer, &Backlog::default(), 1, bytes) {
            return false;
        }
        while cx.exceeds(self.buffer, &self.backlog, 1, bytes) {
            let (most, mut victim) = self.longest();
            if self.is_longest(queue, bytes, most) {
                victim = queue;
                // The arrival is the last packet of its queue, and its only one if nothing else waits there.
                if self.end == DropEnd::Tail || self.held(queue) == 0 {
                    return false;
                }
            }
            if let Some(gone) = self.take(victim, self.end) {
                self.reorder(victim);
                cx.drop(&gone, DropReason::Evicted);
                evicted(victim, gone, self.front(victim).is_none());
            }
        }
        true
    }

    /// Whether a queue is one of the longest with a packet of so many bytes more, if `most` is what the longest one holds.
    fn is_longest(&self, queue: u32, bytes: u64, most: u64) -> bool {
        self.held(queue) + if self.by_packets { 1 } else { bytes } >= most
    }

    /// As `push` into the conversation's own queue, for schedulers that order the first packets of the conversations: true if the packet
    /// became the first of its queue; `emptied` is called for each queue that lost its only packet.
    pub fn push_first(&mut self, packet: Packet, cx: &mut Cx<'_>, emptied: &mut impl FnMut(u32)) -> bool {
        let first = self.front(packet.flow.0).is_none();
        let mut evicted = |queue, _, only| {
            if only {
                emptied(queue);
            }
        };
        self.push_with(packet.flow.0, packet, cx, &mut evicted) && first
    }

    /// What decides whether a packet of a queue has room: the limit, what its queue holds, and what the longest one holds if there is none.
    pub fn explain(&self, queue: u32, packet: &Packet, look: &Look, tell: Tell<'_>) {
        tell_buffer(self.buffer, tell);
        let own = self.waiting(queue);
        tell(Number::OwnPackets, own.packets as f64);
        tell(Number::OwnBytes, own.bytes as f64);
        if look.exceeds(self.buffer, &self.backlog, 1, u64::from(packet.bytes)) && self.end != DropEnd::Arrival {
            let most = (0..self.queues.len() as u32).map(|queue| self.held(queue)).max().unwrap_or(0);
            tell(in_unit_of(self.buffer, Number::LongestPackets, Number::LongestBytes), most as f64);
            tell_fact(Number::OwnIsLongest, self.is_longest(queue, u64::from(packet.bytes), most), tell);
        }
    }

    /// Whether there is room for a packet.
    #[inline]
    pub fn fits(&self, packet: &Packet, cx: &Cx<'_>) -> bool {
        !cx.exceeds(self.buffer, &self.backlog, 1, u64::from(packet.bytes))
    }

    /// Takes the first packet of a queue.
    #[inline]
    pub fn pop(&mut self, queue: u32) -> Option<Packet> {
        self.take(queue, DropEnd::Head)
    }

    /// The first packet of a queue.
    #[inline]
    pub fn front(&self, queue: u32) -> Option<&Packet> {
        self.queues[queue as usize].packets.front()
    }

    /// The packets of a queue, first to last.
    pub fn packets(&self, queue: u32) -> impl Iterator<Item = &Packet> {
        let packets = &self.queues[queue as usize].packets;
        (0..packets.len()).filter_map(|i| packets.get(i))
    }

    /// What waits in a queue.
    #[inline]
    pub fn waiting(&self, queue: u32) -> Backlog {
        let q = &self.queues[queue as usize];
        Backlog { packets: q.packets.len() as u64, bytes: q.bytes }
    }

    /// What waits in all queues.
    #[inline]
    pub fn backlog(&self) -> Backlog {
        self.backlog
    }

    #[inline]
    fn held(&self, queue: u32) -> u64 {
        let Backlog { packets, bytes } = self.waiting(queue);
        if self.by_packets { packets } else { bytes }
    }

    /// What the longest queue holds, and which one that is.
    fn longest(&mut self) -> (u64, u32) {
        loop {
            let (_, queue) = self.longest.first().expect("a full buffer holds packets");
            // No queue is longer than the order has it.
            let held = self.held(queue);
            if held == self.queues[queue as usize].noted {
                return (held, queue);
            }
            self.reorder(queue);
        }
    }

    /// Brings the order of lengths up to date.
    fn reorder(&mut self, queue: u32) {
        let held = self.held(queue);
        let q = &mut self.queues[queue as usize];
        q.noted = held;
        match held {
            0 => self.longest.remove(queue),
            held => self.longest.set(queue, (!held, !q.latest)),
        }
    }

    #[inline]
    fn take(&mut self, queue: u32, end: DropEnd) -> Option<Packet> {
        let q = &mut self.queues[queue as usize];
        let packet = if end == DropEnd::Head { q.packets.pop_front() } else { q.packets.pop_back() }?;
        q.bytes -= u64::from(packet.bytes);
        self.backlog.remove(packet.bytes);
        Some(packet)
    }
}

/// Mixes the bits of a number, to spread conversations over queues (the finaliser of splitmix64).
pub fn scramble(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use headgate_packet::{Rng, Time};

    #[test]
    fn bits_are_mixed_as_splitmix64_mixes_them() {
        // The first numbers of that generator for these seeds.
        assert_eq!(scramble(0), 0xe220_a839_7b1d_cdaf);
        assert_eq!(scramble(1_234_567), 6_457_827_717_110_365_317);
    }

    #[test]
    fn to_grow_to_fewer_queues_keeps_all() {
        let mut set = QueueSet::new(Buffer::Packets(9), DropEnd::Tail, 3);
        let (mut rng, mut dropped) = (Rng::new(1, 0, "queue"), Vec::new());
        assert!(set.push(2, Packet::default(), &mut Cx::new(Time::ZERO, &mut rng, &mut dropped)));
        set.grow(1);
        assert_eq!(set.pop(2), Some(Packet::default()));
    }
}
