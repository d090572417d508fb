//! The tables of a replay: of each the list of its columns.

use crate::clock::Origin;
use crate::replay::Replay;
use crate::rows::{Fate, Row};
use crate::summary::Count;
use headgate_packet::Time;
use headgate_queue::DropKind;
use headgate_sim::table::Kind::{Given, Key, Mean, Most, Total};
use headgate_sim::table::Of::{Float, Int, Name, Number};
use headgate_sim::table::{Column, Table, column, table};
use serde_json::Value;

/// Every column of the tables of runs and of replays: table, name, unit, kind, type and meaning of each.
#[rustfmt::skip]
pub fn columns() -> Vec<Value> {
    let mut all = headgate_sim::columns();
    all.extend(flows().iter().map(|c| c.describe("replay-flows")));
    all.extend(summary().iter().map(|c| c.describe("replay-summary")));
    all.extend(packets().iter().map(|c| c.describe("replay-packets")));
    all
}

/// What a discipline did to some packets.
trait Counted {
    fn count(&self) -> &Count;
    /// From the first arrival to the last departure.
    fn span_s(&self) -> f64;
    /// Bits sent over the span. Where every packet was dropped there is none, and nothing was sent in it.
    fn throughput(&self) -> f64 {
        8.0 * self.count().sent_bytes as f64 / if self.span_s() > 0.0 { self.span_s() } else { 1.0 }
    }
    /// From the first arrival to the last one.
    fn arrivals_s(&self) -> f64;
    /// Bits that were sent by the last arrival over the time until then; nan where all arrive at once.
    fn loaded(&self) -> f64 {
        if self.arrivals_s() > 0.0 { 8.0 * self.count().loaded_bytes as f64 / self.arrivals_s() } else { f64::NAN }
    }
    fn drops(&self, kind: DropKind) -> u64 {
        kind.of(&self.count().drops)
    }
}

#[rustfmt::skip]
fn counts<R: Counted>() -> Vec<Column<R>> {
    vec![
        column("packets", "packets", Total, Int(|r| r.count().packets), "Packets that arrived."),
        column("bytes", "bytes", Total, Int(|r| r.count().bytes), "Bytes of the packets that arrived."),
        column("sent", "packets", Total, Int(|r| r.count().sent), "Packets sent."),
        column("sent_bytes", "bytes", Total, Int(|r| r.count().sent_bytes), "Bytes of the packets sent."),
        column("drops_full", "packets", Total, Int(|r| r.drops(DropKind::Full)), "Packets refused because the buffer was full."),
        column("drops_evicted", "packets", Total, Int(|r| r.drops(DropKind::Evicted)), "Queued packets dropped for another one."),
        column("drops_early", "packets", Total, Int(|r| r.drops(DropKind::Early)), "Packets dropped before the buffer was full."),
        column("marks", "packets", Total, Int(|r| r.count().marks), "Packets whose congestion bit the discipline set."),
    ]
}

#[rustfmt::skip]
fn delays<R: Counted>() -> Vec<Column<R>> {
    vec![
        column("delay_mean_s", "s", Mean, Float(|r| r.count().delays.mean()), "Mean queueing delay of the packets sent."),
        column("delay_p50_s", "s", Mean, Float(|r| r.count().delays.quantile(0.5)), "Median of the queueing delays."),
        column("delay_p95_s", "s", Mean, Float(|r| r.count().delays.quantile(0.95)), "95 % quantile of the queueing delays."),
        column("delay_p99_s", "s", Mean, Float(|r| r.count().delays.quantile(0.99)), "99 % quantile of the queueing delays."),
        column("delay_max_s", "s", Most, Float(|r| r.count().delays.greatest()), "Maximum queueing delay."),
    ]
}

/// One flow.
struct FlowRow<'a> {
    name: &'a str,
    weight: u32,
    count: &'a Count,
    span_s: f64,
    arrivals_s: f64,
}

