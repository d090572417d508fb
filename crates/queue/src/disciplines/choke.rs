//! CHOKe: RED that compares an arrival with a packet drawn at random from the queue, and drops both if they are of one conversation.
//!
//! Source: Pan, Prabhakar and Psounis 2000, "CHOKe: a stateless active queue management scheme for approximating fair bandwidth allocation", the flow
//! chart of the algorithm, and its form with several candidates. The paper was not at hand: the chart was read in the description of Linux's
//! `sch_choke`, which repeats it; the form with several candidates is recalled. The average and the lottery of RED are in `parts/early.rs`.
//!
//! Thresholds: the defaults are RED's, and hold few packets to compare an arrival with. The paper's simulations have 100, 200 and 300 packets for `min_threshold`,
//! `max_threshold` and `buffer` with 33 flows, some three packets of each flow below the first (recalled). Linux's `tc` takes a quarter of the buffer for `max_threshold` and a
//! third of that for `min_threshold`. With 9 flows 27, 54 and 81 packets are a beginning: of a flow at 12 Mbit/s beside eight TCP flows, over 10 Mbit/s and 40 ms,
//! they let 5.7 Mbit/s pass, the defaults 7.6 Mbit/s, RED 9.8 Mbit/s.
//!
//! Deviations: those of the part, and
//! - Every packet that waits is drawn equally often, also where the queue is measured in bytes. The one in transmission is not drawn.
//! - Of several candidates each is drawn from all that wait then, so that one packet may be drawn twice.
//! - Packets that are compared and dropped do not change the spacing of RED's own drops (as in Linux; the paper does not say).
//! - With `mark`, what RED would drop is marked if it can be; packets of one conversation are dropped all the same (as in Linux).
//!
//! State per flow: none.

use crate::explain::{numbers, tell_buffer};
use crate::parts::{Tuning, Early, EarlyParams, Ring, check_early};
use crate::{Backlog, Cx, Discipline, Does, DropReason, LinkInfo, Look, Number, Tell};
use headgate_packet::{Buffer, Bytes, Card, Check, FlowId, Memory, Packet, Time, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// RED that drops arrivals in pairs with packets of the queue. An arrival is dropped together with a packet drawn from the queue, if both are of one
/// conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ChokeParams {
    /// Maximum backlog, in packets or bytes; the packet in transmission is not counted.
    pub buffer: Buffer,
    /// Packets that are drawn from the queue for each arrival, to be compared with it.
    #[schemars(range(min = 1, max = 1000))]
    pub candidates: u32,
    /// Average queue up to which every packet passes and none is compared. If it is in bytes, the queue is measured in bytes.
    /// Three packets for each conversation are a beginning.
    pub min_threshold: Buffer,
    /// Average queue at and above which no packet passes; twice `min_threshold` to begin with, and the buffer three times.
    pub max_threshold: Buffer,
    /// Weight of an arrival in the average queue.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub weight: f64,
    /// RED's probability pb just below the upper threshold.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub max_p: f64,
    /// Marks packets of flows that understand marks where RED would drop them; packets of other flows are dropped all the same.
    pub mark: bool,
    /// A typical packet: the average decays by one arrival per its transmission time while the queue is empty.
    pub mean_packet: Bytes,
}

impl Default for ChokeParams {
    fn default() -> ChokeParams {
        ChokeParams {
            buffer: Buffer::Packets(100),
            candidates: 1,
            min_threshold: Buffer::Packets(5),
            max_threshold: Buffer::Packets(15),
            weight: 0.002,
            max_p: 0.02,
            mark: false,
            mean_packet: Bytes(1000),
        }
    }
}

impl Check for ChokeParams {
    fn check(&self) -> Result<(), Wrong> {
        check_early(self.min_threshold, self.max_threshold, self.mean_packet)
    }
}

impl ChokeParams {
    /// What is left of it with these parameters.
    pub(crate) fn decides(&self, does: Does) -> Does {
        Does { marks: self.mark, ..does }
    }
}

/// CHOKe.
#[derive(Clone, Debug)]
pub struct Choke {
    buffer: Buffer,
    candidates: u32,
    mark: bool,
    early: Early,
    queue: Ring<Packet>,
    bytes: u64,
}

numbers! {
    /// Probability with which a packet of its conversation is drawn from the queue, so that both are dropped.
    MatchProbability("match_probability", Probability),
}

