//! What a run has counted and kept of what happened: the tables are made of it.

use crate::log::Log;
use crate::meter::{Digest, FlowMeter, Objects};
use crate::samples::Samples;
use crate::trace::Traces;
use headgate_packet::Time;

/// The record of a run.
pub(crate) struct Record {
    /// The counts of the flows, by the scenario's entries.
    pub meters: Vec<FlowMeter>,
    pub objects: Objects,
    pub digest: Digest,
    pub samples: Samples,
    pub traces: Traces,
    pub log: Option<Log>,
}

impl Record {
    /// Port number `l` dropped a packet of an entry.
    #[inline(always)]
    pub fn drop(&mut self, l: usize, at: Time, entry: u32, seq: u64, is_ack: bool) {
        self.meters[entry as usize].traffic.drops += u64::from(!is_ack);
        self.digest.word(seq << 1 | 1);
        self.traces.dropped(l, at, entry);
    }
}
