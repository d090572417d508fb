//! A binary heap of small numbers with a key each, smallest key first, of equal keys the smaller number; any entry's key can be
//! changed or removed. The counted calls return the number of swaps of two
//! entries they took.

/// Keys compare as (first, second); the caller makes them unique where order matters.
pub type Key = (u64, u64);

const ABSENT: u32 = u32::MAX;

/// What an entry is kept as: its key and its id.
pub trait Entry: Copy {
    /// What it is ordered by.
    type Key: Copy + Eq;
    /// An id with its key.
    fn new(key: Self::Key, id: u32) -> Self;
    /// Its key.
    fn key(self) -> Self::Key;
    /// Its id.
    fn id(self) -> u32;
    /// Whether it is before another one.
    fn is_before(self, other: Self) -> bool;
}

/// An entry with a key of 128 bits, as one number.
#[derive(Clone, Copy, Debug)]
pub struct Wide {
    key: u128,
    id: u32,
}

impl Entry for Wide {
    type Key = Key;
    #[inline]
    fn new((first, second): Key, id: u32) -> Wide {
        Wide { key: u128::from(first) << 64 | u128::from(second), id }
    }
    #[inline]
    fn key(self) -> Key {
        ((self.key >> 64) as u64, self.key as u64)
    }
    #[inline]
    fn id(self) -> u32 {
        self.id
    }
    #[inline]
    fn is_before(self, other: Wide) -> bool {
        self.key < other.key || (self.key == other.key && self.id < other.id)
    }
}

/// An entry with a key below 2^96: key and id are one number.
#[derive(Clone, Copy, Debug)]
pub struct Packed(u128);

impl Packed {
    /// The largest key.
    pub const MOST: u128 = u128::MAX >> u32::BITS;
}

impl Entry for Packed {
    type Key = u128;
    #[inline]
    fn new(key: u128, id: u32) -> Packed {
        debug_assert!(key <= Packed::MOST);
        Packed(key << u32::BITS | u128::from(id))
    }
    #[inline]
    fn key(self) -> u128 {
        self.0 >> u32::BITS
    }
    #[inline]
    fn id(self) -> u32 {
        self.0 as u32
    }
    #[inline]
    fn is_before(self, other: Packed) -> bool {
        self.0 < other.0
    }
}

/// A heap over the ids below a number that may grow.
#[derive(Clone, Debug)]
pub struct IndexedHeap<E = Wide> {
    /// Keys and ids in heap order.
    entries: Vec<E>,
    /// Place of each id in `entries`, or `ABSENT`.
    places: Vec<u32>,
}

impl<E: Entry> IndexedHeap<E> {
    /// An empty heap for ids below `ids`.
    pub fn new(ids: usize) -> IndexedHeap<E> {
        IndexedHeap { entries: Vec::with_capacity(ids.min(1024)), places: vec![ABSENT; ids] }
    }

    /// Makes room for ids below `ids`.
    pub fn grow(&mut self, ids: usize) {
        self.places.resize(ids.max(self.places.len()), ABSENT);
    }

    /// How many entries there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether `id` has an entry.
    #[inline]
    pub fn contains(&self, id: u32) -> bool {
        self.places[id as usize] != ABSENT
    }

    /// The key of `id`, if it has an entry.
    pub fn key(&self, id: u32) -> Option<E::Key> {
        self.entries.get(self.places[id as usize] as usize).map(|e| e.key())
    }

    /// The smallest key and its id.
    #[inline]
    pub fn first(&self) -> Option<(E::Key, u32)> {
        self.entries.first().map(|e| (e.key(), e.id()))
    }

    /// Enters `id`, or changes its key.
    #[inline]
    pub fn set(&mut self, id: u32, key: E::Key) {
        self.set_counted(id, key);
    }

    /// As `set`; gives the swaps it took.
    #[inline]
    pub fn set_counted(&mut self, id: u32, key: E::Key) -> u32 {
        let place = self.places[id as usize];
        if place == ABSENT {
            self.entries.push(E::new(key, id));
            self.swim(self.entries.len() - 1)
        } else {
            let entry = E::new(key, id);
            let old = std::mem::replace(&mut self.entries[place as usize], entry);
            if entry.is_before(old) { self.swim(place as usize) } else { self.sink(place as usize) }
        }
    }

    /// Gives the first entry a key that is no smaller; gives the swaps it took.
    #[inline]
    pub fn put_back(&mut self, key: E::Key) -> u32 {
        self.entries[0] = E::new(key, self.entries[0].id());
        self.sink(0)
    }

