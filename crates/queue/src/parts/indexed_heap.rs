//! A binary heap of small numbers with a key each, smallest key first, of equal keys the smaller number; any entry's key can be
//! changed or removed. The counted calls tell how many swaps of two
//! entries they took.

/// Keys compare as (first, second); the caller makes them unique where order matters.
pub type Key = (u64, u64);

const ABSENT: u32 = u32::MAX;

/// A key, as one number, with its id.
#[derive(Clone, Copy, Debug)]
struct Entry {
    key: u128,
    id: u32,
}

impl Entry {
    #[inline]
    fn new((first, second): Key, id: u32) -> Entry {
        Entry { key: u128::from(first) << 64 | u128::from(second), id }
    }

    #[inline]
    fn is_before(&self, other: &Entry) -> bool {
        self.key < other.key || (self.key == other.key && self.id < other.id)
    }
}

/// A heap over the ids below a number that may grow.
#[derive(Clone, Debug)]
pub struct IndexedHeap {
    /// Keys and ids in heap order.
    entries: Vec<Entry>,
    /// Place of each id in `entries`, or `ABSENT`.
    places: Vec<u32>,
}

impl IndexedHeap {
    /// An empty heap for ids below `ids`.
    pub fn new(ids: usize) -> IndexedHeap {
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

    /// The smallest key and its id.
    #[inline]
    pub fn first(&self) -> Option<(Key, u32)> {
        self.entries.first().map(|e| (((e.key >> 64) as u64, e.key as u64), e.id))
    }

    /// Enters `id`, or changes its key.
    #[inline]
    pub fn set(&mut self, id: u32, key: Key) {
        self.set_counted(id, key);
    }

    /// As `set`; gives the swaps it took.
    #[inline]
    pub fn set_counted(&mut self, id: u32, key: Key) -> u32 {
        let place = self.places[id as usize];
        if place == ABSENT {
            self.entries.push(Entry::new(key, id));
            self.swim(self.entries.len() - 1)
        } else {
            let entry = Entry::new(key, id);
            let old = std::mem::replace(&mut self.entries[place as usize], entry);
            if entry.key < old.key { self.swim(place as usize) } else { self.sink(place as usize) }
        }
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
        1 + if last.is_before(&old) { self.swim(place) } else { self.sink(place) }
    }

    fn swim(&mut self, mut place: usize) -> u32 {
        let (entry, mut swaps) = (self.entries[place], 0);
        while place > 0 {
            let parent = (place - 1) / 2;
            if !entry.is_before(&self.entries[parent]) {
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
                child += usize::from(self.entries[child + 1].is_before(&self.entries[child]));
            }
            if !self.entries[child].is_before(&entry) {
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
    fn put(&mut self, place: usize, entry: Entry) {
        self.entries[place] = entry;
        self.places[entry.id as usize] = place as u32;
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
        let mut heap = IndexedHeap::new(9);
        assert_eq!((0..7).map(|id| heap.set_counted(id, (u64::from(id) + 1, 0))).sum::<u32>(), 0);
        assert_eq!(heap.set_counted(7, (0, 0)), 3);
        // The root's successor comes from the last place (one swap) and sinks two levels of three.
        assert_eq!(heap.remove_counted(7), 3);
        assert_eq!((heap.remove_counted(8), heap.first()), (0, Some(((1, 0), 0))));
    }

    proptest! {
        #[test]
        fn behaves_like_a_map(calls in prop::collection::vec((any::<bool>(), 0..12u32, 0..30u64), 0..400)) {
            let (mut heap, mut model) = (IndexedHeap::new(12), BTreeMap::new());
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
    }
}
