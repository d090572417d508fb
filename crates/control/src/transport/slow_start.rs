//! The window machine that Tahoe and Reno share: slow start, then congestion avoidance.
//!
//! Source: Jacobson and Karels 1988, sections 1 and 3 and appendix B.

/// A congestion window in packets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlowStart {
    /// The window.
    pub window: f64,
    /// Below it the window opens exponentially, from it on linearly.
    pub threshold: f64,
    /// Largest window.
    pub most: f64,
}

impl SlowStart {
    /// A window of one packet that opens exponentially up to `most`.
    pub fn new(most: u64) -> SlowStart {
        SlowStart { window: 1.0, threshold: most as f64, most: most as f64 }
    }

    /// An acknowledgement of new data: one packet more in slow start, 1 / window of a packet afterwards.
    #[inline]
    pub fn open(&mut self) {
        let step = if self.window < self.threshold { 1.0 } else { 1.0 / self.window };
        self.window = (self.window + step).min(self.most);
    }

    /// A loss: half the window, in whole packets and at least two, becomes the threshold.
    pub fn halve(&mut self) {
        self.threshold = (self.window.min(self.most).floor() / 2.0).floor().max(2.0);
    }

    /// The whole packets that may be outstanding.
    #[inline]
    pub fn allowance(&self) -> u64 {
        self.window.min(self.most) as u64
    }
}
