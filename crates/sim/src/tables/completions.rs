//! The table of completions: one row per complete transfer, the warm-up included, if the scenario asks for it.

use crate::finished::Finished;
use crate::meter::ObjectRow;
use crate::spec::Scenario;
use crate::table::Kind::{Given, Key, Least, Mean, Most};
use crate::table::Of::{Code, Float, Int};
use crate::table::{Column, Table, column, table};

#[rustfmt::skip]
pub(super) fn columns() -> Vec<Column<ObjectRow>> {
    vec![
        column("class", "", Key, Code(0, |r| u64::from(r.class)), "Name of the class."),
        column("start_s", "s", Least, Float(|r| r.start.as_secs_f64()), "Time at which the source had the transfer."),
        column("end_s", "s", Most, Float(|r| r.end.as_secs_f64()), "Time at which the sink had all of it."),
        column("packets", "packets", Given, Int(|r| r.packets), "Its packets."),
        column("bytes", "bytes", Given, Int(|r| r.bytes), "Its bytes, by the mean length of its packets."),
        column("fct_s", "s", Mean, Float(|r| r.end.since(r.start).as_secs_f64()), "Completion time."),
        column("slowdown", "", Mean, Float(|r| r.slowdown), "Completion time over the least possible one."),
    ]
}

impl Finished<'_> {
    /// The table of completions.
    pub fn completion_table(&self, _: &Scenario) -> Table {
        let names = self.record.objects.classes.iter().map(|class| class.name.clone()).collect();
        table(&columns(), self.record.objects.rows.iter(), [names])
    }
}
