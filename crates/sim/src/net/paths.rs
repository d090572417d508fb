//! The paths of the packets, as rows of links.

use super::routing::{Choice, Hashes, NoWay, Routes};
use crate::memory;
use crate::pace::Pace;
use crate::spec::{Flow, Routing, Scenario, SpecError};
use std::collections::BTreeMap;

/// Ends a path in the table of links.
const END: u32 = u32::MAX;

/// The paths of a scenario's flows, and the table of directed links that holds them. Those found once stay in it.
pub(crate) struct Paths<'s> {
    s: &'s Scenario,
    routes: Routes<'s>,
    seed: u64,
    /// Bytes of memory that the run may take.
    most: u64,
    /// Nothing where there is no choice.
    hashes: Option<Hashes>,
    /// Starts of all paths.
    stored: BTreeMap<Vec<u32>, u32>,
    /// The table.
    links: Vec<u32>,
}

/// Starts in the table of a flow's paths there and back.
pub(crate) type Way = [u32; 2];

impl<'s> Paths<'s> {
    /// No path yet, with all links up. `seed` is that of the run: replications take the same paths. `most` is what it may take in memory.
    pub fn new(s: &'s Scenario, seed: u64, most: u64) -> Paths<'s> {
        let hashes = (s.routing == Routing::Ecmp).then(|| Hashes::new(s, seed));
        Paths { s, routes: Routes::new(s), seed, most, hashes, stored: BTreeMap::new(), links: Vec::new() }
    }

    /// From now on the directed links that are down are left out.
    pub fn close(&mut self, down: &[bool]) {
        self.routes.close(down);
    }

    /// The paths of all flows over the links that work; nothing for a flow without one.
    ///
    /// # Errors
    /// The work was stopped, or the paths take too much memory.
    pub fn ways(&mut self, pace: &mut Pace<'_>) -> Result<Vec<Option<Way>>, SpecError> {
        let flows = &self.s.flows;
        let alike = |i: usize| i > 0 && self.hashes.is_none() && flows[i].same_way(&flows[i - 1]);
        // In the order of the nodes whose distances they need.
        let mut order = Vec::new();
        for (i, flow) in flows.iter().enumerate().filter(|(i, _)| !alike(*i)) {
            pace.step()?;
            for (back, end) in [(false, &flow.to), (true, &flow.from)] {
                order.push((self.routes.root(self.node(end)), i as u32, back));
            }
        }
        order.sort_unstable();
        let mut found = vec![[None; 2]; flows.len()];
        let mut root = None;
        for (of, i, back) in order {
            pace.step()?;
            if root.replace(of) != Some(of) {
                pace.long_step()?;
            }
            found[i as usize][usize::from(back)] = self.one(i as usize, back).ok();
            memory::check_hops(self.links.len(), self.most)?;
        }
        let mut ways: Vec<Option<Way>> = Vec::with_capacity(flows.len());
        for (i, found) in found.into_iter().enumerate() {
            let same = i > 0 && self.hashes.is_none() && flows[i].same_way(&flows[i - 1]);
            ways.push(if same { ways[i - 1] } else { found[0].zip(found[1]).map(|(there, back)| [there, back]) });
        }
        Ok(ways)
    }

    fn node(&self, name: &str) -> u32 {
        self.routes.node(name).expect("checked")
    }

    /// One path of a flow.
    fn one(&mut self, flow: usize, back: bool) -> Result<u32, NoWay> {
        let flow = &self.s.flows[flow];
        let mut path = Vec::new();
        if flow.via.is_empty() {
            let (from, to) = if back { (&flow.to, &flow.from) } else { (&flow.from, &flow.to) };
            let (from, to) = (self.node(from), self.node(to));
            let choice = self.hashes.as_ref().map_or(Choice::First, |hashes| {
                Choice::Hash(Hashes::of_flow(self.seed, &flow.name())[usize::from(back)], hashes)
            });
            self.routes.extend(&mut path, from, to, choice)?;
        } else {
            self.by_hand(&mut path, flow, back)?;
        }
        path.push(END);
        let start = self.links.len() as u32;
        Ok(*self.stored.entry(path).or_insert_with_key(|path| {
            self.links.extend(path);
            start
        }))
    }

    /// The path of a flow that says which nodes it passes. Acknowledgements take the links of the data, the other way; if one of them is
    /// down, a path over the same nodes.
    fn by_hand(&mut self, path: &mut Vec<u32>, flow: &Flow, back: bool) -> Result<(), NoWay> {
        let mut stops: Vec<u32> = flow.stops().map(|name| self.node(name)).collect();
        let there = self.routes.extend_over(path, &stops);
        if back {
            path.reverse();
            path.iter_mut().for_each(|link| *link ^= 1);
            if there.is_err() || !path.iter().all(|link| self.routes.works(*link)) {
                path.clear();
                stops.reverse();
                return self.routes.extend_over(path, &stops);
            }
        }
        there
    }

    /// The paths of a flow, each with its stream: that of its data and, if there are any, of its acknowledgements.
    pub fn streams(&self, flow: usize, way: Way) -> impl Iterator<Item = (u32, u32)> + use<> {
        let flows = self.s.flows.len();
        let both = [(way[0], flow as u32), (way[1], (flows + flow) as u32)];
        both.into_iter().take(if self.s.flows[flow].acknowledges() { 2 } else { 1 })
    }

    /// The directed links of a path, in order.
    pub fn links(&self, path: u32) -> impl Iterator<Item = u32> + '_ {
        self.links[path as usize..].iter().copied().take_while(|link| *link != END)
    }
}
