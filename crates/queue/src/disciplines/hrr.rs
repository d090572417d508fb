//! Hierarchical Round Robin: frames of slots, of which a conversation has a fixed number; slow frames use some slots of faster ones.
//!
//! Source: Kalmanek, Kanakia and Keshav 1990; the paper was not at hand. What is known of it here is its abstract and that of the authors'
//! patent (Fraser, Kalmanek and Keshav, US 5272697, filed 1990).
//! - A frame is a fixed number of slots. In each frame a conversation is served in as many slots as it has packets, but in no more than its
//!   allocation, even if the line would be free.
//! - A number of slots in the frame of a level is reserved for the next level down, which is active in those only: a low level has longer
//!   frames, for lower rates.
//! - Slots that are not needed serve best-effort conversations in a plain round robin.
//!
//! In this file:
//! - Level l has n slots, b of them for all levels below; a frame of level l + 1 takes n' / b frames of level l, n' being its own slots.
//! - A conversation has its weight in slots, on the level of its packets' priority, 0 being the fastest; priorities beyond the last level
//!   are best effort.
//! - Allocations are kept if those on each level add up to no more than n - b, n' is a multiple of b, and no packet is longer than a slot.
//!
//! Deviations:
//! - Slots are counted in bytes, since packets are not cells: a packet may overdraw the frame's allocation, and the next frames make up for it.
//! - The order of slots in a frame is ours: the conversations of a level in turn, packet by packet, before the levels below.
//! - Frames continue while no conversation uses them.
//! - `work_conserving` is ours. The buffer is shared (`parts/queue_set.rs`).
//!
//! State per flow: its packets, what is left of its allocation, and in which frame that was. The state of a flow that left is forgotten with
//! the first frame that begins, or after as many frames as it is overdrawn by.

mod frames;

use crate::parts::{DropEnd, QueueSet, Ring};
use crate::{Backlog, Cx, Discipline, Does, LinkInfo, Look, Number, Priorities, Tell};
use headgate_packet::check::packet_length;
use headgate_packet::{Buffer, Bytes, Card, Check, FlowId, Memory, Packet, Rate, Time, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use frames::{Conversation, Level, Share};

/// Hierarchical Round Robin: slots in frames, and no more. A conversation has its weight in slots of each frame of its level. A flow's priority is
/// its level; those beyond are best effort.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct HrrParams {
    /// Maximum backlog of all queues together, in packets or bytes; the packet in transmission is not counted.
    pub buffer: Buffer,
    /// Length of a slot: the length of the packets for which the allocations are meant.
    pub slot: Bytes,
    /// Slots in a frame of each level, the fastest level first.
    pub slots: Vec<u32>,
    /// Slots of each level that are reserved for the level below: at least one, and not all; one entry for each level but the last.
    pub lower: Vec<u32>,
    /// Slots that no conversation may use serve those that have used their allocation, in turn, without a charge.
    pub work_conserving: bool,
    /// Manages each queue actively: what drops or marks packets before the buffer is full.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aqm: Option<crate::aqm::Spec>,
}

impl Default for HrrParams {
    fn default() -> HrrParams {
        HrrParams {
            buffer: Buffer::Packets(100),
            slot: Bytes(1000),
            slots: vec![10, 10],
            lower: vec![5],
            work_conserving: false,
            aqm: None,
        }
    }
}

/// Maximum number of slots in a frame, which bounds the length of a frame.
const MOST_SLOTS: u32 = 1_000_000;

impl Check for HrrParams {
    fn check(&self) -> Result<(), Wrong> {
        if self.slots.is_empty() || self.lower.len() + 1 != self.slots.len() {
            let expected = "expected one entry less than `slots`, which has one for each level";
            return Err(Wrong::at("lower", expected).found(&self.lower));
        }
        packet_length("slot", self.slot)?;
        if let Some(i) = self.slots.iter().position(|slots| !(1..=MOST_SLOTS).contains(slots)) {
            return Err(Wrong::at(format!("slots[{i}]"), format!("expected 1 to {MOST_SLOTS} slots")).found(&self.slots[i]));
        }
        // A level that leaves nothing to its own conversations would hold their packets forever.
        match self.lower.iter().zip(&self.slots).position(|(lower, slots)| !(1..*slots).contains(lower)) {
            Some(i) => {
                let expected = format!("expected at least 1 slot, and fewer than the {} of the frame", self.slots[i]);
                Err(Wrong::at(format!("lower[{i}]"), expected).found(&self.lower[i]))
            }
            None => Ok(()),
        }
    }
}

impl HrrParams {
    /// How many levels of urgency it knows.
    pub(crate) fn levels(&self) -> Option<u32> {
        // Behind its levels there is best effort.
        Some(self.slots.len() as u32 + 1)
    }
}

/// Hierarchical Round Robin.
#[derive(Clone, Debug)]
pub struct Hrr {
    params: HrrParams,
    rate: Rate,
    queues: QueueSet,
    conversations: Vec<Conversation>,
    /// The levels of the parameters; the last one is best effort, whose allocations never end.
    levels: Vec<Level>,
    /// Packets wait, and none may be sent before this time.
    held_until: Option<Time>,
}

