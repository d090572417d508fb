//! TCP Prague: DCTCP's response in steps that suit the Internet's paths, paced, with shares that do not depend on short round trips.
//!
//! Source: Linux's `tcp_prague.c` version 0.6 (L4STeam/linux), read for its rules; De Schepper et al., draft-briscoe-iccrg-prague-congestion-control;
//! RFC 9331, section 4.3, for what it has to do.
//! - Packets carry ECT(1), and the sink reports how many were marked (AccECN, RFC 9768).
//! - The window is a number of packets with a fraction. Packets that arrive without a mark open it, in a round trip with marks, too.
//! - Once `transition` round trips have passed since slow start, a flow with a round trip below `virtual_rtt` takes the rate of one with that round trip: it
//!   adds (round trip / `virtual_rtt`)^2 packets a round trip, and reduces and averages at most once in that time.
//! - With `classic_fallback` it takes a classic part of the window where a single queue marks it as if it were Reno (`prague/fallback.rs`); the module has that
//!   switched off, too (prague_ecn_fallback).
//! - Packets are paced: at one window a round trip, at two while the window is below half the threshold, in bursts of at most 0.24 ms.
//!
//! Deviations:
//! - Packets are counted, not bytes, and fractions are not rounded to 2^-20.
//! - The first reduction ends slow start, in which the fraction follows the window. In the module unmarked packets go on opening the window until one is marked.
//! - No reduction takes the fraction below two packets. In the module only the window stays there, and the rate falls without bound where all is marked.
//! - Without ECN it stays what it is. The module becomes Reno, which grows and halves in the same way, but is not paced and depends on round trips.
//!
//! State per flow: window, its fraction, threshold, share of marks, and counts of the round trip; with the fall-back round trips and its score.

mod fallback;

use crate::parts::window::UNKNOWN;
use crate::transport::Config;
use crate::transport::tcp::{AfterIdle, Preset, Rules};
use crate::{Ack, Allowance, FlowControl, Loss, LossKind};
use fallback::Fallback;
use headgate_packet::{Card, Check, Duration, Ecn, Time, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// TCP Prague: DCTCP's response with ECT(1), paced. Its shares do not depend on short round trips.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PragueParams {
    /// Weight of the last round trip in the share of marked packets.
    #[schemars(range(min = 0.0001, max = 1.0))]
    pub gain: f64,
    /// A flow with a shorter round trip takes the rate of one with this; 0 for shares that depend on round trips.
    pub virtual_rtt: Duration,
    /// Round trips after slow start before `virtual_rtt` counts.
    #[schemars(range(min = 0, max = 1_000_000_000))]
    pub transition: u64,
    /// Maximum time at the present rate that a burst stands for; at least one packet is sent.
    pub burst: Duration,
    /// It looks for a queue that marks packets as if for Reno, by the variation and length of delay, and then reduces as much as CUBIC, about.
    pub classic_fallback: bool,
}

impl Default for PragueParams {
    fn default() -> PragueParams {
        PragueParams {
            gain: 1.0 / 16.0,
            virtual_rtt: Duration::from_millis(25),
            transition: 500,
            // 2^-12 s.
            burst: Duration::from_ps(244_140_625),
            classic_fallback: false,
        }
    }
}

impl Check for PragueParams {
    fn check(&self) -> Result<(), Wrong> {
        for (name, time) in [("virtual_rtt", self.virtual_rtt), ("burst", self.burst)] {
            if time > Duration::from_secs(10) {
                return Err(Wrong::at(name, "expected at most 10s".to_owned()).found(&time));
            }
        }
        Ok(())
    }
}

impl PragueParams {
    /// How the transport serves it.
    pub fn transport(&self) -> Config {
        let rules = Preset::Linux.rules();
        Config::tcp(Rules { prr: false, own_window: true, paced: true, ..rules }, Ecn::Ect1)
    }
}

