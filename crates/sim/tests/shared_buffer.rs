//! A buffer that all ports of a gateway share: exact packets, conservation, and what the check says.

use crate::common;

use common::{cell, column, run};
use headgate_packet::Time;
use headgate_queue::Discipline as _;
use headgate_sim::spec::Scenario;
use headgate_sim::{Run, Window};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Sources x, a, b, c at a gateway with lines of 8 kbit/s to two sinks, k1 and k2, and these packets of 1000 bytes: name, source, sink, ms.
fn scenario(buffer: Value, packets: &[(&str, &str, &str, u32)]) -> Value {
    let host = |name: &str| json!({"name": name, "kind": "host"});
    let mut nodes: Vec<Value> = ["x", "a", "b", "c", "k1", "k2"].map(host).into();
    nodes.push(json!({"name": "g", "shared_buffer": buffer}));
    let access = |from: &str| json!({"name": format!("of {from}"), "from": from, "to": "g", "rate": "8Gbit/s"});
    let line = |to: &str| json!({"name": format!("to {to}"), "from": "g", "to": to, "rate": "8kbit/s"});
    let links: Vec<Value> = ["x", "a", "b", "c"].map(access).into_iter().chain(["k1", "k2"].map(line)).collect();
    let flow = |(name, from, to, ms): &(&str, &str, &str, u32)| {
        json!({"name": name, "from": from, "to": to, "start": format!("{ms}ms"), "acknowledge": false, "control": "none",
               "workload": {"kind": "cbr", "rate": "250bit/s"}})
    };
    let flows: Vec<Value> = packets.iter().map(flow).collect();
    json!({"duration": "30s", "warm_up": "0s", "nodes": nodes, "links": links, "flows": flows})
}

/// The names of the packets that were dropped, and the delays of the others in ms.
fn fate(value: &Value) -> (Vec<String>, Vec<f64>) {
    let (s, running) = run(&value.to_string());
    let table = running.finished().flow_table(&s);
    let of = |name: &str, column: &str| cell(&table, ("flow", name), column);
    let names: Vec<&str> = value["flows"].as_array().unwrap().iter().map(|f| f["name"].as_str().unwrap()).collect();
    names.iter().for_each(|name| assert_eq!(of(name, "drops") + of(name, "received"), 1.0, "{name}"));
    let (lost, kept): (Vec<&str>, Vec<&str>) = names.iter().partition(|name| of(name, "drops") > 0.0);
    let delays = kept.iter().map(|name| (of(name, "owd_mean_s") * 1e3).round()).collect();
    (lost.into_iter().map(str::to_owned).collect(), delays)
}

const FIRST: [(&str, &str, &str, u32); 5] =
    [("x1", "x", "k1", 0), ("x2", "x", "k2", 1), ("a1", "a", "k1", 2), ("b1", "b", "k2", 3), ("a2", "a", "k2", 4)];

