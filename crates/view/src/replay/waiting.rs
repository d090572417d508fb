//! Packets of each flow that wait. The lines have the same times, so that their values add up.

use super::slots::Slots;
use crate::reduce::WIDEST;
use crate::stacked::extremes;
use crate::view::{Line, Points, View};
use std::sync::Arc;

/// The numbers of packets that wait.
#[derive(Clone, Debug)]
pub(super) enum Counts {
    /// Of each line, when packets that had to wait were queued and when they left the queue, both in rising order.
    Exact(Vec<(Vec<f64>, Vec<f64>)>),
    /// Of each line the number from each of the times on.
    Held(Vec<Vec<f64>>),
}

/// A view of what waits.
#[derive(Clone, Debug)]
pub struct Waiting {
    pub(super) view: View,
    pub(super) counts: Counts,
    /// The times at which the number of all that wait changes, and that number from then on.
    pub(super) t: Vec<f64>,
    pub(super) total: Vec<i64>,
}

impl Waiting {
    pub(super) fn new(slots: &Slots, counts: Counts, t: Vec<f64>, total: Vec<i64>) -> Waiting {
        let view = View { stacked: true, ..slots.view("backlog", "Packets that wait, by flow", "packets") };
        Waiting { view, counts, t, total }
    }

    pub(super) fn size(&self) -> usize {
        let each = match &self.counts {
            Counts::Exact(lines) => lines.iter().map(|(came, went)| came.len() + went.len()).sum(),
            Counts::Held(lines) => lines.iter().map(Vec::len).sum::<usize>(),
        };
        size_of::<f64>() * (each + self.t.len() + self.total.len())
    }

    /// In each pixel the values where their sum is least and where it is greatest.
    pub(super) fn points(&self, start: f64, end: f64, width: usize) -> Points {
        self.lines(start, end, Some(width.clamp(1, WIDEST))).all(start, end)
    }

    /// With all its points.
    pub(super) fn whole(&self, until: f64) -> View {
        self.lines(0.0, until, None)
    }

    fn lines(&self, start: f64, end: f64, width: Option<usize>) -> View {
        let first = self.t.partition_point(|t| *t < start);
        let last = self.t.partition_point(|t| *t <= end).max(first);
        let changes = &self.t[first..last];
        let mut times = vec![start];
        match width {
            Some(width) if changes.len() > 2 * width => {
                times.extend(extremes(changes, &self.total[first..last], start, end, width));
            }
            _ => times.extend(changes),
        }
        times.push(end);
        let times = Arc::new(times);
        let line = |(k, line): (usize, &Line)| {
            let values = times.iter().map(|t| self.count(k, *t)).collect();
            Line { t: Arc::clone(&times), y: Arc::new(values), ..line.clone() }
        };
        let lines = self.view.lines.iter().enumerate().map(line).collect();
        View { lines, ..self.view.clone() }
    }

    /// The number of a line at a time.
    fn count(&self, line: usize, t: f64) -> f64 {
        let by = |times: &[f64]| times.partition_point(|known| *known <= t) as f64;
        match &self.counts {
            Counts::Exact(lines) => by(&lines[line].0) - by(&lines[line].1),
            Counts::Held(lines) => {
                self.t.partition_point(|known| *known <= t).checked_sub(1).map_or(0.0, |at| lines[line][at])
            }
        }
    }
}
