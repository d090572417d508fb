//! Virtual Clock: packets are stamped as if each conversation were served at its own reserved rate.
//!
//! Source: Zhang 1990, section 3 (auxVC). A packet's stamp is auxVC = max(now, auxVC) + length / rate of the conversation; the packet with
//! the smallest stamp is served next. A conversation that used idle capacity has its clock ahead of time and is served less later,
//! which is not so with Fair Queueing.
//!
//! Deviations:
//! - Where the rates are not given, the line's rate is divided by weight among all conversations known so far: a new one lengthens the
//!   steps of all stamps that are given from then on, and leaves those given before.
//! - A full buffer drops the last packet of the longest queue, whose conversation gets the packet's time back; the paper leaves it open.
//!
//! State per flow: its packets with their stamps, and its clock. The clock of a flow that left is forgotten when the time has passed it. Where the
//! line's rate is divided, its weight counts forever, so that it is never forgotten completely: with flows that come and go, give the rate.

use crate::parts::{DropEnd, IndexedHeap, QueueSet, Ring};
use crate::{Backlog, Cx, Discipline, Does, LinkInfo, Look, Number, Tell};
use headgate_packet::{Buffer, Card, Check, FlowId, Memory, Packet, Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Virtual Clock: each conversation has a reserved rate. Packets leave as if each conversation were served at its own one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct VirtualClockParams {
    /// Maximum backlog, in packets or bytes; the packet in transmission is not counted.
    pub buffer: Buffer,
    /// Rate reserved per unit of weight; the link's rate over the sum of all weights unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// Manages each queue actively: what drops or marks packets before the buffer is full.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aqm: Option<crate::aqm::Spec>,
}

impl Default for VirtualClockParams {
    fn default() -> VirtualClockParams {
        VirtualClockParams { buffer: Buffer::Packets(100), rate: None, aqm: None }
    }
}

impl Check for VirtualClockParams {}

/// The rates that conversations have.
#[derive(Clone, Debug)]
struct Reserved {
    /// Rate of `shares` units of weight, in bit/s.
    rate: u128,
    shares: u128,
    /// The line is divided among all conversations: `shares` is the sum of their weights.
    divided: bool,
    weights: Vec<u32>,
}

impl Reserved {
    /// The line's rate: what was stamped keeps its stamp.
    fn set_line(&mut self, rate: Rate) {
        if self.divided {
            self.rate = u128::from(rate.as_bps());
        }
    }

    fn grow(&mut self, weights: impl Iterator<Item = u32>) {
        let known = self.weights.len();
        self.weights.extend(weights);
        if self.divided {
            self.shares += self.weights[known..].iter().map(|w| u128::from(*w)).sum::<u128>();
        }
    }

    /// The stamp of a packet of a conversation whose clock shows this.
    fn stamp(&self, clock: u64, packet: &Packet, now: u64) -> u64 {
        clock.max(now).saturating_add(self.time(packet))
    }

    /// Time in ps that a packet takes at its conversation's rate.
    fn time(&self, packet: &Packet) -> u64 {
        let work = (u128::from(packet.bytes) * 8 * 1_000_000_000_000).saturating_mul(self.shares);
        u64::try_from(work / (self.rate * u128::from(self.weights[packet.flow.index()]))).unwrap_or(u64::MAX)
    }
}

/// Virtual Clock.
#[derive(Clone, Debug)]
pub struct VirtualClock {
    queues: QueueSet,
    /// Stamps of the packets that wait, with the arrival's number.
    stamps: Vec<Ring<(u64, u64)>>,
    /// Backlogged conversations by the stamp of their first packet.
    heads: IndexedHeap,
    arrivals: u64,
    reserved: Reserved,
    /// auxVC of each conversation, in ps.
    clocks: Vec<u64>,
}

impl VirtualClock {
    /// What it says of itself.
    pub const CARD: Card = Card {
        examples: &[r#"{"rate": "3kbit/s"}"#],
        main: &["buffer"],
        says: &[include_str!("virtual_clock.says")],
        remembers: &[
            Memory { with: "a `rate`", ..Memory::of("its clock", "when the time has passed it") },
            Memory {
                with: "no `rate`",
                ..Memory::of("its weight, in the sum by which the link is divided", Memory::NEVER)
            },
        ],
        ..Card::of("Zhang 1990, section 3")
    };

    /// An empty queue.
    pub fn new(params: &VirtualClockParams, link: &LinkInfo) -> VirtualClock {
        let (rate, divided) = (u128::from(params.rate.unwrap_or(link.rate).as_bps()), params.rate.is_none());
        let mut reserved = Reserved { rate, shares: u128::from(!divided), divided, weights: Vec::new() };
        reserved.grow(link.weights_from(0));
        VirtualClock {
            queues: QueueSet::new(params.buffer, DropEnd::Tail, link.flows),
            stamps: vec![Ring::default(); link.flows],
            heads: IndexedHeap::new(link.flows),
            arrivals: 0,
            reserved,
            clocks: vec![0; link.flows],
        }
    }
}

impl Discipline for VirtualClock {
    const DOES: Does = Does { weights: true, ..Does::NOTHING };

    fn enqueue(&mut self, packet: Packet, cx: &mut Cx<'_>) {
        let (now, flow) = (cx.now.as_ps(), packet.flow.index());
        let VirtualClock { queues, stamps, heads, reserved, clocks, .. } = self;
        let mut evicted = |queue: u32, gone: Packet, only| {
            let q = queue as usize;
            stamps[q].pop_back();
            clocks[q] = clocks[q].saturating_sub(reserved.time(&gone));
            if only {
                heads.remove(queue);
            }
        };
        if !queues.push_with(packet.flow.0, packet, cx, &mut evicted) {
            return;
        }
        clocks[flow] = reserved.stamp(clocks[flow], &packet, now);
        self.arrivals += 1;
        let stamp = (clocks[flow], self.arrivals);
        if stamps[flow].is_empty() {
            heads.set(packet.flow.0, stamp);
        }
        stamps[flow].push_back(stamp);
    }

    fn dequeue(&mut self, _cx: &mut Cx<'_>) -> Option<Packet> {
        let (_, flow) = self.heads.first()?;
        let stamps = &mut self.stamps[flow as usize];
        stamps.pop_front();
        match stamps.front() {
            Some(next) => self.heads.set(flow, *next),
            None => self.heads.remove(flow),
        }
        self.queues.pop(flow)
    }

    fn backlog(&self) -> Backlog {
        self.queues.backlog()
    }

    fn shares_by_known_weights(&self) -> bool {
        true
    }

    fn never_forgets(&self) -> bool {
        self.reserved.divided
    }

    fn has_forgotten(&self, flow: FlowId, now: Time) -> bool {
        let f = flow.index();
        !self.never_forgets() && self.stamps[f].is_empty() && self.clocks[f] <= now.as_ps()
    }

    fn on_link_change(&mut self, link: &LinkInfo, _now: Time) {
        self.reserved.set_line(link.rate);
        self.reserved.grow(link.weights_from(self.clocks.len()));
        self.stamps.resize(link.flows, Ring::default());
        self.clocks.resize(link.flows, 0);
        self.queues.grow(link.flows);
        self.heads.grow(link.flows);
    }

    fn explain(&self, packet: &Packet, look: &Look, tell: Tell<'_>) {
        let clock = self.clocks[packet.flow.index()];
        let seconds = |ps: u64| Time::from_ps(ps).as_secs_f64();
        self.queues.explain(packet.flow.0, packet, look, tell);
        tell(Number::Clock, seconds(clock));
        tell(Number::Stamp, seconds(self.reserved.stamp(clock, packet, look.now.as_ps())));
    }
}

#[cfg(test)]
mod tests {
    use crate::parts::test::{Arrival, dropped, order};

    #[test]
    fn who_used_idle_capacity_pays_later() {
        // Two conversations at half the line's rate each: a byte advances a clock by two seconds. A sends ten packets of a byte alone, with stamps
        // 2 to 20. At 5 s its sixth one starts and B arrives: B's three packets have stamps 7, 9, 11, A's left ones 14, 16, ...
        let mut arrivals: Vec<Arrival> = vec![(0, 0, 1); 10];
        arrivals.extend([(5, 1, 1); 3]);
        assert_eq!(order(r#"{"kind": "virtual_clock"}"#, &[], &arrivals), [0, 1, 2, 3, 4, 5, 10, 11, 12, 6, 7, 8, 9]);
        // Fair Queueing shares from then on: bids 48, 56, 64 bits (B) against 56, 64, ... (A), ties to the earlier arrival.
        assert_eq!(order(r#"{"kind": "fq"}"#, &[], &arrivals)[5..10], [5, 10, 6, 11, 7]);
    }

    #[test]
    fn a_reserved_rate_is_a_parameter() {
        // At a tenth of the line's rate per unit of weight and weights 1 and 2, stamps are 10, 20 and 5, 10, 15; the earlier arrival wins ties.
        let arrivals: [Arrival; 6] = [(0, 2, 1), (0, 0, 1), (0, 0, 1), (0, 1, 1), (0, 1, 1), (0, 1, 1)];
        let spec = r#"{"kind": "virtual_clock", "rate": "0.8bit/s"}"#;
        assert!(serde_json::from_str::<crate::Spec>(spec).is_err(), "rates are whole numbers of bit/s");
        let spec = r#"{"kind": "virtual_clock", "rate": "1bit/s"}"#;
        assert_eq!(order(spec, &[1, 2, 9], &arrivals), [0, 3, 1, 4, 5, 2]);
    }

    #[test]
    fn who_loses_a_packet_gets_its_time_back() {
        // Half of the line each: a packet of 10 advances a clock by 20 s. A's packets have stamps 20 to 80, the first is sent at once. B's packet
        // takes the place of A's last one, and A's clock goes back to 60: packet 5 gets the stamp 80. B's packet of 34 arrives at 22 s and has 22 +
        // 68 = 90. Without the time A's would have 100.
        let spec = r#"{"kind": "virtual_clock", "buffer": "3pkt"}"#;
        let arrivals: [Arrival; 7] =
            [(0, 0, 10), (0, 0, 10), (0, 0, 10), (0, 0, 10), (0, 1, 10), (21, 0, 10), (22, 1, 34)];
        assert_eq!((order(spec, &[], &arrivals), dropped(spec, &arrivals)), (vec![0, 4, 1, 2, 5, 6], vec![3]));
    }

    #[test]
    fn of_equal_stamps_the_earlier_comes_first() {
        let arrivals: [Arrival; 6] = [(0, 5, 10), (0, 3, 10), (0, 0, 10), (0, 4, 10), (0, 1, 10), (0, 2, 10)];
        assert_eq!(order(r#"{"kind": "virtual_clock"}"#, &[], &arrivals), [0, 1, 2, 3, 4, 5]);
    }
}
