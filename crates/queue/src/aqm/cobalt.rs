//! COBALT: CoDel, whose rate of signals falls as it rose, and BLUE beside it, which drops at random after a full buffer.
//!
//! Source: Linux's `sch_cake`, in which it manages each queue (`parts/cobalt.rs`).
//!
//! Deviations:
//! - The AQM learns of packets that found no room, and not of those that make room for others.
//! - `sch_cake` asks queues that became empty while it serves others; here an empty queue counts as asked all the while. A queue that lost all packets to others
//!   is empty from its last arrival on.
//! - The transmission time of the longest packet is that at the rate of the line, also where several queues share it.
//! - A new queue signals an interval after packets began to wait too long. With `at_once` it begins as the kernel's text has it, where the second of these
//!   packets is signalled.
//!
//! State per queue: 56 bytes. A queue is forgotten when it came to rest: when its count and its probability are zero, and some time passed.

use super::{Aqm, Queue, Verdict};
use crate::parts::{self, BlueSteps, CobaltRule};
use crate::explain::tell_fact;
use crate::{Backlog, Cx, Does, DropReason, LinkInfo, Look, Number, Tell};
use headgate_packet::check::{above_zero, packet_length};
use headgate_packet::{Bytes, Card, Check, Duration, FlowId, Memory, Packet, Time, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// COBALT: CoDel with BLUE beside it. CoDel's rate of signals falls as it rose, and BLUE drops at random after a full buffer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CobaltParams {
    /// Time in the queue that is acceptable, and the shortest time between two steps of BLUE's probability.
    pub target: Duration,
    /// How long packets must have waited too long before the first signal, and the time from it on by which the pauses between signals are scaled.
    pub interval: Duration,
    /// The longest packet of the line: a wait of up to four of its transmission times is acceptable too.
    pub max_packet: Bytes,
    /// What a packet that finds no room adds to BLUE's probability.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub increment: f64,
    /// What an empty queue takes off it.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub decrement: f64,
    /// Signals by marks where the flow understands them; BLUE drops all the same.
    pub mark: bool,
    /// The first signal of a new queue comes with the second packet that waited too long, as in the kernel's text.
    pub at_once: bool,
}

impl Default for CobaltParams {
    fn default() -> CobaltParams {
        let (target, interval) = (Duration::from_millis(5), Duration::from_millis(100));
        let (increment, decrement) = (1.0 / 256.0, 1.0 / 4096.0);
        CobaltParams { target, interval, max_packet: Bytes(1514), increment, decrement, mark: false, at_once: false }
    }
}

impl Check for CobaltParams {
    fn check(&self) -> Result<(), Wrong> {
        above_zero("target", self.target)?;
        above_zero("interval", self.interval)?;
        packet_length("max_packet", self.max_packet)?;
        if self.decrement > 0.0 {
            Ok(())
        } else {
            Err(Wrong::at("decrement", "expected a number above zero").found(&self.decrement))
        }
    }
}

impl CobaltParams {
    /// What is left of it with these parameters.
    pub(crate) fn decides(&self, does: Does) -> Does {
        Does { marks: self.mark, ..does }
    }
}

/// COBALT.
#[derive(Clone, Debug)]
pub struct Cobalt {
    params: CobaltParams,
    rule: CobaltRule,
    queues: Vec<State>,
    /// When it was asked last.
    now: Time,
}

/// What it knows of a queue.
#[derive(Clone, Copy, Debug)]
struct State {
    cobalt: parts::Cobalt,
    /// When a packet last arrived or left.
    seen: Time,
}

impl Cobalt {
    /// What it says of itself.
    pub const CARD: Card = Card {
        examples: &[
            r#"{"target": "30ms", "interval": "90ms", "max_packet": "100B", "increment": 0.25, "decrement": 0.125}"#,
        ],
        main: &["target", "interval", "mark"],
        says: &[include_str!("cobalt.says"), parts::Cobalt::SAYS],
        remembers: &[
            Memory::of(
                "as without it, its count of signals and BLUE's probability",
                "when both have fallen to zero, and an interval later",
            ),
        ],
        ..Card::of("Linux, sch_cake")
    };

    /// No queue yet.
    pub fn new(params: &CobaltParams, link: &LinkInfo) -> Cobalt {
        let CobaltParams { target, interval, increment, decrement, .. } = *params;
        let blue = BlueSteps { increment, decrement, freeze: target };
        let rule = CobaltRule { target, interval, packet_time: Duration::ZERO, blue };
        let mut made = Cobalt { params: params.clone(), rule, queues: Vec::new(), now: Time::ZERO };
        made.on_link_change(link, &[], Time::ZERO);
        made
    }
}

impl Aqm for Cobalt {
    const DOES: Does = Does { marks: true, ..Does::NOTHING };
    const DROPS_ON_DEPARTURE: bool = true;

