//! A growable first-in first-out ring with a power-of-two capacity: no allocation once it has reached its largest size.

/// First in, first out.
#[derive(Clone, Debug)]
pub struct Ring<T> {
    slots: Vec<T>,
    head: usize,
    len: usize,
}

impl<T: Copy + Default> Default for Ring<T> {
    fn default() -> Ring<T> {
        Ring { slots: Vec::new(), head: 0, len: 0 }
    }
}

impl<T: Copy + Default> Ring<T> {
    /// Number of items held.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }
    /// Number of items for which there is room.
    pub fn capacity(&self) -> usize {
        self.slots.len()
    }
    /// Whether nothing is held.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
    #[inline]
    fn slot(&self, i: usize) -> usize {
        (self.head + i) & (self.slots.len() - 1)
    }
    /// Appends at the tail.
    #[inline]
    pub fn push_back(&mut self, item: T) {
        if self.len == self.slots.len() {
            self.grow();
        }
        let i = self.slot(self.len);
        self.slots[i] = item;
        self.len += 1;
    }
    /// Takes from the head.
    #[inline]
    pub fn pop_front(&mut self) -> Option<T> {
        if self.len == 0 {
            return None;
        }
        let item = self.slots[self.head];
        self.head = self.slot(1);
        self.len -= 1;
        Some(item)
    }
    /// Takes from the tail.
    #[inline]
    pub fn pop_back(&mut self) -> Option<T> {
        if self.len == 0 {
            return None;
        }
        self.len -= 1;
        Some(self.slots[self.slot(self.len)])
    }
    /// The `i`-th from the head.
    #[inline]
    pub fn get(&self, i: usize) -> Option<&T> {
        if i < self.len { Some(&self.slots[self.slot(i)]) } else { None }
    }
    /// The head.
    #[inline]
    pub fn front(&self) -> Option<&T> {
        self.get(0)
    }
    /// The tail.
    #[inline]
    pub fn back(&self) -> Option<&T> {
        if self.len == 0 { None } else { self.get(self.len - 1) }
    }
    /// Takes the `i`-th from the head, closing the gap from the tail's side: linear in the distance to the tail.
    pub fn remove(&mut self, i: usize) -> Option<T> {
        let item = *self.get(i)?;
        for j in i..self.len - 1 {
            let (to, from) = (self.slot(j), self.slot(j + 1));
            self.slots[to] = self.slots[from];
        }
        self.len -= 1;
        Some(item)
    }
    #[cold]
    fn grow(&mut self) {
        let mut slots = Vec::with_capacity((self.slots.len() * 2).max(4));
        slots.extend((0..self.len).map(|i| self.slots[self.slot(i)]));
        slots.resize(slots.capacity(), T::default());
        // `with_capacity` may give more than asked for; the mask needs a power of two.
        slots.truncate((self.slots.len() * 2).max(4));
        self.slots = slots;
        self.head = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    proptest! {
        #[test]
        fn behaves_like_a_deque(calls in prop::collection::vec((0..4u8, 0..8usize), 0..400)) {
            let (mut ring, mut model) = (Ring::default(), VecDeque::new());
            for (n, (call, i)) in calls.into_iter().enumerate() {
                match call {
                    0 | 3 => { ring.push_back(n); model.push_back(n); }
                    1 => prop_assert_eq!(ring.pop_front(), model.pop_front()),
                    _ if i == 7 => prop_assert_eq!(ring.pop_back(), model.pop_back()),
                    _ => prop_assert_eq!(ring.remove(i), model.remove(i)),
                }
                prop_assert_eq!(ring.len(), model.len());
                prop_assert_eq!(ring.front(), model.front());
                prop_assert_eq!(ring.back(), model.back());
            }
        }
    }
}
