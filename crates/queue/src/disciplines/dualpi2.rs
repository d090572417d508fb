//! DualPI2, the dual-queue coupled AQM of L4S: packets of scalable flows have a queue of their own with a short delay, and are marked so that they take as
//! much as the others.
//!
//! Source: RFC 9332, sections 2.3 to 2.5 and appendix A, figures 2 to 7; Linux's `sch_dualpi2` for its scheduler and what the parameters name.
//! - Packets with ECT(1) or CE go into the queue L, the others into C.
//! - A controller moves the probability p' by the longer delay of the two. L is marked with the larger of `coupling` p' and its own ramp, C is
//!   marked or dropped with the square of p'.
//! - Once `coupling` p' is 1 the queues are saturated: packets of L are dropped with the square of p' too, and those of C are dropped even if they can be marked.
//!
//! Deviations:
//! - Figure 3 drops when less than the longest packet would be left of the buffer; here when the packet does not fit.
//! - The queue L counts as having only one packet if it has none behind the one that leaves. Figure 7 tests it after the packet was taken.
//! - `recur` has no likelihood above 1 (`parts/recur.rs`), and drops and marks of a saturated L have counters of their own.
//! - The time-shifted FIFO tests that the queue L is not empty, which figure 10 leaves out.
//! - The controller runs at multiples of `update` from the start on; it rests while nothing waits and nothing would change (`parts/step_clock.rs`).
//! - Packets of one flow in both queues may overtake each other.
//!
//! State per flow: none. State: 180 bytes.

use crate::aqm::Verdict;
use crate::explain::{tell_buffer, tell_fact};
use crate::parts::{Pi, PiGains, Recur, Ring, StepClock};
use crate::{Backlog, Cx, Decisions, Discipline, Does, DropReason, LinkInfo, Look, Moment, Number, Tell};
use headgate_packet::{Buffer, Bytes, Card, Check, Duration, Ecn, Packet, Time, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which of the two queues is served next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Serves {
    /// Weighted round robin by bytes, in which C has `classic_share` while both wait.
    #[default]
    Weighted,
    /// That of the packet that has waited longer, where one of L counts as having waited for `shift` more.
    ShiftedFifo,
}

/// How packets are chosen that are marked or dropped with a probability.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Lottery {
    /// Spaced evenly: each time that the probabilities add up to more than 1.
    #[default]
    Even,
    /// At random.
    Random,
}

/// DualPI2, the dual-queue coupled AQM of L4S. Packets of scalable flows have a queue of their own with a short delay.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Dualpi2Params {
    /// Maximum backlog of both queues together, in packets or bytes; the packet in transmission is not counted.
    pub buffer: Buffer,
    /// Delay of the queue C that is to be held, on average.
    pub target: Duration,
    /// Time from one step of the controller to the next.
    pub update: Duration,
    /// How much probability a second of delay above the target adds in each step.
    #[schemars(range(min = 0.0, max = 1_000_000.0))]
    pub alpha: f64,
    /// How much probability a second of growth of the delay since the last step adds.
    #[schemars(range(min = 0.0, max = 1_000_000.0))]
    pub beta: f64,
    /// Factor k of the coupling: packets of L are marked with k times the probability whose square is that of C.
    #[schemars(range(min = 1.0, max = 255.0))]
    pub coupling: f64,
    /// Delay of L above which its own AQM marks packets.
    pub min_delay: Duration,
    /// Delay above `min_delay` in which the probability of these marks rises from 0 to 1; with 0 s it is a step.
    pub ramp: Duration,
    /// Packets in L, the one that leaves included, up to which its own AQM marks none.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub min_packets: u32,
    /// Which of the queues is served next.
    pub serves: Serves,
    /// Share of C in bytes while both queues wait, with `serves = "weighted"`.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub classic_share: f64,
    /// Longest packet, from which the round robin starts with credit for L.
    pub max_packet: Bytes,
    /// Time that a packet of L counts as having waited in addition, with `serves = "shifted_fifo"`.
    pub shift: Duration,
    /// How packets are chosen that are marked or dropped.
    pub lottery: Lottery,
    /// Backlog in bytes, after a packet was taken, below which C is neither marked nor dropped and L is marked by its own AQM alone; 3028 bytes in Linux.
    pub min_backlog: Bytes,
}

impl Default for Dualpi2Params {
    fn default() -> Dualpi2Params {
        let (ms, us) = (Duration::from_millis, |us: u64| Duration::from_ps(us * 1_000_000));
        Dualpi2Params {
            buffer: Buffer::Packets(10_000),
            target: ms(15),
            update: ms(16),
            alpha: 0.16,
            beta: 3.2,
            coupling: 2.0,
            min_delay: us(800),
            ramp: us(400),
            min_packets: 1,
            serves: Serves::Weighted,
            classic_share: 0.1,
            max_packet: Bytes(1514),
            shift: ms(50),
            lottery: Lottery::Even,
            min_backlog: Bytes(0),
        }
    }
}

