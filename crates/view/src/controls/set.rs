//! A scenario with one value changed, as by `--set`; what a control shows is such a value.

use super::choice::{ordered, place_of};
use super::parts::OPTIONAL;
use super::quantity::written;
use super::schema::Schema;
use super::{controls, resolved};
use headgate_packet::cut;
use headgate_sim::spec::document::{self, Table, Value, get, get_mut, put};
use headgate_sim::spec::{SpecError, paths, short_names};

/// The scenario with one value changed; a number stands for a quantity in the unit of its control, and null for none, where none need be given. A new kind
/// keeps the parameters that it shares with the old one.
///
/// ```
/// use headgate_view::with_value;
/// let text = r#"{ "duration": "7s", "topology": "dumbbell", "flows": [{ "name": "f", "from": "s1", "to": "d1", "control": "newreno" }] }"#;
/// let changed = with_value(&serde_json::from_str(text)?, "topology.line.rate", &serde_json::from_str("5e6")?)?;
/// assert_eq!(changed.json().expect("plain values")["topology"]["line"]["rate"], "5Mbit/s");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The path names no entry, or the value does not fit.
pub fn with_value(file: &Value, path: &str, value: &Value) -> Result<Value, SpecError> {
    let (schema, parts) = (Schema::now(), path.split('.').collect::<Vec<_>>());
    let mut ready = file.clone();
    short_names::spell_out_file(&mut ready);
    prepare(&schema, &mut ready, &parts, path)?;
    let above = parts.len().checked_sub(2).map(|i| parts[i]);
    let is_key = |key: &str| parts.last() == Some(&key);
    if let Some(key) = above.filter(|key| *value == Value::Null && parts.len() > 2 && may_be_absent(key)) {
        return without(ready, &parts, path, key);
    }
    if let (Some(key), Value::Text(kind)) = (above.filter(|key| place_of(key).is_some() && is_key("kind")), value) {
        return new_kind(&schema, ready, &parts, path, key, kind);
    }
    let value = quantity(&ready, path, value)?;
    let what = format!("cannot set {}", cut(&format!("'{path}'")));
    let places = paths::assign(&mut ready, path, &value, &what).map_err(wrong)?;
    match resolved(&ready) {
        Ok(_) => Ok(ready),
        // What is wrong with the value itself comes first.
        Err(fault) => Err(fault.clone().within(&places).unwrap_or(fault)),
    }
}

/// The value that a scenario has at a path; `None` if it gives none.
///
/// # Errors
/// The path names no entry.
pub fn value_at(file: &Value, path: &str) -> Result<Option<Value>, SpecError> {
    let mut ready = file.clone();
    short_names::spell_out_file(&mut ready);
    let parts: Vec<&str> = path.split('.').collect();
    let Some((last, before)) = parts.split_last() else { return Ok(None) };
    if let Ok(tables) = paths::tables(&mut ready.clone(), before, path) {
        return Ok(tables.first().and_then(|table| table.get(last)).cloned());
    }
    let Some((key, above)) = before.split_last().filter(|(key, _)| place_of(key).is_some()) else { return Ok(None) };
    let tables = paths::tables(&mut ready, above, path).map_err(wrong)?;
    let found = tables.first().map(|table| ordered(&Schema::now(), key, table.get(key)));
    Ok(found.and_then(|table| get(&table, last).cloned()))
}

/// Names that stand for tables on the way to a value become tables, and a topology has its line.
fn prepare(schema: &Schema, ready: &mut Value, parts: &[&str], path: &str) -> Result<(), SpecError> {
    for (depth, part) in parts[..parts.len() - 1].iter().enumerate() {
        let is_line = *part == "line" && parts[..depth] == ["topology"];
        if !is_line && place_of(part).is_none() && !is_optional(part) {
            continue;
        }
        for parent in paths::tables(&mut *ready, &parts[..depth], path).map_err(wrong)? {
            let made = match parent.get(part) {
                Some(_) if is_line => continue,
                None if is_line => line_of(schema, parent),
                given => ordered(schema, part, given),
            };
            put(parent.table(), part, Value::Table(made));
        }
    }
    Ok(())
}

/// The line that a topology has by default.
fn line_of(schema: &Schema, topology: &Value) -> Table {
    let kind = topology.get("kind").and_then(Value::json).unwrap_or_default();
    let chosen = schema.node(&["", "topology"]).branch(kind.as_str().unwrap_or_default());
    let default = chosen.and_then(|chosen| chosen.property("line")?.get("default"));
    match default.map(document::Value::from) {
        Some(Value::Table(line)) => line,
        _ => Table::new(),
    }
}

fn is_optional(key: &str) -> bool {
    OPTIONAL.iter().any(|known| known.0 == key)
}

/// Whether a link or a flow need not have this table.
fn may_be_absent(key: &str) -> bool {
    ["loss", "aqm"].contains(&key) || is_optional(key)
}

/// A number as the scenario writes it: a quantity where the control is one. Any other value is kept.
fn quantity(ready: &Value, path: &str, value: &Value) -> Result<Value, SpecError> {
    let Some(serde_json::Value::Number(number)) = value.json() else { return Ok(value.clone()) };
    let unit = controls(ready)?.into_iter().find(|control| control.path == path).and_then(|control| control.unit);
    match unit {
        Some(unit) => {
            written(number.as_f64().unwrap_or(f64::NAN), unit).map(Value::Text).map_err(|why| SpecError::at(path, why))
        }
        None => Ok(value.clone()),
    }
}

/// Without a value that need not be given, and without the table around it if nothing else stands there.
fn without(mut ready: Value, parts: &[&str], path: &str, key: &str) -> Result<Value, SpecError> {
    let last = parts.last().copied().unwrap_or_default();
    for parent in paths::tables(&mut ready, &parts[..parts.len() - 2], path).map_err(wrong)? {
        let parent = parent.table();
        if let Some(Value::Table(own)) = get_mut(parent, key) {
            own.retain(|(name, _)| name != last);
            if own.is_empty() || last == "kind" {
                parent.retain(|(name, _)| name != key);
            }
        }
    }
    resolved(&ready).map(|_| ready)
}

/// With another kind.
fn new_kind(
    schema: &Schema,
    ready: Value,
    parts: &[&str],
    path: &str,
    key: &str,
    kind: &str,
) -> Result<Value, SpecError> {
    let chosen = place_of(key).and_then(|place| schema.node(place).branch(kind));
    let known: Vec<&str> = chosen.iter().flat_map(|chosen| chosen.properties()).collect();
    let with = |kept: &[&str]| {
        let mut changed = ready.clone();
        for parent in paths::tables(&mut changed, &parts[..parts.len() - 2], path).map_err(wrong)? {
            if let Some(own) = get_mut(parent.table(), key) {
                own.table().retain(|(name, _)| kept.contains(&name.as_str()));
                put(own.table(), "kind", Value::Text(kind.to_owned()));
            }
        }
        short_names::spell_out_file(&mut changed);
        resolved(&changed).map(|_| changed)
    };
    // A parameter of the same name may mean something else: the defaults of the new kind then.
    with(&known).or_else(|_| with(&[]))
}

fn wrong(why: String) -> SpecError {
    SpecError::at("", why)
}
