//! Networks by a rule: what each kind lays, what lists and laws give, what stands beside it, and what is said of too much.

use headgate_sim::spec::{NodeKind, Scenario};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// A scenario with this topology, and a flow between these nodes.
fn scenario(topology: Value, [from, to]: [&str; 2]) -> Value {
    json!({ "duration": "1s", "topology": topology, "flows": [{ "name": "f", "from": from, "to": to }] })
}

fn read(file: &Value) -> Result<Scenario, String> {
    Scenario::from_json(&file.to_string()).map_err(|e| e.to_string())
}

fn laid(topology: Value, ends: [&str; 2]) -> Scenario {
    read(&scenario(topology, ends)).unwrap_or_else(|e| panic!("{e}"))
}

/// What is said of a topology that is wrong.
fn said(topology: Value) -> String {
    read(&scenario(topology, ["x", "y"])).expect_err("it is wrong")
}

fn names(s: &Scenario, kind: NodeKind) -> Vec<&str> {
    s.nodes.iter().filter(|n| n.kind == kind).map(|n| n.name.as_str()).collect()
}

/// Every link as `name: from to rate delay`.
fn links(s: &Scenario) -> Vec<String> {
    s.links
        .iter()
        .map(|l| format!("{}: {} {} {} {}", l.name, l.from, l.to, l.rate.forward.mean(), l.delay.forward))
        .collect()
}

#[test]
fn a_dumbbell() {
    let s = laid(json!({ "kind": "dumbbell", "hosts": 2, "sinks": 1 }), ["s2", "d1"]);
    assert_eq!(names(&s, NodeKind::Gateway), ["r1", "r2"]);
    assert_eq!(names(&s, NodeKind::Host), ["s1", "s2", "d1"]);
    let due = [
        "bottleneck: r1 r2 10Mbit/s 10ms",
        "s1->r1: s1 r1 100Mbit/s 0ps",
        "s2->r1: s2 r1 100Mbit/s 0ps",
        "r2->d1: r2 d1 100Mbit/s 0ps",
    ];
    assert_eq!(links(&s), due);
    assert_eq!(laid(json!("dumbbell"), ["s2", "d2"]).links.len(), 5);
    let exit =
        json!({ "kind": "dumbbell", "hosts": 1, "access": { "rate": "1Mbit/s" }, "exit": { "rate": "2Mbit/s" } });
    assert_eq!(links(&laid(exit, ["s1", "d1"]))[1..], ["s1->r1: s1 r1 1Mbit/s 0ps", "r2->d1: r2 d1 2Mbit/s 0ps"]);
}

#[test]
fn a_parking_lot() {
    let s = laid(json!({ "kind": "parking_lot", "hops": 2, "hosts": 2 }), ["a1", "b1"]);
    assert_eq!(names(&s, NodeKind::Gateway), ["r1", "r2", "r3"]);
    let ends: Vec<&str> = s.links.iter().map(|l| l.name.as_str()).collect();
    let hosts = ["a1->r1", "r3->b1", "s1->r1", "r2->d1", "s2->r1", "r2->d2", "s3->r2", "r3->d3", "s4->r2", "r3->d4"];
    assert_eq!(ends[..2], ["hop1", "hop2"]);
    assert_eq!(ends[2..], hosts);
    let bare = laid(json!({ "kind": "parking_lot", "hops": 1, "hosts": 0 }), ["a1", "b1"]);
    assert_eq!((bare.nodes.len(), bare.links.len()), (4, 3));
    let ends = json!({ "kind": "parking_lot", "hops": 1, "access": { "rate": "1Mbit/s", "delay": ["1ms", "2ms"] }, "ends": { "rate": "3Mbit/s" } });
    let due = [
        "a1->r1: a1 r1 3Mbit/s 0ps",
        "r2->b1: r2 b1 3Mbit/s 0ps",
        "s1->r1: s1 r1 1Mbit/s 1ms",
        "r2->d1: r2 d1 1Mbit/s 2ms",
    ];
    assert_eq!(links(&laid(ends, ["a1", "b1"]))[1..], due);
}

