//! Scenarios at the edges of every type and range: refused with their place, or a run of bounded work that conserves packets.
//!
//! Debug builds check every sum and product, so that one that wraps is a panic here.

use crate::common::cases::cases;
use headgate_packet::choice::Entry;
use headgate_sim::Run;
use headgate_sim::spec::Scenario;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

/// Values that a parameter may be given, from the least to the greatest.
fn edges(default: &Value, name: &str) -> Vec<Value> {
    let texts = |all: &[&str]| all.iter().map(|t| json!(t)).collect();
    match default {
        Value::Bool(_) => vec![json!(false), json!(true)],
        // This number of packets at once takes memory, which other tests cover.
        Value::Number(_) if name == "window" => [0, 1, 2, 5, 900].map(|n| json!(n)).to_vec(),
        Value::Number(n) if n.is_f64() => {
            [0.0, 5e-324, 1e-6, 0.3, 1.0, 2.0, 64.0, 1e9, 1e300].map(|x| json!(x)).to_vec()
        }
        Value::Number(_) => [0, 1, 2, 3, 1000, 1_000_000, u64::MAX].map(|n| json!(n)).to_vec(),
        Value::String(text) => match text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.') {
            "pkt" | "B" | "KB" if name.contains("buffer") || name.contains("threshold") => {
                texts(&["1pkt", "2pkt", "18446744073709551615pkt", "1B", "3KB", "16MiB", "18446744073709551615B"])
            }
            "B" | "KB" => texts(&["0B", "1B", "40B", "1500B", "16MiB", "1GB", "18446744073709551615B"]),
            "ps" | "ns" | "us" | "ms" | "s" => {
                texts(&["0s", "1ps", "100ps", "100us", "1ms", "3s", "18446744073709551615ps"])
            }
            "bit/s" | "kbit/s" | "Mbit/s" => texts(&["1bit/s", "64kbit/s", "80Gbit/s", "18446744073709551615bit/s"]),
            _ => vec![],
        },
        _ => vec![],
    }
}

/// Distributions with the greatest values.
fn heavy() -> impl Iterator<Item = Value> {
    let all = [
        json!({"kind": "pareto", "shape": 1.000_001}),
        json!({"kind": "pareto", "shape": 0.1, "max": 1e9}),
        json!({"kind": "lognormal", "sigma": 5}),
        json!({"kind": "empirical", "points": [[0, 0.999_999_999_999], [1e12, 1]]}),
        json!({"kind": "empirical", "points": [["0B", 0.5], ["1000GB", 1]]}),
    ];
    all.into_iter()
}

fn entry(list: &'static [Entry]) -> impl Strategy<Value = Value> {
    (0..list.len()).prop_flat_map(move |i| {
        let (defaults, schema) = ((list[i].defaults)(), list[i].schema());
        let properties = schema["properties"].as_object().cloned().unwrap_or_default();
        let fields: Vec<_> = properties
            .iter()
            .map(|(name, field)| {
                // What need not be given follows an example.
                let example = if defaults[name].is_null() { &field["examples"][0] } else { &defaults[name] };
                let mut values = edges(example, name);
                let named = field["oneOf"].as_array().into_iter().flatten().filter_map(|one| one.get("const").cloned());
                values.extend(named.filter(Value::is_string));
                if let Some(names) = field["anyOf"][0]["enum"].as_array() {
                    values.extend(names.iter().cloned().chain(heavy()));
                }
                (name.clone(), values)
            })
            .filter(|(_, values)| !values.is_empty())
            // Each is left at its default most of the time: a table of edges alone is nearly always refused. So one in ten runs.
            .map(|(name, values)| (Just(name), prop::option::weighted(0.08, select(values))))
            .collect();
        fields.prop_map(move |fields| {
            let mut table = json!({"kind": list[i].name});
            for (name, value) in fields {
                if let Some(value) = value {
                    table[name] = value;
                }
            }
            table
        })
    })
}

fn text(all: &'static [&'static str]) -> impl Strategy<Value = Value> {
    select(all).prop_map(|text| json!(text))
}

const RATES: &[&str] = &["1bit/s", "9bit/s", "56kbit/s", "10Mbit/s", "1Tbit/s", "18446744073709551615bit/s"];
const TIMES: &[&str] = &["0s", "1ps", "1ms", "20ms", "3s", "1000h", "18446744073709551615ps"];
const SIZES: &[&str] = &["1B", "40B", "1500B", "2305844B", "16MiB"];

fn flow() -> impl Strategy<Value = Value> {
    let packet = prop_oneof![3 => text(SIZES), 1 => entry(headgate_sim::sizes::LIST)];
    (
        (packet, text(SIZES), any::<bool>(), text(TIMES), text(TIMES)),
        (entry(headgate_sim::workload::LIST), entry(headgate_control::LIST), select(vec![1, 1, 2, 1000, 1000, 1001]), any::<u8>()),
    )
        .prop_map(|((packet, ack, acknowledge, start, spread), (workload, control, weight, priority))| {
            let mut flow = json!({"name": "f", "from": "a", "to": "b", "packet": packet, "ack": ack, "acknowledge": acknowledge,
                   "workload": workload, "control": control, "weight": weight, "priority": priority});
            // Half of the flows start at once.
            if priority % 2 == 0 {
                (flow["start"], flow["start_spread"]) = (start, spread);
            }
            flow
        })
}

fn scenario() -> impl Strategy<Value = Value> {
    let times = (text(&["1ps", "1us", "1s", "60s", "5000h", "18446743s"]), text(RATES), text(TIMES), text(RATES));
    (times, entry(headgate_queue::LIST), prop::collection::vec(flow(), 1..4), any::<bool>()).prop_map(
        |((duration, rate, delay, later), queue, mut flows, change)| {
            for (i, flow) in flows.iter_mut().enumerate() {
                flow["name"] = json!(format!("f{i}"));
            }
            let mut scenario = json!({
                "duration": duration, "nodes": [{"name": "a"}, {"name": "g"}, {"name": "b"}],
                "links": [{"name": "l", "from": "a", "to": "g", "rate": "1Gbit/s"},
                          {"name": "m", "from": "g", "to": "b", "rate": rate, "delay": delay, "queue": queue}],
                "flows": flows,
            });
            if change {
                scenario["events"] = json!([{"at": "500ns", "link": "m", "rate": later, "delay": "0s"}]);
            }
            scenario
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(2500), ..ProptestConfig::default() })]
    #[test]
    fn a_run_at_the_edges_is_refused_or_conserves_packets(value in scenario()) {
        let scenario = match Scenario::from_json(&value.to_string()) {
            Ok(scenario) => scenario,
            Err(wrong) => {
                prop_assert!(!wrong.path.is_empty() && !wrong.message.is_empty(), "{wrong}");
                return Ok(());
            }
        };
        // It resolves to itself.
        let again = serde_json::to_string(&scenario).expect("plain data");
        prop_assert_eq!(Scenario::from_json(&again).map_err(|e| e.to_string()), Ok(scenario.clone()));
        let mut running = Run::new(&scenario, 1, 0);
        let mut before = 0.0;
        for _ in 0..20 {
            let over = running.advance(100);
            prop_assert!(running.progress() >= before && running.progress() <= 1.0);
            before = running.progress();
            prop_assert_eq!(running.audit(), Ok(()));
            if over {
                break;
            }
        }
        let (sent, received) = running.packets();
        prop_assert!(received <= sent, "{} received of {}", received, sent);
        // The tables are made of whatever there is.
        let _ = (running.finished().flow_table(&scenario), running.finished().link_table(&scenario), running.finished().interval_table(&scenario));
    }
}
