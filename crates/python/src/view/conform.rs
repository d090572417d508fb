//! Tests of flow controls.

use headgate_view::conform::{Outcome, Path, Tested, cases, scenario, verdict};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::{Map, Value};

fn read<T: serde::de::DeserializeOwned>(text: &str) -> PyResult<T> {
    serde_json::from_str(text).map_err(|e| PyValueError::new_err(e.to_string()))
}

fn written<T: serde::Serialize>(value: &T) -> String {
    serde_json::to_string(value).expect("it is plain data")
}

#[pyfunction]
fn conform_scenario(tested_json: &str, change_json: &str) -> PyResult<String> {
    let (tested, change): (Tested, Map<String, Value>) = (read(tested_json)?, read(change_json)?);
    Ok(written(&scenario(&tested, &change)))
}

#[pyfunction]
fn conform_cases(tested_json: &str, paths_json: &str) -> PyResult<String> {
    let (tested, paths): (Tested, Vec<Path>) = (read(tested_json)?, read(paths_json)?);
    Ok(written(&cases(&tested, &paths)))
}

#[pyfunction]
fn conform_verdict(title: &str, paths_json: &str, outcomes_json: &str) -> PyResult<Option<String>> {
    let (paths, outcomes): (Vec<Path>, Vec<Outcome>) = (read(paths_json)?, read(outcomes_json)?);
    Ok(verdict(title, &paths, &outcomes))
}

/// Adds the functions.
pub fn add(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(conform_scenario, m)?)?;
    m.add_function(wrap_pyfunction!(conform_cases, m)?)?;
    m.add_function(wrap_pyfunction!(conform_verdict, m)?)
}
