//! How a run is watched: Ctrl-C, another thread that asks it to stop, and the memory that it takes.
//!
//! The engine asks a [`Watch`] from time to time whether to continue, so that the run itself ends and frees its memory. Work that never asks, such
//! as a read from a pipe, is left to `interrupt.rs`.

use crate::plugin::plugin_error;
use crate::scenario_error;
use headgate_sim::spec::{Scenario, SpecError};
use headgate_sim::{Facts, Rows, Run};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Work between two checks for a stop, in events and packets: 1 or 2 ms.
const SLICE: u64 = 1 << 14;
/// Time between two checks that take longer: signals, and the memory taken.
const PERIOD: Duration = Duration::from_millis(50);

/// Stops a run from another thread and reports its progress; limits the memory that it takes.
#[pyclass(frozen, module = "headgate._core")]
pub struct Control {
    stopped: AtomicBool,
    /// Bits of the share of simulated time that has passed.
    share: AtomicU64,
    /// Bytes that the run may take; none for what all work of the process may.
    most: Option<u64>,
}

#[pymethods]
impl Control {
    /// `max_memory`: bytes that a run may take; what all work of the process may unless given.
    #[new]
    #[pyo3(signature = (max_memory=None))]
    pub fn new(max_memory: Option<u64>) -> Control {
        Control { stopped: AtomicBool::new(false), share: AtomicU64::new(0), most: max_memory }
    }

    /// The run ends at its next check, with KeyboardInterrupt.
    fn stop(&self) {
        self.stopped.store(true, Relaxed);
    }

    /// Whether it was asked to stop.
    #[getter]
    fn stopped(&self) -> bool {
        self.stopped.load(Relaxed)
    }

    /// Work outside the engine says how much of it is done, from 0 to 1.
    fn report(&self, share: f64) {
        self.share.store(share.to_bits(), Relaxed);
    }

    /// Share of the simulated time that has passed, from 0 to 1.
    #[getter]
    fn share(&self) -> f64 {
        f64::from_bits(self.share.load(Relaxed))
    }
}

/// Supervises one piece of work, which runs without the GIL.
pub(crate) struct Watch<'a> {
    control: Option<&'a Control>,
    looked: Instant,
    /// Bytes that the run may take, from when it is built.
    most: u64,
    /// Why the work is to end.
    reason: Option<PyErr>,
}

impl<'a> Watch<'a> {
    pub fn new(control: Option<&'a Control>) -> Watch<'a> {
        Watch { control, looked: clock(), most: u64::MAX, reason: None }
    }

    /// Whether the work is to end.
    pub fn stop(&mut self) -> bool {
        if self.reason.is_none() && self.control.is_some_and(|c| c.stopped.load(Relaxed)) {
            self.reason = Some(PyKeyboardInterrupt::new_err(()));
        }
        if self.reason.is_none() && self.looked.elapsed() >= PERIOD {
            self.looked = clock();
            self.reason = Python::attach(|py| py.check_signals()).err();
        }
        self.reason.is_some()
    }

    /// The exception for an error of the work: the reason for its end if it was ended.
    pub fn error(&mut self, py: Python<'_>, e: &SpecError) -> PyErr {
        self.reason.take().unwrap_or_else(|| scenario_error(py, e))
    }

    /// Checks now, between two pieces of work.
    pub fn between(&mut self, py: Python<'_>) -> PyResult<()> {
        py.check_signals()?;
        if self.stop() { Err(self.reason.take().expect("there is a reason")) } else { Ok(()) }
    }

    /// Reads a scenario.
    pub fn read(&mut self, py: Python<'_>, json: &str) -> PyResult<Scenario> {
        py.detach(|| Scenario::from_json_unless(json, &mut || self.stop())).map_err(|e| self.error(py, &e))
    }

    /// The text of a scenario.
    pub fn text(&mut self, py: Python<'_>, scenario: &Scenario) -> PyResult<String> {
        py.detach(|| headgate_sim::spec_json_unless(scenario, &mut || self.stop())).map_err(|e| self.error(py, &e))
    }

    /// The flows whose shares may depend on the phase of arrivals.
    pub fn in_step(&mut self, py: Python<'_>, s: &Scenario) -> PyResult<Vec<usize>> {
        py.detach(|| headgate_sim::in_step(s, &mut || self.stop())).map_err(|e| self.error(py, &e))
    }

    /// What follows from a scenario.
    pub fn facts(&mut self, py: Python<'_>, s: &Scenario) -> PyResult<Facts> {
        py.detach(|| headgate_sim::facts(s, &mut || self.stop())).map_err(|e| self.error(py, &e))
    }

    /// What follows from a scenario, as JSON text.
    pub fn facts_text(&mut self, py: Python<'_>, s: &Scenario) -> PyResult<String> {
        let found = self.facts(py, s)?;
        Ok(py.detach(|| serde_json::to_string(&found)).expect("facts are plain data"))
    }

    /// A run that is ready to begin.
    pub fn build(&mut self, py: Python<'_>, s: &Scenario, seed: u64, run: u64, rows: Rows) -> PyResult<Run> {
        let most = match self.control.and_then(|c| c.most) {
            Some(most) => most,
            // No run is without a limit, whoever asks for it.
            None => py.import("headgate.base.memory")?.call_method0("limit")?.extract()?,
        };
        self.most = most;
        py.detach(|| Run::new_unless(s, seed, run, rows, most, &mut || self.stop())).map_err(|e| self.error(py, &e))
    }

    /// Runs until `events` events have happened, there are `rows` rows to take, or the run is complete; true if it is.
    pub fn advance(&mut self, py: Python<'_>, running: &mut Run, events: u64, rows: usize) -> PyResult<bool> {
        py.detach(|| {
            while running.digest().events < events {
                let complete = running.advance(SLICE.min(events - running.digest().events));
                if complete && running.fault().is_none() {
                    self.report(running.progress());
                    return Ok(true);
                }
                if let Some((who, fault)) = running.fault() {
                    self.reason = Some(Python::attach(|py| plugin_error(py, &who, fault)));
                    return Err(SpecError::at("", "stopped"));
                }
                let before = self.looked;
                if self.stop() {
                    return Err(SpecError::at("", "stopped"));
                }
                if self.looked != before {
                    self.report(running.progress());
                    running.check_memory(self.most)?;
                }
                if running.rows() >= rows {
                    break;
                }
            }
            self.report(running.progress());
            Ok(false)
        })
        .map_err(|e| self.error(py, &e))
    }

    fn report(&self, share: f64) {
        if let Some(control) = self.control {
            control.report(share);
        }
    }
}

/// The wall clock.
#[allow(clippy::disallowed_methods, reason = "it says when to look at signals, never what a run does")]
fn clock() -> Instant {
    Instant::now()
}
