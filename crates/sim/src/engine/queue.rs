//! A calendar of small buckets for events that are due soon, and a heap for those that are due later or find their bucket full.
//!
//! The key of an event is its time (64 bits), the rank of its kind (3) and its object (29): events are ordered totally, so the order never depends
//! on where they wait, and two entries with equal keys are the same event. A bucket is half a line of the cache and spans about as much
//! time as lies between two events; the span is measured while the run proceeds. Source: Brown 1988, "Calendar queues". Deviations:
//!
//! - buckets are bounded, and a bitmap finds the next one that holds something; most never need the second half of their room, which lies apart;
//! - the keys of a bucket are in order, by comparisons that no branch depends on: how many it holds cannot be predicted;
//! - what lies beyond the last bucket waits in the heap instead of in a later year of the calendar;
//! - arrivals over some wires wait beside it, sorted: where few wires are busy most events are such arrivals, and each is followed by the next.

use super::Event;
use headgate_packet::Time;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Bits of rank and object, and of the time that a bucket keeps.
const LOW: u32 = 32;
/// Events that half a bucket holds.
const SLOTS: usize = 4;
/// A place of a bucket that holds nothing. No event has this key: its object would be the second end of flow number 2^28.
const EMPTY: u64 = u64::MAX;
/// Arrivals that wait beside the calendar.
const ARRIVALS: usize = 4;
/// A key later than any.
const NONE: u128 = u128::MAX;
/// Minimum and maximum number of buckets.
const BUCKETS: [usize; 2] = [256, 1 << 17];
/// Minimum number of events between two measurements of their density.
const STRIDE: u64 = 256;

/// Half a bucket: keys, the least first, without the upper half of their times, which those of a bucket have in common; [`EMPTY`] behind the last one.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
struct Bucket([u64; SLOTS]);

/// Pending events, earliest first.
#[derive(Debug)]
pub struct EventQueue {
    /// The next arrivals over some wires, the earliest last, and how many there are.
    arrivals: [u128; ARRIVALS],
    arriving: usize,
    /// No event of the calendar or of the heap is due before this time.
    bound: u64,
    buckets: Vec<Bucket>,
    /// The second halves of all buckets: each holds something only if the first half is full.
    second: Vec<Bucket>,
    /// A bit for each bucket that holds any.
    filled: Vec<u64>,
    /// A bucket spans 2^shift ps.
    shift: u32,
    /// Number of the bucket, counted from time 0, in which the event taken last lay; buckets from this one on are in use.
    cursor: u64,
    /// How many events are in buckets.
    near: usize,
    far: BinaryHeap<Reverse<u128>>,
    /// Time of its first event; the greatest number if it is empty.
    far_at: u64,
    /// Events taken since `measured_from`, and the number at which the next measurement is due.
    taken: u64,
    measured_from: u64,
    next_look: u64,
}

/// Puts a key in its place among others; gives the greatest, for which there is no room.
#[inline(always)]
fn insert(keys: &mut [u64; SLOTS], mut key: u64) -> u64 {
    for slot in keys {
        (*slot, key) = ((*slot).min(key), (*slot).max(key));
    }
    key
}

/// The time of a key.
#[inline(always)]
fn time(key: u128) -> u64 {
    (key >> LOW) as u64
}

/// What orders all events: time, rank and object.
fn key(at: u64, code: u32) -> u128 {
    u128::from(at) << LOW | u128::from(code)
}

impl Default for EventQueue {
    fn default() -> EventQueue {
        let mut queue = EventQueue {
            arrivals: [NONE; ARRIVALS],
            arriving: 0,
            bound: u64::MAX,
            buckets: Vec::new(),
            second: Vec::new(),
            filled: Vec::new(),
            shift: 20,
            cursor: 0,
            near: 0,
            far: BinaryHeap::new(),
            far_at: u64::MAX,
            taken: 0,
            measured_from: 0,
            next_look: STRIDE,
        };
        queue.resize(BUCKETS[0]);
        queue
    }
}

impl EventQueue {
    /// An empty queue.
    pub fn new() -> EventQueue {
        EventQueue::default()
    }

    /// Adds an event.
    #[inline]
    pub fn push(&mut self, at: Time, event: Event) {
        let (at, code) = (at.as_ps(), event.code());
        if matches!(event, Event::Arrive(_)) && self.arriving < ARRIVALS {
            let (key, mut place) = (key(at, code), self.arriving);
            while let Some(next) = place.checked_sub(1)
                && self.arrivals[next] < key
            {
                self.arrivals[place] = self.arrivals[next];
                place = next;
            }
            self.arrivals[place] = key;
            self.arriving += 1;
            return;
        }
        self.put(at, code);
    }

    #[inline]
    fn put(&mut self, at: u64, code: u32) {
        self.bound = self.bound.min(at);
        let bucket = at >> self.shift;
        if bucket.wrapping_sub(self.cursor) < self.buckets.len() as u64 {
            let i = bucket as usize & (self.buckets.len() - 1);
            let keys = &mut self.buckets[i].0;
            if keys[SLOTS - 1] == EMPTY {
                insert(keys, at << LOW | u64::from(code));
                self.filled[i >> 6] |= 1 << (i & 63);
                self.near += 1;
                return;
            }
            return self.put_second(i, at, code);
        }
        self.put_far(at, code);
    }

