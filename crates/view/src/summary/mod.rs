//! What a run gave, as the page shows it beside the charts and as sentences say it.

mod acks;
pub mod fairness;
pub mod groups;
pub mod max_min;
pub mod numbers;
mod page;
mod ports;
mod sentences;
pub mod sums;
mod unsettled;

pub use page::{MOST as MOST_LISTED, summary};
pub use ports::busiest;
pub use sentences::sentences;
pub use unsettled::sentences as unsettled;

use crate::columns::names;
use headgate_sim::spec::Scenario;
use headgate_sim::{Stretch, Table};

/// A run that is over: its scenario and those of its tables that are told of.
#[derive(Clone, Copy)]
pub struct Ran<'a> {
    /// Its resolved scenario.
    pub scenario: &'a Scenario,
    /// A row for each flow.
    pub flows: &'a Table,
    /// A row for each flow and interval.
    pub intervals: &'a Table,
    /// A row for each port.
    pub links: &'a Table,
    /// A row for each class of flows with transfers.
    pub classes: &'a Table,
    /// A row for each hop of a flow's data.
    pub routes: &'a Table,
    /// The time measured, cut where flows begin, end or take other paths.
    pub stretches: &'a [Stretch],
}

impl Ran<'_> {
    /// The numbers of flow and port of each hop of the flows' data, as the paths are at the end of the run.
    fn hops(&self) -> impl Iterator<Item = (usize, usize)> {
        let number = |name| names(self.routes, name).0.iter().map(|code| *code as usize);
        number("flow").zip(number("link"))
    }
}
