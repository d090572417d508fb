//! An 8-ary heap on a packed key: time (64 bits), rank of the event's kind (3), insertion number (40), object (21).
//!
//! The key orders events totally, so equal times never depend on the heap's shape. When insertion numbers run out, after 10^12 events, those
//! that are pending get new ones in the same order. Most events re-arm themselves:
//! after a pop the root stays vacant, and the next push fills it and sinks once, instead of a pop and a push.

use super::Event;
use headgate_packet::Time;

const OBJECT_BITS: u32 = 21;
const INSERTION_BITS: u32 = 40;
/// Children of a node.
const ARITY: usize = 8;
/// Later than any event.
const NONE: u128 = u128::MAX;

/// Pending events, earliest first.
#[derive(Debug, Default)]
pub struct EventQueue {
    /// Keys in heap order, filled up to whole nodes with `NONE`.
    keys: Vec<u128>,
    len: usize,
    /// The root was popped and not yet replaced; every other key is still in heap order below it.
    vacant: bool,
    inserted: u64,
}

impl EventQueue {
    /// An empty queue.
    pub fn new() -> EventQueue {
        EventQueue::default()
    }

    /// Adds an event. Of events with equal time and kind the one pushed first comes first.
    #[inline]
    pub fn push(&mut self, at: Time, event: Event) {
        let (rank, object) = event.parts();
        debug_assert!(object < 1 << OBJECT_BITS, "scenarios are checked for it");
        if self.inserted == 1 << INSERTION_BITS {
            self.renumber();
        }
        let low = (rank << INSERTION_BITS | self.inserted) << OBJECT_BITS | u64::from(object);
        let key = u128::from(at.as_ps()) << 64 | u128::from(low);
        self.inserted += 1;
        if self.vacant {
            self.vacant = false;
            self.sink(key);
        } else {
            if self.len == self.keys.len() {
                self.keys.resize(self.len.max(1) + ARITY, NONE);
            }
            self.len += 1;
            self.swim(key);
        }
    }

    /// Takes the earliest event that is due before `end`.
    #[inline]
    pub fn pop_before(&mut self, end: Time) -> Option<(Time, Event)> {
        self.settle();
        if self.len == 0 {
            return None;
        }
        let key = self.keys[0];
        let at = Time::from_ps((key >> 64) as u64);
        if at >= end {
            return None;
        }
        self.vacant = true;
        let low = key as u64;
        let object = (low & ((1 << OBJECT_BITS) - 1)) as u32;
        Some((at, Event::from_parts(low >> (OBJECT_BITS + INSERTION_BITS), object)))
    }

    /// Fills the place of the event taken last.
    #[inline(always)]
    fn settle(&mut self) {
        if self.vacant {
            self.vacant = false;
            self.len -= 1;
            let last = std::mem::replace(&mut self.keys[self.len], NONE);
            if self.len > 0 {
                self.sink(last);
            }
        }
    }

    /// Gives the pending events the lowest insertion numbers, in the same order.
    #[cold]
    fn renumber(&mut self) {
        self.settle();
        // A sorted list is a heap.
        self.keys[..self.len].sort_unstable();
        for (number, key) in (0..).zip(&mut self.keys[..self.len]) {
            let (head, object) = (*key >> (INSERTION_BITS + OBJECT_BITS), *key & ((1 << OBJECT_BITS) - 1));
            *key = (head << INSERTION_BITS | number) << OBJECT_BITS | object;
        }
        self.inserted = self.len as u64;
    }

    /// How many events are pending.
    pub fn len(&self) -> usize {
        self.len - usize::from(self.vacant)
    }

    /// Whether nothing is pending.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Puts `key` at the vacant root and moves it down to its place.
    #[inline]
    fn sink(&mut self, key: u128) {
        let keys = self.keys.as_mut_slice();
        let mut hole = 0;
        while let Some(c) = keys.get(ARITY * hole + 1..ARITY * hole + 1 + ARITY) {
            // Values are selected beside their places: a load by the place found would wait for the comparison.
            let two = |a: usize| if c[a + 1] < c[a] { (c[a + 1], a + 1) } else { (c[a], a) };
            let lesser = |a: (u128, usize), b: (u128, usize)| if b.0 < a.0 { b } else { a };
            let (child, best) = lesser(lesser(two(0), two(2)), lesser(two(4), two(6)));
            if child >= key {
                break;
            }
            keys[hole] = child;
            hole = ARITY * hole + 1 + best;
        }
        keys[hole] = key;
    }

    #[inline]
    fn swim(&mut self, key: u128) {
        let mut hole = self.len - 1;
        while hole > 0 {
            let parent = (hole - 1) / ARITY;
            if self.keys[parent] <= key {
                break;
            }
            self.keys[hole] = self.keys[parent];
            hole = parent;
        }
        self.keys[hole] = key;
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
            calls in prop::collection::vec((any::<bool>(), 0..20u64, 0..6u64, 0..9u32), 0..500),
            // After so many calls insertion numbers run out.
            left in 0..600u64,
        ) {
            let (mut queue, mut model, mut n) = (EventQueue::new(), BTreeMap::new(), 0u64);
            queue.inserted = (1 << INSERTION_BITS) - left;
            for (push, at, rank, object) in calls {
                if push {
                    let event = Event::from_parts(rank, object);
                    queue.push(Time::from_ps(at), event);
                    model.insert((at, rank, n), event);
                    n += 1;
                } else {
                    let expected = model.first_key_value().map(|(k, e)| (*k, *e)).filter(|((at, ..), _)| *at < 15);
                    let got = queue.pop_before(Time::from_ps(15));
                    prop_assert_eq!(got, expected.map(|((at, ..), e)| (Time::from_ps(at), e)));
                    if let Some((key, _)) = expected {
                        model.remove(&key);
                    }
                }
                prop_assert_eq!(queue.len(), model.len());
                prop_assert_eq!(queue.is_empty(), model.is_empty());
            }
        }
    }
}
