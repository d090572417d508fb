//! Gateways in a row: a long path shares each line with its own cross traffic.
//!
//! Source: Stoica, Shenker and Zhang 1998, section 3.2, figure 5. Deviations: numbers of hops and hosts are free.

use super::{Line, Net, Part, Piece, Topology, fits};
use crate::spec::SpecError;
use headgate_packet::{Card, Check, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Gateways in a row, with cross traffic on each hop. They are r1, r2, ..., with links `hop1`, `hop2`, ... between them. Flows from a1, a2, ... at
/// the first gateway to b1, b2, ... at the last one cross all hops. Cross traffic is sent from s1, s2, ... to d1, d2, ...; of `hosts` pairs per hop
/// the first ones cross hop 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ParkingLotParams {
    /// Links between gateways; there is one gateway more.
    #[schemars(range(min = 1, max = 1000000))]
    pub hops: u32,
    /// Pairs of hosts for cross traffic at each hop.
    #[schemars(range(min = 0, max = 1000000))]
    pub hosts: u32,
    /// Pairs of hosts at both ends.
    #[schemars(range(min = 0, max = 1000000))]
    pub through: u32,
    /// The links between gateways, from hop 1 on: the keys of a link.
    pub line: Line,
    /// The links of the hosts of cross traffic: s1, d1, s2, d2, ...; ten times as fast as `line`, without delay, unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access: Option<Line>,
    /// The links of the hosts at both ends: a1, b1, a2, b2, ...; as those of cross traffic unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ends: Option<Line>,
    /// Seed of the random numbers of the network.
    pub seed: u64,
}

impl Default for ParkingLotParams {
    fn default() -> ParkingLotParams {
        let line = Line::of("10Mbit/s", "10ms");
        ParkingLotParams { hops: 3, hosts: 1, through: 1, line, access: None, ends: None, seed: 1 }
    }
}

impl Check for ParkingLotParams {
    fn check(&self) -> Result<(), Wrong> {
        let (hops, hosts, through) = (u128::from(self.hops), u128::from(self.hosts), u128::from(self.through));
        let links = hops + 2 * (hops * hosts + through);
        fits("hops", &self.hops, links + 1, links)
    }
}

/// Gateways in a row with a long path and cross traffic.
pub struct ParkingLot;

impl ParkingLot {
    /// What it says of itself.
    pub const CARD: Card = Card::of("Stoica, Shenker and Zhang 1998, section 3.2, figure 5");
}

impl Topology for ParkingLotParams {
    fn build(&self, net: &mut Net<'_, '_>) -> Result<(), SpecError> {
        let fast = self.line.ten_times();
        let access = self.access.as_ref().unwrap_or(&fast);
        let mut ends = match &self.ends {
            Some(ends) => Piece::new(ends, Part::Ends, self.seed),
            None => Piece::new(access, Part::Access, self.seed),
        };
        let mut access = Piece::new(access, Part::Access, self.seed);
        let last = format!("r{}", self.hops + 1);
        net.row(&mut Piece::new(&self.line, Part::Line, self.seed), self.hops + 1)?;
        for i in 1..=self.through {
            net.attach(&mut ends, format!("a{i}"), "r1")?;
            net.hang(&mut ends, &last, format!("b{i}"))?;
        }
        for hop in 1..=self.hops {
            for i in (hop - 1) * self.hosts + 1..=hop * self.hosts {
                net.attach(&mut access, format!("s{i}"), &format!("r{hop}"))?;
                net.hang(&mut access, &format!("r{}", hop + 1), format!("d{i}"))?;
            }
        }
        Ok(())
    }
}
