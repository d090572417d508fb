//! Files in TOML for Python: read once, for their values and for the lines of their places; and the meaning of short names.

use headgate_sim::spec::document::{Document, Placed, Value};
use headgate_sim::spec::short_names;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString};

/// A text in TOML that was read.
#[pyclass(frozen, module = "headgate._core")]
pub struct Toml {
    document: Document,
    /// For copies in other processes.
    text: String,
}

#[pymethods]
impl Toml {
    /// ValueError says what is wrong with the text, and where.
    #[new]
    fn new(text: String) -> PyResult<Toml> {
        let document = Document::read(&text).map_err(|fault| PyValueError::new_err(fault.to_string()))?;
        Ok(Toml { document, text })
    }

    /// The values, made anew.
    fn values<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        object(py, self.document.root())
    }

    /// The line of a place such as `links[0].queue.buffer`, or of the nearest one around it that is in the text.
    fn line_of(&self, path: &str) -> Option<u32> {
        self.document.line_of(path)
    }

    fn __getnewargs__(&self) -> (&str,) {
        (&self.text,)
    }
}

/// A value as an object of Python.
fn object<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::Text(text) => PyString::new(py, text).into_any(),
        Value::Integer(digits, base) => match i64::from_str_radix(digits, *base) {
            Ok(number) => PyInt::new(py, number).into_any(),
            Err(_) => py.get_type::<PyInt>().call1((digits, base))?,
        },
        Value::Float(number) => PyFloat::new(py, *number).into_any(),
        Value::Boolean(truth) => PyBool::new(py, *truth).to_owned().into_any(),
        Value::Null => py.None().into_bound(py),
        Value::Date(text) => date(py, text)?,
        Value::List(entries) => {
            let list = PyList::empty(py);
            for Placed { value, .. } in entries {
                list.append(object(py, value)?)?;
            }
            list.into_any()
        }
        Value::Table(entries) => {
            let table = PyDict::new(py);
            for (key, Placed { value, .. }) in entries {
                table.set_item(key, object(py, value)?)?;
            }
            table.into_any()
        }
    })
}

/// A date, a time, or both.
fn date<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    let class = match (text.contains('-'), text.contains(':')) {
        (true, true) => "datetime",
        (true, false) => "date",
        (false, _) => "time",
    };
    py.import("datetime")?.getattr(class)?.call_method1("fromisoformat", (text,))
}

/// A value of a file as Python has it; none if a file cannot have it.
pub(crate) fn value(object: &Bound<'_, PyAny>) -> Option<Value> {
    let placed = |object: &Bound<'_, PyAny>| Some(Placed { line: 0, value: value(object)? });
    Some(if object.is_none() {
        Value::Null
    } else if let Ok(text) = object.cast::<PyString>() {
        Value::Text(text.to_str().ok()?.to_owned())
    } else if let Ok(truth) = object.cast::<PyBool>() {
        Value::Boolean(truth.is_true())
    } else if object.is_instance_of::<PyInt>() {
        Value::Integer(object.str().ok()?.to_str().ok()?.to_owned(), 10)
    } else if let Ok(number) = object.cast::<PyFloat>() {
        Value::Float(number.value())
    } else if let Ok(list) = object.cast::<PyList>() {
        Value::List(list.iter().map(|entry| placed(&entry)).collect::<Option<_>>()?)
    } else {
        let entries = object.cast::<PyDict>().ok()?.iter();
        Value::Table(entries.map(|(key, entry)| Some((key.extract().ok()?, placed(&entry)?))).collect::<Option<_>>()?)
    })
}

/// Replaces short names in the entries of flows of a scenario file by their meaning, in place; an entry with values that no file has is kept.
#[pyfunction]
pub fn spell_out(flows: &Bound<'_, PyAny>) -> PyResult<()> {
    let Ok(flows) = flows.cast::<PyList>() else { return Ok(()) };
    for (i, flow) in flows.iter().enumerate() {
        if let Some(mut flow) = value(&flow)
            && short_names::spell_out(&mut flow)
        {
            flows.set_item(i, object(flows.py(), &flow)?)?;
        }
    }
    Ok(())
}
