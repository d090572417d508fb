//! `headgate._core`: the engine for Python. It has no logic: texts in, columns out.

mod batch;
mod capture;
mod column;
mod cost;
mod document;
mod interrupt;
mod plugin;
mod replay;
mod run;
mod steps;
mod trace;
mod view;
mod watch;

use headgate_packet::Quantity;
use headgate_queue::Number;
use headgate_sim::catalogue;
use headgate_sim::spec::{Scenario, SpecError, Sweep};
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyKeyError, PyValueError};
use pyo3::prelude::*;
use serde_json::{Value, json};

create_exception!(
    headgate._core,
    ScenarioError,
    PyException,
    "A scenario that is wrong: path, found, expected, nearest; others has path and message of further faults."
);

/// The Python exception for a scenario error, with its parts as attributes.
pub(crate) fn scenario_error(py: Python<'_>, e: &SpecError) -> PyErr {
    let error = ScenarioError::new_err(e.to_string());
    let value = error.value(py);
    let others: Vec<(&str, String)> = e.others.iter().map(|o| (o.path.as_str(), o.to_string())).collect();
    let set = value
        .setattr("path", &e.path)
        .and_then(|()| value.setattr("found", e.found.clone()))
        .and_then(|()| value.setattr("expected", &e.message))
        .and_then(|()| value.setattr("nearest", e.nearest.clone()))
        .and_then(|()| value.setattr("message", e.to_string()))
        .and_then(|()| value.setattr("others", others));
    match set {
        Ok(()) => error,
        Err(failure) => failure,
    }
}

/// JSON Schema of a scenario file, as text.
#[pyfunction]
fn schema() -> String {
    format!("{:#}", Scenario::schema())
}

/// A list as JSON text: of algorithms (disciplines, flow-controls, workloads, packet-sizes, arrivals, distributions, topologies), `short-names`, or `columns`, those of all tables.
#[pyfunction]
#[pyo3(name = "catalogue")]
fn catalogue_of(kind: &str) -> PyResult<String> {
    if kind == "columns" {
        return Ok(Value::from(headgate_replay::columns()).to_string());
    }
    let list = catalogue::catalogue(kind).ok_or_else(|| {
        let names: Vec<&str> =
            catalogue::LISTS.iter().map(|l| l.0).chain([catalogue::SHORT_NAMES, "columns"]).collect();
        PyKeyError::new_err(format!("{kind:?}; expected one of {}", names.join(", ")))
    })?;
    Ok(list.to_string())
}

/// The resolved scenario as JSON text: counts expanded, every default filled in.
#[pyfunction]
#[pyo3(signature = (scenario_json, control=None))]
fn check(py: Python<'_>, scenario_json: &str, control: Option<Bound<'_, watch::Control>>) -> PyResult<String> {
    let mut watch = watch::Watch::new(control.as_ref().map(Bound::get));
    let scenario = watch.read(py, scenario_json)?;
    watch.text(py, &scenario)
}

/// A scenario that was read and checked.
#[pyclass(frozen, module = "headgate._core")]
struct Resolved(Scenario);

#[pymethods]
impl Resolved {
    #[new]
    fn new(py: Python<'_>, scenario_json: &str) -> PyResult<Resolved> {
        watch::Watch::new(None).read(py, scenario_json).map(Resolved)
    }

    /// As `check` gives it.
    fn text(&self, py: Python<'_>) -> PyResult<String> {
        watch::Watch::new(None).text(py, &self.0)
    }

    /// What follows from it, as JSON text: see `headgate_sim::Facts`.
    fn facts(&self, py: Python<'_>) -> PyResult<String> {
        watch::Watch::new(None).facts_text(py, &self.0)
    }

    /// What has no effect in it, or in one that lasts for so many picoseconds.
    #[pyo3(signature = (lasting=None))]
    fn effects(&self, py: Python<'_>, lasting: Option<u64>) -> PyResult<view::Effects> {
        view::Effects::of(py, &self.0, lasting)
    }

