//! Two gateways with hosts on either side: all flows share the line between the gateways.
//!
//! Source: the usual picture of one bottleneck. Deviations: none.

use super::{Line, Net, Part, Piece, Topology, fits};
use crate::spec::SpecError;
use headgate_packet::{Card, Check, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Two gateways with hosts on either side. Gateways are r1 (left) and r2 (right), hosts s1, s2, ... on the left and d1, d2, ... on the right; the link
/// between the gateways is called `bottleneck`, that of a host `s1->r1` or `r2->d1`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DumbbellParams {
    /// Hosts on the left.
    #[schemars(range(min = 1, max = 1000000))]
    pub hosts: u32,
    /// Hosts on the right; as many as on the left unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1000000))]
    pub sinks: Option<u32>,
    /// The link between the gateways: the keys of a link.
    pub line: Line,
    /// The links of the hosts on the left; ten times as fast as `line`, without delay, unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access: Option<Line>,
    /// The links of the hosts on the right; as on the left unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit: Option<Line>,
    /// Seed of the random numbers of the network.
    pub seed: u64,
}

impl Default for DumbbellParams {
    fn default() -> DumbbellParams {
        let line = Line::of("10Mbit/s", "10ms");
        DumbbellParams { hosts: 2, sinks: None, line, access: None, exit: None, seed: 1 }
    }
}

impl DumbbellParams {
    fn sinks(&self) -> u32 {
        self.sinks.unwrap_or(self.hosts)
    }
}

impl Check for DumbbellParams {
    fn check(&self) -> Result<(), Wrong> {
        let links = u128::from(self.hosts) + u128::from(self.sinks()) + 1;
        fits("hosts", &self.hosts, links + 1, links)
    }
}

/// Two gateways with hosts on either side.
pub struct Dumbbell;

impl Dumbbell {
    /// What it says of itself.
    pub const CARD: Card = Card::of("the usual picture of one bottleneck");
}

impl Topology for DumbbellParams {
    fn build(&self, net: &mut Net<'_, '_>) -> Result<(), SpecError> {
        let fast = self.line.ten_times();
        let access = self.access.as_ref().unwrap_or(&fast);
        let mut left = Piece::new(access, Part::Access, self.seed);
        let mut right = match &self.exit {
            Some(exit) => Piece::new(exit, Part::Exit, self.seed),
            None => Piece::new(access, Part::Access, self.seed),
        };
        net.gateway("r1".to_owned())?;
        net.gateway("r2".to_owned())?;
        net.named(&mut Piece::new(&self.line, Part::Line, self.seed), "bottleneck".to_owned(), "r1", "r2")?;
        for i in 1..=self.hosts {
            net.attach(&mut left, format!("s{i}"), "r1")?;
        }
        (1..=self.sinks()).try_for_each(|i| net.hang(&mut right, "r2", format!("d{i}")))
    }
}
