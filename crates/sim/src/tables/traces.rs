//! The table of traces: recorded values in the order of time.

use super::{flow_names, port_names};
use crate::finished::Finished;
use crate::meter::TraceRow;
use crate::spec::{Scenario, TraceKind};
use crate::table::Kind::{Key, Mean};
use crate::table::Of::{Code, Float};
use crate::table::{Column, Table, column, table};

/// The labels of the axes of traces and of estimates, with their units, in the order of the panels of a figure. Others are called by their names.
#[rustfmt::skip]
pub const TRACE_LABELS: [(&str, &str); 15] = [
    ("window", "window\n(packets)"),
    ("in_flight", "outstanding\n(packets)"),
    ("rate", "rate\n(packets/s)"),
    ("service_rate", "estimated service\nrate (packets/s)"),
    ("probe", "spacing of a pair's\nacknowledgements (s)"),
    ("packet_spacing", "spacing of\npackets (s)"),
    ("spacing", "estimated\nspacing (s)"),
    ("depth", "pipeline depth\n(packets)"),
    ("round_trip", "estimated round\ntrip (s)"),
    ("queue", "estimated queue\n(packets)"),
    ("alpha", "weight of the\nold estimate"),
    ("skip", "slots to skip"),
    ("burst", "burst still to go\n(packets)"),
    ("rtt", "round trip (s)"),
    ("backlog", "waiting at ports\n(packets)"),
];

/// A row, and the number of flows, after which ports are counted.
type Row<'a> = (&'a TraceRow, u64);

#[rustfmt::skip]
pub(super) fn columns<'a>() -> Vec<Column<Row<'a>>> {
    vec![
        column("trace", "", Key, Code(0, |r| r.0.kind as u64 + u64::from(r.0.estimate)), "Kind of the trace, or name of the estimate."),
        column("object", "", Key, Code(1, object), "Name of the flow or port."),
        column("time_s", "s", Key, Float(|r| r.0.at.as_secs_f64()), "Time at which the value was recorded."),
        column("value", "", Mean, Float(|r| r.0.value), "The value, in the unit of the trace."),
    ]
}

fn object((row, flows): &Row<'_>) -> u64 {
    use TraceKind::{Backlog, Completions, Drops, Estimates, InFlight, Rtt, Window};
    match row.kind {
        Backlog | Drops => flows + u64::from(row.object),
        Window | InFlight | Rtt | Estimates | Completions => u64::from(row.object),
    }
}

impl Finished<'_> {
    /// The table of traces.
    pub fn trace_table(&self, s: &Scenario) -> Table {
        use TraceKind::{Backlog, Drops, InFlight, Rtt, Window};
        // An estimate stands under its own name.
        let kinds = [Window, InFlight, Rtt, Backlog, Drops].map(TraceKind::name);
        let kinds = kinds.iter().chain(self.record.traces.estimates.names()).map(|n| (*n).to_owned()).collect();
        let rows = self.record.traces.rows.iter().map(|r| (r, s.flows.len() as u64));
        let mut objects = flow_names(s);
        objects.extend(port_names(s));
        table(&columns(), rows, [kinds, objects])
    }
}
