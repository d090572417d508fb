//! Enhanced RED with one queue in the order of arrival: `fcfs` whose `aqm` is `enhanced_red`, under its own name.
//!
//! Source: Hasegawa, Matsuo, Murata and Miyahara 2001, section 3.2.
//! Deviations, state per flow and when it is forgotten: those of the AQM `enhanced_red`.

use crate::aqm::{self, enhanced_red as part};
use crate::fcfs::FcfsParams;
use crate::Spec;
use headgate_packet::{Buffer, Card, Check, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// RED with a drop probability for each connection. It gives each connection a throughput in proportion to its input link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EnhancedRedParams {
    /// Maximum backlog, in packets or bytes; the packet in transmission is not counted.
    pub buffer: Buffer,
    /// Those of the AQM.
    #[serde(flatten)]
    pub aqm: part::EnhancedRedParams,
}

impl Default for EnhancedRedParams {
    fn default() -> EnhancedRedParams {
        EnhancedRedParams { buffer: Buffer::Bytes(60_000), aqm: part::EnhancedRedParams::default() }
    }
}

impl Check for EnhancedRedParams {
    const FLAT: bool = true;

    fn check(&self) -> Result<(), Wrong> {
        self.aqm.check()
    }
}

/// The name.
pub enum EnhancedRed {}

impl EnhancedRed {
    /// What it says of itself.
    pub const CARD: Card = Card::of(part::EnhancedRed::CARD.source);

    /// What it is a name for.
    pub fn configured(params: &EnhancedRedParams) -> Spec {
        Spec::Fcfs(FcfsParams { buffer: params.buffer, aqm: Some(aqm::Spec::EnhancedRed(params.aqm.clone())) })
    }
}
