//! What a scenario may hold, to the bound, and what is said of it beyond; the lists of algorithms as data.

use headgate_sim::catalogue::{LISTS, catalogue};
use headgate_sim::spec::Scenario;
use serde_json::{Value, json};

/// What is said of a scenario with these top-level keys, link and flows; nothing if it is right.
fn said(top: &str, link: &str, flows: &[&str]) -> String {
    let flows: Vec<String> =
        (0..flows.len()).map(|i| format!(r#"{{"name": "f{i}", "from": "a", {}}}"#, flows[i])).collect();
    let text = format!(
        r#"{{{top}, "nodes": [{{"name": "a"}}, {{"name": "b"}}, {{"name": "island"}}],
            "links": [{{"name": "l", "from": "a", "to": "b", "rate": "1Mbit/s"{link}}}], "flows": [{}]}}"#,
        flows.join(", ")
    );
    Scenario::from_json(&text).map_or_else(|e| e.to_string(), |_| String::new())
}

const SECOND: &str = r#""duration": "1s""#;
const RIGHT: &str = r#""to": "b""#;

#[test]
fn an_interval_is_a_part_of_the_duration() {
    let of = |interval: &str| {
        said(&format!(r#""duration": "50s", "warm_up": "0s", "interval": "{interval}""#), "", &[RIGHT])
    };
    assert_eq!(of("50s"), "");
    let expected = "expected a time above zero and at most the duration, 50s";
    assert_eq!(of("51s"), format!("interval: found 51s; {expected}"));
    assert_eq!(of("0s"), format!("interval: found 0ps; {expected}"));
}

#[test]
fn there_are_at_most_a_hundred_million_rows() {
    // A flow and a link: half as many intervals.
    let of = |duration: &str| said(&format!(r#""duration": "{duration}", "interval": "1us""#), "", &[RIGHT]);
    assert_eq!(of("50s"), "");
    for longer in ["50000001us", "80s"] {
        let expected = "expected at most 100000000 intervals times flows and links; a longer interval makes fewer";
        assert_eq!(of(longer), format!("interval: found 1us; {expected}"));
    }
}

#[test]
fn every_flow_is_looked_at() {
    // The second one is at fault, after one that is right.
    for (flow, due) in [
        (r#""to": "c""#, r#"flows[1].to: found "c"; expected the name of a node"#),
        (
            r#""to": "island""#,
            r#"flows[1].to: found "island"; expected a node that can be reached over links from "a""#,
        ),
        (r#""to": "a""#, r#"flows[1].to: found "a"; expected a node that can be reached over links from "a""#),
    ] {
        assert_eq!(said(SECOND, "", &[RIGHT, flow]), due);
    }
    let why = |bytes: u32| {
        format!(
            "links[0].rate: found 1bit/s; expected a higher rate: a packet of flow \"f1\", {bytes}B, would take more than 213 days"
        )
    };
    let slow = |second: &str| {
        let text = format!(
            r#"{{"duration": "1s", "nodes": [{{"name": "a"}}, {{"name": "b"}}], "links": [{{"from": "a", "to": "b", "rate": "1bit/s", "queue": {{"kind": "fcfs"}}}}],
                "flows": [{{"name": "f0", "from": "a", "to": "b"}}, {{"name": "f1", "from": "a", "to": "b", {second}}}, {{"name": "f2", "from": "a", "to": "b"}}]}}"#
        );
        Scenario::from_json(&text).map_or_else(|e| e.to_string(), |_| String::new())
    };
    assert_eq!(slow(r#""packet": "16MB""#), why(16_000_000));
    assert_eq!(slow(r#""ack": "16MiB""#), why(16 << 20));
}

#[test]
fn a_buffer_holds_the_longest_packet_of_all() {
    let link = r#", "queue": {"kind": "fcfs", "buffer": "1000B"}"#;
    let (short, long, longest) = (RIGHT, r#""to": "b", "packet": "1001B""#, r#""to": "b", "packet": "1200B""#);
    let due = |flow: u32, bytes: u32| {
        format!("links[0].queue.buffer: found 1000B; expected at least one packet of flow \"f{flow}\", {bytes}B")
    };
    assert_eq!(said(SECOND, link, &[short, short]), "");
    assert_eq!(said(SECOND, link, &[short, long]), due(1, 1001));
    assert_eq!(said(SECOND, link, &[long, longest, short]), due(1, 1200));
    assert_eq!(said(SECOND, link, &[longest, long]), due(0, 1200));
}

#[test]
fn the_buffer_at_the_far_end_has_its_own_name() {
    let from_b = |link: &str| {
        let text = format!(
            r#"{{"duration": "1s", "nodes": [{{"name": "a"}}, {{"name": "b"}}], "links": [{{"from": "a", "to": "b", "rate": "1Mbit/s"{link}}}],
                "flows": [{{"name": "f", "from": "b", "to": "a"}}]}}"#
        );
        Scenario::from_json(&text).map_or_else(|e| e.path, |_| String::new())
    };
    let (small, large) = (r#"{"kind": "fcfs", "buffer": "999B"}"#, r#"{"kind": "fcfs", "buffer": "1000B"}"#);
    assert_eq!(from_b(&format!(r#", "queue": {small}"#)), "links[0].queue.buffer");
    assert_eq!(from_b(&format!(r#", "queue": {large}, "reverse_queue": {small}"#)), "links[0].reverse_queue.buffer");
    assert_eq!(from_b(&format!(r#", "queue": {small}, "reverse_queue": {large}"#)), "");
    // The way there has `queue` whatever stands at the far end.
    let there = |link: &str| said(SECOND, link, &[RIGHT]);
    assert!(
        there(&format!(r#", "queue": {small}, "reverse_queue": {large}"#))
            .starts_with("links[0].queue.buffer: found 999B")
    );
    assert_eq!(there(&format!(r#", "queue": {large}, "reverse_queue": {small}"#)), "");
}

#[test]
fn counts_have_bounds_and_make_names() {
    let names = |flow: &str| {
        let text = format!(
            r#"{{"duration": "1s", "nodes": [{{"name": "a"}}, {{"name": "b"}}], "links": [{{"from": "a", "to": "b", "rate": "1Mbit/s"}}],
                "flows": [{{"from": "a", "to": "b", {flow}}}]}}"#
        );
        Scenario::from_json(&text)
            .map(|s| s.flows.iter().map(|f| f.name().into_owned()).collect::<Vec<_>>())
            .map_err(|e| e.to_string())
    };
    let of = |names: &[&str]| Ok(names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>());
    assert_eq!(names(r#""name": "f", "count": 2"#), of(&["f-1", "f-2"]));
    assert_eq!(names(r#""name": "f{i}x", "count": 2, "first": 0"#), of(&["f0x", "f1x"]));
    assert_eq!(names(r#""name": "f{i}""#), of(&["f{i}"]));
    for (count, first) in [(0, 1), (1_000_001, 1), (2, u32::MAX - 1)] {
        let due = format!("flows[0].count: found {count}; expected 1 to 1000000 flows in all");
        assert_eq!(names(&format!(r#""name": "f", "count": {count}, "first": {first}"#)), Err(due));
    }
}

/// Names, ends and ways of the flows of an entry with this count in a ring of four nodes; or what is said.
fn ring(flow: &str) -> Result<Vec<String>, String> {
    let text = format!(
        r#"{{"duration": "1s", "nodes": [{{"name": "r{{i}}", "count": 4}}],
            "links": [{{"from": "r{{i}}", "to": "r{{i%4+1}}", "rate": "1Mbit/s", "count": 4}}], "flows": [{{{flow}}}]}}"#
    );
    let resolved = Scenario::from_json(&text).map_err(|e| e.to_string())?;
    Ok(resolved.flows.iter().map(|f| format!("{}: {}", f.name(), f.stops().collect::<Vec<_>>().join(" "))).collect())
}

#[test]
fn names_are_computed_from_the_index() {
    let of = |names: &[&str]| Ok(names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>());
    let next = r#""name": "f{2*i}", "from": "r{i}", "to": "r{i%4+1}", "count": 4"#;
    assert_eq!(ring(next), of(&["f2: r1 r2", "f4: r2 r3", "f6: r3 r4", "f8: r4 r1"]));
    let far = r#""name": "f", "from": "r{i}", "to": "r{(i+1)%4+1}", "via": ["r{i+1}"], "count": 2"#;
    assert_eq!(ring(far), of(&["f-1: r1 r2 r3", "f-2: r2 r3 r4"]));
    // Names that come out equal.
    let same = r#""name": "f{i/2}", "from": "r1", "to": "r2", "count": 3"#;
    let due = "flows[0].name: found \"f1\"; duplicate name: already used by flows[0]";
    assert_eq!(ring(same), Err(due.to_owned()));
    // Without a count nothing is computed.
    assert_eq!(ring(r#""name": "f{i+1}", "from": "r1", "to": "r2""#), of(&["f{i+1}: r1 r2"]));
}

#[test]
fn wrong_arithmetic_is_said_with_its_place_and_value() {
    let expected = "expected whole numbers, i, + - * / % and parentheses between braces, such as {i+1}";
    let of = |key: &str, value: &str| {
        let flow = [("name", "f"), ("from", "r1"), ("to", "r2")]
            .map(|(k, v)| format!("{k:?}: {:?}", if k == key { value } else { v }));
        ring(&format!("{}, \"count\": 2", flow.join(", "))).expect_err(value)
    };
    for key in ["name", "from", "to"] {
        assert_eq!(of(key, "r{i+}"), format!("flows[0].{key}: found \"r{{i+}}\"; {expected}"));
    }
    assert_eq!(
        of("from", "r{i-2}"),
        "flows[0].from: found \"r{i-2}\"; expected a number that is not negative; {i-2} is -1 for i = 1"
    );
    let via =
        ring(r#""name": "f", "from": "r1", "to": "r2", "via": ["r3", "r{i"], "count": 2"#).expect_err("not closed");
    assert_eq!(via, format!("flows[0].via[1]: found \"r{{i\"; {expected}; a brace is not closed"));
    let nodes =
        r#"{"duration": "1s", "nodes": [{"name": "a"}, {"name": "r{i*}", "count": 2}], "links": [], "flows": []}"#;
    let why = Scenario::from_json(nodes).expect_err("wrong").to_string();
    assert_eq!(why, format!("nodes[1].name: found \"r{{i*}}\"; {expected}"));
}

#[test]
fn parameters_of_sources_are_checked() {
    for (workload, due) in [
        (r#"{"kind": "on_off", "on": "0s"}"#, "flows[0].workload.on"),
        (r#"{"kind": "poisson", "mean": "99ps"}"#, "flows[0].workload.mean"),
        (r#"{"kind": "telnet", "mean": "99ps"}"#, "flows[0].workload.mean"),
        (r#"{"kind": "background", "schedule": []}"#, "flows[0].workload.schedule"),
    ] {
        let got = said(SECOND, "", &[&format!(r#""to": "b", "workload": {workload}"#)]);
        assert!(got.starts_with(&format!("{due}: found ")), "{workload}: {got}");
    }
    for (packet, due) in [
        (r#"{"kind": "exponential", "mean": "2000B", "max": "1999B"}"#, "flows[0].packet.max"),
        (r#"{"kind": "pareto", "min": "40B", "max": "40B"}"#, "flows[0].packet.max"),
        (r#"{"kind": "uniform", "min": "40B", "max": "40B"}"#, "flows[0].packet.max"),
    ] {
        let got = said(SECOND, "", &[&format!(r#""to": "b", "packet": {packet}"#)]);
        assert!(got.starts_with(&format!("{due}: found ")), "{packet}: {got}");
    }
}

#[test]
fn the_seed_is_1_unless_given() {
    let text = |seed: &str| {
        format!(
            r#"{{"duration": "1s"{seed}, "nodes": [{{"name": "a"}}, {{"name": "b"}}], "links": [{{"from": "a", "to": "b", "rate": "1Mbit/s"}}],
                "flows": [{{"name": "f", "from": "a", "to": "b"}}]}}"#
        )
    };
    let seed = |more: &str| Scenario::from_json(&text(more)).expect("a good scenario").seed;
    assert_eq!((seed(""), seed(r#", "seed": 7"#)), (1, 7));
}

/// A parameter in a list.
fn parameter(list: &str, name: &str, parameter: &str) -> Value {
    let list = catalogue(list).expect(list);
    let entry = list.as_array().expect("a list").iter().find(|e| e["name"] == name).expect(name);
    let parameters = entry["parameters"].as_array().expect("a list");
    parameters.iter().find(|p| p["name"] == parameter).expect(parameter).clone()
}

#[test]
fn the_lists_are_data() {
    assert_eq!(catalogue("no list"), None);
    for (name, entries) in LISTS {
        let list = catalogue(name).expect(name);
        let names: Vec<&str> = list.as_array().expect("a list").iter().filter_map(|e| e["name"].as_str()).collect();
        assert_eq!(names, entries.iter().map(|e| e.name).collect::<Vec<_>>());
    }
    let fcfs = &catalogue("disciplines").expect("a list")[0];
    assert_eq!(fcfs["summary"], "First come, first served. An arrival at a full buffer is dropped.");
    let buffer = "Maximum backlog, in packets or bytes; the packet in transmission is not counted.";
    assert_eq!(
        fcfs["parameters"][1],
        json!({ "name": "buffer", "type": "buffer", "default": "100pkt", "description": buffer })
    );
}

#[test]
fn a_parameter_has_its_type_bounds_and_choices() {
    let of = |list: &str, name: &str, key: &str| {
        let p = parameter(list, name, key);
        (p["type"].clone(), p["default"].clone())
    };
    for (list, name, key, kind, default) in [
        ("disciplines", "red", "weight", "number", json!(0.002)),
        ("disciplines", "red", "gentle", "boolean", json!(false)),
        ("disciplines", "red", "mean_packet", "size in bytes", json!("1KB")),
        ("disciplines", "hrr", "slots", "array", json!([10, 10])),
        ("workloads", "on_off", "rate", "rate", json!("1Mbit/s")),
        ("workloads", "transfer", "packets", "integer", json!(10)),
        ("workloads", "on_off", "spans", "choice", json!("exponential")),
    ] {
        assert_eq!(of(list, name, key), (json!(kind), default), "{key} of {name}");
    }
    let shape = parameter("packet-sizes", "pareto", "shape");
    assert_eq!((&shape["minimum"], &shape["maximum"], &shape["choices"]), (&json!(0.01), &json!(100.0), &Value::Null));
    let spans = parameter("workloads", "on_off", "spans");
    let distributions: Vec<&str> = headgate_sim::laws::LIST.iter().map(|entry| entry.name).collect();
    assert_eq!((&spans["choices"], &spans["meanings"]), (&json!(distributions), &Value::Null));
    // A choice that holds a value has the name by which a file gives it.
    assert_eq!(parameter("flow-controls", "blt", "windows")["choices"], json!(["geometric", "additive"]));
    assert_eq!(
        (&spans["minimum"], &parameter("disciplines", "fcfs", "buffer")["meanings"]),
        (&Value::Null, &Value::Null)
    );
}

#[test]
fn a_million_of_each_is_the_most() {
    let many = r#""to": "b", "count": 1000000"#;
    let why = "expected 1 to 1000000 flows in all";
    assert_eq!(said(SECOND, "", &[many, RIGHT]), format!("flows: found 1000001; {why}"));
    assert_eq!(said(SECOND, "", &[RIGHT, many]), format!("flows[1].count: found 1000000; {why}"));
}
