//! Flows that come and go: completion times by hand, memory by those alive at one time, numbers that are used again, and queueing theory.

use crate::common;

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
    let rows = running.finished().completion_table(&s);
    let ms = |name: &str| column(&rows, name).iter().map(|x| (x * 1e6).round() / 1e3).collect::<Vec<_>>();
    assert_eq!(ms("start_s"), [0.0, 2.0, 90.0]);
    assert_eq!(ms("fct_s"), [9.0, 11.0, 9.0]);
    assert_eq!(column(&rows, "bytes"), [4000.0; 3]);
    assert_eq!(names(&rows, "class"), ["web"; 3]);
    let slow: Vec<f64> = column(&rows, "slowdown").iter().map(|x| (x * 9.0).round()).collect();
    assert_eq!(slow, [9.0, 11.0, 9.0]);
    let classes = running.finished().class_table(&s);
    let cell = |name: &str| column(&classes, name)[0];
    assert_eq!(["flows", "started", "finished", "unfinished", "packets"].map(cell), [3.0, 3.0, 3.0, 0.0, 12.0]);
    assert!((cell("fct_mean_s") - 29e-3 / 3.0).abs() < 1e-12 && (cell("fct_max_s") - 11e-3).abs() < 1e-12);
    assert!((cell("slowdown_mean") - 29.0 / 27.0).abs() < 1e-12);
    let sizes = running.finished().size_table(&s);
    assert_eq!([column(&sizes, "size_min"), column(&sizes, "size_max")], [[4.0], [7.0]]);
    // All of it is counted for the entry, too.
    assert_eq!(column(&running.finished().flow_table(&s), "unique"), [12.0]);
}

#[test]
fn what_is_lost_without_flow_control_never_ends_and_leaves_all_the_same() {
    let flows = json!([open(json!({"kind": "periodic", "every": "10ms"}), 8, "fixed")]);
    let (s, running) =
        run(&scenario(json!({"kind": "fcfs", "buffer": "4pkt"}), flows, json!({"duration": "1s", "interval": "1s"})));
    let classes = running.finished().class_table(&s);
    let cell = |name: &str| column(&classes, name)[0];
    // Five of the eight fit: one on the line and four that wait.
    assert_eq!(["flows", "finished", "unfinished"].map(cell), [100.0, 0.0, 100.0]);
    assert_eq!(running.places(), 1 + 1, "each left before the next one began");
}

#[test]
fn requests_follow_each_other_on_one_connection() {
    let flows = json!([{"name": "s-{i}", "count": 2, "from": "a", "to": "b", "control": {"kind": "generic", "window": 4},
        "workload": {"kind": "requests", "object": {"packets": 3}, "think": "1s", "objects": 5}}]);
    let (s, running) = run(&scenario(json!({"kind": "fcfs", "buffer": "unlimited"}), flows, json!({})));
    let classes = running.finished().class_table(&s);
    let cell = |name: &str| column(&classes, name)[0];
    assert_eq!(names(&classes, "class"), ["s-*"]);
    assert_eq!(["flows", "started", "finished", "packets"].map(cell), [2.0, 10.0, 10.0, 30.0]);
    let rows = running.finished().completion_table(&s);
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
            let classes = running.finished().class_table(&s);
            let cell = |name: &str| column(&classes, name)[0];
            let (flows, finished) = (cell("flows"), cell("finished"));
            assert!(flows > 2000.0 && finished > 0.99 * flows, "{control} {queue}: {finished} of {flows}");
            assert!(running.places() < 120, "{control} {queue}: {} places", running.places());
        }
    }
}

