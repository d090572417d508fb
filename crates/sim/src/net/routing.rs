//! Shortest paths: fewest hops; of paths with equally many the one whose first difference is an earlier link of the file.

use crate::spec::Scenario;
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};

/// Shortest paths between the nodes of a scenario. A directed link is number `2 * link` from `from` to `to`, plus 1 the other way.
pub struct Routes<'a> {
    index: BTreeMap<&'a str, usize>,
    /// Of each node, its directed links with their far ends, in the order of the file.
    out: Vec<Vec<(usize, usize)>>,
    /// Trees found so far, by their root.
    found: RefCell<BTreeMap<usize, Tree>>,
}

/// Shortest paths from one node: of each node reached, the directed link that led there and where it came from.
type Tree = Vec<Option<(usize, usize)>>;

impl<'a> Routes<'a> {
    /// The graph of a scenario; links whose ends are unknown are left out.
    pub fn new(s: &'a Scenario) -> Routes<'a> {
        Routes::without(s, &[])
    }

    /// The graph without the directed links that are down.
    pub fn without(s: &'a Scenario, down: &[bool]) -> Routes<'a> {
        let works = |lane: usize| !down.get(lane).copied().unwrap_or(false);
        let index: BTreeMap<&str, usize> = s.nodes.iter().enumerate().map(|(i, n)| (n.name.as_str(), i)).collect();
        let mut out = vec![Vec::new(); s.nodes.len()];
        for (i, link) in s.links.iter().enumerate() {
            if let (Some(&a), Some(&b)) = (index.get(link.from.as_str()), index.get(link.to.as_str())) {
                if works(2 * i) {
                    out[a].push((2 * i, b));
                }
                if works(2 * i + 1) {
                    out[b].push((2 * i + 1, a));
                }
            }
        }
        Routes { index, out, found: RefCell::default() }
    }

    /// The directed links from one node to another, in order; `None` if there is no way, empty for a node to itself.
    pub fn path(&self, from: &str, to: &str) -> Option<Vec<usize>> {
        let (from, to) = (*self.index.get(from)?, *self.index.get(to)?);
        let mut found = self.found.borrow_mut();
        let came = found.entry(from).or_insert_with(|| self.search(from));
        let (mut path, mut node) = (Vec::new(), to);
        while node != from {
            let (link, before) = came[node]?;
            path.push(link);
            node = before;
        }
        path.reverse();
        Some(path)
    }

    /// Breadth first from a node.
    fn search(&self, from: usize) -> Tree {
        let mut came = vec![None; self.out.len()];
        let mut seen = vec![false; self.out.len()];
        seen[from] = true;
        let mut next = VecDeque::from([from]);
        while let Some(node) = next.pop_front() {
            for &(link, far) in &self.out[node] {
                if !std::mem::replace(&mut seen[far], true) {
                    came[far] = Some((link, node));
                    next.push_back(far);
                }
            }
        }
        came
    }
}