impl Counted for FlowRow<'_> {
    fn count(&self) -> &Count {
        self.count
    }

    fn arrivals_s(&self) -> f64 {
        self.arrivals_s
    }

    fn span_s(&self) -> f64 {
        self.span_s
    }
}

#[rustfmt::skip]
fn flows<'a>() -> Vec<Column<FlowRow<'a>>> {
    let mut all: Vec<Column<FlowRow<'a>>> = vec![
        column("flow", "", Key, Name(|r| r.name.to_owned()), "Name of the flow."),
        column("weight", "", Given, Int(|r| u64::from(r.weight)), "Weight that the trace gives it; 1 otherwise."),
    ];
    all.extend(counts());
    all.push(column("throughput_bps", "bit/s", Total, Float(FlowRow::throughput), "Bits sent over the time from the first arrival to the last departure of all flows."));
    all.push(column("loaded_bps", "bit/s", Total, Float(FlowRow::loaded), "Bits sent by the last arrival of all flows, over the time from the first one to it; nan where all arrive at once."));
    all.extend(delays());
    all
}

/// All packets.
struct SummaryRow<'a> {
    count: &'a Count,
    span_s: f64,
    arrivals_s: f64,
    /// Part of the span.
    busy: f64,
    rate_bps: f64,
}

impl Counted for SummaryRow<'_> {
    fn count(&self) -> &Count {
        self.count
    }

    fn arrivals_s(&self) -> f64 {
        self.arrivals_s
    }

    fn span_s(&self) -> f64 {
        self.span_s
    }
}

#[rustfmt::skip]
fn summary<'a>() -> Vec<Column<SummaryRow<'a>>> {
    let mut all: Vec<Column<SummaryRow<'a>>> = counts();
    all.extend([
        column("span_s", "s", Most, Float(Counted::span_s), "Time from the first arrival to the last departure."),
        column("rate_bps", "bit/s", Mean, Float(|r: &SummaryRow| r.rate_bps), "Rate of the line; the mean over the span where it changes."),
        column("arrivals_s", "s", Most, Float(Counted::arrivals_s), "Time from the first arrival to the last one."),
        column("throughput_bps", "bit/s", Total, Float(SummaryRow::throughput), "Bits sent over the span."),
        column("loaded_bps", "bit/s", Total, Float(SummaryRow::loaded), "Bits sent by the last arrival, over the time until then; nan where all arrive at once."),
        column("utilisation", "", Mean, Float(|r: &SummaryRow| r.busy), "Share of the span spent transmitting; where the rate changes, share of the bits that the line could have sent."),
    ]);
    all.extend(delays());
    all
}

/// One packet.
struct PacketRow {
    row: Row,
    origin: Origin,
}

impl PacketRow {
    fn seconds(&self, of: impl Fn(Fate) -> Option<Time>) -> f64 {
        of(self.row.fate).map_or(f64::NAN, |at| self.origin.seconds(at))
    }

    fn start(&self) -> f64 {
        self.seconds(|fate| if let Fate::Sent { start, .. } = fate { Some(start) } else { None })
    }

    fn departure(&self) -> f64 {
        self.seconds(|fate| if let Fate::Sent { departure, .. } = fate { Some(departure) } else { None })
    }

    fn drop(&self) -> f64 {
        self.seconds(|fate| if let Fate::Dropped { at, .. } = fate { Some(at) } else { None })
    }

    /// Number of the reason, from 1.
    fn reason(&self) -> u64 {
        if let Fate::Dropped { reason, .. } = self.row.fate { 1 + reason as u64 } else { 0 }
    }

    fn marked(&self) -> bool {
        matches!(self.row.fate, Fate::Sent { marked: true, .. })
    }
}

