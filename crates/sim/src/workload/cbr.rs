//! Constant bit rate: equally spaced packets; the ill-behaved source of the papers when it has no flow control.
//!
//! Source: Demers, Keshav and Shenker 1989, scenario 3. Deviations: none; the first packet comes at the start.

use super::{Supply, Workload};
use headgate_packet::{Check, Rate, Rng, Serialiser};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Equally spaced packets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CbrParams {
    /// Rate at which the source makes bits.
    pub rate: Rate,
}

impl Default for CbrParams {
    fn default() -> CbrParams {
        CbrParams { rate: Rate::from_bps(1_000_000).expect("not zero") }
    }
}

impl Check for CbrParams {}

impl CbrParams {
    /// The rate.
    pub fn demand_bps(&self, _packet_bytes: u32) -> f64 {
        self.rate.as_bps() as f64
    }
}

/// Equally spaced packets.
#[derive(Clone, Debug)]
pub struct Cbr {
    line: Serialiser,
    bytes: u32,
}

impl Cbr {
    /// Where it was published.
    pub const SOURCE: &'static str = "Demers, Keshav and Shenker 1989, scenario 3";

    /// A source of packets of `packet_bytes`.
    pub fn new(params: &CbrParams, packet_bytes: u32) -> Cbr {
        Cbr { line: Serialiser::new(params.rate), bytes: packet_bytes }
    }
}

impl Workload for Cbr {
    #[inline]
    fn supply(&mut self, _: &mut Rng) -> Supply {
        let gap = self.line.transmit(self.bytes);
        Supply { packets: 1, again: Some(gap) }
    }
}
