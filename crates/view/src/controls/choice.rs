//! Tables of a scenario that have a kind, such as queues and flow controls: the choice of the kind, and the parameters of that kind.

use super::control::{Choice, Control, Title, kinds};
use super::schema::Schema;
use headgate_sim::catalogue::LISTS;
use headgate_sim::spec::document;
use serde_json::{Map, Value, json};

/// Tables that may be a name alone: their keys, the places of their schemas, and the lists whose cards say which parameters the page shows first.
const CHOICES: [(&str, &[&str], &str); 7] = [
    ("queue", &["Link", "queue"], "disciplines"),
    ("reverse_queue", &["Link", "queue"], ""),
    ("control", &["Flow", "control"], "flow-controls"),
    ("workload", &["Flow", "workload"], "workloads"),
    ("topology", &["", "topology"], ""),
    ("loss", &["Link", "loss"], "losses"),
    ("aqm", &["Aqm"], "aqms"),
];

/// The place of the schema of a table that may be a name alone; `None` if the key is of no such table.
pub fn place_of(key: &str) -> Option<&'static [&'static str]> {
    CHOICES.iter().find(|known| known.0 == key).map(|known| known.1)
}

/// What has a kind, or need not be there, as a table; the default if it is not given.
pub fn table(schema: &Schema, key: &str, given: Option<&Value>) -> Map<String, Value> {
    let given = given.filter(|given| !given.is_null());
    let default = || schema.node(place_of(key)?).get("default");
    match given.or_else(default) {
        Some(Value::String(kind)) => Map::from_iter([("kind".to_owned(), json!(kind))]),
        Some(Value::Object(table)) => table.clone(),
        _ => Map::new(),
    }
}

/// The same in contents that keep their order.
pub fn ordered(schema: &Schema, key: &str, given: Option<&document::Value>) -> document::Table {
    match given {
        Some(document::Value::Table(table)) => table.clone(),
        _ => {
            let given = given.and_then(document::Value::json);
            let Value::Object(table) = Value::Object(table(schema, key, given.as_ref())) else { unreachable!() };
            let mut found = document::Table::new();
            for (key, value) in &table {
                document::put(&mut found, key, value.into());
            }
            found
        }
    }
}

/// What the controls of a table are called, and where they stand on the page.
#[derive(Clone, Copy)]
pub struct Group<'a> {
    /// The path of the table around it; may be empty.
    pub path: &'a str,
    /// Its name; may be empty.
    pub title: &'a str,
    /// The part of the page.
    pub group: &'a str,
    /// Whether the page shows the most used ones first.
    pub main: bool,
}

impl Group<'_> {
    /// The title of the control of a key.
    pub fn title(&self, key: &str, words: &str, main: bool) -> Title {
        let label = if self.title.is_empty() { words.to_owned() } else { format!("{}: {words}", self.title) };
        Title { path: self.within(key), label, group: self.group.to_owned(), main }
    }

    fn within(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }
}

/// The controls of a table with a kind: first that of its kind, then those of its parameters; none if there is no such kind.
pub fn choice(schema: &Schema, at: Group<'_>, key: &str, given: Option<&Value>) -> Vec<Control> {
    let table = table(schema, key, given);
    let Some(&(_, place, list)) = CHOICES.iter().find(|known| known.0 == key) else { return Vec::new() };
    let (node, kind) = (schema.node(place), table.get("kind").and_then(Value::as_str).unwrap_or_default());
    let Some(chosen) = node.branch(kind) else { return Vec::new() };
    let word = match key {
        "queue" => "discipline",
        "reverse_queue" => "discipline of the path back",
        "control" => "flow control",
        "aqm" => "active queue management",
        _ => key,
    };
    // What a flow sends is asked first of it.
    let main = at.main || key == "workload";
    let of_kind = Control::of(at.title(&format!("{key}.kind"), word, main), &chosen, kind.into());
    let mut found = vec![Control { kind: "choice", choices: Some(kinds(&node)), ..of_kind }];
    let first = shown_first(list, kind);
    for name in chosen.properties().filter(|name| *name != "kind") {
        let Some(parameter) = chosen.property(name) else { continue };
        let default = parameter.get("default");
        if name == "aqm" {
            let inside = at.within(key);
            found.extend(aqm(schema, Group { path: &inside, ..at }, default, table.get(name)));
            continue;
        }
        let title = at.title(&format!("{key}.{name}"), &words(name), main && first.contains(&name));
        let value = table.get(name).or(default).unwrap_or(&Value::Null);
        found.extend(Control::new(title, &parameter, value));
    }
    found
}

/// A table with a kind that need not be there, as random losses of a link: then only the choice of a kind is there.
pub fn or_none(schema: &Schema, at: Group<'_>, key: &str, given: Option<&Value>) -> Vec<Control> {
    let node = schema.node(place_of(key).unwrap_or_default());
    let given = given.filter(|given| !given.is_null());
    let first = kinds(&node).first().map(|first| json!({ "kind": first.value }));
    let mut found = choice(schema, at, key, given.or(first.as_ref()));
    let Some(kind) = found.first_mut() else { return found };
    kind.choices.get_or_insert_default().insert(0, Choice::of(Value::Null, "none"));
    if given.is_none() {
        (kind.value, kind.help) = (Value::Null, node.text("description").map(str::to_owned));
        found.truncate(1);
    }
    found
}

/// The AQM of a discipline: none if it is not given, or that which the discipline has by default.
fn aqm(schema: &Schema, at: Group<'_>, default: Option<&Value>, given: Option<&Value>) -> Vec<Control> {
    let Some(default) = default.and_then(Value::as_object) else { return or_none(schema, at, "aqm", given) };
    let mut table = table(schema, "aqm", given);
    if table.get("kind").is_none_or(|kind| Some(kind) == default.get("kind")) {
        for (key, value) in default {
            table.entry(key.clone()).or_insert_with(|| value.clone());
        }
    }
    choice(schema, at, "aqm", Some(&Value::Object(table)))
}

/// The parameters of a kind that the page shows first, as its card says.
fn shown_first(list: &str, kind: &str) -> &'static [&'static str] {
    let entries = LISTS.iter().find(|known| known.0 == list).map_or(&[][..], |known| known.1);
    entries.iter().find(|entry| entry.name == kind).map_or(&[][..], |entry| entry.card.main)
}

/// A key in words.
pub fn words(key: &str) -> String {
    match key {
        "start_spread" => "spread of the start".to_owned(),
        "warm_up" => "warm-up".to_owned(),
        "count" => "number of flows".to_owned(),
        _ => key.replace('_', " "),
    }
}
