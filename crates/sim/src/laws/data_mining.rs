//! Sizes of flows in a data centre that mines data: half of them one packet, 80 % below 11 KB, and 1 % above 97 MB, which make 72 % of the bytes.
//!
//! Source: Greenberg et al. 2009, VL2, figure 2, as the simulations of pFabric (Alizadeh et al. 2013) and PIAS (Bai et al. 2015) use it: the points below are
//! those of the file CDF_vl2.tcl of the ns-2 simulations of PIAS (github.com/HKUST-SING/PIAS-NS2), in packets of 1460 bytes. Deviations: the paper prints a curve
//! and no numbers; what it has below one packet is one packet there; between the points lie straight lines.

use super::Law;
use super::points::{Point, Points};
use super::web_search::PACKET;
use headgate_packet::{Card, Check};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Published sizes of flows of data mining: 7.47 MB in the mean.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DataMiningParams {}

impl Check for DataMiningParams {}

/// Sizes of flows of data mining.
#[derive(Clone, Debug)]
pub struct DataMining(Points);

const POINTS: &[Point] = &[
    (PACKET, 0.5),
    (2.0 * PACKET, 0.6),
    (3.0 * PACKET, 0.7),
    (7.0 * PACKET, 0.8),
    (267.0 * PACKET, 0.9),
    (2107.0 * PACKET, 0.95),
    (66_667.0 * PACKET, 0.99),
    (666_667.0 * PACKET, 1.0),
];

impl DataMining {
    /// What it says of itself.
    pub const CARD: Card = Card::of("Greenberg et al. 2009, VL2, figure 2; the points are those of the ns-2 simulations of PIAS");

    /// The distribution.
    pub fn new(_: &DataMiningParams) -> DataMining {
        DataMining(Points::Known(POINTS))
    }
}

impl Law for DataMining {
    fn quantile(&self, share: f64) -> f64 {
        self.0.quantile(share)
    }
    fn own_bytes(&self) -> Option<f64> {
        Some(self.0.mean())
    }
}