    /// A line about the noise of its hosts; empty without any.
    fn noise(&self) -> String {
        view::phase::noise_sentence(&self.0)
    }

    /// The picture of its network, as JSON text: see `headgate_view::network::picture`.
    fn picture(&self, py: Python<'_>) -> String {
        view::network::picture(py, &self.0)
    }

    /// Its network for who draws it, as JSON text: see `headgate_view::network::drawn`.
    fn network(&self, py: Python<'_>, row: usize, stations: usize, edges: usize) -> String {
        view::network::drawn(py, &self.0, row, stations, edges)
    }
}

/// What a queue does, of its table as JSON text: `marks`, `weights`, `priorities`, `labels`, `rounds by rate`.
#[pyfunction]
fn does(queue_json: &str) -> PyResult<Vec<&'static str>> {
    let queue: headgate_queue::Spec =
        serde_json::from_str(queue_json).map_err(|e| PyValueError::new_err(e.to_string()))?;
    Ok(queue.does().names().collect())
}

/// The numbers of the flows whose shares may depend on the phase of arrivals (`headgate_sim::in_step`), of a scenario as JSON text.
#[pyfunction]
#[pyo3(signature = (scenario_json, control=None))]
fn in_step(py: Python<'_>, scenario_json: &str, control: Option<Bound<'_, watch::Control>>) -> PyResult<Vec<usize>> {
    let mut watch = watch::Watch::new(control.as_ref().map(Bound::get));
    let scenario = watch.read(py, scenario_json)?;
    watch.in_step(py, &scenario)
}

/// The `sweep` table of a study file as JSON text, checked, with every default filled in.
#[pyfunction]
fn check_sweep(py: Python<'_>, sweep_json: &str) -> PyResult<String> {
    let sweep = Sweep::from_json(sweep_json).map_err(|e| scenario_error(py, &e))?;
    Ok(serde_json::to_string(&sweep).expect("a sweep is plain data"))
}

/// A quantity such as `10Mbit/s`: its kind (s, bps, bytes or pkt), its base units (picoseconds, bit/s, bytes or packets), and
/// its value in seconds, bit/s, bytes or packets. With a kind, texts of other kinds are errors, and hints are of this kind.
#[pyfunction]
#[pyo3(signature = (text, kind=None))]
fn quantity(text: &str, kind: Option<&str>) -> PyResult<(&'static str, u64, f64)> {
    let q = kind.map_or_else(|| text.parse(), |kind| Quantity::of_kind(kind, text)).map_err(PyValueError::new_err)?;
    Ok((q.kind, q.amount, q.value()))
}

/// The valid name that is most like one that was found, if one is like it, and what is said of a scheme that headgate does not have.
#[pyfunction]
fn likeness(name: &str, valid: Vec<String>) -> (Option<String>, Option<String>) {
    let valid: Vec<&str> = valid.iter().map(String::as_str).collect();
    let found = headgate_sim::spec::likeness(name, &valid);
    (found.nearest.map(str::to_owned), found.absent)
}

/// The valid name that certainly is meant: the same one in other letters, or the same thing under another name.
#[pyfunction]
fn same(name: &str, valid: Vec<String>) -> Option<String> {
    let valid: Vec<&str> = valid.iter().map(String::as_str).collect();
    headgate_sim::spec::same(name, &valid).map(str::to_owned)
}

/// The text of a number of base units of a kind.
#[pyfunction]
fn quantity_text(kind: &str, amount: u64) -> PyResult<String> {
    let q = Quantity::new(kind, amount).ok_or_else(|| PyValueError::new_err(format!("{kind:?} is no kind")))?;
    Ok(q.to_string())
}