    fn on_link_change(&mut self, link: &LinkInfo, queues: &[Backlog], _now: Time) {
        self.rule.packet_time = link.rate.transmission(self.params.max_packet.0 as u32).0;
        self.queues.resize(queues.len(), State { cobalt: parts::Cobalt::new(self.params.at_once), seen: Time::ZERO });
    }

    #[inline]
    fn on_arrival(&mut self, _packet: &Packet, queue: Queue, cx: &mut Cx<'_>) -> Verdict {
        let state = &mut self.queues[queue.number];
        if queue.waiting.packets == 0 {
            state.cobalt.rest(state.seen, cx.now, &self.rule);
        }
        (state.seen, self.now) = (cx.now, cx.now);
        Verdict::Pass
    }

    fn on_refused(&mut self, queue: usize) {
        self.queues[queue].cobalt.on_full(self.now, &self.rule);
    }

    #[inline]
    fn on_departure(&mut self, packet: &Packet, queue: Queue, cx: &mut Cx<'_>) -> Verdict {
        let (state, marks) = (&mut self.queues[queue.number], self.params.mark && packet.ecn.is_capable());
        state.seen = cx.now;
        let sojourn = cx.now.since(packet.arrived);
        let chosen = state.cobalt.decide(cx.now, sojourn, 0, marks, &self.rule, || cx.rng.uniform());
        verdict(chosen, marks, queue.waiting.packets == 0)
    }

    fn has_forgotten(&self, _flow: FlowId, own: Option<usize>, now: Time) -> bool {
        own.is_none_or(|queue| {
            let State { mut cobalt, seen } = self.queues[queue];
            cobalt.rest(seen, now, &self.rule);
            cobalt.is_new(now, self.params.at_once, &self.rule)
        })
    }

    fn probe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        if let Some(state) = self.queues.first() {
            sink("count", f64::from(state.cobalt.count()));
            sink("probability", state.cobalt.probability());
        }
    }

    /// It decides nothing then.
    fn explain_arrival(&self, _packet: &Packet, _queue: Queue, _look: &Look, _tell: Tell<'_>) {}

    fn explain_departure(&self, packet: &Packet, queue: Queue, look: &Look, tell: Tell<'_>) {
        explain(&self.queues[queue.number].cobalt, packet, queue.waiting.packets, 0, &self.rule, look.now, tell);
    }
}

/// What becomes of a packet. The last one of its queue is never dropped.
pub(crate) fn verdict(chosen: parts::Chosen, marks: bool, last: bool) -> Verdict {
    match chosen {
        parts::Chosen { lottery: true, signal } if !last => {
            Verdict::Drop(if signal && !marks { DropReason::Sojourn } else { DropReason::Random })
        }
        parts::Chosen { signal: true, .. } if marks => Verdict::Mark,
        parts::Chosen { signal: true, .. } if !last => Verdict::Drop(DropReason::Sojourn),
        _ => Verdict::Pass,
    }
}

/// The numbers of a packet that is about to leave: `behind` packets wait behind it.
pub(crate) fn explain(
    cobalt: &parts::Cobalt,
    packet: &Packet,
    behind: u64,
    bulk: u32,
    rule: &CobaltRule,
    now: Time,
    tell: Tell<'_>,
) {
    let sojourn = now.since(packet.arrived);
    tell(Number::Sojourn, sojourn.as_secs_f64());
    tell_fact(Number::OverTarget, rule.is_exceeded(sojourn, bulk), tell);
    tell(Number::Target, rule.acceptable(bulk).as_secs_f64());
    tell(Number::Interval, rule.interval.as_secs_f64());
    tell(Number::Behind, behind as f64);
    tell(Number::Signals, f64::from(cobalt.count()));
    if let Some(next) = cobalt.next_signal() {
        tell(Number::NextSignal, next.since(now).as_secs_f64() - now.since(next).as_secs_f64());
    }
    tell(Number::DropProbability, cobalt.probability());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::Chosen;

    #[test]
    fn the_last_packet_is_marked_and_never_dropped() {
        let of = |signal, lottery, marks, last| verdict(Chosen { signal, lottery }, marks, last);
        let (signal, random) = (Verdict::Drop(DropReason::Sojourn), Verdict::Drop(DropReason::Random));
        // Not the last one: BLUE drops what could be marked.
        assert_eq!([of(true, false, false, false), of(true, false, true, false)], [signal, Verdict::Mark]);
        assert_eq!([of(false, true, true, false), of(true, true, true, false)], [random; 2]);
        assert_eq!([of(true, true, false, false), of(false, false, true, false)], [signal, Verdict::Pass]);
        // The last one.
        assert_eq!(
            [of(true, false, false, true), of(true, true, false, true), of(false, true, true, true)],
            [Verdict::Pass; 3]
        );
        assert_eq!([of(true, false, true, true), of(true, true, true, true)], [Verdict::Mark; 2]);
    }
}