fn with(last: (&'static str, &'static str, &'static str, u32)) -> Vec<(&'static str, &'static str, &'static str, u32)> {
    FIRST.into_iter().chain([last]).collect()
}

#[test]
fn the_source_with_most_at_all_ports_gives_up_its_last_packet() {
    let three = json!({"buffer": "3pkt"});
    // x's packets are in transmission and take no room. a holds two of the three places, one at each line: the last goes, which waits for the other line.
    let (lost, delays) = fate(&scenario(three.clone(), &with(("c1", "c", "k1", 5))));
    assert_eq!(lost, ["a2"]);
    // A byte takes a millisecond. c waits for x1 and a1; b for x2 alone.
    assert_eq!(delays, [1000.0, 1000.0, 1998.0, 1998.0, 2995.0]);
    // The arrival counts: b would hold two as a does, and its packet is the last of all.
    let (lost, delays) = fate(&scenario(three.clone(), &with(("b2", "b", "k1", 5))));
    assert_eq!((lost, delays), (vec!["b2".to_owned()], vec![1000.0, 1000.0, 1998.0, 1998.0, 2997.0]));
    // The packet of a that goes may be in the middle of a queue, and its place in the order is closed.
    let more = [FIRST[0], FIRST[1], FIRST[2], ("a2", "a", "k2", 3), ("b1", "b", "k2", 4), ("c1", "c", "k1", 5)];
    assert_eq!(fate(&scenario(three, &more)), (vec!["a2".into()], vec![1000.0, 1000.0, 1998.0, 1997.0, 2995.0]));
}

#[test]
fn without_preemption_the_arrival_goes() {
    let three = json!({"buffer": "3pkt", "full": "arrival"});
    let (lost, _) = fate(&scenario(three, &with(("c1", "c", "k1", 5))));
    assert_eq!(lost, ["c1"]);
    let four = json!({"buffer": "4pkt", "full": "arrival"});
    assert_eq!(fate(&scenario(four, &with(("c1", "c", "k1", 5)))).0, Vec::<String>::new());
}

#[test]
fn a_packet_that_finds_its_line_free_needs_no_room() {
    // The three places are taken at the first line, and the second one is free.
    let packets = [("x1", "x", "k1", 0), ("a1", "a", "k1", 1), ("a2", "a", "k1", 2), ("a3", "a", "k1", 3)];
    let all: Vec<_> = packets.into_iter().chain([("c1", "c", "k2", 4)]).collect();
    assert_eq!(fate(&scenario(json!({"buffer": "3pkt"}), &all)).0, Vec::<String>::new());
    // Once a packet has begun on the first line its place is free. At the instant at which it begins, that comes before the arrival.
    for (ms, lost) in [(999, vec!["a3"]), (1000, vec![]), (1001, vec![])] {
        let all: Vec<_> = packets.into_iter().chain([("c1", "c", "k1", ms)]).collect();
        assert_eq!(fate(&scenario(json!({"buffer": "3pkt"}), &all)).0, lost, "{ms}");
    }
}

#[test]
fn sources_hold_bytes_of_a_buffer_in_bytes() {
    // a holds one packet of 1500 bytes, b two of 500: b has more packets, and a more bytes.
    let packets = [("x1", "x", "k1", 0), ("a1", "a", "k1", 1), ("b1", "b", "k1", 2), ("b2", "b", "k1", 3)];
    let all: Vec<_> = packets.into_iter().chain([("c1", "c", "k1", 4)]).collect();
    let lost = |buffer: &str| {
        let mut value = scenario(json!({"buffer": buffer}), &all);
        for (i, bytes) in [(1, "1500B"), (2, "500B"), (3, "500B"), (4, "500B")] {
            value["flows"][i]["packet"] = json!(bytes);
            value["flows"][i]["workload"]["rate"] = json!("100bit/s");
        }
        value["links"].as_array_mut().unwrap().iter_mut().for_each(|l| {
            l["queue"] = json!({"kind": "fcfs", "buffer": "unlimited"});
        });
        fate(&value).0
    };
    assert_eq!(lost("3pkt"), ["b2"]);
    assert_eq!(lost("2500B"), ["a1"]);
    assert_eq!(lost("3KB"), Vec::<String>::new());
}

#[test]
fn acknowledgements_are_of_the_node_that_sends_them() {
    // The line to x is slow. Of k1 an acknowledgement is in transmission; another one and a packet wait, with one each of k2 and c. k1 holds
    // most when a's comes: its packet. Were its acknowledgements x's, every node would hold one and the arrival would go.
    let packets = [
        ("ack1", "x", "k1", 0),
        ("ack2", "x", "k1", 2),
        ("k1", "k1", "x", 4),
        ("k2", "k2", "x", 5),
        ("c1", "c", "x", 6),
        ("a1", "a", "x", 7),
    ];
    let mut value = scenario(json!({"buffer": "4pkt"}), &packets);
    for (i, link) in value["links"].as_array_mut().unwrap().iter_mut().enumerate() {
        link["rate"] = if i == 0 { json!({"forward": "8Gbit/s", "reverse": "8kbit/s"}) } else { json!("8Gbit/s") };
    }
    for i in [0, 1] {
        value["flows"][i]["acknowledge"] = json!(true);
        value["flows"][i]["ack"] = json!("1000B");
    }
    assert_eq!(fate(&value).0, ["k1"]);
}

/// Transfers and a flood that cross a gateway both ways, whose lines change.
fn busy(buffer: &str, full: &str) -> Value {
    let mut value = scenario(json!({"buffer": buffer, "full": full}), &[("flood", "x", "k1", 0)]);
    for link in value["links"].as_array_mut().unwrap() {
        link["queue"] = json!({"kind": "fcfs", "buffer": "unlimited"});
        link["delay"] = json!("2ms");
        if link["from"] == "g" {
            link["rate"] = json!("800kbit/s");
        }
    }
    value["flows"][0]["workload"]["rate"] = json!("1603kbit/s");
    let flow = |name: &str, from: &str, to: &str, more: Value| {
        let mut flow = json!({"name": name, "from": from, "to": to, "control": "newreno"});
        flow.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        flow
    };
    value["flows"].as_array_mut().unwrap().extend([
        flow("there", "a", "k1", json!({})),
        flow("back", "k2", "b", json!({"packet": "1500B"})),
        flow("short", "c", "k2", json!({"arrivals": {"kind": "poisson", "mean": "300ms"}, "workload": {"kind": "requests", "objects": 1, "object": {"packets": 9}}})),
    ]);
    value["events"] = json!([
        {"at": "5s", "link": "to k1", "up": false}, {"at": "6s", "link": "to k1", "up": true},
        {"at": "8s", "link": "to k2", "rate": "300kbit/s"}, {"at": "9s", "link": "of b", "rate": "200kbit/s"},
        {"at": "12s", "link": "to k1", "delay": "20ms"}
    ]);
    value["duration"] = json!("15s");
    value
}

/// The ports of the gateway in [`busy`]: towards the sources, and towards the sinks.
const PORTS: [usize; 6] = [1, 3, 5, 7, 8, 10];

#[test]
fn packets_are_conserved_and_no_more_wait_than_there_is_room() {
    for (buffer, limit, full) in [("12pkt", 12, "preempt"), ("12pkt", 12, "arrival"), ("9000B", 9000, "preempt")] {
        let scenario = Scenario::from_json(&busy(buffer, full).to_string()).unwrap_or_else(|e| panic!("{e}"));
        let mut running = Run::new(&scenario, 1, 0);
        let (mut most, mut events) = (0, 0);
        while !running.advance(1) {
            let held = |p: &usize| {
                let backlog = running.discipline(*p).backlog();
                if buffer.ends_with('B') { backlog.bytes } else { backlog.packets }
            };
            most = most.max(PORTS.iter().map(held).sum());
            events += 1;
            if events % 16 == 0 {
                assert_eq!(running.audit(), Ok(()));
            }
        }
        assert!(most <= limit && most > limit - 1000.min(limit / 2), "{most} of {buffer}");
        let table = running.finished().link_table(&scenario);
        let evicted: f64 = column(&table, "drops_evicted").iter().sum();
        assert_eq!(evicted > 0.0, full == "preempt", "{evicted}");
    }
}

#[test]
fn what_is_looked_at_changes_nothing() {
    let digest = |traces: Value, follow: bool| {
        let mut value = busy("12pkt", "preempt");
        value["traces"] = traces;
        let scenario = Scenario::from_json(&value.to_string()).unwrap_or_else(|e| panic!("{e}"));
        let mut running = Run::new(&scenario, 1, 0);
        if follow {
            running.track_packets(Window { from: Time::ZERO, to: Time::NEVER, most: usize::MAX });
        }
        while !running.advance(1000) {}
        running.digest().value()
    };
    let plain = digest(json!([]), false);
    assert_eq!(digest(json!(["backlog", "drops"]), false), plain);
    assert_eq!(digest(json!([]), true), plain);
}

#[test]
fn a_refused_packet_is_told_what_all_ports_held() {
    let packets = with(("c1", "c", "k1", 5));
    for (buffer, due) in [("3pkt", [3.0, 3000.0, 3.0]), ("3500B", [3.0, 3000.0, 3500.0])] {
        let mut value = scenario(json!({"buffer": buffer, "full": "arrival"}), &packets);
        value["links"].as_array_mut().unwrap().iter_mut().for_each(|l| {
            l["queue"] = json!({"kind": "fcfs", "buffer": "unlimited"});
        });
        let scenario = Scenario::from_json(&value.to_string()).unwrap_or_else(|e| panic!("{e}"));
        let mut running = Run::new(&scenario, 1, 0);
        running.track_packets(Window { from: Time::ZERO, to: Time::NEVER, most: 1000 });
        while !running.advance(1000) {}
        let tracks = running.take_tracks().expect("asked for");
        let values = column(&tracks.values(), "value");
        assert!(values.windows(3).any(|three| three == due), "{values:?}");
        let shape = tracks.shapes().last().expect("of the gateway");
        let unit = if buffer.ends_with('B') { "buffer_bytes" } else { "buffer_packets" };
        assert_eq!(shape.iter().map(|number| number.name()).collect::<Vec<_>>(), ["held_packets", "held_bytes", unit]);
    }
}

proptest! {
    /// A buffer that is never full is no buffer: all that fits waits in the ports.
    #[test]
    fn a_large_buffer_changes_nothing(packets in prop::collection::vec((0..4usize, 0..2usize, 0..9000u32), 1..12)) {
        let names: Vec<String> = (0..packets.len()).map(|i| format!("f{i}")).collect();
        let list: Vec<_> = packets.iter().zip(&names)
            .map(|((from, to, ms), name)| (name.as_str(), ["x", "a", "b", "c"][*from], ["k1", "k2"][*to], *ms)).collect();
        let large = scenario(json!({"buffer": "20pkt"}), &list);
        let mut none = large.clone();
        none["nodes"][6].as_object_mut().unwrap().remove("shared_buffer");
        prop_assert_eq!(run(&large.to_string()).1.digest().value(), run(&none.to_string()).1.digest().value());
    }
}

#[test]
fn what_does_not_go_together_is_said() {
    let said = |change: &dyn Fn(&mut Value)| {
        let mut value = scenario(json!({"buffer": "20pkt"}), &FIRST);
        change(&mut value);
        Scenario::from_json(&value.to_string()).map_or_else(|e| e.to_string(), |_| String::new())
    };
    assert_eq!(said(&|_| ()), "");
    let shared = |v: Value| move |s: &mut Value| s["nodes"][6]["shared_buffer"] = v.clone();
    let buffers = "expected a buffer in packets or bytes, at least 1: the lines of a gateway may differ in their rates";
    for wrong in ["50ms", "unlimited", "1BDP"] {
        let due = format!("nodes[6].shared_buffer.buffer: found {wrong}; {buffers}");
        assert_eq!(said(&shared(json!({"buffer": wrong}))), due);
    }
    assert!(said(&shared(json!({"buffer": "9pkt", "full": "oldest"}))).contains("one of preempt, arrival"));
    assert!(said(&shared(json!({"buffer": "9pkt", "by": "flow"}))).contains("expected source"));
    assert_eq!(
        said(&shared(json!({"buffer": "900B"}))),
        "nodes[6].shared_buffer.buffer: found 900B; expected at least one packet of flow \"a2\", 1000B"
    );
    assert_eq!(
        said(&|s| s["nodes"][6]["kind"] = json!("host")),
        "nodes[6].shared_buffer: expected none at a host, which drops nothing"
    );
    assert_eq!(
        said(&|s| s["flows"][1]["from"] = json!("g")),
        "flows[1].from: found \"g\"; expected another node: the ports of this one share a buffer, which is for packets that pass"
    );
    let fcfs = "expected `fcfs` without an AQM: the ports of gateway \"g\" share a buffer";
    let queue = |v: Value| move |s: &mut Value| s["links"][4]["queue"] = v.clone();
    assert_eq!(said(&queue(json!("fq"))), format!("links[4].queue.kind: found fq; {fcfs}"));
    assert_eq!(said(&queue(json!("red"))), format!("links[4].queue.kind: found red; {fcfs}"));
    assert_eq!(said(&queue(json!({"kind": "fcfs", "aqm": "red"}))), format!("links[4].queue.kind: found fcfs; {fcfs}"));
    // At the far end of the line is a host, and that of an access link is the gateway.
    assert_eq!(said(&|s| s["links"][4]["reverse_queue"] = json!("fq")), "");
    assert_eq!(
        said(&|s| s["links"][1]["reverse_queue"] = json!("fq")),
        format!("links[1].reverse_queue.kind: found fq; {fcfs}")
    );
    let less = "expected \"unlimited\", or no less than the 20pkt that the ports of gateway \"g\" share";
    assert_eq!(said(&queue(json!({"kind": "fcfs", "buffer": "20pkt"}))), "");
    for own in ["19pkt", "1MB"] {
        let due = format!("links[4].queue.buffer: found {own}; {less}");
        assert_eq!(said(&queue(json!({"kind": "fcfs", "buffer": own}))), due);
    }
    let bursts = said(&|s| s["links"][5]["aggregation"] = json!({"packets": 4, "every": "10ms"}));
    assert_eq!(
        bursts,
        "links[5].aggregation: expected a line that sends at any time: the ports of gateway \"g\" share a buffer"
    );
}
