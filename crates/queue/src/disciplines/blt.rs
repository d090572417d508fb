//! The switch of the bandwidth-latency tradeoff: first come, first served, and a full buffer drops a worse packet for a better one.
//!
//! Source: Kim and Farber 1994, section 3.3.2.
//! - While there is room the queue is in the order of arrival, whatever the priorities.
//! - In a full buffer an arrival that is no better than any waiting packet is dropped. Otherwise one of the worse packets is dropped, the
//!   others keep their order, and the arrival joins at the end.
//! - As printed, the worse packet nearest to the end of the queue is dropped, even when others are worse still; the paper announces the
//!   correction that the worst of all is dropped.
//! - A flow's priority is the paper's P(.): 0 is the highest, and an equal priority is not better.
//!
//! Deviations:
//! - With the correction, the last of several equally bad packets is dropped (the paper does not say).
//! - A buffer in bytes drops as many packets as the arrival needs.
//!
//! State per flow: none. State per priority in use: a ring; each packet costs O(log of their number), a push-out their number.

use crate::explain::tell_buffer;
use crate::parts::{IndexedHeap, Ring};
use crate::{Backlog, Cx, Discipline, Does, DropReason, LinkInfo, Look, Number, Priorities, Tell};
use headgate_packet::{Buffer, Card, Check, Packet};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which worse packet a full buffer drops.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Discard {
    /// The one nearest to the end of the queue.
    #[default]
    Printed,
    /// The worst one; of several the one nearest to the end of the queue.
    Corrected,
}

/// First come, first served; low priorities are dropped first. It is the gateway of the bandwidth-latency tradeoff: a full buffer drops a packet of
/// lower priority for one of higher.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BltParams {
    /// Maximum backlog, in packets or bytes; the packet in transmission is not counted.
    pub buffer: Buffer,
    /// Which worse packet a full buffer drops.
    pub discard: Discard,
}

impl Default for BltParams {
    fn default() -> BltParams {
        BltParams { buffer: Buffer::Packets(100), discard: Discard::Printed }
    }
}

impl Check for BltParams {}

impl BltParams {
    /// How many levels of urgency it knows.
    pub(crate) fn levels(&self) -> Option<u32> {
        Some(1 << u8::BITS)
    }
}

/// The queue of a switch of the bandwidth-latency tradeoff.
#[derive(Clone, Debug)]
pub struct Blt {
    params: BltParams,
    /// Of each priority the waiting packets with their arrival numbers: the queue is all of them in the order of these.
    levels: Vec<Ring<(Packet, u64)>>,
    /// Priorities in use, ordered by the arrival number of their first packet.
    heads: IndexedHeap,
    arrivals: u64,
    backlog: Backlog,
}

/// A packet's class is a byte.
const LEVELS: usize = 256;

impl Blt {
    /// What it says of itself.
    pub const CARD: Card = Card {
        main: &["buffer"],
        says: &[include_str!("blt.says")],
        ..Card::of("Kim and Farber 1994, section 3.3.2")
    };

    /// An empty queue.
    pub fn new(params: &BltParams, _link: &LinkInfo) -> Blt {
        Blt {
            params: params.clone(),
            levels: Vec::new(),
            heads: IndexedHeap::new(LEVELS),
            arrivals: 0,
            backlog: Backlog::default(),
        }
    }

    /// The priority whose last packet makes room for one of priority `class`; `None` if no worse packet waits.
    fn victim(&self, class: usize) -> Option<usize> {
        let mut worse = self.worse(class);
        match self.params.discard {
            Discard::Printed => worse.max_by_key(|l| self.levels[*l].back().map(|last| last.1)),
            Discard::Corrected => worse.next_back(),
        }
    }

    /// The priorities below `class` of which a packet waits.
    fn worse(&self, class: usize) -> impl DoubleEndedIterator<Item = usize> {
        (class + 1..self.levels.len()).filter(|l| !self.levels[*l].is_empty())
    }

