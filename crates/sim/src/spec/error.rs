//! What is wrong with a scenario: the place, what was found, what was expected, and the nearest valid name.

use headgate_packet::{SHOWN, choice, cut, cut_within};
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
}

impl SpecError {
    /// An error at a path.
    pub fn at(path: impl Into<String>, message: impl Into<String>) -> SpecError {
        SpecError { path: cut(&path.into()), found: None, message: cut_within(&message.into()), nearest: None }
    }

    /// With what was found.
    pub fn found(mut self, found: impl fmt::Display) -> SpecError {
        self.found = Some(cut(&found.to_string()));
        self
    }

    /// With the nearest of the valid names to the one found.
    pub fn nearest<'a>(mut self, name: &str, valid: impl IntoIterator<Item = &'a str>) -> SpecError {
        if name.len() > SHOWN {
            return self;
        }
        let best = valid.into_iter().map(|v| (strsim::damerau_levenshtein(name, v), v)).min();
        self.nearest = best.filter(|(d, v)| *d <= v.len().max(name.len()) / 2).map(|(_, v)| v.to_owned());
        self
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
        let found = choice::lookup(file, &path);
        // What was found is said once.
        let repeated = found
            .map(|v| [format!("{v}: "), format!("found {v}; "), format!("found {}; ", cut(&v.to_string()))])
            .unwrap_or_default();
        let message = repeated.iter().find_map(|r| message.strip_prefix(r.as_str())).unwrap_or(message);
        // What does not stand in the file is a default.
        let default = message.strip_prefix("found ").and_then(|m| m.split_once("; ")).filter(|_| found.is_none());
        let message = default.map_or(message, |(_, rest)| rest);
        let error = SpecError::at(path.clone(), message);
        let error = match (found, default) {
            (Some(found), _) => error.found(found),
            (None, Some((default, _))) => error.found(default),
            (None, None) => error,
        };
        match message.split_once('`').filter(|_| message.starts_with("unknown")) {
            Some((_, rest)) => {
                let (wrong, rest) = rest.split_once('`').unwrap_or((rest, ""));
                let after = rest.split_once("one of ").map_or(rest, |(_, names)| names);
                let names = after.split([',', '`', ' ']).filter(|n| !n.is_empty());
                error.nearest(wrong, names)
            }
            None => error,
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
        write!(f, "{}", self.message)?;
        match &self.nearest {
            Some(name) => write!(f, " (did you mean `{name}`?)"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for SpecError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_at_most_half_another() {
        let nearest = |name: &str, valid: &[&str]| SpecError::at("", "").nearest(name, valid.iter().copied()).nearest;
        assert_eq!(nearest("drr", &["fcfs", "drr_plus", "wrr"]), Some("wrr".to_owned()));
        // Two of four letters are other ones, then three.
        assert_eq!(nearest("abcd", &["abxy"]), Some("abxy".to_owned()));
        assert_eq!(nearest("abcd", &["axyz"]), None);
        assert_eq!(nearest("abcd", &[]), None);
        // What is too long to be shown is not looked up.
        let name = "n".repeat(SHOWN);
        assert_eq!(nearest(&name, &[&name[1..]]), Some(name[1..].to_owned()));
        assert_eq!(nearest(&format!("{name}n"), &[&name]), None);
    }
}
