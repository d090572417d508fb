//! PI2 with one queue in the order of arrival: `fcfs` whose `aqm` is `pi2`, under its own name.
//!
//! Source: RFC 9332, appendix A.
//! Deviations: those of the AQM `pi2`. State per flow: none.

use crate::aqm::{self, pi2 as part};
use crate::fcfs::FcfsParams;
use crate::Spec;
use headgate_packet::{Buffer, Card, Check, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// PI2: random drops on leaving that keep to a delay. Packets are dropped or marked as they leave, with the square of a probability that a controller
/// moves until the delay is what it should be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Pi2Params {
    /// Maximum backlog, in packets or bytes; the packet in transmission is not counted.
    pub buffer: Buffer,
    /// Those of the AQM.
    #[serde(flatten)]
    pub aqm: part::Pi2Params,
}

impl Default for Pi2Params {
    fn default() -> Pi2Params {
        Pi2Params { buffer: FcfsParams::default().buffer, aqm: part::Pi2Params::default() }
    }
}

impl Check for Pi2Params {
    const FLAT: bool = true;

    fn check(&self) -> Result<(), Wrong> {
        self.aqm.check()
    }
}

/// The name.
pub enum Pi2 {}

impl Pi2 {
    /// What it says of itself.
    pub const CARD: Card = Card::of(part::Pi2::CARD.source);

    /// What it is a name for.
    pub fn configured(params: &Pi2Params) -> Spec {
        Spec::Fcfs(FcfsParams { buffer: params.buffer, aqm: Some(aqm::Spec::Pi2(params.aqm.clone())) })
    }
}
