//! The views that the table of intervals gives: a value for each flow and interval.

use crate::columns::{floats, ints, names};
use crate::view::{Line, View};
use crate::views::{LINES, greatest};
use headgate_sim::Table;

/// Intervals shorter than this part of the longest one are left out: the last one of a run may be shorter than a packet's transmission, so that its
/// rate means nothing.
const SHORTEST: f64 = 1e-3;

/// Goodput, round-trip time, queueing delay and marked packets so far, of the flows that got most.
pub(crate) fn by_interval(t: &Table) -> [View; 4] {
    let (codes, flows) = names(t, "flow");
    let [starts, ends, rtt, queueing] = ["start_s", "end_s", "rtt_mean_s", "queueing_mean_s"].map(|c| floats(t, c));
    let [bytes, marks] = ["unique_bytes", "marks"].map(|c| ints(t, c));
    let complete = [starts.len(), ends.len(), rtt.len(), queueing.len(), bytes.len(), marks.len()];
    let count = complete.into_iter().min().unwrap_or(0);
    let longest = (0..count).fold(0.0, |most: f64, i| most.max(ends[i] - starts[i]));
    let mut rows: Vec<Vec<usize>> = vec![Vec::new(); flows.len()];
    for (i, code) in codes.iter().enumerate().take(count) {
        if let Some(own) = rows.get_mut(*code as usize).filter(|_| ends[i] - starts[i] > SHORTEST * longest) {
            own.push(i);
        }
    }
    let goodput = |i: usize| 8.0 * bytes[i] as f64 / (ends[i] - starts[i]);
    let totals: Vec<f64> = rows.iter().map(|own| own.iter().map(|&i| goodput(i)).sum()).collect();
    let chosen: Vec<(&str, &[usize], f64)> = greatest(&totals, LINES)
        .into_iter()
        .filter_map(|f| Some((flows[f].as_str(), rows[f].as_slice(), ends[*rows[f].last()?])))
        .collect();
    let of_each = |of: &dyn Fn(usize) -> f64| -> Vec<Line> {
        let line = |&(name, own, end): &(&str, &[usize], f64)| {
            let y: Vec<f64> = own.iter().map(|&i| of(i)).collect();
            let known = y.iter().any(|y| y.is_finite());
            known.then(|| Line::held(name, Some(name), own.iter().map(|&i| starts[i]).collect(), y, end))
        };
        chosen.iter().filter_map(line).collect()
    };
    let so_far = |&(name, own, end): &(&str, &[usize], f64)| {
        let sum = |sum: &mut f64, &i: &usize| {
            *sum += marks[i] as f64;
            Some(*sum)
        };
        let y: Vec<f64> = own.iter().scan(0.0, sum).collect();
        let some = y.last().is_some_and(|y| *y != 0.0);
        some.then(|| Line::held(name, Some(name), own.iter().map(|&i| ends[i]).collect(), y, end))
    };
    [
        ("throughput", "Goodput", "bit/s", of_each(&goodput)),
        ("rtt", "Round-trip time, mean of intervals", "s", of_each(&|i| rtt[i])),
        ("queueing", "Queueing delay, mean of intervals", "s", of_each(&|i| queueing[i])),
        ("drops", "Marked packets so far", "packets", chosen.iter().filter_map(so_far).collect()),
    ]
    .map(|(name, title, unit, lines)| View { lines, ..View::new(name, title, unit) })
}