#[test]
fn a_chain_and_a_star() {
    let s = laid(json!({ "kind": "chain", "gateways": 3, "hosts": 2 }), ["h1", "h6"]);
    let ends: Vec<&str> = s.links.iter().map(|l| l.name.as_str()).collect();
    assert_eq!(ends, ["hop1", "hop2", "h1->r1", "h2->r1", "h3->r2", "h4->r2", "h5->r3", "h6->r3"]);
    let s = laid(json!({ "kind": "star", "hosts": 3 }), ["h1", "h3"]);
    assert_eq!(links(&s), ["h1->r1: h1 r1 10Mbit/s 5ms", "h2->r1: h2 r1 10Mbit/s 5ms", "h3->r1: h3 r1 10Mbit/s 5ms"]);
}

/// The neighbours of each node.
fn neighbours(s: &Scenario) -> BTreeMap<&str, BTreeSet<&str>> {
    let mut all: BTreeMap<&str, BTreeSet<&str>> = s.nodes.iter().map(|n| (n.name.as_str(), BTreeSet::new())).collect();
    for link in &s.links {
        all.get_mut(link.from.as_str()).expect("a node").insert(&link.to);
        all.get_mut(link.to.as_str()).expect("a node").insert(&link.from);
    }
    all
}

#[test]
fn a_fat_tree_has_k_ports_to_a_gateway_and_k_squared_over_4_ways_between_pods() {
    for k in [2_u32, 4, 6, 8] {
        let last = format!("h{}", k.pow(3) / 4);
        let s = laid(json!({ "kind": "fat_tree", "k": k }), ["h1", &last]);
        assert_eq!(names(&s, NodeKind::Host).len() as u32, k.pow(3) / 4);
        assert_eq!(names(&s, NodeKind::Gateway).len() as u32, 5 * k.pow(2) / 4);
        let near = neighbours(&s);
        for gateway in names(&s, NodeKind::Gateway) {
            assert_eq!(near[gateway].len() as u32, k, "{gateway}");
        }
        assert!(near["e0.0"].contains(format!("h{}", k / 2).as_str()));
        // Each core gateway is on one shortest way from the first pod to the last.
        let ups = |edge: &str| near[edge].iter().filter(|n| n.starts_with('a')).copied().collect::<Vec<_>>();
        let cores = |edge: &str| -> Vec<&str> { ups(edge).iter().flat_map(|a| &near[a]).copied().collect() };
        let both: BTreeSet<&str> = cores("e0.0").into_iter().filter(|c| c.starts_with('c')).collect();
        assert_eq!(both.len() as u32, k.pow(2) / 4);
        assert!(both.iter().all(|c| cores(&format!("e{}.0", k - 1)).contains(c)));
    }
}

#[test]
fn lists_repeat_and_laws_are_drawn_by_the_links_name() {
    let rates = ["1Mbit/s", "2Mbit/s", "3Mbit/s"];
    let lists =
        json!({ "kind": "parking_lot", "hops": 4, "hosts": 0, "line": { "rate": rates, "delay": ["1ms", "2ms"] } });
    let s = laid(lists, ["a1", "b1"]);
    let due =
        ["hop1: r1 r2 1Mbit/s 1ms", "hop2: r2 r3 2Mbit/s 2ms", "hop3: r3 r4 3Mbit/s 1ms", "hop4: r4 r5 1Mbit/s 2ms"];
    assert_eq!(links(&s)[..4], due);
    // Hosts have ten times the fastest of them.
    assert_eq!(links(&s)[4], "a1->r1: a1 r1 30Mbit/s 0ps");
    let star = |hosts: u32, seed: u32| {
        let rate = json!({ "kind": "uniform", "mean": "10Mbit/s", "spread": 0.5 });
        let access = json!({ "rate": rate, "delay": { "kind": "exponential", "mean": "20ms" } });
        laid(json!({ "kind": "star", "hosts": hosts, "access": access, "seed": seed }), ["h1", "h2"])
    };
    let (few, many) = (star(10, 1), star(1000, 1));
    assert_eq!(few.links, many.links[..10], "more hosts change none of those there are");
    assert_ne!(few.links, star(10, 2).links, "the seed draws other ones");
    assert!(many.links.iter().all(|l| (5_000_000..15_000_000).contains(&l.rate.forward.mean().as_bps())));
    let mean = |values: Vec<f64>| values.iter().sum::<f64>() / values.len() as f64;
    let rate = mean(many.links.iter().map(|l| l.rate.forward.mean().as_bps() as f64).collect());
    let delay = mean(many.links.iter().map(|l| l.delay.forward.as_secs_f64()).collect());
    // Within four standard errors of 1000 draws.
    assert!((rate / 10e6 - 1.0).abs() < 4.0 * 0.5 / 3.0_f64.sqrt() / 1000.0_f64.sqrt(), "{rate}");
    assert!((delay / 0.02 - 1.0).abs() < 4.0 / 1000.0_f64.sqrt(), "{delay}");
}

