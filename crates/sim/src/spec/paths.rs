//! Paths into the contents of a scenario file, such as `links.slow.queue.kind`: what `--set`, the axes of a study and the controls of the page change.
//!
//! An entry of a list is given by its name or its position; `*` means all entries, and `ftp*` those whose names begin so.

use super::document::{Table, Value, get_mut, put};
use super::island::fits;
use super::likeness::likeness;
use super::short_names;
use headgate_packet::cut;

/// Maximum number of names of a path.
const DEEPEST: usize = 50;

/// Names of entries that an error lists.
const LISTED: usize = 20;

/// A value inside the contents of a scenario file through which paths lead, in the form in which a program holds it.
pub trait Place: Sized {
    /// What it is.
    fn shape(&self) -> Shape;

    /// Of a table its value under a key; an empty table is made where there is none.
    ///
    /// # Errors
    /// The program cannot change it.
    fn inner(self, key: &str) -> Result<Self, String>;

    /// Whether a table has a key.
    fn has(&self, key: &str) -> bool;

    /// The entries of a list.
    fn entries(self) -> Vec<Self>;

    /// Of a table the text under `name`.
    fn name(&self) -> Option<String>;

    /// A copy; `None` of what no file has.
    fn value(&self) -> Option<Value>;
}

/// What a path can do with a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// It has keys.
    Table,
    /// It has entries.
    List,
    /// No path leads on from it.
    Other,
}

impl Place for &mut Value {
    fn shape(&self) -> Shape {
        match self {
            Value::Table(_) => Shape::Table,
            Value::List(_) => Shape::List,
            _ => Shape::Other,
        }
    }

    fn inner(self, key: &str) -> Result<Self, String> {
        let table = self.table();
        if get_mut(table, key).is_none() {
            put(table, key, Value::Table(Table::new()));
        }
        get_mut(table, key).ok_or_else(|| format!("{key}: expected a table"))
    }

    fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    fn entries(self) -> Vec<Self> {
        match self {
            Value::List(entries) => entries.iter_mut().map(|placed| &mut placed.value).collect(),
            _ => Vec::new(),
        }
    }

    fn name(&self) -> Option<String> {
        match self.get("name") {
            Some(Value::Text(name)) => Some(name.clone()),
            _ => None,
        }
    }

    fn value(&self) -> Option<Value> {
        Some((**self).clone())
    }
}

/// A place with its own path, such as `links[1].queue`; empty for the whole.
pub type At<P> = (String, P);

/// The tables that the names before the last one of a path lead to, and the last name; missing tables are made. `what` begins the text of an error.
///
/// # Errors
/// The path names no entry, or leads through a value that is no table.
pub fn settable<'p, P: Place>(root: P, path: &'p str, what: &str) -> Result<(Vec<At<P>>, &'p str), String> {
    let parts: Vec<&str> = path.split('.').collect();
    if parts.iter().any(|part| part.is_empty()) {
        return Err(format!("{what}: expected a path such as links.slow.rate"));
    }
    if parts.len() > DEEPEST {
        return Err(format!("{what}: expected a path of at most {DEEPEST} names, found {}", parts.len()));
    }
    let (first, (last, before)) = (parts[0], parts.split_last().expect("a text has a part"));
    if ["nodes", "links"].contains(&first) && !root.has(first) && root.has("topology") {
        return Err(format!("{what}: the {first} come from `topology`; expected a path such as topology.line.rate"));
    }
    let places = places(root, before, what)?;
    for (_, place) in &places {
        if place.shape() != Shape::Table {
            let meant = match (place.value(), before.last()) {
                (Some(Value::Text(text)), Some(key)) => {
                    (format!("found {}; ", quoted(&text)), format!(", such as {key} = {{ kind = \"{}\" }}", cut(&text)))
                }
                _ => Default::default(),
            };
            return Err(format!("{what}: {}expected a table before {}{}", meant.0, quoted(last), meant.1));
        }
    }
    Ok((places, last))
}

