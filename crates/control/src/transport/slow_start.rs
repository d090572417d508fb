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
    /// Largest window.
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
