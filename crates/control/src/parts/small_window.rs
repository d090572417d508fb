//! Packets sent while a protocol keeps its window small on purpose: they tell no rate, as if the source had lacked data.
//!
//! Source: Linux, `tcp_bbr.c` (bbr_update_min_rtt); draft-ietf-ccwg-bbr, MarkConnectionAppLimited.

/// Packets sent while this many were delivered were sent with such a window: first and last.
#[derive(Clone, Copy, Debug)]
pub struct SmallWindow {
    from: u64,
    until: u64,
}

impl Default for SmallWindow {
    fn default() -> SmallWindow {
        SmallWindow { from: 1, until: 0 }
    }
}

impl SmallWindow {
    /// The window is small now, with this many packets delivered so far and in flight.
    pub fn mark(&mut self, delivered: u64, in_flight: u64) {
        let from = if delivered > self.until { delivered } else { self.from };
        *self = SmallWindow { from, until: delivered + in_flight };
    }

    /// Whether a packet that was sent when this many had been delivered was sent so.
    pub fn covers(&self, delivered: u64) -> bool {
        (self.from..=self.until).contains(&delivered)
    }

    /// Whether a packet is sent so now, with this many delivered.
    pub fn lasts(&self, delivered: u64) -> bool {
        self.until > 0 && delivered <= self.until
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_lasts_until_more_is_delivered_than_was_in_flight_at_its_end() {
        let mut small = SmallWindow::default();
        assert!(!small.covers(0) && !small.covers(1) && !small.lasts(0));
        // Marked twice in a row, up to 112, and again later.
        [(100, 8), (108, 4)].iter().for_each(|&(delivered, in_flight)| small.mark(delivered, in_flight));
        assert_eq!([99, 100, 112, 113].map(|delivered| small.covers(delivered)), [false, true, true, false]);
        assert_eq!([112, 113].map(|delivered| small.lasts(delivered)), [true, false]);
        small.mark(200, 4);
        assert_eq!(
            [112, 199, 200, 204, 205].map(|delivered| small.covers(delivered)),
            [false, false, true, true, false]
        );
    }
}
