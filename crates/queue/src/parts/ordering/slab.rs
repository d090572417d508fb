//! Numbered places for items; a freed place is used again, so nothing is allocated once the largest size is reached.

/// Items by number.
#[derive(Clone, Debug)]
pub(super) struct Slab<T> {
    items: Vec<T>,
    free: Vec<u32>,
}

impl<T> Default for Slab<T> {
    fn default() -> Slab<T> {
        Slab { items: Vec::new(), free: Vec::new() }
    }
}

impl<T: Copy> Slab<T> {
    /// Keeps an item; gives its number.
    #[inline]
    pub fn put(&mut self, item: T) -> u32 {
        if let Some(number) = self.free.pop() {
            self.items[number as usize] = item;
            return number;
        }
        self.items.push(item);
        self.items.len() as u32 - 1
    }

    /// Gives the item back and frees its number.
    #[inline]
    pub fn take(&mut self, number: u32) -> T {
        self.free.push(number);
        self.items[number as usize]
    }

    #[inline]
    pub fn get(&self, number: u32) -> &T {
        &self.items[number as usize]
    }

    #[inline]
    pub fn get_mut(&mut self, number: u32) -> &mut T {
        &mut self.items[number as usize]
    }
}
