use super::graph::Network;
use super::labels::{quantity, shown, span};
use super::layers::Layers;
use super::*;
use headgate_sim::spec::Scenario;
use proptest::prelude::*;
use serde_json::{Value, json};

fn read(whole: &Value) -> Scenario {
    Scenario::from_json(&whole.to_string()).unwrap_or_else(|e| panic!("{e}"))
}

fn over(topology: Value, from: &str, to: &str) -> Scenario {
    read(&json!({"duration": "1s", "topology": topology, "flows": [{"name": "f", "from": from, "to": to}]}))
}

/// Hosts with lines to one gateway, which has one more to the host `k`; `rate` is that of each host's line in Mbit/s.
fn star(hosts: usize, rate: impl Fn(usize) -> usize) -> Scenario {
    let names: Vec<String> = (0..hosts).map(|i| format!("h{i}")).collect();
    let mut nodes = vec![json!({"name": "g"}), json!({"name": "k", "kind": "host"})];
    nodes.extend(names.iter().map(|name| json!({"name": name, "kind": "host"})));
    let mut links = vec![json!({"name": "slow", "from": "g", "to": "k", "rate": "1Mbit/s"})];
    links.extend(
        names
            .iter()
            .enumerate()
            .map(|(i, name)| json!({"from": name, "to": "g", "rate": format!("{}Mbit/s", rate(i))})),
    );
    let flows: Vec<Value> = names.iter().map(|name| json!({"name": name, "from": name, "to": "k"})).collect();
    read(&json!({"duration": "1s", "nodes": nodes, "links": links, "flows": flows}))
}

#[test]
fn names_are_written_one_by_one_or_as_the_first_and_the_last() {
    assert_eq!(span(&["s1", "s2"]), "s1, s2");
    assert_eq!(span(&["s1", "s2", "s3", "s4"]), "s1 to s4");
    assert_eq!(span(&["s09", "s10", "s11", "s13"]), "s09, s10 ... s13");
    assert_eq!(span(&["a", "b", "x", "z"]), "a, b ... z");
    assert_eq!(span::<&str>(&[]), "none");
    assert_eq!(
        [shown("r1"), shown("a\u{1b}[2Jb"), shown("é\"'\\ \u{301}名\u{202e}")],
        ["r1", "a?[2Jb", "é\"'\\ \u{301}名?"]
    );
    assert_eq!(shown(&"x".repeat(300)).len(), 80);
}

#[test]
fn quantities_have_a_space_before_their_unit_and_four_digits_at_most_if_they_have_many() {
    for (text, due) in [
        ("20Mbit/s", "20 Mbit/s"),
        ("0ps", "0 s"),
        ("unlimited", "unlimited"),
        ("1504B", "1504 B"),
        ("7709186.825ns", "7.709 ms"),
        ("1234567kbit/s", "1.235 Gbit/s"),
        ("0.01", "0.01"),
        ("1.2.3.4.5xyz", "1.2.3.4.5xyz"),
    ] {
        assert_eq!(quantity(text), due);
    }
}

#[test]
fn a_dumbbell_has_its_lines_and_hosts_with_their_words() {
    let line = json!({"rate": "20Mbit/s", "delay": "10ms", "queue": {"kind": "fq", "buffer": "64KB"}, "jitter": {"mean": "2ms"},
        "duplicate": 0.00001, "aggregation": {}});
    let access = json!({"rate": "1Gbit/s", "delay": "1234567ns"});
    let topology = json!({"kind": "dumbbell", "hosts": 4, "line": line, "access": access});
    let flow = json!({"name": "f{i}", "count": 4, "from": "s{i}", "to": "d{i}"});
    let s = read(&json!({"duration": "1s", "topology": topology, "flows": [flow]}));
    let all = drawn(&s, Limits { row: 9, stations: 12, edges: 16 });
    let words = [
        "bottleneck",
        "20 Mbit/s, 10 ms",
        "fq 64 KB",
        "jitter mean 2 ms",
        "duplicate 1e-05",
        "aggregation packets 16 every 4 ms",
    ];
    assert_eq!(all["edges"], json!([{"ends": ["r1", "r2"], "words": words, "lines": 1}]));
    let group = |name: &str, called: &str, station: &str, sends: bool| json!({"name": name, "called": called, "count": 4, "station": station, "words": ["1 Gbit/s, 1.235 ms", "fcfs 100 pkt"], "sends": sends});
    assert_eq!(
        all["groups"],
        json!([
            group("s1 to s4 (4 hosts)", "s1 to s4", "r1", true),
            group("d1 to d4 (4 hosts)", "d1 to d4", "r2", false),
        ])
    );
    assert_eq!(all["of_hosts"], json!([{"text": "1 Gbit/s, 1.235 ms, fcfs 100 pkt", "lines": 8}]));
    assert_eq!(all["flows"], json!(["f1 to f4 (4): s1 to s4 → d1 to d4; jk_reno, ftp, 1000 B"]));
    assert_eq!((&all["layers"], &all["stages"]), (&json!([["r1"], ["r2"]]), &json!(false)));
}

