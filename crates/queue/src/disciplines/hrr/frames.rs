//! Frames of Hierarchical Round Robin: what a level and what a conversation may send in each.

use crate::parts::Ring;
use headgate_packet::Time;

/// A level: its frames, and the conversations that wait for them.
#[derive(Clone, Debug, Default)]
pub struct Level {
    /// Length of a frame in ps, and the number of the present one; the time in ps and the frame from which both are counted.
    pub period: u64,
    pub frame: u64,
    pub since: (u64, u64),
    /// Conversations that may have slots left, in turn, and those that wait for the next frame.
    pub ready: Ring<u32>,
    pub spent: Ring<u32>,
    /// Bytes per frame for its own conversations and for the levels below, and what is left of them.
    pub own: Share,
    pub lower: Share,
}

impl Level {
    /// Begins the present frame, if that has not happened yet; true if it is a new one.
    pub fn begin(&mut self, now: Time) -> bool {
        let frame = self.frame_at(now);
        self.own.refill(frame - self.frame);
        self.lower.refill(frame - self.frame);
        std::mem::replace(&mut self.frame, frame) != frame
    }

    /// The number of the frame at `now`.
    pub fn frame_at(&self, now: Time) -> u64 {
        self.since.1 + (now.as_ps() - self.since.0).checked_div(self.period).unwrap_or(0)
    }
}

/// What may be sent in a frame, in bytes. Below zero it is overdrawn: the next frames make up for it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Share {
    pub each: i64,
    pub left: i64,
}

impl Share {
    /// All of a frame is left.
    pub fn new(each: i64) -> Share {
        Share { each, left: each }
    }
    /// In how many frames it is above zero again, if it is not.
    pub fn frames_short(&self) -> u64 {
        if self.left > 0 { 0 } else { self.left.unsigned_abs() / self.each.max(1).unsigned_abs() + 1 }
    }
    /// This number of new frames have begun. What was not used is lost.
    pub fn refill(&mut self, frames: u64) {
        if frames > 0 {
            let frames = i64::try_from(frames).unwrap_or(i64::MAX);
            self.left = self.each.saturating_mul(frames).saturating_add(self.left.min(0)).min(self.each);
        }
    }
}

/// What is kept of a conversation.
#[derive(Clone, Copy, Debug, Default)]
pub struct Conversation {
    /// What it may send in the frame of this number.
    pub allocation: Share,
    pub frame: u64,
    pub level: u32,
    /// It is in a list of its level.
    pub active: bool,
}

impl Conversation {
    /// What it may send in the frame of this number, if its last one was an earlier one.
    pub fn begin(&mut self, frame: u64) {
        self.allocation.refill(frame - self.frame);
        self.frame = frame;
    }
}
