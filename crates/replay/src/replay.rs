//! A trace through one or several disciplines: one pass over the trace feeds them all.

use crate::capture::{CaptureOutput, CaptureTrace, Frames};
use crate::csv::CsvTrace;
use crate::error::TraceError;
use crate::follow::Follow;
use crate::intake::Intake;
use crate::kept::{Keeper, Kept};
use crate::line::offered;
use crate::options::Options;
use crate::output::CsvOutput;
use crate::record::Record;
use crate::replayer::Replayer;
use crate::rows::{Row, Rows};
use crate::series::Series;
use crate::source::{Kind, TraceFile};
use crate::summary::Count;
use crate::table::{Columns, TableTrace};
use crate::track::{Track, Tracks};
use headgate_capture::Classify;
use headgate_packet::Time;
use headgate_packet::foreign::Fault;
use headgate_queue::{Counters, Spec};
use headgate_sim::link::LineRate;
use headgate_sim::{Tracks as Decided, Window};
use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Where packets come from.
#[allow(clippy::large_enum_variant, reason = "there is one of it")]
enum Source {
    Csv(CsvTrace),
    Capture(CaptureTrace),
    Table(TableTrace),
    /// A trace in memory, and the place of its next packet.
    Kept(Arc<Kept>, usize),
}

/// Why a replay ends early.
#[derive(Debug)]
pub enum ReplayError {
    /// Something is wrong with the trace.
    Trace(TraceError),
    /// An output cannot be written.
    Output(io::Error),
}

impl From<TraceError> for ReplayError {
    fn from(e: TraceError) -> ReplayError {
        ReplayError::Trace(e)
    }
}

impl From<io::Error> for ReplayError {
    fn from(e: io::Error) -> ReplayError {
        ReplayError::Output(e)
    }
}

/// One discipline with its line.
struct Queue {
    replayer: Replayer,
    record: Record,
    /// Handle of the next packet.
    next: u32,
}

/// A replay.
pub struct Replay {
    rate: LineRate,
    source: Source,
    intake: Intake,
    queues: Vec<Queue>,
    /// Bytes of the packets of this batch, where an output needs them.
    frames: Option<Frames>,
    keeper: Option<Keeper>,
    /// The last packet has arrived.
    over: bool,
    /// Bytes of the file read so far, if they are not those of the packets.
    position: Option<Arc<AtomicU64>>,
}

impl Replay {
    /// A replay of a table that is handed over with [`Replay::push`].
    pub fn new(options: &Options) -> Replay {
        let queue = |spec: &Spec| Queue {
            replayer: Replayer::new(spec, &options.rate, options.seed, options.conventions),
            record: Record { series: options.series.then(Series::default), ..Record::default() },
            next: 0,
        };
        let mut intake = Intake::new(options.lenient, options.rate.lowest(), options.conventions.ecn.into())
            .sorted(options.sort.unwrap_or_default());
        intake.headers.wanted = options.queues.iter().any(Spec::filters_acknowledgements);
        intake.large.segment = options.segment.map(|most| most.0 as u32);
        Replay {
            source: Source::Table(TableTrace::default()),
            intake,
            queues: options.queues.iter().map(queue).collect(),
            rate: options.rate.clone(),
            frames: None,
            keeper: None,
            over: false,
            position: None,
        }
    }

    /// Reads from a file of packets; `classify` determines which packets of a capture are one flow.
    ///
    /// # Errors
    /// Its beginning is wrong, or it holds Parquet, whose rows are to be handed over with [`Replay::push`].
    pub fn read(&mut self, file: TraceFile, classify: Classify) -> Result<(), TraceError> {
        self.position = file.position();
        self.source = match file.kind() {
            Kind::Csv => Source::Csv(CsvTrace::new(file.into_bytes(), self.intake.is_lenient())?),
            Kind::Capture => {
                self.intake.code_points = true;
                Source::Capture(CaptureTrace::new(file.into_bytes(), classify)?)
            }
            Kind::Parquet => return Err(TraceError::file("found Parquet; expected a CSV file or a capture")),
        };
        Ok(())
    }

    /// Whether the priorities of a table are code points.
    pub fn take_code_points(&mut self, code_points: bool) {
        self.intake.code_points = code_points;
    }

    /// Replays a trace from memory; false if its file has to be read again: for the place of a packet that is longer than one
    /// may be on this line, or for the headers of its packets.
    pub fn read_kept(&mut self, kept: Arc<Kept>, longest: u32) -> bool {
        // Packets in memory have no headers.
        let headers = self.intake.headers.wanted && kept.intake.code_points;
        if headers || longest > self.intake.longest() {
            return false;
        }
        self.intake = kept.intake.clone();
        self.intake.packets = 0;
        self.source = Source::Kept(kept, 0);
        true
    }

