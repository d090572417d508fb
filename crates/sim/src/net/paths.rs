//! The paths of the packets, as rows of a table of hops.

use super::Routes;
use crate::spec::Scenario;
use std::collections::BTreeMap;

/// Ends a path in the table of hops.
pub const END: u32 = u32::MAX;

/// Paths between nodes, and the table of hops that holds them. Those found once stay in it.
pub struct Paths<'s> {
    routes: Routes<'s>,
    /// Starts of the paths over the links that work.
    known: BTreeMap<(&'s str, &'s str), Option<u32>>,
    /// Starts of all paths.
    stored: BTreeMap<Vec<u32>, u32>,
    /// The table.
    pub hops: Vec<u32>,
}

impl<'s> Paths<'s> {
    /// No path yet, with all links up.
    pub fn new(s: &'s Scenario) -> Paths<'s> {
        Paths { routes: Routes::new(s), known: BTreeMap::new(), stored: BTreeMap::new(), hops: Vec::new() }
    }

    /// From now on the directed links that are down are left out.
    pub fn close(&mut self, s: &'s Scenario, down: &[bool]) {
        (self.routes, self.known) = (Routes::without(s, down), BTreeMap::new());
    }

    /// Where the paths there and back start; `None` if there is no way.
    pub fn both(&mut self, from: &'s str, to: &'s str) -> Option<(u32, u32)> {
        Some((self.one(from, to)?, self.one(to, from)?))
    }

    fn one(&mut self, from: &'s str, to: &'s str) -> Option<u32> {
        let Paths { routes, known, stored, hops } = self;
        *known.entry((from, to)).or_insert_with(|| {
            let mut path: Vec<u32> = routes.path(from, to)?.iter().map(|l| *l as u32).collect();
            path.push(END);
            let start = hops.len() as u32;
            Some(*stored.entry(path).or_insert_with_key(|path| {
                hops.extend(path);
                start
            }))
        })
    }
}
