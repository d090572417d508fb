//! Jitter: each packet takes a random time longer over the wire.
//!
//! Source: the delay distributions of Hemminger 2005, Network Emulation with NetEm. Deviations: the time is added to the propagation delay
//! and is never negative; it is independent from packet to packet; without `reorder` no packet overtakes another, as on a wire.

use super::OneWay;
use crate::laws;
use headgate_packet::check::above_zero;
use headgate_packet::{Check, Duration, Wrong, choice};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, de::Error};
use serde_json::Value;

/// Random times that packets take besides the propagation delay.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Jitter {
    /// Mean of the time that is added to the propagation delay.
    pub mean: Duration,
    /// Its distribution.
    pub law: laws::Spec,
    /// Whether a packet may overtake others. If not, a packet that would overtake waits for the one before it, and the mean is longer on a busy link.
    pub reorder: bool,
}

impl Default for Jitter {
    fn default() -> Jitter {
        let law = laws::Spec::default_of("exponential").expect("exponential is in the list");
        Jitter { mean: Duration::from_millis(1), law, reorder: false }
    }
}

impl Check for Jitter {
    fn check(&self) -> Result<(), Wrong> {
        above_zero("mean", self.mean)?;
        self.law.check_times("law")
    }
}

impl OneWay for Jitter {
    fn read<E: Error>(value: Value) -> Result<Jitter, E> {
        choice::params(value)
    }
}
