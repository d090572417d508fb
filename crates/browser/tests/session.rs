//! Requests as the page makes them, and their answers.

use headgate_browser::{BEGUN, MORE, OK, Session};
use headgate_sim::Run;
use headgate_sim::spec::Scenario;
use serde_json::{Value, json};

/// Two flows over one link.
fn scenario() -> Value {
    let flow = |name: &str| json!({ "name": name, "from": "a", "to": "b", "control": "reno" });
    let link = json!({ "name": "slow", "from": "a", "to": "b", "rate": "1Mbit/s", "delay": "5ms", "queue": { "kind": "fcfs", "buffer": "10pkt" } });
    let nodes = json!([{ "name": "a", "kind": "gateway" }, { "name": "b", "kind": "gateway" }]);
    json!({ "duration": "20s", "warm_up": "2s", "nodes": nodes, "links": [link], "flows": [flow("one"), flow("two")] })
}

fn ask(session: &mut Session, request: &Value) -> (u32, Value) {
    let reply = session.ask(request.to_string().as_bytes());
    (reply.status, serde_json::from_str(&reply.text).expect("a reply is JSON"))
}

/// The lines of some work, in pieces of some events, as if each took 0.1 s.
fn lines(session: &mut Session, request: &Value, events: u32) -> Vec<Value> {
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

fn message(found: &Value) -> &str {
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
