//! What is wrong with a scenario: the place, what was found, what was expected, and the nearest valid name.

use super::likeness::likeness;
use super::plain::{Plain, plain};
use headgate_packet::{PacketSize, Quantity, choice, cut, cut_within};
use serde_json::Value;
use std::fmt;

/// One thing that is wrong with a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecError {
    /// Path inside the file, such as `links[0].queue.delta`; empty for the file as a whole.
    pub path: String,
    /// What stands there, as JSON; `None` when something is missing.
    pub found: Option<String>,
    /// What was expected there.
    pub message: String,
    /// The nearest valid name, when a name is wrong.
    pub nearest: Option<String>,
    /// The other faults of the file that do not depend on this one.
    pub others: Vec<SpecError>,
}

impl SpecError {
    /// An error at a path.
    pub fn at(path: impl Into<String>, message: impl Into<String>) -> SpecError {
        SpecError {
            path: cut(&path.into()),
            found: None,
            message: cut_within(&message.into()),
            nearest: None,
            others: Vec::new(),
        }
    }

    /// With what was found.
    pub fn found(mut self, found: impl fmt::Display) -> SpecError {
        self.found = Some(cut(&found.to_string()));
        self
    }

    /// With the valid name that is most like the one found; or with what is said of a scheme that is not here.
    pub fn nearest<'a>(mut self, name: &str, valid: impl IntoIterator<Item = &'a str>) -> SpecError {
        let valid: Vec<&str> = valid.into_iter().collect();
        let found = likeness(name, &valid);
        self.nearest = found.nearest.map(str::to_owned);
        if let Some(absent) = found.absent {
            self.message = format!("{absent}; {}", self.message);
        }
        self
    }

    /// What of it is wrong at these places or within them; `None` if nothing is.
    pub fn within(mut self, places: &[String]) -> Option<SpecError> {
        let inside = |path: &str| {
            let rest = |place: &String| path.strip_prefix(place.as_str()).map(str::to_owned);
            places.iter().filter_map(rest).any(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        };
        let others = std::mem::take(&mut self.others);
        let mut own = std::iter::once(self).chain(others).filter(|fault| inside(&fault.path));
        let first = own.next()?;
        Some(SpecError { others: own.collect(), ..first })
    }

    /// From serde's error, looking up in `file` what stands at its path.
    pub fn from_serde(e: &serde_path_to_error::Error<serde_json::Error>, file: &Value) -> SpecError {
        let text = e.inner().to_string();
        let (inner, message) = choice::located(&text);
        let outer = e.path().to_string();
        let path = match (outer.as_str(), inner) {
            (".", inner) => inner.to_owned(),
            (outer, "") => outer.to_owned(),
            (outer, inner) => format!("{outer}.{inner}"),
        };
        if let Some(rest) = message.strip_prefix("missing field") {
            return SpecError::at(path, format!("expected a value for{rest}, which is missing"));
        }
        // `queue = "fq"` stands for `queue = { kind = "fq" }`.
        let outer = path.strip_suffix(".kind").or_else(|| (path == "kind").then_some(""));
        let short = outer.filter(|o| choice::lookup(file, o).is_some_and(Value::is_string));
        let path = short.map_or(path.clone(), str::to_owned);
        let found = choice::lookup(file, &path);
        // The value found is named once.
        let repeated = found
            .map(|v| [format!("{v}: "), format!("found {v}; "), format!("found {}; ", cut(&v.to_string()))])
            .unwrap_or_default();
        let message = repeated.iter().find_map(|r| message.strip_prefix(r.as_str())).unwrap_or(message);
        // A value that is not in the file is a default.
        let default = message.strip_prefix("found ").and_then(|m| m.split_once("; ")).filter(|_| found.is_none());
        let Plain { message, wrong, is_key, names } = plain(default.map_or(message, |(_, rest)| rest));
        let error = SpecError::at(path.clone(), message);
        let error = match (found, default) {
            _ if is_key => error,
            (Some(found), _) => error.found(found),
            (None, Some((default, _))) => error.found(default),
            (None, None) => error,
        };
        match (wrong, found) {
            (Some(wrong), _) => error.nearest(&wrong, names.iter().map(String::as_str)),
            // A number where a text with a unit was expected: the unit may be that of the example.
            (None, Some(Value::Number(n))) => match error.message.split_once("with its unit, as text, such as \"") {
                Some((_, example)) => {
                    let unit = example.trim_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '"');
                    let meant = format!("{n}{unit}");
                    let a_packet = error.message.contains("a packet size with its unit");
                    // What would be refused is no hint.
                    let good = meant.parse::<Quantity>().is_ok_and(|quantity| quantity.amount > 0)
                        && (!a_packet || meant.parse::<PacketSize>().is_ok());
                    SpecError { nearest: good.then_some(meant), ..error }
                }
                None => error,
            },
            _ => error,
        }
    }
}

impl fmt::Display for SpecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        if let Some(found) = &self.found {
            write!(f, "found {found}; ")?;
        }
        let Some(name) = &self.nearest else { return f.write_str(&self.message) };
        // Before a list of names, which may be long, and after anything else.
        match self.message.split_once("expected ").filter(|_| self.message.contains("one of ")) {
            Some((before, rest)) => write!(f, "{before}did you mean `{name}`? Expected {rest}"),
            None => write!(f, "{} (did you mean `{name}`?)", self.message),
        }
    }
}

impl std::error::Error for SpecError {}
