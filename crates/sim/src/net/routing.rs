//! Shortest paths: those with the fewest hops. Of several, one whose first difference is an earlier link of the file, or one that a hash
//! chooses at each node among the links that lead on.
//!
//! Nodes know how far they are from one destination at a time, so memory grows with nodes and links. A node that has one neighbour, as
//! most hosts do, is reached over that neighbour and needs no distances.

use crate::spec::Scenario;
use headgate_packet::Rng;
use headgate_queue::parts::scramble;
use std::collections::BTreeMap;

/// Stands for no node, and for a node that was not reached.
const NONE: u32 = u32::MAX;

/// Shortest paths between the nodes of a scenario. A directed link is number `2 * link` from `from` to `to`, plus 1 the other way.
pub struct Routes<'s> {
    index: BTreeMap<&'s str, u32>,
    /// Of each node the place of its first directed link in `out`, and the end of all.
    first: Vec<u32>,
    /// Directed links with their far ends, in the order of the file at each node.
    out: Vec<(u32, u32)>,
    /// The node that each directed link leads to.
    ends: Vec<u32>,
    /// Of each node its neighbour, if it has one only.
    gate: Vec<u32>,
    /// Directed links that do not work; those beyond its end do.
    down: Vec<bool>,
    /// The destination of the distances, and the distances of the nodes, in hops.
    root: u32,
    distance: Vec<u32>,
}

/// Which of the links is taken, where several lead on.
#[derive(Clone, Copy, Debug)]
pub enum Choice<'a> {
    /// The first one of the file.
    First,
    /// The one on which the hash of the packets' number is greatest: a change of a link moves only those that take it.
    Hash(u64, &'a Hashes),
}

/// Random numbers of the directed links.
#[derive(Debug)]
pub struct Hashes(Vec<u64>);

impl Hashes {
    /// By a seed and the links' names, so another link changes nothing.
    pub fn new(s: &Scenario, seed: u64) -> Hashes {
        let number = |link: &str, way| Rng::new(seed, 0, &format!("routes/{link}/{way}")).next_u64();
        let both = s.links.iter().flat_map(|link| ["forward", "reverse"].map(|way| number(&link.name, way)));
        Hashes(both.collect())
    }

    /// The numbers of a flow's data and of its acknowledgements.
    pub fn of_flow(seed: u64, flow: &str) -> [u64; 2] {
        let mut rng = Rng::new(seed, 0, &format!("routes/flow/{flow}"));
        [rng.next_u64(), rng.next_u64()]
    }
}

impl Choice<'_> {
    fn of(self, links: impl Iterator<Item = (u32, u32)>) -> Option<(u32, u32)> {
        let mut links = links;
        match self {
            Choice::First => links.next(),
            // Of equal ones, which there will hardly be, the first one.
            Choice::Hash(packets, Hashes(of)) => links.min_by_key(|(link, _)| !scramble(packets ^ of[*link as usize])),
        }
    }
}

