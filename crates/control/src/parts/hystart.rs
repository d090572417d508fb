//! Leaving slow start before losses: HyStart++, and HyStart as Linux has it.
//!
//! Source: RFC 9406, section 4; Ha and Rhee 2011 with the constants of Linux's `tcp_cubic.c`.
//! Deviations:
//! - Packets are counted, not bytes.
//! - RFC 9406's limit L on what one acknowledgement adds is left out, since it concerns aggregates.

use crate::Ack;
use headgate_packet::{Duration, Time};

/// A time in microseconds.
const fn us(n: u64) -> Duration {
    Duration::from_ps(n * 1_000_000)
}

/// RFC 9406: bounds of the threshold, samples of a round, divisor of growth and rounds of conservative slow start.
const MOST: Duration = Duration::from_millis(16);
const LEAST: Duration = Duration::from_millis(4);
const SAMPLES: u32 = 8;
const DIVISOR: u64 = 4;
const ROUNDS: u32 = 5;

/// An eighth of a round trip, at least 4 ms and at most 16 ms.
pub fn threshold(rtt: Duration) -> Duration {
    Duration::from_ps(rtt.as_ps() / 8).max(LEAST).min(MOST)
}

/// HyStart++: a round trip that grew begins a conservative slow start, which ends in congestion avoidance or was a mistake.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HystartPlusPlus {
    last: Option<Duration>,
    now: Option<Duration>,
    samples: u32,
    /// Conservative: the least round trip when it began, and the rounds since then.
    conservative: Option<(Duration, u32)>,
    /// A quarter of what was acknowledged counts; this is what is left over.
    rest: u64,
    over: bool,
}

impl HystartPlusPlus {
    /// Takes in an acknowledgement in slow start: how much of `credit` the window may grow by, and whether slow start ends.
    pub fn on_ack(&mut self, ack: &Ack, credit: u64) -> (u64, bool) {
        if self.over {
            return (credit, false);
        }
        let mut ends = false;
        if ack.round {
            if let Some((_, rounds)) = &mut self.conservative {
                *rounds += 1;
                ends = *rounds >= ROUNDS;
            }
            (self.last, self.now, self.samples) = (self.now, None, 0);
        }
        if let Some(rtt) = ack.rtt {
            self.now = Some(self.now.map_or(rtt, |now| now.min(rtt)));
            self.samples += 1;
        }
        if let (true, Some(now), Some(last)) = (self.samples >= SAMPLES, self.now, self.last) {
            match self.conservative {
                None if now >= last + threshold(last) => self.conservative = Some((now, 0)),
                Some((baseline, _)) if now < baseline => self.conservative = None,
                _ => {}
            }
        }
        self.over |= ends;
        if self.conservative.is_none() {
            return (credit, false);
        }
        self.rest += credit;
        let part = self.rest / DIVISOR;
        self.rest %= DIVISOR;
        (part, ends)
    }

    /// A loss or mark: the first slow start is over.
    pub fn end(&mut self) {
        self.over = true;
    }
}

/// Linux: the least window, spacing of a train, and samples of a round.
const LOW_WINDOW: u64 = 16;
const SPACING: Duration = us(2000);
/// What acknowledgements may be held up on the way (the kernel's estimate at rates below 2 Gbit/s).
const HELD: Duration = us(1000);

/// HyStart as in Linux: a train of acknowledgements as long as half a round trip, or a round trip that grew.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hystart {
    started: Time,
    last: Time,
    least: Option<Duration>,
    samples: u32,
    end: u64,
    /// Slow start was left.
    pub is_over: bool,
}

