//! A source that sleeps: of the time before its first acknowledgement nothing is kept but what happened to it.
//!
//! A source whose protocol takes no chances does the same again when the same happens to it. So one that has not begun, or that waits for its first
//! acknowledgement, is a short story, from which it is made again when an acknowledgement arrives or its timer runs out: a million flows at once
//! are mostly such ones.

use super::Source;
use crate::connection::Connection;
use crate::{AckPacket, Segment};
use headgate_packet::{Duration, Time};

/// Timeouts in a row after which a source stays awake: each is lived through again when it wakes.
const MOST_TIMEOUTS: usize = 8;

/// What happened to a source before its first acknowledgement.
#[derive(Clone, Debug, Default)]
pub struct Story {
    /// Packets that its workload supplied at once, and when; none if it has not begun.
    supplied: u64,
    began: Time,
    /// When its timer ran out.
    timeouts: Vec<Time>,
}

impl Story {
    /// Whether it has not begun.
    pub fn is_blank(&self) -> bool {
        self.supplied == 0
    }

    /// It began with these packets.
    pub fn begin(&mut self, packets: u64, now: Time) {
        (self.supplied, self.began) = (packets, now);
    }

    /// Its timer ran out; whether it may sleep again.
    pub fn time_out(&mut self, now: Time) -> bool {
        self.timeouts.push(now);
        self.timeouts.len() < MOST_TIMEOUTS
    }

    /// The same happens to a source that has not begun.
    pub(crate) fn repeat(&self, source: &mut Connection) {
        if self.is_blank() {
            return;
        }
        source.supply(self.supplied);
        source.send_all(self.began);
        for at in &self.timeouts {
            source.on_timeout(*at);
            source.send_all(*at);
        }
    }
}

/// A source that sleeps; without a story it has not begun. Nothing but waking it may be done with it.
#[derive(Debug, Default)]
pub(crate) struct Asleep(pub(crate) Option<Box<Story>>);

impl Source for Asleep {
    fn supply(&mut self, _: u64) {
        debug_assert!(false, "it is woken before");
    }

    fn stop(&mut self) {
        debug_assert!(self.0.is_none(), "it is woken before");
    }

    fn poll_send(&mut self, _: Time) -> Option<Segment> {
        None
    }

    fn on_ack(&mut self, _: &AckPacket<'_>, _: Time, _: &mut impl FnMut(Duration)) {
        debug_assert!(false, "it is woken before");
    }

    fn in_flight(&self) -> u64 {
        0
    }

    fn is_done(&self) -> bool {
        self.0.is_none()
    }

    fn memory(&self) -> usize {
        self.0.as_ref().map_or(0, |story| size_of::<Story>() + story.timeouts.capacity() * size_of::<Time>())
    }
}
