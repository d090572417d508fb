//! The views of a run: which lines each has, from the tables of intervals and traces.

use crate::fault::Fault;
use crate::intervals::by_interval;
use crate::stacked::Stacked;
use crate::traced::Traced;
use crate::view::{Points, View};
use headgate_sim::spec::TraceKind;
use headgate_sim::{Table, TableName};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Maximum number of lines of a view.
pub const LINES: usize = 24;

/// Estimates that are a pacing rate, in packets per second.
const PACING: [&str; 2] = ["rate", "pacing_rate"];

/// The views that stand first, in this order.
const ORDER: [&str; 8] = ["throughput", "rtt", "queueing", "ports", "drops", "window", "in_flight", "pacing"];

/// All views of a run that have lines.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Views {
    /// In the order in which the page offers them.
    pub views: Vec<View>,
    /// The backlog of a port by flow, which is drawn from packets; its description is among the views.
    pub stacked: Option<Stacked>,
}

impl Views {
    /// Those of a run.
    ///
    /// * `table`: gives a table of the run by its name.
    /// * `end`: of the run, in s.
    pub fn of<'a>(table: impl Fn(TableName) -> &'a Table, end: f64) -> Views {
        let intervals = table(TableName::Intervals);
        let (_, flows) = crate::columns::names(intervals, "flow");
        let [throughput, mean_rtt, queueing, marks] = by_interval(intervals);
        let mut traced = Traced::of(table(TableName::Traces), flows.len(), end);
        let mut of = BTreeMap::new();
        let mut put = |view: View| of.insert(view.name.clone(), view);
        let rtt = traced.view("rtt", "rtt", "Round-trip time", "s", false);
        put(throughput);
        put(queueing);
        put(if rtt.lines.is_empty() { mean_rtt } else { rtt });
        put(traced.view("backlog", "ports", "Backlog of the ports", "packets", true));
        put(traced.drops(flows, marks));
        put(traced.view("window", "window", "Window", "packets", true));
        put(traced.view("in_flight", "in_flight", "Packets sent and not acknowledged", "packets", true));
        for kind in traced.kinds {
            if PACING.contains(&kind.as_str()) {
                put(traced.view(kind, "pacing", "Pacing rate", "packets/s", true));
            } else if !TraceKind::ALL.iter().any(|known| known.name() == kind) {
                put(traced.estimate(kind));
            }
        }
        let mut views: Vec<View> = ORDER.iter().filter_map(|name| of.remove(*name)).collect();
        views.extend(of.into_values());
        views.retain(|view| !view.lines.is_empty());
        Views { views, stacked: None }
    }

    /// Adds the backlog of a port by flow, before that of all ports, from the table of routes.
    pub fn stack(&mut self, routes: &Table, port: usize) {
        let place = self.views.iter().position(|view| view.name == "ports").unwrap_or(self.views.len());
        let stacked = Stacked::of(routes, port);
        self.views.insert(place, stacked.view.clone());
        self.stacked = Some(stacked);
    }

    /// The descriptions of all of them, as the page's list of `ViewInfo`.
    pub fn heads(&self) -> Value {
        json!(self.views)
    }

    /// A view by its name.
    ///
    /// # Errors
    /// There is none of this name.
    pub fn get(&self, name: &str) -> Result<&View, Fault> {
        self.views.iter().find(|view| view.name == name).ok_or_else(|| no_view(name, self.views.iter()))
    }

    /// The lines of a view from `start` to `end` in s, as a picture of `width` pixels shows them.
    ///
    /// # Errors
    /// There is no view of this name.
    pub fn points(&self, name: &str, start: f64, end: f64, width: usize) -> Result<Points, Fault> {
        Ok(self.get(name)?.points(start, end, width))
    }
}

/// That there is no view of this name among those that are known.
pub(crate) fn no_view<'a>(name: &str, known: impl Iterator<Item = &'a View>) -> Fault {
    let known: Vec<&str> = known.map(|view| view.name.as_str()).collect();
    let name: String = name.chars().take(80).collect();
    Fault::new(format!("view '{name}'; expected one of {}", known.join(", ")))
}

