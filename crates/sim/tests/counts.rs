//! The counters of flows, ports and tables: each number against one computed by hand.

use crate::common;

use common::{cell, column, run};
use headgate_sim::{Cells, Table};

/// A host, a gateway and a sink; `fast` leads to the gateway and `slow` to the sink. A packet of 1000 bytes takes 10 ms and 100 ms.
fn scenario(slow: &str, flow: &str, more: &str) -> String {
    format!(
        r#"{{"duration": "70s", "interval": "10s", "warm_up": "0s",
            "nodes": [{{"name": "s", "kind": "host"}}, {{"name": "g"}}, {{"name": "d"}}],
            "links": [{{"name": "fast", "from": "s", "to": "g", "rate": "800kbit/s"}},
                      {{"name": "slow", "from": "g", "to": "d", "rate": "80kbit/s"{slow}}}],
            "flows": [{{"name": "f", "from": "s", "to": "d"{flow}}}]{more}}}"#
    )
}

fn of_flow(table: &Table, column: &str) -> f64 {
    cell(table, ("flow", "f"), column)
}

fn of_port(table: &Table, port: &str, column: &str) -> f64 {
    cell(table, ("link", port), column)
}

fn text(table: &Table, (key, name): (&str, &str), column: &str) -> String {
    let names = |name: &str| match &table.iter().find(|(n, _)| *n == name).expect(name).1 {
        Cells::Name(codes, names) => codes.iter().map(|c| names[*c as usize].clone()).collect::<Vec<_>>(),
        _ => panic!("{name} holds numbers"),
    };
    let row = names(key).iter().position(|n| n == name).expect(name);
    names(column)[row].clone()
}

/// A burst of packets without flow control.
const BURST: &str = r#", "control": {"kind": "generic", "window": 20, "initial_rtt": "100s"}, "workload": {"kind": "transfer", "packets": 20}"#;

#[test]
fn a_dropped_acknowledgement_is_the_ports_loss_and_not_the_flows() {
    // Acknowledgements as long as packets, one a second too many for the way back, whose line is half as fast.
    let slow = r#", "reverse_queue": {"kind": "fcfs", "buffer": "1pkt"}"#;
    let flow = r#", "ack": "2000B", "control": "none", "workload": {"kind": "cbr", "rate": "72kbit/s"}"#;
    let (s, running) = run(&scenario(slow, flow, ""));
    let (flows, links) = (running.finished().flow_table(&s), running.finished().link_table(&s));
    assert!(of_port(&links, "slow:reverse", "drops_full") > 100.0, "acknowledgements are lost on their way");
    assert_eq!((of_port(&links, "slow", "drops_full"), of_flow(&flows, "drops")), (0.0, 0.0), "no data is");
    assert_eq!(of_port(&links, "slow:reverse", "backlog_max"), 1.0, "the buffer is that of the far end");
}

#[test]
fn a_port_counts_the_marks_that_it_sets() {
    // Two gateways that would mark: the second one finds what the first has marked, and a faster line.
    let text = r#"{"duration": "70s", "warm_up": "0s", "nodes": [{"name": "s", "kind": "host"}, {"name": "g"}, {"name": "h"}, {"name": "d", "kind": "host"}],
        "links": [{"name": "fast", "from": "s", "to": "g", "rate": "800kbit/s"},
                  {"name": "slow", "from": "g", "to": "h", "rate": "80kbit/s", "queue": {"kind": "decbit", "buffer": "40pkt"}},
                  {"name": "next", "from": "h", "to": "d", "rate": "160kbit/s", "queue": {"kind": "decbit", "buffer": "40pkt"}}],
        "flows": [{"name": "f", "from": "s", "to": "d", "control": {"kind": "decbit", "window": 12}}]}"#;
    let (s, running) = run(text);
    let (flows, links) = (running.finished().flow_table(&s), running.finished().link_table(&s));
    let marks = of_flow(&flows, "marks");
    assert!(marks > 10.0 && of_flow(&flows, "timeouts") == 0.0, "{marks} marks");
    // All but those still on the way have been counted by both.
    assert!((of_port(&links, "slow", "marks") - marks).abs() <= 1.0);
    for port in ["fast", "fast:reverse", "slow:reverse", "next", "next:reverse"] {
        assert_eq!(of_port(&links, port, "marks"), 0.0, "{port}");
    }
    let rows = running.finished().interval_table(&s);
    assert_eq!(column(&rows, "marks").iter().sum::<f64>(), marks);
    assert_eq!(column(&rows, "timeouts").iter().sum::<f64>(), 0.0);
}

