//! A line that sends only at given times, a number of bytes at once at each: a trace of delivery opportunities.

use headgate_packet::{Duration, Rate, Time};
use std::sync::Arc;

/// Times of opportunities, and how many there are at each, in the order of time. Copies share them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opportunities {
    slots: Arc<[(Duration, u64)]>,
    /// How many there are before each of these times.
    before: Arc<[u64]>,
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
        slots.last().filter(|(last, _)| *last > Duration::ZERO)?;
        let mut number = 0;
        let mut before = Vec::with_capacity(slots.len());
        for (_, here) in &slots {
            before.push(number);
            number += here;
        }
        Some(Opportunities { slots: slots.into(), before: before.into(), number })
    }

    /// How many there are before `now`, those at that instant not included: of all rounds if they are `looped`, else of one.
    ///
    /// ```
    /// use headgate_packet::{Duration, Time};
    /// use headgate_queue::line::Opportunities;
    /// let all = Opportunities::new([1, 4, 4, 10].map(Duration::from_millis)).expect("one above zero");
    /// let before = |ms: u64, looped| all.number_before(Time::ZERO + Duration::from_millis(ms), looped);
    /// assert_eq!([0, 1, 2, 4, 5, 10, 11, 24].map(|ms| before(ms, true)), [0, 0, 1, 1, 3, 3, 4, 9]);
    /// assert_eq!(before(24, false), 4);
    /// ```
    pub fn number_before(&self, now: Time, looped: bool) -> u64 {
        let (period, ps) = (self.period().as_ps(), now.as_ps());
        // That at the very end of a round is in it, and not before its own instant.
        let rounds = if looped { ps.saturating_sub(1) / period } else { 0 };
        let rest = Duration::from_ps(ps - rounds * period);
        let slot = self.slots.partition_point(|(at, _)| *at < rest);
        rounds * self.number + self.before.get(slot).copied().unwrap_or(self.number)
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
    /// The next time that may have something left.
    now: Place,
    /// Where the bytes begin that are not in `settled`: at the instant at which the last transmission started, or later.
    since: Place,
    /// Bytes used before that place.
    settled: u64,
    /// All bytes used.
    total: u64,
}

/// A place in a sequence of opportunities: the round, the time in it, and how many bytes were used of what may be sent then.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Place {
    round: u64,
    slot: usize,
    used: u64,
}

impl Slots {
    /// From the first opportunity on; after the last one they begin again if they are `looped`; otherwise nothing more is sent.
    pub fn new(all: Opportunities, bytes: u32, looped: bool) -> Slots {
        let begin = Place::default();
        Slots { all, bytes: u64::from(bytes), looped, now: begin, since: begin, settled: 0, total: 0 }
    }

    /// Bytes that may be sent at the opportunities before `now`.
    pub fn offered_before(&self, now: Time) -> u128 {
        u128::from(self.all.number_before(now, self.looped)) * u128::from(self.bytes)
    }

    /// Bytes that were sent at the opportunities before `now`, which is not before the start of the last transmission: of one that goes on later
    /// only what was sent by then. The order of what happens at one instant does not matter, since all of it is later.
    pub(super) fn used_before(&self, now: Time) -> u64 {
        self.settled_before(now).0
    }

    /// Bytes that were sent before `start`, and where those begin that were sent then or later.
    fn settled_before(&self, start: Time) -> (u64, Place) {
        let (mut settled, mut place) = (self.settled, self.since);
        while place != self.now && self.at(place) < start {
            let (until, next) =
                if self.same_time(place) { (self.now.used, self.now) } else { (self.room(place), self.after(place)) };
            settled += until - place.used;
            place = next;
        }
        (settled, place)
    }

    fn same_time(&self, place: Place) -> bool {
        (place.round, place.slot) == (self.now.round, self.now.slot)
    }

    fn at(&self, place: Place) -> Time {
        match self.all.slots.get(place.slot) {
            Some((at, _)) => Time::ZERO + self.all.period() * place.round + *at,
            None => Time::NEVER,
        }
    }

    fn room(&self, place: Place) -> u64 {
        self.all.slots.get(place.slot).map_or(0, |(_, number)| number * self.bytes)
    }

    /// The beginning of the next time.
    fn after(&self, place: Place) -> Place {
        if self.looped && place.slot + 1 == self.all.slots.len() {
            Place { round: place.round + 1, slot: 0, used: 0 }
        } else {
            Place { round: place.round, slot: place.slot + 1, used: 0 }
        }
    }

    /// The time that this number of bytes takes up of a line with the mean rate.
    fn taken(&self, bytes: u64) -> u64 {
        let round = u128::from(self.all.number) * u128::from(self.bytes);
        (u128::from(self.all.period().as_ps()) * u128::from(bytes) / round) as u64
    }

