//! One run, from the text of its scenario to its tables.

use crate::column::Column;
use crate::scenario_error;
use headgate_sim::spec::Scenario;
use headgate_sim::{Cells, Delays, Table, World, delay_table};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Events between two looks at Python's signals: a few milliseconds.
const SLICE: u64 = 200_000;

pub(crate) fn to_json(scenario: &Scenario) -> String {
    headgate_sim::spec_json(scenario)
}

/// What one run left behind.
#[pyclass(frozen, module = "headgate._core")]
pub struct RunResult {
    /// Digest of all events, 16 hexadecimal digits.
    #[pyo3(get)]
    digest: String,
    /// Seed of the random streams.
    #[pyo3(get)]
    seed: u64,
    /// Number of the replication.
    #[pyo3(get)]
    run: u64,
    /// Events in the run.
    #[pyo3(get)]
    events: u64,
    /// The resolved scenario as JSON text.
    #[pyo3(get)]
    scenario: String,
    /// Pairs of (events so far, digest then).
    #[pyo3(get)]
    checkpoints: Vec<(u64, String)>,
    tables: Vec<(&'static str, Table)>,
    /// Few ask for the table of delays: it is made when asked for.
    delays: Vec<Delays>,
    flows: Vec<String>,
}

#[pymethods]
impl RunResult {
    /// The columns of a table: flows, intervals, links, traces, routes or delays. A column of names is a pair (codes, names).
    fn table<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyDict>> {
        if name == "delays" {
            return columns(py, delay_table(&self.delays, &self.flows));
        }
        let (_, table) = self.tables.iter().find(|(n, _)| *n == name).ok_or_else(|| {
            PyKeyError::new_err(format!("{name:?}; expected one of flows, intervals, links, traces, routes, delays"))
        })?;
        columns(py, table.clone())
    }
}

/// A table as a dictionary of columns.
pub(crate) fn columns(py: Python<'_>, table: Table) -> PyResult<Bound<'_, PyDict>> {
    let columns = PyDict::new(py);
    for (name, cells) in table {
        match cells {
            Cells::Float(x) => columns.set_item(name, Bound::new(py, Column::floats(x))?)?,
            Cells::Int(x) => columns.set_item(name, Bound::new(py, Column::ints(x))?)?,
            Cells::Name(codes, names) if is_identity(&codes, &names) => columns.set_item(name, names)?,
            Cells::Name(codes, names) => {
                columns.set_item(name, (Bound::new(py, Column::ints(codes))?, names))?;
            }
        }
    }
    Ok(columns)
}

/// Each row has its own name: the names themselves are the column.
fn is_identity(codes: &[i64], names: &[String]) -> bool {
    codes.len() == names.len() && codes.iter().enumerate().all(|(i, c)| *c == i as i64) && !codes.is_empty()
}

/// Runs a scenario. `progress` is called with the share of simulated time passed; Ctrl-C raises KeyboardInterrupt.
#[pyfunction]
#[pyo3(signature = (scenario_json, seed=None, run=0, progress=None))]
pub fn run(
    py: Python<'_>,
    scenario_json: &str,
    seed: Option<u64>,
    run: u64,
    progress: Option<Py<PyAny>>,
) -> PyResult<RunResult> {
    let scenario = py.detach(|| Scenario::from_json(scenario_json)).map_err(|e| scenario_error(py, &e))?;
    let seed = seed.unwrap_or(scenario.seed);
    let mut world = simulate(py, &scenario, Some(seed), run, progress)?;
    let digest = format!("{:016x}", world.digest().value());
    let checkpoints = world.digest().checkpoints().iter().map(|(n, d)| (*n, format!("{d:016x}"))).collect();
    let events = world.digest().events;
    let tables = py.detach(|| {
        vec![
            ("flows", world.flow_table(&scenario)),
            ("intervals", world.interval_table(&scenario)),
            ("links", world.link_table(&scenario)),
            ("traces", world.trace_table(&scenario)),
            ("routes", world.route_table(&scenario)),
        ]
    });
    let (delays, text) = (world.take_delays(), to_json(&scenario));
    let flows = scenario.flows.into_iter().map(|f| f.name).collect();
    Ok(RunResult { digest, seed, run, events, scenario: text, checkpoints, tables, delays, flows })
}

/// Runs a scenario to its end.
pub(crate) fn simulate(
    py: Python<'_>,
    scenario: &Scenario,
    seed: Option<u64>,
    run: u64,
    progress: Option<Py<PyAny>>,
) -> PyResult<World> {
    let seed = seed.unwrap_or(scenario.seed);
    let mut world = py.detach(|| World::new(scenario, seed, run));
    let mut reported = 0.0;
    while !py.detach(|| world.advance(SLICE)) {
        py.check_signals()?;
        if let Some(progress) = &progress
            && world.progress() - reported >= 0.01
        {
            reported = world.progress();
            progress.call1(py, (reported,))?;
        }
    }
    Ok(world)
}

/// The events number `first` to `first + count - 1` of a run, as text.
#[pyfunction]
pub fn events(
    py: Python<'_>,
    scenario_json: &str,
    seed: u64,
    run: u64,
    first: u64,
    count: u64,
) -> PyResult<Vec<String>> {
    let scenario = Scenario::from_json(scenario_json).map_err(|e| scenario_error(py, &e))?;
    let mut world = py.detach(|| World::new(&scenario, seed, run));
    world.log_events(first, count);
    let end = first.saturating_add(count);
    while world.digest().events < end && !py.detach(|| world.advance(SLICE.min(end - world.digest().events))) {
        py.check_signals()?;
    }
    Ok(world.logged().to_vec())
}

/// Runs a scenario for its cost alone: (events, data packets offered to the network, data packets delivered), no tables.
#[pyfunction]
pub fn measure(py: Python<'_>, scenario_json: &str) -> PyResult<(u64, u64, u64)> {
    let scenario = Scenario::from_json(scenario_json).map_err(|e| scenario_error(py, &e))?;
    let mut world = py.detach(|| World::new(&scenario, scenario.seed, 0));
    drop(scenario);
    while !py.detach(|| world.advance(SLICE)) {
        py.check_signals()?;
    }
    let (sent, received) = world.packets();
    Ok((world.digest().events, sent, received))
}

/// Runs `rounds` packets through a discipline that holds a backlog of `flows` flows; the caller takes the time.
#[pyfunction]
pub fn churn(py: Python<'_>, discipline: &str, flows: u32, rounds: u64) -> PyResult<u64> {
    py.detach(|| headgate_sim::churn(discipline, flows.max(1), rounds))
        .ok_or_else(|| PyKeyError::new_err(format!("{discipline:?} is no queueing discipline")))
}
