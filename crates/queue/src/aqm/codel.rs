//! CoDel (Controlled Delay): packets are dropped or marked as they leave, once all packets of an interval have waited too long.
//!
//! Source: RFC 8289, sections 4 and 5: the pseudocode of sections 5.5 and 5.6, with the 512 bytes of section 5.3 as a parameter.
//!
//! Deviations:
//! - With `mark`, packets of flows that understand marks are marked instead of dropped, which the pseudocode does not say. As Linux does it, a marked packet
//!   is sent at once: the time of the next signal moves on by one step, and no further packet is looked at. Packets of other flows are dropped.
//! - Each queue of a scheduler has a state of its own. The backlog that is compared with `max_packet` is that of all queues of the port (section 4.4).
//! - After a drop the scheduler chooses the next packet. If that is one of another queue, the rest of the pseudocode's dequeue of this queue follows when
//!   the scheduler returns to it.
//!
//! State per queue: 40 bytes. A queue is forgotten when its next episode of drops would begin with the slowest rate again: when the last episode had
//! no more than one drop beyond those that it began with, or has ended for more than 16 intervals.

use super::{Aqm, Queue, Verdict};
use crate::explain::tell_fact;
use crate::{Backlog, Cx, Does, DropReason, LinkInfo, Look, Number, Tell};
use headgate_packet::check::above_zero;
use headgate_packet::{Bytes, Card, Check, Duration, FlowId, Memory, Packet, Time, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// CoDel: drops once packets have waited too long. Packets are dropped or marked as they leave, once all packets of an interval have waited too long.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CodelParams {
    /// Time in the queue that is acceptable: nothing is dropped while a packet waits less than this within each interval.
    pub target: Duration,
    /// How long packets must have waited too long before the first drop, and the time from it to the second; the usual longest round trip.
    pub interval: Duration,
    /// Nothing is dropped by CoDel while no more than this waits: the longest packet of the line.
    pub max_packet: Bytes,
    /// Marks packets of flows that understand marks instead of dropping them; packets of other flows are dropped all the same.
    pub mark: bool,
}

impl Default for CodelParams {
    fn default() -> CodelParams {
        let (target, interval) = (Duration::from_millis(5), Duration::from_millis(100));
        CodelParams { target, interval, max_packet: Bytes(1500), mark: false }
    }
}

impl Check for CodelParams {
    fn check(&self) -> Result<(), Wrong> {
        above_zero("target", self.target)?;
        above_zero("interval", self.interval)
    }
}

impl CodelParams {
    /// What is left of it with these parameters.
    pub(crate) fn decides(&self, does: Does) -> Does {
        Does { marks: self.mark, ..does }
    }
}

/// An episode of drops begins with the rate of the last one if that ended no more than this many intervals ago (section 5.5).
const RECENT: u64 = 16;

/// CoDel.
#[derive(Clone, Debug)]
pub struct Codel {
    params: CodelParams,
    queues: Vec<State>,
}

/// What CoDel knows of a queue; the pseudocode's names are given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct State {
    /// Since when packets have waited too long, if they do: `first_above_time_` less an interval.
    above: Option<Time>,
    /// `drop_next_`: when the next drop of an episode is due.
    drop_next: Time,
    /// `count_`: drops of this episode, with those that it began with.
    count: u32,
    /// `lastcount_`: the count at the beginning of the episode.
    last_count: u32,
    /// `dropping_`: an episode of drops.
    dropping: bool,
    /// The last packet was dropped, and not as the first one of an episode: the pseudocode's dequeue goes on with the next packet, and another drop is due a
    /// step later if that has waited too long still. After the first drop of an episode nothing is left to do: the next packet is sent, since the next
    /// drop is due later.
    rest: bool,
}

/// A packet at the head of its queue.
#[derive(Clone, Copy, Debug)]
struct Head {
    now: Time,
    /// How long it waited.
    sojourn: Duration,
    /// Bytes that wait after it.
    waiting: u64,
}

impl Head {
    fn new(packet: &Packet, queue: Queue, now: Time) -> Head {
        Head { now, sojourn: now.since(packet.arrived), waiting: queue.port.bytes }
    }

    /// Whether it waited at least as long as is acceptable.
    fn is_over_target(&self, params: &CodelParams) -> bool {
        self.sojourn >= params.target
    }

