//! TREE: a binary search tree that is never balanced.
//!
//! Source: Keshav 1991, section 3.4. Rising tags skew it to one side.
//! Counted: links from the root to the new packet. The thesis counts taking an end as constant; here the tree knows both ends, and the
//! links from an end taken to the next one are counted.

use super::slab::Slab;
use super::{BoundedHeap, Tagged};

const NONE: u32 = u32::MAX;

/// The smaller and the larger side.
const MIN: usize = 0;
const MAX: usize = 1;

#[derive(Clone, Copy, Debug)]
struct Node {
    item: Tagged,
    parent: u32,
    children: [u32; 2],
}

/// A search tree.
#[derive(Clone, Debug)]
pub struct Tree {
    nodes: Slab<Node>,
    root: u32,
    /// The packets with the smallest and the largest tag.
    ends: [u32; 2],
}

impl Default for Tree {
    fn default() -> Tree {
        Tree { nodes: Slab::default(), root: NONE, ends: [NONE; 2] }
    }
}

impl Tree {
    /// Takes the packet at one end: it has no child on that side, so its other child takes its place.
    #[inline]
    fn pop(&mut self, side: usize) -> Option<(Tagged, u32)> {
        let end = self.ends[side];
        let node = (end != NONE).then(|| self.nodes.take(end))?;
        let child = node.children[1 - side];
        if node.parent == NONE {
            self.root = child
        } else {
            self.nodes.get_mut(node.parent).children[side] = child
        }
        if child == NONE {
            self.ends[side] = node.parent;
            if node.parent == NONE {
                self.ends = [NONE; 2];
            }
            return Some((node.item, u32::from(node.parent != NONE)));
        }
        self.nodes.get_mut(child).parent = node.parent;
        let (mut next, mut links) = (child, 1);
        while self.nodes.get(next).children[side] != NONE {
            next = self.nodes.get(next).children[side];
            links += 1;
        }
        self.ends[side] = next;
        Some((node.item, links))
    }
}

impl BoundedHeap for Tree {
    #[inline]
    fn insert(&mut self, item: Tagged) -> u32 {
        let (mut parent, mut side, mut next, mut links) = (NONE, MIN, self.root, 0);
        while next != NONE {
            let node = self.nodes.get(next);
            side = if item.key() < node.item.key() { MIN } else { MAX };
            (parent, next) = (next, node.children[side]);
            links += 1;
        }
        let new = self.nodes.put(Node { item, parent, children: [NONE; 2] });
        if parent == NONE {
            (self.root, self.ends) = (new, [new; 2]);
        } else {
            self.nodes.get_mut(parent).children[side] = new;
            if self.ends[side] == parent {
                self.ends[side] = new;
            }
        }
        links
    }

    #[inline]
    fn pop_min(&mut self) -> Option<(Tagged, u32)> {
        self.pop(MIN)
    }

    #[inline]
    fn pop_victim(&mut self) -> Option<(Tagged, u32)> {
        self.pop(MAX)
    }
}
