//! Pictures of a run over time, and what a run records for them.

use super::packets::AtPort;
use crate::column::Column;
use crate::run::RunResult;
use headgate_packet::Duration;
use headgate_sim::spec::TraceKind;
use headgate_sim::{TRACE_LABELS, Table, TableName};
use headgate_view::{Beginning, Line, Points, Recording, Views};
use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use serde_json::{Value, json};

/// A line: its name, the flow that it is about, times and values.
type Curve = (String, Option<String>, PyBuffer<f64>, PyBuffer<f64>);

/// A line as it is read in place.
type Shown<'py> = (String, Option<String>, Bound<'py, Column>, Bound<'py, Column>);

/// A picture of a run over time.
#[pyclass(frozen, module = "headgate._core")]
pub struct View(pub headgate_view::View);

impl View {
    pub(super) fn shown(&self) -> &headgate_view::View {
        &self.0
    }
}

#[pymethods]
impl View {
    /// One with these lines: of each the name, the flow that it is about, times in rising order and as many values.
    #[new]
    fn new(
        py: Python<'_>,
        name: String,
        title: String,
        unit: String,
        steps: bool,
        stacked: bool,
        lines: Vec<Curve>,
    ) -> PyResult<View> {
        let line =
            |(name, flow, t, y): Curve| Ok(Line { name, flow, t: t.to_vec(py)?.into(), y: y.to_vec(py)?.into() });
        let lines = lines.into_iter().map(line).collect::<PyResult<_>>()?;
        Ok(View(headgate_view::View { name, title, unit, steps, stacked, lines }))
    }

    #[getter]
    fn name(&self) -> &str {
        &self.0.name
    }

    #[getter]
    fn title(&self) -> &str {
        &self.0.title
    }

    #[getter]
    fn unit(&self) -> &str {
        &self.0.unit
    }

    #[getter]
    fn steps(&self) -> bool {
        self.0.steps
    }

    /// Its lines, which are read in place.
    #[getter]
    fn lines<'py>(&self, py: Python<'py>) -> PyResult<Vec<Shown<'py>>> {
        let column = |values: &std::sync::Arc<Vec<f64>>| Bound::new(py, Column::floats(values.clone()));
        let lines = self.0.lines.iter();
        lines.map(|x| Ok((x.name.clone(), x.flow.clone(), column(&x.t)?, column(&x.y)?))).collect()
    }

    /// Bytes that it takes.
    #[getter]
    fn size(&self) -> usize {
        self.0.size()
    }

    /// Its description as JSON text.
    fn head(&self) -> String {
        json!(self.0).to_string()
    }

    /// Its lines from `start` to `end` in s, as a picture of `width` pixels shows them, as JSON text.
    fn points(&self, py: Python<'_>, start: f64, end: f64, width: usize) -> Vec<u8> {
        py.detach(|| text(&self.0.points(start, end, width)))
    }
}

pub fn text(points: &Points) -> Vec<u8> {
    serde_json::to_vec(points).expect("points are plain data")
}

/// The backlog of a port by flow.
#[pyclass(frozen, module = "headgate._core")]
pub struct Stacked(headgate_view::Stacked);

#[pymethods]
impl Stacked {
    /// Number of the port.
    #[getter]
    fn port(&self) -> usize {
        self.0.port
    }

    /// Its lines from `start` to `end` in s, as a picture of `width` pixels shows them, as JSON text. The packets are known up to `until`.
    fn points(&self, py: Python<'_>, packets: &AtPort, until: f64, start: f64, end: f64, width: usize) -> Vec<u8> {
        py.detach(|| text(&self.0.points(&packets.packets().queue(until), start, end, width)))
    }

    /// The view with all points up to `end` in s.
    fn whole(&self, py: Python<'_>, packets: &AtPort, until: f64, end: f64) -> View {
        View(py.detach(|| self.0.whole(&packets.packets().queue(until), end)))
    }
}

/// The views of a run that ends at `end` in s, and the backlog by flow of a port, which is one of them if there is a `port`.
#[pyfunction]
fn views(py: Python<'_>, result: &Bound<'_, RunResult>, end: f64, port: Option<usize>) -> (Vec<View>, Option<Stacked>) {
    let tables = &result.get().tables;
    let none = Table::new();
    let table = |wanted| tables.iter().find(|(name, _)| *name == wanted).map_or(&none, |(_, table)| table);
    let found = py.detach(|| {
        let mut found = Views::of(table, end);
        if let Some(port) = port {
            found.stack(table(TableName::Routes), port);
        }
        found
    });
    (found.views.into_iter().map(View).collect(), found.stacked.map(Stacked))
}

/// What a page records of a scenario in place of what it says, as texts: the length of an interval and the traces. `completions` says whether the
/// scenario records those.
#[pyfunction]
fn recording(duration: u64, interval: u64, flows: usize, completions: bool, few: bool) -> (String, Vec<&'static str>) {
    let own: &[TraceKind] = if completions { &[TraceKind::Completions] } else { &[] };
    let found = Recording::of(Duration::from_ps(duration), Duration::from_ps(interval), flows, own, few);
    (found.interval.to_string(), found.traces.iter().map(|kind| kind.name()).collect())
}

/// The first part of a prepared scenario: the keys that change, as JSON text, and where it ends in s.
#[pyfunction]
fn beginning(duration: u64, warm_up: u64, share: f64) -> (String, f64) {
    let part = Beginning::of(Duration::from_ps(duration), Duration::from_ps(warm_up), share);
    let keys: serde_json::Map<String, Value> = part.keys().into_iter().map(|(k, v)| (k.to_owned(), v)).collect();
    (Value::from(keys).to_string(), part.until.as_secs_f64())
}

/// Adds the class and the functions.
pub fn add(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<View>()?;
    m.add_class::<Stacked>()?;
    m.add("TRACE_LABELS", TRACE_LABELS.to_vec())?;
    m.add_function(wrap_pyfunction!(views, m)?)?;
    m.add_function(wrap_pyfunction!(recording, m)?)?;
    m.add_function(wrap_pyfunction!(beginning, m)?)
}
