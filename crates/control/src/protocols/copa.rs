//! Copa: a rate by the time in the queue, which comes to the same for all flows, and a mode for company that fills the buffer.
//!
//! Source: Arun and Balakrishnan 2018, sections 2 and 3; the authors' `genericCC`, read for bounds that the paper leaves open.
//! - The time in the queue is the least round trip of the last half of one, less the least of the last 10 s. The rate that is due is 1 / (delta x that time).
//! - Each acknowledgement moves the window towards it by velocity / (delta x window). The velocity doubles each round trip once the direction has stayed
//!   the same for three, and is 1 again when it changes.
//! - Slow start doubles the window until the rate is above the one that is due. Packets are paced at two windows a round trip.
//! - If the queue was not nearly empty for five round trips, others fill it: then 1 / delta grows by one a round trip and is halved by a loss.
//!
//! Deviations:
//! - Packets are counted, not bytes.
//! - A timeout begins slow start again, from one packet; the paper says nothing of it.
//! - Where the transport has no round trip of an acknowledgement, that of a retransmission, the time stamp gives it.
//! - The window does not grow while it is not in use, falls to two packets at least, and moves by at most itself in a round trip, as the velocity is bounded.
//! - A round trip is that of the transport. While lost packets are repaired it has none, and then a smoothed round trip by the clock is one: a repair may last
//!   for long where others fill the buffer.
//! - The queue is also nearly empty if there is no difference of round trips at all.
//!
//! The rule of modes was compared with `genericCC`, the authors' code (`rtt-window.cc`, `markoviancc.cc`). It asks the same: whether the least round trip lately is within a tenth
//! of the longest one of four smoothed round trips. It looks back four of them where the paper and this file have five. What it does otherwise: the velocity doubles
//! from the second round trip in one direction on, and the direction is that of most steps of a round trip. mvfst has no competitive mode and begins with velocity 1 as soon as the direction turns; TQUIC goes by a tenth of losses in a round trip, and not by the queue.
//!
//! What a loss does: in the default mode nothing, since it is no signal of congestion to Copa and costs the place of a packet in the window alone (the paper's text is recalled); in the
//! competitive mode it halves 1 / delta. So have it `ccp_copa`, the authors' code for Linux's TCP, XQUIC, and mvfst, which has the default mode alone. `genericCC` has one rule more: where more
//! than 30 % of the packets of two round trips were lost, the window falls to 0.7 of itself. After a timeout, or 2 s without an acknowledgement, `ccp_copa` and `genericCC` begin slow start again;
//! mvfst goes on from its minimum window as before. Slow start, and the velocity at its bound, leave twice the window that the path takes. Where an AQM drops all of that and nothing arrives
//! behind it, the next timeout follows, and so on: with RED of 5 and 15 packets a flow fills a tenth of 20 Mbit/s and 40 ms.
//!
//! Where the path holds some tens of packets or fewer, a flow by itself may stay in the competitive mode until losses: the lowest queue of its own cycle is a
//! packet or more, which is not nearly nothing, and grows with 1 / delta. `competes = false` keeps it in the default mode.
//!
//! State per flow: window, velocity, delta, and three lists of round trips.

