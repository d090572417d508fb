//! Packets with tags: of each conversation in order of arrival, of all conversations the one with the smallest tag first.

use super::{IndexedHeap, Ring};
use crate::{Backlog, Cx, DropReason};
use headgate_packet::{Buffer, Packet};

#[derive(Clone, Copy, Debug, Default)]
struct Tagged {
    packet: Packet,
    tag: u64,
    arrival: u64,
}

/// A sorted queue with drop-tail. Tags must not decrease within a conversation; equal ones go by arrival.
#[derive(Clone, Debug)]
pub struct TagQueue {
    buffer: Buffer,
    conversations: Vec<Ring<Tagged>>,
    /// Backlogged conversations by the tag of their first packet.
    heads: IndexedHeap,
    backlog: Backlog,
    arrivals: u64,
}

impl TagQueue {
    /// An empty queue for conversations below `flows`.
    pub fn new(buffer: Buffer, flows: usize) -> TagQueue {
        TagQueue {
            buffer,
            conversations: vec![Ring::default(); flows],
            heads: IndexedHeap::new(flows),
            backlog: Backlog::default(),
            arrivals: 0,
        }
    }

    /// Whether the packet fits; if not it is dropped.
    pub fn admit(&self, packet: &Packet, cx: &mut Cx<'_>) -> bool {
        let fits = !self.buffer.exceeded_by(self.backlog.packets + 1, self.backlog.bytes + u64::from(packet.bytes));
        if !fits {
            cx.drop(packet, DropReason::Full);
        }
        fits
    }

    /// Queues an admitted packet.
    pub fn push(&mut self, packet: Packet, tag: u64) {
        self.arrivals += 1;
        let (flow, arrival) = (packet.flow, self.arrivals);
        let queue = &mut self.conversations[flow.index()];
        if queue.is_empty() {
            self.heads.set(flow.0, (tag, arrival));
        }
        queue.push_back(Tagged { packet, tag, arrival });
        self.backlog.add(packet.bytes);
    }

    /// Takes the packet with the smallest tag.
    pub fn pop(&mut self) -> Option<(Packet, u64)> {
        let (_, flow) = self.heads.first()?;
        let queue = &mut self.conversations[flow as usize];
        let Tagged { packet, tag, .. } = queue.pop_front()?;
        match queue.front() {
            Some(next) => self.heads.set(flow, (next.tag, next.arrival)),
            None => self.heads.remove(flow),
        }
        self.backlog.remove(packet.bytes);
        Some((packet, tag))
    }

    /// What waits.
    #[inline]
    pub fn backlog(&self) -> Backlog {
        self.backlog
    }
}
