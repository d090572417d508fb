//! The work of a structure by itself: recorded calls played again, and workloads made up for it.
//!
//! Source: Keshav 1991, section 3.5: a simulation leaves a trace of calls, which each structure then processes; table 3.1 is about
//! workloads of a known distribution.

use super::{AnyHeap, BoundedHeap as _, Structure, Tagged, Work};
use headgate_packet::{FlowId, Packet, Rng};
use serde::Deserialize;

/// One line of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// A packet with this tag, of this conversation, is put in.
    Insert {
        /// Its tag.
        bid: u64,
        /// Its conversation.
        conversation: u32,
    },
    /// The packet with the smallest tag is taken.
    GetMin,
}

fn tagged(bid: u64, conversation: u32, arrival: u64) -> Tagged {
    Tagged { packet: Packet { flow: FlowId(conversation), bytes: 1, ..Packet::default() }, bid, arrival }
}

/// Plays a trace through an empty structure that holds at most `most` packets.
pub fn replay(kind: Structure, calls: &[Call], conversations: usize, most: u64) -> Work {
    let (mut heap, mut work, mut held) = (AnyHeap::new(kind, conversations), Work::default(), 0);
    for (number, call) in calls.iter().enumerate() {
        match *call {
            Call::Insert { bid, conversation } => {
                let mut operations = heap.insert(tagged(bid, conversation, number as u64));
                held += 1;
                while held > most {
                    operations += heap.pop_victim().map_or(0, |(_, more)| more);
                    held -= 1;
                }
                work.insert.add(operations);
            }
            Call::GetMin => {
                if let Some((_, operations)) = heap.pop_min() {
                    held -= 1;
                    work.get.add(operations);
                }
            }
        }
    }
    work
}

/// How the tags of a made-up workload arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// Independent and uniform; within a conversation in rising order.
    Random,
    /// Each larger than all before.
    Rising,
    /// Each smaller than all before. A conversation may have one packet only.
    Falling,
    /// Rising, and the last one smaller than all. A conversation may have one packet only.
    LastLeast,
}

impl Order {
    /// Number of insertions.
    pub fn calls(self, packets: usize, conversations: u32, rng: &mut Rng) -> Vec<Call> {
        let tags = self.tags(packets, conversations, rng);
        tags.into_iter().map(|(bid, conversation)| Call::Insert { bid, conversation }).collect()
    }

    /// Tags, each with its conversation, in the order of insertion.
    fn tags(self, packets: usize, conversations: u32, rng: &mut Rng) -> Vec<(u64, u32)> {
        let mut owners: Vec<u32> = (0..packets as u32).map(|i| i % conversations).collect();
        for i in (1..packets).rev() {
            owners.swap(i, rng.below(i as u64 + 1) as usize);
        }
        match self {
            Order::Rising => owners.into_iter().enumerate().map(|(i, owner)| (i as u64, owner)).collect(),
            Order::LastLeast => {
                owners.into_iter().enumerate().map(|(i, owner)| ((i as u64 + 1) % packets as u64, owner)).collect()
            }
            Order::Falling => owners.into_iter().enumerate().map(|(i, owner)| ((packets - i) as u64, owner)).collect(),
            Order::Random => {
                // The tags of each conversation, in rising order, go to its packets one by one.
                let mut tags: Vec<(u32, u64)> = owners.iter().map(|owner| (*owner, rng.below(1 << 62))).collect();
                tags.sort_unstable();
                let mut next: Vec<usize> =
                    (0..conversations).map(|owner| tags.partition_point(|(other, _)| *other < owner)).collect();
                let mut take = |owner: u32| {
                    let place = next[owner as usize];
                    next[owner as usize] += 1;
                    (tags[place].1, owner)
                };
                owners.into_iter().map(&mut take).collect()
            }
        }
    }
}

/// Fills a structure with `packets` packets and counts what one more insertion, followed by its discard if the structure is `full`, and
/// one get_min cost; as often as `trials` says, each time from new tags.
pub fn exercise(
    kind: Structure,
    order: Order,
    conversations: u32,
    packets: u32,
    full: bool,
    trials: u32,
    rng: &mut Rng,
) -> Work {
    let mut work = Work::default();
    for _ in 0..trials {
        let mut heap = AnyHeap::new(kind, conversations as usize);
        let mut operations = 0;
        for (number, (bid, owner)) in order.tags(packets as usize + 1, conversations, rng).into_iter().enumerate() {
            operations = heap.insert(tagged(bid, owner, number as u64));
        }
        if full {
            operations += heap.pop_victim().map_or(0, |(_, more)| more);
        }
        work.insert.add(operations);
        work.get.add(heap.pop_min().map_or(0, |(_, more)| more));
    }
    work
}