    /// Puts an event into a bucket whose first half is full. A separate function, as are those below, since most events need none of them.
    #[cold]
    #[inline(never)]
    fn put_second(&mut self, i: usize, at: u64, code: u32) {
        if self.second[i].0[SLOTS - 1] != EMPTY {
            return self.put_far(at, code);
        }
        let greatest = insert(&mut self.buckets[i].0, at << LOW | u64::from(code));
        insert(&mut self.second[i].0, greatest);
        self.near += 1;
    }

    /// The first half of a bucket was full before its first event was taken: one of the second half, if there is any, takes the place of the last.
    #[cold]
    #[inline(never)]
    fn take_second(&mut self, i: usize) {
        let keys = &mut self.second[i].0;
        self.buckets[i].0[SLOTS - 1] = keys[0];
        *keys = [keys[1], keys[2], keys[3], EMPTY];
    }

    #[cold]
    #[inline(never)]
    fn put_far(&mut self, at: u64, code: u32) {
        self.far.push(Reverse(key(at, code)));
        self.far_at = self.far_at.min(at);
    }

    /// Takes the earliest event that is due before `end`.
    #[inline]
    pub fn pop_before(&mut self, end: Time) -> Option<(Time, Event)> {
        let arrival = self.arrivals[..self.arriving].last().copied().unwrap_or(NONE);
        if time(arrival) < self.bound {
            return self.pop_arrival(arrival, end);
        }
        if self.near == 0 {
            return self.pop_far(arrival, end);
        }
        let i = self.next_bucket();
        let least = self.buckets[i].0[0];
        let ahead = (i as u64).wrapping_sub(self.cursor) & (self.buckets.len() as u64 - 1);
        let bucket = self.cursor + ahead;
        let at = bucket << self.shift >> LOW << LOW | least >> LOW;
        if at >= self.far_at && self.far.peek().is_some_and(|far| far.0 < key(at, least as u32)) {
            return self.pop_far(arrival, end);
        }
        self.bound = at;
        if time(arrival) <= at && arrival < key(at, least as u32) {
            return self.pop_arrival(arrival, end);
        }
        if at >= end.as_ps() {
            return None;
        }
        let keys = &mut self.buckets[i].0;
        let [_, second, third, last] = *keys;
        *keys = [second, third, last, EMPTY];
        self.filled[i >> 6] &= !(u64::from(second == EMPTY) << (i & 63));
        if last != EMPTY {
            self.take_second(i);
        }
        self.near -= 1;
        self.cursor = bucket;
        Some(self.taken(at, least as u32))
    }

    /// Takes the first arrival beside the calendar, which is the first event, if it is due before `end`.
    #[inline(always)]
    fn pop_arrival(&mut self, first: u128, end: Time) -> Option<(Time, Event)> {
        let at = time(first);
        if at >= end.as_ps() {
            return None;
        }
        self.arriving -= 1;
        self.cursor = at >> self.shift;
        Some((Time::from_ps(at), Event::from_code(first as u32)))
    }

    /// Takes the first one of the heap, or the first arrival if that is earlier, if it is due before `end`.
    #[cold]
    fn pop_far(&mut self, arrival: u128, end: Time) -> Option<(Time, Event)> {
        let first = self.far.peek().map_or(NONE, |far| far.0);
        let at = time(first);
        self.bound = at;
        if arrival < first {
            return self.pop_arrival(arrival, end);
        }
        if at >= end.as_ps() {
            return None;
        }
        self.far.pop();
        self.note_far();
        self.cursor = self.cursor.max(at >> self.shift);
        Some(self.taken(at, first as u32))
    }

    #[inline(always)]
    fn taken(&mut self, at: u64, code: u32) -> (Time, Event) {
        self.taken += 1;
        if self.taken == self.next_look {
            self.look(at);
        }
        (Time::from_ps(at), Event::from_code(code))
    }

    /// Keeps the time of the heap's first event.
    fn note_far(&mut self) {
        self.far_at = self.far.peek().map_or(u64::MAX, |far| (far.0 >> LOW) as u64);
    }

    /// The first bucket from the cursor on that holds something; there is one.
    #[inline(always)]
    fn next_bucket(&self) -> usize {
        let start = self.cursor as usize & (self.buckets.len() - 1);
        let mut word = start >> 6;
        let mut bits = self.filled[word] >> (start & 63) << (start & 63);
        while bits == 0 {
            word = (word + 1) & (self.filled.len() - 1);
            bits = self.filled[word];
        }
        word << 6 | bits.trailing_zeros() as usize
    }

