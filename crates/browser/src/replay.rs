//! Replays of a capture that the page has opened. Its bytes stay here, and are read again for each way to tell flows apart.

use crate::kept::{Drawn, Kept};
use crate::request::{Failure, Request};
use crate::run::MOST;
use crate::session::{Step, Work};
use headgate_replay::{Kept as Packets, Kind, Replay, TraceError, TraceFile};
use headgate_sim::spec::SpecError;
use headgate_sim::spec::document::{Value, put};
use headgate_view::replay::{
    FEW, FIRST, FIRST_S, Found, Limits, Reading, Running, Settings, controls, initial, with_value,
};
use serde_json::{Value as Json, json};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

/// The longest file in bytes: the module has 4 GB at most, and a replay takes some of them.
pub(crate) const LONGEST: usize = 500_000_000;

/// Bytes that the packets of the file may take, so that they need not be read again.
const PACKETS: usize = 500_000_000;

/// Ways to tell flows apart whose counts are remembered.
const READINGS: usize = 8;

/// Bytes that several readings share.
#[derive(Clone)]
struct Bytes(Arc<Vec<u8>>);

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

/// What one way to read the file has found, and the packets if they fit.
#[derive(Clone)]
struct Read {
    how: Reading,
    found: Arc<Found>,
    packets: Option<(Arc<Packets>, u32)>,
}

/// A file that was opened.
pub(crate) struct Trace {
    name: String,
    kind: Kind,
    bytes: Bytes,
    /// The last one first.
    read: RefCell<Vec<Read>>,
}

impl Trace {
    /// Of the bytes of a file of this name.
    ///
    /// # Errors
    /// It is no trace.
    pub fn open(name: &str, bytes: Vec<u8>) -> Result<Trace, Failure> {
        let bytes = Bytes(Arc::new(bytes));
        let kind = TraceFile::in_memory(name, bytes.clone()).map_err(|e| Failure::from(e).named(name))?.kind();
        Ok(Trace { name: name.to_owned(), kind, bytes, read: RefCell::default() })
    }

    /// A failure to open it, with its name. What is no capture is read as a table, which its name may not have promised.
    fn failed(&self, failure: Failure) -> Failure {
        let mut failure = failure.named(&self.name);
        if self.kind == Kind::Csv && !self.name.to_ascii_lowercase().contains(".csv") {
            failure.fault.message += ". Expected a capture in pcap or pcapng format, or a table in CSV.";
        }
        failure
    }

    fn file(&self) -> Result<TraceFile, TraceError> {
        TraceFile::in_memory(&self.name, self.bytes.clone())
    }

    /// The settings that were posted, for this trace whatever name they have.
    fn settings(&self, given: &Value) -> Result<Settings, SpecError> {
        let mut data = given.clone();
        put(data.table(), "replay", Value::Text(self.name.clone()));
        Settings::of(&data, &self.name, self.kind)
    }

    /// What is the same in all ways to read it, as the last one has it.
    fn seen(&self) -> Result<Arc<Found>, Failure> {
        let read = self.read.borrow();
        let last =
            read.first().ok_or_else(|| Failure::new(404, "The file was not read; expected it to be opened again."))?;
        Ok(Arc::clone(&last.found))
    }

    fn read_so(&self, how: &Reading) -> Option<Read> {
        let mut all = self.read.borrow_mut();
        let place = all.iter().position(|read| read.how == *how)?;
        all[..=place].rotate_right(1);
        all.first().cloned()
    }

    /// Remembers a reading; packets of others leave where all together would take too much.
    fn remember(&self, read: Read) {
        let mut all = self.read.borrow_mut();
        all.insert(0, read);
        all.truncate(READINGS);
        let mut taken = 0;
        for read in all.iter_mut() {
            taken += read.packets.as_ref().map_or(0, |(packets, _)| packets.size());
            if taken > PACKETS {
                read.packets = None;
            }
        }
    }
}

