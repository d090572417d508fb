//! Why a request has no answer.

use headgate_sim::spec::SpecError;
use serde::Serialize;
use std::fmt;

/// Why a request has no answer, in the form of the page's `ErrorBody`.
///
/// ```
/// use headgate_sim::spec::SpecError;
/// use headgate_view::Fault;
/// let fault = Fault::from(SpecError::at("links[0].rate", "expected a rate").found(7));
/// let text = serde_json::to_string(&fault).unwrap();
/// assert_eq!(text, r#"{"message":"links[0].rate: found 7; expected a rate","path":"links[0].rate","line":null}"#);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fault {
    /// What was found and what was expected.
    pub message: String,
    /// The place in the scenario that is wrong.
    pub path: Option<String>,
    /// The line of a file.
    pub line: Option<usize>,
}

impl Fault {
    /// One without a place.
    pub fn new(message: impl Into<String>) -> Fault {
        Fault { message: message.into(), path: None, line: None }
    }

    /// One at a place in the scenario.
    pub fn at(path: impl Into<String>, message: impl Into<String>) -> Fault {
        Fault { path: Some(path.into()), ..Fault::new(message) }
    }
}

impl From<SpecError> for Fault {
    fn from(e: SpecError) -> Fault {
        let message = e.to_string();
        Fault::at(e.path, message)
    }
}

#[cfg(feature = "replay")]
impl From<headgate_replay::TraceError> for Fault {
    fn from(e: headgate_replay::TraceError) -> Fault {
        Fault::new(e.to_string())
    }
}

#[cfg(feature = "replay")]
impl From<headgate_replay::ReplayError> for Fault {
    fn from(e: headgate_replay::ReplayError) -> Fault {
        match e {
            headgate_replay::ReplayError::Trace(e) => e.into(),
            headgate_replay::ReplayError::Output(e) => Fault::new(e.to_string()),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Fault {}
