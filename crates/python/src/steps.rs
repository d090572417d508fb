//! A flow control without a network, driven event by event.

use headgate_control::Spec;
use headgate_control::transport::tcp::steps;
use headgate_packet::choice::located;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

fn wrong(e: &serde_json::Error) -> PyErr {
    let text = e.to_string();
    let (path, message) = located(&text);
    PyValueError::new_err(if path.is_empty() { message.to_owned() } else { format!("{path}: {message}") })
}

/// A flow control to which events are reported one by one. In a box: Python aligns its objects to 16 bytes, and rate samples need more.
#[pyclass(module = "headgate._core")]
pub struct Steps(Box<steps::Steps>);

#[pymethods]
impl Steps {
    /// The flow control of a JSON table, or by name in quotes, with this initial window in packets.
    #[new]
    #[pyo3(signature = (control_json, window=None, seed=1))]
    fn new(control_json: &str, window: Option<u64>, seed: u64) -> PyResult<Steps> {
        let spec: Spec = serde_json::from_str(control_json).map_err(|e| wrong(&e))?;
        steps::Steps::new(&spec, window, seed).map(|steps| Steps(Box::new(steps))).map_err(PyValueError::new_err)
    }

    /// One event as JSON; the state of the flow control afterwards, as JSON.
    fn step(&mut self, event_json: &str) -> PyResult<String> {
        let event = serde_json::from_str(event_json).map_err(|e| wrong(&e))?;
        let state = self.0.step(&event).map_err(PyValueError::new_err)?;
        Ok(serde_json::to_string(&state).expect("numbers and names"))
    }
}