    /// Fits the buckets to the density of events since the last measurement: one to a bucket at most, and three times as many buckets as events.
    #[cold]
    fn look(&mut self, now: u64) {
        let gap = (now - self.measured_from.min(now)) / self.taken;
        let pending = self.near + self.far.len();
        (self.taken, self.measured_from, self.next_look) = (0, now, STRIDE.max(pending as u64));
        // The greatest span that is not above the gap.
        let shift = (u64::BITS - 1 - gap.max(1).leading_zeros()).min(LOW);
        let buckets = (3 * pending).next_power_of_two().clamp(BUCKETS[0], BUCKETS[1]);
        let span = 1 << self.shift;
        let fits = (span <= gap + gap / 2 && gap <= 3 * span || shift == self.shift)
            && self.buckets.len() >= buckets
            && self.buckets.len() <= 4 * buckets;
        if fits || gap == 0 {
            return;
        }
        let mut all: Vec<u128> = std::mem::take(&mut self.far).into_iter().map(|key| key.0).collect();
        while self.near > 0 {
            let i = self.next_bucket();
            let ahead = (i as u64).wrapping_sub(self.cursor) & (self.buckets.len() as u64 - 1);
            let upper = u128::from((self.cursor + ahead) << self.shift >> LOW) << (2 * LOW);
            let before = all.len();
            let keys = [self.buckets[i].0, self.second[i].0];
            all.extend(keys.as_flattened().iter().filter(|key| **key != EMPTY).map(|key| upper | u128::from(*key)));
            self.filled[i >> 6] &= !(1 << (i & 63));
            self.near -= all.len() - before;
        }
        (self.shift, self.cursor, self.far_at) = (shift, now >> shift, u64::MAX);
        self.resize(buckets);
        for key in all {
            self.put((key >> LOW) as u64, key as u32);
        }
    }

    /// Sets the number of buckets, all of them empty.
    fn resize(&mut self, buckets: usize) {
        self.buckets = vec![Bucket([EMPTY; SLOTS]); buckets];
        self.second = self.buckets.clone();
        self.filled = vec![0; buckets / 64];
    }

    /// How many events are pending.
    pub fn len(&self) -> usize {
        self.arriving + self.near + self.far.len()
    }

    /// Whether nothing is pending.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn behaves_like_a_sorted_map(
            calls in prop::collection::vec((any::<bool>(), 0..40u64, 0..6u32, 0..9u32), 0..2000),
            // How far apart events lie, and from where.
            (spread, origin) in (0..58u32, 0..1u64 << 40),
        ) {
            let (mut queue, mut model, mut now) = (EventQueue::new(), BTreeMap::new(), origin);
            let end = Time::from_ps(now.saturating_add(2000 << spread.min(40)));
            for (push, ahead, rank, object) in calls {
                if push {
                    let (at, event) = (now + (ahead << spread), Event::from_code(rank << 29 | object));
                    queue.push(Time::from_ps(at), event);
                    *model.entry((at, event.code())).or_insert(0) += 1;
                } else {
                    let due = model.first_key_value().map(|(key, _)| *key).filter(|(at, _)| *at < end.as_ps());
                    let got = queue.pop_before(end).map(|(at, event)| (at.as_ps(), event.code()));
                    prop_assert_eq!(got, due);
                    if let Some(key) = due {
                        now = key.0;
                        let count = model.get_mut(&key).expect("just found");
                        *count -= 1;
                        if *count == 0 { model.remove(&key); }
                    }
                }
                prop_assert_eq!(queue.len(), model.values().sum::<usize>());
                prop_assert_eq!(queue.is_empty(), model.is_empty());
            }
        }
    }

    /// Objects whose events return, each with its own period: (pops from the heap, buckets, span of a bucket) at the end.
    fn steady(objects: u32, gap: u64, pops: u64) -> (usize, usize, u64) {
        let mut queue = EventQueue::new();
        (0..objects).for_each(|i| queue.push(Time::from_ps(u64::from(i) * gap), Event::Source(i)));
        for _ in 0..pops {
            let (at, event) = queue.pop_before(Time::NEVER).expect("none is lost");
            let Event::Source(i) = event else { panic!("{event:?} was never pushed") };
            let again = u64::from(objects) * gap + u64::from(i % 7);
            queue.push(Time::from_ps(at.as_ps() + again), event);
        }
        (queue.far.len(), queue.buckets.len(), 1 << queue.shift)
    }

    #[test]
    fn buckets_follow_the_events_whatever_their_distance_and_number() {
        for (objects, gap) in [(10, 1_000), (10, 4_000_000), (1000, 40_000_000), (30_000, 100), (30_000, 2_000_000)] {
            let (far, buckets, span) = steady(objects, gap, 200_000);
            assert!((gap / 3..=gap + gap / 2).contains(&span), "{objects} events {gap} ps apart: buckets of {span} ps");
            assert!(
                buckets >= 2 * objects as usize && far == 0,
                "{objects} events {gap} ps apart: {buckets} buckets, {far} outside"
            );
        }
    }

    #[test]
    fn more_events_at_one_instant_than_a_bucket_holds_come_in_order() {
        let mut queue = EventQueue::new();
        (0..100).rev().for_each(|i| queue.push(Time::from_ps(5), Event::Source(i)));
        let order: Vec<_> = std::iter::from_fn(|| queue.pop_before(Time::from_ps(6))).map(|(_, event)| event).collect();
        assert_eq!(order, (0..100).map(Event::Source).collect::<Vec<_>>());
    }
}
