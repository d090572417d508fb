//! Islands of Core-Stateless Fair Queueing: which ports label, which police, and that several islands share fairly.

mod common;

use common::{column, run};
use headgate_sim::spec::Scenario;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A chain of gateways with hosts where `hosted` says, and these islands.
fn chain(gateways: u32, hosted: &[u32], islands: Value) -> Value {
    let rate = "1Mbit/s";
    let ends = |i: &u32| json!({ "from": format!("h{i}"), "to": format!("r{i}"), "rate": rate });
    json!({
        "duration": "1s",
        "topology": { "kind": "chain", "gateways": gateways, "hosts": 0, "line": { "rate": rate } },
        "nodes": hosted.iter().map(|i| json!({ "name": format!("h{i}"), "kind": "host" })).collect::<Vec<_>>(),
        "links": hosted.iter().map(ends).collect::<Vec<_>>(),
        "islands": islands,
        "flows": [{ "name": "f", "from": format!("h{}", hosted[0]), "to": format!("h{}", hosted[hosted.len() - 1]) }],
    })
}

fn read(file: &Value) -> Result<Scenario, String> {
    Scenario::from_json(&file.to_string()).map_err(|e| e.to_string())
}

/// The discipline, or the role under `csfq`, of every port at a gateway.
fn ports(file: &Value) -> BTreeMap<String, String> {
    let s = serde_json::to_value(read(file).unwrap_or_else(|e| panic!("{e}"))).expect("plain data");
    let text = |v: &Value| v.as_str().unwrap_or_default().to_owned();
    let mut all = BTreeMap::new();
    for link in s["links"].as_array().expect("a list") {
        let reverse = link.get("reverse_queue").unwrap_or(&link["queue"]);
        for (at, to, queue) in [(&link["from"], &link["to"], &link["queue"]), (&link["to"], &link["from"], reverse)] {
            if text(at).starts_with('r') {
                let what = queue.get("role").unwrap_or(&queue["kind"]);
                all.insert(format!("{} to {}", text(at), text(to)), text(what));
            }
        }
    }
    all
}

fn due(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect()
}

#[test]
fn ports_beside_hosts_label_and_the_others_police() {
    let all = [
        ("r1 to h1", "edge"),
        ("r1 to r2", "edge"),
        ("r2 to r1", "core"),
        ("r2 to r3", "core"),
        ("r3 to r2", "edge"),
        ("r3 to h3", "edge"),
    ];
    assert_eq!(ports(&chain(3, &[1, 3], json!([{}]))), due(&all));
    // A gateway at which a flow ends labels too: its acknowledgements begin there.
    let mut file = chain(3, &[1, 3], json!([{}]));
    file["flows"][0]["to"] = "r2".into();
    assert_eq!(ports(&file)["r2 to r3"], "edge");
}

#[test]
fn at_a_border_every_packet_is_labelled_anew() {
    let islands = json!([{ "gateways": ["r1", "r2"] }, { "gateways": ["r3", "r4", "r5"], "queue": { "kind": "csfq", "k": "9ms" } }]);
    let file = chain(5, &[1, 5], islands);
    let all = [
        ("r1 to h1", "edge"),
        ("r1 to r2", "edge"),
        ("r2 to r1", "island"),
        ("r2 to r3", "island"),
        ("r3 to r2", "island"),
        ("r3 to r4", "island"),
        ("r4 to r3", "core"),
        ("r4 to r5", "core"),
        ("r5 to r4", "edge"),
        ("r5 to h5", "edge"),
    ];
    assert_eq!(ports(&file), due(&all));
    // An end of a flow at the border changes nothing.
    let mut ends = file.clone();
    ends["flows"][0]["to"] = "r3".into();
    assert_eq!(ports(&ends)["r3 to r4"], "island");
    let s = serde_json::to_value(read(&file).expect("it is right")).expect("plain data");
    // hop2 goes from one island to the other.
    assert_eq!((&s["links"][1]["queue"]["k"], &s["links"][1]["reverse_queue"]["k"]), (&json!("100ms"), &json!("9ms")));
    assert_eq!(s.get("islands"), None, "they have become disciplines");
}

#[test]
fn what_is_in_no_island_keeps_its_discipline() {
    let mut file = chain(4, &[1, 4], json!([{ "gateways": ["r2", "r3"] }]));
    file["topology"]["line"]["queue"] = "fq".into();
    file["links"][0]["queue"] = "red".into();
    let all = [
        ("r1 to h1", "red"),
        ("r1 to r2", "fq"),
        ("r2 to r1", "island"),
        ("r2 to r3", "island"),
        ("r3 to r2", "island"),
        ("r3 to r4", "island"),
        ("r4 to r3", "fq"),
        ("r4 to h4", "fcfs"),
    ];
    assert_eq!(ports(&file), due(&all));
}