#[test]
fn no_flow_is_left_when_all_is_done_whatever_was_dropped_where() {
    for (control, noise) in
        [("jk_reno", "0pkt"), ("generic", "0pkt"), ("none", "0pkt"), ("generic", "2pkt"), ("none", "2pkt")]
    {
        for queue in ["fq", "fcfs", "random_drop"] {
            let flows = json!([{"name": "web", "from": "a", "to": "c", "control": control, "arrivals": {"kind": "poisson", "mean": "30ms", "most": 400},
                "workload": {"kind": "transfer", "packets": 20, "size": "exponential"}}]);
            // The second line is the slower one, so that packets are dropped after the first port too, and acknowledgements on the way back.
            let more = json!({
                "duration": "1000s", "interval": "100s", "hosts": {"noise": noise},
                "nodes": [{"name": "a"}, {"name": "b"}, {"name": "c"}],
                "links": [{"name": "l", "from": "a", "to": "b", "rate": "8Mbit/s", "queue": {"kind": queue, "buffer": "8pkt"}},
                          {"name": "m", "from": "b", "to": "c", "rate": "7Mbit/s", "delay": "3ms", "queue": {"kind": queue, "buffer": "4pkt"},
                           "reverse_queue": {"kind": queue, "buffer": "2pkt"}}],
            });
            let (s, running) = run(&scenario(json!("fcfs"), flows, more));
            let drops: f64 = column(&running.finished().link_table(&s), "drops_full").iter().sum();
            assert!(drops + column(&running.finished().link_table(&s), "drops_evicted").iter().sum::<f64>() > 50.0);
            assert_eq!(
                (running.alive(), column(&running.finished().class_table(&s), "flows")[0]),
                (0, 400.0),
                "{control} {queue} {noise}"
            );
        }
    }
}

/// Digest and table of classes of a run; whether numbers of conversations are used again.
fn outcome(text: &str, new_numbers_only: bool) -> (u64, String) {
    let s = Scenario::from_json(text).expect("a scenario");
    let mut running = Run::new(&s, 7, 0);
    running.use_no_number_again(new_numbers_only);
    while !running.advance(10_000) {}
    (running.digest().value(), format!("{:?}", column(&running.finished().class_table(&s), "fct_mean_s")))
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
        assert_eq!(outcome(&text, false), outcome(&text, true), "{}", entry.name);
    }
}

#[test]
fn a_break_moves_the_flows_that_are_there_and_those_to_come() {
    let flows = json!([{"name": "web", "from": "a", "to": "b", "control": "jk_reno", "arrivals": {"kind": "poisson", "mean": "100ms"},
        "workload": {"kind": "transfer", "packets": 20}},
        {"name": "long", "from": "a", "to": "b", "control": {"kind": "generic", "window": 8}, "arrivals": {"kind": "times", "at": ["29s"]},
        "workload": {"kind": "transfer", "packets": 3000}}]);
    let more = json!({
        "nodes": [{"name": "a"}, {"name": "b"}, {"name": "c"}],
        "links": [{"name": "l", "from": "a", "to": "b", "rate": "8Mbit/s", "queue": "fq", "classify": "flow"},
                  {"name": "m", "from": "a", "to": "c", "rate": "8Mbit/s", "queue": "fq", "classify": "flow"},
                  {"name": "n", "from": "c", "to": "b", "rate": "8Mbit/s", "queue": "fq", "classify": "flow"}],
        "events": [{"at": "30s", "link": "l", "up": false}, {"at": "60s", "link": "l", "up": true}],
    });
    let (s, running) = run(&scenario(json!("fq"), flows, more));
    let links = running.finished().link_table(&s);
    let sent = column(&links, "sent");
    let classes = running.finished().class_table(&s);
    assert!(column(&classes, "finished")[0] > 900.0);
    // It was there when the line broke, for which it would have had to wait until 60 s.
    assert_eq!(column(&classes, "finished")[1], 1.0);
    assert!(column(&classes, "fct_max_s")[1] < 10.0);
    // About 200 packets a second: 70 s over l, 30 s over m and n, and most of the long one there.
    for (port, due) in [(0, 15_000.0), (2, 8_000.0), (4, 8_000.0)] {
        assert!((sent[port] / due - 1.0).abs() < 0.2, "{sent:?}");
    }
}
