//! Single packets and the backlog of a port, for which a run is repeated.

use super::session::{ask, lines, message, scenario};
use headgate_browser::{MORE, OK, Session, WHOLE};
use headgate_packet::Time;
use headgate_sim::spec::Scenario;
use headgate_sim::{Run, Window};
use headgate_view::packets::Part;
use serde_json::{Value, json};

/// Runs a scenario. Returns the path with which requests about the run begin, and the result as the page gets it.
fn run(session: &mut Session, scenario: &Value, more: Value) -> (String, Value) {
    let mut body = json!({ "scenario": scenario });
    body.as_object_mut().expect("a table").extend(more.as_object().cloned().unwrap_or_default());
    let found = lines(session, &json!({ "path": "/api/run", "body": body }), 100_000);
    let done = found.last().expect("a line")["done"].clone();
    (format!("/api/run/{}", done["run"].as_str().expect("a name")), done)
}

/// The answer to a request, for which the run may be repeated, and whether it was.
fn answer(session: &mut Session, path: &str, query: &Value) -> (u32, Value, bool) {
    let (status, found) = ask(session, &json!({ "path": path, "query": query }));
    if status != WHOLE {
        return (status, found, false);
    }
    let work = found.as_u64().expect("a number") as u32;
    loop {
        let reply = session.step(work, 500, 0.0);
        if reply.status != MORE {
            return (reply.status, serde_json::from_str(&reply.text).expect("JSON"), true);
        }
    }
}

/// All packets of a run.
fn followed(scenario: &Value, seed: u64, number: u64) -> Part {
    let mut read = Scenario::from_json(&scenario.to_string()).expect("it is valid");
    read.traces.clear();
    let mut run = Run::new(&read, seed, number);
    run.track_packets(Window { from: Time::ZERO, to: Time::NEVER, most: 1 << 20 });
    while !run.advance(u64::MAX) {}
    Part::of(&run.take_tracks().expect("they were asked for"), 0.0, read.duration.as_secs_f64())
}

#[test]
fn packets_are_those_of_the_run_with_its_seed_and_number() {
    let mut session = Session::default();
    let mut random = scenario();
    random["links"][0]["queue"] = json!({ "kind": "random_drop", "buffer": "10pkt" });
    let (path, done) = run(&mut session, &random, json!({ "seed": 7, "replication": 2 }));
    let (part, other) = (followed(&random, 7, 2), followed(&random, 7, 0));
    let port = part.at(0);
    assert_ne!(port.reason, other.at(0).reason);
    let query = json!({ "port": "slow", "from": "0", "to": "20", "kind": "all", "limit": "1000" });
    let (status, found, repeated) = answer(&mut session, &format!("{path}/packets"), &query);
    assert_eq!((status, repeated, &found["followed"]), (OK, true, &json!({ "from": 0.0, "to": 20.0 })));
    let packets = found["packets"].as_array().expect("a list");
    assert_eq!((packets.len(), &found["more"]), (1000, &json!(true)));
    for (i, packet) in packets.iter().enumerate() {
        assert_eq!((&packet["id"], &packet["seq"]), (&json!(port.number[i]), &json!(port.seq[i])));
        assert_eq!((&packet["marked"], packet["dropped"].is_null()), (&json!(port.marked[i]), port.reason[i] <= 0));
        // The reader of JSON that tests have is not exact in the last digit.
        let arrived = packet["arrived"].as_f64().unwrap_or(f64::NAN);
        assert!((arrived - port.arrived[i]).abs() < 1e-12, "{packet}");
    }
    // The run is repeated once.
    let query = json!({ "port": "slow", "kind": "drop", "flow": "two", "limit": "1000" });
    let (status, found, repeated) = answer(&mut session, &format!("{path}/packets"), &query);
    assert_eq!((status, repeated), (OK, false));
    let dropped = (0..port.len()).filter(|&i| port.reason[i] > 0 && port.flow[i] == 1).count();
    assert_eq!(found["packets"].as_array().map(Vec::len), Some(dropped));
    // All drops are after the warm-up of 2 s but those of the slow start.
    let lost: f64 = done["flows"].as_array().into_iter().flatten().filter_map(|flow| flow["lost"].as_f64()).sum();
    let late = (0..port.len()).filter(|&i| port.reason[i] > 0 && port.start[i] >= 2.0).count();
    assert_eq!(lost, late as f64);
}