    pub(super) fn opens(&mut self, start: Time) -> Time {
        if self.at(self.now) < start {
            self.settled = self.total;
            // Those before `start` are lost. That at the very end of a round lies at the beginning of the next one.
            let (period, ps) = (self.all.period().as_ps(), start.as_ps());
            let round = if self.looped { (ps - 1) / period } else { 0 };
            let rest = Duration::from_ps(ps - round * period);
            let slot = self.all.slots.partition_point(|(at, _)| *at < rest);
            self.now = Place { round, slot, used: 0 };
            self.since = self.now;
        }
        if self.now.used == self.room(self.now) && self.at(self.now) != Time::NEVER {
            self.now = self.after(self.now);
        }
        self.at(self.now)
    }

    /// Ends at the opportunity at which the last byte is sent. The line opens now.
    pub(super) fn transmit(&mut self, bytes: u32) -> (Time, Duration) {
        (self.settled, self.since) = self.settled_before(self.at(self.now));
        let (mut left, begun) = (u64::from(bytes), self.taken(self.total));
        loop {
            let now = left.min(self.room(self.now) - self.now.used);
            self.now.used += now;
            self.total += now;
            left -= now;
            if left == 0 || self.at(self.now) == Time::NEVER {
                let end = if left == 0 { self.at(self.now) } else { Time::NEVER };
                return (end, Duration::from_ps(self.taken(self.total) - begun));
            }
            self.now = self.after(self.now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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
        // One of the four opportunities of a round takes up a quarter of its 20 ms, however long the line waited for it.
        assert_eq!((line.opens(free), line.transmit(1504)), (ms(204), (ms(204), Duration::from_millis(5))));
    }

    #[test]
    fn what_was_used_is_counted_at_the_opportunities_that_it_used() {
        let mut line = slots(&[0, 3, 10], true);
        let counts = |line: &Slots, at: u64| (line.offered_before(ms(at)) / 1504, line.used_before(ms(at)));
        // 4000 bytes: all at 0 and at 3 ms, and 992 at 10 ms. The next packet has the rest there, all of the next round's first one, and 488 at 13 ms.
        assert_eq!((line.opens(ms(0)), line.transmit(4000).0), (ms(0), ms(10)));
        assert_eq!([0, 1, 3, 4, 10, 11].map(|at| counts(&line, at).1), [0, 1504, 1504, 3008, 3008, 4000]);
        assert_eq!((line.opens(ms(10)), line.transmit(2504).0), (ms(10), ms(13)));
        assert_eq!([10, 11, 13, 14].map(|at| counts(&line, at)), [(2, 3008), (4, 6016), (4, 6016), (5, 6504)]);
        // A pause: what was left is lost, and 100 bytes are sent at 30 ms, at the last time of a round.
        assert_eq!((line.opens(ms(24)), line.opens(ms(30)), line.transmit(100).0), (ms(30), ms(30), ms(30)));
        assert_eq!([30, 31].map(|at| counts(&line, at)), [(8, 6504), (10, 6604)]);
    }

    proptest! {
        #[test]
        fn no_more_is_used_than_offered_between_any_two_instants(
            gaps in prop::collection::vec(0_u64..4, 1..12),
            packets in prop::collection::vec((0_u64..9, 1_u32..5000), 1..40),
            looped: bool,
        ) {
            let mut times: Vec<u64> = gaps.iter().scan(0, |at, gap| { *at += gap; Some(*at) }).collect();
            times.push(times[times.len() - 1] + 1);
            let (mut line, mut free) = (slots(&times, looped), Time::ZERO);
            let (mut at, mut last, mut sent) = (0, (0, 0), 0);
            for (gap, bytes) in packets {
                // Readings up to the start of the next transmission.
                let start = (free + Duration::from_millis(gap)).min(ms(1_000_000));
                while ms(at) <= start && at < 1000 {
                    let next = (line.offered_before(ms(at)), line.used_before(ms(at)));
                    prop_assert!(u128::from(next.1 - last.1) <= next.0 - last.0, "before {} ms: {:?} to {:?}", at, last, next);
                    (at, last) = (at + 1, next);
                }
                let opens = line.opens(start);
                let opens = if opens == start { opens } else { line.opens(opens) };
                if opens == Time::NEVER {
                    break;
                }
                free = line.transmit(bytes).0;
                sent += u64::from(bytes);
                if free == Time::NEVER {
                    break;
                }
                prop_assert_eq!(line.used_before(free + Duration::from_ps(1)), sent);
            }
        }
    }

    #[test]
    fn there_is_a_time_above_zero() {
        assert_eq!(Opportunities::new([]), None);
        assert_eq!(Opportunities::new([Duration::ZERO; 3]), None);
    }
}
