//! Packets, ends of paths and traces that are taken while a run goes on, against those that a run keeps, and against each other.

use headgate_packet::Time;
use headgate_sim::spec::Scenario;
use headgate_sim::{Cells, Followed, Rows, Run, Table, Window};
use std::collections::{BTreeMap, BTreeSet};

/// Two windows through a slow port, beside flows that come and go; with a wire that loses, an ack path that is slow, and marks.
fn busy(queue: &str) -> Scenario {
    traced(queue, r#"["window", "in_flight", "rtt", "backlog", "drops"]"#)
}

/// The same with other traces: without that of the backlog, ports catch up with what is due only when something happens there.
fn traced(queue: &str, traces: &str) -> Scenario {
    let text = r#"{"duration": "20s", "interval": "5s", "warm_up": "0s", "traces": TRACES,
    "hosts": {"noise": "1pkt"},
    "nodes": [{"name": "s", "kind": "host"}, {"name": "g"}, {"name": "h"}, {"name": "d", "kind": "host"}],
    "links": [{"name": "fast", "from": "s", "to": "g", "rate": "10Mbit/s", "delay": "2ms"},
              {"name": "slow", "from": "g", "to": "h", "rate": "800kbit/s", "delay": "15ms", "queue": QUEUE},
              {"name": "far", "from": "h", "to": "d", "rate": "5Mbit/s", "delay": "30ms", "jitter": {"mean": "2ms"},
               "loss": {"kind": "bernoulli", "probability": 0.01}}],
    "flows": [{"name": "a{i}", "from": "s", "to": "d", "count": 2, "control": "jk_reno"},
              {"name": "web", "from": "s", "to": "d", "control": "jk_reno", "workload": {"kind": "transfer"}, "arrivals": {"kind": "poisson", "mean": "300ms"}},
              {"name": "cbr", "from": "s", "to": "d", "control": "none", "workload": {"kind": "cbr", "rate": "16kbit/s"}}]}"#;
    Scenario::from_json(&text.replace("QUEUE", queue).replace("TRACES", traces)).expect("a good scenario")
}

const QUEUES: [&str; 4] = [
    r#"{"kind": "fcfs", "buffer": "9pkt"}"#,
    r#"{"kind": "fq", "buffer": "9pkt"}"#,
    r#"{"kind": "red", "buffer": "30pkt"}"#,
    r#"{"kind": "codel", "buffer": "30pkt"}"#,
];

fn column(table: &Table, name: &str) -> Vec<f64> {
    match &table.iter().find(|(n, _)| *n == name).expect(name).1 {
        Cells::Float(x) => x.clone(),
        Cells::Int(x) | Cells::Name(x, _) => x.iter().map(|v| *v as f64).collect(),
    }
}

/// The rows of a table as text, so that nan equals nan.
fn rows(table: &Table, names: &[&str]) -> Vec<String> {
    let columns: Vec<Vec<f64>> = names.iter().map(|name| column(table, name)).collect();
    (0..columns.first().map_or(0, Vec::len))
        .map(|i| columns.iter().map(|c| format!("{:?} ", c[i])).collect::<String>())
        .collect()
}

/// The parts of a run that is asked every `step` events, and its digest.
fn followed(scenario: &Scenario, step: u64) -> (Vec<Followed>, u64) {
    let mut running = Run::new(scenario, 1, 0);
    running.follow_packets();
    let mut parts = Vec::new();
    loop {
        let complete = running.advance(step);
        parts.push(running.take_followed(scenario, complete));
        if complete {
            return (parts, running.digest().value());
        }
    }
}

fn digest(scenario: &Scenario) -> u64 {
    let mut plain = Run::new(scenario, 1, 0);
    while !plain.advance(977) {}
    plain.digest().value()
}

const OF_TRACKS: [&str; 12] = [
    "port",
    "number",
    "flow",
    "seq",
    "arrived_s",
    "start_s",
    "left_s",
    "bytes",
    "marked",
    "reason",
    "arrival",
    "departure",
];

