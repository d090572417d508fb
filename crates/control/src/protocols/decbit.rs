//! DECbit: the window follows the congestion bits that gateways set.
//!
//! Source: Ramakrishnan and Jain 1988, as Demers, Keshav and Shenker 1989, section 3, use it.
//! - After a change the bits of one window of acknowledgements are ignored; then those of one window are counted.
//! - If at least half of them are set, the window is multiplied by 0.875; otherwise it grows by one packet.
//!
//! Deviations:
//! - The DEC reports are known to us from these summaries only.
//! - Losses are repaired as by `generic`.
//! - With `close` a timeout also closes the window to one packet and counts as a change: in the thesis's scenario 8 the window in which spurious
//!   timeouts occur stays at 1.
//!
//! State per flow: the window and two counters.

use crate::transport::basic::{Averages, Rules};
use crate::transport::{check_timer, Clock, Config, Retransmit};
use crate::{Ack, Allowance, FlowControl, Loss};
use headgate_packet::{Card, Check, Duration, Ecn, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// DECbit: a window by the congestion bits that gateways set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DecbitParams {
    /// Maximum window in packets.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub window: u64,
    /// Factor of the window when the network is congested.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub decrease: f64,
    /// Packets by which the window grows when it is not.
    #[schemars(range(min = 0.0, max = 1000.0))]
    pub increase: f64,
    /// Share of set bits from which on the network counts as congested.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub threshold: f64,
    /// Whether a timeout closes the window to one packet (thesis, scenarios 7 and 8), or leaves it.
    pub close: bool,
    /// The timeout is this many average round-trip times.
    #[schemars(range(min = 1.0, max = 1000.0))]
    pub beta: f64,
    /// Weight of a new sample in the average round-trip time.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub gain: f64,
    /// Which transmission the round trip of a retransmitted packet is counted from.
    pub clock: Clock,
    /// What a timeout sends again.
    pub retransmit: Retransmit,
    /// Factor of the timeout after each timeout in a row.
    #[schemars(range(min = 1.0, max = 64.0))]
    pub backoff: f64,
    /// Where the average round-trip time starts; the first timeout is `beta` times it.
    pub initial_rtt: Duration,
    /// Minimum timeout.
    pub min_timeout: Duration,
    /// Maximum timeout; at least 1 ms.
    pub max_timeout: Duration,
}

impl Default for DecbitParams {
    fn default() -> DecbitParams {
        DecbitParams {
            window: 5,
            decrease: 0.875,
            increase: 1.0,
            threshold: 0.5,
            close: false,
            beta: 2.0,
            gain: 0.25,
            clock: Clock::First,
            retransmit: Retransmit::Repair,
            backoff: 2.0,
            initial_rtt: Duration::from_millis(1500),
            min_timeout: Duration::ZERO,
            max_timeout: Duration::from_secs(3600),
        }
    }
}

impl Check for DecbitParams {
    fn check(&self) -> Result<(), Wrong> {
        check_timer("initial_rtt", self.initial_rtt, self.min_timeout, self.max_timeout)
    }
}

impl DecbitParams {
    /// How the transport serves it.
    pub fn transport(&self) -> Config {
        let averages = Averages {
            gain: self.gain,
            deviation_gain: 0.0,
            means: self.beta,
            deviations: 0.0,
            start: Some(self.initial_rtt),
            backoff: self.backoff,
            most_backoff: Averages::MOST_BACKOFF,
            clock: self.clock,
            every_sample: true,
        };
        let rules = Rules {
            min_timeout: self.min_timeout.max(Duration::from_ps(1)),
            max_timeout: self.max_timeout,
            ..Rules::new(self.retransmit, averages)
        };
        Config::window(rules, Ecn::Ect0)
    }
}

/// A window that follows congestion bits.
#[derive(Clone, Debug)]
pub struct Decbit {
    decrease: f64,
    increase: f64,
    threshold: f64,
    most: f64,
    close: bool,
    /// W, real-valued; its whole part is what may be outstanding.
    window: f64,
    /// Acknowledgements still to be ignored after the last change.
    ignore: u64,
    /// Acknowledgements judged so far, and how many of them had the bit set.
    seen: u64,
    marked: u64,
}

impl Decbit {
    /// What it says of itself.
    pub const CARD: Card = Card {
        main: &["window"],
        ..Card::of("Ramakrishnan and Jain 1988; Demers, Keshav and Shenker 1989, section 3")
    };

    /// A source with a window of one packet.
    pub fn new(params: &DecbitParams) -> Decbit {
        let DecbitParams { decrease, increase, threshold, window, close, .. } = *params;
        Decbit { decrease, increase, threshold, most: window as f64, close, window: 1.0, ignore: 0, seen: 0, marked: 0 }
    }
}

impl FlowControl for Decbit {
    fn on_ack(&mut self, ack: &Ack) {
        if ack.newly_acked == 0 {
            return;
        }
        if self.ignore > 0 {
            self.ignore -= 1;
            return;
        }
        self.seen += 1;
        self.marked += u64::from(ack.marked);
        if self.seen < self.window as u64 {
            return;
        }
        let congested = self.marked as f64 >= self.threshold * self.seen as f64;
        let window =
            if congested { self.window * self.decrease } else { self.window + self.increase };
        self.window = window.clamp(1.0, self.most);
        (self.seen, self.marked, self.ignore) = (0, 0, self.window as u64);
    }