#[test]
fn lines_have_the_keys_of_links() {
    let line = json!({ "rate": "1Mbit/s", "queue": { "kind": "fq", "buffer": "9pkt" }, "reverse_queue": "red", "classify": "flow" });
    let s = laid(json!({ "kind": "chain", "line": line }), ["h1", "h3"]);
    let written = serde_json::to_value(&s.links[1]).expect("plain data");
    assert_eq!((&written["queue"]["kind"], &written["queue"]["buffer"]), (&json!("fq"), &json!("9pkt")));
    assert_eq!((&written["reverse_queue"]["kind"], &written["classify"]), (&json!("red"), &json!("flow")));
}

#[test]
fn what_stands_in_the_file_comes_after_the_topology() {
    let mut file = scenario(json!({ "kind": "chain", "gateways": 2 }), ["h1", "far"]);
    file["nodes"] = json!([{ "name": "far", "kind": "host" }]);
    file["links"] = json!([{ "from": "r2", "to": "far", "rate": "1Mbit/s" }]);
    file["events"] = json!([{ "at": "0.5s", "link": "hop1", "up": false }]);
    let s = read(&file).expect("it is right");
    assert_eq!(
        (s.nodes.last().map(|n| n.name.as_str()), s.links.last().map(|l| l.name.as_str())),
        (Some("far"), Some("r2->far"))
    );
    assert_eq!(s.topology, None, "it has become nodes and links");
    let again = Scenario::from_json(&serde_json::to_string(&s).expect("plain data")).expect("it is right");
    assert_eq!(s, again);
    file["nodes"] = json!([{ "name": "far" }, { "name": "r1" }]);
    assert_eq!(
        read(&file).expect_err("twice"),
        r#"nodes[1].name: found "r1"; duplicate name: already used by topology"#
    );
}

#[test]
fn a_run_over_a_topology_is_one_over_its_nodes_and_links() {
    let mut file = scenario(json!({ "kind": "dumbbell", "line": { "rate": "1Mbit/s" } }), ["s1", "d2"]);
    let digest = |s: &Scenario| {
        let mut run = headgate_sim::Run::new(s, 1, 0);
        while !run.advance(10_000) {}
        run.digest().value()
    };
    let short = digest(&read(&file).expect("it is right"));
    file["topology"] = Value::Null;
    file.as_object_mut().expect("a table").remove("topology");
    file["nodes"] = json!([{ "name": "r1" }, { "name": "r2" }, { "name": "s1", "kind": "host" }, { "name": "s2", "kind": "host" },
        { "name": "d1", "kind": "host" }, { "name": "d2", "kind": "host" }]);
    let link = |from: &str, to: &str, rate: &str| json!({ "from": from, "to": to, "rate": rate });
    file["links"] = json!([
        link("r1", "r2", "1Mbit/s"),
        link("s1", "r1", "10Mbit/s"),
        link("s2", "r1", "10Mbit/s"),
        link("r2", "d1", "10Mbit/s"),
        link("r2", "d2", "10Mbit/s")
    ]);
    file["links"][0]["name"] = "bottleneck".into();
    assert_eq!(short, digest(&read(&file).expect("it is right")));
}

