//! The table of gauges: what the disciplines showed at the end of each interval, the warm-up included.

use super::port_names;
use crate::meter::GaugeRow;
use crate::run::Run;
use crate::spec::Scenario;
use crate::table::Kind::{Key, Mean, Most};
use crate::table::Of::{Code, Float, Int};
use crate::table::{Column, Table, column, table};

/// A row, and the place of its gauge's name among all names.
type Row = (GaugeRow, u64);

#[rustfmt::skip]
pub(super) fn columns() -> Vec<Column<Row>> {
    vec![
        column("link", "", Key, Code(0, |r| u64::from(r.0.port)), "Name of the port."),
        column("gauge", "", Key, Code(1, |r| r.1), "Name of the discipline's gauge."),
        column("interval", "", Key, Int(|r| u64::from(r.0.interval)), "Number of the interval, from 0."),
        column("end_s", "s", Most, Float(|r| r.0.end.as_secs_f64()), "End of the interval."),
        column("value", "", Mean, Float(|r| r.0.value), "What the gauge showed then."),
    ]
}

impl Run {
    /// The table of gauges.
    pub fn gauge_table(&self, s: &Scenario) -> Table {
        let mut names: Vec<String> = Vec::new();
        let rows: Vec<Row> = self.samples.gauges.iter().map(|r| (*r, place(&mut names, r.gauge))).collect();
        table(&columns(), &rows, [port_names(s), names])
    }
}

/// The place of a name in a list, which grows by it if it is new.
fn place(names: &mut Vec<String>, name: &str) -> u64 {
    let place = names.iter().position(|n| n == name).unwrap_or_else(|| {
        names.push(name.to_owned());
        names.len() - 1
    });
    place as u64
}
