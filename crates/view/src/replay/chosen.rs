//! The settings that a page shows first: what was not given is chosen from the trace.

use super::found::Found;
use super::settings::Reading;
use crate::controls::{amount, decade, parameters, written};
use crate::effects::PLAIN;
use crate::words::general;
use headgate_replay::Kind;
use headgate_sim::spec::document::{Table, Value, get, put};

/// The rate that is chosen, as a part of the mean load, and the time in s for which the buffer that is chosen holds its bytes.
const LOAD: f64 = 1.1;
const BUFFER_S: f64 = 0.1;

/// Longest packets that the buffer holds at least.
const PACKETS: u32 = 10;

/// What a page begins with.
#[derive(Clone, Debug, PartialEq)]
pub struct Chosen {
    /// The rate of the line.
    pub rate: String,
    /// The disciplines.
    pub queues: Vec<Table>,
    /// Sentences about what was chosen, because it was not given.
    pub sentences: Vec<String>,
}

/// The rate and the buffers where they are not given.
pub fn chosen(found: &Found, mut queues: Vec<Table>, rate: Option<&str>) -> Chosen {
    let mut sentences = Vec::new();
    let rate = rate.map_or_else(
        || {
            let (rate, why) = chosen_rate(found);
            sentences.push(format!("No rate was given: the page begins with {}, {why}.", spaced(&rate)));
            rate
        },
        str::to_owned,
    );
    let size = buffer(found, amount(&rate).unwrap_or(0.0));
    let mut free = false;
    for queue in &mut queues {
        let Some(Value::Text(kind)) = get(queue, "kind") else { continue };
        if get(queue, "buffer").is_none() && parameters("queue", kind).iter().any(|name| name == "buffer") {
            put(queue, "buffer", Value::Text(size.clone()));
            free = true;
        }
    }
    if free {
        let size = spaced(&size);
        sentences.push(format!(
            "No buffer was given: the page begins with {size}, which is what the line sends in {} s, but at least {PACKETS} of the longest packets.",
            general(BUFFER_S, 3)
        ));
    }
    Chosen { rate, queues, sentences }
}

/// The settings that a page begins with for a trace of this name and kind when nothing is given, and sentences about what was chosen.
pub fn initial(found: &Found, name: &str, kind: Kind) -> (Value, Vec<String>) {
    let text = |text: &str| Value::Text(text.to_owned());
    let mut queue = Table::new();
    put(&mut queue, "kind", text(PLAIN));
    let begun = chosen(found, vec![queue], None);
    let mut data = Table::new();
    put(&mut data, "replay", text(name));
    put(&mut data, "rate", text(&begun.rate));
    put(&mut data, "queue", Value::Table(begun.queues.into_iter().next().unwrap_or_default()));
    if kind == Kind::Capture {
        put(&mut data, "classify", text(Reading::of_kind(kind).classify));
    }
    (Value::Table(data), begun.sentences)
}

/// A rate at which queues build, and how it was chosen.
fn chosen_rate(found: &Found) -> (String, String) {
    match found.load_bps() {
        Some(load) => (rounded(LOAD * load), format!("{LOAD} times the mean load of the trace")),
        None => (rounded(8.0 * found.bytes() as f64), "at which all packets take 1 s".to_owned()),
    }
}

/// A buffer that holds what a line sends in a short time, and some packets at least.
pub(super) fn buffer(found: &Found, bps: f64) -> String {
    let size = (bps * BUFFER_S / 8.0).max(f64::from(PACKETS * found.longest.min(u32::MAX / PACKETS)));
    written(upwards(size), "B").unwrap_or_default()
}

fn rounded(bps: f64) -> String {
    written(upwards(bps.max(1000.0)), "bit/s").unwrap_or_default()
}

/// The next greater number of two digits.
fn upwards(value: f64) -> f64 {
    let base = decade(value, -1);
    (value / base - 1e-9).ceil() * base
}

/// A quantity with a space before its unit.
fn spaced(text: &str) -> String {
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    if number.is_empty() { text.to_owned() } else { format!("{number} {unit}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_rounded_up_to_two_digits() {
        assert_eq!(
            [2_943_732.0, 1000.0, 1001.0, 99.5, 15_000.0].map(upwards),
            [3_000_000.0, 1000.0, 1100.0, 100.0, 15_000.0]
        );
        assert_eq!([spaced("3Mbit/s"), spaced("1.5KB")], ["3 Mbit/s", "1.5 KB"]);
    }

    #[test]
    fn a_trace_of_one_instant_has_a_rate_too() {
        let found = Found { packets: 2, longest: 150, flows: vec![(1, 100), (1, 150)], ..Found::default() };
        let begun = chosen(&found, Vec::new(), None);
        assert_eq!(begun.rate, "2kbit/s");
        assert_eq!(
            begun.sentences,
            ["No rate was given: the page begins with 2 kbit/s, at which all packets take 1 s."]
        );
        // Ten of the longest packets are more than the line sends in 0.1 s.
        assert_eq!(buffer(&found, 2000.0), "1.5KB");
    }
}
