//! BBR version 1: sends at the rate that the path delivered, and keeps about one bandwidth-delay product in flight.
//!
//! Source: draft-cardwell-iccrg-bbr-congestion-control-00; Cardwell et al. 2016; where they differ, Linux's `tcp_bbr.c`, read for the sheet of facts.
//! Deviations:
//! - Packets are counted, not bytes, and all are full: no round trip is that of a delayed acknowledgement of a short one.
//! - Without a handshake the round trip and the rate of the start come from the first packets.
//! - Times are not rounded to the kernel's ticks.
//!
//! State per flow: a few rates and times.

mod least_rtt;
mod measures;
mod policer;
mod window;

use crate::parts::ceil;
use crate::transport::Config;
use crate::transport::tcp::{Preset, RateSample, Rules, Sent};
use crate::{Ack, Allowance, FlowControl, Loss};
use headgate_packet::{Card, Check, Duration, Ecn, Rng, Time, Wrong};
use crate::parts::greatest::Greatest;
use crate::parts::small_window::SmallWindow;
use measures::AckAggregation;
use policer::{Counts, Finding, Policer, Shown};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use window::Seen;

/// BBR version 1: sends at the rate that the path delivered. It keeps about one bandwidth-delay product in flight.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Bbr1Params {
    /// Gain of rate and window while BBR searches for the rate: 2 / ln 2 doubles what is delivered in a round trip.
    #[schemars(range(min = 1.1, max = 10.0))]
    pub startup_gain: f64,
    /// Gain of the window later.
    #[schemars(range(min = 1.0, max = 10.0))]
    pub window_gain: f64,
    /// Round trips over which the maximum rate counts.
    #[schemars(range(min = 2, max = 100))]
    pub rate_rounds: u64,
    /// Time over which the minimum round trip counts.
    pub least_rtt_for: Duration,
    /// Time for which the window is at its minimum to measure the round trip.
    pub probe_rtt_for: Duration,
    /// Bits of a packet for the kernel's choice of how many packets it hands to the device at once, which its windows allow for three times.
    #[schemars(range(min = 100, max = 1_000_000))]
    pub packet_bits: u64,
}

impl Default for Bbr1Params {
    fn default() -> Bbr1Params {
        Bbr1Params {
            startup_gain: 739.0 / 256.0,
            window_gain: 2.0,
            rate_rounds: 10,
            least_rtt_for: Duration::from_secs(10),
            probe_rtt_for: Duration::from_millis(200),
            packet_bits: 8 * 1448,
        }
    }
}

impl Check for Bbr1Params {
    fn check(&self) -> Result<(), Wrong> {
        for (name, time) in [("least_rtt_for", self.least_rtt_for), ("probe_rtt_for", self.probe_rtt_for)] {
            headgate_packet::check::at_least(name, time, Duration::from_millis(1))?;
        }
        Ok(())
    }
}

impl Bbr1Params {
    /// Whether it makes use of the random stream of its flow.
    pub(crate) fn takes_chances(&self) -> bool {
        true
    }

    /// How the transport serves it.
    pub fn transport(&self) -> Config {
        Config::tcp(Rules { prr: false, own_window: true, rate_samples: true, ..Preset::Linux.rules() }, Ecn::NotEct)
    }
}

/// What it is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Startup,
    Drain,
    ProbeBw,
    ProbeRtt,
}

