//! DRR++: Deficit Round Robin in which a queue that begins to hold packets is served before those that have held some for longer.
//!
//! Source: RFC 8290, sections 4.1 and 4.2 (after MacGregor and Shi 2000), without its CoDel, which is the `aqm`.
//! - A queue that is on no list is put at the end of the list of new queues with a quantum of credit. One without credit gets a quantum and goes to the end of the
//!   list of old queues. New queues are served before old ones.
//! - A queue that is found empty leaves the list of old queues; from that of new queues it goes to the old ones first, so that no queue becomes new again at once.
//! - A full buffer drops from the head of the queue that holds most bytes, half of its bytes or `drop_batch` packets.
//!
//! Deviations:
//! - Half of the bytes, as Linux and ns-3 have it; section 4.1 speaks of half of the packets. Of equally long queues the one that got a
//!   packet last, so that numbers of queues do not matter; in Linux that with the lowest number.
//! - A queue is without credit at zero too (section 3; section 4.2 says negative).
//! - An AQM does not learn of packets that a full buffer drops; in Linux they count as drops of CoDel.
//! - A packet that an AQM drops as it leaves takes no credit.
//! - Section 4.2 does not say what becomes of emptied queues on an idle line. Here, as in ns-3, a driver asks once more as the last transmission ends: both lists
//!   are empty then, and a flow that returns is new. It is made up for as the next packet arrives, so that gauges show the lists as they were until then. Linux asks
//!   until it gets nothing while its driver takes packets, and lets a packet that finds the queue empty pass it by.
//! - Packets are put into queues by a hash of the conversation's number; with `queues = 0` each conversation has its own.
//!
//! State per queue: its packets and 24 bytes. A conversation with its own queue is forgotten once its queue is on no list.

use crate::disciplines::drr::check_quantum;
use crate::explain::tell_buffer;
use crate::parts::{NEW_AND_OLD_SAYS, QueueSet, Ring, scramble};
use crate::{Backlog, Cx, Discipline, LinkInfo, Look, Number, Tell};
use headgate_packet::{Buffer, Bytes, Card, Check, FlowId, Memory, Packet, Time, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// DRR++: Deficit Round Robin that serves new queues first. These are queues that begin to hold packets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DrrPlusPlusParams {
    /// Maximum backlog of all queues together, in packets or bytes; the packet in transmission is not counted.
    pub buffer: Buffer,
    /// Number of queues, into which conversations are put by a hash; 0 for one per conversation.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub queues: u32,
    /// Bytes of credit that a queue gets at a time.
    pub quantum: Bytes,
    /// Largest number of packets that a full buffer drops at a time.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub drop_batch: u32,
    /// Manages each queue actively: what drops or marks packets before the buffer is full.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aqm: Option<crate::aqm::Spec>,
}

impl Default for DrrPlusPlusParams {
    fn default() -> DrrPlusPlusParams {
        DrrPlusPlusParams { buffer: Buffer::Packets(10_240), queues: 1024, quantum: Bytes(1514), drop_batch: 64, aqm: None }
    }
}

impl Check for DrrPlusPlusParams {
    fn check(&self) -> Result<(), Wrong> {
        check_quantum(self.quantum)
    }
}

/// The list that a queue is on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum On {
    #[default]
    None,
    New,
    Old,
}

/// A queue's place.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    credit: i64,
    on: On,
}

/// DRR++.
#[derive(Clone, Debug)]
pub struct DrrPlusPlus {
    buffer: Buffer,
    /// Number of queues that conversations are hashed into; 0 for one per conversation.
    number: u64,
    quantum: i64,
    drop_batch: u32,
    queues: QueueSet,
    places: Vec<Place>,
    new: Ring<u32>,
    old: Ring<u32>,
}

impl DrrPlusPlus {
    /// What it says of itself.
    pub const CARD: Card = Card {
        examples: &[
            r#"{"queues": 0}"#,
            r#"{"queues": 2, "quantum": "60B", "drop_batch": 2}"#,
            r#"{"queues": 0, "quantum": "100B"}"#,
            r#"{"queues": 0, "aqm": {"kind": "codel", "target": "30ms", "interval": "90ms", "max_packet": "100B"}}"#,
        ],
        main: &["buffer", "queues"],
        says: &[NEW_AND_OLD_SAYS],
        remembers: &[
            Memory {
                with: "`queues = 0`",
                ..Memory::of(
                    "its place among the new and old queues, and its credit",
                    "at the next turn that finds its queue empty",
                )
            },
            Memory { with: "`queues`", ..QueueSet::HASHED },
        ],
        ..Card::of("RFC 8290, section 4")
    };

    /// Empty queues.
    pub fn new(params: &DrrPlusPlusParams, link: &LinkInfo) -> DrrPlusPlus {
        let DrrPlusPlusParams { buffer, queues, quantum, drop_batch, .. } = *params;
        let mut made = DrrPlusPlus {
            buffer,
            number: u64::from(queues),
            quantum: quantum.0 as i64,
            drop_batch,
            queues: QueueSet::by_bytes(buffer, queues as usize),
            places: vec![Place::default(); queues as usize],
            new: Ring::default(),
            old: Ring::default(),
        };
        made.on_link_change(link, Time::ZERO);
        made
    }

