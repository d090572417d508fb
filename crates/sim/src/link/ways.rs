//! A property of a link in its direction and against it.

use headgate_packet::{Duration, choice};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserializer, Error};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value};
use std::borrow::Cow;

const NAMES: [&str; 2] = ["forward", "reverse"];

/// One value for each direction of a link. In a file, one for both or `{ forward = ..., reverse = ... }`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ways<T> {
    /// From the `from` end to the `to` end.
    pub forward: T,
    /// From the `to` end to the `from` end.
    pub reverse: T,
}

/// What a link may have in one direction.
pub trait OneWay: Sized + Clone + PartialEq + Serialize + JsonSchema {
    /// The value of a direction that is not named; `None` if both must be.
    const ABSENT: Option<Self> = None;
    /// Reads and checks it.
    ///
    /// # Errors
    /// It is not valid; the error begins with its place.
    fn read<E: Error>(value: Value) -> Result<Self, E>;
}

impl OneWay for Duration {
    fn read<E: Error>(value: Value) -> Result<Duration, E> {
        choice::part(&value)
    }
}

impl OneWay for bool {
    const ABSENT: Option<bool> = Some(false);
    fn read<E: Error>(value: Value) -> Result<bool, E> {
        choice::part(&value)
    }
}

impl<T: OneWay> OneWay for Option<T> {
    const ABSENT: Option<Option<T>> = Some(None);
    fn read<E: Error>(value: Value) -> Result<Option<T>, E> {
        T::read(value).map(Some)
    }
}

impl<T> Ways<T> {
    /// That of one direction: against the link's if `back`.
    pub fn way(&self, back: bool) -> &T {
        if back { &self.reverse } else { &self.forward }
    }
}

impl<T> Ways<Option<T>> {
    /// Whether neither direction has it.
    pub fn is_none(&self) -> bool {
        self.forward.is_none() && self.reverse.is_none()
    }
}

impl<T: Clone> From<T> for Ways<T> {
    fn from(both: T) -> Ways<T> {
        Ways { forward: both.clone(), reverse: both }
    }
}

impl<T: OneWay> Serialize for Ways<T> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        if self.forward == self.reverse {
            return self.forward.serialize(s);
        }
        let one = |value: &T| serde_json::to_value(value).map_err(serde::ser::Error::custom);
        let both = [one(&self.forward)?, one(&self.reverse)?];
        let named = NAMES.into_iter().map(str::to_owned).zip(both).filter(|(_, value)| !value.is_null());
        named.collect::<Map<_, _>>().serialize(s)
    }
}

impl<'de, T: OneWay> Deserialize<'de> for Ways<T> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Ways<T>, D::Error> {
        let mut map = match Value::deserialize(d)? {
            Value::Object(map) if NAMES.iter().any(|name| map.contains_key(*name)) => map,
            both => return T::read(both).map(Ways::from),
        };
        let [forward, reverse] = NAMES.map(|name| match (map.remove(name), T::ABSENT) {
            (Some(value), _) => T::read(value).map_err(|e: D::Error| choice::within(name, &e)),
            (None, Some(absent)) => Ok(absent),
            (None, None) => {
                Err(choice::located_error(name, "expected a value for this direction too, which is missing"))
            }
        });
        match map.keys().next() {
            Some(other) => Err(choice::located_error(other, &format!("expected no more than {}", NAMES.join(" and ")))),
            None => Ok(Ways { forward: forward?, reverse: reverse? }),
        }
    }
}

impl<T: OneWay> JsonSchema for Ways<T> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        format!("Ways of {}", T::schema_name()).into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let one = generator.subschema_for::<T>();
        let required = if T::ABSENT.is_none() { &NAMES[..] } else { &[] };
        let both = json_schema!({
            "type": "object", "properties": { "forward": one, "reverse": one }, "required": required, "additionalProperties": false,
        });
        json_schema!({ "anyOf": [one, both] })
    }
}
