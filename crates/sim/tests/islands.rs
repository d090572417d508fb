//! Islands of Core-Stateless Fair Queueing: which ports label, which police, and that several islands share fairly.

use crate::common;

use common::{column, run};
use headgate_sim::spec::Scenario;
use headgate_sim::{Cells, Run};
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
fn links_into_an_island_take_labels_off_and_its_border_labels_what_has_none() {
    let islands = json!([{ "gateways": ["r1", "r2"] }, { "gateways": ["r3", "r4", "r5"], "queue": { "kind": "csfq", "k": "9ms" } }]);
    let file = chain(5, &[1, 5], islands);
    let all = [
        ("r1 to h1", "edge"),
        ("r1 to r2", "edge"),
        ("r2 to r1", "edge"),
        ("r2 to r3", "edge"),
        ("r3 to r2", "edge"),
        ("r3 to r4", "edge"),
        ("r4 to r3", "core"),
        ("r4 to r5", "core"),
        ("r5 to r4", "edge"),
        ("r5 to h5", "edge"),
    ];
    assert_eq!(ports(&file), due(&all));
    // An end of a flow at the border changes nothing.
    let mut ends = file.clone();
    ends["flows"][0]["to"] = "r3".into();
    assert_eq!(ports(&ends)["r3 to r4"], "edge");
    let s = serde_json::to_value(read(&file).expect("it is right")).expect("plain data");
    // hop2 leads from one island to the other.
    assert_eq!((&s["links"][1]["queue"]["k"], &s["links"][1]["reverse_queue"]["k"]), (&json!("100ms"), &json!("9ms")));
    assert_eq!(s.get("islands"), None, "they have become disciplines");
    let off: Vec<&Value> =
        s["links"].as_array().expect("a list").iter().filter_map(|link| link.get("unlabel")).collect();
    assert_eq!(
        (off, &s["links"][1]["unlabel"]),
        (vec![&json!(true)], &json!(true)),
        "in both directions of hop2 alone"
    );
}

#[test]
fn what_is_in_no_island_keeps_its_discipline() {
    let mut file = chain(4, &[1, 4], json!([{ "gateways": ["r2", "r3"] }]));
    file["topology"]["line"]["queue"] = "fq".into();
    file["links"][0]["queue"] = "red".into();
    let all = [
        ("r1 to h1", "red"),
        ("r1 to r2", "fq"),
        ("r2 to r1", "edge"),
        ("r2 to r3", "edge"),
        ("r3 to r2", "edge"),
        ("r3 to r4", "edge"),
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
    // Constant rates far above the share, and one flow through both islands: half of each line for each flow.
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
        column(&run.finished().flow_table(&scenario), "received")
            .iter()
            .map(|n| n * 8.0 * 1000.0 / 20.0 / 1e6)
            .collect::<Vec<f64>>()
    };
    let two = shares(json!([{ "gateways": ["r1", "r2", "r3"] }, { "gateways": ["r4", "r5"] }]));
    assert!(two.iter().all(|share| (share - 0.5).abs() < 0.08), "{two:?}");
    let none = shares(json!([]));
    assert!(none[0] < 0.1, "without islands the long path starves: {none:?}");
}

/// A source of constant rate.
fn cbr(name: &str, from: &str, to: &str, rate: &str) -> Value {
    let workload = json!({ "kind": "cbr", "rate": rate, "jitter": 0.5 });
    json!({ "name": name, "from": from, "to": to, "control": "none", "acknowledge": false, "workload": workload })
}

/// Each flow's rate in Mbit/s.
fn rates((scenario, run): &(Scenario, Run), span: f64) -> Vec<f64> {
    column(&run.finished().flow_table(scenario), "received").iter().map(|n| n * 8.0 * 1000.0 / span / 1e6).collect()
}

/// The last value of a gauge at a port.
fn gauge((scenario, run): &(Scenario, Run), port: &str, gauge: &str) -> f64 {
    let table = run.finished().gauge_table(scenario);
    let named = |column: &str, name: &str| {
        let Cells::Name(codes, names) = &table.iter().find(|(n, _)| *n == column).expect(column).1 else {
            panic!("{column} holds no names")
        };
        codes.iter().map(|code| names[*code as usize] == name).collect::<Vec<bool>>()
    };
    let wanted = named("link", port).into_iter().zip(named("gauge", gauge)).map(|(a, b)| a && b);
    column(&table, "value").into_iter().zip(wanted).rfind(|(_, wanted)| *wanted).expect("the port has it").0
}

/// `n` flows through two islands, r1 to r3 and r4 to r5, at 1.5 times the line's rate together.
fn through_two_islands(n: u32) -> (Scenario, Run) {
    let mut flow = cbr("f{i}", "h1", "h5", &format!("{}bit/s", 150_000_000 / n));
    flow["count"] = n.into();
    flow["start_spread"] = "100ms".into();
    let mut file = chain(5, &[1, 5], json!([{ "gateways": ["r1", "r2", "r3"] }, { "gateways": ["r4", "r5"] }]));
    file["topology"]["line"]["rate"] = "100Mbit/s".into();
    for link in [0, 1] {
        file["links"][link]["rate"] = "1Gbit/s".into();
        file["links"][link]["classify"] = "flow".into();
    }
    file["topology"]["line"]["classify"] = "flow".into();
    file["flows"] = json!([flow]);
    file["duration"] = "2s".into();
    file["warm_up"] = "1s".into();
    file["interval"] = "500ms".into();
    run(&file.to_string())
}

