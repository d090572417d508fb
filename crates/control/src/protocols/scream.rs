//! SCReAMv2: for video that is sent as it is made: a reference window by delay, losses and marks, and the bit rate that follows from it.
//!
//! Source: Johansson and Westerlund, draft-johansson-ccwg-rfc8298bis-screamv2, "Self-Clocked Rate Adaptation for Multimedia", as of March 2025. Its state variables have
//! their names here without `_t`. What it leaves open is as in the authors' program (EricssonResearch/scream, read for facts), and stands below.
//! - Congestion is a loss, a mark, or a time in the queue above half of `qdelay_target`; it counts once in the lesser of `virtual_rtt` and the round trip. A loss leaves
//!   `beta_loss` of the window, a mark `beta_ecn`, or, with `l4s`, all but half of the average share of marks.
//! - The delay is as marks: their share goes from 0 at half of the target to 1 at the target, by an average that falls at once. It does not count where L4S marks.
//! - What arrives without a mark adds a packet a round trip, less near the window at which congestion was last, and less on paths shorter than `virtual_rtt`. The increase
//!   is multiplied by 1 + `increase` x window, for which it takes up to `post_congestion_delay` after congestion.
//! - The target rate is a window a round trip, less where more is in flight than the window or where that is a few packets.
//! - `window_overhead` of the window may be in flight, paced at `pacing_headroom` of the target rate.
//! - Beside flows that fill the buffer the target of the delay rises, up to `qdelay_target_high` (section 4.4; `scream/target.rs`).
//!
//! Deviations:
//! - There are no frames: the percentile of their sizes is 1, and no encoder has a lowest or highest rate, nor errors. One stream.
//! - With `encoder` the source is one that makes exactly the target rate, so that the headroom of pacing is never used. Without it everything waits already, as in a file.
//! - Packets are counted, not bytes: the draft's 1000 bytes are one. What was lost and is sent again counts once, when it arrives; in flight is what is not known to be lost.
//! - The transport repairs losses, and its timer shows those without feedback: such a loss counts as others do. An idle time leaves the window.
//! - Each acknowledgement updates the window. The draft has reports of several packets.
//! - One-way delays as RFC 6817 has them, with a base of ten minutes and no filter; clocks do not drift.
//! - L4S counts as active for 5 s after a mark; the draft says only that packets are marked. Before the first congestion its last time counts as long ago.
//! - Left open: 0.9 and 1.5 bound how much is in flight before the rate is less, the delays for the target are taken every 50 ms, and a round trip weighs 0.02 in the rate of losses.
//! - The inflection point, of which the draft begins with one byte, is not there before the first congestion: it does not slow the increase.
//!
//! State per flow: window, its inflection point, averages of marks and delay, times of their last updates, what was in flight in two round trips, base delays, and with
//! `competes` the last 200 delays.

mod params;
mod target;

use crate::parts::base_delay::BaseDelay;
use crate::{Ack, Allowance, FlowControl, Loss, LossKind};
use headgate_packet::{Card, Duration, Time};
pub use params::ScreamParams;
use target::Target;

/// The average share of marks is renewed no more often than this, or than once in a round trip.
const ALPHA_EVERY: Duration = Duration::from_millis(10);
/// The inflection point moves no more often than this.
const INFLECTION_EVERY: Duration = Duration::from_millis(250);
/// Without congestion for longer than this the window may be far above what is in flight; and L4S is no longer active.
const LONG: Duration = Duration::from_secs(5);
/// After such a time a mark takes at least this part, and is averaged as this share.
const LONG_BACKOFF: f64 = 0.25;
/// The increase near the inflection point, of what it is elsewhere, and the part of it away from which it is whole: (4 x part)^2.
const LEAST_INCREASE: f64 = 0.1;
const STEEPNESS: f64 = 4.0;
/// In flight, in windows, above which the target rate is less, and what it is divided by at most (BYTES_IN_FLIGHT_LIMIT and its COMPENSATION).
const IN_FLIGHT_LIMIT: f64 = 0.9;
const MOST_COMPENSATION: f64 = 1.5;
/// Minutes of the base delay.
const BASE_HISTORY: usize = 10;

/// A window that delay, losses and marks make smaller.
#[derive(Clone, Debug)]
pub struct Scream {
    params: ScreamParams,
    ref_wnd: f64,
    ref_wnd_i: Option<f64>,
    /// Packets a second, once a round trip is known.
    target_rate: Option<f64>,
    smoothed: Duration,
    /// The share of marks, what it will be made of next, and when it was renewed.
    alpha: f64,
    arrived: u64,
    marked: u64,
    alpha_at: Option<Time>,
    /// The time in the queue in seconds, its average, and when that was renewed.
    delays: BaseDelay,
    qdelay: f64,
    qdelay_avg: f64,
    qdelay_at: Option<Time>,
    target: Target,
    /// When congestion was detected last, a mark arrived, and the inflection point moved.
    congested: Option<Time>,
    mark_at: Option<Time>,
    inflected: Option<Time>,
    /// The maximum in flight in this round trip and in the last one.
    most: u64,
    most_prev: u64,
    /// Marks that the present acknowledgement reports; whether it shows a loss or a mark.
    marks: u64,
    lost: bool,
    ce: bool,
    /// The window before the last loss.
    before: f64,
}