impl Choke {
    /// What it says of itself.
    pub const CARD: Card = Card {
        examples: &[
            r#"{"min_threshold": "1pkt", "max_threshold": "4pkt", "weight": 0.3, "max_p": 0.5, "candidates": 3, "mark": true}"#,
            r#"{"min_threshold": "1pkt", "max_threshold": "4pkt", "weight": 0.3, "max_p": 0.5}"#,
        ],
        main: &["buffer", "max_p", "min_threshold", "max_threshold", "mark"],
        says: &[Early::AVERAGE_SAYS, include_str!("choke.says")],
        remembers: &[Memory::of("nothing", "at once")],
        ..Card::of("Pan, Prabhakar and Psounis 2000")
    };

    /// An empty queue.
    pub fn new(params: &ChokeParams, link: &LinkInfo) -> Choke {
        let ChokeParams { buffer, candidates, min_threshold, max_threshold, weight, max_p, mark, mean_packet } = *params;
        let (constant, gentle, by_bytes, tuning) = (false, false, false, Tuning::default());
        let early = EarlyParams { min_threshold, max_threshold, weight, max_p, constant, gentle, by_bytes, mean_packet, tuning };
        Choke { buffer, candidates, mark, early: Early::new(early, link.rate), queue: Ring::default(), bytes: 0 }
    }

    /// How many packets are drawn for an arrival that this average judges.
    fn draws(&self, early: &Early) -> u32 {
        if early.average() > early.thresholds().0 { self.candidates } else { 0 }
    }

    /// Draws packets for an arrival of this conversation and drops those that are of it too; whether there were any.
    fn matched(&mut self, flow: FlowId, cx: &mut Cx<'_>) -> bool {
        let mut matched = false;
        for _ in 0..self.draws(&self.early) {
            if self.queue.is_empty() {
                break;
            }
            let place = cx.rng.below(self.queue.len() as u64) as usize;
            if self.queue.get(place).is_some_and(|drawn| drawn.flow == flow)
                && let Some(gone) = self.queue.remove(place)
            {
                self.bytes -= u64::from(gone.bytes);
                cx.drop(&gone, DropReason::SameFlow);
                matched = true;
            }
        }
        matched
    }
}

impl Discipline for Choke {
    const DOES: Does = Does { marks: true, ..Does::NOTHING };
    const NUMBERS: &'static [Number] = NUMBERS;
    const DROPS_AT_RANDOM: bool = true;

    fn enqueue(&mut self, mut packet: Packet, cx: &mut Cx<'_>) {
        self.early.on_arrival(cx.now, self.backlog());
        if self.matched(packet.flow, cx) {
            return cx.drop(&packet, DropReason::SameFlow);
        }
        if self.early.chosen(packet.bytes, || cx.rng.uniform()) && !(self.mark && packet.ecn.mark()) {
            return cx.drop(&packet, self.early.reason());
        }
        if cx.exceeds(self.buffer, &self.backlog(), 1, u64::from(packet.bytes)) {
            self.early.on_loss();
            return cx.drop(&packet, DropReason::Full);
        }
        self.bytes += u64::from(packet.bytes);
        self.queue.push_back(packet);
    }

    fn dequeue(&mut self, cx: &mut Cx<'_>) -> Option<Packet> {
        let packet = self.queue.pop_front()?;
        self.bytes -= u64::from(packet.bytes);
        self.early.on_start(cx.now, packet.bytes, self.backlog());
        Some(packet)
    }

    #[inline]
    fn backlog(&self) -> Backlog {
        Backlog { packets: self.queue.len() as u64, bytes: self.bytes }
    }

    fn on_link_change(&mut self, link: &LinkInfo, now: Time) {
        self.early.set_rate(link.rate, now, self.backlog());
    }

    /// Nothing is known of a conversation but what waits of it.
    fn has_forgotten(&self, _flow: FlowId, _now: Time) -> bool {
        true
    }

    fn probe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        sink("average", self.early.average());
    }

    fn explain(&self, packet: &Packet, look: &Look, tell: Tell<'_>) {
        let mut early = self.early.clone();
        early.on_arrival(look.now, self.backlog());
        tell_buffer(self.buffer, tell);
        early.tell_average(tell);
        let waiting = (0..self.queue.len()).filter_map(|i| self.queue.get(i));
        let (mut own, mut bytes) = (0u64, 0u64);
        for same in waiting.filter(|waits| waits.flow == packet.flow) {
            own += 1;
            bytes += u64::from(same.bytes);
        }
        tell(Number::OwnPackets, own as f64);
        tell(Number::OwnBytes, bytes as f64);
        let others = (self.queue.len() as u64 - own) as f64 / self.queue.len().max(1) as f64;
        let misses = if self.queue.is_empty() { 1.0 } else { libm::pow(others, f64::from(self.draws(&early))) };
        tell(Number::MatchProbability, 1.0 - misses);
        early.tell_chosen(packet.bytes, tell);
    }
}
