//! Requests over one connection, one after the other: an object, a time to think, the next object.
//!
//! Source: Feldmann, Gilbert, Huang and Willinger 1999, section 2 (sessions of objects with times to think between them). Deviations:
//!
//! - the request itself is not sent: the object begins when the source has it;
//! - a page is one object;
//! - the window of the flow control lives on from object to object.

use super::transfer::{Size, TransferParams};
use super::{Supply, Workload};
use headgate_packet::{Check, Duration, Rng};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Objects over one connection, each after a time to think from the end of the last one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RequestsParams {
    /// Packets of an object, in the mean.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub packets: u64,
    /// Distribution of their number.
    pub size: Size,
    /// Mean time to think between the end of an object and the next one; exponentially distributed.
    pub think: Duration,
    /// How many objects there are; without it they go on as long as the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub objects: Option<u64>,
}

impl Default for RequestsParams {
    fn default() -> RequestsParams {
        let TransferParams { packets, size } = TransferParams::default();
        RequestsParams { packets, size, think: Duration::from_secs(1), objects: None }
    }
}

impl Check for RequestsParams {}

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
    object: super::transfer::Transfer,
    think: Duration,
    left: u64,
}

impl Requests {
    /// Where it was published.
    pub const SOURCE: &'static str = "Feldmann, Gilbert, Huang and Willinger 1999, section 2";

    /// A session that has not begun.
    pub fn new(params: &RequestsParams, packet_bytes: u32) -> Requests {
        let RequestsParams { packets, ref size, think, objects } = *params;
        let object = super::transfer::Transfer::new(&TransferParams { packets, size: size.clone() }, packet_bytes);
        Requests(Box::new(State { object, think, left: objects.unwrap_or(u64::MAX) }))
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
        (self.0.left > 0).then(|| rng.exponential(self.0.think))
    }

    fn is_over(&self) -> bool {
        self.0.left == 0
    }
}
