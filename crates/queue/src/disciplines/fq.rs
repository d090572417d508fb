//! Fair Queueing: packets leave in the order in which bit-by-bit round robin would finish them.
//!
//! Source: Demers, Keshav and Shenker 1989, section 2.2; Keshav 1991, chapters 2, 3 and 6.
//! - With `slots` the weights are absolute fractions of the line (1989, section 5), as in Virtual Clock: a conversation that used what others
//!   left idle is served after them until the round number has come up with it.
//! - A packet of length P starts at S = max(F of the conversation's last packet, R(now)) and finishes at F = S + P.
//! - Its bid is P + max(F of the last packet, R(now) - delta). The packet with the smallest bid is sent next, without preemption.
//!
//! Deviations:
//! - Of packets with equal bids, which the papers leave open, the earlier arrival is sent first.
//! - When several conversations use the same largest part of the buffer, the arrival is dropped if its own is one of them, else that packet
//!   among their last ones which would be sent last.
//! - `drop_policy = "arrival"`, drop-tail, is not in the papers.
//!
//! State per flow: its packets, its last finish number, and a place in up to three heaps. A flow that left keeps its finish number, which is
//! forgotten when R - delta has passed it.
//!
//! See `parts/round.rs` for the round number and `parts/ordering` for the structures that hold the packets. The shortcut of Heybey and Davin
//! (1991, section 3.3), the finish number of the packet in transmission in place of the round number, is what `scfq` does.

