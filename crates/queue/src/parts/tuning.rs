//! RED's parameters that follow the link and the queue: Adaptive RED.
//!
//! Source: Floyd, Gummadi and Shenker 2001, "Adaptive RED: an algorithm for increasing the robustness of RED's active queue management". The paper was not
//! at hand: its rule for `max_p` was read in the notes of Linux's `sch_red` and in the authors' own code in ns-2, whose details hold here; the
//! settings of the weight and the thresholds are recalled.
//! - The average is to stay within the middle fifth between the thresholds. Above it `max_p` rises by the smaller of 0.01 and a quarter of itself,
//!   below it `max_p` falls to nine tenths. It rises only while it is at most 0.5 and falls only while it is at least 0.01.
//! - The weight is 1 - exp(-1/C), where C is the number of typical packets that the link sends in a second.
//! - The lower threshold is half of what the link sends in the delay aimed at, and at least 5 packets; the upper one is three times it.
//!
//! Deviations:
//! - `max_p` is looked at when a packet arrives, and changes if its last change was longer ago than the interval (as in ns-2): while nothing arrives
//!   it does not change.

use crate::parts::{Early, EarlyParams};
use headgate_packet::{Buffer, Duration, Rate, Time};

/// Which parameters of RED follow the link and the queue; none by default.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tuning {
    /// The weight follows the rate of the link.
    pub weight: bool,
    /// The thresholds follow from the rate of the link and this delay.
    pub delay: Option<Duration>,
}

/// The part of the way between the thresholds below and above the band that the average is to stay in.
const MARGIN: f64 = 0.4;
/// What `max_p` gains at most, and as a part of itself.
const GAIN: (f64, f64) = (0.01, 0.25);
/// What is left of `max_p` after a step down.
const LEFT: f64 = 0.9;
/// `max_p` below which it does not fall further, and above which it does not rise further.
const BOUNDS: (f64, f64) = (0.01, 0.5);

/// The next `max_p`; `None` if it stays.
pub fn adapted(max_p: f64, average: f64, (low, high): (f64, f64)) -> Option<f64> {
    let margin = MARGIN * (high - low);
    if average > high - margin && max_p <= BOUNDS.1 {
        Some(max_p + GAIN.0.min(GAIN.1 * max_p))
    } else if average < low + margin && max_p >= BOUNDS.0 {
        Some(max_p * LEFT)
    } else {
        None
    }
}

impl Tuning {
    /// The weight and the thresholds for a link of this rate.
    pub fn of(&self, params: &EarlyParams, rate: Rate) -> (f64, (f64, f64)) {
        let packets = rate.as_bps() as f64 / (8.0 * params.mean_packet.0.max(1) as f64);
        let weight = if self.weight { -libm::expm1(-1.0 / packets) } else { params.weight };
        let given = (params.min_threshold.limit(), params.max_threshold.limit());
        let thresholds = self.delay.map_or(given, |delay| {
            let unit = if matches!(params.min_threshold, Buffer::Bytes(_)) { params.mean_packet.0 as f64 } else { 1.0 };
            let low = unit * (0.5 * delay.as_secs_f64() * packets).max(5.0);
            (low, 3.0 * low)
        });
        (weight, thresholds)
    }
}

/// When a queue's `max_p` last changed.
#[derive(Clone, Debug, Default)]
pub struct Adapting {
    changed: Time,
    used: bool,
}

impl Adapting {
    /// An arrival was taken into the average; `max_p` changes at most once in an interval.
    #[inline]
    pub fn on_arrival(&mut self, early: &mut Early, interval: Duration, now: Time) {
        self.used = true;
        if now.since(self.changed) > interval
            && let Some(max_p) = adapted(early.max_p(), early.average(), early.thresholds())
        {
            early.set_max_p(max_p);
            self.changed = now;
        }
    }

    /// Whether a packet ever arrived: the queue is not as a new one then.
    pub fn is_used(&self) -> bool {
        self.used
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use headgate_packet::Bytes;

    fn params(min_threshold: Buffer, mean_packet: u64) -> EarlyParams {
        EarlyParams {
            min_threshold,
            max_threshold: Buffer::Packets(15),
            weight: 0.002,
            max_p: 0.1,
            constant: false,
            gentle: false,
            by_bytes: false,
            mean_packet: Bytes(mean_packet),
            tuning: Tuning::default(),
        }
    }

    fn steps(mut max_p: f64, average: f64, n: usize) -> Vec<f64> {
        let step = |_| {
            max_p = adapted(max_p, average, (5.0, 15.0)).unwrap_or(max_p);
            (max_p * 1e6).round() / 1e6
        };
        (0..n).map(step).collect()
    }

    #[test]
    fn max_p_by_hand() {
        // The band is 9 to 11 packets.
        assert_eq!(steps(0.1, 11.01, 5), [0.11, 0.12, 0.13, 0.14, 0.15]);
        assert_eq!(steps(0.1, 8.99, 5), [0.09, 0.081, 0.0729, 0.06561, 0.059049]);
        assert_eq!(steps(0.02, 14.0, 4), [0.025, 0.03125, 0.039063, 0.048828]);
        for average in [9.0, 10.0, 11.0] {
            assert_eq!(adapted(0.1, average, (5.0, 15.0)), None);
        }
        // From 0.01 on it may fall once more, from 0.5 rise once more.
        assert_eq!(steps(0.01, 0.0, 3), [0.009; 3]);
        assert_eq!(steps(0.5, 20.0, 3), [0.51; 3]);
        assert_eq!(adapted(0.0, 20.0, (5.0, 15.0)), Some(0.0));
    }

    #[test]
    fn from_anywhere_it_stays_within_its_bounds() {
        for average in [0.0, 5.0, 12.0, 100.0] {
            for start in [0.02, 0.1, 0.5] {
                let all = steps(start, average, 1000);
                assert!(all.iter().all(|p| (0.009..=0.51).contains(p)), "{average}: {all:?}");
            }
        }
    }

    #[test]
    fn the_weight_and_the_thresholds_of_links() {
        let of = |bps: u64, packet: u64, unit: Buffer, delay_ms: u64| {
            let tuning = Tuning { weight: true, delay: Some(Duration::from_millis(delay_ms)) };
            tuning.of(&params(unit, packet), Rate::from_bps(bps).unwrap())
        };
        // 10 Mbit/s are 1250 packets of 1000 bytes per second: 3.1 packets in half of 5 ms.
        let (weight, thresholds) = of(10_000_000, 1000, Buffer::Packets(1), 5);
        assert!((weight - 0.000_799_68).abs() < 1e-8, "{weight}");
        assert_eq!(thresholds, (5.0, 15.0));
        // 100 Mbit/s: 31.25 packets; in bytes that many times 1000.
        assert_eq!(of(100_000_000, 1000, Buffer::Packets(1), 5).1, (31.25, 93.75));
        assert_eq!(of(100_000_000, 1000, Buffer::Bytes(1), 5).1, (31_250.0, 93_750.0));
        // The slowest link and the fastest one.
        assert_eq!(of(1, 1 << 24, Buffer::Packets(1), 5), (1.0, (5.0, 15.0)));
        let (weight, (low, high)) = of(u64::MAX, 1, Buffer::Packets(1), 1 << 33);
        assert!((0.0..1e-17).contains(&weight) && low.is_finite() && high.is_finite());
        // Without being asked for, the parameters stay.
        let rate = Rate::from_bps(1_000_000_000).unwrap();
        assert_eq!(Tuning::default().of(&params(Buffer::Packets(5), 1000), rate), (0.002, (5.0, 15.0)));
    }
}
