//! CoDel with one queue in the order of arrival: `fcfs` whose `aqm` is `codel`, under its own name.
//!
//! Source: RFC 8289, sections 4 and 5.
//! Deviations: those of the AQM `codel`. State per flow: none.

use crate::aqm::{self, codel as part};
use crate::fcfs::FcfsParams;
use crate::Spec;
use headgate_packet::{Buffer, Card, Check, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// CoDel: drops once packets have waited too long. Packets are dropped or marked as they leave, once all packets of an interval have waited too long.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CodelParams {
    /// Maximum backlog, in packets or bytes; the packet in transmission is not counted.
    pub buffer: Buffer,
    /// Those of the AQM.
    #[serde(flatten)]
    pub aqm: part::CodelParams,
}

impl Default for CodelParams {
    fn default() -> CodelParams {
        CodelParams { buffer: FcfsParams::default().buffer, aqm: part::CodelParams::default() }
    }
}

impl Check for CodelParams {
    const FLAT: bool = true;

    fn check(&self) -> Result<(), Wrong> {
        self.aqm.check()
    }
}

/// The name.
pub enum Codel {}

impl Codel {
    /// What it says of itself.
    pub const CARD: Card = Card::of(part::Codel::CARD.source);

    /// What it is a name for.
    pub fn configured(params: &CodelParams) -> Spec {
        Spec::Fcfs(FcfsParams { buffer: params.buffer, aqm: Some(aqm::Spec::Codel(params.aqm.clone())) })
    }
}
