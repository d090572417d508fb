//! CUBIC as the Linux kernel has it: whole packets, whole ticks, and HyStart.
//!
//! Source: RFC 9438 for the algorithm; what differs is from Linux's `tcp_cubic.c` (version 2.3), read for the sheet of facts:
//! - The curve is evaluated once a tick, at the time since the loss plus the minimum round trip.
//! - Growth is a packet for a number of acknowledged packets, and this number is at least two.
//! - The Reno flow for comparison always grows by 8/15 packet a round trip.
//! - While the plateau is not known, growth is at least 5 % a round trip.
//!
//! Deviations:
//! - The cube root is exact; the kernel's is within 0.2 %.
//!
//! State per flow: window, threshold, and the epoch.

use crate::parts::ceil;
use crate::parts::hystart::Hystart;
use crate::parts::window::{Window, kept_in, part};
use crate::transport::Config;
use crate::transport::tcp::Preset;
use crate::{Ack, FlowControl, Loss, LossKind};
use headgate_packet::{Card, Check, Duration, Ecn, Time, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// CUBIC in whole numbers, as in the Linux kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CubicLinuxParams {
    /// A loss at a smaller window than the last one lowers the plateau.
    pub fast_convergence: bool,
    /// Slow start ends by HyStart.
    pub hystart: bool,
    /// Ticks a second of the kernel's clock.
    #[schemars(range(min = 10, max = 10000))]
    pub hz: u64,
}

impl Default for CubicLinuxParams {
    fn default() -> CubicLinuxParams {
        CubicLinuxParams { fast_convergence: true, hystart: true, hz: 250 }
    }
}

impl Check for CubicLinuxParams {
    fn check(&self) -> Result<(), Wrong> {
        Ok(())
    }
}

impl CubicLinuxParams {
    /// How the transport serves it.
    pub fn transport(&self) -> Config {
        Config::tcp(Preset::Linux.rules(), Ecn::NotEct)
    }
}

/// A second in picoseconds.
const SECOND: u64 = 1_000_000_000_000;
/// What a loss leaves of a window, out of 1024.
const BETA: u64 = 717;
/// The curve: 41/1024 packets per cubic tenth of a second, and its inverse for times in 1024ths of a second.
const SCALE: u128 = 410;
const FACTOR: u64 = (1 << 40) / 410;
/// A Reno flow that cuts its window by as much grows by a packet for this many windows acknowledged, over 8.
const RENO: u64 = 8 * (1024 + BETA) / 3 / (1024 - BETA);

/// The time to a plateau this many packets above, in 1024ths of a second.
fn to_plateau(packets: u64) -> u64 {
    let cube = u128::from(FACTOR) * u128::from(packets);
    let mut root = libm::cbrt(cube as f64) as u64;
    while u128::from(root).pow(3) > cube {
        root -= 1;
    }
    while u128::from(root + 1).pow(3) <= cube {
        root += 1;
    }
    root
}

/// The curve this many 1024ths of a second from its plateau, in whole packets.
fn rise(offset: u64) -> u64 {
    let offset = u128::from(offset.min(1 << 24));
    u64::try_from((SCALE * offset * offset * offset) >> 40).unwrap_or(u64::MAX)
}

/// The kernel's window.
#[derive(Clone, Debug)]
pub struct CubicLinux {
    params: CubicLinuxParams,
    /// A tick in picoseconds where that is a whole number, as for common clocks, so that numbers of 64 bits do; else 0.
    tick: u64,
    window: Window,
    hystart: Hystart,
    /// The window at the last loss.
    last_most: u64,
    /// Tick in which the epoch began, its plateau, and the time to it.
    epoch: Option<u64>,
    plateau: u64,
    to_plateau: u64,
    least: Option<Duration>,
    /// Packets to be acknowledged for one more; what was acknowledged; the Reno flow's window.
    each: u64,
    acked: u64,
    reno: u64,
    /// When the last packet was sent.
    last: Time,
    /// Window and tick at the last look.
    looked: (u64, u64),
}

