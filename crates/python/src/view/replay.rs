//! Replays on the page.

use super::pictures::{View, text};
use crate::column::Column;
use crate::replay::Replay;
use crate::scenario_error;
use headgate_replay::{Kind, Tracks};
use headgate_sim::spec::document::{Table, Value};
use headgate_view::Fault;
use headgate_view::replay::{self, CONVENTIONS, FEW, FIRST, FIRST_S, Limits};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use std::sync::Arc;

fn read<T: DeserializeOwned>(json: &str) -> PyResult<T> {
    serde_json::from_str(json)
        .map_err(|e| PyValueError::new_err(format!("expected finite numbers in few levels of tables; {e}")))
}

fn written<T: Serialize>(found: &T) -> PyResult<String> {
    serde_json::to_string(found).map_err(|e| PyValueError::new_err(e.to_string()))
}

fn told(e: Fault) -> PyErr {
    PyValueError::new_err(e.message)
}

/// What was counted in a trace.
#[pyclass(frozen, module = "headgate._core")]
pub struct Found(Arc<replay::Found>);

impl Found {
    /// What a replay that counts its packets has read.
    pub fn of(replay: &headgate_replay::Replay) -> Option<Found> {
        replay::Found::of(replay).map(|found| Found(Arc::new(found)))
    }
}

#[pymethods]
impl Found {
    #[getter]
    fn packets(&self) -> u64 {
        self.0.packets
    }

    /// From the first packet to the last, in s.
    #[getter]
    fn span(&self) -> f64 {
        self.0.span
    }

    #[getter]
    fn names(&self) -> Vec<String> {
        self.0.names.clone()
    }

    /// The settings that a page begins with, as JSON text: of these queues, and of this rate if it was given.
    #[pyo3(signature = (queues_json, rate=None))]
    fn chosen(&self, queues_json: &str, rate: Option<&str>) -> PyResult<String> {
        let queues: Vec<Value> = read(queues_json)?;
        let tables = queues.into_iter().map(|mut queue| std::mem::take(queue.table())).collect::<Vec<Table>>();
        let found = replay::chosen(&self.0, tables, rate);
        let queues: Vec<Value> = found.queues.into_iter().map(Value::Table).collect();
        written(&json!({ "rate": found.rate, "queues": queues, "sentences": found.sentences }))
    }
}

/// Settings that were checked.
#[pyclass(frozen, module = "headgate._core")]
pub struct ReplaySettings(Arc<replay::Settings>);

#[pymethods]
impl ReplaySettings {
    /// Those of JSON text, for a trace of this name and kind.
    #[new]
    fn new(py: Python<'_>, data_json: &str, name: &str, kind: &str) -> PyResult<ReplaySettings> {
        let kind = [Kind::Csv, Kind::Capture, Kind::Parquet].into_iter().find(|known| known.name() == kind);
        let kind = kind.ok_or_else(|| PyValueError::new_err("expected the kind of a trace"))?;
        let found = replay::Settings::of(&read(data_json)?, name, kind).map_err(|e| scenario_error(py, &e))?;
        Ok(ReplaySettings(Arc::new(found)))
    }

    /// As requests have them, as JSON text.
    #[getter]
    fn data(&self) -> PyResult<String> {
        written(&self.0.data)
    }

    /// As the engine takes them, with every default, as JSON text.
    #[getter]
    fn options(&self) -> String {
        self.0.options.to_json()
    }

    /// How the trace is read: by what flows are told apart, what packets without an ECN field are, and whether faults are skipped.
    #[getter]
    fn reading(&self) -> (&'static str, String, bool) {
        let reading = &self.0.reading;
        (reading.classify, json!(reading.ecn).as_str().unwrap_or_default().to_owned(), reading.lenient)
    }

    /// The rate of the line in bit/s.
    #[getter]
    fn bps(&self) -> f64 {
        self.0.bps
    }

    /// The controls as JSON text.
    fn controls(&self, found: &Found) -> PyResult<String> {
        written(&replay::controls(&self.0, &found.0))
    }

    /// The same with one value changed.
    fn with_value(&self, py: Python<'_>, found: &Found, path: &str, value_json: &str) -> PyResult<ReplaySettings> {
        let changed = replay::with_value(&self.0, &found.0, path, &read(value_json)?);
        changed.map(|changed| ReplaySettings(Arc::new(changed))).map_err(|e| scenario_error(py, &e))
    }
}

/// A picture of a replay over time.
#[pyclass(frozen, module = "headgate._core")]
pub struct Picture(replay::Picture);

#[pymethods]
impl Picture {
    #[getter]
    fn name(&self) -> &str {
        &self.0.head().name
    }

    #[getter]
    fn title(&self) -> &str {
        &self.0.head().title
    }

    #[getter]
    fn unit(&self) -> &str {
        &self.0.head().unit
    }

    #[getter]
    fn steps(&self) -> bool {
        self.0.head().steps
    }

