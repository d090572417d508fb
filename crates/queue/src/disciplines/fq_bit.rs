//! Fair Queueing with bit setting: `fq`, and the congestion bit for conversations that use more than a part of their fair share.
//!
//! Source: Demers, Keshav and Shenker 1989, section 4: the bit is set whenever a conversation's queue exceeds a third of its fair
//! share of the buffer; a third is ad hoc.
//!
//! Deviations: none known. The paper leaves open how both are counted. Here:
//! - The arrival counts for its queue and the packet in transmission does not.
//! - The fair share is the buffer divided by the number of active conversations.
//! - The arrival carries the bit.
//!
//! State per flow, also of one that left: as `fq`.

use crate::disciplines::fq::{Fq, FqParams, MOST_DELTA, fq_params};
use crate::parts::Round;
use crate::{Backlog, Cx, Discipline, Does, LinkInfo, Look, Tell};
use headgate_packet::check::at_most;
use headgate_packet::{Card, Check, FlowId, Packet, Time, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

fq_params! {
    /// Fair Queueing that sets congestion bits. It sets the bit of conversations above a part of their fair share of the buffer.
    FqBitParams {
        /// Part of the fair share above which the bit is set.
        #[schemars(range(min = 0.0, max = 1000.0))]
        fraction: f64 = 1.0 / 3.0,
    }
}

impl Check for FqBitParams {
    fn check(&self) -> Result<(), Wrong> {
        at_most("delta", self.delta, MOST_DELTA)
    }
}

/// Fair Queueing with bit setting.
#[derive(Clone, Debug)]
pub struct FqBit {
    fq: Fq,
    fraction: f64,
}

impl FqBit {
    /// What it says of itself.
    pub const CARD: Card = Card {
        main: &["buffer"],
        says: &[Round::SAYS, include_str!("fq_bit.says")],
        remembers: Fq::CARD.remembers,
        ..Card::of("Demers, Keshav and Shenker 1989, section 4")
    };

    /// An empty queue.
    pub fn new(params: &FqBitParams, link: &LinkInfo) -> FqBit {
        let FqBitParams { buffer, delta, drop_policy, charge_drops, fraction, .. } = *params;
        let params = FqParams { buffer, delta, drop_policy, charge_drops, ..FqParams::default() };
        FqBit { fq: Fq::new(&params, link), fraction }
    }
}

impl Discipline for FqBit {
    const DOES: Does = Does { marks: true, weights: true, rounds_by_rate: true, ..Does::NOTHING };
    fn enqueue(&mut self, mut packet: Packet, cx: &mut Cx<'_>) {
        if packet.ecn.is_capable() && self.fq.above_share(&packet, self.fraction, cx.now) {
            packet.ecn.mark();
        }
        self.fq.enqueue(packet, cx);
    }

    fn dequeue(&mut self, cx: &mut Cx<'_>) -> Option<Packet> {
        self.fq.dequeue(cx)
    }

    fn backlog(&self) -> Backlog {
        self.fq.backlog()
    }

    fn on_link_change(&mut self, link: &LinkInfo, now: Time) {
        self.fq.on_link_change(link, now);
    }

    fn has_forgotten(&self, flow: FlowId, now: Time) -> bool {
        self.fq.has_forgotten(flow, now)
    }

    fn probe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        self.fq.probe(sink);
    }

    fn explain(&self, packet: &Packet, look: &Look, tell: Tell<'_>) {
        self.fq.explain(packet, look, tell);
        self.fq.tell_part(packet, self.fraction, look.now, tell);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use headgate_packet::{Buffer, Ecn, Rate, Rng};

    #[test]
    fn marks_above_a_third_of_the_share() {
        // Two conversations, 18 places: the share is 9, a third of it 3, so the fourth packet waiting is marked. Alone, the
        // share is 18 and the seventh would be.
        let link = LinkInfo { rate: Rate::from_bps(8).unwrap(), flows: 2, weights: vec![], hosts: vec![] };
        let params = FqBitParams { buffer: Buffer::Packets(18), ..FqBitParams::default() };
        let ecn = Ecn::Ect0;
        let packet = |flow, handle| Packet { flow: FlowId(flow), bytes: 100, handle, ecn, ..Packet::default() };
        let first_marked = |rival: bool| {
            let (mut queue, mut rng, mut dropped) = (FqBit::new(&params, &link), Rng::new(0, 0, "test"), Vec::new());
            let mut cx = Cx::new(Time::ZERO, &mut rng, &mut dropped);
            if rival {
                queue.enqueue(packet(1, 99), &mut cx);
            }
            for handle in 1..=9 {
                queue.enqueue(packet(0, handle), &mut cx);
            }
            let packets = std::iter::from_fn(|| queue.dequeue(&mut cx));
            packets.filter(|p| p.ecn == Ecn::Ce).map(|p| p.handle).min()
        };
        assert_eq!(first_marked(true), Some(4));
        assert_eq!(first_marked(false), Some(7));
    }
}
