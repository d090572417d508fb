//! One run, from the text of its scenario to its tables.

use crate::column::Column;
use crate::view::{Effects, network, phase};
use crate::watch::{Control, Watch};
use headgate_packet::{Duration, Time};
use headgate_sim::spec::Scenario;
use headgate_sim::{Cells, Delays, Followed, Rows, Run, Stretch, Table, TableName, Tracks, Window, delay_table};
use headgate_view::Ran;
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The results of one run.
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
    scenario: Scenario,
    /// Pairs of (events so far, digest then).
    #[pyo3(get)]
    checkpoints: Vec<(u64, String)>,
    pub(crate) tables: Vec<(TableName, Table)>,
    stretches: Vec<Stretch>,
    /// The table of delays is seldom needed: it is made when asked for.
    delays: Vec<Delays>,
}

#[pymethods]
impl RunResult {
    /// The scenario's name.
    #[getter]
    fn name(&self) -> &str {
        &self.scenario.name
    }

    /// The resolved scenario as JSON text.
    #[getter]
    fn scenario(&self, py: Python<'_>) -> PyResult<String> {
        Watch::new(None).text(py, &self.scenario)
    }

    /// What follows from the scenario, as JSON text: see `headgate_sim::Facts`.
    fn facts(&self, py: Python<'_>) -> PyResult<String> {
        Watch::new(None).facts_text(py, &self.scenario)
    }

    /// What has no effect in the scenario, or in one that lasts for so many picoseconds.
    #[pyo3(signature = (lasting=None))]
    fn effects(&self, py: Python<'_>, lasting: Option<u64>) -> PyResult<Effects> {
        Effects::of(py, &self.scenario, lasting)
    }

    /// A line about the noise of its hosts; empty without any.
    fn noise(&self) -> String {
        phase::noise_sentence(&self.scenario)
    }

    /// The picture of the network, as JSON text: see `headgate_view::network::picture`.
    fn picture(&self, py: Python<'_>) -> String {
        network::picture(py, &self.scenario)
    }

    /// The network for who draws it, as JSON text: see `headgate_view::network::drawn`.
    fn network(&self, py: Python<'_>, row: usize, stations: usize, edges: usize) -> String {
        network::drawn(py, &self.scenario, row, stations, edges)
    }

    /// The columns of one of the `TABLES`. A column of names is a pair (codes, names).
    fn table<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyDict>> {
        let wanted = TableName::named(name).ok_or_else(|| {
            let names: Vec<&str> = TableName::ALL.iter().map(|table| table.name()).collect();
            PyKeyError::new_err(format!("{name:?}; expected one of {}", names.join(", ")))
        })?;
        let made = self.tables.iter().find(|(name, _)| *name == wanted).map(|(_, table)| table.clone());
        columns(py, made.unwrap_or_else(|| delay_table(&self.delays, &self.scenario.flows)))
    }

    /// The time measured, cut where flows begin, end or take other paths: of each part its beginning and end in s, the ports (rows of links) that
    /// offered another mean rate than the scenario gives, with that in bit/s, and the flows whose data took other ports than those of routes.
    fn stretches(&self) -> Vec<Piece> {
        pieces(&self.stretches)
    }
}

impl RunResult {
    /// What the page and the sentences tell of.
    pub(crate) fn told(&self) -> Ran<'_> {
        let table = |wanted| {
            let found = self.tables.iter().find(|(name, _)| *name == wanted);
            &found.expect("all tables but that of delays are made").1
        };
        Ran {
            scenario: &self.scenario,
            flows: table(TableName::Flows),
            intervals: table(TableName::Intervals),
            links: table(TableName::Links),
            classes: table(TableName::Classes),
            routes: table(TableName::Routes),
            stretches: &self.stretches,
        }
    }
}

/// A stretch as plain data.
pub(crate) type Piece = (f64, f64, Vec<(usize, f64)>, Vec<(usize, Vec<usize>)>);

pub(crate) fn pieces(stretches: &[Stretch]) -> Vec<Piece> {
    let plain = |s: &Stretch| (s.since.as_secs_f64(), s.until.as_secs_f64(), s.rates.clone(), s.paths.clone());
    stretches.iter().map(plain).collect()
}

