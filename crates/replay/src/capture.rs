//! Traces that are captures: reads their packets, and writes the packets that are sent as another capture.

use crate::clock::Origin;
use crate::error::{Fault, TraceError};
use crate::flows::Flows;
use crate::intake::{Intake, Place, Raw};
use crate::quick::QuickMap;
use crate::rows::Fate;
use crate::segments::Shape;
use crate::source::Counting;
use headgate_capture::{CaptureError, Classify, Frame, Key, LinkType, Missing, NotIp, Reader, Stamp, Writer, dissect};
use headgate_packet::Time;
use headgate_queue::DropReason;
use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Picoseconds in a nanosecond.
const NS: i128 = 1_000;

/// Reads a capture.
pub struct CaptureTrace {
    reader: Reader,
    position: Arc<AtomicU64>,
    classify: Classify,
    /// Only looked up, never iterated.
    numbers: QuickMap<Key, u32>,
    /// The conversation seen last; captures have runs of one.
    last: Option<(Key, u32)>,
    /// Packets with their bytes that were read and not taken yet, by their numbers in the trace.
    waiting: BTreeMap<u64, Kept>,
}

impl CaptureTrace {
    /// Reads the header of a capture.
    ///
    /// # Errors
    /// The bytes cannot be read or are no capture.
    pub fn new(bytes: impl Read + Send + Sync + 'static, classify: Classify) -> Result<CaptureTrace, TraceError> {
        let position = Arc::new(AtomicU64::new(0));
        let reader = Reader::new(Counting(bytes, Arc::clone(&position))).map_err(|e| in_header(&e))?;
        Ok(CaptureTrace {
            reader,
            position,
            classify,
            numbers: QuickMap::default(),
            last: None,
            waiting: BTreeMap::new(),
        })
    }

    /// Bytes read so far.
    pub fn position(&self) -> u64 {
        self.position.load(Ordering::Relaxed)
    }

    /// Hands up to `most` packets to `intake`, and those taken to `kept` if it is there; false at the end of the file.
    ///
    /// # Errors
    /// A fault that is not skipped, or the file cannot be read.
    pub fn read(
        &mut self,
        most: usize,
        intake: &mut Intake,
        mut kept: Option<&mut Frames>,
    ) -> Result<bool, TraceError> {
        let first = intake.arrivals.len();
        let more = self.next(most, intake, kept.as_deref_mut()).map_err(|e| self.joined(e))?;
        intake.captures = self.reader.captures();
        if !more {
            intake.end().map_err(|e| self.joined(e))?;
        }
        if let Some(kept) = kept.filter(|_| intake.waits()) {
            // Those that were sorted stand in the order in which they were taken; of those before the first one that waits the others were skipped.
            let taken = intake.arrivals[first..].iter().filter_map(|arrival| self.waiting.remove(&arrival.number));
            kept.window.extend(taken.map(Some));
            self.waiting = intake.oldest().map_or_else(BTreeMap::new, |oldest| self.waiting.split_off(&oldest));
        }
        Ok(more)
    }

