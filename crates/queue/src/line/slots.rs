//! A line that sends only at given times, a number of bytes at once at each: a trace of delivery opportunities.

use headgate_packet::{Duration, Rate, Time};
use std::sync::Arc;

/// Times of opportunities, and how many there are at each, in the order of time. Copies share them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opportunities {
    slots: Arc<[(Duration, u64)]>,
    number: u64,
}

impl Opportunities {
    /// Of times in order, in which one may occur several times; `None` if there is none above zero.
    pub fn new(times: impl IntoIterator<Item = Duration>) -> Option<Opportunities> {
        let mut slots: Vec<(Duration, u64)> = Vec::new();
        for at in times {
            match slots.last_mut() {
                Some((last, number)) if *last == at => *number += 1,
                _ => slots.push((at, 1)),
            }
        }
        let number = slots.iter().map(|(_, number)| number).sum();
        slots.last().filter(|(last, _)| *last > Duration::ZERO)?;
        Some(Opportunities { slots: slots.into(), number })
    }

    /// The last time: that of a round, if there are several.
    pub fn period(&self) -> Duration {
        self.slots[self.slots.len() - 1].0
    }

    /// Bits over time, with this number of bytes at each opportunity; at least 1 bit/s.
    pub fn mean_rate(&self, bytes: u32) -> Rate {
        let bits = u128::from(self.number) * u128::from(bytes) * 8;
        let bps = bits.saturating_mul(1_000_000_000_000) / u128::from(self.period().as_ps());
        Rate::from_bps(u64::try_from(bps).unwrap_or(u64::MAX).max(1)).expect("above zero")
    }
}

/// Sends up to a number of bytes at each opportunity and carries the rest of a packet to the next one. What an opportunity does not use is lost
/// when its time is over.
#[derive(Clone, Debug)]
pub struct Slots {
    all: Opportunities,
    bytes: u64,
    looped: bool,
    /// The next time that may have something left: its round, its position in it, and what was used of it.
    round: u64,
    slot: usize,
    used: u64,
}

impl Slots {
    /// From the first opportunity on; after the last one they begin again if they are `looped`; otherwise nothing more is sent.
    pub fn new(all: Opportunities, bytes: u32, looped: bool) -> Slots {
        Slots { all, bytes: u64::from(bytes), looped, round: 0, slot: 0, used: 0 }
    }

    fn at(&self) -> Time {
        match self.all.slots.get(self.slot) {
            Some((at, _)) => Time::ZERO + self.all.period() * self.round + *at,
            None => Time::NEVER,
        }
    }

    fn room(&self) -> u64 {
        self.all.slots.get(self.slot).map_or(0, |(_, number)| number * self.bytes)
    }

    fn go_on(&mut self) {
        (self.slot, self.used) = (self.slot + 1, 0);
        if self.looped && self.slot == self.all.slots.len() {
            (self.round, self.slot) = (self.round + 1, 0);
        }
    }

    /// The part of the time since the slot before that this number of bytes takes up.
    fn share(&self, bytes: u64) -> u64 {
        let of = |slot: usize| self.all.slots[slot].0;
        let before = if self.slot == 0 { Duration::ZERO } else { of(self.slot - 1) };
        let gap = u128::from((of(self.slot) - before).as_ps());
        (gap * u128::from(bytes) / u128::from(self.room())) as u64
    }

    pub(super) fn opens(&mut self, start: Time) -> Time {
        if self.at() < start {
            // Those before `start` are lost. That at the very end of a round lies at the beginning of the next one.
            let (period, ps) = (self.all.period().as_ps(), start.as_ps());
            let round = if self.looped { (ps - 1) / period } else { 0 };
            let rest = Duration::from_ps(ps - round * period);
            let slot = self.all.slots.partition_point(|(at, _)| *at < rest);
            (self.round, self.slot, self.used) = (round, slot, 0);
        }
        if self.used == self.room() && self.at() != Time::NEVER {
            self.go_on();
        }
        self.at()
    }

