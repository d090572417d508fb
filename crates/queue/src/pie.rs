//! PIE with one queue in the order of arrival: `fcfs` whose `aqm` is `pie`, under its own name.
//!
//! Source: RFC 8033, sections 4 and 5.
//! Deviations: those of the AQM `pie`. State per flow: none.

use crate::aqm::{self, pie as part};
use crate::fcfs::FcfsParams;
use crate::Spec;
use headgate_packet::{Buffer, Card, Check, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// PIE: random drops on arrival that keep to a delay. Packets are dropped or marked at random on arrival, with a probability that a controller moves
/// until the delay is what it should be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PieParams {
    /// Maximum backlog, in packets or bytes; the packet in transmission is not counted.
    pub buffer: Buffer,
    /// Those of the AQM.
    #[serde(flatten)]
    pub aqm: part::PieParams,
}

impl Default for PieParams {
    fn default() -> PieParams {
        PieParams { buffer: FcfsParams::default().buffer, aqm: part::PieParams::default() }
    }
}

impl Check for PieParams {
    const FLAT: bool = true;

    fn check(&self) -> Result<(), Wrong> {
        self.aqm.check()
    }
}

/// The name.
pub enum Pie {}

impl Pie {
    /// What it says of itself.
    pub const CARD: Card = Card::of(part::Pie::CARD.source);

    /// What it is a name for.
    pub fn configured(params: &PieParams) -> Spec {
        Spec::Fcfs(FcfsParams { buffer: params.buffer, aqm: Some(aqm::Spec::Pie(params.aqm.clone())) })
    }
}
