//! Sizes of flows in a data centre that answers web searches: half of them below 80 KB, 30 % above 1 MB, which make 95 % of the bytes.
//!
//! Source: Alizadeh et al. 2010, Data Center TCP (DCTCP), figure 4, as the simulations of pFabric (Alizadeh et al. 2013) and PIAS (Bai et al. 2015) use it: the
//! points below are those of the file CDF_dctcp.tcl of the ns-2 simulations of PIAS (github.com/HKUST-SING/PIAS-NS2), in packets of 1460 bytes. Deviations: the paper
//! prints a curve and no numbers; between the points lie straight lines, as in that file, where ns-2 rounds up to whole packets. Other simulators have the
//! same points in round numbers of bytes (10 KB, 20 KB, ... 30 MB), with a mean of 1.71 MB.

use super::Law;
use super::points::{Point, Points};
use headgate_packet::{Card, Check};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Published sizes of flows of web search: 1.67 MB in the mean.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct WebSearchParams {}

impl Check for WebSearchParams {}

/// Sizes of flows of web search.
#[derive(Clone, Debug)]
pub struct WebSearch(Points);

/// Bytes in a packet of the simulations.
pub(super) const PACKET: f64 = 1460.0;

const POINTS: &[Point] = &[
    (6.0 * PACKET, 0.15),
    (13.0 * PACKET, 0.2),
    (19.0 * PACKET, 0.3),
    (33.0 * PACKET, 0.4),
    (53.0 * PACKET, 0.53),
    (133.0 * PACKET, 0.6),
    (667.0 * PACKET, 0.7),
    (1333.0 * PACKET, 0.8),
    (3333.0 * PACKET, 0.9),
    (6667.0 * PACKET, 0.97),
    (20_000.0 * PACKET, 1.0),
];

impl WebSearch {
    /// What it says of itself.
    pub const CARD: Card = Card::of("Alizadeh et al. 2010, Data Center TCP (DCTCP), figure 4; the points are those of the ns-2 simulations of PIAS");

    /// The distribution.
    pub fn new(_: &WebSearchParams) -> WebSearch {
        WebSearch(Points::Known(POINTS))
    }
}

impl Law for WebSearch {
    fn quantile(&self, share: f64) -> f64 {
        self.0.quantile(share)
    }
    fn own_bytes(&self) -> Option<f64> {
        Some(self.0.mean())
    }
}