    /// No queue has credit: adds at once what all further rounds would add in which none gets any. With a quantum of a byte these are thousands.
    #[cold]
    fn skip_rounds(&mut self) {
        let all = || (0..self.old.len()).filter_map(|i| self.old.get(i)).map(|queue| *queue as usize);
        let most = all().map(|queue| self.places[queue].credit).max().unwrap_or(0);
        // In the last of these rounds the first queue has credit.
        let rounds = -most / self.quantum;
        let queues: Vec<usize> = all().collect();
        for queue in queues {
            self.places[queue].credit += rounds * self.quantum;
        }
    }
}

impl Discipline for DrrPlusPlus {
    const PASSES: bool = true;
    const SETTLES: bool = true;

    fn enqueue(&mut self, packet: Packet, cx: &mut Cx<'_>) {
        let number = self.queue_of(packet.flow, packet.arrived);
        if !self.queues.push_and_trim(number, packet, self.drop_batch, cx) {
            return;
        }
        let place = &mut self.places[number as usize];
        if place.on == On::None {
            *place = Place { on: On::New, credit: self.quantum };
            self.new.push_back(number);
        }
    }

    #[inline]
    fn pass(&mut self, packet: Packet, cx: &mut Cx<'_>) -> Option<Packet> {
        self.on_idle();
        if !self.queues.fits(&packet, cx) {
            self.enqueue(packet, cx);
            return self.dequeue(cx);
        }
        let number = self.queue_of(packet.flow, packet.arrived);
        self.places[number as usize] = Place { on: On::New, credit: self.quantum - i64::from(packet.bytes) };
        self.new.push_back(number);
        Some(packet)
    }

    fn dequeue(&mut self, _cx: &mut Cx<'_>) -> Option<Packet> {
        // Queues without credit in a row.
        let mut short = 0;
        loop {
            let (list, is_new) = if self.new.is_empty() { (&mut self.old, false) } else { (&mut self.new, true) };
            let number = *list.front()?;
            let place = &mut self.places[number as usize];
            if place.credit <= 0 {
                *place = Place { on: On::Old, credit: place.credit + self.quantum };
                list.pop_front();
                self.old.push_back(number);
                short += 1;
                if short > self.old.len() && self.new.is_empty() {
                    self.skip_rounds();
                    short = 0;
                }
                continue;
            }
            match self.queues.pop(number) {
                Some(packet) => {
                    self.places[number as usize].credit -= i64::from(packet.bytes);
                    return Some(packet);
                }
                None if is_new => {
                    self.new.pop_front();
                    self.old.push_back(number);
                    self.places[number as usize].on = On::Old;
                }
                None => {
                    self.old.pop_front();
                    self.places[number as usize].on = On::None;
                }
            }
            short = 0;
        }
    }

    #[inline]
    fn backlog(&self) -> Backlog {
        self.queues.backlog()
    }

    fn on_idle(&mut self) {
        // Section 4.2 without a packet: whatever their credit, all queues leave the lists.
        for list in [&mut self.new, &mut self.old] {
            while let Some(number) = list.pop_front() {
                self.places[number as usize].on = On::None;
            }
        }
    }

    fn never_forgets(&self) -> bool {
        self.number != 0
    }

    fn has_forgotten(&self, flow: FlowId, _now: Time) -> bool {
        !self.never_forgets() && self.places[flow.index()].on == On::None
    }

    fn on_link_change(&mut self, link: &LinkInfo, _now: Time) {
        if self.number == 0 {
            self.queues.grow(link.flows);
            self.places.resize(link.flows, Place::default());
        }
    }

    #[inline]
    fn queue_of(&self, flow: FlowId, _arrived: Time) -> u32 {
        if self.number == 0 {
            return flow.0;
        }
        // The upper half of the bits, times the number of queues, over 2^32: without a division.
        (((scramble(u64::from(flow.0)) >> 32) * self.number) >> 32) as u32
    }

    fn queues(&self, _link: &LinkInfo) -> usize {
        self.places.len()
    }

    fn take_back(&mut self, packet: &Packet) {
        let queue = self.queue_of(packet.flow, packet.arrived);
        self.places[queue as usize].credit += i64::from(packet.bytes);
    }

    fn probe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        sink("new_queues", self.new.len() as f64);
        sink("old_queues", self.old.len() as f64);
    }

    fn explain(&self, packet: &Packet, _look: &Look, tell: Tell<'_>) {
        let number = self.queue_of(packet.flow, packet.arrived);
        let (place, own) = (self.places[number as usize], self.queues.waiting(number));
        tell_buffer(self.buffer, tell);
        tell(Number::Queue, f64::from(number));
        tell(Number::OwnPackets, own.packets as f64);
        tell(Number::OwnBytes, own.bytes as f64);
        let (new, old) = (self.new.len() as f64, self.old.len() as f64);
        let credit = if place.on == On::None { self.quantum } else { place.credit };
        tell(Number::Credit, credit as f64);
        tell(Number::IsNew, f64::from(u8::from(place.on != On::Old)));
        tell(Number::NewQueues, new);
        tell(Number::OldQueues, old);
    }
}

#[cfg(test)]
mod tests;