/// The capture, if it was opened.
///
/// # Errors
/// There is none: a link holds settings alone.
fn opened<'a>(trace: Option<&'a Rc<Trace>>, given: &Value) -> Result<&'a Rc<Trace>, Failure> {
    trace.ok_or_else(|| {
        let name: String = match given.get("replay") {
            Some(Value::Text(name)) => name.chars().take(80).collect(),
            _ => String::new(),
        };
        Failure::new(
            422,
            format!(
                "replay: these are settings for a replay of {name:?}, and a link does not hold the trace; expected that it is opened on this page first, \
                 or a page with it: headgate explore {name}"
            ),
        )
    })
}

/// The settings in a request, if it is about a replay.
pub(crate) fn posted(request: &Request) -> Option<&Value> {
    request.body.get("scenario").filter(|given| given.get("replay").is_some())
}

/// The controls of the settings that were posted.
///
/// # Errors
/// Something in them is wrong, or no capture was opened.
pub(crate) fn controls_of(trace: Option<&Rc<Trace>>, given: &Value) -> Result<Json, Failure> {
    let trace = opened(trace, given)?;
    Ok(json!({ "controls": controls(&trace.settings(given)?, &*trace.seen()?) }))
}

/// The settings that were posted with one value changed, and their controls.
///
/// # Errors
/// Something in them is wrong, or no capture was opened.
pub(crate) fn set(
    trace: Option<&Rc<Trace>>,
    given: &Value,
    path: &str,
    value: &Value,
) -> Result<(Value, Vec<headgate_view::Control>), Failure> {
    let trace = opened(trace, given)?;
    let found = trace.seen()?;
    let changed = with_value(&trace.settings(given)?, &found, path, value)?;
    let controls = controls(&changed, &found);
    Ok((changed.data, controls))
}

/// The file while it is read to its end.
struct Counting {
    trace: Rc<Trace>,
    how: Reading,
    replay: Replay,
    /// The last packet was read.
    over: bool,
}

impl Counting {
    fn begin(trace: &Rc<Trace>, how: Reading) -> Result<Counting, Failure> {
        let mut replay = Replay::new(&how.counting());
        replay.keep_trace(PACKETS);
        replay.read(trace.file()?, how.classify.parse().unwrap_or_default())?;
        Ok(Counting { trace: Rc::clone(trace), how, replay, over: false })
    }

    /// Reads some packets; the share that is done, or what was found.
    fn step(&mut self, packets: usize) -> Result<Result<f64, Read>, Failure> {
        if !self.over {
            self.over = !self.replay.step(packets)?;
            return Ok(Ok((self.replay.position() as f64 / self.trace.bytes.0.len().max(1) as f64).min(1.0)));
        }
        if self.replay.finish(packets)? {
            return Ok(Ok(1.0));
        }
        let found = Found::of(&self.replay).ok_or_else(|| Failure::new(500, "the trace was not counted"))?;
        let longest = self.replay.keeper().map_or(0, headgate_replay::Keeper::longest);
        let packets = self.replay.kept().map(|kept| (Arc::new(kept), longest));
        let read = Read { how: self.how.clone(), found: Arc::new(found), packets };
        self.trace.remember(read.clone());
        Ok(Err(read))
    }
}

/// What a page begins with that has opened a file: it is read first.
pub(crate) struct Opening(Counting);

impl Opening {
    /// Begins it.
    ///
    /// # Errors
    /// Its beginning is wrong.
    pub fn begin(trace: &Rc<Trace>) -> Result<Opening, Failure> {
        let how = Reading::of_kind(trace.kind);
        Counting::begin(trace, how).map(Opening).map_err(|failure| trace.failed(failure))
    }
}

