//! LEDBAT++: LEDBAT with a gain by the round trip, multiplicative decrease, and slowdowns in which flows that started late see the path without a queue.
//!
//! Source: draft-irtf-iccrg-ledbat-plus-plus-06, sections 4.1 to 4.5, by its numbers as the sheet of facts has them.
//! - The delay is the round trip. A round trip below `target` adds the gain, 1 / min(16, ceil(2 x `target` / least round trip)); one above it takes
//!   `decrease` x window x (time in the queue / `target` - 1) away from the gain, at most half the window.
//! - The first slow start goes by the gain, and ends at three quarters of `target`.
//! - Two round trips later, and then nine times as long after the end of a slowdown as it took, the window is two packets for two round trips,
//!   and goes back to what it was by slow start.
//!
//! Deviations:
//! - Packets are counted, not bytes.
//! - The window changes once a round trip by the whole amount outside of slow start.
//! - The least round trip is that of `base_history` minutes, two of them: the draft wants a short history, and slowdowns are seconds apart.
//! - The slow start of a slowdown doubles the window, whatever the gain, and is not ended by the delay.
//! - A loss within a slowdown halves the window to which it returns. A timeout is taken for the beginning of a slowdown with a window of one packet.
//!
//! State per flow: window, threshold, delays, and when slowdowns begin.

use crate::parts::base_delay::BaseDelay;
use crate::parts::window::UNKNOWN;
use crate::transport::Config;
use crate::transport::tcp::{AfterIdle, Preset, Recovery, Rules};
use crate::{Ack, Allowance, FlowControl, Loss, LossKind};
use headgate_packet::{Card, Check, Duration, Ecn, Time, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// LEDBAT++: LEDBAT whose flows share evenly. In slowdowns each flow sees the path without a queue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LedbatPlusPlusParams {
    /// Time in the queue that is to be held.
    pub target: Duration,
    /// How much of the window a round trip takes away for each `target` of delay above it.
    #[schemars(range(min = 0.0, max = 10.0))]
    pub decrease: f64,
    /// Maximum divisor of the gain.
    #[schemars(range(min = 1, max = 1000))]
    pub divisor: u32,
    /// Minutes over which the least round trip counts as that of the path.
    #[schemars(range(min = 1, max = 1000))]
    pub base_history: u32,
    /// Round trips of which the least one counts as the present one.
    #[schemars(range(min = 1, max = 1000))]
    pub current_filter: u32,
    /// Slowdowns are as many times as long apart as they take; 0 for none.
    #[schemars(range(min = 0, max = 10_000))]
    pub slowdown_every: u32,
}

impl Default for LedbatPlusPlusParams {
    fn default() -> LedbatPlusPlusParams {
        LedbatPlusPlusParams {
            target: Duration::from_millis(60),
            decrease: 1.0,
            divisor: 16,
            base_history: 2,
            current_filter: 4,
            slowdown_every: 9,
        }
    }
}

impl Check for LedbatPlusPlusParams {
    fn check(&self) -> Result<(), Wrong> {
        headgate_packet::check::at_least("target", self.target, Duration::from_ps(1_000_000))
    }
}

impl LedbatPlusPlusParams {
    /// It slows down as the delay of its packets grows.
    pub(crate) fn by_delay(&self) -> bool {
        true
    }

    /// How the transport serves it.
    pub fn transport(&self) -> Config {
        let rules = Preset::Rfc.rules();
        let rules = Rules { recovery: Recovery::Sack, initial_window: LEAST as u64, own_window: true, ..rules };
        Config::tcp(Rules { count_packets: true, ..rules }, Ecn::NotEct)
    }
}

/// Initial window, minimum one, and that of a slowdown.
const LEAST: f64 = 2.0;
/// Round trips for which the window of a slowdown stays, and those from the end of slow start to the first one.
const HELD: u32 = 2;
/// Part of the target at which the first slow start ends.
const ENOUGH: f64 = 0.75;

