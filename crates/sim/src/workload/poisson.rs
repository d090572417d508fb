//! Packets at exponentially distributed gaps.
//!
//! Source: Keshav 1991, section 6.4 (cross traffic of scenarios 7 and 8).
//! Deviations: none; the first packet arrives after one exponential gap, so that the process is stationary from the start.

use super::{LEAST_GAP, Supply, Workload};
use headgate_packet::check::at_least;
use headgate_packet::{Card, Check, Duration, Rng, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Packets at exponentially distributed gaps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PoissonParams {
    /// Mean time between packets; at least 100 ps.
    pub mean: Duration,
}

impl Default for PoissonParams {
    fn default() -> PoissonParams {
        PoissonParams { mean: Duration::from_millis(500) }
    }
}

impl Check for PoissonParams {
    fn check(&self) -> Result<(), Wrong> {
        at_least("mean", self.mean, LEAST_GAP)
    }
}

impl PoissonParams {
    /// One packet in the mean gap.
    pub fn demand_bps(&self, packet_bytes: u32) -> f64 {
        f64::from(packet_bytes) * 8.0 / self.mean.as_secs_f64()
    }
}

/// Packets at exponentially distributed gaps.
#[derive(Clone, Debug)]
pub struct Poisson {
    mean: Duration,
    started: bool,
}

impl Poisson {
    /// What it says of itself.
    pub const CARD: Card = Card {
        main: &["mean"],
        ..Card::of("Keshav 1991, section 6.4 (cross traffic of scenarios 7 and 8)")
    };

    /// A new process.
    pub fn new(params: &PoissonParams, _packet_bytes: u32) -> Poisson {
        Poisson { mean: params.mean, started: false }
    }
}

impl Workload for Poisson {
    fn supply(&mut self, rng: &mut Rng) -> Supply {
        let packets = u64::from(std::mem::replace(&mut self.started, true));
        Supply { packets, again: Some(rng.exponential(self.mean)) }
    }
}
