//! What a run takes in memory: an estimate before it begins, and the sum of its large parts while it runs.

use crate::flow::Flow;
use crate::link::Wire;
use crate::meter::{FlowMeter, GaugeRow, IntervalRow, ObjectRow, TraceRow, Traffic};
use crate::net::{Hop, InFlight, Payload};
use crate::run::Run;
use crate::samples::Rows;
use crate::spec::{self, Scenario, SpecError};
use crate::tables;
use std::mem::size_of;

/// A number of a table that is made at the end.
const CELL: u64 = 8;
/// Of an interval and a flow whose row was taken: the numbers that are read again for the summaries.
const LOOKED_AT: u64 = 8 * CELL;
/// A packet that waits: its descriptor, and what the discipline keeps of its order.
const WAITING: u64 = 64;
/// A flow that comes and goes: its place, its flow control, and its rows in the table of hops.
const TRANSIENT: u64 = size_of::<Flow>() as u64 + 1024;
/// A conversation that a port got while it ran: what its discipline keeps of it, and its hops.
const CONVERSATION: u64 = 256;
const PAYLOAD: u64 = size_of::<Payload>() as u64;
/// A hop on a path, while the table of hops is made.
const HOP: u64 = 2 * size_of::<Hop>() as u64;
/// Maximum number of packets under way at a time: what a handle can name, less what may come in a slice of work.
const MOST_PACKETS: usize = 1 << 31;
/// An entry of the scenario, and a flow's own part of it.
const ENTRY: u64 = 512;
const NAMED: u64 = size_of::<spec::Flow>() as u64;

/// The bytes of a row of intervals, of gauges, of traces and of completions, with those of the table that is made of them.
fn row_bytes() -> [u64; 4] {
    let kept = [size_of::<IntervalRow>(), size_of::<GaugeRow>(), size_of::<TraceRow>(), size_of::<ObjectRow>()];
    let widths = tables::widths();
    [0, 1, 2, 3].map(|i| kept[i] as u64 + widths[i] * CELL)
}

fn gigabytes(bytes: u64) -> String {
    format!("{:.3} GB", bytes as f64 * 1e-9)
}

