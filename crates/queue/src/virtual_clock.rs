//! Virtual Clock: packets are stamped as if each conversation were served at its own reserved rate.
//!
//! Source: Zhang 1990, section 3 (auxVC). A packet's stamp is auxVC = max(now, auxVC) + length / rate of the conversation; the packet with
//! the smallest stamp is served next. A conversation that used idle capacity finds its clock ahead of time and pays for it later,
//! which Fair Queueing does not ask.
//! Deviations: where the rates are not given, the line's is divided by weight among all conversations that the classifier can name.
//! An arrival at a full buffer is dropped and leaves no trace. State per flow: its packets and its clock.

use crate::parts::TagQueue;
use crate::{Backlog, Cx, Discipline, LinkInfo};
use headgate_packet::{Buffer, Packet, Rate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Packets leave as if each conversation were served at its own reserved rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct VirtualClockParams {
    /// Most packets or bytes that may wait; the packet in transmission is extra.
    pub buffer: Buffer,
    /// Rate reserved per unit of weight; the line's rate over the sum of all weights unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
}

impl Default for VirtualClockParams {
    fn default() -> VirtualClockParams {
        VirtualClockParams { buffer: Buffer::Packets(100), rate: None }
    }
}

/// Virtual Clock.
#[derive(Clone, Debug)]
pub struct VirtualClock {
    queue: TagQueue,
    /// Of each conversation: the time per bit in ps, as a fraction.
    pace: Vec<(u128, u128)>,
    /// auxVC of each conversation, in ps.
    clocks: Vec<u64>,
}

impl VirtualClock {
    /// Where it was published.
    pub const SOURCE: &'static str = "Zhang 1990, section 3";

    /// An empty queue.
    pub fn new(params: &VirtualClockParams, link: &LinkInfo) -> VirtualClock {
        let weights: Vec<u128> = (0..link.flows).map(|f| u128::from(link.weight(f))).collect();
        let (shares, rate) = match params.rate {
            Some(rate) => (1, rate),
            None => (weights.iter().sum(), link.rate),
        };
        VirtualClock {
            queue: TagQueue::new(params.buffer, link.flows),
            pace: weights.iter().map(|w| (1_000_000_000_000 * shares, u128::from(rate.as_bps()) * w)).collect(),
            clocks: vec![0; link.flows],
        }
    }
}

impl Discipline for VirtualClock {
    fn enqueue(&mut self, packet: Packet, cx: &mut Cx<'_>) {
        if !self.queue.admit(&packet, cx) {
            return;
        }
        let flow = packet.flow.index();
        let (ps, bits) = self.pace[flow];
        let length = u64::try_from(u128::from(packet.bytes) * 8 * ps / bits).unwrap_or(u64::MAX);
        self.clocks[flow] = self.clocks[flow].max(cx.now.as_ps()).saturating_add(length);
        self.queue.push(packet, self.clocks[flow]);
    }

    fn dequeue(&mut self, _cx: &mut Cx<'_>) -> Option<Packet> {
        self.queue.pop().map(|(packet, _)| packet)
    }

    fn backlog(&self) -> Backlog {
        self.queue.backlog()
    }
}

#[cfg(test)]
mod tests {
    use crate::parts::test::{Arrival, order};

    #[test]
    fn who_used_idle_capacity_pays_later() {
        // Two conversations at half the line's rate each: a byte advances a clock by two seconds. A sends ten packets of a byte alone, with stamps
        // 2 to 20. At 5 s its sixth one starts and B comes: B's three packets have stamps 7, 9, 11, A's left ones 14, 16, ...
        let mut arrivals: Vec<Arrival> = vec![(0, 0, 1); 10];
        arrivals.extend([(5, 1, 1); 3]);
        assert_eq!(order(r#"{"kind": "virtual_clock"}"#, &[], &arrivals), [0, 1, 2, 3, 4, 5, 10, 11, 12, 6, 7, 8, 9]);
        // Fair Queueing shares from then on: bids 48, 56, 64 bits (B) against 56, 64, ... (A), ties to the earlier arrival.
        assert_eq!(order(r#"{"kind": "fq"}"#, &[], &arrivals)[5..10], [5, 10, 6, 11, 7]);
    }

    #[test]
    fn a_reserved_rate_is_a_parameter() {
        // At a tenth of the line's rate per unit of weight and weights 1 and 2, stamps are 10, 20 and 5, 10, 15; ties go to the earlier arrival.
        let arrivals: [Arrival; 6] = [(0, 2, 1), (0, 0, 1), (0, 0, 1), (0, 1, 1), (0, 1, 1), (0, 1, 1)];
        let spec = r#"{"kind": "virtual_clock", "rate": "0.8bit/s"}"#;
        assert!(serde_json::from_str::<crate::Spec>(spec).is_err(), "rates are whole numbers of bit/s");
        let spec = r#"{"kind": "virtual_clock", "rate": "1bit/s"}"#;
        assert_eq!(order(spec, &[1, 2, 9], &arrivals), [0, 3, 1, 4, 5, 2]);
    }
}