    /// Whether no more than the longest packet waits, so that nothing is dropped.
    fn is_short(&self, params: &CodelParams) -> bool {
        self.waiting <= params.max_packet.0
    }
}

impl State {
    /// `dodequeue` (section 5.6). Also finishes the previous dequeue. Returns true once every packet in a full interval has exceeded the target.
    fn meet(&mut self, head: Head, params: &CodelParams) -> bool {
        let too_long = head.is_over_target(params) && !head.is_short(params);
        self.above = if too_long { self.above.or(Some(head.now)) } else { None };
        let ok = self.above.is_some_and(|above| head.now >= above + params.interval);
        if std::mem::take(&mut self.rest) && ok {
            self.drop_next = self.step_from(self.drop_next, params);
        }
        self.dropping &= ok;
        ok
    }

    /// Whether the packet that it met is dropped, or marked if it can be (section 5.5).
    fn chosen(&mut self, ok: bool, now: Time, marks: bool, params: &CodelParams) -> bool {
        if !ok || (self.dropping && now < self.drop_next) {
            return false;
        }
        if self.dropping {
            self.count = self.count.saturating_add(1);
            if marks {
                self.drop_next = self.step_from(self.drop_next, params);
            } else {
                self.rest = true;
            }
        } else {
            self.dropping = true;
            let more = self.count - self.last_count;
            self.count = if more > 1 && self.is_recent(now, params) { more } else { 1 };
            self.last_count = self.count;
            self.drop_next = self.step_from(now, params);
        }
        true
    }

    /// `control_law`: a drop after this time, the sooner the more there were.
    fn step_from(&self, time: Time, params: &CodelParams) -> Time {
        let step = params.interval.as_ps() as f64 / f64::from(self.count).sqrt();
        time + Duration::from_ps(step.round() as u64)
    }

    /// Whether the last episode ended so recently that its rate is a good beginning; also where its next drop is still to come.
    fn is_recent(&self, now: Time, params: &CodelParams) -> bool {
        now.since(self.drop_next) < params.interval * RECENT
    }

    /// `dodequeue` of an empty queue.
    fn on_empty(&mut self) {
        self.above = None;
        self.dropping &= !std::mem::take(&mut self.rest);
    }
}

impl Codel {
    /// What it says of itself.
    pub const CARD: Card = Card {
        examples: &[r#"{"target": "30ms", "interval": "90ms", "max_packet": "100B"}"#],
        main: &["target", "interval", "mark"],
        says: &[include_str!("codel.says")],
        remembers: &[
            Memory::of(
                "as without it, and how often its packets were dropped in the last episode",
                "when that episode had one drop, or ended 16 intervals ago",
            ),
        ],
        ..Card::of("RFC 8289")
    };

    /// No queue yet.
    pub fn new(params: &CodelParams, _link: &LinkInfo) -> Codel {
        Codel { params: params.clone(), queues: Vec::new() }
    }
}

impl Aqm for Codel {
    const DOES: Does = Does { marks: true, ..Does::NOTHING };
    const DROPS_ON_DEPARTURE: bool = true;

    fn on_link_change(&mut self, _link: &LinkInfo, queues: &[Backlog], _now: Time) {
        self.queues.resize(queues.len(), State::default());
    }

    #[inline(always)]
    fn on_arrival(&mut self, _packet: &Packet, queue: Queue, _cx: &mut Cx<'_>) -> Verdict {
        if queue.waiting.packets == 0 {
            self.queues[queue.number].on_empty();
        }
        Verdict::Pass
    }

    #[inline(always)]
    fn on_departure(&mut self, packet: &Packet, queue: Queue, cx: &mut Cx<'_>) -> Verdict {
        let Codel { params, queues } = self;
        let (state, marks) = (&mut queues[queue.number], params.mark && packet.ecn.is_capable());
        let ok = state.meet(Head::new(packet, queue, cx.now), params);
        match state.chosen(ok, cx.now, marks, params) {
            false => Verdict::Pass,
            true if marks => Verdict::Mark,
            true => Verdict::Drop(DropReason::Sojourn),
        }
    }

    fn has_forgotten(&self, _flow: FlowId, own: Option<usize>, now: Time) -> bool {
        own.map(|queue| &self.queues[queue])
            .is_none_or(|state| state.count - state.last_count <= 1 || !state.is_recent(now, &self.params))
    }

