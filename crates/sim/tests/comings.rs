//! Flows that come and go: completion times by hand, memory by those alive at one time, numbers that are used again, and queueing theory.

mod common;

use common::{column, run};
use headgate_sim::spec::Scenario;
use headgate_sim::{Cells, Run, Table};
use serde_json::{Value, json};

fn scenario(queue: Value, flows: Value, more: Value) -> String {
    let mut all = json!({
        "duration": "100s", "warm_up": "0s", "interval": "10s", "traces": ["completions"],
        "nodes": [{"name": "a", "kind": "gateway"}, {"name": "b", "kind": "host"}],
        "links": [{"name": "l", "from": "a", "to": "b", "rate": "8Mbit/s", "delay": "5ms", "queue": queue, "classify": "flow"}],
        "flows": flows,
    });
    for (key, value) in more.as_object().expect("a table") {
        all[key] = value.clone();
    }
    all.to_string()
}

fn open(arrivals: Value, packets: u64, size: &str) -> Value {
    json!({"name": "web", "from": "a", "to": "b", "control": "none", "acknowledge": false, "arrivals": arrivals,
           "workload": {"kind": "transfer", "packets": packets, "size": size}})
}

fn names(table: &Table, name: &str) -> Vec<String> {
    let Cells::Name(codes, names) = &table.iter().find(|(n, _)| *n == name).expect(name).1 else { panic!("{name}") };
    codes.iter().map(|c| names[*c as usize].clone()).collect()
}

#[test]
fn completion_times_by_hand() {
    // A packet takes 1 ms on the line and 5 ms on the way. Transfers of 4 packets at 0, 2 and 90 ms: the second waits 2 ms under FCFS.
    let flows = json!([open(json!({"kind": "times", "at": ["0s", "2ms", "90ms"]}), 4, "fixed")]);
    let (s, running) = run(&scenario(json!({"kind": "fcfs", "buffer": "unlimited"}), flows, json!({})));
    let rows = running.completion_table(&s);
    let ms = |name: &str| column(&rows, name).iter().map(|x| (x * 1e6).round() / 1e3).collect::<Vec<_>>();
    assert_eq!(ms("start_s"), [0.0, 2.0, 90.0]);
    assert_eq!(ms("fct_s"), [9.0, 11.0, 9.0]);
    assert_eq!(column(&rows, "bytes"), [4000.0; 3]);
    assert_eq!(names(&rows, "class"), ["web"; 3]);
    let slow: Vec<f64> = column(&rows, "slowdown").iter().map(|x| (x * 9.0).round()).collect();
    assert_eq!(slow, [9.0, 11.0, 9.0]);
    let classes = running.class_table(&s);
    let cell = |name: &str| column(&classes, name)[0];
    assert_eq!(["flows", "started", "finished", "unfinished", "packets"].map(cell), [3.0, 3.0, 3.0, 0.0, 12.0]);
    assert!((cell("fct_mean_s") - 29e-3 / 3.0).abs() < 1e-12 && (cell("fct_max_s") - 11e-3).abs() < 1e-12);
    assert!((cell("slowdown_mean") - 29.0 / 27.0).abs() < 1e-12);
    let sizes = running.size_table(&s);
    assert_eq!([column(&sizes, "size_min"), column(&sizes, "size_max")], [[4.0], [7.0]]);
    // All of it is counted for the entry, too.
    assert_eq!(column(&running.flow_table(&s), "unique"), [12.0]);
}

#[test]
fn what_is_lost_without_flow_control_never_ends_and_leaves_all_the_same() {
    let flows = json!([open(json!({"kind": "periodic", "every": "10ms"}), 8, "fixed")]);
    let (s, running) =
        run(&scenario(json!({"kind": "fcfs", "buffer": "4pkt"}), flows, json!({"duration": "1s", "interval": "1s"})));
    let classes = running.class_table(&s);
    let cell = |name: &str| column(&classes, name)[0];
    // Five of the eight fit: one on the line and four that wait.
    assert_eq!(["flows", "finished", "unfinished"].map(cell), [100.0, 0.0, 100.0]);
    assert_eq!(running.places(), 1 + 1, "each left before the next one came");
}

#[test]
fn requests_follow_each_other_on_one_connection() {
    let flows = json!([{"name": "s-{i}", "count": 2, "from": "a", "to": "b", "control": {"kind": "generic", "window": 4},
        "workload": {"kind": "requests", "object": {"packets": 3}, "think": "1s", "objects": 5}}]);
    let (s, running) = run(&scenario(json!({"kind": "fcfs", "buffer": "unlimited"}), flows, json!({})));
    let classes = running.class_table(&s);
    let cell = |name: &str| column(&classes, name)[0];
    assert_eq!(names(&classes, "class"), ["s-*"]);
    assert_eq!(["flows", "started", "finished", "packets"].map(cell), [2.0, 10.0, 10.0, 30.0]);
    let rows = running.completion_table(&s);
    let fct = column(&rows, "fct_s");
    assert!(fct.iter().all(|t| (8e-3 - 1e-9..20e-3).contains(t)), "{fct:?}");
}

