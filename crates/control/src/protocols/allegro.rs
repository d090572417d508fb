//! PCC Allegro: a rate chosen by trials of which rate has the higher utility.
//!
//! Source: Dong et al. 2015 (NSDI), sections 2.1 and 3.2, as summaries of it give them; the length of intervals is from memory.
//! The utility, the pairs and the first change are also those of the authors' PCC-Kernel (`tcp_pcc.c`), which was read.
//! - The utility of an interval at rate x with a share L of losses is x (1 - L) / (1 + e^(100 (L - 0.05))) - x L, so that losses up to 5 % cost little.
//! - Starting: the rate doubles until the utility falls, and then returns to its last value.
//! - Decision making: four intervals in two pairs, in each of which e more and e less is tried in an order that is drawn. If both pairs agree, the rate is the better
//!   one. If not, e grows by `step`, up to `max_step`.
//! - Rate adjusting: the nth change in that direction is n steps of the rate. When the utility falls the rate returns to its last value, and decisions are made again.
//!
//! Deviations:
//! - Packets are counted, and at most two round trips' worth of them are out.
//! - An interval lasts 1.7 to 2.2 smoothed round trips, drawn, and until it has `interval_packets`. Until the utilities are known, packets are sent at the rate itself.
//! - PCC-Kernel keeps one part of the rate for trials and changes, which grows by 1 % at most to 5 % and, in trials, only from the second one in a row without a
//!   result on. With it the rate grows in the beginning by what arrived, at most twofold, until the utility is below 3/4 of what was due; and an equal
//!   utility ends a direction.
//! - The first rate is the initial window in the first round trip, where the paper has two packets.
//! - A timeout halves the rate and begins to double it anew. Intervals in which the source lacked data count for nothing. Marks are ignored, and
//!   nothing is undone when a loss turns out to be spurious.
//!
//! State per flow: the rate, the step, and four intervals.

use crate::parts::monitor::{Interval, Intervals, Step};
use crate::transport::Config;
use crate::transport::tcp::{AfterIdle, Preset, Rules, Sent};
use crate::{Ack, Allowance, FlowControl, Loss, LossKind};
use headgate_packet::{Card, Check, Duration, Ecn, Rng, Time, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// PCC Allegro: a rate chosen by trials. The trials show which rate has the higher utility.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AllegroParams {
    /// Share of losses at which the utility breaks down.
    #[schemars(range(min = 0.001, max = 0.9))]
    pub tolerance: f64,
    /// How sharply it does.
    #[schemars(range(min = 1.0, max = 100_000.0))]
    pub sharpness: f64,
    /// Part of the rate that is tried at first, and by which a change in one direction grows.
    #[schemars(range(min = 0.001, max = 0.25))]
    pub step: f64,
    /// Maximum part of the rate that is tried.
    #[schemars(range(min = 0.001, max = 0.5))]
    pub max_step: f64,
    /// Minimum number of packets of an interval.
    #[schemars(range(min = 3, max = 10_000))]
    pub interval_packets: u64,
    /// Minimum rate in packets a second.
    #[schemars(range(min = 0.001, max = 1_000_000_000.0))]
    pub min_rate: f64,
}

impl Default for AllegroParams {
    fn default() -> AllegroParams {
        AllegroParams {
            tolerance: 0.05,
            sharpness: 100.0,
            step: 0.01,
            max_step: 0.05,
            interval_packets: 10,
            min_rate: 10.0,
        }
    }
}

impl Check for AllegroParams {
    fn check(&self) -> Result<(), Wrong> {
        if self.step > self.max_step {
            let why = format!("expected at most max_step, {}", self.max_step);
            return Err(Wrong::at("step", why).found(&self.step));
        }
        Ok(())
    }
}

/// Maximum rate in packets a second.
const MOST: f64 = 1e9;
/// Smoothed round trips that an interval lasts: the least number, and what is drawn on top.
const LASTS: (f64, f64) = (1.7, 0.5);