#[test]
fn errors_name_the_parameter() {
    let line = |line: Value| said(json!({ "kind": "chain", "line": line }));
    for (why, due) in [
        (said(json!("ring")), "topology: found \"ring\"; expected a topology: one of dumbbell, parking_lot"),
        (
            said(json!({ "kind": "star", "host": 3 })),
            "topology.host: unknown key `host`; did you mean `hosts`? Expected one of",
        ),
        (said(json!({ "kind": "star", "hosts": 0 })), "topology.hosts: found 0; expected a number at least 1"),
        (said(json!({ "kind": "fat_tree", "k": 3 })), "topology.k: found 3; expected an even number"),
        (line(json!("fast")), "topology.line: found \"fast\"; expected properties of links"),
        (line(json!({ "delay": "1ms" })), "topology.line: expected a value for `rate`"),
        (line(json!({ "rate": "1Mbit/s", "name": "l" })), "topology.line.name: found \"l\"; expected no such key"),
        (
            line(json!({ "rate": "1Mbit/s", "dely": "1ms" })),
            "topology.line.dely: unknown key `dely`; did you mean `delay`?",
        ),
        (line(json!({ "rate": "fast" })), "topology.line.rate: found \"fast\""),
        (line(json!({ "rate": ["1Mbit/s", 7] })), "topology.line.rate[1]: found 7"),
        (line(json!({ "rate": [] })), "topology.line.rate: found []; expected at least one value"),
        (line(json!({ "rate": "1Mbit/s", "delay": ["soon"] })), "topology.line.delay[0]: found \"soon\""),
        (
            line(json!({ "rate": "1Mbit/s", "delay": { "kind": "poisson", "mean": "1ms" } })),
            "topology.line.delay.kind: found \"poisson\"; expected a distribution: one of",
        ),
        (
            line(json!({ "rate": "1Mbit/s", "delay": { "kind": "uniform", "mean": "1ms", "spread": 2 } })),
            "topology.line.delay.spread: found 2",
        ),
        (
            line(json!({ "rate": "1Mbit/s", "delay": { "kind": "fixed", "mean": 3 } })),
            "topology.line.delay.mean: found 3",
        ),
        (
            line(json!({ "rate": "1Mbit/s", "delay": { "kind": "web_search", "mean": "1ms" } })),
            "topology.line.delay.kind: found \"web_search\"",
        ),
        (
            line(json!({ "rate": "1Mbit/s", "queue": { "kind": "red", "weight": 2 } })),
            "topology.line.queue.weight: found 2",
        ),
    ] {
        assert!(why.starts_with(due), "{due}\n{why}");
    }
    let small = json!({ "kind": "chain", "line": { "rate": "1Mbit/s", "queue": { "kind": "fcfs", "buffer": "10B" } } });
    let why = read(&scenario(small, ["h1", "h3"])).expect_err("too small");
    assert_eq!(why, "topology.line.queue.buffer: found 10B; expected at least one packet of flow \"f\", 1000B");
    let none =
        read(&json!({ "duration": "1s", "flows": [{ "name": "f", "from": "a", "to": "b" }] })).expect_err("no nodes");
    assert_eq!(none, "nodes: expected at least one entry, or a `topology`");
}

