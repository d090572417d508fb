//! Deficit Round Robin: queues take turns, and each turn adds a quantum of bytes.
//!
//! Source: Shreedhar and Varghese 1995, section 3. A queue's deficit counter grows by its quantum when its turn comes. Its packets are sent as
//! long as the counter covers them. What is left is kept unless the queue is empty.
//!
//! Deviations:
//! - The quantum of a queue is the parameter times the largest weight of its conversations, or times their sum.
//! - `queue_buffer` is a limit of each queue, besides that of the buffer.
//! - A packet that an AQM drops as it is about to leave does not count as sent.
//! - The buffer is shared, with McKenney's buffer stealing, which the paper takes over (`parts/queue_set.rs`).
//!
//! State per queue: its packets, its counter, and a place in the round. A conversation with its own queue is forgotten once its queue has left the
//! round. Where conversations share queues, a conversation's number gives its queue, and it is never forgotten.

use crate::parts::{DropEnd, QueueSet, Rotation, scramble};
use crate::{Backlog, Cx, Discipline, Does, DropReason, LinkInfo, Look, Number, Tell};
use headgate_packet::check::up_to;
use headgate_packet::{Buffer, Bytes, Card, Check, FlowId, Memory, Packet, Time, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How conversations are put into a given number of queues.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Assign {
    /// In turn: the conversation's number modulo the number of queues.
    #[default]
    Turn,
    /// By a hash of the conversation's number.
    Hash,
}

/// How the weight of a queue follows from those of its conversations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum QueueWeight {
    /// It is the largest of them.
    #[default]
    Largest,
    /// It is their sum.
    Sum,
}

/// Deficit Round Robin: queues take turns of a quantum of bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DrrParams {
    /// Maximum backlog of all queues together, in packets or bytes; the packet in transmission is not counted.
    pub buffer: Buffer,
    /// Maximum backlog of one queue, in packets or bytes. Without it only `buffer` limits the queue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue_buffer: Option<Buffer>,
    /// Quantum of a turn, in bytes per unit of weight. If it is shorter than the longest packet, a queue may wait several turns.
    pub quantum: Bytes,
    /// Number of queues; 0 for one per conversation.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub queues: u32,
    /// How conversations are put into the queues.
    pub assign: Assign,
    /// Which packet makes room in a full buffer.
    pub drop: DropEnd,
    /// Weight of a queue that conversations share.
    pub queue_weight: QueueWeight,
    /// Manages each queue actively: what drops or marks packets before the buffer is full.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aqm: Option<crate::aqm::Spec>,
}

impl Default for DrrParams {
    fn default() -> DrrParams {
        DrrParams {
            buffer: Buffer::Packets(100),
            queue_buffer: None,
            quantum: Bytes(1500),
            queues: 0,
            assign: Assign::Turn,
            drop: DropEnd::Tail,
            queue_weight: QueueWeight::Largest,
            aqm: None,
        }
    }
}

/// Largest quantum: its product with the largest weight does not overflow.
pub(crate) const MOST_QUANTUM: Bytes = Bytes(1_000_000_000);

/// The rules shared by disciplines whose queues take turns.
pub(crate) fn check_quantum(quantum: Bytes) -> Result<(), Wrong> {
    up_to("quantum", quantum, MOST_QUANTUM)
}

impl Check for DrrParams {
    fn check(&self) -> Result<(), Wrong> {
        check_quantum(self.quantum)
    }
}

#[derive(Clone, Debug, Default)]
struct Turn {
    deficit: u64,
    quantum: u64,
    /// Its turn has begun: the quantum was added.
    begun: bool,
}

impl Turn {
    /// New turns that it takes until this number of bytes is covered.
    fn until(&self, bytes: u64) -> u64 {
        bytes.saturating_sub(self.deficit).div_ceil(self.quantum.max(1))
    }
}

