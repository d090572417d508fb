//! Traces that are given as columns, a batch of rows at a time.

use crate::error::{Fault, TraceError};
use crate::flows::Flows;
use crate::intake::{Intake, Place, Raw};
use crate::number::{seconds_from_decimal, seconds_from_f64};
use crate::segments::Shape;

/// Stands for a value that is missing, in columns of integers.
pub const MISSING: i64 = i64::MIN;

/// A column of times.
#[derive(Clone, Debug)]
pub enum Times {
    /// Seconds; nan where one is missing.
    Seconds(Vec<f64>),
    /// Whole ticks of a number of picoseconds.
    Ticks(Vec<i64>, i128),
    /// Whole numbers with a number of digits after the point; [`i128::MIN`] where one is missing.
    Decimals(Vec<i128>, i32),
}

impl Times {
    /// The time of a row in picoseconds, if there is one and it is within the range of the clock.
    #[inline]
    fn ps(&self, i: usize) -> Option<i128> {
        match self {
            Times::Seconds(x) => seconds_from_f64(x[i]),
            Times::Ticks(x, unit) => Some(i128::from(x[i]) * unit).filter(|_| x[i] != MISSING),
            Times::Decimals(x, scale) => seconds_from_decimal(x[i], *scale).filter(|_| x[i] != i128::MIN),
        }
    }

    /// The value in place of a missing time.
    #[cold]
    fn found(&self, i: usize) -> String {
        match self {
            Times::Seconds(x) if x[i].is_infinite() => "infinity".to_owned(),
            Times::Seconds(x) if !x[i].is_nan() => format!("{:e}", x[i]),
            Times::Decimals(x, scale) if x[i] != i128::MIN => format!("{}e{}", x[i], -i64::from(*scale)),
            _ => "nothing".to_owned(),
        }
    }
}

/// A column of names.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// Of each packet, which of `names` it has; negative if it has none.
    pub codes: Vec<i32>,
    /// The names.
    pub names: Vec<String>,
}

impl Names {
    /// The numbers of these hosts, and of each packet which of them it has.
    fn hosts(&self, flows: &mut Flows) -> Vec<u32> {
        let number = |name: &String| if name.is_empty() { Flows::APART } else { flows.host(name) };
        self.names.iter().map(number).collect()
    }

    /// The host of a packet.
    fn of(&self, numbers: &[u32], i: usize) -> u32 {
        let place = usize::try_from(self.codes[i]).ok();
        place.and_then(|place| numbers.get(place).copied()).unwrap_or(Flows::APART)
    }
}

/// Rows of a trace as columns of equal length; integers are [`MISSING`] where there is none.
#[derive(Clone, Debug)]
pub struct Columns {
    /// When each packet arrives.
    pub times: Times,
    /// Of each packet, which of `names` its flow has; negative if it has none.
    pub flows: Vec<i32>,
    /// Names of flows.
    pub names: Vec<String>,
    /// Length of each packet.
    pub sizes: Vec<i64>,
    /// Weight of each packet's flow.
    pub weights: Option<Vec<i64>>,
    /// Priority of each packet.
    pub priorities: Option<Vec<i64>>,
    /// ECN field of each packet, as in the IP header.
    pub ecn: Option<Vec<i64>>,
    /// Source host of each packet.
    pub sources: Option<Names>,
    /// Destination host of each packet.
    pub destinations: Option<Names>,
}

/// Reads traces that are given as columns.
#[derive(Clone, Debug, Default)]
pub struct TableTrace {
    number: u64,
}

impl TableTrace {
    /// Hands the rows to `intake`.
    ///
    /// # Errors
    /// A fault that is not skipped, or columns of different length.
    pub fn read(&mut self, columns: &Columns, intake: &mut Intake) -> Result<(), TraceError> {
        let rows = columns.flows.len();
        let times = match &columns.times {
            Times::Seconds(x) => x.len(),
            Times::Ticks(x, _) => x.len(),
            Times::Decimals(x, _) => x.len(),
        };
        let optional =
            [&columns.weights, &columns.priorities, &columns.ecn].into_iter().flatten().all(|c| c.len() == rows);
        let sides = [&columns.sources, &columns.destinations];
        let optional = optional && sides.into_iter().flatten().all(|c| c.codes.len() == rows);
        if times != rows || columns.sizes.len() != rows || !optional {
            return Err(TraceError::file("found columns of different length; expected one value of each per packet"));
        }
        let numbered = sides.map(|side| side.as_ref().map(|names| names.hosts(intake.reading())));
        let host = |side: usize, i: usize| match (sides[side], &numbered[side]) {
            (Some(names), Some(numbers)) => names.of(numbers, i),
            _ => Flows::APART,
        };
        // Each name is looked up once per batch.
        let mut numbers = vec![u32::MAX; columns.names.len()];
        for i in 0..rows {
            self.number += 1;
            let place = Place::Packet(self.number);
            let Some(time) = columns.times.ps(i) else {
                let found = columns.times.found(i);
                intake.skip(Fault::BadTime, place, || format!("time_s: found {found}; expected a time"))?;
                continue;
            };
            let name = usize::try_from(columns.flows[i]).ok().filter(|n| *n < numbers.len());
            let Some(name) = name.filter(|n| !columns.names[*n].is_empty()) else {
                intake.skip(Fault::BadFlow, place, || "flow: found nothing; expected a name or a number".to_owned())?;
                continue;
            };
            let value = |column: &Option<Vec<i64>>| column.as_ref().map(|c| c[i]);
            let (size, weight, priority) = (columns.sizes[i], value(&columns.weights), value(&columns.priorities));
            let ecn = value(&columns.ecn);
            let missing = [
                (Some(size), Fault::BadSize),
                (weight, Fault::BadWeight),
                (priority, Fault::BadPriority),
                (ecn, Fault::BadEcn),
            ];
            if let Some((_, fault)) = missing.iter().find(|(v, _)| *v == Some(MISSING)) {
                let column = match fault {
                    Fault::BadSize => "size_bytes",
                    Fault::BadWeight => "weight",
                    Fault::BadEcn => "ecn",
                    _ => "priority",
                };
                intake.skip(*fault, place, || format!("{column}: found nothing; expected a whole number"))?;
                continue;
            }
            let priority = priority.unwrap_or(0);
            let hosts = [host(0, i), host(1, i)];
            let raw =
                Raw { place, number: self.number, time, size, weight, hosts, priority, ecn, shape: Some(Shape::TABLE) };
            let number = &mut numbers[name];
            intake.take(raw, |flows| {
                if *number == u32::MAX {
                    *number = flows.number(&columns.names[name]);
                }
                *number
            })?;
        }
        Ok(())
    }
}
