//! Requests as the page makes them, and their answers.

use headgate_browser::{BEGUN, MORE, OK, Session};
use headgate_sim::spec::Scenario;
use headgate_sim::{Run, TableName};
use serde_json::{Value, json};

/// Two flows over one link.
pub fn scenario() -> Value {
    let flow = |name: &str| json!({ "name": name, "from": "a", "to": "b", "control": "reno" });
    let link = json!({ "name": "slow", "from": "a", "to": "b", "rate": "1Mbit/s", "delay": "5ms", "queue": { "kind": "fcfs", "buffer": "10pkt" } });
    let nodes = json!([{ "name": "a", "kind": "gateway" }, { "name": "b", "kind": "gateway" }]);
    json!({ "duration": "20s", "warm_up": "2s", "nodes": nodes, "links": [link], "flows": [flow("one"), flow("two")] })
}

pub fn ask(session: &mut Session, request: &Value) -> (u32, Value) {
    let reply = session.ask(request.to_string().as_bytes());
    (reply.status, serde_json::from_str(&reply.text).expect("a reply is JSON"))
}

/// The lines of some work, in pieces of some events, as if each took 0.1 s.
pub fn lines(session: &mut Session, request: &Value, events: u32) -> Vec<Value> {
    let (status, work) = ask(session, request);
    assert_eq!(status, BEGUN, "{work}");
    let (work, mut found) = (work.as_u64().expect("a number") as u32, Vec::new());
    for piece in 0.. {
        let reply = session.step(work, events, 0.1 * f64::from(piece));
        found.push(serde_json::from_str(&reply.text).expect("a line is JSON"));
        if reply.status != MORE {
            assert_eq!(reply.status, OK);
            break;
        }
    }
    found
}

pub fn message(found: &Value) -> &str {
    found["error"]["message"].as_str().unwrap_or_default()
}

#[test]
fn a_digest_is_that_of_the_run_whatever_its_pieces() {
    let read = Scenario::from_json(&scenario().to_string()).expect("it is valid");
    let mut run = Run::new(&read, 7, 2);
    while !run.advance(u64::MAX) {}
    let expected = format!("{:016x}", run.digest().value());
    let request = json!({ "path": "/api/digest", "body": { "scenario": scenario(), "seed": 7, "replication": 2 } });
    for events in [100, 1_000_000] {
        let found = lines(&mut Session::default(), &request, events);
        assert_eq!(found.last().expect("a line")["done"]["digest"], json!(expected));
    }
}

#[test]
fn a_long_run_shows_its_first_part_and_then_all_of_it() {
    let mut session = Session::default();
    let found = lines(&mut session, &json!({ "path": "/api/run", "body": { "scenario": scenario() } }), 1000);
    let preview = found.iter().find_map(|line| line.get("preview")).expect("a first part");
    let done = &found.last().expect("a line")["done"];
    assert_eq!((&preview["duration"], &done["duration"], &done["until"]), (&json!(20.0), &json!(20.0), &json!(20.0)));
    assert!(preview["until"].as_f64() < Some(20.0), "{}", preview["until"]);
    assert_eq!(done["flows"].as_array().map(Vec::len), Some(2));
    let share: f64 = (0..2).filter_map(|i| done["flows"][i]["share"].as_f64()).sum();
    assert!((share - 1.0).abs() < 1e-12, "{share}");
    assert_eq!(done["network"]["nodes"].as_array().map(Vec::len), Some(2));
    let path = format!("/api/run/{}/series", done["run"].as_str().expect("a name"));
    let query = json!({ "view": "throughput", "from": "0", "to": "20", "width": "100" });
    let (status, series) = ask(&mut session, &json!({ "path": path, "query": query }));
    assert_eq!((status, series["series"].as_array().map(Vec::len)), (OK, Some(2)));
}

