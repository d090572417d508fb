//! The table of gauges: values of the disciplines at the end of each interval, the warm-up included.

use super::port_names;
use crate::finished::Finished;
use crate::meter::GaugeRow;
use crate::spec::Scenario;
use crate::table::Kind::{Key, Mean, Most};
use crate::table::Of::{Code, Float, Int};
use crate::table::{Column, Table, column, table};

/// A row, and the names of all gauges.
type Row<'a> = (&'a GaugeRow, &'a [&'static str]);

#[rustfmt::skip]
pub(super) fn columns<'a>() -> Vec<Column<Row<'a>>> {
    vec![
        column("link", "", Key, Code(0, |r| u64::from(r.0.port)), "Name of the port."),
        column("gauge", "", Key, Code(1, place), "Name of the discipline's gauge."),
        column("interval", "", Key, Int(|r| u64::from(r.0.interval)), "Number of the interval, from 0."),
        column("end_s", "s", Most, Float(|r| r.0.end.as_secs_f64()), "End of the interval."),
        column("value", "", Mean, Float(|r| r.0.value), "Value of the gauge at that time."),
    ]
}

impl Finished<'_> {
    /// The table of gauges.
    pub fn gauge_table(&self, s: &Scenario) -> Table {
        let mut names: Vec<&'static str> = Vec::new();
        for row in &self.record.samples.gauges {
            if !names.contains(&row.gauge) {
                names.push(row.gauge);
            }
        }
        let rows = self.record.samples.gauges.iter().map(|row| (row, names.as_slice()));
        table(&columns(), rows, [port_names(s), names.iter().map(|name| (*name).to_owned()).collect()])
    }
}

/// The place of a row's name.
fn place((row, names): &Row<'_>) -> u64 {
    names.iter().position(|name| *name == row.gauge).map_or(0, |place| place as u64)
}
