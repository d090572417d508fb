//! The line of a source that sends as fast as that line, and the rules of such a source; `stamped.rs` has what it does with
//! acknowledgements.
//!
//! Source: Kim and Farber 1994, sections 3.3.3 and 4.1.2.
//! Deviations, where the paper says nothing:
//! - Timer: the timeout is the smoothed round trip and `deviations` times the mean deviation, with gains of 1/8 and 1/4, practically no minimum (1 us)
//!   and no ticks, doubled with each timeout in a row up to 64 times.
//! - Acknowledgements caused by packets sent before the present burst signal no loss, or each packet of an old burst would begin a new one. Those
//!   caused by packets below the one that they ask for signal none either, since that packet had arrived before. Reno, which sees cumulative
//!   numbers only, takes both for a loss. With `by_stamp` only those count that were caused by packets sent since the last timeout: their time stamp
//!   says when the packet was sent, not which it was.
//! - The line is part of the source, which sends no packet before the last one has left: a burst can be interrupted. Its times are rounded up to
//!   the clock's picoseconds, so that a packet that arrives with the end of a transmission elsewhere arrives no earlier.
//!
//! State per flow: the line.

use super::{Acks, Averages};
use crate::transport::{Clock, Config, Retransmit, Way};
use headgate_packet::{Duration, Ecn, Rate, Time};
use std::sync::Arc;

/// What is sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repair {
    /// Everything from the lost packet on, in a new burst.
    Burst,
    /// The lost packet; after a timeout everything, as the window allows.
    Oldest,
}

/// The rules of such a source; the timer's stand in [`Config`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rules {
    /// Rate of the source's own line.
    pub rate: Rate,
    /// What is sent again.
    pub repair: Repair,
    /// Acknowledgements caused by packets of older bursts signal a loss, too, and so do those caused by packets that had already arrived.
    pub count_old: bool,
    /// Packets known to have arrived are not sent again.
    pub skip_received: bool,
    /// A burst is counted from the oldest packet not acknowledged, not from where it began.
    pub shift_on_ack: bool,
    /// New data is a burst of its own, until a loss.
    pub reset_on_submit: bool,
    /// Acknowledgements signal a loss if their packet was sent since the last timeout, whichever it was.
    pub by_stamp: bool,
}

/// Minimum timeout: time has to advance.
const LEAST: Duration = Duration::from_ps(1_000_000);

/// Maximum factor of the timeout.
const MOST_BACKOFF: f64 = 64.0;

impl Rules {
    /// Those without any option.
    pub fn new(rate: Rate, repair: Repair) -> Rules {
        let [count_old, skip_received, shift_on_ack, reset_on_submit, by_stamp] = [false; 5];
        Rules { rate, repair, count_old, skip_received, shift_on_ack, reset_on_submit, by_stamp }
    }

    /// A transport by these rules.
    pub fn config(self, initial_timeout: Duration, max_timeout: Duration, deviations: f64) -> Config {
        let averages = Averages {
            gain: 0.125,
            deviation_gain: 0.25,
            means: 1.0,
            deviations,
            start: None,
            backoff: 2.0,
            most_backoff: MOST_BACKOFF,
            clock: Clock::Last,
            every_sample: false,
        };
        let rules = super::Rules {
            initial_timeout,
            min_timeout: LEAST,
            max_timeout,
            duplicates: 1,
            acks: Acks::Stamped { bursts: self.repair == Repair::Burst, skip_received: self.skip_received },
            ..super::Rules::new(Retransmit::All, averages)
        };
        Config { way: Way::Line(self, Arc::new(rules)), ecn: Ecn::NotEct }
    }
}

/// The line of a source.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    /// Time of a packet, and what remains of it below a picosecond, in ps / rate.
    time: Duration,
    remainder: u64,
    rate: u64,
    /// When the last packet has left, rounded down, and what was rounded off.
    floor: Time,
    carry: u64,
}

impl Line {
    /// A line with nothing on it, and packets of this size.
    pub fn new(rate: Rate, bytes: u32) -> Line {
        let (time, remainder) = rate.transmission(bytes);
        Line { time, remainder, rate: rate.as_bps(), floor: Time::ZERO, carry: 0 }
    }

    /// When the next packet may be sent.
    pub fn free(&self) -> Time {
        self.floor + Duration::from_ps(u64::from(self.carry > 0))
    }

    /// A packet is sent, not before `free`.
    pub fn send(&mut self, now: Time) {
        if now > self.free() {
            (self.floor, self.carry) = (now, 0);
        }
        self.floor += self.time;
        let (carry, above) = self.carry.overflowing_add(self.remainder);
        self.carry = carry;
        if above || carry >= self.rate {
            self.carry = carry.wrapping_sub(self.rate);
            self.floor += Duration::from_ps(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_accumulates_exactly_and_is_never_early() {
        // 500 bytes at 150 Mbit/s take 80/3 us.
        let mut line = Line::new("150Mbit/s".parse().expect("a rate"), 500);
        for k in 1..1000u64 {
            let at = line.free();
            line.send(at);
            assert_eq!(line.free().as_ps(), (k * 80_000_000).div_ceil(3));
        }
        // Idle since then: counted from the new start.
        let start = Time::from_ps(10_000_000_001_000);
        line.send(start);
        assert_eq!(line.free().since(start).as_ps(), 26_666_667);
    }
}