    /// Brings the order of the heads up to date.
    fn reorder(&mut self, level: usize) {
        match self.levels[level].front() {
            Some((_, arrival)) => self.heads.set(level as u32, (*arrival, 0)),
            None => self.heads.remove(level as u32),
        }
    }
}

impl Discipline for Blt {
    const DOES: Does = Does { priorities: Some(Priorities { best: 0, worst: 7 }), ..Does::NOTHING };
    const PER_CONVERSATION: bool = false;

    fn enqueue(&mut self, packet: Packet, cx: &mut Cx<'_>) {
        let (class, bytes, buffer) = (usize::from(packet.class), u64::from(packet.bytes), self.params.buffer);
        let mut refused = cx.exceeds(buffer, &Backlog::default(), 1, bytes);
        while !refused && cx.exceeds(buffer, &self.backlog, 1, bytes) {
            let victim = self.victim(class);
            match victim.and_then(|level| self.levels[level].pop_back()) {
                Some((gone, _)) => {
                    self.backlog.remove(gone.bytes);
                    cx.drop(&gone, DropReason::Evicted);
                    self.reorder(usize::from(gone.class));
                }
                None => refused = true,
            }
        }
        if refused {
            cx.drop(&packet, DropReason::Full);
            return;
        }
        if class >= self.levels.len() {
            self.levels.resize(class + 1, Ring::default());
        }
        self.arrivals += 1;
        self.backlog.add(packet.bytes);
        self.levels[class].push_back((packet, self.arrivals));
        self.reorder(class);
    }

    fn dequeue(&mut self, _cx: &mut Cx<'_>) -> Option<Packet> {
        let (_, level) = self.heads.first()?;
        let (packet, _) = self.levels[level as usize].pop_front()?;
        self.backlog.remove(packet.bytes);
        self.reorder(level as usize);
        Some(packet)
    }

    #[inline]
    fn backlog(&self) -> Backlog {
        self.backlog
    }

