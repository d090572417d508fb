//! CUBIC: the window follows a cubic function of the time since the last loss, and is never below that of a Reno flow.
//!
//! Source: RFC 9438; slow start ends by RFC 9406 (HyStart++) unless a parameter says otherwise. `cubic_linux` is the kernel's version, in whole numbers.
//! Deviations:
//! - Packets are counted, not bytes.
//! - A loss cuts the window, not the packets in flight; growth that needs a window in use allows this (section 4.6).
//! - Times in which the window was not in use are taken out of the epoch (sections 4.2 and 5.8).
//!
//! State per flow: window, threshold, and the epoch.

use crate::parts::hystart::HystartPlusPlus;
use crate::parts::window::{UNKNOWN, Window};
use crate::transport::Config;
use crate::transport::tcp::{AfterIdle, Preset, Recovery, Rules};
use crate::{Ack, Allowance, FlowControl, Loss, LossKind};
use headgate_packet::{Card, Check, Duration, Ecn, Time, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How slow start ends when nothing is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SlowStartEnd {
    /// With a loss only.
    Loss,
    /// When round trips grow (RFC 9406).
    HystartPlusPlus,
}

/// CUBIC: a cubic function of the time since the last loss. The window follows this function.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CubicParams {
    /// Constant C of the cubic function, in packets per cubic second.
    #[schemars(range(min = 0.0001, max = 1000.0))]
    pub c: f64,
    /// Part of the window that a loss leaves.
    #[schemars(range(min = 0.1, max = 0.95))]
    pub beta: f64,
    /// A loss at a smaller window than the last one lowers the plateau, which frees bandwidth for other flows.
    pub fast_convergence: bool,
    /// How slow start ends when nothing is lost.
    pub slow_start_end: SlowStartEnd,
}

impl Default for CubicParams {
    fn default() -> CubicParams {
        CubicParams { c: 0.4, beta: 0.7, fast_convergence: true, slow_start_end: SlowStartEnd::HystartPlusPlus }
    }
}

impl Check for CubicParams {
    fn check(&self) -> Result<(), Wrong> {
        Ok(())
    }
}

impl CubicParams {
    /// How the transport serves it.
    pub fn transport(&self) -> Config {
        let rules = Preset::Rfc.rules();
        Config::tcp(Rules { recovery: Recovery::Sack, prr: true, count_packets: true, ..rules }, Ecn::NotEct)
    }
}

/// What a loss changes, and what a spurious one gives back.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Curve {
    window: f64,
    threshold: f64,
    /// The plateau, and the window before the last cut.
    plateau: Option<f64>,
    prior: f64,
    /// When the epoch began, its first window, the time to the plateau, and the window that Reno would have.
    epoch: Option<(Time, f64, f64, f64)>,
}

/// The cubic window.
#[derive(Clone, Debug)]
pub struct Cubic {
    params: CubicParams,
    /// Growth of a Reno flow that cuts its window by as much: section 4.3.
    alpha: f64,
    curve: Curve,
    before: Option<Box<Curve>>,
    hystart: HystartPlusPlus,
    /// Since when the window was not in use, and when the last packet was sent.
    unused: Option<Time>,
    last: Time,
}

impl Cubic {
    /// What it says of itself.
    pub const CARD: Card = Card { family: "cubic-window", aliases: &["tcp"], ..Card::of("RFC 9438; Ha, Rhee and Xu 2008") };

    /// A source before its first packet.
    pub fn new(params: &CubicParams) -> Cubic {
        let curve = Curve { window: 1.0, threshold: UNKNOWN as f64, plateau: None, prior: 0.0, epoch: None };
        let alpha = 3.0 * (1.0 - params.beta) / (1.0 + params.beta);
        Cubic { params: params.clone(), alpha, curve, before: None, hystart: HystartPlusPlus::default(), unused: None, last: Time::ZERO }
    }

    /// Congestion avoidance: sections 4.2 to 4.5.
    fn avoid(&mut self, acked: f64, now: Time, rtt: Duration) {
        let (c, alpha) = (self.params.c, self.alpha);
        let w = &mut self.curve;
        let (start, first, to_plateau, reno) = w.epoch.get_or_insert_with(|| {
            let plateau = w.plateau.filter(|p| *p > w.window);
            w.plateau = Some(plateau.unwrap_or(w.window));
            (now, w.window, plateau.map_or(0.0, |p| libm::cbrt((p - w.window) / c)), w.window)
        });
        let plateau = w.plateau.unwrap_or(*first);
        // From the former window on it grows as Reno does.
        *reno += if *reno >= w.prior { 1.0 } else { alpha } * acked / w.window;
        let t = now.since(*start).as_secs_f64();
        let at = |t: f64| c * (t - *to_plateau) * (t - *to_plateau) * (t - *to_plateau) + plateau;
        if at(t) < *reno {
            w.window = w.window.max(*reno);
        } else {
            let target = at(t + rtt.as_secs_f64()).max(w.window).min(1.5 * w.window);
            w.window += (target - w.window) / w.window * acked;
        }
    }
}