#[test]
fn what_differs_by_direction_is_said_of_both() {
    let nodes = json!([{"name": "a", "kind": "host"}, {"name": "g"}, {"name": "h"}, {"name": "b", "kind": "host"}]);
    let rate = json!({"forward": "2Mbit/s", "reverse": "1Mbit/s"});
    let links = json!([
        {"name": "in", "from": "a", "to": "g", "rate": "1Mbit/s", "queue": "red", "reverse_queue": "fq"},
        {"name": "g->h", "from": "g", "to": "h", "rate": rate, "queue": {"kind": "csfq", "role": "core"}, "reverse_queue": "fq",
            "loss": {"reverse": {"kind": "bernoulli", "probability": 0.1}}},
        {"name": "out", "from": "h", "to": "b", "rate": "1Mbit/s", "queue": "red", "reverse_queue": "fq"},
    ]);
    let s = read(
        &json!({"duration": "1s", "nodes": nodes, "links": links, "flows": [{"name": "f", "from": "a", "to": "b"}]}),
    );
    let net = Network::of(&s);
    assert_eq!(net.edges[0].words(), ["2 Mbit/s →, 1 Mbit/s ←", "csfq core 64 KB →, fq 100 pkt ←", "loss bernoulli ←"]);
    // Of the line of a host counts the port at the gateway.
    assert_eq!(
        net.groups.iter().map(|group| group.words()[2].clone()).collect::<Vec<_>>(),
        ["fq 100 pkt", "red 100 pkt"]
    );
}

#[test]
fn a_fat_tree_has_stages_and_a_chain_a_row() {
    let tree = Network::of(&over(json!({"kind": "fat_tree", "k": 4}), "h1", "h16"));
    let found = Layers::of(&tree);
    assert!(found.stages && !found.is_row());
    assert_eq!(found.layers.iter().map(Vec::len).collect::<Vec<_>>(), [8, 8, 4]);
    let chain = Network::of(&over(json!({"kind": "chain", "gateways": 5}), "h1", "h2"));
    let found = Layers::of(&chain);
    assert!(found.is_row() && !found.stages);
    assert_eq!(found.layers.concat(), ["r1", "r2", "r3", "r4", "r5"]);
}

#[test]
fn a_large_network_is_folded() {
    let s = over(json!({"kind": "chain", "gateways": 1000}), "h1", "h2");
    let small = drawn(&s, Limits { row: 24, stations: 12, edges: 16 });
    let titles: Vec<&str> =
        small["stations"].as_array().expect("a list").iter().filter_map(|x| x["title"].as_str()).collect();
    assert_eq!(titles.len(), 17);
    assert_eq!((titles[7], titles[8], titles[9]), ("r8", "r9 to r992 (984 gateways)", "r993"));
    assert_eq!(small["edges"].as_array().map(Vec::len), Some(17), "the middle has lines within");
    let tree =
        drawn(&over(json!({"kind": "fat_tree", "k": 8}), "h1", "h2"), Limits { row: 24, stations: 12, edges: 16 });
    assert_eq!(tree["stations"][2]["title"], "c0.0, c0.1 ... c3.3 (16 gateways)");
    assert_eq!(tree["groups"].as_array().map(Vec::len), Some(1));
}

#[test]
fn many_kinds_of_lines_are_told_as_ranges() {
    let line =
        json!({"rate": ["1Mbit/s", "2Mbit/s", "3Mbit/s", "4Mbit/s", "5Mbit/s", "6Mbit/s", "7Mbit/s", "8Mbit/s"]});
    let s = over(json!({"kind": "random", "gateways": 30, "line": line}), "h1", "h2");
    let all = drawn(&s, Limits { row: 9, stations: 120, edges: usize::MAX });
    let edges = all["edges"].as_array().map_or(0, Vec::len);
    assert_eq!(all["styles"][0]["text"], "1 Mbit/s to 8 Mbit/s, fcfs 100 pkt");
    assert_eq!(
        (all["styles"].as_array().map(Vec::len), all["styles"][0]["edges"].as_array().map(Vec::len)),
        (Some(1), Some(edges))
    );
}

