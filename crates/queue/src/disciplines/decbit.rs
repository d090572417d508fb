//! The original DECbit gateway: first come, first served, and the congestion bit in every packet while the average queue is long.
//!
//! Source: Demers, Keshav and Shenker 1989, section 4 ("greater than one": packets that arrive one by one at the line's own rate
//! are not marked, which decides how fast windows recover in the thesis's scenario 3); the averaging after Ramakrishnan and Jain 1988.
//! Deviations: none known; the DEC reports themselves were not at hand. State per flow: none.

use crate::disciplines::fcfs::FcfsParams;
use crate::parts::BusyQueue;
use crate::explain::tell_fact;
use crate::{Backlog, Cx, Discipline, Does, LinkInfo, Look, Number, Tell};
use headgate_packet::{Buffer, Card, Check, Packet, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// DECbit gateway: marks while the average queue is long. Packets are served first come, first served, and then every packet is marked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DecbitParams {
    /// Maximum backlog, in packets or bytes; the packet in transmission is not counted.
    pub buffer: Buffer,
    /// Average queue length, the packet in transmission included, above which packets are marked.
    #[schemars(range(min = 0.0, max = 1_000_000.0))]
    pub threshold: f64,
}

impl Default for DecbitParams {
    fn default() -> DecbitParams {
        DecbitParams { buffer: FcfsParams::default().buffer, threshold: 1.0 }
    }
}

impl Check for DecbitParams {}

/// The original DECbit gateway.
#[derive(Clone, Debug)]
pub struct Decbit {
    queue: BusyQueue,
    threshold: f64,
}

impl Decbit {
    /// What it says of itself.
    pub const CARD: Card = Card {
        main: &["buffer"],
        says: &[include_str!("decbit.says")],
        ..Card::of("Ramakrishnan and Jain 1988; Demers, Keshav and Shenker 1989, section 4")
    };

    /// An empty queue.
    pub fn new(params: &DecbitParams, link: &LinkInfo) -> Decbit {
        Decbit { queue: BusyQueue::new(params.buffer, link), threshold: params.threshold }
    }

    /// Whether packets are marked at this average.
    fn is_above(&self, average: f64) -> bool {
        average > self.threshold
    }
}

impl Discipline for Decbit {
    const DOES: Does = Does { marks: true, ..Does::NOTHING };
    const PER_CONVERSATION: bool = false;

    fn enqueue(&mut self, mut packet: Packet, cx: &mut Cx<'_>) {
        self.queue.on_arrival(cx.now);
        if packet.ecn.is_capable() {
            let average = self.queue.average(cx.now);
            if self.is_above(average) {
                packet.ecn.mark();
            }
        }
        self.queue.enqueue(packet, cx);
    }

    fn dequeue(&mut self, cx: &mut Cx<'_>) -> Option<Packet> {
        self.queue.dequeue(cx)
    }

    fn backlog(&self) -> Backlog {
        self.queue.backlog()
    }

    fn on_link_change(&mut self, link: &LinkInfo, _now: Time) {
        self.queue.set_rate(link.rate);
    }

    fn explain(&self, packet: &Packet, look: &Look, tell: Tell<'_>) {
        self.queue.explain(packet, look, tell);
        let average = self.queue.look(look.now).1;
        tell(Number::AveragePackets, average);
        tell(Number::Threshold, self.threshold);
        tell_fact(Number::AboveThreshold, self.is_above(average), tell);
    }
}

#[cfg(test)]
mod tests {
    use crate::told::each_sent;
    use super::*;
    use crate::Port;
    use headgate_packet::{Duration, Ecn, FlowId, Rate, Rng, Time};

    /// Marks of packets of one byte, a second each on the line, that arrive at these times.
    fn marks(seconds: &[u64]) -> Vec<bool> {
        let link = LinkInfo { rate: Rate::from_bps(8).unwrap(), flows: 1, weights: vec![], hosts: vec![] };
        let spec = crate::Spec::Decbit(DecbitParams::default());
        let mut port = Port::new(spec.build(&link), link.rate, Rng::new(0, 0, "test"));
        let mut marks = Vec::new();
        for at in seconds {
            let packet = Packet { flow: FlowId(0), bytes: 1, ecn: Ecn::Ect0, ..Packet::default() };
            port.offer(packet, Time::ZERO + Duration::from_secs(*at), &mut each_sent(|s| marks.push(s.packet.ecn == Ecn::Ce)));
        }
        port.advance(Time::NEVER, &mut each_sent(|s| marks.push(s.packet.ecn == Ecn::Ce)));
        marks
    }

    #[test]
    fn a_train_at_the_rate_of_the_line_is_not_marked_and_a_queue_is() {
        assert_eq!(marks(&[0, 1, 2, 3, 4, 5]), [false; 6]);
        // Four at once, then one a second: the average is 3 from then on.
        assert_eq!(marks(&[0, 0, 0, 0, 1, 2])[4..], [true, true]);
    }
}