/// Deficit Round Robin.
#[derive(Clone, Debug)]
pub struct Drr {
    params: DrrParams,
    /// The queue of each conversation.
    queue_of: Vec<u32>,
    queues: QueueSet,
    turns: Vec<Turn>,
    round: Rotation,
}

impl Drr {
    /// What it says of itself.
    pub const CARD: Card = Card {
        examples: &[
            r#"{"queues": 3}"#,
            r#"{"quantum": "100B"}"#,
            r#"{"aqm": {"kind": "enhanced_red", "min_threshold": "2pkt", "max_threshold": "5pkt", "weight": 0.3}}"#,
        ],
        main: &["buffer", "queues"],
        says: &[Rotation::SAYS, include_str!("drr.says")],
        remembers: &[
            Memory::of("its place in the round, if its packets were pushed out", "at its next turn"),
            Memory { with: "`queues`", ..QueueSet::HASHED },
        ],
        ..Card::of("Shreedhar and Varghese 1995, section 3")
    };

    /// Empty queues.
    pub fn new(params: &DrrParams, link: &LinkInfo) -> Drr {
        let number = params.queues as usize;
        let mut made = Drr {
            params: params.clone(),
            queue_of: Vec::with_capacity(link.flows),
            queues: QueueSet::new(params.buffer, params.drop, number),
            turns: vec![Turn::default(); number],
            round: Rotation::new(number),
        };
        made.on_link_change(link, Time::ZERO);
        made
    }

    /// Whether a queue that has its own limit has no room for a packet.
    fn is_full(&self, queue: u32, packet: &Packet) -> bool {
        self.params.queue_buffer.is_some_and(|buffer| {
            let Backlog { packets, bytes } = self.queues.waiting(queue);
            buffer.exceeded_by(packets + 1, bytes + u64::from(packet.bytes))
        })
    }

    /// The queue that a conversation belongs in.
    fn place(&self, flow: usize) -> usize {
        let number = self.params.queues as usize;
        match self.params.assign {
            _ if number == 0 => flow,
            Assign::Turn => flow % number,
            Assign::Hash => (scramble(flow as u64) % number as u64) as usize,
        }
    }
}

impl Drr {
    /// Every queue has had a turn and none could send: adds at once what all further rounds would add in which none can either. With a
    /// quantum of a byte and packets of megabytes these are millions.
    #[cold]
    fn skip_rounds(&mut self) {
        let turns_to = |queue: u32| {
            Some(self.turns[queue as usize].until(u64::from(self.queues.front(queue)?.bytes)))
        };
        // In the last of these turns the first queue sends.
        let rounds = self.round.queues().filter_map(turns_to).min().unwrap_or(0).saturating_sub(1);
        for queue in self.round.queues() {
            let turn = &mut self.turns[queue as usize];
            turn.deficit = turn.deficit.saturating_add(rounds.saturating_mul(turn.quantum));
        }
    }
}

impl Discipline for Drr {
    const DOES: Does = Does { weights: true, ..Does::NOTHING };
    const PASSES: bool = true;

    fn enqueue(&mut self, packet: Packet, cx: &mut Cx<'_>) {
        let queue = self.queue_of[packet.flow.index()];
        if self.is_full(queue, &packet) {
            return cx.drop(&packet, DropReason::QueueFull);
        }
        let turns = &mut self.turns;
        let mut evicted = |queue: u32, _, only| {
            if only {
                turns[queue as usize].deficit = 0;
            }
        };
        if !self.queues.push_with(queue, packet, cx, &mut evicted) {
            return;
        }
        if self.round.enter(queue) {
            let turn = &mut self.turns[queue as usize];
            (turn.deficit, turn.begun) = (0, false);
        }
    }

    #[inline]
    fn pass(&mut self, packet: Packet, cx: &mut Cx<'_>) -> Option<Packet> {
        // A queue that is empty again keeps nothing of its turn. Others may have been emptied out of turn, and are still in the round.
        let queue = self.queue_of[packet.flow.index()];
        if self.round.count() > 0 || !self.queues.fits(&packet, cx) || self.is_full(queue, &packet) {
            self.enqueue(packet, cx);
            return self.dequeue(cx);
        }
        Some(packet)
    }

