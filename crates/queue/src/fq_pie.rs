//! FQ-PIE: DRR++ with PIE on each queue, under its own name.
//!
//! Source: Linux's `sch_fq_pie`; RFC 8033, section 6.
//!
//! Deviations: those of `drr_plus_plus` and of the AQM `pie`, and
//! - A full buffer drops from the longest queue; Linux drops the arriving packet.
//!
//! State per flow: none.

use crate::aqm::{self, pie as part};
use crate::drr_plus_plus::DrrPlusPlusParams;
use crate::Spec;
use headgate_packet::{Buffer, Bytes, Card, Check, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// FQ-PIE: fair queues with PIE on each. Queues that begin to hold packets go first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FqPieParams {
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
    /// Those of the AQM.
    #[serde(flatten)]
    pub aqm: part::PieParams,
}

impl Default for FqPieParams {
    fn default() -> FqPieParams {
        let DrrPlusPlusParams { buffer, queues, quantum, drop_batch, .. } = DrrPlusPlusParams::default();
        FqPieParams { buffer, queues, quantum, drop_batch, aqm: part::PieParams::default() }
    }
}

impl FqPieParams {
    fn scheduler(&self) -> DrrPlusPlusParams {
        let FqPieParams { buffer, queues, quantum, drop_batch, .. } = *self;
        DrrPlusPlusParams { buffer, queues, quantum, drop_batch, aqm: None }
    }
}

impl Check for FqPieParams {
    const FLAT: bool = true;

    fn check(&self) -> Result<(), Wrong> {
        self.scheduler().check()?;
        self.aqm.check()
    }
}

/// The name.
pub enum FqPie {}

impl FqPie {
    /// What it says of itself.
    pub const CARD: Card = Card::of("Linux, sch_fq_pie");

    /// What it is a name for.
    pub fn configured(params: &FqPieParams) -> Spec {
        Spec::DrrPlusPlus(DrrPlusPlusParams { aqm: Some(aqm::Spec::Pie(params.aqm.clone())), ..params.scheduler() })
    }
}
