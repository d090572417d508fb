//! Parameters at the edges of their types and ranges: a table is refused with its place, or its replay ends, and every packet is accounted for.
//!
//! Debug builds check every sum and product, so that one that wraps is a panic here.

use crate::common::cases::cases;
use headgate_queue::Spec;
use headgate_replay::table::{Columns, Times};
use headgate_replay::{Fate, Options, Replay, ReplayError};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

/// Quantities with units and numbers that a parameter may be given as, from the least to the greatest there is.
fn edges(default: &Value, name: &str) -> Vec<Value> {
    let texts = |all: &[&str]| all.iter().map(|t| json!(t)).collect();
    let Some(text) = default.as_str() else {
        return match default {
            Value::Bool(_) => vec![json!(false), json!(true)],
            Value::Number(n) if n.is_f64() => {
                [0.0, 5e-324, 1e-9, 0.002, 0.5, 1.0, 2.0, 10.0, 1e300].map(|x| json!(x)).to_vec()
            }
            Value::Number(_) => [0, 1, 2, 3, 7, 1_000_000, u64::MAX].map(|n| json!(n)).to_vec(),
            Value::Array(_) => {
                [json!([]), json!([1]), json!([4, 4]), json!([1_000_000, 1, 3]), json!([2, 999_999])].to_vec()
            }
            // A parameter that is left out by default.
            _ if name == "rate" => texts(&["1bit/s", "18446744073709551615bit/s"]),
            _ => texts(&["1pkt", "1B", "18446744073709551615B"]),
        };
    };
    match text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.') {
        "pkt" | "B" | "KB" if name.contains("buffer") || name.contains("threshold") => {
            texts(&["1pkt", "2pkt", "40pkt", "18446744073709551615pkt", "1B", "3KB", "16MiB", "18446744073709551615B"])
        }
        "B" | "KB" => texts(&["0B", "1B", "1500B", "16MiB", "1GB", "18446744073709551615B"]),
        "ps" | "ns" | "us" | "ms" | "s" => texts(&["0s", "1ps", "1ms", "100ms", "18446744073709551615ps"]),
        "bit/s" | "kbit/s" | "Mbit/s" => texts(&["1bit/s", "64kbit/s", "1Tbit/s", "18446744073709551615bit/s"]),
        // A choice by name stays what it is here: the schema lists the others.
        _ => vec![],
    }
}

/// A discipline with some parameters at an edge.
fn table() -> impl Strategy<Value = Value> {
    select(headgate_queue::LIST.iter().map(|e| e.name).collect::<Vec<_>>()).prop_flat_map(|kind| {
        let entry = headgate_queue::LIST.iter().find(|e| e.name == kind).expect("it is in the list");
        let (defaults, schema) = ((entry.defaults)(), entry.schema());
        let properties = schema["properties"].as_object().cloned().unwrap_or_default();
        let fields: Vec<(String, Vec<Value>)> = properties
            .iter()
            .map(|(name, field)| {
                let mut values = edges(&defaults[name], name);
                values.extend(choices(field));
                (name.clone(), values)
            })
            .filter(|(_, values)| !values.is_empty())
            .collect();
        // Each is left at its default half of the time: a table of edges alone is nearly always refused.
        let each: Vec<_> =
            fields.into_iter().map(|(name, values)| (Just(name), prop::option::of(select(values)))).collect();
        each.prop_map(move |fields| {
            let mut table = json!({"kind": kind});
            for (name, value) in fields {
                if let Some(value) = value {
                    table[name] = value;
                }
            }
            table
        })
    })
}

