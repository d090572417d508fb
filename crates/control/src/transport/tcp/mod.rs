//! TCP's transport, which protocols share: what is lost, when it is sent again, and what acknowledgements report.
//!
//! A protocol says only how large window and rate are. How loss is found and repaired is a choice among [`Recovery`] and its
//! options, the same for all protocols. The files of the parts give their sources.

mod accecn;
mod ecn;
mod gso;
mod options;
mod prr;
mod rate;
mod round_trips;
mod sender;
mod sink;
pub mod steps;
mod undo;

use super::ranges::Ranges;
pub use accecn::Accurate;
pub use ecn::EcnMode;
pub(crate) use ecn::{agreed, codepoint};
pub(crate) use gso::PATIENCE;
pub use gso::{Gso, GsoParams, Trains};
use headgate_packet::Duration;
pub use options::{Options, Preset, Recovery};
pub use rate::{RateSample, Sent};
pub use round_trips::RoundTrips;
use schemars::JsonSchema;
pub use sender::{Progress, Quiet, Sender};
use serde::{Deserialize, Serialize};
pub use sink::{Answer, Echo, EcnEcho, Plain, Policy, ReaderParams, Sink};

/// How the timeout is estimated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Estimate {
    /// Mean and four mean deviations (RFC 6298).
    Rfc6298,
    /// Mean and the greatest deviation of a round trip, as Linux has it.
    Kernel,
    /// Mean and four mean deviations in whole ticks of 0.1 s, as ns-2 had it until 2002.
    Ns2,
}

/// How a spurious retransmission is detected and its reduction undone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Undo {
    /// Not at all.
    None,
    /// A timeout, when packets are acknowledged next that were not sent again (F-RTO, RFC 5682).
    FRto,
    /// Every one, when an acknowledgement reports a packet sent before the retransmission (Eifel, RFC 3522): needs time stamps.
    Eifel,
}

/// How far a window grows that is not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Growth {
    /// It grows while it keeps the source from sending, and in slow start up to twice the most packets out in the present window of data (Linux).
    Used,
    /// It grows up to what the most packets out since the last cut could make of it: twice them in slow start, one more later
    /// (draft-ietf-ccwg-ratelimited-increase).
    Bounded,
}

/// What ends the first slow start beside a loss or a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SlowStart {
    /// Nothing.
    Standard,
    /// Round trips that grow: the window then grows at a quarter of the speed for five of them, which may show that it was a mistake (RFC 9406).
    HystartPlusPlus,
    /// In 3.5 round trips less than 0.74 of what was sent a round trip before was delivered (SEARCH, draft-chung-ccwg-search).
    Search,
}

/// What happens to a window after an idle time longer than the timeout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterIdle {
    /// It is the initial one again, if it was larger (RFC 5681, section 4.1).
    Initial,
    /// It is halved for each timeout that passed, down to the initial one, with a threshold of three quarters (Linux).
    Halved,
}

impl AfterIdle {
    /// What is left of a window in packets that may be fractions, after an idle time of this many timeouts.
    pub fn window(self, window: f64, initial: u64, timeouts: u64) -> f64 {
        let least = window.min(initial as f64);
        match self {
            AfterIdle::Initial => least,
            AfterIdle::Halved => (window * libm::exp2(-(timeouts.min(63) as f64))).max(least),
        }
    }
}

/// The rules that a sender follows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rules {
    /// How losses are found and repaired.
    pub recovery: Recovery,
    /// The window falls in step with what is delivered (PRR, RFC 9937); else at once.
    pub prr: bool,
    /// The first two duplicate acknowledgements release a new packet each (RFC 3042).
    pub limited_transmit: bool,
    /// A probe is sent when the tail of what was sent is not acknowledged (TLP, RFC 8985, section 7); with `rack` only.
    pub tail_probe: bool,
    /// How spurious reductions are undone.
    pub undo: Undo,
    /// Duplicate acknowledgements that mean a loss; 0 to leave losses to the timer.
    pub duplicates: u32,
    /// Maximum number of packets that the receiver accepts beyond the oldest one not acknowledged.
    pub receiver_window: u64,
    /// The window at the start, in packets.
    pub initial_window: u64,
    /// What an idle time leaves of the window.
    pub after_idle: AfterIdle,
    /// What ends the first slow start; up to the protocol if not given.
    pub slow_start: Option<SlowStart>,
    /// Part of the window that a mark leaves (ABE, RFC 8511); up to the protocol if not given.
    pub beta_ecn: Option<f64>,
    /// Packets are sent at the window's rate, not in bursts.
    pub paced: bool,
    /// A paced source sends trains.
    pub gso: Option<Trains>,
    /// How the timeout is estimated.
    pub estimate: Estimate,
    /// A packet whose fine timer has run out is sent again at the first duplicate, and after a retransmission at the first acknowledgements
    /// (Vegas); without blocks only.
    pub early: bool,
    /// Timeout before the first round trip is known.
    pub initial_timeout: Duration,
    /// Minimum timeout.
    pub min_timeout: Duration,
    /// Maximum timeout.
    pub max_timeout: Duration,
    /// Timers run out at multiples of this; 0 for exact ones.
    pub tick: Duration,
    /// How far a window grows that is not used.
    pub growth: Growth,
    /// Growth counts packets that were acknowledged, not acknowledgements.
    pub count_packets: bool,
    /// What Linux does otherwise than RFC 5681: a timeout within an episode does not lower the threshold again (section 4.3 wants two cuts), and
    /// a cut is a share of the window, even above the receiver's. Its time stamps give a round trip where only what went again is acknowledged.
    pub as_linux: bool,
    /// The protocol sets its window in recovery, too: PRR is not for it, whatever the preset says.
    pub own_window: bool,
    /// The protocol reads samples of the delivery rate.
    pub rate_samples: bool,
}
