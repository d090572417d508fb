//! A transfer that ends: a number of packets at the start, and nothing afterwards.
//!
//! Source: Keshav 1991, section 6.7, which leaves numerous short conversations to future work. Deviations: there is nothing to deviate
//! from; a size drawn from a distribution is rounded up to whole packets.

use super::{Supply, Workload};
use crate::laws::{Sizes, Spec as Law, fixed::FixedParams};
use headgate_packet::{Bytes, Card, Check, Rng, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A transfer that ends. It has a number of packets at the start, and nothing afterwards.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, from = "Given")]
#[schemars(!from)]
pub struct TransferParams {
    /// Packets, in the mean.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u64", range(min = 1, max = 1_000_000_000))]
    pub packets: Option<u64>,
    /// Bytes, in the mean, instead of `packets`: at most 1 TB, rounded up to whole packets once they are drawn.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Bytes")]
    pub bytes: Option<Bytes>,
    /// Distribution of sizes, one of the list `distributions`; one that has its own sizes is given without `packets` and `bytes`.
    pub size: Law,
}

/// The parameters in a file: without any size it is ten packets.
#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Given {
    packets: Option<u64>,
    bytes: Option<Bytes>,
    size: Law,
}

impl Default for Given {
    fn default() -> Given {
        Given { packets: None, bytes: None, size: Law::Fixed(FixedParams {}) }
    }
}

impl From<Given> for TransferParams {
    fn from(Given { packets, bytes, size }: Given) -> TransferParams {
        let ten = (bytes.is_none() && !size.in_bytes()).then_some(10);
        TransferParams { packets: packets.or(ten), bytes, size }
    }
}

impl Default for TransferParams {
    fn default() -> TransferParams {
        Given::default().into()
    }
}

impl Check for TransferParams {
    fn check(&self) -> Result<(), Wrong> {
        Sizes::check(&self.size, self.packets, self.bytes)
    }
}

impl TransferParams {
    /// As much as it can get, as long as it lasts.
    pub fn demand_bps(&self, _packet_bytes: u32) -> f64 {
        f64::INFINITY
    }
}

/// A supply of this number of packets.
#[derive(Clone, Debug)]
pub struct Transfer(Sizes);

impl Transfer {
    /// What it says of itself.
    pub const CARD: Card = Card { main: &["bytes"], ..Card::of("Keshav 1991, section 6.7") };

    /// A transfer in packets of `packet_bytes`.
    pub fn new(params: &TransferParams, packet_bytes: u32) -> Transfer {
        Transfer(Sizes::new(&params.size, params.packets, params.bytes, packet_bytes))
    }
}

impl Workload for Transfer {
    fn supply(&mut self, rng: &mut Rng) -> Supply {
        Supply { packets: self.0.packets(rng), again: None }
    }

    fn has_objects(&self) -> bool {
        true
    }

    // It is asked once, at the start of its flow.
    fn is_over(&self) -> bool {
        true
    }
}