    fn explain(&self, packet: &Packet, _look: &Look, tell: Tell<'_>) {
        let class = usize::from(packet.class);
        tell_buffer(self.params.buffer, tell);
        tell(Number::Priority, class as f64);
        tell(Number::Ahead, self.backlog.packets as f64);
        tell(Number::Worse, self.worse(class).map(|level| self.levels[level].len()).sum::<usize>() as f64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::test::csv;
    use headgate_packet::{Rate, Rng, Time};
    use proptest::prelude::*;

    fn queue(discard: Discard, places: u64) -> Blt {
        let link = LinkInfo { rate: Rate::from_bps(8).unwrap(), flows: 1, weights: vec![], hosts: vec![] };
        Blt::new(&BltParams { buffer: Buffer::Packets(places), discard }, &link)
    }

    /// Calls a queue with a context; gives the handles of what was dropped meanwhile.
    fn with<T>(queue: &mut Blt, call: impl FnOnce(&mut Blt, &mut Cx<'_>) -> T) -> (T, Vec<u32>) {
        let (mut rng, mut dropped) = (Rng::new(0, 0, "test"), Vec::new());
        let result = call(queue, &mut Cx::new(Time::ZERO, &mut rng, &mut dropped));
        (result, dropped.iter().map(|d| d.handle).collect())
    }

    fn packet(handle: u32, class: u8) -> Packet {
        Packet { handle, class, bytes: 1, ..Packet::default() }
    }

    /// What waits, head first.
    fn waiting(queue: &Blt) -> Vec<(u32, u8)> {
        let mut copy = queue.clone();
        with(&mut copy, |q, cx| std::iter::from_fn(|| q.dequeue(cx)).map(|p| (p.handle, p.class)).collect()).0
    }

    /// The worked example of five places, by the printed rule and corrected. Packets are letters.
    #[test]
    fn the_worked_example() {
        let letter = |name: &str| u32::from(name.as_bytes()[0]);
        let mut steps = 0;
        let mut switch = queue(Discard::Printed, 5);
        for row in csv(include_str!("../../tests/data/blt_switch.csv")) {
            let expected: Vec<(u32, u8)> = row[6].split(' ').map(|p| (letter(p), p[1..].parse().unwrap())).collect();
            let mut gone = Vec::new();
            match row[2].split_once(' ') {
                None if row[2] == "initial" => {
                    switch = queue(if row[0] == "printed" { Discard::Printed } else { Discard::Corrected }, 5);
                    for &(handle, class) in &expected {
                        with(&mut switch, |q, cx| q.enqueue(packet(handle, class), cx));
                    }
                }
                Some((_, name)) => {
                    let arrival = packet(letter(name), row[3].parse().unwrap());
                    gone = with(&mut switch, |q, cx| q.enqueue(arrival, cx)).1;
                }
                None => assert_eq!(with(&mut switch, |q, cx| q.dequeue(cx)).0.map(|p| p.handle), Some(letter(row[4]))),
            }
            // "C@3": the packet and its place; without a place it is the arrival.
            assert_eq!(gone.first().copied(), row[5].split('@').next().filter(|p| !p.is_empty()).map(letter), "{row:?}");
            assert_eq!(waiting(&switch), expected, "{row:?}");
            steps += 1;
        }
        assert_eq!(steps, 22);
    }

    #[test]
    fn bytes_give_up_as_many_as_it_takes() {
        let mut switch = queue(Discard::Printed, 5);
        switch.params.buffer = Buffer::Bytes(10);
        for (handle, class, bytes) in [(0, 1, 3), (1, 2, 3), (2, 0, 1), (3, 1, 3)] {
            with(&mut switch, |q, cx| q.enqueue(Packet { bytes, ..packet(handle, class) }, cx));
        }
        let (_, gone) = with(&mut switch, |q, cx| q.enqueue(Packet { bytes: 6, ..packet(4, 0) }, cx));
        assert_eq!((gone, waiting(&switch)), (vec![3, 1], vec![(0, 1), (2, 0), (4, 0)]));
    }

    /// The rule as section 3.3.2 prints it, on one list.
    fn printed(queue: &mut Vec<(u32, u8)>, places: usize, corrected: bool, arrival: (u32, u8)) -> Option<u32> {
        if queue.len() < places {
            queue.push(arrival);
            return None;
        }
        // (a) if P(pkt) >= P(Q[j]) for all j: drop pkt. (b) else j = max(j) with P(Q[j]) > P(pkt); corrected: with the largest P.
        let worse = (0..queue.len()).filter(|j| queue[*j].1 > arrival.1);
        let j = if corrected { worse.max_by_key(|j| (queue[*j].1, *j)) } else { worse.max() };
        let Some(j) = j else { return Some(arrival.0) };
        let gone = queue.remove(j).0;
        queue.push(arrival);
        Some(gone)
    }

    proptest! {
        #[test]
        fn it_does_what_is_printed(
            calls in prop::collection::vec(prop::option::weighted(0.8, 0..6u8), 1..200), places in 1..9usize, corrected: bool,
        ) {
            let discard = if corrected { Discard::Corrected } else { Discard::Printed };
            let (mut switch, mut list) = (queue(discard, places as u64), Vec::new());
            for (handle, call) in (0..).zip(calls) {
                if let Some(class) = call {
                    let (_, gone) = with(&mut switch, |q, cx| q.enqueue(packet(handle, class), cx));
                    prop_assert_eq!(gone.first().copied(), printed(&mut list, places, corrected, (handle, class)));
                } else {
                    let (served, _) = with(&mut switch, |q, cx| q.dequeue(cx));
                    let first = if list.is_empty() { None } else { Some(list.remove(0).0) };
                    prop_assert_eq!(served.map(|p| p.handle), first);
                }
                prop_assert_eq!(waiting(&switch), list.clone());
            }
        }
    }
}
