//! The table of intervals: one row per flow and interval, the warm-up included.

use super::{Counted, counted, flow_names};
use crate::finished::Finished;
use crate::meter::{Count, IntervalRow};
use crate::spec::Scenario;
use crate::table::Kind::{Given, Key, Least, Mean, Most};
use crate::table::Of::{Code, Float, Int};
use crate::table::{Column, Table, column, table};

impl Counted for IntervalRow {
    fn count(&self) -> &Count {
        &self.count
    }
}

#[rustfmt::skip]
pub(super) fn columns() -> Vec<Column<IntervalRow>> {
    let mut all: Vec<Column<IntervalRow>> = vec![
        column("flow", "", Key, Code(0, |r| u64::from(r.flow)), "Name of the flow."),
        column("interval", "", Key, Int(|r| u64::from(r.interval)), "Number of the interval, from 0."),
        column("start_s", "s", Least, Float(|r| r.start.as_secs_f64()), "Start of the interval."),
        column("end_s", "s", Most, Float(|r| r.end.as_secs_f64()), "End of the interval."),
        column("warm_up", "", Given, Int(|r| u64::from(r.warm_up)), "1 before the end of the warm-up, 0 after it."),
    ];
    all.extend(counted());
    all.extend([
        column("owd_mean_s", "s", Mean, Float(|r: &IntervalRow| r.count.traffic.one_way_mean()), "Mean of the one-way delays of the packets received."),
        column("queueing_mean_s", "s", Mean, Float(|r| r.count.traffic.waited_mean()), "Mean time in the queues on their path, of all packets received."),
    ]);
    all
}

impl Finished<'_> {
    /// The table of intervals.
    pub fn interval_table(&self, s: &Scenario) -> Table {
        table(&columns(), self.record.samples.intervals.iter(), [flow_names(s)])
    }
}