/// A table as a dictionary of columns.
pub(crate) fn columns(py: Python<'_>, table: Table) -> PyResult<Bound<'_, PyDict>> {
    let columns = PyDict::new(py);
    for (name, cells) in table {
        py.check_signals()?;
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

/// Rows that are handed over at a time.
const BATCH: usize = 1 << 13;

/// Runs a scenario. Ctrl-C raises KeyboardInterrupt. The rows of the tables that grow with the run are given to `take`, if there is one, while it
/// runs: a name and columns, at least once for each table.
#[pyfunction]
#[pyo3(signature = (scenario_json, seed=None, run=0, control=None, take=None))]
pub fn run(
    py: Python<'_>,
    scenario_json: &str,
    seed: Option<u64>,
    run: u64,
    control: Option<Bound<'_, Control>>,
    take: Option<Bound<'_, PyAny>>,
) -> PyResult<RunResult> {
    let mut watch = Watch::new(control.as_ref().map(Bound::get));
    let scenario = watch.read(py, scenario_json)?;
    let seed = seed.unwrap_or(scenario.seed);
    let mut running = match &take {
        None => simulate(py, &mut watch, &scenario, seed, run, Rows::Kept)?,
        Some(take) => hand_over(py, &mut watch, &scenario, seed, run, take)?,
    };
    let digest = format!("{:016x}", running.digest().value());
    let checkpoints = running.digest().checkpoints().iter().map(|(n, d)| (*n, format!("{d:016x}"))).collect();
    let events = running.digest().events;
    let mut tables = Vec::with_capacity(TableName::ALL.len());
    for &name in TableName::ALL.iter().filter(|name| **name != TableName::Delays) {
        watch.between(py)?;
        tables.push((name, py.detach(|| running.finished().table(name, &scenario))));
        if name == TableName::Intervals {
            running.forget_intervals();
        }
    }
    let stretches = py.detach(|| running.finished().stretches(&scenario));
    let delays = running.take_delays();
    Ok(RunResult { digest, seed, run, events, scenario, checkpoints, tables, stretches, delays })
}

/// Runs a scenario to its end.
pub(crate) fn simulate(
    py: Python<'_>,
    watch: &mut Watch<'_>,
    scenario: &Scenario,
    seed: u64,
    run: u64,
    rows: Rows,
) -> PyResult<Run> {
    let mut running = watch.build(py, scenario, seed, run, rows)?;
    watch.advance(py, &mut running, u64::MAX, usize::MAX)?;
    Ok(running)
}

/// Runs a scenario to its end and gives the rows of its growing tables to `take`.
fn hand_over(
    py: Python<'_>,
    watch: &mut Watch<'_>,
    scenario: &Scenario,
    seed: u64,
    run: u64,
    take: &Bound<'_, PyAny>,
) -> PyResult<Run> {
    let mut running = watch.build(py, scenario, seed, run, Rows::Taken)?;
    loop {
        let complete = watch.advance(py, &mut running, u64::MAX, BATCH)?;
        for (name, rows) in py.detach(|| running.take_rows(scenario)) {
            take.call1((name.name(), columns(py, rows)?))?;
        }
        if complete {
            return Ok(running);
        }
    }
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
    let mut watch = Watch::new(None);
    let scenario = watch.read(py, scenario_json)?;
    let mut running = watch.build(py, &scenario, seed, run, Rows::Dropped)?;
    running.log_events(first, count);
    watch.advance(py, &mut running, first.saturating_add(count), usize::MAX)?;
    Ok(running.logged().to_vec())
}

/// Packets, the values of their numbers, which numbers these are, and the time up to which packets are followed.
pub(crate) type Tracked<'py> = (Bound<'py, PyDict>, Bound<'py, PyDict>, Vec<Vec<usize>>, f64);

/// What became of the data packets of a run at the ports at which they arrived from one time to another, of at most `most` of them, and the numbers with
/// which the ports decided about them. The run ends there. The numbers of each shape are places in the list of numbers.
#[pyfunction]
#[pyo3(signature = (scenario_json, seed, run, start_s, end_s, most, control=None))]
#[expect(clippy::too_many_arguments, reason = "Python's callers name them")]
pub fn tracks<'py>(
    py: Python<'py>,
    scenario_json: &str,
    seed: u64,
    run: u64,
    start_s: f64,
    end_s: f64,
    most: usize,
    control: Option<Bound<'_, Control>>,
) -> PyResult<Tracked<'py>> {
    let (tracks, until) = track(py, scenario_json, seed, run, (start_s, end_s), most, control)?;
    tracked(py, &tracks, until)
}

/// Follows the packets of a run from one time to another; gives them, and the time up to which they are followed.
pub(crate) fn track(
    py: Python<'_>,
    scenario_json: &str,
    seed: u64,
    run: u64,
    (start_s, end_s): (f64, f64),
    most: usize,
    control: Option<Bound<'_, Control>>,
) -> PyResult<(Tracks, f64)> {
    let mut watch = Watch::new(control.as_ref().map(Bound::get));
    let scenario = watch.read(py, scenario_json)?;
    let mut running = watch.build(py, &scenario, seed, run, Rows::Dropped)?;
    let at = |seconds: f64| Time::ZERO + Duration::from_secs_f64(seconds.max(0.0));
    running.track_packets(Window { from: at(start_s), to: at(end_s), most });
    let mut events = BATCH as u64;
    while !watch.advance(py, &mut running, events, usize::MAX)? && running.tracked_until().is_none() {
        events += BATCH as u64;
    }
    let until = running.tracked_until().map_or(f64::INFINITY, Time::as_secs_f64);
    let tracks = py.detach(|| running.take_tracks()).expect("they were asked for");
    Ok((tracks, until))
}

/// Packets, their numbers and where these are, as columns.
pub(crate) fn tracked<'py>(py: Python<'py>, tracks: &Tracks, until: f64) -> PyResult<Tracked<'py>> {
    let shapes = tracks.shapes().iter().map(|shape| shape.iter().map(|number| number.code()).collect()).collect();
    Ok((columns(py, py.detach(|| tracks.table()))?, columns(py, py.detach(|| tracks.values()))?, shapes, until))
}

