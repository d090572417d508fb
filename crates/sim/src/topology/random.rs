//! Gateways joined at random.
//!
//! Source: Erdős and Rényi 1959 (a given number of lines between pairs drawn at random). Deviations: the first lines join each gateway to one
//! before it, drawn at random, so that there is a path between any two.

use super::{Line, Net, Part, Piece, Topology, fits};
use crate::spec::SpecError;
use headgate_packet::{Card, Check, Rng, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// Gateways joined at random, with hosts. There is a path between any two of the gateways r1, r2, ..., and of the hosts h1, h2, ... the first ones
/// are at r1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RandomParams {
    /// Gateways.
    #[schemars(range(min = 1, max = 1000000))]
    pub gateways: u32,
    /// Mean number of gateways that a gateway is joined to. There are always enough links to join all gateways.
    #[schemars(range(min = 0.0, max = 1000000.0))]
    pub degree: f64,
    /// Hosts at each gateway.
    #[schemars(range(min = 0, max = 1000000))]
    pub hosts: u32,
    /// The links between gateways: the keys of a link.
    pub line: Line,
    /// The links of hosts; ten times as fast as `line`, without delay, unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access: Option<Line>,
    /// Seed of the random numbers of the network.
    pub seed: u64,
}

impl Default for RandomParams {
    fn default() -> RandomParams {
        let line = Line::of("10Mbit/s", "10ms");
        RandomParams { gateways: 10, degree: 3.0, hosts: 1, line, access: None, seed: 1 }
    }
}

impl RandomParams {
    /// Links between gateways.
    fn lines(&self) -> u64 {
        ((f64::from(self.gateways) * self.degree / 2.0).round() as u64).max(u64::from(self.gateways) - 1)
    }
}

impl Check for RandomParams {
    fn check(&self) -> Result<(), Wrong> {
        let (gateways, lines) = (u128::from(self.gateways), u128::from(self.lines()));
        if lines > gateways * (gateways - 1) / 2 {
            let message = format!("expected at most {}, the number of other gateways", gateways - 1);
            return Err(Wrong::at("degree", message).found(&self.degree));
        }
        let hosts = gateways * u128::from(self.hosts);
        fits("gateways", &self.gateways, gateways + hosts, lines + hosts)
    }
}

/// Gateways joined at random.
pub struct Random;

impl Random {
    /// What it says of itself.
    pub const CARD: Card = Card::of("Erdős and Rényi 1959");
}

impl Topology for RandomParams {
    fn build(&self, net: &mut Net<'_, '_>) -> Result<(), SpecError> {
        let fast = self.line.ten_times();
        let mut access = Piece::new(self.access.as_ref().unwrap_or(&fast), Part::Access, self.seed);
        let mut line = Piece::new(&self.line, Part::Line, self.seed);
        let mut rng = Rng::new(self.seed, 0, "topology/random");
        let (gateways, lines) = (u64::from(self.gateways), self.lines() as usize);
        (1..=gateways).try_for_each(|i| net.gateway(format!("r{i}")))?;
        let (mut joined, mut order) = (HashSet::with_capacity(lines), Vec::with_capacity(lines));
        for i in 2..=gateways {
            let pair = (1 + rng.below(i - 1), i);
            joined.insert(pair);
            order.push(pair);
        }
        while order.len() < lines {
            net.step()?;
            let (a, b) = (1 + rng.below(gateways), 1 + rng.below(gateways));
            let pair = (a.min(b), a.max(b));
            if a != b && joined.insert(pair) {
                order.push(pair);
            }
        }
        order.sort_unstable();
        order.iter().try_for_each(|(a, b)| net.link(&mut line, &format!("r{a}"), &format!("r{b}")))?;
        net.hosts(&mut access, self.hosts, (1..=self.gateways).map(|i| format!("r{i}")))
    }
}
