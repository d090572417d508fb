//! Stations in layers, and the order within them.
//!
//! A network of stages, such as a fat tree, is drawn in rows by the distance from the hosts, and any other in columns by the distance from an outer
//! station; so stations in a row have a column each.

use std::collections::{HashMap, HashSet, VecDeque};

use super::graph::Network;

/// Number of improvements of the order within layers.
const SWEEPS: usize = 8;

type Near<'n> = HashMap<&'n str, Vec<&'n str>>;

/// Stations in layers.
#[derive(Clone, Debug, PartialEq)]
pub struct Layers {
    /// The stations of each layer in order.
    pub layers: Vec<Vec<String>>,
    /// They are distances from the hosts, the hosts being nearest to the first.
    pub stages: bool,
}

impl Layers {
    /// The stations of a network in layers.
    pub fn of(net: &Network) -> Layers {
        let near = net.neighbours();
        let names: Vec<&str> = net.stations.iter().map(|(name, _)| name.as_str()).collect();
        let mut depth = columns(&names, &near);
        let mut stages = false;
        if depth.values().collect::<HashSet<_>>().len() < depth.len() {
            let starts = net.groups.iter().map(|group| group.station.as_str());
            let heights: HashMap<&str, usize> = distances(&near, starts).into_iter().collect();
            // Lines of stages lead from one to the next.
            stages = heights.len() == near.len()
                && net
                    .edges
                    .iter()
                    .all(|edge| heights[edge.ends.0.as_str()].abs_diff(heights[edge.ends.1.as_str()]) == 1);
            if stages {
                depth = heights;
            }
        }
        let mut layers: Vec<Vec<&str>> = vec![Vec::new(); depth.values().max().map_or(0, |most| most + 1)];
        for name in names {
            layers[depth[name]].push(name);
        }
        if layers.iter().any(|layer| layer.len() > 1) {
            layers = untangled(layers, &near);
        }
        Layers {
            layers: layers.into_iter().map(|layer| layer.into_iter().map(str::to_owned).collect()).collect(),
            stages,
        }
    }

    /// Whether there is one station in each layer.
    pub fn is_row(&self) -> bool {
        self.layers.iter().all(|layer| layer.len() == 1)
    }
}

/// The distance of each station that can be reached from the nearest of some, the nearest ones first.
fn distances<'n>(near: &Near<'n>, starts: impl Iterator<Item = &'n str>) -> Vec<(&'n str, usize)> {
    let (mut known, mut found, mut todo) = (HashSet::new(), Vec::new(), VecDeque::new());
    todo.extend(starts.filter(|name| known.insert(*name)).map(|name| (name, 0)));
    while let Some((name, distance)) = todo.pop_front() {
        found.push((name, distance));
        for other in near.get(name).into_iter().flatten() {
            if known.insert(other) {
                todo.push_back((other, distance + 1));
            }
        }
    }
    found
}

/// The distance of each station from an outer one of its part of the network.
fn columns<'n>(names: &[&'n str], near: &Near<'n>) -> HashMap<&'n str, usize> {
    let mut depth = HashMap::new();
    for name in names {
        if depth.contains_key(name) {
            continue;
        }
        // The farthest from any is an outer one; of two ends, the one that is nearer to the first station.
        let part = distances(near, [*name].into_iter());
        let far = first_farthest(&part).unwrap_or(*name);
        let other = first_farthest(&distances(near, [far].into_iter())).unwrap_or(far);
        let outer = part.iter().map(|(name, _)| *name).find(|name| *name == far || *name == other);
        depth.extend(distances(near, outer.into_iter()));
    }
    depth
}

fn first_farthest<'n>(found: &[(&'n str, usize)]) -> Option<&'n str> {
    let most = found.last()?.1;
    found.iter().find(|(_, distance)| *distance == most).map(|(name, _)| *name)
}