impl Hystart {
    /// Takes in an acknowledgement in slow start with its round trip: whether slow start ends. `least` is the least round trip known.
    pub fn on_ack(&mut self, ack: &Ack, rtt: Duration, window: u64, least: Duration) -> bool {
        if self.is_over {
            return false;
        }
        if ack.cumulative > self.end {
            *self = Hystart { started: ack.now, last: ack.now, end: ack.highest_sent, ..Hystart::default() };
        }
        if window < LOW_WINDOW {
            return false;
        }
        if ack.now.since(self.last) <= SPACING {
            self.last = ack.now;
            let half = Duration::from_ps((least + HELD).as_ps() / 2);
            self.is_over |= ack.now.since(self.started) > half;
        }
        self.least = Some(self.least.map_or(rtt, |now| now.min(rtt)));
        if self.samples < SAMPLES {
            self.samples += 1;
        } else {
            self.is_over |= self.least.is_some_and(|now| now > least + threshold(least));
        }
        self.is_over
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(n: f64) -> Duration {
        Duration::from_secs_f64(n / 1e3)
    }

    #[test]
    fn the_threshold_is_an_eighth_between_4_and_16_ms() {
        for (rtt, due) in
            [(1.0, 4.0), (20.0, 4.0), (40.0, 5.0), (64.0, 8.0), (100.0, 12.5), (128.0, 16.0), (500.0, 16.0)]
        {
            assert_eq!(threshold(ms(rtt)), ms(due));
        }
    }

    /// Rounds with these least round trips in ms, of a window that starts with 10 packets: the window after each.
    fn windows(rounds: &[f64]) -> (Vec<u64>, Option<u64>) {
        let (mut h, mut window, mut all) = (HystartPlusPlus::default(), 10, vec![]);
        for (k, rtt) in rounds.iter().enumerate() {
            let packets = window;
            for i in 0..packets {
                let ack = Ack { rtt: Some(ms(*rtt)), round: k > 0 && i == 0, ..Ack::default() };
                let (grow, ends) = h.on_ack(&ack, 1);
                if ends {
                    return (all, Some(window));
                }
                window += grow;
            }
            all.push(window);
        }
        (all, None)
    }

    #[test]
    fn a_round_trip_that_grew_by_an_eighth_slows_growth_for_five_rounds() {
        let (all, left) = windows(&[100.0, 100.0, 100.0, 100.0, 114.0, 114.0, 114.0, 114.0, 114.0, 114.0]);
        assert_eq!(all[..4], [20, 40, 80, 160]);
        // A quarter from the eighth sample of the fifth round on.
        assert!(all[4] > 160 + 152 / 4 && all[4] < 160 + 160 / 4 + 8, "{all:?}");
        assert!(left.is_some_and(|w| (480..=500).contains(&w)), "{left:?}");
        // Each round is compared with the one before: slow growth shows nothing.
        assert_eq!(windows(&[100.0, 106.0, 113.5, 120.0]).0, [20, 40, 80, 160]);
    }

    #[test]
    fn a_round_trip_that_falls_again_was_a_mistake() {
        let (all, left) = windows(&[100.0, 100.0, 114.0, 100.0, 100.0]);
        assert_eq!(left, None);
        assert!(all[4] > all[3] * 19 / 10, "{all:?}");
    }

    #[test]
    fn linux_leaves_at_a_train_of_half_a_round_trip() {
        let mut h = Hystart::default();
        // Acknowledgements every 1.2 ms; the least round trip is 40 ms, so that the train lasts above 20.5 ms: 18 spacings.
        let ack = |i: u64| Ack {
            now: Time::ZERO + us(1_000_000 + 1200 * i),
            cumulative: 100 + i,
            highest_sent: 200,
            ..Ack::default()
        };
        let left = (0..40).find(|i| h.on_ack(&ack(*i), ms(40.0), 20 + i, ms(40.0)));
        assert_eq!(left, Some(18));
        // Every 2.4 ms there is no train.
        let mut h = Hystart::default();
        let slow = |i: u64| Ack { now: Time::ZERO + us(1_000_000 + 2400 * i), ..ack(i) };
        assert_eq!((0..40).find(|i| h.on_ack(&slow(*i), ms(40.0), 20 + i, ms(40.0))), None);
        // But round trips above 45 ms end it with the ninth sample.
        let mut h = Hystart::default();
        assert_eq!((0..40).find(|i| h.on_ack(&slow(*i), ms(46.0), 20 + i, ms(40.0))), Some(8));
    }

    #[test]
    fn a_train_has_no_more_than_two_milliseconds_between_acknowledgements() {
        // tcp_cubic.c: hystart_ack_delta_us. Above 20.5 ms is the eleventh.
        for (spacing, due) in [(2000, Some(11)), (2001, None)] {
            let mut h = Hystart::default();
            let ack = |i: u64| Ack {
                now: Time::ZERO + us(spacing * i),
                cumulative: 100 + i,
                highest_sent: 200,
                ..Ack::default()
            };
            assert_eq!((0..40).find(|i| h.on_ack(&ack(*i), ms(40.0), 20, ms(40.0))), due, "{spacing}");
        }
    }

    #[test]
    fn a_round_lasts_until_more_than_what_was_sent_at_its_start_is_acknowledged() {
        // tcp_cubic.c, hystart_update: snd_una after end_seq.
        let mut h = Hystart::default();
        for (cumulative, highest_sent, end) in [(100, 200, 200), (200, 300, 200), (201, 301, 301)] {
            h.on_ack(&Ack { cumulative, highest_sent, ..Ack::default() }, ms(40.0), 10, ms(40.0));
            assert_eq!(h.end, end, "{cumulative}");
        }
    }
}
