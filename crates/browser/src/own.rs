//! Flow controls that are written on the page: registered by name, and called by numbers while a run goes on. The calls are those of a control in Python
//! (docs/how-to/your-own-control.md), and the fields of what they are told come from the same list.

use crate::request::Failure;
use headgate_control::foreign::{ACK, Answer, Control, Event, Field, LOSS, Make, Reads, SENT, Seen, Wants};
use headgate_control::transport::Config;
use headgate_control::transport::tcp::{AfterIdle, Preset, Recovery, Rules};
use headgate_control::{LossKind, REGISTRY};
use headgate_packet::foreign::{Entry, Failure as Failed, Value};
use headgate_packet::{Ecn, Wrong};
use serde::Deserialize;
use serde_json::{Map, json};
use std::collections::BTreeMap;

mod answers;
mod host;

pub(crate) use answers::answer;

/// What the page says of a class.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Described {
    /// The name in scenarios.
    name: String,
    /// What it does, in a sentence.
    #[serde(default)]
    summary: String,
    /// Which of the page's classes it is.
    class: u32,
    /// The calls that it has.
    calls: Vec<String>,
    #[serde(default)]
    parameters: BTreeMap<String, Parameter>,
    /// Whether it is called for each acknowledgement (`ack`), or for those that end a round trip (`round`).
    #[serde(default)]
    every: Every,
    /// What its packets carry.
    #[serde(default)]
    ecn: Carries,
    /// Its attributes that are traced.
    #[serde(default)]
    gauges: Vec<String>,
}

/// A parameter: a number.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with a default, and min, max and doc if it has them")]
struct Parameter {
    default: f64,
    #[serde(default)]
    doc: String,
    min: Option<f64>,
    max: Option<f64>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
enum Every {
    #[default]
    Ack,
    Round,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Carries {
    #[default]
    None,
    Ect0,
    Ect1,
}

/// The names of what a control is told, in the order of its numbers, and what each number stands for.
pub(crate) fn fields() -> Value {
    fn all<T>(fields: &[Field<T>]) -> Value {
        let reads = |field: &Field<T>| match field.reads {
            Reads::Number => "number",
            Reads::Maybe => "maybe",
            Reads::Truth => "truth",
            Reads::Cause => "cause",
        };
        fields.iter().map(|field| json!({"name": field.name, "about": field.about, "reads": reads(field)})).collect()
    }
    json!({"ack": all(ACK), "loss": all(LOSS), "sent": all(SENT), "causes": LossKind::ALL.map(LossKind::name)})
}

/// Registers a class under its name.
///
/// # Errors
/// The name is taken by the engine, or no name; a default is out of its bounds.
pub(crate) fn register(found: &Value) -> Result<Value, Failure> {
    let described = Described::deserialize(found).map_err(|e| Failure::new(422, format!("the class: {e}")))?;
    let name = described.name.clone();
    let plain = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.len() <= 64
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    if !plain {
        let expected = "expected lower-case letters, digits and underscores, a letter first";
        return Err(Failure::new(422, format!("name: found {name:?}; {expected}")));
    }
    // Names of the engine's own controls stand in the catalogue before any of the page's.
    let taken = headgate_sim::catalogue::catalogue("flow-controls")
        .is_some_and(|list| list.as_array().into_iter().flatten().any(|own| own["name"] == name.as_str()));
    if taken && !REGISTRY.names().contains(&name.as_str()) {
        return Err(Failure::new(
            422,
            format!("name: found {name}; expected a name that no flow control of headgate has"),
        ));
    }
    let given: Map<String, Value> =
        described.parameters.iter().map(|(key, p)| (key.clone(), json!(p.default))).collect();
    let defaults = read(&described.parameters, &Value::Object(given))
        .map_err(|wrong| Failure::new(422, format!("the default of {}: {}", wrong.path, wrong.expected)))?;
    let parameters = described.parameters.clone();
    REGISTRY.add(Entry {
        name: name.clone(),
        source: "written on this page".to_owned(),
        summary: described.summary.clone(),
        schema: schema(&described.parameters),
        defaults,
        read: Box::new(move |values| read(&parameters, values)),
        make: Box::new(Class::of(described)) as Box<dyn Make>,
    });
    Ok(json!({ "name": name }))
}

fn schema(parameters: &BTreeMap<String, Parameter>) -> Value {
    let property = |p: &Parameter| {
        let mut all = json!({"type": "number", "default": p.default, "description": p.doc});
        for (key, bound) in [("minimum", p.min), ("maximum", p.max)] {
            if let Some(bound) = bound {
                all[key] = json!(bound);
            }
        }
        all
    };
    let properties: Map<String, Value> = parameters.iter().map(|(key, p)| (key.clone(), property(p))).collect();
    json!({"type": "object", "properties": properties, "additionalProperties": false})
}

/// Completes and checks parameters.
fn read(parameters: &BTreeMap<String, Parameter>, values: &Value) -> Result<Value, Wrong> {
    let given = values.as_object().cloned().unwrap_or_default();
    if let Some(key) = given.keys().find(|key| !parameters.contains_key(*key)) {
        let known: Vec<&str> = parameters.keys().map(String::as_str).collect();
        let expected = if known.is_empty() { "none".to_owned() } else { format!("one of {}", known.join(", ")) };
        return Err(Wrong::at(key.clone(), format!("there is no such parameter; expected {expected}")));
    }
    let mut complete = Map::new();
    for (key, p) in parameters {
        let found = given.get(key).cloned().unwrap_or_else(|| json!(p.default));
        let (least, most) = (p.min.unwrap_or(f64::NEG_INFINITY), p.max.unwrap_or(f64::INFINITY));
        if !found.as_f64().is_some_and(|x| (least..=most).contains(&x)) {
            let expected = match (p.min, p.max) {
                (Some(min), Some(max)) => format!("expected a number from {min} to {max}"),
                (Some(min), None) => format!("expected a number of at least {min}"),
                (None, Some(max)) => format!("expected a number of at most {max}"),
                (None, None) => "expected a number".to_owned(),
            };
            return Err(Wrong { path: key.clone(), found: Some(found.to_string()), expected });
        }
        complete.insert(key.clone(), found);
    }
    Ok(Value::Object(complete))
}

/// Makes objects of a class.
struct Class {
    class: u32,
    wants: Wants,
    transport: Config,
    gauges: Vec<&'static str>,
}

impl Class {
    fn of(described: Described) -> Class {
        let has = |name: &str| described.calls.iter().any(|call| call == name);
        let wants = Wants {
            rounds_only: described.every == Every::Round,
            loss: has("on_loss"),
            sent: has("on_packet_sent"),
            lost: has("on_packet_lost"),
            idle: has("on_idle"),
            undo: has("on_undo"),
        };
        let rules = Rules { recovery: Recovery::Sack, rate_samples: true, ..Preset::Rfc.rules() };
        let ecn = match described.ecn {
            Carries::None => Ecn::NotEct,
            Carries::Ect0 => Ecn::Ect0,
            Carries::Ect1 => Ecn::Ect1,
        };
        // Gauges have names that live as long as the module; a class has few of them, and is changed by hand.
        let gauges = described.gauges.into_iter().map(|name| &*Box::leak(name.into_boxed_str())).collect();
        Class { class: described.class, wants, transport: Config::tcp(rules, ecn), gauges }
    }
}

impl Make for Class {
    fn make(&self, values: &Value) -> Result<Box<dyn Control>, Failed> {
        let handle = host::make(self.class, &values.to_string()).map_err(Failed::new)?;
        Ok(Box::new(Object { handle, gauges: self.gauges.clone() }))
    }

