//! PERC: a queue per conversation, with a heap of their heads and a heap of their tails.
//!
//! Source: Keshav 1991, section 3.4. Within a conversation tags rise, so that the smallest is at a head and the largest at a tail.
//! The second heap may order the conversations by what they hold instead: the victim of 1989 is the last packet of the longest.
//! Counted: swaps of two conversations, in both heaps.

use super::{BoundedHeap, DropPolicy, Key, Tagged};
use crate::parts::{IndexedHeap, Ring};

#[derive(Clone, Debug, Default)]
struct Queue {
    packets: Ring<Tagged>,
    bytes: u64,
}

/// Bits of an arrival's number beside a length: of two packets with one bid that come more than 2^24 apart either may go first.
const SHORT: u32 = 24;
/// A conversation that holds more counts as one that holds this much, a million of millions.
const MOST_HELD: u64 = (1 << (64 - SHORT)) - 1;

/// A key by what is held and by the tag of the last packet, the largest first.
#[inline]
fn by_length(held: u64, (bid, arrival): Key) -> Key {
    let (left, bid) = (MOST_HELD - held.min(MOST_HELD), !bid);
    (left << SHORT | bid >> (64 - SHORT), bid << SHORT | (!arrival & ((1 << SHORT) - 1)))
}

/// Queues per conversation.
#[derive(Clone, Debug)]
pub struct Perc {
    policy: DropPolicy,
    in_bytes: bool,
    queues: Vec<Queue>,
    /// Backlogged conversations by the tag of their first packet.
    service: IndexedHeap,
    /// Backlogged conversations by the drop policy, the victim first.
    victims: IndexedHeap,
}

impl Perc {
    /// Empty queues; `in_bytes` tells the unit in which the longest is sought.
    pub fn new(policy: DropPolicy, in_bytes: bool, flows: usize) -> Perc {
        Perc {
            policy,
            in_bytes,
            queues: vec![Queue::default(); flows],
            service: IndexedHeap::new(flows),
            victims: IndexedHeap::new(flows),
        }
    }

    /// There are now so many conversations.
    pub fn grow(&mut self, flows: usize) {
        self.queues.resize(flows, Queue::default());
        self.service.grow(flows);
        self.victims.grow(flows);
    }

    /// What a conversation holds.
    #[inline]
    pub fn held(&self, flow: usize) -> u64 {
        let queue = &self.queues[flow];
        if self.in_bytes { queue.bytes } else { queue.packets.len() as u64 }
    }

    /// What the conversation that holds most does hold; only where room is made that way.
    #[inline]
    pub fn most_held(&self) -> Option<u64> {
        self.victims.first().map(|((key, _), _)| MOST_HELD - (key >> SHORT))
    }

    /// Brings the heaps up to date with a conversation's queue; gives the swaps.
    #[inline]
    fn reorder(&mut self, flow: u32) -> u32 {
        let queue = &self.queues[flow as usize].packets;
        let (Some(head), Some(tail)) = (queue.front(), queue.back()) else {
            return self.service.remove_counted(flow) + self.victims.remove_counted(flow);
        };
        let (head, tail) = (head.key(), tail.key());
        let victim: Key = match self.policy {
            // Of equally long ones the one whose last packet is to leave last: no conversation is preferred for its number.
            DropPolicy::LongestQueue => by_length(self.held(flow as usize), tail),
            DropPolicy::LargestBid | DropPolicy::Arrival => (u64::MAX - tail.0, u64::MAX - tail.1),
        };
        self.service.set_counted(flow, head) + self.victims.set_counted(flow, victim)
    }
}

impl BoundedHeap for Perc {
    #[inline]
    fn insert(&mut self, item: Tagged) -> u32 {
        let queue = &mut self.queues[item.packet.flow.index()];
        queue.packets.push_back(item);
        queue.bytes += u64::from(item.packet.bytes);
        self.reorder(item.packet.flow.0)
    }

    #[inline]
    fn pop_min(&mut self) -> Option<(Tagged, u32)> {
        let (_, flow) = self.service.first()?;
        let queue = &mut self.queues[flow as usize];
        let next = queue.packets.pop_front()?;
        queue.bytes -= u64::from(next.packet.bytes);
        Some((next, self.reorder(flow)))
    }

    #[inline]
    fn pop_victim(&mut self) -> Option<(Tagged, u32)> {
        let (_, flow) = self.victims.first()?;
        let queue = &mut self.queues[flow as usize];
        let gone = queue.packets.pop_back()?;
        queue.bytes -= u64::from(gone.packet.bytes);
        Some((gone, self.reorder(flow)))
    }
}
