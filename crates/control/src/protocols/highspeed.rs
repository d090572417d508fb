//! `HighSpeed` TCP: the larger the window, the faster it grows and the less a loss cuts it.
//!
//! Source: RFC 3649. A mean window of 83000 packets (10 Gbit/s, 0.1 s) needs a loss rate of at most 1e-7; that of Reno needs 2e-10.
//! The text was not at hand: the formulas and the program of appendix B are recalled. Its windows are the 72 of the table in Linux's
//! `tcp_highspeed.c`; the last one comes from the program alone.
//! Deviations:
//! - Packets are counted, not bytes.
//! - The response function p(w) is that of section 5 with its parameters. The RFC rounds it to 0.078/w^1.2, and its table in appendix B to 1/(12.8 w^1.2):
//!   a(w) is up to 2.5 % greater here. Linux takes the row of the table.
//! - The growth a(w) is in 65536ths of a packet, at least 1 packet and at most w, and b(w) falls to half of `high_decrease` and no further. The RFC gives
//!   no such bounds: b(w) would reach 0 at 570000 packets.
//! - A timeout sets the threshold as a loss does, as in Linux. The RFC speaks of losses that do not need one.
//! - Limited Slow-Start (RFC 3742), which the RFC recommends, is not a part of it.
//!
//! State per flow: window, threshold and credit.