/// What it is doing.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Mode {
    /// The first slow start.
    Start,
    /// By the delay, until a slowdown begins.
    Steady { until: Time },
    /// In a slowdown since then, with the small window for this number of further round trips.
    Held { since: Time, rounds: u32 },
    /// On the way back.
    Back { since: Time },
}

/// A window by the time in the queue, with slowdowns.
#[derive(Clone, Debug)]
pub struct LedbatPlusPlus {
    params: LedbatPlusPlusParams,
    window: f64,
    threshold: f64,
    before: (f64, f64),
    delays: BaseDelay,
    mode: Mode,
}

impl LedbatPlusPlus {
    /// What it says of itself.
    pub const CARD: Card = Card { aliases: &["ledbat++", "ledbatpp"], ..Card::of("draft-irtf-iccrg-ledbat-plus-plus-06") };

    /// A source before its first packet.
    pub fn new(params: &LedbatPlusPlusParams) -> LedbatPlusPlus {
        let delays = BaseDelay::new(params.base_history as usize, params.current_filter as usize);
        let (window, threshold) = (1.0, UNKNOWN as f64);
        LedbatPlusPlus { params: params.clone(), window, threshold, before: (0.0, 0.0), delays, mode: Mode::Start }
    }

    /// Packets that a round trip adds (section 4.2).
    fn gain(&self) -> f64 {
        let Some(base) = self.delays.base() else { return 1.0 };
        let divisor = (2.0 * self.params.target.as_secs_f64() / base.as_secs_f64().max(1e-12)).ceil();
        1.0 / divisor.clamp(1.0, f64::from(self.params.divisor))
    }

    /// Packets by which a round trip with this delay changes the window (section 4.2).
    fn change(&self, queueing: Duration) -> f64 {
        let above = queueing.as_secs_f64() / self.params.target.as_secs_f64() - 1.0;
        if above <= 0.0 {
            return self.gain();
        }
        (self.gain() - self.params.decrease * self.window * above).max(-self.window / 2.0)
    }

    /// Slow start has ended: the first slowdown follows.
    fn settle(&mut self, now: Time, smoothed: Option<Duration>) {
        let rtt = smoothed.unwrap_or(Duration::ZERO);
        let until = if self.params.slowdown_every > 0 { now + rtt * f64::from(HELD) } else { Time::NEVER };
        (self.threshold, self.mode) = (self.window, Mode::Steady { until });
    }

    /// A slowdown has ended, which began then: the next one follows.
    fn resume(&mut self, since: Time, now: Time) {
        let until = match self.params.slowdown_every {
            0 => Time::NEVER,
            every => now + now.since(since) * f64::from(every),
        };
        (self.window, self.mode) = (self.threshold, Mode::Steady { until });
    }
}

impl FlowControl for LedbatPlusPlus {
    fn on_start(&mut self, window: u64) {
        self.window = window as f64;
    }