#[test]
fn an_island_is_what_its_ports_would_be_by_hand() {
    let short = chain(3, &[1, 3], json!([{ "queue": { "kind": "csfq", "buffer": "9pkt" } }]));
    let mut long = chain(3, &[1, 3], json!([]));
    let queue = |role: &str| json!({ "kind": "csfq", "buffer": "9pkt", "role": role });
    let hop = |from: &str, to: &str, name: &str, roles: [&str; 2]| json!({ "name": name, "from": from, "to": to, "rate": "1Mbit/s", "delay": "0s", "queue": queue(roles[0]), "reverse_queue": queue(roles[1]) });
    let mut links = vec![hop("r1", "r2", "hop1", ["edge", "core"]), hop("r2", "r3", "hop2", ["core", "edge"])];
    links.extend(long["links"].as_array().expect("a list").iter().map(|link| {
        let mut link = link.clone();
        link["queue"] = queue("edge");
        link
    }));
    let names = ["r1", "r2", "r3"].map(|name| json!({ "name": name }));
    let hosts = long["nodes"].as_array().expect("a list").clone();
    long["nodes"] = names.into_iter().chain(hosts).collect();
    long["links"] = links.into();
    long.as_object_mut().expect("a table").remove("topology");
    assert_eq!(read(&short), read(&long));
}

#[test]
fn two_islands_in_a_row_share_fairly() {
    // Constant rates far above the share, and one flow through both islands: half of each line for everybody.
    let source = |name: &str, from: &str, to: &str, rate: &str| {
        let workload = json!({ "kind": "cbr", "rate": rate, "jitter": 0.5 });
        json!({ "name": name, "from": from, "to": to, "control": "none", "acknowledge": false, "workload": workload })
    };
    let file = |islands: Value| {
        json!({
            "duration": "30s", "interval": "10s",
            "topology": { "kind": "parking_lot", "hops": 4, "line": { "rate": "1Mbit/s" } },
            "islands": islands,
            "flows": [
                source("through", "a1", "b1", "800kbit/s"),
                source("x1", "s1", "d1", "3Mbit/s"), source("x2", "s2", "d2", "3Mbit/s"),
                source("x3", "s3", "d3", "3Mbit/s"), source("x4", "s4", "d4", "3Mbit/s"),
            ],
        })
        .to_string()
    };
    let shares = |islands: Value| {
        let (scenario, run) = run(&file(islands));
        column(&run.flow_table(&scenario), "received")
            .iter()
            .map(|n| n * 8.0 * 1000.0 / 20.0 / 1e6)
            .collect::<Vec<f64>>()
    };
    let two = shares(json!([{ "gateways": ["r1", "r2", "r3"] }, { "gateways": ["r4", "r5"] }]));
    assert!(two.iter().all(|share| (share - 0.5).abs() < 0.08), "{two:?}");
    let none = shares(json!([]));
    assert!(none[0] < 0.1, "without islands the long path starves: {none:?}");
}

#[test]
fn errors_name_the_island() {
    let said = |islands: Value| read(&chain(3, &[1, 3], islands)).expect_err("it is wrong");
    for (islands, due) in [
        (
            json!([{ "gateways": ["r1", "r7"] }]),
            r#"islands[0].gateways[1]: found "r7"; expected the name of a gateway, or a pattern that some have (did you mean `r1`?)"#,
        ),
        (json!([{ "gateways": ["h1"] }]), r#"islands[0].gateways[0]: found "h1"; expected the name of a gateway"#),
        (json!([{ "gateways": ["x*"] }]), r#"islands[0].gateways[0]: found "x*"; expected the name of a gateway"#),
        (json!([{ "gateways": [] }]), "islands[0].gateways: expected at least one name of a gateway"),
        (
            json!([{ "gateways": ["r1"] }, {}]),
            r#"islands[1].gateways[0]: found "*"; expected gateways of no other island: "r1" is in islands[0]"#,
        ),
        (
            json!([{ "queue": "fq" }]),
            r#"islands[0].queue: found "fq"; expected csfq, the discipline of packets with labels"#,
        ),
        (
            json!([{ "queue": { "kind": "csfq", "role": "core" } }]),
            r#"islands[0].queue.role: found "core"; expected none"#,
        ),
        (json!([{ "queue": { "kind": "csfq", "threshold": 7 } }]), "islands[0].queue.threshold: found 7"),
        (
            json!([{ "queue": { "kind": "csfq", "buffer": "10B" } }]),
            "islands[0].queue.buffer: found 10B; expected at least one packet of flow \"f\", 1000B",
        ),
        (
            json!([{ "gateways": ["r1", "r2"] }, { "gateways": ["r3"], "queue": { "kind": "csfq", "buffer": "10B" } }]),
            "islands[1].queue.buffer: found 10B",
        ),
        (json!([{ "gateway": ["r1"] }]), "islands[0].gateway: unknown key `gateway`; did you mean `gateways`?"),
    ] {
        let why = said(islands);
        assert!(why.starts_with(due), "{due}\n{why}");
    }
}
