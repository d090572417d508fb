//! The table of delays: one row per flow, measure and bucket of its histogram that is not empty.

use crate::finished::Finished;
use crate::meter::{FlowMeter, Histogram};
use crate::spec;
use crate::table::Kind::{Given, Key, Total};
use crate::table::Of::{Code, Float, Int};
use crate::table::{Column, Table, column, table};

/// Round-trip times and one-way delays of one flow, where there were any.
pub type Delays = [Histogram; 2];

/// One bucket.
pub(super) struct Row {
    flow: u64,
    measure: u64,
    bucket: u32,
    lower: f64,
    upper: f64,
    count: u64,
}

#[rustfmt::skip]
pub(super) fn columns() -> Vec<Column<Row>> {
    vec![
        column("flow", "", Key, Code(0, |r| r.flow), "Name of the flow."),
        column("measure", "", Key, Code(1, |r| r.measure), "`rtt` for round-trip times, `owd` for one-way delays."),
        column("bucket", "", Key, Int(|r| u64::from(r.bucket)), "Number of the histogram's bucket."),
        column("lower_s", "s", Given, Float(|r| r.lower), "Lower edge of the bucket; of the first one the least delay."),
        column("upper_s", "s", Given, Float(|r| r.upper), "Upper edge of the bucket; of the last one the greatest delay."),
        column("count", "packets", Total, Int(|r| r.count), "Delays in the bucket."),
    ]
}

/// The table of delays.
pub fn delay_table(delays: &[Delays], flows: &[spec::Flow]) -> Table {
    made(delays.iter().map(|of_flow| of_flow.each_ref().map(Some)), flows)
}

impl Finished<'_> {
    /// The table of delays of a run whose delays were not taken.
    pub fn delay_table(&self, s: &spec::Scenario) -> Table {
        fn of_flow(meter: &FlowMeter) -> [Option<&Histogram>; 2] {
            [meter.control.as_ref().map(|control| &control.rtt), Some(&meter.one_way)]
        }
        made(self.record.meters.iter().map(of_flow), &s.flows)
    }
}

fn made<'a>(delays: impl Iterator<Item = [Option<&'a Histogram>; 2]>, flows: &[spec::Flow]) -> Table {
    let mut rows = Vec::new();
    for (flow, of_flow) in delays.enumerate() {
        for (measure, histogram) in of_flow.into_iter().enumerate() {
            rows.extend(histogram.into_iter().flat_map(Histogram::buckets).map(|(bucket, lower, upper, count)| Row {
                flow: flow as u64,
                measure: measure as u64,
                bucket,
                lower,
                upper,
                count,
            }));
        }
    }
    let names = flows.iter().map(|f| f.name().into_owned()).collect();
    table(&columns(), rows.iter(), [names, vec!["rtt".to_owned(), "owd".to_owned()]])
}
