//! All packets of a run at its ports, acknowledgements too, for one who takes them while the run goes on.

use super::{Owner, Tracks, Window};
use crate::table::{Cells, Table};
use headgate_packet::Time;

impl Tracks {
    /// None yet of all packets of a run, acknowledgements too, for one who takes them while the run goes on; without numbers.
    pub(crate) fn of_all(ports: usize) -> Tracks {
        let window = Window { from: Time::ZERO, to: Time::NEVER, most: usize::MAX };
        Tracks { owners: Some(Vec::new()), ..Tracks::new(window, ports) }
    }

    /// Whether acknowledgements are followed too.
    pub(crate) fn of_acks(&self) -> bool {
        self.owners.is_some()
    }

    /// Whose packet it is that has just arrived at a port.
    pub(crate) fn belongs(&mut self, handle: u32, owner: Owner) {
        if let Some(open) = self.open.get_mut(handle as usize) {
            open.owner = owner;
        }
    }

    /// The packets that have left their ports since the last call, in no order: the columns of [`Tracks::table`] without those of numbers, and `entry`
    /// of the scenario, `ack` (1 for an acknowledgement, whose `seq` is that of the packet that it answers) and `ecn` (the place of its code point).
    pub(crate) fn take_rows(&mut self) -> Table {
        let mut table = self.table();
        table.retain(|(name, _)| !matches!(*name, "shape" | "departure_shape" | "first"));
        let owners = self.owners.as_mut().map(std::mem::take).unwrap_or_default();
        table.push(("entry", Cells::Int(owners.iter().map(|(owner, _)| i64::from(owner.entry)).collect())));
        table.push(("ack", Cells::Int(owners.iter().map(|(owner, _)| i64::from(owner.is_ack)).collect())));
        table.push(("ecn", Cells::Int(owners.iter().map(|(_, ecn)| *ecn as i64).collect())));
        self.owners = Some(Vec::new());
        self.rows.clear();
        table
    }
}
