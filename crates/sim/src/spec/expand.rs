//! Counts and defaults: `count = 6` with `{i}` in the names becomes six entries.

use super::flow::filled;
use super::{Flow, Link, Node, Scenario, SpecError};
use crate::pace::Pace;

const MOST: usize = 1_000_000;

/// Of each expanded entry, the position in the file of the entry that it came from.
pub(super) struct Origins {
    pub nodes: Vec<usize>,
    pub links: Vec<usize>,
    pub flows: Vec<usize>,
}

/// The scenario with every count expanded and every default written out.
pub(super) fn expand(mut s: Scenario, pace: &mut Pace<'_>) -> Result<(Scenario, Origins), SpecError> {
    let (nodes, links, flows);
    (s.nodes, nodes) = repeat(
        "nodes",
        &s.nodes,
        |n: &Node| (n.count, n.first),
        |node, i| {
            let mut node = node.clone();
            (node.count, node.first) = (None, None);
            name(&mut node.name, i);
            node
        },
        pace,
    )?;
    (s.links, links) = repeat(
        "links",
        &s.links,
        |l: &Link| (l.count, l.first),
        |link, i| {
            let mut link = link.clone();
            (link.count, link.first) = (None, None);
            fill(&mut link.from, i);
            fill(&mut link.to, i);
            if link.name.is_empty() {
                link.name = format!("{}->{}", link.from, link.to);
            } else {
                name(&mut link.name, i);
            }
            link
        },
        pace,
    )?;
    (s.flows, flows) = repeat(
        "flows",
        &s.flows,
        |f: &Flow| (f.count, f.first),
        |flow, i| i.map_or_else(|| flow.clone(), |i| flow.numbered(i)),
        pace,
    )?;
    s.interval = Some(s.interval());
    s.warm_up = Some(s.warm_up());
    Ok((s, Origins { nodes, links, flows }))
}

fn fill(text: &mut String, index: Option<u32>) {
    if let Some(filled) = filled(text, index) {
        *text = filled;
    }
}

fn name(text: &mut String, index: Option<u32>) {
    match index {
        Some(i) if !text.contains("{i}") => *text = format!("{text}-{i}"),
        _ => fill(text, index),
    }
}

fn repeat<T>(
    what: &str,
    entries: &[T],
    count: impl Fn(&T) -> (Option<u32>, Option<u32>),
    make: impl Fn(&T, Option<u32>) -> T,
    pace: &mut Pace<'_>,
) -> Result<(Vec<T>, Vec<usize>), SpecError> {
    let (mut all, mut origins) = (Vec::new(), Vec::new());
    for (k, entry) in entries.iter().enumerate() {
        let (number, first) = count(entry);
        let first = first.unwrap_or(1);
        let number_of = number.unwrap_or(1);
        if number == Some(0) || all.len() + number_of as usize > MOST || first.checked_add(number_of).is_none() {
            let expected = format!("expected 1 to {MOST} {what} in all");
            return Err(match number {
                Some(number) => SpecError::at(format!("{what}[{k}].count"), expected).found(number),
                None => SpecError::at(what, expected).found(all.len() + 1),
            });
        }
        all.reserve(number_of as usize);
        origins.reserve(number_of as usize);
        for i in first..first + number_of {
            pace.step()?;
            all.push(make(entry, number.map(|_| i)));
            origins.push(k);
        }
    }
    Ok((all, origins))
}