    /// Reads up to `most` packets; false at the end of the file.
    fn next(&mut self, most: usize, intake: &mut Intake, mut kept: Option<&mut Frames>) -> Result<bool, TraceError> {
        for _ in 0..most {
            let frame = match self.reader.next() {
                Ok(Some(frame)) => frame,
                Ok(None) => return Ok(false),
                Err(e) => {
                    fault(&e, intake)?;
                    continue;
                }
            };
            let found = dissect(&frame);
            let key = match &found {
                Ok(found) => {
                    let key = found.key(self.classify);
                    if found.missing.is_some() {
                        intake.ports_missing += u64::from(found.missing == Some(Missing::Ports));
                        *intake.not_ip.entry(NotIp::CutOff).or_default() += u64::from(key == Key::CUT_OFF);
                    }
                    key
                }
                Err(why) => {
                    *intake.not_ip.entry(*why).or_default() += 1;
                    Key::without(*why)
                }
            };
            let ends = found.as_ref().ok().map(|found| found.endpoints);
            let raw = Raw {
                place: Place::Packet(frame.number),
                number: frame.number,
                time: i128::from(frame.time.nanos()) * NS,
                size: i64::from(frame.bytes),
                weight: None,
                hosts: [Flows::APART; 2],
                priority: ends.map_or(0, |e| i64::from(e.dscp())),
                ecn: Some(ends.map_or(0, |e| i64::from(e.ecn()))),
                shape: found.as_ref().ok().map(|found| Shape::of(&frame, found)),
            };
            let (numbers, last) = (&mut self.numbers, &mut self.last);
            let taken = intake.take(raw, |flows| match last {
                Some((k, number)) if *k == key => *number,
                _ => {
                    let number = *numbers.entry(key).or_insert_with(|| flow_of(key, flows));
                    *last = Some((key, number));
                    number
                }
            })?;
            if taken
                && intake.headers.wanted
                && let Ok(found) = &found
            {
                intake.headers.take(&frame, found);
            }
            match &mut kept {
                Some(_) if taken && intake.waits() => {
                    drop(self.waiting.insert(frame.number, Kept::of(&frame, Vec::new())))
                }
                Some(kept) if taken => kept.push(&frame),
                _ => {}
            }
        }
        Ok(true)
    }

    /// Says of a wrong time that another capture begins before it in the file.
    #[cold]
    fn joined(&self, e: TraceError) -> TraceError {
        if !matches!(e.fault, Fault::TimeBackwards | Fault::TimeAhead) || self.reader.before() == 0 {
            return e;
        }
        let first = self.reader.before() + 1;
        let message =
            format!("{} (with packet {first} another capture begins; mergecap joins captures by time)", e.message);
        TraceError { message, ..e }
    }
}

/// The number of a new conversation, which has its hosts.
#[cold]
fn flow_of(key: Key, flows: &mut Flows) -> u32 {
    let flow = flows.number(&key.to_string());
    let hosts = key.hosts().map(|host| host.map_or(Flows::APART, |host| flows.host(&host.to_string())));
    let new = flows.between(flow, hosts);
    debug_assert!(new.is_ok(), "packets of a conversation have the same hosts");
    flow
}

/// What is wrong with the header of a capture, without which nothing can be read.
fn in_header(e: &CaptureError) -> TraceError {
    let place = if e.found.starts_with("the end of the file") { e.place.to_string() } else { String::new() };
    TraceError { place, ..TraceError::file(format!("found {}; expected {}", e.found, e.expected)) }
}

/// Skips what is wrong with a capture, if that is allowed.
fn fault(e: &CaptureError, intake: &mut Intake) -> Result<(), TraceError> {
    let (fault, place) = match e.place {
        headgate_capture::Place::Header => (Fault::File, None),
        headgate_capture::Place::Packet(n) => (if e.skippable { Fault::BadRecord } else { Fault::CutOff }, Some(n)),
        headgate_capture::Place::After(n) => (Fault::CutOff, Some(n + 1)),
    };
    let message = format!("found {}; expected {}", e.found, e.expected);
    match place {
        Some(n) => intake.skip(fault, Place::Packet(n), || message),
        None => Err(in_header(e)),
    }
}

/// A packet whose bytes are needed later.
#[derive(Clone, Debug)]
struct Kept {
    number: u64,
    time: Stamp,
    bytes: u32,
    captured: Vec<u8>,
    link: LinkType,
    interface: u32,
}

impl Kept {
    /// Takes a packet; `captured` is memory for its bytes.
    fn of(frame: &Frame<'_>, mut captured: Vec<u8>) -> Kept {
        captured.clear();
        captured.extend_from_slice(frame.captured);
        let Frame { number, time, bytes, link, interface, .. } = *frame;
        Kept { number, time, bytes, captured, link, interface }
    }

    fn frame(&self) -> Frame<'_> {
        Frame {
            number: self.number,
            time: self.time,
            bytes: self.bytes,
            captured: &self.captured,
            link: self.link,
            interface: self.interface,
        }
    }
}

