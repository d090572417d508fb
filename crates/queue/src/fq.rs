//! Fair Queueing: packets leave in the order in which bit-by-bit round robin would finish them.
//!
//! Source: Demers, Keshav and Shenker 1989, section 2.2; Keshav 1991, chapters 2, 3 and 6.
//! A packet of length P starts at S = max(F of the conversation's last packet, R(now)) and finishes at F = S + P; its bid is
//! P + max(F of the last packet, R(now) - delta). The packet with the smallest bid is sent next, without preemption.
//! Deviations: ties, which the papers leave open, go to the earlier arrival. When conversations tie for the most buffer
//! the arrival is dropped if its own is one of them, else the last packet that is to leave last. `drop_policy = "arrival"`, drop-tail, is none of
//! the papers'.
//! State per flow: its packets, its last finish number, and a place in up to three heaps. Of one that left it keeps the finish number, which is
//! forgotten when R - delta has passed it. See `parts/round.rs` for the round number
//! and `parts/ordering` for what keeps the packets. The shortcut of Heybey and Davin (1991, section 3.3), the finish number of the packet
//! in transmission in place of the round number, is what `scfq` does.

use crate::parts::ordering::{AnyHeap, BoundedHeap as _, Call, Perc, Tagged, Work};
pub use crate::parts::ordering::{DropPolicy, Structure};
use crate::parts::{Finish, Round, Rounds};
use crate::{Backlog, Cx, Discipline, DropReason, LinkInfo};
use headgate_packet::check::at_most;
use headgate_packet::{Buffer, Bytes, Check, FlowId, Packet, Time, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Declares the parameters of a kind of Fair Queueing: those that all kinds have, then its own with their defaults.
macro_rules! fq_params {
    ($(#[$about:meta])* $Name:ident { $($(#[$of:meta])* $own:ident: $Type:ty = $default:expr,)* }) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(default, deny_unknown_fields)]
        pub struct $Name {
            /// Most packets or bytes that may wait; the packet in transmission is extra.
            pub buffer: headgate_packet::Buffer,
            /// Promptness: how far back, in service, a newly active conversation may bid.
            pub delta: headgate_packet::Bytes,
            /// What makes room in a full buffer.
            pub drop_policy: $crate::fq::DropPolicy,
            /// Whether a dropped packet still advances its conversation's finish number (1989), or is taken back (1991, chapter 6).
            pub charge_drops: bool,
            $($(#[$of])* pub $own: $Type,)*
        }

        impl Default for $Name {
            fn default() -> $Name {
                let (buffer, delta) = (headgate_packet::Buffer::Packets(100), headgate_packet::Bytes(0));
                let drop_policy = $crate::fq::DropPolicy::LongestQueue;
                $Name { buffer, delta, drop_policy, charge_drops: true, $($own: $default,)* }
            }
        }
    };
}
pub(crate) use fq_params;

fq_params! {
    /// Packets leave in the order in which bit-by-bit round robin would finish them, conversations having as many bits a round as their weight.
    FqParams {
        /// What keeps the waiting packets (1991, chapter 3): it changes the cost, never the packets. `link`, `tree` and `heap` know no
        /// conversations, so they cannot have `drop_policy = "longest_queue"`.
        structure: Structure = Structure::Perc,
    }
}

impl FqParams {
    /// Whether the structure can find the packet that the drop policy asks for.
    fn structure_fits(&self) -> bool {
        self.structure == Structure::Perc || self.drop_policy != DropPolicy::LongestQueue
    }
}

impl FqParams {
    /// Where a bid may start at the earliest: R less delta.
    fn earliest(&self, round: Rounds) -> Rounds {
        round.saturating_sub(Round::bits(self.delta.0.saturating_mul(8)))
    }
}

/// Largest promptness: its bits are a number, and nobody serves as many.
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

/// Fair Queueing.
#[derive(Clone, Debug)]
pub struct Fq {
    params: FqParams,
    round: Round,
    /// Of each conversation, the finish number of its last packet.
    last: Vec<Finish>,
    waiting: AnyHeap,
    /// What the bids of waiting packets are counted from, in 2^-12 bit.
    base: u128,
    backlog: Backlog,
    arrivals: u64,
    work: Work,
}

impl Fq {
    /// Where it was published.
    pub const SOURCE: &'static str = "Demers, Keshav and Shenker 1989, section 2.2";

    /// An empty queue. Where the structure does not fit the drop policy, which the check refuses, it is `perc`.
    pub fn new(params: &FqParams, link: &LinkInfo) -> Fq {
        let perc = params.structure == Structure::Perc || !params.structure_fits();
        let in_bytes = !matches!(params.buffer, Buffer::Packets(_));
        Fq {
            params: params.clone(),
            round: Round::new(link.rate, (0..link.flows).map(|f| link.weight(f)).collect()),
            last: vec![Finish::default(); link.flows],
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
        let active = self.round.active() + usize::from(!self.round.is_active(packet.flow.0));
        let more = if matches!(self.params.buffer, Buffer::Packets(_)) { 1 } else { u64::from(packet.bytes) };
        let held = if let AnyHeap::Perc(perc) = &self.waiting { perc.held(packet.flow.index()) } else { 0 } + more;
        held as f64 > fraction * self.params.buffer.limit() / active as f64
    }

    /// Makes room by one packet; gives the operations it took.
    fn evict(&mut self, cx: &mut Cx<'_>, arrival: u64) -> u32 {
        let (gone, operations) = self.waiting.pop_victim().expect("a full buffer holds packets");
        self.backlog.remove(gone.packet.bytes);
        if !self.params.charge_drops {
            let flow = gone.packet.flow;
            let (weight, last) = (self.round.weight(flow.0), &mut self.last[flow.index()]);
            last.retract(8 * u64::from(gone.packet.bytes), weight);
            if self.round.is_active(flow.0) {
                self.round.set(flow.0, last.value(weight));
            }
        }
        let reason = if gone.arrival == arrival { DropReason::Full } else { DropReason::Evicted };
        cx.drop(&gone.packet, reason);
        operations
    }

    /// The bid of an arrival as a number of 64 bits, whose 52 for whole bits are used up: those that wait, and those to come, which are not below
    /// `from`, are counted from the least of them from now on. Bids yet 2^52 bits above it are equal.
    #[cold]
    fn rebase(&mut self, bid: u128, from: u128) -> u64 {
        let waiting: Vec<Tagged> = std::iter::from_fn(|| self.waiting.pop_min().map(|(item, _)| item)).collect();
        let least = waiting.first().map_or(from, |item| from.min(self.base + u128::from(item.bid)));
        for mut item in waiting {
            let bid = (self.base + u128::from(item.bid)).saturating_sub(least);
            item.bid = u64::try_from(bid).unwrap_or(u64::MAX);
            self.waiting.insert(item);
        }
        self.base = least;
        u64::try_from(bid.saturating_sub(least)).unwrap_or(u64::MAX)
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
    fn enqueue(&mut self, packet: Packet, cx: &mut Cx<'_>) {
        let round = self.round.advance(cx.now);
        let (flow, bytes, bits) = (packet.flow.index(), u64::from(packet.bytes), 8 * u64::from(packet.bytes));
        let buffer = self.params.buffer;
        let mut refused = cx.exceeds(buffer, &Backlog::default(), 1, bytes);
        let mut operations = 0;
        if self.params.drop_policy == DropPolicy::Arrival {
            refused = cx.exceeds(buffer, &self.backlog, 1, bytes);
        } else if self.params.drop_policy == DropPolicy::LongestQueue {
            let unit = if matches!(buffer, Buffer::Packets(_)) { 1 } else { bytes };
            while !refused && cx.exceeds(buffer, &self.backlog, 1, bytes) {
                // The arrival counts for its own conversation and is its last packet.
                refused =
                    matches!(&self.waiting, AnyHeap::Perc(p) if p.most_held().is_none_or(|m| p.held(flow) + unit >= m));
                if !refused {
                    operations += self.evict(cx, u64::MAX);
                }
            }
        }
        if refused && !self.params.charge_drops {
            cx.drop(&packet, DropReason::Full);
            return;
        }
        let weight = self.round.weight(packet.flow.0);
        let last = &mut self.last[flow];
        let from = self.params.earliest(round);
        let mut bid = *last;
        bid.extend(from, bits, weight);
        last.extend(round, bits, weight);
        self.round.set(packet.flow.0, last.value(weight));
        if refused {
            cx.drop(&packet, DropReason::Full);
            return;
        }
        self.arrivals += 1;
        let arrival = self.arrivals;
        let bid = bid.rounded(weight);
        let bid = match u64::try_from(bid.wrapping_sub(self.base)) {
            Ok(bid) => bid,
            Err(_) => self.rebase(bid, Round::coarse(from)),
        };
        operations += self.waiting.insert(Tagged { packet, bid, arrival });
        self.backlog.add(packet.bytes);
        while cx.exceeds(buffer, &self.backlog, 0, 0) {
            operations += self.evict(cx, arrival);
        }
        self.work.insert.add(operations);
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
        self.round.grow(link.weights_from(self.last.len()));
        self.last.resize(link.flows, Finish::default());
        self.waiting.grow(link.flows);
    }

    fn has_forgotten(&self, flow: FlowId, _now: Time) -> bool {
        // R never falls: what it has passed it has passed.
        let last = self.last[flow.index()].value(self.round.weight(flow.0));
        last <= self.params.earliest(self.round.reached()) && !self.round.is_active(flow.0)
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use headgate_packet::{Duration, FlowId, Rate, Rng};

    /// Sends (time, conversation, bits / 8 as bytes) through a line of 8 bit/s per byte/s and gives the order of service.
    fn order(params: &FqParams, arrivals: &[(u64, u32, u32)]) -> Vec<u32> {
        let link = LinkInfo { rate: Rate::from_bps(8).unwrap(), flows: 4, weights: vec![] };
        let spec = crate::Spec::Fq(params.clone());
        let mut port = crate::Port::new(spec.build(&link), link.rate, Rng::new(0, 0, "test"));
        let mut out = Vec::new();
        for (i, &(at, flow, bytes)) in arrivals.iter().enumerate() {
            let packet = Packet { handle: i as u32, flow: FlowId(flow), bytes, ..Packet::default() };
            port.offer(packet, Time::ZERO + Duration::from_secs(at), &mut |sent| out.push(sent.packet.handle));
        }
        port.advance(Time::NEVER, &mut |sent| out.push(sent.packet.handle));
        out
    }

    #[test]
    fn serves_by_bid_without_preemption() {
        // Demers sheet: B 0-40, C 40-70, B 70-90, A 90-190.
        let arrivals = [(0, 1, 40), (0, 0, 100), (10, 2, 30), (60, 1, 20)];
        assert_eq!(order(&FqParams::default(), &arrivals), [0, 2, 3, 1]);
    }

    #[test]
    fn promptness_changes_the_order_of_a_newcomer_only() {
        // The line is busy until 300, R(240) = 140. A's bid is 240, 220 or 200 for delta 0, 20 or 1000; its rival's, of a
        // conversation that was never active and so has F = 0, is 230, 210 and 90.
        let arrivals = [(0, 1, 100), (0, 0, 100), (0, 1, 100), (240, 0, 100), (240, 2, 90)];
        let last = |delta| order(&FqParams { delta: Bytes(delta), ..FqParams::default() }, &arrivals)[3..].to_vec();
        assert_eq!(last(0), [4, 3]);
        // With a rival that is active the newcomer overtakes: conversation 1 bids 300 at 240 whatever delta.
        let arrivals = [(0, 1, 100), (0, 0, 100), (0, 1, 100), (240, 1, 30), (241, 0, 100)];
        let last = |delta| order(&FqParams { delta: Bytes(delta), ..FqParams::default() }, &arrivals)[3..].to_vec();
        assert_eq!(last(0), [3, 4]);
        assert_eq!(last(1000), [4, 3]);
    }

    #[test]
    fn bids_go_on_beyond_2_to_the_52_bits() {
        // All conversations have finish numbers just below 2^52 bits, and the line stands there too: packets of 10 and 40 bytes lie on both sides.
        let link = LinkInfo { rate: Rate::from_bps(8).unwrap(), flows: 4, weights: vec![] };
        for structure in [Structure::Perc, Structure::Heap, Structure::Tree, Structure::Link] {
            let params = FqParams { structure, drop_policy: DropPolicy::LargestBid, ..FqParams::default() };
            for start in [(1 << 52) - 100, (1 << 53) - 100, (1 << 63) - 100] {
                let (mut queue, mut rng, mut dropped) = (Fq::new(&params, &link), Rng::new(0, 0, "test"), Vec::new());
                queue.round.start_at(Round::bits(start));
                for flow in 0..4 {
                    queue.last[flow].extend(Round::bits(start), 0, 1);
                    queue.round.set(flow as u32, queue.last[flow].value(1));
                }
                let mut cx = Cx::new(Time::ZERO, &mut rng, &mut dropped);
                for (handle, flow, bytes) in [(0, 0, 10), (1, 1, 40), (2, 0, 20), (3, 2, 9), (4, 2, 31), (5, 3, 11)] {
                    queue.enqueue(Packet { handle, flow: FlowId(flow), bytes, ..Packet::default() }, &mut cx);
                }
                let sent: Vec<u32> = std::iter::from_fn(|| queue.dequeue(&mut cx)).map(|p| p.handle).collect();
                assert_eq!(sent, [3, 0, 5, 2, 1, 4], "{structure:?} from {start}");
            }
        }
    }

    fn survivors(params: FqParams, arrivals: &[(u32, u32)]) -> Vec<u32> {
        let link = LinkInfo { rate: Rate::from_bps(8).unwrap(), flows: 4, weights: vec![] };
        let mut queue = Fq::new(&params, &link);
        let (mut rng, mut dropped) = (Rng::new(0, 0, "test"), Vec::new());
        let mut cx = Cx::new(Time::ZERO, &mut rng, &mut dropped);
        for (i, &(flow, bytes)) in arrivals.iter().enumerate() {
            queue.enqueue(Packet { handle: i as u32, flow: FlowId(flow), bytes, ..Packet::default() }, &mut cx);
        }
        let mut left: Vec<u32> = std::iter::from_fn(|| queue.dequeue(&mut cx)).map(|p| p.handle).collect();
        left.sort_unstable();
        left
    }

    #[test]
    fn the_longest_queue_loses_its_last_packet() {
        let params = FqParams { buffer: Buffer::Packets(3), ..FqParams::default() };
        assert_eq!(survivors(params.clone(), &[(0, 10), (0, 10), (0, 10), (1, 10)]), [0, 1, 3]);
        // The arrival's own conversation is one of the longest: the arrival goes.
        assert_eq!(survivors(params, &[(0, 10), (0, 10), (1, 10), (1, 10)]), [0, 1, 2]);
        // Of two others that hold as much it is the one whose last packet is to leave last, whatever their numbers.
        let params = FqParams { buffer: Buffer::Packets(4), ..FqParams::default() };
        assert_eq!(survivors(params.clone(), &[(0, 10), (0, 10), (1, 10), (1, 30), (2, 10)]), [0, 1, 2, 4]);
        assert_eq!(survivors(params.clone(), &[(0, 10), (0, 30), (1, 10), (1, 10), (2, 10)]), [0, 2, 3, 4]);
        // With equal bids, too.
        assert_eq!(survivors(params.clone(), &[(0, 10), (1, 10), (0, 10), (1, 10), (2, 10)]), [0, 1, 2, 4]);
        assert_eq!(survivors(params, &[(1, 10), (0, 10), (1, 10), (0, 10), (2, 10)]), [0, 1, 2, 4]);
    }

    #[test]
    fn the_largest_bid_goes_whoever_owns_it() {
        let params =
            FqParams { buffer: Buffer::Packets(2), drop_policy: DropPolicy::LargestBid, ..FqParams::default() };
        assert_eq!(survivors(params, &[(0, 10), (1, 50), (2, 20)]), [0, 2]);
    }

    #[test]
    fn the_arrival_goes_whatever_its_bid() {
        // Of every structure: 2 comes to a full buffer, with a smaller bid than 1 and from a conversation that holds nothing.
        for structure in [Structure::Perc, Structure::Link, Structure::Tree, Structure::Heap] {
            let buffer = Buffer::Packets(2);
            let params = FqParams { buffer, drop_policy: DropPolicy::Arrival, structure, ..FqParams::default() };
            assert_eq!(survivors(params, &[(0, 10), (0, 50), (1, 20)]), [0, 1], "{structure:?}");
        }
        // In bytes what fits gets in, and it may be later than what did not.
        let params = FqParams { buffer: Buffer::Bytes(100), drop_policy: DropPolicy::Arrival, ..FqParams::default() };
        assert_eq!(survivors(params, &[(0, 60), (1, 50), (1, 40), (0, 1)]), [0, 2]);
    }

    #[test]
    fn a_dropped_packet_is_charged_or_not() {
        let finish = |charge_drops| {
            let link = LinkInfo { rate: Rate::from_bps(8).unwrap(), flows: 1, weights: vec![] };
            let params = FqParams { buffer: Buffer::Packets(1), charge_drops, ..FqParams::default() };
            let (mut queue, mut rng, mut dropped) = (Fq::new(&params, &link), Rng::new(0, 0, "test"), Vec::new());
            for _ in 0..3 {
                let mut cx = Cx::new(Time::ZERO, &mut rng, &mut dropped);
                queue.enqueue(Packet { bytes: 10, ..Packet::default() }, &mut cx);
            }
            assert_eq!(dropped.len(), 2);
            queue.last[0].value(1)
        };
        assert_eq!(finish(true), Round::bits(240));
        assert_eq!(finish(false), Round::bits(80));
    }

    #[test]
    fn a_packet_that_is_taken_back_keeps_its_conversation_active_no_longer() {
        // Conversation 0 has two packets of 10 bytes and loses the second to conversation 1: both finish at 80 bits, which two reach in 20 s.
        let active = |charge_drops| {
            let link = LinkInfo { rate: Rate::from_bps(8).unwrap(), flows: 2, weights: vec![] };
            let params = FqParams { buffer: Buffer::Packets(2), charge_drops, ..FqParams::default() };
            let (mut queue, mut rng, mut dropped) = (Fq::new(&params, &link), Rng::new(0, 0, "test"), Vec::new());
            for flow in [0, 0, 1] {
                let mut cx = Cx::new(Time::ZERO, &mut rng, &mut dropped);
                queue.enqueue(Packet { flow: FlowId(flow), bytes: 10, ..Packet::default() }, &mut cx);
            }
            assert_eq!(dropped.len(), 1);
            queue.round.advance(Time::from_ps(21_000_000_000_000));
            queue.round.active()
        };
        assert_eq!([active(true), active(false)], [1, 0]);
    }
}
