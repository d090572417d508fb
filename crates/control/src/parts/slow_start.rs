//! The window machine that Tahoe and Reno share: slow start, then congestion avoidance.
//!
//! Source: Jacobson and Karels 1988, sections 1 and 3 and appendix B.
//! Congestion avoidance counts acknowledgements: one window of them opens the window by one packet. Adding 1 / window for each, as
//! BSD does in bytes, needs one acknowledgement more at small windows; the papers' loss cycles show that they counted.

/// A congestion window in packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlowStart {
    /// The window.
    pub window: u64,
    /// Below it the window opens exponentially, from it on linearly.
    pub threshold: u64,
    /// Maximum window.
    pub most: u64,
    /// Acknowledgements towards the next packet of window.
    credit: u64,
}

impl SlowStart {
    /// A window of one packet that opens exponentially up to `most`.
    pub fn new(most: u64) -> SlowStart {
        SlowStart { window: 1, threshold: most, most, credit: 0 }
    }

    /// An acknowledgement of new data: one packet more in slow start, one after a whole window of them afterwards.
    #[inline]
    pub fn open(&mut self) {
        if self.window >= self.most {
            return;
        }
        self.credit += 1;
        if self.window < self.threshold || self.credit >= self.window {
            (self.window, self.credit) = (self.window + 1, 0);
        }
    }

    /// A loss: half the window, at least two packets, becomes the threshold.
    pub fn halve(&mut self) {
        self.threshold = (self.window.min(self.most) / 2).max(2);
    }

    /// Sets the window.
    pub fn set(&mut self, window: u64) {
        (self.window, self.credit) = (window, 0);
    }

    /// The packets that may be outstanding.
    #[inline]
    pub fn allowance(&self) -> u64 {
        self.window.min(self.most)
    }

    /// The window with the fraction of a packet that the acknowledgements so far amount to.
    pub fn gauge(&self) -> f64 {
        self.window as f64 + self.credit as f64 / self.window as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The window after each of this many acknowledgements.
    fn windows(slow_start: &mut SlowStart, acks: u64) -> Vec<u64> {
        let mut open = || {
            slow_start.open();
            slow_start.window
        };
        (0..acks).map(|_| open()).collect()
    }

    #[test]
    fn the_window_opens_by_a_packet_an_acknowledgement_then_by_a_packet_a_window() {
        let mut s = SlowStart { threshold: 4, ..SlowStart::new(6) };
        // To the threshold of 4 at once; then four acknowledgements, then five; the largest window is 6.
        assert_eq!(windows(&mut s, 14), [2, 3, 4, 4, 4, 4, 5, 5, 5, 5, 5, 6, 6, 6]);
    }

    #[test]
    fn the_gauge_counts_the_acknowledgements_towards_the_next_packet() {
        let mut s = SlowStart { window: 4, threshold: 4, ..SlowStart::new(100) };
        let mut gauge = || {
            s.open();
            s.gauge()
        };
        assert_eq!([gauge(), gauge(), gauge(), gauge(), gauge()], [4.25, 4.5, 4.75, 5.0, 5.2]);
        // What was counted before a cut does not count after it.
        s.set(2);
        assert_eq!(s.gauge(), 2.0);
        s.threshold = 2;
        assert_eq!(windows(&mut s, 2), [2, 3]);
    }

    #[test]
    fn half_the_window_becomes_the_threshold_and_at_least_two_packets() {
        for (window, half) in [(1, 2), (2, 2), (3, 2), (4, 2), (5, 2), (6, 3), (7, 3), (64, 32), (100, 50), (1000, 50)]
        {
            let mut s = SlowStart { window, ..SlowStart::new(100) };
            s.halve();
            assert_eq!((s.threshold, s.window), (half, window));
        }
    }

    #[test]
    fn no_more_than_the_largest_window_may_be_outstanding() {
        assert_eq!([3, 4, 5].map(|window| SlowStart { window, ..SlowStart::new(4) }.allowance()), [3, 4, 4]);
    }
}
