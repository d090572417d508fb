//! Every discipline of the list with every choice of its parameters, such as what makes room in a full buffer, and every scheduler with every AQM.

use headgate_packet::choice::Entry;
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
        let schema = entry.schema();
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
        tables.extend(examples(entry).map(|table| with(&table, "buffer", &buffer.into())));
        all.extend(tables.into_iter().map(|t| (t.to_string(), serde_json::from_value(t).expect("it was taken above"))));
    }
    all
}

/// A scheme with the parameters of each of its examples.
pub fn examples(entry: &Entry) -> impl Iterator<Item = Value> {
    let (name, kind) = (entry.name, json!(entry.name));
    entry.card.examples.iter().map(move |text| {
        let table = serde_json::from_str(text).unwrap_or_else(|e| panic!("{name}: {e}: {text}"));
        with(&table, "kind", &kind)
    })
}

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

/// Every AQM of the list with its defaults, and with its examples.
fn aqms() -> Vec<Value> {
    let of = |entry: &'static Entry| std::iter::once(json!({"kind": entry.name})).chain(examples(entry));
    aqm::LIST.iter().flat_map(of).collect()
}

fn with(table: &Value, name: &str, value: &Value) -> Value {
    let mut table = table.clone();
    table[name] = value.clone();
    table
}