#[pymodule]
fn _core(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add("__version__", env!("CARGO_PKG_VERSION"))?;
    m.add("ScenarioError", m.py().get_type::<ScenarioError>())?;
    m.add("PluginError", m.py().get_type::<plugin::PluginError>())?;
    // Python aligns its objects to 16 bytes. A class that needs more keeps its data in a box.
    macro_rules! classes {
        ($($class:ty),*) => {$(
            const { assert!(align_of::<$class>() <= 16) };
            m.add_class::<$class>()?;
        )*};
    }
    classes!(
        plugin::Ack,
        plugin::Packet,
        plugin::Cx,
        column::Column,
        steps::Steps,
        run::RunResult,
        Resolved,
        view::Effects,
        document::Toml,
        batch::Batch,
        watch::Control,
        capture::Capture,
        cost::Calls,
        replay::Replay,
        trace::TraceFile,
        trace::Trace
    );
    m.add("TraceFault", m.py().get_type::<trace::TraceFault>())?;
    m.add("MISSING", headgate_replay::table::MISSING)?;
    m.add("CAPTURE_FLOWS", capture::MOST_FLOWS)?;
    m.add("TABLES", headgate_sim::TableName::ALL.iter().map(|table| table.name()).collect::<Vec<_>>())?;
    let presets = headgate_control::transport::tcp::Preset::ALL.map(|preset| json!(preset));
    m.add("PRESETS", presets.iter().filter_map(Value::as_str).collect::<Vec<_>>())?;
    m.add("MODERN", headgate_sim::spec::short_names::MODERN)?;
    m.add("ECN", headgate_replay::csv::ECN.to_vec())?;
    m.add("SERIES_FLOWS", headgate_replay::FLOWS)?;
    let numbers = Number::all().map(|number| (number.name(), number.unit().name(), number.about()));
    m.add("NUMBERS", numbers.collect::<Vec<_>>())?;
    m.add("DROP_KINDS", headgate_queue::DropKind::ALL.map(headgate_queue::DropKind::name).to_vec())?;
    m.add("DROP_REASON_KINDS", headgate_queue::DropReason::ALL.map(|reason| reason.kind().name()).to_vec())?;
    m.add("DROP_REASONS", headgate_queue::DropReason::ALL.map(headgate_queue::DropReason::name).to_vec())?;
    #[cfg(unix)]
    for function in [wrap_pyfunction!(plugin::register_cells, m)?, wrap_pyfunction!(plugin::serve_cell, m)?] {
        m.add_function(function)?;
    }
    for function in [
        wrap_pyfunction!(schema, m)?,
        wrap_pyfunction!(catalogue_of, m)?,
        wrap_pyfunction!(check, m)?,
        wrap_pyfunction!(does, m)?,
        wrap_pyfunction!(in_step, m)?,
        wrap_pyfunction!(check_sweep, m)?,
        wrap_pyfunction!(document::spell_out, m)?,
        wrap_pyfunction!(quantity, m)?,
        wrap_pyfunction!(quantity_text, m)?,
        wrap_pyfunction!(likeness, m)?,
        wrap_pyfunction!(same, m)?,
        wrap_pyfunction!(plugin::register_control, m)?,
        wrap_pyfunction!(plugin::register_discipline, m)?,
        wrap_pyfunction!(plugin::register_native, m)?,
        wrap_pyfunction!(plugin::unregister, m)?,
        wrap_pyfunction!(plugin::inside, m)?,
        wrap_pyfunction!(plugin::plugin_calls, m)?,
        wrap_pyfunction!(run::run, m)?,
        wrap_pyfunction!(run::events, m)?,
        wrap_pyfunction!(run::tracks, m)?,
        wrap_pyfunction!(run::follow, m)?,
        wrap_pyfunction!(run::measure, m)?,
        wrap_pyfunction!(run::churn, m)?,
        wrap_pyfunction!(cost::work_at, m)?,
        wrap_pyfunction!(trace::trace_columns, m)?,
    ] {
        m.add_function(function)?;
    }
    view::add(m)
}
