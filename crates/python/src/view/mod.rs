//! What `headgate-view` says, for Python.

mod words;

use pyo3::prelude::*;

/// Adds the functions.
pub fn add(m: &Bound<'_, PyModule>) -> PyResult<()> {
    words::add(m)
}
