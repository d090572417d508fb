//! A network as it is drawn: stations, groups of equal hosts, lines between stations, kinds of flows.

use super::labels;
use super::tree::Tree;
use headgate_sim::spec::{Flow, NodeKind, Scenario};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

/// Maximum number of different hosts at a gateway that are drawn one by one.
const APART: usize = 4;

/// More groups than this at a gateway are drawn as one.
const MOST: usize = 10;

/// With more stations than this, all hosts at a gateway are drawn as one.
const FEW: usize = 8;

/// A line and its ends.
#[derive(Clone, Debug)]
pub struct Line {
    pub from: String,
    pub to: String,
    pub tree: Rc<Tree>,
}

impl Line {
    /// The name, unless it is made of the ends.
    fn own_name(&self) -> Option<String> {
        let name = self.tree.get("name")?.text()?;
        (name != format!("{}->{}", self.from, self.to)).then(|| labels::shown(name))
    }
}

/// Hosts with one line each, to the same station.
#[derive(Clone, Debug)]
pub struct Group {
    pub hosts: Vec<String>,
    pub station: String,
    /// The lines, and whether each of them begins at the station.
    pub lines: Vec<(Line, bool)>,
    pub sends: bool,
}

impl Group {
    fn new(station: &str, sends: bool) -> Group {
        Group { hosts: Vec::new(), station: station.to_owned(), lines: Vec::new(), sends }
    }

    /// The hosts' names, and how many they are.
    pub fn name(&self) -> String {
        let many = if self.hosts.len() > 1 { format!(" ({} hosts)", self.hosts.len()) } else { String::new() };
        format!("{}{many}", labels::span(&self.hosts))
    }

    /// The properties of their lines; for a single line its name first, if the file gives one.
    pub fn words(&self) -> Vec<String> {
        let name = if let [(line, _)] = self.lines.as_slice() { line.own_name() } else { None };
        name.into_iter().chain(self.properties()).collect()
    }

    fn properties(&self) -> Vec<String> {
        labels::line(&self.lines.iter().map(|(line, at_from)| (&*line.tree, Some(*at_from))).collect::<Vec<_>>())
    }
}

/// All lines between two stations.
#[derive(Clone, Debug)]
pub struct Edge {
    pub ends: (String, String),
    pub lines: Vec<Line>,
}

impl Edge {
    /// Their properties; first their name, if the file gives one, or their number.
    pub fn words(&self) -> Vec<String> {
        let first = match self.lines.as_slice() {
            [one] => one.own_name(),
            many => Some(format!("{} lines", many.len())),
        };
        first.into_iter().chain(properties(&self.lines)).collect()
    }
}

/// The properties of lines between stations.
pub fn properties<'l>(lines: impl IntoIterator<Item = &'l Line>) -> Vec<String> {
    labels::line(&lines.into_iter().map(|line| (&*line.tree, None)).collect::<Vec<_>>())
}

/// The parts of a scenario that are drawn.
#[derive(Clone, Debug)]
pub struct Network {
    pub name: String,
    /// Gateways, and hosts that are no leaves, with their names.
    pub stations: Vec<(String, String)>,
    pub gateways: HashSet<String>,
    pub groups: Vec<Group>,
    pub edges: Vec<Edge>,
    /// Kinds of flows, in words.
    pub flows: Vec<String>,
}

impl Network {
    /// Reads a resolved scenario.
    pub fn of(s: &Scenario) -> Network {
        let gateways: HashSet<String> =
            s.nodes.iter().filter(|node| node.kind == NodeKind::Gateway).map(|node| node.name.clone()).collect();
        let mut at: HashMap<&str, Vec<usize>> = HashMap::new();
        for (i, link) in s.links.iter().enumerate() {
            at.entry(&link.from).or_default().push(i);
            at.entry(&link.to).or_default().push(i);
        }
        let far = |name: &str| {
            let link = &s.links[*at.get(name)?.first()?];
            Some(if link.from == name { link.to.as_str() } else { link.from.as_str() })
        };
        let degree = |name: &str| at.get(name).map_or(0, Vec::len);
        let is_leaf = |name: &str| {
            !gateways.contains(name)
                && degree(name) == 1
                && far(name).is_some_and(|far| gateways.contains(far) || degree(far) > 1)
        };
        let leaves: HashSet<&str> = at.keys().copied().filter(|name| is_leaf(name)).collect();
        let line = |i: usize| {
            let link = &s.links[i];
            Line { from: link.from.clone(), to: link.to.clone(), tree: Rc::new(Tree::of(link)) }
        };
        let stations: Vec<(String, String)> = s
            .nodes
            .iter()
            .filter(|node| !leaves.contains(node.name.as_str()))
            .map(|node| (node.name.clone(), labels::shown(&node.name)))
            .collect();
        let between = s
            .links
            .iter()
            .enumerate()
            .filter(|(_, link)| !leaves.contains(link.from.as_str()) && !leaves.contains(link.to.as_str()));
        let sources: HashSet<&str> = s.flows.iter().map(|flow| &*flow.from).collect();
        let hosts = s.nodes.iter().filter(|node| leaves.contains(node.name.as_str())).filter_map(|node| {
            let (station, link) = (far(&node.name)?, at.get(node.name.as_str())?[0]);
            Some((node.name.clone(), station.to_owned(), line(link), sources.contains(node.name.as_str())))
        });
        Network {
            name: s.name.clone(),
            groups: groups(hosts, stations.len()),
            edges: edges(between.map(|(i, _)| line(i))),
            stations,
            gateways,
            flows: flows(&s.flows),
        }
    }

