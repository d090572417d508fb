//! Given packets are lost, for tests and for what-if questions.
//!
//! Source: none is needed. Deviations: none.

use super::Loss;
use headgate_packet::{Card, Check, Rng, Time, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Given packets are lost.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PacketsParams {
    /// Numbers of the packets that are lost, in order; the first one that is put on the wire in this direction has the number 1. Data and
    /// acknowledgements are counted alike.
    #[schemars(with = "Vec<u64>", inner(range(min = 1)))]
    pub packets: Numbers,
}

/// The numbers, which copies share.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "Vec<u64>")]
pub struct Numbers(Arc<[u64]>);

impl From<Vec<u64>> for Numbers {
    fn from(numbers: Vec<u64>) -> Numbers {
        Numbers(numbers.into())
    }
}

impl Default for PacketsParams {
    fn default() -> PacketsParams {
        PacketsParams { packets: vec![1].into() }
    }
}

impl Check for PacketsParams {
    fn check(&self) -> Result<(), Wrong> {
        let mut before = 0;
        for (i, number) in self.packets.0.iter().enumerate() {
            if *number <= before {
                let expected = format!("expected a number above {before}: numbers from 1 on, in order, each once");
                return Err(Wrong::at(format!("packets[{i}]"), expected).found(number));
            }
            before = *number;
        }
        Ok(())
    }
}

/// Given packets are lost.
#[derive(Clone, Debug)]
pub struct Packets {
    lost: Arc<[u64]>,
    /// Packets so far, and how many of the list.
    number: u64,
    next: usize,
}

impl Packets {
    /// What it says of itself.
    pub const CARD: Card = Card::of("given packets");

    /// Before the first packet.
    pub fn new(params: &PacketsParams, _: &mut Rng) -> Packets {
        Packets { lost: params.packets.0.clone(), number: 0, next: 0 }
    }
}

impl Loss for Packets {
    fn loses(&mut self, _: Time, _: &mut Rng) -> bool {
        self.number += 1;
        let lost = self.lost.get(self.next) == Some(&self.number);
        self.next += usize::from(lost);
        lost
    }
}
