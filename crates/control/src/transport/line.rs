//! The transport of a source that sends at the rate of its own line, and takes the first duplicate acknowledgement for a loss.
//!
//! Source: Kim and Farber 1994, sections 3.3.3 and 4.1.2: cumulative acknowledgements of every packet, time stamps, a loss is told by a
//! duplicate or a timeout. A source of bursts begins a new one with the packet that is lost, and sends everything behind it again; any
//! other sends that packet alone after a duplicate, and everything again after a timeout.
//! Deviations, where the paper is silent:
//!
//! - Timer: every acknowledgement is a sample (it echoes when its packet was sent); the timeout is the smoothed round trip and `deviations`
//!   times the mean deviation, with gains of 1/8 and 1/4, practically no minimum (1 us) and no ticks, doubled with each timeout in a row up to 64 times. It
//!   starts again with each acknowledgement of something new and with each repair.
//! - Acknowledgements of packets sent before the present burst tell no loss, or each packet of an old burst would begin a new one; nor do those of
//!   packets below the one that they ask for, which had come before. Reno, which sees cumulative numbers only, takes both for a loss.
//! - What is behind the lost packet goes again even if it came; when the acknowledgement passes the next packet, the source goes on there.
//! - The line is part of the source, which lets no packet go before the last one has left: a burst can be broken off. Its times are rounded up to
//!   the clock's picoseconds, so that a packet that arrives with the end of a transmission elsewhere arrives no earlier.
//!
//! State per flow: numbers, a timer, the line; with `skip_received` a bit for each packet ahead of a gap.

use super::tcp::{self, Averages, Recovery, RoundTrips};
use super::{Clock, Config, Receiver};
use headgate_packet::{Duration, Ecn, Rate, Time};

/// What goes again.
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
    /// What goes again.
    pub repair: Repair,
    /// Acknowledgements that packets of older bursts brought about tell a loss, too, and those of packets that had come before.
    pub count_old: bool,
    /// What is known to have come is not sent again.
    pub skip_received: bool,
    /// A burst is counted from the oldest packet not acknowledged, not from where it began.
    pub shift_on_ack: bool,
}

/// Least timeout: time has to go on.
const LEAST: Duration = Duration::from_ps(1_000_000);

/// Greatest factor of the timeout.
const MOST_BACKOFF: u64 = 64;

impl Rules {
    /// A transport by these rules.
    pub fn config(self, initial_timeout: Duration, max_timeout: Duration, deviations: f64) -> Config {
        let averages = Averages {
            gain: 0.125,
            deviation_gain: 0.25,
            means: 1.0,
            deviations,
            start: None,
            backoff: 2.0,
            clock: Clock::Last,
            every_sample: false,
        };
        let rules = tcp::Rules {
            initial_timeout,
            min_timeout: LEAST,
            max_timeout,
            ..Config::averages(Recovery::GoBackN, averages)
        };
        Config { line: Some(self), ..Config::new(rules, Ecn::NotEct) }
    }
}

/// The line of a source.
#[derive(Clone, Copy, Debug)]
struct Line {
    /// Time of a packet, and what remains of it below a picosecond, in ps / rate.
    time: Duration,
    remainder: u64,
    rate: u64,
    /// When the last packet has left, rounded down, and what was rounded off.
    floor: Time,
    carry: u64,
}

impl Line {
    fn new(rate: Rate, bytes: u32) -> Line {
        let (time, remainder) = rate.transmission(bytes);
        Line { time, remainder, rate: rate.as_bps(), floor: Time::ZERO, carry: 0 }
    }

    /// When the next packet may go.
    fn free(&self) -> Time {
        self.floor + Duration::from_ps(u64::from(self.carry > 0))
    }

    /// A packet goes, not before `free`.
    fn send(&mut self, now: Time) {
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

/// What an acknowledgement did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineProgress {
    /// Packets acknowledged for the first time.
    pub newly_acked: u64,
    /// Duplicates in a row, this one included; those that tell nothing are not counted.
    pub duplicates: u32,
    /// A duplicate told a loss.
    pub lost: bool,
    /// The round trip.
    pub rtt: Duration,
}

/// Sequence numbers, timer and line of one flow. Sequence numbers count packets from 0.
#[derive(Clone, Debug)]
pub struct LineSender {
    rules: Rules,
    line: Line,
    /// Oldest packet not acknowledged, next to send, one above the highest sent, and end of the supply.
    una: u64,
    next: u64,
    highest: u64,
    limit: u64,
    /// The first packet of the burst, and when the last one of the burst before it went.
    base: u64,
    before: Option<Time>,
    last_sent: Option<Time>,
    /// The oldest packet goes again at once, whatever the window.
    resend: bool,
    recovering: bool,
    duplicates: u32,
    deadline: Time,
    estimator: RoundTrips,
    backoff: u64,
    came: Receiver,
}

impl LineSender {
    /// A sender with nothing to send yet, of packets of 1000 bytes.
    pub fn new(rules: &Rules) -> LineSender {
        LineSender {
            rules: *rules,
            line: Line::new(rules.rate, 1000),
            una: 0,
            next: 0,
            highest: 0,
            limit: 0,
            base: 0,
            before: None,
            last_sent: None,
            resend: false,
            recovering: false,
            duplicates: 0,
            deadline: Time::NEVER,
            estimator: RoundTrips::default(),
            backoff: 1,
            came: Receiver::default(),
        }
    }