    /// The stations beside each station, in the order of the file.
    pub fn neighbours(&self) -> HashMap<&str, Vec<&str>> {
        let mut near: HashMap<&str, Vec<&str>> =
            self.stations.iter().map(|(name, _)| (name.as_str(), Vec::new())).collect();
        for edge in &self.edges {
            for (a, b) in [(&edge.ends.0, &edge.ends.1), (&edge.ends.1, &edge.ends.0)] {
                near.entry(a).or_default().push(b);
            }
        }
        near
    }
}

/// Lines between the same ends are one edge.
fn edges(lines: impl Iterator<Item = Line>) -> Vec<Edge> {
    let (mut found, mut places) = (Vec::<Edge>::new(), HashMap::new());
    for line in lines {
        let ends: BTreeSet<String> = [line.from.clone(), line.to.clone()].into();
        let place = *places.entry(ends).or_insert(found.len());
        if place == found.len() {
            found.push(Edge { ends: (line.from.clone(), line.to.clone()), lines: Vec::new() });
        }
        found[place].lines.push(line);
    }
    found
}

/// Groups in the order of their first members, by what the members of each have in common.
struct Groups<K> {
    found: Vec<Group>,
    places: HashMap<K, usize>,
}

impl<K: std::hash::Hash + Eq> Groups<K> {
    fn new() -> Groups<K> {
        Groups { found: Vec::new(), places: HashMap::new() }
    }

    fn add(&mut self, key: K, station: &str, sends: bool, host: String, line: (Line, bool)) {
        let place = *self.places.entry(key).or_insert(self.found.len());
        if place == self.found.len() {
            self.found.push(Group::new(station, sends));
        }
        self.found[place].hosts.push(host);
        self.found[place].lines.push(line);
    }
}

/// Hosts at one station that are equal, or too many to be drawn separately. A host has its name, its station, its line, and whether it sends.
fn groups(hosts: impl Iterator<Item = (String, String, Line, bool)>, stations: usize) -> Vec<Group> {
    let few = stations <= FEW;
    let mut apart = Groups::new();
    for (host, station, line, sends) in hosts {
        let key = few.then(|| (labels::stem(&host).to_owned(), sends));
        let at_from = line.from == station;
        apart.add((station.clone(), key), &station, sends, host, (line, at_from));
    }
    let (mut whole, mut places) = (Vec::<Vec<Group>>::new(), HashMap::new());
    for group in apart.found {
        let place = *places.entry(group.station.clone()).or_insert(whole.len());
        if place == whole.len() {
            whole.push(Vec::new());
        }
        let mut alike = Groups::new();
        if few {
            for (host, line) in group.hosts.iter().zip(&group.lines) {
                let text = labels::line(&[(&*line.0.tree, Some(line.1))]);
                alike.add(text, &group.station, group.sends, host.clone(), line.clone());
            }
        }
        if few && alike.found.len() <= APART { whole[place].extend(alike.found) } else { whole[place].push(group) }
    }
    whole.into_iter().flat_map(|groups| if groups.len() <= MOST { groups } else { vec![one_of(groups)] }).collect()
}

/// One group of all hosts of several ones, as the first one is.
fn one_of(groups: Vec<Group>) -> Group {
    let mut all = groups.into_iter();
    let mut first = all.next().unwrap_or_else(|| Group::new("", false));
    for group in all {
        first.hosts.extend(group.hosts);
        first.lines.extend(group.lines);
    }
    first
}

/// Equal flows, as one line of words.
fn flows(flows: &[Flow]) -> Vec<String> {
    let (mut kinds, mut places) = (Vec::<(String, Vec<&Flow>)>::new(), HashMap::new());
    let mut words = String::new();
    for (i, flow) in flows.iter().enumerate() {
        if i == 0 || !flow.alike(&flows[i - 1]) {
            words = labels::flow(flow);
        }
        let place = *places.entry((words.clone(), labels::stem(&flow.name()).to_owned())).or_insert(kinds.len());
        if place == kinds.len() {
            kinds.push((words.clone(), Vec::new()));
        }
        kinds[place].1.push(flow);
    }
    let line = |(words, flows): (String, Vec<&Flow>)| {
        let names: Vec<String> = flows.iter().map(|flow| flow.name().into_owned()).collect();
        let many = if names.len() > labels::NAMES { format!(" ({})", names.len()) } else { String::new() };
        let ends = [flows.iter().map(|flow| &*flow.from).collect(), flows.iter().map(|flow| &*flow.to).collect()];
        let [from, to] = ends.map(|names: Vec<&str>| labels::span(&once(names)));
        format!("{}{many}: {from} → {to}; {words}", labels::span(&names))
    };
    kinds.into_iter().map(line).collect()
}

/// Names, each once.
fn once(names: Vec<&str>) -> Vec<&str> {
    let mut known = HashSet::new();
    names.into_iter().filter(|name| known.insert(*name)).collect()
}