use crate::explain::{in_unit_of, tell_buffer, tell_fact};
use crate::parts::ordering::{AnyHeap, BoundedHeap as _, Call, Perc, Tagged, Work};
pub use crate::parts::ordering::{DropPolicy, Structure};
use crate::parts::{Round, Rounds};
use crate::{Backlog, Cx, Discipline, Does, DropReason, LinkInfo, Look, Number, Tell};
use headgate_packet::check::at_most;
use headgate_packet::{Buffer, Bytes, Card, Check, FlowId, Memory, Packet, Time, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Declares the parameters of a kind of Fair Queueing: those that all kinds have, then its own with their defaults.
macro_rules! fq_params {
    ($(#[$about:meta])* $Name:ident { $($(#[$of:meta])* $own:ident: $Type:ty = $default:expr,)* }) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(default, deny_unknown_fields)]
        pub struct $Name {
            /// Maximum backlog, in packets or bytes; the packet in transmission is not counted.
            pub buffer: headgate_packet::Buffer,
            /// Promptness: the amount of service by which a newly active conversation may bid before the present round.
            pub delta: headgate_packet::Bytes,
            /// Which packet is dropped from a full buffer.
            pub drop_policy: $crate::disciplines::fq::DropPolicy,
            /// Whether a dropped packet still advances its conversation's finish number (1989), or is taken back (1991, chapter 6).
            pub charge_drops: bool,
            $($(#[$of])* pub $own: $Type,)*
            /// Manages each queue actively: what drops or marks packets before the buffer is full.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub aqm: Option<$crate::aqm::Spec>,
        }

        impl Default for $Name {
            fn default() -> $Name {
                let (buffer, delta) = (headgate_packet::Buffer::Packets(100), headgate_packet::Bytes(0));
                let drop_policy = $crate::disciplines::fq::DropPolicy::LongestQueue;
                $Name { buffer, delta, drop_policy, charge_drops: true, $($own: $default,)* aqm: None }
            }
        }
    };
}
pub(crate) use fq_params;

fq_params! {
    /// Fair Queueing in the order of bit-by-bit round robin. Packets leave in the order in which it would finish them, each conversation with as many
    /// bits per round as its weight.
    FqParams {
        /// Structure that holds the waiting packets (1991, chapter 3): it changes the cost, never the packets. `link`, `tree` and `heap` know no
        /// conversations, so they cannot have `drop_policy = "longest_queue"`.
        structure: Structure = Structure::Perc,
        /// Slots of a round (1989, section 5): a conversation of weight w has the absolute fraction w / slots of the line, while the weights of the
        /// active ones add up to no more. Shares are relative to the weights of the active conversations unless given.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 1, max = 1_000_000))]
        slots: Option<u32> = None,
    }
}

impl FqParams {
    /// Whether the structure can find the packet that the drop policy asks for.
    fn structure_fits(&self) -> bool {
        self.structure == Structure::Perc || self.drop_policy != DropPolicy::LongestQueue
    }
}

/// Largest promptness: its number of bits does not overflow, and no line serves as many.
pub(crate) const MOST_DELTA: Bytes = Bytes(1_000_000_000_000_000_000);

impl Check for FqParams {
    fn check(&self) -> Result<(), Wrong> {
        at_most("delta", self.delta, MOST_DELTA)?;
        if !self.structure_fits() {
            let expected = "expected \"perc\", or a drop_policy other than \"longest_queue\": the other structures know no conversations";
            return Err(Wrong::at("structure", expected).found(&self.structure));
        }
        Ok(())
    }
}

/// Maximum number of arrivals before they are numbered again from 0.
const MOST_ARRIVALS: u64 = u32::MAX as u64;

/// Fair Queueing.
#[derive(Clone, Debug)]
pub struct Fq {
    params: FqParams,
    /// Delta: how far before R a bid may start.
    back: Rounds,
    round: Round,
    waiting: AnyHeap,
    /// What the bids of waiting packets are counted from, in 2^-12 bit.
    base: u128,
    backlog: Backlog,
    arrivals: u64,
    work: Work,
}

impl Fq {
    /// What it says of itself.
    pub const CARD: Card = Card {
        aliases: &["fair_queueing", "fair_queuing"],
        examples: &[
            r#"{"delta": "400B"}"#,
            r#"{"delta": "400B", "charge_drops": false}"#,
            r#"{"aqm": {"kind": "red", "min_threshold": "2pkt", "max_threshold": "5pkt", "max_p": 0.9, "weight": 0.3}}"#,
        ],
        main: &["buffer"],
        says: &[Round::SAYS, include_str!("fq.says")],
        remembers: &[
            Memory::of(
                "the finish number of its last packet",
                "when the round number, less `delta`, has passed it: about when a fluid server would have finished its packets",
            ),
        ],
        ..Card::of("Demers, Keshav and Shenker 1989, section 2.2")
    };

    /// An empty queue. Where the structure does not fit the drop policy, which the check refuses, it is `perc`.
    pub fn new(params: &FqParams, link: &LinkInfo) -> Fq {
        let perc = params.structure == Structure::Perc || !params.structure_fits();
        let in_bytes = !matches!(params.buffer, Buffer::Packets(_));
        Fq {
            params: params.clone(),
            back: Round::bits(params.delta.0.saturating_mul(8)),
            round: Round::new(link.rate, link.weights_from(0)).with_slots(params.slots.unwrap_or(0)),
            waiting: if perc {
                AnyHeap::Perc(Perc::new(params.drop_policy, in_bytes, link.flows))
            } else {
                AnyHeap::new(params.structure, link.flows)
            },
            base: 0,
            backlog: Backlog::default(),
            arrivals: 0,
            work: Work::default(),
        }
    }

    /// Whether a conversation would hold more than `fraction` of its fair share of the buffer with one more packet.
    pub(crate) fn above_share(&mut self, packet: &Packet, fraction: f64, now: Time) -> bool {
        self.round.advance(now);
        let active = self.round.active_with(packet.flow.0);
        self.held_with(packet) > self.part(fraction, active)
    }

    /// What a conversation holds with one more packet, in the unit of the buffer.
    pub(crate) fn held_with(&self, packet: &Packet) -> f64 {
        let more = if matches!(self.params.buffer, Buffer::Packets(_)) { 1 } else { u64::from(packet.bytes) };
        let held = if let AnyHeap::Perc(perc) = &self.waiting { perc.held(packet.flow.index()) } else { 0 };
        (held + more) as f64
    }

    /// A fraction of a conversation's fair share of the buffer, with this many active.
    pub(crate) fn part(&self, fraction: f64, active: usize) -> f64 {
        fraction * self.params.buffer.limit() / active as f64
    }

    /// The fraction of its fair share of the buffer above which a conversation is marked, as `above_share` would have it.
    pub(crate) fn tell_part(&self, packet: &Packet, fraction: f64, now: Time, tell: Tell<'_>) {
        let active = self.round.active_at(packet.flow.0, now);
        let name = in_unit_of(self.params.buffer, Number::FairPackets, Number::FairBytes);
        tell(name, self.part(fraction, active));
    }

    /// Where a bid may start at the earliest: R less delta.
    fn earliest(&self) -> Rounds {
        self.round.reached().saturating_sub(self.back)
    }

    /// Whether an arrival that finds no room is refused, and the operations that it took to make room for it where that is not by the largest bid.
    fn make_room(&mut self, packet: &Packet, cx: &mut Cx<'_>) -> (bool, u32) {
        let (buffer, bytes) = (self.params.buffer, u64::from(packet.bytes));
        let mut refused = self.params.drop_policy == DropPolicy::Arrival || cx.exceeds(buffer, &Backlog::default(), 1, bytes);
        let mut operations = 0;
        if self.params.drop_policy == DropPolicy::LongestQueue {
            while !refused && cx.exceeds(buffer, &self.backlog, 1, bytes) {
                // The arrival counts for its own conversation and is its last packet.
                if let AnyHeap::Perc(perc) = &mut self.waiting {
                    refused = perc.most_held().is_none_or(|most| perc.is_longest(packet, most));
                }
                if !refused {
                    operations += self.evict(cx, u64::MAX);
                }
            }
        }
        (refused, operations)
    }

    /// Makes room by one packet; gives the operations it took.
    fn evict(&mut self, cx: &mut Cx<'_>, arrival: u64) -> u32 {
        let (gone, operations) = self.waiting.pop_victim().expect("a full buffer holds packets");
        self.backlog.remove(gone.packet.bytes);
        if !self.params.charge_drops {
            self.round.retract(gone.packet.flow.0, 8 * u64::from(gone.packet.bytes));
        }
        let reason = if gone.arrival == arrival { DropReason::Full } else { DropReason::Evicted };
        cx.drop(&gone.packet, reason);
        operations
    }

    /// The bid of an arrival as a number of 64 bits, whose 52 for whole bits are used up, or the numbers of arrivals are: those that wait, and those
    /// to arrive, which are not below R - delta, are counted from the least of them from now on. Bids yet 2^52 bits above it are equal.
    #[cold]
    fn rebase(&mut self, bid: u128) -> u64 {
        let from = Round::coarse(self.earliest());
        let waiting: Vec<Tagged> = std::iter::from_fn(|| self.waiting.pop_min().map(|(item, _)| item)).collect();
        let least = waiting.first().map_or(from, |item| from.min(self.base + u128::from(item.bid)));
        self.arrivals = waiting.len() as u64;
        for (mut item, arrival) in waiting.into_iter().zip(1..) {
            let bid = (self.base + u128::from(item.bid)).saturating_sub(least);
            item.bid = u64::try_from(bid).unwrap_or(u64::MAX);
            item.arrival = arrival;
            self.waiting.insert(item);
        }
        self.base = least;
        u64::try_from(bid.saturating_sub(least)).unwrap_or(u64::MAX)
    }

    /// The smallest bid of those that wait, in 2^-12 bit; only of packets in queues per conversation.
    pub(crate) fn least_bid(&self) -> Option<u128> {
        let AnyHeap::Perc(perc) = &self.waiting else { return None };
        Some(self.base + u128::from(perc.least()?.bid))
    }

    /// The bid of a packet, were it to arrive now, in 2^-12 bit.
    pub(crate) fn bid_of(&self, packet: &Packet, now: Time) -> u128 {
        let found = self.round.look(packet.flow.0, 8 * u64::from(packet.bytes), self.back, now);
        found.bid.rounded(self.round.weight(packet.flow.0))
    }

    /// Records the calls of the structure from now on; for measuring it by itself.
    pub fn record(&mut self) {
        self.waiting.record();
    }

    /// The calls recorded.
    pub fn calls(&self) -> &[Call] {
        self.waiting.calls()
    }
}

impl Discipline for Fq {
    const DOES: Does = Does { weights: true, rounds_by_rate: true, ..Does::NOTHING };
    const PASSES: bool = true;

    fn enqueue(&mut self, packet: Packet, cx: &mut Cx<'_>) {
        self.round.advance(cx.now);
        let (bytes, bits) = (u64::from(packet.bytes), 8 * u64::from(packet.bytes));
        let buffer = self.params.buffer;
        let fits = !cx.exceeds(buffer, &self.backlog, 1, bytes);
        let (mut refused, mut operations) = (false, 0);
        if !fits {
            (refused, operations) = self.make_room(&packet, cx);
        }
        if refused && !self.params.charge_drops {
            cx.drop(&packet, DropReason::Full);
            return;
        }
        let bid = self.round.extend(packet.flow.0, bits, self.back);
        if refused {
            cx.drop(&packet, DropReason::Full);
            return;
        }
        let bid = bid.rounded(self.round.weight(packet.flow.0));
        let bid = match u64::try_from(bid.wrapping_sub(self.base)) {
            Ok(bid) if self.arrivals < MOST_ARRIVALS => bid,
            _ => self.rebase(bid),
        };
        self.arrivals += 1;
        let arrival = self.arrivals;
        operations += self.waiting.insert(Tagged { packet, bid, arrival });
        self.backlog.add(packet.bytes);
        while !fits && cx.exceeds(buffer, &self.backlog, 0, 0) {
            operations += self.evict(cx, arrival);
        }
        self.work.insert.add(operations);
    }

    fn pass(&mut self, packet: Packet, cx: &mut Cx<'_>) -> Option<Packet> {
        let bytes = u64::from(packet.bytes);
        if cx.exceeds(self.params.buffer, &self.backlog, 1, bytes) || matches!(self.waiting, AnyHeap::Recorded(_)) {
            self.enqueue(packet, cx);
            return self.dequeue(cx);
        }
        self.round.advance(cx.now);
        self.round.extend(packet.flow.0, 8 * bytes, self.back);
        // No structure has work with a packet that is alone in it.
        self.work.insert.add(0);
        self.work.get.add(0);
        Some(packet)
    }

    fn dequeue(&mut self, _cx: &mut Cx<'_>) -> Option<Packet> {
        let (next, operations) = self.waiting.pop_min()?;
        self.backlog.remove(next.packet.bytes);
        self.work.get.add(operations);
        Some(next.packet)
    }

    #[inline]
    fn backlog(&self) -> Backlog {
        self.backlog
    }

    fn on_link_change(&mut self, link: &LinkInfo, now: Time) {
        self.round.set_rate(link.rate, now);
        self.round.grow(link.weights_from(self.round.conversations()));
        self.waiting.grow(link.flows);
    }

    fn has_forgotten(&self, flow: FlowId, _now: Time) -> bool {
        // R never falls: what it has passed it has passed.
        !self.round.is_active(flow.0) && self.round.finish(flow.0) <= self.earliest()
    }

    fn probe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        sink("active_conversations", self.round.active() as f64);
        let Work { insert, get } = self.work;
        sink("inserts", insert.calls as f64);
        sink("insert_operations", insert.operations as f64);
        sink("insert_operations_max", f64::from(insert.most));
        sink("gets", get.calls as f64);
        sink("get_operations", get.operations as f64);
        sink("get_operations_max", f64::from(get.most));
    }

    fn explain(&self, packet: &Packet, look: &Look, tell: Tell<'_>) {
        tell_buffer(self.params.buffer, tell);
        if let AnyHeap::Perc(perc) = &self.waiting {
            let own = perc.waiting(packet.flow.index());
            tell(Number::OwnPackets, own.packets as f64);
            tell(Number::OwnBytes, own.bytes as f64);
            let full = look.exceeds(self.params.buffer, &self.backlog, 1, u64::from(packet.bytes));
            if full && self.params.drop_policy == DropPolicy::LongestQueue {
                let name = in_unit_of(self.params.buffer, Number::LongestPackets, Number::LongestBytes);
                let most = perc.most_held_now();
                tell(name, most as f64);
                tell_fact(Number::OwnIsLongest, perc.is_longest(packet, most), tell);
            }
        }
        let weight = self.round.weight(packet.flow.0);
        let found = self.round.look(packet.flow.0, 8 * u64::from(packet.bytes), self.back, look.now);
        tell(Number::Weight, f64::from(weight));
        tell(Number::ActiveConversations, found.active as f64);
        tell(Number::RoundNumber, Round::as_bits(found.round));
        tell(Number::StartNumber, Round::as_bits(found.start));
        tell(Number::FinishNumber, Round::as_bits(found.finish.value(weight)));
        tell(Number::Bid, Round::rounded_as_bits(found.bid.rounded(weight)));
        tell_fact(Number::StartsNow, found.starts_now, tell);
        tell_fact(Number::Prompt, found.prompt, tell);
    }
}

#[cfg(test)]
mod tests;
