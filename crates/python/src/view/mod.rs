//! What `headgate-view` says, for Python.

mod conform;
mod effects;
mod words;

pub use effects::Effects;
use pyo3::prelude::*;

/// Adds the functions.
pub fn add(m: &Bound<'_, PyModule>) -> PyResult<()> {
    words::add(m)?;
    conform::add(m)
}
