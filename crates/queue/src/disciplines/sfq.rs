//! Stochastic Fairness Queueing: conversations are hashed into queues, and queues take turns of a packet each.
//!
//! Source: McKenney 1990. A conversation's queue is a hash of the conversation and of a salt that changes from time to time, so that conversations
//! share a queue only for a while. A full buffer drops the last packet of the longest queue (buffer stealing, `parts/queue_set.rs`).
//!
//! Deviations:
//! - The salt follows from the count of periods since the start, so that it needs no timer.
//! - Packets that wait when the salt changes stay where they are: a conversation's packets may then overtake each other, as in the paper.
//!
//! State per queue: its packets and a place in the round. Nothing is kept of a conversation that left; but its number, which gives the queue,
//! differs from another one, so it counts as one that is never forgotten.

use crate::parts::{DropEnd, QueueSet, Rotation, scramble};
use crate::{Backlog, Cx, Discipline, LinkInfo, Look, Number, Tell};
use headgate_packet::{Buffer, Card, Check, Duration, FlowId, Packet, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Stochastic Fairness Queueing: hashed queues take turns. Conversations are hashed into queues, and queues take turns of a packet each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SfqParams {
    /// Maximum backlog of all queues together, in packets or bytes; the packet in transmission is not counted.
    pub buffer: Buffer,
    /// Number of queues.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub queues: u32,
    /// Time between changes of the hash; 0 for never.
    pub perturb: Duration,
    /// Which packet makes room in a full buffer.
    pub drop: DropEnd,
    /// Manages each queue actively: what drops or marks packets before the buffer is full.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aqm: Option<crate::aqm::Spec>,
}

impl Default for SfqParams {
    fn default() -> SfqParams {
        SfqParams {
            buffer: Buffer::Packets(100),
            queues: 127,
            perturb: Duration::ZERO,
            drop: DropEnd::Tail,
            aqm: None,
        }
    }
}

impl Check for SfqParams {}

/// Stochastic Fairness Queueing.
#[derive(Clone, Debug)]
pub struct Sfq {
    queues: QueueSet,
    number: u64,
    perturb: u64,
    round: Rotation,
}

impl Sfq {
    /// What it says of itself.
    pub const CARD: Card = Card {
        aliases: &["stochastic_fair_queueing"],
        main: &["buffer", "queues"],
        says: &[Rotation::SAYS, include_str!("sfq.says")],
        remembers: &[QueueSet::HASHED],
        ..Card::of("McKenney 1990")
    };

    /// Empty queues.
    pub fn new(params: &SfqParams, _link: &LinkInfo) -> Sfq {
        Sfq {
            queues: QueueSet::new(params.buffer, params.drop, params.queues as usize),
            number: u64::from(params.queues),
            perturb: params.perturb.as_ps(),
            round: Rotation::new(params.queues as usize),
        }
    }

}

impl Discipline for Sfq {
    fn enqueue(&mut self, packet: Packet, cx: &mut Cx<'_>) {
        let queue = self.queue_of(packet.flow, cx.now);
        if self.queues.push(queue, packet, cx) {
            self.round.enter(queue);
        }
    }

    fn dequeue(&mut self, _cx: &mut Cx<'_>) -> Option<Packet> {
        loop {
            let queue = self.round.current()?;
            let packet = self.queues.pop(queue);
            self.round.next(self.queues.front(queue).is_some());
            if packet.is_some() {
                return packet;
            }
        }
    }

    #[inline]
    fn backlog(&self) -> Backlog {
        self.queues.backlog()
    }

    /// By the salt of the time at which the packet arrived.
    fn queue_of(&self, flow: FlowId, arrived: Time) -> u32 {
        let salt = arrived.as_ps().checked_div(self.perturb).unwrap_or(0);
        (scramble(scramble(salt) ^ u64::from(flow.0)) % self.number) as u32
    }

    fn queues(&self, _link: &LinkInfo) -> usize {
        self.number as usize
    }

    fn never_forgets(&self) -> bool {
        true
    }

    fn explain(&self, packet: &Packet, look: &Look, tell: Tell<'_>) {
        let queue = self.queue_of(packet.flow, look.now);
        self.queues.explain(queue, packet, look, tell);
        tell(Number::Queue, f64::from(queue));
        tell(Number::QueuesInTurn, self.round.count() as f64);
        tell(Number::Turns, (self.queues.waiting(queue).packets + 1) as f64);
    }
}

#[cfg(test)]
mod tests {
    use crate::parts::test::{Arrival, dropped, order};

    #[test]
    fn a_packet_a_turn_whatever_its_length() {
        // A's packets are ten times as long as B's; the first is sent on its arrival.
        let arrivals: [Arrival; 6] = [(0, 0, 10), (0, 0, 10), (0, 0, 10), (0, 1, 1), (0, 1, 1), (0, 1, 1)];
        assert_eq!(order(r#"{"kind": "sfq"}"#, &[], &arrivals), [0, 1, 3, 2, 4, 5]);
    }

    #[test]
    fn one_queue_is_first_come_first_served_and_a_new_hash_parts_those_who_shared() {
        let arrivals: Vec<Arrival> = (0..10).map(|i| (0, i % 3, 5)).collect();
        assert!(order(r#"{"kind": "sfq", "queues": 1}"#, &[], &arrivals).is_sorted());
        // With two queues two of three conversations share one; over many periods each pair is separated in some.
        let spec = r#"{"kind": "sfq", "queues": 2, "perturb": "100s"}"#;
        let parted = (0..20u64).filter(|period| {
            let arrivals: Vec<Arrival> = (0..6).map(|i| (period * 100, u32::from(i >= 3), 2)).collect();
            !order(spec, &[], &arrivals).is_sorted()
        });
        let number = parted.count();
        assert!((4..17).contains(&number), "{number} of 20");
    }

    #[test]
    fn the_longest_queue_makes_room() {
        let arrivals: [Arrival; 6] = [(0, 0, 9), (0, 0, 9), (0, 0, 9), (0, 0, 9), (0, 0, 9), (0, 1, 9)];
        assert_eq!(dropped(r#"{"kind": "sfq", "buffer": "4pkt"}"#, &arrivals), [4]);
    }
}