#[test]
fn hosts_beyond_eight_on_a_side_are_one_node() {
    for (hosts, others) in [(2, None), (8, None), (9, None), (10, Some(2)), (40, Some(32))] {
        for same in [true, false] {
            let found = picture(&star(hosts, |i| if same { 10 } else { 10 + i }));
            let left: Vec<&Node> = found.nodes.iter().filter(|node| node.x == 0.0).collect();
            let folded: Vec<&Node> = left.iter().copied().filter(|node| node.kind == "hosts").collect();
            assert_eq!(
                folded.iter().map(|node| node.name.clone()).collect::<Vec<_>>(),
                others.map(|n| format!("and {n} others")).into_iter().collect::<Vec<_>>()
            );
            assert_eq!(left.len(), if others.is_none() { hosts } else { HOSTS + 1 });
            // One line for all of them has a rate only if theirs are the same.
            for link in found.links.iter().filter(|link| folded.iter().any(|node| node.name == link.from)) {
                assert_eq!(link.rate, same.then_some(1e7));
            }
        }
    }
    assert_eq!(
        picture(&over(json!({"kind": "chain", "gateways": 200}), "h1", "h2")),
        Picture::default(),
        "too many to be drawn"
    );
}

proptest! {
    /// Whatever the network is, links lead to nodes of the picture, each node has its own name and place, and each host and link is in what is drawn.
    #[test]
    fn nothing_is_lost(gateways in 2_usize..20, more in prop::collection::vec((0_usize..20, 0_usize..20), 0..15), hosts in prop::collection::vec(0_usize..20, 2..30), row in 3_usize..9) {
        let mut nodes: Vec<Value> = (0..gateways).map(|i| json!({"name": format!("g{i}")})).collect();
        let mut links: Vec<Value> = (1..gateways).map(|i| json!({"from": format!("g{i}"), "to": format!("g{}", i / 2), "rate": "1Mbit/s"})).collect();
        links.extend(more.iter().map(|(a, b)| (a % gateways, b % gateways)).filter(|(a, b)| a != b).enumerate().map(|(i, (a, b))| {
            json!({"name": format!("m{i}"), "from": format!("g{a}"), "to": format!("g{b}"), "rate": "2Mbit/s"})
        }));
        for (i, at) in hosts.iter().enumerate() {
            nodes.push(json!({"name": format!("h{i}"), "kind": "host"}));
            links.push(json!({"from": format!("h{i}"), "to": format!("g{}", at % gateways), "rate": "9Mbit/s"}));
        }
        let s = read(&json!({"duration": "1s", "nodes": nodes, "links": links, "flows": [{"name": "f", "from": "h0", "to": "h1"}]}));
        let found = picture(&s);
        let names: std::collections::HashSet<&str> = found.nodes.iter().map(|node| node.name.as_str()).collect();
        prop_assert_eq!(names.len(), found.nodes.len());
        prop_assert!(found.nodes.iter().all(|node| (0.0..=1.0).contains(&node.x) && (0.0..=1.0).contains(&node.y)));
        prop_assert!(found.links.iter().all(|link| names.contains(link.from.as_str()) && names.contains(link.to.as_str())));
        let places: std::collections::HashSet<(u64, u64)> = found.nodes.iter().map(|node| (node.x.to_bits(), node.y.to_bits())).collect();
        prop_assert_eq!(places.len(), found.nodes.len());
        for limits in [Limits { row, stations: 5, edges: 5 }, Limits { row: usize::MAX, stations: usize::MAX, edges: usize::MAX }] {
            let all = drawn(&s, limits);
            let sum = |key: &str, of: &str| all[key].as_array().into_iter().flatten().filter_map(|x| x[of].as_u64()).sum::<u64>() as usize;
            prop_assert_eq!(sum("groups", "count"), hosts.len());
            prop_assert_eq!(sum("edges", "lines") + hosts.len(), s.links.len());
            prop_assert_eq!(sum("styles", "lines"), sum("edges", "lines"));
            prop_assert_eq!(sum("of_hosts", "lines"), hosts.len());
            let stations = all["stations"].as_array().map_or(0, Vec::len);
            prop_assert_eq!(all["layers"].as_array().into_iter().flatten().flat_map(|layer| layer.as_array()).map(Vec::len).sum::<usize>(), stations);
        }
    }
}
