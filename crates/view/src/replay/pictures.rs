//! The pictures of a replay: rates, waits, what waits, and drops, of the flows with most bytes one by one and of all others together.

use super::rates::{Curve, PACKETS, Rates};
use super::slots::Slots;
use super::waiting::{Counts, Waiting};
use crate::fault::Fault;
use crate::view::{Line, Points, View};
use crate::views::no_view;
use headgate_replay::Tracks;
use std::sync::Arc;

/// A picture of a replay over time.
#[derive(Clone, Debug)]
pub enum Picture {
    /// With all its points.
    Plain(View),
    /// Rates, whose intervals follow from the range that is shown.
    Rates(Rates),
    /// What waits, whose lines add up in each pixel.
    Waiting(Waiting),
}

impl Picture {
    /// Its description; the points of its lines may be missing.
    pub fn head(&self) -> &View {
        match self {
            Picture::Plain(view) => view,
            Picture::Rates(rates) => &rates.view,
            Picture::Waiting(waiting) => &waiting.view,
        }
    }

    /// The one of this name.
    ///
    /// # Errors
    /// There is none of this name.
    pub fn named<'a>(all: &'a [Picture], name: &str) -> Result<&'a Picture, Fault> {
        let found = all.iter().find(|picture| picture.head().name == name);
        found.ok_or_else(|| no_view(name, all.iter().map(Picture::head)))
    }

    /// Bytes that it takes.
    pub fn size(&self) -> usize {
        match self {
            Picture::Plain(view) => view.size(),
            Picture::Rates(rates) => rates.size(),
            Picture::Waiting(waiting) => waiting.size(),
        }
    }

    /// Its lines from `start` to `end` in s, as a picture of `width` pixels shows them.
    pub fn points(&self, start: f64, end: f64, width: usize) -> Points {
        match self {
            Picture::Plain(view) => view.points(start, end, width),
            Picture::Rates(rates) => rates.points(start, end, width),
            Picture::Waiting(waiting) => waiting.points(start, end, width),
        }
    }

    /// The view with all its points, of a replay that ends at `until` in s.
    pub fn whole(&self, until: f64) -> View {
        match self {
            Picture::Plain(view) => view.clone(),
            Picture::Rates(rates) => rates.whole(),
            Picture::Waiting(waiting) => waiting.whole(until),
        }
    }
}

/// Those that have something to show.
pub(super) fn shown(
    [offered, sent]: [Rates; 2],
    delay: View,
    waiting: Waiting,
    drops: Vec<Line>,
    marks: Vec<Line>,
) -> Vec<Picture> {
    let lost = lost(drops, marks);
    let rates = [Picture::Rates(offered), Picture::Rates(sent)];
    let all = rates.into_iter().chain([Picture::Plain(delay), Picture::Waiting(waiting), Picture::Plain(lost)]);
    all.filter(|picture| picture.size() > 0).collect()
}

/// The view of the packets that were dropped or marked so far.
fn lost(mut drops: Vec<Line>, marks: Vec<Line>) -> View {
    let what = match (drops.is_empty(), marks.is_empty()) {
        (false, false) => "Dropped and marked",
        (true, false) => "Marked",
        _ => "Dropped",
    };
    drops.extend(marks);
    View { lines: drops, ..View::new("drops", format!("{what} packets so far"), "packets") }
}