impl AllegroParams {
    /// Whether it makes use of the random stream of its flow.
    pub(crate) fn takes_chances(&self) -> bool {
        true
    }

    /// How the transport serves it.
    pub fn transport(&self) -> Config {
        let rules = Preset::Linux.rules();
        Config::tcp(Rules { prr: false, own_window: true, rate_samples: true, ..rules }, Ecn::NotEct)
    }

    /// The utility of a rate with this share of losses.
    fn utility(&self, rate: f64, loss: f64) -> f64 {
        let sigmoid = 1.0 / (1.0 + libm::exp(self.sharpness * (loss - self.tolerance)));
        rate * (1.0 - loss) * sigmoid - rate * loss
    }
}

/// What it is doing.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Mode {
    Starting,
    Deciding,
    /// Changes in this direction so far.
    Adjusting { rises: bool, steps: u32 },
}

/// A rate chosen by trials.
#[derive(Clone, Debug)]
pub struct Allegro {
    params: AllegroParams,
    initial: u64,
    mode: Mode,
    /// Packets a second, once a round-trip time is known; its value before the last change; and the rate that is sent now.
    rate: f64,
    before: f64,
    sending: f64,
    smoothed: Duration,
    /// The utility of the rate before, and the part of the rate that is tried.
    last: Option<f64>,
    step: f64,
    intervals: Intervals,
    /// What was drawn: in which pairs the lower rate comes first, and the length of an interval.
    lower: [bool; 2],
    lasts: f64,
}

impl Allegro {
    /// What it says of itself.
    pub const CARD: Card = Card::of("Dong et al. 2015");

    /// A source before its first packet.
    pub fn new(params: &AllegroParams) -> Allegro {
        Allegro {
            params: params.clone(),
            initial: 1,
            mode: Mode::Starting,
            rate: 0.0,
            before: 0.0,
            sending: 0.0,
            smoothed: Duration::ZERO,
            last: None,
            step: params.step,
            intervals: Intervals::with_room(4),
            lower: [false, true],
            lasts: LASTS.0,
        }
    }

    fn set(&mut self, rate: f64) {
        self.rate = rate.clamp(self.params.min_rate, MOST);
        self.sending = self.rate;
    }

    /// How many intervals make a decision.
    fn whole(&self) -> usize {
        if self.mode == Mode::Deciding { 4 } else { 1 }
    }

    fn begin(&mut self, now: Time) {
        if self.mode == Mode::Deciding {
            let n = self.intervals.len();
            let more = self.lower[n / 2] == (n % 2 == 1);
            self.sending = self.rate * if more { 1.0 + self.step } else { 1.0 - self.step };
        }
        self.intervals.push(Interval::new(self.sending, now));
    }

    fn restart(&mut self, now: Time) {
        self.intervals.clear();
        self.sending = self.rate;
        self.begin(now);
    }

    fn adjust(&mut self, rises: bool, steps: u32, utility: f64) {
        (self.mode, self.before, self.last) = (Mode::Adjusting { rises, steps }, self.rate, Some(utility));
        let part = (f64::from(steps) * self.params.step).min(0.5);
        self.set(self.rate * if rises { 1.0 + part } else { 1.0 - part });
    }

    fn fall_back(&mut self) {
        (self.mode, self.step) = (Mode::Deciding, self.params.step);
        self.set(self.before);
    }