    fn transport(&self) -> Config {
        self.transport.clone()
    }

    fn wants(&self) -> Wants {
        self.wants
    }
}

/// An object of the page.
struct Object {
    handle: u32,
    gauges: Vec<&'static str>,
}

impl Drop for Object {
    fn drop(&mut self) {
        host::release(self.handle);
    }
}

/// The number of an event, and its numbers.
fn numbers(event: &Event<'_>, out: &mut Vec<f64>) -> u32 {
    fn put<T>(fields: &[Field<T>], of: &T, out: &mut Vec<f64>) {
        out.extend(fields.iter().map(|field| (field.of)(of)));
    }
    out.clear();
    match event {
        Event::Start(window) => out.push(*window as f64),
        // A number of JavaScript has 53 bits.
        Event::Seed(seed) => out.push((seed >> 11) as f64),
        Event::Ack(ack, since) => put(ACK, &Seen { ack: **ack, since: **since }, out),
        Event::Loss(loss) => put(LOSS, loss, out),
        Event::Sent(now, seq, in_flight, limited) => {
            out.extend([now.as_secs_f64(), *in_flight as f64, f64::from(u8::from(*limited)), *seq as f64]);
        }
        Event::Lost(now, packet) => {
            out.push(now.as_secs_f64());
            put(SENT, packet, out);
        }
        Event::Idle(rule, initial, timeouts) => {
            out.extend([f64::from(u8::from(matches!(rule, AfterIdle::Halved))), *initial as f64, *timeouts as f64]);
        }
        Event::Undo => {}
    }
    match event {
        Event::Start(_) => 0,
        Event::Seed(_) => 1,
        Event::Ack(..) => 2,
        Event::Loss(_) => 3,
        Event::Sent(..) => 4,
        Event::Lost(..) => 5,
        Event::Idle(..) => 6,
        Event::Undo => 7,
    }
}

impl Control for Object {
    fn call(&mut self, event: Event<'_>) -> Result<Answer, Failed> {
        thread_local!(static NUMBERS: std::cell::RefCell<Vec<f64>> = const { std::cell::RefCell::new(Vec::new()) });
        let answer = NUMBERS.with_borrow_mut(|told| {
            let kind = numbers(&event, told);
            host::call(self.handle, kind, told)
        });
        let [window, rate, burst, slow_start] = answer.map_err(Failed::new)?;
        // What is without bound is no number of the page's.
        let bound = |x: f64| (x != f64::INFINITY).then_some(x);
        Ok(Answer { window: bound(window), rate: bound(rate), burst, slow_start: slow_start != 0.0 })
    }

    fn probe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        for (place, name) in self.gauges.iter().enumerate() {
            sink(name, host::gauge(self.handle, place as u32));
        }
    }
}

#[cfg(test)]
mod tests;