/// Packets with their bytes, first in, first out; memory of removed ones is used again.
#[derive(Clone, Debug, Default)]
pub struct Frames {
    window: VecDeque<Option<Kept>>,
    spare: Vec<Vec<u8>>,
}

impl Frames {
    fn push(&mut self, frame: &Frame<'_>) {
        let captured = self.spare.pop().unwrap_or_default();
        self.window.push_back(Some(Kept::of(frame, captured)));
    }

    /// Forgets all packets.
    pub fn clear(&mut self) {
        while let Some(gone) = self.window.pop_front() {
            self.spare.extend(gone.map(|k| k.captured));
        }
    }
}

/// Writes the packets that are sent as pcapng.
pub struct CaptureOutput {
    writer: Writer<File>,
    frames: Frames,
    /// Handle of the first packet of the window.
    first: u32,
    /// Of each flow, what was dropped since its last transmission began.
    drops: Vec<[u64; DropReason::ALL.len()]>,
    comment: String,
    failed: Option<String>,
}

impl CaptureOutput {
    /// A capture in this file, which is there already and empty.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn create(path: &Path) -> io::Result<CaptureOutput> {
        let writer = Writer::new(File::create(path)?).map_err(|e| io::Error::other(e.found))?;
        let (frames, comment) = (Frames::default(), String::new());
        Ok(CaptureOutput { writer, frames, first: 0, drops: Vec::new(), comment, failed: None })
    }

    /// A packet arrived: packet number `i` of `batch`.
    pub fn open(&mut self, batch: &Frames, i: usize) {
        if let Some(Some(kept)) = batch.window.get(i) {
            self.frames.push(&kept.frame());
        }
    }

    /// The fate of a packet of a flow.
    pub fn close(&mut self, handle: u32, flow: u32, waited: Time, fate: Fate, origin: Origin) {
        let kept = self.frames.window.get_mut(handle.wrapping_sub(self.first) as usize).and_then(Option::take);
        if let Some(kept) = kept {
            if flow as usize >= self.drops.len() {
                self.drops.resize(flow as usize + 1, Default::default());
            }
            match fate {
                Fate::Sent { departure, marked, .. } => self.write(&kept, flow, waited, departure, marked, origin),
                Fate::Dropped { reason, .. } => self.drops[flow as usize][reason as usize] += 1,
                Fate::Open => {}
            }
            self.frames.spare.push(kept.captured);
        }
        while self.frames.window.front().is_some_and(Option::is_none) {
            self.frames.window.pop_front();
            self.first = self.first.wrapping_add(1);
        }
    }

    fn write(&mut self, kept: &Kept, flow: u32, waited: Time, departure: Time, marked: bool, origin: Origin) {
        self.comment.clear();
        let seconds = waited.as_ps() / 1_000_000_000_000;
        let ps = waited.as_ps() % 1_000_000_000_000;
        let done = write!(self.comment, "waited {seconds}.{ps:012} s{}", if marked { ", marked" } else { "" });
        debug_assert!(done.is_ok(), "a string takes everything");
        let drops = std::mem::take(&mut self.drops[flow as usize]);
        for (reason, n) in DropReason::ALL.iter().zip(drops).filter(|(_, n)| *n > 0) {
            let done = write!(self.comment, "; {n} of its flow dropped since the one before: {}", reason.name());
            debug_assert!(done.is_ok(), "a string takes everything");
        }
        let ns = (origin.as_ps() + i128::from(departure.as_ps()) + NS / 2) / NS;
        let at = Stamp::from_nanos(u64::try_from(ns).unwrap_or(u64::MAX));
        if let Err(e) = self.writer.write(&kept.frame(), at, &self.comment, marked) {
            self.failed.get_or_insert(e.found);
        }
    }

    /// Whether all that was written so far arrived.
    ///
    /// # Errors
    /// It did not.
    pub fn check(&mut self) -> io::Result<()> {
        self.failed.take().map_or(Ok(()), |why| Err(io::Error::other(why)))
    }

    /// Completes the file.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn finish(mut self) -> io::Result<()> {
        self.check()?;
        self.writer.into_inner().map(drop).map_err(|e| io::Error::other(e.found))
    }
}
