//! Many runs, one after the other, with their tables collected: the work of a worker of a study.

use crate::run::{Piece, columns, pieces, simulate};
use crate::watch::{Control, Watch};
use headgate_sim::spec::Scenario;
use headgate_sim::{Cells, Gather, Rows, Stretch, Table};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Gathers the flows and links of runs.
#[pyclass(module = "headgate._core")]
pub struct Batch {
    flows: Gather,
    links: Gather,
    /// The last scenario and its text: replications follow each other.
    last: Option<(String, Scenario)>,
    control: Control,
    /// Of every hop in the last run, the numbers of its flow and its port.
    routes: Table,
    /// The stretches of the last run.
    stretches: Vec<Stretch>,
}

#[pymethods]
impl Batch {
    /// `max_memory`: bytes that a run may take; what all work of the process may unless given.
    #[new]
    #[pyo3(signature = (max_memory=None))]
    fn new(max_memory: Option<u64>) -> Batch {
        Batch {
            flows: Gather::default(),
            links: Gather::default(),
            last: None,
            control: Control::new(max_memory),
            routes: Table::new(),
            stretches: Vec::new(),
        }
    }

    /// Runs a scenario and keeps its rows: (digest, events, rows of flows, rows of links). A run that fails leaves nothing.
    #[pyo3(signature = (scenario_json, seed=None, run=0))]
    fn run(
        &mut self,
        py: Python<'_>,
        scenario_json: &str,
        seed: Option<u64>,
        run: u64,
    ) -> PyResult<(String, u64, usize, usize)> {
        let mut watch = Watch::new(Some(&self.control));
        if self.last.as_ref().is_none_or(|(text, _)| text != scenario_json) {
            let read = watch.read(py, scenario_json)?;
            self.last = Some((scenario_json.to_owned(), read));
        }
        let (_, scenario) = self.last.as_ref().expect("it was put there");
        let running = simulate(py, &mut watch, scenario, seed.unwrap_or(scenario.seed), run, Rows::Dropped)?;
        watch.between(py)?;
        let (digest, events) = (format!("{:016x}", running.digest().value()), running.digest().events);
        let counts = (scenario.flows.len(), 2 * scenario.links.len());
        py.detach(|| {
            let finished = running.finished();
            self.flows.append(finished.flow_table(scenario));
            self.links.append(finished.link_table(scenario));
            self.routes = finished.route_table(scenario);
            self.stretches = finished.stretches(scenario);
        });
        Ok((digest, events, counts.0, counts.1))
    }

    /// The numbers of `flow` and `link` (as rows of these tables) of every hop of the last run, as columns.
    fn routes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let numbers = |cells: &Cells| match cells {
            Cells::Name(codes, _) => Some(Cells::Int(codes.clone())),
            Cells::Float(_) | Cells::Int(_) => None,
        };
        columns(py, self.routes.iter().filter_map(|(name, cells)| Some((*name, numbers(cells)?))).collect())
    }

    /// The time measured of the last run, cut where flows begin, end or take other paths: see `RunResult.stretches`.
    fn stretches(&self) -> Vec<Piece> {
        pieces(&self.stretches)
    }

    /// The columns of all runs so far, `flows` or `links`; the table is then empty. A column of names is a pair (codes, names).
    fn take<'py>(&mut self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyDict>> {
        match name {
            "flows" => columns(py, self.flows.take()),
            "links" => columns(py, self.links.take()),
            _ => Err(PyKeyError::new_err(format!("{name:?}; expected flows or links"))),
        }
    }
}
