use super::*;
use headgate_sim::spec::Scenario;
use headgate_sim::{Rows, Run};

fn network(control: &Value) -> Value {
    json!({
        "duration": "5s",
        "nodes": [{"name": "a", "kind": "host"}, {"name": "b", "kind": "host"}, {"name": "g"}, {"name": "h"}],
        "links": [
            {"from": "a", "to": "g", "rate": "1Gbit/s"},
            {"from": "g", "to": "h", "rate": "10Mbit/s", "delay": "10ms", "queue": {"kind": "fcfs", "buffer": "20pkt"}},
            {"from": "h", "to": "b", "rate": "1Gbit/s"},
        ],
        "flows": [{"name": "own", "from": "a", "to": "b", "packet": "1500B", "control": control}],
    })
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
    let scenario = Scenario::from_json(&network(control).to_string()).unwrap();
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

/// The calls of a run by their numbers, under a class that is described so.
fn calls(described: &Value, queue: &Value, kinds: &mut Vec<f64>) -> Vec<usize> {
    register(described).unwrap();
    let count = std::rc::Rc::new(std::cell::RefCell::new((vec![0; 8], Vec::new())));
    let (seen, mut control) = (count.clone(), aimd());
    let kind = LOSS.iter().position(|field| field.name == "kind").unwrap();
    host::set(Box::new(move |handle, event, told| {
        let (calls, kinds) = &mut *seen.borrow_mut();
        calls[event as usize] += 1;
        kinds.extend((event == 3).then(|| told[kind]));
        control(handle, event, told)
    }));
    let mut made = network(&described["name"]);
    made["links"][1]["queue"] = queue.clone();
    let read = Scenario::from_json(&made.to_string()).unwrap();
    let mut run = Run::new_unless(&read, 1, 0, Rows::Dropped, 100_000_000, &mut || false).unwrap();
    while !run.advance(10_000) {}
    let (calls, found) = count.take();
    *kinds = found;
    calls
}

#[test]
fn a_class_that_asks_for_round_trips_is_called_once_in_each() {
    let queue = json!({"kind": "fcfs", "buffer": "20pkt"});
    let each = calls(&described("each"), &queue, &mut Vec::new());
    let mut round = described("each_round");
    round["every"] = json!("round");
    let rounds = calls(&round, &queue, &mut Vec::new());
    assert!(rounds[2] > 10 && 4 * rounds[2] < each[2], "{} of {}", rounds[2], each[2]);
}

#[test]
fn a_class_whose_packets_carry_ecn_is_told_of_marks() {
    let queue = json!({"kind": "codel", "mark": true, "buffer": "100pkt"});
    let mark = LossKind::ALL.iter().position(|kind| kind.name() == "mark").unwrap() as f64;
    let (mut without, mut with) = (Vec::new(), Vec::new());
    calls(&described("deaf"), &queue, &mut without);
    let mut hears = described("hears");
    hears["ecn"] = json!("ect0");
    calls(&hears, &queue, &mut with);
    assert!(!without.contains(&mark) && with.contains(&mark), "{without:?} {with:?}");
}

#[test]
fn gauges_are_traced() {
    let mut gauged = described("gauged");
    gauged["gauges"] = json!(["ceiling", "floor"]);
    register(&gauged).unwrap();
    host::set(aimd());
    let mut made = network(&json!("gauged"));
    made["traces"] = json!(["estimates"]);
    let read = Scenario::from_json(&made.to_string()).unwrap();
    let mut run = Run::new_unless(&read, 1, 0, Rows::Kept, 100_000_000, &mut || false).unwrap();
    while !run.advance(10_000) {}
    let table = run.finished().trace_table(&read);
    let values = headgate_view::columns::floats(&table, "value");
    // The stand-in gives ten times the handle, which is 3, and the place among the gauges.
    assert!(values.contains(&30.0) && values.contains(&31.0), "{values:?}");
}

#[test]
fn names_and_parameters_are_checked() {
    let said = |found: Value| register(&found).unwrap_err().fault.message;
    assert!(said(described("Mine")).contains("expected lower-case letters"));
    assert!(said(described("cubic")).contains("expected a name that no flow control of headgate has"));
    assert!(said(json!({"name": "x"})).starts_with("the class: "));
    register(&described("bounded")).unwrap();
    let refused = |control: Value| Scenario::from_json(&network(&control).to_string()).unwrap_err().to_string();
    assert!(refused(json!({"kind": "bounded", "increase": 5})).contains("expected a number from 0.5 to 4"));
    assert!(refused(json!({"kind": "bounded", "speed": 5})).contains("expected one of increase"));
    let bounds = |min: Option<f64>, max: Option<f64>| {
        let one = Parameter { default: 1.0, doc: String::new(), min, max };
        read(&BTreeMap::from([("x".to_owned(), one)]), &json!({"x": "y"})).unwrap_err().expected
    };
    assert_eq!(bounds(None, None), "expected a number");
    assert_eq!(bounds(Some(1.0), None), "expected a number of at least 1");
    assert_eq!(bounds(None, Some(2.0)), "expected a number of at most 2");
    assert_eq!(
        read(&BTreeMap::new(), &json!({"x": 1})).unwrap_err().expected,
        "there is no such parameter; expected none"
    );
    let untabled = json!({"name": "x", "class": 0, "calls": [], "parameters": {"increase": 1}});
    assert!(said(untabled).contains("expected an object with a default"));
}

#[test]
fn the_fields_are_those_of_a_control_in_python() {
    let names: Vec<String> =
        fields()["ack"].as_array().unwrap().iter().map(|field| field["name"].as_str().unwrap().to_owned()).collect();
    assert!(["now", "rtt", "credit", "limited", "recovering"].iter().all(|name| names.contains(&(*name).to_owned())));
    assert_eq!(fields()["causes"], json!(["duplicates", "timeout", "mark", "probe"]));
}
