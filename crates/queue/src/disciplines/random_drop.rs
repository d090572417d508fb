//! Random Drop: first come, first served; when the buffer overflows, a packet chosen at random is dropped.
//!
//! Source: Demers, Keshav and Shenker 1989, section 1 (discussed, not simulated there); Mankin 1990.
//! Deviations: the choice is uniform over the waiting packets and the arrival, not the one in transmission; the papers do not say.
//! State per flow: none.

use crate::explain::tell_buffer;
use crate::parts::Ring;
use crate::{Backlog, Cx, Discipline, DropReason, LinkInfo, Look, Number, Tell};
use headgate_packet::{Buffer, Card, Check, Packet};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// First come, first served; a full buffer drops at random. When the buffer overflows, a packet chosen at random is dropped.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RandomDropParams {
    /// Maximum backlog, in packets or bytes; the packet in transmission is not counted.
    pub buffer: Buffer,
}

impl Default for RandomDropParams {
    fn default() -> RandomDropParams {
        RandomDropParams { buffer: Buffer::Packets(100) }
    }
}

impl Check for RandomDropParams {}

/// Random Drop.
#[derive(Clone, Debug)]
pub struct RandomDrop {
    buffer: Buffer,
    queue: Ring<Packet>,
    bytes: u64,
}

impl RandomDrop {
    /// What it says of itself.
    pub const CARD: Card = Card {
        main: &["buffer"],
        says: &[include_str!("random_drop.says")],
        ..Card::of("Mankin 1990; Demers, Keshav and Shenker 1989, section 1")
    };

    /// An empty queue.
    pub fn new(params: &RandomDropParams, _link: &LinkInfo) -> RandomDrop {
        RandomDrop { buffer: params.buffer, queue: Ring::default(), bytes: 0 }
    }

    /// Of how many packets one makes room: those that wait, and the arrival.
    fn candidates(&self) -> u64 {
        self.queue.len() as u64 + 1
    }
}

impl Discipline for RandomDrop {
    const PER_CONVERSATION: bool = false;
    const DROPS_AT_RANDOM: bool = true;

    fn enqueue(&mut self, packet: Packet, cx: &mut Cx<'_>) {
        let bytes = u64::from(packet.bytes);
        if cx.exceeds(self.buffer, &Backlog::default(), 1, bytes) {
            cx.drop(&packet, DropReason::Full);
            return;
        }
        while cx.exceeds(self.buffer, &self.backlog(), 1, bytes) {
            let victim = cx.rng.below(self.candidates()) as usize;
            let Some(gone) = self.queue.remove(victim) else {
                cx.drop(&packet, DropReason::Full);
                return;
            };
            self.bytes -= u64::from(gone.bytes);
            cx.drop(&gone, DropReason::Evicted);
        }
        self.bytes += bytes;
        self.queue.push_back(packet);
    }

    fn dequeue(&mut self, _cx: &mut Cx<'_>) -> Option<Packet> {
        let packet = self.queue.pop_front()?;
        self.bytes -= u64::from(packet.bytes);
        Some(packet)
    }

    fn backlog(&self) -> Backlog {
        Backlog { packets: self.queue.len() as u64, bytes: self.bytes }
    }

    fn explain(&self, packet: &Packet, look: &Look, tell: Tell<'_>) {
        let bytes = u64::from(packet.bytes);
        tell_buffer(self.buffer, tell);
        if look.exceeds(self.buffer, &Backlog::default(), 1, bytes) {
            tell(Number::Probability, 1.0);
        } else if look.exceeds(self.buffer, &self.backlog(), 1, bytes) {
            tell(Number::Probability, 1.0 / self.candidates() as f64);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use headgate_packet::{Rate, Rng, Time};

    #[test]
    fn every_place_and_the_arrival_are_equally_likely() {
        let link = LinkInfo { rate: Rate::from_bps(8).unwrap(), flows: 1, weights: vec![], hosts: vec![] };
        let (mut rng, mut count) = (Rng::new(1, 0, "test"), [0u32; 4]);
        for _ in 0..8000 {
            let mut queue = RandomDrop::new(&RandomDropParams { buffer: Buffer::Packets(3) }, &link);
            let mut dropped = Vec::new();
            for handle in 0..4 {
                let mut cx = Cx::new(Time::ZERO, &mut rng, &mut dropped);
                queue.enqueue(Packet { handle, bytes: 1, ..Packet::default() }, &mut cx);
            }
            count[dropped[0].handle as usize] += 1;
        }
        // 2000 each, standard deviation 39.
        assert!(count.iter().all(|c| c.abs_diff(2000) < 160), "{count:?}");
    }
}