/// Refuses a scenario whose flows and rows of intervals alone take more than `most` bytes.
pub(crate) fn estimate(s: &Scenario, rows: Rows, most: u64) -> Result<(), SpecError> {
    let entries = 1 + s.flows.windows(2).filter(|pair| !pair[0].alike(&pair[1])).count() as u64;
    let mark = if rows == Rows::Dropped { 0 } else { size_of::<Traffic>() as u64 };
    let each = size_of::<Flow>() as u64 + size_of::<FlowMeter>() as u64 + mark + NAMED;
    let flows = (s.flows.len() as u64).saturating_mul(each) + entries.saturating_mul(ENTRY);
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

impl Run {
    /// The bytes that the parts take which grow, those of the tables to be made of them included.
    pub fn memory(&mut self) -> [(&'static str, u64); 7] {
        let (mut waiting, mut wires) = (0, 0);
        for lane in &self.lanes {
            waiting += lane.port.backlog().packets * (WAITING + PAYLOAD);
            wires += (lane.wire.capacity() * size_of::<InFlight>()) as u64 + lane.wire.len() as u64 * PAYLOAD;
            let (delayed, room) = lane.laws.as_ref().map_or((0, 0), |laws| laws.delayed());
            wires += (room * Wire::DELAYED) as u64 + delayed as u64 * PAYLOAD;
        }
        // Their places are used again, and so are the numbers of their conversations where the discipline forgets them.
        let numbers: usize = self.grown.values().map(|link| link.flows).sum();
        let came = (self.flows.len() - self.meters.len()) as u64 * TRANSIENT + numbers as u64 * CONVERSATION;
        // With many flows a look at each of them is work; its cost is kept in proportion to that of the events.
        if self.digest.events >= self.records_at {
            let sink = |f: &Flow| f.sink.as_ref().map_or(0, |s| s.sink.memory());
            let noise = |f: &Flow| f.noise.as_ref().map_or(0, |noise| noise.memory());
            let of = |f: &Flow| f.connection.memory() + f.receiver.memory() + sink(f) + noise(f);
            self.records = self.flows.iter().map(of).sum::<usize>() as u64;
            self.records_at = self.digest.events + 8 * self.flows.len() as u64;
        }
        let [interval, gauge, trace, completion] = row_bytes();
        let rows = self.samples.intervals.len() as u64 * interval + self.samples.gauges.len() as u64 * gauge;
        [
            ("packets in queues", waiting),
            ("packets on wires", wires),
            ("the sources' records of what they sent", self.records),
            ("the tables of intervals and gauges", rows),
            ("traces", self.traces.rows.len() as u64 * trace),
            ("the table of completions", self.objects.rows.len() as u64 * completion),
            ("flows that came", came),
        ]
    }

    /// Whether the run may continue.
    ///
    /// # Errors
    /// It has grown above `most` bytes; the error names what grew.
    pub fn check_memory(&mut self, most: u64) -> Result<(), SpecError> {
        let parts = self.memory();
        let all: u64 = parts.iter().map(|(_, bytes)| bytes).sum();
        if self.payloads.len() > MOST_PACKETS {
            let at = self.now.as_secs_f64();
            let message =
                format!("expected at most {MOST_PACKETS} packets under way at a time: after {at} s there are more");
            return Err(SpecError::at("", message));
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Table;

    #[test]
    fn each_part_takes_what_its_entries_take() {
        let text = r#"{"duration": "10s", "interval": "1s", "traces": ["backlog"], "nodes": [{"name": "a"}, {"name": "b"}],
            "links": [{"from": "a", "to": "b", "rate": "80kbit/s", "delay": "1s", "queue": "fq"}],
            "flows": [{"name": "f", "from": "a", "to": "b", "count": 3, "control": {"kind": "generic", "window": 9}},
                      {"name": "p", "from": "a", "to": "b", "control": "packet_pair"}]}"#;
        let s = Scenario::from_json(text).expect("a good scenario");
        let mut running = Run::new(&s, 1, 0);
        assert_eq!(running.memory().map(|(_, bytes)| bytes), [0; 7]);
        while running.digest.events < 100 {
            running.advance(1);
        }
        let (waiting, rows, gauges, traces) = (
            running.lanes[0].port.backlog().packets,
            4 * u64::from(running.samples.number),
            running.samples.gauges.len() as u64,
            running.traces.rows.len() as u64,
        );
        let lines =
            [0, 1].map(|l: usize| (running.lanes[l].wire.capacity() as u64, running.lanes[l].wire.len() as u64));
        assert!(waiting > 5 && lines[0].1 > 5 && gauges > 5 && traces > 5);
        // A waiting packet 64 bytes and its payload; one on a wire its place and its payload.
        let payload = size_of::<Payload>() as u64;
        let wires: u64 = lines.iter().map(|(room, held)| room * size_of::<InFlight>() as u64 + held * payload).sum();
        // A row that is kept, and eight bytes in each column of its table.
        let wide = |kept: usize, table: Table| (kept + 8 * table.len()) as u64;
        let interval = wide(size_of::<IntervalRow>(), running.interval_table(&s));
        let gauge = wide(size_of::<GaugeRow>(), running.gauge_table(&s));
        let trace = wide(size_of::<TraceRow>(), running.trace_table(&s));
        let tables = rows * interval + gauges * gauge;
        let got = running.memory().map(|(_, bytes)| bytes);
        assert_eq!((got[0], got[1], got[3], got[4]), (waiting * (64 + payload), wires, tables, traces * trace));
        // The rate-based source has records of what it sent. They are measured again after eight events for each flow.
        assert!(got[2] > 0);
        running.records = 0;
        let events = running.digest.events;
        while running.digest.events < events + 32 {
            assert_eq!(running.memory()[2].1, 0, "after {} events", running.digest.events - events);
            running.advance(1);
        }
        assert!(running.memory()[2].1 > 0);
    }
}
