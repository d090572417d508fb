//! Flow controls in processes of their own, whose code is not trusted: the end of the run, and the end in such a process.
//!
//! The run's end believes nothing: each answer has a length, a time within which it has to be there as a whole, and numbers that the engine checks. It needs
//! Python only to start a process and to say how one ended.

use super::control::{Class, Object};
use super::{Described, enter, raised, wire};
use headgate_control::REGISTRY;
use headgate_control::foreign::{Answer, Control, Event, Make, Wants};
use headgate_control::transport::Config;
use headgate_packet::foreign::{Failure, Value};
use pyo3::exceptions::{PyEOFError, PyValueError};
use pyo3::prelude::*;
use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::mem::ManuallyDrop;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::time::{Duration, Instant};

/// Bytes that are kept back until an answer is wanted.
const KEPT: usize = 1 << 13;

/// A process in which a flow control runs.
struct Cell {
    /// Pipes to it and from it. A pair of sockets takes twice the time of the processor, and wakes the other end on another one.
    requests: File,
    answers: File,
    /// Python's side of it: `ended()` says how it ended, `close()` ends it.
    handle: Py<PyAny>,
    /// Time for one answer, and what is left for all.
    limit: Duration,
    left: Duration,
    /// The last answer, which holds while nothing is asked.
    last: Answer,
    out: Vec<u8>,
}

impl Cell {
    /// Sends what waits, and takes an answer.
    fn ask(&mut self) -> Result<Answer, Failure> {
        let began = clock();
        let answer = self.send(began).and_then(|()| self.receive(began));
        self.out.clear();
        let taken = began.elapsed();
        let Some(left) = self.left.checked_sub(taken) else {
            return Err(self.end("its answers took more than they may together"));
        };
        self.left = left;
        answer
    }

    /// The time that is left for this answer.
    fn remaining(&self, began: Instant) -> Result<Duration, Failure> {
        match self.limit.checked_sub(began.elapsed()).filter(|left| !left.is_zero()) {
            Some(left) => Ok(left),
            None => Err(self.late()),
        }
    }

    fn late(&self) -> Failure {
        self.end(&format!("it did not answer within {} s", self.limit.as_secs_f64()))
    }

    fn send(&mut self, began: Instant) -> Result<(), Failure> {
        let mut sent = 0;
        while sent < self.out.len() {
            match self.requests.write(&self.out[sent..]) {
                Ok(0) => return Err(self.ended()),
                Ok(count) => sent += count,
                Err(e) if e.kind() == ErrorKind::WouldBlock => self.ready(&self.requests, libc::POLLOUT, began)?,
                Err(e) => self.go_on(&e)?,
            }
        }
        Ok(())
    }

    fn receive(&mut self, began: Instant) -> Result<Answer, Failure> {
        // One byte more than an answer: it would be one that nobody asked for.
        let mut buffer = [0; wire::HEAD + wire::FAULT + 1];
        let (mut got, mut room) = (0, wire::HEAD + wire::BODY + 1);
        let found = loop {
            // It may come in pieces: the time does not begin again with each of them.
            self.ready(&self.answers, libc::POLLIN, began)?;
            match self.answers.read(&mut buffer[got..room]) {
                Ok(0) => return Err(self.ended()),
                Ok(count) => got += count,
                Err(e) if e.kind() == ErrorKind::WouldBlock => continue,
                Err(e) => self.go_on(&e)?,
            }
            if got >= wire::HEAD {
                let length = u32::from_le_bytes(buffer[1..wire::HEAD].try_into().expect("four bytes")) as usize;
                if buffer[0] > 1 || length > wire::FAULT {
                    return Err(self.end("its process wrote something else than answers"));
                }
                if got > wire::HEAD + length {
                    return Err(self.end("its process answered more than it was asked"));
                }
                if got == wire::HEAD + length {
                    break &buffer[wire::HEAD..got];
                }
                room = wire::HEAD + length + 1;
            }
        };
        if buffer[0] == 1 {
            Err(Failure::new(String::from_utf8_lossy(found).into_owned()))
        } else {
            wire::read_answer(found).map_err(|e| self.end(&format!("its process says what cannot be: {e}")))
        }
    }

    /// Waits until a pipe is ready, as long as there is time for this answer.
    fn ready(&self, pipe: &File, events: libc::c_short, began: Instant) -> Result<(), Failure> {
        loop {
            let left = self.remaining(began)?;
            let mut asked = libc::pollfd { fd: pipe.as_raw_fd(), events, revents: 0 };
            let most = i32::try_from(left.as_millis() + 1).unwrap_or(i32::MAX);
            // SAFETY: one entry, which lives until the call returns.
            match unsafe { libc::poll(&raw mut asked, 1, most) } {
                0 => {}
                1.. => return Ok(()),
                _ => self.go_on(&std::io::Error::last_os_error())?,
            }
        }
    }

    /// Whether to go on after an error of a pipe.
    fn go_on(&self, e: &std::io::Error) -> Result<(), Failure> {
        match e.kind() {
            ErrorKind::Interrupted => Python::attach(|py| py.check_signals().map_err(|e| raised(py, e))),
            _ => Err(self.ended()),
        }
    }

    /// How the process ended.
    fn ended(&self) -> Failure {
        enter(|py| match self.handle.bind(py).call_method0("ended").and_then(|text| text.extract::<String>()) {
            Ok(text) => Failure::new(text),
            Err(e) => raised(py, e),
        })
    }

