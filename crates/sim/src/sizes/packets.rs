//! The `packet` of a flow: a length, or a distribution of lengths.

use super::{AnyDistribution, Distribution, LIST, Spec};
use headgate_packet::{PacketSize, Positions};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserializer, Error};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

/// Lengths of the data packets of a flow as they stand in its file: `"1000B"`, or `{ kind = "exponential", mean = "1000B" }`.
#[derive(Clone, Debug, PartialEq)]
pub enum Packets {
    /// One length for all.
    Fixed(PacketSize),
    /// Drawn from a distribution.
    Random(Spec),
}

impl Packets {
    /// Mean length in whole bytes, for workloads that pace by length.
    pub fn mean_bytes(&self) -> u32 {
        match self {
            Packets::Fixed(size) => size.bytes(),
            Packets::Random(spec) => (spec.build().mean().round() as u32).max(1),
        }
    }

    /// The longest packet there can be.
    pub fn longest(&self) -> u32 {
        match self {
            Packets::Fixed(size) => size.bytes(),
            Packets::Random(spec) => spec.build().longest(),
        }
    }

    /// The lengths of one flow; `None` if all are the same.
    pub fn build(&self, seed: u64, run: u64, flow: &str) -> Option<Box<Lengths>> {
        let Packets::Random(spec) = self else { return None };
        let positions = Positions::new(seed, run, &format!("flow/{flow}/packet"));
        Some(Box::new(Lengths { positions, distribution: spec.build() }))
    }
}

/// The lengths of a flow's packets, by their sequence numbers.
#[derive(Clone, Debug)]
pub struct Lengths {
    positions: Positions,
    distribution: AnyDistribution,
}

impl Lengths {
    /// Length of packet `seq` in bytes.
    pub fn of(&self, seq: u64) -> u32 {
        self.distribution.draw(self.positions.at(seq))
    }
}

impl Serialize for Packets {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self {
            Packets::Fixed(size) => size.serialize(s),
            Packets::Random(spec) => spec.serialize(s),
        }
    }
}

impl<'de> Deserialize<'de> for Packets {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Packets, D::Error> {
        let value = Value::deserialize(d)?;
        let random = value.is_object() || LIST.iter().any(|e| value == e.name);
        if random {
            return Spec::deserialize(value).map(Packets::Random).map_err(D::Error::custom);
        }
        PacketSize::deserialize(value).map(Packets::Fixed).map_err(D::Error::custom)
    }
}

impl JsonSchema for Packets {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Packets".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let (fixed, random) = (PacketSize::json_schema(generator), generator.subschema_for::<Spec>());
        json_schema!({ "anyOf": [fixed, random] })
    }
}