/// The places of the greatest values, at most `count`, in rising order; of equal values those of the first, and NaN counts as 0.
pub(crate) fn greatest<T: Copy + Default + PartialOrd>(values: &[T], count: usize) -> Vec<usize> {
    let known = |i: &usize| if values[*i].partial_cmp(&values[*i]).is_some() { values[*i] } else { T::default() };
    let mut places: Vec<usize> = (0..values.len()).collect();
    places.sort_by(|a, b| known(b).partial_cmp(&known(a)).unwrap_or(std::cmp::Ordering::Equal));
    places.truncate(count);
    places.sort_unstable();
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use headgate_sim::Cells;

    fn texts(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    /// Two flows, `a` and `b`, of three intervals each, the last one far shorter than the others.
    fn intervals() -> Table {
        let each = |of: [f64; 3]| Cells::Float([of, of].as_flattened().to_vec());
        vec![
            ("flow", Cells::Name(vec![0, 0, 0, 1, 1, 1], texts(&["a", "b"]))),
            ("start_s", each([0.0, 1.0, 2.0])),
            ("end_s", each([1.0, 2.0, 2.0005])),
            ("unique_bytes", Cells::Int(vec![100, 200, 50, 300, 0, 50])),
            ("marks", Cells::Int(vec![0, 0, 0, 2, 1, 0])),
            ("rtt_mean_s", Cells::Float(vec![f64::NAN, f64::NAN, 0.1, 0.1, f64::NAN, 0.1])),
            ("queueing_mean_s", Cells::Float(vec![f64::NAN; 6])),
        ]
    }

    /// Rows of kind, object, time and value.
    fn traces(rows: &[(&str, &str, f64, f64)]) -> Table {
        let (kinds, objects) = (["window", "backlog", "drops", "rate", "alpha"], ["a", "b", "slow", "slow:reverse"]);
        let place = |list: &[&str], name| list.iter().position(|own| *own == name).expect("it is listed") as i64;
        vec![
            ("trace", Cells::Name(rows.iter().map(|r| place(&kinds, r.0)).collect(), texts(&kinds))),
            ("object", Cells::Name(rows.iter().map(|r| place(&objects, r.1)).collect(), texts(&objects))),
            ("time_s", Cells::Float(rows.iter().map(|r| r.2).collect())),
            ("value", Cells::Float(rows.iter().map(|r| r.3).collect())),
        ]
    }

    fn of(intervals: &Table, traces: &Table) -> Views {
        Views::of(|name| if name == TableName::Intervals { intervals } else { traces }, 2.0)
    }

    /// Title, unit and lines of a view; of each line its name, its flow and its points. No value is written as -1.
    fn shown(views: &Views, name: &str) -> Value {
        let view = views.get(name).expect(name);
        let points = |x: &crate::Line| -> Vec<(f64, f64)> {
            x.t.iter().copied().zip(x.y.iter().map(|y| if y.is_nan() { -1.0 } else { *y })).collect()
        };
        let lines: Vec<Value> = view.lines.iter().map(|x| json!([x.name, x.flow, points(x)])).collect();
        json!([view.title, view.unit, lines])
    }

    #[test]
    fn intervals_give_goodput_delays_and_marks_so_far() {
        let found = of(&intervals(), &traces(&[]));
        let names: Vec<&str> = found.views.iter().map(|view| view.name.as_str()).collect();
        // Nothing is known of the queueing delay, and the last interval is too short for a rate.
        assert_eq!(names, ["throughput", "rtt", "drops"]);
        let due = json!([
            "Goodput",
            "bit/s",
            [
                ["a", "a", [[0.0, 800.0], [1.0, 1600.0], [2.0, 1600.0]]],
                ["b", "b", [[0.0, 2400.0], [1.0, 0.0], [2.0, 0.0]]]
            ]
        ]);
        assert_eq!(shown(&found, "throughput"), due);
        let due =
            json!(["Round-trip time, mean of intervals", "s", [["b", "b", [[0.0, 0.1], [1.0, -1.0], [2.0, -1.0]]]]]);
        assert_eq!(shown(&found, "rtt"), due);
        let due =
            json!(["Marked packets so far", "packets", [["b (marked)", "b", [[1.0, 2.0], [2.0, 3.0], [2.0, 3.0]]]]]);
        assert_eq!(shown(&found, "drops"), due);
        assert_eq!(found.get("none").unwrap_err().message, "view 'none'; expected one of throughput, rtt, drops");
    }

    #[test]
    fn traces_give_a_line_for_each_object_and_drops_in_the_order_of_time() {
        let rows = [
            ("window", "b", 0.0, 1.0),
            ("backlog", "slow", 0.25, 3.0),
            ("backlog", "slow:reverse", 0.25, 0.0),
            // A port that was woken late says so after a later drop of another one.
            ("drops", "slow", 1.5, 1.0),
            ("drops", "slow:reverse", 1.0, 1.0),
            ("window", "a", 1.0, 4.0),
            ("window", "b", 1.25, 2.0),
            ("rate", "a", 1.5, 7.0),
            ("alpha", "a", 1.5, 0.5),
        ];
        let found = of(&intervals(), &traces(&rows));
        let names: Vec<&str> = found.views.iter().map(|view| view.name.as_str()).collect();
        assert_eq!(names, ["throughput", "rtt", "ports", "drops", "window", "pacing", "estimate-alpha"]);
        let due = json!([
            "Window",
            "packets",
            [["a", "a", [[1.0, 4.0], [2.0, 4.0]]], ["b", "b", [[0.0, 1.0], [1.25, 2.0], [2.0, 2.0]]]]
        ]);
        assert_eq!(shown(&found, "window"), due);
        // A port at which nothing waits has no line.
        let due = json!(["Backlog of the ports", "packets", [["slow", null, [[0.25, 3.0], [2.0, 3.0]]]]]);
        assert_eq!(shown(&found, "ports"), due);
        let due = json!([
            "Dropped and marked packets so far",
            "packets",
            [
                ["b", "b", [[1.0, 1.0], [1.5, 2.0], [2.0, 2.0]]],
                ["b (marked)", "b", [[1.0, 2.0], [2.0, 3.0], [2.0, 3.0]]]
            ]
        ]);
        assert_eq!(shown(&found, "drops"), due);
        assert_eq!(
            shown(&found, "pacing"),
            json!(["Pacing rate", "packets/s", [["a", "a", [[1.5, 7.0], [2.0, 7.0]]]]])
        );
        let due = json!(["Weight of the old estimate", "", [["a", "a", [[1.5, 0.5], [2.0, 0.5]]]]]);
        assert_eq!(shown(&found, "estimate-alpha"), due);
    }

    #[test]
    fn of_very_many_lines_those_that_say_most_are_kept_in_the_order_of_the_file() {
        assert_eq!(greatest(&[3.0, f64::NAN, 5.0, 3.0, 3.0, -1.0], 3), [0, 2, 3]);
        assert_eq!(greatest(&[-1.0, f64::NAN], 1), [1]);
        assert!(greatest::<u32>(&[], 3).is_empty());
    }

    #[test]
    fn tables_without_columns_give_no_views() {
        assert_eq!(of(&Table::new(), &Table::new()), Views::default());
        // A code or a flow that is in no list is in no line.
        let mut wrong = traces(&[("window", "a", 0.0, 1.0), ("drops", "slow", 1.0, -5.0), ("drops", "slow", 1.0, 9.0)]);
        wrong[0].1 = Cells::Name(vec![7, 2, -3], texts(&["window", "backlog", "drops"]));
        assert_eq!(of(&Table::new(), &wrong), Views::default());
    }
}