    /// Removes `id` if it has an entry.
    #[inline]
    pub fn remove(&mut self, id: u32) {
        self.remove_counted(id);
    }

    /// As `remove`; gives the swaps it took, the one with the last entry included.
    #[inline]
    pub fn remove_counted(&mut self, id: u32) -> u32 {
        let place = std::mem::replace(&mut self.places[id as usize], ABSENT);
        if place == ABSENT {
            return 0;
        }
        let place = place as usize;
        let last = self.entries.pop().expect("there is at least the entry of this id");
        if place == self.entries.len() {
            return 0;
        }
        let old = std::mem::replace(&mut self.entries[place], last);
        1 + if last.is_before(old) { self.swim(place) } else { self.sink(place) }
    }

    fn swim(&mut self, mut place: usize) -> u32 {
        let (entry, mut swaps) = (self.entries[place], 0);
        while place > 0 {
            let parent = (place - 1) / 2;
            if !entry.is_before(self.entries[parent]) {
                break;
            }
            self.put(place, self.entries[parent]);
            place = parent;
            swaps += 1;
        }
        self.put(place, entry);
        swaps
    }

    fn sink(&mut self, mut place: usize) -> u32 {
        let (entry, mut swaps) = (self.entries[place], 0);
        loop {
            let mut child = 2 * place + 1;
            if child >= self.entries.len() {
                break;
            }
            if child + 1 < self.entries.len() {
                child += usize::from(self.entries[child + 1].is_before(self.entries[child]));
            }
            if !self.entries[child].is_before(entry) {
                break;
            }
            self.put(place, self.entries[child]);
            place = child;
            swaps += 1;
        }
        self.put(place, entry);
        swaps
    }

    #[inline]
    fn put(&mut self, place: usize, entry: E) {
        self.entries[place] = entry;
        self.places[entry.id() as usize] = place as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    #[test]
    fn swaps_are_counted() {
        // Rising keys stay where they are put; a key below all climbs from the eighth place to the root.
        let mut heap: IndexedHeap = IndexedHeap::new(9);
        assert_eq!((0..7).map(|id| heap.set_counted(id, (u64::from(id) + 1, 0))).sum::<u32>(), 0);
        assert_eq!(heap.set_counted(7, (0, 0)), 3);
        // The root's successor comes from the last place (one swap) and sinks two levels of three.
        assert_eq!(heap.remove_counted(7), 3);
        assert_eq!((heap.remove_counted(8), heap.first()), (0, Some(((1, 0), 0))));
    }

    /// The first entry after each call.
    fn firsts<E: Entry>(calls: &[(bool, u32, u64)], key: impl Fn(u64) -> E::Key) -> Vec<Option<(E::Key, u32)>> {
        let mut heap = IndexedHeap::<E>::new(12);
        let mut step = |&(set, id, number): &(bool, u32, u64)| {
            if set {
                heap.set(id, key(number))
            } else {
                heap.remove(id)
            }
            heap.first()
        };
        calls.iter().map(&mut step).collect()
    }

    proptest! {
        #[test]
        fn behaves_like_a_map(calls in prop::collection::vec((any::<bool>(), 0..12u32, 0..30u64), 0..400)) {
            let (mut heap, mut model) = (IndexedHeap::<Wide>::new(12), BTreeMap::new());
            for (set, id, key) in calls {
                if set {
                    heap.set(id, (key, 0));
                    model.insert(id, key);
                } else {
                    heap.remove(id);
                    model.remove(&id);
                }
                let first = model.iter().map(|(id, key)| ((*key, 0), *id)).min();
                prop_assert_eq!(heap.first(), first);
                prop_assert_eq!(heap.len(), model.len());
                prop_assert!((0..12).all(|id| heap.contains(id) == model.contains_key(&id)));
            }
        }

        #[test]
        fn packed_entries_are_in_the_same_order(calls in prop::collection::vec((any::<bool>(), 0..12u32, 0..30u64), 0..400)) {
            let number = |(first, second): Key| u128::from(first) << 64 | u128::from(second);
            let wide = firsts::<Wide>(&calls, |key| (key, 7)).into_iter().map(|first| first.map(|(key, id)| (number(key), id)));
            prop_assert!(firsts::<Packed>(&calls, |key| number((key, 7))).into_iter().eq(wide));
        }
    }
}
