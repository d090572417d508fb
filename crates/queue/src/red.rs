//! Random Early Detection with one queue in the order of arrival: `fcfs` whose `aqm` is `red`, under its own name.
//!
//! Source: Floyd and Jacobson 1993, sections 4 and 7 and figure 2.
//! Deviations: those of the AQM `red`. State per flow: none.

use crate::aqm::{self, red as part};
use crate::fcfs::FcfsParams;
use crate::Spec;
use headgate_packet::{Buffer, Card, Check, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Random Early Detection: random drops by the average queue. Packets are dropped or marked at random, the more often the longer the average queue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RedParams {
    /// Maximum backlog, in packets or bytes; the packet in transmission is not counted.
    pub buffer: Buffer,
    /// Those of the AQM.
    #[serde(flatten)]
    pub aqm: part::RedParams,
}

impl Default for RedParams {
    fn default() -> RedParams {
        RedParams { buffer: FcfsParams::default().buffer, aqm: part::RedParams::default() }
    }
}

impl Check for RedParams {
    const FLAT: bool = true;

    fn check(&self) -> Result<(), Wrong> {
        self.aqm.check()
    }
}

/// The name.
pub enum Red {}

impl Red {
    /// What it says of itself.
    pub const CARD: Card = Card::of(part::Red::CARD.source);

    /// What it is a name for.
    pub fn configured(params: &RedParams) -> Spec {
        Spec::Fcfs(FcfsParams { buffer: params.buffer, aqm: Some(aqm::Spec::Red(params.aqm.clone())) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cx, Discipline as _, DropReason, LinkInfo};
    use headgate_packet::{Ecn, Packet, Rate, Rng, Time};

    fn made(params: RedParams, link: &LinkInfo) -> crate::AnyDiscipline {
        Spec::Red(params).build(link)
    }

    #[test]
    fn marks_what_can_be_marked() {
        let link = LinkInfo { rate: Rate::from_bps(8_000).unwrap(), flows: 1, weights: vec![], hosts: vec![] };
        let (min_threshold, max_threshold) = (Buffer::Packets(1), Buffer::Packets(2));
        let params = part::RedParams { mark: true, weight: 1.0, min_threshold, max_threshold, ..Default::default() };
        let mut queue = made(RedParams { aqm: params, ..RedParams::default() }, &link);
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
        let params = part::RedParams { weight: 1.0, max_p: 1.0, min_threshold, max_threshold, ..Default::default() };
        let (mut queue, mut rng, mut dropped) = (made(RedParams { buffer, aqm: params }, &link), Rng::new(1, 0, "red"), Vec::new());
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
