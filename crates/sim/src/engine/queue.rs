//! A calendar of small buckets for events that are due soon, and a heap for those that are due later or find their bucket full.
//!
//! The key of an event is its time (64 bits), the rank of its kind (3) and its object (29): events are ordered totally, so the order never depends
//! on where they wait, and two entries with equal keys are the same event. A bucket is one line of the cache and spans about as much
//! time as lies between one or two events; the span is measured while the run proceeds. Source: Brown 1988, "Calendar queues". Deviations:
//!
//! - buckets are bounded, and a bitmap finds the next one that holds something;
//! - what lies beyond the last bucket waits in the heap instead of in a later year of the calendar.

use super::Event;
use headgate_packet::Time;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Bits of rank and object, and of the time that a bucket keeps.
const LOW: u32 = 32;
/// Events that a bucket holds.
const SLOTS: usize = 8;
/// Minimum and maximum number of buckets.
const BUCKETS: [usize; 2] = [64, 1 << 16];
/// Minimum number of events between two measurements of their density.
const STRIDE: u64 = 256;

/// Keys in no order, without the upper half of their times, which those of a bucket have in common.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Bucket([u64; SLOTS]);

/// Pending events, earliest first.
#[derive(Debug)]
pub struct EventQueue {
    buckets: Vec<Bucket>,
    /// How many events each bucket holds.
    held: Vec<u8>,
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

/// What orders all events: time, rank and object.
fn key(at: u64, code: u32) -> u128 {
    u128::from(at) << LOW | u128::from(code)
}

impl Default for EventQueue {
    fn default() -> EventQueue {
        let mut queue = EventQueue {
            buckets: Vec::new(),
            held: Vec::new(),
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
        self.put(at.as_ps(), event.code());
    }

    #[inline]
    fn put(&mut self, at: u64, code: u32) {
        let bucket = at >> self.shift;
        if bucket.wrapping_sub(self.cursor) < self.buckets.len() as u64 {
            let i = bucket as usize & (self.buckets.len() - 1);
            let held = usize::from(self.held[i]);
            if held < SLOTS {
                self.buckets[i].0[held] = at << LOW | u64::from(code);
                self.held[i] = held as u8 + 1;
                self.filled[i >> 6] |= 1 << (i & 63);
                self.near += 1;
                return;
            }
        }
        self.put_far(at, code);
    }

    /// A separate function, since most events find a bucket.
    #[cold]
    #[inline(never)]
    fn put_far(&mut self, at: u64, code: u32) {
        self.far.push(Reverse(key(at, code)));
        self.far_at = self.far_at.min(at);
    }

    /// Takes the earliest event that is due before `end`.
    #[inline]
    pub fn pop_before(&mut self, end: Time) -> Option<(Time, Event)> {
        if self.near == 0 {
            return self.pop_far(end);
        }
        let i = self.next_bucket();
        let (keys, held) = (&self.buckets[i].0, usize::from(self.held[i]).min(SLOTS));
        let (mut slot, mut least) = (0, keys[0]);
        for (place, key) in keys[..held].iter().enumerate().skip(1) {
            if *key < least {
                (slot, least) = (place, *key);
            }
        }
        let ahead = (i as u64).wrapping_sub(self.cursor) & (self.buckets.len() as u64 - 1);
        let bucket = self.cursor + ahead;
        let at = bucket << self.shift >> LOW << LOW | least >> LOW;
        if at >= self.far_at && self.far.peek().is_some_and(|far| far.0 < key(at, least as u32)) {
            return self.pop_far(end);
        }
        if at >= end.as_ps() {
            return None;
        }
        let last = held - 1;
        self.held[i] = last as u8;
        let keys = &mut self.buckets[i].0;
        keys[slot] = keys[last];
        if last == 0 {
            self.filled[i >> 6] &= !(1 << (i & 63));
        }
        self.near -= 1;
        self.cursor = bucket;
        Some(self.taken(at, least as u32))
    }

    /// Takes the first one of the heap if it is due before `end`.
    #[cold]
    fn pop_far(&mut self, end: Time) -> Option<(Time, Event)> {
        let Reverse(first) = *self.far.peek()?;
        let at = (first >> LOW) as u64;
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

    /// Fits the buckets to the density of events since the last measurement: one or two to a bucket, and twice as many buckets as events.
    #[cold]
    fn look(&mut self, now: u64) {
        let gap = (now - self.measured_from.min(now)) / self.taken;
        let pending = self.len();
        (self.taken, self.measured_from, self.next_look) = (0, now, STRIDE.max(pending as u64));
        let shift = (u64::BITS - gap.leading_zeros()).min(LOW);
        let buckets = (2 * pending).next_power_of_two().clamp(BUCKETS[0], BUCKETS[1]);
        let fits =
            self.shift.abs_diff(shift) <= 1 && self.buckets.len() >= buckets && self.buckets.len() <= 4 * buckets;
        if fits || gap == 0 {
            return;
        }
        let mut all: Vec<u128> = std::mem::take(&mut self.far).into_iter().map(|key| key.0).collect();
        while self.near > 0 {
            let i = self.next_bucket();
            let ahead = (i as u64).wrapping_sub(self.cursor) & (self.buckets.len() as u64 - 1);
            let upper = u128::from((self.cursor + ahead) << self.shift >> LOW) << (2 * LOW);
            let held = usize::from(std::mem::take(&mut self.held[i]));
            all.extend(self.buckets[i].0[..held].iter().map(|key| upper | u128::from(*key)));
            self.filled[i >> 6] &= !(1 << (i & 63));
            self.near -= held;
        }
        (self.shift, self.cursor, self.far_at) = (shift, now >> shift, u64::MAX);
        self.resize(buckets);
        for key in all {
            self.put((key >> LOW) as u64, key as u32);
        }
    }

    /// Sets the number of buckets, all of them empty.
    fn resize(&mut self, buckets: usize) {
        self.buckets = vec![Bucket([0; SLOTS]); buckets];
        self.held = vec![0; buckets];
        self.filled = vec![0; buckets / 64];
    }

    /// How many events are pending.
    pub fn len(&self) -> usize {
        self.near + self.far.len()
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
            assert!((gap..=4 * gap).contains(&span), "{objects} events {gap} ps apart: buckets of {span} ps");
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
