//! A probability as a plain number.

use super::OneWay;
use headgate_packet::choice;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, de::Error};
use serde_json::Value;
use std::borrow::Cow;

/// A number from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Probability(f64);

impl Probability {
    /// `None` for a number outside 0 to 1.
    pub fn new(p: f64) -> Option<Probability> {
        (0.0..=1.0).contains(&p).then_some(Probability(p))
    }

    /// The number.
    pub fn get(self) -> f64 {
        self.0
    }
}

impl OneWay for Probability {
    fn read<E: Error>(value: Value) -> Result<Probability, E> {
        value
            .as_f64()
            .and_then(Probability::new)
            .ok_or_else(|| choice::located_error("", "expected a probability, a number from 0 to 1"))
    }
}

impl JsonSchema for Probability {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Probability".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "number", "minimum": 0, "maximum": 1 })
    }
}
