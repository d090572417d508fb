//! What is due to flows, and how fairly they shared.

use crate::column::Column;
use crate::run::{Piece, RunResult};
use headgate_view::fairness::{self, Fairness};
use headgate_view::max_min::{self, Asked, Part};
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// As many values as there are flows.
pub(super) fn each(what: &str, values: usize, flows: usize) -> PyResult<()> {
    if values == flows {
        return Ok(());
    }
    Err(PyValueError::new_err(format!("{values} {what}; expected one for each of {flows} flows")))
}

/// Numbers of rows that are there.
fn rows<'r>(what: &str, numbers: impl IntoIterator<Item = &'r usize>, count: usize) -> PyResult<()> {
    match numbers.into_iter().find(|number| **number >= count) {
        Some(number) => Err(PyValueError::new_err(format!("{what} {number}; expected a number below {count}"))),
        None => Ok(()),
    }
}

/// The max-min fair allocation of a network: see `headgate_view::max_min::filled`. No flow has a line twice.
#[pyfunction]
fn network_max_min(
    capacities: Vec<f64>,
    lines: Vec<Vec<usize>>,
    demands: Vec<f64>,
    weights: Vec<f64>,
) -> PyResult<Vec<f64>> {
    each("demands", demands.len(), lines.len())?;
    each("weights", weights.len(), lines.len())?;
    rows("line", lines.iter().flatten(), capacities.len())?;
    let lines: Vec<&[usize]> = lines.iter().map(Vec::as_slice).collect();
    Ok(max_min::filled(&capacities, &lines, &demands, &weights))
}

/// The max-min fair allocation of one line: see `headgate_view::max_min::of_line`.
#[pyfunction]
fn line_max_min(py: Python<'_>, capacity: f64, demands: Floats, weights: Floats) -> PyResult<Column> {
    each("weights", weights.item_count(), demands.item_count())?;
    Ok(Column::floats(max_min::of_line(capacity, &demands.to_vec(py)?, &weights.to_vec(py)?)))
}

/// The max-min fair allocations of a run: see `headgate_view::max_min::shares`. Its hops are the numbers of their flows, and those of their ports.
#[pyfunction]
fn max_min_shares(
    demand_bps: Vec<f64>,
    weight: Vec<f64>,
    sends_from_s: Vec<f64>,
    sends_until_s: Vec<f64>,
    rates: Vec<f64>,
    hops: (Vec<usize>, Vec<usize>),
    parts: Vec<Piece>,
) -> PyResult<Vec<f64>> {
    let flows = demand_bps.len();
    for (what, of) in [("weights", &weight), ("beginnings", &sends_from_s), ("ends", &sends_until_s)] {
        each(what, of.len(), flows)?;
    }
    let part = |(since_s, until_s, rates, paths)| Part { since_s, until_s, rates, paths };
    let parts: Vec<Part> = parts.into_iter().map(part).collect();
    for Part { rates: other, paths, .. } in &parts {
        rows("port", other.iter().map(|(port, _)| port), rates.len())?;
        rows("flow", paths.iter().map(|(flow, _)| flow), flows)?;
        rows("port", paths.iter().flat_map(|(_, path)| path), rates.len())?;
    }
    rows("flow", &hops.0, flows)?;
    rows("port", &hops.1, rates.len())?;
    let asked =
        Asked { demand_bps: &demand_bps, weight: &weight, sends_from_s: &sends_from_s, sends_until_s: &sends_until_s };
    let lines = max_min::lines(hops.0.into_iter().zip(hops.1), flows);
    Ok(max_min::shares(&asked, &rates, &lines, &parts))
}

/// The max-min fair allocation of every flow of a run in bit/s.
#[pyfunction]
fn max_min_of_run(py: Python<'_>, run: &RunResult) -> Column {
    Column::floats(py.detach(|| max_min::of_run(&run.told())))
}

/// A column of float64, or an array of them of any shape.
type Floats = PyBuffer<f64>;

#[pyfunction]
fn jain_of_sums(total: f64, squares: f64, count: f64) -> f64 {
    fairness::jain_of_sums(total, squares, count)
}

#[pyfunction]
fn jain_index(py: Python<'_>, allocations: Floats) -> PyResult<f64> {
    Ok(fairness::jain_index(&allocations.to_vec(py)?))
}

#[pyfunction]
fn of_ideal(goodput: f64, ideal: f64) -> f64 {
    fairness::of_ideal(goodput, ideal)
}

#[pyfunction]
fn shortfall(py: Python<'_>, allocations: Floats, ideal: Floats) -> PyResult<f64> {
    each("ideals", ideal.item_count(), allocations.item_count())?;
    Ok(fairness::shortfall(&allocations.to_vec(py)?, &ideal.to_vec(py)?))
}

/// The measures of flows by their names, nan where one is not defined: see `headgate_view::fairness::Fairness`.
#[pyfunction]
fn fairness_of<'py>(py: Python<'py>, goodput: Floats, ideal: Floats, weights: Floats) -> PyResult<Bound<'py, PyDict>> {
    each("ideals", ideal.item_count(), goodput.item_count())?;
    each("weights", weights.item_count(), goodput.item_count())?;
    let found = Fairness::of(&goodput.to_vec(py)?, &ideal.to_vec(py)?, &weights.to_vec(py)?);
    let measures = PyDict::new(py);
    measures.set_item("jain_of_max_min", found.jain_of_max_min)?;
    measures.set_item("jain_of_weights", found.jain_of_weights)?;
    measures.set_item("jain", found.jain)?;
    measures.set_item("shortfall", found.shortfall)?;
    Ok(measures)
}

/// Adds the functions.
pub fn add(m: &Bound<'_, PyModule>) -> PyResult<()> {
    for function in [
        wrap_pyfunction!(line_max_min, m)?,
        wrap_pyfunction!(network_max_min, m)?,
        wrap_pyfunction!(max_min_shares, m)?,
        wrap_pyfunction!(max_min_of_run, m)?,
        wrap_pyfunction!(jain_of_sums, m)?,
        wrap_pyfunction!(jain_index, m)?,
        wrap_pyfunction!(of_ideal, m)?,
        wrap_pyfunction!(shortfall, m)?,
        wrap_pyfunction!(fairness_of, m)?,
    ] {
        m.add_function(function)?;
    }
    Ok(())
}
