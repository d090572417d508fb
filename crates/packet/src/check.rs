//! Rules for parameters beyond the type and the range of each field: they stand beside the fields, and all code that reads parameters applies them.

use crate::{Bytes, Duration};
use serde::Serialize;
use std::fmt;

/// What is wrong with one parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// Path inside the parameters, such as `slots[1]`; empty for the parameters as a whole.
    pub path: String,
    /// What stands there, as JSON; `None` when something is missing.
    pub found: Option<String>,
    /// What was expected there: a sentence that begins with `expected`.
    pub expected: String,
}

impl Wrong {
    /// An error at a path.
    pub fn at(path: impl Into<String>, expected: impl Into<String>) -> Wrong {
        Wrong { path: path.into(), found: None, expected: expected.into() }
    }

    /// With what was found.
    pub fn found(mut self, found: &impl Serialize) -> Wrong {
        self.found = serde_json::to_string(found).ok();
        self
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found = self.found.as_ref().map_or(String::new(), |found| format!("found {found}; "));
        write!(f, "{}: {found}{}", self.path, self.expected)
    }
}

impl std::error::Error for Wrong {}

/// A parameter struct that checks itself.
pub trait Check {
    /// The first rule that is broken: those across several fields, and ranges that a schema cannot express. [`crate::choice::params`]
    /// calls it for all parameters that are read.
    ///
    /// # Errors
    /// What is wrong, with its place inside the parameters.
    fn check(&self) -> Result<(), Wrong> {
        Ok(())
    }
}

/// A time in which something happens, and so is above zero.
///
/// # Errors
/// It is zero.
pub fn above_zero(path: &str, time: Duration) -> Result<(), Wrong> {
    if time == Duration::ZERO {
        return Err(Wrong::at(path, "expected a time above zero").found(&time));
    }
    Ok(())
}

/// A time that is no shorter than makes sense.
///
/// # Errors
/// It is shorter.
pub fn at_least(path: &str, time: Duration, least: Duration) -> Result<(), Wrong> {
    if time < least {
        return Err(Wrong::at(path, format!("expected a time of at least {least}")).found(&time));
    }
    Ok(())
}

/// A number of bytes from 1 to `most`.
///
/// # Errors
/// It is zero or more.
pub fn up_to(path: &str, bytes: Bytes, most: Bytes) -> Result<(), Wrong> {
    if bytes.0 == 0 || bytes > most {
        return Err(Wrong::at(path, format!("expected 1B to {most}")).found(&bytes));
    }
    Ok(())
}

/// A number of bytes that is no more than `most`.
///
/// # Errors
/// It is more.
pub fn at_most(path: &str, bytes: Bytes, most: Bytes) -> Result<(), Wrong> {
    if bytes > most {
        return Err(Wrong::at(path, format!("expected at most {most}")).found(&bytes));
    }
    Ok(())
}

/// The length of a packet: 1 byte to 16 MiB.
///
/// # Errors
/// It is none.
pub fn packet_length(path: &str, bytes: Bytes) -> Result<(), Wrong> {
    if !(1..=16 << 20).contains(&bytes.0) {
        return Err(Wrong::at(path, "expected the length of a packet, 1B to 16MiB").found(&bytes));
    }
    Ok(())
}
