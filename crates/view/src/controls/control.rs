//! One value of a scenario as a control: its kind, unit, limits and help, from the schema alone.

use super::quantity::{amount, decade, nice, unit_of};
use super::schema::Node;
use headgate_packet::Quantity;
use serde::{Serialize, Serializer};
use serde_json::Value;

/// Formats of quantities in the schema, and the unit of their numbers.
const QUANTITIES: [(&str, &str); 4] =
    [("a duration", "s"), ("a rate", "bit/s"), ("a size in bytes", "B"), ("a packet size", "B")];

/// A buffer may have one of several units.
const BUFFER: &str = "a buffer";

/// What of a scenario can be changed at one place of the page.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Control {
    /// Where the value stands, such as `links.slow.rate`.
    pub path: String,
    /// What it is called.
    pub label: String,
    /// The part of the page: `Network`, `Queue`, `Flows` or `Run`.
    pub group: String,
    /// What changes it: `number`, `quantity`, `choice`, `bool` or `text`.
    pub kind: &'static str,
    /// The value as the scenario has it; null if it has none.
    pub value: Value,
    /// A quantity as a number in its unit.
    pub number: Option<f64>,
    /// `s`, `bit/s`, `B` or `pkt`.
    pub unit: Option<&'static str>,
    /// The least value that is allowed.
    pub low: Option<Value>,
    /// The greatest value that is allowed.
    pub high: Option<Value>,
    /// Where the slider begins.
    #[serde(serialize_with = "number")]
    pub from: Option<f64>,
    /// Where the slider ends.
    #[serde(serialize_with = "number")]
    pub to: Option<f64>,
    /// Whether the slider is logarithmic.
    pub log: bool,
    /// The step of the slider.
    #[serde(serialize_with = "number")]
    pub step: Option<f64>,
    /// The values of a choice.
    pub choices: Option<Vec<Choice>>,
    /// What the value means.
    pub help: Option<String>,
    /// Whether the page shows it first.
    pub main: bool,
}

/// One of the values of a choice.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Choice {
    /// The value; null for none.
    pub value: Value,
    /// What it is called.
    pub label: String,
    /// What it means.
    pub help: String,
}

impl Choice {
    /// A choice of a value by a name of its own.
    pub fn of(value: impl Into<Value>, label: &str) -> Choice {
        Choice { value: value.into(), label: label.to_owned(), help: String::new() }
    }
}

/// What a control is called, and where it stands on the page.
#[derive(Clone, Debug)]
pub struct Title {
    /// Where the value stands.
    pub path: String,
    /// What it is called.
    pub label: String,
    /// The part of the page.
    pub group: String,
    /// Whether the page shows it first.
    pub main: bool,
}

/// The choices of what has a `kind`, with their meaning.
pub fn kinds(found: &Node<'_>) -> Vec<Choice> {
    let named = |each: &Node<'_>| {
        let kind = each.kind()?;
        Some(Choice { help: each.text("description").unwrap_or_default().to_owned(), ..Choice::of(kind, kind) })
    };
    found.alternatives().iter().filter_map(named).collect()
}

impl Control {
    /// A control of no kind yet.
    pub fn of(title: Title, found: &Node<'_>, value: Value) -> Control {
        let help = found.text("description").map(str::to_owned);
        Control { help, ..Control::plain(title, value) }
    }

    /// A value that is in no schema, without its kind and its meaning.
    pub(crate) fn plain(title: Title, value: Value) -> Control {
        let Title { path, label, group, main } = title;
        Control {
            path,
            label,
            group,
            kind: "",
            value,
            number: None,
            unit: None,
            low: None,
            high: None,
            from: None,
            to: None,
            log: false,
            step: None,
            choices: None,
            help: None,
            main,
        }
    }

    /// A value, as the scenario has it, as a control; `None` if it is no single value, or is not given.
    pub fn new(title: Title, found: &Node<'_>, value: &Value) -> Option<Control> {
        let mut control = Control::of(title, found, value.clone());
        found.alternatives().iter().any(|form| control.take(form)).then_some(control)
    }

    /// The control of an optional value; it has null for a value that is not given.
    pub fn optional(title: Title, found: &Node<'_>, value: &Value) -> Option<Control> {
        let mut shown = if value.is_null() {
            let form = found.alternatives().into_iter().find(|form| form.text("type") != Some("null"))?;
            // Any value of the type gives the form of the control.
            let like = match kind_of(&form) {
                _ if form.get("oneOf").or(form.get("enum")).is_some() => choices(&form).first()?.value.clone(),
                Some("boolean") => Value::from(false),
                Some("integer") => Value::from(1),
                Some("number") => Value::from(0.0),
                _ => Value::from(""),
            };
            let shown = Control::new(title, found, &like)?;
            Control { value: Value::Null, number: None, ..shown }
        } else {
            Control::new(title, found, value)?
        };
        if ["bool", "choice"].contains(&shown.kind) {
            let given = shown.choices.take().unwrap_or_else(|| vec![Choice::of(true, "on"), Choice::of(false, "off")]);
            shown.kind = "choice";
            shown.choices = Some([vec![Choice::of(Value::Null, "not set")], given].concat());
        }
        Some(shown)
    }

