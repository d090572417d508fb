//! Flows begin at random, independently of each other: the times between them are exponentially distributed.
//!
//! Source: Poisson process (Feller 1968, section XVII.2). Deviations: none.

use super::Arrivals;
use headgate_packet::check::at_least;
use headgate_packet::{Card, Check, Duration, Rng, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Flows begin at random, independently of each other. The times between them are exponentially distributed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PoissonParams {
    /// Mean time between two flows.
    pub mean: Duration,
    /// Maximum number of flows; without it they begin as long as the run lasts.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub most: Option<u64>,
}

impl Default for PoissonParams {
    fn default() -> PoissonParams {
        PoissonParams { mean: Duration::from_millis(100), most: None }
    }
}

impl Check for PoissonParams {
    fn check(&self) -> Result<(), Wrong> {
        at_least("mean", self.mean, crate::workload::LEAST_GAP)
    }
}

/// Flows begin at random, independently of each other. The times between them are exponentially distributed.
#[derive(Clone, Debug)]
pub struct Poisson {
    mean: Duration,
    left: u64,
}

impl Poisson {
    /// What it says of itself.
    pub const CARD: Card = Card::of("Poisson process (Feller 1968, section XVII.2)");

    /// The process from its beginning.
    pub fn new(params: &PoissonParams) -> Poisson {
        Poisson { mean: params.mean, left: params.most.unwrap_or(u64::MAX) }
    }
}

impl Arrivals for Poisson {
    fn next(&mut self, rng: &mut Rng) -> Option<Duration> {
        self.left = self.left.checked_sub(1)?;
        Some(rng.exponential(self.mean))
    }
}
