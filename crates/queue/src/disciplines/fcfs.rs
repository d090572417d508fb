//! First come, first served with drop-tail: packets leave in the order of arrival, an arrival at a full buffer is dropped.
//!
//! Source: Demers, Keshav and Shenker 1989, section 1 (the baseline of every paper here). The paper never says which packet
//! is dropped; drop-tail follows from its explanation of segregation.
//! Deviations: none. State per flow: none.

use crate::explain::tell_buffer;
use crate::parts::Ring;
use crate::{Backlog, Cx, Discipline, DropReason, LinkInfo, Look, Tell};
use headgate_packet::{Buffer, Card, Check, Packet};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// First come, first served. An arrival at a full buffer is dropped.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FcfsParams {
    /// Maximum backlog, in packets or bytes; the packet in transmission is not counted.
    pub buffer: Buffer,
    /// Manages the queue actively: what drops or marks packets before the buffer is full.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aqm: Option<crate::aqm::Spec>,
}

impl Default for FcfsParams {
    fn default() -> FcfsParams {
        FcfsParams { buffer: Buffer::Packets(100), aqm: None }
    }
}

impl Check for FcfsParams {}

/// First come, first served.
#[derive(Clone, Debug)]
pub struct Fcfs {
    buffer: Buffer,
    queue: Ring<Packet>,
    bytes: u64,
}

impl Fcfs {
    /// What it says of itself.
    pub const CARD: Card = Card { aliases: &["droptail", "drop_tail", "taildrop", "tail_drop", "fifo", "pfifo", "bfifo", "pfifo_fast"], main: &["buffer"], ..Card::of("Demers, Keshav and Shenker 1989, section 1") };

    /// An empty queue.
    pub fn new(params: &FcfsParams, _link: &LinkInfo) -> Fcfs {
        Fcfs::with_buffer(params.buffer)
    }

    /// An empty queue that is a part of something else.
    pub(crate) fn with_buffer(buffer: Buffer) -> Fcfs {
        Fcfs { buffer, queue: Ring::default(), bytes: 0 }
    }
}

impl Discipline for Fcfs {
    const PER_CONVERSATION: bool = false;
    const ONE_QUEUE: bool = true;
    const PASSES: bool = true;
    const GIVES_UP: bool = true;

    #[inline(always)]
    fn enqueue(&mut self, packet: Packet, cx: &mut Cx<'_>) {
        if cx.exceeds(self.buffer, &self.backlog(), 1, u64::from(packet.bytes)) {
            cx.drop(&packet, DropReason::Full);
            return;
        }
        self.bytes += u64::from(packet.bytes);
        self.queue.push_back(packet);
    }

    #[inline]
    fn pass(&mut self, packet: Packet, cx: &mut Cx<'_>) -> Option<Packet> {
        if cx.exceeds(self.buffer, &Backlog::default(), 1, u64::from(packet.bytes)) {
            cx.drop(&packet, DropReason::Full);
            return None;
        }
        Some(packet)
    }

    #[inline(always)]
    fn dequeue(&mut self, _cx: &mut Cx<'_>) -> Option<Packet> {
        let packet = self.queue.pop_front()?;
        self.bytes -= u64::from(packet.bytes);
        Some(packet)
    }

    #[inline]
    fn backlog(&self) -> Backlog {
        Backlog { packets: self.queue.len() as u64, bytes: self.bytes }
    }

    #[inline(always)]
    fn as_fcfs(&mut self) -> Option<&mut Fcfs> {
        Some(self)
    }

    fn waiting(&self, see: &mut dyn FnMut(&Packet)) {
        (0..self.queue.len()).filter_map(|i| self.queue.get(i)).for_each(see);
    }

    fn withdraw(&mut self, handle: u32, cx: &mut Cx<'_>) -> bool {
        let place = (0..self.queue.len()).find(|i| self.queue.get(*i).is_some_and(|packet| packet.handle == handle));
        let Some(packet) = place.and_then(|i| self.queue.remove(i)) else { return false };
        self.bytes -= u64::from(packet.bytes);
        cx.drop(&packet, DropReason::Evicted);
        true
    }

    fn explain(&self, _packet: &Packet, _look: &Look, tell: Tell<'_>) {
        tell_buffer(self.buffer, tell);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use headgate_packet::{Rate, Rng, Time};

    fn arrivals_that_fit(buffer: Buffer, sizes: &[u32]) -> Vec<u32> {
        let link = LinkInfo { rate: Rate::from_bps(1).unwrap(), flows: 1, weights: vec![], hosts: vec![] };
        let mut queue = Fcfs::new(&FcfsParams { buffer, aqm: None }, &link);
        let (mut rng, mut dropped) = (Rng::new(0, 0, "test"), Vec::new());
        let mut cx = Cx::new(Time::ZERO, &mut rng, &mut dropped);
        for (i, &bytes) in sizes.iter().enumerate() {
            queue.enqueue(Packet { handle: i as u32, bytes, ..Packet::default() }, &mut cx);
        }
        std::iter::from_fn(|| queue.dequeue(&mut cx)).map(|p| p.handle).collect()
    }

    #[test]
    fn drops_the_tail_in_packets() {
        assert_eq!(arrivals_that_fit(Buffer::Packets(2), &[9, 9, 9]), [0, 1]);
    }

    #[test]
    fn in_bytes_a_small_packet_may_fit_where_a_large_one_did_not() {
        assert_eq!(arrivals_that_fit(Buffer::Bytes(100), &[60, 60, 40, 1]), [0, 2]);
    }
}
