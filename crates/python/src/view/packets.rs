//! Single packets of a run.

use crate::column::Column;
use crate::run::track;
use crate::view::pictures::View;
use crate::watch::{Control, Watch};
use headgate_queue::{Moment, Number};
use headgate_sim::{Cells, Table};
use headgate_view::Fault;
use headgate_view::packets::{self, Choice, KEPT, LISTED, MOST, Names, Setting, Span, TRIES, Told};
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::{PyIndexError, PyLookupError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::{Arc, Mutex, PoisonError};

/// The columns of times, and of whole numbers, of which packets without their decisions have the first ones.
const TIMES: [&str; 3] = ["arrived_s", "start_s", "left_s"];
const WHOLE: [&str; 12] = [
    "port",
    "number",
    "flow",
    "seq",
    "bytes",
    "marked",
    "reason",
    "arrival",
    "departure",
    "shape",
    "departure_shape",
    "first",
];

fn wrong(fault: Fault) -> PyErr {
    PyValueError::new_err(fault.message)
}

fn unknown(fault: Fault) -> PyErr {
    PyLookupError::new_err(fault.message)
}

/// The packets of a part of a run at its ports.
#[pyclass(frozen, module = "headgate._core")]
pub struct Part(pub(super) Arc<packets::Part>);

#[pymethods]
impl Part {
    /// One from the columns of `tracks` and the values of all numbers, int64 and float64, and which numbers these are.
    #[new]
    fn new(
        py: Python<'_>,
        columns: &Bound<'_, PyDict>,
        values: PyBuffer<f64>,
        shapes: Vec<Vec<usize>>,
        start: f64,
        until: f64,
    ) -> PyResult<Part> {
        let known: Vec<Number> = Number::all().collect();
        let number = |code: usize| known.get(code).copied().ok_or_else(|| PyIndexError::new_err("no such number"));
        let shapes =
            shapes.into_iter().map(|shape| shape.into_iter().map(number).collect()).collect::<PyResult<_>>()?;
        let part = packets::Part::from_columns(table(py, columns)?, values.to_vec(py)?, shapes, start, until);
        Ok(Part(Arc::new(part.map_err(wrong)?)))
    }

    #[getter]
    fn start(&self) -> f64 {
        self.0.start
    }

    #[getter]
    fn until(&self) -> f64 {
        self.0.until
    }

    /// Bytes that it takes.
    #[getter]
    fn size(&self) -> usize {
        self.0.size()
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    /// The packets of a port.
    fn at(&self, port: usize) -> AtPort {
        AtPort { part: self.0.clone(), port }
    }
}

/// The columns that there are.
fn table(py: Python<'_>, columns: &Bound<'_, PyDict>) -> PyResult<Table> {
    let mut table = Table::new();
    for name in TIMES {
        if let Some(own) = columns.get_item(name)? {
            table.push((name, Cells::Float(PyBuffer::get(&own)?.to_vec(py)?)));
        }
    }
    for name in WHOLE {
        if let Some(own) = columns.get_item(name)? {
            table.push((name, Cells::Int(PyBuffer::get(&own)?.to_vec(py)?)));
        }
    }
    Ok(table)
}

/// The packets of one port.
#[pyclass(frozen, module = "headgate._core")]
pub struct AtPort {
    part: Arc<packets::Part>,
    port: usize,
}

/// A decision: the moment, the time, what was decided, and the reason of a drop.
type Taken = (&'static str, f64, &'static str, Option<&'static str>);

impl AtPort {
    pub(super) fn packets(&self) -> packets::AtPort<'_> {
        self.part.at(self.port)
    }

    fn packet(&self, i: usize) -> PyResult<packets::AtPort<'_>> {
        let packets = self.packets();
        if i < packets.len() { Ok(packets) } else { Err(PyIndexError::new_err("no such packet")) }
    }
}

#[pymethods]
impl AtPort {
    /// The packets of the only port, of whose decisions nothing is known.
    #[new]
    fn new(py: Python<'_>, columns: &Bound<'_, PyDict>) -> PyResult<AtPort> {
        let part = packets::Part::from_columns(table(py, columns)?, Vec::new(), Vec::new(), 0.0, 0.0);
        Ok(AtPort { part: Arc::new(part.map_err(wrong)?), port: 0 })
    }

    fn __len__(&self) -> usize {
        self.packets().len()
    }

    /// One of the columns of `tracks`, but those of ports and decisions; reasons are bytes with a sign.
    fn column(&self, name: &str) -> PyResult<Column> {
        let of = self.packets();
        Ok(match name {
            "flow" => Column::shorts(of.flow.to_vec()),
            "seq" => Column::ints(of.seq.to_vec()),
            "number" => Column::ints(of.number.to_vec()),
            "arrived_s" => Column::floats(of.arrived.to_vec()),
            "start_s" => Column::floats(of.start.to_vec()),
            "left_s" => Column::floats(of.left.to_vec()),
            "bytes" => Column::shorts(of.bytes.to_vec()),
            "marked" => Column::bytes(of.marked.iter().copied().map(u8::from).collect()),
            "reason" => Column::bytes(of.reason.iter().map(|reason| reason.cast_unsigned()).collect()),
            _ => return Err(PyLookupError::new_err(format!("no column {name:?}"))),
        })
    }

    /// Of each packet 1 if it waits at a time, and 0 otherwise.
    fn waiting(&self, at: f64) -> Column {
        let of = self.packets();
        Column::bytes((0..of.len()).map(|i| u8::from(of.waits(i, at))).collect())
    }

    /// The index of the packet with this number.
    fn place(&self, number: i64) -> Option<usize> {
        self.packets().place(number)
    }

    /// The numbers with which was decided about a packet as it arrived, with their names.
    fn numbers(&self, i: usize) -> PyResult<Vec<(&'static str, f64)>> {
        Ok(self.packet(i)?.numbers(i).map(|(number, value)| (number.name(), value)).collect())
    }

    /// Those with which was decided about it as it left.
    fn leaving(&self, i: usize) -> PyResult<Vec<(&'static str, f64)>> {
        Ok(self.packet(i)?.leaving(i).map(|(number, value)| (number.name(), value)).collect())
    }

    /// The decisions about a packet, in the order in which they were taken.
    fn taken(&self, i: usize) -> PyResult<Vec<Taken>> {
        let plain = |taken: packets::Taken| {
            let moment = if taken.moment == Moment::Arrival { "arrival" } else { "departure" };
            (moment, taken.at, taken.decision, taken.reason.map(|reason| reason.name()))
        };
        Ok(self.packet(i)?.taken(i).into_iter().map(plain).collect())
    }

    /// The first packets from one time to another, within a part, as JSON text: see `headgate_view::packets::listed`.
    #[expect(clippy::too_many_arguments, reason = "Python's callers name them")]
    fn listed(
        &self,
        py: Python<'_>,
        flows: Vec<String>,
        part: Span,
        span: Span,
        flow: Option<&str>,
        drops: bool,
        limit: i64,
    ) -> PyResult<String> {
        let limit = usize::try_from(limit).unwrap_or_default();
        let (names, choice) = (Names { ports: &[], flows: &flows }, Choice { span, flow, drops, limit });
        let found =
            py.detach(|| packets::listed(&self.packets(), &names, part, &choice).map(|found| found.to_string()));
        found.map_err(unknown)
    }

    /// A packet by its number at the port, as JSON text: see `headgate_view::packets::story`.
    #[expect(clippy::too_many_arguments, reason = "Python's callers name them")]
    fn story(
        &self,
        py: Python<'_>,
        number: i64,
        port: &str,
        flows: Vec<String>,
        queue: &str,
        part: Span,
        until: f64,
        window: Option<&View>,
        rtt_ms: Vec<(String, Option<f64>)>,
        is_replay: bool,
    ) -> PyResult<String> {
        let queue = serde_json::from_str(queue).map_err(|e| PyValueError::new_err(e.to_string()))?;
        let (names, window) = (Names { ports: &[], flows: &flows }, window.map(View::shown));
        let of = Setting { names, port, queue: &queue, part, until, window, rtt_ms: &rtt_ms, is_replay };
        let found = py.detach(|| packets::story(&of, &self.packets(), number).map(|found| found.to_string()));
        found.map_err(unknown)
    }
}

/// The discipline of a port with its parameters, as JSON text: see `headgate_view::packets::discipline`.
#[pyfunction]
fn discipline(py: Python<'_>, scenario_json: &str, port: usize) -> PyResult<String> {
    Ok(packets::discipline(&Watch::new(None).read(py, scenario_json)?, port).to_string())
}

/// Sentences about a packet that a discipline decided about with these numbers: see `headgate_view::packets::rules`.
#[pyfunction]
#[pyo3(signature = (kind, numbers, outcome, aqm=None, leaves=false))]
fn rules(
    kind: &str,
    numbers: Vec<(String, f64)>,
    outcome: &str,
    aqm: Option<&str>,
    leaves: bool,
) -> PyResult<Vec<String>> {
    let moment = if leaves { Moment::Departure } else { Moment::Arrival };
    Ok(packets::rules(kind, &told(numbers)?, outcome, aqm, moment))
}

/// Numbers by their names.
fn told(numbers: Vec<(String, f64)>) -> PyResult<Told> {
    let number = |(name, value): (String, f64)| match Number::all().find(|number| number.name() == name) {
        Some(number) => Ok((number, value)),
        None => Err(PyLookupError::new_err(format!("no number {name:?}"))),
    };
    numbers.into_iter().map(number).collect()
}

/// The number by which packets leave a discipline, the smallest first.
#[pyfunction]
fn order_of(kind: &str) -> Option<&'static str> {
    packets::order_of(kind)
}