#[test]
fn a_value_is_set_and_the_keys_of_the_scenario_keep_their_order() {
    let mut session = Session::default();
    let text =
        r#"{"duration":"7s","topology":"dumbbell","flows":[{"name":"f","from":"s1","to":"d1","control":"newreno"}]}"#;
    let request =
        format!(r#"{{"path":"/api/set","body":{{"scenario":{text},"path":"topology.line.rate","value":"5Mbit/s"}}}}"#);
    let reply = session.ask(request.as_bytes());
    let at = |key: &str| reply.text.find(key).expect("it has the key");
    assert_eq!(reply.status, OK, "{}", reply.text);
    assert!(at("\"duration\"") < at("\"topology\"") && at("\"topology\"") < at("\"flows\""));
    let found: Value = serde_json::from_str(&reply.text).expect("JSON");
    let rate = found["controls"].as_array().and_then(|all| all.iter().find(|c| c["path"] == "topology.line.rate"));
    assert_eq!(rate.map(|control| &control["number"]), Some(&json!(5e6)));
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let mut session = Session::default();
    let mut bad = scenario();
    bad["links"][0]["rate"] = json!("fast");
    for path in ["/api/run", "/api/digest", "/api/controls"] {
        let (status, found) = ask(&mut session, &json!({ "path": path, "body": { "scenario": bad } }));
        assert_eq!((status, found["error"]["path"].as_str()), (422, Some("links[0].rate")), "{path}: {found}");
    }
    for (request, status, words) in [
        (json!({ "path": "/api/compare" }), 404, "`headgate compare`"),
        (json!({ "path": "/elsewhere" }), 404, "no such page"),
        (json!({ "path": "/api/run" }), 400, "expected a scenario"),
        (json!({ "path": "/api/digest", "body": { "scenario": scenario(), "seed": -1 } }), 400, "seed: expected"),
        (json!({ "path": "/api/run/none/series" }), 404, "not kept any more"),
        (json!({ "body": 1 }), 400, "expected a request"),
    ] {
        let (found, answer) = ask(&mut session, &request);
        assert_eq!(found, status, "{request}");
        assert!(message(&answer).contains(words), "{request}: {answer}");
    }
    assert_eq!(session.ask(b"\xff").status, 400);
}

/// Two flows whose round trips differ, over one queue in order of arrival.
fn in_step() -> Value {
    let queue = json!({ "kind": "fcfs", "buffer": "1BDP" });
    let line = json!({ "rate": "20Mbit/s", "delay": "10ms", "queue": queue });
    let access = json!({ "rate": "200Mbit/s", "delay": ["0s", "10ms"] });
    let flow =
        |i: u32| json!({ "name": format!("f{i}"), "from": format!("s{i}"), "to": format!("d{i}"), "control": "reno" });
    let topology =
        json!({ "kind": "dumbbell", "hosts": 2, "line": line, "access": access, "exit": { "rate": "200Mbit/s" } });
    json!({ "duration": "30s", "hosts": { "noise": "1pkt" }, "topology": topology, "flows": [flow(1), flow(2)] })
}

#[test]
fn a_share_that_depends_on_the_phase_is_named() {
    let request = json!({ "path": "/api/phase", "body": { "scenario": in_step() } });
    let found = lines(&mut Session::default(), &request, 20_000);
    let shares: Vec<f64> = found.iter().filter_map(|line| line["progress"].as_f64()).collect();
    assert!(shares.is_sorted() && shares.last() == Some(&1.0), "{shares:?}");
    let done = &found.last().expect("a line")["done"];
    assert_eq!((&done["in_step"], &done["depends"], &done["more_flows"]), (&json!(true), &json!(true), &json!(0)));
    let sentence = done["sentence"].as_str().unwrap_or_default();
    assert!(sentence.starts_with("The share of f"), "{done}");
    // The result has the shares of three runs, one with each noise, over the whole time measured.
    for (level, noise) in ["0pkt", "0.1pkt", "1pkt"].iter().enumerate() {
        let mut noisy = in_step();
        noisy["hosts"]["noise"] = json!(noise);
        let read = Scenario::from_json(&noisy.to_string()).expect("it is valid");
        let mut run = Run::new(&read, read.seed, 0);
        while !run.advance(u64::MAX) {}
        let flows = run.finished().table(TableName::Flows, &read);
        let bytes = headgate_view::columns::ints(&flows, "unique_bytes");
        let share = bytes[0] as f64 / (bytes[0] + bytes[1]) as f64;
        assert_eq!(done["flows"][0]["shares"][level], json!(share), "{noise}");
    }
}

#[test]
fn flows_that_cannot_keep_in_step_are_not_run_again() {
    let mut given = in_step();
    given["flows"] = json!([given["flows"][0]]);
    let found = lines(&mut Session::default(), &json!({ "path": "/api/phase", "body": { "scenario": given } }), 1000);
    assert_eq!((found.len(), &found[0]["done"]["in_step"]), (1, &json!(false)));
}

fn value(session: &mut Session, path: &str, body: &Value) -> Value {
    let reply = session.ask(json!({ "path": path, "body": body }).to_string().as_bytes());
    assert_eq!(reply.status, OK, "{}", reply.text);
    serde_json::from_str(&reply.text).expect("JSON")
}

#[test]
fn the_tests_of_a_flow_control_are_made_run_and_judged() {
    let mut session = Session::default();
    let tested = json!({ "control": "cubic" });
    let line = json!({ "rate": "100kbit/s", "queue": { "kind": "fcfs", "buffer": "10pkt" } });
    let paths = json!({ "paths": [{ "name": "a slow line", "least": 1, "line": line }] });
    let asked = json!({ "tested": tested, "paths": paths });
    let made = value(&mut session, "/api/own/cases", &asked);
    let cases = made["cases"].as_array().expect("a list");
    assert!(cases.len() > 3, "{made}");
    for case in cases {
        let mut outcomes = Vec::new();
        for scenario in case["scenarios"].as_array().expect("a list") {
            let request = json!({ "path": "/api/own/outcome", "body": { "scenario": scenario } });
            outcomes.push(lines(&mut session, &request, 20_000).pop().expect("a line")["done"].clone());
        }
        let judged = json!({ "name": case["name"], "paths": paths, "outcomes": outcomes });
        assert_eq!(value(&mut session, "/api/own/verdict", &judged)["found"], Value::Null, "{outcomes:?}");
        // The slow line carries 100,000 bit/s / 8 / 1500 byte = 8.3 packets a second.
        if case["name"] == "a slow line" {
            let got = outcomes[0]["goodput_pps"].as_f64().expect("a number");
            assert!((7.8..8.4).contains(&got), "{got}");
            outcomes[0]["goodput_pps"] = json!(0.5);
            let judged = json!({ "name": case["name"], "paths": paths, "outcomes": outcomes });
            let found = value(&mut session, "/api/own/verdict", &judged);
            assert!(found["found"].as_str().is_some_and(|text| text.contains("0.5")), "{found}");
        }
    }
}

#[test]
fn a_module_with_a_flow_control_of_the_page_names_its_runs_so() {
    let mut session = Session::default();
    let request = json!({ "path": "/api/run", "body": { "scenario": in_step() } });
    let name = |session: &mut Session| lines(session, &request, 100_000).pop().expect("a line")["done"]["run"].clone();
    assert!(!name(&mut session).as_str().unwrap_or_default().starts_with("own-"));
    value(&mut session, "/api/own", &json!({ "name": "mine", "class": 0, "calls": ["on_ack"] }));
    assert!(name(&mut session).as_str().unwrap_or_default().starts_with("own-"));
}

#[test]
fn work_that_was_given_up_has_no_more_lines() {
    let mut session = Session::default();
    let (status, work) = ask(&mut session, &json!({ "path": "/api/digest", "body": { "scenario": scenario() } }));
    assert_eq!((status, work.as_u64()), (BEGUN, Some(1)));
    session.stop(1);
    let reply = session.step(1, 1000, 0.0);
    assert_eq!(reply.status, OK);
    assert!(reply.text.contains("The run was stopped."), "{}", reply.text);
}
