//! The controls of a scenario, and paths into one.

use crate::document::value;
use crate::scenario_error;
use headgate_sim::spec::document::Value;
use headgate_sim::spec::paths::{self, Place, Shape};
use headgate_sim::spec::{Scenario, SpecError};
use headgate_view::controls::{self, Title};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};
use serde::Serialize;
use serde::de::DeserializeOwned;

pub fn add(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(controls_of, m)?)?;
    m.add_function(wrap_pyfunction!(control, m)?)?;
    m.add_function(wrap_pyfunction!(choice_controls, m)?)?;
    m.add_function(wrap_pyfunction!(kinds, m)?)?;
    m.add_function(wrap_pyfunction!(value_at, m)?)?;
    m.add_function(wrap_pyfunction!(with_value, m)?)?;
    m.add_function(wrap_pyfunction!(written, m)?)?;
    m.add_function(wrap_pyfunction!(check_at, m)?)?;
    m.add_function(wrap_pyfunction!(places, m)?)
}

fn read<T: DeserializeOwned>(json: &str) -> PyResult<T> {
    serde_json::from_str(json).map_err(|e| PyValueError::new_err(e.to_string()))
}

fn text<T: Serialize>(found: &T) -> PyResult<String> {
    serde_json::to_string(found).map_err(|e| PyValueError::new_err(e.to_string()))
}

/// What is made of a scenario, without the GIL.
fn of_scenario<T: Send>(
    py: Python<'_>,
    scenario_json: &str,
    work: impl Fn(&Value) -> Result<T, SpecError> + Sync,
) -> PyResult<T> {
    let scenario = read(scenario_json)?;
    py.detach(|| work(&scenario)).map_err(|e| scenario_error(py, &e))
}

/// All controls of a scenario.
#[pyfunction]
#[pyo3(name = "controls")]
fn controls_of(py: Python<'_>, scenario_json: &str) -> PyResult<String> {
    text(&of_scenario(py, scenario_json, headgate_view::controls)?)
}

/// One value as a control; `place` is that of its schema.
#[pyfunction]
#[pyo3(signature = (path, label, group, place, value_json, main=false))]
fn control(
    path: String,
    label: String,
    group: String,
    place: Vec<String>,
    value_json: &str,
    main: bool,
) -> PyResult<Option<String>> {
    let place: Vec<&str> = place.iter().map(String::as_str).collect();
    let found = controls::control(Title { path, label, group, main }, &place, &read(value_json)?);
    found.as_ref().map(text).transpose()
}

/// The controls of a table with a kind, such as `queue`.
#[pyfunction]
fn choice_controls(key: &str, group: &str, given_json: &str) -> PyResult<String> {
    text(&controls::choice_of(key, group, Some(&read(given_json)?)))
}

/// The choices of what has a kind, such as `queue`.
#[pyfunction]
fn kinds(key: &str) -> PyResult<String> {
    text(&controls::kinds(key))
}

/// The value at a path of a scenario; `null` if there is none.
#[pyfunction]
fn value_at(py: Python<'_>, scenario_json: &str, path: &str) -> PyResult<String> {
    text(&of_scenario(py, scenario_json, |scenario| headgate_view::value_at(scenario, path))?)
}

/// The scenario with one value changed.
#[pyfunction]
fn with_value(py: Python<'_>, scenario_json: &str, path: &str, value_json: &str) -> PyResult<String> {
    let value = read(value_json)?;
    text(&of_scenario(py, scenario_json, |scenario| headgate_view::with_value(scenario, path, &value))?)
}

/// A number in a unit as a scenario writes it.
#[pyfunction]
fn written(number: f64, unit: &str) -> PyResult<String> {
    headgate_view::written(number, unit).map_err(PyValueError::new_err)
}

/// What is wrong with a scenario at these places or within them.
#[pyfunction]
#[allow(clippy::needless_pass_by_value, reason = "Python gives a list")]
fn check_at(py: Python<'_>, scenario_json: &str, places: Vec<String>) -> PyResult<()> {
    let checked = py.detach(|| Scenario::from_json(scenario_json));
    match checked.err().and_then(|fault| fault.within(&places)) {
        Some(fault) => Err(scenario_error(py, &fault)),
        None => Ok(()),
    }
}

/// The tables of Python whose last key a path names, each with its place, and that key.
type Settable<'py> = (Vec<(String, Bound<'py, PyAny>)>, String);

/// The tables in the contents of a scenario file in which a path sets a value, each with its place, and the key there. Missing tables are made.
#[pyfunction]
fn places<'py>(data: Bound<'py, PyAny>, path: &str, what: &str) -> PyResult<Settable<'py>> {
    let (found, key) = paths::settable(Object(data), path, what).map_err(PyValueError::new_err)?;
    Ok((found.into_iter().map(|(name, place)| (name, place.0)).collect(), key.to_owned()))
}

/// A value of Python on the way of a path.
struct Object<'py>(Bound<'py, PyAny>);

impl Place for Object<'_> {
    fn shape(&self) -> Shape {
        if self.0.is_instance_of::<PyDict>() {
            Shape::Table
        } else if self.0.is_instance_of::<PyList>() {
            Shape::List
        } else {
            Shape::Other
        }
    }

    fn inner(self, key: &str) -> Result<Self, String> {
        let new = PyDict::new(self.0.py());
        self.0.call_method1("setdefault", (key, new)).map(Object).map_err(|e| e.to_string())
    }

    fn has(&self, key: &str) -> bool {
        self.0.contains(key).unwrap_or(false)
    }

    fn entries(self) -> Vec<Self> {
        self.0.cast::<PyList>().map(|list| list.iter().map(Object).collect()).unwrap_or_default()
    }

    fn name(&self) -> Option<String> {
        let name = self.0.cast::<PyDict>().ok()?.get_item("name").ok()??;
        name.cast::<PyString>().ok()?.to_str().ok().map(str::to_owned)
    }

    fn value(&self) -> Option<Value> {
        value(&self.0)
    }
}
