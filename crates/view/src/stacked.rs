//! The backlog of one port by flow, stacked, from the packets at the port.

use crate::columns::names;
use crate::reduce::{WIDEST, by_pixel};
use crate::view::{Line, Points, View};
use crate::views::LINES;
use headgate_sim::Table;

/// The packets of one port in the order of their arrival, up to a time.
#[derive(Clone, Copy, Debug)]
pub struct Queue<'a> {
    /// The number of each packet's flow.
    pub flow: &'a [u32],
    /// When it arrived, in s.
    pub arrived: &'a [f64],
    /// When its transmission began or it was dropped, in s; NaN for one that waits at the end.
    pub start: &'a [f64],
    /// Up to when the packets are known, in s.
    pub until: f64,
}

impl Queue<'_> {
    /// When the packets of a flow, or all, that had to wait were queued, and when they left the queue; both in rising order.
    fn waits(&self, flow: Option<u32>) -> [Vec<f64>; 2] {
        let packets = self.flow.iter().zip(self.arrived.iter().zip(self.start));
        let own = packets.filter(|(f, (arrived, start))| {
            let sent_at_once = start <= arrived;
            flow.is_none_or(|flow| flow == **f) && !sent_at_once
        });
        let (queued, mut left): (Vec<f64>, Vec<f64>) =
            own.map(|(_, (arrived, start))| (*arrived, if start.is_nan() { f64::INFINITY } else { *start })).unzip();
        left.sort_by(f64::total_cmp);
        [queued, left]
    }
}

/// Packets of each flow that wait at a port. Its lines have the same times, so that their values add up.
#[derive(Clone, Debug, PartialEq)]
pub struct Stacked {
    /// Number of the port.
    pub port: usize,
    /// Its description; its lines have no points.
    pub view: View,
    /// Of each line the number of its flow.
    flows: Vec<u32>,
}

impl Stacked {
    /// That of a port, for the flows that cross it by the table of routes.
    pub fn of(routes: &Table, port: usize) -> Stacked {
        let ((flow, flows), (link, ports)) = (names(routes, "flow"), names(routes, "link"));
        let mut crossing = Vec::new();
        for (f, _) in flow.iter().zip(link).filter(|(_, link)| **link == port as i64) {
            if crossing.len() < LINES && !crossing.contains(f) {
                crossing.push(*f);
            }
        }
        let name = |list: &[String], i: i64| list.get(i as usize).cloned().unwrap_or_default();
        let title = format!("Backlog of {} by flow", name(ports, port as i64));
        let line = |f: &i64| Line::new(&name(flows, *f), Some(&name(flows, *f)), Vec::new(), Vec::new());
        let lines = crossing.iter().map(line).collect();
        let flows = crossing.iter().map(|f| *f as u32).collect();
        Stacked { port, view: View { stacked: true, lines, ..View::new("backlog", title, "packets") }, flows }
    }

    /// Its lines from `start` to `end` in s, in each of `width` pixels the values where their sum is least and where it is greatest.
    pub fn points(&self, queue: &Queue<'_>, start: f64, end: f64, width: usize) -> Points {
        self.drawn(queue, start, end, Some(width.clamp(1, WIDEST))).all(start, end)
    }

    /// The view with all points up to `end` in s.
    pub fn whole(&self, queue: &Queue<'_>, end: f64) -> View {
        self.drawn(queue, 0.0, end, None)
    }

    fn drawn(&self, queue: &Queue<'_>, start: f64, end: f64, width: Option<usize>) -> View {
        let until = end.min(queue.until).max(start);
        let all = queue.waits(None);
        let mut changes: Vec<f64> = all.iter().flatten().copied().filter(|t| start <= *t && *t <= until).collect();
        changes.sort_by(f64::total_cmp);
        changes.dedup();
        if let Some(width) = width.filter(|width| changes.len() > 2 * width) {
            changes = extremes(&changes, &counts(&all, &changes), start, end, width);
        }
        let mut t = vec![start];
        t.extend(changes);
        t.push(until);
        let line = |(f, line): (&u32, &Line)| {
            let y = counts(&queue.waits(Some(*f)), &t).into_iter().map(|n| n as f64).collect();
            Line::new(&line.name, line.flow.as_deref(), t.clone(), y)
        };
        View { lines: self.flows.iter().zip(&self.view.lines).map(line).collect(), ..self.view.clone() }
    }
}

