//! The congestion window that TCP's protocols share: slow start, additive increase, a cut, and undoing it.
//!
//! Source: RFC 5681, section 3.1.
//! Deviations:
//! - Packets are counted, not bytes.
//! - The window grows only while it is used, and in slow start while half of it is.

use crate::transport::tcp::AfterIdle;
use crate::{Ack, Loss, LossKind};

/// A window in packets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// The window.
    pub window: u64,
    /// Below it the window opens exponentially.
    pub threshold: u64,
    /// What was acknowledged towards the next packet of window.
    pub credit: u64,
    /// Window and threshold before the last cut.
    before: (u64, u64),
}

/// This part of a window, in whole packets: 0.57 of 100 are 57, though the product is less by a rounding.
pub fn part(left: f64, window: u64) -> u64 {
    (window as f64 * left + 1e-9) as u64
}

/// A threshold above every window.
pub const UNKNOWN: u64 = 1 << 40;

impl Window {
    /// A window that opens exponentially.
    pub fn new(window: u64) -> Window {
        Window { window, threshold: UNKNOWN, credit: 0, before: (window, UNKNOWN) }
    }

    /// Whether it opens exponentially.
    #[inline]
    pub fn in_slow_start(&self) -> bool {
        self.window < self.threshold
    }

    /// Whether an acknowledgement lets it grow: of new data, outside recovery, with a window in use.
    #[inline]
    pub fn may_grow(ack: &Ack) -> bool {
        ack.newly_acked > 0 && !ack.recovering && ack.limited
    }

    /// Slow start takes its part of what was acknowledged; gives the rest.
    #[inline]
    pub fn open(&mut self, credit: u64) -> u64 {
        if !self.in_slow_start() {
            return credit;
        }
        let part = credit.min(self.threshold - self.window);
        self.window += part;
        credit - part
    }

    /// One packet more for every `each` packets acknowledged.
    #[inline]
    pub fn add(&mut self, credit: u64, each: u64) {
        if self.credit >= each {
            (self.credit, self.window) = (0, self.window + 1);
        }
        self.credit += credit;
        if self.credit >= each {
            self.window += self.credit / each;
            self.credit %= each;
        }
    }

    /// Slow start, then a packet a window. It is compiled into its callers, so that only those fields of an acknowledgement are stored that it reads.
    #[inline(always)]
    pub fn grow(&mut self, ack: &Ack) {
        if Window::may_grow(ack) {
            let rest = self.open(ack.credit);
            if rest > 0 {
                self.add(rest, self.window);
            }
        }
    }

    /// A loss or a mark: the threshold becomes `to`, at least two packets, and the window with it, unless the timer ran out.
    pub fn cut(&mut self, loss: &Loss, to: u64) {
        if !loss.again {
            self.before = (self.window, self.threshold);
            self.threshold = to.max(2);
        }
        self.credit = 0;
        // What RACK still has in the network after a timeout is counted on top (RFC 8985, section 6.3).
        self.window = if loss.kind == LossKind::Timeout { loss.remaining + 1 } else { self.threshold };
    }

    /// Slow start ends with the window as it is.
    pub fn end_slow_start(&mut self) -> bool {
        self.threshold = self.threshold.min(self.window);
        true
    }

    /// What is left of it after an idle time of this many timeouts.
    pub fn restart(&mut self, rule: AfterIdle, initial: u64, timeouts: u64) {
        let least = self.window.min(initial);
        if rule == AfterIdle::Halved {
            self.threshold = self.threshold.max(self.window / 2 + self.window / 4);
        }
        self.window = match rule {
            AfterIdle::Initial => least,
            AfterIdle::Halved => (self.window >> timeouts.min(63)).max(least),
        };
        self.credit = 0;
    }

    /// The last cut is undone.
    pub fn undo(&mut self) {
        let (window, threshold) = self.before;
        (self.window, self.threshold) = (self.window.max(window), self.threshold.max(threshold));
    }

    /// Hands on the gauges.
    pub fn probe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        sink("window", self.window as f64);
        sink("threshold", if self.threshold == UNKNOWN { f64::NAN } else { self.threshold as f64 });
    }
}

/// What a protocol answers whose window is the [`Window`] in this field, however it grows and is cut.
macro_rules! kept_in {
    ($field:tt) => {
        fn on_idle(&mut self, rule: crate::transport::tcp::AfterIdle, initial: u64, timeouts: u64) {
            self.$field.restart(rule, initial, timeouts);
        }
        fn on_undo(&mut self) {
            self.$field.undo();
        }
        fn in_slow_start(&self) -> bool {
            self.$field.in_slow_start()
        }
        fn end_slow_start(&mut self) -> bool {
            self.$field.end_slow_start()
        }
        #[inline]
        fn allowance(&self) -> crate::Allowance {
            crate::Allowance::window(self.$field.window)
        }
    };
}
pub(crate) use kept_in;

/// A protocol whose window is a [`Window`] that is cut to a part of it: the parts that such protocols share.
macro_rules! by_window {
    ($Type:ident, |$loss:ident, $window:ident| $to:expr) => {
        impl crate::FlowControl for $Type {
            fn on_start(&mut self, window: u64) {
                self.0 = crate::parts::window::Window::new(window);
            }
            #[inline]
            fn on_ack(&mut self, ack: &crate::Ack) {
                self.0.grow(ack);
            }
            fn on_loss(&mut self, $loss: &crate::Loss) {
                let $window = self.0.window.min($loss.used);
                let to = $loss.left.map_or($to, |left| crate::parts::window::part(left, $window));
                self.0.cut($loss, to);
            }
            crate::parts::window::kept_in!(0);
            fn probe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
                self.0.probe(sink);
            }
        }
    };
}
pub(crate) use by_window;

#[cfg(test)]
mod tests {
    use super::*;
    use headgate_packet::Time;

    #[test]
    fn undoing_a_cut_lowers_nothing() {
        // Linux, tcp_reno_undo_cwnd and tcp_undo_cwnd_reduction: the greater one of now and before, of the window and of the threshold each.
        for (now, due) in [((6, 5), (10, 8)), ((12, 5), (12, 8)), ((6, 9), (10, 9))] {
            let mut w = Window { threshold: 8, ..Window::new(10) };
            let kind = LossKind::DuplicateAcks;
            w.cut(
                &Loss { now: Time::ZERO, kind, in_flight: 10, remaining: 0, again: false, used: u64::MAX, left: None },
                5,
            );
            assert_eq!((w.window, w.threshold), (5, 5));
            (w.window, w.threshold) = now;
            w.undo();
            assert_eq!((w.window, w.threshold), due);
        }
    }

    #[test]
    fn the_window_of_a_restart_starts_with_no_acknowledgements_counted() {
        let mut w = Window { threshold: 4, ..Window::new(10) };
        w.add(9, 10);
        w.restart(AfterIdle::Initial, 4, 1);
        w.add(3, 4);
        assert_eq!(w.window, 4);
        w.add(1, 4);
        assert_eq!(w.window, 5);
    }
}
