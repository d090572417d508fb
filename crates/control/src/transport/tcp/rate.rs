//! Samples of the delivery rate: how fast what was sent lately arrived.
//!
//! Source: draft-ietf-ccwg-bbr, "Detailed Delivery Rate Sampling" (first draft-cheng-iccrg-delivery-rate-estimation).
//! Deviations:
//! - Packets are counted, not bytes.
//! - "Nothing is outstanding" counts packets not acknowledged, as Linux does, so that packets wrongly declared lost cannot shorten an interval.

use crate::transport::ledger::{Ledger, spread};
use headgate_packet::{Duration, Time};
use std::ops::Range;

/// What an acknowledgement says of the rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateSample {
    /// Packets delivered over the interval.
    pub delivered: u64,
    /// The longer one of the times over which they were sent and acknowledged.
    pub interval: Duration,
    /// Packets that had been delivered when the newest acknowledged one was sent.
    pub prior_delivered: u64,
    /// Packets that were declared lost since that packet was sent.
    pub lost: u64,
    /// Packets in the network when it was sent, itself included.
    pub in_flight: u64,
    /// The source lacked data when that packet was sent.
    pub app_limited: bool,
    /// That packet had been sent before.
    pub resent: bool,
}

/// A packet as it was sent last.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sent {
    /// Its number.
    pub seq: u64,
    /// When.
    pub at: Time,
    /// Packets in the network then, itself included.
    pub in_flight: u64,
    /// Packets that had been delivered until then.
    pub delivered: u64,
    /// Packets that had been declared lost until then.
    pub lost: u64,
    /// The source lacked data.
    pub app_limited: bool,
}

/// What was known when a packet was sent. Half a cache line, since there is one for each packet outstanding.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(32))]
pub(super) struct Stamp {
    delivered: u64,
    delivered_at: Time,
    first_sent: Time,
    /// The lower half of the number: fewer than 2^32 packets are lost while one is outstanding.
    lost: u32,
    /// Packets in flight; above them a bit that says that the source lacked data.
    in_flight: u32,
}

const APP_LIMITED: u32 = 1 << 31;

impl Stamp {
    /// The packet with this stamp, where `declared_lost` packets have been declared lost until now.
    pub fn sent(&self, seq: u64, at: Time, declared_lost: u64) -> Sent {
        let lost = declared_lost - self.lost_since(declared_lost).min(declared_lost);
        Sent { seq, at, in_flight: self.in_flight(), delivered: self.delivered, lost, app_limited: self.app_limited() }
    }

    fn in_flight(&self) -> u64 {
        u64::from(self.in_flight & !APP_LIMITED)
    }

    fn app_limited(&self) -> bool {
        self.in_flight & APP_LIMITED > 0
    }

    /// Packets declared lost since it was sent.
    fn lost_since(&self, declared_lost: u64) -> u64 {
        u64::from((declared_lost as u32).wrapping_sub(self.lost))
    }
}

/// What was known at the sending of each packet outstanding, and the sample of the present acknowledgement.
#[derive(Clone, Debug, Default)]
pub(super) struct Sampler {
    /// As the ledger keeps its records.
    stamps: Vec<Stamp>,
    delivered_at: Time,
    first_sent: Time,
    /// The source lacks data until this many are delivered; 0 if it does not.
    app_limited: u64,
    /// The newest packet that the present acknowledgement delivered: when it was sent, its number, its stamp, and whether it was sent again.
    newest: Option<(Time, u64, Stamp, bool)>,
}

impl Sampler {
    /// The ledger has this many places now.
    pub fn grow(&mut self, outstanding: Range<u64>, places: usize) {
        spread(&mut self.stamps, outstanding, places);
    }

    /// Packet `seq` is sent, and is in the ledger. `idle` says that no other one is outstanding.
    #[inline]
    pub fn sent(&mut self, seq: u64, idle: bool, ledger: &Ledger, now: Time) {
        let place = self.place(seq);
        self.stamps[place] = self.stamp(idle, (ledger.delivered, ledger.declared_lost, ledger.pipe()), now);
    }

    /// What is known when a packet is sent, with the packets delivered and lost so far and in flight.
    #[inline]
    pub fn stamp(&mut self, idle: bool, (delivered, lost, in_flight): (u64, u64, u64), now: Time) -> Stamp {
        if idle {
            (self.first_sent, self.delivered_at) = (now, now);
        }
        Stamp {
            delivered,
            delivered_at: self.delivered_at,
            first_sent: self.first_sent,
            lost: lost as u32,
            in_flight: in_flight.min(u64::from(APP_LIMITED - 1)) as u32
                | if self.app_limited > 0 { APP_LIMITED } else { 0 },
        }
    }