    /// All intervals are judged.
    fn decide(&mut self) {
        let of = |i: &Interval| self.params.utility(i.rate, i.loss());
        let utilities: Vec<(f64, f64)> = self.intervals.iter().map(|i| (i.rate, of(i))).collect();
        match (self.mode, utilities.as_slice()) {
            (Mode::Starting, [(_, utility)]) => {
                if self.last.is_none_or(|last| *utility > last) {
                    (self.last, self.before) = (Some(*utility), self.rate);
                    self.set(2.0 * self.rate);
                } else {
                    self.fall_back();
                }
            }
            (Mode::Deciding, [a, b, c, d]) => {
                // Whether the higher rate of a pair has the higher utility.
                let [first, second] = [(a, b), (c, d)].map(|(a, b)| (a.0 > b.0) == (a.1 > b.1));
                if first != second {
                    self.step = (self.step + self.params.step).min(self.params.max_step);
                    return;
                }
                let better = if (c.0 > d.0) == first { c } else { d };
                let utility = better.1;
                self.set(better.0);
                self.adjust(first, 1, utility);
            }
            (Mode::Adjusting { rises, steps }, [(_, utility)]) => {
                if self.last.is_none_or(|last| *utility >= last) {
                    self.adjust(rises, steps.saturating_add(1), *utility);
                } else {
                    self.fall_back();
                }
            }
            _ => {}
        }
    }
}

impl FlowControl for Allegro {
    fn on_start(&mut self, window: u64) {
        self.initial = window;
    }

    fn on_round(&mut self, rng: &mut Rng) {
        let (drawn, lasts) = ([rng.below(2) == 1, rng.below(2) == 1], LASTS.0 + LASTS.1 * rng.uniform());
        if self.intervals.len() >= self.whole() || self.intervals.is_empty() {
            self.lower = drawn;
        }
        self.lasts = lasts;
    }

    fn on_packet_sent(&mut self, _now: Time, _in_flight: u64, app_limited: bool) {
        self.intervals.on_sent(app_limited);
    }

    fn on_packet_lost(&mut self, _now: Time, packet: &Sent) {
        self.intervals.on_lost(packet.at);
    }

    fn on_ack(&mut self, ack: &Ack) {
        // Packets that were sent again count, too: beyond the line's rate hardly any others arrive. Their time stamp gives the round trip.
        let Some(rtt) = ack.rtt.or_else(|| (ack.delivered > 0).then(|| ack.now.since(ack.sent))) else { return };
        let now = ack.now;
        self.smoothed = ack.smoothed.unwrap_or(rtt);
        if self.intervals.is_empty() {
            self.set(self.initial as f64 / rtt.as_secs_f64().max(1e-9));
            self.before = self.rate;
            return self.begin(now);
        }
        let (length, least) = (self.smoothed * self.lasts, self.params.interval_packets);
        match self.intervals.on_ack(ack, (rtt, self.smoothed), (length, least), self.whole()) {
            Step::Nothing => {}
            Step::Ended => self.sending = self.rate,
            Step::Next => {
                self.sending = self.rate;
                self.begin(now);
            }
            Step::Again => self.restart(now),
            Step::Decide => {
                self.decide();
                self.restart(now);
            }
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        if loss.kind == LossKind::Timeout && !self.intervals.is_empty() {
            self.set(self.rate / 2.0);
            (self.mode, self.last, self.before, self.step) = (Mode::Starting, None, self.rate, self.params.step);
            self.restart(loss.now);
        }
    }

    fn on_idle(&mut self, _rule: AfterIdle, initial: u64, _timeouts: u64) {
        if !self.intervals.is_empty() {
            let first = initial as f64 / self.smoothed.as_secs_f64().max(1e-9);
            self.set(self.rate.min(first));
            self.intervals.spoil();
        }
    }

    fn in_slow_start(&self) -> bool {
        self.mode == Mode::Starting
    }

    fn allowance(&self) -> Allowance {
        if self.intervals.is_empty() {
            return Allowance::window(self.initial);
        }
        let window = (2.0 * self.sending * self.smoothed.as_secs_f64()).ceil().max(4.0) as u64;
        Allowance { window, rate: self.sending, burst: 1 }
    }

    fn probe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        sink("window", self.allowance().window as f64);
        sink("rate", if self.intervals.is_empty() { f64::NAN } else { self.rate });
    }
}

#[cfg(test)]
mod tests;
