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

use crate::meter::Count;
use crate::spec::Scenario;
use crate::table::Kind::{Mean, Total};
use crate::table::Of::{Float, Int};
use crate::table::{Column, column};
use serde_json::Value;

/// Every column of the tables of a run: table, name, unit, kind, type and meaning of each.
pub fn columns() -> Vec<Value> {
    let mut all = Vec::new();
    all.extend(flows::columns().iter().map(|c| c.describe("flows")));
    all.extend(intervals::columns().iter().map(|c| c.describe("intervals")));
    all.extend(classes::columns().iter().map(|c| c.describe("classes")));
    all.extend(classes::size_columns().iter().map(|c| c.describe("sizes")));
    all.extend(completions::columns().iter().map(|c| c.describe("completions")));
    all.extend(links::columns().iter().map(|c| c.describe("links")));
    all.extend(gauges::columns().iter().map(|c| c.describe("gauges")));
    all.extend(traces::columns().iter().map(|c| c.describe("traces")));
    all.extend(routes::columns().iter().map(|c| c.describe("routes")));
    all.extend(delays::columns().iter().map(|c| c.describe("delays")));
    all
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
