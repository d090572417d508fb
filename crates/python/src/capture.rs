//! The capture of a run: see [`SimulatedWriter`].

use headgate_capture::{SimulatedPacket, SimulatedPort, SimulatedWriter};
use headgate_queue::DropReason;
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::fs::File;
use std::io;
use std::path::PathBuf;

/// As many flows have addresses in a capture.
pub const MOST_FLOWS: usize = SimulatedWriter::<File>::MOST_FLOWS;

/// The bits of each code point, in the order of the engine's list: Not-ECT, ECT(0), ECT(1), CE (RFC 3168, section 5).
const ECN: [u8; 4] = [0b00, 0b10, 0b01, 0b11];

/// A capture in pcapng that is being written.
#[pyclass(module = "headgate._core")]
pub struct Capture(Option<SimulatedWriter<File>>);

#[pymethods]
impl Capture {
    /// Begins a file: a note on the whole, the names of flows, and of ports the name, what they are, and the rate in bit/s.
    #[new]
    fn new(path: PathBuf, note: &str, flows: Vec<String>, ports: Vec<(String, String, f64)>) -> PyResult<Capture> {
        let port = |(name, about, rate): (String, String, f64)| SimulatedPort {
            name,
            about,
            bits_per_second: (0.0 < rate && rate < 2f64.powi(63)).then(|| rate.round_ties_even() as u64),
        };
        let ports = ports.into_iter().map(port).collect();
        let writer = File::create(path).and_then(|file| SimulatedWriter::new(file, note, &flows, ports));
        writer.map(|writer| Capture(Some(writer))).map_err(|e| os_error(&e))
    }

    /// Writes packets, in the order of time, and counts those that wait at their ports at the end of the run; both as columns of int64.
    fn take(&mut self, packets: &Bound<'_, PyDict>, waiting: &Bound<'_, PyDict>) -> PyResult<()> {
        let writer = self.0.as_mut().ok_or_else(closed)?;
        if !packets.is_empty() {
            let of = |name: &str| column(packets, name);
            let [port, flow, entry, seq] = [of("port")?, of("flow")?, of("entry")?, of("seq")?];
            let [arrived, start, bytes, marked] = [of("arrived_ns")?, of("start_ns")?, of("bytes")?, of("marked")?];
            let [reason, arrival, departure] = [of("reason")?, of("arrival")?, of("departure")?];
            let [ack, ecn] = [of("ack")?, of("ecn")?];
            for i in 0..port.len() {
                let packet = SimulatedPacket {
                    port: port[i] as usize,
                    flow: flow[i],
                    entry: entry[i] as usize,
                    seq: seq[i] as u64,
                    arrived_ns: arrived[i],
                    start_ns: start[i],
                    bytes: bytes[i] as u32,
                    marked: marked[i] != 0,
                    marked_here: arrival[i] == 1 || departure[i] == 1,
                    dropped: (reason[i] > 0).then(|| DropReason::ALL[reason[i] as usize - 1].name()),
                    is_ack: ack[i] != 0,
                    ecn: ECN[ecn[i] as usize],
                };
                writer.write(&packet).map_err(|e| os_error(&e))?;
            }
        }
        if !waiting.is_empty() {
            column(waiting, "port")?.into_iter().for_each(|port| writer.waits(port as usize));
        }
        Ok(())
    }

    /// Writes what was counted and closes the file.
    fn finish(&mut self) -> PyResult<()> {
        self.0.take().ok_or_else(closed)?.finish().map_err(|e| os_error(&e))?;
        Ok(())
    }

    /// Closes the file, whole or not.
    fn close(&mut self) {
        self.0 = None;
    }
}

/// A column of int64.
fn column(table: &Bound<'_, PyDict>, name: &str) -> PyResult<Vec<i64>> {
    PyBuffer::get(&table.as_any().get_item(name)?)?.to_vec(table.py())
}

fn closed() -> PyErr {
    PyValueError::new_err("the capture is closed")
}

/// An error of the system as Python has it: its number, and its text without that.
fn os_error(e: &io::Error) -> PyErr {
    let text = e.to_string();
    match e.raw_os_error() {
        Some(number) => {
            PyOSError::new_err((number, text.trim_end_matches(&format!(" (os error {number})")).to_owned()))
        }
        None => PyOSError::new_err(text),
    }
}