/// An order with few crossings: each station is moved to the middle of its neighbours in the layer before, forwards and backwards.
fn untangled<'n>(layers: Vec<Vec<&'n str>>, near: &Near<'n>) -> Vec<Vec<&'n str>> {
    let mut least = crossings(&layers, near);
    let mut best = layers.clone();
    let mut layers = layers;
    for sweep in 0..SWEEPS {
        if least == 0 {
            break;
        }
        let count = layers.len();
        for step in 1..count {
            let (i, before) = if sweep % 2 == 0 { (step, step - 1) } else { (count - 1 - step, count - step) };
            let place = places(&layers[before]);
            let own = places(&layers[i]);
            let middle = |name: &str| {
                let known: Vec<f64> =
                    near.get(name).into_iter().flatten().filter_map(|n| place.get(n).copied()).collect();
                if known.is_empty() { own[name] } else { known.iter().sum::<f64>() / known.len() as f64 }
            };
            let mut sorted: Vec<(f64, &str)> = layers[i].iter().map(|name| (middle(name), *name)).collect();
            sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
            layers[i] = sorted.into_iter().map(|(_, name)| name).collect();
        }
        let found = crossings(&layers, near);
        if found < least {
            (least, best) = (found, layers.clone());
        }
    }
    best
}

/// The places of the stations of a layer, from 0 to 1.
fn places<'n>(layer: &[&'n str]) -> HashMap<&'n str, f64> {
    let last = layer.len().saturating_sub(1).max(1) as f64;
    layer.iter().enumerate().map(|(k, name)| (*name, k as f64 / last)).collect()
}

/// How many pairs of lines between layers cross.
fn crossings(layers: &[Vec<&str>], near: &Near<'_>) -> usize {
    let mut total = 0;
    for two in layers.windows(2) {
        let place: HashMap<&str, usize> = two[1].iter().enumerate().map(|(i, name)| (*name, i)).collect();
        let mut ends = Vec::new();
        for name in &two[0] {
            let mut own: Vec<usize> =
                near.get(name).into_iter().flatten().filter_map(|n| place.get(n).copied()).collect();
            own.sort_unstable();
            ends.extend(own);
        }
        // Inversions, counted by insertion into a tree of sums.
        let mut sums = vec![0; two[1].len() + 1];
        for (seen, end) in ends.into_iter().enumerate() {
            let (mut k, mut at_most) = (end + 1, 0);
            while k > 0 {
                at_most += sums[k];
                k &= k - 1;
            }
            total += seen - at_most;
            k = end + 1;
            while k < sums.len() {
                sums[k] += 1;
                k += k & k.wrapping_neg();
            }
        }
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Lines are crossed where their ends are the other way round; an order that was sought has no more crossings.
        #[test]
        fn crossings_are_counted(
            lines in prop::collection::vec((0_usize..6, 0_usize..6), 0..12),
            order in Just((0_usize..6).collect::<Vec<_>>()).prop_shuffle(),
        ) {
            let names: Vec<[String; 2]> = (0..6).map(|i| [format!("a{i}"), format!("b{i}")]).collect();
            let mut near: Near<'_> = names.iter().flatten().map(|name| (name.as_str(), Vec::new())).collect();
            for (a, b) in &lines {
                let (a, b) = (names[*a][0].as_str(), names[*b][1].as_str());
                near.entry(a).or_default().push(b);
                near.entry(b).or_default().push(a);
            }
            let rows = vec![order.iter().map(|i| names[*i][0].as_str()).collect(), names.iter().map(|n| n[1].as_str()).collect()];
            let at = |i: usize| order.iter().position(|k| *k == i);
            let pairs = lines.iter().enumerate().flat_map(|(k, one)| lines[k + 1..].iter().map(move |other| (one, other)));
            let slow = pairs.filter(|((a, b), (c, d))| (at(*a) < at(*c) && b > d) || (at(*a) > at(*c) && b < d)).count();
            prop_assert_eq!(crossings(&rows, &near), slow);
            prop_assert!(crossings(&untangled(rows, &near), &near) <= slow);
        }
    }
}
