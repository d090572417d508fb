//! Swift: a window, which may be less than a packet, that keeps the round-trip time near a target.
//!
//! Source: Kumar et al. 2020 (SIGCOMM), sections 3.1 to 3.5 and algorithm 1. Values that the paper does not print are those of htsim's `swift.cpp`
//! (Broadcom/csg-htsim), which marks them as guesses: target, ranges, increase, decrease, resets.
//! - Below the target each packet that arrives adds `increase` / window, or `increase` to a window below one packet. At or above it the window falls, at most
//!   once in a round trip, by `decrease` times the part of the delay that is beyond the target, and by `largest_cut` at most.
//! - The target grows with the number of hops, and as the window falls: by a / sqrt(window) + b, from 0 at `most_scaled` to `scaling` at `least_scaled`
//!   packets. So flows whose windows are small, because there are many of them, may hold a longer queue.
//! - A loss, or a timeout, cuts by `largest_cut`, at most once in a round trip; the `resets_after`th timeout in a row leaves the minimum window.
//! - With a window below one packet, the next packet waits for a round trip divided by the window.
//!
//! The values are for data centres, where a packet takes a microsecond: on a line of 10 Mbit/s, where it takes one of a millisecond, any packet that waits for another one is beyond the
//! target, and two flows use 2 % of the line over 40 ms. There `base_target` has to be several packet times: 5 ms uses all of it.
//!
//! Deviations:
//! - The window of the fabric alone: hosts have no delay here, so that the window of the end points would never be the smaller one.
//! - The target counts from `path`, which is the least round-trip time that was measured unless it is given. The paper's targets are absolute, set for the
//!   lengths of one operator's networks: `path = "0s"`. A flow that measures, and that starts while others hold a queue, takes that queue for a part of the path.
//! - Packets are counted, not bytes, and the round-trip time is that of the packet acknowledged, which Swift's time stamps give. Where the transport has none, that
//!   of a retransmission, it is the time since that packet was sent for the last time.
//! - A window of one packet or more does not grow while it is not in use; only its whole packets are sent.
//! - The time of the last cut is that of the last real cut. Algorithm 1, read literally, renews it whenever the window does not grow, and then a queue that
//!   stays above the target would never be answered again.
//! - Two cuts are the last round-trip time apart, as algorithm 1 has it; htsim takes the smoothed one. A loss cuts when it is found; with htsim when it is repaired.
//! - A mark counts as a loss. A loss that turns out to be spurious is taken back, and after an idle time the window is at most the initial one.
//!
//! State per flow: the window, the least and the last round-trip time, the time of the last cut, and a count of timeouts.

