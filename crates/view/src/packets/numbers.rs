//! The numbers with which disciplines decide, as people read them: with their units, their meaning, and in sentences.

use crate::words::{general, grouped, scale_of};
use headgate_queue::{Number, Unit};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Suffixes of names that give the unit, which is shown beside the value.
const UNITS: [&str; 2] = ["_packets", "_bytes"];

/// Numbers that a discipline gives in packets and in bytes: the one in the unit of the buffer decides.
const BOTH: [&str; 2] = ["held", "own_queue"];

/// What is shown in place of a number without a limit.
const UNLIMITED: &str = "unlimited";

/// The numbers of a decision. Of two with one name, as of a scheduler and its AQM, the last one counts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Told(Vec<(Number, f64)>);

impl FromIterator<(Number, f64)> for Told {
    fn from_iter<I: IntoIterator<Item = (Number, f64)>>(all: I) -> Told {
        let mut found = Vec::<(Number, f64)>::new();
        for (number, value) in all {
            match found.iter_mut().find(|(own, _)| *own == number) {
                Some(own) => own.1 = value,
                None => found.push((number, value)),
            }
        }
        Told(found)
    }
}

impl Told {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value of a number by its name.
    pub fn value(&self, name: &str) -> Option<(Number, f64)> {
        self.0.iter().find(|(number, _)| number.name() == name).copied()
    }

    /// A table of them, as the page's list of `Amount`: name, value, unit, and what it means. One without a limit has a text as its value. What a
    /// discipline has in packets and in bytes is shown in the unit of its buffer.
    ///
    /// ```
    /// use headgate_queue::Number;
    /// let told: headgate_view::packets::Told = [(Number::HeldPackets, 3.0), (Number::FairShare, f64::INFINITY)].into_iter().collect();
    /// let shown = told.shown();
    /// assert_eq!((&shown[0]["name"], &shown[0]["value"], &shown[0]["unit"]), (&"held".into(), &3.0.into(), &"packets".into()));
    /// assert_eq!((&shown[1]["value"], &shown[1]["unit"]), (&"unlimited".into(), &"".into()));
    /// ```
    pub fn shown(&self) -> Vec<Value> {
        let buffers = [("buffer_packets", "_bytes"), ("buffer_bytes", "_packets")];
        let is_beside = |name: &str| {
            let ends = buffers.iter().filter(|(buffer, _)| self.value(buffer).is_some());
            ends.into_iter().any(|(_, end)| name.strip_suffix(end).is_some_and(|name| BOTH.contains(&name)))
        };
        let own = self.0.iter().filter(|(number, _)| number.unit() != Unit::Fact && !is_beside(number.name()));
        own.map(|(number, value)| {
            let limited = value.is_finite();
            json!({
                "name": label(number.name()),
                "value": if limited { json!(value) } else { json!(UNLIMITED) },
                "unit": if limited { number.unit().name() } else { "" },
                "about": number.about(),
            })
        })
        .collect()
    }

    /// Values and units by the names that sentences use. A quantity that is counted in packets and in bytes has one name, and the unit of the buffer.
    pub(super) fn words(&self) -> BTreeMap<&'static str, (f64, &'static str)> {
        let each = self.0.iter().map(|(number, value)| (number.name(), (*value, number.unit().name())));
        let mut found: BTreeMap<_, _> = each.clone().collect();
        let unit = if self.value("buffer_bytes").is_some() { "_bytes" } else { "_packets" };
        for (name, value) in each {
            let short = without_units(name);
            if short != name && (!BOTH.contains(&short) || name.ends_with(unit)) {
                found.insert(short, value);
            }
        }
        found
    }
}

fn without_units(name: &str) -> &str {
    UNITS.iter().fold(name, |name, end| name.strip_suffix(end).unwrap_or(name))
}

/// The name of a number without its unit.
///
/// ```
/// use headgate_view::packets::label;
/// assert_eq!([label("average_queue_packets"), label("finish_number")], ["average queue", "finish number"]);
/// ```
pub fn label(name: &str) -> String {
    without_units(name).replace('_', " ")
}

/// A value with its unit, as a sentence has it.
///
/// ```
/// use headgate_view::packets::with_unit;
/// assert_eq!([with_unit(12_000.0, "bit"), with_unit(4.2e6, "bit/s")], ["12,000 bits", "4.2 Mbit/s"]);
/// assert_eq!([with_unit(12.34, "packets"), with_unit(0.01834, "")], ["12.3 packets", "0.0183"]);
/// assert_eq!([with_unit(1.0, "packets"), with_unit(f64::INFINITY, "bytes")], ["1 packet", "unlimited"]);
/// ```
pub fn with_unit(value: f64, unit: &str) -> String {
    let is_whole = value == value.round();
    match unit {
        _ if !value.is_finite() => UNLIMITED.to_owned(),
        "bit/s" | "s" => {
            let (factor, unit) = scale_of(unit, &[value]);
            format!("{} {unit}", general(value * factor, 3))
        }
        "" if is_whole => format!("{value:.0}"),
        "" => general(value, 3),
        _ => {
            let text = grouped(&if is_whole { format!("{value:.0}") } else { format!("{value:.1}") });
            let unit = match unit {
                _ if text == "1" => unit.strip_suffix('s').unwrap_or(unit),
                "bit" => "bits",
                _ => unit,
            };
            format!("{text} {unit}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_and_numbers_in_another_unit_than_that_of_the_buffer_are_not_shown() {
        let all =
            [Number::AboveThreshold, Number::Threshold, Number::OwnBytes, Number::OwnPackets, Number::BufferBytes];
        let told: Told = all.into_iter().map(|number| (number, 2.0)).collect();
        let names: Vec<Value> = told.shown().iter().map(|each| each["name"].clone()).collect();
        assert_eq!(names, ["threshold", "own queue", "buffer"]);
        assert_eq!(told.words()["own_queue"], (2.0, "bytes"));
    }

    #[test]
    fn of_two_numbers_with_one_name_the_last_one_counts() {
        let told: Told = [(Number::Weight, 1.0), (Number::Count, 2.0), (Number::Weight, 3.0)].into_iter().collect();
        assert_eq!(told, Told(vec![(Number::Weight, 3.0), (Number::Count, 2.0)]));
    }
}
