//! Generic flow control: a fixed window, and a timeout of twice the average round-trip time.
//!
//! Source: Demers, Keshav and Shenker 1989, section 3.
//! - The source has a sliding window of packets.
//! - The timeout is beta times an exponential average of the round-trip time, which for a retransmitted packet runs from its first transmission.
//!
//! Deviations: what the papers leave open is a parameter.
//! - By default every acknowledged packet gives a sample, the gain is 1/4, and a timeout doubles the next one.
//! - What a timeout sends again decides much. `oldest` gives the segregation of 1989 under FCFS (three winners of 1150 packets, Telnets shut out) and
//!   its mixed scenario under FQ.
//! - `repair` (the recovery state of REAL) gives the thesis's loss rates and the recovery of its scenario 3.
//! - `all` gives the 12 % of duplicates of 1989's scenario 2 (G/FQ).
//! - `each`, without back-off and with a small gain, gives 1989's segregation, its duplicates and its mixed scenario together.
//!
//! State per flow: the window.

use crate::transport::basic::{Averages, Rules};
use crate::transport::{check_timer, Clock, Config, Retransmit};
use crate::{Ack, Allowance, FlowControl, Loss};
use headgate_packet::{Card, Check, Duration, Ecn, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A fixed window. Its timeout is a multiple of the average round-trip time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct GenericParams {
    /// Packets that may be outstanding.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub window: u64,
    /// The timeout is this many average round-trip times.
    #[schemars(range(min = 1.0, max = 1000.0))]
    pub beta: f64,
    /// Weight of a new sample in the average round-trip time.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub gain: f64,
    /// Which transmission the round trip of a retransmitted packet is counted from.
    pub clock: Clock,
    /// What a timeout sends again.
    pub retransmit: Retransmit,
    /// Factor of the timeout after each timeout in a row.
    #[schemars(range(min = 1.0, max = 64.0))]
    pub backoff: f64,
    /// Where the average round-trip time starts; the first timeout is `beta` times it.
    pub initial_rtt: Duration,
    /// Minimum timeout.
    pub min_timeout: Duration,
    /// Maximum timeout; at least 1 ms.
    pub max_timeout: Duration,
}

impl Default for GenericParams {
    fn default() -> GenericParams {
        GenericParams {
            window: 5,
            beta: 2.0,
            gain: 0.25,
            clock: Clock::First,
            retransmit: Retransmit::Repair,
            backoff: 2.0,
            initial_rtt: Duration::from_millis(1500),
            min_timeout: Duration::ZERO,
            max_timeout: Duration::from_secs(3600),
        }
    }
}

impl Check for GenericParams {
    fn check(&self) -> Result<(), Wrong> {
        check_timer("initial_rtt", self.initial_rtt, self.min_timeout, self.max_timeout)
    }
}

impl GenericParams {
    /// How the transport serves it.
    pub fn transport(&self) -> Config {
        let averages = Averages {
            gain: self.gain,
            deviation_gain: 0.0,
            means: self.beta,
            deviations: 0.0,
            start: Some(self.initial_rtt),
            backoff: self.backoff,
            most_backoff: Averages::MOST_BACKOFF,
            clock: self.clock,
            every_sample: true,
        };
        let rules = Rules {
            min_timeout: self.min_timeout.max(Duration::from_ps(1)),
            max_timeout: self.max_timeout,
            ..Rules::new(self.retransmit, averages)
        };
        Config::window(rules, Ecn::NotEct)
    }
}

/// A fixed window.
#[derive(Clone, Debug)]
pub struct Generic {
    window: u64,
}

impl Generic {
    /// What it says of itself.
    pub const CARD: Card = Card { main: &["window"], ..Card::of("Demers, Keshav and Shenker 1989, section 3") };

    /// A source.
    pub fn new(params: &GenericParams) -> Generic {
        Generic { window: params.window }
    }
}

impl FlowControl for Generic {
    fn on_ack(&mut self, _: &Ack) {}
    fn on_loss(&mut self, _: &Loss) {}
    #[inline]
    fn allowance(&self) -> Allowance {
        Allowance::window(self.window)
    }
    fn probe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        sink("window", self.window as f64);
    }
}
