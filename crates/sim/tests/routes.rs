//! The paths of flows: shortest ones, one of several by a hash, and those that a flow names by hand.

use crate::common;

use common::{cell, run};
use headgate_sim::net::{Choice, Hashes, Routes};
use headgate_sim::spec::Scenario;
use headgate_sim::{Cells, Run};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The ports that the data of each flow crosses, by the flow's name.
fn routes(s: &Scenario, running: &Run) -> BTreeMap<String, Vec<String>> {
    let table = running.finished().route_table(s);
    let names = |column: usize| match &table[column].1 {
        Cells::Name(codes, names) => codes.iter().map(|c| names[*c as usize].clone()).collect::<Vec<_>>(),
        other => panic!("{other:?}"),
    };
    let mut all: BTreeMap<String, Vec<String>> = BTreeMap::new();
    names(0).into_iter().zip(names(2)).for_each(|(flow, port)| all.entry(flow).or_default().push(port));
    all
}

fn routes_of(text: &str, seed: u64) -> BTreeMap<String, Vec<String>> {
    let s = Scenario::from_json(text).unwrap_or_else(|e| panic!("{e}"));
    routes(&s, &Run::new(&s, seed, 0))
}

/// Two leaves with a host each, and spines 1 to `spines` between them; flows run from a to b.
fn leaf_spine(spines: u32, more: &str, flows: &str) -> String {
    format!(
        r#"{{"duration": "1s", "interval": "1s", "warm_up": "0s", {more}
            "nodes": [{{"name": "a", "kind": "host"}}, {{"name": "b", "kind": "host"}}, {{"name": "left"}}, {{"name": "right"}},
                      {{"name": "spine{{i}}", "count": {spines}}}],
            "links": [{{"name": "a", "from": "a", "to": "left", "rate": "8Mbit/s"}},
                      {{"name": "b", "from": "right", "to": "b", "rate": "8Mbit/s"}},
                      {{"name": "up{{i}}", "from": "left", "to": "spine{{i}}", "rate": "8Mbit/s", "count": {spines}}},
                      {{"name": "down{{i}}", "from": "spine{{i}}", "to": "right", "rate": "8Mbit/s", "count": {spines}}}],
            "flows": [{flows}]}}"#
    )
}

