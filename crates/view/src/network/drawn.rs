//! A network for who draws it, in a figure or in the terminal: its parts with their words. Where there are too many, each layer is one station.

use super::graph::{Edge, Group, Network, properties};
use super::labels;
use super::layers::Layers;
use headgate_sim::spec::Scenario;
use serde_json::{Value, json};
use std::collections::HashMap;

/// More kinds of lines than this between stations have ranges of rates and delays.
const STYLES: usize = 6;

/// More kinds of lines of hosts than this are one.
const KINDS: usize = 3;

/// How many parts are drawn one by one.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Stations that stand in a row.
    pub row: usize,
    /// Other stations.
    pub stations: usize,
    /// Lines between these.
    pub edges: usize,
}

/// The network of a resolved scenario, as data: `name`; `stations`, each with `name`, `title` and whether it is a `gateway`; `groups` of hosts with
/// `name`, `called` (the names alone), `count`, `station`, `words` of their lines, and whether they `send`; `edges` with `ends`, `words` and the number
/// of `lines`; `styles`, kinds of lines between stations, with `text`, `lines` and their `edges`; `of_hosts`, kinds of lines of hosts, with `text` and
/// `lines`; `flows` in words; `layers` of stations, and whether they are `stages`.
pub fn drawn(s: &Scenario, limits: Limits) -> Value {
    let mut net = Network::of(s);
    let mut found = Layers::of(&net);
    let few = if found.is_row() {
        net.stations.len() <= limits.row
    } else {
        net.stations.len() <= limits.stations && net.edges.len() <= limits.edges
    };
    if !few {
        (net, found) = folded(&net, &found, limits.row);
    }
    let station = |(name, title): &(String, String)| json!({"name": name, "title": title, "gateway": net.gateways.contains(name)});
    let group = |group: &Group| {
        json!({"name": group.name(), "called": labels::span(&group.hosts), "count": group.hosts.len(), "station": group.station,
            "words": group.words(), "sends": group.sends})
    };
    let edge = |edge: &Edge| json!({"ends": edge.ends, "words": edge.words(), "lines": edge.lines.len()});
    json!({
        "name": labels::shown(&net.name),
        "stations": net.stations.iter().map(station).collect::<Vec<_>>(),
        "groups": net.groups.iter().map(group).collect::<Vec<_>>(),
        "edges": net.edges.iter().map(edge).collect::<Vec<_>>(),
        "styles": styles(&net.edges),
        "of_hosts": of_hosts(&net.groups),
        "flows": net.flows,
        "layers": found.layers,
        "stages": found.stages,
    })
}

/// Lines between stations by their words; rates and delays are ranges where they would be too many.
fn styles(edges: &[Edge]) -> Vec<Value> {
    let words: Vec<Vec<String>> = edges.iter().map(|edge| properties(&edge.lines)).collect();
    let by = |first: usize| alike(words.iter().map(|parts| parts[first.min(parts.len())..].join(", ")));
    let mut kinds = by(0);
    let ranges = kinds.len() > STYLES;
    if ranges {
        kinds = by(1);
        if kinds.len() > STYLES {
            kinds = vec![(0..edges.len()).collect()];
        }
    }
    let style = |places: Vec<usize>| {
        let lines = || places.iter().flat_map(|place| &edges[*place].lines);
        let text = if ranges { properties(lines()).join(", ") } else { words[places[0]].join(", ") };
        json!({"text": text, "lines": lines().count(), "edges": places})
    };
    kinds.into_iter().map(style).collect()
}

/// The places of equal texts, in the order of the first of each.
fn alike(texts: impl Iterator<Item = String>) -> Vec<Vec<usize>> {
    let (mut found, mut places) = (Vec::<Vec<usize>>::new(), HashMap::new());
    for (i, text) in texts.enumerate() {
        let place = *places.entry(text).or_insert(found.len());
        if place == found.len() {
            found.push(Vec::new());
        }
        found[place].push(i);
    }
    found
}