    /// Ends the process, which did what it may not.
    fn end(&self, why: &str) -> Failure {
        self.close();
        Failure::new(why)
    }

    fn close(&self) {
        // Nobody could do anything about what goes wrong here.
        let _ = enter(|py| self.handle.bind(py).call_method0("close").map(drop));
    }
}

impl Drop for Cell {
    fn drop(&mut self) {
        self.close();
    }
}

impl Control for Cell {
    fn call(&mut self, event: Event<'_>) -> Result<Answer, Failure> {
        // What is sent while others are in flight changes nothing: the process is told with the next event, in one go.
        let quiet = matches!(event, Event::Sent(_, _, 1.., _)) && self.out.len() < KEPT;
        wire::write(&mut self.out, &event, quiet);
        if quiet {
            return Ok(self.last);
        }
        self.last = self.ask()?;
        Ok(self.last)
    }

    fn probe(&self, _sink: &mut dyn FnMut(&'static str, f64)) {}
}

/// Makes processes.
struct Cells {
    /// Gives Python's side of a process that is ready, of which `descriptors()` hands over our ends of the pipes to it and from it.
    factory: Py<PyAny>,
    class: Class,
    limit: Duration,
    all: Duration,
}

impl Make for Cells {
    fn make(&self, values: &Value) -> Result<Box<dyn Control>, Failure> {
        enter(|py| {
            let made = || -> PyResult<Cell> {
                let handle = self.factory.bind(py).call1((values.to_string(),))?;
                let (to, from): (RawFd, RawFd) = handle.call_method0("descriptors")?.extract()?;
                if to < 0 || from < 0 {
                    return Err(PyValueError::new_err("expected two descriptors"));
                }
                // SAFETY: `descriptors` gives away what nobody else uses.
                let [requests, answers] = [to, from].map(|fd| File::from(unsafe { OwnedFd::from_raw_fd(fd) }));
                let last = Answer { window: None, rate: None, burst: 1.0, slow_start: false };
                let (limit, left) = (self.limit, self.all);
                Ok(Cell { requests, answers, handle: handle.unbind(), limit, left, last, out: Vec::new() })
            };
            made().map(|cell| Box::new(cell) as Box<dyn Control>).map_err(|e| raised(py, e))
        })
    }

    fn transport(&self) -> Config {
        self.class.transport()
    }

    fn wants(&self) -> Wants {
        self.class.wants()
    }
}

/// Registers a flow control whose objects are in processes of their own. `factory` makes Python's side of one, with complete parameters as JSON; it has
/// `limit_s` for an answer, and `all_s` for all of a flow. The others are those of `register_control`.
#[pyfunction]
#[pyo3(signature = (described, factory, calls, every, ecn, rate_samples, limit_s, all_s))]
#[expect(clippy::too_many_arguments, reason = "Python's callers name them")]
pub fn register_cells(
    py: Python<'_>,
    described: Described,
    factory: Py<PyAny>,
    calls: Vec<String>,
    every: &str,
    ecn: &str,
    rate_samples: bool,
    limit_s: f64,
    all_s: f64,
) -> PyResult<()> {
    let seconds = |s: f64| Duration::try_from_secs_f64(s).map_err(|e| PyValueError::new_err(e.to_string()));
    let class = Class::new(factory.clone_ref(py), &calls, &[], every, ecn, rate_samples);
    let cells = Cells { factory, class, limit: seconds(limit_s)?, all: seconds(all_s)? };
    REGISTRY.add(described.entry(Box::new(cells) as Box<dyn Make>)?);
    Ok(())
}

/// The end in such a process: hands events from standard input on to an object, and writes its answers to standard output, until the input ends. Gives
/// nothing; an exception of the object is an answer, too.
#[pyfunction]
pub fn serve_cell(py: Python<'_>, object: Bound<'_, PyAny>) -> PyResult<()> {
    let mut served = Object::of(py, object, Vec::new())?;
    let mut input = std::io::stdin().lock();
    // SAFETY: it is open as long as this process lives. Rust's own standard output looks for the ends of lines, and may write an answer in parts.
    let mut output = ManuallyDrop::new(unsafe { File::from_raw_fd(1) });
    let mut bytes = [0; 8 * 24];
    let mut numbers = [0; 24];
    loop {
        let mut kind = [0];
        if input.read_exact(&mut kind).is_err() {
            return Ok(());
        }
        let count = wire::numbers(kind[0]).ok_or_else(|| PyEOFError::new_err("expected an event"))?;
        if input.read_exact(&mut bytes[..8 * count]).is_err() {
            return Ok(());
        }
        for (number, eight) in numbers.iter_mut().zip(bytes.chunks_exact(8)) {
            *number = u64::from_le_bytes(eight.try_into().expect("eight bytes"));
        }
        let received = wire::read(kind[0], &numbers);
        let quiet = kind[0] & wire::QUIET != 0;
        let written = match served.call(received.event()) {
            Ok(_) if quiet => continue,
            Ok(answer) => output.write_all(&wire::answer(&answer)),
            Err(failure) => {
                output.write_all(&wire::fault(&failure.text))?;
                return Ok(());
            }
        };
        written?;
    }
}

/// The clock by which an answer is late.
#[allow(clippy::disallowed_methods, reason = "it says when to give up, never what a run does")]
fn clock() -> Instant {
    Instant::now()
}