#[test]
fn controlled_flows_leave_when_all_is_acknowledged_and_their_places_are_used_again() {
    for control in ["jk_reno", "generic", "packet_pair"] {
        let flows = json!([{"name": "web", "from": "a", "to": "b", "control": control, "arrivals": {"kind": "poisson", "mean": "40ms"},
            "workload": {"kind": "transfer", "packets": 10, "size": "exponential"}}]);
        for queue in ["fq", "fcfs", "drr"] {
            let (s, running) = run(&scenario(json!({"kind": queue, "buffer": "15pkt"}), flows.clone(), json!({})));
            let classes = running.class_table(&s);
            let cell = |name: &str| column(&classes, name)[0];
            let (flows, finished) = (cell("flows"), cell("finished"));
            assert!(flows > 2000.0 && finished > 0.99 * flows, "{control} {queue}: {finished} of {flows}");
            assert!(running.places() < 120, "{control} {queue}: {} places", running.places());
        }
    }
}

/// Digest and table of classes of a run; whether numbers of conversations are used again.
fn told(text: &str, fresh: bool) -> (u64, String) {
    let s = Scenario::from_json(text).expect("a scenario");
    let mut running = Run::new(&s, 7, 0);
    running.use_no_number_again(fresh);
    while !running.advance(10_000) {}
    (running.digest().value(), format!("{:?}", column(&running.class_table(&s), "fct_mean_s")))
}

#[test]
fn the_run_does_not_depend_on_when_numbers_are_used_again() {
    for entry in headgate_queue::LIST {
        let queue = json!({"kind": entry.name});
        let web = json!({"name": "web", "from": "a", "to": "b", "control": "jk_reno", "arrivals": {"kind": "poisson", "mean": "20ms"},
            "workload": {"kind": "transfer", "packets": 12, "size": "exponential"}});
        let heavy = json!({"name": "heavy", "from": "a", "to": "b", "control": "generic", "weight": 3, "arrivals": {"kind": "poisson", "mean": "110ms"},
            "packet": {"kind": "uniform"}, "workload": {"kind": "transfer", "packets": 30, "size": "exponential"}});
        let text = scenario(queue, json!([web, heavy]), json!({"duration": "30s"}));
        assert_eq!(told(&text, false), told(&text, true), "{}", entry.name);
    }
}

#[test]
fn a_break_moves_the_flows_that_are_there_and_those_to_come() {
    let flows = json!([{"name": "web", "from": "a", "to": "b", "control": "jk_reno", "arrivals": {"kind": "poisson", "mean": "100ms"},
        "workload": {"kind": "transfer", "packets": 20}}]);
    let more = json!({
        "nodes": [{"name": "a"}, {"name": "b"}, {"name": "c"}],
        "links": [{"name": "l", "from": "a", "to": "b", "rate": "8Mbit/s", "queue": "fq", "classify": "flow"},
                  {"name": "m", "from": "a", "to": "c", "rate": "8Mbit/s", "queue": "fq", "classify": "flow"},
                  {"name": "n", "from": "c", "to": "b", "rate": "8Mbit/s", "queue": "fq", "classify": "flow"}],
        "events": [{"at": "30s", "link": "l", "up": false}, {"at": "60s", "link": "l", "up": true}],
    });
    let (s, mut running) = run(&scenario(json!("fq"), flows, more));
    let links = running.link_table(&s);
    let sent = column(&links, "sent");
    let classes = running.class_table(&s);
    assert!(column(&classes, "finished")[0] > 900.0);
    // About 200 packets a second: 70 s over l, 30 s over m and n.
    for (port, due) in [(0, 14_000.0), (2, 6_000.0), (4, 6_000.0)] {
        assert!((sent[port] / due - 1.0).abs() < 0.2, "{sent:?}");
    }
}

/// Mean slowdown of a class whose transfers all come at once, and the load offered.
fn shared(load: f64, size: &str, packets: u64) -> (f64, f64) {
    // 8 Mbit/s are 1000 packets a second.
    let mean = format!("{}us", (packets as f64 / load * 1e3).round());
    let flows = json!([open(json!({"kind": "poisson", "mean": mean}), packets, size)]);
    let more = json!({"duration": "20000s", "warm_up": "200s", "interval": "1000s", "traces": []});
    let mut text: Value =
        serde_json::from_str(&scenario(json!({"kind": "fq", "buffer": "unlimited"}), flows, more)).expect("JSON");
    text["links"][0]["delay"] = json!("0s");
    let (s, running) = run(&text.to_string());
    let classes = running.class_table(&s);
    let sizes = running.size_table(&s);
    let large = column(&sizes, "slowdown_mean").pop().expect("there are sizes");
    (column(&classes, "slowdown_mean")[0], large)
}

/// M/G/1 with processor sharing (Kleinrock 1976, section 4.4): the mean slowdown is 1/(1 - load), for each size and whatever the distribution.
/// Under fair queueing of packets small transfers differ by a packet's time; the largest ones do not.
#[test]
#[cfg_attr(debug_assertions, ignore = "long: run in release by the Python tests")]
fn fair_queueing_shares_the_processor() {
    for (load, size) in [(0.5, "fixed"), (0.5, "exponential"), (0.8, "exponential")] {
        let (all, large) = shared(load, size, 50);
        let due = 1.0 / (1.0 - load);
        assert!((all / due - 1.0).abs() < 0.06, "load {load}, {size}: {all}, {due} due");
        assert!((large / due - 1.0).abs() < 0.2, "load {load}, {size}: {large} of the largest, {due} due");
    }
}
