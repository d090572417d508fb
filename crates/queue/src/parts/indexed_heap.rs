//! A binary heap of small numbers with a key each, smallest key first, of equal keys the smaller number; any entry's key can be
//! changed or removed.

/// Keys compare as (first, second); the caller makes them unique where order matters.
pub type Key = (u64, u64);

const ABSENT: u32 = u32::MAX;

/// A heap over the ids below a number that may grow.
#[derive(Clone, Debug)]
pub struct IndexedHeap {
    /// Keys and ids in heap order.
    entries: Vec<(Key, u32)>,
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
        self.entries.first().copied()
    }

    /// Enters `id`, or changes its key.
    #[inline]
    pub fn set(&mut self, id: u32, key: Key) {
        let place = self.places[id as usize];
        if place == ABSENT {
            self.entries.push((key, id));
            self.swim(self.entries.len() - 1);
        } else {
            let old = std::mem::replace(&mut self.entries[place as usize].0, key);
            if key < old { self.swim(place as usize) } else { self.sink(place as usize) }
        }
    }

    /// Removes `id` if it has an entry.
    #[inline]
    pub fn remove(&mut self, id: u32) {
        let place = std::mem::replace(&mut self.places[id as usize], ABSENT);
        if place == ABSENT {
            return;
        }
        let place = place as usize;
        let last = self.entries.pop().expect("there is at least the entry of this id");
        if place < self.entries.len() {
            let old = std::mem::replace(&mut self.entries[place], last);
            if last < old { self.swim(place) } else { self.sink(place) }
        }
    }

    fn swim(&mut self, mut place: usize) {
        let entry = self.entries[place];
        while place > 0 {
            let parent = (place - 1) / 2;
            if self.entries[parent] <= entry {
                break;
            }
            self.put(place, self.entries[parent]);
            place = parent;
        }
        self.put(place, entry);
    }

    fn sink(&mut self, mut place: usize) {
        let entry = self.entries[place];
        loop {
            let mut child = 2 * place + 1;
            if child >= self.entries.len() {
                break;
            }
            if child + 1 < self.entries.len() && self.entries[child + 1] < self.entries[child] {
                child += 1;
            }
            if entry <= self.entries[child] {
                break;
            }
            self.put(place, self.entries[child]);
            place = child;
        }
        self.put(place, entry);
    }

    #[inline]
    fn put(&mut self, place: usize, entry: (Key, u32)) {
        self.entries[place] = entry;
        self.places[entry.1 as usize] = place as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

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
