//! A request and its parameters, checked.

use headgate_sim::spec::document::Value as Posted;
use headgate_view::Fault;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::HashMap;

/// A request as the worker of the page writes it.
#[derive(Debug, Deserialize)]
pub(crate) struct Request {
    /// Such as `/api/run`.
    pub path: String,
    /// What stands behind the question mark, as texts.
    #[serde(default)]
    pub query: HashMap<String, String>,
    /// What was posted, in its order.
    #[serde(default = "nothing")]
    pub body: Posted,
}

fn nothing() -> Posted {
    Posted::Null
}

/// Why there is no answer.
#[derive(Debug)]
pub(crate) struct Failure {
    /// As of HTTP.
    pub status: u32,
    pub fault: Fault,
}

impl Failure {
    pub fn new(status: u32, message: impl Into<String>) -> Failure {
        Failure { status, fault: Fault::new(message) }
    }

    /// With the name of the file that it is about.
    #[cfg(feature = "replay")]
    pub fn named(mut self, name: &str) -> Failure {
        self.fault.message = format!("{name}: {}", self.fault.message);
        self
    }

    /// As the page reads it.
    pub fn body(&self) -> Value {
        json!({ "error": self.fault })
    }
}

impl<E: Into<Fault>> From<E> for Failure {
    fn from(e: E) -> Failure {
        Failure { status: 422, fault: e.into() }
    }
}

impl Request {
    /// Reads one.
    ///
    /// # Errors
    /// It is no JSON of this form.
    pub fn read(bytes: &[u8]) -> Result<Request, Failure> {
        serde_json::from_slice(bytes).map_err(|e| Failure::new(400, format!("expected a request in JSON; {e}")))
    }

    /// The scenario that was posted.
    ///
    /// # Errors
    /// There is none.
    pub fn scenario(&self) -> Result<&Posted, Failure> {
        match self.body.get("scenario") {
            Some(found @ Posted::Table(_)) => Ok(found),
            _ => Err(Failure::new(400, "scenario: expected a scenario")),
        }
    }

    /// A text that was posted.
    ///
    /// # Errors
    /// There is none.
    pub fn text(&self, key: &str) -> Result<&str, Failure> {
        match self.body.get(key) {
            Some(Posted::Text(found)) => Ok(found),
            _ => Err(Failure::new(400, format!("{key}: expected a text"))),
        }
    }

    /// A whole number that was posted; `None` if it was left out.
    ///
    /// # Errors
    /// It is no whole number.
    pub fn whole(&self, key: &str) -> Result<Option<u64>, Failure> {
        let wrong = |_| Failure::new(400, format!("{key}: expected a whole number from 0 to {}", u64::MAX));
        match self.body.get(key) {
            None | Some(Posted::Null) => Ok(None),
            Some(Posted::Integer(digits, 10)) => digits.parse().map(Some).map_err(wrong),
            Some(_) => "".parse().map(Some).map_err(wrong),
        }
    }

    /// A number of the query; `default` if it was left out.
    ///
    /// # Errors
    /// It is no number.
    pub fn number(&self, key: &str, default: f64) -> Result<f64, Failure> {
        match self.query.get(key).map_or("", String::as_str) {
            "" => Ok(default),
            text => match text.parse::<f64>() {
                Ok(found) if found.abs() < 1e15 => Ok(found),
                _ => Err(Failure::new(400, format!("{key}: expected a number"))),
            },
        }
    }
}
