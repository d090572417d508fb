//! Values of a file from JSON and as JSON, in the order of their keys, which `serde_json`'s own values do not keep.

use super::{Placed, Value};
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Error as _, Serialize, Serializer};
use std::collections::HashMap;
use std::fmt;

impl Value {
    /// It in JSON, if that has such values: it has no dates, no infinite numbers, and of whole numbers those of 64 bits. The keys are then in the order
    /// of their names.
    pub fn json(&self) -> Option<serde_json::Value> {
        serde_json::to_value(self).ok()
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self {
            Value::Text(text) => s.serialize_str(text),
            Value::Integer(digits, base) => {
                match i64::from_str_radix(digits, *base) {
                    Ok(number) => s.serialize_i64(number),
                    Err(_) => s.serialize_u64(u64::from_str_radix(digits, *base).map_err(|_| {
                        S::Error::custom(format!("found {digits}; expected a number of at most 64 bits"))
                    })?),
                }
            }
            Value::Float(number) if number.is_finite() => s.serialize_f64(*number),
            Value::Float(number) => Err(S::Error::custom(format!("found {number}; expected a finite number"))),
            Value::Boolean(truth) => s.serialize_bool(*truth),
            Value::Date(text) => Err(S::Error::custom(format!("found the date {text}; expected text or a number"))),
            Value::List(entries) => s.collect_seq(entries.iter().map(|placed| &placed.value)),
            Value::Table(entries) => s.collect_map(entries.iter().map(|(key, placed)| (key, &placed.value))),
            Value::Null => s.serialize_unit(),
        }
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Value, D::Error> {
        d.deserialize_any(OfJson)
    }
}

impl From<&serde_json::Value> for Value {
    fn from(json: &serde_json::Value) -> Value {
        Value::deserialize(json).expect("a file has all values of JSON")
    }
}

/// Reads values of JSON. They have no lines by which anybody asks.
struct OfJson;

impl<'de> Visitor<'de> for OfJson {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value of JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, truth: bool) -> Result<Value, E> {
        Ok(Value::Boolean(truth))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(Value::Integer(number.to_string(), 10))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(Value::Integer(number.to_string(), 10))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
        Ok(Value::Float(number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(value) = entries.next_element()? {
            list.push(Placed { line: 0, value });
        }
        Ok(Value::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let (mut table, mut at) = (Vec::new(), HashMap::new());
        while let Some((key, value)) = entries.next_entry::<String, Value>()? {
            let placed = Placed { line: 0, value };
            // Of two entries with one key the last one holds, as in Python.
            match at.get(&key) {
                Some(&i) => table[i] = (key, placed),
                None => {
                    at.insert(key.clone(), table.len());
                    table.push((key, placed));
                }
            }
        }
        Ok(Value::Table(table))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_keeps_its_order_and_its_numbers() {
        let text = r#"{"b":[1,-2,18446744073709551615,0.5,1.0],"a":{"z":null,"c":true},"t":"\u00e9\""}"#;
        let read: Value = serde_json::from_str(text).expect("JSON");
        assert_eq!(serde_json::to_string(&read).expect("values of JSON"), text.replace("\\u00e9", "é"));
        assert_eq!(read.json(), serde_json::from_str(text).ok());
        let twice: Value = serde_json::from_str(r#"{"a":1,"b":2,"a":3}"#).expect("JSON");
        assert_eq!(serde_json::to_string(&twice).expect("values of JSON"), r#"{"a":3,"b":2}"#);
    }

    #[test]
    fn what_json_does_not_have_is_an_error() {
        for (value, due) in [
            (Value::Float(f64::NAN), "found NaN; expected a finite number"),
            (Value::Integer("9".repeat(30), 10), "expected a number of at most 64 bits"),
            (Value::Date("2026-01-01".to_owned()), "found the date 2026-01-01; expected text or a number"),
        ] {
            let why = serde_json::to_string(&value).expect_err("no JSON").to_string();
            assert!(why.ends_with(due) && value.json().is_none(), "{why}");
        }
        assert_eq!(Value::Integer("ff".to_owned(), 16).json(), Some(255.into()));
    }
}