    fn probe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        if let Some(state) = self.queues.first() {
            sink("dropping", f64::from(u8::from(state.dropping)));
            sink("count", f64::from(state.count));
        }
    }

    /// It decides nothing then.
    fn explain_arrival(&self, _packet: &Packet, _queue: Queue, _look: &Look, _tell: Tell<'_>) {}

    fn explain_departure(&self, packet: &Packet, queue: Queue, look: &Look, tell: Tell<'_>) {
        let (head, mut state) = (Head::new(packet, queue, look.now), self.queues[queue.number]);
        let ok = state.meet(head, &self.params);
        tell(Number::Sojourn, head.sojourn.as_secs_f64());
        tell(Number::Target, self.params.target.as_secs_f64());
        tell(Number::Interval, self.params.interval.as_secs_f64());
        tell(Number::LeftBytes, head.waiting as f64);
        tell(Number::MaxPacket, self.params.max_packet.0 as f64);
        if let Some(above) = state.above {
            tell(Number::Above, look.now.since(above).as_secs_f64());
        }
        tell_fact(Number::OverTarget, head.is_over_target(&self.params), tell);
        tell_fact(Number::ShortQueue, head.is_short(&self.params), tell);
        tell_fact(Number::OverInterval, ok, tell);
        if state.dropping {
            tell(Number::Signals, f64::from(state.count));
            let until = state.drop_next.since(look.now).as_secs_f64() - look.now.since(state.drop_next).as_secs_f64();
            tell(Number::NextSignal, until);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The count with which an episode begins, after one that began with `last` and ended with `count`, this number of ms after its next drop was due.
    fn begins(last: u32, count: u32, late_ms: u64) -> u32 {
        let (params, due) = (CodelParams::default(), Time::ZERO + Duration::from_secs(1));
        let mut state = State { drop_next: due, count, last_count: last, ..State::default() };
        let now = due + Duration::from_millis(late_ms);
        assert!(state.chosen(true, now, false, &params) && state.dropping);
        let step = Duration::from_secs_f64(0.1 / f64::from(state.count).sqrt());
        assert_eq!((state.drop_next, state.last_count), (now + step, state.count));
        state.count
    }

    #[test]
    fn an_episode_begins_with_the_drops_of_the_last_one_if_that_was_recent() {
        // 10 drops after one: 9, so that the next one is due after 33.33 ms; then 12: 3, and 57.74 ms. One more, or none, is the slowest rate again.
        assert_eq!([begins(1, 10, 50), begins(9, 12, 50), begins(1, 3, 50)], [9, 3, 2]);
        assert_eq!([begins(1, 2, 50), begins(3, 3, 50), begins(0, 0, 0)], [1; 3]);
        // Sixteen intervals are 1.6 s.
        assert_eq!([begins(1, 10, 1599), begins(1, 10, 1600)], [9, 1]);
    }

    #[test]
    fn a_drop_after_which_no_packet_waits_too_long_is_followed_by_no_due_time() {
        // Section 5.5: dropping_ ends, and drop_next_ stays: 16 intervals later the slowest rate begins again, and not with the drops of the last episode.
        let (params, due) = (CodelParams::default(), Time::ZERO + Duration::from_secs(1));
        let head = |now: Time, ms| Head { now, sojourn: Duration::from_millis(ms), waiting: 10_000 };
        let mut state = State { above: Some(Time::ZERO), drop_next: due, count: 10, last_count: 1, dropping: true, rest: false };
        for (now, sojourn, dropped) in [(1000, 10, true), (1001, 4, false), (2490, 10, false), (2610, 10, true)] {
            let now = Time::ZERO + Duration::from_millis(now);
            let ok = state.meet(head(now, sojourn), &params);
            assert_eq!(state.chosen(ok, now, false, &params), dropped);
        }
        assert_eq!((state.count, state.last_count), (1, 1));
    }

    #[test]
    fn an_empty_queue_ends_an_episode_only_after_its_drop() {
        // Sections 5.5 and 5.6: without a packet nothing waits too long. Within the loop of drops that ends the episode; before the loop the next packet's dequeue does.
        for rest in [false, true] {
            let mut state = State { above: Some(Time::ZERO), count: 10, last_count: 1, dropping: true, rest, ..State::default() };
            state.on_empty();
            assert_eq!((state.above, state.dropping, state.rest), (None, !rest, false));
        }
    }
}
