//! Stochastic Fair BLUE with one queue in the order of arrival: `fcfs` whose `aqm` is `sfb`, under its own name.
//!
//! Source: Feng, Kandlur, Saha and Shin 2001; Linux, `sch_sfb`.
//! Deviations: those of the AQM `sfb`. State per flow: that of the AQM.

use crate::Spec;
use crate::aqm::{self, sfb as part};
use crate::fcfs::FcfsParams;
use headgate_packet::{Buffer, Card, Check, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Stochastic Fair BLUE: BLUE in bins of conversations. Packets are dropped or marked with the least probability of the bins that their conversation
/// is hashed into.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SfbParams {
    /// Maximum backlog, in packets or bytes; the packet in transmission is not counted.
    pub buffer: Buffer,
    /// Those of the AQM.
    #[serde(flatten)]
    pub aqm: part::SfbParams,
}

impl Default for SfbParams {
    fn default() -> SfbParams {
        SfbParams { buffer: FcfsParams::default().buffer, aqm: part::SfbParams::default() }
    }
}

impl Check for SfbParams {
    const FLAT: bool = true;

    fn check(&self) -> Result<(), Wrong> {
        self.aqm.check()
    }
}

/// The name.
pub enum Sfb {}

impl Sfb {
    /// What it says of itself.
    pub const CARD: Card = Card::of(part::Sfb::CARD.source);

    /// What it is a name for.
    pub fn configured(params: &SfbParams) -> Spec {
        Spec::Fcfs(FcfsParams { buffer: params.buffer, aqm: Some(aqm::Spec::Sfb(params.aqm.clone())) })
    }
}
