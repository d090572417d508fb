//! Preemptive Fair Queueing: the packet with the smallest bid of all is the one in transmission, whatever was sent of the others.
//!
//! Source: Demers, Keshav and Shenker 1989, section 2.2: newly arriving packets whose finish number is smaller than that of the packet in
//! transmission preempt it; the authors analyse it "with resumptive service". Section 2.3 gives its delays, with bids in place of finish numbers.
//!
//! Deviations: none known. The paper leaves open what follows. Here:
//! - An arrival with the bid of the packet in transmission waits, as it does for an earlier arrival in the queue. Of equal bids that wait, a packet
//!   that was interrupted goes on before one that was never begun.
//! - The buffer is for packets of which nothing was sent. An interrupted one keeps the place beside it that the packet in transmission has, and is
//!   not dropped. There is at most one of each conversation.
//! - Resumed service takes no time of its own: the parts of a packet take as long as the whole of it.
//! - What the buffer drops, equal bids, charges and promptness are as in `fq`.
//!
//! State per flow: as `fq`.

use crate::disciplines::fq::{DropPolicy, Fq, FqParams, MOST_DELTA};
use crate::parts::Round;
use crate::explain::tell_fact;
use crate::{Backlog, Cx, Discipline, Does, LinkInfo, Look, Number, Tell};
use headgate_packet::check::at_most;
use headgate_packet::{Buffer, Bytes, Card, Check, FlowId, Packet, Time, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Preemptive Fair Queueing, which interrupts transmissions. An arrival with a smaller finish number interrupts the packet in transmission, of which
/// the rest is sent later.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FqPreemptiveParams {
    /// Maximum backlog, in packets or bytes; the packet in transmission is not counted, nor are those that were interrupted.
    pub buffer: Buffer,
    /// Promptness: the amount of service by which a newly active conversation may bid before the present round.
    pub delta: Bytes,
    /// Which packet is dropped from a full buffer.
    pub drop_policy: DropPolicy,
    /// Whether a dropped packet still advances its conversation's finish number (1989), or is taken back (1991, chapter 6).
    pub charge_drops: bool,
}

impl Default for FqPreemptiveParams {
    fn default() -> FqPreemptiveParams {
        let FqParams { buffer, delta, drop_policy, charge_drops, .. } = FqParams::default();
        FqPreemptiveParams { buffer, delta, drop_policy, charge_drops }
    }
}

impl Check for FqPreemptiveParams {
    fn check(&self) -> Result<(), Wrong> {
        at_most("delta", self.delta, MOST_DELTA)
    }
}

/// Preemptive Fair Queueing.
#[derive(Clone, Debug)]
pub struct FqPreemptive {
    fq: Fq,
    /// Bids and conversations of the packets of which not all was sent, the one in transmission last.
    begun: Vec<(u128, FlowId)>,
    /// How often a packet was interrupted.
    preemptions: u64,
}

impl FqPreemptive {
    /// What it says of itself.
    pub const CARD: Card = Card {
        main: &["buffer"],
        says: &[Round::SAYS, include_str!("fq_preemptive.says")],
        remembers: Fq::CARD.remembers,
        ..Card::of("Demers, Keshav and Shenker 1989, section 2.2")
    };

    /// An empty queue.
    pub fn new(params: &FqPreemptiveParams, link: &LinkInfo) -> FqPreemptive {
        let FqPreemptiveParams { buffer, delta, drop_policy, charge_drops } = *params;
        let params = FqParams { buffer, delta, drop_policy, charge_drops, ..FqParams::default() };
        FqPreemptive { fq: Fq::new(&params, link), begun: Vec::new(), preemptions: 0 }
    }
}

/// Whether a packet with this bid interrupts the one in transmission.
fn interrupts(bid: u128, current: u128) -> bool {
    bid < current
}

impl Discipline for FqPreemptive {
    const DOES: Does = Does { weights: true, ..Does::NOTHING };
    const PREEMPTS: bool = true;

    fn enqueue(&mut self, packet: Packet, cx: &mut Cx<'_>) {
        self.fq.enqueue(packet, cx);
    }

    fn dequeue(&mut self, cx: &mut Cx<'_>) -> Option<Packet> {
        let bid = self.fq.least_bid()?;
        self.preemptions += u64::from(!self.begun.is_empty());
        let packet = self.fq.dequeue(cx)?;
        self.begun.push((bid, packet.flow));
        Some(packet)
    }

    fn backlog(&self) -> Backlog {
        self.fq.backlog()
    }

    fn preempts(&self) -> bool {
        match (self.fq.least_bid(), self.begun.last()) {
            (Some(least), Some((current, _))) => interrupts(least, *current),
            _ => false,
        }
    }

    fn ended(&mut self) {
        self.begun.pop();
    }

    fn on_link_change(&mut self, link: &LinkInfo, now: Time) {
        self.fq.on_link_change(link, now);
    }

    fn has_forgotten(&self, flow: FlowId, now: Time) -> bool {
        self.begun.iter().all(|(_, other)| *other != flow) && self.fq.has_forgotten(flow, now)
    }

    fn probe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        self.fq.probe(sink);
        sink("preemptions", self.preemptions as f64);
    }

    fn explain(&self, packet: &Packet, look: &Look, tell: Tell<'_>) {
        self.fq.explain(packet, look, tell);
        if let Some((bid, _)) = self.begun.last() {
            tell(Number::CurrentBid, Round::rounded_as_bits(*bid));
            tell_fact(Number::Interrupts, interrupts(self.fq.bid_of(packet, look.now), *bid), tell);
        }
    }
}

#[cfg(test)]
mod tests;