/// Events after which what happened is handed over.
const FOLLOWED: u64 = 1 << 15;

/// Runs a scenario again and gives what happens in it to `take` while it runs: the packets and acknowledgements that left ports or were dropped there,
/// and what happened at the ends of paths, if `packets` are wanted, and the rows of its traces, all as columns, and the time in s before which no packet
/// is still to come. Gives the digest.
#[pyfunction]
#[pyo3(signature = (scenario_json, seed, run, take, packets=true, control=None))]
pub fn follow(
    py: Python<'_>,
    scenario_json: &str,
    seed: u64,
    run: u64,
    take: Bound<'_, PyAny>,
    packets: bool,
    control: Option<Bound<'_, Control>>,
) -> PyResult<String> {
    let mut watch = Watch::new(control.as_ref().map(Bound::get));
    let scenario = watch.read(py, scenario_json)?;
    let mut running = watch.build(py, &scenario, seed, run, Rows::Dropped)?;
    if packets {
        running.follow_packets();
    }
    let mut events = 0;
    loop {
        events += FOLLOWED;
        let complete = watch.advance(py, &mut running, events, usize::MAX)?;
        let Followed { packets, ends, traces, until } = py.detach(|| running.take_followed(&scenario, complete));
        let until = if complete { f64::INFINITY } else { until.as_secs_f64() };
        take.call1((columns(py, packets)?, columns(py, ends)?, columns(py, traces)?, until))?;
        if complete {
            return Ok(format!("{:016x}", running.digest().value()));
        }
    }
}

/// Runs a scenario for its cost alone: (events, data packets offered to the network, data packets delivered, transmissions of packets
/// and acknowledgements hop by hop, digest), no tables.
#[pyfunction]
pub fn measure(py: Python<'_>, scenario_json: &str) -> PyResult<(u64, u64, u64, u64, String)> {
    let mut watch = Watch::new(None);
    let scenario = watch.read(py, scenario_json)?;
    let mut running = watch.build(py, &scenario, scenario.seed, 0, Rows::Dropped)?;
    drop(scenario);
    watch.advance(py, &mut running, u64::MAX, usize::MAX)?;
    let (sent, received) = running.packets();
    let digest = format!("{:016x}", running.digest().value());
    Ok((running.digest().events, sent, received, running.transmissions(), digest))
}

/// Runs `rounds` packets through a discipline that holds a backlog of `flows` flows; the caller takes the time.
#[pyfunction]
pub fn churn(py: Python<'_>, discipline: &str, flows: u32, rounds: u64) -> PyResult<u64> {
    py.detach(|| headgate_bench::churn(discipline, flows.max(1), rounds))
        .ok_or_else(|| PyKeyError::new_err(format!("{discipline:?} is no queueing discipline")))
}
