//! A transfer that ends: so many packets at the start, and nothing afterwards.
//!
//! Source: Keshav 1991, section 6.7, which leaves numerous short conversations to future work. Deviations: there is nothing to deviate
//! from; a size drawn from a distribution is rounded up to whole packets.

use super::{Supply, Workload};
use headgate_packet::{Check, Rng};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How many packets a transfer has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Size {
    /// Always the mean.
    #[default]
    Fixed,
    /// Exponentially distributed, drawn once.
    Exponential,
}

/// A transfer that ends: so many packets at the start, and nothing afterwards.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TransferParams {
    /// Packets, in the mean.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub packets: u64,
    /// Distribution of their number.
    pub size: Size,
}

impl Default for TransferParams {
    fn default() -> TransferParams {
        TransferParams { packets: 10, size: Size::Fixed }
    }
}

impl Check for TransferParams {}

impl TransferParams {
    /// As much as it can get, as long as it lasts.
    pub fn demand_bps(&self, _packet_bytes: u32) -> f64 {
        f64::INFINITY
    }
}

/// A supply of so many packets.
#[derive(Clone, Debug)]
pub struct Transfer(TransferParams);

impl Transfer {
    /// Where it was published.
    pub const SOURCE: &'static str = "Keshav 1991, section 6.7";

    /// A transfer. The length of its packets does not matter.
    pub fn new(params: &TransferParams, _packet_bytes: u32) -> Transfer {
        Transfer(params.clone())
    }
}

impl Workload for Transfer {
    fn supply(&mut self, rng: &mut Rng) -> Supply {
        let packets = match self.0.size {
            Size::Fixed => self.0.packets,
            Size::Exponential => rng.exponential_number(self.0.packets as f64).ceil().max(1.0) as u64,
        };
        Supply { packets, again: None }
    }

    fn has_objects(&self) -> bool {
        true
    }

    // It is asked once, at the start of its flow.
    fn is_over(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_at_once_and_then_nothing() {
        let mut rng = Rng::new(0, 0, "x");
        let params = TransferParams { packets: 7, ..TransferParams::default() };
        assert_eq!(Transfer::new(&params, 1000).supply(&mut rng), Supply { packets: 7, again: None });
    }

    #[test]
    fn sizes_of_a_thousand_million_packets_do_not_wrap() {
        let mut rng = Rng::new(1, 0, "x");
        let mut transfer = Transfer::new(&TransferParams { packets: 1_000_000_000, size: Size::Exponential }, 1000);
        let mean = (0..10_000).map(|_| transfer.supply(&mut rng).packets as f64).sum::<f64>() / 1e4;
        // The standard error is 1 %.
        assert!((mean / 1e9 - 1.0).abs() < 0.05, "{mean}");
    }

    #[test]
    fn exponential_sizes_have_their_mean_and_are_never_zero() {
        let mut rng = Rng::new(1, 0, "x");
        let mut transfer = Transfer::new(&TransferParams { packets: 20, size: Size::Exponential }, 1000);
        let sizes: Vec<u64> = (0..20_000).map(|_| transfer.supply(&mut rng).packets).collect();
        let mean = sizes.iter().sum::<u64>() as f64 / 20_000.0;
        // Rounded up: half a packet more. The standard error of the mean is 0.14.
        assert!((mean - 20.5).abs() < 0.6, "{mean}");
        assert!(sizes.iter().all(|n| *n >= 1));
        assert!(sizes.iter().filter(|n| **n > 40).count() > 2000);
    }
}
