//! Flows begin at equal intervals, the first one an interval after the start.
//!
//! Source: deterministic arrivals (D in Kendall's notation). Deviations: none.

use super::Arrivals;
use headgate_packet::check::at_least;
use headgate_packet::{Card, Check, Duration, Rng, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Flows begin at equal intervals. The first one begins an interval after the start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PeriodicParams {
    /// Time between two flows.
    pub every: Duration,
    /// Maximum number of flows; without it they begin as long as the run lasts.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub most: Option<u64>,
}

impl Default for PeriodicParams {
    fn default() -> PeriodicParams {
        PeriodicParams { every: Duration::from_millis(100), most: None }
    }
}

impl Check for PeriodicParams {
    fn check(&self) -> Result<(), Wrong> {
        at_least("every", self.every, crate::workload::LEAST_GAP)
    }
}

/// Flows begin at equal intervals. The first one begins an interval after the start.
#[derive(Clone, Debug)]
pub struct Periodic {
    every: Duration,
    left: u64,
}

impl Periodic {
    /// What it says of itself.
    pub const CARD: Card = Card::of("deterministic arrivals (D in Kendall's notation)");

    /// The process from its beginning.
    pub fn new(params: &PeriodicParams) -> Periodic {
        Periodic { every: params.every, left: params.most.unwrap_or(u64::MAX) }
    }
}

impl Arrivals for Periodic {
    fn next(&mut self, _: &mut Rng) -> Option<Duration> {
        self.left = self.left.checked_sub(1)?;
        Some(self.every)
    }
}