    #[inline]
    fn place(&self, seq: u64) -> usize {
        seq as usize & (self.stamps.len() - 1)
    }

    /// A packet of the ledger is acknowledged for the first time.
    #[inline]
    pub fn acknowledged(&mut self, (sent, seq): (Time, u64), resent: bool, now: Time) {
        let stamp = self.stamps[self.place(seq)];
        self.delivered((sent, seq), resent, &stamp, now);
    }

    /// A packet is acknowledged for the first time, which was sent with this stamp.
    #[inline]
    pub fn delivered(&mut self, (sent, seq): (Time, u64), resent: bool, stamp: &Stamp, now: Time) {
        self.delivered_at = now;
        if self.newest.is_none_or(|(at, number, ..)| (sent, seq) > (at, number)) {
            self.newest = Some((sent, seq, *stamp, resent));
            self.first_sent = sent;
        }
    }

    /// Some packet arrived: which one, a duplicate does not say.
    pub fn one_delivered(&mut self, now: Time) {
        self.delivered_at = now;
    }

    /// The source had nothing more to send, with this many packets delivered so far and in flight.
    pub fn on_app_limited(&mut self, delivered: u64, in_flight: u64) {
        self.app_limited = (delivered + in_flight).max(1);
    }

    /// Whether what is sent now is marked as sent while data lack.
    pub fn is_app_limited(&self) -> bool {
        self.app_limited > 0
    }

    /// The sample at the end of an acknowledgement, with the packets delivered and declared lost so far; none if it delivered nothing or its interval
    /// is below the least round trip.
    pub fn take(&mut self, min_rtt: Option<Duration>, delivered: u64, declared_lost: u64) -> Option<RateSample> {
        if self.app_limited > 0 && delivered > self.app_limited {
            self.app_limited = 0;
        }
        let (sent, _, stamp, resent) = self.newest.take()?;
        let interval = sent.since(stamp.first_sent).max(self.delivered_at.since(stamp.delivered_at));
        if interval == Duration::ZERO || min_rtt.is_some_and(|least| interval < least) {
            return None;
        }
        Some(RateSample {
            delivered: delivered.saturating_sub(stamp.delivered),
            interval,
            prior_delivered: stamp.delivered,
            lost: stamp.lost_since(declared_lost),
            in_flight: stamp.in_flight(),
            app_limited: stamp.app_limited(),
            resent,
        })
    }

    /// A packet outstanding that was sent last at `at`, where `declared_lost` packets have been declared lost until now.
    pub fn sent_packet(&self, seq: u64, at: Time, declared_lost: u64) -> Sent {
        self.stamps[self.place(seq)].sent(seq, at, declared_lost)
    }

