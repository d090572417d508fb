//! PCC Vivace: a rate that climbs the gradient of a utility of rate, rising delay and loss.
//!
//! Source: Dong et al. 2018 (NSDI), sections 4 and 5. The amplifier and what a bound does when it is not reached are from memory of section 5; the authors'
//! code (PCCproject/PCC-Uspace) was read for what the paper leaves open: utilities, intervals, that a rate waits for its utilities.
//! - The utility of an interval at x Mbit/s is x^0.9 - 900 x (slope of round-trip times) - 11.35 x (share of losses).
//! - The rate doubles while the utility rises. Then a step tries 5 % more and 5 % less, an interval each, and the difference of utilities by that of rates is the
//!   gradient. The rate changes by the gradient times m, which is 1, 2 and 3 in the first steps of one sign, and 2 n - 3 in the nth.
//! - A change is at most 5 % of the rate. Each time that it would be more this grows by 10 %; else it falls to the least bound that holds. A step of the other
//!   sign begins both again.
//! - A slope of less than 1 % is noise.
//!
//! Deviations:
//! - Packets are counted, of `packet_bytes` each, and at most two round trips' worth of them are out.
//! - An interval lasts a smoothed round trip, and until it has `interval_packets`. Which rate of a pair comes first is drawn. Until the utilities of a step are
//!   known, packets are sent at the rate between.
//! - The authors' programs have other factors and bounds. PCC-Uspace (branch master): ((n + 1) / 2)^1.2, whole numbers in the bracket, and a bound of 5 % that
//!   grows by 5 % and falls by one such step; after a step of three pairs an interval at the new rate gives the next gradient, and no change is below 0.5 Mbit/s.
//!   Its branch NSDI-2018: 1, 2, 3, 4, 6, 7 and so on, and after a change of sign up to two steps without growth. PCC-Kernel (branch vivace): the rate itself for
//!   its power, 900 and 11, slopes below 3 % as noise.
//! - What the paper does about single abnormal measurements (checking them twice) is left out, as are the three pairs with a vote of the authors' later code.
//! - A timeout halves the rate and begins to double it anew. Intervals in which the source lacked data count for nothing. Marks are ignored, and
//!   nothing is undone when a loss turns out to be spurious.
//!
//! State per flow: the rate, its bounds, and two intervals.

use crate::parts::monitor::{Interval, Intervals, Step};
use crate::transport::Config;
use crate::transport::tcp::{AfterIdle, Preset, Rules, Sent};
use crate::{Ack, Allowance, FlowControl, Loss, LossKind};
use headgate_packet::{Card, Check, Duration, Ecn, Rng, Time, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// PCC Vivace: a rate that climbs the gradient of a utility. The utility is one of rate, rising delay and loss.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct VivaceParams {
    /// Exponent of the rate in the utility.
    #[schemars(range(min = 0.01, max = 0.99))]
    pub exponent: f64,
    /// Weight of rising delay in the utility.
    #[schemars(range(min = 0.0, max = 1_000_000.0))]
    pub delay_weight: f64,
    /// Weight of losses in the utility.
    #[schemars(range(min = 0.0, max = 1_000_000.0))]
    pub loss_weight: f64,
    /// Slope of round-trip times below which it is noise.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub noise: f64,
    /// Part of the rate by which the rates of a pair differ from it.
    #[schemars(range(min = 0.001, max = 0.5))]
    pub step: f64,
    /// Mbit/s by which a gradient of 1 changes the rate.
    #[schemars(range(min = 0.001, max = 1000.0))]
    pub gain: f64,
    /// Part of the rate that a change is at first, at most.
    #[schemars(range(min = 0.001, max = 1.0))]
    pub bound: f64,
    /// What is added to that each time that it is reached.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub bound_step: f64,
    /// Minimum number of packets of an interval.
    #[schemars(range(min = 3, max = 10_000))]
    pub interval_packets: u64,
    /// Bytes of a packet, for the rate in Mbit/s.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub packet_bytes: u32,
    /// Minimum rate in packets a second.
    #[schemars(range(min = 0.001, max = 1_000_000_000.0))]
    pub min_rate: f64,
}

impl Default for VivaceParams {
    fn default() -> VivaceParams {
        VivaceParams {
            exponent: 0.9,
            delay_weight: 900.0,
            loss_weight: 11.35,
            noise: 0.01,
            step: 0.05,
            gain: 1.0,
            bound: 0.05,
            bound_step: 0.1,
            interval_packets: 10,
            packet_bytes: 1500,
            min_rate: 10.0,
        }
    }
}

impl Check for VivaceParams {
    fn check(&self) -> Result<(), Wrong> {
        Ok(())
    }
}

/// Maximum rate in packets a second.
const MOST: f64 = 1e9;

impl VivaceParams {
    /// Whether it makes use of the random stream of its flow.
    pub(crate) fn takes_chances(&self) -> bool {
        true
    }

