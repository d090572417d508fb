//! When a timer runs out; and a retransmission timer for each packet, with the timeout of the time when the packet was sent; nothing changes it afterwards.
//!
//! Source: Demers, Keshav and Shenker 1989, section 3: packets that are not acknowledged before the timeout period are
//! retransmitted, and a new timeout period is set; Keshav 1991, section 4.4.2.
//!
//! State per flow: an entry for each packet that is outstanding, and for some that were acknowledged since.

use headgate_packet::{Duration, Time};
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

/// When a timer runs out that is set now for this long: with ticks never early, and up to two of them late.
pub fn deadline(now: Time, after: Duration, tick: Duration) -> Time {
    let tick = tick.as_ps();
    if tick == 0 {
        return now + after;
    }
    let ticks = (now.as_ps() / tick).saturating_add(after.as_ps().div_ceil(tick)).saturating_add(1);
    ticks.checked_mul(tick).map_or(Time::NEVER, Time::from_ps)
}

/// The timers of a flow's packets, and the packets whose timers ran out while they stay in the window.
#[derive(Clone, Debug, Default)]
pub struct PacketTimers {
    /// When each runs out, and its packet.
    running: BinaryHeap<Reverse<(Time, u64)>>,
    /// Packets to be sent again.
    due: BTreeSet<u64>,
}

impl PacketTimers {
    /// The timer of packet `seq` runs out at `at`.
    pub fn start(&mut self, seq: u64, at: Time) {
        self.running.push(Reverse((at, seq)));
    }

    /// When the next timer runs out of a packet that is still missing; `NEVER` without one.
    pub fn next(&mut self, is_missing: impl Fn(u64) -> bool) -> Time {
        while let Some(Reverse((at, seq))) = self.running.peek() {
            if is_missing(*seq) {
                return *at;
            }
            self.running.pop();
        }
        Time::NEVER
    }

    /// Takes the timer that runs out next; its packet.
    pub fn pop(&mut self) -> Option<u64> {
        self.running.pop().map(|Reverse((_, seq))| seq)
    }

    /// Packet `seq` is to be sent again, when the window allows.
    pub fn send_again(&mut self, seq: u64) {
        self.due.insert(seq);
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
        self.running.capacity() * size_of::<(Time, u64)>() + self.due.len() * size_of::<u64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn with_ticks_a_timer_is_never_early_and_at_most_two_ticks_late() {
        let tick = Duration::from_millis(4);
        for now in [0, 1, 1_000_000, 3_999_999_999, 4_000_000_000, 4_000_000_001] {
            for after in [1, 3_999_999_999, 4_000_000_000, 200_000_000_000] {
                let (now, after) = (Time::from_ps(now), Duration::from_ps(after));
                let late = deadline(now, after, tick).since(now + after);
                assert!(late > Duration::ZERO && late <= tick * 2.0, "{now:?} {after:?} {late:?}");
            }
        }
        assert_eq!(deadline(Time::from_ps(5), Duration::from_ps(7), Duration::ZERO), Time::from_ps(12));
    }
}
