//! A flow in a run: its source, its sink and what is counted of them.

use crate::meter::FlowMeter;
use crate::sizes::Lengths;
use crate::workload::AnyWorkload;
use headgate_control::Connection;
use headgate_control::transport::Receiver;
use headgate_packet::{Ecn, Rng, Time};

/// A source and its sink. The order of the fields is kept: what an uncontrolled source touches with each packet comes first, in two
/// or three cache lines, which is what ten thousand of them cost.
#[repr(C)]
pub(crate) struct Flow {
    pub workload: AnyWorkload,
    pub connection: Connection,
    /// Start of its paths in the table of hops.
    pub forward: u32,
    pub back: u32,
    /// Length of its packets; 0 if they differ, so that the source need not look at `lengths`.
    pub packet_bytes: u32,
    pub ack_bytes: u32,
    pub meter: FlowMeter,
    pub rng: Rng,
    pub receiver: Receiver,
    /// Lengths of its packets, if they differ.
    pub lengths: Option<Box<Lengths>>,
    pub acknowledge: bool,
    pub priority: u8,
    /// What its data packets carry in the ECN field when they leave.
    pub ecn: Ecn,
    /// An event ended its workload.
    pub stopped: bool,
    /// Time of its entry in the event queue; `NEVER` without one.
    pub armed: Time,
    /// Last values traced.
    pub seen_window: f64,
    pub seen_in_flight: u64,
}

impl Flow {
    /// The length of a data packet.
    #[inline(always)]
    pub fn bytes(&self, seq: u64) -> u32 {
        match (self.packet_bytes, &self.lengths) {
            (0, Some(lengths)) => lengths.of(seq),
            (bytes, _) => bytes,
        }
    }
}
