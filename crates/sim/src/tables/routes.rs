//! The table of routes: the ports that the data of each flow crosses, in order.

use super::{flow_names, port_names};
use crate::finished::Finished;
use crate::spec::Scenario;
use crate::table::Kind::{Given, Key};
use crate::table::Of::{Code, Int};
use crate::table::{Column, Table, column, table};

/// Flow, hop and port.
type Row = [u64; 3];

#[rustfmt::skip]
pub(super) fn columns() -> Vec<Column<Row>> {
    vec![
        column("flow", "", Key, Code(0, |r| r[0]), "Name of the flow."),
        column("hop", "", Key, Int(|r| r[1]), "Number of the hop, from 0."),
        column("link", "", Given, Code(1, |r| r[2]), "Name of the port that the flow's data crosses there."),
    ]
}

impl Finished<'_> {
    /// The table of routes.
    pub fn route_table(&self, s: &Scenario) -> Table {
        let rows = self.flows.places.iter().take(s.flows.len()).enumerate().flat_map(|(i, f)| {
            let path = self.network.path(f.forward);
            path.enumerate().map(move |(number, hop)| [i as u64, number as u64, u64::from(hop.lane)])
        });
        table(&columns(), rows, [flow_names(s), port_names(s)])
    }
}