impl Dualpi2Params {
    fn gains(&self) -> PiGains {
        PiGains { target: self.target, update: self.update, alpha: self.alpha, beta: self.beta }
    }

    /// `laqm` (figure 5): probability with which the AQM of L marks a packet after this time in the queue.
    fn ramp(&self, sojourn: Duration) -> f64 {
        let (above, ramp) = (sojourn.as_secs_f64() - self.min_delay.as_secs_f64(), self.ramp.as_secs_f64());
        if above <= 0.0 { 0.0 } else if above >= ramp { 1.0 } else { above / ramp }
    }
}

impl Check for Dualpi2Params {
    fn check(&self) -> Result<(), Wrong> {
        self.gains().check()
    }
}

/// Numbers of the two queues.
const L: usize = 0;
const C: usize = 1;

/// Numbers of the counters `recur`.
const MARKS_OF_L: usize = 0;
const CHOSEN_OF_C: usize = 1;
const DROPS_OF_L: usize = 2;

/// DualPI2.
#[derive(Clone, Debug)]
pub struct Dualpi2 {
    params: Dualpi2Params,
    queues: [Ring<Packet>; 2],
    backlog: Backlog,
    pi: Pi,
    clock: StepClock,
    /// `recur` of each kind of choice.
    recur: [Recur; 3],
    /// Credit of the round robin: L is served while it is not above zero.
    credit: f64,
    /// What was decided, if it is to be written down.
    decisions: Option<Box<Decisions>>,
}

/// A packet that was taken from its queue.
#[derive(Clone, Copy, Debug)]
struct Taken {
    queue: usize,
    sojourn: Duration,
    /// Packets of its queue behind it.
    behind: usize,
}

/// The probabilities of a packet that leaves.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Chances {
    /// That it is chosen to be dropped.
    drop: f64,
    /// That it is marked, if it is not dropped.
    mark: f64,
}

impl Dualpi2 {
    /// What it says of itself.
    pub const CARD: Card = Card {
        aliases: &["dualq"],
        examples: &[r#"{"target": "100ms", "alpha": 1.6}"#],
        main: &["buffer", "target", "update", "coupling"],
        says: &[include_str!("dualpi2.says")],
        ..Card::of("RFC 9332, appendix A")
    };

    /// Empty queues.
    pub fn new(params: &Dualpi2Params, _link: &LinkInfo) -> Dualpi2 {
        Dualpi2 {
            params: params.clone(),
            queues: Default::default(),
            backlog: Backlog::default(),
            pi: Pi::default(),
            clock: StepClock::default(),
            recur: Default::default(),
            credit: first_credit(params),
            decisions: None,
        }
    }

    /// The queue of a packet (section 2.3, figure 3).
    fn queue_of(packet: &Packet) -> usize {
        if matches!(packet.ecn, Ecn::Ect1 | Ecn::Ce) { L } else { C }
    }

    /// How long the packet at the head has waited; nothing if the queue is empty.
    fn delay(&self, queue: usize, now: Time) -> Duration {
        self.queues[queue].front().map_or(Duration::ZERO, |head| now.since(head.arrived))
    }

    /// The queue that is served next (section 4.2.2 and appendix A.1); nothing if both are empty.
    fn next(&self, now: Time) -> Option<usize> {
        match [self.queues[L].is_empty(), self.queues[C].is_empty()] {
            [true, true] => None,
            [true, false] => Some(C),
            [false, true] => Some(L),
            [false, false] => {
                let l = match self.params.serves {
                    Serves::Weighted => self.credit <= 0.0,
                    Serves::ShiftedFifo => self.delay(L, now) + self.params.shift >= self.delay(C, now),
                };
                Some(if l { L } else { C })
            }
        }
    }

    /// The probabilities of a packet that was taken from its queue (figure 7).
    fn chances(&self, packet: &Packet, taken: Taken) -> Chances {
        let Dualpi2Params { coupling, min_packets, min_backlog, .. } = self.params;
        let (p, small) = (self.pi.probability, self.backlog.bytes < min_backlog.0);
        let (coupled, square) = if small { (0.0, 0.0) } else { (coupling * p, p * p) };
        let most = (1.0 / (coupling * coupling)).min(1.0);
        match taken.queue {
            L if coupled >= 1.0 => Chances { drop: square, mark: 1.0 },
            L => {
                let alone = taken.behind < min_packets as usize;
                let own = if alone { 0.0 } else { self.params.ramp(taken.sojourn) };
                Chances { drop: 0.0, mark: own.max(coupled) }
            }
            _ if packet.ecn.is_capable() && square < most => Chances { drop: 0.0, mark: square },
            _ => Chances { drop: square, mark: 0.0 },
        }
    }

    /// What becomes of it. A queue C has one counter for what is chosen, whatever becomes of it (figure 7).
    fn decide(&mut self, chances: Chances, queue: usize, cx: &mut Cx<'_>) -> Verdict {
        let [drops, marks] = if queue == L { [DROPS_OF_L, MARKS_OF_L] } else { [CHOSEN_OF_C; 2] };
        if self.chosen(drops, chances.drop, cx) {
            Verdict::Drop(DropReason::Random)
        } else if self.chosen(marks, chances.mark, cx) {
            Verdict::Mark
        } else {
            Verdict::Pass
        }
    }

    /// Whether chance, or the counter, chooses the packet.
    fn chosen(&mut self, counter: usize, chance: f64, cx: &mut Cx<'_>) -> bool {
        match self.params.lottery {
            Lottery::Even => self.recur[counter].chosen(chance),
            Lottery::Random => chance > 0.0 && cx.rng.uniform() < chance,
        }
    }

    /// A packet is sent while both queues waited: the round robin's credit.
    fn charge(&mut self, queue: usize, bytes: u32) {
        let share = self.params.classic_share;
        let weight = if queue == L { share } else { share - 1.0 };
        self.credit += weight * f64::from(bytes);
    }
}

/// The credit with which the round robin starts: L goes first.
fn first_credit(params: &Dualpi2Params) -> f64 {
    (2.0 * params.classic_share - 1.0) * params.max_packet.0 as f64
}

impl Discipline for Dualpi2 {
    const DOES: Does = Does { marks: true, ..Does::NOTHING };
    const PER_CONVERSATION: bool = false;
    const DROPS_AT_RANDOM: bool = true;
    const DROPS_ON_DEPARTURE: bool = true;