fn flow(name: &str, more: &str) -> String {
    format!(r#"{{"name": "{name}", "from": "a", "to": "b"{more}}}"#)
}

const ECMP: &str = r#""routing": "ecmp","#;

#[test]
fn the_shortest_way_is_the_first_spine_and_a_hash_takes_all_alike() {
    let many = flow("f{i}", r#", "count": 4000, "control": "none", "workload": {"kind": "cbr", "rate": "1bit/s"}"#);
    let first = routes_of(&leaf_spine(4, "", &many), 1);
    assert!(first.values().all(|path| *path == ["a", "up1", "down1", "b"]));
    let spread = routes_of(&leaf_spine(4, ECMP, &many), 1);
    let over = |routes: &BTreeMap<String, Vec<String>>, spine: usize| -> BTreeSet<String> {
        let way = ["a".to_owned(), format!("up{spine}"), format!("down{spine}"), "b".to_owned()];
        routes.iter().filter(|(_, path)| **path == way).map(|(flow, _)| flow.clone()).collect()
    };
    let used: Vec<usize> = (1..5).map(|spine| over(&spread, spine).len()).collect();
    assert_eq!(used.iter().sum::<usize>(), 4000, "each crosses one spine");
    // 1000 each; the standard deviation is 27.
    assert!(used.iter().all(|n| n.abs_diff(1000) < 110), "{used:?}");
    // Another seed chooses again: a quarter of the choices are the same.
    let other = routes_of(&leaf_spine(4, ECMP, &many), 2);
    let same = spread.iter().filter(|(flow, path)| other[*flow] == **path).count();
    assert!(same.abs_diff(1000) < 110, "{same}");
    // A fifth spine takes a fifth of the flows from each of the others, and nothing else moves.
    let five = routes_of(&leaf_spine(5, ECMP, &many), 1);
    let moved: Vec<&String> =
        spread.iter().filter(|(flow, path)| five[*flow] != **path).map(|(flow, _)| flow).collect();
    assert_eq!(moved.into_iter().cloned().collect::<BTreeSet<_>>(), over(&five, 5));
    assert!(over(&five, 5).len().abs_diff(800) < 110, "{}", over(&five, 5).len());
}

#[test]
fn acknowledgements_choose_for_themselves() {
    // Of each flow one packet; the spine that its acknowledgement came back over is the one whose links carried it.
    let mut same = 0;
    for name in 0..60 {
        let (s, running) = run(&leaf_spine(
            4,
            ECMP,
            &flow(&format!("f{name}"), r#", "workload": {"kind": "transfer", "packets": 1}"#),
        ));
        let links = running.finished().link_table(&s);
        let crossed = |port: String| cell(&links, ("link", &port), "sent") > 0.0;
        let spine = |way: &str| (1..5).position(|i| crossed(format!("up{i}{way}"))).expect("over one of them");
        assert!(crossed(format!("down{}:reverse", spine(":reverse") + 1)), "it keeps to its spine");
        same += u32::from(spine("") == spine(":reverse"));
    }
    // A quarter of 60; the standard deviation is 3.4.
    assert!((3..29).contains(&same), "{same}");
}

#[test]
fn a_path_belongs_to_the_flow_and_not_to_its_place_in_the_file() {
    let names: Vec<String> = (0..40).map(|i| format!("f{i}")).collect();
    let of = |names: &[String]| names.iter().map(|n| flow(n, "")).collect::<Vec<_>>().join(",");
    let mut backwards = names.clone();
    backwards.reverse();
    let all = routes_of(&leaf_spine(8, ECMP, &of(&names)), 1);
    assert_eq!(all, routes_of(&leaf_spine(8, ECMP, &of(&backwards)), 1));
    let few = routes_of(&leaf_spine(8, ECMP, &of(&names[30..])), 1);
    assert!(few.iter().all(|(flow, path)| all[flow] == *path) && few.len() == 10);
}

#[test]
fn only_flows_of_a_broken_link_take_another_spine_and_they_come_back() {
    let flows = flow("f{i}", r#", "count": 40, "control": {"kind": "generic", "window": 1}"#);
    let at = |events: &str| {
        let text = leaf_spine(4, &format!(r#"{ECMP} "events": [{events}],"#), &flows);
        let (s, running) = run(&text);
        routes(&s, &running)
    };
    let (down, up) =
        (r#"{"at": "0.2s", "link": "down2", "up": false}"#, r#"{"at": "0.5s", "link": "down2", "up": true}"#);
    let [whole, broken, mended] = [at(""), at(down), at(&format!("{down}, {up}"))];
    let moved = whole.iter().filter(|(flow, path)| broken[*flow] != **path).count();
    let crossed = whole.values().filter(|path| path.contains(&"down2".to_owned())).count();
    assert!(moved == crossed && crossed > 0, "{moved} moved, {crossed} crossed it");
    assert!(broken.values().all(|path| !path.contains(&"down2".to_owned())));
    assert_eq!(whole, mended);
}

#[test]
fn a_way_by_hand_passes_its_nodes_and_comes_back_over_the_same_links() {
    let via =
        |nodes: &str| flow("f", &format!(r#", "via": [{nodes}], "workload": {{"kind": "transfer", "packets": 3}}"#));
    for routing in ["", ECMP] {
        let (s, running) = run(&leaf_spine(4, routing, &via(r#""spine3""#)));
        assert_eq!(routes(&s, &running)["f"], ["a", "up3", "down3", "b"]);
        let links = running.finished().link_table(&s);
        let sent = |port: &str| cell(&links, ("link", port), "sent");
        assert_eq!(["up3", "down3", "up3:reverse", "down3:reverse"].map(sent), [3.0; 4]);
    }
    // Down from one spine and up to another, and a way for each of a count.
    let detour = via(r#""spine2", "right""#).replace(r#""to": "b""#, r#""to": "spine4""#);
    assert_eq!(routes_of(&leaf_spine(4, "", &detour), 1)["f"], ["a", "up2", "down2", "down4:reverse"]);
    let each = routes_of(&leaf_spine(3, "", &flow("f{i}", r#", "count": 3, "via": ["left", "spine{i}"]"#)), 1);
    let spines: Vec<&str> = each.values().map(|path| path[1].as_str()).collect();
    assert_eq!(spines, ["up1", "up2", "up3"]);
}

#[test]
fn acknowledgements_of_a_given_path_avoid_what_is_down() {
    // Two links between x and y: the first one breaks in the direction of the acknowledgements only.
    let text = |events: &str| {
        format!(
            r#"{{"duration": "9s", "interval": "9s", "warm_up": "0s", "events": [{events}],
                "nodes": [{{"name": "a", "kind": "host"}}, {{"name": "x"}}, {{"name": "y"}}, {{"name": "b", "kind": "host"}}],
                "links": [{{"name": "ab", "from": "a", "to": "b", "rate": "8Mbit/s"}},
                          {{"name": "ax", "from": "a", "to": "x", "rate": "8Mbit/s"}}, {{"name": "by", "from": "b", "to": "y", "rate": "8Mbit/s"}},
                          {{"name": "one", "from": "x", "to": "y", "rate": "8Mbit/s"}}, {{"name": "two", "from": "x", "to": "y", "rate": "8Mbit/s"}}],
                "flows": [{{"name": "f", "from": "a", "to": "b", "via": ["x", "y"], "start": "1s", "workload": {{"kind": "transfer", "packets": 5}}}}]}}"#
        )
    };
    let sent = |events: &str| {
        let (s, running) = run(&text(events));
        let links = running.finished().link_table(&s);
        ["one", "one:reverse", "two", "two:reverse", "ab", "ab:reverse"]
            .map(|port| cell(&links, ("link", port), "sent"))
    };
    let down =
        |link: &str, way: &str| format!(r#"{{"at": "0.5s", "link": "{link}", "direction": "{way}", "up": false}}"#);
    assert_eq!(sent(""), [5.0, 5.0, 0.0, 0.0, 0.0, 0.0]);
    assert_eq!(sent(&down("one", "reverse")), [5.0, 0.0, 0.0, 5.0, 0.0, 0.0]);
    assert_eq!(sent(&down("one", "both")), [0.0, 0.0, 5.0, 5.0, 0.0, 0.0]);
    // Without a way over x and y it waits, whatever other ways there are.
    assert_eq!(sent(&down("ax", "both"))[4..], [0.0, 0.0]);
}

#[test]
fn ways_that_cannot_be_are_refused_with_their_place() {
    let said = |via: &str| {
        let text = leaf_spine(2, "", &flow("f", &format!(r#", "via": [{via}]"#)))
            .replace(r#""nodes": ["#, r#""nodes": [{"name": "island"}, "#);
        Scenario::from_json(&text).map_or_else(|e| e.to_string(), |_| String::new())
    };
    assert_eq!(said(""), "");
    assert_eq!(said(r#""left", "spine2", "right""#), "");
    assert_eq!(
        said(r#""left", "spin2""#),
        r#"flows[0].via[1]: found "spin2"; expected the name of a node (did you mean `spine2`?)"#
    );
    assert_eq!(
        said(r#""spine1", "island""#),
        r#"flows[0].via[1]: found "island"; expected a node that can be reached over links from "spine1""#
    );
    let twice =
        |node: &str| format!(r#"expected nodes on a path that visits each node once; it visits "{node}" twice"#);
    assert_eq!(said(r#""spine1", "left""#), format!(r#"flows[0].via[1]: found "left"; {}"#, twice("left")));
    assert_eq!(said(r#""spine1", "spine2""#), format!(r#"flows[0].via[1]: found "spine2"; {}"#, twice("left")));
    assert_eq!(said(r#""spine1", "spine1""#), format!(r#"flows[0].via[1]: found "spine1"; {}"#, twice("spine1")));
    assert_eq!(said(r#""a""#), format!(r#"flows[0].via[0]: found "a"; {}"#, twice("a")));
    assert_eq!(said(r#""b""#), format!(r#"flows[0].to: found "b"; {}"#, twice("b")));
}

#[test]
fn a_buffer_on_any_of_the_ways_holds_a_packet() {
    let text = |routing: &str, small: u32| {
        let links = (1..4).map(|i| {
            let buffer = if i == small { "900B" } else { "9KB" };
            format!(r#"{{"name": "up{i}", "from": "left", "to": "spine{i}", "rate": "8Mbit/s", "queue": {{"kind": "fcfs", "buffer": "{buffer}"}}}}"#)
        });
        let own = r#"{"name": "up{i}", "from": "left", "to": "spine{i}", "rate": "8Mbit/s", "count": 3}"#;
        leaf_spine(3, routing, &flow("f", "")).replace(own, &links.collect::<Vec<_>>().join(","))
    };
    let said =
        |routing, small| Scenario::from_json(&text(routing, small)).map_or_else(|e| e.to_string(), |_| String::new());
    let why = "found 900B; expected at least one packet of flow \"f\", 1000B";
    assert_eq!((said("", 1), said("", 3)), (format!("links[2].queue.buffer: {why}"), String::new()));
    assert_eq!(said(ECMP, 3), format!("links[4].queue.buffer: {why}"));
}

/// A connected or unconnected network of links between nodes, some of whose directions are down.
type Net = (usize, Vec<(usize, usize)>, Vec<bool>);

fn nets() -> impl Strategy<Value = Net> {
    (2..9usize).prop_flat_map(|n| {
        let links = prop::collection::vec((0..n, 1..n).prop_map(move |(a, step)| (a, (a + step) % n)), 1..16);
        (Just(n), links, prop::collection::vec(prop::bool::weighted(0.1), 32))
    })
}

/// A scenario of the links; its one flow crosses the first of them.
fn net((n, links, _): &Net) -> Scenario {
    let nodes: Vec<String> = (0..*n).map(|i| format!(r#"{{"name": "n{i}"}}"#)).collect();
    let links: Vec<String> = links
        .iter()
        .enumerate()
        .map(|(i, (a, b))| format!(r#"{{"name": "l{i}", "from": "n{a}", "to": "n{b}", "rate": "1Mbit/s"}}"#))
        .collect();
    let (from, to) = net_ends(&links[0]);
    let text = format!(
        r#"{{"duration": "1s", "nodes": [{}], "links": [{}], "flows": [{{"name": "f", "from": "{from}", "to": "{to}"}}]}}"#,
        nodes.join(","),
        links.join(",")
    );
    Scenario::from_json(&text).unwrap_or_else(|e| panic!("{e}"))
}

fn net_ends(link: &str) -> (String, String) {
    let value: serde_json::Value = serde_json::from_str(link).expect("JSON");
    let end = |key: &str| value[key].as_str().expect("a name").to_owned();
    (end("from"), end("to"))
}

/// The directed links that work: number, ends.
fn working((_, links, down): &Net) -> Vec<(u32, usize, usize)> {
    let both = links.iter().enumerate().flat_map(|(i, (a, b))| [(2 * i, *a, *b), (2 * i + 1, *b, *a)]);
    both.filter(|(link, ..)| !down[*link]).map(|(link, a, b)| (link as u32, a, b)).collect()
}

/// The path of a search from the source that tries links in the order of the file.
fn by_search(links: &[(u32, usize, usize)], n: usize, from: usize, to: usize) -> Option<Vec<u32>> {
    let mut paths: Vec<Option<Vec<u32>>> = vec![None; n];
    paths[from] = Some(Vec::new());
    let mut next = VecDeque::from([from]);
    while let Some(node) = next.pop_front() {
        for (link, _, far) in links.iter().filter(|link| link.1 == node) {
            if paths[*far].is_none() {
                let path = paths[node].as_ref().expect("it was reached").iter().copied().chain([*link]).collect();
                paths[*far] = Some(path);
                next.push_back(*far);
            }
        }
    }
    paths.swap_remove(to)
}

proptest! {
    #[test]
    fn paths_are_shortest_and_what_a_link_does_moves_only_its_own(net_of in nets(), packets in any::<u64>(), gone in 0..16usize) {
        let s = net(&net_of);
        let (n, links) = (net_of.0, working(&net_of));
        let hashes = Hashes::new(&s, 1);
        let (mut routes, mut without) = (Routes::new(&s), Routes::new(&s));
        routes.close(&net_of.2);
        let mut down = net_of.2.clone();
        (down[2 * gone], down[2 * gone + 1]) = (true, true);
        without.close(&down);
        for (from, to) in (0..n).flat_map(|from| (0..n).map(move |to| (from, to))) {
            let due = by_search(&links, n, from, to);
            prop_assert_eq!(&routes.path(&format!("n{from}"), &format!("n{to}")), &due, "from {} to {}", from, to);
            let mut path = Vec::new();
            let found = routes.extend(&mut path, from as u32, to as u32, Choice::Hash(packets, &hashes));
            prop_assert_eq!(found.is_ok(), due.is_some());
            let all: BTreeSet<u32> = routes.all(from as u32, to as u32).into_iter().collect();
            let Some(due) = due else {
                prop_assert!(all.is_empty());
                continue;
            };
            prop_assert_eq!(path.len(), due.len(), "the hash takes a shortest path");
            let mut node = from;
            for link in &path {
                let (_, a, b) = links.iter().find(|l| l.0 == *link).expect("it works");
                prop_assert_eq!(*a, node, "a path without a gap");
                node = *b;
            }
            prop_assert_eq!(node, to);
            // A link is on a shortest path if the ways to it and from it make one together.
            let hops = |a, b| by_search(&links, n, a, b).map(|path| path.len());
            let on: BTreeSet<u32> = links
                .iter()
                .filter(|(_, a, b)| hops(from, *a).zip(hops(*b, to)).is_some_and(|(x, y)| x + 1 + y == due.len()))
                .map(|link| link.0)
                .collect();
            prop_assert_eq!(all, on);
            if !path.iter().any(|link| *link as usize / 2 == gone) {
                let mut now = Vec::new();
                prop_assert!(without.extend(&mut now, from as u32, to as u32, Choice::Hash(packets, &hashes)).is_ok());
                prop_assert_eq!(now, path, "a flow that did not use the link stays");
            }
        }
    }
}