    /// Says how long the packets are, before the first one goes.
    pub fn set_packet_bytes(&mut self, bytes: u32) {
        self.line = Line::new(self.rules.rate, bytes);
    }

    /// The workload has this many more packets.
    pub fn supply(&mut self, packets: u64) {
        self.limit = self.limit.saturating_add(packets);
    }

    /// The workload takes back what was never sent.
    pub fn stop(&mut self) {
        self.limit = self.highest;
    }

    /// All that was supplied is acknowledged.
    pub fn is_done(&self) -> bool {
        self.una == self.limit
    }

    /// Packets sent and not acknowledged, as the window counts them.
    pub fn in_flight(&self) -> u64 {
        self.next - self.una
    }

    /// One above the highest sequence number ever sent.
    pub fn highest(&self) -> u64 {
        self.highest
    }

    /// Bytes of the record of what came.
    pub fn memory(&self) -> usize {
        self.came.memory()
    }

    fn timeout_now(&self, config: &Config) -> Duration {
        (self.estimator.timeout(&config.rules) * self.backoff).min(config.rules.max_timeout)
    }

    /// Whether something may go as far as the window is concerned.
    fn has_next(&self, window: u64) -> bool {
        self.resend || (self.next < self.limit && self.next - self.una < window)
    }

    /// The next packet to send at `now`: its number, how far it is from the first of its burst, and whether it was sent before.
    pub fn poll(&mut self, window: u64, now: Time, config: &Config) -> Option<(u64, u64, bool)> {
        if self.rules.skip_received && !self.resend {
            while self.next < self.highest && self.next > self.una && self.came.has(self.next) {
                self.next += 1;
            }
        }
        if !self.has_next(window) || now < self.line.free() {
            return None;
        }
        let seq = if std::mem::take(&mut self.resend) { self.una } else { self.next };
        self.next = self.next.max(seq + 1);
        let again = seq < self.highest;
        self.highest = self.highest.max(seq + 1);
        self.line.send(now);
        self.last_sent = Some(now);
        if self.deadline == Time::NEVER {
            self.deadline = now + self.timeout_now(config);
        }
        let base = if self.rules.shift_on_ack { self.base.max(self.una) } else { self.base };
        Some((seq, seq - base.min(seq), again))
    }

    /// An acknowledgement of everything below `cumulative`, which packet `seq`, sent at `sent`, brought about.
    pub fn on_ack(&mut self, cumulative: u64, (seq, sent): (u64, Time), now: Time, config: &Config) -> LineProgress {
        let mut p = LineProgress { rtt: now.since(sent), ..LineProgress::default() };
        if self.rules.skip_received {
            self.came.on_data(seq);
        }
        if self.una < self.highest {
            self.estimator.sample(p.rtt, (self.una, self.next), &config.rules);
        }
        if cumulative > self.una {
            p.newly_acked = cumulative - self.una;
            self.una = cumulative;
            self.next = self.next.max(cumulative);
            (self.duplicates, self.backoff) = (0, 1);
            self.recovering = false;
            // A resend that the line still holds back is needless now.
            self.resend = false;
            self.deadline = if self.una < self.highest { now + self.timeout_now(config) } else { Time::NEVER };
            return p;
        }
        let old = !self.rules.count_old && (seq < cumulative || self.before.is_some_and(|before| sent <= before));
        if cumulative < self.una || self.una == self.next || old {
            return p;
        }
        self.duplicates += 1;
        p.duplicates = self.duplicates;
        if self.rules.repair == Repair::Burst || !self.recovering {
            p.lost = true;
            self.repair(now, config, false);
        }
        p
    }

    /// What is lost goes again.
    fn repair(&mut self, now: Time, config: &Config, all: bool) {
        if self.rules.repair == Repair::Burst {
            (self.base, self.next, self.before) = (self.una, self.una, self.last_sent);
        } else if all {
            (self.next, self.resend, self.recovering) = (self.una, false, false);
        } else {
            (self.resend, self.recovering) = (true, true);
        }
        self.deadline = now + self.timeout_now(config);
    }

    /// When [`LineSender::on_timeout`] or, if the line keeps something back, [`LineSender::poll`] is to be called next.
    pub fn timeout(&self, window: u64) -> Time {
        if self.has_next(window) { self.deadline.min(self.line.free()) } else { self.deadline }
    }

    /// The timer ran out. False, and nothing done, before the deadline.
    pub fn on_timeout(&mut self, now: Time, config: &Config) -> bool {
        if now < self.deadline {
            return false;
        }
        self.backoff = (self.backoff * 2).min(MOST_BACKOFF);
        self.duplicates = 0;
        self.repair(now, config, true);
        true
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