#[rustfmt::skip]
fn packets() -> Vec<Column<PacketRow>> {
    vec![
        column("packet", "", Key, Int(|r| r.row.arrival.number), "Number of the packet in the trace, from 1."),
        column("flow", "", Key, Number(|r| u64::from(r.row.arrival.flow)), "Name of its flow."),
        column("size_bytes", "bytes", Given, Int(|r| u64::from(r.row.arrival.bytes)), "Its length."),
        column("arrival_s", "s", Given, Float(|r| r.origin.seconds(r.row.arrival.at)), "Time of its arrival, by the clock of the trace."),
        column("start_s", "s", Mean, Float(PacketRow::start), "Start of its transmission; nan if it was dropped."),
        column("departure_s", "s", Mean, Float(PacketRow::departure), "End of its transmission; nan if it was dropped."),
        column("drop_s", "s", Mean, Float(PacketRow::drop), "Time at which it was dropped; nan if it was sent."),
        column("dropped", "", Total, Int(|r| u64::from(r.reason() > 0)), "Whether it was dropped."),
        column("marked", "", Total, Int(|r| u64::from(r.marked())), "Whether the discipline set its congestion bit."),
        column("reason", "", Given, Number(PacketRow::reason), "Reason of the drop; empty if it was sent."),
    ]
}

impl Replay {
    /// What discipline number `queue` did to each flow.
    pub fn flow_table(&self, queue: usize) -> Table {
        let (known, span_s) = (&self.intake().flows, self.end(queue).as_secs_f64());
        let weights = known.weights();
        let named = known.names().iter().zip(&weights).zip(self.flows(queue));
        let arrivals_s = self.intake().length().as_secs_f64();
        let rows = named.map(|((name, weight), count)| FlowRow { name, weight: *weight, count, span_s, arrivals_s });
        table(&flows(), rows, [])
    }

    /// What discipline number `queue` did in all: one row.
    pub fn summary_table(&mut self, queue: usize) -> Table {
        let (span_s, busy_ps) = (self.end(queue).as_secs_f64(), self.counters(queue).busy_ps);
        // Where every packet was dropped there is no span.
        let over = if span_s > 0.0 { span_s } else { 1.0 };
        let (count, offered) = (self.all(queue), self.offered(queue));
        let (busy, rate_bps) = match self.constant_bps() {
            Some(bps) => (busy_ps as f64 * 1e-12 / over, bps),
            None if offered > 0.0 => (8.0 * count.sent_bytes as f64 / offered, offered / over),
            None => (0.0, 0.0),
        };
        let arrivals_s = self.intake().length().as_secs_f64();
        table(&summary(), [SummaryRow { count, span_s, arrivals_s, busy, rate_bps }].iter(), [])
    }

    /// The next rows of discipline number `queue`, up to `most`, if they are kept; flows by number, reasons by number from 1.
    pub fn packet_table(&mut self, queue: usize, most: usize) -> Table {
        let origin = self.intake().origin();
        let rows = self.rows(queue, most);
        table(&packets(), rows.iter().map(|row| PacketRow { row: *row, origin }), [])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::HEADER;

    #[test]
    fn a_csv_output_has_the_columns_of_packets() {
        let names: Vec<&str> = packets().iter().map(|c| c.name).collect();
        assert_eq!(HEADER.trim_end(), names.join(","));
    }

    #[test]
    fn columns_are_named_once_per_table_and_by_their_units() {
        let mut seen = std::collections::BTreeSet::new();
        for c in columns() {
            let [table, name, unit, kind] =
                ["table", "name", "unit", "kind"].map(|key| c[key].as_str().unwrap_or("none"));
            assert!(seen.insert(format!("{table}.{name}")), "{table} has two columns {name}");
            for (end, due) in [("_s", "s"), ("_bps", "bit/s"), ("_bytes", "bytes")] {
                let named = name.ends_with(end) || name == due;
                assert_eq!(named, unit == due, "the unit of {name} in {table} is {unit:?}");
            }
            assert!(c["type"] != "name" || kind == "key" || kind == "given", "{name} in {table} is {kind}");
        }
        assert!(seen.len() > 100);
    }

    #[test]
    fn every_kind_of_drop_has_its_column() {
        let names: Vec<&str> = flows().iter().map(|c| c.name).collect();
        for kind in DropKind::ALL {
            let due = format!("drops_{}", kind.name());
            assert!(names.contains(&due.as_str()), "{due} is no column");
        }
    }
}
