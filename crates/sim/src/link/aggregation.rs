//! Aggregation: a line that sends in bursts, as a Wi-Fi sender does each time that the channel is its own.
//!
//! Source: IEEE 802.11n-2009, section 9.7d (aggregation of frames), of which only the timing is kept.
//!
//! Deviations:
//! - Bursts are sent at equal intervals, not when a contention is won.
//! - The packets of a burst arrive one after the other at the line's rate, not together at its end; a packet that arrives while its burst is sent
//!   may still join it.
//! - The link sends no packet again.

use super::OneWay;
use headgate_packet::check::at_least;
use headgate_packet::{Check, Duration, Wrong, choice};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, de::Error};
use serde_json::Value;

/// Service in bursts: up to `packets` packets at each whole multiple of a time, one after the other at the line's rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Aggregation {
    /// Maximum number of packets of a burst. A burst ends earlier if no packet waits.
    #[schemars(range(min = 1))]
    pub packets: u32,
    /// Time from a burst to the next one. A burst that takes longer skips the multiples that pass meanwhile.
    pub every: Duration,
}

impl Default for Aggregation {
    fn default() -> Aggregation {
        Aggregation { packets: 16, every: Duration::from_millis(4) }
    }
}

impl Check for Aggregation {
    fn check(&self) -> Result<(), Wrong> {
        at_least("every", self.every, crate::workload::LEAST_GAP)
    }
}

impl OneWay for Aggregation {
    fn read<E: Error>(value: Value) -> Result<Aggregation, E> {
        choice::params(value)
    }
}