/// Whether this much time has passed, or whatever it is counted from never was.
fn passed(since: Option<Time>, time: Duration, now: Time) -> bool {
    since.is_none_or(|at| now.since(at) >= time)
}

impl Scream {
    /// What it says of itself.
    pub const CARD: Card = Card { family: "media", ..Card::of("draft-johansson-ccwg-rfc8298bis-screamv2") };

    /// A source before its first packet.
    pub fn new(params: &ScreamParams) -> Scream {
        Scream {
            params: params.clone(),
            ref_wnd: params.min_window,
            ref_wnd_i: None,
            target_rate: None,
            smoothed: Duration::ZERO,
            alpha: 0.0,
            arrived: 0,
            marked: 0,
            alpha_at: None,
            delays: BaseDelay::new(BASE_HISTORY, 1),
            qdelay: 0.0,
            qdelay_avg: 0.0,
            qdelay_at: None,
            target: Target::new(params),
            congested: None,
            mark_at: None,
            inflected: None,
            most: 0,
            most_prev: 0,
            marks: 0,
            lost: false,
            ce: false,
            before: 0.0,
        }
    }

    /// L4S is enabled, and packets are marked.
    fn is_l4s_active(&self, now: Time) -> bool {
        self.params.l4s && self.mark_at.is_some_and(|at| now.since(at) <= LONG)
    }

    /// Averages the marks and the time in the queue (section 4.1.2).
    fn average(&mut self, ack: &Ack) {
        let (p, now) = (&self.params, ack.now);
        if self.arrived > 0 && passed(self.alpha_at, ALPHA_EVERY.min(self.smoothed), now) {
            let share = (self.marked as f64 / self.arrived as f64).min(1.0);
            self.alpha = p.alpha_gain * share + (1.0 - p.alpha_gain) * self.alpha;
            (self.arrived, self.marked, self.alpha_at) = (0, 0, Some(now));
        }
        self.delays.sample(ack.one_way, now);
        self.qdelay = self.delays.queueing().unwrap_or(Duration::ZERO).as_secs_f64();
        if passed(self.qdelay_at, self.smoothed, now) {
            let risen = p.qdelay_gain * self.qdelay + (1.0 - p.qdelay_gain) * self.qdelay_avg;
            self.qdelay_avg = if self.qdelay < self.qdelay_avg { self.qdelay } else { risen };
            self.qdelay_at = Some(now);
        }
        if self.params.competes {
            self.target.sample(self.qdelay, now);
        }
    }

    /// The share of marks that the delay stands for, where it counts.
    fn virtual_share(&self, now: Time) -> Option<f64> {
        let half = self.target.seconds() / 2.0;
        if self.qdelay <= half {
            return None;
        }
        // Two marks a round trip are what L4S comes to: with fewer it is not L4S that holds the window.
        let held = self.target_rate.unwrap_or(0.0) * self.smoothed.as_secs_f64();
        let counts = !self.is_l4s_active(now) || self.alpha * held < 2.0;
        counts.then(|| ((self.qdelay_avg - half) / half).clamp(0.0, 1.0))
    }

    /// A mark leaves this part of the window.
    fn left_by_mark(&mut self, now: Time) -> f64 {
        if !self.params.l4s {
            return self.params.beta_ecn;
        }
        let mut backoff = self.alpha / 2.0 * (1.0 - 2.0 / self.ref_wnd).max(0.8);
        if self.congested.is_none_or(|at| now.since(at) > LONG) {
            self.ref_wnd = self.ref_wnd.min(self.most_prev as f64);
            backoff = backoff.max(LONG_BACKOFF);
            self.alpha = LONG_BACKOFF;
        }
        1.0 - backoff
    }

    /// Answers what was found, if the last time was long enough ago (section 4.1.3).
    fn reduce(&mut self, now: Time) {
        let (lost, ce) = (std::mem::take(&mut self.lost), std::mem::take(&mut self.ce));
        if !passed(self.congested, self.params.virtual_rtt.min(self.smoothed), now) {
            return;
        }
        let virtual_share = self.virtual_share(now);
        if !lost && !ce && virtual_share.is_none() {
            return;
        }
        if self.inflected.is_none_or(|at| now.since(at) > INFLECTION_EVERY) {
            (self.inflected, self.ref_wnd_i) = (Some(now), Some(self.ref_wnd));
        }
        if lost {
            self.ref_wnd *= self.params.beta_loss;
        }
        if ce {
            let left = self.left_by_mark(now);
            self.ref_wnd *= left;
        }
        if let Some(share) = virtual_share {
            self.ref_wnd *= 1.0 - share / 2.0;
        }
        self.ref_wnd = self.ref_wnd.max(self.params.min_window);
        self.congested = Some(now);
    }

