//! WF2Q+: among the conversations whose service has begun in the fluid system, the one that finishes first is served.
//!
//! Source: Bennett and Zhang 1997, section 4. Each backlogged conversation has a start S and a finish F of its first packet: S = F of the one before
//! it, or the later of that and V for a packet that finds no other of its conversation; F = S + length / share. V grows by the
//! work done, and is at least the smallest S of all backlogged conversations. Served is the smallest F among those with S <= V.
//!
//! Deviations:
//! - Shares are weights over the sum of the weights of all conversations known so far: V grows more slowly from a new one's first packet on.
//! - Numbers are in 2^-32 bit.
//! - V continues to grow while the link is idle; otherwise a conversation that comes back after a pause would wait for it.
//! - A full buffer drops the last packet of the longest queue.
//!
//! State per flow: its packets and F. A flow that left is never forgotten: its weight continues to count in the sum.

use crate::parts::{DropEnd, IndexedHeap, Key, QueueSet};
use crate::{Backlog, Cx, Discipline, Does, LinkInfo, Look, Number, Tell};
use headgate_packet::{Buffer, Card, Check, Memory, Packet, Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Worst-case fair weighted Fair Queueing. No conversation runs ahead of its fluid share by more than a packet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Wf2qPlusParams {
    /// Maximum backlog, in packets or bytes; the packet in transmission is not counted.
    pub buffer: Buffer,
    /// Manages each queue actively: what drops or marks packets before the buffer is full.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aqm: Option<crate::aqm::Spec>,
}

impl Default for Wf2qPlusParams {
    fn default() -> Wf2qPlusParams {
        Wf2qPlusParams { buffer: Buffer::Packets(100), aqm: None }
    }
}

impl Check for Wf2qPlusParams {}

#[derive(Clone, Debug, Default)]
struct Conversation {
    /// S and F of its first packet, or of its last one if it has none, in 2^-32 bit per unit of weight.
    start: u128,
    finish: u128,
    weight: u64,
}

impl Conversation {
    /// F of a packet that starts at `start`.
    fn after(&self, start: u128, length: u64) -> u128 {
        start + u128::from(length / self.weight)
    }
}

/// WF2Q+.
#[derive(Clone, Debug)]
pub struct Wf2qPlus {
    queues: QueueSet,
    conversations: Vec<Conversation>,
    /// Sum of the weights of all conversations.
    total: u64,
    /// V at the end of the present transmission, or of the last one.
    virtual_time: u128,
    /// That transmission's start and the packet's length in bits.
    sending: (Time, u64),
    rate: Rate,
    /// The line's rate now: that of the next transmission.
    line_rate: Rate,
    /// Service not yet turned into virtual time: below `total`, in 2^-32 bit.
    rest: u64,
    /// Backlogged conversations whose service has not begun in the fluid system, by S.
    waiting: IndexedHeap,
    /// The other backlogged ones, by F.
    eligible: IndexedHeap,
}

impl Wf2qPlus {
    /// What it says of itself.
    pub const CARD: Card = Card {
        main: &["buffer"],
        says: &[include_str!("wf2q_plus.says")],
        remembers: &[Memory::of("its weight, in the sum by which the link is divided", Memory::NEVER)],
        ..Card::of("Bennett and Zhang 1997, section 4")
    };

    /// An empty queue.
    pub fn new(params: &Wf2qPlusParams, link: &LinkInfo) -> Wf2qPlus {
        let mut made = Wf2qPlus {
            queues: QueueSet::new(params.buffer, DropEnd::Tail, link.flows),
            conversations: Vec::with_capacity(link.flows),
            total: 0,
            virtual_time: 0,
            sending: (Time::ZERO, 0),
            rate: link.rate,
            line_rate: link.rate,
            rest: 0,
            waiting: IndexedHeap::new(link.flows),
            eligible: IndexedHeap::new(link.flows),
        };
        made.on_link_change(link, Time::ZERO);
        made
    }

    /// V at `now`: the packet in transmission counts as far as it is sent by then.
    fn advance(&mut self, now: Time) -> u128 {
        let (now_is, begins_again) = self.at(now);
        if begins_again {
            (self.virtual_time, self.sending, self.rate) = (now_is, (now, 0), self.line_rate);
        }
        now_is
    }

    /// V at `now`, and whether the transmission is over and what follows it is counted from there.
    fn at(&self, now: Time) -> (u128, bool) {
        let (start, bits) = self.sending;
        let (all, sent) = (u128::from(bits) * PS, u128::from(now.since(start).as_ps()) * u128::from(self.rate.as_bps()));
        // From bit ps / s to 2^-32 bit per unit of weight; in two parts, that months of idleness fit. There may be no conversation yet.
        let rounds = |work: u128| (((work / PS) << 32) + ((work % PS) << 32) / PS) / u128::from(self.total.max(1));
        if sent <= all {
            return (self.virtual_time - rounds(all - sent), false);
        }
        let mut beyond = sent - all;
        if self.line_rate != self.rate {
            // The rate changed during the transmission: what followed it ran at the new one, to a picosecond.
            beyond = beyond / u128::from(self.rate.as_bps()) * u128::from(self.line_rate.as_bps());
        }
        (self.virtual_time + rounds(beyond), true)
    }

    /// The first packet of a conversation starts at `start`.
    fn begin(&mut self, flow: u32, start: u128) {
        let length = self.queues.front(flow).map_or(0, fine_bits);
        let c = &mut self.conversations[flow as usize];
        (c.start, c.finish) = (start, c.after(start, length));
        self.waiting.set(flow, key(start));
    }
}

const PS: u128 = 1_000_000_000_000;

/// A packet's length in 2^-32 bit.
fn fine_bits(packet: &Packet) -> u64 {
    (u64::from(packet.bytes) * 8) << 32
}

/// A virtual time as a number of bits.
fn as_bits(time: u128) -> f64 {
    time as f64 / (1u64 << 32) as f64
}

/// A virtual time as a key of a heap.
fn key(time: u128) -> Key {
    ((time >> 64) as u64, time as u64)
}

impl Discipline for Wf2qPlus {
    const DOES: Does = Does { weights: true, ..Does::NOTHING };

    fn enqueue(&mut self, packet: Packet, cx: &mut Cx<'_>) {
        let mut emptied = |queue: u32| {
            // Its service never began: its numbers continue from where they were.
            let c = &mut self.conversations[queue as usize];
            c.finish = c.start;
            self.waiting.remove(queue);
            self.eligible.remove(queue);
        };
        if self.queues.push_first(packet, cx, &mut emptied) {
            let now = self.advance(cx.now);
            let start = self.conversations[packet.flow.index()].finish.max(now);
            self.begin(packet.flow.0, start);
        }
    }

    fn dequeue(&mut self, cx: &mut Cx<'_>) -> Option<Packet> {
        if self.eligible.is_empty() {
            // No conversation lags behind: virtual time is at least the smallest start.
            let (_, flow) = self.waiting.first()?;
            self.virtual_time = self.virtual_time.max(self.conversations[flow as usize].start);
        }
        let now = key(self.virtual_time);
        while let Some((_, flow)) = self.waiting.first().filter(|(start, _)| *start <= now) {
            self.waiting.remove(flow);
            self.eligible.set(flow, key(self.conversations[flow as usize].finish));
        }
        let (_, flow) = self.eligible.first()?;
        self.eligible.remove(flow);
        let packet = self.queues.pop(flow)?;
        if self.queues.front(flow).is_some() {
            self.begin(flow, self.conversations[flow as usize].finish);
        }
        let service = self.rest + fine_bits(&packet);
        self.virtual_time += u128::from(service / self.total);
        self.rest = service % self.total;
        self.rate = self.line_rate;
        self.sending = (cx.now, 8 * u64::from(packet.bytes));
        Some(packet)
    }

    fn backlog(&self) -> Backlog {
        self.queues.backlog()
    }

    fn on_link_change(&mut self, link: &LinkInfo, now: Time) {
        if link.rate != self.line_rate {
            // An idle line's virtual time so far ran at the old rate; a packet in transmission keeps it to its end.
            self.advance(now);
            self.line_rate = link.rate;
        }
        for weight in link.weights_from(self.conversations.len()).map(u64::from) {
            self.conversations.push(Conversation { weight, ..Conversation::default() });
            self.total += weight;
        }
        self.queues.grow(link.flows);
        self.waiting.grow(link.flows);
        self.eligible.grow(link.flows);
    }

    fn shares_by_known_weights(&self) -> bool {
        true
    }

    fn never_forgets(&self) -> bool {
        true
    }

    fn explain(&self, packet: &Packet, look: &Look, tell: Tell<'_>) {
        let flow = packet.flow.0;
        let (conversation, now) = (&self.conversations[packet.flow.index()], self.at(look.now).0);
        self.queues.explain(flow, packet, look, tell);
        // S and F are given to a packet when it becomes the first of its conversation: each starts where the one before it finishes.
        let start = match self.queues.packets(flow).count() {
            0 => conversation.finish.max(now),
            _ => self.queues.packets(flow).skip(1).fold(conversation.finish, |f, p| conversation.after(f, fine_bits(p))),
        };
        tell(Number::Weight, conversation.weight as f64);
        tell(Number::VirtualTime, as_bits(now));
        tell(Number::StartNumber, as_bits(start));
        tell(Number::FinishNumber, as_bits(conversation.after(start, fine_bits(packet))));
    }
}

#[cfg(test)]
mod tests {
    use crate::parts::test::{Arrival, dropped, order};

    #[test]
    fn the_example_of_its_paper() {
        // Bennett and Zhang 1996, figures 1 to 3: one conversation with half of the line sends 11 packets at 0, ten with a twentieth each send
        // one. Fair Queueing sends ten of the first in a row; WF2Q and WF2Q+ send one of the first and one of the others in turn.
        let mut arrivals: Vec<Arrival> = vec![(0, 0, 1); 11];
        arrivals.extend((1..11).map(|flow| (0, flow, 1)));
        let weights = [10, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1];
        let heavy = |spec: &str| order(spec, &weights, &arrivals).iter().map(|h| *h < 11).collect::<Vec<_>>();
        let wf2q = heavy(r#"{"kind": "wf2q_plus"}"#);
        assert!((0..20).all(|i| wf2q[i] == (i % 2 == 0)), "{wf2q:?}");
        assert_eq!(heavy(r#"{"kind": "fq"}"#)[..10], [true; 10]);
    }

    #[test]
    fn virtual_time_passes_within_a_transmission_and_on_an_idle_line() {
        // A byte takes a second; of three conversations a byte adds a third to V. A's packet of 12 is sent until 12 s. C's of 5 arrives at 1 s, when
        // V = 1/3, and has F = 5 1/3; B's of 3 arrives at 9 s, when V = 3, and has F = 6. By V at the end, 4, they would have 9 and 7.
        let arrivals: [Arrival; 3] = [(0, 0, 12), (1, 2, 5), (9, 1, 3)];
        assert_eq!(order(r#"{"kind": "wf2q_plus"}"#, &[], &arrivals), [0, 1, 2]);
        // Two conversations. A's packet of 10 ends at 10 s, F = 10, V = 5. At 20 s V = 10: B's of 4 has S = 10, F = 14 and is sent at once, A's of
        // 1 has S = 10, F = 11, B's second one S = 14. At 24 s V = 12: A's is sent. With V = 7 it would have to wait for B's, of S = 9.
        let arrivals: [Arrival; 4] = [(0, 0, 10), (20, 1, 4), (20, 0, 1), (20, 1, 4)];
        assert_eq!(order(r#"{"kind": "wf2q_plus"}"#, &[], &arrivals), [0, 1, 2, 3]);
    }

    #[test]
    fn a_conversation_that_loses_its_only_packet_continues_from_where_it_stood() {
        // Three conversations, V grows by a third of a byte a second. C is sent from 0 to 10 s. A's packet of 90 arrives at 1 s, S = 1/3, and makes room for
        // B's of 30 at 2 s, S = 2/3 and F = 30 2/3. A's next one of 20 arrives at 3 s, S = V = 1 and F = 21: at 10 s both have begun and A's is sent
        // first. If the dropped packet counted, S would be 90 1/3.
        let spec = r#"{"kind": "wf2q_plus", "buffer": "100B"}"#;
        let arrivals: [Arrival; 4] = [(0, 2, 10), (1, 0, 90), (2, 1, 30), (3, 0, 20)];
        assert_eq!((order(spec, &[], &arrivals), dropped(spec, &arrivals)), (vec![0, 3, 2], vec![1]));
    }
}
