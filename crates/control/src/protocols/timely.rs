//! TIMELY: a rate that follows the gradient of round-trip times between two thresholds.
//!
//! Source: Mittal et al. 2015 (SIGCOMM), section 4 and algorithm 1; the authors' code as eRPC has it (erpc-io/eRPC, `timely.h`); Zhu et al. 2016 (CoNEXT).
//! - Each completion gives a round-trip time. The differences between consecutive ones are averaged, and divided by
//!   the minimum round-trip time they give the gradient.
//! - Below the lower threshold the rate rises by `increase`, above the upper one it falls by `decrease` times the part of the time that is beyond the threshold.
//! - Between them it falls by `decrease` times the gradient, if that is above 0, and else rises by `increase`, after `hyper_after` such completions in a row by
//!   `hyper` times that.
//! - By the authors' code a completion leaves at least half of the rate.
//! - There is no unique rate at which it rests: the queue stays between the thresholds, and the shares of flows depend on how they began.
//!
//! The values are for data centres. Over 10 Mbit/s, 40 ms and four bandwidth-delay products of buffer two flows with these thresholds got 0.09 and 8.9 Mbit/s; with
//! `low = "5ms"` and `high = "50ms"`, several packet times of the line, 4.8 and 5.0.
//!
//! Deviations:
//! - The thresholds count from `path`, which is the least round-trip time that was measured unless it is given. The paper's are absolute, set for its
//!   network: `path = "0s"`.
//! - A completion is a round trip, and its time that of the packet whose acknowledgement ends it. The paper's is that of a segment of 16 to 64 KB, sent as a
//!   burst whose transmission is taken off; the authors' code scales completions that follow each other faster. Here packets are paced one by one.
//! - Completions in a row are counted by the averaged gradient, as algorithm 1 has it. eRPC counts round trips shorter than the one before, which in a noisy queue
//!   are hardly ever five in a row. HPCC's simulator (`rdma-hw.cc`) counts rises of the rate, enlarges those below the lower threshold too, and has no floor
//!   of a half. In all else the three give the same rates.
//! - Switches of the paper's network lose nothing. Here an episode of loss or marks halves the rate, and at most two round trips' worth of packets are out.
//! - The first rate is the initial window in the first round trip. A rate that the source had no data for does not rise.
//!
//! State per flow: the rate, the last and the least round-trip time, the average difference, and a count.

use crate::transport::Config;
use crate::transport::tcp::{AfterIdle, Preset, Rules};
use crate::{Ack, Allowance, FlowControl, Loss};
use headgate_packet::{Card, Check, Duration, Ecn, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// TIMELY: a rate by the gradient of round-trip times. It follows the gradient between two thresholds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TimelyParams {
    /// Delay beyond that of the path below which the rate rises: several packet times of the slowest link.
    pub low: Duration,
    /// Delay beyond that of the path above which the rate falls.
    pub high: Duration,
    /// What both thresholds count from; the least round-trip time measured unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<Duration>,
    /// What differences of round-trip times are divided by; the least one measured unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_rtt: Option<Duration>,
    /// Weight of the last difference in their average.
    #[schemars(range(min = 0.001, max = 1.0))]
    pub weight: f64,
    /// Part of the rate that goes, times the gradient or the part of the delay that is beyond the upper threshold.
    #[schemars(range(min = 0.001, max = 1.0))]
    pub decrease: f64,
    /// Packets a second that a completion adds; 10 Mbit/s of 1500 B are 833.
    #[schemars(range(min = 0.001, max = 1_000_000_000.0))]
    pub increase: f64,
    /// Times that in a steady or falling queue.
    #[schemars(range(min = 1.0, max = 1000.0))]
    pub hyper: f64,
    /// Completions in a row without a rising queue after which that begins.
    #[schemars(range(min = 1, max = 1000))]
    pub hyper_after: u32,
    /// Minimum rate in packets a second.
    #[schemars(range(min = 0.001, max = 1_000_000_000.0))]
    pub min_rate: f64,
    /// Maximum rate in packets a second.
    #[schemars(range(min = 1.0, max = 1_000_000_000.0))]
    pub max_rate: f64,
}

impl Default for TimelyParams {
    fn default() -> TimelyParams {
        let us = |n: u64| Duration::from_ps(n * 1_000_000);
        TimelyParams {
            low: us(50),
            high: us(500),
            path: None,
            min_rtt: None,
            weight: 0.875,
            decrease: 0.8,
            increase: 833.0,
            hyper: 5.0,
            hyper_after: 5,
            min_rate: 10.0,
            max_rate: 1e9,
        }
    }
}

impl Check for TimelyParams {
    fn check(&self) -> Result<(), Wrong> {
        if self.low >= self.high {
            let why = format!("expected more than low, {}", self.low);
            return Err(Wrong::at("high", why).found(&self.high));
        }
        if self.min_rtt == Some(Duration::ZERO) {
            return Err(Wrong::at("min_rtt", "expected more than 0s".to_owned()).found(&Duration::ZERO));
        }
        if self.min_rate > self.max_rate {
            let why = format!("expected at most max_rate, {}", self.max_rate);
            return Err(Wrong::at("min_rate", why).found(&self.min_rate));
        }
        Ok(())
    }
}