#[test]
fn timeouts_are_no_marks() {
    // A buffer of two drops most of the burst: it is repaired by timeouts.
    let (s, running) = run(&scenario(r#", "queue": {"kind": "fcfs", "buffer": "2pkt"}"#, BURST, ""));
    let (flows, rows) = (running.finished().flow_table(&s), running.finished().interval_table(&s));
    let (s2, world2) =
        run(&scenario(r#", "queue": {"kind": "fcfs", "buffer": "2pkt"}"#, &BURST.replace("100s", "1s"), ""));
    assert_eq!((of_flow(&flows, "timeouts"), of_flow(&flows, "marks")), (0.0, 0.0), "the first timeout is after 200 s");
    let (flows2, rows2) = (world2.finished().flow_table(&s2), world2.finished().interval_table(&s2));
    assert!(of_flow(&flows2, "timeouts") > 0.0);
    assert_eq!(of_flow(&flows2, "marks"), 0.0);
    for (rows, flows) in [(&rows, &flows), (&rows2, &flows2)] {
        for name in ["timeouts", "marks"] {
            assert_eq!(column(rows, name).iter().sum::<f64>(), of_flow(flows, name), "{name}");
        }
    }
}

#[test]
fn the_time_in_queues_is_that_of_all_ports_on_the_way() {
    // Two packets at once: the first waits nowhere, the second 10 ms at the host and 90 ms at the gateway.
    let (s, running) = run(&scenario("", &BURST.replace("\"packets\": 20", "\"packets\": 2"), ""));
    let (flows, links, rows) =
        (running.finished().flow_table(&s), running.finished().link_table(&s), running.finished().interval_table(&s));
    assert!((of_flow(&flows, "queueing_mean_s") - 0.05).abs() < 1e-9);
    assert!((column(&rows, "queueing_mean_s")[0] - 0.05).abs() < 1e-9);
    assert!((of_port(&links, "fast", "queueing_mean_s") - 0.005).abs() < 1e-9);
    assert!((of_port(&links, "slow", "queueing_mean_s") - 0.045).abs() < 1e-9);
}

#[test]
fn what_comes_twice_is_received_twice_and_unique_once() {
    // A timeout of 50 ms on a way of 110 ms: packets are sent again that have only been slow.
    let flow = BURST.replace("100s", "25ms");
    let (s, running) = run(&scenario("", &flow, ""));
    let (flows, rows) = (running.finished().flow_table(&s), running.finished().interval_table(&s));
    let received = of_flow(&flows, "received");
    assert!(received > 20.0, "{received} packets received");
    assert_eq!(received, of_flow(&flows, "sent"));
    for (name, due) in [
        ("unique", 20.0),
        ("unique_bytes", 20_000.0),
        ("received_bytes", 1000.0 * received),
        ("retransmissions", received - 20.0),
    ] {
        assert_eq!(of_flow(&flows, name), due, "{name}");
        assert_eq!(column(&rows, name).iter().sum::<f64>(), due, "{name} of all intervals");
    }
}

#[test]
fn delays_and_counts_begin_with_the_end_of_the_warm_up() {
    let flow = r#", "control": "none", "workload": {"kind": "cbr", "rate": "16kbit/s"}"#;
    let text = scenario("", flow, "")
        .replace(r#""warm_up": "0s""#, r#""warm_up": "20s""#)
        .replace(r#""duration": "70s""#, r#""duration": "75s""#);
    let (s, mut running) = run(&text);
    let (flows, rows, links) =
        (running.finished().flow_table(&s), running.finished().interval_table(&s), running.finished().link_table(&s));
    let delays = headgate_sim::delay_table(&running.take_delays(), &s.flows);
    let Cells::Name(measure, _) = &delays.iter().find(|(n, _)| *n == "measure").expect("measure").1 else {
        panic!("names")
    };
    let counted = |which: i64| {
        measure.iter().zip(column(&delays, "count")).filter(|(m, _)| **m == which).map(|(_, c)| c).sum::<f64>()
    };
    // Two packets a second.
    assert_eq!((of_flow(&flows, "received"), counted(1)), (110.0, 110.0), "one-way delays after 20 s");
    assert_eq!((of_flow(&flows, "rtt_count"), counted(0)), (110.0, 110.0), "round-trip times after 20 s");
    // The last interval is 5 s long: it is in the table and no sample of the ports' means, of which 20 to 70 s have five.
    assert_eq!(column(&rows, "end_s"), [10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 75.0]);
    assert_eq!(column(&rows, "warm_up"), [1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    assert_eq!(of_port(&links, "slow", "intervals"), 5.0);
    assert_eq!(of_port(&links, "slow", "sent"), 110.0);
}

#[test]
fn a_conversation_has_the_largest_weight_of_its_flows() {
    // Weights 1, 3 and 2 from a, 1 from b: three quarters of the line for a, whatever the order of its flows.
    let text = r#"{"duration": "700s", "nodes": [{"name": "a", "kind": "host"}, {"name": "b", "kind": "host"}, {"name": "g"}, {"name": "d", "kind": "host"}],
        "links": [{"from": "a", "to": "g", "rate": "800kbit/s"}, {"from": "b", "to": "g", "rate": "800kbit/s"},
                  {"name": "slow", "from": "g", "to": "d", "rate": "80kbit/s", "queue": {"kind": "wfq", "buffer": "60pkt"}}],
        "flows": [{"name": "light", "from": "a", "to": "d", "weight": 1, "control": {"kind": "generic", "window": 8}},
                  {"name": "heavy", "from": "a", "to": "d", "weight": 3, "control": {"kind": "generic", "window": 8}},
                  {"name": "middle", "from": "a", "to": "d", "weight": 2, "control": {"kind": "generic", "window": 8}},
                  {"name": "other", "from": "b", "to": "d", "weight": 1, "control": {"kind": "generic", "window": 24}}]}"#;
    let (s, running) = run(text);
    let received = column(&running.finished().flow_table(&s), "received");
    let share = received[..3].iter().sum::<f64>() / received.iter().sum::<f64>();
    assert!((share - 0.75).abs() < 0.01, "{share} of the line instead of 0.75");
}

#[test]
fn the_port_at_the_far_end_is_the_reverse_one() {
    let slow = r#", "queue": {"kind": "fcfs", "buffer": "50pkt"}, "reverse_queue": {"kind": "drr", "buffer": "40pkt"}"#;
    let (s, running) = run(&scenario(slow, BURST, ""));
    let links = running.finished().link_table(&s);
    for (port, from, to, queue) in [
        ("fast", "s", "g", "host"),
        ("fast:reverse", "g", "s", "fcfs"),
        ("slow", "g", "d", "fcfs"),
        ("slow:reverse", "d", "g", "drr"),
    ] {
        for (column, due) in [("from", from), ("to", to), ("queue", queue)] {
            assert_eq!(text(&links, ("link", port), column), due, "{column} of {port}");
        }
        let bytes = if port.ends_with("reverse") { 40.0 } else { 1000.0 };
        assert_eq!(of_port(&links, port, "sent_bytes"), 20.0 * bytes, "{port}");
    }
}

#[test]
fn a_line_can_break_in_one_direction() {
    // Five packets a second; the line breaks after 20 s. Of 100 packets that reach it before, all arrive.
    // Another flow runs in the other direction.
    let source = r#""control": "none", "workload": {"kind": "cbr", "rate": "40kbit/s"}"#;
    let flow = &format!(r#", {source}}}, {{"name": "back", "from": "d", "to": "s", {source}"#);
    let broken = |direction: &str| {
        let events =
            format!(r#", "events": [{{"at": "20s", "link": "slow", "direction": "{direction}", "up": false}}]"#);
        let (s, running) = run(&scenario("", flow, &events));
        let flows = running.finished().flow_table(&s);
        let against = cell(&flows, ("flow", "back"), "received");
        assert!((against - if direction == "forward" { 350.0 } else { 100.0 }).abs() <= 2.0, "{direction}: {against}");
        (of_flow(&flows, "received"), of_flow(&flows, "rtt_count"))
    };
    let ((there, answered), (arrived, back)) = (broken("forward"), broken("reverse"));
    assert!(
        (there - 100.0).abs() <= 1.0 && (answered - 100.0).abs() <= 1.0,
        "forward: {there} received, {answered} answered"
    );
    assert!(arrived >= 348.0 && (back - 100.0).abs() <= 1.0, "reverse: {arrived} received, {back} answered");
}