#[test]
fn a_packet_is_told_in_full() {
    let mut session = Session::default();
    let (path, _) = run(&mut session, &scenario(), json!({}));
    let drops = json!({ "port": "slow", "kind": "drop", "limit": "1" });
    let (_, found, _) = answer(&mut session, &format!("{path}/packets"), &drops);
    let packet = &found["packets"][0];
    let way = format!("{path}/packet/slow/{}", packet["id"]);
    let (status, found, repeated) = answer(&mut session, &way, &json!({ "at": packet["arrived"].to_string() }));
    assert_eq!(
        (status, repeated, &found["packet"]["seq"], &found["packet"]["port"]),
        (OK, false, &packet["seq"], &json!("slow"))
    );
    let waited: u64 =
        found["waited_behind"].as_array().into_iter().flatten().filter_map(|b| b["packets"].as_u64()).sum();
    assert_eq!(waited, 10);
    let said = found["story"].to_string();
    for words in
        ["The buffer held 10 packets of at most 10 packets", "was dropped at once (full)", "The sender sent it again"]
    {
        assert!(said.contains(words), "{words}: {said}");
    }
    assert!(found["decision"]["rule"].as_str().is_some_and(|rule| rule.starts_with("The buffer was full")), "{found}");
}

#[test]
fn the_backlog_by_flow_adds_up_to_what_waits() {
    let mut session = Session::default();
    let (path, done) = run(&mut session, &scenario(), json!({}));
    let names: Vec<&Value> = done["views"].as_array().into_iter().flatten().map(|view| &view["name"]).collect();
    let place = names.iter().position(|name| **name == "backlog").expect("it has one");
    assert_eq!(
        (names[place + 1], &done["views"][place]["title"]),
        (&json!("ports"), &json!("Backlog of slow by flow"))
    );
    let query = json!({ "view": "backlog", "from": "5", "to": "6", "width": "1000" });
    let (status, found, repeated) = answer(&mut session, &format!("{path}/series"), &query);
    assert_eq!((status, repeated, found["series"].as_array().map(Vec::len)), (OK, true, Some(2)));
    let value = |line: usize, i: usize| found["series"][line]["y"][i].as_f64().expect("a number");
    let times = found["series"][0]["t"].as_array().expect("a list");
    assert!(times.len() > 20, "{}", times.len());
    let part = followed(&scenario(), 1, 0);
    for (i, at) in times.iter().enumerate().skip(1).step_by(5) {
        let at = at.as_f64().expect("a number");
        // At that time and just after it; times are rounded to nanoseconds.
        let waiting = (0..part.at(0).len()).filter(|&k| part.at(0).waits(k, at + 1e-9)).count();
        assert_eq!(value(0, i) + value(1, i), waiting as f64, "{at}");
        let (_, state, _) = answer(&mut session, &format!("{path}/network"), &json!({ "at": (at + 1e-9).to_string() }));
        let queue = state["queues"].as_array().into_iter().flatten().find(|queue| queue["port"] == "slow");
        assert_eq!(queue.map(|queue| &queue["packets"]), Some(&json!(waiting)), "{at}");
    }
}

#[test]
fn wrong_names_are_said_before_the_run_is_repeated() {
    let mut session = Session::default();
    let (path, _) = run(&mut session, &scenario(), json!({}));
    for (end, query, status, words) in [
        ("packets", json!({}), 404, "port ''; expected one of slow, slow:reverse"),
        ("packets", json!({ "port": "fast" }), 404, "port 'fast'"),
        ("packets", json!({ "port": "slow", "flow": "x" }), 404, "flow 'x'; expected one of one, two"),
        ("packets", json!({ "port": "slow", "kind": "x" }), 400, "kind: found 'x'; expected all or drop"),
        ("packets", json!({ "port": "slow", "from": "3", "to": "3" }), 400, "to: found 3"),
        ("packets", json!({ "port": "slow", "at": "x" }), 400, "at: expected a number"),
        ("network", json!({ "at": "x" }), 400, "at: expected a number"),
        ("packet/fast/0", json!({}), 404, "port 'fast'"),
        ("packet/slow/x", json!({}), 404, "no such page"),
    ] {
        let (found, told, repeated) = answer(&mut session, &format!("{path}/{end}"), &query);
        assert_eq!((found, repeated), (status, false), "{end} {query}: {told}");
        assert!(message(&told).contains(words), "{end} {query}: {told}");
    }
    let (status, told, repeated) = answer(&mut session, &format!("{path}/packet/slow/99999"), &json!({}));
    assert_eq!((status, repeated), (404, true));
    assert!(message(&told).starts_with("packet 99999; expected one that arrived at slow from 0 to 20 s"), "{told}");
    assert_eq!(answer(&mut session, "/api/run/none/packets", &json!({})).0, 404);
}
