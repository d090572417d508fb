//! A typing user: packets at exponentially distributed gaps, five seconds in the mean, that wait for the flow control.
//!
//! Source: Demers, Keshav and Shenker 1989, section 3. Deviations: none. It is the `poisson` process with the paper's mean;
//! a packet that the window blocks waits in the source, as every workload's does.

use super::poisson::{Poisson, PoissonParams};
use super::{LEAST_GAP, Supply, Workload};
use headgate_packet::check::at_least;
use headgate_packet::{Card, Check, Duration, Rng, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A typing user: packets at exponentially distributed gaps. They wait for the flow control.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TelnetParams {
    /// Mean time between packets; at least 100 ps.
    pub mean: Duration,
}

impl Default for TelnetParams {
    fn default() -> TelnetParams {
        TelnetParams { mean: Duration::from_secs(5) }
    }
}

impl Check for TelnetParams {
    fn check(&self) -> Result<(), Wrong> {
        at_least("mean", self.mean, LEAST_GAP)
    }
}

impl TelnetParams {
    /// One packet in the mean gap.
    pub fn demand_bps(&self, packet_bytes: u32) -> f64 {
        PoissonParams { mean: self.mean }.demand_bps(packet_bytes)
    }
}

/// A typing user.
#[derive(Clone, Debug)]
pub struct Telnet(Poisson);

impl Telnet {
    /// What it says of itself.
    pub const CARD: Card = Card { main: &["mean"], ..Card::of("Demers, Keshav and Shenker 1989, section 3") };

    /// A new user.
    pub fn new(params: &TelnetParams, packet_bytes: u32) -> Telnet {
        Telnet(Poisson::new(&PoissonParams { mean: params.mean }, packet_bytes))
    }
}

impl Workload for Telnet {
    fn supply(&mut self, rng: &mut Rng) -> Supply {
        self.0.supply(rng)
    }
}
