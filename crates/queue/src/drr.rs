//! Deficit Round Robin: queues take turns, and each turn adds a quantum of bytes.
//!
//! Source: Shreedhar and Varghese 1995, section 3. A queue's deficit counter grows by its quantum when its turn comes. Its packets are sent as
//! long as the counter covers them. What is left is kept unless the queue is empty.
//!
//! Deviations:
//! - The quantum of a queue is the parameter times the largest weight of its conversations.
//! - The buffer is shared, with McKenney's buffer stealing, which the paper takes over (`parts/queue_set.rs`).
//!
//! State per queue: its packets, its counter, and a place in the round. A conversation with its own queue is forgotten once its queue has left the
//! round. Where conversations share queues, a conversation's number gives its queue, and it is never forgotten.

use crate::parts::{DropEnd, QueueSet, Rotation, scramble};
use crate::{Backlog, Cx, Discipline, LinkInfo, Look, Number, Tell};
use headgate_packet::check::up_to;
use headgate_packet::{Buffer, Bytes, Check, FlowId, Packet, Time, Wrong};
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

/// Deficit Round Robin: queues take turns of a quantum of bytes each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DrrParams {
    /// Maximum backlog of all queues together, in packets or bytes; the packet in transmission is not counted.
    pub buffer: Buffer,
    /// Quantum of a turn, in bytes per unit of weight. If it is shorter than the longest packet, a queue may wait several turns.
    pub quantum: Bytes,
    /// Number of queues; 0 for one per conversation.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub queues: u32,
    /// How conversations are put into the queues.
    pub assign: Assign,
    /// Which packet makes room in a full buffer.
    pub drop: DropEnd,
}

impl Default for DrrParams {
    fn default() -> DrrParams {
        DrrParams {
            buffer: Buffer::Packets(100),
            quantum: Bytes(1500),
            queues: 0,
            assign: Assign::Turn,
            drop: DropEnd::Tail,
        }
    }
}

/// Largest quantum: its product with the largest weight does not overflow.
const MOST_QUANTUM: Bytes = Bytes(1_000_000_000);

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
    /// The weight of a queue, from that of its conversations so far and that of one more.
    combine: fn(u64, u64) -> u64,
    /// The queue of each conversation.
    queue_of: Vec<u32>,
    queues: QueueSet,
    turns: Vec<Turn>,
    round: Rotation,
}

impl Drr {
    /// Where it was published.
    pub const SOURCE: &'static str = "Shreedhar and Varghese 1995, section 3";

    /// Empty queues.
    pub fn new(params: &DrrParams, link: &LinkInfo) -> Drr {
        Drr::with_weights(params, link, u64::max)
    }

    /// Empty queues whose weights come from those of their conversations by `combine`.
    pub(crate) fn with_weights(params: &DrrParams, link: &LinkInfo, combine: fn(u64, u64) -> u64) -> Drr {
        let number = params.queues as usize;
        let mut made = Drr {
            params: params.clone(),
            combine,
            queue_of: Vec::with_capacity(link.flows),
            queues: QueueSet::new(params.buffer, params.drop, number),
            turns: vec![Turn::default(); number],
            round: Rotation::new(number),
        };
        made.on_link_change(link, Time::ZERO);
        made
    }

    /// How many queues there are.
    pub(crate) fn number(&self) -> usize {
        self.turns.len()
    }

    /// The queue of a conversation.
    pub(crate) fn queue_of(&self, flow: usize) -> u32 {
        self.queue_of[flow]
    }

