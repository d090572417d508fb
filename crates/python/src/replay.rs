//! A replay, driven a batch at a time: columns in, columns out.

use crate::column::Column;
use crate::interrupt::{interrupted, interruptible};
use crate::plugin::plugin_error;
use crate::run::{Tracked, columns, tracked};
use crate::scenario_error;
use crate::trace::{Trace, TraceFile, replay_error, trace_error};
use crate::view::Found;
use headgate_capture::{Classify, NotIp};
use headgate_packet::Time;
use headgate_replay::capture::CaptureOutput;
use headgate_replay::table::{Columns, Names, Times};
use headgate_replay::{CsvOutput, Keeper, Options};
use headgate_sim::Window;
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;
use std::sync::Arc;

/// The longest time without packets: its length in s, the packets before it and all, and the numbers of those before and after it and of the last.
type Gap = (f64, u64, u64, (u64, u64, u64));

/// Packets that are read and served together.
const BATCH: usize = 1 << 14;

/// Batches of a step, after which Python passes rows on and reports the progress.
const BATCHES: usize = 4;

/// A time in seconds since the first packet; the end of all time if it is beyond the clock.
fn time(seconds: f64) -> Time {
    Time::from_ps((seconds * 1e12) as u64)
}

/// A trace while it passes through one or several disciplines.
#[pyclass(module = "headgate._core")]
pub struct Replay {
    /// `None` after an interruption: then it belongs to a thread for which nothing waits.
    replay: Option<headgate_replay::Replay>,
    options: Options,
}

impl Replay {
    fn get(&self) -> PyResult<&headgate_replay::Replay> {
        self.replay.as_ref().ok_or_else(interrupted)
    }

    pub(crate) fn get_mut(&mut self) -> PyResult<&mut headgate_replay::Replay> {
        self.replay.as_mut().ok_or_else(interrupted)
    }
}

impl Replay {
    /// Whether no plugin has failed.
    fn sound(&self, py: Python<'_>) -> PyResult<()> {
        match self.get()?.fault() {
            Some((queue, fault)) => Err(plugin_error(py, &format!("queue {}", queue + 1), fault)),
            None => Ok(()),
        }
    }
}

#[pymethods]
impl Replay {
    /// A replay with these options, as JSON text.
    #[new]
    fn new(py: Python<'_>, options: &str) -> PyResult<Replay> {
        let options = Options::from_json(options).map_err(|e| scenario_error(py, &e))?;
        Ok(Replay { replay: Some(headgate_replay::Replay::new(&options)), options })
    }

    /// The options with every default, as JSON text.
    #[getter]
    fn options(&self) -> String {
        self.options.to_json()
    }

    /// The trace is a CSV file or a capture, in which `classify` determines which packets are one flow.
    fn read(&mut self, py: Python<'_>, file: &mut TraceFile, classify: &str) -> PyResult<()> {
        let classify: Classify = classify.parse().map_err(PyValueError::new_err)?;
        let file = file.0.take().ok_or_else(interrupted)?;
        interruptible(py, &mut self.replay, move |r| r.read(file, classify))?.map_err(|e| trace_error(&e))
    }

    /// Whether the priorities of a table are code points.
    fn take_code_points(&mut self, code_points: bool) -> PyResult<()> {
        self.get_mut()?.take_code_points(code_points);
        Ok(())
    }

    /// The trace is one that was kept; false if a packet of it is too long for this line: then its file says where.
    fn read_trace(&mut self, trace: &Trace) -> PyResult<bool> {
        let (kept, longest) = (Arc::clone(&trace.kept), trace.longest);
        Ok(self.get_mut()?.read_kept(kept, longest))
    }

    /// The packets of the trace are counted, and kept if they take at most `most` bytes.
    fn keep_trace(&mut self, most: usize) -> PyResult<()> {
        self.get_mut()?.keep_trace(most);
        Ok(())
    }

