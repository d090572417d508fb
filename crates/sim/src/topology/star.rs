//! One gateway in the middle of all hosts.
//!
//! Source: the usual picture of a switch. Deviations: none.

use super::{Line, Net, Part, Piece, Topology, fits};
use crate::spec::SpecError;
use headgate_packet::{Card, Check, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One gateway in the middle of hosts. It is r1, and hosts are h1, h2, ...; the link of a host is called `h1->r1`, and the port that feeds the host
/// `h1->r1:reverse`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct StarParams {
    /// Hosts.
    #[schemars(range(min = 1, max = 999999))]
    pub hosts: u32,
    /// The links of the hosts, from h1 on: the keys of a link.
    pub access: Line,
    /// Seed of the random numbers of the network.
    pub seed: u64,
}

impl Default for StarParams {
    fn default() -> StarParams {
        StarParams { hosts: 3, access: Line::of("10Mbit/s", "5ms"), seed: 1 }
    }
}

impl Check for StarParams {
    fn check(&self) -> Result<(), Wrong> {
        fits("hosts", &self.hosts, u128::from(self.hosts) + 1, u128::from(self.hosts))
    }
}

/// One gateway in the middle of all hosts.
pub struct Star;

impl Star {
    /// What it says of itself.
    pub const CARD: Card = Card::of("the usual picture of a switch");
}

impl Topology for StarParams {
    fn build(&self, net: &mut Net<'_, '_>) -> Result<(), SpecError> {
        net.gateway("r1".to_owned())?;
        let mut access = Piece::new(&self.access, Part::Access, self.seed);
        net.hosts(&mut access, self.hosts, ["r1".to_owned()])
    }
}
