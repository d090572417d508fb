//! PERC: a queue per conversation, with a heap of their heads and a heap of their tails.
//!
//! Source: Keshav 1991, section 3.4. Within a conversation tags rise, so that the smallest is at a head and the largest at a tail.
//! The second heap may order the conversations by what they hold instead: the victim of 1989 is the last packet of the longest.
//! There, and with drop-tail, which has no victims, a conversation moves in it only when it holds more than before, or when it comes first and
//! is found to hold less; with the largest tags first, as in the thesis, at each change.
//! Counted: swaps of two conversations, in both heaps.

use super::{BoundedHeap, DropPolicy, Key, Tagged};
use crate::Backlog;
use crate::parts::{IndexedHeap, Packed, Ring};
use headgate_packet::Packet;

#[derive(Clone, Debug, Default)]
struct Queue {
    packets: Ring<Tagged>,
    bytes: u64,
    /// What it held when its place among the victims was found, if that is the longest first; 0 without a place.
    noted: u64,
}

/// Bits of an arrival's number beside a length: of two packets with one bid that arrive more than 2^24 apart either may be first.
const SHORT: u32 = 24;
/// A conversation that holds more counts as one that holds this much, 10^12.
const MOST_HELD: u64 = (1 << (64 - SHORT)) - 1;

/// A key by the tag of the first packet. Numbers of arrivals have 32 bits.
#[inline]
fn smallest((bid, arrival): Key) -> u128 {
    u128::from(bid) << u32::BITS | u128::from(arrival as u32)
}

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
    service: IndexedHeap<Packed>,
    /// Backlogged conversations by the drop policy, the victim first.
    victims: IndexedHeap,
}

impl Perc {
    /// Empty queues; `in_bytes` says whether the longest is the one with most bytes or with most packets.
    pub fn new(policy: DropPolicy, in_bytes: bool, flows: usize) -> Perc {
        Perc {
            policy,
            in_bytes,
            queues: vec![Queue::default(); flows],
            service: IndexedHeap::new(flows),
            victims: IndexedHeap::new(flows),
        }
    }

    /// Sets the number of conversations.
    pub fn grow(&mut self, flows: usize) {
        self.queues.resize(flows, Queue::default());
        self.service.grow(flows);
        self.victims.grow(flows);
    }

    /// The packet with the smallest tag.
    pub fn least(&self) -> Option<&Tagged> {
        let (_, flow) = self.service.first()?;
        self.queues[flow as usize].packets.front()
    }

    /// What a conversation holds.
    #[inline]
    pub fn held(&self, flow: usize) -> u64 {
        let queue = &self.queues[flow];
        if self.in_bytes { queue.bytes } else { queue.packets.len() as u64 }
    }

    /// Whether a packet's conversation is one of those that hold most with it, if `most` is what the first of the others holds.
    pub fn is_longest(&self, packet: &Packet, most: u64) -> bool {
        let more = if self.in_bytes { u64::from(packet.bytes) } else { 1 };
        self.held(packet.flow.index()) + more >= most
    }

    /// Packets and bytes of a conversation.
    pub fn waiting(&self, flow: usize) -> Backlog {
        let queue = &self.queues[flow];
        Backlog { packets: queue.packets.len() as u64, bytes: queue.bytes }
    }

    /// As `most_held`, where nothing may change; it looks at all conversations.
    pub fn most_held_now(&self) -> u64 {
        (0..self.queues.len()).map(|flow| self.held(flow)).max().unwrap_or(0)
    }

    /// What the conversation that holds most does hold; only where room is made that way.
    #[inline]
    pub fn most_held(&mut self) -> Option<u64> {
        self.settle();
        self.victims.first().map(|((key, _), _)| MOST_HELD - (key >> SHORT))
    }

    /// The victim by length comes first among the victims. No conversation holds more than is noted.
    #[inline]
    fn settle(&mut self) -> u32 {
        let mut swaps = 0;
        while let Some((_, flow)) = self.victims.first() {
            let held = self.held(flow as usize);
            let queue = &mut self.queues[flow as usize];
            if held == queue.noted && !queue.packets.is_empty() {
                break;
            }
            queue.noted = held;
            swaps += match queue.packets.back() {
                Some(tail) => self.victims.put_back(by_length(held, tail.key())),
                None => self.victims.remove_counted(flow),
            };
        }
        swaps
    }

    /// A conversation has got a packet; gives the swaps.
    #[inline]
    fn grown(&mut self, flow: u32, tail: Key) -> u32 {
        match self.policy {
            DropPolicy::LargestBid => self.victims.set_counted(flow, largest(tail)),
            // Of equally long ones the one whose last packet would be sent last: no conversation is preferred for its number.
            DropPolicy::LongestQueue => {
                let held = self.held(flow as usize);
                let queue = &mut self.queues[flow as usize];
                if held < queue.noted {
                    return 0;
                }
                queue.noted = held;
                self.victims.set_counted(flow, by_length(held, tail))
            }
            DropPolicy::Arrival => 0,
        }
    }

    /// A conversation has lost its last packet, or its only one; gives the swaps.
    #[inline]
    fn shrunk(&mut self, flow: u32) -> u32 {
        let tail = self.queues[flow as usize].packets.back().map(Tagged::key);
        let service = if tail.is_none() { self.service.remove_counted(flow) } else { 0 };
        let victims = match (self.policy, tail) {
            (DropPolicy::LargestBid, Some(tail)) => self.victims.set_counted(flow, largest(tail)),
            (DropPolicy::LargestBid, None) => self.victims.remove_counted(flow),
            (DropPolicy::LongestQueue | DropPolicy::Arrival, _) => 0,
        };
        service + victims
    }
}

/// A key by the tag of the last packet, the largest first.
#[inline]
fn largest((bid, arrival): Key) -> Key {
    (!bid, !arrival)
}

impl BoundedHeap for Perc {
    #[inline]
    fn insert(&mut self, item: Tagged) -> u32 {
        let flow = item.packet.flow.0;
        let queue = &mut self.queues[flow as usize];
        let first = queue.packets.is_empty();
        queue.packets.push_back(item);
        queue.bytes += u64::from(item.packet.bytes);
        // Otherwise the head is the one it was.
        let swaps = if first { self.service.set_counted(flow, smallest(item.key())) } else { 0 };
        swaps + self.grown(flow, item.key())
    }

    #[inline]
    fn pop_min(&mut self) -> Option<(Tagged, u32)> {
        let (_, flow) = self.service.first()?;
        let queue = &mut self.queues[flow as usize];
        let next = queue.packets.pop_front()?;
        queue.bytes -= u64::from(next.packet.bytes);
        let swaps = match queue.packets.front() {
            // The tail is the one it was.
            Some(head) => self.service.put_back(smallest(head.key())),
            None => self.shrunk(flow),
        };
        Some((next, swaps))
    }

    #[inline]
    fn pop_victim(&mut self) -> Option<(Tagged, u32)> {
        let settled = if self.policy == DropPolicy::LongestQueue { self.settle() } else { 0 };
        let (_, flow) = self.victims.first()?;
        let queue = &mut self.queues[flow as usize];
        let gone = queue.packets.pop_back()?;
        queue.bytes -= u64::from(gone.packet.bytes);
        Some((gone, settled + self.shrunk(flow)))
    }
}