/// The tables that the names of a path lead to; missing ones are made. `what` begins the text of an error.
///
/// # Errors
/// The path names no entry, or leads to a value that is no table.
pub fn tables<P: Place>(root: P, parts: &[&str], what: &str) -> Result<Vec<P>, String> {
    let found = places(root, parts, what)?;
    match found.iter().find(|(_, place)| place.shape() != Shape::Table) {
        Some((_, place)) => Err(no_table(place, parts, what)),
        None => Ok(found.into_iter().map(|(_, place)| place).collect()),
    }
}

/// Sets a value in the contents of a scenario file and gives the places where it stands then, such as `links[1].rate`. `what` begins the text of an error.
///
/// ```
/// use headgate_sim::spec::document::{Document, Value};
/// use headgate_sim::spec::paths::assign;
/// let mut file = Document::read("links = [{ name = 'a' }, { name = 'b' }]")?.root().clone();
/// let places = assign(&mut file, "links.*.rate", &Value::Text("1Mbit/s".to_owned()), "--set").expect("a path");
/// assert_eq!(places, ["links[0].rate", "links[1].rate"]);
/// let wrong = assign(&mut file, "links.c.rate", &Value::Null, "--set").expect_err("no such link");
/// assert_eq!(wrong, "--set: links has no entry 'c'; expected one of a, b, a position or *.");
/// # Ok::<(), headgate_sim::spec::document::Fault>(())
/// ```
///
/// # Errors
/// Those of [`settable`].
pub fn assign(file: &mut Value, path: &str, value: &Value, what: &str) -> Result<Vec<String>, String> {
    let (places, key) = settable(&mut *file, path, what)?;
    let set = |(name, table): At<&mut Value>| {
        put(table.table(), key, value.clone());
        joined(&name, key)
    };
    let names = places.into_iter().map(set).collect();
    if path.split('.').next() == Some("flows") {
        short_names::spell_out_file(file);
    }
    Ok(names)
}

fn joined(name: &str, key: &str) -> String {
    if name.is_empty() { key.to_owned() } else { format!("{name}.{key}") }
}

/// What the names of a path lead to.
fn places<P: Place>(root: P, parts: &[&str], what: &str) -> Result<Vec<At<P>>, String> {
    let mut places = vec![(String::new(), root)];
    for (depth, part) in parts.iter().enumerate() {
        let mut found = Vec::new();
        for (name, place) in places {
            match place.shape() {
                Shape::List => {
                    let entries = place.entries();
                    let chosen = chosen(&entries, part, &format!("{what}: {}", cut(&parts[..depth].join("."))))?;
                    let each = entries.into_iter().enumerate().filter(|(i, _)| chosen.contains(i));
                    found.extend(each.map(|(i, entry)| (format!("{name}[{i}]"), entry)));
                }
                Shape::Table => found.push((joined(&name, part), place.inner(part)?)),
                Shape::Other => return Err(no_table(&place, &parts[..depth], what)),
            }
        }
        places = found;
    }
    Ok(places)
}

fn no_table<P: Place>(place: &P, parts: &[&str], what: &str) -> String {
    let found = match place.value() {
        Some(Value::Text(text)) => quoted(&text),
        Some(value) => value.json().map_or("no value of a file".to_owned(), |json| cut(&json.to_string())),
        None => "no value of a file".to_owned(),
    };
    format!("{what}: expected a table at {}, found {found}", cut(&parts.join(".")))
}

fn quoted(text: &str) -> String {
    cut(&format!("'{text}'"))
}

