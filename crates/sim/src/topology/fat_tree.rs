//! A fat tree of equal gateways with k ports.
//!
//! Source: Al-Fares, Loukissas and Vahdat 2008, section 3. Deviations: paths are those of `routing`, not of the two-level tables of section 3.4.

use super::{Line, Net, Part, Piece, Topology, fits};
use crate::spec::SpecError;
use headgate_packet::{Card, Check, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A fat tree of gateways with k ports. It has k pods, and k^3 / 4 hosts h1, h2, .... The gateways of a pod are, as in the paper from 0, e0.0, e0.1,
/// ... (edge) and a0.0, a0.1, ... (aggregation), and c0.0, c0.1, ... is the core. h1 to h(k/2) are at e0.0. Use it with `routing = "ecmp"`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FatTreeParams {
    /// Ports of a gateway, an even number.
    #[schemars(range(min = 2, max = 1000000))]
    pub k: u32,
    /// The links between gateways: the keys of a link.
    pub line: Line,
    /// The links of hosts; as those between gateways unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access: Option<Line>,
    /// Seed of the random numbers of the network.
    pub seed: u64,
}

impl Default for FatTreeParams {
    fn default() -> FatTreeParams {
        FatTreeParams { k: 4, line: Line::of("10Mbit/s", "1ms"), access: None, seed: 1 }
    }
}

impl Check for FatTreeParams {
    fn check(&self) -> Result<(), Wrong> {
        if !self.k.is_multiple_of(2) {
            return Err(Wrong::at("k", "expected an even number").found(&self.k));
        }
        let k = u128::from(self.k);
        fits("k", &self.k, k.pow(3) / 4 + 5 * k.pow(2) / 4, 3 * k.pow(3) / 4)
    }
}

/// A fat tree of equal gateways.
pub struct FatTree;

impl FatTree {
    /// What it says of itself.
    pub const CARD: Card = Card::of("Al-Fares, Loukissas and Vahdat 2008, section 3");
}

impl Topology for FatTreeParams {
    fn build(&self, net: &mut Net<'_, '_>) -> Result<(), SpecError> {
        let half = self.k / 2;
        let pairs = |first: u32, second: u32| (0..first).flat_map(move |a| (0..second).map(move |b| (a, b)));
        let (access, part) = match &self.access {
            Some(access) => (access, Part::Access),
            None => (&self.line, Part::Line),
        };
        let mut line = Piece::new(&self.line, Part::Line, self.seed);
        let edges = pairs(self.k, half).map(|(pod, edge)| format!("e{pod}.{edge}"));
        net.hosts(&mut Piece::new(access, part, self.seed), half, edges.clone())?;
        edges.clone().try_for_each(|name| net.gateway(name))?;
        pairs(self.k, half).try_for_each(|(pod, above)| net.gateway(format!("a{pod}.{above}")))?;
        pairs(half, half).try_for_each(|(row, core)| net.gateway(format!("c{row}.{core}")))?;
        for (pod, edge) in pairs(self.k, half) {
            (0..half).try_for_each(|above| net.link(&mut line, &format!("e{pod}.{edge}"), &format!("a{pod}.{above}")))?;
        }
        for (pod, above) in pairs(self.k, half) {
            (0..half).try_for_each(|core| net.link(&mut line, &format!("a{pod}.{above}"), &format!("c{above}.{core}")))?;
        }
        Ok(())
    }
}
