//! A replay while it runs: what the page shows of it is gathered as the engine gives it.

use super::binned::{BINS, Binned};
use super::found::Found;
use super::pictures::{Picture, of_rows};
use super::settings::Settings;
use super::slots::Slots;
use super::summary::summary;
use crate::columns::floats;
use crate::fault::Fault;
use crate::words::with_commas;
use headgate_packet::Time;
use headgate_replay::{Replay, Track, Tracks};
use headgate_sim::meter::Digest;
use serde_json::{Value, json};
use std::sync::Arc;

/// Packets whose rows are all kept; the pictures of a longer trace are made of intervals.
const ROWS: u64 = 2_000_000;

/// Bytes that a row takes with all that the pictures make of it while they are made.
const ROW: u64 = 42 + 160;

/// Bytes that a packet takes in the engine while it waits, that its delay takes, and that a flow takes at most for its delays.
const WAITING: u64 = 200;
const DELAY: u64 = 8;
const DELAYS: u64 = 8 * 1024;

/// Seconds after which a first part is shown, and the part of the trace that may have passed by then.
pub const FIRST_S: f64 = 0.1;
/// See [`FIRST_S`].
pub const FIRST: f64 = 0.5;

/// A trace of no more packets is shown at once.
pub const FEW: u64 = 100_000;

/// What a replay may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes.
    pub bytes: u64,
    /// Packets whose rows are all kept.
    pub rows: u64,
    /// What is said after what takes less: how more is allowed, if it can be.
    pub more: &'static str,
}

impl Limits {
    /// Those of so many bytes.
    pub fn of_bytes(bytes: u64) -> Limits {
        Limits { bytes, rows: ROWS, more: "" }
    }

    /// That what it takes is allowed.
    fn require(&self, taken: u64, less: &str) -> Result<(), Fault> {
        if taken <= self.bytes {
            return Ok(());
        }
        let (most, taken, more) = (self.bytes as f64 / 1e6, taken as f64 / 1e6, self.more);
        Err(Fault::new(format!(
            "expected a replay that takes at most {most:.0} MB of memory, found {taken:.0} MB; {less} takes less{more}"
        )))
    }
}

/// The rows of all packets, or sums of them.
#[derive(Clone, Debug)]
enum Gathered {
    Rows(Tracks),
    Sums(Binned),
}

/// A replay while it runs.
#[derive(Clone, Debug)]
pub struct Running {
    settings: Arc<Settings>,
    found: Arc<Found>,
    slots: Slots,
    limits: Limits,
    gathered: Gathered,
    reached: f64,
}

/// What the page is told of a replay, or of its first part, and its pictures.
#[derive(Clone, Debug)]
pub struct Shown {
    /// What the page is told; the caller adds `run` and `seconds`.
    pub done: Value,
    /// The pictures that have lines.
    pub pictures: Vec<Picture>,
    /// The time in s up to which it reaches.
    pub until: f64,
}

impl Running {
    /// Of an engine that has not begun. `found` is what its trace holds.
    ///
    /// # Errors
    /// It takes more memory than it may.
    pub fn begin(
        settings: Arc<Settings>,
        found: Arc<Found>,
        replay: &mut Replay,
        limits: Limits,
    ) -> Result<Running, Fault> {
        let delays = found.flows.iter().map(|(packets, _)| (DELAY * packets).min(DELAYS)).sum();
        limits.require(delays, "a classify that gives fewer flows")?;
        let slots = Slots::of_trace(&found);
        let gathered = if found.packets <= limits.rows.min(limits.bytes / ROW) {
            Gathered::Rows(Tracks::default())
        } else {
            // What is left when the last packet came takes the line this time at most.
            Gathered::Sums(Binned::new(&slots, found.span + 8.0 * found.bytes() as f64 / settings.bps))
        };
        replay.follow(0, Track::new(Time::ZERO, Time::from_ps(u64::MAX), found.packets as usize));
        Ok(Running { settings, found, slots, limits, gathered, reached: 0.0 })
    }

