//! FQ-CoDel: DRR++ with CoDel on each queue, under its own name.
//!
//! Source: RFC 8290. Deviations: those of `drr_plus_plus` and of the AQM `codel`. State per flow: none.

use crate::aqm::{self, codel};
use crate::drr_plus_plus::DrrPlusPlusParams;
use crate::Spec;
use headgate_packet::{Buffer, Bytes, Card, Check, Duration, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// FQ-CoDel: fair queues with CoDel on each. Queues that begin to hold packets go first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FqCodelParams {
    /// Maximum backlog of all queues together, in packets or bytes; the packet in transmission is not counted.
    pub buffer: Buffer,
    /// Number of queues, into which conversations are put by a hash; 0 for one per conversation.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub queues: u32,
    /// Bytes of credit that a queue gets at a time.
    pub quantum: Bytes,
    /// Largest number of packets that a full buffer drops at a time.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub drop_batch: u32,
    /// Time in the queue that is acceptable: nothing is dropped while a packet waits less than this within each interval.
    pub target: Duration,
    /// How long packets must have waited too long before the first drop, and the time from it to the second; the usual longest round trip.
    pub interval: Duration,
    /// Nothing is dropped by CoDel while no more than this waits: the longest packet of the line.
    pub max_packet: Bytes,
    /// Marks packets of flows that understand marks instead of dropping them; packets of other flows are dropped all the same.
    pub mark: bool,
}

impl Default for FqCodelParams {
    fn default() -> FqCodelParams {
        let DrrPlusPlusParams { buffer, queues, quantum, drop_batch, .. } = DrrPlusPlusParams::default();
        let codel::CodelParams { target, interval, max_packet, .. } = codel::CodelParams::default();
        FqCodelParams { buffer, queues, quantum, drop_batch, target, interval, max_packet, mark: true }
    }
}

impl FqCodelParams {
    fn parts(&self) -> (DrrPlusPlusParams, codel::CodelParams) {
        let FqCodelParams { buffer, queues, quantum, drop_batch, target, interval, max_packet, mark } = *self;
        let aqm = codel::CodelParams { target, interval, max_packet, mark };
        (DrrPlusPlusParams { buffer, queues, quantum, drop_batch, aqm: None }, aqm)
    }
}

impl Check for FqCodelParams {
    fn check(&self) -> Result<(), Wrong> {
        let (scheduler, aqm) = self.parts();
        scheduler.check()?;
        aqm.check()
    }
}

/// The name.
pub enum FqCodel {}

impl FqCodel {
    /// What it says of itself.
    pub const CARD: Card = Card::of("RFC 8290");

    /// What it is a name for.
    pub fn configured(params: &FqCodelParams) -> Spec {
        let (scheduler, aqm) = params.parts();
        Spec::DrrPlusPlus(DrrPlusPlusParams { aqm: Some(aqm::Spec::Codel(aqm)), ..scheduler })
    }
}