use crate::parts::window::{Window, kept_in, part};
use crate::transport::Config;
use crate::transport::tcp::Recovery;
use crate::{Ack, FlowControl, Loss};
use headgate_packet::{Card, Check, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `HighSpeed` TCP: a large window grows faster and is cut less. It is that of Reno while the window is small.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct HighspeedParams {
    /// Packets of window up to which it is Reno.
    #[schemars(range(min = 2, max = 1_000_000))]
    pub low_window: u64,
    /// Loss rate that belongs to this window.
    #[schemars(range(min = 1e-12, max = 0.5))]
    pub low_p: f64,
    /// A larger window, in packets, to which `high_p` and `high_decrease` belong.
    #[schemars(range(min = 3, max = 1_000_000_000))]
    pub high_window: u64,
    /// Loss rate at which the average window is `high_window`.
    #[schemars(range(min = 1e-15, max = 0.1))]
    pub high_p: f64,
    /// Part by which a loss cuts a window of `high_window`.
    #[schemars(range(min = 0.01, max = 0.5))]
    pub high_decrease: f64,
}

impl Default for HighspeedParams {
    fn default() -> HighspeedParams {
        HighspeedParams { low_window: 38, low_p: 1e-3, high_window: 83_000, high_p: 1e-7, high_decrease: 0.1 }
    }
}

impl Check for HighspeedParams {
    fn check(&self) -> Result<(), Wrong> {
        if self.high_window <= self.low_window {
            let why = format!("expected more than low_window, {}", self.low_window);
            return Err(Wrong::at("high_window", why).found(&self.high_window));
        }
        if self.high_p >= self.low_p {
            let why = format!("expected less than low_p, {}", self.low_p);
            return Err(Wrong::at("high_p", why).found(&self.high_p));
        }
        Ok(())
    }
}

impl HighspeedParams {
    /// How the transport serves it.
    pub fn transport(&self) -> Config {
        Config::rfc(Recovery::Sack)
    }

    /// How far a window is from the low one to the high one, by its logarithm: 0 and 1.
    fn way(&self, window: f64) -> f64 {
        let low = self.low_window as f64;
        libm::log(window / low) / libm::log(self.high_window as f64 / low)
    }

    /// p(w): the loss rate at which this window is the average one.
    fn loss_rate(&self, window: f64) -> f64 {
        self.low_p * libm::pow(self.high_p / self.low_p, self.way(window))
    }

    /// b(w): the part of a window that a loss takes.
    fn decrease(&self, window: u64) -> f64 {
        if window <= self.low_window {
            return 0.5;
        }
        let b = 0.5 + (self.high_decrease - 0.5) * self.way(window as f64);
        b.max(self.high_decrease / 2.0)
    }

    /// a(w): by how many packets a window grows in a round trip.
    fn increase(&self, window: u64) -> f64 {
        if window <= self.low_window {
            return 1.0;
        }
        let w = window as f64;
        increase(w, self.loss_rate(w), self.decrease(window)).clamp(1.0, w)
    }
}

/// By how many packets a window grows in a round trip that is cut by the part `b` and is `window` on average where this part `p` of the packets is lost.
fn increase(window: f64, p: f64, b: f64) -> f64 {
    window * window * p * 2.0 * b / (2.0 - b)
}

/// A window whose growth and cuts depend on its size.
#[derive(Clone, Debug)]
pub struct Highspeed {
    params: HighspeedParams,
    window: Window,
    /// For which window this is a(w), and a(w) in parts of a packet.
    increase: (u64, u64),
}

/// Of these parts is a packet of growth.
const PARTS: u64 = 1 << 16;

impl Highspeed {
    /// What it says of itself.
    pub const CARD: Card = Card { aliases: &["hstcp"], ..Card::of("RFC 3649") };

    /// A source before its first packet.
    pub fn new(params: &HighspeedParams) -> Highspeed {
        Highspeed { params: params.clone(), window: Window::new(1), increase: (1, PARTS) }
    }
}

impl FlowControl for Highspeed {
    fn on_start(&mut self, window: u64) {
        self.window = Window::new(window);
    }

    fn on_ack(&mut self, ack: &Ack) {
        if !Window::may_grow(ack) {
            return;
        }
        let rest = self.window.open(ack.credit);
        if rest == 0 {
            return;
        }
        let window = self.window.window;
        if self.increase.0 != window {
            self.increase = (window, (self.params.increase(window) * PARTS as f64).round() as u64);
        }
        self.window.add(self.increase.1.saturating_mul(rest).min(1 << 62), PARTS * window);
    }

    fn on_loss(&mut self, loss: &Loss) {
        let window = self.window.window.min(loss.used);
        self.window.cut(loss, part(1.0 - self.params.decrease(window), window));
    }

    kept_in!(window);

    fn probe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        self.window.probe(sink);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LossKind;
    use crate::protocols::sack::{Sack, SackParams};
    use crate::transport::tcp::AfterIdle;
    use headgate_packet::Time;

    /// The table of RFC 3649, appendix B: the windows at which a(w) reaches 1, 2, 3 and so on.
    const WINDOWS: [u64; 73] = [
        38, 118, 221, 347, 495, 663, 851, 1058, 1284, 1529, 1793, 2076, 2378, 2699, 3039, 3399, 3778, 4177, 4596, 5036, 5497, 5979, 6483, 7009, 7558, 8130,
        8726, 9346, 9991, 10661, 11358, 12082, 12834, 13614, 14424, 15265, 16137, 17042, 17981, 18955, 19965, 21013, 22101, 23230, 24402, 25618, 26881, 28193,
        29557, 30975, 32450, 33986, 35586, 37253, 38992, 40808, 42707, 44694, 46776, 48961, 51258, 53677, 56230, 58932, 61799, 64851, 68113, 71617, 75401,
        79517, 84035, 89053, 94717,
    ];

    /// b(w) in its rows, in hundredths.
    const CUTS: [u64; 73] = [
        50, 44, 41, 38, 37, 35, 34, 33, 32, 31, 30, 29, 28, 28, 27, 27, 26, 26, 25, 25, 24, 24, 23, 23, 22, 22, 22, 21, 21, 21, 20, 20, 20, 19, 19, 19, 19, 18, 18,
        18, 17, 17, 17, 17, 16, 16, 16, 16, 15, 15, 15, 15, 14, 14, 14, 14, 13, 13, 13, 13, 13, 12, 12, 12, 12, 11, 11, 11, 10, 10, 10, 10, 9,
    ];

    fn loss(kind: LossKind) -> Loss {
        Loss { now: Time::ZERO, kind, in_flight: 0, remaining: 0, again: false, used: u64::MAX, left: None }
    }

    fn ack() -> Ack {
        Ack { newly_acked: 1, credit: 1, limited: true, ..Ack::default() }
    }

    /// With this window, in congestion avoidance.
    fn at(window: u64) -> Highspeed {
        let mut h = Highspeed::new(&HighspeedParams::default());
        h.on_start(window);
        h.end_slow_start();
        h
    }

    #[test]
    fn the_table_of_appendix_b_comes_out_of_its_program() {
        // The program there prints a row whenever a(w) has grown by more than 1, with p(w) = 1 / (12.8 w^1.2).
        let params = HighspeedParams::default();
        let (mut rows, mut last) = (vec![38], 1.0);
        for w in 39..100_000 {
            let a = increase(w as f64, 1.0 / (12.8 * libm::pow(w as f64, 1.2)), params.decrease(w));
            if a > last + 1.0 {
                last = a;
                rows.push(w);
            }
        }
        assert_eq!(rows, WINDOWS);
        assert_eq!(WINDOWS.map(|w| (100.0 * params.decrease(w)).round() as u64), CUTS);
        // With the response function itself, which that one rounds.
        for (row, w) in (1..).zip(WINDOWS) {
            let more = params.increase(w) / f64::from(row);
            assert!((1.0..1.025).contains(&more), "{row} {w} {more}");
        }
    }

    #[test]
    fn the_high_window_has_the_growth_and_the_cut_of_section_5() {
        let params = HighspeedParams::default();
        assert!((params.loss_rate(83_000.0) / 1e-7 - 1.0).abs() < 1e-12);
        assert_eq!(params.increase(83_000) as u64, 72);
        let mut h = at(83_000);
        h.on_loss(&loss(LossKind::DuplicateAcks));
        assert_eq!(h.allowance().window, 74_700);
    }

    #[test]
    fn the_average_window_at_a_loss_rate_is_that_of_the_response_function() {
        // RFC 3649, section 5, table of the response function: the average window at this loss rate, and the round trips from loss to loss.
        for (packets, window, trips) in [(1_000, 38.0, 25.0), (10_000, 263.0, 38.0), (100_000, 1795.0, 57.0)] {
            let mut h = at(window as u64);
            let mut passed = 0.0;
            for cycle in 0..15 {
                passed = 0.0;
                for _ in 0..packets {
                    h.on_ack(&ack());
                    passed += 1.0 / h.allowance().window as f64;
                }
                if cycle < 14 {
                    h.on_loss(&loss(LossKind::DuplicateAcks));
                }
            }
            let near = |got: f64, due: f64| assert!((got / due - 1.0).abs() < 0.05, "{got} {due}");
            near(f64::from(packets) / passed, window);
            near(passed, trips);
        }
    }

    #[test]
    fn a_round_trip_adds_what_belongs_to_the_window_of_now() {
        // Section 5: 72 packets at 83000. Appendix B: 24 from 7009 on, 25 from 7558 on; 3 from 221 on, 4 from 347 on.
        let mut h = at(83_000);
        for (used, from, due) in [(9346, 80_000..=90_000, 72..=72), (500, 7300..=7500, 24..=25), (1, 310..=325, 3..=3)] {
            let window = h.allowance().window;
            (0..window).for_each(|_| h.on_ack(&ack()));
            let more = h.allowance().window - window;
            assert!(from.contains(&window) && due.contains(&more), "{window} {more}");
            h.on_loss(&Loss { used, ..loss(LossKind::DuplicateAcks) });
        }
    }

    #[test]
    fn a_small_window_is_that_of_reno() {
        let (mut h, mut reno) = (at(2), Sack::new(&SackParams::default()));
        reno.on_start(2);
        reno.end_slow_start();
        while reno.allowance().window < 38 {
            h.on_ack(&ack());
            reno.on_ack(&ack());
            assert_eq!(h.allowance(), reno.allowance());
        }
        h.on_ack(&ack());
        reno.on_ack(&ack());
        for control in [&mut h as &mut dyn FlowControl, &mut reno] {
            control.on_idle(AfterIdle::Initial, 10, 1);
            (0..10).for_each(|_| control.on_ack(&ack()));
        }
        assert_eq!(h.allowance(), reno.allowance());
        for kind in [LossKind::DuplicateAcks, LossKind::Timeout] {
            h.on_loss(&loss(kind));
            reno.on_loss(&loss(kind));
            assert_eq!((h.allowance(), h.in_slow_start()), (reno.allowance(), reno.in_slow_start()));
        }
    }

    #[test]
    fn what_a_loss_a_timeout_and_a_mark_leave() {
        // b(118) is 0.441: 65 packets. b(94717) is 0.09313, which leaves 85895.98, and of 100 million packets half of 0.1 is lost.
        let timeout = Loss { remaining: 5, ..loss(LossKind::Timeout) };
        for (window, loss, due, threshold) in [
            (118, loss(LossKind::DuplicateAcks), 65, 65),
            (94_717, loss(LossKind::DuplicateAcks), 85_895, 85_895),
            (100_000_000, loss(LossKind::DuplicateAcks), 95_000_000, 95_000_000),
            (118, timeout, 6, 65),
            (118, loss(LossKind::Mark), 65, 65),
            (83_000, loss(LossKind::Mark), 74_700, 74_700),
            (83_000, Loss { used: 118, ..loss(LossKind::DuplicateAcks) }, 65, 65),
        ] {
            let mut h = at(window);
            h.on_loss(&loss);
            assert_eq!((h.allowance().window, h.window.threshold), (due, threshold), "{window} {loss:?}");
        }
    }

    #[test]
    fn growth_stays_within_its_bounds_beyond_the_high_window() {
        // The response function holds there, too: table of section 5, a loss in 10^10 packets at 26864653 packets, which rounds 26518500.
        let params = HighspeedParams::default();
        assert!((params.loss_rate(26_518_500.0) / 1e-10 - 1.0).abs() < 1e-4);
        let strange = HighspeedParams { low_window: 2, low_p: 0.5, high_window: 3, high_p: 0.4, ..params };
        for w in [1, 2, 3, 10, 1_000_000] {
            let a = strange.increase(w);
            assert!((1.0..=w as f64).contains(&a), "{w} {a}");
        }
    }
}
