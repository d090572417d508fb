//! The meter of a port: what it did in each interval, as means with deviations.

use super::{Moments, Ratio};
use headgate_queue::Counters;

/// Means over the intervals after the warm-up.
#[derive(Clone, Debug, Default)]
pub struct PortMeter {
    /// Share of the time spent transmitting.
    pub utilisation: Moments,
    /// Waiting packets, averaged over time.
    pub backlog: Moments,
    /// Wait of the packets sent, in seconds, over their number.
    pub queueing: Ratio,
    last: Counters,
}

impl PortMeter {
    /// An interval of `span_ps` ends with these counters; it counts only if it is `measured`.
    pub fn sample(&mut self, now: &Counters, span_ps: u64, measured: bool) {
        let during = difference(now, &self.last);
        self.last = *now;
        if !measured {
            return;
        }
        self.utilisation.record_value(during.busy_ps as f64 / span_ps as f64);
        self.backlog.record_value(during.backlog_ps as f64 / span_ps as f64);
        self.queueing.record(during.wait_ps as f64 * 1e-12, during.sent as f64);
    }
}

/// What was counted between two readings; the greatest backlog is that of the later one.
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
        wait_ps: now.wait_ps - before.wait_ps,
        backlog_max: now.backlog_max,
        backlog_ps: now.backlog_ps - before.backlog_ps,
    }
}
