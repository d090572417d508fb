//! The controls of the parts of a scenario: its topology, its links, its flows, and the run.

use super::choice::{Group, choice, or_none, table, words};
use super::control::{Control, Title};
use super::quantity::amount;
use super::schema::{Node, Schema};
use headgate_sim::spec::{NodeKind, Scenario};
use serde_json::{Value, json};

/// Maximum number of flows and of links whose controls are there.
const ENTRIES: usize = 24;

/// Longest name of an entry in a label.
const LONGEST: usize = 60;

/// Tables that a link or a flow need not have, the definitions of their keys, and which of those are controls.
pub const OPTIONAL: [(&str, &str, &[&str]); 3] = [
    ("jitter", "Jitter", &["mean", "law", "reorder"]),
    ("transport", "Options", &["preset", "recovery", "ecn", "initial_window", "min_timeout"]),
    ("receiver", "Policy", &["every", "delay", "blocks"]),
];

/// A scenario whose controls are made: as it is written, and resolved.
pub struct Parts<'a> {
    pub schema: &'a Schema,
    pub given: &'a Value,
    pub whole: &'a Scenario,
}

impl Parts<'_> {
    /// Those of the network as a whole.
    pub fn topology(&self) -> Vec<Control> {
        let mut found = Vec::new();
        let Some(given) = self.given.get("topology").filter(|given| !given.is_null()) else { return found };
        let table = table(self.schema, "topology", Some(given));
        let kind = table.get("kind").and_then(Value::as_str).unwrap_or_default();
        let Some(chosen) = self.schema.node(&["", "topology"]).branch(kind) else { return found };
        for key in chosen.properties() {
            let Some(node) = chosen.property(key) else { continue };
            let (own, default) = (table.get(key), node.get("default"));
            let path = format!("topology.{key}");
            match key {
                "hosts" | "gateways" | "hops" | "k" | "seed" | "degree" | "sinks" | "through" => {
                    let title = Title { path, label: words(key), group: "Network".to_owned(), main: key == "hosts" };
                    found.extend(Control::new(title, &node, own.or(default).unwrap_or(&Value::Null)));
                }
                "line" | "access" | "exit" if key == "line" || own.is_some_and(Value::is_object) => {
                    let mut line = default.and_then(Value::as_object).cloned().unwrap_or_default();
                    line.extend(own.and_then(Value::as_object).cloned().unwrap_or_default());
                    let title = if key == "line" { "link" } else { key };
                    let at = Group { path: &path, title, group: "Network", main: key == "line" };
                    found.extend(self.link(at, &self.schema.node(&["Line"]), &Value::Object(line)));
                }
                _ => {}
            }
        }
        found
    }

    /// Those of links that are given one by one. The slowest ones that leave a gateway are the main ones.
    pub fn links(&self) -> Vec<Control> {
        let given = entries(self.given, "links");
        let is_gateway = |name: &str| self.whole.nodes.iter().any(|n| n.kind == NodeKind::Gateway && n.name == name);
        let rate =
            |link: &Value| link["from"].as_str().filter(|name| is_gateway(name)).and_then(|_| rate(&link["rate"]));
        let rates: Vec<Option<f64>> = given.iter().map(rate).collect();
        let least = rates.iter().copied().flatten().min_by(f64::total_cmp);
        let is_main = |i: &usize| least.is_some() && rates[*i] == least;
        let (first, others): (Vec<usize>, Vec<usize>) = (0..given.len()).partition(is_main);
        let mut places: Vec<usize> = first.into_iter().chain(others).take(ENTRIES).collect();
        places.sort_unstable();
        let controls = places.into_iter().flat_map(|i| {
            let path = format!("links.{}", entry(given, i));
            let at = Group { path: &path, title: &title(&given[i], "link"), group: "Network", main: is_main(&i) };
            self.link(at, &self.schema.node(&["Link"]), &given[i])
        });
        controls.collect()
    }

    fn link(&self, at: Group<'_>, node: &Node<'_>, link: &Value) -> Vec<Control> {
        let mut found = Vec::new();
        for key in ["rate", "delay"] {
            let Some(property) = node.property(key) else { continue };
            let value = link.get(key).or(property.get("default")).unwrap_or(&Value::Null);
            let ways = by_direction(value).then(|| value.as_object()).flatten();
            for (direction, part) in ways.into_iter().flatten() {
                let title = at.title(&format!("{key}.{direction}"), &format!("{key}, {direction}"), at.main);
                found.extend(Control::new(title, &property, part));
            }
            if ways.is_none() {
                found.extend(Control::new(at.title(key, key, at.main), &property, value));
            }
        }
        if !by_direction(&link["loss"]) {
            found.extend(or_none(self.schema, at, "loss", link.get("loss")));
        }
        if !by_direction(&link["jitter"]) {
            found.extend(self.optional(at, "jitter", link.get("jitter")));
        }
        let queue = Group { group: "Queue", ..at };
        found.extend(choice(self.schema, queue, "queue", link.get("queue")));
        if !link["reverse_queue"].is_null() {
            found.extend(choice(
                self.schema,
                Group { main: false, ..queue },
                "reverse_queue",
                link.get("reverse_queue"),
            ));
        }
        if let Some(classify) = node.property("classify") {
            let value = link.get("classify").or(classify.get("default")).unwrap_or(&Value::Null);
            found.extend(Control::new(queue.title("classify", "conversations", false), &classify, value));
        }
        found
    }

    /// The keys of a table that need not be there.
    fn optional(&self, at: Group<'_>, key: &str, given: Option<&Value>) -> Vec<Control> {
        let known = OPTIONAL.iter().find(|known| known.0 == key);
        let all = known.into_iter().flat_map(|(_, name, keys)| keys.iter().map(move |each| (name, each)));
        let controls = all.filter_map(|(name, each)| {
            let title = at.title(&format!("{key}.{each}"), &format!("{key}, {}", words(each)), false);
            let value = given.and_then(|table| table.get(each)).unwrap_or(&Value::Null);
            Control::optional(title, &self.schema.node(&[name, each]), value)
        });
        controls.collect()
    }

    /// Those of flows.
    pub fn flows(&self) -> Vec<Control> {
        let given = entries(self.given, "flows");
        (0..given.len().min(ENTRIES)).flat_map(|i| self.flow(&entry(given, i), &given[i])).collect()
    }

    fn flow(&self, name: &str, flow: &Value) -> Vec<Control> {
        let (path, title) = (format!("flows.{name}"), title(flow, "flow"));
        let at = Group { path: &path, title: &title, group: "Flows", main: false };
        let mut found = choice(self.schema, Group { main: true, ..at }, "control", flow.get("control"));
        found.extend(choice(self.schema, at, "workload", flow.get("workload")));
        for key in ["weight", "start", "count", "packet", "start_spread", "priority"] {
            let node = self.schema.node(&["Flow", key]);
            let main = ["weight", "start", "count"].contains(&key);
            let value = flow.get(key).or(node.get("default")).unwrap_or(&Value::Null);
            let mut shown = Control::new(at.title(key, &words(key), main), &node, value);
            if let Some(start) = shown.as_mut().filter(|_| key == "start") {
                // As a text of this duration is read.
                let end = self.whole.duration.as_ps() as f64 / 1e12;
                (start.from, start.to, start.step, start.log) = (Some(0.0), Some(end), Some(end / 200.0), false);
            }
            found.extend(shown);
        }
        let control = table(self.schema, "control", flow.get("control"));
        if has_transport(control.get("kind").and_then(Value::as_str).unwrap_or_default()) {
            found.extend(self.optional(at, "transport", flow.get("transport")));
            found.extend(self.optional(at, "receiver", flow.get("receiver")));
        }
        found
    }

    /// Those of the run.
    pub fn run(&self) -> Vec<Control> {
        let whole = self.whole;
        let values = [
            ("duration", json!(whole.duration)),
            ("seed", json!(whole.seed)),
            ("warm_up", json!(whole.warm_up)),
            ("interval", json!(whole.interval)),
            ("routing", json!(whole.routing)),
        ];
        let title =
            |path: &str, label: String, main| Title { path: path.to_owned(), label, group: "Run".to_owned(), main };
        let noise = title("hosts.noise", "host noise".to_owned(), true);
        let noise = Control::new(noise, &self.schema.node(&["", "hosts", "noise"]), &json!(whole.hosts.noise));
        let others = values.into_iter().filter_map(|(key, value)| {
            let main = ["duration", "seed"].contains(&key);
            Control::new(title(key, words(key), main), &self.schema.node(&["", key]), &value)
        });
        noise.into_iter().chain(others).collect()
    }
}

