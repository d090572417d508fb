//! Monitor intervals: what became of the packets that were sent at one rate.
//!
//! Source: Dong et al. 2015 (NSDI), section 3; Dong et al. 2018 (NSDI), section 4.
//! - A packet belongs to the interval in which it was sent. The interval is judged once all its packets arrived or were declared lost.
//! - The gradient of its round-trip times is the slope of a line through them, by when their packets were sent.
//!
//! Deviations:
//! - An interval begins and ends at an acknowledgement, since only then the rate may change.
//! - It is also judged when a packet sent a smoothed round trip after its end arrives: what is not known to be lost until then counts as arrived.

use crate::Ack;
use headgate_packet::{Duration, Time};
use std::ops::Deref;

/// An interval at one rate.
#[derive(Clone, Debug)]
pub struct Interval {
    /// Packets a second at which it is sent.
    pub rate: f64,
    start: Time,
    /// When it ended; [`Time::NEVER`] while it lasts.
    end: Time,
    sent: u64,
    arrived: u64,
    lost: u64,
    /// The source lacked data.
    spoiled: bool,
    judged: bool,
    /// Number, sums and sums of products of the sending times x since the start and round-trip times y, in seconds, less the first one.
    samples: u64,
    first: Option<f64>,
    sums: [f64; 4],
}

impl Interval {
    /// It begins now.
    pub fn new(rate: f64, now: Time) -> Interval {
        Interval {
            rate,
            start: now,
            end: Time::NEVER,
            sent: 0,
            arrived: 0,
            lost: 0,
            spoiled: false,
            judged: false,
            samples: 0,
            first: None,
            sums: [0.0; 4],
        }
    }

    /// Whether it lasts.
    pub fn is_open(&self) -> bool {
        self.end == Time::NEVER
    }

    /// Whether the source lacked data in it.
    pub fn is_spoiled(&self) -> bool {
        self.spoiled
    }

    /// It counts for nothing.
    pub fn spoil(&mut self) {
        self.spoiled = true;
    }

    /// Whether it has lasted this long and at least this number of packets was sent in it.
    pub fn has_lasted(&self, time: Duration, packets: u64, now: Time) -> bool {
        now.since(self.start) >= time && self.sent >= packets
    }

    /// It ends now.
    pub fn close(&mut self, now: Time) {
        self.end = now;
    }

    /// A packet is sent in it.
    pub fn on_sent(&mut self, app_limited: bool) {
        self.sent += 1;
        self.spoiled |= app_limited;
    }

    /// Whether it holds a packet that was sent then.
    fn holds(&self, at: Time) -> bool {
        (self.start..self.end).contains(&at)
    }

    /// Packets arrived, of which the one that was sent then took this round-trip time.
    pub fn on_arrived(&mut self, at: Time, rtt: Duration, packets: u64) {
        if !self.holds(at) {
            return;
        }
        self.arrived += packets;
        let rtt = rtt.as_secs_f64();
        let (x, y) = (at.since(self.start).as_secs_f64(), rtt - *self.first.get_or_insert(rtt));
        self.samples += 1;
        for (sum, value) in self.sums.iter_mut().zip([x, y, x * x, x * y]) {
            *sum += value;
        }
    }

    /// A packet that was sent then is declared lost.
    pub fn on_lost(&mut self, at: Time) {
        self.lost += u64::from(self.holds(at));
    }

    /// Whether it can be judged, when a packet arrives that was sent then.
    pub fn is_judged(&mut self, at: Time, smoothed: Duration) -> bool {
        let known = self.arrived + self.lost >= self.sent;
        self.judged |= !self.is_open() && (known || at >= self.end + smoothed);
        self.judged
    }

    /// Share of its packets that were lost.
    pub fn loss(&self) -> f64 {
        (self.lost as f64 / self.sent.max(1) as f64).min(1.0)
    }

    /// The slope of round-trip times, in seconds a second; 0 with fewer than three of them or all at one time.
    pub fn gradient(&self) -> f64 {
        let (n, [x, y, xx, xy]) = (self.samples as f64, self.sums);
        let spread = n * xx - x * x;
        if self.samples < 3 || spread <= 0.0 { 0.0 } else { (n * xy - x * y) / spread }
    }
}