/// A window that falls by the share of marks.
#[derive(Clone, Debug)]
pub struct Prague {
    params: PragueParams,
    /// What may be sent; it follows `exact` by one packet an acknowledgement.
    window: u64,
    exact: f64,
    threshold: u64,
    /// Window, fraction and threshold before the last loss.
    before: (u64, f64, u64),
    alpha: f64,
    saw_mark: bool,
    /// Of the present average: packets that arrived and those with a mark; where it ends; when the last one ended.
    arrived: u64,
    marked: u64,
    end: u64,
    averaged: Time,
    /// Marks that the present acknowledgement reports, when the window was reduced for a mark, and round trips since slow start.
    marks: u64,
    reduced: Option<Time>,
    rounds: u64,
    smoothed: Option<Duration>,
    fallback: Option<Box<Fallback>>,
}

/// Minimum window after a reduction.
const LEAST: u64 = 2;
/// With longer round trips the growth is never scaled.
const LONGEST_SCALED: Duration = Duration::from_millis(100);

impl Prague {
    /// What it says of itself.
    pub const CARD: Card = Card { aliases: &["tcp_prague"], ..Card::of("Linux tcp_prague.c 0.6 (L4STeam); draft-briscoe-iccrg-prague-congestion-control; RFC 9331") };

    /// A source before its first packet.
    pub fn new(params: &PragueParams) -> Prague {
        Prague {
            params: params.clone(),
            window: 1,
            exact: 1.0,
            threshold: UNKNOWN,
            before: (0, 0.0, 0),
            alpha: 1.0,
            saw_mark: false,
            arrived: 0,
            marked: 0,
            end: 0,
            averaged: Time::ZERO,
            marks: 0,
            reduced: None,
            rounds: 0,
            smoothed: None,
            fallback: params.classic_fallback.then(|| Box::new(Fallback::new())),
        }
    }

    /// Whether the round trip of `virtual_rtt` counts (prague_is_rtt_indep).
    fn is_independent(&self) -> bool {
        self.params.virtual_rtt > Duration::ZERO && !self.in_slow_start() && self.rounds >= self.params.transition
    }

    /// Whether as much as a virtual round trip has passed, where it counts.
    fn has_passed(&self, since: Time, now: Time) -> bool {
        !self.is_independent() || now.since(since) >= self.params.virtual_rtt
    }

    /// Packets that a round trip without marks adds (prague_ai_ack_increase).
    fn increase(&self) -> f64 {
        let (rtt, target) = (self.smoothed.unwrap_or(Duration::ZERO), self.params.virtual_rtt);
        if self.rounds < self.params.transition || rtt == Duration::ZERO || rtt >= target || rtt > LONGEST_SCALED {
            return 1.0;
        }
        let part = rtt.as_secs_f64() / target.as_secs_f64();
        part * part
    }

    /// The window that `exact` is on its way to.
    fn due(&self) -> u64 {
        (self.exact.ceil() as u64).max(1)
    }

    /// A part of the window goes.
    fn reduce(&mut self, part: f64) {
        self.exact = (self.exact * (1.0 - part)).max(self.exact.min(LEAST as f64));
        self.threshold = self.due().max(LEAST);
    }

    /// What arrived without a mark opens the window (prague_update_cwnd).
    fn grow(&mut self, ack: &Ack) {
        let mut unmarked = ack.delivered.saturating_sub(self.marks);
        if unmarked > 0 && !ack.repairing && ack.limited {
            if self.in_slow_start() {
                unmarked = unmarked.saturating_sub(ack.held);
                let part = unmarked.min(self.threshold - self.window);
                (self.window, unmarked) = (self.window + part, unmarked - part);
                self.exact = self.exact.max(self.window as f64);
                if unmarked == 0 {
                    return;
                }
            }
            self.exact += unmarked as f64 * self.increase() / self.due() as f64;
        }
        let due = self.due();
        if self.window > due && self.window > LEAST {
            self.window -= 1;
            self.threshold = self.window;
        } else if self.window < due {
            self.window += 1;
        }
    }

