//! Aggregation: a line that sends in bursts, as a Wi-Fi sender does each time that the channel is its own.
//!
//! Source: IEEE 802.11n-2009, section 9.7d (aggregation of frames), of which only the rhythm is kept. Deviations: bursts come at equal intervals, not when a
//! contention is won; the packets of a burst arrive one after the other at the line's rate, not together at its end; one that comes while its
//! burst is sent may still join it; none is sent again by the link.

use super::OneWay;
use headgate_packet::check::at_least;
use headgate_packet::{Check, Duration, Wrong, choice};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, de::Error};
use serde_json::Value;

/// Service in bursts: up to so many packets at each whole multiple of a time, one after the other at the line's rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Aggregation {
    /// Most packets of a burst. It ends before if none waits.
    #[schemars(range(min = 1))]
    pub packets: u32,
    /// Time from a burst to the next one. A burst that takes longer lets those pass that come meanwhile.
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
