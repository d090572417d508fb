//! HEAP: the double heap, a heap by the smallest and a heap by the largest tag with cross pointers between them.
//!
//! Source: Keshav 1991, section 3.4 and appendix 3.A. Two arrays hold the same elements; `across` of an element is its place in the
//! other array (the thesis's i_min and i_max), and every exchange in one array corrects the pointers in both.
//! Deviations: the appendix marks what it deletes with an infinite tag and sifts; here it leaves before its successor is sifted. The
//! packets themselves lie aside, as in the thesis, whose arrays hold pointers.
//! Counted: exchanges of two elements, in both arrays.

use super::slab::Slab;
use super::{BoundedHeap, Key, Tagged};

#[derive(Clone, Copy, Debug)]
pub(super) struct Element {
    /// Smaller keys are nearer to the root: the tag, or its complement in the heap by the largest.
    pub key: Key,
    pub across: u32,
    pub item: u32,
}

/// Two heaps over the same packets.
#[derive(Clone, Debug, Default)]
pub struct Heap {
    pub(super) min: Vec<Element>,
    pub(super) max: Vec<Element>,
    items: Slab<Tagged>,
}

/// The thesis's min_exchg; with the arrays exchanged, its max_exchg.
#[inline]
fn exchange(own: &mut [Element], other: &mut [Element], a: usize, b: usize) {
    own.swap(a, b);
    other[own[a].across as usize].across = a as u32;
    other[own[b].across as usize].across = b as u32;
}

/// Sifts an element up or down to where it belongs; gives the exchanges.
fn adjust(own: &mut [Element], other: &mut [Element], mut at: usize) -> u32 {
    let mut swaps = 0;
    while at > 0 && own[at].key < own[(at - 1) / 2].key {
        exchange(own, other, at, (at - 1) / 2);
        (at, swaps) = ((at - 1) / 2, swaps + 1);
    }
    loop {
        let (left, right) = (2 * at + 1, 2 * at + 2);
        let mut smaller = at;
        if left < own.len() && own[left].key < own[smaller].key {
            smaller = left;
        }
        if right < own.len() && own[right].key < own[smaller].key {
            smaller = right;
        }
        if smaller == at {
            return swaps;
        }
        exchange(own, other, at, smaller);
        (at, swaps) = (smaller, swaps + 1);
    }
}

/// Takes the root of `own`: it is moved last in both arrays and leaves, then those that took its places are sifted.
fn pop(own: &mut Vec<Element>, other: &mut Vec<Element>) -> Option<(u32, u32)> {
    let (last, there) = (own.len().checked_sub(1)?, own[0].across as usize);
    exchange(own, other, 0, last);
    exchange(other, own, there, last);
    let gone = own.pop()?;
    other.pop();
    let mut swaps = u32::from(last != 0) + u32::from(last != there);
    if last > 0 {
        swaps += adjust(own, other, 0);
    }
    if there < last {
        swaps += adjust(other, own, there);
    }
    Some((gone.item, swaps))
}

impl BoundedHeap for Heap {
    #[inline]
    fn insert(&mut self, item: Tagged) -> u32 {
        let (last, (bid, arrival)) = (self.min.len(), item.key());
        let number = self.items.put(item);
        self.min.push(Element { key: (bid, arrival), across: last as u32, item: number });
        self.max.push(Element { key: (u64::MAX - bid, u64::MAX - arrival), across: last as u32, item: number });
        adjust(&mut self.min, &mut self.max, last) + adjust(&mut self.max, &mut self.min, last)
    }

    #[inline]
    fn pop_min(&mut self) -> Option<(Tagged, u32)> {
        let (number, swaps) = pop(&mut self.min, &mut self.max)?;
        Some((self.items.take(number), swaps))
    }

    #[inline]
    fn pop_victim(&mut self) -> Option<(Tagged, u32)> {
        let (number, swaps) = pop(&mut self.max, &mut self.min)?;
        Some((self.items.take(number), swaps))
    }
}