    /// The trace, at its end, if it was to be kept and fitted.
    fn kept(&mut self) -> PyResult<Option<Trace>> {
        let replay = self.get_mut()?;
        let longest = replay.keeper().map_or(0, Keeper::longest);
        Ok(replay.kept().map(|kept| Trace { kept: Arc::new(kept), longest }))
    }

    /// What was counted.
    fn counted(&self) -> PyResult<Found> {
        Found::of(self.get()?).ok_or_else(|| PyValueError::new_err("the trace was not counted"))
    }

    /// Follows the first `most` packets that are there at `from` or arrive later, by `to`, with the numbers that decide about those that arrive.
    fn decide(&mut self, queue: usize, from: f64, to: f64, most: usize) -> PyResult<()> {
        self.get_mut()?.decide(queue, Window { from: time(from), to: time(to), most });
        Ok(())
    }

    /// The time up to which packets are followed with their numbers, if all of them are gone.
    fn decided_until(&self, queue: usize) -> PyResult<Option<f64>> {
        Ok(self.get()?.decided_until(queue).map(Time::as_secs_f64))
    }

    /// The packets that were followed, as `tracks` gives those of a run.
    fn decided<'py>(&mut self, py: Python<'py>, queue: usize) -> PyResult<Tracked<'py>> {
        let until = self.decided_until(queue)?.unwrap_or(f64::INFINITY);
        let found = self.get_mut()?.decided(queue);
        tracked(py, &found.ok_or_else(|| PyValueError::new_err("no packet was followed"))?, until)
    }

    /// Whether a discipline drew random numbers so far.
    fn drew(&self, queue: usize) -> PyResult<bool> {
        Ok(self.get()?.drew(queue))
    }

    /// Rows of a discipline are written into a CSV file.
    fn write_csv(&mut self, queue: usize, path: PathBuf) -> PyResult<()> {
        self.get_mut()?.write_csv(queue, CsvOutput::create(&path)?);
        Ok(())
    }

    /// Packets that a discipline sends are written into a capture.
    fn write_capture(&mut self, queue: usize, path: PathBuf) -> PyResult<()> {
        self.get_mut()?.write_capture(queue, CaptureOutput::create(&path)?);
        Ok(())
    }

    /// Rows of a discipline are kept until they are taken.
    fn keep_rows(&mut self, queue: usize) -> PyResult<()> {
        self.get_mut()?.keep_rows(queue);
        Ok(())
    }

    /// Replays some packets of the file; false at its end.
    fn step(&mut self, py: Python<'_>) -> PyResult<bool> {
        let work = |replay: &mut headgate_replay::Replay| {
            for _ in 0..BATCHES {
                if !replay.step(BATCH)? {
                    return Ok(false);
                }
            }
            Ok(true)
        };
        let more = interruptible(py, &mut self.replay, work)?.map_err(replay_error)?;
        self.sound(py).map(|()| more)
    }

    /// Replays rows of a table. Times are seconds (float64), whole ticks of a number of picoseconds (int64), or
    /// decimals (pairs of int64, the lower word first) with a number of digits after the point.
    #[allow(clippy::too_many_arguments, reason = "one per column")]
    fn push(
        &mut self,
        py: Python<'_>,
        times: &Bound<'_, PyAny>,
        tick_ps: Option<i64>,
        digits: Option<i32>,
        flows: PyBuffer<i32>,
        names: Vec<String>,
        sizes: PyBuffer<i64>,
        weights: Option<PyBuffer<i64>>,
        priorities: Option<PyBuffer<i64>>,
        ecn: Option<PyBuffer<i64>>,
        sources: Option<(PyBuffer<i32>, Vec<String>)>,
        destinations: Option<(PyBuffer<i32>, Vec<String>)>,
    ) -> PyResult<()> {
        let times = match (tick_ps, digits) {
            (None, None) => Times::Seconds(PyBuffer::get(times)?.to_vec(py)?),
            (Some(tick), _) => Times::Ticks(PyBuffer::get(times)?.to_vec(py)?, i128::from(tick)),
            (None, Some(digits)) => {
                let words: Vec<i64> = PyBuffer::get(times)?.to_vec(py)?;
                let (pairs, _) = words.as_chunks::<2>();
                let numbers = pairs.iter().map(|[low, high]| i128::from(*high) << 64 | i128::from(*low as u64));
                Times::Decimals(numbers.collect(), digits)
            }
        };
        let optional = |column: Option<PyBuffer<i64>>| column.map(|c| c.to_vec(py)).transpose();
        let hosts = |column: Option<(PyBuffer<i32>, Vec<String>)>| {
            let named = |(codes, names): (PyBuffer<i32>, Vec<String>)| {
                Ok::<_, PyErr>(Names { codes: codes.to_vec(py)?, names })
            };
            column.map(named).transpose()
        };
        let table = Columns {
            times,
            flows: flows.to_vec(py)?,
            names,
            sizes: sizes.to_vec(py)?,
            weights: optional(weights)?,
            priorities: optional(priorities)?,
            ecn: optional(ecn)?,
            sources: hosts(sources)?,
            destinations: hosts(destinations)?,
        };
        interruptible(py, &mut self.replay, move |r| r.push(&table))?.map_err(replay_error)?;
        self.sound(py)
    }

    /// The trace is over: sends some of the waiting packets; false when none waits and the outputs are complete.
    fn finish(&mut self, py: Python<'_>) -> PyResult<bool> {
        let more = interruptible(py, &mut self.replay, |r| r.finish(BATCHES * BATCH))?.map_err(replay_error)?;
        self.sound(py).map(|()| more)
    }

    /// Bytes of the file read so far.
    #[getter]
    fn position(&self) -> PyResult<u64> {
        Ok(self.get()?.position())
    }

    /// Packets replayed so far.
    #[getter]
    fn packets(&self) -> PyResult<u64> {
        Ok(self.get()?.intake().packets)
    }

    /// Faults skipped, by kind.
    #[getter]
    fn skipped(&self) -> PyResult<Vec<(&'static str, u64)>> {
        Ok(self.get()?.intake().skipped().iter().map(|(k, n)| (*k, *n)).collect())
    }

    /// Packets that are not IP, by what they are: the kind's name and how many.
    #[getter]
    fn not_ip(&self) -> PyResult<Vec<(String, u64)>> {
        let kinds = self.get()?.intake().not_ip.iter().filter(|(why, _)| **why != NotIp::CutOff);
        Ok(kinds.map(|(why, n)| (why.to_string(), *n)).collect())
    }

    /// Packets of which too little was captured: for their addresses, and for their ports alone.
    #[getter]
    fn truncated(&self) -> PyResult<(u64, u64)> {
        let intake = self.get()?.intake();
        Ok((intake.not_ip.get(&NotIp::CutOff).copied().unwrap_or(0), intake.ports_missing))
    }

    /// Where the file could not be read any more, and what was found there.
    #[getter]
    fn ended(&self) -> PyResult<Option<(String, String)>> {
        Ok(self.get()?.intake().ended.as_ref().map(|(place, found)| (place.to_string(), found.clone())))
    }

    /// Captures that stood in the file one after the other.
    #[getter]
    fn captures(&self) -> PyResult<u64> {
        Ok(self.get()?.intake().captures)
    }

    /// The longest time in which no packet arrived.
    #[getter]
    fn gap(&self) -> PyResult<Gap> {
        let intake = self.get()?.intake();
        let (before, after) = intake.gap.between;
        Ok((intake.gap.ps as f64 * 1e-12, intake.gap.before, intake.taken, (before, after, intake.last)))
    }

    /// Packets of a capture that do nothing but acknowledge, and those without data of which not all of the header was captured; counted where a queue
    /// filters acknowledgements.
    #[getter]
    fn acknowledgements(&self) -> PyResult<(u64, u64)> {
        let headers = &self.get()?.intake().headers;
        Ok((headers.acknowledgements, headers.cut_off))
    }

    /// Packets longer than an Ethernet sends, or than they may be where they are cut, and the length of the longest.
    #[getter]
    fn large(&self) -> PyResult<(u64, u32)> {
        let large = &self.get()?.intake().large;
        Ok((large.packets, large.longest))
    }

    /// Hosts that the trace names.
    #[getter]
    fn hosts(&self) -> PyResult<usize> {
        Ok(self.get()?.intake().flows.count_hosts())
    }

    /// Seconds from the first packet to the last.
    #[getter]
    fn length(&self) -> PyResult<f64> {
        Ok(self.get()?.intake().length().as_secs_f64())
    }

    /// The first packet's time in seconds, as exact text.
    #[getter]
    fn origin(&self) -> PyResult<String> {
        let mut text = Vec::new();
        self.get()?.intake().origin().write(headgate_packet::Time::ZERO, &mut text);
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    /// Names of the flows from number `first` on, in the order of their first packets.
    fn flow_names(&self, first: usize) -> PyResult<Vec<String>> {
        Ok(self.get()?.intake().flows.names().iter().skip(first).cloned().collect())
    }

    /// The next rows of a discipline, a step's at most, as columns; flows by number, reasons by number from 1, nan for no time.
    fn rows<'py>(&mut self, py: Python<'py>, queue: usize) -> PyResult<Bound<'py, PyDict>> {
        columns(py, self.get_mut()?.packet_table(queue, BATCHES * BATCH))
    }

    /// What a discipline did to each flow, as columns.
    fn flows<'py>(&self, py: Python<'py>, queue: usize) -> PyResult<Bound<'py, PyDict>> {
        columns(py, self.get()?.flow_table(queue))
    }

    /// What a discipline did in all, as columns of one value.
    fn all<'py>(&mut self, py: Python<'py>, queue: usize) -> PyResult<Bound<'py, PyDict>> {
        columns(py, self.get_mut()?.summary_table(queue))
    }

    /// Series over time of a discipline: (width of a bin in s, columns of bins by flow, columns of all flows' bytes).
    fn series<'py>(&self, py: Python<'py>, queue: usize) -> PyResult<(f64, Bound<'py, PyDict>, Bound<'py, PyDict>)> {
        let (bins, flux) = (PyDict::new(py), PyDict::new(py));
        let Some(series) = self.get()?.series(queue) else { return Ok((0.0, bins, flux)) };
        let cells = || {
            series.flows().iter().enumerate().flat_map(|(f, bins)| {
                bins.iter().enumerate().filter(|(_, b)| b.sent + b.drops > 0).map(move |(i, b)| (f, i, b))
            })
        };
        let ints = |values: Vec<i64>| Bound::new(py, Column::ints(values));
        let floats = |values: Vec<f64>| Bound::new(py, Column::floats(values));
        bins.set_item("flow", ints(cells().map(|(f, _, _)| f as i64).collect())?)?;
        bins.set_item("bin", ints(cells().map(|(_, i, _)| i as i64).collect())?)?;
        bins.set_item("sent", ints(cells().map(|(_, _, b)| b.sent as i64).collect())?)?;
        bins.set_item("drops", ints(cells().map(|(_, _, b)| b.drops as i64).collect())?)?;
        bins.set_item("mean_s", floats(cells().map(|(_, _, b)| b.delay_ps as f64 * 1e-12 / b.sent as f64).collect())?)?;
        bins.set_item("max_s", floats(cells().map(|(_, _, b)| b.greatest.as_secs_f64()).collect())?)?;
        let bytes = |f: fn(&headgate_replay::Flux) -> u64| ints(series.flux().iter().map(|x| f(x) as i64).collect());
        flux.set_item("arrived", bytes(|x| x.arrived)?)?;
        flux.set_item("departed", bytes(|x| x.departed)?)?;
        flux.set_item("dropped", bytes(|x| x.dropped)?)?;
        Ok((series.width().as_secs_f64(), bins, flux))
    }
}