/// A value with its unit, as a sentence has it.
#[pyfunction]
fn with_unit(value: f64, unit: &str) -> String {
    packets::with_unit(value, unit)
}

/// The queue of each port at a time, as JSON text: see `headgate_view::packets::queues`. `at_ports` has the numbers of ports and their packets.
#[pyfunction]
fn queues(
    py: Python<'_>,
    at_ports: Vec<(usize, Bound<'_, AtPort>)>,
    ports: Vec<String>,
    flows: Vec<String>,
    at: f64,
    part: Span,
) -> String {
    let found: Vec<(usize, &AtPort)> = at_ports.iter().map(|(port, own)| (*port, own.get())).collect();
    py.detach(|| {
        let all: Vec<_> = found.iter().map(|(port, own)| (*port, own.packets())).collect();
        packets::queues(&all, &Names { ports: &ports, flows: &flows }, at, part).to_string()
    })
}

/// The parts of a run that were followed.
#[pyclass(frozen, module = "headgate._core")]
#[derive(Default)]
pub struct Parts(Mutex<packets::Parts>);

impl Parts {
    fn with<T>(&self, act: impl FnOnce(&mut packets::Parts) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[pymethods]
impl Parts {
    /// None yet.
    #[new]
    fn new() -> Parts {
        Parts::default()
    }

    /// The part that covers a time, if it is kept.
    fn kept(&self, at: f64) -> Option<Part> {
        self.with(|parts| parts.kept(at)).map(Part)
    }

    /// Where the part around a time starts, after so many parts that did not cover it.
    fn start(&self, at: f64, tried: usize) -> f64 {
        self.with(|parts| parts.start(at, tried))
    }

    /// Keeps a part that was followed for a time, and gives it if it is the one that was looked for.
    fn keep(&self, part: &Part, at: f64, tried: usize, most: usize) -> Option<Part> {
        self.with(|parts| parts.keep(part.0.clone(), at, tried, most)).map(Part)
    }

    /// Bytes of all of them.
    #[getter]
    fn size(&self) -> usize {
        self.with(|parts| parts.size())
    }

    fn __len__(&self) -> usize {
        self.with(|parts| parts.len())
    }
}

/// The part of a run that starts at a time: at most `most` of its packets. The run ends there.
#[pyfunction]
#[pyo3(signature = (scenario_json, seed, run, start_s, end_s, most, control=None))]
#[expect(clippy::too_many_arguments, reason = "Python's callers name them")]
fn part_of(
    py: Python<'_>,
    scenario_json: &str,
    seed: u64,
    run: u64,
    start_s: f64,
    end_s: f64,
    most: usize,
    control: Option<Bound<'_, Control>>,
) -> PyResult<Part> {
    let (tracks, until) = track(py, scenario_json, seed, run, (start_s, end_s), most, control)?;
    Ok(Part(Arc::new(py.detach(|| packets::Part::of(&tracks, start_s, until.min(end_s))))))
}

/// The number of a port, a flow or another thing by its name.
#[pyfunction]
fn place_of(what: &str, name: &str, known: Vec<String>) -> PyResult<usize> {
    packets::place_of(what, name, &known).map_err(unknown)
}

/// Adds the classes and the functions.
pub fn add(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<Part>()?;
    m.add_class::<Parts>()?;
    m.add_class::<AtPort>()?;
    m.add("PARTS", (MOST, KEPT, TRIES, LISTED))?;
    for function in [
        wrap_pyfunction!(part_of, m)?,
        wrap_pyfunction!(queues, m)?,
        wrap_pyfunction!(place_of, m)?,
        wrap_pyfunction!(discipline, m)?,
        wrap_pyfunction!(rules, m)?,
        wrap_pyfunction!(order_of, m)?,
        wrap_pyfunction!(with_unit, m)?,
    ] {
        m.add_function(function)?;
    }
    Ok(())
}
