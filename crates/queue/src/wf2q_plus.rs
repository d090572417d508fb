//! WF2Q+: of the conversations whose service has begun in the fluid system, the one that is to finish first.
//!
//! Source: Bennett and Zhang 1997, section 4. Each backlogged conversation has a start S and a finish F of its first packet: S = F of the one before
//! it, or the later of that and V for a packet that finds no other of its conversation; F = S + length / share. V grows by the
//! work done, and is at least the smallest S of all backlogged conversations. Served is the smallest F among those with S <= V.
//! Deviations: shares are weights over the sum of the weights of all conversations that the classifier can name; numbers are in
//! 2^-12 bit; work counts when a transmission starts, as in the paper's V(t + tau). A full buffer takes the last
//! packet of the longest queue. State per flow: its packets and F.

use crate::parts::{DropEnd, IndexedHeap, QueueSet};
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
    /// S and F of its first packet, or of its last one if it has none.
    start: u64,
    finish: u64,
    weight: u64,
}

/// WF2Q+.
#[derive(Clone, Debug)]
pub struct Wf2qPlus {
    queues: QueueSet,
    conversations: Vec<Conversation>,
    total: u64,
    virtual_time: u64,
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
        let weights = (0..link.flows).map(|f| u64::from(link.weight(f)));
        let conversations: Vec<Conversation> =
            weights.map(|weight| Conversation { weight, ..Conversation::default() }).collect();
        Wf2qPlus {
            queues: QueueSet::new(params.buffer, DropEnd::Tail, link.flows),
            total: conversations.iter().map(|c| c.weight).sum(),
            conversations,
            virtual_time: 0,
            waiting: IndexedHeap::new(link.flows),
            eligible: IndexedHeap::new(link.flows),
        }
    }

    /// The first packet of a conversation starts at `start`.
    fn begin(&mut self, flow: u32, start: u64) {
        let total = self.total;
        let bits = self.queues.front(flow).map_or(0, |p| (u64::from(p.bytes) * 8) << 12);
        let c = &mut self.conversations[flow as usize];
        c.start = start;
        c.finish = start + (u128::from(bits) * u128::from(total) / u128::from(c.weight)) as u64;
        self.waiting.set(flow, (start, u64::from(flow)));
    }
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
            let ((start, _), _) = self.waiting.first()?;
            self.virtual_time = self.virtual_time.max(start);
        }
        let now = self.virtual_time;
        while let Some((_, flow)) = self.waiting.first().filter(|((start, _), _)| *start <= now) {
            self.waiting.remove(flow);
            self.eligible.set(flow, (self.conversations[flow as usize].finish, u64::from(flow)));
        }
        let (_, flow) = self.eligible.first()?;
        self.eligible.remove(flow);
        let packet = self.queues.pop(flow)?;
        if self.queues.front(flow).is_some() {
            self.begin(flow, self.conversations[flow as usize].finish);
        }
        self.virtual_time += (u64::from(packet.bytes) * 8) << 12;
        Some(packet)
    }

    fn backlog(&self) -> Backlog {
        self.queues.backlog()
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