use crate::transport::Config;
use crate::transport::tcp::{AfterIdle, Preset, Recovery, Rules};
use crate::{Ack, Allowance, FlowControl, Loss, LossKind};
use headgate_packet::{Card, Check, Duration, Ecn, Time, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Copa: a rate by the time in the queue. It has a mode for company that fills the buffer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CopaParams {
    /// 1 / delta packets of each flow stand in the queue, about; its maximum in the competitive mode.
    #[schemars(range(min = 0.001, max = 10.0))]
    pub delta: f64,
    /// Time over which the least round trip is that of the path.
    pub least_rtt_for: Duration,
    /// It switches to the competitive mode where others fill the buffer.
    pub competes: bool,
}

impl Default for CopaParams {
    fn default() -> CopaParams {
        CopaParams { delta: 0.5, least_rtt_for: Duration::from_secs(10), competes: true }
    }
}

impl Check for CopaParams {
    fn check(&self) -> Result<(), Wrong> {
        headgate_packet::check::at_least("least_rtt_for", self.least_rtt_for, Duration::from_millis(1))
    }
}

impl CopaParams {
    /// It slows down as the delay of its packets grows.
    pub(crate) fn by_delay(&self) -> bool {
        true
    }

    /// How the transport serves it.
    pub fn transport(&self) -> Config {
        let rules = Rules { recovery: Recovery::Sack, own_window: true, paced: true, ..Preset::Rfc.rules() };
        Config::tcp(Rules { count_packets: true, ..rules }, Ecn::NotEct)
    }
}

/// Minimum window.
const LEAST: f64 = 2.0;
/// Round trips in one direction before the velocity doubles.
const STEADY: u32 = 3;
/// Round trips over which the longest one counts, and within which the queue has to be nearly empty once.
const LONGEST_OVER: f64 = 4.0;
const EMPTY_WITHIN: f64 = 5.0;
/// Part of the longest time in the queue below which it is nearly empty.
const NEARLY: f64 = 0.1;
/// Parts of a time over which a least one counts that have one sample each.
const PARTS: u64 = 64;

/// The least of the values of some time: only those that are less than all later ones are kept, at most one for each 64th of it.
#[derive(Clone, Debug, Default)]
struct Least(VecDeque<(Time, u64)>);

impl Least {
    /// Takes one in; gives the least of those since `over` before now.
    fn sample(&mut self, value: u64, now: Time, over: Duration) -> u64 {
        while self.0.back().is_some_and(|(_, least)| *least >= value) {
            self.0.pop_back();
        }
        while self.0.front().is_some_and(|(at, _)| now.since(*at) > over) {
            self.0.pop_front();
        }
        if self.0.back().is_none_or(|(at, _)| now.since(*at).as_ps() > over.as_ps() / PARTS) {
            self.0.push_back((now, value));
        }
        self.0.front().map_or(value, |(_, least)| *least)
    }
}

/// A window that follows a rate.
#[derive(Clone, Debug)]
pub struct Copa {
    params: CopaParams,
    window: f64,
    slow_start: bool,
    /// 1 / delta.
    inverse: f64,
    velocity: f64,
    /// The window at the start of the round trip, the direction of the last one, and for how many it has been the same.
    started: f64,
    /// When it began.
    since: Time,
    rises: bool,
    same: u32,
    /// The least round trip of the path, the standing one, and the longest; and the standing one now.
    path: Least,
    standing: Least,
    longest: Least,
    rtt: Option<Duration>,
    /// When the queue was nearly empty last; whether others fill it; whether something was lost in this round trip.
    emptied: Option<Time>,
    competitive: bool,
    lost: bool,
    before: f64,
}

impl Copa {
    /// What it says of itself.
    pub const CARD: Card = Card::of("Arun and Balakrishnan 2018");

    /// A source before its first packet.
    pub fn new(params: &CopaParams) -> Copa {
        Copa {
            params: params.clone(),
            window: 1.0,
            slow_start: true,
            inverse: 1.0 / params.delta,
            velocity: 1.0,
            started: 0.0,
            since: Time::ZERO,
            rises: true,
            same: 0,
            path: Least::default(),
            standing: Least::default(),
            longest: Least::default(),
            rtt: None,
            emptied: None,
            competitive: false,
            lost: false,
            before: 0.0,
        }
    }

    /// A round trip was measured: the time in the queue, in seconds.
    fn measure(&mut self, rtt: Duration, ack: &Ack) -> f64 {
        let (now, smoothed) = (ack.now, ack.smoothed.unwrap_or(rtt));
        let path = self.path.sample(rtt.as_ps(), now, self.params.least_rtt_for);
        let standing = self.standing.sample(rtt.as_ps(), now, smoothed * 0.5);
        let longest = !self.longest.sample(!rtt.as_ps(), now, smoothed * LONGEST_OVER);
        self.rtt = Some(Duration::from_ps(standing));
        let queueing = standing.saturating_sub(path);
        let empty = queueing as f64 <= NEARLY * longest.saturating_sub(path) as f64;
        if empty || self.emptied.is_none() {
            self.emptied = Some(now);
        }
        let since = self.emptied.map_or(Duration::ZERO, |at| now.since(at));
        let competitive = self.params.competes && since > smoothed * EMPTY_WITHIN;
        if competitive != self.competitive {
            (self.competitive, self.inverse) = (competitive, 1.0 / self.params.delta);
        }
        Duration::from_ps(queueing).as_secs_f64()
    }

    /// A round trip ended: velocity and, beside others that fill the buffer, delta.
    fn end_round(&mut self) {
        let rises = self.window > self.started;
        if rises == self.rises {
            self.same += 1;
            if self.same >= STEADY {
                self.velocity *= 2.0;
            }
        } else {
            (self.rises, self.same, self.velocity) = (rises, 0, 1.0);
        }
        // At most the window itself in a round trip.
        self.velocity = self.velocity.min(self.window / self.inverse).max(1.0);
        self.started = self.window;
        if self.competitive && !self.lost {
            self.inverse += 1.0;
        }
        self.lost = false;
    }
}

impl FlowControl for Copa {
    fn on_start(&mut self, window: u64) {
        (self.window, self.started) = (window as f64, window as f64);
    }

    fn on_ack(&mut self, ack: &Ack) {
        // Each acknowledgement counts, those of retransmissions too: the time stamp that it returns tells of which transmission it is.
        let rtt = ack.rtt.unwrap_or_else(|| ack.now.since(ack.sent));
        let queueing = self.measure(rtt, ack);
        let standing = self.rtt.unwrap_or(rtt).as_secs_f64();
        // The rate is at most the one that is due, window / standing <= 1 / (delta x queueing).
        let below = self.window * queueing <= self.inverse * standing;
        if self.slow_start {
            if below {
                self.window += if ack.limited { ack.delivered as f64 } else { 0.0 };
                self.started = self.window;
                return;
            }
            (self.slow_start, self.velocity, self.same, self.rises) = (false, 1.0, 0, false);
        }
        let late = ack.repairing && ack.now.since(self.since) >= ack.smoothed.unwrap_or(rtt);
        if ack.round || late {
            self.since = ack.now;
            self.end_round();
        }
        let step = self.velocity * self.inverse * ack.delivered as f64 / self.window;
        if !below {
            self.window = (self.window - step).max(LEAST);
        } else if ack.limited {
            self.window += step;
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        if self.competitive && !loss.again {
            self.inverse = (self.inverse / 2.0).max(1.0 / self.params.delta);
        }
        self.lost = true;
        if loss.kind == LossKind::Timeout {
            if !loss.again {
                self.before = self.window;
            }
            (self.window, self.slow_start) = ((loss.remaining + 1) as f64, true);
        } else {
            self.before = 0.0;
        }
    }

    fn on_undo(&mut self) {
        self.window = self.window.max(self.before);
    }

    fn on_idle(&mut self, rule: AfterIdle, initial: u64, timeouts: u64) {
        self.window = rule.window(self.window, initial, timeouts);
    }

    fn in_slow_start(&self) -> bool {
        self.slow_start
    }

    fn allowance(&self) -> Allowance {
        let window = self.window as u64;
        let Some(rtt) = self.rtt else { return Allowance::window(window) };
        Allowance { window, rate: 2.0 * self.window / rtt.as_secs_f64().max(1e-9), burst: 1 }
    }

    fn probe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        sink("window", self.window);
        sink("delta", 1.0 / self.inverse);
        sink("velocity", self.velocity);
    }
}

#[cfg(test)]
mod tests;
