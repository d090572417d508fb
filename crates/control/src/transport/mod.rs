//! What every protocol needs and none owns: sequence numbers, round-trip times, loss detection, retransmission.

pub mod line;
mod receiver;
pub mod tcp;

use headgate_packet::check::at_least;
use headgate_packet::{Duration, Ecn, Wrong};
pub use receiver::{Received, Receiver};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Which transmission of a retransmitted packet its round trip is counted from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Clock {
    /// Its first transmission (Demers, Keshav and Shenker 1989, section 3).
    First,
    /// Its last transmission.
    Last,
    /// A retransmitted packet gives no sample (Karn and Partridge 1987), nor does one that was under way when another was sent
    /// again: its acknowledgement waited for that one. BSD stops timing for the same reason.
    Skip,
}

/// What is sent again after a timeout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Retransmit {
    /// The oldest packet not acknowledged; a further loss waits for its own timeout.
    Oldest,
    /// The oldest packet not acknowledged, then, until everything sent before the timeout is acknowledged, with every advance the
    /// one that is oldest then.
    Repair,
    /// Everything from the oldest packet not acknowledged on, as the window allows (go-back-N).
    All,
    /// The packet whose timer ran out: each has its own, with the timeout of when it was sent. A packet that arrived behind
    /// a missing one is sent again too, since nothing acknowledges it.
    Each,
}

impl From<Retransmit> for tcp::Recovery {
    fn from(retransmit: Retransmit) -> tcp::Recovery {
        match retransmit {
            Retransmit::Oldest => tcp::Recovery::Oldest,
            Retransmit::Repair => tcp::Recovery::Repair,
            Retransmit::All => tcp::Recovery::GoBackN,
            Retransmit::Each => tcp::Recovery::Each,
        }
    }
}

/// Which timers run for what was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Timers {
    /// One timer for each packet.
    PerPacket,
    /// One timer for the flow; when it runs out the oldest packet is sent again.
    OnePerFlow,
}

impl From<Timers> for tcp::Recovery {
    fn from(timers: Timers) -> tcp::Recovery {
        match timers {
            Timers::PerPacket => tcp::Recovery::Each,
            Timers::OnePerFlow => tcp::Recovery::Oldest,
        }
    }
}

/// Minimum first timeout, or first round-trip time. Where nothing is known yet of a path of many seconds, a shorter one would send a packet again
/// millions of times.
const LEAST_FIRST: Duration = Duration::from_ps(100_000_000);

/// Minimum of the upper bound of the timeout: within the bound, backed off or not, acknowledgements must be able to arrive.
const LEAST_MOST: Duration = Duration::from_millis(1);

/// The rules of a retransmission timer: what it starts with, under that name, and its bounds.
pub(crate) fn check_timer(name: &str, first: Duration, min: Duration, max: Duration) -> Result<(), Wrong> {
    at_least(name, first, LEAST_FIRST)?;
    at_least("max_timeout", max, LEAST_MOST)?;
    if min > max {
        return Err(Wrong::at("min_timeout", format!("expected at most max_timeout, {max}")).found(&min));
    }
    Ok(())
}

/// How the transport serves a protocol.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// How losses are found and repaired, and the timer.
    pub rules: Arc<tcp::Rules>,
    /// Sends what the workload supplies, at once and once.
    pub open_loop: bool,
    /// What its data packets carry in the ECN field: `NotEct` for a protocol that takes no notice of marks.
    pub ecn: Ecn,
    /// For a source that has its own line.
    pub line: Option<line::Rules>,
}

impl Config {
    /// A protocol with these rules; `ecn` is what data packets carry.
    pub fn new(rules: tcp::Rules, ecn: Ecn) -> Config {
        Config { rules: Arc::new(rules), open_loop: false, ecn, line: None }
    }

    /// A protocol from before 1990, with this recovery and these clocks: whatever is later than it is left out.
    pub fn averages(recovery: impl Into<tcp::Recovery>, averages: tcp::Averages) -> tcp::Rules {
        tcp::Rules {
            recovery: recovery.into(),
            averages: Some(averages),
            limited_transmit: false,
            duplicates: 0,
            receiver_window: u64::MAX,
            initial_window: 1,
            ..tcp::Preset::Rfc.rules()
        }
    }

    /// By the RFCs, with this recovery.
    pub fn rfc(recovery: tcp::Recovery) -> Config {
        Config::new(tcp::Rules { recovery, ..tcp::Preset::Rfc.rules() }, Ecn::NotEct)
    }

    /// A source that sends what the workload supplies, at once and once.
    pub fn open() -> Config {
        Config { open_loop: true, ..Config::rfc(tcp::Recovery::GoBackN) }
    }

    /// Whether a scenario may say how the transport serves it, and what its sink reports: not so of a protocol whose parameters say it.
    pub fn has_options(&self) -> bool {
        !self.open_loop && self.rules.signals()
    }

    /// Whether the source itself chooses when each packet leaves: it has its own line, or a rate. A protocol that reads samples of the delivery
    /// rate sends at a rate that it makes of them.
    pub fn is_paced(&self) -> bool {
        let rules = &self.rules;
        self.line.is_some() || rules.released.is_some() || rules.paced || rules.rate_samples
    }

    /// The same with what a scenario says of it, if it may.
    pub fn with(mut self, options: Option<&tcp::Options>) -> Config {
        if self.has_options()
            && let Some(options) = options
        {
            self.rules = Arc::new(options.rules(&self.rules));
            if let Some(ecn) = options.ecn {
                self.ecn = if ecn { Ecn::Ect0 } else { Ecn::NotEct };
            }
        }
        self
    }
}