    /// Bytes that it takes.
    #[getter]
    fn size(&self) -> usize {
        self.0.size()
    }

    /// Its description as JSON text.
    fn head(&self) -> String {
        json!(self.0.head()).to_string()
    }

    /// Its lines from `start` to `end` in s, as a picture of `width` pixels shows them, as JSON text.
    fn points(&self, py: Python<'_>, start: f64, end: f64, width: usize) -> Vec<u8> {
        py.detach(|| text(&self.0.points(start, end, width)))
    }

    /// The view with all points, of a replay that ends at `until` in s.
    fn whole(&self, py: Python<'_>, until: f64) -> View {
        View(py.detach(|| self.0.whole(until)))
    }
}

/// What the page is told of a replay as JSON text, its pictures, and where it ends in s.
type Shown = (String, Vec<Picture>, f64);

/// A replay for the page while it runs.
#[pyclass(module = "headgate._core")]
pub struct Replayed(Option<replay::Running>);

#[pymethods]
impl Replayed {
    /// Of an engine that has not begun; it may take so many bytes, and keeps the rows of so many packets.
    #[new]
    fn new(
        settings: &ReplaySettings,
        found: &Found,
        core: &mut Replay,
        bytes: u64,
        rows: Option<u64>,
    ) -> PyResult<Replayed> {
        let limits = Limits { more: ", and --max-memory allows more", ..Limits::of_bytes(bytes) };
        let limits = Limits { rows: rows.unwrap_or(limits.rows), ..limits };
        let (settings, found) = (Arc::clone(&settings.0), Arc::clone(&found.0));
        let begun = replay::Running::begin(settings, found, core.get_mut()?, limits);
        begun.map(|running| Replayed(Some(running))).map_err(told)
    }

    /// Takes what the engine has done since the last time.
    fn collect(&mut self, core: &mut Replay) -> PyResult<()> {
        let running = self.0.as_mut().ok_or_else(over)?;
        running.collect(core.get_mut()?).map_err(told)
    }

    /// The arrival time of the last packet of which the outcome is known, as it is of all packets before it.
    #[getter]
    fn reached(&self) -> f64 {
        self.0.as_ref().map_or(0.0, replay::Running::reached)
    }

    /// The whole replay, or its first part up to a time in s.
    #[pyo3(signature = (core, until=None))]
    fn shown(&self, py: Python<'_>, core: &mut Replay, until: Option<f64>) -> PyResult<Shown> {
        let (running, core) = (self.0.as_ref().ok_or_else(over)?, core.get_mut()?);
        let found = py.detach(|| running.shown(core, until));
        Ok((found.done.to_string(), found.pictures.into_iter().map(Picture).collect(), found.until))
    }

    /// The rows of all packets so far as columns, if they are kept; they are given away with the last ones.
    fn rows<'py>(&mut self, py: Python<'py>, last: bool) -> PyResult<Option<Bound<'py, PyDict>>> {
        let rows = if last {
            self.0.take().and_then(replay::Running::into_rows)
        } else {
            self.0.as_ref().and_then(replay::Running::rows).cloned()
        };
        rows.map(|rows| columns(py, rows)).transpose()
    }
}

fn columns(py: Python<'_>, rows: Tracks) -> PyResult<Bound<'_, PyDict>> {
    let columns = PyDict::new(py);
    let set = |name: &str, column: Column| columns.set_item(name, Bound::new(py, column)?);
    set("packet", Column::ints(rows.packet))?;
    set("flow", Column::shorts(rows.flow))?;
    set("bytes", Column::shorts(rows.bytes))?;
    set("arrived", Column::floats(rows.arrived))?;
    set("start", Column::floats(rows.start))?;
    set("left", Column::floats(rows.left))?;
    set("reason", Column::bytes(rows.reason))?;
    set("marked", Column::bytes(rows.marked))?;
    Ok(columns)
}

fn over() -> PyErr {
    PyRuntimeError::new_err("the replay is over")
}

/// A sentence where a file could not be read to its end.
#[pyfunction]
fn replay_ended(place: &str, found: &str) -> String {
    replay::ended(place, found)
}

/// A sentence where so many packets were skipped that the rest is another trace.
#[pyfunction]
#[allow(clippy::needless_pass_by_value, reason = "Python gives a list")]
fn replay_left_out(packets: u64, skipped: Vec<(String, u64)>) -> Option<String> {
    replay::left_out(packets, &skipped)
}

/// Adds the classes and the functions.
pub fn add(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<Found>()?;
    m.add_class::<ReplaySettings>()?;
    m.add_class::<Picture>()?;
    m.add_class::<Replayed>()?;
    m.add("REPLAY_CONVENTIONS", CONVENTIONS.map(|(key, values, help)| (key, values.to_vec(), help)).to_vec())?;
    m.add("REPLAY_FIRST", (FIRST_S, FIRST, FEW))?;
    m.add_function(wrap_pyfunction!(replay_ended, m)?)?;
    m.add_function(wrap_pyfunction!(replay_left_out, m)?)
}
