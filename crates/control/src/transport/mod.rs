//! What every protocol needs and none owns: sequence numbers, round-trip times, loss detection, retransmission.

pub mod line;
mod pairs;
mod receiver;
mod rtt;
mod sender;
mod slow_start;
pub mod tcp;
mod timers;

use headgate_packet::check::at_least;
use headgate_packet::{Duration, Ecn, Wrong};
pub use line::LineSender;
pub use pairs::{PairProgress, PairSender};
pub use receiver::{Received, Receiver};
pub use rtt::Estimator;
use schemars::JsonSchema;
pub use sender::Sender;
use serde::{Deserialize, Serialize};
pub use slow_start::SlowStart;

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
    /// The packet whose timer ran out: each has one of its own, with the timeout of when it was sent. A packet that arrived behind
    /// a missing one is sent again too, since nothing acknowledges it.
    Each,
}

/// Where the round-trip estimate starts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Initial {
    /// The average starts from this round-trip time and takes in every sample with its weight.
    Mean(Duration),
    /// This is the timeout until the first sample, which sets the mean, and the deviation to half of it.
    Timeout(Duration),
}

/// Who keeps the time of what was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Timers {
    /// One timer for each packet.
    PerPacket,
    /// One timer for the flow; when it runs out the oldest packet is sent again.
    OnePerFlow,
}

/// Least first timeout, or first round-trip time. Where nothing is known yet of a way of many seconds, a shorter one would send a packet again
/// millions of times.
const LEAST_FIRST: Duration = Duration::from_ps(100_000_000);

/// Least upper bound of the timeout: what bounds it, backed off or not, must let acknowledgements come.
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

/// What the transport of a protocol that sends at times of its own is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pacing {
    /// Who keeps the time of what was sent.
    pub timers: Timers,
    /// Pairs with packets that are sent again measure too.
    pub probe_again: bool,
}

impl Config {
    /// TCP's transport with these rules; `ecn` is what data packets carry.
    pub fn tcp(rules: tcp::Rules, ecn: Ecn) -> Config {
        Config { tcp: Some(rules), ecn, ..Config::default() }
    }

    /// The same with what a scenario says of it, if it is TCP's.
    pub fn with(mut self, options: Option<&tcp::Options>) -> Config {
        if let (Some(rules), Some(options)) = (&mut self.tcp, options) {
            *rules = options.rules(rules);
            if let Some(ecn) = options.ecn {
                self.ecn = if ecn { Ecn::Ect0 } else { Ecn::NotEct };
            }
        }
        self
    }

    /// TCP's transport by the RFCs, with this recovery.
    pub fn rfc(recovery: tcp::Recovery) -> Config {
        Config::tcp(tcp::Rules { recovery, ..tcp::Preset::Rfc.rules() }, Ecn::NotEct)
    }
}

/// How the transport serves a protocol.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Config {
    /// Weight of a new sample in the mean round-trip time.
    pub gain: f64,
    /// Weight of a new sample in the mean deviation.
    pub deviation_gain: f64,
    /// The timeout is `means` times the mean plus `deviations` times the mean deviation ...
    pub means: f64,
    /// ... see `means`.
    pub deviations: f64,
    /// Where the estimate starts.
    pub initial: Initial,
    /// Least timeout.
    pub min_timeout: Duration,
    /// Greatest timeout, backed off or not.
    pub max_timeout: Duration,
    /// Factor of the timeout after each timeout in a row.
    pub backoff: f64,
    /// Which transmission a round trip is counted from.
    pub clock: Clock,
    /// Every acknowledged packet gives the estimate a sample; else the newest one that an acknowledgement covers.
    pub every_sample: bool,
    /// What a timeout sends again.
    pub retransmit: Retransmit,
    /// Duplicate acknowledgements that mean a loss; `None` for timeouts only.
    pub duplicates: Option<u32>,
    /// For a protocol that lets packets go at times of its own ([`PairSender`]); `None` for one with a window ([`Sender`]).
    pub paced: Option<Pacing>,
    /// Sends what the workload supplies, at once and once.
    pub open_loop: bool,
    /// What its data packets carry in the ECN field: `NotEct` for a protocol that takes no notice of marks.
    pub ecn: Ecn,
    /// The rules of [`LineSender`], for a source with a line of its own.
    pub line: Option<line::Rules>,
    /// The rules of [`tcp::Sender`], for a protocol that it serves; the fields above are not for it, but for `ecn`.
    pub tcp: Option<tcp::Rules>,
}

/// No timer and no estimate: a protocol says what it wants of them.
impl Default for Config {
    fn default() -> Config {
        Config {
            gain: 0.0,
            deviation_gain: 0.0,
            means: 0.0,
            deviations: 0.0,
            initial: Initial::Timeout(Duration::ZERO),
            min_timeout: Duration::ZERO,
            max_timeout: Duration::ZERO,
            backoff: 1.0,
            clock: Clock::Last,
            every_sample: false,
            retransmit: Retransmit::Oldest,
            duplicates: None,
            paced: None,
            open_loop: false,
            ecn: Ecn::NotEct,
            line: None,
            tcp: None,
        }
    }
}
