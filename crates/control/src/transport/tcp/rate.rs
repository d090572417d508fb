//! Samples of the delivery rate: how fast what was sent lately arrived.
//!
//! Source: draft-ietf-ccwg-bbr, "Detailed Delivery Rate Sampling" (first draft-cheng-iccrg-delivery-rate-estimation).
//! Deviations:
//! - Packets are counted, not bytes.
//! - "Nothing is outstanding" counts packets not acknowledged, as Linux does, so that packets needlessly taken for lost cannot shorten an interval.

use headgate_packet::{Duration, Time};

/// What an acknowledgement says of the rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateSample {
    /// Packets delivered over the interval.
    pub delivered: u64,
    /// The longer one of the times over which they were sent and acknowledged.
    pub interval: Duration,
    /// Packets that had been delivered when the newest acknowledged one was sent.
    pub prior_delivered: u64,
    /// The source lacked data when that packet was sent.
    pub app_limited: bool,
    /// That packet had been sent before.
    pub resent: bool,
}

/// What was known when a packet was sent.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stamp {
    delivered: u64,
    delivered_at: Time,
    first_sent: Time,
    app_limited: bool,
}

/// Counts of what was delivered, and the sample of the present acknowledgement.
#[derive(Clone, Debug)]
pub(super) struct Sampler {
    /// Packets delivered so far.
    pub delivered: u64,
    delivered_at: Time,
    first_sent: Time,
    /// The source lacks data until this many are delivered; 0 if it does not.
    app_limited: u64,
    /// The newest packet that the present acknowledgement delivered: when it was sent, its number, its stamp, and whether it was sent again.
    newest: Option<(Time, u64, Stamp, bool)>,
}

impl Sampler {
    /// Nothing has been sent yet.
    pub const NEW: Sampler =
        Sampler { delivered: 0, delivered_at: Time::ZERO, first_sent: Time::ZERO, app_limited: 0, newest: None };

    /// A packet is sent. `idle` says that no other one is outstanding.
    pub fn sent(&mut self, now: Time, idle: bool) -> Stamp {
        if idle {
            (self.first_sent, self.delivered_at) = (now, now);
        }
        Stamp {
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            first_sent: self.first_sent,
            app_limited: self.app_limited > 0,
        }
    }

    /// A packet is acknowledged for the first time.
    #[inline]
    pub fn delivered(&mut self, (sent, seq): (Time, u64), resent: bool, stamp: &Stamp, now: Time) {
        self.delivered += 1;
        self.delivered_at = now;
        if self.newest.is_none_or(|(at, number, ..)| (sent, seq) > (at, number)) {
            self.newest = Some((sent, seq, *stamp, resent));
            self.first_sent = sent;
        }
    }

    /// Some packet came: which one, a duplicate does not say, and where no rate is wanted it does not matter.
    pub fn one_came(&mut self, now: Time) {
        self.delivered += 1;
        self.delivered_at = now;
    }

    /// This many were counted by duplicates and are counted when they are acknowledged, too.
    pub fn known_before(&mut self, packets: u64) {
        self.delivered -= packets;
    }

    /// The source had nothing more to send, with this many packets in flight.
    pub fn lacks_data(&mut self, in_flight: u64) {
        self.app_limited = (self.delivered + in_flight).max(1);
    }

    /// The sample at the end of an acknowledgement; none if it delivered nothing or its interval is below the least round trip.
    pub fn take(&mut self, min_rtt: Option<Duration>) -> Option<RateSample> {
        if self.app_limited > 0 && self.delivered > self.app_limited {
            self.app_limited = 0;
        }
        let (sent, _, stamp, resent) = self.newest.take()?;
        let interval = sent.since(stamp.first_sent).max(self.delivered_at.since(stamp.delivered_at));
        if interval == Duration::ZERO || min_rtt.is_some_and(|least| interval < least) {
            return None;
        }
        Some(RateSample {
            delivered: self.delivered.saturating_sub(stamp.delivered),
            interval,
            prior_delivered: stamp.delivered,
            app_limited: stamp.app_limited,
            resent,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn us(n: u64) -> Time {
        Time::from_ps(n * 1_000_000)
    }

    #[test]
    fn ten_packets_at_once_over_ten_megabits() {
        // 1500 B at 10 Mbit/s take 1.2 ms; the way takes 40 ms: acknowledgement k comes at 40 + 1.2 k ms and gives k / that.
        let mut s = Sampler::NEW;
        let stamps: Vec<Stamp> = (0..10).map(|i| s.sent(Time::ZERO, i == 0)).collect();
        for (k, stamp) in stamps.iter().enumerate() {
            let k = k as u64;
            s.delivered((Time::ZERO, k), false, stamp, us(40_000 + 1200 * (k + 1)));
            let sample = s.take(None).expect("a sample");
            let mbit = sample.delivered as f64 * 12e3 / sample.interval.as_secs_f64() / 1e6;
            let due = (k + 1) as f64 * 12e3 / (40e3 + 1200.0 * (k + 1) as f64);
            assert!((mbit - due).abs() < 1e-9, "{k}: {mbit} {due}");
        }
        assert_eq!(s.take(None), None);
    }

    #[test]
    fn in_slow_start_each_round_samples_twice_the_rate() {
        // The same way, and two more packets with each acknowledgement: the first of a round gives 10 and 20 packets in 41.2 ms.
        let mut s = Sampler::NEW;
        let mut sent: Vec<(Time, Stamp)> = (0..10).map(|i| (us(0), s.sent(us(0), i == 0))).collect();
        let mut free = 0;
        for k in 0..31 {
            let (at, stamp) = sent[k];
            free = free.max(at.as_ps() / 1_000_000) + 1200;
            s.delivered((at, k as u64), false, &stamp, us(free + 40_000));
            let sample = s.take(None).expect("a sample");
            if [10, 30].contains(&k) {
                assert_eq!((sample.delivered, sample.interval), (k as u64 / 2 + 5, Duration::from_ps(41_200_000_000)));
            }
            (0..2).for_each(|_| sent.push((us(free + 40_000), s.sent(us(free + 40_000), false))));
        }
    }

    #[test]
    fn what_is_sent_while_data_lack_is_marked_until_it_is_delivered() {
        let mut s = Sampler::NEW;
        let first = s.sent(us(0), true);
        s.lacks_data(1);
        let second = s.sent(us(10), false);
        s.delivered((us(0), 0), false, &first, us(100));
        assert_eq!(s.take(None).map(|r| r.app_limited), Some(false));
        s.delivered((us(10), 1), false, &second, us(110));
        assert_eq!(s.take(None).map(|r| (r.app_limited, r.delivered, r.prior_delivered)), Some((true, 2, 0)));
        let third = s.sent(us(120), true);
        s.delivered((us(120), 2), false, &third, us(220));
        assert_eq!(s.take(Some(Duration::from_millis(1))), None, "an interval below the least round trip");
        assert_eq!((third.app_limited, s.delivered), (false, 3));
    }
}
