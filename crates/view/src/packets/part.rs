//! The packets of a part of a run, as columns of narrow types: there may be very many.

use super::port::{AtPort, Decided};
use crate::fault::Fault;
use headgate_queue::Number;
use headgate_sim::{Cells, Table, Tracks};

/// The packets of a part of a run at its ports, in the order of ports and arrivals.
#[derive(Clone, Debug)]
pub struct Part {
    /// Where the part starts, in s.
    pub start: f64,
    /// Where it ends, in s.
    pub until: f64,
    columns: Columns,
    decisions: Option<Decisions>,
}

#[derive(Clone, Debug, Default)]
struct Columns {
    /// Of each port with packets its number, and the place after its last packet.
    ports: Vec<(usize, usize)>,
    flow: Vec<u32>,
    seq: Vec<i64>,
    number: Vec<i64>,
    arrived: Vec<f64>,
    start: Vec<f64>,
    left: Vec<f64>,
    bytes: Vec<u32>,
    marked: Vec<bool>,
    reason: Vec<i8>,
}

/// What was decided about the packets, with the numbers of that moment.
#[derive(Clone, Debug, Default)]
struct Decisions {
    arrival: Vec<i8>,
    departure: Vec<i8>,
    shape: Vec<u16>,
    departure_shape: Vec<u16>,
    first: Vec<i64>,
    values: Vec<f64>,
    shapes: Vec<Vec<Number>>,
}

/// A column whose values are known to fit.
fn narrow<T: TryFrom<i64> + Default>(column: Vec<i64>) -> Vec<T> {
    column.into_iter().map(|value| T::try_from(value).unwrap_or_default()).collect()
}

impl Part {
    /// That of a run that was followed from `start` to `until`.
    pub fn of(tracks: &Tracks, start: f64, until: f64) -> Part {
        let values = tracks.values().into_iter().find_map(|(_, cells)| match cells {
            Cells::Float(values) => Some(values),
            _ => None,
        });
        Part::from_columns(tracks.table(), values.unwrap_or_default(), tracks.shapes().to_vec(), start, until)
            .expect("all columns of a table have the same length")
    }

    /// One from the columns of [`Tracks::table`], the values of all numbers, and which numbers these are by their shape. Without the columns of
    /// decisions, nothing is known of these.
    ///
    /// # Errors
    /// A column is missing, or the columns differ in their length.
    pub fn from_columns(
        table: Table,
        values: Vec<f64>,
        shapes: Vec<Vec<Number>>,
        start: f64,
        until: f64,
    ) -> Result<Part, Fault> {
        let (mut c, mut d) = (Columns::default(), Decisions { values, shapes, ..Decisions::default() });
        let mut decided = false;
        for (name, cells) in table {
            match (name, cells) {
                ("arrived_s", Cells::Float(times)) => c.arrived = times,
                ("start_s", Cells::Float(times)) => c.start = times,
                ("left_s", Cells::Float(times)) => c.left = times,
                ("port", Cells::Int(x)) => c.ports = ends(&x),
                ("flow", Cells::Int(x)) => c.flow = narrow(x),
                ("seq", Cells::Int(x)) => c.seq = x,
                ("number", Cells::Int(x)) => c.number = x,
                ("bytes", Cells::Int(x)) => c.bytes = narrow(x),
                ("marked", Cells::Int(x)) => c.marked = x.into_iter().map(|x| x != 0).collect(),
                ("reason", Cells::Int(x)) => c.reason = narrow(x),
                ("arrival", Cells::Int(x)) => (d.arrival, decided) = (narrow(x), true),
                ("departure", Cells::Int(x)) => d.departure = narrow(x),
                ("shape", Cells::Int(x)) => d.shape = narrow(x),
                ("departure_shape", Cells::Int(x)) => d.departure_shape = narrow(x),
                ("first", Cells::Int(x)) => d.first = x,
                _ => {}
            }
        }
        let part = Part { start, until, columns: c, decisions: decided.then_some(d) };
        let other = part.lengths().find(|own| *own != part.len());
        match other {
            Some(own) => {
                Err(Fault::new(format!("packets: found columns of {} and {own} rows; expected as many", part.len())))
            }
            None => Ok(part),
        }
    }

    /// The lengths of all columns.
    fn lengths(&self) -> impl Iterator<Item = usize> {
        let c = &self.columns;
        let times = [&c.arrived, &c.start, &c.left].map(Vec::len);
        let whole = [&c.seq, &c.number].map(Vec::len);
        let decided = self
            .decisions
            .as_ref()
            .map(|d| [d.arrival.len(), d.departure.len(), d.shape.len(), d.departure_shape.len(), d.first.len()]);
        let narrow =
            [c.ports.last().map_or(0, |(_, end)| *end), c.flow.len(), c.bytes.len(), c.marked.len(), c.reason.len()];
        times.into_iter().chain(whole).chain(narrow).chain(decided.into_iter().flatten())
    }

    /// Bytes that it takes.
    pub fn size(&self) -> usize {
        let each = 3 * 8 + 2 * 8 + 4 + 4 + 1 + 1;
        let decided =
            self.decisions.as_ref().map_or(0, |of| of.arrival.len() * (1 + 1 + 2 + 2 + 8) + of.values.len() * 8);
        self.len() * each + decided
    }

    /// How many packets it has, each counted at each port at which it arrived.
    pub fn len(&self) -> usize {
        self.columns.arrived.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether it covers a time.
    pub fn covers(&self, at: f64) -> bool {
        self.start <= at && at <= self.until
    }

    /// Its start and its end.
    pub fn span(&self) -> (f64, f64) {
        (self.start, self.until)
    }

    /// The packets of a port.
    pub fn at(&self, port: usize) -> AtPort<'_> {
        let ports = &self.columns.ports;
        let place = ports.partition_point(|(own, _)| *own < port);
        let first = place.checked_sub(1).map_or(0, |before| ports[before].1);
        let last = ports.get(place).filter(|(own, _)| *own == port).map_or(first, |(_, end)| *end);
        let c = &self.columns;
        let decided = self.decisions.as_ref().map(|of| Decided {
            arrival: cut(&of.arrival, first, last),
            departure: cut(&of.departure, first, last),
            shape: cut(&of.shape, first, last),
            departure_shape: cut(&of.departure_shape, first, last),
            first: cut(&of.first, first, last),
            values: &of.values,
            shapes: &of.shapes,
        });
        AtPort {
            flow: cut(&c.flow, first, last),
            seq: cut(&c.seq, first, last),
            number: cut(&c.number, first, last),
            arrived: cut(&c.arrived, first, last),
            start: cut(&c.start, first, last),
            left: cut(&c.left, first, last),
            bytes: cut(&c.bytes, first, last),
            marked: cut(&c.marked, first, last),
            reason: cut(&c.reason, first, last),
            decided,
        }
    }
}

/// Of each port in a column its number, and the place after its last row.
fn ends(column: &[i64]) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    for (i, port) in column.iter().enumerate() {
        let port = usize::try_from(*port).unwrap_or_default();
        match found.last_mut().filter(|(own, _)| *own == port) {
            Some(last) => last.1 = i + 1,
            None => found.push((port, i + 1)),
        }
    }
    found
}

fn cut<T>(column: &[T], first: usize, last: usize) -> &[T] {
    column.get(first..last).unwrap_or_default()
}