impl TimelyParams {
    /// It slows down as the delay of its packets grows.
    pub(crate) fn by_delay(&self) -> bool {
        true
    }

    /// The delay beyond the path's above which it slows down whatever the gradient.
    pub(crate) fn target_delay(&self) -> Option<Duration> {
        Some(self.high)
    }

    /// How the transport serves it.
    pub fn transport(&self) -> Config {
        let rules = Preset::Linux.rules();
        Config::tcp(Rules { prr: false, own_window: true, rate_samples: true, ..rules }, Ecn::NotEct)
    }
}

/// A rate between two thresholds of delay.
#[derive(Clone, Debug)]
pub struct Timely {
    params: TimelyParams,
    initial: u64,
    /// Packets a second, once a round-trip time is known.
    rate: f64,
    smoothed: Duration,
    /// The last and the least round-trip time in picoseconds, once known.
    last: Option<f64>,
    least: f64,
    /// The average difference of round-trip times in picoseconds; completions in a row in which it did not rise.
    difference: f64,
    steady: u32,
    /// The rate before the last loss.
    before: f64,
}

impl Timely {
    /// What it says of itself.
    pub const CARD: Card = Card::of("Mittal et al. 2015");

    /// A source before its first packet.
    pub fn new(params: &TimelyParams) -> Timely {
        Timely {
            params: params.clone(),
            initial: 1,
            rate: f64::INFINITY,
            smoothed: Duration::ZERO,
            last: None,
            least: f64::INFINITY,
            difference: 0.0,
            steady: 0,
            before: 0.0,
        }
    }

    fn set(&mut self, rate: f64) {
        self.rate = rate.clamp(self.params.min_rate, self.params.max_rate);
    }

    /// A completion with this round-trip time in picoseconds (algorithm 1). `grows` says that the source had data for its rate.
    fn complete(&mut self, rtt: f64, grows: bool) {
        let p = &self.params;
        let last = self.last.replace(rtt).unwrap_or(rtt);
        self.difference += p.weight * (rtt - last - self.difference);
        let gradient = self.difference / p.min_rtt.map_or(self.least, |least| least.as_ps() as f64).max(1.0);
        let path = p.path.map_or(self.least, |path| path.as_ps() as f64);
        let [low, high] = [p.low, p.high].map(|beyond| path + beyond.as_ps() as f64);
        self.steady = if gradient <= 0.0 { self.steady.saturating_add(1) } else { 0 };
        let rate = if rtt < low {
            self.rate + p.increase
        } else if rtt > high {
            self.rate * (1.0 - p.decrease * (1.0 - high / rtt))
        } else if gradient <= 0.0 {
            self.rate + p.increase * if self.steady >= p.hyper_after { p.hyper } else { 1.0 }
        } else {
            self.rate * (1.0 - p.decrease * gradient)
        };
        let rate = rate.max(self.rate / 2.0);
        if grows || rate < self.rate {
            self.set(rate);
        }
    }

    /// Packets that the rate makes of a round trip.
    fn held(&self) -> f64 {
        self.rate * self.smoothed.as_secs_f64()
    }
}

impl FlowControl for Timely {
    fn on_start(&mut self, window: u64) {
        self.initial = window;
    }

    fn on_ack(&mut self, ack: &Ack) {
        let Some(rtt) = ack.rtt else { return };
        self.smoothed = ack.smoothed.unwrap_or(rtt);
        let ps = rtt.as_ps() as f64;
        self.least = self.least.min(ps);
        if self.last.is_none() {
            self.set(self.initial as f64 / rtt.as_secs_f64().max(1e-9));
            self.last = Some(ps);
        } else if ack.round {
            self.complete(ps, ack.rate.is_none_or(|rate| !rate.app_limited));
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        if !loss.again {
            self.before = if self.last.is_some() { self.rate } else { 0.0 };
        }
        if self.last.is_some() {
            self.set(self.rate / 2.0);
        }
    }

    fn on_undo(&mut self) {
        if self.last.is_some() {
            self.rate = self.rate.max(self.before);
        }
    }

    fn on_idle(&mut self, _rule: AfterIdle, initial: u64, _timeouts: u64) {
        if self.last.is_some() {
            let first = initial as f64 / self.smoothed.as_secs_f64().max(1e-9);
            self.set(self.rate.min(first));
        }
    }

    fn allowance(&self) -> Allowance {
        if self.last.is_none() {
            return Allowance::window(self.initial);
        }
        let window = (2.0 * self.held()).ceil().max(2.0) as u64;
        Allowance { window, rate: self.rate, burst: 1 }
    }

    fn probe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        sink("window", self.allowance().window as f64);
        sink("rate", if self.last.is_none() { f64::NAN } else { self.rate });
        sink("gradient", self.difference / self.least.max(1.0));
    }
}

#[cfg(test)]
mod tests;
