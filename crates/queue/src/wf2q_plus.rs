//! WF2Q+: of the conversations whose service has begun in the fluid system, the one that is to finish first.
//!
//! Source: Bennett and Zhang 1997, section 4. Each backlogged conversation has a start S and a finish F of its first packet: S = F of the one before
//! it, or the later of that and V for a packet that finds no other of its conversation; F = S + length / share. V grows by the
//! work done, and is at least the smallest S of all backlogged conversations. Served is the smallest F among those with S <= V.
//! Deviations: shares are weights over the sum of the weights of all conversations known so far; numbers are in
//! 2^-32 bit; work counts when a transmission starts, as in the paper's V(t + tau). A full buffer takes the last
//! packet of the longest queue. State per flow: its packets and F.

use crate::parts::{DropEnd, IndexedHeap, Key, QueueSet};
use crate::{Backlog, Cx, Discipline, LinkInfo};
use headgate_packet::{Buffer, Packet};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Worst-case fair weighted Fair Queueing: no conversation runs ahead of its fluid share by more than a packet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Wf2qPlusParams {
    /// Most packets or bytes that may wait; the packet in transmission is extra.
    pub buffer: Buffer,
}

impl Default for Wf2qPlusParams {
    fn default() -> Wf2qPlusParams {
        Wf2qPlusParams { buffer: Buffer::Packets(100) }
    }
}

#[derive(Clone, Debug, Default)]
struct Conversation {
    /// S and F of its first packet, or of its last one if it has none, in 2^-32 bit per unit of weight.
    start: u128,
    finish: u128,
    weight: u64,
}

/// WF2Q+.
#[derive(Clone, Debug)]
pub struct Wf2qPlus {
    queues: QueueSet,
    conversations: Vec<Conversation>,
    /// Sum of the weights of all conversations.
    total: u64,
    virtual_time: u128,
    /// Service not yet turned into virtual time: below `total`, in 2^-32 bit.
    rest: u64,
    /// Backlogged conversations whose service has not begun in the fluid system, by S.
    waiting: IndexedHeap,
    /// The other backlogged ones, by F.
    eligible: IndexedHeap,
}

impl Wf2qPlus {
    /// Where it was published.
    pub const SOURCE: &'static str = "Bennett and Zhang 1997, section 4";

    /// An empty queue.
    pub fn new(params: &Wf2qPlusParams, link: &LinkInfo) -> Wf2qPlus {
        let mut made = Wf2qPlus {
            queues: QueueSet::new(params.buffer, DropEnd::Tail, link.flows),
            conversations: Vec::with_capacity(link.flows),
            total: 0,
            virtual_time: 0,
            rest: 0,
            waiting: IndexedHeap::new(link.flows),
            eligible: IndexedHeap::new(link.flows),
        };
        made.on_link_change(link);
        made
    }

    /// The first packet of a conversation starts at `start`.
    fn begin(&mut self, flow: u32, start: u128) {
        let length = self.queues.front(flow).map_or(0, fine_bits);
        let c = &mut self.conversations[flow as usize];
        c.start = start;
        c.finish = start + u128::from(length / c.weight);
        self.waiting.set(flow, key(start));
    }
}

/// A packet's length in 2^-32 bit.
fn fine_bits(packet: &Packet) -> u64 {
    (u64::from(packet.bytes) * 8) << 32
}

/// A virtual time as a key of a heap.
fn key(time: u128) -> Key {
    ((time >> 64) as u64, time as u64)
}

impl Discipline for Wf2qPlus {
    fn enqueue(&mut self, packet: Packet, cx: &mut Cx<'_>) {
        let mut emptied = |queue: u32| {
            // Its service never began: its numbers go on from where they stood.
            let c = &mut self.conversations[queue as usize];
            c.finish = c.start;
            self.waiting.remove(queue);
            self.eligible.remove(queue);
        };
        if self.queues.push_first(packet, cx, &mut emptied) {
            let start = self.conversations[packet.flow.index()].finish.max(self.virtual_time);
            self.begin(packet.flow.0, start);
        }
    }

    fn dequeue(&mut self, _cx: &mut Cx<'_>) -> Option<Packet> {
        if self.eligible.is_empty() {
            // Nobody lags behind: virtual time is at least the smallest start.
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
        Some(packet)
    }

    fn backlog(&self) -> Backlog {
        self.queues.backlog()
    }

    fn on_link_change(&mut self, link: &LinkInfo) {
        for weight in link.weights_from(self.conversations.len()).map(u64::from) {
            self.conversations.push(Conversation { weight, ..Conversation::default() });
            self.total += weight;
        }
        self.queues.grow(link.flows);
        self.waiting.grow(link.flows);
        self.eligible.grow(link.flows);
    }
}

#[cfg(test)]
mod tests {
    use crate::parts::test::{Arrival, order};

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
}