fn entries<'a>(given: &'a Value, key: &str) -> &'a [Value] {
    given.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Whether a value of a link is given for each direction.
fn by_direction(value: &Value) -> bool {
    let is_way = |key: &String| ["forward", "reverse"].contains(&key.as_str());
    value.as_object().is_some_and(|ways| !ways.is_empty() && ways.keys().all(is_way))
}

/// The rate of a link's first direction in bit/s, if it has one that stays.
fn rate(given: &Value) -> Option<f64> {
    let given = if given.is_object() { given.get("forward").or(given.get("reverse"))? } else { given };
    amount(given.as_str()?)
}

/// Whether a flow with this control may say how the transport serves it.
fn has_transport(control: &str) -> bool {
    // One that was registered has the transport, whatever its parameters are.
    headgate_control::REGISTRY.names().contains(&control)
        || headgate_control::Spec::default_of(control).is_some_and(|spec| spec.transport().has_options())
}

/// How a path names an entry: by its name if that is plain and the only one, by its position otherwise.
fn entry(entries: &[Value], i: usize) -> String {
    let name = entries[i]["name"].as_str();
    let is_plain = |name: &&str| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || ['_', '-'].contains(&c))
            && entries.iter().filter(|each| each["name"].as_str() == Some(*name)).count() == 1
    };
    name.filter(is_plain).map_or_else(|| i.to_string(), str::to_owned)
}

/// The name of an entry, with `*` for what counts in it.
fn title(entry: &Value, what: &str) -> String {
    let text = |key: &str| entry[key].as_str().unwrap_or_default();
    let name = match text("name") {
        "" if what == "link" => format!("{} to {}", text("from"), text("to")),
        "" => what.to_owned(),
        name => name.to_owned(),
    };
    let mut shown = String::new();
    let mut rest = name.as_str();
    while let Some((before, after)) = rest.split_once('{') {
        shown.push_str(before);
        match after.find(['{', '}']) {
            Some(end) if after[end..].starts_with('}') => {
                shown.push('*');
                rest = &after[end + 1..];
            }
            _ => {
                shown.push('{');
                rest = after;
            }
        }
    }
    shown.push_str(rest);
    shown.chars().take(LONGEST).collect()
}
