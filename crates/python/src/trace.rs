//! The file of a trace, a trace in memory, and the errors of both.

use crate::interrupt::{interrupted, interruptible};
use headgate_replay::csv::find_columns;
use headgate_replay::{Kept, ReplayError, TraceError};
use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;

create_exception!(headgate._core, TraceFault, PyException, "A trace that is wrong.");

/// The error of a trace, in Python.
pub fn trace_error(e: &TraceError) -> PyErr {
    TraceFault::new_err(e.to_string())
}

/// Why a replay ends early, in Python.
pub fn replay_error(e: ReplayError) -> PyErr {
    match e {
        ReplayError::Trace(e) => trace_error(&e),
        ReplayError::Output(e) => e.into(),
    }
}

/// Where the columns of a trace stand among names.
#[pyfunction]
pub fn trace_columns(names: Vec<String>, lenient: bool) -> PyResult<Vec<Option<usize>>> {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    find_columns(&names, lenient).map(Vec::from).map_err(TraceFault::new_err)
}

/// The file of a trace: opened once, read once.
#[pyclass(module = "headgate._core")]
pub struct TraceFile(pub Option<headgate_replay::TraceFile>);

#[pymethods]
impl TraceFile {
    /// Opens a file; its kind follows from its first bytes, or else from its name.
    #[new]
    fn new(py: Python<'_>, path: PathBuf) -> PyResult<TraceFile> {
        // Opening a pipe waits for a writer.
        let file = interruptible(py, &mut Some(path), |path| headgate_replay::TraceFile::open(path))?;
        file.map(|file| TraceFile(Some(file))).map_err(|e| trace_error(&e))
    }

    /// Standard input.
    #[staticmethod]
    fn standard_input(py: Python<'_>) -> PyResult<TraceFile> {
        let file = interruptible(py, &mut Some(()), |_| headgate_replay::TraceFile::standard_input())?;
        file.map(|file| TraceFile(Some(file))).map_err(|e| trace_error(&e))
    }

    /// csv, capture or parquet.
    #[getter]
    fn kind(&self) -> PyResult<&'static str> {
        self.0.as_ref().map(|file| file.kind().name()).ok_or_else(interrupted)
    }
}

/// A trace in memory, for any number of replays.
#[pyclass(frozen, module = "headgate._core")]
pub struct Trace {
    /// Its packets.
    pub kept: Arc<Kept>,
    /// The length of the longest.
    pub longest: u32,
}

#[pymethods]
impl Trace {
    fn __len__(&self) -> usize {
        self.kept.len()
    }

    /// Bytes that it takes.
    #[getter]
    fn size(&self) -> usize {
        self.kept.size()
    }
}