/// Gains of the rate, a round trip each.
const CYCLE: [f64; 8] = [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
/// Minimum window.
const LEAST: u64 = 4;
/// Share of the rate at which packets are sent: a little slower than they are delivered.
const MARGIN: f64 = 0.99;
/// Growth that shows that the path is not yet full, and rounds without it that show that it is.
const GROWTH: f64 = 1.25;
const FULL_ROUNDS: u32 = 3;
/// What it has measured and does.
#[derive(Clone, Debug)]
struct State {
    params: Bbr1Params,
    mode: Mode,
    window: u64,
    initial: u64,
    prior_window: u64,
    pacing: f64,
    /// Gain of the rate since the last acknowledgement: what a change of mode makes of it counts from the next one on.
    gain: f64,
    seen_rtt: bool,
    rates: Greatest,
    policer: Policer,
    counts: Counts,
    rounds: u64,
    round_end: u64,
    full_rate: f64,
    full_rounds: u32,
    full: bool,
    least_rtt: Option<(Duration, Time)>,
    cycle: usize,
    cycle_since: Time,
    probe_until: Option<Time>,
    probe_round: bool,
    conserve: bool,
    seen: Seen,
    idle_restart: bool,
    aggregation: AckAggregation,
    dice: u64,
    /// When the next packet may be sent; and the time between two packets at a rate.
    departure: Time,
    gap: (f64, Duration),
    /// Packets sent with the minimum window, which do not measure a rate.
    least_window: SmallWindow,
}

/// Model-based rate control.
#[derive(Clone, Debug)]
pub struct Bbr1(State);

impl Bbr1 {
    /// What it says of itself.
    pub const CARD: Card = Card { aliases: &["bbrv1"], ..Card::of("Cardwell et al. 2016; draft-cardwell-iccrg-bbr-congestion-control-00") };

    /// A source before its first packet.
    pub fn new(params: &Bbr1Params) -> Bbr1 {
        Bbr1(State {
            params: params.clone(),
            mode: Mode::Startup,
            window: 1,
            initial: 1,
            prior_window: 0,
            pacing: 0.0,
            gain: params.startup_gain,
            seen_rtt: false,
            rates: Greatest::default(),
            policer: Policer::default(),
            counts: Counts::default(),
            rounds: 0,
            round_end: 0,
            full_rate: 0.0,
            full_rounds: 0,
            full: false,
            least_rtt: None,
            cycle: 0,
            cycle_since: Time::ZERO,
            probe_until: None,
            probe_round: false,
            conserve: false,
            seen: Seen::Open,
            idle_restart: false,
            aggregation: AckAggregation::default(),
            dice: 0,
            departure: Time::ZERO,
            gap: (0.0, Duration::ZERO),
            least_window: SmallWindow::default(),
        })
    }
}

impl State {
    fn gains(&self) -> (f64, f64) {
        let high = self.params.startup_gain;
        match self.mode {
            Mode::Startup => (high, high),
            Mode::Drain => (88.0 / 256.0, high),
            Mode::ProbeBw if self.policer.rate().is_some() => (1.0, self.params.window_gain),
            Mode::ProbeBw => (CYCLE[self.cycle], self.params.window_gain),
            Mode::ProbeRtt => (1.0, 1.0),
        }
    }

    /// The rate that is used: what a policer grants, or the maximum.
    fn rate(&self) -> f64 {
        self.policer.rate().unwrap_or(self.rates.get())
    }

    /// Packets of `gain` times the path, as the kernel rounds them, with `more` for aggregated acknowledgements.
    fn inflight(&self, rate: f64, gain: f64, more: u64) -> u64 {
        let path = self.least_rtt.map_or(self.initial, |(rtt, _)| ceil(rate * rtt.as_secs_f64() * gain));
        let even = (path + more + 3 * self.handed()).div_ceil(2) * 2;
        even + if self.mode == Mode::ProbeBw && self.cycle == 0 { 2 } else { 0 }
    }

    /// Packets that the kernel hands to the device at once.
    fn handed(&self) -> u64 {
        let least = if self.pacing * (self.params.packet_bits as f64) < 1.2e6 { 1.0 } else { 2.0 };
        (self.pacing / 1024.0).max(least).min(127.0) as u64
    }

    /// What will be in the network when the next packet may be sent: some are delivered until then, and while more is probed for that
    /// packet counts.
    fn at_departure(&self, in_flight: u64, now: Time) -> u64 {
        let due = self.departure.since(now).as_secs_f64() * self.rate();
        (in_flight + if self.gain > 1.0 { self.handed() } else { 0 }).saturating_sub(due as u64)
    }

    /// A round ends with the first packet sent in it that is delivered. True at its start.
    fn take_rate(&mut self, ack: &Ack, sample: &RateSample) -> bool {
        let starts = sample.prior_delivered >= self.round_end;
        if starts {
            (self.round_end, self.rounds, self.conserve) = (ack.total_delivered, self.rounds + 1, false);
        }
        self.look_for_policer(ack.lost > 0, self.is_limited(sample), starts);
        let rate = sample.delivered as f64 / sample.interval.as_secs_f64();
        if !self.is_limited(sample) || rate >= self.rates.get() {
            self.rates.put(self.rounds, rate, self.params.rate_rounds);
        }
        starts
    }

    fn look_for_policer(&mut self, lost: bool, app_limited: bool, starts: bool) {
        let shown = Shown { lost, app_limited, starts, probing: self.mode == Mode::ProbeBw };
        match self.policer.note(shown, &self.counts, self.params.packet_bits as f64) {
            Finding::Nothing => {}
            Finding::Policed => self.gain = 1.0,
            Finding::Over => self.probe_rate(self.counts.at),
        }
    }

    /// Whether a sample is that of a source that did not send what the path could take.
    fn is_limited(&self, sample: &RateSample) -> bool {
        sample.app_limited || self.least_window.covers(sample.prior_delivered)
    }

    fn extra_acked(&self) -> u64 {
        if self.full { self.aggregation.most().min((self.rate() * 0.1) as u64) } else { 0 }
    }

    fn next_phase(&mut self, ack: &Ack) {
        let Some((rtt, _)) = self.least_rtt else { return };
        let (gain, rate) = (self.gain, self.rates.get());
        let long = self.counts.at.since(self.cycle_since) > rtt;
        let in_flight = || self.at_departure(ack.prior_in_flight, ack.now);
        let ends = if gain > 1.0 {
            long && (ack.lost > 0 || in_flight() >= self.inflight(rate, gain, 0))
        } else if gain < 1.0 {
            long || in_flight() <= self.inflight(rate, 1.0, 0)
        } else {
            long
        };
        if ends {
            (self.cycle, self.cycle_since) = ((self.cycle + 1) % CYCLE.len(), self.counts.at);
        }
    }

    fn probe_rate(&mut self, now: Time) {
        // Any phase but the one that drains.
        self.mode = Mode::ProbeBw;
        (self.cycle, self.cycle_since) = ((7 - self.dice as usize + 1) % CYCLE.len(), now);
    }

    fn look_for_full(&mut self, starts: bool, app_limited: bool) {
        if self.full || !starts || app_limited {
            return;
        }
        if self.rates.get() >= self.full_rate * GROWTH {
            (self.full_rate, self.full_rounds) = (self.rates.get(), 0);
            return;
        }
        self.full_rounds += 1;
        self.full = self.full_rounds >= FULL_ROUNDS;
    }

    fn set_pacing(&mut self, ack: &Ack) {
        (self.gain, _) = self.gains();
        if !self.seen_rtt
            && let Some(rtt) = ack.smoothed
        {
            self.seen_rtt = true;
            self.pacing = self.params.startup_gain * self.initial as f64 * MARGIN / rtt.as_secs_f64().max(1e-6);
        }
        let rate = self.gain * self.rate() * MARGIN;
        if rate > 0.0 && (self.full || rate > self.pacing) {
            self.pacing = rate;
        }
    }
}

impl FlowControl for Bbr1 {
    fn on_start(&mut self, window: u64) {
        let s = &mut self.0;
        (s.window, s.initial) = (window, window);
        // Until a round trip is known, it counts as 1 ms.
        s.pacing = s.params.startup_gain * window as f64 * MARGIN / 1e-3;
    }

    fn on_packet_sent(&mut self, now: Time, in_flight: u64, app_limited: bool) {
        let s = &mut self.0;
        // As the pacer has it.
        if s.gap.0 != s.pacing {
            s.gap = (s.pacing, Duration::from_secs_f64((1.0 / s.pacing).min(1e6)));
        }
        s.departure = s.departure.max(now) + s.gap.1;
        // What is sent while the window is at its minimum counts as limited by data.
        if in_flight == 0 && s.rounds > 0 && (app_limited || s.least_window.lasts(s.counts.delivered)) {
            s.restart(now);
        }
    }

    fn on_round(&mut self, rng: &mut Rng) {
        self.0.dice = rng.below(7);
    }

    fn on_ack(&mut self, ack: &Ack) {
        let s = &mut self.0;
        s.counts.delivered = ack.total_delivered;
        if ack.delivered > 0 {
            s.counts.at = ack.now;
        }
        let mut starts = false;
        if let Some(sample) = &ack.rate {
            starts = s.take_rate(ack, sample);
            s.aggregation.note(ack, starts, s.rate(), s.window);
        }
        if s.mode == Mode::ProbeBw {
            s.next_phase(ack);
        }
        s.look_for_full(starts, ack.rate.is_none_or(|r| s.is_limited(&r)));
        if s.mode == Mode::Startup && s.full {
            s.mode = Mode::Drain;
        }
        if s.mode == Mode::Drain && s.at_departure(ack.in_flight, ack.now) <= s.inflight(s.rates.get(), 1.0, 0) {
            s.probe_rate(s.counts.at);
        }
        s.take_rtt(ack, starts);
        s.set_pacing(ack);
        s.set_window(ack);
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.0.take_loss(loss);
    }

    fn on_packet_lost(&mut self, _: Time, _: &Sent) {
        self.0.counts.lost += 1;
    }

    fn on_undo(&mut self) {
        let s = &mut self.0;
        (s.full_rate, s.full_rounds) = (0.0, 0);
        s.policer.reset(&s.counts);
    }

    fn allowance(&self) -> Allowance {
        Allowance { rate: self.0.pacing, ..Allowance::window(self.0.window) }
    }

    fn probe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        sink("window", self.0.window as f64);
        sink("rate", self.0.pacing);
        sink("delivery_rate", self.0.rates.get());
        sink("least_rtt", self.0.least_rtt.map_or(f64::NAN, |(least, _)| least.as_secs_f64()));
    }
}

#[cfg(test)]
mod tests;
