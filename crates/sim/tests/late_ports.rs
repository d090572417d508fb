//! A port acts when the next packet arrives, or at each instant at which something is due if a trace of ports is wanted. Both must be the same run, and so
//! must one whose packets are followed.

use crate::common;
use crate::common::cases::cases;

use common::{column, run};
use headgate_packet::choice::Entry;
use headgate_packet::{Duration, Time};
use headgate_sim::spec::Scenario;
use headgate_sim::{Cells, Run, Table, Window};
use proptest::prelude::*;
use serde_json::json;

/// A table as text: a mean of nothing is nan, which differs from itself.
fn text(table: &Table) -> Vec<(String, String)> {
    let cells = |cells: &Cells| match cells {
        Cells::Float(x) => format!("{x:?}"),
        Cells::Int(x) => format!("{x:?}"),
        Cells::Name(codes, names) => format!("{codes:?} {names:?}"),
    };
    table.iter().map(|(name, column)| ((*name).to_owned(), cells(column))).collect()
}

/// What the link in the middle may have.
fn laws() -> Vec<serde_json::Value> {
    vec![
        json!({}),
        json!({}),
        json!({"loss": {"kind": "bernoulli", "probability": 0.1}, "jitter": {"mean": "20ms", "reorder": true}, "duplicate": 0.1}),
        json!({"loss": "gilbert_elliott", "jitter": {"mean": "20ms"}, "framing": "atm"}),
        json!({"aggregation": {"packets": 3, "every": "50ms"}, "framing": {"forward": "ethernet"}}),
        json!({"rate": {"kind": "mahimahi", "times": [3, 3, 20, 90]}}),
        json!({"rate": {"kind": "steps", "steps": [["0s", "200kbit/s"], ["3s", "0bit/s"], ["4s", "1Mbit/s"]], "period": "7s"}}),
    ]
}

/// The digest of a run whose packets are followed from its middle on, after it was checked what is said of them.
fn followed(value: &serde_json::Value) -> u64 {
    let scenario = Scenario::from_json(&value.to_string()).unwrap_or_else(|e| panic!("{e}"));
    let mut running = Run::new(&scenario, 1, 0);
    running.track_packets(Window { from: Time::ZERO + Duration::from_secs(7), to: Time::NEVER, most: usize::MAX });
    while !running.advance(10_000) {}
    let digest = running.digest().value();
    let table = running.take_tracks().expect("they were asked for").table();
    let [arrival, departure, reason] = ["arrival", "departure", "reason"].map(|name| column(&table, name));
    let fates = reason.iter().zip(arrival.iter().zip(&departure));
    for (reason, (arrival, departure)) in fates {
        // One that waits or made room was queued; one that was sent passed both moments; one that was dropped, by one of the two.
        let due = match *reason as i64 {
            -1 => *arrival < 2.0 && *departure == -1.0,
            0 => *arrival < 2.0 && (0.0..2.0).contains(departure),
            2 => *arrival < 2.0 && *departure == -1.0,
            _ => (*arrival == reason + 1.0 && *departure == -1.0) || (*arrival < 2.0 && *departure == reason + 1.0),
        };
        assert!(due, "{value}: {reason} {arrival} {departure}");
    }
    digest
}

type Outcome = (Vec<Vec<(String, String)>>, u64);

fn outcome(mut value: serde_json::Value, traces: bool) -> Outcome {
    if traces {
        value["traces"] = json!(["backlog", "drops"]);
    }
    let (s, running): (_, Run) = run(&value.to_string());
    let tables = [
        running.finished().flow_table(&s),
        running.finished().interval_table(&s),
        running.finished().link_table(&s),
        running.finished().gauge_table(&s),
    ];
    (tables.iter().map(text).collect(), running.digest().value())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(8), ..ProptestConfig::default() })]
    #[test]
    fn a_trace_of_ports_changes_nothing(
        delay in prop::sample::select(vec!["0s", "1us", "3ms", "200ms"]),
        (rate, later) in (50..900u64, 50..900u64),
        (control, window) in (prop::sample::select(vec!["generic", "jk_reno", "none"]), 1..30u32),
        buffer in 2..40u32,
        laws in prop::sample::select(laws()),
        first in any::<prop::sample::Index>(),
    ) {
        // Each scheduler with one of the AQMs, and in further cases with the others.
        let aqms = headgate_queue::aqm::LIST;
        let with_aqm = |(i, kind): (usize, &'static Entry)| {
            let takes = kind.schema()["properties"].get("aqm").is_some();
            let aqm = takes.then(|| Some(aqms[(first.index(aqms.len()) + i) % aqms.len()].name));
            std::iter::once(None).chain(aqm).map(move |aqm| (kind, aqm))
        };
        for (kind, aqm) in headgate_queue::LIST.iter().enumerate().flat_map(with_aqm) {
            let mut queue = json!({"kind": kind.name});
            if let Some(aqm) = aqm {
                queue["aqm"] = json!(aqm);
            }
            // Not every scheduler takes every AQM.
            if serde_json::from_value::<headgate_queue::Spec>(queue.clone()).is_err() {
                continue;
            }
            let known = (kind.defaults)();
            if known.get("buffer").is_some() {
                queue["buffer"] = json!(format!("{buffer}pkt"));
            }
            // What is interrupted is on a line that sends whenever it is free.
            let preempts = serde_json::from_value::<headgate_queue::Spec>(queue.clone()).expect("valid").preempts();
            if preempts && (laws.get("aggregation").is_some() || laws["rate"]["kind"] == "mahimahi") {
                continue;
            }
            let mut control = json!({"kind": control});
            if control["kind"] != "none" {
                control["window"] = json!(window);
            }
            let value = json!({
                "duration": "20s", "interval": "700ms",
                "nodes": [{"name": "a", "kind": "host"}, {"name": "g"}, {"name": "h"}, {"name": "b", "kind": "host"}],
                "links": [
                    {"name": "in", "from": "a", "to": "g", "rate": "2Mbit/s"},
                    {"name": "mid", "from": "g", "to": "h", "rate": format!("{rate}kbit/s"), "delay": delay, "queue": queue, "classify": "flow"},
                    {"name": "out", "from": "h", "to": "b", "rate": "600kbit/s", "delay": delay, "queue": queue},
                ],
                "flows": [
                    {"name": "bulk", "from": "a", "to": "b", "control": control, "workload": {"kind": "poisson", "mean": "17ms"}},
                    {"name": "back", "from": "b", "to": "a", "start_spread": "1s"},
                    {"name": "bursts", "from": "a", "to": "b", "control": "none", "acknowledge": false, "packet": "300B",
                     "workload": {"kind": "cbr", "rate": "200kbit/s"}},
                ],
                "events": [
                    {"at": "5s", "link": "mid", "rate": format!("{later}kbit/s"), "delay": "2ms"},
                    {"at": "8s", "link": "mid", "up": false, "direction": "forward"},
                    {"at": "9s", "link": "mid", "up": true, "direction": "forward"},
                ],
            });
            let mut value = value;
            value["links"][1].as_object_mut().expect("a table").extend(laws.as_object().expect("a table").clone());
            if !value["links"][1]["rate"].is_string() {
                value["events"][0]["rate"].take();
            }
            let plain = outcome(value.clone(), false);
            prop_assert_eq!(plain.1, followed(&value), "{} {:?}: packets are followed", kind.name, aqm);
            prop_assert_eq!(plain, outcome(value, true), "{} {:?}", kind.name, aqm);
        }
    }
}
