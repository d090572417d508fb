//! Topologies, counts and defaults: a topology becomes nodes and links, and `count = 6` with `{i}` in the names becomes six entries.

use super::{Flow, Link, Node, Scenario, SpecError, island, names};
use crate::pace::Pace;
use crate::topology::{Made, Net, Part, Topology as _};
use std::fmt;

const MOST: usize = 1_000_000;

/// Where each expanded entry comes from.
pub(super) struct Origins {
    pub nodes: Vec<Place>,
    pub links: Vec<Place>,
    pub flows: Vec<Place>,
    /// Of the ports in islands, their islands.
    pub islands: island::Ports,
}

impl Origins {
    /// Place in the file of the discipline of a port; `own` says whether the port at the `to` end has its own.
    pub fn queue(&self, port: usize, own: bool) -> String {
        if let Some(island) = self.islands.get(&port) {
            return format!("islands[{island}].queue");
        }
        format!("{}.{}", self.links[port / 2], if port % 2 == 1 && own { "reverse_queue" } else { "queue" })
    }
}

/// Where an entry comes from: a place in the file.
#[derive(Clone, Copy)]
pub(super) enum Place {
    /// This entry of a list.
    Entry(List, u32),
    /// This parameter of the topology.
    Topology(Part),
}

/// The lists whose entries may have a count.
#[derive(Clone, Copy)]
pub(super) enum List {
    Nodes,
    Links,
    Flows,
}

impl fmt::Display for List {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            List::Nodes => "nodes",
            List::Links => "links",
            List::Flows => "flows",
        })
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Entry(list, i) => write!(f, "{list}[{i}]"),
            Place::Topology(part) => f.write_str(part.path()),
        }
    }
}

/// The scenario with every count expanded and every default written out.
pub(super) fn expand(mut s: Scenario, pace: &mut Pace<'_>) -> Result<(Scenario, Origins), SpecError> {
    let mut net = Net::new(pace);
    if let Some(topology) = s.topology.take() {
        topology.build(&mut net)?;
    }
    let (made_nodes, made_links) = (net.nodes, net.links);
    let (nodes, links, flows);
    (s.nodes, nodes) = repeat(
        List::Nodes,
        made_nodes,
        &s.nodes,
        |n: &Node| (n.count, n.first),
        |node, i| {
            let mut node = node.clone();
            (node.count, node.first) = (None, None);
            name(&mut node.name, i)?;
            Ok(node)
        },
        pace,
    )?;
    (s.links, links) = repeat(
        List::Links,
        made_links,
        &s.links,
        |l: &Link| (l.count, l.first),
        |link, i| {
            let mut link = link.clone();
            (link.count, link.first) = (None, None);
            fill("from", &mut link.from, i)?;
            fill("to", &mut link.to, i)?;
            if link.name.is_empty() {
                link.name = format!("{}->{}", link.from, link.to);
            } else {
                name(&mut link.name, i)?;
            }
            Ok(link)
        },
        pace,
    )?;
    (s.flows, flows) = repeat(
        List::Flows,
        Vec::new(),
        &s.flows,
        |f: &Flow| (f.count, f.first),
        |flow, i| i.map_or_else(|| Ok(flow.clone()), |i| flow.numbered(i)),
        pace,
    )?;
    s.interval = Some(s.interval());
    s.warm_up = Some(s.warm_up());
    let islands = island::expand(&mut s, pace)?;
    Ok((s, Origins { nodes, links, flows, islands }))
}

/// The name under a key, for an index.
///
/// # Errors
/// What is wrong with its arithmetic; the path is the key.
pub(super) fn filled(key: &str, text: &str, index: u32) -> Result<String, SpecError> {
    names::filled(text, index).map_err(|why| SpecError::at(key, why).found(format!("{text:?}")))
}

fn fill(key: &str, text: &mut String, index: Option<u32>) -> Result<(), SpecError> {
    if let Some(i) = index.filter(|_| names::has_place(text)) {
        *text = filled(key, text, i)?;
    }
    Ok(())
}

fn name(text: &mut String, index: Option<u32>) -> Result<(), SpecError> {
    match index {
        Some(i) if !names::has_place(text) => *text = format!("{text}-{i}"),
        _ => fill("name", text, index)?,
    }
    Ok(())
}

/// The entries that a topology made, and those of the file, repeated by their counts.
fn repeat<T>(
    what: List,
    made: Vec<Made<T>>,
    entries: &[T],
    count: impl Fn(&T) -> (Option<u32>, Option<u32>),
    make: impl Fn(&T, Option<u32>) -> Result<T, SpecError>,
    pace: &mut Pace<'_>,
) -> Result<(Vec<T>, Vec<Place>), SpecError> {
    let (mut all, mut origins): (Vec<T>, Vec<Place>) =
        made.into_iter().map(|(made, part)| (made, Place::Topology(part))).unzip();
    for (k, entry) in entries.iter().enumerate() {
        let (number, first) = count(entry);
        let first = first.unwrap_or(1);
        let number_of = number.unwrap_or(1);
        if number == Some(0) || all.len() + number_of as usize > MOST || first.checked_add(number_of).is_none() {
            let expected = format!("expected 1 to {MOST} {what} in all");
            return Err(match number {
                Some(number) => SpecError::at(format!("{what}[{k}].count"), expected).found(number),
                None => SpecError::at(what.to_string(), expected).found(all.len() + 1),
            });
        }
        all.reserve(number_of as usize);
        origins.reserve(number_of as usize);
        for i in first..first + number_of {
            pace.step()?;
            let made = make(entry, number.map(|_| i));
            all.push(made.map_err(|e| SpecError { path: format!("{what}[{k}].{}", e.path), ..e })?);
            origins.push(Place::Entry(what, k as u32));
        }
    }
    Ok((all, origins))
}
