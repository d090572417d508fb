//! The least and the greatest values of every parameter of a list, from its schema: for tests that name no entry and no parameter.

use headgate_packet::choice::Entry;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};

/// The parameters of an entry, each with values from the least to the greatest. One without a range in its schema has values of its unit, of which its check may refuse some.
pub fn ends(entry: &Entry) -> Vec<(String, Vec<Value>)> {
    let (schema, defaults) = (entry.schema(), (entry.defaults)());
    let fields = schema["properties"].as_object().cloned().unwrap_or_default();
    let all = fields.iter().map(|(name, field)| (name.clone(), of(field, &defaults[name])));
    all.filter(|(_, values)| !values.is_empty()).collect()
}

/// The values of one parameter.
fn of(field: &Value, default: &Value) -> Vec<Value> {
    let texts = |all: &[&str]| all.iter().map(|text| json!(text)).collect();
    let is = |kind: &str| field["type"] == kind || field["type"][0] == kind;
    match field["format"].as_str() {
        Some("a duration") => texts(&["0s", "1ps", "1us", "1ms", "10s", "1000h", "18446744073709551615ps"]),
        Some("a size in bytes") => texts(&["0B", "1B", "40B", "1500B", "16MiB", "1GB", "18446744073709551615B"]),
        Some("a rate") => texts(&["1bit/s", "1kbit/s", "400Gbit/s", "18446744073709551615bit/s"]),
        Some("a buffer") => {
            texts(&["1pkt", "2pkt", "1000000000pkt", "18446744073709551615pkt", "1B", "3KB", "1GB", "unlimited"])
        }
        _ if is("boolean") => vec![json!(false), json!(true)],
        _ if is("number") || is("integer") => {
            // Numbers with a fraction stay so, and others stay whole.
            let whole = |bound: &Value| bound.as_f64().map(|x| if is("number") { json!(x) } else { json!(x as i64) });
            let above = |bound: &Value| bound.as_f64().filter(|x| *x == 0.0).map(|_| json!(f64::MIN_POSITIVE));
            let bounds = [&field["minimum"], &field["exclusiveMinimum"], &field["maximum"]];
            let [least, open, most] = bounds.map(whole);
            // What is just above 0 is often divided by.
            let above = if is("number") { bounds.into_iter().take(2).find_map(above) } else { None };
            least.into_iter().chain(above.or(open)).chain(most).collect()
        }
        _ if is("array") => {
            // One field of every row at its ends, in the table that is the default.
            let fields = field["items"]["properties"].as_object().cloned().unwrap_or_default();
            let with = |(name, field): (&String, &Value)| -> Vec<Value> {
                let rows = default.as_array().cloned().unwrap_or_default();
                let row = |row: &Value, value: &Value| {
                    let mut row = row.clone();
                    row[name] = value.clone();
                    row
                };
                of(field, &Value::Null).iter().map(|value| rows.iter().map(|r| row(r, value)).collect()).collect()
            };
            fields.iter().flat_map(with).collect()
        }
        _ => {
            let named = field["oneOf"].as_array().into_iter().flatten().map(|one| one["const"].clone());
            named.filter(Value::is_string).collect()
        }
    }
}

/// The table of an entry in which one parameter is at an end, for each and each of its ends.
pub fn one_by_one(entry: &Entry) -> Vec<Value> {
    let one = |name: &str, value: Value| table(entry, [(name.to_owned(), value)].into_iter().collect());
    ends(entry).into_iter().flat_map(|(name, all)| all.into_iter().map(move |value| one(&name, value))).collect()
}

/// Tables of the entries of a list in which about half of the parameters are at an end.
pub fn together(list: Vec<&'static Entry>) -> impl Strategy<Value = Value> {
    (0..list.len()).prop_flat_map(move |i| {
        let entry = list[i];
        let fields = ends(entry).into_iter().map(|(name, all)| (Just(name), prop::option::of(select(all))));
        fields.collect::<Vec<_>>().prop_map(move |fields| {
            let given = fields.into_iter().filter_map(|(name, value)| Some((name, value?)));
            table(entry, given.collect())
        })
    })
}

fn table(entry: &Entry, mut fields: Map<String, Value>) -> Value {
    fields.insert("kind".to_owned(), json!(entry.name));
    Value::Object(fields)
}
