//! What the sentences and the page need of the tables of one run, or of several runs of one scenario together.

use super::sums::{mean, pooled};
use super::{Ran, max_min};
use crate::columns::{each_name, floats, ints};
use headgate_sim::Table;

/// A rate of a flow that follows from a count of the tables of flows and of intervals.
#[derive(Clone, Copy, Debug)]
pub struct Rate {
    /// The column with the count.
    pub column: &'static str,
    /// What the count is multiplied by before it is divided by the seconds.
    pub factor: f64,
}

/// The goodput in bit/s: bits that reached the sink for the first time, over the time.
pub const GOODPUT: Rate = Rate { column: "unique_bytes", factor: 8.0 };

impl Rate {
    /// The rate in each row of a table of flows or of intervals.
    pub fn of(self, table: &Table) -> Vec<f64> {
        let spans = floats(table, "start_s").iter().zip(floats(table, "end_s"));
        let rate = |(count, (start, end)): (&i64, (&f64, &f64))| self.factor * *count as f64 / (end - start);
        ints(table, self.column).iter().zip(spans).map(rate).collect()
    }
}

/// Of each interval whether it was measured and is whole: the last one may be a rest. A column of each, `warm_up` from 0 on.
///
/// ```
/// use headgate_view::numbers::whole_intervals;
/// assert_eq!(whole_intervals(&[0.0, 1.0, 2.0], &[1.0, 2.0, 2.5], &[1, 0, 0]), [false, true, false]);
/// ```
pub fn whole_intervals(start_s: &[f64], end_s: &[f64], warm_up: &[i64]) -> Vec<bool> {
    let spans = || start_s.iter().zip(end_s).zip(warm_up).map(|((start, end), warm_up)| (end - start, *warm_up == 0));
    let most = spans().filter(|(_, after)| *after).map(|(span, _)| span).fold(0.0, f64::max);
    spans().map(|(span, after)| after && span > 0.999 * most).collect()
}

/// Numbers of flows: counts are totals of all runs, and measurements are means over them; the goodput of a single run is that over its intervals.
pub struct Numbers<'a> {
    /// The runs, at least one.
    pub runs: &'a [Ran<'a>],
    /// The names of the flows.
    pub names: Vec<&'a str>,
    /// Of each flow the goodputs in bit/s in the measured whole intervals of a single run, or in each of several runs.
    pub series: Vec<Vec<f64>>,
    /// Their means.
    pub goodput_bps: Vec<f64>,
    /// The max-min fair allocations in bit/s; what random workloads ask for differs by run.
    pub max_min_bps: Vec<f64>,
}

impl<'a> Numbers<'a> {
    /// Of at least one run.
    pub fn of(runs: &'a [Ran<'a>]) -> Numbers<'a> {
        let names: Vec<&str> = each_name(runs[0].flows, "flow").collect();
        let series = if let [run] = runs { intervals(run, names.len()) } else { totals(runs, names.len()) };
        let ideals: Vec<Vec<f64>> = runs.iter().map(max_min::of_run).collect();
        let ideal = |flow: usize| ideals.iter().map(|of_run| of_run[flow]).sum::<f64>() / runs.len() as f64;
        Numbers {
            runs,
            goodput_bps: series.iter().map(|of_flow| mean(of_flow.iter().copied())).collect(),
            max_min_bps: (0..names.len()).map(ideal).collect(),
            series,
            names,
        }
    }

    /// How many flows there are.
    pub fn count(&self) -> usize {
        self.names.len()
    }

    /// A measurement of a flow.
    pub fn flow(&self, column: &str, flow: usize) -> f64 {
        mean_of(self.runs, |run| run.flows, column, flow)
    }

    /// A count of a flow.
    pub fn flow_count(&self, column: &str, flow: usize) -> i64 {
        total_of(self.runs, |run| run.flows, column, flow)
    }

    /// The mean wait in s of all packets of some flows.
    pub fn wait_s(&self, flows: &[usize]) -> f64 {
        mean(self.runs.iter().map(|run| {
            let (waits, packets) = (floats(run.flows, "queueing_mean_s"), ints(run.flows, "received"));
            pooled(flows.iter().map(|flow| (waits[*flow], packets[*flow] as f64)))
        }))
    }
}

/// The mean over the runs of a measurement in a row of one of their tables; NaN if none has it.
pub(super) fn mean_of<'a>(runs: &[Ran<'a>], table: fn(&Ran<'a>) -> &'a Table, column: &str, row: usize) -> f64 {
    mean(runs.iter().map(|run| floats(table(run), column)[row]))
}

/// The total over the runs of a count in a row of one of their tables.
pub(super) fn total_of<'a>(runs: &[Ran<'a>], table: fn(&Ran<'a>) -> &'a Table, column: &str, row: usize) -> i64 {
    runs.iter().map(|run| ints(table(run), column)[row]).sum()
}

/// The goodputs of each flow in the measured whole intervals of a run.
pub(super) fn intervals(run: &Ran<'_>, flows: usize) -> Vec<Vec<f64>> {
    let table = run.intervals;
    let whole = whole_intervals(floats(table, "start_s"), floats(table, "end_s"), ints(table, "warm_up"));
    let mut series = vec![Vec::new(); flows];
    // Rows follow each other interval by interval.
    for (row, goodput) in GOODPUT.of(table).into_iter().enumerate().filter(|(row, _)| whole[*row]) {
        series[row % flows].push(goodput);
    }
    series
}

/// The goodputs of each flow in several runs.
fn totals(runs: &[Ran<'_>], flows: usize) -> Vec<Vec<f64>> {
    let of_runs: Vec<Vec<f64>> = runs.iter().map(|run| GOODPUT.of(run.flows)).collect();
    (0..flows).map(|flow| of_runs.iter().map(|of_run| of_run[flow]).collect()).collect()
}