    /// Looks at the packets of the trace, and keeps them if they take at most `most` bytes.
    pub fn keep_trace(&mut self, most: usize) {
        self.keeper = Some(Keeper::new(most));
    }

    /// What was seen of the trace, if it is looked at.
    pub fn keeper(&self) -> Option<&Keeper> {
        self.keeper.as_ref()
    }

    /// The whole trace, if it was to be kept and fitted.
    pub fn kept(&mut self) -> Option<Kept> {
        self.keeper.as_mut()?.finish(&self.intake)
    }

    /// Follows packets through discipline number `queue`.
    pub fn follow(&mut self, queue: usize, track: Track) {
        let record = &mut self.queues[queue].record;
        record.track = Some(track);
        record.rows.get_or_insert_default();
    }

    /// What was followed since the last call.
    pub fn followed(&mut self, queue: usize) -> Tracks {
        self.queues[queue].record.track.as_mut().map(Track::columns).unwrap_or_default()
    }

    /// Follows the packets of a window through discipline number `queue`, with the numbers that decide about them.
    pub fn decide(&mut self, queue: usize, window: Window) {
        self.queues[queue].record.follow = Some(Box::new(Follow::new(window)));
        self.queues[queue].replayer.write_down();
    }

    /// Since when no further packet is followed with its numbers, if all that were are gone.
    pub fn decided_until(&self, queue: usize) -> Option<Time> {
        self.queues[queue].record.follow.as_ref()?.ended()
    }

    /// The packets that were followed with their numbers.
    pub fn decided(&mut self, queue: usize) -> Option<Decided> {
        self.queues[queue].record.follow.take().map(|follow| follow.finish())
    }

    /// Whether discipline number `queue` drew random numbers: if it did not, another seed gives the same.
    pub fn drew(&self, queue: usize) -> bool {
        self.queues[queue].replayer.drew()
    }

    /// Writes the rows of discipline number `queue` into a file.
    pub fn write_csv(&mut self, queue: usize, csv: CsvOutput) {
        let record = &mut self.queues[queue].record;
        (record.csv, record.rows) = (Some(csv), Some(Rows::default()));
    }

    /// Keeps the rows of discipline number `queue` until they are taken with [`Replay::rows`].
    pub fn keep_rows(&mut self, queue: usize) {
        let record = &mut self.queues[queue].record;
        (record.kept, record.rows) = (Some(VecDeque::new()), Some(Rows::default()));
    }

    /// Writes the packets that are sent by discipline number `queue` into a capture.
    pub fn write_capture(&mut self, queue: usize, capture: CaptureOutput) {
        self.queues[queue].record.capture = Some(capture);
        self.frames = Some(Frames::default());
    }

    /// Reads and replays up to `most` packets; false at the end of the trace.
    ///
    /// # Errors
    /// A fault in the trace, or an output that cannot be written.
    pub fn step(&mut self, most: usize) -> Result<bool, ReplayError> {
        let more = match &mut self.source {
            Source::Csv(trace) => trace.read(most, &mut self.intake),
            Source::Capture(trace) => trace.read(most, &mut self.intake, self.frames.as_mut()),
            Source::Table(_) => Ok(false),
            Source::Kept(kept, next) => {
                self.intake.arrivals.extend(kept.arrivals(*next, most));
                *next += self.intake.arrivals.len();
                self.intake.packets = *next as u64;
                Ok(*next < kept.len())
            }
        }?;
        self.feed()?;
        Ok(more)
    }

    /// Replays rows of a table.
    ///
    /// # Errors
    /// A fault in the rows, or an output that cannot be written.
    pub fn push(&mut self, columns: &Columns) -> Result<(), ReplayError> {
        if let Source::Table(trace) = &mut self.source {
            trace.read(columns, &mut self.intake)?;
        }
        self.feed()
    }

