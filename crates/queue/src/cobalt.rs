//! COBALT with one queue in the order of arrival: `fcfs` whose `aqm` is `cobalt`, under its own name.
//!
//! Source: Linux's `sch_cake`.
//! Deviations: those of the AQM `cobalt`. State per flow: none.

use crate::Spec;
use crate::aqm::{self, cobalt as part};
use crate::fcfs::FcfsParams;
use headgate_packet::{Buffer, Card, Check, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// COBALT: CoDel with BLUE beside it. CoDel's rate of signals falls as it rose, and BLUE drops at random after a full buffer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CobaltParams {
    /// Maximum backlog, in packets or bytes; the packet in transmission is not counted.
    pub buffer: Buffer,
    /// Those of the AQM.
    #[serde(flatten)]
    pub aqm: part::CobaltParams,
}

impl Default for CobaltParams {
    fn default() -> CobaltParams {
        CobaltParams { buffer: FcfsParams::default().buffer, aqm: part::CobaltParams::default() }
    }
}

impl Check for CobaltParams {
    const FLAT: bool = true;

    fn check(&self) -> Result<(), Wrong> {
        self.aqm.check()
    }
}

/// The name.
pub enum Cobalt {}

impl Cobalt {
    /// What it says of itself.
    pub const CARD: Card = Card::of(part::Cobalt::CARD.source);

    /// What it is a name for.
    pub fn configured(params: &CobaltParams) -> Spec {
        Spec::Fcfs(FcfsParams { buffer: params.buffer, aqm: Some(aqm::Spec::Cobalt(params.aqm.clone())) })
    }
}
