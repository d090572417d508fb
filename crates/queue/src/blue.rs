//! BLUE with one queue in the order of arrival: `fcfs` whose `aqm` is `blue`, under its own name.
//!
//! Source: Feng, Kandlur, Saha and Shin 1999.
//! Deviations: those of the AQM `blue`. State per flow: none.

use crate::Spec;
use crate::aqm::{self, blue as part};
use crate::fcfs::FcfsParams;
use headgate_packet::{Buffer, Card, Check, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// BLUE: random drops, more after losses and fewer when idle. Packets are dropped or marked at random on arrival, with a probability that rises when
/// packets were lost and falls while nothing waits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BlueParams {
    /// Maximum backlog, in packets or bytes; the packet in transmission is not counted.
    pub buffer: Buffer,
    /// Those of the AQM.
    #[serde(flatten)]
    pub aqm: part::BlueParams,
}

impl Default for BlueParams {
    fn default() -> BlueParams {
        BlueParams { buffer: FcfsParams::default().buffer, aqm: part::BlueParams::default() }
    }
}

impl Check for BlueParams {
    const FLAT: bool = true;

    fn check(&self) -> Result<(), Wrong> {
        self.aqm.check()
    }
}

/// The name.
pub enum Blue {}

impl Blue {
    /// What it says of itself.
    pub const CARD: Card = Card::of(part::Blue::CARD.source);

    /// What it is a name for.
    pub fn configured(params: &BlueParams) -> Spec {
        Spec::Fcfs(FcfsParams { buffer: params.buffer, aqm: Some(aqm::Spec::Blue(params.aqm.clone())) })
    }
}
