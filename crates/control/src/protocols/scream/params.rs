//! The parameters of SCReAMv2; the draft's names in brackets.

use crate::transport::Config;
use crate::transport::tcp::{Preset, Rules};
use headgate_packet::{Check, Duration, Ecn, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// SCReAMv2: for video that is sent as it is made. It has a reference window by delay, losses and marks, and the bit rate follows from it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ScreamParams {
    /// Packets carry ECT(1), and the share of marks counts; the draft's IS_L4S.
    pub l4s: bool,
    /// The source makes what the target rate says; otherwise everything waits from the start, as in a file.
    pub encoder: bool,
    /// Time in the queue above which half of the window goes; from half of it on the window falls (QDELAY_TARGET_LO).
    pub qdelay_target: Duration,
    /// The same beside flows that fill the buffer (QDELAY_TARGET_HI).
    pub qdelay_target_high: Duration,
    /// The target rises beside flows that fill the buffer.
    pub competes: bool,
    /// Part of the window that a loss leaves.
    #[schemars(range(min = 0.01, max = 1.0))]
    pub beta_loss: f64,
    /// Part of the window that a mark leaves without L4S.
    #[schemars(range(min = 0.01, max = 1.0))]
    pub beta_ecn: f64,
    /// Weight of the last share of marks in its average (L4S_AVG_G).
    #[schemars(range(min = 0.0001, max = 1.0))]
    pub alpha_gain: f64,
    /// Weight of the last time in the queue in its average, where it rises (QDELAY_AVG_G).
    #[schemars(range(min = 0.0001, max = 1.0))]
    pub qdelay_gain: f64,
    /// Part of the window that is added in a round trip long after congestion (MUL_INCREASE_FACTOR).
    #[schemars(range(min = 0.0, max = 1.0))]
    pub increase: f64,
    /// Time after congestion until that part counts in full.
    pub post_congestion_delay: Duration,
    /// On shorter paths the window grows by the square of the ratio; congestion counts at least once in this time.
    pub virtual_rtt: Duration,
    /// Minimum window in packets.
    #[schemars(range(min = 1.0, max = 1000.0))]
    pub min_window: f64,
    /// What may be in flight, in windows (REF_WND_OVERHEAD).
    #[schemars(range(min = 1.0, max = 100.0))]
    pub window_overhead: f64,
    /// The window grows up to this times what was in flight, and a packet (BYTES_IN_FLIGHT_HEAD_ROOM).
    #[schemars(range(min = 1.0, max = 100.0))]
    pub in_flight_headroom: f64,
    /// Rate at which packets leave, in target rates; with `encoder` no more than one.
    #[schemars(range(min = 1.0, max = 100.0))]
    pub pacing_headroom: f64,
    /// Minimum rate in packets a second, before the headroom: 50 kbit/s in packets of 1000 bytes (RATE_PACE_MIN).
    #[schemars(range(min = 0.001, max = 1_000_000.0))]
    pub min_rate: f64,
}

impl Default for ScreamParams {
    fn default() -> ScreamParams {
        ScreamParams {
            l4s: false,
            encoder: true,
            qdelay_target: Duration::from_millis(60),
            qdelay_target_high: Duration::from_millis(400),
            competes: true,
            beta_loss: 0.7,
            beta_ecn: 0.8,
            alpha_gain: 1.0 / 16.0,
            qdelay_gain: 0.25,
            increase: 0.02,
            post_congestion_delay: Duration::from_secs(4),
            virtual_rtt: Duration::from_millis(25),
            min_window: 3.0,
            window_overhead: 1.5,
            in_flight_headroom: 2.0,
            pacing_headroom: 1.5,
            min_rate: 6.25,
        }
    }
}

impl Check for ScreamParams {
    fn check(&self) -> Result<(), Wrong> {
        headgate_packet::check::at_least("qdelay_target", self.qdelay_target, Duration::from_ps(1_000_000))?;
        if self.qdelay_target_high < self.qdelay_target {
            let why = format!("expected at least qdelay_target, {}", self.qdelay_target);
            return Err(Wrong::at("qdelay_target_high", why).found(&self.qdelay_target_high));
        }
        Ok(())
    }
}

impl ScreamParams {
    /// It slows down as the delay of its packets grows.
    pub(crate) fn by_delay(&self) -> bool {
        true
    }

    /// How the transport serves it.
    pub fn transport(&self) -> Config {
        let ecn = if self.l4s { Ecn::Ect1 } else { Ecn::NotEct };
        let initial_window = (self.min_window as u64).max(1);
        Config::tcp(
            Rules { prr: false, own_window: true, paced: true, initial_window, ..Preset::Linux.rules() },
            ecn,
        )
    }
}
