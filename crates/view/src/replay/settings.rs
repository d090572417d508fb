//! The settings of a replay, as requests of the page have them: checked, and what the engine reads of them.

use crate::effects::PLAIN;
use headgate_packet::{Rate, cut};
use headgate_replay::{Conventions, EcnDefault, Kind, Options};
use headgate_sim::link::LineRate;
use headgate_sim::spec::SpecError;
use headgate_sim::spec::document::{Table, Value, get, put};
use serde_json::{Map, Value as Json, json};

/// Which packets of a capture are one flow. `flow` means the same as `5tuple` there.
pub(super) const CLASSIFY: [&str; 7] = ["flow", "pair", "source", "destination", "5tuple", "priority", "ecn"];

/// Conventions for what a trace does not contain, the first value of each being the default, and what each decides.
pub const CONVENTIONS: [(&str, [&str; 2], &str); 4] = [
    ("in_service", ["extra", "counts"], "Whether the packet in transmission counts against the buffer."),
    (
        "ties",
        ["first", "together"],
        "Several packets at one instant at an idle link: the first one is sent, or the discipline chooses.",
    ),
    (
        "at_departure",
        ["departures-first", "arrivals-first"],
        "Which comes first when a packet arrives at the instant at which a transmission ends.",
    ),
    (
        "ecn",
        ["not-capable", "capable"],
        "Whether the packets of a table without a column ecn can be marked; in a capture, each packet says so.",
    ),
];

/// The keys of settings; that of the trace's name says that they are those of a replay.
const KEYS: [&str; 10] =
    ["replay", "rate", "queue", "classify", "seed", "in_service", "ties", "at_departure", "ecn", "lenient"];

/// Maximum number of levels of a discipline's table: no parameter has as many.
const LEVELS: usize = 8;

/// How a trace is read: which packets are one flow, what packets without an ECN field are, and whether faults are skipped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// What distinguishes flows.
    pub classify: &'static str,
    /// What packets without an ECN field are.
    pub ecn: EcnDefault,
    /// Whether packets with faults are skipped.
    pub lenient: bool,
}

impl Reading {
    /// The way in which a trace of a kind is read unless something else is wanted.
    pub fn of_kind(kind: Kind) -> Reading {
        let classify = if kind == Kind::Capture { "5tuple" } else { "flow" };
        Reading { classify, ecn: EcnDefault::NotCapable, lenient: false }
    }

    /// The options of a replay that counts the packets of a trace and has no queue.
    pub fn counting(&self) -> Options {
        Options {
            // At this rate a packet of any length can be sent.
            rate: LineRate::Fixed(Rate::from_bps(1_000_000_000).expect("it is above zero")),
            queues: Vec::new(),
            seed: 1,
            conventions: Conventions { ecn: self.ecn, ..Conventions::default() },
            lenient: self.lenient,
            sort: None,
            segment: None,
            series: false,
        }
    }
}

/// One way to replay a trace.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The name of the trace.
    pub name: String,
    /// What the file of the trace is.
    pub kind: Kind,
    /// As requests have them.
    pub data: Value,
    /// As the engine takes them, with every default.
    pub options: Options,
    /// How the trace is read.
    pub reading: Reading,
    /// The rate of the line in bit/s.
    pub bps: f64,
}

impl Settings {
    /// Checks the settings for a trace of this name and kind.
    ///
    /// # Errors
    /// Something in them is wrong.
    pub fn of(data: &Value, name: &str, kind: Kind) -> Result<Settings, SpecError> {
        let Value::Table(given) = data else { return Err(SpecError::at("", "expected the settings of a replay")) };
        if let Some((key, _)) = given.iter().find(|(key, _)| !KEYS.contains(&key.as_str())) {
            let message = format!("{}: expected one of {}", cut(key), KEYS.join(", "));
            return Err(SpecError::at("", message).nearest(key, KEYS));
        }
        let options = options(given)?;
        let reading = reading(given, kind)?;
        let LineRate::Fixed(rate) = &options.rate else {
            return Err(SpecError::at("rate", "expected a rate such as \"10Mbit/s\": on a page it does not change"));
        };
        let (bps, data) = (rate.as_bps() as f64, data.clone());
        Ok(Settings { name: name.to_owned(), kind, data, options, reading, bps })
    }

    /// The kind of its discipline.
    pub fn discipline(&self) -> &'static str {
        self.options.queues.first().map_or(PLAIN, |queue| queue.name())
    }

    /// Whether the trace is a capture.
    pub(super) fn is_capture(&self) -> bool {
        self.kind == Kind::Capture
    }
}