/// The intervals that make one decision, in their order. Only the last one may last.
#[derive(Clone, Debug, Default)]
pub struct Intervals(Vec<Interval>);

/// What an acknowledgement means to them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Nothing yet.
    Nothing,
    /// The last one ended.
    Ended,
    /// One ended, and another one is needed.
    Next,
    /// The source lacked data in one that ended: they begin again.
    Again,
    /// All that are needed are judged.
    Decide,
}

impl Deref for Intervals {
    type Target = [Interval];

    fn deref(&self) -> &[Interval] {
        &self.0
    }
}

impl Intervals {
    /// None yet, and room for this many.
    pub fn with_room(n: usize) -> Intervals {
        Intervals(Vec::with_capacity(n))
    }

    /// The next one begins.
    pub fn push(&mut self, interval: Interval) {
        self.0.push(interval);
    }

    /// They are forgotten.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// They count for nothing.
    pub fn spoil(&mut self) {
        self.0.iter_mut().for_each(Interval::spoil);
    }

    /// A packet is sent.
    pub fn on_sent(&mut self, app_limited: bool) {
        if let Some(open) = self.0.last_mut().filter(|i| i.is_open()) {
            open.on_sent(app_limited);
        }
    }

    /// A packet that was sent then is declared lost.
    pub fn on_lost(&mut self, at: Time) {
        self.0.iter_mut().for_each(|i| i.on_lost(at));
    }

