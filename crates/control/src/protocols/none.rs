//! No flow control: the ill-behaved source sends whatever its workload makes, at once, and repairs nothing.
//!
//! Source: Demers, Keshav and Shenker 1989, section 4, scenario 3.
//! Deviations: none.
//!
//! State per flow: none.

use crate::transport::Config;
use crate::{Ack, Allowance, FlowControl, Loss};
use headgate_packet::{Card, Check};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// No flow control: data is sent as it is made. Everything that the workload makes is sent at once, and once.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct NoneParams {}

impl Check for NoneParams {}

impl NoneParams {
    /// How the transport serves it.
    pub fn transport(&self) -> Config {
        Config::open()
    }
}

/// No flow control.
#[derive(Clone, Debug)]
pub struct Uncontrolled;

impl Uncontrolled {
    /// What it says of itself.
    pub const CARD: Card = Card::of("Demers, Keshav and Shenker 1989, scenario 3");

    /// A source.
    pub fn new(_: &NoneParams) -> Uncontrolled {
        Uncontrolled
    }
}

impl FlowControl for Uncontrolled {
    fn on_ack(&mut self, _: &Ack) {}
    fn on_loss(&mut self, _: &Loss) {}
    fn allowance(&self) -> Allowance {
        Allowance::window(u64::MAX)
    }
}