    /// Averages the marks of what arrived since the last time (prague_update_alpha).
    fn average(&mut self, ack: &Ack) {
        if ack.cumulative < self.end || !self.has_passed(self.averaged, ack.now) {
            return;
        }
        // Without a mark nothing shows yet that a queue on the path sets them.
        if self.saw_mark {
            let share = (self.marked as f64 / self.arrived.max(1) as f64).min(1.0);
            self.alpha += self.params.gain * (share - self.alpha);
            self.averaged = ack.now;
            self.fallback.iter_mut().for_each(|fallback| fallback.judge());
        }
        (self.arrived, self.marked, self.end) = (0, 0, ack.highest_sent);
        self.rounds += u64::from(!self.in_slow_start());
    }
}

impl FlowControl for Prague {
    fn on_start(&mut self, window: u64) {
        (self.window, self.exact) = (window, window as f64);
    }

    fn on_delivered(&mut self, delivered: u64, marks: u64, _round: bool) {
        (self.arrived, self.marked, self.marks) = (self.arrived + delivered, self.marked + marks, marks);
        self.saw_mark |= marks > 0;
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.fallback.iter_mut().for_each(|fallback| fallback.set_gain(self.threshold));
        match loss.kind {
            LossKind::Mark => {
                if self.reduced.is_some_and(|at| !self.has_passed(at, loss.now)) {
                    return;
                }
                self.reduced = Some(loss.now);
                let least = self.fallback.as_ref().map_or(0.0, |fallback| fallback.share());
                self.reduce(self.alpha.max(least) / 2.0);
            }
            LossKind::DuplicateAcks | LossKind::Probe | LossKind::Timeout => {
                if !loss.again {
                    self.before = (self.window, self.exact, self.threshold);
                    self.reduce(0.5);
                }
                if loss.kind == LossKind::Timeout {
                    self.window = loss.remaining + 1;
                }
            }
        }
    }

    fn on_ack(&mut self, ack: &Ack) {
        self.smoothed = ack.smoothed;
        if let (Some(fallback), Some(rtt)) = (&mut self.fallback, ack.rtt) {
            fallback.sample(rtt);
        }
        self.grow(ack);
        self.average(ack);
    }

    fn on_undo(&mut self) {
        let (window, exact, threshold) = self.before;
        (self.window, self.exact) = (self.window.max(window), self.exact.max(exact));
        self.threshold = self.threshold.max(threshold);
    }

    fn on_idle(&mut self, rule: AfterIdle, initial: u64, timeouts: u64) {
        // The window comes back by one packet an acknowledgement.
        let least = self.window.min(initial);
        self.window = match rule {
            AfterIdle::Initial => least,
            AfterIdle::Halved => (self.window >> timeouts.min(63)).max(least),
        };
    }

    fn end_slow_start(&mut self) -> bool {
        self.threshold = self.threshold.min(self.window);
        true
    }

    fn in_slow_start(&self) -> bool {
        self.window < self.threshold
    }

    fn allowance(&self) -> Allowance {
        let Some(rtt) = self.smoothed else { return Allowance::window(self.window) };
        let factor = if self.window < self.threshold / 2 { 2.0 } else { 1.0 };
        let rate = factor * self.exact / rtt.as_secs_f64().max(1e-9);
        let burst = (rate * self.params.burst.as_secs_f64()).min(65_536.0) as u32;
        Allowance { window: self.window, rate, burst: burst.max(1) }
    }

    fn probe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        sink("window", self.window as f64);
        sink("threshold", if self.threshold == UNKNOWN { f64::NAN } else { self.threshold as f64 });
        sink("alpha", self.alpha);
        if let Some(fallback) = &self.fallback {
            sink("classic", fallback.part());
        }
    }
}

#[cfg(test)]
mod tests;
