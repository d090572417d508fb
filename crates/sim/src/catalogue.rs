//! The lists of algorithms as data, for help, `headgate list` and the generated reference pages.

use crate::spec::short_names;
use headgate_control::transport::Config;
use headgate_control::transport::tcp::Preset;
use headgate_packet::Rate;
use headgate_packet::choice::Entry;
use headgate_packet::foreign;
use headgate_packet::header::{deviations, title};
use headgate_queue::says::{self, Sentence};
use headgate_queue::{Discipline as _, Does, LinkInfo, Moment, Priorities, ROOM_SAYS};
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

/// The list of names for others: those of [`short_names`], and two for a discipline.
pub const SHORT_NAMES: &str = "short-names";

/// Other names of disciplines that are in the list of short names; all of them are on their cards.
const QUEUES: [&str; 2] = ["droptail", "fifo"];

/// A list as JSON: `[{name, source, deviations, summary, family, aliases, parameters: [{name, type, default, description, ...}]}]`; of disciplines
/// `gauges`, and whether each is `work_conserving`; of these and of AQMs what each `does` by default, and the priorities that are served best and worst;
/// of flow controls `transport`, whether a flow may say how it is served, and how it is served by itself. `None` for an unknown list.
pub fn catalogue(list: &str) -> Option<Value> {
    if list == SHORT_NAMES {
        return Some(short());
    }
    let (_, entries) = LISTS.iter().find(|(name, _)| *name == list)?;
    let with_gauges = |entry| {
        let mut described = describe(entry);
        if ["disciplines", "aqms"].contains(&list) {
            let room = (list == "disciplines").then_some(ROOM_SAYS);
            let texts: Vec<&'static str> = entry.card.says.iter().copied().chain(room).collect();
            let says = says::read(&texts).unwrap_or_else(|wrong| panic!("{}: {wrong}", entry.name));
            described["says"] = says.sentences.iter().map(sentence).collect();
            described["order"] = json!(says.order);
        }
        match list {
            "disciplines" => {
                let queue = headgate_queue::Spec::default_of(entry.name).expect("a discipline of the list");
                described["gauges"] = json!(gauges(&queue));
                described["work_conserving"] = json!(queue.work_conserving());
                done(&mut described, queue.does());
            }
            "aqms" => {
                let aqm = headgate_queue::aqm::Spec::default_of(entry.name).expect("an AQM of the list");
                done(&mut described, aqm.does());
            }
            "flow-controls" => {
                let control = headgate_control::Spec::default_of(entry.name).expect("a flow control of the list");
                served(&mut described, &control.transport());
                described["by_delay"] = json!(control.by_delay());
                described["layers"] = json!(control.in_layers());
            }
            _ => {}
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
        "flow-controls" => all.extend(headgate_control::REGISTRY.all().iter().map(|entry| plugin(entry, entries))),
        "disciplines" => all.extend(headgate_queue::REGISTRY.all().iter().map(|entry| {
            let mut described = plugin(entry, entries);
            done(&mut described, Does::ALL);
            described
        })),
        _ => {}
    }
    Some(all.into())
}

/// The short names: `key` is the part of a scenario in which each may stand, `kind` the scheme among what it stands for, and `source` all of that.
fn short() -> Value {
    let flows = short_names::LIST.iter().map(|short| {
        let (key, kind) = short.kind();
        json!({
            "name": short.name, "source": short.entry(), "summary": short.summary(), "key": key, "kind": kind,
            "sends": short.sends(), "lasts_s": short.lasts_s, "up": short.up
        })
    });
    let queues = QUEUES.iter().map(|name| {
        let known = headgate_queue::LIST.iter().find(|entry| entry.card.aliases.contains(name));
        let kind = known.expect("a discipline is known under this name").name;
        let summary = format!(
            "The queueing discipline {kind}, which others call {name}. Only --queue of headgate quick knows this name."
        );
        json!({ "name": name, "source": format!("--queue {kind}"), "summary": summary, "key": "queue", "kind": kind })
    });
    flows.chain(queues).collect()
}

/// What a discipline or an AQM does by default, and which priorities make a difference.
fn done(described: &mut Value, does: Does) {
    described["does"] = json!(does.names().collect::<Vec<_>>());
    if let Some(Priorities { best, worst }) = does.priorities {
        described["priorities"] = json!([best, worst]);
    }
}

/// How the transport serves a flow control that a flow says nothing of: the preset, the recovery, and what another preset would change that belongs to the
/// control. One with Linux's transport has that as a whole or not at all.
fn served(described: &mut Value, config: &Config) {
    described["transport"] = json!(config.has_options());
    described["marked"] = json!(config.ecn.is_capable());
    let Some(rules) = config.tcp_rules() else { return };
    described["preset"] = json!(if rules.as_linux { Preset::Linux } else { Preset::Rfc });
    described["recovery"] = json!(rules.recovery);
    let (usual, mut kept) = (Preset::Rfc.rules(), serde_json::Map::new());
    if !rules.as_linux && rules.paced != usual.paced {
        kept.insert("paced".to_owned(), rules.paced.into());
    }
    if !rules.as_linux && rules.initial_window != usual.initial_window {
        kept.insert("initial_window".to_owned(), rules.initial_window.into());
    }
    described["kept"] = kept.into();
}

/// A sentence to the numbers of a decision.
fn sentence(said: &Sentence) -> Value {
    let when: Vec<Value> = said.when.iter().map(|(number, holds)| json!([number, holds])).collect();
    json!({ "text": said.text, "leaves": said.moment == Moment::Departure, "place": said.place, "when": when, "outcomes": said.outcomes })
}

/// The gauges of the discipline, read at the end of each interval.
fn gauges(spec: &headgate_queue::Spec) -> Vec<&'static str> {
    let rate = Rate::from_bps(1_000_000).expect("above zero");
    let mut names = Vec::new();
    spec.build(&LinkInfo { rate, flows: 1, weights: Vec::new(), hosts: vec![] }).probe(&mut |name, _| names.push(name));
    names
}