impl FlowControl for Cubic {
    fn on_start(&mut self, window: u64) {
        self.curve.window = window as f64;
    }

    fn on_packet_sent(&mut self, now: Time, in_flight: u64, _: bool) {
        // A time in which nothing was under way is no part of the epoch.
        if let (0, Some((start, ..))) = (in_flight, &mut self.curve.epoch) {
            *start += now.since(self.last.max(*start).min(now));
        }
        self.last = now;
    }

    fn on_ack(&mut self, ack: &Ack) {
        if ack.newly_acked == 0 || ack.recovering {
            return;
        }
        if !ack.limited {
            self.unused.get_or_insert(ack.now);
            return;
        }
        if let (Some(since), Some((start, ..))) = (self.unused.take(), &mut self.curve.epoch) {
            *start += ack.now.since(since.max(*start));
        }
        if self.in_slow_start() {
            let ends = match self.params.slow_start_end {
                SlowStartEnd::Loss => {
                    self.curve.window += ack.credit as f64;
                    false
                }
                SlowStartEnd::HystartPlusPlus => {
                    let (grow, ends) = self.hystart.on_ack(ack, ack.credit);
                    self.curve.window += grow as f64;
                    ends
                }
            };
            if ends {
                // Section 4.10: the window is its own plateau.
                (self.curve.threshold, self.curve.prior) = (self.curve.window, self.curve.window);
            }
            self.curve.window = self.curve.window.min(self.curve.threshold.max(1.0));
            return;
        }
        let rtt = ack.smoothed.unwrap_or(Duration::ZERO);
        self.avoid(ack.credit as f64, ack.now, rtt);
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.hystart.end();
        let timeout = loss.kind == LossKind::Timeout;
        if !loss.again {
            self.before = Some(Box::new(self.curve));
            let (w, beta) = (&mut self.curve, self.params.beta);
            let lower = self.params.fast_convergence && w.plateau.is_some_and(|p| w.window < p);
            w.plateau = Some(if lower { w.window * (1.0 + beta) / 2.0 } else { w.window });
            w.prior = w.window;
            w.threshold = (w.window * loss.left.unwrap_or(beta)).max(2.0);
        }
        self.curve.epoch = None;
        if timeout {
            // Section 4.8: the next epoch starts from the window at which slow start ends.
            self.curve.plateau = None;
            self.curve.window = (loss.remaining + 1) as f64;
        } else {
            self.curve.window = self.curve.threshold;
        }
    }

    fn on_idle(&mut self, rule: AfterIdle, initial: u64, timeouts: u64) {
        let mut window = Window::new(self.curve.window as u64);
        window.restart(rule, initial, timeouts);
        (self.curve.window, self.curve.epoch) = (window.window as f64, None);
    }

    fn on_undo(&mut self) {
        if let Some(before) = self.before.take()
            && self.curve.window < before.window
        {
            self.curve = *before;
        }
    }

    fn end_slow_start(&mut self) -> bool {
        // Section 4.10: the window is its own plateau.
        (self.curve.threshold, self.curve.prior) = (self.curve.window, self.curve.window);
        true
    }

    fn leave_slow_start_alone(&mut self) {
        self.hystart.end();
    }

    fn in_slow_start(&self) -> bool {
        self.curve.window < self.curve.threshold
    }

    fn allowance(&self) -> Allowance {
        Allowance::window(self.curve.window as u64)
    }

    fn probe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        let w = &self.curve;
        sink("window", w.window);
        sink("threshold", if w.threshold == UNKNOWN as f64 { f64::NAN } else { w.threshold });
        sink("plateau", w.plateau.unwrap_or(f64::NAN));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Time = Time::from_ps(5_000_000_000_000);

    /// In congestion avoidance with a window of ten packets.
    fn cubic() -> Cubic {
        let mut cubic = Cubic::new(&CubicParams::default());
        cubic.on_start(10);
        cubic.curve.threshold = 10.0;
        cubic
    }

