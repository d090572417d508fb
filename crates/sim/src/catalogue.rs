//! The lists of algorithms as data, for help, `headgate list` and the generated reference pages.

use headgate_packet::Rate;
use headgate_packet::choice::Entry;
use headgate_packet::foreign;
use headgate_packet::header::{deviations, title};
use headgate_queue::{Discipline as _, LinkInfo};
use serde_json::{Value, json};

/// The lists by name.
pub const LISTS: [(&str, &[Entry]); 11] = [
    ("disciplines", headgate_queue::LIST),
    ("aqms", headgate_queue::aqm::LIST),
    ("flow-controls", headgate_control::LIST),
    ("workloads", crate::workload::LIST),
    ("packet-sizes", crate::sizes::LIST),
    ("arrivals", crate::arrivals::LIST),
    ("distributions", crate::laws::LIST),
    ("topologies", crate::topology::LIST),
    ("losses", crate::link::loss::LIST),
    ("framings", crate::link::framing::LIST),
    ("rate-traces", crate::link::rate::LIST),
];

/// A list as JSON: `[{name, source, deviations, summary, parameters: [{name, type, default, description, ...}]}]`, and `gauges` of disciplines, and `transport` of flow controls, whether a flow may say how it is served; `None` for an unknown list.
pub fn catalogue(list: &str) -> Option<Value> {
    let (_, entries) = LISTS.iter().find(|(name, _)| *name == list)?;
    let with_gauges = |entry| {
        let mut described = describe(entry);
        if list == "disciplines" {
            described["gauges"] = json!(gauges(entry.name));
        }
        if list == "flow-controls" {
            let control = headgate_control::Spec::default_of(entry.name).expect("a flow control of the list");
            described["transport"] = json!(control.transport().has_options());
        }
        described
    };
    let mut all: Vec<Value> = entries.iter().map(with_gauges).collect();
    // Where two names have one struct of parameters, the head of the second file says what that is.
    for i in 1..all.len() {
        if all[..i].iter().any(|earlier| earlier["summary"] == all[i]["summary"]) {
            all[i]["summary"] = json!(title(entries[i].header));
        }
    }
    match list {
        "flow-controls" => all.extend(headgate_control::REGISTRY.all().iter().map(|entry| plugin(entry))),
        "disciplines" => all.extend(headgate_queue::REGISTRY.all().iter().map(|entry| plugin(entry))),
        _ => {}
    }
    Some(all.into())
}

/// The gauges of the discipline, read at the end of each interval.
fn gauges(discipline: &str) -> Vec<&'static str> {
    let spec = headgate_queue::Spec::default_of(discipline).expect("a discipline of the list");
    let rate = Rate::from_bps(1_000_000).expect("above zero");
    let mut names = Vec::new();
    spec.build(&LinkInfo { rate, flows: 1, weights: Vec::new(), hosts: vec![] }).probe(&mut |name, _| names.push(name));
    names
}

/// One that was registered; it says so by `plugin`.
fn plugin<M: ?Sized>(entry: &foreign::Entry<M>) -> Value {
    json!({
        "name": entry.name, "source": entry.source, "deviations": [], "summary": entry.summary, "plugin": true,
        "parameters": parameters(&entry.schema, &entry.defaults), "gauges": [], "transport": true
    })
}

fn describe(entry: &Entry) -> Value {
    let (schema, defaults) = ((entry.schema)(), (entry.defaults)());
    let parameters = parameters(&schema, &defaults);
    json!({
        "name": entry.name, "source": entry.card.source, "deviations": deviations(entry.header), "summary": schema["description"],
        "parameters": parameters
    })
}

fn parameters(schema: &Value, defaults: &Value) -> Vec<Value> {
    let fields = schema["properties"].as_object().into_iter().flatten();
    fields.map(|(name, field)| parameter(name, field, &defaults[name])).collect()
}

/// A variant of a choice by its name, which is the key of one that holds a value.
fn choice(variant: &Value) -> Value {
    let key = &variant["required"][0];
    if key.is_string() { key.clone() } else { variant.get("const").unwrap_or(&variant["enum"][0]).clone() }
}

fn parameter(name: &str, schema: &Value, default: &Value) -> Value {
    let kind = match (&schema["format"], &schema["type"]) {
        // The units' own formats are words such as "a duration"; schemars' for numbers are "uint32" and the like.
        (Value::String(format), Value::String(t)) if t == "string" => format.trim_start_matches("a ").to_owned(),
        (_, Value::String(t)) => t.clone(),
        (_, Value::Array(types)) => types.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" or "),
        _ => "choice".to_owned(),
    };
    let mut out = json!({ "name": name, "type": kind, "default": default, "description": schema["description"] });
    for key in ["minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum"] {
        if let Some(bound) = schema.get(key) {
            out[key] = bound.clone();
        }
    }
    let one_of = schema["oneOf"].as_array().map(|variants| variants.iter().map(choice).collect::<Vec<_>>());
    // A choice from another list: its names come first, and an entry without parameters is given by its name.
    let named = || schema["anyOf"][0]["enum"].as_array().cloned();
    if default.as_object().is_some_and(|choice| choice.len() == 1 && choice.contains_key("kind")) {
        out["default"] = default["kind"].clone();
    }
    if let Some(choices) = one_of.or_else(|| schema["enum"].as_array().cloned()).or_else(named) {
        out["type"] = json!("choice");
        out["choices"] = json!(choices);
        let meanings: Vec<&Value> =
            schema["oneOf"].as_array().into_iter().flatten().map(|v| &v["description"]).collect();
        if !meanings.is_empty() {
            // In the order of the choices.
            out["meanings"] = json!(meanings);
        }
    }
    out
}
