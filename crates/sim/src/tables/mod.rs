//! The tables that a run leaves behind: of each the list of its columns, and how its rows come from the run.

mod classes;
mod completions;
mod delays;
mod flows;
mod gauges;
mod intervals;
mod links;
mod routes;
mod traces;

pub use delays::{Delays, delay_table};
pub(crate) use flows::{sends, stops};
pub use traces::TRACE_LABELS;

use crate::finished::Finished;
use crate::meter::Count;
use crate::spec::Scenario;
use crate::table::Kind::{Mean, Total};
use crate::table::Of::{Float, Int};
use crate::table::{Column, Table, column};
use serde_json::Value;
use std::fmt;

/// Makes the enum over all tables of a run from the list. A line has the name in files, what makes the columns and, of [`Finished`], what makes the table;
/// its comment is the meaning of a row.
macro_rules! tables {
    ($(#[doc = $about:literal] $Name:ident $name:literal: $columns:path, $make:ident;)+) => {
        /// A table of a run.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum TableName {
            $(#[doc = $about] $Name,)+
        }

        impl TableName {
            /// All tables.
            pub const ALL: &[TableName] = &[$(TableName::$Name),+];

            /// The name in files.
            pub const fn name(self) -> &'static str {
                match self { $(TableName::$Name => $name),+ }
            }

            /// The meaning of a row.
            pub fn about(self) -> &'static str {
                match self { $(TableName::$Name => $about.trim_ascii()),+ }
            }

            /// Its columns: table, name, unit, kind, type and meaning of each.
            fn columns(self) -> Vec<Value> {
                match self { $(TableName::$Name => $columns().iter().map(|c| c.describe($name)).collect()),+ }
            }
        }

        impl Finished<'_> {
            /// A table of the run.
            pub fn table(&self, name: TableName, s: &Scenario) -> Table {
                match name { $(TableName::$Name => self.$make(s)),+ }
            }
        }
    };
}

tables! {
    /// One row per flow: what was counted after the warm-up.
    Flows "flows": flows::columns, flow_table;
    /// One row per flow and interval, the warm-up included.
    Intervals "intervals": intervals::columns, interval_table;
    /// One row per port, two to a link: what was counted after the warm-up.
    Links "links": links::columns, link_table;
    /// One row per class of flows with transfers: their number after the warm-up, and their completion times.
    Classes "classes": classes::columns, class_table;
    /// One row per class and size of its transfers, by powers of two: their completion times.
    Sizes "sizes": classes::size_columns, size_table;
    /// One row per complete transfer, the warm-up included, if the scenario's `traces` ask for `completions`.
    Completions "completions": completions::columns, completion_table;
    /// One row per interval, port and gauge of its discipline, the warm-up included.
    Gauges "gauges": gauges::columns, gauge_table;
    /// One row per value that was recorded because the scenario's `traces` ask for it.
    Traces "traces": traces::columns, trace_table;
    /// One row per hop of each flow's data, as the paths are at the end of the run.
    Routes "routes": routes::columns, route_table;
    /// One row per flow, measure and bucket of its histogram after the warm-up.
    Delays "delays": delays::columns, delay_table;
}

impl TableName {
    /// The table of this name.
    pub fn named(name: &str) -> Option<TableName> {
        TableName::ALL.iter().copied().find(|table| table.name() == name)
    }
}

impl fmt::Display for TableName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Every column of the tables of a run.
pub fn columns() -> Vec<Value> {
    TableName::ALL.iter().flat_map(|table| table.columns()).collect()
}

/// How many columns the tables of intervals, gauges, traces and completions have, which grow with the run.
pub(crate) fn widths() -> [u64; 4] {
    let all =
        [intervals::columns().len(), gauges::columns().len(), traces::columns().len(), completions::columns().len()];
    all.map(|n| n as u64)
}

/// A row with what was counted of a flow.
trait Counted {
    fn count(&self) -> &Count;
}

/// What is counted of a flow, over the whole run as in each interval.
#[rustfmt::skip]
fn counted<R: Counted>() -> Vec<Column<R>> {
    vec![
        column("sent", "packets", Total, Int(|r| r.count().traffic.sent), "Data packets sent, retransmissions included."),
        column("received", "packets", Total, Int(|r| r.count().traffic.received), "Data packets that reached the sink, duplicates included."),
        column("received_bytes", "bytes", Total, Int(|r| r.count().traffic.received_bytes), "Bytes of the packets received."),
        column("unique", "packets", Total, Int(|r| r.count().traffic.unique), "Data packets that reached the sink for the first time."),
        column("unique_bytes", "bytes", Total, Int(|r| r.count().traffic.unique_bytes), "Bytes of the packets that reached the sink for the first time."),
        column("retransmissions", "packets", Total, Int(|r| r.count().control.retransmissions), "Data packets sent again."),
        column("timeouts", "", Total, Int(|r| r.count().control.timeouts), "Retransmission timeouts."),
        column("drops", "packets", Total, Int(|r| r.count().traffic.drops), "Data packets dropped anywhere on the path."),
        column("lost", "packets", Total, Int(|r| r.count().control.lost), "Data packets that wires lost after they were sent; they are no drops."),
        column("marks", "packets", Total, Int(|r| r.count().control.marks), "Data packets whose congestion bit a gateway set."),
        column("rtt_count", "", Total, Int(|r| r.count().control.rtt.count), "Round-trip times measured."),
        column("rtt_mean_s", "s", Mean, Float(|r| r.count().control.rtt.mean()), "Mean of the round-trip times that the source measured; packets that were sent again are mostly not timed (Karn's algorithm)."),
        column("rtt_std_s", "s", Mean, Float(|r| r.count().control.rtt.deviation()), "Standard deviation of the round-trip times."),
    ]
}

/// The names of all flows.
fn flow_names(s: &Scenario) -> Vec<String> {
    s.flows.iter().map(|f| f.name().into_owned()).collect()
}

/// The names of all ports: two to a link, in its direction and against it.
fn port_names(s: &Scenario) -> Vec<String> {
    s.links.iter().flat_map(|l| [l.name.clone(), format!("{}:reverse", l.name)]).collect()
}