/// One that was registered; it says so by `plugin`. A page shows those of its parameters first that it shows first of one of the list.
fn plugin<M: ?Sized>(entry: &foreign::Entry<M>, list: &[Entry]) -> Value {
    let parameters = parameters(&entry.schema, &entry.defaults);
    let is_main = |name: &&Value| list.iter().any(|known| known.card.main.iter().any(|main| **name == **main));
    let main: Vec<&Value> = parameters.iter().map(|parameter| &parameter["name"]).filter(is_main).collect();
    json!({
        "name": entry.name, "source": entry.source, "deviations": [], "summary": entry.summary, "plugin": true,
        "parameters": parameters, "main": main, "gauges": [], "transport": true
    })
}

fn describe(entry: &Entry) -> Value {
    let (schema, defaults) = (entry.outline(), (entry.defaults)());
    let parameters = parameters(&schema, &defaults);
    json!({
        "name": entry.name, "source": entry.card.source, "deviations": deviations(entry.header), "summary": schema["description"],
        "family": entry.card.family, "aliases": entry.card.aliases,
        "parameters": parameters, "main": entry.card.main
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outline_describes_the_same_parameters() {
        for entry in LISTS.iter().flat_map(|(_, entries)| *entries) {
            let (schema, outline, defaults) = (entry.schema(), entry.outline(), (entry.defaults)());
            assert_eq!(parameters(&outline, &defaults), parameters(&schema, &defaults), "{}", entry.name);
            assert_eq!(outline["description"], schema["description"], "{}", entry.name);
        }
    }

    #[test]
    fn an_outline_of_a_discipline_describes_no_aqm() {
        let drr = headgate_queue::LIST.iter().find(|entry| entry.name == "drr").expect("it is in the list");
        let [whole, outline] = [drr.schema(), drr.outline()].map(|schema| schema.to_string().len());
        assert!(5 * outline < whole, "{outline} bytes of {whole}");
    }
}
