//! Numbers and names in sentences.

use headgate_view::words;
use pyo3::prelude::*;

/// A number with what is counted, in its form; `several` is the plural where that is not the word with an s, and `commas` stand in the number.
#[pyfunction]
#[pyo3(signature = (number, what, several="", commas=false))]
fn counted(number: u64, what: &str, several: &str, commas: bool) -> String {
    let text = if several.is_empty() { words::counted(number, what) } else { words::counted_as(number, what, several) };
    if commas { text.replacen(&number.to_string(), &words::with_commas(number), 1) } else { text }
}

#[pyfunction]
fn verb<'w>(number: u64, one: &'w str, several: &'w str) -> &'w str {
    words::verb(number, one, several)
}

#[pyfunction]
#[pyo3(signature = (names, most=words::NAMED, what="other"))]
fn listed(names: Vec<String>, most: usize, what: &str) -> String {
    words::listed_of(&names, most, what)
}

#[pyfunction]
fn scale_of<'u>(unit: &'u str, values: &Bound<'_, PyAny>) -> PyResult<(f64, &'u str)> {
    let values: Vec<f64> = values.try_iter()?.map(|value| value?.extract()).collect::<PyResult<_>>()?;
    Ok(words::scale_of(unit, &values))
}

#[pyfunction]
fn percent(share: f64) -> String {
    words::percent(share)
}

#[pyfunction]
fn rate_text(bps: f64) -> String {
    words::rate_text(bps)
}

#[pyfunction]
fn time_text(s: f64) -> String {
    words::time_text(s)
}

#[pyfunction]
fn ps_text(ps: u64) -> String {
    words::ps_text(ps)
}

/// Adds the functions.
pub fn add(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add("LEAST_TIME", words::LEAST_TIME)?;
    for function in [
        wrap_pyfunction!(counted, m)?,
        wrap_pyfunction!(verb, m)?,
        wrap_pyfunction!(listed, m)?,
        wrap_pyfunction!(scale_of, m)?,
        wrap_pyfunction!(percent, m)?,
        wrap_pyfunction!(rate_text, m)?,
        wrap_pyfunction!(time_text, m)?,
        wrap_pyfunction!(ps_text, m)?,
    ] {
        m.add_function(function)?;
    }
    Ok(())
}
