//! What the tables are made of: a run that is over, which nothing can change.

use crate::flows::Flows;
use crate::network::Network;
use crate::record::Record;
use headgate_packet::Time;

/// What a run has left behind: its tables are methods of this.
#[derive(Clone, Copy)]
pub struct Finished<'a> {
    /// The end of the run.
    pub(crate) at: Time,
    pub(crate) network: &'a Network,
    pub(crate) flows: &'a Flows,
    pub(crate) record: &'a Record,
}
