//! A marking threshold: packets that can be marked are marked while the queue is longer than a threshold, or once they waited for longer. Nothing is dropped.
//!
//! Source: RFC 8257, section 3.1 (marks above a number of packets or bytes, on arrival), and RFC 9331, section 5.2 with RFC 9332, appendix A.2 (marks above
//! a time in the queue, on departure, as Linux's `ce_threshold`).
//!
//! Deviations: none. State per queue: none.

use super::{Aqm, Queue, Verdict};
use crate::explain::{in_unit_of, tell_fact};
use crate::{Backlog, Cx, Does, LinkInfo, Look, Number, Tell};
use headgate_packet::{Buffer, Card, Check, Duration, Ecn, FlowId, Packet, Time, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which packets a threshold marks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Marked {
    /// Those of all flows that understand marks.
    #[default]
    All,
    /// Those with ECT(1), which L4S uses, and no others.
    Ect1,
}

/// Marks beyond a threshold of length or of waiting. Packets are marked while the queue is longer than a threshold, or once they waited for longer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ThresholdParams {
    /// Packets or bytes of its queue above which a packet is marked that arrives. Without it the length of the queue does not matter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue: Option<Buffer>,
    /// Time in the queue above which a packet is marked as it leaves. Without it the time does not matter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay: Option<Duration>,
    /// Which packets are marked.
    pub marked: Marked,
}

impl Default for ThresholdParams {
    fn default() -> ThresholdParams {
        ThresholdParams { queue: Some(Buffer::Packets(20)), delay: None, marked: Marked::All }
    }
}

impl Check for ThresholdParams {
    fn check(&self) -> Result<(), Wrong> {
        if self.queue.is_none() && self.delay.is_none() {
            return Err(Wrong::at("", "expected `queue`, `delay` or both"));
        }
        Ok(())
    }
}

/// A marking threshold.
#[derive(Clone, Debug)]
pub struct Threshold {
    params: ThresholdParams,
}

impl Threshold {
    /// What it says of itself.
    pub const CARD: Card = Card {
        examples: &[r#"{"delay": "30ms"}"#, r#"{"queue": "600B"}"#],
        main: &["delay"],
        says: &[include_str!("threshold.says")],
        ..Card::of("RFC 8257, section 3.1; RFC 9331, section 5.2")
    };

    /// It knows nothing of queues.
    pub fn new(params: &ThresholdParams, _link: &LinkInfo) -> Threshold {
        Threshold { params: params.clone() }
    }

    /// Whether what waits in a queue is above the threshold.
    #[inline]
    fn is_long(&self, waiting: Backlog) -> bool {
        self.params.queue.is_some_and(|most| most.exceeded_by(waiting.packets, waiting.bytes))
    }

    /// Whether a packet that leaves waited longer than the threshold.
    #[inline]
    fn is_late(&self, packet: &Packet, now: Time) -> bool {
        self.params.delay.is_some_and(|most| now.since(packet.arrived) > most)
    }

    fn verdict(&self, packet: &Packet, above: bool) -> Verdict {
        let can = match self.params.marked {
            Marked::All => packet.ecn.is_capable(),
            Marked::Ect1 => packet.ecn == Ecn::Ect1,
        };
        if above && can { Verdict::Mark } else { Verdict::Pass }
    }
}

impl Aqm for Threshold {
    const DOES: Does = Does { marks: true, ..Does::NOTHING };
    fn on_link_change(&mut self, _link: &LinkInfo, _queues: &[Backlog], _now: Time) {}

    #[inline]
    fn on_arrival(&mut self, packet: &Packet, queue: Queue, _cx: &mut Cx<'_>) -> Verdict {
        self.verdict(packet, self.is_long(queue.waiting))
    }

    #[inline]
    fn on_departure(&mut self, packet: &Packet, _queue: Queue, cx: &mut Cx<'_>) -> Verdict {
        self.verdict(packet, self.is_late(packet, cx.now))
    }

    fn has_forgotten(&self, _flow: FlowId, _own: Option<usize>, _now: Time) -> bool {
        true
    }

    fn explain_arrival(&self, _packet: &Packet, queue: Queue, _look: &Look, tell: Tell<'_>) {
        if let Some(most) = self.params.queue {
            let Backlog { packets, bytes } = queue.waiting;
            let held = if matches!(most, Buffer::Packets(_)) { packets } else { bytes };
            tell(in_unit_of(most, Number::ManagedPackets, Number::ManagedBytes), held as f64);
            tell(in_unit_of(most, Number::MarkPackets, Number::MarkBytes), most.limit());
            tell_fact(Number::AboveMark, self.is_long(queue.waiting), tell);
        }
    }

    fn explain_departure(&self, packet: &Packet, _queue: Queue, look: &Look, tell: Tell<'_>) {
        tell(Number::Sojourn, look.now.since(packet.arrived).as_secs_f64());
        if let Some(most) = self.params.delay {
            tell(Number::Target, most.as_secs_f64());
            tell_fact(Number::OverTarget, self.is_late(packet, look.now), tell);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use headgate_packet::{Rate, Rng};

    #[test]
    fn what_can_be_marked_is_above_the_threshold_and_not_at_it() {
        let link = LinkInfo { rate: Rate::from_bps(1).unwrap(), flows: 1, weights: vec![], hosts: vec![] };
        let (mut rng, mut dropped) = (Rng::new(0, 0, "test"), Vec::new());
        let at = Time::ZERO + Duration::from_millis(10);
        let mut cx = Cx::new(at, &mut rng, &mut dropped);
        let made = |params| Threshold::new(&params, &link);
        let mut by_length = made(ThresholdParams { queue: Some(Buffer::Packets(2)), ..ThresholdParams::default() });
        let packet = |ecn| Packet { ecn, arrived: Time::ZERO, ..Packet::default() };
        let queue = |packets| Queue { number: 0, waiting: Backlog { packets, bytes: 9 }, port: Backlog { packets: 9, bytes: 9 } };
        for (waiting, ecn, due) in [
            (2, Ecn::Ect0, Verdict::Pass),
            (3, Ecn::Ect0, Verdict::Mark),
            (3, Ecn::Ect1, Verdict::Mark),
            (3, Ecn::NotEct, Verdict::Pass),
        ] {
            assert_eq!(by_length.on_arrival(&packet(ecn), queue(waiting), &mut cx), due);
            assert_eq!(by_length.on_departure(&packet(ecn), queue(waiting), &mut cx), Verdict::Pass);
        }
        let ms = Duration::from_millis;
        for (delay, marked, ecn, due) in [
            (10, Marked::All, Ecn::Ect0, Verdict::Pass),
            (9, Marked::All, Ecn::Ect0, Verdict::Mark),
            (9, Marked::Ect1, Ecn::Ect0, Verdict::Pass),
            (9, Marked::Ect1, Ecn::Ect1, Verdict::Mark),
            (9, Marked::All, Ecn::NotEct, Verdict::Pass),
        ] {
            let mut by_time = made(ThresholdParams { queue: None, delay: Some(ms(delay)), marked });
            assert_eq!(by_time.on_departure(&packet(ecn), queue(1), &mut cx), due);
            assert_eq!(by_time.on_arrival(&packet(ecn), queue(9), &mut cx), Verdict::Pass);
        }
    }
}
