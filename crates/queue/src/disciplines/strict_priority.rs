//! Strict priority: a packet is sent only when none of a higher priority waits.
//!
//! Source: none in particular; the reference point of every paper on priorities (Kleinrock 1976, section 3.6, without preemption).
//! - Priority 0 is the highest. Within a priority packets leave in the order of arrival.
//! - In a full buffer an arrival takes the place of the last packet of the lowest priority that waits, if that is below its own; otherwise
//!   the arrival is dropped. With drop-tail it is always dropped.
//!
//! Deviations: none. State per flow: none.

use crate::explain::tell_buffer;
use crate::parts::Ring;
use crate::{Backlog, Cx, Discipline, Does, DropReason, LinkInfo, Look, Number, Priorities, Tell};
use headgate_packet::{Buffer, Card, Check, Packet};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which packet is dropped from a full buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DropPolicy {
    /// The last packet of the lowest priority that waits, if that is below the arrival's own; else the arrival.
    #[default]
    LowestPriority,
    /// The arriving packet, whatever its priority (drop-tail).
    Arrival,
}

/// Strict priority: the most urgent packets go first. A packet is sent only when none of a higher priority waits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct StrictPriorityParams {
    /// Maximum backlog, in packets or bytes; the packet in transmission is not counted.
    pub buffer: Buffer,
    /// Number of priorities, 0 being the highest; flows of a higher number share the lowest.
    #[schemars(range(min = 1, max = 256))]
    pub levels: u32,
    /// Which packet is dropped from a full buffer.
    pub drop_policy: DropPolicy,
    /// Manages the queue of all priorities actively: what drops or marks packets before the buffer is full.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aqm: Option<crate::aqm::Spec>,
}

impl Default for StrictPriorityParams {
    fn default() -> StrictPriorityParams {
        StrictPriorityParams { buffer: Buffer::Packets(100), levels: 8, drop_policy: DropPolicy::LowestPriority, aqm: None }
    }
}

impl Check for StrictPriorityParams {}

impl StrictPriorityParams {
    /// How many levels of urgency it knows.
    pub(crate) fn levels(&self) -> Option<u32> {
        Some(self.levels)
    }

    /// What is left of it with these parameters.
    pub(crate) fn decides(&self, does: Does) -> Does {
        Does { priorities: does.priorities.filter(|_| self.levels > 1), ..does }
    }
}

/// Strict priority.
#[derive(Clone, Debug)]
pub struct StrictPriority {
    buffer: Buffer,
    drop_policy: DropPolicy,
    levels: Vec<Ring<Packet>>,
    backlog: Backlog,
}

impl StrictPriority {
    /// What it says of itself.
    pub const CARD: Card = Card {
        aliases: &["prio"],
        main: &["buffer"],
        says: &[include_str!("strict_priority.says")],
        ..Card::of("Kleinrock 1976, section 3.6")
    };

    /// Empty queues.
    pub fn new(params: &StrictPriorityParams, _link: &LinkInfo) -> StrictPriority {
        let levels = vec![Ring::default(); params.levels as usize];
        let StrictPriorityParams { buffer, drop_policy, .. } = *params;
        StrictPriority { buffer, drop_policy, levels, backlog: Backlog::default() }
    }

    /// The level of a packet.
    fn level(&self, packet: &Packet) -> usize {
        usize::from(packet.class).min(self.levels.len() - 1)
    }

    /// The levels whose packets may be dropped for one of this level.
    fn worse(&self, level: usize) -> std::ops::Range<usize> {
        level + 1..if self.drop_policy == DropPolicy::Arrival { level + 1 } else { self.levels.len() }
    }
}

impl Discipline for StrictPriority {
    const DOES: Does = Does { priorities: Some(Priorities { best: 0, worst: 7 }), ..Does::NOTHING };
    const PER_CONVERSATION: bool = false;

    fn enqueue(&mut self, packet: Packet, cx: &mut Cx<'_>) {
        let level = self.level(&packet);
        let bytes = u64::from(packet.bytes);
        let worse = self.worse(level);
        let mut refused = cx.exceeds(self.buffer, &Backlog::default(), 1, bytes);
        while !refused && cx.exceeds(self.buffer, &self.backlog, 1, bytes) {
            match self.levels[worse.clone()].iter_mut().rev().find_map(Ring::pop_back) {
                Some(gone) => {
                    self.backlog.remove(gone.bytes);
                    cx.drop(&gone, DropReason::Evicted);
                }
                None => refused = true,
            }
        }
        if refused {
            cx.drop(&packet, DropReason::Full);
            return;
        }
        self.backlog.add(packet.bytes);
        self.levels[level].push_back(packet);
    }

    fn dequeue(&mut self, _cx: &mut Cx<'_>) -> Option<Packet> {
        let packet = self.levels.iter_mut().find_map(Ring::pop_front)?;
        self.backlog.remove(packet.bytes);
        Some(packet)
    }

    #[inline]
    fn backlog(&self) -> Backlog {
        self.backlog
    }

    fn explain(&self, packet: &Packet, _look: &Look, tell: Tell<'_>) {
        let level = self.level(packet);
        let held = |levels: &[Ring<Packet>]| levels.iter().map(Ring::len).sum::<usize>() as f64;
        tell_buffer(self.buffer, tell);
        tell(Number::Priority, level as f64);
        tell(Number::Ahead, held(&self.levels[..=level]));
        tell(Number::Worse, held(&self.levels[self.worse(level)]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use headgate_packet::{Rate, Rng, Time};

    /// The order in which packets of these priorities leave, all arriving before the first, and those dropped.
    fn order(buffer: u64, drop_policy: DropPolicy, priorities: &[u8]) -> (Vec<u32>, Vec<u32>) {
        let link = LinkInfo { rate: Rate::from_bps(8).unwrap(), flows: 1, weights: vec![], hosts: vec![] };
        let params = StrictPriorityParams { buffer: Buffer::Packets(buffer), levels: 3, drop_policy, aqm: None };
        let (mut queue, mut rng, mut dropped) =
            (StrictPriority::new(&params, &link), Rng::new(0, 0, "test"), Vec::new());
        let mut cx = Cx::new(Time::ZERO, &mut rng, &mut dropped);
        for (handle, &class) in priorities.iter().enumerate() {
            queue.enqueue(Packet { handle: handle as u32, bytes: 1, class, ..Packet::default() }, &mut cx);
        }
        let sent = std::iter::from_fn(|| queue.dequeue(&mut cx)).map(|p| p.handle).collect();
        (sent, dropped.iter().map(|d| d.handle).collect())
    }

    #[test]
    fn higher_priorities_first_and_in_order() {
        // Priorities beyond the last level share it.
        assert_eq!(order(9, DropPolicy::LowestPriority, &[2, 1, 0, 9, 0, 1]), (vec![2, 4, 1, 5, 0, 3], vec![]));
    }

    #[test]
    fn a_full_buffer_gives_up_the_lowest() {
        let arrivals = [1, 2, 2, 0, 1, 1, 0];
        assert_eq!(order(3, DropPolicy::LowestPriority, &arrivals), (vec![3, 6, 0], vec![2, 1, 5, 4]));
        // Or the arrival is dropped.
        assert_eq!(order(3, DropPolicy::Arrival, &arrivals), (vec![0, 1, 2], vec![3, 4, 5, 6]));
    }
}
