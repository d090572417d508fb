//! Every discipline of the list with every choice of its parameters, such as what makes room in a full buffer, and every scheduler with every AQM.

use headgate_queue::{LIST, Spec, aqm};
use serde_json::{Value, json};

/// The values of a parameter that is a choice; none for another one.
fn choices(schema: &Value) -> Vec<Value> {
    let documented = schema["oneOf"].as_array().into_iter().flatten().map(|choice| choice["const"].clone());
    documented.filter(Value::is_string).collect()
}

/// The disciplines with this buffer, with their parameters as text, in every combination of choices that their checks take.
pub fn disciplines(buffer: &str) -> Vec<(String, Spec)> {
    let mut all = Vec::new();
    for entry in LIST {
        let mut tables = vec![json!({"kind": entry.name, "buffer": buffer})];
        let schema = (entry.schema)();
        let parameters = schema["properties"].as_object().expect("parameters are a table");
        for (name, choices) in parameters.iter().map(|(name, schema)| (name, choices(schema))) {
            if choices.is_empty() {
                continue;
            }
            tables = tables.iter().flat_map(|table| choices.iter().map(|choice| with(table, name, choice))).collect();
        }
        let every: Vec<Value> = tables.clone();
        if (entry.defaults)().get("aqm").is_none() && parameters.contains_key("aqm") {
            tables.extend(aqms().iter().map(|aqm| json!({"kind": entry.name, "buffer": buffer, "aqm": aqm})));
        }
        tables.retain(|table| serde_json::from_value::<Spec>(table.clone()).is_ok());
        for (name, choice) in every.iter().flat_map(|table| table.as_object().expect("a table")) {
            assert!(tables.iter().any(|t| t[name] == *choice), "{}: {name} = {choice} was never taken", entry.name);
        }
        tables.extend(
            NUMBERS
                .iter()
                .map(|text| serde_json::from_str::<Value>(text).expect("JSON"))
                .filter(|t| t["kind"] == entry.name)
                .map(|table| with(&table, "buffer", &buffer.into())),
        );
        all.extend(tables.into_iter().map(|t| (t.to_string(), serde_json::from_value(t).expect("it was taken above"))));
    }
    all
}

/// Disciplines that are others with other numbers.
const NUMBERS: &[&str] = &[
    r#"{"kind": "drr_plus_plus", "queues": 0}"#,
    r#"{"kind": "drr_plus_plus", "queues": 2, "quantum": "60B", "drop_batch": 2}"#,
    r#"{"kind": "dualpi2", "target": "100ms", "alpha": 1.6}"#,
    r#"{"kind": "cake", "rate": "6kbit/s", "rtt": "200ms"}"#,
    r#"{"kind": "cake", "rate": "20kbit/s", "diffserv": "precedence", "overhead": 20, "ingress": true}"#,
    r#"{"kind": "linux_fq", "quantum": "300B", "initial_quantum": "600B", "max_rate": "3kbit/s", "low_rate_threshold": "2kbit/s"}"#,
    r#"{"kind": "linux_fq", "max_rate": "5kbit/s", "ce_threshold": "100ms"}"#,
    r#"{"kind": "tbf", "rate": "5kbit/s", "burst": "900B", "peak_rate": "7kbit/s", "aqm": "codel"}"#,
    r#"{"kind": "htb", "classes": [{"name": "a", "rate": "4kbit/s", "ceil": "7kbit/s"}, {"name": "b", "parent": "a", "rate": "1kbit/s", "ceil": "5kbit/s"}],
        "aqm": "codel"}"#,
    r#"{"kind": "choke", "min_threshold": "1pkt", "max_threshold": "4pkt", "weight": 0.3, "max_p": 0.5, "candidates": 3, "mark": true}"#,
    r#"{"kind": "red", "min_threshold": "1pkt", "max_threshold": "4pkt", "weight": 0.3, "max_p": 0.3, "adaptive": true, "interval": "90ms", "gentle": true}"#,
    r#"{"kind": "drr", "aqm": {"kind": "red", "min_threshold": "1pkt", "max_threshold": "4pkt", "weight": 0.3, "max_p": 0.3, "adaptive": true, "interval": "90ms"}}"#,
    r#"{"kind": "scfq", "aqm": {"kind": "red", "target_delay": "9s", "automatic_weight": true, "adaptive": true, "interval": "90ms"}}"#,
];

/// The disciplines: each with its first choices, and with the others and with AQMs in turn, one in [`TURNS`] cases. There are as many as schedulers times AQMs, and a
/// property tries many cases.
#[allow(dead_code, reason = "not every test takes turns")]
pub fn in_turn(buffer: &str, turn: usize) -> impl Iterator<Item = (String, Spec)> {
    let mut last = "";
    disciplines(buffer)
        .into_iter()
        .enumerate()
        .filter(move |(i, (_, spec))| {
            let is_first = std::mem::replace(&mut last, spec.name()) != spec.name();
            is_first || i % TURNS == turn % TURNS
        })
        .map(|(_, discipline)| discipline)
}

/// Cases after which each choice had its turn.
#[allow(dead_code, reason = "not every test takes turns")]
pub const TURNS: usize = 8;

/// Every AQM of the list with its defaults, and with thresholds and times that a short queue reaches, and marks.
fn aqms() -> Vec<Value> {
    let tight = json!({"min_threshold": "1pkt", "max_threshold": "4pkt", "weight": 0.3, "target": "30ms", "interval": "90ms", "max_packet": "100B",
        "increment": 0.25, "decrement": 0.125, "freeze": "70ms", "levels": 2, "bins": 3, "bin_size": 1, "max": 3, "penalty_rate": 2.0, "penalty_burst": 2, "rehash": "2s",
        "warm_up": "700ms", "samples": 12, "sample_interval": 1, "target_queue": 1});
    let of = |entry: &headgate_packet::choice::Entry| {
        let (plain, defaults) = (json!({"kind": entry.name}), (entry.defaults)());
        let known = tight.as_object().expect("a table").iter().filter(|(name, _)| defaults.get(name).is_some());
        [plain.clone(), known.fold(plain, |table, (name, value)| with(&table, name, value))]
    };
    aqm::LIST.iter().flat_map(of).collect()
}

fn with(table: &Value, name: &str, value: &Value) -> Value {
    let mut table = table.clone();
    table[name] = value.clone();
    table
}