    fn on_loss(&mut self, _: &Loss) {
        if self.close {
            (self.window, self.seen, self.marked, self.ignore) = (1.0, 0, 0, 1);
        }
    }

    fn allowance(&self) -> Allowance {
        Allowance::window(self.window as u64)
    }

    fn probe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        sink("window", self.window);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use headgate_packet::Time;

    fn ack(marked: bool) -> Ack {
        Ack {
            now: Time::ZERO,
            newly_acked: 1,
            duplicates: 0,
            rtt: Option::None,
            marked,
            cumulative: 0,
            highest_sent: 0,
            in_flight: 0,
            seq: 0,
            waited: Duration::ZERO,
            pair: crate::Probe::None,
            ..Ack::default()
        }
    }

    fn windows(bits: &[bool]) -> Vec<f64> {
        let mut source = Decbit::new(&DecbitParams::default());
        bits.iter().map(|b| { source.on_ack(&ack(*b)); source.window }).collect()
    }

    #[test]
    fn grows_by_one_every_second_window() {
        // W = 1: one judged -> 2; two ignored, two judged -> 3; three ignored, three judged -> 4.
        let expected = [2.0, 2.0, 2.0, 2.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 4.0];
        assert_eq!(windows(&[false; 11]), expected);
    }

    #[test]
    fn half_the_bits_are_enough_to_shrink() {
        let mut bits = vec![false; 4];
        bits.push(true); // one of the two judged at W = 2
        assert_eq!(*windows(&bits).last().unwrap(), 2.0 * 0.875);
    }

    #[test]
    fn a_timeout_closes_the_window_if_it_is_to() {
        for (close, after, next) in [(false, 3.0, 4.0), (true, 1.0, 2.0)] {
            let mut source = Decbit::new(&DecbitParams { close, ..DecbitParams::default() });
            (0..5).for_each(|_| source.on_ack(&ack(false)));
            assert_eq!(source.window, 3.0);
            source.on_loss(&Loss { now: Time::ZERO, kind: crate::LossKind::Timeout, in_flight: 3, remaining: 0, again: false, used: u64::MAX, left: None });
            assert_eq!(source.window, after);
            // The first acknowledgement after the close is ignored, as after any change.
            source.on_ack(&ack(false));
            assert_eq!(source.window, after);
            (0..5).for_each(|_| source.on_ack(&ack(false)));
            assert!(source.window >= next);
        }
    }

    #[test]
    fn never_leaves_one_to_the_maximum() {
        assert_eq!(windows(&[true; 50]).last(), Some(&1.0));
        assert_eq!(windows(&[false; 500]).last(), Some(&5.0));
    }

    #[test]
    fn duplicates_are_neither_judged_nor_do_they_use_up_the_pause() {
        let mut source = Decbit::new(&DecbitParams::default());
        let duplicate = Ack { newly_acked: 0, ..ack(true) };
        let mut windows = vec![];
        for _ in 0..5 {
            (0..10).for_each(|_| source.on_ack(&duplicate));
            source.on_ack(&ack(false));
            windows.push(source.window);
        }
        assert_eq!(windows, [2.0, 2.0, 2.0, 2.0, 3.0]);
    }

    #[test]
    fn the_parameters_say_how_much_it_grows_and_shrinks_and_from_which_share_on() {
        let params = DecbitParams { window: 40, increase: 2.5, decrease: 0.5, threshold: 0.25, ..DecbitParams::default() };
        let mut source = Decbit::new(&params);
        source.on_ack(&ack(false));
        assert_eq!((source.window, source.allowance().window), (3.5, 3));
        // Three are ignored and three judged: none set.
        (0..6).for_each(|_| source.on_ack(&ack(false)));
        assert_eq!(source.window, 6.0);
        // Six ignored, though they are set, and six judged: one of them is less than a quarter, two are not.
        (0..6).for_each(|_| source.on_ack(&ack(true)));
        (0..6).for_each(|i| source.on_ack(&ack(i == 0)));
        assert_eq!(source.window, 8.5);
        (0..8).for_each(|_| source.on_ack(&ack(true)));
        (0..8).for_each(|i| source.on_ack(&ack(i < 2)));
        assert_eq!(source.window, 4.25);
    }

    #[test]
    fn a_closed_window_starts_its_judgement_anew() {
        let mut source = Decbit::new(&DecbitParams { close: true, ..DecbitParams::default() });
        // At a window of three, two of three set bits have been judged when the timeout comes.
        (0..5).for_each(|_| source.on_ack(&ack(false)));
        (0..3).for_each(|_| source.on_ack(&ack(false)));
        (0..2).for_each(|_| source.on_ack(&ack(true)));
        source.on_loss(&Loss { now: Time::ZERO, kind: crate::LossKind::Timeout, in_flight: 3, remaining: 0, again: false, used: u64::MAX, left: None });
        // One ignored, one judged: it is not set, and what was judged before does not count.
        (0..2).for_each(|_| source.on_ack(&ack(false)));
        assert_eq!(source.window, 2.0);
        // Two are ignored then; after one judged bit of two the window has not moved.
        (0..3).for_each(|_| source.on_ack(&ack(false)));
        assert_eq!(source.window, 2.0);
        source.on_ack(&ack(false));
        assert_eq!(source.window, 3.0);
    }
}