/// The positions of the entries that a part of a path names.
fn chosen<P: Place>(entries: &[P], part: &str, what: &str) -> Result<Vec<usize>, String> {
    if part == "*" {
        return Ok((0..entries.len()).collect());
    }
    let tables = || entries.iter().enumerate().filter(|(_, entry)| entry.shape() == Shape::Table);
    let mut named: Vec<usize> =
        tables().filter(|(_, entry)| entry.name().as_deref() == Some(part)).map(|(i, _)| i).collect();
    if named.is_empty() && part.contains('*') {
        let fits = |entry: &P| fits(part, &entry.name().unwrap_or_default());
        named = tables().filter(|(_, entry)| fits(entry)).map(|(i, _)| i).collect();
    }
    let position =
        || part.parse().ok().filter(|i: &usize| *i < entries.len() && part.bytes().all(|b| b.is_ascii_digit()));
    if named.is_empty() {
        named.extend(position());
    }
    if !named.is_empty() {
        return Ok(named);
    }
    let names: Vec<String> = tables().filter_map(|(_, entry)| entry.name()).collect();
    let listed: Vec<String> = names.iter().take(LISTED).filter(|name| !name.is_empty()).map(|name| cut(name)).collect();
    let listed = if listed.is_empty() { "no names".to_owned() } else { listed.join(", ") };
    let valid: Vec<&str> = names.iter().map(String::as_str).collect();
    let like = likeness(part, &valid);
    let hint = match (like.nearest, like.absent) {
        (Some(near), _) => format!(" Did you mean \"{near}\"?"),
        (None, Some(absent)) => format!(" {absent}."),
        (None, None) => String::new(),
    };
    Err(format!("{what} has no entry {}; expected one of {listed}, a position or *.{hint}", quoted(part)))
}

#[cfg(test)]
mod tests {
    use super::super::document::Document;
    use super::*;

    fn file(text: &str) -> Value {
        Document::read(text).expect("TOML").root().clone()
    }

    const LINKS: &str = "duration = '1s'
        links = [{ name = 'access{i}', rate = '1Mbit/s' }, { name = 'slow', queue = 'fq' }, { from = 'a' }, 3]";

    #[test]
    fn entries_are_named_or_numbered_or_of_a_pattern() {
        let set = |path: &str| assign(&mut file(LINKS), path, &Value::Boolean(true), "x");
        for (path, due) in [
            ("links.slow.rate", &["links[1].rate"][..]),
            ("links.2.rate", &["links[2].rate"]),
            ("links.access*.loss.kind", &["links[0].loss.kind"]),
            ("links.*c*s{*}.rate", &["links[0].rate"]),
            ("links.*s*.rate", &["links[0].rate", "links[1].rate"]),
            ("hosts.noise", &["hosts.noise"]),
            ("name", &["name"]),
        ] {
            assert_eq!(set(path), Ok(due.iter().map(|place| (*place).to_owned()).collect()), "{path}");
        }
        let long = vec!["a"; 51].join(".");
        for (path, due) in [
            (
                "links.slo.rate",
                "x: links has no entry 'slo'; expected one of access{i}, slow, a position or *. Did you mean \"slow\"?",
            ),
            ("links.9.rate", "x: links has no entry '9'; expected one of access{i}, slow, a position or *."),
            ("links.*.rate", "x: expected a table before 'rate'"),
            (
                "links.slow.queue.buffer",
                "x: found 'fq'; expected a table before 'buffer', such as queue = { kind = \"fq\" }",
            ),
            ("links.slow.queue.aqm.kind", "x: expected a table at links.slow.queue, found 'fq'"),
            ("links.3.queue.kind", "x: expected a table at links.3, found 3"),
            ("links..rate", "x: expected a path such as links.slow.rate"),
            ("", "x: expected a path such as links.slow.rate"),
            (&long, "x: expected a path of at most 50 names, found 51"),
        ] {
            assert_eq!(set(path), Err(due.to_owned()), "{path}");
        }
    }

    #[test]
    fn what_a_topology_makes_is_not_set() {
        let mut made = file("topology = 'dumbbell'");
        let why = assign(&mut made, "links.slow.rate", &Value::Null, "x").expect_err("there are no links");
        assert_eq!(why, "x: the links come from `topology`; expected a path such as topology.line.rate");
    }

    #[test]
    fn short_names_of_flows_are_spelled_out() {
        let mut flows = file("flows = [{ name = 'f' }]");
        assign(&mut flows, "flows.f.workload", &Value::Text("game".to_owned()), "x").expect("a flow");
        let json = flows.json().expect("values of JSON");
        assert_eq!(
            (&json["flows"][0]["workload"]["kind"], &json["flows"][0]["packet"]),
            (&"cbr".into(), &"100B".into())
        );
    }
}
