//! A line that sends in bursts: at whole multiples of a time it may send a number of packets, one after the other.

use headgate_packet::{Duration, Time};

/// A number of packets at each whole multiple of a time, as long as some wait. A packet that arrives too late for a burst waits for the next one,
/// and a burst that takes longer than that time skips the multiples that pass meanwhile.
#[derive(Clone, Debug)]
pub struct Bursts {
    packets: u32,
    every: Duration,
    /// Packets that the present burst may still send, and when its last one ends.
    left: u32,
    end: Time,
    /// The first multiple that no burst has used.
    next: u64,
}

impl Bursts {
    /// At most `packets` packets each `every`; both are above zero. The first burst may be at time zero.
    pub fn new(packets: u32, every: Duration) -> Bursts {
        Bursts { packets, every, left: 0, end: Time::ZERO, next: 0 }
    }

    pub(super) fn opens(&mut self, start: Time) -> Time {
        if self.left > 0 && start == self.end {
            return start;
        }
        let number = start.as_ps().div_ceil(self.every.as_ps()).max(self.next);
        let at = Time::ZERO + self.every * number;
        if at == start {
            (self.next, self.left, self.end) = (number + 1, self.packets, start);
        }
        at
    }

    pub(super) fn sent(&mut self, end: Time) {
        (self.left, self.end) = (self.left - 1, end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000_000;

    fn ms(n: u64) -> Time {
        Time::from_ps(n * MS)
    }

    #[test]
    fn a_burst_has_a_number_of_packets_and_the_next_one_waits_for_its_time() {
        let mut bursts = Bursts::new(2, Duration::from_millis(10));
        // What could start at 3 ms starts at 10 ms; each packet takes 1 ms.
        assert_eq!(bursts.opens(ms(3)), ms(10));
        for _ in 0..2 {
            let at = bursts.opens(ms(10).max(bursts.end));
            assert_eq!(at, ms(10).max(bursts.end));
            bursts.sent(at + Duration::from_millis(1));
        }
        assert_eq!(bursts.opens(ms(12)), ms(20));
        // The queue runs empty after one: the rest of the burst is lost.
        assert_eq!(bursts.opens(ms(20)), ms(20));
        bursts.sent(ms(21));
        assert_eq!(bursts.opens(ms(22)), ms(30));
        // A time is used once, although its burst took no time.
        assert_eq!(bursts.opens(ms(30)), ms(30));
        bursts.sent(ms(30));
        assert_eq!(bursts.opens(ms(30)), ms(30));
        bursts.sent(ms(30));
        assert_eq!(bursts.opens(ms(30)), ms(40));
        // A burst that takes long: the times at 50 and 60 ms are skipped.
        assert_eq!(bursts.opens(ms(40)), ms(40));
        bursts.sent(ms(55));
        assert_eq!(bursts.opens(ms(55)), ms(55));
        bursts.sent(ms(65));
        assert_eq!(bursts.opens(ms(65)), ms(70));
    }
}