    /// Replays what was taken in.
    fn feed(&mut self) -> Result<(), ReplayError> {
        let (arrivals, origin) = (std::mem::take(&mut self.intake.arrivals), self.intake.origin());
        for queue in &mut self.queues {
            let Queue { replayer, record, next } = queue;
            record.origin = origin;
            replayer.take_code_points(self.intake.code_points);
            for (i, arrival) in arrivals.iter().enumerate() {
                record.arrived(arrival, *next);
                if let (Some(capture), Some(frames)) = (&mut record.capture, &self.frames) {
                    capture.open(frames, i);
                }
                if let Some(header) = self.intake.headers.of(arrival.number) {
                    replayer.read_header(*next, header);
                }
                replayer.arrive(arrival, *next, record);
                *next = next.wrapping_add(1);
            }
            record.write(&self.intake)?;
        }
        if self.intake.headers.wanted {
            arrivals.iter().for_each(|arrival| self.intake.headers.forget(arrival.number));
        }
        if let Some(keeper) = &mut self.keeper {
            keeper.take(&arrivals);
        }
        self.intake.arrivals = arrivals;
        self.intake.arrivals.clear();
        self.frames.iter_mut().for_each(Frames::clear);
        Ok(())
    }

    /// The trace is over: in each discipline up to `most` of the waiting packets are sent. False when nothing waits and the outputs are complete.
    ///
    /// # Errors
    /// The trace held no packet, the last one would leave beyond the clock's range, or an output cannot be written.
    pub fn finish(&mut self, most: usize) -> Result<bool, ReplayError> {
        // Of a table it is known only now that it is over.
        self.intake.end()?;
        self.feed()?;
        if self.intake.packets == 0 {
            let skipped: u64 = self.intake.skipped().values().sum();
            let found = if skipped == 0 { String::new() } else { format!(" but {skipped} with faults") };
            return Err(TraceError::file(format!("holds no packets{found}; expected at least one")).into());
        }
        if !std::mem::replace(&mut self.over, true) {
            let last = self.intake.length();
            self.queues.iter_mut().for_each(|queue| queue.record.loaded(last));
        }
        let mut more = false;
        for queue in &mut self.queues {
            let Queue { replayer, record, .. } = queue;
            if replayer.drain(most, record) {
                more = true;
                record.write(&self.intake)?;
                continue;
            }
            if !replayer.is_empty() {
                let message = "the last packet would leave more than 213 days after the arrival of the first one; expected a higher rate";
                return Err(TraceError::file(message).into());
            }
            record.write(&self.intake)?;
            if let Some(capture) = record.capture.take() {
                capture.finish()?;
            }
        }
        Ok(more)
    }

    /// Bytes of the file read so far.
    pub fn position(&self) -> u64 {
        if let Some(position) = &self.position {
            return position.load(Ordering::Relaxed);
        }
        match &self.source {
            Source::Csv(trace) => trace.position(),
            Source::Capture(trace) => trace.position(),
            Source::Table(_) | Source::Kept(..) => 0,
        }
    }

    /// The packets so far: their number, flows, faults and origin of time.
    pub fn intake(&self) -> &Intake {
        &self.intake
    }

    /// What discipline number `queue` did, in all.
    pub fn all(&self, queue: usize) -> &Count {
        &self.queues[queue].record.all
    }

    /// What discipline number `queue` did to each flow.
    pub fn flows(&self, queue: usize) -> &[Count] {
        &self.queues[queue].record.flows
    }

    /// The next rows of discipline number `queue`, up to `most`, if they are kept.
    pub fn rows(&mut self, queue: usize, most: usize) -> Vec<Row> {
        let kept = self.queues[queue].record.kept.as_mut();
        kept.map(|rows| rows.drain(..most.min(rows.len())).collect()).unwrap_or_default()
    }

    /// The series of discipline number `queue`, if they are kept.
    pub fn series(&self, queue: usize) -> Option<&Series> {
        self.queues[queue].record.series.as_ref()
    }

    /// The end of the last transmission, since the first packet.
    pub fn end(&self, queue: usize) -> Time {
        self.queues[queue].replayer.end()
    }

    /// The first fault of a discipline that is not of the list, with its number. Nothing of the replay counts then.
    pub fn fault(&self) -> Option<(usize, &Fault)> {
        let faults = self.queues.iter().enumerate().filter_map(|(i, queue)| Some((i, queue.replayer.fault()?)));
        faults.min_by_key(|(_, fault)| fault.at)
    }

    /// Bits that the line of discipline number `queue` offered from the first packet until the end of the last transmission.
    pub fn offered(&self, queue: usize) -> f64 {
        offered(&self.rate, self.end(queue))
    }

    /// The rate of the line in bit/s, if it does not change.
    pub fn constant_bps(&self) -> Option<f64> {
        if let LineRate::Fixed(rate) = &self.rate { Some(rate.as_bps() as f64) } else { None }
    }

    /// What the port counted.
    pub fn counters(&mut self, queue: usize) -> Counters {
        self.queues[queue].replayer.counters()
    }
}