fn options(given: &Table) -> Result<Options, SpecError> {
    let mut conventions = Map::new();
    for (key, values, _) in CONVENTIONS {
        let value = plain(given, key)?.unwrap_or_else(|| json!(values[0]));
        if !values.iter().any(|known| value == *known) {
            return Err(SpecError::at(key, format!("expected {}", values.join(" or "))).found(value));
        }
        conventions.insert(key.to_owned(), value);
    }
    let lenient = plain(given, "lenient")?.unwrap_or(json!(false));
    if !lenient.is_boolean() {
        return Err(SpecError::at("lenient", "expected true or false").found(lenient));
    }
    let queue = plain(given, "queue")?.unwrap_or(json!(PLAIN));
    if levels(&queue) > LEVELS {
        return Err(SpecError::at("queue", format!("expected at most {LEVELS} levels of tables")));
    }
    let queue = if queue.is_string() { json!({ "kind": queue }) } else { queue };
    let (rate, seed) = (plain(given, "rate")?.unwrap_or(json!("")), plain(given, "seed")?.unwrap_or(json!(1)));
    let all = json!({ "rate": rate, "queues": [queue], "seed": seed, "conventions": conventions, "lenient": lenient });
    Options::from_json(&all.to_string()).map_err(here)
}

/// What stands under a key.
fn plain(given: &Table, key: &str) -> Result<Option<Json>, SpecError> {
    let Some(value) = get(given, key) else { return Ok(None) };
    let wrong = || SpecError::at(key, "expected finite numbers, and whole ones of at most 64 bits");
    value.json().map(Some).ok_or_else(wrong)
}

/// An error of the engine, at the place where the settings have the value.
fn here(mut e: SpecError) -> SpecError {
    for fault in std::iter::once(&mut e.path).chain(e.others.iter_mut().map(|other| &mut other.path)) {
        if let Some(rest) = fault.strip_prefix("queues[0]") {
            *fault = format!("queue{rest}");
        }
    }
    e
}

fn reading(given: &Table, kind: Kind) -> Result<Reading, SpecError> {
    let text = |key: &str, default: &'static str| match get(given, key) {
        None => Ok(default.to_owned()),
        Some(Value::Text(text)) => Ok(text.clone()),
        Some(other) => {
            let found = other.json().unwrap_or_default();
            Err(SpecError::at(key, "expected a name").found(found))
        }
    };
    let (classify, ecn) = (text("classify", "flow")?, text("ecn", "not-capable")?);
    let known = CLASSIFY.into_iter().find(|known| *known == classify);
    let known = known.ok_or_else(|| {
        SpecError::at("classify", format!("expected one of {}", CLASSIFY.join(", "))).found(cut(&classify))
    })?;
    let classify = match (kind, known) {
        (Kind::Capture, "flow") => "5tuple",
        (Kind::Capture, known) => known,
        (_, "flow") => "flow",
        (_, other) => {
            return Err(
                SpecError::at("classify", "expected flow: only a capture has addresses and headers").found(other)
            );
        }
    };
    let ecn = if ecn == "capable" { EcnDefault::Capable } else { EcnDefault::NotCapable };
    if kind == Kind::Capture && ecn == EcnDefault::Capable {
        return Err(SpecError::at("ecn", "expected none: each packet of a capture says so").found("capable"));
    }
    Ok(Reading { classify, ecn, lenient: matches!(get(given, "lenient"), Some(Value::Boolean(true))) })
}

/// The depth of nested tables and lists, counted no further than matters.
fn levels(value: &Json) -> usize {
    fn deep(value: &Json, room: usize) -> usize {
        let inside: Vec<&Json> = match value {
            Json::Array(entries) => entries.iter().collect(),
            Json::Object(entries) => entries.values().collect(),
            _ => return 0,
        };
        if room == 0 {
            return 1;
        }
        1 + inside.into_iter().map(|each| deep(each, room - 1)).max().unwrap_or(0)
    }
    deep(value, LEVELS)
}

/// The queue of some settings as a table that can be changed.
pub(super) fn queue_of(given: &mut Table) -> &mut Table {
    let named = match get(given, "queue") {
        Some(Value::Table(_)) => None,
        Some(Value::Text(kind)) => Some(kind.clone()),
        _ => Some(PLAIN.to_owned()),
    };
    if let Some(kind) = named {
        let mut table = Table::new();
        put(&mut table, "kind", Value::Text(kind));
        put(given, "queue", Value::Table(table));
    }
    headgate_sim::spec::document::get_mut(given, "queue").expect("it was put there").table()
}
