//! The parameters of packet-pair.

use crate::transport::basic::{Acks, Averages, Rules};
use crate::transport::{Clock, Config, Timers, Way, check_timer};
use headgate_packet::{Check, Duration, Ecn, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// How the round trip without queueing is estimated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RoundTrip {
    /// The measured round trip less the packets wanted in the queue times the spacing.
    AsPrinted,
    /// The round trip of the first pair, not measured again, as in chapter 5.
    FirstProbe,
    /// The minimum measured.
    Least,
    /// The measured one less the waiting in queues, which gateways write into packets.
    QueueEcho,
}

/// How long a skipped slot lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Slot {
    /// Two spacings, the time of the two packets that are not sent.
    Pair,
    /// One spacing.
    AsPrinted,
}

/// Packet-pair: a rate by the spacing of pairs of packets. It sends a pair of packets for each two service times of the bottleneck, corrected by what
/// pairs measure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PacketPairParams {
    /// Packets to keep in the bottleneck's queue: more of them for less lost bandwidth, fewer for less delay.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub setpoint: u64,
    /// If above zero, the set-point is this share of the pipeline depth that the first pair measured instead.
    #[schemars(range(min = 0.0, max = 10.0))]
    pub setpoint_share: f64,
    /// How the round trip without queueing is estimated.
    pub round_trip: RoundTrip,
    /// How long a skipped slot lasts.
    pub slot: Slot,
    /// Smallest change of the pipeline depth that counts, in packets; 0 as printed.
    #[schemars(range(min = 0.0, max = 1000.0))]
    pub deadband: f64,
    /// Keeps the fraction of a packet that a burst leaves over for the next one.
    pub carry: bool,
    /// A burst first cancels slots that are still to be skipped.
    pub cancel_skips: bool,
    /// Maximum number of packets outstanding; the thesis sets no bound in chapter 4.
    #[schemars(range(min = 2, max = 1_000_000_000))]
    pub window: u64,
    /// The timeout is this many times the last round-trip time.
    #[schemars(range(min = 1.0, max = 1000.0))]
    pub timeout: f64,
    /// Which timers run for what was sent.
    pub timers: Timers,
    /// Pairs with packets that are sent again measure too; those of the thesis are two new packets.
    pub probe_again: bool,
    /// Timeout until the first round-trip time.
    pub initial_timeout: Duration,
    /// Minimum timeout; the thesis has none.
    pub min_timeout: Duration,
    /// Maximum timeout; at least 1 ms.
    pub max_timeout: Duration,
}

impl Default for PacketPairParams {
    fn default() -> PacketPairParams {
        PacketPairParams {
            setpoint: 5,
            setpoint_share: 0.0,
            round_trip: RoundTrip::FirstProbe,
            slot: Slot::Pair,
            deadband: 0.5,
            carry: false,
            cancel_skips: false,
            window: 1000,
            timeout: 3.0,
            timers: Timers::PerPacket,
            probe_again: false,
            initial_timeout: Duration::from_secs(3),
            min_timeout: Duration::ZERO,
            max_timeout: Duration::from_secs(3600),
        }
    }
}

impl Check for PacketPairParams {
    fn check(&self) -> Result<(), Wrong> {
        check_timer("initial_timeout", self.initial_timeout, self.min_timeout, self.max_timeout)
    }
}

/// The transport of rate-based protocols: `means` times the last round-trip time for each packet, doubled at each timeout.
pub(crate) fn transport(
    means: f64,
    timers: Timers,
    probe_again: bool,
    initial: Duration,
    min_timeout: Duration,
    max_timeout: Duration,
) -> Config {
    let averages = Averages {
        gain: 1.0,
        deviation_gain: 0.0,
        means,
        deviations: 0.0,
        start: None,
        backoff: 2.0,
        most_backoff: Averages::MOST_BACKOFF,
        clock: Clock::First,
        every_sample: true,
    };
    let rules = Rules {
        initial_timeout: initial,
        // A timer runs for some time at least.
        min_timeout: min_timeout.max(Duration::from_ps(1)),
        max_timeout,
        acks: Acks::Named { probe_again },
        ..Rules::new(timers, averages)
    };
    Config { way: Way::Release(Arc::new(rules)), ecn: Ecn::NotEct }
}

impl PacketPairParams {
    /// How the transport serves it.
    pub fn transport(&self) -> Config {
        transport(self.timeout, self.timers, self.probe_again, self.initial_timeout, self.min_timeout, self.max_timeout)
    }
}