    #[test]
    fn above_its_plateau_the_window_is_the_plateau() {
        // RFC 9438, section 4.2: K is 0 unless the window is below W_max when the epoch starts.
        for (plateau, used) in [(None, 10.0), (Some(8.0), 10.0), (Some(12.0), 12.0)] {
            let mut cubic = cubic();
            cubic.curve.plateau = plateau;
            cubic.avoid(1.0, NOW, Duration::ZERO);
            let to_plateau = cubic.curve.epoch.map(|epoch| epoch.2);
            assert_eq!((cubic.curve.plateau, to_plateau), (Some(used), Some(libm::cbrt((used - 10.0) / 0.4))));
        }
    }

    #[test]
    fn the_target_is_at_most_half_above_the_window() {
        // Section 4.2: a thousand seconds after the start the curve is far above; one packet adds (15 - 10) / 10.
        let mut cubic = cubic();
        (cubic.curve.plateau, cubic.curve.epoch) = (Some(10.0), Some((Time::ZERO, 10.0, 0.0, 10.0)));
        cubic.avoid(1.0, Time::ZERO + Duration::from_secs(1000), Duration::ZERO);
        assert!((cubic.curve.window - 10.5).abs() < 1e-12, "{}", cubic.curve.window);
    }

    #[test]
    fn the_target_is_the_curve_a_round_trip_later() {
        // Section 4.2: half a second before a plateau of 20 packets, and 0.5 s of round trip: one packet adds (20 - 16) / 16.
        let mut cubic = cubic();
        (cubic.curve.window, cubic.curve.plateau) = (16.0, Some(20.0));
        cubic.curve.epoch = Some((NOW, 16.0, 1.0, 16.0));
        cubic.avoid(1.0, NOW + Duration::from_millis(500), Duration::from_millis(500));
        assert!((cubic.curve.window - 16.25).abs() < 1e-12, "{}", cubic.curve.window);
    }

    #[test]
    fn renos_estimate_grows_by_alpha_up_to_the_window_before_the_cut_and_by_one_beyond() {
        // Section 4.3: alpha is 3 x 0.3 / 1.7.
        for (prior, more) in [(20.0, 0.9 / 1.7), (10.0, 1.0)] {
            let mut cubic = cubic();
            (cubic.curve.plateau, cubic.curve.prior) = (Some(20.0), prior);
            cubic.curve.epoch = Some((NOW, 10.0, 2.0, 10.0));
            cubic.avoid(1.0, NOW, Duration::ZERO);
            let reno = cubic.curve.epoch.map_or(0.0, |epoch| epoch.3);
            assert!((reno - 10.0 - more / 10.0).abs() < 1e-12, "{prior}: {reno}");
        }
    }

    #[test]
    fn a_timeout_in_what_was_cut_already_lowers_no_threshold() {
        let mut cubic = cubic();
        for (kind, again, window) in [(LossKind::DuplicateAcks, false, 7.0), (LossKind::Timeout, true, 1.0)] {
            cubic.curve.epoch = Some((NOW, 10.0, 0.0, 10.0));
            cubic.on_loss(&Loss { now: NOW, kind, in_flight: 10, remaining: 0, again, used: u64::MAX, left: None });
            // Each of them ends the epoch (sections 4.2 and 4.8).
            assert_eq!((cubic.curve.window, cubic.curve.threshold, cubic.curve.epoch), (window, 7.0, None));
        }
    }

    #[test]
    fn a_loss_at_the_plateau_does_not_lower_it() {
        // Section 4.7: only one below it does, to 1.7 / 2 of the window.
        for (plateau, lowered) in [(9.9, 10.0), (10.0, 10.0), (10.1, 8.5)] {
            let mut cubic = cubic();
            cubic.curve.plateau = Some(plateau);
            let kind = LossKind::DuplicateAcks;
            cubic.on_loss(&Loss { now: NOW, kind, in_flight: 10, remaining: 0, again: false, used: u64::MAX, left: None });
            assert_eq!(cubic.curve.plateau, Some(lowered), "{plateau}");
        }
    }

    #[test]
    fn only_a_pause_within_the_epoch_is_taken_out_of_it() {
        // Sections 4.2 and 5.8: not in use from `unused` to 5 s, in an epoch that began at 3 s.
        for (unused, start) in [(2, 5), (3, 5), (4, 4)] {
            let s = |n: u64| Time::ZERO + Duration::from_secs(n);
            let mut cubic = cubic();
            cubic.curve.epoch = Some((s(3), 10.0, 0.0, 10.0));
            for (now, limited) in [(unused, false), (5, true)] {
                cubic.on_ack(&Ack { now: s(now), newly_acked: 1, credit: 1, limited, ..Ack::default() });
            }
            assert_eq!(cubic.curve.epoch.map(|epoch| epoch.0), Some(s(start)), "{unused}");
        }
    }
}