impl CubicLinux {
    /// What it says of itself.
    pub const CARD: Card = Card { family: "cubic-window", ..Card::of("Ha, Rhee and Xu 2008; Linux tcp_cubic.c") };

    /// A source before its first packet.
    pub fn new(params: &CubicLinuxParams) -> CubicLinux {
        CubicLinux {
            params: params.clone(),
            tick: if SECOND.is_multiple_of(params.hz) { SECOND / params.hz } else { 0 },
            window: Window::new(1),
            hystart: Hystart::default(),
            last_most: 0,
            epoch: None,
            plateau: 0,
            to_plateau: 0,
            least: None,
            each: 1,
            acked: 0,
            reno: 0,
            last: Time::ZERO,
            looked: (0, u64::MAX),
        }
    }

    fn tick(&self, now: Time) -> u64 {
        if let Some(tick) = now.as_ps().checked_div(self.tick) {
            return tick;
        }
        (u128::from(now.as_ps()) * u128::from(self.params.hz) / u128::from(SECOND)) as u64
    }

    /// How many packets are to be acknowledged for one more.
    fn update(&mut self, credit: u64, tick: u64) {
        let window = self.window.window;
        self.acked += credit;
        if self.looked.0 == window && tick.saturating_sub(self.looked.1) <= self.params.hz / 32 {
            return;
        }
        if !(self.epoch.is_some() && self.looked.1 == tick) {
            self.look(credit, window, tick);
        }
        // Never slower than Reno.
        let step = (window * RENO) >> 3;
        if let Some(more) = self.acked.saturating_sub(1).checked_div(step) {
            self.acked -= more * step;
            self.reno += more;
        }
        if self.reno > window {
            self.each = self.each.min(window / (self.reno - window));
        }
        self.each = self.each.max(2);
    }

    fn look(&mut self, credit: u64, window: u64, tick: u64) {
        self.looked = (window, tick);
        let start = *self.epoch.get_or_insert_with(|| {
            (self.acked, self.reno) = (credit, window);
            (self.plateau, self.to_plateau) = if self.last_most <= window {
                (window, 0)
            } else {
                (self.last_most, to_plateau(self.last_most - window))
            };
            tick
        });
        let least_ticks = self.least.map_or(0, |least| ceil(least.as_secs_f64() * self.params.hz as f64));
        let t = ((tick - start + least_ticks) << 10) / self.params.hz;
        let target = if t < self.to_plateau {
            self.plateau.saturating_sub(rise(self.to_plateau - t))
        } else {
            self.plateau.saturating_add(rise(t - self.to_plateau))
        };
        self.each = if target > window { window / (target - window) } else { 100 * window };
        if self.last_most == 0 {
            self.each = self.each.min(20);
        }
    }
}

impl FlowControl for CubicLinux {
    fn on_start(&mut self, window: u64) {
        self.window = Window::new(window);
    }

    fn on_packet_sent(&mut self, now: Time, in_flight: u64, _: bool) {
        // A time in which nothing was under way is no part of the epoch.
        if let (0, Some(start)) = (in_flight, self.epoch) {
            let (tick, last) = (self.tick(now), self.tick(self.last));
            self.epoch = Some((start + (tick - last)).min(tick));
        }
        self.last = now;
    }