    fn enqueue(&mut self, packet: Packet, cx: &mut Cx<'_>) {
        self.clock.on_packet(cx.now, self.params.update);
        if let Some(decisions) = &mut self.decisions {
            decisions.add(cx.now, packet.handle, Moment::Arrival, Verdict::Pass);
        }
        if cx.exceeds(self.params.buffer, &self.backlog, 1, u64::from(packet.bytes)) {
            return cx.drop(&packet, DropReason::Full);
        }
        if self.backlog.packets == 0 {
            self.credit = first_credit(&self.params);
        }
        self.backlog.add(packet.bytes);
        self.queues[Dualpi2::queue_of(&packet)].push_back(packet);
    }

    fn dequeue(&mut self, cx: &mut Cx<'_>) -> Option<Packet> {
        self.clock.on_packet(cx.now, self.params.update);
        loop {
            let queue = self.next(cx.now)?;
            let both = self.queues.iter().all(|queue| !queue.is_empty());
            let mut packet = self.queues[queue].pop_front().expect("the queue that is served has a packet");
            self.backlog.remove(packet.bytes);
            let taken = Taken { queue, sojourn: cx.now.since(packet.arrived), behind: self.queues[queue].len() };
            let chances = self.chances(&packet, taken);
            let verdict = self.decide(chances, queue, cx);
            if let Some(decisions) = &mut self.decisions {
                let p = self.pi.probability;
                decisions.take(cx.now, packet.handle, |tell| {
                    tell(Number::Queue, queue as f64);
                    tell(Number::Sojourn, taken.sojourn.as_secs_f64());
                    tell(Number::BaseProbability, p);
                    tell(Number::DropProbability, chances.drop);
                    tell(Number::MarkProbability, chances.mark);
                });
                decisions.took(verdict);
            }
            match verdict {
                Verdict::Drop(why) => {
                    cx.drop(&packet, why);
                    continue;
                }
                Verdict::Mark => assert!(packet.ecn.mark(), "only packets that can carry the mark are marked"),
                Verdict::Pass => {}
            }
            if both {
                self.charge(queue, packet.bytes);
            }
            return Some(packet);
        }
    }

    #[inline]
    fn backlog(&self) -> Backlog {
        self.backlog
    }

    fn timeout(&self) -> Option<Time> {
        self.clock.due()
    }

    fn on_timeout(&mut self, cx: &mut Cx<'_>) {
        let delay = self.delay(L, cx.now).max(self.delay(C, cx.now));
        self.pi.step(delay.as_secs_f64(), &self.params.gains());
        let rests = self.backlog.packets == 0 && self.pi.rests();
        self.clock.on_step(cx.now, self.params.update, rests);
    }

    fn probe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        sink("probability", self.pi.probability);
        sink("l_packets", self.queues[L].len() as f64);
        sink("c_packets", self.queues[C].len() as f64);
    }

    fn explain(&self, packet: &Packet, _look: &Look, tell: Tell<'_>) {
        tell_buffer(self.params.buffer, tell);
        let queue = Dualpi2::queue_of(packet);
        tell(Number::Queue, queue as f64);
        tell_fact(Number::Scalable, queue == L, tell);
        tell(Number::OwnPackets, self.queues[queue].len() as f64);
    }

    fn write_down(&mut self) {
        self.decisions.get_or_insert_default();
    }

    fn decisions(&mut self) -> Option<&mut Decisions> {
        self.decisions.as_deref_mut()
    }
}

#[cfg(test)]
mod tests;
