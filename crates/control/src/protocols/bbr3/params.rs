//! The parameters of BBR version 3.
//!
//! Source: draft-ietf-ccwg-bbr, "Core Algorithm Design Parameters" and the sections after it.

use crate::transport::Config;
use crate::transport::tcp::{Preset, Rules};
use headgate_packet::{Check, Duration, Ecn, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// BBR version 3: sends at the rate that the path delivered. It probes for more now and then, and keeps what is in flight below where losses began.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Bbr3Params {
    /// Gain of the rate while BBR searches for it: 4 ln 2 doubles what is delivered in a round trip.
    #[schemars(range(min = 1.1, max = 10.0))]
    pub startup_gain: f64,
    /// Gain of the rate while the queue of start-up drains.
    #[schemars(range(min = 0.1, max = 0.95))]
    pub drain_gain: f64,
    /// Gain of the window; a quarter more while BBR probes for bandwidth.
    #[schemars(range(min = 1.0, max = 10.0))]
    pub window_gain: f64,
    /// Share of packets lost in a round trip above which a probe for bandwidth was too much.
    #[schemars(range(min = 0.0, max = 0.5))]
    pub loss_threshold: f64,
    /// Share of rate and window that a round trip with losses leaves at least.
    #[schemars(range(min = 0.1, max = 1.0))]
    pub beta: f64,
    /// Share of the packets in flight at which losses began that is left free for others.
    #[schemars(range(min = 0.0, max = 0.9))]
    pub headroom: f64,
    /// Time over which the minimum round trip counts.
    pub least_rtt_for: Duration,
    /// Time without a shorter round trip after which it is measured with a small window.
    pub probe_rtt_every: Duration,
    /// Time for which the window is small then.
    pub probe_rtt_for: Duration,
    /// Time between two probes for bandwidth at least; chance adds up to half of it.
    pub probe_wait: Duration,
    /// Round trips between two probes at most, fewer if fewer packets fill the path: a window of Reno would have grown by as many packets.
    #[schemars(range(min = 1, max = 1000))]
    pub reno_rounds: u64,
    /// Bits of a packet for the send quantum, which is at most 64 KB.
    #[schemars(range(min = 100, max = 1_000_000))]
    pub packet_bits: u64,
    /// Send quanta that the window leaves room for at least: 3 for TCP, 1 for QUIC.
    #[schemars(range(min = 0, max = 10))]
    pub quanta: u32,
}

impl Default for Bbr3Params {
    fn default() -> Bbr3Params {
        Bbr3Params {
            startup_gain: 2.77,
            drain_gain: 0.5,
            window_gain: 2.0,
            loss_threshold: 0.02,
            beta: 0.7,
            headroom: 0.15,
            least_rtt_for: Duration::from_secs(10),
            probe_rtt_every: Duration::from_secs(5),
            probe_rtt_for: Duration::from_millis(200),
            probe_wait: Duration::from_secs(2),
            reno_rounds: 63,
            packet_bits: 8 * 1448,
            quanta: 3,
        }
    }
}

impl Check for Bbr3Params {
    fn check(&self) -> Result<(), Wrong> {
        for (name, time) in [
            ("least_rtt_for", self.least_rtt_for),
            ("probe_rtt_every", self.probe_rtt_every),
            ("probe_rtt_for", self.probe_rtt_for),
            ("probe_wait", self.probe_wait),
        ] {
            headgate_packet::check::at_least(name, time, Duration::from_millis(1))?;
        }
        Ok(())
    }
}

impl Bbr3Params {
    /// Whether it makes use of the random stream of its flow.
    pub(crate) fn takes_chances(&self) -> bool {
        true
    }

    /// How the transport serves it.
    pub fn transport(&self) -> Config {
        Config::tcp(Rules { prr: false, own_window: true, rate_samples: true, ..Preset::Linux.rules() }, Ecn::NotEct)
    }
}
