//! Lines of a topology: what a `[[links]]` entry may set, except its name and ends. Rates and delays may be lists, or drawn from a law.

use crate::laws::{self, AnyLaw};
use crate::link::{LineRate, OneWay, Ways};
use crate::spec::Link;
use headgate_packet::{Duration, Rate, Rng, choice};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{DeserializeOwned, Deserializer, Error};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value, json};
use std::borrow::Cow;

/// Keys of a link that a topology sets.
const SET: [&str; 5] = ["name", "from", "to", "count", "first"];

/// Links that are alike but for their names, ends, rates and delays.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// As it was written.
    table: Map<String, Value>,
    /// A link with everything but its own name, ends, rate and delay.
    model: Link,
    rates: Values<LineRate, Rate>,
    delays: Values<Duration, Duration>,
}

/// One value of each link.
#[derive(Clone, Debug, PartialEq)]
enum Values<T, M> {
    /// In turn; the first one follows the last one.
    List(Vec<Ways<T>>),
    /// Drawn, with this mean.
    Law(Box<laws::Spec>, M),
}

impl<T, M> Values<T, M> {
    fn law(&self) -> Option<AnyLaw> {
        match self {
            Values::List(_) => None,
            Values::Law(law, _) => Some(law.build()),
        }
    }
}

impl Line {
    /// The default link.
    pub fn of(rate: &str, delay: &str) -> Line {
        let table = json!({ "rate": rate, "delay": delay });
        Line::read::<serde_json::Error>(table).expect("a rate and a delay are enough")
    }

    /// The default link of hosts: ten times the fastest of these links, without delay.
    pub fn ten_times(&self) -> Line {
        let fastest = match &self.rates {
            Values::List(rates) => rates.iter().flat_map(|ways| [ways.forward.mean(), ways.reverse.mean()]).max(),
            Values::Law(_, mean) => Some(*mean),
        };
        let bps = fastest.map_or(1, Rate::as_bps).saturating_mul(10);
        Line::of(&Rate::from_bps(bps).expect("above zero").to_string(), "0s")
    }

    /// The laws of rates and delays.
    pub(super) fn laws(&self) -> [Option<AnyLaw>; 2] {
        [self.rates.law(), self.delays.law()]
    }

    /// The link number `i` of its kind; `laws` are its own.
    pub(super) fn link(
        &self,
        name: String,
        [from, to]: [&str; 2],
        i: usize,
        laws: &[Option<AnyLaw>; 2],
        seed: u64,
    ) -> Link {
        // By the line's name, so that one more line changes no other.
        let drawn = |law: &Option<AnyLaw>, what: &str| {
            let rng = || Rng::new(seed, 0, &format!("topology/{name}/{what}"));
            law.as_ref().map_or(1.0, |law| law.draw(&mut rng()))
        };
        let rate = match &self.rates {
            Values::List(rates) => rates[i % rates.len()].clone(),
            // Rates above 2^64 bit/s become that, and rates below 1 bit/s become 1 bit/s.
            Values::Law(_, mean) => {
                let bps = ((drawn(&laws[0], "rate") * mean.as_bps() as f64) as u64).max(1);
                LineRate::Fixed(Rate::from_bps(bps).expect("above zero")).into()
            }
        };
        let delay = match &self.delays {
            Values::List(delays) => delays[i % delays.len()],
            Values::Law(_, mean) => (*mean * drawn(&laws[1], "delay")).into(),
        };
        Link { name, from: from.to_owned(), to: to.to_owned(), rate, delay, ..self.model.clone() }
    }

    fn read<E: Error>(value: Value) -> Result<Line, E> {
        let Value::Object(table) = value else {
            return Err(E::custom("expected properties of links, such as { rate = \"10Mbit/s\", delay = \"5ms\" }"));
        };
        if let Some(key) = SET.iter().find(|key| table.contains_key(**key)) {
            return Err(choice::located_error(key, "expected no such key: the topology gives names, ends and numbers"));
        }
        // Whatever else a link may have is read as a link; `rate` must be there.
        let mut plain = table.clone();
        plain.extend(["name", "from", "to"].map(|key| (key.to_owned(), "".into())));
        for (key, any) in [("rate", "1bit/s"), ("delay", "0s")] {
            if let Some(value) = plain.get_mut(key).filter(|value| value.is_array() || is_law(value)) {
                *value = any.into();
            }
        }
        let model: Link = choice::part(&Value::Object(plain))?;
        let rates = values("rate", table.get("rate"), &model.rate)?;
        let delays = values("delay", table.get("delay"), &model.delay)?;
        Ok(Line { table, model, rates, delays })
    }
}

/// A law has a mean, which distinguishes it from other tables.
fn is_law(value: &Value) -> bool {
    value.get("mean").is_some()
}

/// The list or law under a key of a link; or the one value that the model has.
fn values<T: OneWay, M: DeserializeOwned, E: Error>(
    key: &str,
    value: Option<&Value>,
    one: &Ways<T>,
) -> Result<Values<T, M>, E> {
    let at = |path: &str, e: &dyn std::fmt::Display| {
        let text = e.to_string();
        let (inside, message) = choice::located(&text);
        let dot = if inside.is_empty() { "" } else { "." };
        choice::located_error(&format!("{key}{path}{dot}{inside}"), message)
    };
    match value {
        Some(Value::Array(list)) => {
            if list.is_empty() {
                return Err(at("", &"expected at least one value"));
            }
            let read = |(i, v): (usize, &Value)| Ways::deserialize(v).map_err(|e| at(&format!("[{i}]"), &e));
            list.iter().enumerate().map(read).collect::<Result<_, _>>().map(Values::List)
        }
        Some(law) if is_law(law) => {
            let mut law = law.as_object().cloned().unwrap_or_default();
            let mean = law.remove("mean").unwrap_or_default();
            let mean = M::deserialize(mean).map_err(|e| at(".mean", &e))?;
            let law = laws::Spec::deserialize(Value::Object(law)).map_err(|e| at("", &e))?;
            law.check_times("kind").map_err(|wrong| at(".kind", &wrong.expected))?;
            Ok(Values::Law(Box::new(law), mean))
        }
        _ => Ok(Values::List(vec![one.clone()])),
    }
}

impl Serialize for Line {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        self.table.serialize(s)
    }
}

impl<'de> Deserialize<'de> for Line {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Line, D::Error> {
        Line::read(Value::deserialize(d)?)
    }
}

impl JsonSchema for Line {
    fn schema_name() -> Cow<'static, str> {
        "Line".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        // The keys of a link, by reference: each has the schema that it has there. That is not made here, since it has all disciplines.
        let keys = choice::fields_of::<Link>().into_iter().filter(|key| !SET.contains(key));
        let of = |key: &str| json!({ "$ref": format!("#/$defs/Link/properties/{key}") });
        let mut properties: Map<String, Value> = keys.map(|key| (key.to_owned(), of(key))).collect();
        for (key, mean) in [("rate", choice::schema_of::<Rate>()), ("delay", choice::schema_of::<Duration>())] {
            let names: Vec<&str> = laws::LIST.iter().map(|entry| entry.name).collect();
            let law = json!({
                "type": "object",
                "properties": { "kind": { "enum": names }, "mean": mean },
                "required": ["kind", "mean"],
            });
            let list = json!({ "type": "array", "items": of(key), "minItems": 1 });
            properties.insert(key.to_owned(), json!({ "anyOf": [of(key), list, law] }));
        }
        let schema =
            json!({ "type": "object", "properties": properties, "required": ["rate"], "additionalProperties": false });
        schema.try_into().expect("an object is a schema")
    }
}
