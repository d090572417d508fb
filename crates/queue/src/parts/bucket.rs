//! A bucket of tokens, counted without rounding: in units of which each picosecond adds as many as the rate has bits per second.
//!
//! Source: the token buckets of Linux's `sch_tbf` and `sch_htb`, which count in time that packets take at the rate.

use headgate_packet::{Bytes, Duration, Rate, Time};

/// Units of a byte.
const BYTE: i128 = 8_000_000_000_000;

/// A bucket that fills at a rate. What is taken may leave it below zero.
#[derive(Clone, Debug)]
pub struct Bucket {
    rate: u64,
    /// The most that it holds.
    depth: i128,
    /// The least that it holds.
    floor: i128,
    /// What it held at `at`.
    level: i128,
    at: Time,
}

impl Bucket {
    /// A full bucket. It falls no lower than what comes in within `debt`.
    pub fn new(rate: Rate, burst: Bytes, debt: Duration) -> Bucket {
        let (rate, depth) = (rate.as_bps(), i128::from(burst.0) * BYTE);
        let owed = u128::from(rate) * u128::from(debt.as_ps());
        Bucket { rate, depth, floor: -i128::try_from(owed).unwrap_or(i128::MAX / 2), level: depth, at: Time::ZERO }
    }

    /// What it holds.
    fn level(&self, now: Time) -> i128 {
        let room = (self.depth - self.level) as u128;
        let gained = u128::from(self.rate) * u128::from(now.since(self.at).as_ps());
        self.level + gained.min(room) as i128
    }

    /// What it holds, in bytes, for people.
    pub fn bytes(&self, now: Time) -> f64 {
        self.level(now) as f64 / BYTE as f64
    }

    /// Whether it ever holds this much.
    pub fn can_hold(&self, bytes: u32) -> bool {
        i128::from(bytes) * BYTE <= self.depth
    }

    /// Whether it holds at least this much.
    pub fn holds(&self, bytes: u32, now: Time) -> bool {
        self.level(now) >= i128::from(bytes) * BYTE
    }

    /// How long until it holds this much, if nothing is taken: rounded up, and nothing if it does.
    pub fn wait(&self, bytes: u32, now: Time) -> Duration {
        let missing = (i128::from(bytes) * BYTE - self.level(now)).max(0) as u128;
        Duration::from_ps(u64::try_from(missing.div_ceil(u128::from(self.rate))).unwrap_or(u64::MAX))
    }

    /// Takes so much out.
    pub fn take(&mut self, bytes: u32, now: Time) {
        self.level = (self.level(now) - i128::from(bytes) * BYTE).max(self.floor);
        self.at = now;
    }

    /// Puts back what was taken at this same time.
    pub fn put_back(&mut self, bytes: u32) {
        self.level = (self.level + i128::from(bytes) * BYTE).min(self.depth);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MS: u64 = 1_000_000_000;

    fn at(ps: u64) -> Time {
        Time::from_ps(ps)
    }

    #[test]
    fn by_hand() {
        // 1000 bytes per second, 100 of which it holds; it owes up to 50.
        let mut bucket = Bucket::new(Rate::from_bps(8_000).unwrap(), Bytes(100), Duration::from_millis(50));
        assert_eq!((bucket.can_hold(100), bucket.can_hold(101)), (true, false));
        assert_eq!((bucket.holds(100, at(0)), bucket.holds(101, at(9000 * MS))), (true, false));
        bucket.take(70, at(0));
        assert_eq!(bucket.wait(30, at(0)), Duration::ZERO);
        assert_eq!(bucket.wait(40, at(0)), Duration::from_millis(10));
        assert_eq!((bucket.holds(40, at(10 * MS - 1)), bucket.holds(40, at(10 * MS))), (false, true));
        assert!((bucket.bytes(at(5 * MS)) - 35.0).abs() < 1e-9);
        bucket.take(60, at(10 * MS));
        assert_eq!(bucket.wait(0, at(10 * MS)), Duration::from_millis(20));
        bucket.put_back(60);
        assert_eq!(bucket.wait(40, at(10 * MS)), Duration::ZERO);
        bucket.put_back(1000);
        bucket.take(1000, at(10 * MS));
        assert_eq!(bucket.wait(0, at(10 * MS)), Duration::from_millis(50));
        assert!(bucket.holds(100, at(9000 * MS)));
    }

    #[test]
    fn nothing_overflows() {
        for rate in [1, u64::MAX] {
            let mut bucket = Bucket::new(Rate::from_bps(rate).unwrap(), Bytes(u64::MAX), Duration::from_ps(u64::MAX));
            (0..3).for_each(|_| bucket.take(u32::MAX, at(u64::MAX)));
            assert!(bucket.bytes(at(u64::MAX)).is_finite());
            bucket.put_back(u32::MAX);
        }
        let mut slow = Bucket::new(Rate::from_bps(1).unwrap(), Bytes(1), Duration::from_ps(u64::MAX));
        slow.take(u32::MAX, at(0));
        assert_eq!(slow.wait(u32::MAX, at(0)), Duration::from_ps(u64::MAX));
    }

    proptest! {
        /// At the end of the wait it holds as much as was asked for, and a picosecond earlier it does not.
        #[test]
        fn the_wait_is_exact(bps in 1..100_000_000_000u64, taken in 1..3000u32, asked in 1..1500u32, later in 0..1_000_000_000_000u64) {
            let mut bucket = Bucket::new(Rate::from_bps(bps).unwrap(), Bytes(1500), Duration::from_secs(60));
            bucket.take(taken, at(0));
            let wait = bucket.wait(asked, at(later)).as_ps();
            prop_assert!(bucket.holds(asked, at(later + wait)));
            prop_assert!(wait == 0 || !bucket.holds(asked, at(later + wait - 1)));
        }
    }
}