/// All pictures, from the rows of all packets up to `until` in s. `bps` is the rate of the line, and `longest` the length of the longest packet.
pub(super) fn of_rows(rows: &Tracks, slots: &Slots, until: f64, bps: f64, longest: u32) -> Vec<Picture> {
    let least = PACKETS * 8.0 * f64::from(longest) / bps;
    let [mut offered, mut sent] = Rates::both(slots, least, until);
    let mut own: Vec<Vec<usize>> = vec![Vec::new(); slots.lines.len()];
    rows.flow.iter().enumerate().for_each(|(i, flow)| own[slots.slot(*flow)].push(i));
    let (mut delays, mut drops, mut marks, mut counts) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let pick = |column: &[f64], places: &[usize]| places.iter().map(|i| column[*i]).collect::<Vec<f64>>();
    let waits = |i: &usize| rows.start[*i] > rows.arrived[*i];
    for ((name, flow), own) in slots.lines.iter().zip(&own) {
        let came = Arc::new(pick(&rows.arrived, own));
        offered.curves.push(Curve { started: Arc::clone(&came), ended: came, total: so_far(rows, own) });
        let mut through: Vec<usize> = own.iter().copied().filter(|i| rows.reason[*i] == 0).collect();
        if !through.is_empty() {
            let waited = through.iter().map(|i| rows.start[*i] - rows.arrived[*i]).collect();
            delays.push(Line::new(name, flow.as_deref(), pick(&rows.arrived, &through), waited));
        }
        through.sort_by(|a, b| rows.start[*a].total_cmp(&rows.start[*b]));
        let (started, ended) = (pick(&rows.start, &through).into(), pick(&rows.left, &through).into());
        sent.curves.push(Curve { started, ended, total: so_far(rows, &through) });
        let stays: Vec<usize> = own.iter().copied().filter(waits).collect();
        counts.push((pick(&rows.arrived, &stays), sorted(pick(&rows.start, &stays))));
        let dropped: Vec<usize> = own.iter().copied().filter(|i| rows.reason[*i] > 0).collect();
        drops.extend(counted(name, flow.as_deref(), pick(&rows.start, &dropped), until));
        let marked: Vec<usize> = own.iter().copied().filter(|i| rows.marked[*i] > 0).collect();
        marks.extend(counted(&format!("{name} (marked)"), flow.as_deref(), pick(&rows.left, &marked), until));
    }
    let stays: Vec<usize> = (0..rows.flow.len()).filter(|i| waits(i)).collect();
    let (t, total) = sums(&pick(&rows.arrived, &stays), sorted(pick(&rows.start, &stays)));
    let waiting = Waiting::new(slots, Counts::Exact(counts), t, total);
    let delay = View { lines: delays, steps: false, ..View::new("queueing", "Queueing delay by flow", "s") };
    shown([offered, sent], delay, waiting, drops, marks)
}

/// The bytes of some packets, each with all of them before it.
fn so_far(rows: &Tracks, places: &[usize]) -> Vec<f64> {
    let mut sum = 0.0;
    let add = |i: &usize| {
        sum += f64::from(rows.bytes[*i]);
        sum
    };
    places.iter().map(add).collect()
}

fn sorted(mut times: Vec<f64>) -> Vec<f64> {
    times.sort_unstable_by(f64::total_cmp);
    times
}

/// A line that rises by one at each of some times; none if there are none.
fn counted(name: &str, flow: Option<&str>, times: Vec<f64>, until: f64) -> Option<Line> {
    let count = times.len();
    let t = [vec![0.0], sorted(times), vec![until]].concat();
    let y = (0..=count).chain([count]).map(|number| number as f64).collect();
    (count > 0).then(|| Line::new(name, flow, t, y))
}

/// The number of all packets that wait over time, from when they came and when they left the queue, both in rising order.
fn sums(came: &[f64], went: Vec<f64>) -> (Vec<f64>, Vec<i64>) {
    let (mut t, mut total): (Vec<f64>, Vec<i64>) = (Vec::new(), Vec::new());
    let (mut i, mut k, mut now) = (0, 0, 0);
    while i < came.len() || k < went.len() {
        let comes = k == went.len() || i < came.len() && came[i] <= went[k];
        let at = if comes { came[i] } else { went[k] };
        (i, k, now) = if comes { (i + 1, k, now + 1) } else { (i, k + 1, now - 1) };
        if t.last() == Some(&at) {
            total.pop();
        } else {
            t.push(at);
        }
        total.push(now);
    }
    (t, total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_of_what_waits_changes_once_at_each_time() {
        let found = sums(&[0.0, 1.0, 1.0, 4.0], vec![1.0, 2.0, 4.0, 5.0]);
        assert_eq!(found, (vec![0.0, 1.0, 2.0, 4.0, 5.0], vec![1, 2, 1, 1, 0]));
    }
}