    /// Bytes that it takes.
    pub fn memory(&self) -> usize {
        size_of::<Sampler>() + self.stamps.capacity() * size_of::<Stamp>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn us(n: u64) -> Time {
        Time::from_ps(n * 1_000_000)
    }

    /// A sampler and the packets delivered so far; nothing is lost.
    struct Counted(Sampler, u64);

    impl Counted {
        fn sent(&mut self, now: Time, idle: bool) -> Stamp {
            self.0.stamp(idle, (self.1, 0, 1), now)
        }

        fn delivered(&mut self, packet: (Time, u64), stamp: &Stamp, now: Time) {
            self.1 += 1;
            self.0.delivered(packet, false, stamp, now);
        }

        fn take(&mut self, min_rtt: Option<Duration>) -> Option<RateSample> {
            self.0.take(min_rtt, self.1, 0)
        }
    }

    fn counted() -> Counted {
        Counted(Sampler::default(), 0)
    }

    #[test]
    fn ten_packets_at_once_over_ten_megabits() {
        // 1500 B at 10 Mbit/s take 1.2 ms; the way takes 40 ms: acknowledgement k arrives at 40 + 1.2 k ms and gives k / that.
        let mut s = counted();
        let stamps: Vec<Stamp> = (0..10).map(|i| s.sent(Time::ZERO, i == 0)).collect();
        for (k, stamp) in stamps.iter().enumerate() {
            let k = k as u64;
            s.delivered((Time::ZERO, k), stamp, us(40_000 + 1200 * (k + 1)));
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
        let mut s = counted();
        let mut sent: Vec<(Time, Stamp)> = (0..10).map(|i| (us(0), s.sent(us(0), i == 0))).collect();
        let mut free = 0;
        for k in 0..31 {
            let (at, stamp) = sent[k];
            free = free.max(at.as_ps() / 1_000_000) + 1200;
            s.delivered((at, k as u64), &stamp, us(free + 40_000));
            let sample = s.take(None).expect("a sample");
            if [10, 30].contains(&k) {
                assert_eq!((sample.delivered, sample.interval), (k as u64 / 2 + 5, Duration::from_ps(41_200_000_000)));
            }
            (0..2).for_each(|_| sent.push((us(free + 40_000), s.sent(us(free + 40_000), false))));
        }
    }

    #[test]
    fn what_is_sent_while_data_lack_is_marked_until_it_is_delivered() {
        let mut s = counted();
        let first = s.sent(us(0), true);
        s.0.on_app_limited(0, 1);
        let second = s.sent(us(10), false);
        s.delivered((us(0), 0), &first, us(100));
        assert_eq!(s.take(None).map(|r| r.app_limited), Some(false));
        s.delivered((us(10), 1), &second, us(110));
        assert_eq!(s.take(None).map(|r| (r.app_limited, r.delivered, r.prior_delivered)), Some((true, 2, 0)));
        let third = s.sent(us(120), true);
        s.delivered((us(120), 2), &third, us(220));
        assert_eq!(s.take(Some(Duration::from_millis(1))), None, "an interval below the least round trip");
        assert_eq!((third.app_limited(), s.1), (false, 3));
    }

    #[test]
    fn a_sample_has_what_was_in_flight_when_its_packet_was_sent_and_what_was_lost_since() {
        let mut s = Sampler::default();
        let stamp = s.stamp(true, (3, 2, 7), us(0));
        s.delivered((us(0), 9), false, &stamp, us(100));
        let sample = s.take(None, 4, 5).expect("a sample");
        assert_eq!((sample.in_flight, sample.lost, sample.delivered, sample.prior_delivered), (7, 3, 1, 3));
    }

    #[test]
    fn losses_are_counted_beyond_the_32_bits_of_a_stamp() {
        let before = (1 << 32) + u64::from(u32::MAX);
        let stamp = Sampler::default().stamp(true, (0, before, u64::MAX), us(0));
        assert_eq!((stamp.lost_since(before + 2), stamp.app_limited()), (2, false));
        let sent = stamp.sent(7, us(0), before + 2);
        assert_eq!((sent.lost, sent.in_flight, sent.app_limited), (before, (1 << 31) - 1, false));
        assert_eq!(size_of::<Stamp>(), 32);
    }

    #[test]
    fn a_lack_of_data_is_over_when_more_is_delivered_than_was_in_flight_then() {
        let mut s = Sampler::default();
        s.on_app_limited(0, 2);
        for (delivered, app_limited) in [(2, true), (3, false)] {
            assert_eq!(s.take(None, delivered, 0), None);
            assert_eq!(s.stamp(false, (delivered, 0, 1), us(10)).app_limited(), app_limited);
        }
    }

    #[test]
    fn after_a_pause_an_interval_begins_with_the_first_packet_and_may_be_as_short_as_the_least_round_trip() {
        let mut s = counted();
        let first = s.sent(us(0), true);
        s.delivered((us(0), 0), &first, us(10));
        let least = Some(Duration::from_ps(10_000_000));
        assert!(s.take(least).is_some());
        let second = s.sent(us(100), true);
        s.delivered((us(100), 1), &second, us(110));
        assert_eq!(s.take(least).map(|r| (r.interval, r.delivered)), Some((Duration::from_ps(10_000_000), 1)));
    }

    #[test]
    fn what_is_sent_after_a_duplicate_counts_from_the_duplicate() {
        let mut s = counted();
        s.sent(us(0), true);
        s.0.one_delivered(us(50));
        let second = s.sent(us(60), false);
        s.delivered((us(60), 1), &second, us(170));
        // Acknowledged within 170 - 50, sent within 60.
        assert_eq!(s.take(None).map(|r| r.interval), Some(Duration::from_ps(120_000_000)));
    }

    #[test]
    fn of_packets_sent_at_one_instant_the_one_with_the_highest_number_is_the_newest() {
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
            let mut s = Sampler::default();
            let stamps = [1, 2, 3].map(|in_flight| s.stamp(in_flight == 1, (0, 0, in_flight), us(0)));
            order.iter().for_each(|&k| s.delivered((us(0), k as u64), k == 2, &stamps[k], us(100)));
            assert_eq!(s.take(None, 3, 0).map(|r| (r.in_flight, r.resent)), Some((3, true)), "{order:?}");
        }
    }
}
