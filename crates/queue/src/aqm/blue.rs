//! BLUE: packets are dropped or marked at random on arrival, with a probability that rises when packets were lost and falls while nothing waits.
//!
//! Source: Feng, Kandlur, Saha and Shin 1999, "BLUE: a new class of active queue management algorithms", CSE-TR-387-99. The defaults are those of its
//! authors' simulation code, as a port of that to ns-3 has them.
//!
//! Deviations:
//! - The link is idle when the queue is empty; with a scheduler each queue is a link of its own. It counts as idle again after each `freeze`.
//! - A queue that lost all packets to others is empty from its last arrival on.
//!
//! State per queue: 32 bytes. A queue is forgotten when its probability is zero and its last step more than `freeze` ago.

use super::{Aqm, Queue, Verdict};
use crate::parts::{self, BlueSteps};
use crate::{Backlog, Cx, Does, DropReason, LinkInfo, Look, Number, Tell};
use headgate_packet::check::above_zero;
use headgate_packet::{Buffer, Card, Check, Duration, FlowId, Memory, Packet, Time, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// BLUE: random drops, more after losses and fewer when idle. Packets are dropped or marked at random on arrival, with a probability that rises when
/// packets were lost and falls while nothing waits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BlueParams {
    /// What a packet that finds no room adds to the probability.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub increment: f64,
    /// What an idle link takes off it.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub decrement: f64,
    /// The probability does not change again for so long.
    pub freeze: Duration,
    /// Packets or bytes of its queue above which a packet counts like a lost one. Without it only packets that find no room count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue: Option<Buffer>,
    /// Marks packets of flows that understand marks instead of dropping them; packets of other flows are dropped all the same.
    pub mark: bool,
}

impl Default for BlueParams {
    fn default() -> BlueParams {
        BlueParams {
            increment: 0.0025,
            decrement: 0.00025,
            freeze: Duration::from_millis(100),
            queue: None,
            mark: false,
        }
    }
}

impl BlueParams {
    /// What is left of it with these parameters.
    pub(crate) fn decides(&self, does: Does) -> Does {
        Does { marks: self.mark, ..does }
    }

    fn steps(&self) -> BlueSteps {
        BlueSteps { increment: self.increment, decrement: self.decrement, freeze: self.freeze }
    }
}

impl Check for BlueParams {
    fn check(&self) -> Result<(), Wrong> {
        above_zero("freeze", self.freeze)?;
        if self.decrement > 0.0 {
            Ok(())
        } else {
            Err(Wrong::at("decrement", "expected a number above zero").found(&self.decrement))
        }
    }
}

/// BLUE.
#[derive(Clone, Debug)]
pub struct Blue {
    params: BlueParams,
    queues: Vec<State>,
    /// When it was asked last.
    now: Time,
}

/// What BLUE knows of a queue.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct State {
    blue: parts::Blue,
    /// When a packet last arrived or left.
    seen: Time,
}

impl State {
    /// The probability of a packet that arrives, and of those behind it.
    fn at_arrival(mut self, waiting: Backlog, now: Time, params: &BlueParams) -> State {
        if waiting.packets == 0 {
            self.blue.rest(self.seen, now, &params.steps());
        }
        if params.queue.is_some_and(|most| most.exceeded_by(waiting.packets, waiting.bytes)) {
            self.blue.raise(now, &params.steps());
        }
        State { seen: now, ..self }
    }
}

impl Blue {
    /// What it says of itself.
    pub const CARD: Card = Card {
        examples: &[r#"{"increment": 0.25, "decrement": 0.125, "freeze": "70ms"}"#],
        main: &["mark", "freeze"],
        says: &[include_str!("blue.says")],
        remembers: &[
            Memory::of(
                "as without it, and the probability with which its packets are dropped",
                "when that has fallen to zero, by `decrement` in each `freeze`",
            ),
        ],
        ..Card::of("Feng, Kandlur, Saha and Shin 1999")
    };

    /// No queue yet.
    pub fn new(params: &BlueParams, _link: &LinkInfo) -> Blue {
        Blue { params: params.clone(), queues: Vec::new(), now: Time::ZERO }
    }
}

impl Aqm for Blue {
    const DOES: Does = Does { marks: true, ..Does::NOTHING };
    const DROPS_AT_RANDOM: bool = true;

    fn on_link_change(&mut self, _link: &LinkInfo, queues: &[Backlog], _now: Time) {
        self.queues.resize(queues.len(), State::default());
    }

    #[inline]
    fn on_arrival(&mut self, packet: &Packet, queue: Queue, cx: &mut Cx<'_>) -> Verdict {
        let Blue { params, queues, now } = self;
        *now = cx.now;
        let state = &mut queues[queue.number];
        *state = state.at_arrival(queue.waiting, cx.now, params);
        let chance = state.blue.probability();
        if chance == 0.0 || cx.rng.uniform() >= chance {
            Verdict::Pass
        } else if params.mark && packet.ecn.is_capable() {
            Verdict::Mark
        } else {
            Verdict::Drop(DropReason::Random)
        }
    }

    fn on_refused(&mut self, queue: usize) {
        self.queues[queue].blue.raise(self.now, &self.params.steps());
    }

    #[inline]
    fn on_departure(&mut self, _packet: &Packet, queue: Queue, cx: &mut Cx<'_>) -> Verdict {
        self.queues[queue.number].seen = cx.now;
        Verdict::Pass
    }

    fn has_forgotten(&self, _flow: FlowId, own: Option<usize>, now: Time) -> bool {
        own.is_none_or(|queue| {
            let State { mut blue, seen } = self.queues[queue];
            blue.rest(seen, now, &self.params.steps());
            blue.is_new(now, &self.params.steps())
        })
    }

    fn probe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        if let Some(state) = self.queues.first() {
            sink("probability", state.blue.probability());
        }
    }

    fn explain_arrival(&self, _packet: &Packet, queue: Queue, look: &Look, tell: Tell<'_>) {
        let state = self.queues[queue.number].at_arrival(queue.waiting, look.now, &self.params);
        tell(Number::Probability, state.blue.probability());
    }
}
