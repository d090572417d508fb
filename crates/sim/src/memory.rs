//! What a run takes in memory: an estimate before it begins, and the sum of its large parts while it goes on.

use crate::meter::{GaugeRow, IntervalRow, TraceRow};
use crate::net::{InFlight, Payload};
use crate::spec::{Scenario, SpecError};
use crate::world::{Flow, World};
use std::mem::size_of;

/// A number of a table that is made at the end.
const CELL: u64 = 8;
/// A packet that waits: its descriptor, and what the discipline keeps of its order.
const WAITING: u64 = 64;
const PAYLOAD: u64 = size_of::<Payload>() as u64;
/// A flow's part of the scenario.
const ENTRY: u64 = 512;
/// The rows of a trace or a gauge, with those of the table that is made of them.
const TRACE: u64 = size_of::<TraceRow>() as u64 + 4 * CELL;
const GAUGE: u64 = size_of::<GaugeRow>() as u64 + 5 * CELL;
const INTERVAL: u64 = size_of::<IntervalRow>() as u64 + 19 * CELL;

fn gigabytes(bytes: u64) -> String {
    format!("{:.3} GB", bytes as f64 * 1e-9)
}

/// Refuses a scenario whose flows and rows of intervals alone take more than `most` bytes.
pub(crate) fn estimate(s: &Scenario, most: u64) -> Result<(), SpecError> {
    let flows = (s.flows.len() as u64).saturating_mul(size_of::<Flow>() as u64 + ENTRY);
    let intervals = s.duration.as_ps().div_ceil(s.interval().as_ps().max(1));
    let rows = intervals.saturating_mul(s.flows.len() as u64).saturating_mul(INTERVAL);
    let all = flows.saturating_add(rows);
    if all <= most {
        return Ok(());
    }
    let (most, flows_text, rows_text) = (gigabytes(most), gigabytes(flows), gigabytes(rows));
    let path = if rows > flows { "interval" } else { "flows" };
    Err(SpecError::at(
        path,
        format!(
            "expected a run that takes at most {most} of memory: its flows take {flows_text}, its table of intervals {rows_text}"
        ),
    ))
}

impl World {
    /// The bytes that the parts take which grow, those of the tables to be made of them included.
    pub fn memory(&mut self) -> [(&'static str, u64); 5] {
        let (mut waiting, mut wires) = (0, 0);
        for lane in &self.lanes {
            waiting += lane.port.backlog().packets * (WAITING + PAYLOAD);
            wires += (lane.wire.capacity() * size_of::<InFlight>()) as u64 + lane.wire.len() as u64 * PAYLOAD;
        }
        // With many flows a look at each of them is work: it follows that of the events.
        if self.digest.events >= self.records_at {
            let of = |f: &Flow| f.connection.memory() + f.receiver.memory();
            self.records = self.flows.iter().map(of).sum::<usize>() as u64;
            self.records_at = self.digest.events + 8 * self.flows.len() as u64;
        }
        let rows = self.intervals.len() as u64 * INTERVAL + self.gauges.len() as u64 * GAUGE;
        [
            ("packets in queues", waiting),
            ("packets on wires", wires),
            ("the sources' records of what they sent", self.records),
            ("the tables of intervals and gauges", rows),
            ("traces", self.traces.len() as u64 * TRACE),
        ]
    }

    /// Whether the run may go on.
    ///
    /// # Errors
    /// It has grown above `most` bytes; the error names what grew.
    pub fn check_memory(&mut self, most: u64) -> Result<(), SpecError> {
        let parts = self.memory();
        let all: u64 = parts.iter().map(|(_, bytes)| bytes).sum();
        if all <= most {
            return Ok(());
        }
        let (what, bytes) = parts.iter().max_by_key(|(_, bytes)| *bytes).expect("there are parts");
        Err(SpecError::at(
            "",
            format!(
                "expected a run that takes at most {} of memory: after {} s of simulated time it takes {}, of which {what} {}",
                gigabytes(most),
                self.now.as_secs_f64(),
                gigabytes(all),
                gigabytes(*bytes)
            ),
        ))
    }
}
