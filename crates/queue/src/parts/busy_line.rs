//! Average queue length over busy periods, as DECbit gateways measure it.
//!
//! Source: Ramakrishnan and Jain 1988, as RFC 1254, section 2, summarises it: the average runs over the last complete busy and idle
//! cycle plus the present, incomplete one. A packet in transmission counts.

use headgate_packet::{Rate, Serialiser, Time};

/// One cycle: its start and the integral of the queue length over it, in packet ps.
#[derive(Clone, Copy, Debug, Default)]
struct Cycle {
    start: Time,
    area: u128,
}

/// Follows what a line has in queue and in transmission.
#[derive(Clone, Debug)]
pub struct BusyLine {
    line: Serialiser,
    /// End of the present transmission.
    busy_until: Time,
    /// Packets waiting, without the one in transmission.
    waiting: u64,
    /// Up to when the area was taken.
    now: Time,
    last: Cycle,
    present: Cycle,
}

impl BusyLine {
    /// An idle line.
    pub fn new(rate: Rate) -> BusyLine {
        BusyLine {
            line: Serialiser::new(rate),
            busy_until: Time::ZERO,
            waiting: 0,
            now: Time::ZERO,
            last: Cycle::default(),
            present: Cycle::default(),
        }
    }

    /// The line has another rate; the present transmission ends when it would have.
    pub fn set_rate(&mut self, rate: Rate) {
        if rate != self.line.rate() {
            self.line = Serialiser::new(rate);
        }
    }

    /// A packet is about to be queued. True when a new cycle begins with it: the line was idle.
    pub fn on_arrival(&mut self, now: Time) -> bool {
        self.advance(now);
        let idle = self.waiting == 0 && self.busy_until <= now;
        if idle {
            self.last = self.present;
            self.present = Cycle { start: now, area: 0 };
        }
        self.waiting += 1;
        idle
    }

    /// The packet just counted was refused after all, or another waiting one was dropped.
    pub fn on_drop(&mut self) {
        self.waiting -= 1;
    }

    /// A packet's transmission starts.
    pub fn on_start(&mut self, now: Time, bytes: u32) {
        self.advance(now);
        self.waiting -= 1;
        self.busy_until = now + self.line.transmit(bytes);
    }

    /// The average over the last complete cycle and the present one up to `now`.
    pub fn average(&mut self, now: Time) -> f64 {
        self.advance(now);
        let span = now.since(self.last.start).as_ps();
        let area = self.last.area + self.present.area;
        if span == 0 { (self.waiting + u64::from(self.busy_until > now)) as f64 } else { area as f64 / span as f64 }
    }

    fn advance(&mut self, now: Time) {
        let (span, busy) = (now.since(self.now).as_ps(), self.busy_until.min(now).since(self.now).as_ps());
        self.present.area += u128::from(self.waiting) * u128::from(span) + u128::from(busy);
        self.now = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use headgate_packet::Duration;

    #[test]
    fn one_packet_at_a_time_with_half_the_time_idle_averages_a_half() {
        let second = |s: u64| Time::ZERO + Duration::from_secs(s);
        let mut line = BusyLine::new(Rate::from_bps(8).unwrap());
        for cycle in 0..3 {
            assert!(line.on_arrival(second(2 * cycle)));
            line.on_start(second(2 * cycle), 1);
        }
        assert!((line.average(second(6)) - 0.5).abs() < 1e-12);
    }

    #[test]
    fn what_waits_and_what_is_sent_both_count() {
        let second = |s: u64| Time::ZERO + Duration::from_secs(s);
        let mut line = BusyLine::new(Rate::from_bps(8).unwrap());
        line.on_arrival(second(0));
        line.on_start(second(0), 4);
        assert!(!line.on_arrival(second(0)));
        // One in transmission and one waiting during four seconds.
        assert!((line.average(second(4)) - 2.0).abs() < 1e-12);
    }

    #[test]
    fn another_rate_is_that_of_the_next_transmission() {
        let second = |s: u64| Time::ZERO + Duration::from_secs(s);
        let mut line = BusyLine::new(Rate::from_bps(8).unwrap());
        line.on_arrival(second(0));
        line.on_start(second(0), 4);
        line.set_rate(Rate::from_bps(16).unwrap());
        assert!(!line.on_arrival(second(3)), "the present transmission ends at 4 s");
        line.on_start(second(4), 4);
        assert!(line.on_arrival(second(6)), "the next one takes half as long");
    }
}
