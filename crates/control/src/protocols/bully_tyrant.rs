//! Bully-Tyrant: all data is sent at once, without priorities.
//!
//! Source: Kim and Farber 1994, section 4.2.6: BLT's source at switches that serve and drop without regard to priorities.
//! Deviations: those of `blt`. All packets have their flow's priority, so that the discipline `blt` does not distinguish them, either.
//!
//! State per flow: that of the transport.

use crate::transport::basic::line;
use crate::transport::{Config, check_timer};
use crate::{Ack, Allowance, FlowControl, Loss};
use headgate_packet::{Card, Check, Duration, Rate, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// All data is sent at once, and again after a loss. It is sent at the rate of the source's own link; after a loss it is sent again from the lost
/// packet on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BullyTyrantParams {
    /// Rate of the source's own link: a packet is sent when the one before has left. Its transmission time belongs to the delay of the first link.
    pub line: Rate,
    /// Timeout until the first round trip is known.
    pub initial_timeout: Duration,
    /// Maximum timeout; at least 1 ms.
    pub max_timeout: Duration,
    /// The timeout is the smoothed round trip and this many mean deviations.
    #[schemars(range(min = 0.0, max = 100.0))]
    pub deviations: f64,
}

impl Default for BullyTyrantParams {
    fn default() -> BullyTyrantParams {
        let line = Rate::from_bps(150_000_000).expect("above zero");
        BullyTyrantParams { line, initial_timeout: Duration::from_secs(1), max_timeout: Duration::from_secs(3600), deviations: 4.0 }
    }
}

impl Check for BullyTyrantParams {
    fn check(&self) -> Result<(), Wrong> {
        check_timer("initial_timeout", self.initial_timeout, Duration::ZERO, self.max_timeout)
    }
}

impl BullyTyrantParams {
    /// How the transport serves it.
    pub fn transport(&self) -> Config {
        let rules = line::Rules::new(self.line, line::Repair::Burst);
        rules.config(self.initial_timeout, self.max_timeout, self.deviations)
    }
}

/// A burst without priorities.
#[derive(Clone, Debug)]
pub struct BullyTyrant;

impl BullyTyrant {
    /// What it says of itself.
    pub const CARD: Card = Card::of("Kim and Farber 1994, section 4.2.6");

    /// A source.
    pub fn new(_: &BullyTyrantParams) -> BullyTyrant {
        BullyTyrant
    }
}

impl FlowControl for BullyTyrant {
    fn on_ack(&mut self, _: &Ack) {}
    fn on_loss(&mut self, _: &Loss) {}
    fn allowance(&self) -> Allowance {
        Allowance::window(u64::MAX)
    }
}
