use super::*;
use headgate_sim::spec::Scenario;
use headgate_sim::{Rows, Run};

fn scenario(control: &Value) -> Scenario {
    let made = json!({
        "duration": "5s",
        "nodes": [{"name": "a", "kind": "host"}, {"name": "b", "kind": "host"}, {"name": "g"}, {"name": "h"}],
        "links": [
            {"from": "a", "to": "g", "rate": "1Gbit/s"},
            {"from": "g", "to": "h", "rate": "10Mbit/s", "delay": "10ms", "queue": {"kind": "fcfs", "buffer": "20pkt"}},
            {"from": "h", "to": "b", "rate": "1Gbit/s"},
        ],
        "flows": [{"name": "own", "from": "a", "to": "b", "packet": "1500B", "control": control}],
    });
    Scenario::from_json(&made.to_string()).unwrap()
}

fn described(name: &str) -> Value {
    let increase = json!({"default": 1, "min": 0.5, "max": 4, "doc": "Packets a round trip."});
    json!({"name": name, "class": 3, "calls": ["on_start", "on_ack", "on_loss"], "parameters": {"increase": increase}})
}

/// What stands in for the page: a window that grows by a packet a round trip, and is halved.
fn aimd() -> host::Caller {
    let mut window = 1.0;
    let place = |name: &str| ACK.iter().position(|field| field.name == name).unwrap();
    let (credit, limited, recovering) = (place("credit"), place("limited"), place("recovering"));
    Box::new(move |handle, event, told| {
        assert_eq!(handle, 3);
        match event {
            0 => window = told[0],
            2 if told[limited] == 1.0 && told[recovering] == 0.0 => window += told[credit] / window,
            3 => window = (window / 2.0_f64).max(2.0),
            _ => {}
        }
        Ok([window, f64::INFINITY, 1.0, 0.0])
    })
}

fn digest(control: &Value) -> Result<String, String> {
    let scenario = scenario(control);
    let mut run =
        Run::new_unless(&scenario, 1, 0, Rows::Dropped, 100_000_000, &mut || false).map_err(|e| e.to_string())?;
    while !run.advance(10_000) {}
    match run.fault() {
        Some((_, fault)) => Err(fault.text.clone()),
        None => Ok(format!("{:016x}", run.digest().value())),
    }
}

#[test]
fn a_control_of_the_page_runs_the_same_each_time() {
    register(&described("mine")).unwrap();
    let ran = || {
        host::set(aimd());
        digest(&json!({"kind": "mine", "increase": 2})).unwrap()
    };
    assert_eq!(ran(), ran());
}

#[test]
fn what_a_control_does_wrong_ends_the_run_and_is_said() {
    register(&described("wrong")).unwrap();
    host::set(Box::new(|_, _, _| Err("TypeError: ack.rtt is null".to_owned())));
    assert_eq!(digest(&json!("wrong")).unwrap_err(), "TypeError: ack.rtt is null");
    host::set(Box::new(|_, _, _| Ok([f64::NAN, f64::INFINITY, 1.0, 0.0])));
    assert!(digest(&json!("wrong")).unwrap_err().starts_with("window: found NaN"));
}

#[test]
fn names_and_parameters_are_checked() {
    let said = |found: Value| register(&found).unwrap_err().fault.message;
    assert!(said(described("Mine")).contains("expected lower-case letters"));
    assert!(said(described("cubic")).contains("expected a name that no flow control of headgate has"));
    assert!(said(json!({"name": "x"})).starts_with("the class: "));
    register(&described("bounded")).unwrap();
    let refused = |control: Value| Scenario::from_json(&scenario_text(&control)).unwrap_err().to_string();
    assert!(refused(json!({"kind": "bounded", "increase": 5})).contains("expected a number from 0.5 to 4"));
    assert!(refused(json!({"kind": "bounded", "speed": 5})).contains("speed"));
}

fn scenario_text(control: &Value) -> String {
    json!({
        "duration": "1s", "nodes": [{"name": "a", "kind": "host"}, {"name": "b", "kind": "host"}],
        "links": [{"from": "a", "to": "b", "rate": "1Mbit/s"}], "flows": [{"name": "f", "from": "a", "to": "b", "control": control}],
    })
    .to_string()
}

#[test]
fn the_fields_are_those_of_a_control_in_python() {
    let names: Vec<String> =
        fields()["ack"].as_array().unwrap().iter().map(|field| field["name"].as_str().unwrap().to_owned()).collect();
    assert!(["now", "rtt", "credit", "limited", "recovering"].iter().all(|name| names.contains(&(*name).to_owned())));
    assert_eq!(fields()["causes"], json!(["duplicates", "timeout", "mark", "probe"]));
}
