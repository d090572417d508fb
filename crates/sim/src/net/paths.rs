//! The paths of the packets, as rows of links.

use super::Routes;
use crate::spec::Scenario;
use std::collections::BTreeMap;

/// Ends a path in the table of links.
const END: u32 = u32::MAX;

/// Paths between nodes, and the table of directed links that holds them. Those found once stay in it.
pub(crate) struct Paths<'s> {
    routes: Routes<'s>,
    /// Starts of the paths over the links that work.
    known: BTreeMap<(&'s str, &'s str), Option<u32>>,
    /// Starts of all paths.
    stored: BTreeMap<Vec<u32>, u32>,
    /// The table.
    links: Vec<u32>,
}

/// Starts in the table of a flow's paths there and back.
pub(crate) type Way = [u32; 2];

impl<'s> Paths<'s> {
    /// No path yet, with all links up.
    pub fn new(s: &'s Scenario) -> Paths<'s> {
        Paths { routes: Routes::new(s), known: BTreeMap::new(), stored: BTreeMap::new(), links: Vec::new() }
    }

    /// From now on the directed links that are down are left out.
    pub fn close(&mut self, s: &'s Scenario, down: &[bool]) {
        (self.routes, self.known) = (Routes::without(s, down), BTreeMap::new());
    }

    /// The paths there and back; `None` if there is no way.
    pub fn both(&mut self, from: &'s str, to: &'s str) -> Option<Way> {
        Some([self.one(from, to)?, self.one(to, from)?])
    }

    fn one(&mut self, from: &'s str, to: &'s str) -> Option<u32> {
        let Paths { routes, known, stored, links } = self;
        *known.entry((from, to)).or_insert_with(|| {
            let mut path: Vec<u32> = routes.path(from, to)?.iter().map(|l| *l as u32).collect();
            path.push(END);
            let start = links.len() as u32;
            Some(*stored.entry(path).or_insert_with_key(|path| {
                links.extend(path);
                start
            }))
        })
    }

    /// The directed links of a path, in order.
    pub fn links(&self, path: u32) -> impl Iterator<Item = u32> + '_ {
        self.links[path as usize..].iter().copied().take_while(|link| *link != END)
    }
}