/// How many packets wait at each time.
fn counts([queued, left]: &[Vec<f64>; 2], t: &[f64]) -> Vec<i64> {
    let by = |times: &[f64], at: f64| times.partition_point(|x| *x <= at) as i64;
    t.iter().map(|at| by(queued, *at) - by(left, *at)).collect()
}

/// For each of `width` pixels from `start` to `end`, the first times of the least and of the greatest sum; `t` rises.
///
/// ```
/// let t: Vec<f64> = (0..6).map(f64::from).collect();
/// assert_eq!(headgate_view::extremes(&t, &[2, 1, 1, 5, 5, 7], 0.0, 6.0, 2), [0.0, 1.0, 3.0, 5.0]);
/// ```
pub fn extremes(t: &[f64], sums: &[i64], start: f64, end: f64, width: usize) -> Vec<f64> {
    let mut found = Vec::new();
    let size = t.len().min(sums.len());
    for own in by_pixel(&t[..size], start, end, width.max(1)) {
        let least = own.clone().min_by_key(|&i| sums[i]).unwrap_or(own.start);
        let most = own.clone().rev().max_by_key(|&i| sums[i]).unwrap_or(own.start);
        found.push(t[least.min(most)]);
        if least != most {
            found.push(t[least.max(most)]);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use headgate_sim::Cells;
    use serde_json::json;

    fn column(name: &'static str, codes: Vec<i64>, names: &[&str]) -> (&'static str, Cells) {
        (name, Cells::Name(codes, names.iter().map(|name| (*name).to_owned()).collect()))
    }

    fn stacked() -> Stacked {
        let (flows, ports) = (["a", "b", "c"], ["in", "slow"]);
        Stacked::of(&vec![column("flow", vec![0, 0, 1, 2, 2], &flows), column("link", vec![0, 1, 0, 0, 1], &ports)], 1)
    }

    /// A packet that does not wait, and three that do, of which one is dropped and one is still there at 5 s.
    const QUEUE: Queue<'static> =
        Queue { flow: &[0, 0, 2, 2], arrived: &[1.0, 1.5, 1.5, 3.0], start: &[1.0, 4.0, 2.0, -f64::NAN], until: 5.0 };

    #[test]
    fn packets_that_wait_are_counted_by_flow_and_stand_at_the_same_times() {
        let of = stacked();
        let head = json!({ "name": "backlog", "title": "Backlog of slow by flow", "unit": "packets", "stacked": true, "steps": true,
            "series": [{ "name": "a", "flow": "a" }, { "name": "c", "flow": "c" }] });
        assert_eq!(json!(of.view), head);
        let points = of.points(&QUEUE, 1.0, 9.0, 100);
        let t = vec![1.0, 1.5, 2.0, 3.0, 4.0, 5.0];
        let found: Vec<_> = points.series.into_iter().map(|x| (x.t, x.y)).collect();
        assert_eq!(found, [(t.clone(), vec![0.0, 1.0, 1.0, 1.0, 0.0, 0.0]), (t, vec![0.0, 1.0, 0.0, 1.0, 1.0, 1.0])]);
        assert_eq!(of.whole(&QUEUE, 2.5).lines[1].t[..], [0.0, 1.5, 2.0, 2.5]);
    }

    #[test]
    fn a_narrow_picture_keeps_the_least_and_the_greatest_sum() {
        let of = stacked();
        let points = of.points(&QUEUE, 0.0, 5.0, 1);
        let sums: Vec<f64> = points.series[0].y.iter().zip(&points.series[1].y).map(|(a, b)| a + b).collect();
        assert_eq!((&points.series[0].t[..], &sums[..]), (&[0.0, 1.5, 2.0, 5.0][..], &[0.0, 2.0, 1.0, 1.0][..]));
    }

    #[test]
    fn a_port_without_packets_has_none_that_wait() {
        let none = Table::new();
        let points = stacked().points(&Queue { flow: &[], arrived: &[], start: &[], ..QUEUE }, 0.0, 5.0, 10);
        assert!(points.series.iter().all(|x| x.t == [0.0, 5.0] && x.y == [0.0, 0.0]));
        assert!(Stacked::of(&none, 3).view.lines.is_empty());
    }
}
