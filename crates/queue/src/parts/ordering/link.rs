//! LINK: one list in the order of the tags.
//!
//! Source: Keshav 1991, section 3.4. Insertion scans from the largest tag down, because tags mostly rise with time.
//! Counted: packets passed on the way, so none when the new tag is the largest. Taking either end costs nothing.

use super::slab::Slab;
use super::{BoundedHeap, Tagged};

const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Node {
    item: Tagged,
    below: u32,
    above: u32,
}

/// A list in both directions.
#[derive(Clone, Debug)]
pub struct Link {
    nodes: Slab<Node>,
    least: u32,
    largest: u32,
}

impl Default for Link {
    fn default() -> Link {
        Link { nodes: Slab::default(), least: NONE, largest: NONE }
    }
}

impl Link {
    /// Makes two neighbours of `a` below and `b` above, either of which may be the end.
    #[inline]
    fn join(&mut self, a: u32, b: u32) {
        if a == NONE {
            self.least = b
        } else {
            self.nodes.get_mut(a).above = b
        }
        if b == NONE { self.largest = a } else { self.nodes.get_mut(b).below = a }
    }
}

impl BoundedHeap for Link {
    #[inline]
    fn insert(&mut self, item: Tagged) -> u32 {
        let (mut below, mut above, mut links) = (self.largest, NONE, 0);
        while below != NONE && item.key() < self.nodes.get(below).item.key() {
            (above, below) = (below, self.nodes.get(below).below);
            links += 1;
        }
        let new = self.nodes.put(Node { item, below, above });
        self.join(below, new);
        self.join(new, above);
        links
    }

    #[inline]
    fn pop_min(&mut self) -> Option<(Tagged, u32)> {
        let node = (self.least != NONE).then(|| self.nodes.take(self.least))?;
        self.join(NONE, node.above);
        Some((node.item, 0))
    }

    #[inline]
    fn pop_victim(&mut self) -> Option<(Tagged, u32)> {
        let node = (self.largest != NONE).then(|| self.nodes.take(self.largest))?;
        self.join(node.below, NONE);
        Some((node.item, 0))
    }
}