/// Lines of hosts by their words; all of them as one where they would be too many.
fn of_hosts(groups: &[Group]) -> Vec<Value> {
    let words: Vec<String> = groups.iter().map(|group| group.words().join(", ")).collect();
    let count = |places: &[usize]| places.iter().map(|place| groups[*place].hosts.len()).sum::<usize>();
    let kinds = alike(words.iter().cloned());
    if kinds.len() <= KINDS {
        return kinds.into_iter().map(|places| json!({"text": words[places[0]], "lines": count(&places)})).collect();
    }
    // The discipline of a line's own direction: of all together it is one of many.
    let lines: Vec<_> =
        groups.iter().flat_map(|group| &group.lines).map(|(line, _)| (&*line.tree, Some(true))).collect();
    vec![json!({"text": labels::line(&lines).join(", "), "lines": lines.len()})]
}

/// The network with each layer as one station, and of more than `most` layers the middle ones as one.
fn folded(net: &Network, found: &Layers, most: usize) -> (Network, Layers) {
    let mut layers = found.layers.clone();
    let ends = most / 3;
    if layers.len() > most && layers.len() > 2 * ends {
        let last = layers.split_off(layers.len() - ends);
        let middle = layers.split_off(ends).concat();
        layers.push(middle);
        layers.extend(last);
    }
    let place_of: HashMap<&str, usize> =
        layers.iter().enumerate().flat_map(|(i, layer)| layer.iter().map(move |name| (name.as_str(), i))).collect();
    let place = |name: &str| place_of.get(name).copied().unwrap_or(0);
    let names: Vec<String> = layers.iter().filter_map(|layer| layer.first().cloned()).collect();
    let stations = layers.iter().zip(&names).map(|(layer, name)| (name.clone(), title(layer, net))).collect();
    let (mut edges, mut places) = (Vec::<Edge>::new(), HashMap::new());
    for edge in &net.edges {
        let (a, b) = (place(&edge.ends.0), place(&edge.ends.1));
        let ends = (a.min(b), a.max(b));
        let at = *places.entry(ends).or_insert(edges.len());
        if at == edges.len() {
            edges.push(Edge { ends: (names[ends.0].clone(), names[ends.1].clone()), lines: Vec::new() });
        }
        edges[at].lines.extend(edge.lines.iter().cloned());
    }
    let (mut groups, mut places) = (Vec::<Group>::new(), HashMap::new());
    for group in &net.groups {
        let station = &names[place(&group.station)];
        let at = *places.entry(station).or_insert(groups.len());
        if at == groups.len() {
            groups.push(Group { station: station.clone(), hosts: Vec::new(), lines: Vec::new(), sends: group.sends });
        }
        groups[at].hosts.extend(group.hosts.iter().cloned());
        groups[at].lines.extend(group.lines.iter().cloned());
    }
    let gateways = net.gateways.iter().filter_map(|name| Some(names[*place_of.get(name.as_str())?].clone())).collect();
    let small = Network { name: net.name.clone(), stations, gateways, groups, edges, flows: net.flows.clone() };
    (small, Layers { layers: names.into_iter().map(|name| vec![name]).collect(), stages: found.stages })
}

/// What a layer is called that is one station.
fn title(layer: &[String], net: &Network) -> String {
    let hosts = layer.iter().filter(|name| !net.gateways.contains(*name)).count();
    let what = match hosts {
        0 => "gateways",
        some if some == layer.len() => "hosts",
        _ => "gateways and hosts",
    };
    // Natural order: r2 before r10.
    let mut called: Vec<&str> = layer.iter().map(String::as_str).collect();
    called.sort_by_key(|name| (labels::stem(name), name.chars().count(), *name));
    match called.as_slice() {
        [one] => labels::shown(one),
        many => format!("{} ({} {what})", labels::span(many), many.len()),
    }
}