    /// Takes what the engine has done since the last time.
    ///
    /// # Errors
    /// It takes more memory than it may.
    pub fn collect(&mut self, replay: &mut Replay) -> Result<(), Fault> {
        let count = replay.all(0);
        let waiting = count.packets - count.sent - count.drops.iter().sum::<u64>();
        self.limits.require(WAITING * waiting, "a smaller buffer")?;
        let rows = replay.followed(0);
        self.reached = rows.arrived.last().copied().unwrap_or(self.reached);
        match &mut self.gathered {
            Gathered::Rows(all) => append(all, rows),
            Gathered::Sums(sums) => sums.add(&self.slots, &rows),
        }
        Ok(())
    }

    /// The arrival time of the last packet of which the outcome is known, as it is of all packets before it.
    pub fn reached(&self) -> f64 {
        self.reached
    }

    /// The rows of all packets so far, if they are kept.
    pub fn rows(&self) -> Option<&Tracks> {
        if let Gathered::Rows(rows) = &self.gathered { Some(rows) } else { None }
    }

    /// The same, given away.
    pub fn into_rows(self) -> Option<Tracks> {
        if let Gathered::Rows(rows) = self.gathered { Some(rows) } else { None }
    }

    /// The whole replay, or its first part up to a time in s.
    pub fn shown(&self, replay: &mut Replay, until: Option<f64>) -> Shown {
        let (settings, found) = (&self.settings, &self.found);
        let span = floats(&replay.summary_table(0), "span_s").first().copied().unwrap_or(0.0);
        let whole = span.max(found.span);
        let end = until.unwrap_or(whole);
        let (pictures, note, digest) = match &self.gathered {
            Gathered::Rows(rows) => {
                let pictures = of_rows(rows, &self.slots, end, settings.bps, found.longest);
                (pictures, None, if until.is_none() { digest(rows) } else { String::new() })
            }
            Gathered::Sums(sums) => (sums.pictures(&self.slots, end), Some(note(found.packets)), String::new()),
        };
        let mut done = summary(settings, replay, found, &self.slots, end);
        let heads: Vec<_> = pictures.iter().map(Picture::head).collect();
        for (key, value) in [
            ("kind", json!("replay")),
            ("digest", json!(digest)),
            ("seed", json!(settings.options.seed)),
            ("events", json!(replay.intake().packets)),
            ("duration", json!(whole)),
            ("until", json!(end)),
            ("note", json!(note)),
            ("views", json!(heads)),
        ] {
            done[key] = value;
        }
        Shown { done, pictures, until: end }
    }
}

fn append(all: &mut Tracks, rows: Tracks) {
    all.packet.extend(rows.packet);
    all.flow.extend(rows.flow);
    all.bytes.extend(rows.bytes);
    all.arrived.extend(rows.arrived);
    all.start.extend(rows.start);
    all.left.extend(rows.left);
    all.reason.extend(rows.reason);
    all.marked.extend(rows.marked);
}

/// 16 hexadecimal digits that stand for all rows.
fn digest(rows: &Tracks) -> String {
    let mut digest = Digest::default();
    for i in 0..rows.flow.len() {
        digest.word(rows.packet[i] as u64);
        digest.word(u64::from(rows.flow[i]) << 32 | u64::from(rows.bytes[i]));
        for time in [rows.arrived[i], rows.start[i], rows.left[i]] {
            digest.word(time.to_bits());
        }
        digest.word(u64::from(rows.reason[i]) << 8 | u64::from(rows.marked[i]));
    }
    format!("{:016x}", digest.value())
}

fn note(packets: u64) -> String {
    let (packets, bins) = (with_commas(packets), with_commas(BINS as u64));
    format!(
        "The trace has {packets} packets, more than are kept one by one: the pictures are made of {bins} intervals over all of it. Single packets are \
         followed in a part at a time."
    )
}
