//! Approximate Fair Dropping with one queue in the order of arrival: `fcfs` whose `aqm` is `afd`, under its own name.
//!
//! Source: Pan, Breslau, Prabhakar and Shenker 2003.
//! Deviations: those of the AQM `afd`. State per flow: that of the AQM.

use crate::Spec;
use crate::aqm::{self, afd as part};
use crate::fcfs::FcfsParams;
use headgate_packet::{Buffer, Card, Check, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Approximate Fair Dropping: random drops above a fair share. Packets are dropped at random in proportion to what their conversation sends above a
/// fair share.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AfdParams {
    /// Maximum backlog, in packets or bytes; the packet in transmission is not counted.
    pub buffer: Buffer,
    /// Those of the AQM.
    #[serde(flatten)]
    pub aqm: part::AfdParams,
}

impl Default for AfdParams {
    fn default() -> AfdParams {
        AfdParams { buffer: FcfsParams::default().buffer, aqm: part::AfdParams::default() }
    }
}

impl Check for AfdParams {
    const FLAT: bool = true;

    fn check(&self) -> Result<(), Wrong> {
        self.aqm.check()
    }
}

/// The name.
pub enum Afd {}

impl Afd {
    /// What it says of itself.
    pub const CARD: Card = Card::of(part::Afd::CARD.source);

    /// What it is a name for.
    pub fn configured(params: &AfdParams) -> Spec {
        Spec::Fcfs(FcfsParams { buffer: params.buffer, aqm: Some(aqm::Spec::Afd(params.aqm.clone())) })
    }
}