    fn on_ack(&mut self, ack: &Ack) {
        let tick = self.tick(ack.now);
        if let Some(rtt) = ack.rtt {
            // Right after a loss round trips still hold its queue.
            let early = self.epoch.is_some_and(|start| tick.saturating_sub(start) < self.params.hz);
            if !early {
                self.least = Some(self.least.map_or(rtt, |least| least.min(rtt)));
                let slow = self.params.hystart && self.window.in_slow_start() && !ack.recovering;
                if slow && self.hystart.on_ack(ack, rtt, self.window.window, self.least.unwrap_or(rtt)) {
                    self.window.threshold = self.window.window;
                }
            }
        }
        if !Window::may_grow(ack) {
            return;
        }
        let rest = self.window.open(ack.credit);
        if rest > 0 {
            self.update(rest, tick);
            self.window.add(rest, self.each);
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        let window = self.window.window;
        if !loss.again {
            let lower = self.params.fast_convergence && window < self.last_most;
            self.last_most = if lower { window * (1024 + BETA) / 2048 } else { window };
        }
        self.epoch = None;
        self.window.cut(loss, loss.left.map_or(window * BETA / 1024, |left| part(left, window)));
        if loss.kind == LossKind::Timeout {
            (self.last_most, self.least, self.each) = (0, None, 1);
            (self.hystart, self.looked, self.acked) = (Hystart::default(), (0, u64::MAX), 0);
        }
    }

    fn leave_slow_start_alone(&mut self) {
        self.params.hystart = false;
    }

    kept_in!(window);

    fn probe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        self.window.probe(sink);
        sink("plateau", if self.last_most == 0 { f64::NAN } else { self.last_most as f64 });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use headgate_packet::Time;

    /// The window in congestion avoidance after a second with packets and, in its middle, a pause of this many seconds.
    fn after_a_pause(control: &mut dyn FlowControl, pause: u64) -> u64 {
        let ms = |n: u64| Time::ZERO + Duration::from_millis(n);
        control.on_start(100);
        control.on_loss(&Loss { now: ms(0), kind: LossKind::DuplicateAcks, in_flight: 100, remaining: 0, again: false, used: u64::MAX, left: None });
        let (mut now, mut n) = (0, 0);
        for step in 0..2000 {
            now += if step == 1000 { 1000 * pause } else { 1 };
            control.on_packet_sent(ms(now), if step == 1000 { 0 } else { 50 }, false);
            n += 1;
            let rtt = Some(Duration::from_millis(100));
            let ack = Ack { now: ms(now), newly_acked: 1, credit: 1, rtt, smoothed: rtt, limited: true, ..Ack::default() };
            control.on_ack(&Ack { cumulative: n, highest_sent: n + 50, ..ack });
        }
        control.allowance().window
    }

    #[test]
    fn a_pause_does_not_move_the_curve() {
        let window = |pause| {
            let mut linux = CubicLinux::new(&CubicLinuxParams::default());
            let mut rfc = crate::protocols::cubic::Cubic::new(&crate::protocols::cubic::CubicParams::default());
            [after_a_pause(&mut linux, pause), after_a_pause(&mut rfc, pause)]
        };
        let (without, with) = (window(0), window(60));
        assert!(without.iter().zip(with).all(|(a, b)| a.abs_diff(b) <= 1), "{without:?} {with:?}");
        assert!((90..100).contains(&with[0]) && (90..100).contains(&with[1]), "{with:?}");
    }

    #[test]
    fn at_its_target_the_window_grows_by_a_hundredth_in_a_round_trip() {
        let mut c = CubicLinux::new(&CubicLinuxParams::default());
        c.last_most = 100;
        // At the plateau, and beyond it for as long as the curve is flat.
        c.look(1, 100, 0);
        assert_eq!((c.plateau, c.to_plateau, c.each), (100, 0, 100 * 100));
        // Below the plateau the target is 71 at first: one packet more for each 70 acknowledged.
        let mut c = CubicLinux::new(&CubicLinuxParams::default());
        c.last_most = 100;
        c.look(1, 70, 0);
        assert_eq!((c.plateau, c.to_plateau, c.each), (100, to_plateau(30), 70));
    }

    #[test]
    fn with_the_same_window_the_curve_is_looked_up_again_after_more_than_a_32nd_of_a_second() {
        let mut c = CubicLinux::new(&CubicLinuxParams::default());
        c.on_start(100);
        // Seven ticks of 4 ms, and eight.
        for (ms, looked) in [(0, 0), (28, 0), (32, 8)] {
            c.update(1, c.tick(Time::ZERO + Duration::from_millis(ms)));
            assert_eq!(c.looked, (100, looked), "{ms}");
        }
    }

    #[test]
    fn without_a_plateau_the_window_grows_by_a_twentieth_in_a_round_trip() {
        let mut c = CubicLinux::new(&CubicLinuxParams::default());
        c.look(1, 100, 0);
        assert_eq!((c.plateau, c.to_plateau, c.each), (100, 0, 20));
    }

    #[test]
    fn the_kernels_numbers() {
        assert_eq!((FACTOR, RENO), (2_681_735_677, 15));
        // Times to the plateau in s, of (plateau, window); the kernel's differ by less than 0.2 %.
        for ((most, window), due) in [((10, 7), 1.9574), ((20, 14), 2.4662), ((100, 70), 4.2172), ((1000, 700), 9.0856)] {
            let k = to_plateau(most - window) as f64 / 1024.0;
            assert!((k - due).abs() < 2e-3 * due, "{most} {window}: {k}");
        }
        let targets: Vec<u64> = [0u64, 500, 1000, 2000, 3000, 4000, 5000, 6000, 8000]
            .map(|ms| {
                let t = ms * 1024 / 1000;
                if t < 4316 { 100 - rise(4316 - t) } else { 100 + rise(t - 4316) }
            })
            .to_vec();
        assert_eq!(targets, [71, 80, 87, 96, 100, 100, 100, 102, 121]);
        for (window, due) in [(2, 2), (3, 2), (4, 2), (5, 3), (7, 4), (10, 7), (20, 14), (48, 33), (100, 70), (1000, 700)] {
            let mut c = CubicLinux::new(&CubicLinuxParams::default());
            c.on_start(window);
            c.on_loss(&Loss { now: Time::ZERO, kind: LossKind::DuplicateAcks, in_flight: window, remaining: 0, again: false, used: u64::MAX, left: None });
            assert_eq!((c.window.threshold, c.window.window), (due, due));
        }
        for (most, due) in [(7, 5), (10, 8), (48, 40), (80, 68), (100, 85)] {
            assert_eq!(most * (1024 + BETA) / 2048, due);
        }
    }

    #[test]
    fn renos_window_grows_once_more_than_fifteen_eighths_of_a_window_are_acknowledged() {
        // tcp_cubic.c, bictcp_update: with 8 packets above 15, and as many are taken off.
        let mut c = CubicLinux::new(&CubicLinuxParams::default());
        c.on_start(8);
        for (s, credit, due) in [(0, 1, (1, 8)), (1, 14, (15, 8)), (2, 1, (1, 9)), (3, 30, (1, 11))] {
            c.update(credit, c.tick(Time::ZERO + Duration::from_secs(s)));
            assert_eq!((c.acked, c.reno), due, "{s}");
        }
    }

    #[test]
    fn round_trips_of_the_first_second_of_an_epoch_do_not_count() {
        // tcp_cubic.c, cubictcp_acked: until as many ticks have passed as there are in a second.
        let mut c = CubicLinux::new(&CubicLinuxParams::default());
        c.epoch = Some(0);
        for (ms, rtt, least) in [(996, 40, None), (1000, 50, Some(50))] {
            let now = Time::ZERO + Duration::from_millis(ms);
            c.on_ack(&Ack { now, rtt: Some(Duration::from_millis(rtt)), ..Ack::default() });
            assert_eq!(c.least, least.map(Duration::from_millis));
        }
        // After a timeout the path is measured anew (bictcp_reset).
        let (now, kind) = (Time::ZERO + Duration::from_secs(2), LossKind::Timeout);
        c.on_loss(&Loss { now, kind, in_flight: 10, remaining: 0, again: false, used: u64::MAX, left: None });
        c.on_ack(&Ack { now, rtt: Some(Duration::from_millis(60)), ..Ack::default() });
        assert_eq!(c.least, Some(Duration::from_millis(60)));
    }

    #[test]
    fn a_part_of_a_tick_of_the_minimum_round_trip_is_a_whole_one() {
        // tcp_cubic.c: usecs_to_jiffies. With ticks of 100 ms a minimum of 1 ms is 102 / 1024 s, at which the target is 100 - 27 packets and not 71.
        let mut c = CubicLinux::new(&CubicLinuxParams { hz: 10, ..CubicLinuxParams::default() });
        (c.last_most, c.least) = (100, Some(Duration::from_millis(1)));
        c.look(1, 70, 0);
        assert_eq!(c.each, 70 / 3);
    }
}