    /// An acknowledgement with this round trip. An interval ends after `length` and `packets`, and `whole` of them make a decision.
    pub fn on_ack(
        &mut self,
        ack: &Ack,
        (rtt, smoothed): (Duration, Duration),
        (length, packets): (Duration, u64),
        whole: usize,
    ) -> Step {
        let at = Time::from_ps(ack.now.as_ps().saturating_sub(rtt.as_ps()));
        self.0.iter_mut().for_each(|i| i.on_arrived(at, rtt, ack.delivered));
        let open = self.0.last_mut().filter(|i| i.is_open() && i.has_lasted(length, packets, ack.now));
        let ended = open.map(|open| open.close(ack.now)).is_some();
        if self.0.iter().any(|i| i.is_spoiled() && !i.is_open()) {
            Step::Again
        } else if ended && self.0.len() < whole {
            Step::Next
        } else if self.0.len() == whole && self.0.iter_mut().all(|i| i.is_judged(at, smoothed)) {
            Step::Decide
        } else if ended {
            Step::Ended
        } else {
            Step::Nothing
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(n: u64) -> Time {
        Time::ZERO + Duration::from_millis(n)
    }

    fn arrived(i: &mut Interval, at: u64, rtt: u64) {
        i.on_arrived(ms(at), Duration::from_millis(rtt), 1);
    }

    #[test]
    fn a_packet_belongs_to_the_interval_in_which_it_was_sent() {
        let mut i = Interval::new(100.0, ms(10));
        assert!(i.is_open() && !i.has_lasted(Duration::from_millis(10), 0, ms(19)));
        (0..4).for_each(|_| i.on_sent(false));
        assert!(i.has_lasted(Duration::from_millis(10), 4, ms(20)) && !i.has_lasted(Duration::ZERO, 5, ms(20)));
        i.close(ms(20));
        [9, 20].iter().for_each(|at| i.on_lost(ms(*at)));
        [9, 20].iter().for_each(|at| arrived(&mut i, *at, 40));
        assert_eq!((i.lost, i.arrived, i.samples), (0, 0, 0));
        [10, 19].iter().for_each(|at| arrived(&mut i, *at, 40));
        i.on_lost(ms(11));
        assert!(!i.is_judged(ms(19), Duration::from_millis(40)) && (i.loss() - 0.25).abs() < 1e-12);
        i.on_arrived(ms(12), Duration::from_millis(40), 1);
        assert!(i.is_judged(ms(19), Duration::from_millis(40)));
    }

    #[test]
    fn what_is_not_known_a_round_trip_later_counts_as_arrived() {
        let mut i = Interval::new(100.0, ms(0));
        (0..4).for_each(|_| i.on_sent(false));
        assert!(!i.is_judged(ms(500), Duration::from_millis(40)), "it lasts");
        let mut open = i.clone();
        open.on_arrived(ms(1), Duration::from_millis(40), 4);
        assert!(!open.is_judged(ms(1), Duration::from_millis(40)), "more may be sent");
        open.close(ms(20));
        assert!(open.is_judged(ms(1), Duration::from_millis(40)), "one acknowledgement was of four packets");
        i.close(ms(20));
        assert!(!i.is_judged(ms(59), Duration::from_millis(40)) && i.is_judged(ms(60), Duration::from_millis(40)));
        assert!(i.is_judged(ms(19), Duration::from_millis(40)), "once judged it stays so");
        assert!(i.loss().abs() < 1e-12);
    }

    #[test]
    fn the_gradient_is_a_slope() {
        let mut i = Interval::new(100.0, ms(1000));
        [(1000, 40), (1010, 41)].iter().for_each(|&(at, rtt)| arrived(&mut i, at, rtt));
        assert!(i.gradient().abs() < 1e-12, "two are too few");
        arrived(&mut i, 1020, 42);
        assert!((i.gradient() - 0.1).abs() < 1e-9);
        // By hand: x 0, 10, 20, 30; y 0, 1, 2, 1: (4 * 80 - 60 * 4) / (4 * 1400 - 3600) = 0.04.
        arrived(&mut i, 1030, 41);
        assert!((i.gradient() - 0.04).abs() < 1e-9, "{}", i.gradient());
        let mut flat = Interval::new(100.0, ms(0));
        [40, 50, 60].iter().for_each(|rtt| arrived(&mut flat, 5, *rtt));
        assert!(flat.gradient().abs() < 1e-12, "all were sent at one time");
    }

    #[test]
    fn a_step_follows_when_all_intervals_are_judged() {
        // Two intervals of 10 ms and two packets; the round trip is 40 ms.
        let mut pair = Intervals::with_room(2);
        let rtt = Duration::from_millis(40);
        let ack = |pair: &mut Intervals, now: u64| {
            let ack = Ack { now: ms(now), delivered: 1, ..Ack::default() };
            pair.on_ack(&ack, (rtt, rtt), (Duration::from_millis(10), 2), 2)
        };
        pair.push(Interval::new(100.0, ms(100)));
        pair.on_sent(false);
        assert_eq!(ack(&mut pair, 110), Step::Nothing, "one packet is too few");
        pair.on_sent(false);
        assert_eq!((ack(&mut pair, 109), ack(&mut pair, 111)), (Step::Nothing, Step::Next));
        pair.push(Interval::new(90.0, ms(111)));
        (0..2).for_each(|_| pair.on_sent(false));
        assert_eq!(ack(&mut pair, 121), Step::Ended);
        assert_eq!(
            (ack(&mut pair, 140), ack(&mut pair, 145)),
            (Step::Nothing, Step::Nothing),
            "the second one's packets"
        );
        assert_eq!(ack(&mut pair, 151), Step::Nothing);
        pair.on_lost(ms(112));
        assert_eq!(ack(&mut pair, 150), Step::Decide);
        // One that lacked data makes all of them worthless, but only once it has ended.
        pair.clear();
        pair.push(Interval::new(100.0, ms(200)));
        (0..2).for_each(|_| pair.on_sent(true));
        assert_eq!((ack(&mut pair, 205), ack(&mut pair, 210)), (Step::Nothing, Step::Again));
    }

    #[test]
    fn without_data_it_is_spoiled() {
        let mut i = Interval::new(100.0, ms(0));
        i.on_sent(false);
        assert!(!i.is_spoiled());
        i.on_sent(true);
        i.on_sent(false);
        assert!(i.is_spoiled());
        i.on_lost(ms(0));
        i.on_lost(ms(1));
        (0..9).for_each(|_| i.on_lost(ms(2)));
        assert!((i.loss() - 1.0).abs() < 1e-12, "a share is at most all");
    }
}