impl Work for Opening {
    fn step(&mut self, events: u64, _seconds: f64) -> Result<Step, Failure> {
        let trace = Rc::clone(&self.0.trace);
        let read = match self.0.step(events as usize).map_err(|failure| trace.failed(failure))? {
            Ok(share) => return Ok(Step::Going(share)),
            Err(read) => read,
        };
        let (data, sentences) = initial(&read.found, &trace.name, trace.kind);
        let settings = trace.settings(&data)?;
        let title = format!("Replay of {}", trace.name);
        Ok(Step::Told(json!({
            "title": title, "scenario": settings.data, "controls": controls(&settings, &read.found), "chosen": sentences,
        })))
    }
}

/// A replay that the page shows.
pub(crate) struct Replaying {
    trace: Rc<Trace>,
    settings: Arc<Settings>,
    going: Going,
    /// Its first part was shown.
    begun: bool,
}

enum Going {
    /// The file is read.
    Reads(Box<Counting>),
    /// Its packets pass through the queue.
    Runs { found: Arc<Found>, replay: Box<Replay>, running: Box<Running>, over: bool },
}

impl Replaying {
    /// Begins one.
    ///
    /// # Errors
    /// Something in the settings is wrong, or no capture was opened.
    pub fn begin(request: &Request, trace: Option<&Rc<Trace>>, given: &Value) -> Result<Replaying, Failure> {
        let trace = opened(trace, given)?;
        let mut given = given.clone();
        if let Some(seed) = request.whole("seed")? {
            put(given.table(), "seed", Value::Integer(seed.to_string(), 10));
        }
        let settings = Arc::new(trace.settings(&given)?);
        let going = match trace.read_so(&settings.reading) {
            Some(read) => Going::runs(trace, &settings, &read)?,
            None => Going::Reads(Box::new(Counting::begin(trace, settings.reading.clone())?)),
        };
        Ok(Replaying { trace: Rc::clone(trace), settings, going, begun: false })
    }
}

impl Going {
    fn runs(trace: &Rc<Trace>, settings: &Arc<Settings>, read: &Read) -> Result<Going, Failure> {
        let mut replay = Replay::new(&settings.options);
        let kept = read.packets.as_ref();
        if !kept.is_some_and(|(packets, longest)| replay.read_kept(Arc::clone(packets), *longest)) {
            replay.read(trace.file()?, settings.reading.classify.parse().unwrap_or_default())?;
        }
        let (settings, found) = (Arc::clone(settings), Arc::clone(&read.found));
        let running = Running::begin(settings, Arc::clone(&found), &mut replay, Limits::of_bytes(MOST))?;
        Ok(Going::Runs { found, replay: Box::new(replay), running: Box::new(running), over: false })
    }
}

fn kept(running: &Running, replay: &mut Replay, until: Option<f64>, seconds: f64) -> Kept {
    let shown = running.shown(replay, until);
    let mut kept = Kept { done: shown.done, drawn: Drawn::Replay(shown.pictures), until: shown.until };
    kept.tell([("seconds", json!(seconds))]);
    kept
}

impl Work for Replaying {
    fn step(&mut self, events: u64, seconds: f64) -> Result<Step, Failure> {
        let packets = events as usize;
        let (found, replay, running, over) = match &mut self.going {
            Going::Reads(counting) => {
                return match counting.step(packets)? {
                    Ok(share) => Ok(Step::Going(share)),
                    Err(read) => {
                        self.going = Going::runs(&self.trace, &self.settings, &read)?;
                        Ok(Step::Going(0.0))
                    }
                };
            }
            Going::Runs { found, replay, running, over } => (found, replay, running, over),
        };
        let more = if *over { replay.finish(packets)? } else { true };
        if !*over {
            *over = !replay.step(packets)?;
        }
        running.collect(replay)?;
        if !more {
            return Ok(Step::Ran(kept(running, replay, None, seconds)));
        }
        let share = (replay.intake().packets as f64 / found.packets.max(1) as f64).min(1.0);
        let first = found.packets > FEW && share < FIRST && seconds > FIRST_S && running.reached() > 0.0;
        if first && !self.begun {
            self.begun = true;
            return Ok(Step::Shown(kept(running, replay, Some(running.reached()), seconds)));
        }
        Ok(Step::Going(share))
    }
}
