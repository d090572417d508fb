//! The pictures of a trace that is too long for its rows: sums over many short intervals, in memory that does not depend on the trace.

use super::pictures::{Picture, shown};
use super::rates::{Curve, Rates};
use super::slots::Slots;
use super::waiting::{Counts, Waiting};
use crate::view::{Line, View};
use headgate_replay::Tracks;
use std::sync::Arc;

/// Intervals of the whole replay.
pub(super) const BINS: usize = 1 << 14;

/// What is summed up of each line and interval.
#[derive(Clone, Debug)]
struct Sums {
    offered: Vec<f64>,
    sent: Vec<f64>,
    waiting: Vec<f64>,
    drops: Vec<f64>,
    marks: Vec<f64>,
    least: Vec<f64>,
    greatest: Vec<f64>,
}

/// Sums by line and interval.
#[derive(Clone, Debug)]
pub(super) struct Binned {
    wide: f64,
    lines: Vec<Sums>,
}

impl Binned {
    /// None yet; the replay ends at `longest` in s at the latest.
    pub fn new(slots: &Slots, longest: f64) -> Binned {
        let all = |value: f64| vec![value; BINS + 1];
        let zeros = || all(0.0);
        let sums = || Sums {
            offered: zeros(),
            sent: zeros(),
            waiting: zeros(),
            drops: zeros(),
            marks: zeros(),
            least: all(f64::INFINITY),
            greatest: all(f64::NEG_INFINITY),
        };
        Binned { wide: longest / BINS as f64, lines: slots.lines.iter().map(|_| sums()).collect() }
    }

    /// Adds the next rows of the engine.
    pub fn add(&mut self, slots: &Slots, rows: &Tracks) {
        let wide = self.wide;
        let bin = |t: f64| (t / wide).min(BINS as f64) as usize;
        for i in 0..rows.flow.len() {
            let sums = &mut self.lines[slots.slot(rows.flow[i])];
            let (at, from, size) = (rows.arrived[i], rows.start[i], f64::from(rows.bytes[i]));
            let (came, began) = (bin(at), bin(from));
            sums.offered[came] += size;
            if from > at {
                sums.waiting[came] += 1.0;
                sums.waiting[began] -= 1.0;
            }
            if rows.reason[i] > 0 {
                sums.drops[began] += 1.0;
                continue;
            }
            let left = bin(rows.left[i]);
            sums.sent[left] += size;
            sums.marks[left] += f64::from(u8::from(rows.marked[i] > 0));
            sums.least[came] = sums.least[came].min(from - at);
            sums.greatest[came] = sums.greatest[came].max(from - at);
        }
    }

    /// The pictures up to `until` in s: the same ones as those that are made of rows.
    pub fn pictures(&self, slots: &Slots, until: f64) -> Vec<Picture> {
        let wide = self.wide;
        let last = ((until / wide) as usize + 1).min(BINS + 1);
        let starts: Arc<Vec<f64>> = Arc::new((0..last).map(|i| i as f64 * wide).collect());
        let edges: Arc<Vec<f64>> = Arc::new((1..=last).map(|i| (i as f64 * wide).min(until)).collect());
        let [mut offered, mut sent] = Rates::both(slots, wide, until);
        let (mut delays, mut drops, mut marks, mut held) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for ((name, flow), sums) in slots.lines.iter().zip(&self.lines) {
            for (rates, of) in [(&mut offered, &sums.offered), (&mut sent, &sums.sent)] {
                let (started, ended) = (Arc::clone(&starts), Arc::clone(&edges));
                rates.curves.push(Curve { started, ended, total: so_far(&of[..last]) });
            }
            held.push(so_far(&sums.waiting[..last]));
            let some = (0..last).filter(|i| sums.least[*i].is_finite());
            let t: Vec<f64> = some.clone().flat_map(|i| [starts[i], starts[i] + wide / 2.0]).collect();
            if !t.is_empty() {
                let both = some.flat_map(|i| [sums.least[i], sums.greatest[i]]).collect();
                delays.push(Line::new(name, flow.as_deref(), t, both));
            }
            let marked = format!("{name} (marked)");
            for (lines, of, label) in [(&mut drops, &sums.drops, name), (&mut marks, &sums.marks, &marked)] {
                let y = so_far(&of[..last]);
                if y.last().is_some_and(|all| *all != 0.0) {
                    lines.push(Line { name: label.clone(), flow: flow.clone(), t: Arc::clone(&edges), y: Arc::new(y) });
                }
            }
        }
        let total = (0..last).map(|i| held.iter().map(|values| values[i] as i64).sum()).collect();
        let waiting = Waiting::new(slots, Counts::Held(held), edges.to_vec(), total);
        let title = "Queueing delay by flow, least and greatest";
        let delay = View { lines: delays, steps: false, ..View::new("queueing", title, "s") };
        shown([offered, sent], delay, waiting, drops, marks)
    }
}

/// Each value with all of them before it.
fn so_far(values: &[f64]) -> Vec<f64> {
    let mut sum = 0.0;
    let add = |x: &f64| {
        sum += x;
        sum
    };
    values.iter().map(add).collect()
}
