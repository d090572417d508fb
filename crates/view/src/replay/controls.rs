//! The controls of a replay: the line, its queue, how the trace is read, and conventions for what a trace does not contain.

use super::chosen::buffer;
use super::found::Found;
use super::settings::{CLASSIFY, CONVENTIONS, Settings, queue_of};
use crate::controls::{Choice, Control, Title, choice_of, control, parameters, written};
use headgate_packet::cut;
use headgate_sim::spec::SpecError;
use headgate_sim::spec::document::{Table, Value, get, get_mut, put};
use serde_json::{Value as Json, json};

/// The slider of the rate reaches from the mean load divided by this number to the mean load times this number.
const RANGE: f64 = 5.0;

/// All controls. `found` is what the trace holds, read in any way.
pub fn controls(settings: &Settings, found: &Found) -> Vec<Control> {
    let given = |key: &str| settings.data.get(key).and_then(Value::json);
    let title = |path: &str, label: &str, group: &str| Title {
        path: path.to_owned(),
        label: label.to_owned(),
        group: group.to_owned(),
        main: true,
    };
    let mut all = Vec::new();
    let rate = given("rate").unwrap_or_else(|| json!(settings.options.rate));
    if let Some(mut rate) = control(title("rate", "rate of the line", "Line"), &["Link", "rate"], &rate) {
        if let Some(load) = found.load_bps() {
            let help = "Rate of the line. The slider reaches from a fifth of the mean load of the trace to five times that load.";
            let now = rate.number.filter(|number| *number != 0.0).unwrap_or(load);
            rate.help = Some(help.to_owned());
            rate.from = Some((load / RANGE).round_ties_even().max(1.0).min(now));
            rate.to = Some((load * RANGE).round_ties_even().max(now));
            rate.log = true;
        }
        all.push(rate);
    }
    all.extend(choice_of("queue", "Queue", given("queue").as_ref()));
    if settings.is_capture() {
        let help = "Which packets of a capture are one flow; 5tuple by default.";
        let value = json!(settings.reading.classify);
        let choices = CLASSIFY.into_iter().filter(|known| *known != "flow");
        let mut classify = plain("classify", "flows are by", "choice", value, help);
        classify.choices = Some(choices.map(|known| Choice::of(known, known)).collect());
        (classify.group, classify.main) = ("Flows".to_owned(), true);
        all.push(classify);
    }
    all.extend(control(title("seed", "seed", "Run"), &["", "seed"], &json!(settings.options.seed)));
    for (key, values, help) in CONVENTIONS {
        if key == "ecn" && settings.is_capture() {
            continue;
        }
        let label = if key == "ecn" { "ECN of packets without it".to_owned() } else { key.replace('_', " ") };
        let value = given(key).unwrap_or_else(|| json!(values[0]));
        let mut convention = plain(key, &label, "choice", value, help);
        convention.choices = Some(values.into_iter().map(|known| Choice::of(known, known)).collect());
        all.push(convention);
    }
    let lenient = given("lenient").unwrap_or(json!(false));
    all.push(plain("lenient", "skip packets with faults", "bool", lenient, "Skip and count packets with faults."));
    all
}

fn plain(path: &str, label: &str, kind: &'static str, value: Json, help: &str) -> Control {
    let title = Title { path: path.to_owned(), label: label.to_owned(), group: "Run".to_owned(), main: false };
    Control { kind, help: Some(help.to_owned()), ..Control::plain(title, value) }
}

/// The settings with one value changed; a number stands for a quantity in the control's unit, null for the default. A new kind of the queue keeps the
/// parameters that it shares with the one before.
///
/// # Errors
/// There is no such value, or it does not fit.
pub fn with_value(settings: &Settings, found: &Found, path: &str, value: &Value) -> Result<Settings, SpecError> {
    let known = controls(settings, found);
    let Some(own) = known.iter().find(|control| control.path == path) else {
        let names: Vec<&str> = known.iter().map(|control| control.path.as_str()).collect();
        let message = format!("{}: there is no such setting; expected one of {}", cut(path), names.join(", "));
        return Err(SpecError::at("", message));
    };
    let value = match (value.json(), own.unit) {
        (Some(Json::Number(number)), Some(unit)) => {
            let number = number.as_f64().unwrap_or(f64::NAN);
            if !(0.0..1e18).contains(&number) {
                return Err(SpecError::at(path, "expected a number that is not negative").found(number));
            }
            Value::Text(written(number, unit).map_err(|why| SpecError::at(path, why))?)
        }
        _ => value.clone(),
    };
    if path == "queue.kind" {
        return new_kind(settings, found, &value);
    }
    let mut data = settings.data.clone();
    let given = data.table();
    match path.strip_prefix("queue.") {
        Some(key) => match key.strip_prefix("aqm.") {
            Some(key) => set_aqm(queue_of(given), key, value),
            None => set(queue_of(given), key, value),
        },
        None => set(given, path, value),
    }
    Settings::of(&data, &settings.name, settings.kind)
}

/// Sets a value, or takes it away.
fn set(table: &mut Table, key: &str, value: Value) {
    if value == Value::Null {
        table.retain(|(known, _)| known != key);
    } else {
        put(table, key, value);
    }
}

/// With another AQM, or with one of its values changed; null for the default, and as a kind for no AQM.
fn set_aqm(queue: &mut Table, key: &str, value: Value) {
    if key == "kind" {
        queue.retain(|(known, _)| known != "aqm");
    }
    if value == Value::Null {
        if let Some(Value::Table(aqm)) = get_mut(queue, "aqm") {
            aqm.retain(|(known, _)| known != key);
        }
        return;
    }
    let mut aqm = match get(queue, "aqm") {
        Some(Value::Table(table)) => table.clone(),
        Some(Value::Text(kind)) => {
            let mut table = Table::new();
            put(&mut table, "kind", Value::Text(kind.clone()));
            table
        }
        _ => Table::new(),
    };
    put(&mut aqm, key, value);
    put(queue, "aqm", Value::Table(aqm));
}

/// With another discipline, which keeps the parameters that it shares with the one before.
fn new_kind(settings: &Settings, found: &Found, kind: &Value) -> Result<Settings, SpecError> {
    let known = if let Value::Text(kind) = kind { parameters("queue", kind) } else { Vec::new() };
    let mut before = settings.data.clone();
    let shared: Table =
        queue_of(before.table()).iter().filter(|(key, _)| known.iter().any(|name| name == key)).cloned().collect();
    let own_buffer: Table = shared.iter().filter(|(key, _)| key == "buffer").cloned().collect();
    let mut new_buffer = Table::new();
    put(&mut new_buffer, "buffer", Value::Text(buffer(found, settings.bps)));
    let with = |kept: &Table| {
        let mut queue = Table::new();
        put(&mut queue, "kind", kind.clone());
        kept.iter().for_each(|(key, placed)| put(&mut queue, key, placed.value.clone()));
        let mut data = settings.data.clone();
        put(data.table(), "queue", Value::Table(queue));
        Settings::of(&data, &settings.name, settings.kind)
    };
    // A parameter of the same name may mean something else: the defaults of the new kind then.
    with(&shared).or_else(|_| with(&own_buffer)).or_else(|_| with(&new_buffer)).or_else(|_| with(&Table::new()))
}