#[test]
fn what_is_too_large_is_refused_before_it_is_made() {
    for (topology, due) in [
        (
            json!({ "kind": "fat_tree", "k": 1_000_000 }),
            "topology.k: found 1000000; expected at most 1000000 nodes and 1000000 links; there would be 250001250000000000 and 750000000000000000",
        ),
        (json!({ "kind": "fat_tree", "k": 112 }), "topology.k: found 112; expected at most 1000000 nodes"),
        (
            json!({ "kind": "fat_tree", "k": 10_000_000 }),
            "topology.k: found 10000000; expected a number at most 1000000",
        ),
        (
            json!({ "kind": "dumbbell", "hosts": 499_999, "sinks": 500_000 }),
            "topology.hosts: found 499999; expected at most",
        ),
        (json!({ "kind": "dumbbell", "hosts": 500_000 }), "topology.hosts: found 500000"),
        (json!({ "kind": "dumbbell", "hosts": 1, "sinks": 1_000_000 }), "topology.hosts: found 1; expected at most"),
        (json!({ "kind": "parking_lot", "hops": 1_000_000, "hosts": 1_000_000 }), "topology.hops: found 1000000"),
        (json!({ "kind": "chain", "gateways": 1_000_000, "hosts": 1_000_000 }), "topology.gateways: found 1000000"),
        (json!({ "kind": "star", "hosts": 1_000_000 }), "topology.hosts: found 1000000"),
        (json!({ "kind": "random", "gateways": 1_000_000, "degree": 999_999 }), "topology.gateways: found 1000000"),
        (
            json!({ "kind": "random", "gateways": 4, "degree": 3.5 }),
            "topology.degree: found 3.5; expected at most 3, the number of other gateways",
        ),
        (json!({ "kind": "random", "degree": 1e300 }), "topology.degree: found 1e+300"),
    ] {
        let why = said(topology);
        assert!(why.starts_with(due), "{due}\n{why}");
    }
    let most = json!({ "kind": "star", "hosts": 9 });
    let mut file = scenario(most, ["h1", "h2"]);
    file["nodes"] = json!([{ "name": "n{i}", "count": 999_991 }]);
    assert_eq!(read(&file).expect_err("too many"), "nodes[0].count: found 999991; expected 1 to 1000000 nodes in all");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn gateways_at_random_are_joined_as_often_as_asked(gateways in 1_u32..40, share in 0.0..1.0_f64, hosts in 1_u32..3, seed in 0_u64..9) {
        let degree = share * f64::from(gateways - 1);
        let topology = json!({ "kind": "random", "gateways": gateways, "degree": degree, "hosts": hosts, "seed": seed });
        // Every host can be reached from the first one, or there would be an error.
        let flows: Vec<Value> = (2..=gateways * hosts).map(|i| json!({ "name": format!("f{i}"), "from": "h1", "to": format!("h{i}") })).collect();
        prop_assume!(!flows.is_empty());
        let file = json!({ "duration": "1s", "topology": topology, "flows": flows });
        let s = read(&file).expect("all are joined");
        let due = (f64::from(gateways) * degree / 2.0).round().max(f64::from(gateways) - 1.0) as usize;
        prop_assert_eq!(s.links.len(), due + (gateways * hosts) as usize);
        let pairs: BTreeSet<_> = s.links.iter().map(|l| (&l.from, &l.to)).collect();
        prop_assert_eq!(pairs.len(), s.links.len(), "no pair is joined twice");
        prop_assert_eq!(&s, &read(&file).expect("the same"));
    }
}

#[test]
fn lines_may_be_as_links_are() {
    let text = r#"{"duration": "1s", "flows": [{"name": "f", "from": "s1", "to": "d1"}],
        "topology": {"kind": "dumbbell", "hosts": 2, "line": {"rate": {"forward": "9Mbit/s", "reverse": "1Mbit/s"},
            "delay": {"forward": "5ms", "reverse": "7ms"}, "loss": "bernoulli", "jitter": {"mean": "1ms"}},
            "access": {"rate": ["50Mbit/s", {"kind": "mahimahi", "times": [1]}], "framing": "ethernet"}}}"#;
    let s = Scenario::from_json(text).unwrap_or_else(|e| panic!("{e}"));
    let line = s.links.iter().find(|l| l.loss.forward.is_some()).expect("the bottleneck");
    assert_eq!((line.rate.way(true).mean().as_bps(), line.delay.way(true).as_ps()), (1_000_000, 7_000_000_000));
    assert!(s.links.iter().any(|l| l.rate.forward.is_trace()) && s.links.iter().any(|l| !l.framing.is_none()));
    assert_eq!(s, Scenario::from_json(&headgate_sim::spec_json(&s)).expect("resolves to itself"));
}