impl Hrr {
    /// What it says of itself.
    pub const CARD: Card = Card {
        examples: &[r#"{"slot": "300B", "work_conserving": true}"#, r#"{"slot": "100B"}"#],
        main: &["buffer"],
        says: &[include_str!("hrr.says")],
        remembers: &[
            Memory::of(
                "what is left of its allocation",
                "with the next frame, or when the frames have made up for what it overdrew",
            ),
        ],
        ..Card::of("Kalmanek, Kanakia and Keshav 1990")
    };

    /// Empty queues, at the beginning of a frame on every level.
    pub fn new(params: &HrrParams, link: &LinkInfo) -> Hrr {
        let mut hrr = Hrr {
            params: params.clone(),
            rate: link.rate,
            queues: QueueSet::new(params.buffer, DropEnd::Tail, link.flows),
            conversations: Vec::new(),
            levels: vec![Level::default(); params.slots.len() + 1],
            held_until: None,
        };
        for (i, slots) in params.slots.iter().enumerate() {
            let lower = if i + 1 < params.slots.len() { hrr.lower(i) } else { 0 };
            hrr.levels[i].own = Share::new(hrr.slot() * i64::from(slots.saturating_sub(lower)));
            hrr.levels[i].lower = Share::new(hrr.slot() * i64::from(lower));
        }
        hrr.set_periods(link.rate);
        hrr.on_link_change(link, Time::ZERO);
        hrr
    }

    fn slot(&self) -> i64 {
        self.params.slot.0.clamp(1, 1 << 24) as i64
    }

    /// Slots in a frame of a level for the one below; at least one.
    fn lower(&self, level: usize) -> u32 {
        self.params.lower.get(level).copied().unwrap_or(1).max(1)
    }

    /// The lengths of the frames: of the first level n slots, of the next one n' / b frames of the one above.
    fn set_periods(&mut self, rate: Rate) {
        self.rate = rate;
        let slot = u128::from(self.slot() as u64) * 8_000_000_000_000;
        let mut period = slot.div_ceil(u128::from(rate.as_bps()));
        for (i, slots) in self.params.slots.iter().enumerate() {
            let above = if i == 0 { 1 } else { self.lower(i - 1) };
            // Whole picoseconds, rounded up: a frame holds all of its slots.
            period = (period * u128::from(*slots)).div_ceil(u128::from(above)).clamp(1, u128::from(u64::MAX));
            self.levels[i].period = period as u64;
        }
    }

    /// The level of a packet whose conversation is in no list.
    fn level(&self, packet: &Packet) -> usize {
        usize::from(packet.class).min(self.levels.len() - 1)
    }

    /// Begins the frames whose time has come.
    fn advance(&mut self, now: Time) {
        for level in &mut self.levels {
            if level.begin(now) {
                while let Some(flow) = level.spent.pop_front() {
                    level.ready.push_back(flow);
                }
            }
        }
    }

    /// The level and the conversation whose packet is sent next.
    fn choose(&mut self) -> Option<(usize, u32)> {
        let best_effort = self.levels.len() - 1;
        let mut open = true;
        for (i, level) in self.levels.iter_mut().enumerate() {
            while (open && level.own.left > 0) || i == best_effort {
                let Some(flow) = level.ready.pop_front() else { break };
                let conversation = &mut self.conversations[flow as usize];
                if self.queues.front(flow).is_none() {
                    conversation.active = false; // emptied by drops
                    continue;
                }
                if i == best_effort {
                    return Some((i, flow));
                }
                conversation.begin(level.frame);
                if conversation.allocation.left > 0 {
                    return Some((i, flow));
                }
                level.spent.push_back(flow);
            }
            open &= level.lower.left > 0;
        }
        None
    }

    /// The next in turn of those that may not send.
    fn spare(&mut self) -> Option<(usize, u32)> {
        for (i, level) in self.levels.iter_mut().enumerate() {
            while let Some(flow) = level.ready.pop_front().or_else(|| level.spent.pop_front()) {
                let conversation = &mut self.conversations[flow as usize];
                if self.queues.front(flow).is_some() {
                    conversation.begin(level.frame);
                    return Some((i, flow));
                }
                conversation.active = false;
            }
        }
        None
    }

    /// When the first frame begins in which a waiting packet may be sent.
    fn next_frame(&self) -> Time {
        let mut next = u64::MAX;
        for (i, level) in self.levels.iter().enumerate() {
            // The conversations that wait for it: those that have used their slots, all of the level, or those below. A large overdraft takes many
            // frames.
            let spent = (0..level.spent.len()).filter_map(|k| level.spent.get(k));
            let theirs = spent.map(|flow| self.conversations[*flow as usize].allocation.frames_short()).min();
            let own = (!level.ready.is_empty()).then(|| level.own.frames_short()).filter(|frames| *frames > 0);
            let below = Some(level.lower.frames_short()).filter(|_| self.levels[i + 1..].iter().any(|l| !l.ready.is_empty()));
            let frames = [theirs, own, below.filter(|frames| *frames > 0)].into_iter().flatten().min();
            if let Some(frames) = frames.filter(|_| level.period > 0) {
                let frames = (level.frame - level.since.1).saturating_add(frames.max(1));
                next = next.min(level.since.0.saturating_add(frames.saturating_mul(level.period)));
            }
        }
        Time::from_ps(next)
    }
}

impl Discipline for Hrr {
    const DOES: Does = Does { weights: true, priorities: Some(Priorities { best: 0, worst: 1 }), ..Does::NOTHING };
    const WORK_CONSERVING: bool = false;

