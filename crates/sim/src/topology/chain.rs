//! Gateways in a row, each with its own hosts.
//!
//! Source: the usual picture of gateways in a row. Deviations: none.

use super::{Line, Net, Part, Piece, Topology, fits};
use crate::spec::SpecError;
use headgate_packet::{Card, Check, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Gateways in a row, with hosts at each. They are r1, r2, ..., with links `hop1`, `hop2`, ... between them, and hosts h1, h2, ..., the first ones at
/// r1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ChainParams {
    /// Gateways.
    #[schemars(range(min = 1, max = 1000000))]
    pub gateways: u32,
    /// Hosts at each gateway.
    #[schemars(range(min = 0, max = 1000000))]
    pub hosts: u32,
    /// The links between gateways, from hop 1 on: the keys of a link.
    pub line: Line,
    /// The links of hosts; ten times as fast as `line`, without delay, unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access: Option<Line>,
    /// Seed of the random numbers of the network.
    pub seed: u64,
}

impl Default for ChainParams {
    fn default() -> ChainParams {
        ChainParams { gateways: 3, hosts: 1, line: Line::of("10Mbit/s", "10ms"), access: None, seed: 1 }
    }
}

impl Check for ChainParams {
    fn check(&self) -> Result<(), Wrong> {
        let nodes = u128::from(self.gateways) * (1 + u128::from(self.hosts));
        fits("gateways", &self.gateways, nodes, nodes - 1)
    }
}

/// Gateways in a row, each with hosts.
pub struct Chain;

impl Chain {
    /// What it says of itself.
    pub const CARD: Card = Card::of("the usual picture of gateways in a row");
}

impl Topology for ChainParams {
    fn build(&self, net: &mut Net<'_, '_>) -> Result<(), SpecError> {
        let fast = self.line.ten_times();
        let mut access = Piece::new(self.access.as_ref().unwrap_or(&fast), Part::Access, self.seed);
        net.row(&mut Piece::new(&self.line, Part::Line, self.seed), self.gateways)?;
        net.hosts(&mut access, self.hosts, (1..=self.gateways).map(|i| format!("r{i}")))
    }
}