    /// What waits in a queue.
    pub(crate) fn waiting(&self, queue: u32) -> Backlog {
        self.queues.waiting(queue)
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
    const PASSES: bool = true;

    fn enqueue(&mut self, packet: Packet, cx: &mut Cx<'_>) {
        let queue = self.queue_of[packet.flow.index()];
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
        if self.round.count() > 0 || !self.queues.fits(&packet, cx) {
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

    fn has_forgotten(&self, flow: FlowId, _now: Time) -> bool {
        self.params.queues == 0 && !self.round.contains(self.queue_of[flow.index()])
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
            turn.quantum = (self.combine)(turn.quantum, self.params.quantum.0.max(1).saturating_mul(u64::from(weight)));
            self.queue_of.push(queue as u32);
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
mod tests {
    use super::*;
    use crate::parts::test::{Arrival, dropped, order};
    use headgate_packet::Rate;

    #[test]
    fn what_a_turn_leaves_is_kept() {
        // Quantum 500. The first packet of A is sent on its arrival and leaves A empty. Then A holds 750, 200, 200 and B 600, 300. A's turn: 500, no;
        // B's: 500, no; A's: 1000 covers 750 and 200, 50 left; B's: 1000 covers 600 and 300; A's: 550 covers 200.
        let spec = r#"{"kind": "drr", "quantum": "500B"}"#;
        let arrivals: [Arrival; 6] = [(0, 0, 200), (0, 0, 750), (0, 0, 200), (0, 0, 200), (0, 1, 600), (0, 1, 300)];
        assert_eq!(order(spec, &[], &arrivals), [0, 1, 2, 4, 5, 3]);
    }

    #[test]
    fn conversations_are_put_into_the_queues_by_turns() {
        let link = LinkInfo { rate: Rate::from_bps(8_000).unwrap(), flows: 7, weights: vec![] };
        let drr = |queues| Drr::new(&DrrParams { queues, ..DrrParams::default() }, &link);
        assert_eq!([0, 1, 2, 3, 4, 5, 6].map(|flow| drr(3).place(flow)), [0, 1, 2, 0, 1, 2, 0]);
        assert_eq!([0, 1, 6].map(|flow| drr(0).place(flow)), [0, 1, 6], "one queue each");
    }

    #[test]
    fn rounds_in_which_no_queue_can_send_cost_nothing() {
        // A quantum of a byte, weights 3, 1 and 2. The first packet is sent on its arrival. Of the others A's of 2000000 bytes is covered in round
        // 666667, B's of 1000000 in round 1000000, C's of 1500000 in round 750000; A's second one of 1999998 in round 1333333.
        let spec = r#"{"kind": "drr", "quantum": "1B"}"#;
        let arrivals: [Arrival; 5] =
            [(0, 0, 1), (0, 0, 2_000_000), (0, 1, 1_000_000), (0, 2, 1_500_000), (0, 0, 1_999_998)];
        assert_eq!(order(spec, &[3, 1, 2], &arrivals), [0, 1, 3, 2, 4]);
        // In one round the order of the turns decides.
        let arrivals: [Arrival; 4] = [(0, 0, 1), (0, 2, 5000), (0, 1, 5000), (0, 0, 5000)];
        assert_eq!(order(spec, &[1; 3], &arrivals), [0, 1, 2, 3]);
    }

    #[test]
    fn a_quantum_times_a_weight_beyond_all_numbers_serves_and_ends() {
        // 2^33 bytes times 2^31: the product is 2^64, which wraps to nothing.
        let params = super::DrrParams { quantum: headgate_packet::Bytes(1 << 33), ..Default::default() };
        for spec in [
            crate::Spec::Drr(params.clone()),
            crate::Spec::DrrPlus(crate::drr_plus::DrrPlusParams { quantum: params.quantum, queues: 1, ..Default::default() }),
        ] {
            let rate = headgate_packet::Rate::from_bps(8).expect("above zero");
            let link = crate::LinkInfo { rate, flows: 2, weights: vec![1 << 31, u32::MAX] };
            let mut port = crate::Port::new(spec.build(&link), rate, headgate_packet::Rng::new(0, 0, "test"));
            let mut sent = 0;
            for flow in [0, 1, 0, 1] {
                let packet = headgate_packet::Packet { flow: headgate_packet::FlowId(flow), bytes: 9, ..Default::default() };
                port.offer(packet, headgate_packet::Time::ZERO, &mut |_| sent += 1);
            }
            port.advance(headgate_packet::Time::NEVER, &mut |_| sent += 1);
            assert_eq!(sent, 4);
        }
    }

    #[test]
    fn weights_and_shared_queues() {
        let arrivals: Vec<Arrival> = (0..12).map(|i| (0, i % 3, 100)).collect();
        // Three conversations in two queues: 0 and 2 share one. The first packet is sent on its arrival; then 1 is first in the round.
        let spec = r#"{"kind": "drr", "quantum": "100B", "queues": 2}"#;
        let flows = |order: Vec<u32>| order.iter().map(|h| h % 3).collect::<Vec<_>>();
        assert_eq!(flows(order(spec, &[], &arrivals))[..8], [0, 1, 2, 1, 0, 1, 2, 1]);
        // Weight 3 against 1.
        let two: Vec<Arrival> = (0..16).map(|i| (0, i % 2, 100)).collect();
        let spec = r#"{"kind": "drr", "quantum": "100B"}"#;
        let heavy = order(spec, &[3, 1], &two)[1..9].iter().filter(|h| *h % 2 == 0).count();
        assert_eq!(heavy, 6);
    }

    #[test]
    fn the_longest_queue_makes_room_at_the_end_asked_for() {
        // Four places and one in transmission (packet 0). B's arrival finds A with four packets waiting.
        let arrivals: [Arrival; 6] = [(0, 0, 9), (0, 0, 9), (0, 0, 9), (0, 0, 9), (0, 0, 9), (0, 1, 9)];
        let spec = |end: &str| format!(r#"{{"kind": "drr", "buffer": "4pkt", "drop": "{end}"}}"#);
        assert_eq!(dropped(&spec("tail"), &arrivals), [4]);
        assert_eq!(dropped(&spec("head"), &arrivals), [1]);
        // The arrival's own queue is the longest: the arrival is dropped, or the head in its place.
        let own: [Arrival; 6] = [(0, 0, 9), (0, 0, 9), (0, 0, 9), (0, 0, 9), (0, 0, 9), (0, 0, 9)];
        assert_eq!(dropped(&spec("tail"), &own), [5]);
        // Or the arrival is dropped, whichever queue is the longest.
        assert_eq!(dropped(&spec("arrival"), &arrivals), [5]);
        assert_eq!(dropped(&spec("head"), &own), [1]);
    }

    #[test]
    fn an_emptied_queue_keeps_nothing_of_its_turn() {
        // Quantum 500. A's packet of 100 is sent on its arrival and leaves A empty. A comes back with 600, which a turn does not cover; B's 400 is
        // sent first.
        let spec = r#"{"kind": "drr", "quantum": "500B"}"#;
        assert_eq!(order(spec, &[], &[(0, 0, 100), (0, 0, 600), (0, 1, 400)]), [0, 2, 1]);
        // C is sent from 0 to 100. Then A's turn of 500 does not cover 800 and B's 100 is sent. At 150 D's 300 take the room of A's 800, its only
        // packet, and A sends 700. A's turn is the next one and begins at nothing: D is sent before A. What A had left would have covered the 700.
        let spec = r#"{"kind": "drr", "quantum": "500B", "buffer": "1000B"}"#;
        let arrivals: [Arrival; 5] = [(0, 2, 100), (1, 0, 800), (1, 1, 100), (150, 3, 300), (150, 0, 700)];
        assert_eq!((order(spec, &[], &arrivals), dropped(spec, &arrivals)), (vec![0, 2, 3, 4], vec![1]));
    }

    #[test]
    fn of_queues_that_are_as_long_that_of_the_arrival_makes_room() {
        // Packet 0 of A is in transmission, 1 and 2 wait, and 3 of B. With packet 4 B's queue is as long as A's.
        let arrivals: [Arrival; 5] = [(0, 0, 9), (0, 0, 9), (0, 0, 9), (0, 1, 9), (0, 1, 9)];
        let spec = |end: &str| format!(r#"{{"kind": "drr", "buffer": "3pkt", "drop": "{end}"}}"#);
        assert_eq!(dropped(&spec("tail"), &arrivals), [4]);
        assert_eq!(dropped(&spec("head"), &arrivals), [3]);
        // In bytes too: 18 of A against 8 and 10 of B; with 9 it is one less, and A's last packet is dropped.
        let arrivals = |last| [(0, 0, 9), (0, 0, 9), (0, 0, 9), (0, 1, 8), (0, 1, last)];
        let spec = r#"{"kind": "drr", "buffer": "30B"}"#;
        assert_eq!(dropped(spec, &arrivals(10)), [4]);
        assert_eq!(dropped(spec, &arrivals(9)), [2]);
    }
}