    fn enqueue(&mut self, packet: Packet, cx: &mut Cx<'_>) {
        let flow = packet.flow.0;
        if !self.queues.push(flow, packet, cx) {
            return;
        }
        self.held_until = None;
        let conversation = &mut self.conversations[flow as usize];
        if std::mem::replace(&mut conversation.active, true) {
            return;
        }
        self.advance(cx.now);
        let level = self.level(&packet);
        let conversation = &mut self.conversations[flow as usize];
        if conversation.level as usize != level {
            // On another level frames have other numbers: it begins with a new one.
            (conversation.level, conversation.frame) = (level as u32, self.levels[level].frame);
            conversation.allocation.left = conversation.allocation.each;
        }
        self.levels[level].ready.push_back(flow);
    }

    fn dequeue(&mut self, cx: &mut Cx<'_>) -> Option<Packet> {
        self.advance(cx.now);
        let (chosen, charged) = match self.choose() {
            None if self.params.work_conserving => (self.spare(), false),
            chosen => (chosen, true),
        };
        let Some((i, flow)) = chosen else {
            self.held_until = (self.queues.backlog().packets > 0).then(|| self.next_frame());
            return None;
        };
        self.held_until = None;
        let packet = self.queues.pop(flow)?;
        let (conversation, bytes) = (&mut self.conversations[flow as usize], i64::from(packet.bytes));
        let best_effort = i == self.levels.len() - 1;
        if charged && !best_effort {
            conversation.allocation.left -= bytes;
            self.levels[i].own.left -= bytes;
            for above in &mut self.levels[..i] {
                above.lower.left -= bytes;
            }
        }
        if self.queues.front(flow).is_none() {
            conversation.active = false;
        } else if conversation.allocation.left > 0 || best_effort {
            self.levels[i].ready.push_back(flow);
        } else {
            self.levels[i].spent.push_back(flow);
        }
        Some(packet)
    }

    #[inline]
    fn backlog(&self) -> Backlog {
        self.queues.backlog()
    }

    fn timeout(&self) -> Option<Time> {
        self.held_until
    }

    fn on_timeout(&mut self, _: &mut Cx<'_>) {
        self.held_until = None; // the port asks again
    }

    fn has_forgotten(&self, flow: FlowId, now: Time) -> bool {
        let Conversation { mut allocation, frame, level, active } = self.conversations[flow.index()];
        allocation.refill(self.levels[level as usize].frame_at(now) - frame);
        !active && allocation.left == allocation.each
    }

    fn on_link_change(&mut self, link: &LinkInfo, now: Time) {
        if link.rate != self.rate {
            self.advance(now);
            self.set_periods(link.rate);
            // The present frames continue for the length of a new one.
            self.levels.iter_mut().for_each(|level| level.since = (now.as_ps(), level.frame));
            self.held_until = None; // the port asks again
        }
        let slot = self.slot();
        for weight in link.weights_from(self.conversations.len()) {
            let allocation = Share::new(slot * i64::from(weight));
            self.conversations.push(Conversation { allocation, ..Default::default() });
        }
        self.queues.grow(link.flows);
    }

    fn explain(&self, packet: &Packet, look: &Look, tell: Tell<'_>) {
        let mut conversation = self.conversations[packet.flow.index()];
        let level = if conversation.active { conversation.level as usize } else { self.level(packet) };
        self.queues.explain(packet.flow.0, packet, look, tell);
        tell(Number::Level, level as f64);
        if level == self.levels.len() - 1 {
            return; // best effort has no frames
        }
        let of = &self.levels[level];
        let mut frame = Level { own: of.own, lower: of.lower, ready: Ring::default(), spent: Ring::default(), ..*of };
        frame.begin(look.now);
        if conversation.level as usize == level {
            conversation.begin(frame.frame);
        } else {
            conversation.allocation.left = conversation.allocation.each;
        }
        tell(Number::Allocation, conversation.allocation.each as f64);
        tell(Number::AllocationLeft, conversation.allocation.left as f64);
        tell(Number::LevelLeft, frame.own.left as f64);
        tell(Number::Frame, Time::from_ps(frame.period).as_secs_f64());
    }
}

#[cfg(test)]
mod tests;