use crate::transport::Config;
use crate::transport::tcp::{AfterIdle, Preset, Rules};
use crate::{Ack, Allowance, FlowControl, Loss, LossKind};
use headgate_packet::{Card, Check, Duration, Ecn, Time, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Swift: a window that keeps round trips near a target. The window may be less than a packet, and the target is a round-trip time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SwiftParams {
    /// Delay beyond that of the path which the flow aims at, without hops and scaling: several packet times of the slowest link, such as 5 ms on an Internet path.
    pub base_target: Duration,
    /// Round-trip time of the path without a queue; the least one measured unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<Duration>,
    /// Hops of the path for which the target is raised.
    #[schemars(range(min = 0, max = 255))]
    pub hops: u32,
    /// What each of them adds to the target.
    pub per_hop: Duration,
    /// What a small window adds to the target at most.
    pub scaling: Duration,
    /// Window in packets at and below which it adds that.
    #[schemars(range(min = 0.0001, max = 1000.0))]
    pub least_scaled: f64,
    /// Window in packets at and above which it adds nothing.
    #[schemars(range(min = 0.001, max = 1_000_000.0))]
    pub most_scaled: f64,
    /// Packets by which a round trip below the target opens the window.
    #[schemars(range(min = 0.001, max = 1000.0))]
    pub increase: f64,
    /// Part of the window that goes, times the part of the delay that is beyond the target.
    #[schemars(range(min = 0.001, max = 1.0))]
    pub decrease: f64,
    /// Maximum part of the window that goes at once, and what goes at a loss.
    #[schemars(range(min = 0.01, max = 0.99))]
    pub largest_cut: f64,
    /// Minimum window in packets.
    #[schemars(range(min = 0.0001, max = 1.0))]
    pub min_window: f64,
    /// Maximum window in packets.
    #[schemars(range(min = 1.0, max = 1_000_000_000.0))]
    pub max_window: f64,
    /// Timeouts in a row that leave the minimum window.
    #[schemars(range(min = 1, max = 1000))]
    pub resets_after: u32,
}

impl Default for SwiftParams {
    fn default() -> SwiftParams {
        let us = |n: u64| Duration::from_ps(n * 1_000_000);
        SwiftParams {
            base_target: us(20),
            path: None,
            hops: 0,
            per_hop: us(3),
            scaling: us(100),
            least_scaled: 0.1,
            most_scaled: 100.0,
            increase: 1.0,
            decrease: 0.8,
            largest_cut: 0.5,
            min_window: 0.01,
            max_window: 100_000.0,
            resets_after: 5,
        }
    }
}

impl Check for SwiftParams {
    fn check(&self) -> Result<(), Wrong> {
        if self.base_target == Duration::ZERO {
            return Err(Wrong::at("base_target", "expected more than 0s".to_owned()).found(&self.base_target));
        }
        if self.most_scaled <= self.least_scaled {
            let why = format!("expected more than least_scaled, {}", self.least_scaled);
            return Err(Wrong::at("most_scaled", why).found(&self.most_scaled));
        }
        Ok(())
    }
}

impl SwiftParams {
    /// It slows down as the delay of its packets grows.
    pub(crate) fn by_delay(&self) -> bool {
        true
    }

    /// How the transport serves it.
    pub fn transport(&self) -> Config {
        Config::tcp(Rules { prr: false, own_window: true, ..Preset::Linux.rules() }, Ecn::NotEct)
    }

    /// The greatest target, beyond the delay of the path.
    pub(crate) fn target_delay(&self) -> Option<Duration> {
        Some(self.base_target + self.scaling + Duration::from_ps(u64::from(self.hops) * self.per_hop.as_ps()))
    }

    /// Picoseconds that a window adds to the target (section 3.5).
    fn scaled(&self, window: f64) -> f64 {
        let range = self.scaling.as_ps() as f64;
        let inverse = |window: f64| 1.0 / window.sqrt();
        let a = range / (inverse(self.least_scaled) - inverse(self.most_scaled));
        let b = -a * inverse(self.most_scaled);
        (a * inverse(window) + b).min(range).max(0.0)
    }
}

/// A window that falls as the delay goes beyond a target.
#[derive(Clone, Debug)]
pub struct Swift {
    params: SwiftParams,
    window: f64,
    /// The least round-trip time and the last one.
    least: Option<Duration>,
    rtt: Duration,
    /// When the window was cut last, and timeouts in a row.
    cut: Option<Time>,
    timeouts: u32,
    /// The window before the last loss.
    before: f64,
}

impl Swift {
    /// What it says of itself.
    pub const CARD: Card = Card::of("Kumar et al. 2020; values of htsim's swift.cpp");

    /// A source before its first packet.
    pub fn new(params: &SwiftParams) -> Swift {
        Swift {
            params: params.clone(),
            window: 1.0,
            least: None,
            rtt: Duration::ZERO,
            cut: None,
            timeouts: 0,
            before: 0.0,
        }
    }

    /// The round-trip time that it aims at, in picoseconds.
    fn target(&self) -> f64 {
        let p = &self.params;
        let path = p.path.or(self.least).unwrap_or(Duration::ZERO).as_ps() as f64;
        path + p.base_target.as_ps() as f64
            + f64::from(p.hops) * p.per_hop.as_ps() as f64
            + p.scaled(self.window)
    }

    /// Part of the window that is left at this delay, in picoseconds.
    fn left(&self, delay: f64) -> f64 {
        let beyond = (delay - self.target()) / delay.max(1.0);
        (1.0 - self.params.decrease * beyond).max(1.0 - self.params.largest_cut)
    }

    /// The window is this part of itself, if the last cut was a round trip ago.
    fn reduce(&mut self, left: f64, now: Time) {
        if self.cut.is_none_or(|at| now.since(at) >= self.rtt) {
            self.set(self.window * left, now);
        }
    }

    fn set(&mut self, window: f64, now: Time) {
        let window = window.clamp(self.params.min_window, self.params.max_window);
        if window < self.window {
            self.cut = Some(now);
        }
        self.window = window;
    }
}

impl FlowControl for Swift {
    fn on_start(&mut self, window: u64) {
        self.window = (window as f64).min(self.params.max_window);
    }

    fn on_ack(&mut self, ack: &Ack) {
        if ack.delivered > 0 {
            self.timeouts = 0;
        }
        // Each acknowledgement counts, those of retransmissions too: at the minimum window nothing else arrives.
        let rtt = ack.rtt.unwrap_or_else(|| ack.now.since(ack.sent));
        self.rtt = rtt;
        self.least = Some(self.least.map_or(rtt, |least| least.min(rtt)));
        let delay = rtt.as_ps() as f64;
        if delay >= self.target() {
            return self.reduce(self.left(delay), ack.now);
        }
        if self.window < 1.0 {
            self.set(self.window + self.params.increase * ack.delivered as f64, ack.now);
        } else if ack.limited {
            self.set(self.window + self.params.increase * ack.delivered as f64 / self.window, ack.now);
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        if !loss.again {
            self.before = self.window;
        }
        let timeout = loss.kind == LossKind::Timeout;
        self.timeouts = if timeout { self.timeouts.saturating_add(1) } else { 0 };
        if timeout && self.timeouts >= self.params.resets_after {
            self.set(self.params.min_window, loss.now);
        } else {
            self.reduce(1.0 - self.params.largest_cut, loss.now);
        }
    }

    fn on_undo(&mut self) {
        self.window = self.window.max(self.before);
    }

    fn on_idle(&mut self, _rule: AfterIdle, initial: u64, _timeouts: u64) {
        self.window = self.window.min(initial as f64);
    }

    fn allowance(&self) -> Allowance {
        if self.window >= 1.0 {
            return Allowance::window(self.window as u64);
        }
        Allowance { window: 1, rate: self.window / self.rtt.as_secs_f64().max(1e-9), burst: 1 }
    }

    fn probe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        sink("window", self.window);
        sink("target_rtt", self.target() / 1e12);
    }
}

#[cfg(test)]
mod tests;