#[test]
fn a_core_port_keeps_nothing_per_conversation_and_an_edge_port_does() {
    let sizes = [10, 100, 1000, 10_000].map(|n| {
        let run = through_two_islands(n);
        let all = rates(&run, 1.0).iter().sum::<f64>();
        // With 10,000 flows their packets are 0.5 s apart, five times K: estimates say little, and a part of the line is left unused.
        assert!((40.0..101.0).contains(&all), "packets arrive: {all} Mbit/s with {n} flows");
        // hop1 leaves the edge r1, hop2 the core r2, hop3 the border r3 of the first island, hop4 the border r4 of the second one.
        let bytes = ["hop1", "hop2", "hop3", "hop4"].map(|port| gauge(&run, port, "conversation_bytes"));
        assert!(bytes[0] >= 8.0 * f64::from(n) && bytes[3] >= 8.0 * f64::from(n), "edges estimate: {bytes:?}");
        bytes[1]
    });
    assert_eq!(sizes, [0.0; 4], "bytes in the core");
}

#[test]
fn what_an_island_has_labelled_is_not_labelled_again_at_its_border() {
    // r2 is in the middle of the way from r1 to r3, and has a neighbour outside. Were its packets labelled again there, their label would be their
    // rate behind hop1, and not what hop1 has rewritten it to; and r2 would keep an estimate of each.
    let mut file = chain(3, &[1, 3], json!([{ "gateways": ["r1", "r2", "r3"] }]));
    file["nodes"]
        .as_array_mut()
        .expect("a list")
        .extend([json!({ "name": "x" }), json!({ "name": "hx", "kind": "host" })]);
    file["links"].as_array_mut().expect("a list").extend([
        json!({ "name": "out", "from": "r2", "to": "x", "rate": "1Mbit/s" }),
        json!({ "from": "x", "to": "hx", "rate": "1Mbit/s" }),
    ]);
    file["flows"] = json!([cbr("transit", "h1", "h3", "800kbit/s"), cbr("comes", "hx", "h3", "2Mbit/s")]);
    file["flows"][0]["label"] = "1kbit/s".into();
    (file["duration"], file["interval"], file["warm_up"]) = ("20s".into(), "5s".into(), "5s".into());
    let got = rates(&run(&file.to_string()), 15.0);
    // The transit flow's label of 1 kbit/s is kept, so that nothing of it is dropped; the other arrives without one and gets the rest.
    assert!(got[0] > 0.7 && (got[1] - 0.2).abs() < 0.1, "{got:?}");
    // A label from outside does not enter.
    file["flows"][0]["label"] = Value::Null;
    file["flows"][0]["workload"]["rate"] = "900kbit/s".into();
    file["flows"][1]["label"] = "1kbit/s".into();
    let got = rates(&run(&file.to_string()), 15.0);
    assert!(got.iter().all(|rate| (rate - 0.5).abs() < 0.08), "{got:?}");
}

#[test]
fn a_host_that_writes_a_low_label_gets_what_it_sends_unless_the_edge_estimates_every_flow() {
    // Four flows at 4 Mbit/s into 10: 2.5 each. The edge believes a label of 1 kbit/s, and never drops its packets at random.
    let shares = |label: Value, role: &str| {
        let queue = json!({ "kind": "csfq", "buffer": "64KB", "role": role });
        let mut flows: Vec<Value> =
            (1..5).map(|i| cbr(&format!("f{i}"), &format!("s{i}"), &format!("d{i}"), "4Mbit/s")).collect();
        flows[0]["label"] = label;
        let file = json!({
            "duration": "40s", "warm_up": "10s", "interval": "10s",
            "topology": { "kind": "dumbbell", "hosts": 4, "line": { "rate": "10Mbit/s", "delay": "1ms", "queue": queue } },
            "flows": flows,
        });
        rates(&run(&file.to_string()), 30.0)
    };
    let near = |got: Vec<f64>, due: [f64; 4]| {
        assert!(
            got.iter().zip(due).all(|(got, due)| (got - due).abs() < 0.15 * due.max(1.0)),
            "{got:?} and not {due:?}"
        );
    };
    near(shares(Value::Null, "edge"), [2.5; 4]);
    near(shares("1kbit/s".into(), "edge"), [4.0, 2.0, 2.0, 2.0]);
    // Twice the truth: alpha / 8 of 4 with alpha (3 + 1/2) = 10.
    near(shares("8Mbit/s".into(), "edge"), [1.43, 2.86, 2.86, 2.86]);
    near(shares("1kbit/s".into(), "island"), [2.5; 4]);
}

#[test]
fn errors_name_the_island() {
    let said = |islands: Value| read(&chain(3, &[1, 3], islands)).expect_err("it is wrong");
    for (islands, due) in [
        (
            json!([{ "gateways": ["r1", "r7"] }]),
            r#"islands[0].gateways[1]: found "r7"; expected the name of a gateway, or a pattern that matches some (did you mean `r1`?)"#,
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
