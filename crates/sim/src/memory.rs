//! What a run takes in memory: what its parts take, and an estimate before it begins.

use crate::flows::Flow;
use crate::meter::{ControlMeter, FlowMeter, GaugeRow, IntervalRow, ObjectRow, TraceRow, Traffic};
use crate::net::{Hop, Payload};
use crate::samples::Rows;
use crate::spec::{self, Scenario, SpecError};
use crate::tables;
use std::mem::size_of;

/// A number of a table that is made at the end.
const CELL: u64 = 8;
/// Of an interval and a flow whose row was taken: the numbers that are read again for the summaries.
const LOOKED_AT: u64 = 8 * CELL;
/// A packet that waits: its descriptor, and what the discipline keeps of its order.
pub(crate) const WAITING: u64 = 64;
/// A flow that begins during the run: its place, its flow control, and its rows in the table of hops.
pub(crate) const TRANSIENT: u64 = size_of::<Flow>() as u64 + 1024;
/// A conversation that a port got while it ran: what its discipline keeps of it, and its hops.
pub(crate) const CONVERSATION: u64 = 256;
pub(crate) const PAYLOAD: u64 = size_of::<Payload>() as u64;
/// A hop on a path, while the table of hops is made.
const HOP: u64 = 2 * size_of::<Hop>() as u64;
/// Maximum number of packets under way at a time: what a handle can name, less what a slice of work may add.
pub(crate) const MOST_PACKETS: usize = 1 << 31;
/// An entry of the scenario, and a flow's own part of it.
const ENTRY: u64 = 512;
const NAMED: u64 = size_of::<spec::Flow>() as u64;

/// A source with flow control that sleeps, and what is counted of it. What it takes when it is awake is counted while the run proceeds.
const CONTROLLED: u64 = (size_of::<ControlMeter>() + size_of::<headgate_control::Story>()) as u64;

/// The bytes of a row of intervals, of gauges, of traces and of completions, with those of the table that is made of them.
pub(crate) fn row_bytes() -> [u64; 4] {
    let kept = [size_of::<IntervalRow>(), size_of::<GaugeRow>(), size_of::<TraceRow>(), size_of::<ObjectRow>()];
    let widths = tables::widths();
    [0, 1, 2, 3].map(|i| kept[i] as u64 + widths[i] * CELL)
}

pub(crate) fn gigabytes(bytes: u64) -> String {
    format!("{:.3} GB", bytes as f64 * 1e-9)
}

/// Refuses a scenario whose flows and rows of intervals alone take more than `most` bytes.
pub(crate) fn estimate(s: &Scenario, rows: Rows, most: u64) -> Result<(), SpecError> {
    let entries = 1 + s.flows.windows(2).filter(|pair| !pair[0].alike(&pair[1])).count() as u64;
    let mark = if rows == Rows::Dropped { 0 } else { size_of::<Traffic>() as u64 };
    let each = size_of::<Flow>() as u64 + size_of::<FlowMeter>() as u64 + mark + NAMED;
    let controlled = s.flows.iter().filter(|flow| flow.control.name() != "none").count() as u64;
    let flows = (s.flows.len() as u64).saturating_mul(each) + controlled * CONTROLLED + entries.saturating_mul(ENTRY);
    let intervals = s.duration.as_ps().div_ceil(s.interval().as_ps().max(1));
    let row = match rows {
        Rows::Kept => row_bytes()[0],
        Rows::Taken => LOOKED_AT,
        Rows::Dropped => 0,
    };
    let rows = intervals.saturating_mul(s.flows.len() as u64).saturating_mul(row);
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

/// Refuses paths that take more than `most` bytes, or that have more hops, together, than the table of hops can name.
///
/// # Errors
/// They do.
pub(crate) fn check_hops(hops: usize, most: u64) -> Result<(), SpecError> {
    let longest = (most / HOP).min(u64::from(u32::MAX));
    if hops as u64 <= longest {
        return Ok(());
    }
    let message =
        format!("expected flows whose paths have at most {longest} hops together, in {} of memory", gigabytes(most));
    Err(SpecError::at("flows", message))
}
