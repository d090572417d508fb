//! What runs gave, in sentences and as the page shows it.

use crate::column::Column;
use crate::run::RunResult;
use headgate_sim::{Cells, Table};
use headgate_view::{Ran, numbers};
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Of the intervals of a run whose rows were passed on while it ran the columns `start_s`, `end_s`, `warm_up` and `unique_bytes`.
type Intervals = (PyBuffer<f64>, PyBuffer<f64>, PyBuffer<i64>, PyBuffer<i64>);

/// Some runs of one scenario as the sentences need them, with the intervals of those that did not keep theirs.
fn told<T: Send>(
    py: Python<'_>,
    runs: &[Bound<'_, RunResult>],
    intervals: Option<Vec<Intervals>>,
    tell: impl FnOnce(&[Ran<'_>]) -> T + Send,
) -> PyResult<T> {
    if runs.is_empty() {
        return Err(PyValueError::new_err("no run; expected at least one"));
    }
    let table = |(start, end, warm_up, bytes): Intervals| -> PyResult<Table> {
        Ok(vec![
            ("start_s", Cells::Float(start.to_vec(py)?)),
            ("end_s", Cells::Float(end.to_vec(py)?)),
            ("warm_up", Cells::Int(warm_up.to_vec(py)?)),
            ("unique_bytes", Cells::Int(bytes.to_vec(py)?)),
        ])
    };
    let tables: Vec<Table> = intervals.into_iter().flatten().map(table).collect::<PyResult<_>>()?;
    let runs: Vec<&RunResult> = runs.iter().map(Bound::get).collect();
    Ok(py.detach(|| {
        let mut ran: Vec<Ran<'_>> = runs.iter().map(|run| run.told()).collect();
        ran.iter_mut().zip(&tables).for_each(|(ran, table)| ran.intervals = table);
        tell(&ran)
    }))
}

/// The results of runs in sentences: see `headgate_view::sentences`.
#[pyfunction]
#[pyo3(signature = (runs, whole_s=None, intervals=None))]
fn sentences(
    py: Python<'_>,
    runs: Vec<Bound<'_, RunResult>>,
    whole_s: Option<f64>,
    intervals: Option<Vec<Intervals>>,
) -> PyResult<Vec<String>> {
    told(py, &runs, intervals, |runs| headgate_view::sentences(&numbers::Numbers::of(runs), whole_s))
}

/// Sentences about flows whose shares may be others in a longer run: see `headgate_view::unsettled`.
#[pyfunction]
#[pyo3(signature = (runs, intervals=None))]
fn unsettled(
    py: Python<'_>,
    runs: Vec<Bound<'_, RunResult>>,
    intervals: Option<Vec<Intervals>>,
) -> PyResult<Vec<String>> {
    told(py, &runs, intervals, |runs| headgate_view::unsettled(&numbers::Numbers::of(runs)))
}

/// What the page shows of a run beside the charts, as JSON text: see `headgate_view::summary`.
#[pyfunction]
#[pyo3(signature = (run, warnings, whole_s=None))]
fn summary(py: Python<'_>, run: &RunResult, warnings: Vec<String>, whole_s: Option<f64>) -> String {
    py.detach(|| headgate_view::summary(&run.told(), &warnings, whole_s).to_string())
}

/// The number of the gateway's port that was used most, if packets came to any.
#[pyfunction]
fn busiest(run: &RunResult) -> Option<usize> {
    headgate_view::busiest(&run.told())
}

/// The groups of similar flows, with the positions of their members.
#[pyfunction]
fn members(names: Vec<String>, controls: Vec<String>, workloads: Vec<String>) -> PyResult<Vec<(String, Vec<usize>)>> {
    super::fairness::each("flow controls", controls.len(), names.len())?;
    super::fairness::each("workloads", workloads.len(), names.len())?;
    Ok(headgate_view::groups::members(&names, &controls, &workloads))
}

/// Of each row of a table of intervals 1 if the interval was measured and is whole, and 0 otherwise.
#[pyfunction]
fn whole_intervals(
    py: Python<'_>,
    start_s: PyBuffer<f64>,
    end_s: PyBuffer<f64>,
    warm_up: PyBuffer<i64>,
) -> PyResult<Column> {
    let whole = numbers::whole_intervals(&start_s.to_vec(py)?, &end_s.to_vec(py)?, &warm_up.to_vec(py)?);
    Ok(Column::bytes(whole.into_iter().map(u8::from).collect()))
}

/// Adds the functions.
pub fn add(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add("GOODPUT", (numbers::GOODPUT.column, numbers::GOODPUT.factor))?;
    m.add("MOST_LISTED", headgate_view::MOST_LISTED)?;
    for function in [
        wrap_pyfunction!(sentences, m)?,
        wrap_pyfunction!(unsettled, m)?,
        wrap_pyfunction!(summary, m)?,
        wrap_pyfunction!(busiest, m)?,
        wrap_pyfunction!(members, m)?,
        wrap_pyfunction!(whole_intervals, m)?,
    ] {
        m.add_function(function)?;
    }
    Ok(())
}