    /// Whether the value is of one of its forms, whose kind and limits it then has.
    fn take(&mut self, form: &Node<'_>) -> bool {
        let (kind, value) = (kind_of(form), self.value.clone());
        match &value {
            Value::Bool(_) if kind == Some("boolean") => self.kind = "bool",
            Value::Number(number) if matches!(kind, Some("integer" | "number")) => {
                self.kind = "number";
                self.numeric(form, number.as_f64().unwrap_or(0.0), kind == Some("integer"));
            }
            Value::String(_) if form.get("oneOf").or(form.get("enum")).is_some() => {
                let choices = choices(form);
                if choices.iter().all(|choice| choice.value != value) {
                    return false;
                }
                (self.kind, self.choices) = ("choice", Some(choices));
            }
            Value::String(text) if kind == Some("string") => {
                let format = form.text("format").unwrap_or_default();
                match QUANTITIES.iter().find(|known| known.0 == format) {
                    Some((_, unit)) => self.quantity(text, unit),
                    None if format == BUFFER => {
                        self.quantity(text, text.parse::<Quantity>().map_or("pkt", |known| unit_of(known.kind)));
                    }
                    None => self.kind = "text",
                }
            }
            _ => return false,
        }
        true
    }

    fn numeric(&mut self, form: &Node<'_>, value: f64, whole: bool) {
        let number = |key| form.get(key).and_then(Value::as_f64);
        let high = number("maximum");
        let low = number("exclusiveMinimum").or_else(|| number("minimum"));
        self.low = form.get("exclusiveMinimum").or_else(|| form.get("minimum")).cloned();
        self.high = form.get("maximum").cloned();
        let size = value.abs().max(1.0);
        let start = low.unwrap_or_else(|| (2.0 * value).min(0.0));
        let end = high.filter(|high| *high <= 100.0 * size).unwrap_or_else(|| {
            let end = if value > 0.0 { decade(value, 2) } else { 10.0 }.max(start + 1.0);
            high.map_or(end, |high| end.min(high))
        });
        (self.from, self.to) = (Some(start), Some(end));
        self.step = Some(if whole { 1.0 } else { nice((end - start) / 200.0) });
        self.log = start > 0.0 && end / start > 200.0;
    }

    fn quantity(&mut self, text: &str, unit: &'static str) {
        let number = amount(text);
        (self.kind, self.number, self.unit, self.low) = ("quantity", number, Some(unit), Some(0.into()));
        let Some(number) = number.filter(|number| *number > 0.0) else {
            let end = match unit {
                "s" => 0.1,
                "bit/s" => 1e7,
                "B" => 1e5,
                _ => 100.0,
            };
            (self.from, self.to, self.step) = (Some(0.0), Some(end), Some(nice(end / 200.0)));
            return;
        };
        let (start, end) = (decade(number, -1), decade(number, 2));
        // These units have no parts.
        let least = if unit == "s" { 0.0 } else { 1.0 };
        (self.from, self.to, self.log) = (Some(start.max(least)), Some(end), true);
        self.step = Some(nice(start / 10.0).max(least));
    }
}

/// A whole number without a point, so that a parameter that has no parts can be set to it.
fn number<S: Serializer>(number: &Option<f64>, s: S) -> Result<S::Ok, S::Error> {
    match number {
        Some(whole) if whole.fract() == 0.0 && whole.abs() < 1e15 => s.serialize_i64(*whole as i64),
        other => other.serialize(s),
    }
}

/// The type of a form, whether or not there may be nothing.
fn kind_of<'a>(form: &Node<'a>) -> Option<&'a str> {
    match form.get("type")? {
        Value::Array(all) => all.iter().filter_map(Value::as_str).find(|kind| *kind != "null"),
        kind => kind.as_str(),
    }
}

fn choices(form: &Node<'_>) -> Vec<Choice> {
    let all = |key| form.get(key).and_then(Value::as_array).into_iter().flatten();
    let described = all("oneOf").map(|each| {
        let value = each.get("const").cloned().unwrap_or_default();
        let help = each.get("description").and_then(Value::as_str).unwrap_or_default().to_owned();
        Choice { label: value.as_str().unwrap_or_default().to_owned(), help, value }
    });
    let plain = all("enum").map(|value| Choice::of(value.clone(), value.as_str().unwrap_or_default()));
    if form.get("oneOf").is_some() { described.collect() } else { plain.collect() }
}
