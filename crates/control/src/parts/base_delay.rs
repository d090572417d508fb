//! What LEDBAT makes of delays: the least one of some minutes, which the path itself causes, and the least of the last few, which has the queue in it.
//!
//! Source: RFC 6817, section 2.4.2 (update_base_delay, update_current_delay, with MIN as FILTER).
//! Deviations:
//! - Minutes are those of the run, not of the day.

use headgate_packet::{Duration, Time};

/// Delays of a flow.
#[derive(Clone, Debug)]
pub struct BaseDelay {
    /// The least delay of each minute with a sample, and where the present one stands; `NONE` for minutes yet to come.
    minutes: Vec<Duration>,
    at: usize,
    minute: u64,
    /// The last delays, and where the next one goes.
    last: Vec<Duration>,
    next: usize,
}

const NONE: Duration = Duration::from_ps(u64::MAX);

impl BaseDelay {
    /// Without a sample, with room for these numbers of minutes and delays.
    pub fn new(minutes: usize, last: usize) -> BaseDelay {
        BaseDelay {
            minutes: vec![NONE; minutes.max(1)],
            at: 0,
            minute: u64::MAX,
            last: vec![NONE; last.max(1)],
            next: 0,
        }
    }

    /// A delay was measured.
    pub fn sample(&mut self, delay: Duration, now: Time) {
        let minute = now.as_ps() / 60_000_000_000_000;
        if minute != self.minute {
            self.minute = minute;
            self.at = (self.at + 1) % self.minutes.len();
            self.minutes[self.at] = delay;
        }
        self.minutes[self.at] = self.minutes[self.at].min(delay);
        self.last[self.next] = delay;
        self.next = (self.next + 1) % self.last.len();
    }

    /// What the path itself causes, once there is a sample.
    pub fn base(&self) -> Option<Duration> {
        self.minutes.iter().min().copied().filter(|least| *least != NONE)
    }

    /// The time in queues, once there is a sample.
    pub fn queueing(&self) -> Option<Duration> {
        let last = self.last.iter().min().copied().filter(|least| *least != NONE)?;
        Some(Duration::from_ps(last.as_ps().saturating_sub(self.base()?.as_ps())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    #[test]
    fn the_least_of_the_last_delays_counts() {
        let mut d = BaseDelay::new(10, 3);
        assert_eq!((d.base(), d.queueing()), (None, None));
        let mut each = |delay: u64| {
            d.sample(ms(delay), Time::ZERO);
            (d.base(), d.queueing())
        };
        let due = [(50, 50, 0), (70, 50, 0), (90, 50, 0), (80, 50, 20), (95, 50, 30), (40, 40, 0)];
        for (delay, base, queueing) in due {
            assert_eq!(each(delay), (Some(ms(base)), Some(ms(queueing))), "{delay}");
        }
    }

    #[test]
    fn the_base_is_forgotten_when_its_minute_leaves_the_list() {
        let mut d = BaseDelay::new(3, 1);
        let mut each = |second: u64, delay: u64| {
            d.sample(ms(delay), Time::ZERO + Duration::from_secs(second));
            d.base().map(|base| base.as_ps() / ms(1).as_ps())
        };
        // Minutes 0, 1 and 2 are three of the list; with minute 3 the first one goes.
        let got =
            [(0, 50), (59, 20), (60, 60), (119, 70), (120, 80), (179, 80), (180, 90), (181, 65), (240, 99), (300, 99)]
                .map(|(second, delay)| each(second, delay));
        assert_eq!(got, [50, 20, 20, 20, 20, 20, 60, 60, 65, 65].map(Some));
    }
}