#[test]
fn data_is_followed_as_a_run_keeps_it_and_nothing_changes() {
    for queue in QUEUES {
        let scenario = traced(queue, "[]");
        let mut kept = Run::new(&scenario, 1, 0);
        kept.track_packets(Window { from: Time::ZERO, to: Time::NEVER, most: usize::MAX });
        while !kept.advance(1000) {}
        let tracks = kept.take_tracks().expect("they were asked for").table();
        let known: BTreeSet<String> = rows(&tracks, &OF_TRACKS).into_iter().collect();
        for step in [1, 1000, u64::MAX] {
            let (parts, value) = followed(&scenario, step);
            assert_eq!(value, digest(&scenario), "{queue}: who looks changes nothing");
            let mut data = BTreeSet::new();
            let mut acks = 0;
            for part in &parts {
                for (row, ack) in rows(&part.packets, &OF_TRACKS).into_iter().zip(column(&part.packets, "ack")) {
                    acks += usize::from(ack == 1.0);
                    assert!(ack == 1.0 || data.insert(row), "each packet at a port once");
                }
            }
            assert!(data == known && acks > 1000, "{queue}, every {step} events: {} of {}", data.len(), known.len());
        }
    }
}

#[test]
fn nothing_comes_later_that_was_due_before() {
    for (queue, traces) in QUEUES.iter().flat_map(|queue| [(queue, "[]"), (queue, r#"["rtt", "backlog"]"#)]) {
        let (parts, _) = followed(&traced(queue, traces), 64);
        let mut until = 0.0;
        let mut several = 0;
        for part in &parts {
            let starts = column(&part.packets, "start_s");
            assert!(starts.iter().all(|start| start.is_nan() || *start >= until), "{queue}: before {until}");
            let ended = column(&part.ends, "at_s");
            assert!(ended.windows(2).all(|pair| pair[0] <= pair[1]));
            assert!(ended.iter().chain(&column(&part.traces, "time_s")).all(|at| *at >= until));
            several += usize::from(part.until.as_secs_f64() > until);
            until = part.until.as_secs_f64();
        }
        assert!(several > parts.len() / 2 && until == 20.0, "{queue}: time goes on");
        let waiting = |part: &Followed| column(&part.packets, "reason").iter().any(|reason| *reason == -1.0);
        assert!(parts.iter().rev().skip(1).all(|part| !waiting(part)), "only the end leaves packets at ports");
    }
}

#[test]
fn ends_of_paths_agree_with_what_flows_count_and_with_ports() {
    let scenario = busy(QUEUES[0]);
    let (parts, _) = followed(&scenario, 1000);
    let mut plain = Run::new(&scenario, 1, 0);
    while !plain.advance(1000) {}
    let flows = plain.finished().flow_table(&scenario);
    let mut counts = BTreeMap::<(i64, i64), f64>::new();
    let mut dropped = BTreeMap::<i64, f64>::new();
    for part in &parts {
        for (what, entry) in column(&part.ends, "what").into_iter().zip(column(&part.ends, "entry")) {
            *counts.entry((what as i64, entry as i64)).or_default() += 1.0;
        }
        let [reason, entry, ack] = ["reason", "entry", "ack"].map(|name| column(&part.packets, name));
        for ((reason, entry), ack) in reason.iter().zip(&entry).zip(&ack) {
            *dropped.entry(*entry as i64).or_default() += f64::from(u8::from(*reason > 0.0 && *ack == 0.0));
        }
    }
    for (entry, (name, what)) in (0..4).flat_map(|e| [("sent", 0), ("received", 1)].map(|of| (e, of))) {
        let counted = column(&flows, name)[entry as usize];
        // What a host keeps back as the run ends was sent, and has not left.
        let found = counts.get(&(what, entry)).copied().unwrap_or_default();
        assert!(found > 0.0 && found <= counted && counted - found <= f64::from(u8::from(what == 0)) * 30.0, "{name}");
    }
    for (entry, count) in column(&flows, "drops").iter().enumerate() {
        assert_eq!(dropped.get(&(entry as i64)).copied().unwrap_or_default(), *count);
    }
    assert!(dropped[&2] > 0.0 && counts[&(2, 2)] > 0.0, "flows that come and go belong to their entry");
}

#[test]
fn traces_in_parts_are_the_traces() {
    let scenario = busy(QUEUES[1]);
    let names = ["trace", "object", "time_s", "value"];
    let mut whole = Run::new_unless(&scenario, 1, 0, Rows::Dropped, u64::MAX, &mut || false).expect("a good one");
    while !whole.advance(1000) {}
    let known = rows(&whole.finished().trace_table(&scenario), &names);
    let (parts, _) = followed(&scenario, 313);
    let found: Vec<String> = parts.iter().flat_map(|part| rows(&part.traces, &names)).collect();
    assert!(found == known && known.len() > 1000);
    // Without packets there are traces alone.
    let mut alone = Run::new(&scenario, 1, 0);
    while !alone.advance(1000) {}
    let part = alone.take_followed(&scenario, true);
    assert!(part.packets.is_empty() && part.ends.is_empty() && rows(&part.traces, &names) == known);
}