    fn on_ack(&mut self, ack: &Ack) {
        if let Some(rtt) = ack.rtt {
            self.delays.sample(rtt, ack.now);
        }
        let Some(queueing) = self.delays.queueing() else { return };
        let grows = ack.limited && !ack.recovering;
        match self.mode {
            Mode::Start => {
                if grows {
                    self.window += self.gain() * ack.delivered as f64;
                }
                if queueing.as_secs_f64() > ENOUGH * self.params.target.as_secs_f64() {
                    self.settle(ack.now, ack.smoothed);
                }
            }
            Mode::Steady { until } if ack.now >= until && !ack.repairing => {
                (self.threshold, self.window) = (self.window, LEAST);
                self.mode = Mode::Held { since: ack.now, rounds: HELD };
            }
            Mode::Steady { .. } => {
                let change = self.change(queueing);
                if ack.round && !ack.recovering && (change < 0.0 || ack.limited) {
                    self.window = (self.window + change).max(LEAST);
                }
            }
            Mode::Held { since, rounds } => {
                let rounds = rounds - u32::from(ack.round);
                self.mode = if rounds > 0 { Mode::Held { since, rounds } } else { Mode::Back { since } };
            }
            Mode::Back { since } => {
                if !ack.repairing || self.window < LEAST {
                    self.window += ack.delivered as f64;
                }
                if self.window >= self.threshold {
                    self.resume(since, ack.now);
                }
            }
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        if !loss.again {
            self.before = (self.window, self.threshold);
            let present = matches!(self.mode, Mode::Start | Mode::Steady { .. });
            self.threshold = (if present { self.window } else { self.threshold } / 2.0).max(LEAST);
            if present {
                self.window = self.threshold;
            }
            self.window = self.window.min(self.threshold);
            if self.mode == Mode::Start {
                self.settle(loss.now, None);
            }
        }
        if loss.kind == LossKind::Timeout {
            self.window = (loss.remaining + 1) as f64;
            self.mode = Mode::Back { since: loss.now };
        }
    }

    fn on_undo(&mut self) {
        let (window, threshold) = self.before;
        (self.window, self.threshold) = (self.window.max(window), self.threshold.max(threshold));
    }

    fn on_idle(&mut self, rule: AfterIdle, initial: u64, timeouts: u64) {
        self.window = rule.window(self.window, initial, timeouts);
    }

    fn in_slow_start(&self) -> bool {
        matches!(self.mode, Mode::Start | Mode::Back { .. })
    }

    fn allowance(&self) -> Allowance {
        Allowance::window(self.window as u64)
    }

    fn probe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        sink("window", self.window);
        sink("threshold", if self.threshold >= UNKNOWN as f64 { f64::NAN } else { self.threshold });
        sink("base_delay", self.delays.base().map_or(f64::NAN, Duration::as_secs_f64));
        sink("queueing", self.delays.queueing().map_or(f64::NAN, Duration::as_secs_f64));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    fn at(n: u64) -> Time {
        Time::ZERO + ms(n)
    }

    /// A flow with this window in its steady state over a path with this round trip in ms.
    fn flow(window: f64, base: u64) -> LedbatPlusPlus {
        let mut l = LedbatPlusPlus::new(&LedbatPlusPlusParams { current_filter: 1, ..LedbatPlusPlusParams::default() });
        (l.window, l.mode) = (window, Mode::Steady { until: Time::NEVER });
        l.delays.sample(ms(base), Time::ZERO);
        l
    }

    fn ack(l: &mut LedbatPlusPlus, now: u64, rtt: u64, delivered: u64, round: bool) -> f64 {
        let rtt = Some(ms(rtt));
        l.on_ack(&Ack { now: at(now), rtt, smoothed: rtt, delivered, round, limited: true, ..Ack::default() });
        l.window
    }

    fn lose(l: &mut LedbatPlusPlus, kind: LossKind, now: u64) {
        l.on_loss(&Loss { now: at(now), kind, in_flight: 9, remaining: 0, again: false, used: u64::MAX, left: None });
    }

    #[test]
    fn the_gain_goes_by_the_round_trip() {
        let divisors = [(1, 16), (5, 16), (8, 15), (9, 14), (10, 12), (20, 6), (30, 4), (40, 3), (50, 3), (60, 2), (120, 1), (500, 1)];
        for (base, divisor) in divisors {
            assert!((flow(10.0, base).gain() - 1.0 / f64::from(divisor)).abs() < 1e-12, "{base}");
        }
    }

    #[test]
    fn a_round_trip_changes_the_window_by_the_delay() {
        // The sheet's example: a window of 100, 20 ms.
        for (queueing, due) in [(0, 0.1667), (30, 0.1667), (60, 0.1667), (63, -4.833), (66, -9.833), (90, -49.83), (120, -50.0), (200, -50.0)]
        {
            let mut l = flow(100.0, 20);
            assert!((ack(&mut l, 1, 20 + queueing, 10, false) - 100.0).abs() < 1e-12);
            assert!((ack(&mut l, 1, 20 + queueing, 10, true) - 100.0 - due).abs() < 5e-3, "{queueing}");
        }
        let mut small = flow(3.0, 20);
        assert_eq!([ack(&mut small, 1, 300, 1, true), ack(&mut small, 2, 300, 1, true)], [2.0, 2.0]);
    }

    #[test]
    fn the_first_slow_start_goes_by_the_gain_and_ends_at_three_quarters_of_the_target() {
        let mut l = flow(2.0, 20);
        l.mode = Mode::Start;
        assert!((ack(&mut l, 20, 20, 12, true) - 4.0).abs() < 1e-9);
        assert!((ack(&mut l, 85, 65, 6, true) - 5.0).abs() < 1e-9 && l.mode == Mode::Start);
        ack(&mut l, 151, 66, 6, true);
        // Two round trips later.
        assert_eq!((l.window, l.threshold, l.mode), (6.0, 6.0, Mode::Steady { until: at(151 + 132) }));
    }

    #[test]
    fn a_slowdown_lasts_two_round_trips_and_the_way_back_and_the_next_one_is_nine_times_as_long_after_it() {
        let mut l = flow(64.0, 100);
        l.mode = Mode::Steady { until: at(1000) };
        assert!((ack(&mut l, 999, 100, 1, false) - 64.0).abs() < 1e-12);
        let mut windows = vec![ack(&mut l, 1000, 100, 1, false)];
        // 2 + 5 round trips of 100 ms, one acknowledgement each.
        for n in 1..=7 {
            let delivered = l.window as u64;
            windows.push(ack(&mut l, 1000 + 100 * n, 100, delivered, true));
        }
        assert_eq!(windows, [2.0, 2.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0]);
        assert_eq!(l.mode, Mode::Steady { until: at(1700 + 6300) });
    }

    #[test]
    fn a_loss_halves_the_window_or_that_to_which_a_slowdown_returns() {
        let mut l = flow(64.0, 100);
        lose(&mut l, LossKind::DuplicateAcks, 1);
        assert_eq!((l.window, l.threshold), (32.0, 32.0));
        l.on_undo();
        assert!((l.window - 64.0).abs() < 1e-12);
        for mode in [Mode::Held { since: at(1), rounds: 1 }, Mode::Back { since: at(1) }] {
            (l.window, l.threshold, l.mode) = (2.0, 64.0, mode);
            lose(&mut l, LossKind::DuplicateAcks, 1);
            assert_eq!((l.window, l.threshold, l.mode), (2.0, 32.0, mode));
        }
        (l.window, l.threshold) = (40.0, 64.0);
        lose(&mut l, LossKind::Mark, 1);
        assert_eq!((l.window, l.threshold), (32.0, 32.0));
        l.mode = Mode::Start;
        lose(&mut l, LossKind::DuplicateAcks, 5);
        assert_eq!((l.window, l.mode), (16.0, Mode::Steady { until: at(5) }));
        lose(&mut l, LossKind::Timeout, 9);
        assert_eq!((l.window, l.threshold, l.mode), (1.0, 8.0, Mode::Back { since: at(9) }));
    }

    #[test]
    fn without_slowdowns_there_are_none() {
        let params = LedbatPlusPlusParams { slowdown_every: 0, ..LedbatPlusPlusParams::default() };
        let mut l = LedbatPlusPlus { params, ..flow(10.0, 20) };
        l.settle(at(1), Some(ms(20)));
        assert_eq!(l.mode, Mode::Steady { until: Time::NEVER });
        l.resume(at(1), at(2));
        assert_eq!(l.mode, Mode::Steady { until: Time::NEVER });
    }
}
