//! Pictures of a run over time.

use crate::reduce::reduced;
use serde::Serialize;
use std::sync::Arc;

/// A line of a view: its name, the flow that it is about if there is one, times in s and values; NaN where there is none.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Its name.
    pub name: String,
    /// The flow that it is about.
    pub flow: Option<String>,
    /// Times in rising order.
    pub t: Arc<Vec<f64>>,
    /// As many values.
    pub y: Arc<Vec<f64>>,
}

impl Line {
    /// A line from its points.
    pub fn new(name: &str, flow: Option<&str>, t: Vec<f64>, y: Vec<f64>) -> Line {
        Line { name: name.to_owned(), flow: flow.map(str::to_owned), t: Arc::new(t), y: Arc::new(y) }
    }

    /// A line whose last value holds until `end`.
    pub(crate) fn held(name: &str, flow: Option<&str>, mut t: Vec<f64>, mut y: Vec<f64>, end: f64) -> Line {
        if let Some(last) = y.last().copied() {
            t.push(end);
            y.push(last);
        }
        Line::new(name, flow, t, y)
    }

    /// Bytes that it takes.
    pub fn size(&self) -> usize {
        size_of::<f64>() * (self.t.len() + self.y.len())
    }

    /// Its points as a response has them.
    fn points(&self, places: impl Iterator<Item = usize> + Clone) -> Series {
        // Nanoseconds are enough.
        let t = places.clone().map(|i| (self.t[i] * 1e9).round_ties_even() / 1e9).collect();
        Series { name: self.name.clone(), t, y: places.map(|i| self.y[i]).collect() }
    }
}

/// A picture of a run over time, as the page's `ViewInfo` describes it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct View {
    /// Its name in requests.
    pub name: String,
    /// Its title.
    pub title: String,
    /// The unit of the values.
    pub unit: String,
    /// The values of the lines add up.
    pub stacked: bool,
    /// A value holds until the next point.
    pub steps: bool,
    /// Its lines.
    #[serde(rename = "series", serialize_with = "heads")]
    pub lines: Vec<Line>,
}

/// The points of some lines of a view, as the page's `SeriesData`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Points {
    /// Name of the view.
    pub view: String,
    /// The unit of the values.
    pub unit: String,
    /// Where the picture begins, in s.
    pub from: f64,
    /// Where it ends, in s.
    pub to: f64,
    /// Of each line its points.
    pub series: Vec<Series>,
    /// Of a rate: the length in s of the intervals that its values are means of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<f64>,
}

/// The points of a line; a value that is NaN becomes null in JSON.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Series {
    /// Name of the line.
    pub name: String,
    /// Times in s.
    pub t: Vec<f64>,
    /// As many values.
    pub y: Vec<f64>,
}

impl View {
    /// One without lines, whose values hold until the next point.
    pub(crate) fn new(name: impl Into<String>, title: impl Into<String>, unit: impl Into<String>) -> View {
        let (name, title, unit) = (name.into(), title.into(), unit.into());
        View { name, title, unit, stacked: false, steps: true, lines: Vec::new() }
    }

    /// Bytes that it takes.
    pub fn size(&self) -> usize {
        self.lines.iter().map(Line::size).sum()
    }

    /// Its lines from `start` to `end` in s, as a picture of `width` pixels shows them.
    pub fn points(&self, start: f64, end: f64, width: usize) -> Points {
        let series = self.lines.iter().map(|x| x.points(reduced(&x.t, &x.y, start, end, width).into_iter())).collect();
        self.response(start, end, series)
    }

    /// All points of its lines, which were made for a picture from `start` to `end`.
    pub fn all(&self, start: f64, end: f64) -> Points {
        self.response(start, end, self.lines.iter().map(|x| x.points(0..x.t.len())).collect())
    }

    fn response(&self, from: f64, to: f64, series: Vec<Series>) -> Points {
        Points { view: self.name.clone(), unit: self.unit.clone(), from, to, series, interval: None }
    }
}

fn heads<S: serde::Serializer>(lines: &[Line], to: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Head<'a> {
        name: &'a str,
        flow: Option<&'a str>,
    }
    to.collect_seq(lines.iter().map(|x| Head { name: &x.name, flow: x.flow.as_deref() }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_view_is_described_without_its_points_and_gives_those_of_a_picture() {
        let lines = vec![
            Line::held("a", Some("a"), vec![0.0, 0.999_999_999_6], vec![1.0, f64::NAN], 2.0),
            Line::new("all", None, vec![], vec![]),
        ];
        let view = View { steps: false, lines, ..View::new("rtt", "Round-trip time", "s") };
        let head = json!({ "name": "rtt", "title": "Round-trip time", "unit": "s", "stacked": false, "steps": false,
            "series": [{ "name": "a", "flow": "a" }, { "name": "all", "flow": null }] });
        assert_eq!((json!(view), view.size()), (head, 48));
        let due = json!({ "view": "rtt", "unit": "s", "from": 0.5, "to": 9.0, "series": [
            { "name": "a", "t": [0.0, 1.0, 2.0], "y": [1.0, null, null] }, { "name": "all", "t": [], "y": [] }] });
        assert_eq!(json!(view.points(0.5, 9.0, 10)), due);
        assert_eq!(json!(view.all(0.5, 9.0)), due);
    }
}
