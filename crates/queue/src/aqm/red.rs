//! Random Early Detection: packets are dropped or marked at random on arrival, the more often the longer the average queue.
//!
//! Source: Floyd and Jacobson 1993, sections 4 and 7 and figure 2; the average and the lottery are in `parts/early.rs`. With `adaptive`,
//! `automatic_weight` and `target_delay` it is Adaptive RED (Floyd, Gummadi and Shenker 2001): `parts/tuning.rs`. That paper has `gentle` too.
//!
//! Deviations: those of the parts, and
//! - With `mark`, packets of flows that understand marks are marked instead of dropped, at and above the upper threshold too (section 4); the
//!   others are dropped (RFC 3168, section 5).
//! - An empty queue's average decays at the pace of the whole link, also where the link has several queues.
//!
//! State per queue: the average, and a count. A queue is forgotten when its average has decayed so far that no sample shows it; with `adaptive` it has its
//! own `max_p` too, and is not forgotten once a packet arrived.

use super::{Aqm, Queue, Verdict};
use crate::explain::numbers;
use crate::parts::{Adapting, Early, EarlyParams, EarlyQueues, Tuning};
use crate::{Backlog, Cx, Does, LinkInfo, Look, Number, Tell};
use headgate_packet::check::above_zero;
use headgate_packet::{Buffer, Bytes, Card, Check, Duration, FlowId, Memory, Packet, Time, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Random Early Detection: random drops by the average queue. Packets are dropped or marked at random, the more often the longer the average queue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RedParams {
    /// Average queue below which every packet passes. If it is in bytes, the queue is measured in bytes.
    pub min_threshold: Buffer,
    /// Average queue at and above which no packet passes.
    pub max_threshold: Buffer,
    /// Weight of an arrival in the average queue.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub weight: f64,
    /// Probability pb just below the upper threshold.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub max_p: f64,
    /// Between the thresholds pb is `max_p` everywhere; else it grows from 0 to `max_p`.
    pub constant: bool,
    /// Above the upper threshold, the probability grows on to 1 at twice the threshold.
    pub gentle: bool,
    /// Marks packets of flows that understand marks instead of dropping them; packets of other flows are dropped all the same.
    pub mark: bool,
    /// Long packets are dropped more often than short ones, in proportion to their length over `mean_packet`.
    pub by_bytes: bool,
    /// A typical packet: the average decays by one arrival per its transmission time while the queue is empty.
    pub mean_packet: Bytes,
    /// Adaptive RED: `max_p` rises while the average is above the middle fifth between the thresholds, and falls while it is below.
    pub adaptive: bool,
    /// With `adaptive`, `max_p` changes at most once in so long.
    pub interval: Duration,
    /// The weight follows the rate of the link, in place of `weight`: the average then takes about a second.
    pub automatic_weight: bool,
    /// Delay of the queue that is aimed at. With it the thresholds follow the rate of the link: the lower one is half of what the link sends in this time,
    /// at least five typical packets, and the upper one three times that. Of `min_threshold` only the unit counts then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_delay: Option<Duration>,
}

impl Default for RedParams {
    fn default() -> RedParams {
        RedParams {
            min_threshold: Buffer::Packets(5),
            max_threshold: Buffer::Packets(15),
            weight: 0.002,
            max_p: 0.02,
            constant: false,
            gentle: false,
            mark: false,
            by_bytes: false,
            mean_packet: Bytes(1000),
            adaptive: false,
            interval: Duration::from_millis(500),
            automatic_weight: false,
            target_delay: None,
        }
    }
}

impl Check for RedParams {
    fn check(&self) -> Result<(), Wrong> {
        above_zero("interval", self.interval)?;
        self.target_delay.map_or(Ok(()), |delay| above_zero("target_delay", delay))?;
        crate::parts::check_early(self.min_threshold, self.max_threshold, self.mean_packet)
    }
}

impl RedParams {
    /// What is left of it with these parameters.
    pub(crate) fn decides(&self, does: Does) -> Does {
        Does { marks: self.mark, ..does }
    }
}

/// Random Early Detection.
#[derive(Clone, Debug)]
pub struct Red {
    queues: EarlyQueues,
    mark: bool,
    /// Where `max_p` is adaptive, how often it may change, and when it did in each queue.
    interval: Option<Duration>,
    adapting: Vec<Adapting>,
}

/// What it keeps of each queue.
pub(crate) const AVERAGE: Memory = Memory::of(
    "as without it, and the average length of its queue",
    "when the average has decayed below any rounding: with a `weight` of 0.002 after some 30,000 typical packets",
);

numbers! {
    /// Probability pb just below the upper threshold, as Adaptive RED has it now.
    MaxProbability("max_probability", Probability),
}

impl Red {
    /// What it says of itself.
    pub const CARD: Card = Card {
        examples: &[
            r#"{"min_threshold": "1pkt", "max_threshold": "4pkt", "weight": 0.3, "interval": "90ms"}"#,
            r#"{"min_threshold": "1pkt", "max_threshold": "4pkt", "weight": 0.3, "max_p": 0.3, "adaptive": true, "interval": "90ms"}"#,
            r#"{"min_threshold": "1pkt", "max_threshold": "4pkt", "weight": 0.3, "max_p": 0.3, "adaptive": true, "interval": "90ms", "gentle": true}"#,
            r#"{"target_delay": "9s", "automatic_weight": true, "adaptive": true, "interval": "90ms"}"#,
        ],
        main: &["max_p", "min_threshold", "max_threshold", "interval", "mark"],
        says: &[Early::AVERAGE_SAYS, Early::CHOSEN_SAYS, include_str!("red.says")],
        remembers: &[
            AVERAGE,
            Memory { with: "`adaptive = true`", ..Memory::of("as without it, and its `max_p`", Memory::NEVER) },
        ],
        ..Card::of("Floyd and Jacobson 1993")
    };

    /// No queue yet.
    pub fn new(params: &RedParams, link: &LinkInfo) -> Red {
        let RedParams { min_threshold, max_threshold, weight, max_p, constant, gentle, mark, by_bytes, mean_packet, .. } =
            *params;
        let interval = params.adaptive.then_some(params.interval);
        let tuning = Tuning { weight: params.automatic_weight, delay: params.target_delay };
        let early = EarlyParams {
            min_threshold,
            max_threshold,
            weight,
            max_p,
            constant,
            gentle,
            by_bytes,
            mean_packet,
            tuning,
        };
        Red { queues: EarlyQueues::new(Early::new(early, link.rate)), mark, interval, adapting: Vec::new() }
    }
}

impl Aqm for Red {
    const DOES: Does = Does { marks: true, ..Does::NOTHING };
    const NUMBERS: &'static [Number] = NUMBERS;
    const DROPS_AT_RANDOM: bool = true;

    fn on_link_change(&mut self, link: &LinkInfo, queues: &[Backlog], now: Time) {
        self.queues.on_link_change(link.rate, queues, now);
        if self.interval.is_some() {
            self.adapting.resize(queues.len(), Adapting::default());
        }
    }

    #[inline(always)]
    fn on_arrival(&mut self, packet: &Packet, queue: Queue, cx: &mut Cx<'_>) -> Verdict {
        let early = self.queues.of(queue.number);
        early.on_arrival(cx.now, queue.waiting);
        if let Some(interval) = self.interval {
            self.adapting[queue.number].on_arrival(early, interval, cx.now);
        }
        if !early.chosen(packet.bytes, || cx.rng.uniform()) {
            Verdict::Pass
        } else if self.mark && packet.ecn.is_capable() {
            Verdict::Mark
        } else {
            Verdict::Drop(early.reason())
        }
    }

    fn on_refused(&mut self, queue: usize) {
        self.queues.of(queue).on_loss();
    }

    #[inline(always)]
    fn on_departure(&mut self, packet: &Packet, queue: Queue, cx: &mut Cx<'_>) -> Verdict {
        self.queues.of(queue.number).on_start(cx.now, packet.bytes, queue.waiting);
        Verdict::Pass
    }

    fn never_forgets(&self, own: bool) -> bool {
        own && self.interval.is_some()
    }

    fn has_forgotten(&self, _flow: FlowId, own: Option<usize>, now: Time) -> bool {
        own.is_none_or(|queue| {
            let is_adapted = self.adapting.get(queue).is_some_and(Adapting::is_used);
            !is_adapted && self.queues.has_forgotten(queue, now)
        })
    }

    fn probe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        self.queues.probe(sink);
        if self.interval.is_some()
            && let Some(max_p) = self.queues.max_p()
        {
            sink("max_p", max_p);
        }
    }

    fn explain_arrival(&self, packet: &Packet, queue: Queue, look: &Look, tell: Tell<'_>) {
        let mut early = self.queues.look(queue.number, queue.waiting, look.now);
        early.tell_average(tell);
        if let Some(interval) = self.interval {
            self.adapting[queue.number].clone().on_arrival(&mut early, interval, look.now);
            tell(Number::MaxProbability, early.max_p());
        }
        early.tell_chosen(packet.bytes, tell);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disciplines::fcfs::FcfsParams;
    use crate::{AnyDiscipline, Discipline as _, DropReason, Spec, aqm};
    use headgate_packet::{Ecn, Rate, Rng};

    fn made(buffer: Buffer, params: RedParams, link: &LinkInfo) -> AnyDiscipline {
        Spec::Fcfs(FcfsParams { buffer, aqm: Some(aqm::Spec::Red(params)) }).build(link)
    }

    #[test]
    fn marks_what_can_be_marked() {
        let link = LinkInfo { rate: Rate::from_bps(8_000).unwrap(), flows: 1, weights: vec![], hosts: vec![] };
        let (min_threshold, max_threshold) = (Buffer::Packets(1), Buffer::Packets(2));
        let params = RedParams { mark: true, weight: 1.0, min_threshold, max_threshold, ..Default::default() };
        let mut queue = made(Buffer::Packets(100), params, &link);
        let (mut rng, mut dropped) = (Rng::new(1, 0, "red"), Vec::new());
        let mut cx = Cx::new(Time::ZERO, &mut rng, &mut dropped);
        // The average is the queue found: 0, 1 (pb is 0 there), then 2, from which on all are dropped.
        for (handle, ecn) in [(0, Ecn::Ect0), (1, Ecn::NotEct), (2, Ecn::Ect1), (3, Ecn::NotEct)] {
            queue.enqueue(Packet { handle, bytes: 10, ecn, ..Packet::default() }, &mut cx);
        }
        let left: Vec<Ecn> = std::iter::from_fn(|| queue.dequeue(&mut cx)).map(|p| p.ecn).collect();
        assert_eq!(left, [Ecn::Ect0, Ecn::NotEct, Ecn::Ce]);
        assert_eq!((dropped.len(), dropped[0].handle, dropped[0].reason), (1, 3, DropReason::AboveMax));
    }

    /// What becomes of packets that all find two waiting, where pb is 0.5: so that there are always two, one is sent for each that gets in.
    fn fates(buffer: Buffer) -> Vec<Option<DropReason>> {
        let link = LinkInfo { rate: Rate::from_bps(8_000).unwrap(), flows: 1, weights: vec![], hosts: vec![] };
        let (min_threshold, max_threshold) = (Buffer::Packets(1), Buffer::Packets(3));
        let params = RedParams { weight: 1.0, max_p: 1.0, min_threshold, max_threshold, ..Default::default() };
        let (mut queue, mut rng, mut dropped) = (made(buffer, params, &link), Rng::new(1, 0, "red"), Vec::new());
        let mut cx = Cx::new(Time::ZERO, &mut rng, &mut dropped);
        let mut offer = || {
            cx.dropped.clear();
            queue.enqueue(Packet { bytes: 10, ..Packet::default() }, &mut cx);
            if queue.backlog().packets == 3 {
                queue.dequeue(&mut cx);
            }
            cx.dropped.first().map(|d| d.reason)
        };
        assert_eq!([offer(), offer()], [None; 2], "an average of 0, then of 1, where pb is 0");
        (0..100).map(|_| offer()).collect()
    }

    #[test]
    fn a_packet_lost_to_a_full_buffer_starts_the_spacing_afresh() {
        // No more than 1 / pb = 2 packets pass in a row: after one that passed the next one is certainly dropped.
        let roomy = fates(Buffer::Packets(9));
        assert!(roomy.windows(2).all(|pair| pair != [None, None]) && roomy.contains(&None), "{roomy:?}");
        // A packet that is not chosen and finds no room has not passed: the next one may pass too.
        let full = fates(Buffer::Packets(2));
        assert!(full.windows(2).any(|pair| pair == [Some(DropReason::Full); 2]), "{full:?}");
        assert!(full.contains(&Some(DropReason::Random)) && !full.contains(&None), "{full:?}");
    }
}
