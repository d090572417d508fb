//! Several faults of a file at once, as far as they do not depend on each other.

use super::{Scenario, SpecError, short_names};
use serde_json::Value;
use std::collections::BTreeMap;

/// Maximum number of faults that are reported together.
const MOST: usize = 10;

/// In a longer file only the first fault is reported, since each fault takes another reading.
const LONG: usize = 1_000_000;

/// Faults that were found so far.
#[derive(Default)]
pub(super) struct Faults(Vec<SpecError>);

impl Faults {
    /// Keeps a fault, unless there is one at its place already: the entries of one count have the same.
    pub fn note(&mut self, result: Result<(), SpecError>) {
        if let Err(fault) = result
            && self.0.len() < MOST
            && self.0.iter().all(|known| known.path != fault.path)
        {
            self.0.push(fault);
        }
    }

    /// The first one with the others beside it, if there is any.
    pub fn end(self) -> Result<(), SpecError> {
        let mut faults = self.0.into_iter();
        match faults.next() {
            Some(first) => Err(SpecError { others: faults.collect(), ..first }),
            None => Ok(()),
        }
    }
}

/// Reads a scenario with short names or with faults: finding all of them takes longer than reading the file. Of a key that occurs twice the
/// last one counts.
///
/// # Errors
/// The faults of the entries by themselves. Each faulty entry is removed, and the rest is read again.
pub(super) fn read(text: &str) -> Result<Scenario, SpecError> {
    let mut file: Value =
        serde_json::from_str(text).map_err(|e| SpecError::at("", format!("expected a scenario in JSON; {e}")))?;
    short_names::spell_out_all(&mut file);
    let mut faults = Faults::default();
    // Of each list, which of its entries were taken out.
    let mut gone: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    let most = if text.len() > LONG { 1 } else { MOST };
    for _ in 0..most {
        let error = match serde_path_to_error::deserialize::<_, Scenario>(&file) {
            Ok(scenario) => {
                faults.end()?;
                return Ok(scenario);
            }
            Err(e) => SpecError::from_serde(&e, &file),
        };
        let path = error.path.clone();
        let place = place(&path, &gone);
        faults.note(Err(SpecError { path: place, ..error.clone() }));
        if !take_out(&mut file, &error, &mut gone) {
            break;
        }
    }
    match faults.end() {
        Err(e) => Err(e),
        Ok(()) => Err(SpecError::at("", "expected a scenario")),
    }
}

/// A path in the file as it was, before entries of its lists were taken out.
fn place(path: &str, gone: &BTreeMap<String, Vec<usize>>) -> String {
    let Some((list, index, rest)) = entry(path) else { return path.to_owned() };
    let index = gone.get(list).into_iter().flatten().fold(index, |index, out| index + usize::from(*out <= index));
    format!("{list}[{index}]{rest}")
}

/// List, index and the rest of a path such as `links[0].rate`.
fn entry(path: &str) -> Option<(&str, usize, &str)> {
    let (list, rest) = path.split_once('[')?;
    let (index, rest) = rest.split_once(']')?;
    (!list.contains('.')).then_some((list, index.parse().ok()?, rest))
}

/// Removes what is wrong from the file: an unknown key, an entry of a list, or a value; false if there is nothing to remove.
fn take_out(file: &mut Value, error: &SpecError, gone: &mut BTreeMap<String, Vec<usize>>) -> bool {
    if error.message.starts_with("unknown key") {
        let (parent, key) = error.path.rsplit_once('.').unwrap_or(("", &error.path));
        if let Some(Value::Object(table)) = lookup(file, parent)
            && let Some(value) = table.remove(key)
        {
            // Under the name that was meant, so that this is not missing then.
            if let Some(meant) = &error.nearest {
                table.entry(meant).or_insert(value);
            }
            return true;
        }
    }
    if let Some((list, index, _)) = entry(&error.path)
        && let Some(entries) = file.get_mut(list).and_then(Value::as_array_mut)
        && index < entries.len()
    {
        entries.remove(index);
        let out = gone.entry(list.to_owned()).or_default();
        // Counted as in the list as it was; in order, so that each moves those behind it.
        let index = out.iter().fold(index, |index, before| index + usize::from(*before <= index));
        out.push(index);
        out.sort_unstable();
        return true;
    }
    let top = error.path.split(['.', '[']).next().unwrap_or_default().to_owned();
    let Value::Object(table) = file else { return false };
    // The one key that every file has.
    if top == "duration" || (top.is_empty() && !table.contains_key("duration")) {
        return table.insert("duration".to_owned(), "1s".into()) != Some("1s".into());
    }
    table.remove(&top).is_some()
}

fn lookup<'a>(file: &'a mut Value, path: &str) -> Option<&'a mut Value> {
    path.split(['.', '[', ']']).filter(|p| !p.is_empty()).try_fold(file, |v, part| match v {
        Value::Array(list) => list.get_mut(part.parse::<usize>().ok()?),
        _ => v.get_mut(part),
    })
}