impl<'s> Routes<'s> {
    /// The graph of a scenario; links whose ends are unknown are left out.
    pub fn new(s: &'s Scenario) -> Routes<'s> {
        let index: BTreeMap<&str, u32> = s.nodes.iter().zip(0..).map(|(n, i)| (n.name.as_str(), i)).collect();
        let ends = |link: usize| {
            let link = &s.links[link];
            Some((*index.get(link.from.as_str())?, *index.get(link.to.as_str())?))
        };
        let directed = || {
            let known = (0..s.links.len()).filter_map(|i| Some((i as u32, ends(i)?)));
            known.flat_map(|(i, (a, b))| [(2 * i, a, b), (2 * i + 1, b, a)])
        };
        let mut first = vec![0; s.nodes.len() + 1];
        directed().for_each(|(_, from, _)| first[from as usize + 1] += 1);
        (1..first.len()).for_each(|i| first[i] += first[i - 1]);
        let (mut next, mut out) = (first.clone(), vec![(0, 0); first[s.nodes.len()] as usize]);
        let mut leads_to = vec![NONE; 2 * s.links.len()];
        for (link, from, to) in directed() {
            out[next[from as usize] as usize] = (link, to);
            next[from as usize] += 1;
            leads_to[link as usize] = to;
        }
        let distance = vec![NONE; s.nodes.len()];
        let (gate, down) = (Vec::new(), Vec::new());
        let mut routes = Routes { index, first, out, ends: leads_to, gate, down, root: NONE, distance };
        routes.gate = (0..s.nodes.len() as u32).map(|node| routes.only_neighbour(node)).collect();
        routes
    }

    fn only_neighbour(&self, node: u32) -> u32 {
        let ends = self.links_of(node);
        ends.first().filter(|(_, far)| ends.iter().all(|end| end.1 == *far)).map_or(NONE, |(_, far)| *far)
    }

    /// From now on these directed links are left out, and no others.
    pub fn close(&mut self, down: &[bool]) {
        (self.down, self.root) = (down.to_vec(), NONE);
    }

    /// The number of a node.
    pub fn node(&self, name: &str) -> Option<u32> {
        self.index.get(name).copied()
    }

    fn links_of(&self, node: u32) -> &[(u32, u32)] {
        &self.out[self.first[node as usize] as usize..self.first[node as usize + 1] as usize]
    }

    /// Whether a directed link works.
    pub fn works(&self, link: u32) -> bool {
        !self.down.get(link as usize).copied().unwrap_or(false)
    }

    /// The working links from a node to nodes for which `leads` is true.
    fn on(&self, node: u32, leads: impl Fn(u32) -> bool) -> impl Iterator<Item = (u32, u32)> {
        self.links_of(node).iter().copied().filter(move |(link, far)| self.works(*link) && leads(*far))
    }

    /// The node whose distances a path to `to` needs. Paths that are asked for in the order of it are found without further work.
    pub fn root(&self, to: u32) -> u32 {
        match self.gate[to as usize] {
            NONE => to,
            gate => gate,
        }
    }

    /// Appends the directed links from one node to another; nothing for a node to itself. Without a path the result is of no use.
    ///
    /// # Errors
    /// There is no path.
    pub fn extend(&mut self, path: &mut Vec<u32>, from: u32, to: u32, choice: Choice<'_>) -> Result<(), NoWay> {
        let mut node = from;
        let mut step = |link: Option<(u32, u32)>| {
            let (link, far) = link.ok_or(NoWay)?;
            path.push(link);
            Ok(far)
        };
        if from == to {
            return Ok(());
        }
        let root = self.root(to);
        self.measure(root);
        let reached = |node: u32| self.distance[node as usize] != NONE;
        if node != root && self.gate[node as usize] != NONE {
            node = step(choice.of(self.on(node, reached)))?;
        }
        while node != root {
            let nearer = self.distance[node as usize].wrapping_sub(1);
            node = step(choice.of(self.on(node, |far| self.distance[far as usize] == nearer && reached(node))))?;
        }
        if root != to {
            step(choice.of(self.on(root, |far| far == to)))?;
        }
        Ok(())
    }

    /// Appends the directed links of a path over several nodes, in their order and by the first link where several lead on.
    ///
    /// # Errors
    /// There is no path, or it visits a node twice.
    pub fn extend_over(&mut self, path: &mut Vec<u32>, stops: &[u32]) -> Result<(), NoWay> {
        let mut passed = vec![stops[0]];
        for leg in stops.windows(2) {
            let before = path.len();
            self.extend(path, leg[0], leg[1], Choice::First)?;
            passed.extend(path[before..].iter().map(|link| self.ends[*link as usize]));
        }
        passed.sort_unstable();
        if passed.windows(2).any(|pair| pair[0] == pair[1]) { Err(NoWay) } else { Ok(()) }
    }

    /// The directed links on any of the shortest paths from one node to another; nothing if there is no path.
    pub fn all(&mut self, from: u32, to: u32) -> Vec<u32> {
        let mut path = Vec::new();
        if self.extend(&mut path, from, to, Choice::First).is_err() {
            return Vec::new();
        }
        // The nodes at each number of hops, beginning with the source.
        let (root, mut nodes, mut links) = (self.root(to), vec![from], Vec::new());
        for hop in (0..path.len()).rev() {
            let (mut next, before) = (Vec::new(), links.len());
            // Hops from the root, beyond which there is at most the destination.
            let left = hop.wrapping_sub(usize::from(root != to)) as u32;
            let leads = |far: u32| if hop == 0 { far == to } else { self.distance[far as usize] == left };
            for node in nodes {
                links.extend(self.on(node, leads).map(|(link, far)| {
                    next.push(far);
                    link
                }));
            }
            debug_assert!(links.len() > before);
            next.sort_unstable();
            next.dedup();
            nodes = next;
        }
        links
    }

    /// Distances to `root`, breadth first and against the links' directions.
    fn measure(&mut self, root: u32) {
        if self.root == root {
            return;
        }
        self.root = root;
        self.distance.fill(NONE);
        self.distance[root as usize] = 0;
        let (mut reached, mut done) = (vec![root], 0);
        while let Some(&node) = reached.get(done) {
            done += 1;
            for i in self.first[node as usize]..self.first[node as usize + 1] {
                let (link, far) = self.out[i as usize];
                // The link back is the other direction.
                let new = self.distance[far as usize] == NONE && self.gate[far as usize] == NONE;
                if new && self.works(link ^ 1) {
                    self.distance[far as usize] = self.distance[node as usize] + 1;
                    reached.push(far);
                }
            }
        }
    }

    /// The node that a directed link leads to.
    pub fn end(&self, link: u32) -> u32 {
        self.ends[link as usize]
    }

    /// The directed links from one node to another, in order; `None` if there is no path, empty for a node to itself.
    pub fn path(&mut self, from: &str, to: &str) -> Option<Vec<u32>> {
        let mut path = Vec::new();
        self.extend(&mut path, self.node(from)?, self.node(to)?, Choice::First).ok()?;
        Some(path)
    }
}

/// A node cannot be reached over the links that work.
#[derive(Debug)]
pub struct NoWay;