    /// Ends at the opportunity at which the last byte is sent.
    pub(super) fn transmit(&mut self, bytes: u32) -> (Time, Duration) {
        let (mut left, mut taken) = (u64::from(bytes), 0_u64);
        loop {
            let now = left.min(self.room() - self.used);
            if now > 0 {
                taken = taken.saturating_add(self.share(self.used + now) - self.share(self.used));
            }
            self.used += now;
            left -= now;
            if left == 0 || self.at() == Time::NEVER {
                let end = if left == 0 { self.at() } else { Time::NEVER };
                return (end, Duration::from_ps(taken));
            }
            self.go_on();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(n: u64) -> Time {
        Time::from_ps(n * 1_000_000_000)
    }

    fn slots(times: &[u64], looped: bool) -> Slots {
        let all = Opportunities::new(times.iter().map(|n| Duration::from_millis(*n))).expect("a time above zero");
        Slots::new(all, 1504, looped)
    }

    /// Sends packets of these lengths, each as soon as the one before is sent; the times of their ends.
    fn ends(slots: &mut Slots, mut free: Time, packets: &[u32]) -> Vec<Time> {
        let one = |bytes: &u32| {
            let start = slots.opens(free);
            assert!(start >= free);
            free = slots.transmit(*bytes).0;
            free
        };
        packets.iter().map(one).collect()
    }

    #[test]
    fn packets_share_opportunities_and_go_on_in_the_next_ones() {
        let mut line = slots(&[2, 5, 5, 9, 10], false);
        assert_eq!(line.all.mean_rate(1504).as_bps(), 5 * 1504 * 8 * 100);
        // 1504 bytes at 2 ms; 3008 at 5 ms, of which 2000 and half of the third packet; 9 ms its other half and the last one.
        assert_eq!(ends(&mut line, ms(1), &[1504, 2000, 2000, 504]), [ms(2), ms(5), ms(9), ms(9)]);
        // What is left at 9 ms is lost for a packet that could start later, and after the last one there is none.
        assert_eq!(ends(&mut line, ms(10), &[1000, 505]), [ms(10), Time::NEVER]);
        assert_eq!(line.opens(ms(11)), Time::NEVER);
    }

    #[test]
    fn a_round_follows_the_other() {
        let mut line = slots(&[0, 3, 10], true);
        assert_eq!(ends(&mut line, ms(0), &[1504; 7]), [0, 3, 10, 10, 13, 20, 20].map(ms));
        // An idle line finds the first one that is left, through many rounds.
        for (start, due) in [(1_000_000, 1_000_000), (1_000_001, 1_000_003), (2_000_004, 2_000_010)] {
            assert_eq!(line.opens(ms(start)), ms(due), "at {start} ms");
        }
        // The last one of a round is that of an idle line too.
        assert_eq!(slots(&[3, 10], true).opens(ms(30)), ms(30));
        // At the end of a round there are two: its own and the first of the next one.
        assert_eq!(ends(&mut line, ms(2_000_009), &[1504, 1504, 1504]), [2_000_010, 2_000_010, 2_000_013].map(ms));
    }

    #[test]
    fn a_line_that_is_never_idle_is_taken_up_all_the_time() {
        let mut line = slots(&[4, 4, 7, 20], true);
        let (mut free, mut busy) = (Time::ZERO, 0);
        for _ in 0..40 {
            line.opens(free);
            let (end, taken) = line.transmit(1504);
            (free, busy) = (end, busy + taken.as_ps());
        }
        assert_eq!((free, busy), (ms(200), ms(200).as_ps()));
        // Of one packet at the opportunities of 204 ms, half of their 4 ms.
        assert_eq!((line.opens(free), line.transmit(1504)), (ms(204), (ms(204), Duration::from_millis(2))));
    }

    #[test]
    fn there_is_a_time_above_zero() {
        assert_eq!(Opportunities::new([]), None);
        assert_eq!(Opportunities::new([Duration::ZERO; 3]), None);
    }
}
