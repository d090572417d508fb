//! Requests over one connection, one after the other: an object, a time to think, the next object.
//!
//! Source: Feldmann, Gilbert, Huang and Willinger 1999, section 2 (sessions of objects with times to think between them). Deviations:
//!
//! - the request itself is not sent: the object begins when the source has it;
//! - a page is one object;
//! - the window of the flow control continues from object to object.

use super::transfer::{Transfer, TransferParams};
use super::{Supply, Workload};
use crate::laws::{AnyLaw, Spec as Law, exponential::ExponentialParams};
use headgate_packet::{Card, Check, Duration, Rng, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

/// Objects over one connection, one after the other. Each comes after a time to think from the end of the last one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RequestsParams {
    /// Size of an object: `packets`, `bytes` and `size` as `transfer` has them.
    #[serde(deserialize_with = "object")]
    pub object: TransferParams,
    /// Mean time to think between the end of an object and the next one.
    pub think: Duration,
    /// Distribution of the times to think, one of the list `distributions`.
    pub think_times: Law,
    /// Number of objects; without it they continue as long as the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u64", range(min = 1))]
    pub objects: Option<u64>,
}

/// Reads the size of an object with the rules that a transfer has.
fn object<'de, D: Deserializer<'de>>(d: D) -> Result<TransferParams, D::Error> {
    headgate_packet::choice::params(serde_json::Value::deserialize(d)?)
}

impl Default for RequestsParams {
    fn default() -> RequestsParams {
        let think_times = Law::Exponential(ExponentialParams {});
        RequestsParams { object: TransferParams::default(), think: Duration::from_secs(1), think_times, objects: None }
    }
}

impl Check for RequestsParams {
    fn check(&self) -> Result<(), Wrong> {
        self.think_times.check_times("think_times")
    }
}

impl RequestsParams {
    /// As much as it can get while an object lasts.
    pub fn demand_bps(&self, _packet_bytes: u32) -> f64 {
        f64::INFINITY
    }
}

/// A session of objects.
#[derive(Clone, Debug)]
pub struct Requests(Box<State>);

#[derive(Clone, Debug)]
struct State {
    object: Transfer,
    think: (Duration, AnyLaw),
    left: u64,
}

impl Requests {
    /// What it says of itself.
    pub const CARD: Card = Card::of("Feldmann, Gilbert, Huang and Willinger 1999, section 2");

    /// A session that has not begun.
    pub fn new(params: &RequestsParams, packet_bytes: u32) -> Requests {
        Requests(Box::new(State {
            object: Transfer::new(&params.object, packet_bytes),
            think: (params.think, params.think_times.build()),
            left: params.objects.unwrap_or(u64::MAX),
        }))
    }
}

impl Workload for Requests {
    fn supply(&mut self, rng: &mut Rng) -> Supply {
        self.0.left -= 1;
        self.0.object.supply(rng)
    }

    fn has_objects(&self) -> bool {
        true
    }

    fn on_complete(&mut self, rng: &mut Rng) -> Option<Duration> {
        (self.0.left > 0).then(|| self.0.think.1.time(self.0.think.0, rng))
    }

    fn is_over(&self) -> bool {
        self.0.left == 0
    }
}
