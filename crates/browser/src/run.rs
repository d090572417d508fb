//! Runs, a piece at a time.

use crate::kept::Kept;
use crate::request::{Failure, Request};
use crate::session::{Step, Work};
use headgate_packet::foreign::Fault;
use headgate_sim::spec::Scenario;
use headgate_sim::{Rows, Run};
use headgate_view::{prepared, shorter};
use serde_json::{Value, json};

/// Bytes that a run may take: a module has 4 GB at most, and the rows of a run are copied into tables and lines.
pub(crate) const MOST: u64 = 500_000_000;

/// Seconds after which the first part of a long run is shown, and seconds that this may take.
const FIRST_S: f64 = 0.06;
const PART_S: f64 = 0.03;
/// A run that has come further by then is shown when it is over.
const FAR: f64 = 0.4;

/// A run for its digest alone: the scenario as it is, without tables.
pub(crate) struct Digest(Run);

impl Digest {
    /// Begins one.
    ///
    /// # Errors
    /// Something in the request or in the scenario is wrong.
    pub fn begin(request: &Request) -> Result<Digest, Failure> {
        let scenario = Scenario::from_json(&json(request)?.to_string())?;
        let seed = request.whole("seed")?.unwrap_or(scenario.seed);
        let number = request.whole("replication")?.unwrap_or(0);
        Ok(Digest(begun(&scenario, seed, number, Rows::Dropped)?))
    }
}

impl Work for Digest {
    fn step(&mut self, events: u64, seconds: f64) -> Result<Step, Failure> {
        let run = &mut self.0;
        if !advance(run, events)? {
            return Ok(Step::Going(run.progress()));
        }
        Ok(Step::Told(json!({ "digest": digest(run), "events": run.digest().events, "seconds": seconds })))
    }
}

/// A run that the page shows.
pub(crate) struct Shown {
    /// The scenario as the page runs it, as it is written and as it is read.
    ready: Value,
    scenario: Scenario,
    run: Run,
    seed: u64,
    number: u64,
    /// Traces were left out: they would take too much memory.
    few: bool,
    /// Its first part was shown, or is not needed.
    begun: bool,
}

impl Shown {
    /// Begins one.
    ///
    /// # Errors
    /// Something in the request or in the scenario is wrong.
    pub fn begin(request: &Request) -> Result<Shown, Failure> {
        let given = json(request)?;
        let (seed, number) = (request.whole("seed")?, request.whole("replication")?.unwrap_or(0));
        let begun = |few| Shown::of(prepared(&given, few)?, seed, number, few);
        begun(false).or_else(|_| begun(true))
    }

    fn of(ready: Value, seed: Option<u64>, number: u64, few: bool) -> Result<Shown, Failure> {
        let scenario = Scenario::from_json(&ready.to_string())?;
        let seed = seed.unwrap_or(scenario.seed);
        let run = begun(&scenario, seed, number, Rows::Kept)?;
        Ok(Shown { ready, scenario, run, seed, number, few, begun: false })
    }

    fn kept(&mut self, seconds: f64, whole_s: Option<f64>) -> Kept {
        let note = "Only intervals and drops are shown: the other traces would take more memory than a run may.";
        let mut kept = Kept::of(&self.scenario, (self.seed, self.number), &mut self.run, whole_s);
        kept.tell([
            ("digest", json!(digest(&self.run))),
            ("seed", json!(self.seed)),
            ("replication", json!(self.number)),
            ("events", json!(self.run.digest().events)),
            ("seconds", json!(seconds)),
            ("note", json!(self.few.then_some(note))),
        ]);
        kept
    }

    /// The first part of the run, run to its end; nothing if it fails: the whole run gives the same error, or the result.
    fn first(&self, share: f64) -> Result<Kept, Failure> {
        let (part, _) = shorter(&self.ready, share)?;
        let mut part = Shown::of(part, Some(self.seed), self.number, self.few)?;
        while !advance(&mut part.run, 1 << 16)? {}
        Ok(part.kept(PART_S, Some(self.scenario.duration.as_secs_f64())))
    }
}

impl Work for Shown {
    fn step(&mut self, events: u64, seconds: f64) -> Result<Step, Failure> {
        match advance(&mut self.run, events) {
            Ok(true) => return Ok(Step::Ran(self.kept(seconds, None))),
            Ok(false) => {}
            Err(_) if !self.few => {
                let few = prepared(&self.ready, true)?;
                *self = Shown { begun: self.begun, ..Shown::of(few, Some(self.seed), self.number, true)? };
            }
            Err(failure) => return Err(failure),
        }
        let share = self.run.progress();
        if !self.begun && seconds >= FIRST_S && share > 0.0 {
            self.begun = true;
            if share < FAR
                && let Ok(part) = self.first(share * PART_S / seconds)
            {
                return Ok(Step::Shown(part));
            }
        }
        Ok(Step::Going(share))
    }
}

/// The scenario of a request.
///
/// # Errors
/// There is none.
pub(crate) fn json(request: &Request) -> Result<Value, Failure> {
    request.scenario()?.json().ok_or_else(|| Failure::new(400, "scenario: expected numbers of at most 64 bits"))
}

/// A run before its first event.
///
/// # Errors
/// It takes too much memory.
pub(crate) fn begun(scenario: &Scenario, seed: u64, number: u64, rows: Rows) -> Result<Run, Failure> {
    Ok(Run::new_unless(scenario, seed, number, rows, MOST, &mut || false)?)
}

pub(crate) fn digest(run: &Run) -> String {
    format!("{:016x}", run.digest().value())
}

/// Runs a piece; true if the run is complete.
///
/// # Errors
/// It takes too much memory, or a flow control that is not the engine's failed.
pub(crate) fn advance(run: &mut Run, events: u64) -> Result<bool, Failure> {
    let complete = run.advance(events);
    if let Some((who, Fault { at, call, text, .. })) = run.fault() {
        return Err(Failure::new(422, format!("{who}, {call} at {} s: {text}", at.seconds())));
    }
    if !complete {
        run.check_memory(MOST)?;
    }
    Ok(complete)
}
