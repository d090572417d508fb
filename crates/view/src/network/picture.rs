//! A network as the page draws it: nodes with places from 0 to 1, and links between them.

use super::graph::Network;
use super::layers::Layers;
use headgate_sim::link::LineRate;
use headgate_sim::spec::Scenario;
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};

/// Hosts on each side that are drawn one by one; of more, the last ones at each gateway are one node.
pub const HOSTS: usize = 8;

/// With more nodes than this there is no picture.
const NODES: usize = 120;

/// The nodes and links of a network.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Picture {
    /// All nodes, from the left to the right.
    pub nodes: Vec<Node>,
    /// The links, in the order of the scenario.
    pub links: Vec<Link>,
}

/// A node.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Node {
    /// Its name, or how many others it stands for.
    pub name: String,
    /// `host`, `hosts` or `gateway`.
    pub kind: &'static str,
    /// From 0 on the left to 1 on the right.
    pub x: f64,
    /// From 0 above to 1 below.
    pub y: f64,
}

/// A link between two nodes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Link {
    /// Its name; that of the first one, if it stands for several.
    pub name: String,
    /// The node at one end.
    pub from: String,
    /// The node at the other end.
    pub to: String,
    /// The rate of its first direction in bit/s, if it has one that stays, and all that it stands for have the same one.
    pub rate: Option<f64>,
    /// Its port at the first end.
    pub port: String,
}

/// The columns of nodes: of each its nodes with their kinds.
type Columns = BTreeMap<usize, Vec<(String, &'static str)>>;

/// The picture of the network of a resolved scenario.
pub fn picture(s: &Scenario) -> Picture {
    let net = Network::of(s);
    if net.stations.len() + net.groups.len() > NODES {
        return Picture::default();
    }
    let layers = Layers::of(&net).layers;
    let (mut columns, mut node_of) = (Columns::new(), HashMap::new());
    let mut depth_of = HashMap::new();
    for (depth, layer) in (1..).zip(&layers) {
        for name in layer {
            let kind = if net.gateways.contains(name) { "gateway" } else { "host" };
            columns.entry(depth).or_default().push((name.clone(), kind));
            node_of.insert(name.clone(), name.clone());
            depth_of.insert(name.as_str(), depth);
        }
    }
    for (depth, stations) in sides(&net, &depth_of, layers.len()) {
        let many: usize = stations.iter().map(|(_, hosts)| hosts.len()).sum();
        for (_, hosts) in stations {
            let shown = shown(hosts.len(), many);
            let others = hosts.len() - shown;
            columns.entry(depth).or_default().extend(hosts[..shown].iter().map(|host| (host.clone(), "host")));
            node_of.extend(hosts[..shown].iter().map(|host| (host.clone(), host.clone())));
            if others > 0 {
                let name = unused(format!("and {others} others"), &columns);
                columns.entry(depth).or_default().push((name.clone(), "hosts"));
                node_of.extend(hosts[shown..].iter().map(|host| (host.clone(), name.clone())));
            }
        }
    }
    Picture { nodes: nodes(&columns), links: links(s, &node_of) }
}

/// The depth of a column, and the hosts in it by their stations.
type Side = (usize, Vec<(String, Vec<String>)>);

/// The hosts of each column by their stations, columns and stations in the order in which they are found.
fn sides(net: &Network, depth_of: &HashMap<&str, usize>, layers: usize) -> Vec<Side> {
    let mut found: Vec<Side> = Vec::new();
    for group in &net.groups {
        let Some(&station) = depth_of.get(group.station.as_str()) else { continue };
        // Sources are on the left and sinks on the right, unless the gateway is at the other end.
        let left = if layers == 1 { group.sends } else { station == 1 || (station < layers && group.sends) };
        let depth = if left { station - 1 } else { station + 1 };
        let column = at(&mut found, depth);
        at(column, group.station.clone()).extend(group.hosts.iter().cloned());
    }
    found
}

/// The value of a key, put behind the others if it is new.
fn at<K: PartialEq, V: Default>(pairs: &mut Vec<(K, V)>, key: K) -> &mut V {
    let place = pairs.iter().position(|(own, _)| *own == key).unwrap_or(pairs.len());
    if place == pairs.len() {
        pairs.push((key, V::default()));
    }
    &mut pairs[place].1
}

/// How many of the hosts at a station are drawn one by one, on a side that has `many`.
fn shown(hosts: usize, many: usize) -> usize {
    let shown = if many <= HOSTS { hosts } else { (HOSTS * hosts / many).max(1) };
    // One node in the place of one host would say less.
    if hosts - shown > 1 { shown } else { hosts }
}

/// The name with as many spaces behind it as tell it from others; they are not seen.
fn unused(mut name: String, columns: &Columns) -> String {
    while columns.values().flatten().any(|(taken, _)| *taken == name) {
        name.push(' ');
    }
    name
}

fn nodes(columns: &Columns) -> Vec<Node> {
    let (first, last) = (columns.keys().next().copied().unwrap_or(0), columns.keys().last().copied().unwrap_or(0));
    let place = |depth: usize| (depth - first) as f64 / (last - first).max(1) as f64;
    let all = columns.iter().flat_map(|(depth, column)| {
        let node = move |(i, (name, kind)): (usize, &(String, &'static str))| Node {
            name: name.clone(),
            kind,
            x: place(*depth),
            y: (i + 1) as f64 / (column.len() + 1) as f64,
        };
        column.iter().enumerate().map(node)
    });
    all.collect()
}

fn links(s: &Scenario, node_of: &HashMap<String, String>) -> Vec<Link> {
    let (mut found, mut folded) = (Vec::<Link>::new(), HashMap::<(String, String), usize>::new());
    for link in &s.links {
        let (Some(from), Some(to)) = (node_of.get(&link.from), node_of.get(&link.to)) else { continue };
        let rate = if let LineRate::Fixed(rate) = &link.rate.forward { Some(rate.as_bps() as f64) } else { None };
        let ends = (from.clone(), to.clone());
        if let Some(place) = folded.get(&ends) {
            // One line for all; it has no rate if theirs differ.
            if found[*place].rate != rate {
                found[*place].rate = None;
            }
            continue;
        }
        if (from, to) != (&link.from, &link.to) {
            folded.insert(ends, found.len());
        }
        found.push(Link { name: link.name.clone(), from: from.clone(), to: to.clone(), rate, port: link.name.clone() });
    }
    found
}
