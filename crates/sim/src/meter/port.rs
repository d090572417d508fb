//! The meter of a port: what it did in each interval, as means with deviations.

use super::{Moments, Ratio};
use crate::link::WireCounts;
use headgate_queue::Counters;

/// Means over the intervals after the warm-up.
#[derive(Clone, Debug, Default)]
pub struct PortMeter {
    /// What was used over what the line offered, in the intervals in which it offered something.
    pub utilisation: Moments,
    /// Waiting packets, averaged over time.
    pub backlog: Moments,
    /// Wait of the packets sent, in seconds, over their number.
    pub queueing: Ratio,
    last: Counters,
    last_offered: u128,
}

impl PortMeter {
    /// An interval of `span_ps` ends with these counters, when the line had offered so many 10^-12 bits; it counts only if it is `measured`.
    pub fn sample(&mut self, now: &Counters, offered: u128, span_ps: u64, measured: bool) {
        let (during, offered) =
            (difference(now, &self.last), offered - std::mem::replace(&mut self.last_offered, offered));
        self.last = *now;
        if !measured {
            return;
        }
        if offered > 0 {
            self.utilisation.record_value(share(during.used, offered));
        }
        self.backlog.record_value(during.backlog_ps as f64 / span_ps as f64);
        self.queueing.record(during.wait_ps as f64 * 1e-12, during.sent as f64);
    }
}

/// What a lane has counted: its port, and the wire behind it.
#[derive(Clone, Copy, Debug, Default)]
pub struct LaneMark {
    /// Of the port.
    pub counters: Counters,
    /// Packets put on the wire.
    pub entered: u64,
    /// Sum of their times on it, in ps.
    pub travelled_ps: u128,
    /// Packets that the port marked.
    pub marks: u64,
    /// What the laws of the wire did, if it has any.
    pub wire: WireCounts,
}

/// The share of what a line offered that was used; 0 if it offered nothing.
pub fn share(used: u128, offered: u128) -> f64 {
    if offered == 0 { 0.0 } else { used as f64 / offered as f64 }
}

/// What was counted between two readings; the maximum backlog is that of the later one.
pub fn difference(now: &Counters, before: &Counters) -> Counters {
    let mut dropped = now.dropped;
    dropped.iter_mut().zip(before.dropped).for_each(|(d, b)| *d -= b);
    Counters {
        offered: now.offered - before.offered,
        offered_bytes: now.offered_bytes - before.offered_bytes,
        sent: now.sent - before.sent,
        sent_bytes: now.sent_bytes - before.sent_bytes,
        dropped,
        busy_ps: now.busy_ps - before.busy_ps,
        service_ps: now.service_ps - before.service_ps,
        used: now.used - before.used,
        wait_ps: now.wait_ps - before.wait_ps,
        backlog_max: now.backlog_max,
        backlog_ps: now.backlog_ps - before.backlog_ps,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_is_what_came_since_the_last_one() {
        let all = |n: u64| Counters {
            offered: 11 * n,
            offered_bytes: 12 * n,
            sent: 4 * n,
            sent_bytes: 14 * n,
            dropped: std::array::from_fn(|reason| reason as u64 * n),
            busy_ps: 5 * n,
            service_ps: 6 * n,
            used: (8 * n).into(),
            wait_ps: (6_000_000_000_000 * n).into(),
            backlog_max: 7 * n,
            backlog_ps: (30 * n).into(),
        };
        // All but the maximum backlog, which is that of the later reading.
        let mut due = all(3);
        due.backlog_max = 7 * 5;
        assert_eq!(difference(&all(5), &all(2)), due);

        let mut meter = PortMeter::default();
        meter.sample(&all(7), 100, 10, false);
        meter.sample(&all(9), 132, 20, true);
        // In 20 ps: 16 of 32 bits, a backlog of 60 packet ps, and 8 packets that waited 12 s together.
        assert_eq!((meter.utilisation.count, meter.utilisation.mean(), meter.backlog.mean()), (1, 0.5, 3.0));
        meter.sample(&all(11), 164, 20, true);
        assert_eq!((meter.utilisation.count, meter.queueing.deviation()), (2, 0.0));
        meter.sample(&Counters { wait_ps: 70_000_000_000_000, sent: 48, ..all(12) }, 180, 20, true);
        // 12 s of 8 packets twice and 4 s of 4: 28/20 s each; what is over, 0.8, 0.8 and -1.6, in units of a mean of 20/3 packets.
        let due = (3.84_f64 / 2.0).sqrt() / (20.0 / 3.0);
        assert!((meter.queueing.deviation() - due).abs() < 1e-12, "{}", meter.queueing.deviation());
    }

    #[test]
    fn a_line_that_offers_nothing_has_no_utilisation() {
        let mut meter = PortMeter::default();
        let used = |used| Counters { used, ..Counters::default() };
        for (used_bits, offered) in [(3, 4), (3, 4), (4, 8)] {
            meter.sample(&used(used_bits), offered, 20, true);
        }
        assert_eq!((meter.backlog.count, meter.utilisation.count, meter.utilisation.mean()), (3, 2, 0.5));
        assert_eq!((share(0, 0), share(1, 4)), (0.0, 0.25));
    }
}
