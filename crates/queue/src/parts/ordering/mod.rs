//! Structures that hold the packets of Fair Queueing: four behind one interface, each counting its work.
//!
//! Source: Keshav 1991, sections 3.3 to 3.5. The thesis's bounded heap has two calls: insert puts a packet in and then discards the
//! packets with the largest tags while there are too many; get_min takes the packet with the smallest tag. The tag is the bid.
//! Equal tags, which the thesis leaves open, are in the order of arrival: the later one counts as larger.
//! Here the owner of the buffer decides how many are too many, and calls `pop_victim` once for each.

mod heap;
mod link;
mod perc;
mod replay;
mod slab;
#[cfg(test)]
mod tests;
mod tree;

pub use heap::Heap;
pub use link::Link;
pub use perc::Perc;
pub use replay::{Call, Order, exercise, replay};
pub use tree::Tree;

use super::indexed_heap::Key;
use headgate_packet::Packet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The structure that holds the waiting packets. All give the same packets in the same order; they differ in cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Structure {
    /// A list in the order of the bids; a packet is inserted from the end of the largest bid.
    Link,
    /// A binary search tree that is never balanced.
    Tree,
    /// A heap by smallest and a heap by largest bid, with pointers between them.
    Heap,
    /// A queue per conversation, with a heap of their heads and a heap of their tails.
    #[default]
    Perc,
}

/// Which packet is dropped from a full buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DropPolicy {
    /// The last packet of the conversation that uses most of the buffer (1989, section 2.2).
    #[default]
    LongestQueue,
    /// The packet with the largest bid, of any conversation (1991, chapter 3).
    LargestBid,
    /// The arriving packet (drop-tail).
    Arrival,
}

/// A waiting packet. Within a conversation tags rise from packet to packet.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tagged {
    /// The packet.
    pub packet: Packet,
    /// Its tag.
    pub bid: u64,
    /// Its number in the order of arrival.
    pub arrival: u64,
}

impl Tagged {
    #[inline]
    fn key(&self) -> Key {
        (self.bid, self.arrival)
    }
}

/// A bounded heap. Every call returns the number of elementary operations it took: links traversed, or swaps of two elements.
pub trait BoundedHeap {
    /// Puts a packet in.
    fn insert(&mut self, item: Tagged) -> u32;
    /// Takes the packet with the smallest tag.
    fn pop_min(&mut self) -> Option<(Tagged, u32)>;
    /// Takes the packet that makes room: the one with the largest tag, unless the structure knows another policy.
    fn pop_victim(&mut self) -> Option<(Tagged, u32)>;
}

/// Any of the structures, with static dispatch.
#[derive(Clone, Debug)]
pub enum AnyHeap {
    /// `link`
    Link(Link),
    /// `tree`
    Tree(Tree),
    /// `heap`
    Heap(Heap),
    /// `perc`
    Perc(Perc),
    /// Any of them while its calls are recorded.
    Recorded(Box<Recorded>),
}

/// A structure and the calls that it got.
#[derive(Clone, Debug)]
pub struct Recorded {
    heap: AnyHeap,
    calls: Vec<Call>,
}

impl AnyHeap {
    /// An empty structure that makes room by the largest tag.
    pub fn new(kind: Structure, flows: usize) -> AnyHeap {
        match kind {
            Structure::Link => AnyHeap::Link(Link::default()),
            Structure::Tree => AnyHeap::Tree(Tree::default()),
            Structure::Heap => AnyHeap::Heap(Heap::default()),
            Structure::Perc => AnyHeap::Perc(Perc::new(DropPolicy::LargestBid, false, flows)),
        }
    }

    /// Sets the number of conversations.
    pub fn grow(&mut self, flows: usize) {
        match self {
            AnyHeap::Perc(perc) => perc.grow(flows),
            AnyHeap::Recorded(recorded) => recorded.heap.grow(flows),
            AnyHeap::Link(_) | AnyHeap::Tree(_) | AnyHeap::Heap(_) => {}
        }
    }

    /// Records all calls from now on.
    pub fn record(&mut self) {
        let heap = std::mem::replace(self, AnyHeap::Link(Link::default()));
        *self = AnyHeap::Recorded(Box::new(Recorded { heap, calls: Vec::new() }));
    }

    /// The calls recorded.
    pub fn calls(&self) -> &[Call] {
        if let AnyHeap::Recorded(recorded) = self { &recorded.calls } else { &[] }
    }
}

headgate_packet::dispatch! {
    impl BoundedHeap for AnyHeap [Link, Tree, Heap, Perc, Recorded] {
        #[inline]
        fn insert(&mut self, item: Tagged) -> u32;
        #[inline]
        fn pop_min(&mut self) -> Option<(Tagged, u32)>;
        #[inline]
        fn pop_victim(&mut self) -> Option<(Tagged, u32)>;
    }
}

impl BoundedHeap for Recorded {
    #[cold]
    fn insert(&mut self, item: Tagged) -> u32 {
        self.calls.push(Call::Insert { bid: item.bid, conversation: item.packet.flow.0 });
        self.heap.insert(item)
    }
    #[cold]
    fn pop_min(&mut self) -> Option<(Tagged, u32)> {
        let least = self.heap.pop_min()?;
        self.calls.push(Call::GetMin);
        Some(least)
    }
    #[cold]
    fn pop_victim(&mut self) -> Option<(Tagged, u32)> {
        self.heap.pop_victim()
    }
}

/// What the calls of one kind cost, in elementary operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Calls.
    pub calls: u64,
    /// Operations in all of them.
    pub operations: u64,
    /// Maximum number of operations in one call.
    pub most: u32,
}

impl Cost {
    /// One more call.
    #[inline]
    pub fn add(&mut self, operations: u32) {
        self.calls += 1;
        self.operations += u64::from(operations);
        self.most = self.most.max(operations);
    }
    /// Takes in the calls of another count.
    pub fn merge(&mut self, other: &Cost) {
        self.calls += other.calls;
        self.operations += other.operations;
        self.most = self.most.max(other.most);
    }
}

/// The work of a structure: insert with the discards that it causes, and get_min.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Of insert, discards included: the thesis's metric is operations over calls.
    pub insert: Cost,
    /// Of get_min.
    pub get: Cost,
}