    /// By how much the window grows for a number of packets that arrived without a mark.
    fn increment(&self, unmarked: u64, now: Time) -> f64 {
        let p = &self.params;
        let part = if self.smoothed >= p.virtual_rtt {
            1.0
        } else {
            self.smoothed.as_secs_f64() / p.virtual_rtt.as_secs_f64()
        };
        let least = if self.is_l4s_active(now) { (0.02 * self.ref_wnd).clamp(LEAST_INCREASE, 1.0) } else { LEAST_INCREASE };
        let scale = self.ref_wnd_i.map_or(1.0, |inflection| {
            let away = STEEPNESS * (self.ref_wnd - inflection) / inflection;
            (away * away).clamp(least, 1.0)
        });
        let calm = self.congested.map_or(1.0, |at| {
            let since = now.since(at);
            if since >= p.post_congestion_delay { 1.0 } else { since.as_secs_f64() / p.post_congestion_delay.as_secs_f64() }
        });
        unmarked as f64 / self.ref_wnd * part * part * scale * (1.0 + p.increase * self.ref_wnd * calm * scale)
    }

    /// The window grows if what is in flight is large enough.
    fn grow(&mut self, ack: &Ack) {
        let grown = self.ref_wnd + self.increment(ack.delivered.saturating_sub(self.marks), ack.now);
        if grown <= 1.0 + self.most.max(self.most_prev) as f64 * self.params.in_flight_headroom {
            self.ref_wnd = grown;
        }
    }

    /// The rate of the encoder, in packets a second (section 4.3).
    fn set_rate(&mut self, ratio: f64, now: Time) {
        let mut part = 1.0;
        if !self.is_l4s_active(now) && ratio > IN_FLIGHT_LIMIT {
            part /= (ratio / IN_FLIGHT_LIMIT).min(MOST_COMPENSATION);
        }
        part *= 1.0 - (1.0 / self.ref_wnd - 0.1).clamp(0.0, 0.8);
        self.target_rate = Some(part * self.ref_wnd / self.smoothed.as_secs_f64().max(1e-9));
    }
}

impl FlowControl for Scream {
    fn on_start(&mut self, window: u64) {
        self.ref_wnd = (window as f64).max(self.params.min_window);
    }

    fn on_packet_sent(&mut self, _now: Time, in_flight: u64, _app_limited: bool) {
        self.most = self.most.max(in_flight + 1);
    }

    fn on_delivered(&mut self, delivered: u64, marks: u64, _round: bool) {
        (self.arrived, self.marked, self.marks) = (self.arrived + delivered, self.marked + marks, marks);
    }

    fn on_loss(&mut self, loss: &Loss) {
        match loss.kind {
            LossKind::Mark => self.ce = true,
            LossKind::DuplicateAcks | LossKind::Probe | LossKind::Timeout => {
                if !loss.again {
                    self.before = self.ref_wnd;
                }
                self.lost = true;
                self.target.lose();
            }
        }
        // No acknowledgement follows.
        if loss.kind == LossKind::Timeout {
            self.reduce(loss.now);
        }
    }

    fn on_ack(&mut self, ack: &Ack) {
        let ratio = ack.prior_in_flight as f64 / self.ref_wnd;
        self.smoothed = ack.smoothed.or(ack.rtt).unwrap_or_else(|| ack.now.since(ack.sent));
        if self.marks > 0 {
            (self.ce, self.mark_at) = (true, Some(ack.now));
        }
        if ack.lost > 0 {
            self.lost = true;
            self.target.lose();
        }
        if ack.round {
            (self.most_prev, self.most) = (self.most, ack.in_flight);
            self.target.end_round();
        }
        self.average(ack);
        self.reduce(ack.now);
        self.grow(ack);
        self.set_rate(ratio, ack.now);
    }

    fn on_undo(&mut self) {
        self.ref_wnd = self.ref_wnd.max(self.before);
    }

    fn allowance(&self) -> Allowance {
        let p = &self.params;
        let window = (self.send_window() as u64).max(1);
        let Some(rate) = self.target_rate else { return Allowance::window(window) };
        let headroom = if p.encoder { 1.0 } else { p.pacing_headroom };
        Allowance { window, rate: rate.max(p.min_rate) * headroom, burst: 1 }
    }

    fn probe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        sink("window", self.send_window());
        sink("reference_window", self.ref_wnd);
        sink("target_rate", self.target_rate.unwrap_or(f64::NAN));
        sink("alpha", self.alpha);
        sink("qdelay", self.qdelay);
        sink("qdelay_target", self.target.seconds());
    }
}

impl Scream {
    /// What may be outstanding, not rounded (section 4.3).
    fn send_window(&self) -> f64 {
        self.ref_wnd * self.params.window_overhead
    }
}

#[cfg(test)]
mod tests;