    /// How the transport serves it.
    pub fn transport(&self) -> Config {
        let rules = Preset::Linux.rules();
        Config::tcp(Rules { prr: false, own_window: true, rate_samples: true, ..rules }, Ecn::NotEct)
    }

    /// Converts packets a second to Mbit/s.
    fn megabits(&self, rate: f64) -> f64 {
        rate * f64::from(self.packet_bytes) * 8e-6
    }

    /// The utility of a rate in Mbit/s (equation 2).
    fn utility(&self, rate: f64, slope: f64, loss: f64) -> f64 {
        let slope = if slope.abs() < self.noise { 0.0 } else { slope };
        libm::pow(rate, self.exponent) - self.delay_weight * rate * slope - self.loss_weight * rate * loss
    }
}

/// A rate that climbs a gradient.
#[derive(Clone, Debug)]
pub struct Vivace {
    params: VivaceParams,
    initial: u64,
    /// Packets a second, once a round-trip time is known, and what is sent now.
    rate: f64,
    sending: f64,
    smoothed: Duration,
    /// While the rate doubles: the utility of the last one.
    starting: bool,
    last: Option<f64>,
    intervals: Intervals,
    /// The lower rate of a pair comes first.
    lower: bool,
    /// Steps in a row of one sign, the sign, and how often the bound was raised.
    steps: u32,
    rises: bool,
    raised: u32,
}

impl Vivace {
    /// What it says of itself.
    pub const CARD: Card = Card::of("Dong et al. 2018; PCC-Uspace");

    /// A source before its first packet.
    pub fn new(params: &VivaceParams) -> Vivace {
        Vivace {
            params: params.clone(),
            initial: 1,
            rate: 0.0,
            sending: 0.0,
            smoothed: Duration::ZERO,
            starting: true,
            last: None,
            intervals: Intervals::with_room(2),
            lower: false,
            steps: 0,
            rises: true,
            raised: 0,
        }
    }

    fn set(&mut self, rate: f64) {
        self.rate = rate.clamp(self.params.min_rate, MOST);
        self.sending = self.rate;
    }

    /// The next interval begins: the only one while the rate doubles, else one of a pair.
    fn begin(&mut self, now: Time) {
        if !self.starting {
            let more = self.lower == (self.intervals.len() == 1);
            self.sending = self.rate * if more { 1.0 + self.params.step } else { 1.0 - self.params.step };
        }
        self.intervals.push(Interval::new(self.sending, now));
    }

    fn restart(&mut self, now: Time) {
        self.intervals.clear();
        self.sending = self.rate;
        self.begin(now);
    }

    /// The factor of the `n`th step in a row of one sign.
    fn amplifier(n: u32) -> f64 {
        f64::from(if n <= 3 { n.max(1) } else { n.saturating_mul(2) - 3 })
    }

    /// The rate after a step with this gradient, by Mbit/s.
    fn climb(&mut self, gradient: f64) {
        let rises = gradient > 0.0;
        if rises == self.rises {
            self.steps = self.steps.saturating_add(1);
        } else {
            (self.rises, self.steps, self.raised) = (rises, 1, 0);
        }
        let p = &self.params;
        let rate = p.megabits(self.rate);
        let change = (Self::amplifier(self.steps) * p.gain * gradient).abs() / rate;
        let bound = |raised: u32| p.bound + p.bound_step * f64::from(raised);
        let part = change.min(bound(self.raised));
        if change > bound(self.raised) {
            self.raised = self.raised.saturating_add(1);
        } else {
            while self.raised > 0 && change <= bound(self.raised - 1) {
                self.raised -= 1;
            }
        }
        self.set(self.rate * if rises { 1.0 + part } else { 1.0 - part });
    }

    /// All intervals are judged.
    fn decide(&mut self) {
        let p = &self.params;
        let of = |i: &Interval| (p.megabits(i.rate), p.utility(p.megabits(i.rate), i.gradient(), i.loss()));
        match &*self.intervals {
            [only] => {
                let (_, utility) = of(only);
                if self.last.is_none_or(|last| utility > last) {
                    self.last = Some(utility);
                    self.set(2.0 * self.rate);
                } else {
                    self.starting = false;
                    self.set(self.rate / 2.0);
                }
            }
            [a, b] => {
                let ((x, u), (y, v)) = (of(a), of(b));
                self.climb((u - v) / (x - y));
            }
            _ => {}
        }
    }
}

impl FlowControl for Vivace {
    fn on_start(&mut self, window: u64) {
        self.initial = window;
    }

    fn on_round(&mut self, rng: &mut Rng) {
        let lower = rng.below(2) == 1;
        if self.intervals.len() != 1 {
            self.lower = lower;
        }
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
            return self.begin(now);
        }
        let (least, whole) = (self.params.interval_packets, if self.starting { 1 } else { 2 });
        match self.intervals.on_ack(ack, (rtt, self.smoothed), (self.smoothed, least), whole) {
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
            (self.starting, self.last) = (true, None);
            (self.steps, self.raised) = (0, 0);
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
        self.starting
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