    fn dequeue(&mut self, _cx: &mut Cx<'_>) -> Option<Packet> {
        // Turns in a row that did not cover the first packet.
        let mut short = 0;
        loop {
            let queue = self.round.current()?;
            let turn = &mut self.turns[queue as usize];
            let Some(head) = self.queues.front(queue).map(|p| u64::from(p.bytes)) else {
                self.round.next(false);
                continue;
            };
            if !turn.begun {
                (turn.deficit, turn.begun) = (turn.deficit.saturating_add(turn.quantum), true);
            }
            if head > turn.deficit {
                turn.begun = false;
                self.round.next(true);
                short += 1;
                if short == self.round.count() {
                    self.skip_rounds();
                    short = 0;
                }
                continue;
            }
            turn.deficit -= head;
            let packet = self.queues.pop(queue);
            if self.queues.front(queue).is_none() {
                // An empty queue keeps nothing, and leaves the round.
                self.round.next(false);
            }
            return packet;
        }
    }

    #[inline]
    fn backlog(&self) -> Backlog {
        self.queues.backlog()
    }

    /// The quantum of a queue follows from the weights of the conversations that share it.
    fn shares_by_known_weights(&self) -> bool {
        self.params.queues != 0
    }

    fn never_forgets(&self) -> bool {
        self.params.queues != 0
    }

    fn has_forgotten(&self, flow: FlowId, _now: Time) -> bool {
        !self.never_forgets() && !self.round.contains(self.queue_of[flow.index()])
    }

    fn on_link_change(&mut self, link: &LinkInfo, _now: Time) {
        let known = self.queue_of.len();
        if self.params.queues == 0 {
            self.turns.resize(link.flows, Turn::default());
            self.queues.grow(link.flows);
            self.round.grow(link.flows);
        }
        for (flow, weight) in (known..).zip(link.weights_from(known)) {
            let queue = self.place(flow);
            let turn = &mut self.turns[queue];
            let quantum = self.params.quantum.0.max(1).saturating_mul(u64::from(weight));
            turn.quantum = match self.params.queue_weight {
                QueueWeight::Largest => turn.quantum.max(quantum),
                QueueWeight::Sum => turn.quantum.saturating_add(quantum),
            };
            self.queue_of.push(queue as u32);
        }
    }

    #[inline]
    fn queue_of(&self, flow: FlowId, _arrived: Time) -> u32 {
        self.queue_of[flow.index()]
    }

    fn queues(&self, _link: &LinkInfo) -> usize {
        self.turns.len()
    }

    fn take_back(&mut self, packet: &Packet) {
        let queue = self.queue_of[packet.flow.index()];
        // A queue that is empty now keeps nothing of its turn.
        if self.queues.front(queue).is_some() {
            self.turns[queue as usize].deficit += u64::from(packet.bytes);
        }
    }

    fn explain(&self, packet: &Packet, look: &Look, tell: Tell<'_>) {
        let queue = self.queue_of[packet.flow.index()];
        // A queue enters the round without a deficit.
        let entered = Turn { quantum: self.turns[queue as usize].quantum, ..Turn::default() };
        let turn = if self.round.contains(queue) { &self.turns[queue as usize] } else { &entered };
        self.queues.explain(queue, packet, look, tell);
        tell(Number::Queue, f64::from(queue));
        tell(Number::QueuesInTurn, self.round.count() as f64);
        tell(Number::Deficit, turn.deficit as f64);
        tell(Number::Quantum, turn.quantum as f64);
        tell(Number::Turns, turn.until(self.queues.waiting(queue).bytes + u64::from(packet.bytes)) as f64);
    }
}

#[cfg(test)]
mod tests;
