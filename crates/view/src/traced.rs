//! The table of traces as lines, one for each kind and object.

use crate::columns::{floats, names};
use crate::view::{Line, View};
use crate::views::{LINES, greatest};
use headgate_sim::spec::TraceKind;
use headgate_sim::{TRACE_LABELS, Table};

/// Points of a line.
type Curve = (Vec<f64>, Vec<f64>);

/// No line of its own.
const NONE: u32 = u32::MAX;

/// The lines of a table of traces.
pub(crate) struct Traced<'a> {
    pub kinds: &'a [String],
    objects: &'a [String],
    /// Of each kind, the objects with most rows, in the order of the file.
    lines: Vec<Vec<(usize, Curve)>>,
    /// Of each flow, when its packets were dropped.
    dropped: Vec<Vec<f64>>,
    /// The end of the run.
    end: f64,
}

impl<'a> Traced<'a> {
    /// Reads a table; `flows` is how many there are, and `end` when the run ends.
    pub fn of(table: &'a Table, flows: usize, end: f64) -> Traced<'a> {
        let ((kind, kinds), (object, objects)) = (names(table, "trace"), names(table, "object"));
        let (t, value) = (floats(table, "time_s"), floats(table, "value"));
        let wide = objects.len();
        let key = |i: usize| kind[i] as usize * wide + object[i] as usize;
        let whole = [kind.len(), object.len(), t.len(), value.len()].into_iter().min().unwrap_or(0);
        let rows = (0..whole).filter(|&i| (object[i] as usize) < wide && (kind[i] as usize) < kinds.len());
        let drops = TraceKind::Drops.name();
        let of_drops: Vec<bool> = kinds.iter().map(|kind| kind == drops).collect();
        let mut counts = vec![0u32; kinds.len() * wide];
        for i in rows.clone() {
            counts[key(i)] += 1;
        }
        // Of each kind and object, the place of its line among all that are kept.
        let mut places = vec![NONE; counts.len()];
        let mut curves: Vec<Curve> = Vec::new();
        let mut lines = Vec::new();
        for (k, no) in of_drops.iter().enumerate() {
            let own = &counts[k * wide..(k + 1) * wide];
            let chosen = if *no { Vec::new() } else { greatest(own, LINES) };
            let chosen: Vec<usize> = chosen.into_iter().filter(|&o| own[o] > 0).collect();
            for &o in &chosen {
                places[k * wide + o] = curves.len() as u32;
                curves.push((Vec::with_capacity(own[o] as usize + 1), Vec::with_capacity(own[o] as usize + 1)));
            }
            lines.push(chosen);
        }
        let mut dropped = vec![Vec::new(); flows];
        for i in rows {
            if of_drops[kind[i] as usize] {
                if let Some(own) = dropped.get_mut(value[i] as usize) {
                    own.push(t[i]);
                }
            } else if let Some((times, values)) = curves.get_mut(places[key(i)] as usize) {
                times.push(t[i]);
                values.push(value[i]);
            }
        }
        // A port that is woken late drops packets at their own times.
        dropped.iter_mut().filter(|own| !own.is_sorted()).for_each(|own| own.sort_by(f64::total_cmp));
        let mut curves = curves.into_iter();
        let lines = lines.into_iter().map(|chosen| chosen.into_iter().zip(&mut curves).collect()).collect();
        Traced { kinds, objects, lines, dropped, end }
    }

    /// The view of one kind of trace, as lines in steps if `steps`; each object's line is taken.
    pub fn view(&mut self, kind: &str, name: &str, title: &str, unit: &str, steps: bool) -> View {
        let place = self.kinds.iter().position(|own| own == kind);
        let lines = place.map(|k| std::mem::take(&mut self.lines[k])).unwrap_or_default();
        let of_ports = kind == TraceKind::Backlog.name();
        let line = |(object, (t, y)): (usize, Curve)| {
            let name = self.objects[object].as_str();
            let flow = (!of_ports).then_some(name);
            let shown = !of_ports || y.iter().any(|y| *y != 0.0);
            let line = if steps { Line::held(name, flow, t, y, self.end) } else { Line::new(name, flow, t, y) };
            shown.then_some(line)
        };
        View { steps, lines: lines.into_iter().filter_map(line).collect(), ..View::new(name, title, unit) }
    }

    /// The view of an estimate of a flow control.
    pub fn estimate(&mut self, kind: &str) -> View {
        let (title, unit) = title_and_unit(kind);
        self.view(kind, &format!("estimate-{kind}"), &title, &unit, true)
    }

    /// How many packets of each flow were dropped, and how many were marked.
    pub fn drops(&self, flows: &[String], marks: View) -> View {
        let mut view = View::new("drops", "Dropped packets so far", "packets");
        let counts: Vec<usize> = self.dropped.iter().map(Vec::len).collect();
        for f in greatest(&counts, LINES).into_iter().filter(|&f| counts[f] > 0 && f < flows.len()) {
            let y = (1..=counts[f]).map(|n| n as f64).collect();
            view.lines.push(Line::held(&flows[f], Some(&flows[f]), self.dropped[f].clone(), y, self.end));
        }
        if !marks.lines.is_empty() {
            let none = view.lines.is_empty();
            view.title = if none { marks.title } else { "Dropped and marked packets so far".to_owned() };
            view.lines.extend(marks.lines.into_iter().map(|x| Line { name: format!("{} (marked)", x.name), ..x }));
        }
        view
    }
}

/// The title and the unit of an estimate, from the labels of the figures.
fn title_and_unit(kind: &str) -> (String, String) {
    let known = TRACE_LABELS.iter().find(|(name, _)| *name == kind);
    let label = known.map_or_else(|| kind.replace('_', " "), |(_, label)| label.replace('\n', " "));
    let (text, unit) = label.split_once(" (").unwrap_or((&label, ""));
    let mut letters = text.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    (first.chain(letters).collect(), unit.trim_end_matches(')').to_owned())
}

#[cfg(test)]
mod tests {
    use super::title_and_unit;

    #[test]
    fn an_estimate_has_the_label_of_its_figure_as_its_title() {
        let found = ["service_rate", "skip", "my_threshold"].map(title_and_unit);
        let due = [("Estimated service rate", "packets/s"), ("Slots to skip", ""), ("My threshold", "")];
        assert_eq!(found, due.map(|(title, unit)| (title.to_owned(), unit.to_owned())));
    }
}
