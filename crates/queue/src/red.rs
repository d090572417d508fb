//! Random Early Detection: packets are dropped or marked at random, the more often the longer the average queue.
//!
//! Source: Floyd and Jacobson 1993, sections 4 and 7 and figure 2; the average and the lottery are in `parts/early.rs`.
//!
//! Deviations: those of the part. With `mark`, packets of flows that understand marks are marked instead of dropped, at and above the upper
//! threshold too (section 4); the others are dropped (RFC 3168, section 5).
//!
//! State per flow: none.

use crate::fcfs::{Fcfs, FcfsParams};
use crate::parts::{check_early, Early, EarlyParams};
use crate::{Backlog, Cx, Discipline, DropReason, LinkInfo, Look, Tell};
use headgate_packet::{Buffer, Bytes, Check, Packet, Time, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Random Early Detection: packets are dropped or marked at random, the more often the longer the average queue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RedParams {
    /// Maximum backlog, in packets or bytes; the packet in transmission is not counted.
    pub buffer: Buffer,
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
    /// Above the upper threshold, the probability grows on to 1 at twice the threshold.
    pub gentle: bool,
    /// Marks packets of flows that understand marks instead of dropping them; packets of other flows are dropped all the same.
    pub mark: bool,
    /// Long packets are dropped more often than short ones, in proportion to their length over `mean_packet`.
    pub by_bytes: bool,
    /// A typical packet: the average decays by one arrival per its transmission time while the link is idle.
    pub mean_packet: Bytes,
}

impl Default for RedParams {
    fn default() -> RedParams {
        RedParams {
            buffer: Buffer::Packets(100),
            min_threshold: Buffer::Packets(5),
            max_threshold: Buffer::Packets(15),
            weight: 0.002,
            max_p: 0.02,
            gentle: false,
            mark: false,
            by_bytes: false,
            mean_packet: Bytes(1000),
        }
    }
}

impl Check for RedParams {
    fn check(&self) -> Result<(), Wrong> {
        check_early(self.min_threshold, self.max_threshold, self.mean_packet)
    }
}

/// Random Early Detection.
#[derive(Clone, Debug)]
pub struct Red {
    queue: Fcfs,
    early: Early,
    mark: bool,
}

impl Red {
    /// Where it was published.
    pub const SOURCE: &'static str = "Floyd and Jacobson 1993";

    /// An empty queue.
    pub fn new(params: &RedParams, link: &LinkInfo) -> Red {
        let RedParams { buffer, min_threshold, max_threshold, weight, max_p, gentle, mark, by_bytes, mean_packet } =
            *params;
        let constant = false;
        let early = EarlyParams { min_threshold, max_threshold, weight, max_p, constant, gentle, by_bytes, mean_packet };
        Red { queue: Fcfs::new(&FcfsParams { buffer }, link), early: Early::new(early, link.rate), mark }
    }
}

impl Discipline for Red {
    const PER_CONVERSATION: bool = false;
    const DROPS_AT_RANDOM: bool = true;

    fn enqueue(&mut self, mut packet: Packet, cx: &mut Cx<'_>) {
        self.early.on_arrival(cx.now, self.queue.backlog());
        let chosen = self.early.chosen(packet.bytes, || cx.rng.uniform());
        if chosen && !(self.mark && packet.ecn.mark()) {
            cx.drop(&packet, DropReason::Early);
            return;
        }
        let before = cx.dropped.len();
        self.queue.enqueue(packet, cx);
        if cx.dropped.len() > before {
            self.early.on_loss();
        }
    }

    fn dequeue(&mut self, cx: &mut Cx<'_>) -> Option<Packet> {
        let packet = self.queue.dequeue(cx)?;
        self.early.on_start(cx.now, packet.bytes, self.queue.backlog());
        Some(packet)
    }

    #[inline]
    fn backlog(&self) -> Backlog {
        self.queue.backlog()
    }

    fn on_link_change(&mut self, link: &LinkInfo, now: Time) {
        self.early.set_rate(link.rate, now, self.backlog());
    }

    fn probe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        sink("average", self.early.average());
    }

    fn explain(&self, packet: &Packet, look: &Look, tell: Tell<'_>) {
        let mut early = self.early.clone();
        early.on_arrival(look.now, self.queue.backlog());
        self.queue.explain(packet, look, tell);
        early.tell_average(tell);
        early.tell_chosen(packet.bytes, tell);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use headgate_packet::{Ecn, Rate, Rng, Time};

    #[test]
    fn marks_what_can_be_marked() {
        let link = LinkInfo { rate: Rate::from_bps(8_000).unwrap(), flows: 1, weights: vec![] };
        let (min_threshold, max_threshold) = (Buffer::Packets(1), Buffer::Packets(2));
        let params = RedParams { mark: true, weight: 1.0, min_threshold, max_threshold, ..RedParams::default() };
        let mut queue = Red::new(&params, &link);
        let (mut rng, mut dropped) = (Rng::new(1, 0, "red"), Vec::new());
        let mut cx = Cx::new(Time::ZERO, &mut rng, &mut dropped);
        // The average is the queue found: 0, 1 (pb is 0 there), then 2, from which on all are dropped.
        for (handle, ecn) in [(0, Ecn::Ect0), (1, Ecn::NotEct), (2, Ecn::Ect1), (3, Ecn::NotEct)] {
            queue.enqueue(Packet { handle, bytes: 10, ecn, ..Packet::default() }, &mut cx);
        }
        let left: Vec<Ecn> = std::iter::from_fn(|| queue.dequeue(&mut cx)).map(|p| p.ecn).collect();
        assert_eq!(left, [Ecn::Ect0, Ecn::NotEct, Ecn::Ce]);
        assert_eq!((dropped.len(), dropped[0].handle, dropped[0].reason), (1, 3, DropReason::Early));
    }

    /// What becomes of packets that all find two waiting, where pb is 0.5: so that there are always two, one is sent for each that gets in.
    fn fates(buffer: Buffer) -> Vec<Option<DropReason>> {
        let link = LinkInfo { rate: Rate::from_bps(8_000).unwrap(), flows: 1, weights: vec![] };
        let (min_threshold, max_threshold) = (Buffer::Packets(1), Buffer::Packets(3));
        let params = RedParams { buffer, weight: 1.0, max_p: 1.0, min_threshold, max_threshold, ..RedParams::default() };
        let (mut queue, mut rng, mut dropped) = (Red::new(&params, &link), Rng::new(1, 0, "red"), Vec::new());
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
        assert!(full.contains(&Some(DropReason::Early)) && !full.contains(&None), "{full:?}");
    }
}
