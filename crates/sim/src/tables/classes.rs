//! The tables of classes: transfers that began after the warm-up, all of a class together, and by their size.

use crate::finished::Finished;
use crate::meter::{Class, Completions};
use crate::spec::Scenario;
use crate::table::Kind::{Given, Key, Mean, Most, Total};
use crate::table::Of::{Float, Int, Name};
use crate::table::{Column, Table, column, table};

/// A class, or what it has of one size, which is the number of its power of two.
pub(super) struct Row<'a> {
    class: &'a Class,
    size: u32,
    of: &'a Completions,
}

#[rustfmt::skip]
pub(super) fn columns<'a>() -> Vec<Column<Row<'a>>> {
    let mut all: Vec<Column<Row<'a>>> = vec![
        column("class", "", Key, Name(|r| r.class.name.clone()), "Name of the class."),
        column("flows", "", Total, Int(|r| r.class.flows), "Flows that began after the warm-up."),
        column("started", "", Total, Int(|r| r.class.started), "Transfers that began after the warm-up."),
    ];
    all.extend(completions());
    all.insert(4, column("unfinished", "", Total, Int(|r| r.class.started - r.of.time.count), "Transfers of these that were not complete at the end of the run."));
    all
}

#[rustfmt::skip]
pub(super) fn size_columns<'a>() -> Vec<Column<Row<'a>>> {
    let mut all: Vec<Column<Row<'a>>> = vec![
        column("class", "", Key, Name(|r| r.class.name.clone()), "Name of the class."),
        column("size_min", "packets", Key, Int(|r| 1 << r.size), "Minimum size of these transfers, a power of two."),
        column("size_max", "packets", Given, Int(|r| (1 << (r.size + 1)) - 1), "Maximum size: the next power of two minus one."),
    ];
    all.extend(completions());
    all
}

#[rustfmt::skip]
fn completions<'a>() -> Vec<Column<Row<'a>>> {
    vec![
        column("finished", "", Total, Int(|r: &Row<'a>| r.of.time.count), "Transfers of which the sink has received all."),
        column("packets", "packets", Total, Int(|r| r.of.packets), "Packets of the finished transfers."),
        column("fct_mean_s", "s", Mean, Float(|r| r.of.time.mean()), "Mean completion time: from when the source has the transfer until the sink has all of it."),
        column("fct_std_s", "s", Mean, Float(|r| r.of.time.deviation()), "Standard deviation of the completion times."),
        column("fct_p50_s", "s", Mean, Float(|r| r.of.times.quantile(0.5)), "Median of the completion times."),
        column("fct_p95_s", "s", Mean, Float(|r| r.of.times.quantile(0.95)), "95 % quantile of the completion times."),
        column("fct_p99_s", "s", Mean, Float(|r| r.of.times.quantile(0.99)), "99 % quantile of the completion times."),
        column("fct_max_s", "s", Most, Float(|r| r.of.time.greatest()), "Maximum completion time."),
        column("slowdown_mean", "", Mean, Float(|r| r.of.slowdown.mean()), "Mean slowdown: completion time over the least possible one, alone on the path and without flow control."),
        column("slowdown_p50", "", Mean, Float(|r| r.of.slowdowns.quantile(0.5)), "Median of the slowdowns."),
        column("slowdown_p95", "", Mean, Float(|r| r.of.slowdowns.quantile(0.95)), "95 % quantile of the slowdowns."),
        column("slowdown_p99", "", Mean, Float(|r| r.of.slowdowns.quantile(0.99)), "99 % quantile of the slowdowns."),
        column("fct_goodput_bps", "bit/s", Mean, Float(|r| r.of.rate.mean()), "Mean of the transfers' bits over their completion times."),
    ]
}

impl Finished<'_> {
    /// The table of classes.
    pub fn class_table(&self, _: &Scenario) -> Table {
        let row = |class| Row { class, size: 0, of: &class.finished };
        let rows: Vec<Row<'_>> = self.record.objects.classes.iter().map(row).collect();
        table(&columns(), rows.iter(), [])
    }

    /// The table of classes by size.
    pub fn size_table(&self, _: &Scenario) -> Table {
        let mut rows = Vec::new();
        for class in &self.record.objects.classes {
            let found = (0..).zip(&class.by_size).filter(|(_, of)| of.time.count > 0);
            rows.extend(found.map(|(size, of)| Row { class, size, of }));
        }
        table(&size_columns(), rows.iter(), [])
    }
}
