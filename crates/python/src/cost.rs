//! The structures of Fair Queueing by themselves.

use crate::scenario_error;
use crate::watch::Watch;
use headgate_bench::cost::{self, CallTrace, Recording};
use headgate_queue::parts::ordering::{Order, Structure, Work};
use headgate_sim::Rows;
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use serde_json::Value;

/// Of insert and of get_min: calls, operations, maximum number of operations in one call.
type Costs = ((u64, u64, u32), (u64, u64, u32));

fn costs(work: &Work) -> Costs {
    let of = |c: &headgate_queue::parts::ordering::Cost| (c.calls, c.operations, c.most);
    (of(&work.insert), of(&work.get))
}

fn named<T: serde::de::DeserializeOwned>(name: &str) -> PyResult<T> {
    serde_json::from_value(Value::String(name.to_owned())).map_err(|e| PyKeyError::new_err(e.to_string()))
}

/// A trace of calls to a bounded heap.
#[pyclass(frozen, module = "headgate._core")]
pub struct Calls {
    trace: CallTrace,
}

#[pymethods]
impl Calls {
    /// Runs a scenario and records the calls of the structure at the beginning of a link.
    #[staticmethod]
    fn record(py: Python<'_>, scenario_json: &str, link: &str) -> PyResult<Calls> {
        let mut watch = Watch::new(None);
        let scenario = watch.read(py, scenario_json)?;
        let recording = Recording::new(&scenario, link).map_err(|e| scenario_error(py, &e))?;
        let mut running = watch.build(py, &scenario, scenario.seed, 0, Rows::Dropped)?;
        recording.start(&mut running);
        watch.advance(py, &mut running, u64::MAX, usize::MAX)?;
        Ok(Calls { trace: recording.finish(&running) })
    }

    /// A number of insertions with tags in a made-up order: random, rising or falling.
    #[staticmethod]
    fn made_up(order: &str, conversations: u32, packets: u32) -> PyResult<Calls> {
        let order: Order = named(order)?;
        Ok(Calls { trace: CallTrace::made_up(order, conversations.max(1), packets, 1) })
    }

    /// Plays the calls `rounds` times, each time through a new structure.
    fn replay(&self, py: Python<'_>, structure: &str, rounds: u32) -> PyResult<Costs> {
        let kind: Structure = named(structure)?;
        Ok(costs(&py.detach(|| self.trace.replay(kind, rounds))))
    }
}

/// The work of one more insertion (with its discard if the structure is full), and of one get_min, at a size, over `trials` trials.
#[pyfunction]
pub fn work_at(
    py: Python<'_>,
    structure: &str,
    order: &str,
    size: (u32, u32),
    full: bool,
    trials: u32,
) -> PyResult<Costs> {
    let (kind, order) = (named::<Structure>(structure)?, named::<Order>(order)?);
    let size = (size.0.max(1), size.1);
    Ok(costs(&py.detach(|| cost::work_at(kind, order, size, full, trials, 1))))
}