/// The names that a schema lets one choose from.
fn choices(field: &Value) -> Vec<Value> {
    let listed = field["enum"].as_array().cloned().unwrap_or_default();
    let named = field["oneOf"].as_array().into_iter().flatten().filter_map(|one| one.get("const").cloned());
    listed.into_iter().chain(named).filter(|v| v.is_string()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(1500), ..ProptestConfig::default() })]
    #[test]
    fn a_replay_at_the_edges_is_refused_or_ends(
        table in table(),
        rate in select(vec!["1bit/s", "7bit/s", "9kbit/s", "10Mbit/s", "1Tbit/s", "18446744073709551615bit/s"]),
        packets in prop::collection::vec((
            select(vec![0i64, 0, 1, 1_000, 1_000_000_000, 1_000_000_000_000, 9_000_000_000_000_000_000]),
            0..3i32,
            select(vec![1i64, 40, 1500, 2_305_843, 2_305_844, 16_777_216]),
            select(vec![0i64, 1, 2, 255]),
        ), 1..30),
        weights in prop::collection::vec(select(vec![1i64, 2, 1000, 4_294_967_295]), 3),
    ) {
        let in_parts = serde_json::from_value::<Spec>(table.clone()).is_ok_and(|spec| spec.preempts());
        let options = json!({"rate": rate, "queues": [table], "lenient": true, "series": true});
        let options = match Options::from_json(&options.to_string()) {
            Ok(options) => options,
            Err(wrong) => {
                prop_assert!(wrong.path.starts_with("queues[0].") && wrong.message.contains("expected"), "{wrong}");
                return Ok(());
            }
        };
        let mut now = 0i64;
        let times = packets.iter().map(|p| { now = now.saturating_add(p.0); now }).collect();
        let columns = Columns {
            times: Times::Ticks(times, 1),
            flows: packets.iter().map(|p| p.1).collect(),
            names: vec!["a".into(), "b".into(), "c".into()],
            sizes: packets.iter().map(|p| p.2).collect(),
            weights: Some(packets.iter().map(|p| weights[p.1 as usize]).collect()),
            priorities: Some(packets.iter().map(|p| p.3).collect()),
            ecn: None,
            sources: None,
            destinations: None,
        };
        let mut replay = Replay::new(&options);
        replay.keep_rows(0);
        prop_assert!(replay.push(&columns).is_ok());
        let ended = match replay.finish(usize::MAX) {
            Ok(more) => !more,
            Err(ReplayError::Trace(e)) => {
                let text = e.to_string();
                prop_assert!(text.contains("213 days") || text.contains("holds no packets"), "{text}");
                false
            }
            Err(ReplayError::Output(e)) => panic!("there is no output: {e}"),
        };
        let (counters, all) = (replay.counters(0), replay.all(0).clone());
        let dropped: u64 = counters.dropped.iter().sum();
        prop_assert_eq!(counters.offered, replay.intake().packets);
        prop_assert_eq!((all.packets, all.sent), (counters.offered, counters.sent));
        prop_assert!(counters.sent + dropped <= counters.offered);
        if ended {
            prop_assert_eq!(counters.sent + dropped, counters.offered);
            let rows = replay.rows(0, usize::MAX);
            prop_assert_eq!(rows.len() as u64, counters.offered);
            let mut spans = Vec::new();
            for row in &rows {
                match row.fate {
                    Fate::Sent { start, departure, .. } => {
                        prop_assert!(row.arrival.at <= start && start <= departure);
                        spans.push((start, departure));
                    }
                    Fate::Dropped { at, .. } => prop_assert!(row.arrival.at <= at),
                    Fate::Open => prop_assert!(false, "open at the end"),
                }
            }
            // One at a time on the line, but for those that were interrupted.
            spans.sort_unstable();
            prop_assert!(in_parts || spans.windows(2).all(|w| w[0].1 <= w[1].0));
        }
    }
}

/// Steps of a controller cost what the queues cost that hold packets, not what a million empty ones do.
#[test]
fn a_million_queues_that_are_empty_cost_no_steps() {
    let table = json!({"kind": "fq_pie", "queues": 1_000_000, "update": "1ps"});
    let options = json!({"rate": "1bit/s", "queues": [table]});
    let mut replay = Replay::new(&Options::from_json(&options.to_string()).expect("options"));
    let packets = 12;
    let columns = Columns {
        times: Times::Ticks((0..packets).map(|n| n * 1_000_000_000).collect(), 1),
        flows: vec![0; packets as usize],
        names: vec!["a".into()],
        sizes: vec![1500; packets as usize],
        weights: None,
        priorities: None,
        ecn: None,
        sources: None,
        destinations: None,
    };
    replay.push(&columns).expect("packets");
    replay.finish(usize::MAX).expect("it ends");
    assert_eq!(replay.counters(0).sent, packets as u64);
}
