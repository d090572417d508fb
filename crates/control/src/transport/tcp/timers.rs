//! A retransmission timer for each packet, with the timeout of the moment when the packet went; nothing moves it afterwards.
//!
//! Source: Demers, Keshav and Shenker 1989, section 3: packets that are not acknowledged before the timeout period are
//! retransmitted, and a new timeout period is set.
//! State per flow: an entry for each packet that is outstanding, and for some that were acknowledged since.

use headgate_packet::{Duration, Time};
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

/// The timers of a flow's packets, and the packets whose timers ran out.
#[derive(Clone, Debug, Default)]
pub struct PacketTimers {
    /// When each runs out, its packet, and how often that packet's timer ran out before.
    running: BinaryHeap<Reverse<(Time, u64, u32)>>,
    /// Packets to be sent again.
    due: BTreeSet<u64>,
}

impl PacketTimers {
    /// Packet `seq` goes for the first time; its timer runs out at `at`.
    pub fn start(&mut self, seq: u64, at: Time) {
        self.running.push(Reverse((at, seq, 0)));
    }

    /// When the next timer runs out of a packet from `una` on; `NEVER` without one.
    pub fn next(&mut self, una: u64) -> Time {
        while let Some(Reverse((at, seq, _))) = self.running.peek() {
            if *seq >= una {
                return *at;
            }
            self.running.pop();
        }
        Time::NEVER
    }

    /// Packets from `una` on whose timers ran out by `now` are to be sent again. `again` says when the new timer runs out of one
    /// that ran out this many times.
    pub fn run_out(&mut self, una: u64, now: Time, again: impl Fn(u32) -> Time) {
        while self.next(una) <= now
            && let Some(Reverse((_, seq, times))) = self.running.pop()
        {
            self.due.insert(seq);
            // Later than now, or a timeout of nothing would keep us here.
            let at = again(times + 1).max(now + Duration::from_ps(1));
            self.running.push(Reverse((at, seq, times + 1)));
        }
    }

    /// The first packet to be sent again, if it lies from `una` on and below `end`.
    pub fn take(&mut self, una: u64, end: u64) -> Option<u64> {
        while let Some(seq) = self.due.first().copied().filter(|seq| *seq < end) {
            self.due.remove(&seq);
            if seq >= una {
                return Some(seq);
            }
        }
        None
    }

    /// Whether a packet below `end` is to be sent again.
    pub fn is_due(&self, end: u64) -> bool {
        self.due.first().is_some_and(|seq| *seq < end)
    }

    /// Bytes of the records.
    pub fn memory(&self) -> usize {
        self.running.capacity() * size_of::<(Time, u64, u32)>() + self.due.len() * size_of::<u64>()
    }
}
