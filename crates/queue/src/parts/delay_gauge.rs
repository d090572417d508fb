//! How long packets wait in a queue now, as the AQMs see it that look at the delay from time to time: by the time that the last packet waited, or by the
//! rate at which packets leave.
//!
//! Source: RFC 8033, sections 4.3 (the time stamps of packets) and 5.2 with appendix B (the rate of departures).
//!
//! Deviations:
//! - A queue that is empty has no delay, which the RFC's appendix A leaves out: without a departure the last packet's time would stand for ever.
//! - Section 5.2's text ends a measurement before the threshold is reached; appendix B, which is followed, when it is.

use crate::Backlog;
use headgate_packet::{Duration, Packet, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the delay of a queue is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Estimate {
    /// The time that the packet waited that left last.
    #[default]
    Timestamp,
    /// What waits, divided by the rate at which packets left while at least 16 KiB waited.
    DepartureRate,
}

/// `DQ_THRESHOLD`: bytes that have to wait for a measurement to begin, and that it takes.
const THRESHOLD: u64 = 1 << 14;
/// Weight of a sample in the average time that `THRESHOLD` bytes take to leave.
const WEIGHT: f64 = THRESHOLD as f64 / (1 << 16) as f64;

/// The delay of a queue.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DelayGauge {
    /// The time that the last packet waited.
    last: Duration,
    /// `avg_dq_time`: average time in which `THRESHOLD` bytes leave, in seconds; none before the first measurement.
    average: Option<f64>,
    /// A measurement that began then, and the bytes that have left since.
    measured: Option<(Time, u64)>,
}

impl DelayGauge {
    /// A packet leaves; what waits after it.
    #[inline]
    pub fn on_departure(&mut self, packet: &Packet, waiting: Backlog, estimate: Estimate, now: Time) {
        match estimate {
            Estimate::Timestamp => self.last = now.since(packet.arrived),
            Estimate::DepartureRate => self.measure(u64::from(packet.bytes), waiting.bytes, now),
        }
    }

    fn measure(&mut self, bytes: u64, waiting: u64, now: Time) {
        if self.measured.is_none() && bytes + waiting >= THRESHOLD {
            self.measured = Some((now, 0));
        }
        let Some((since, left)) = &mut self.measured else { return };
        *left += bytes;
        if *left >= THRESHOLD {
            let sample = now.since(*since).as_secs_f64();
            self.average = Some(self.average.map_or(sample, |average| WEIGHT * sample + (1.0 - WEIGHT) * average));
            self.measured = None;
        }
    }

    /// The queue is empty: the last packet's time says nothing of the next one's.
    pub fn on_empty(&mut self) {
        self.last = Duration::ZERO;
    }

    /// Whether it would say the same of a packet that arrives at an empty queue as one that has seen nothing but departures.
    pub fn is_idle(&self) -> bool {
        self.last == Duration::ZERO
    }

    /// The delay in seconds, of a queue in which this waits.
    pub fn delay(&self, waiting: Backlog, estimate: Estimate) -> f64 {
        match estimate {
            _ if waiting.packets == 0 => 0.0,
            Estimate::Timestamp => self.last.as_secs_f64(),
            Estimate::DepartureRate => {
                self.average.map_or(0.0, |average| waiting.bytes as f64 * average / THRESHOLD as f64)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_of_departures_gives_the_delay_of_what_waits() {
        // 1024 bytes leave each ms; the sixteenth departure of a measurement, of which the first counts, makes 16 KiB.
        let (mut gauge, estimate) = (DelayGauge::default(), Estimate::DepartureRate);
        let waiting = |bytes| Backlog { packets: bytes / 1024, bytes };
        let mut leave = |k: u64, bytes| {
            let packet = Packet { bytes: 1024, ..Packet::default() };
            gauge.on_departure(&packet, waiting(bytes), estimate, Time::ZERO + Duration::from_millis(k));
            gauge.delay(waiting(bytes), estimate)
        };
        // Too little waits for a measurement.
        assert_eq!(leave(0, 14 * 1024), 0.0);
        let before: Vec<f64> = (100..115).map(|k| leave(k, 16 * 1024)).collect();
        assert_eq!(before, [0.0; 15]);
        // From the first departure to the sixteenth are 15 ms for 16 KiB: twice as much waits for twice that.
        assert_eq!(leave(115, 32 * 1024), 0.030);
        // The next measurement begins with the next departure: 30 ms for 16 KiB, of which a quarter counts.
        (0..16).for_each(|k| _ = leave(200 + 2 * k, 16 * 1024));
        assert!((gauge.delay(waiting(16 * 1024), estimate) - (0.75 * 0.015 + 0.25 * 0.030)).abs() < 1e-12);
        assert_eq!(gauge.delay(waiting(0), estimate), 0.0);
    }

    #[test]
    fn a_measurement_begins_when_enough_waited_with_the_packet_that_leaves() {
        // 15 KiB behind a packet of 1 KiB are 16 KiB: the measurement begins with it, and ends with the sixteenth.
        let (mut gauge, estimate) = (DelayGauge::default(), Estimate::DepartureRate);
        for (behind, measures) in [(15 * 1024 - 1, false), (15 * 1024, true)] {
            let packet = Packet { bytes: 1024, ..Packet::default() };
            gauge.on_departure(&packet, Backlog { packets: 15, bytes: behind }, estimate, Time::ZERO);
            assert_eq!(gauge.measured.is_some(), measures, "{behind}");
        }
    }

    #[test]
    fn an_empty_queue_has_no_delay() {
        let mut gauge = DelayGauge::default();
        let now = Time::ZERO + Duration::from_millis(7);
        gauge.on_departure(&Packet::default(), Backlog::default(), Estimate::Timestamp, now);
        assert_eq!(gauge.delay(Backlog { packets: 1, bytes: 1 }, Estimate::Timestamp), 0.007);
        assert_eq!(gauge.delay(Backlog::default(), Estimate::Timestamp), 0.0);
        assert!(!gauge.is_idle());
        gauge.on_empty();
        assert!(gauge.is_idle());
    }
}
