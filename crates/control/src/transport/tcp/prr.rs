//! Proportional rate reduction: in recovery the window follows what is delivered down to its target.
//!
//! Source: RFC 9937, sections 6.1 and 6.2 (first RFC 6937).
//! Deviations: packets are counted, not bytes.

/// The reduction of one episode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reduction {
    /// Packets delivered since the episode began.
    delivered: u64,
    /// Packets sent since then.
    pub out: u64,
    /// Packets outstanding when it began, less those already known to have arrived.
    at_start: u64,
}

impl Reduction {
    /// None yet.
    pub const NONE: Reduction = Reduction { delivered: 0, out: 0, at_start: 0 };

    /// An episode begins with this many packets outstanding that had not yet arrived.
    pub fn new(at_start: u64) -> Reduction {
        Reduction { at_start: at_start.max(1), ..Reduction::NONE }
    }

    /// The window after an acknowledgement that delivered this many packets, with `pipe` of them in the network and the window on its way to
    /// `target`. `safe`: it advanced and showed no further loss.
    pub fn window(&mut self, delivered: u64, safe: bool, pipe: u64, target: u64) -> u64 {
        self.delivered += delivered;
        let mut send = if pipe > target {
            let due = (u128::from(self.delivered) * u128::from(target)).div_ceil(u128::from(self.at_start));
            (due as u64).saturating_sub(self.out)
        } else {
            let limit = self.delivered.saturating_sub(self.out).max(delivered) + u64::from(safe);
            limit.min(target - pipe)
        };
        if self.out == 0 {
            send = send.max(1);
        }
        pipe + send
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_of_twenty_lost_goes_down_in_step() {
        // The sheet's P2: 20 packets, the first lost, a target of 10; from the third that arrived on, and 18 outstanding that had not arrived.
        let mut r = Reduction::new(18);
        let (mut pipe, mut sent) = (16u64, vec![]);
        for arrived in 0..14 {
            pipe -= u64::from(arrived > 0);
            let window = r.window(1, false, pipe, 10);
            sent.push(window - pipe);
            r.out += window - pipe;
            pipe = window;
        }
        assert_eq!(sent, [1, 1, 0, 1, 0, 1, 0, 1, 0, 1, 1, 0, 1, 0]);
    }

    #[test]
    fn below_the_target_it_grows_by_what_is_delivered_and_one_more_where_that_is_safe() {
        let mut r = Reduction { delivered: 5, out: 5, at_start: 20 };
        assert_eq!(r.window(1, false, 2, 10), 3);
        r.out += 1;
        assert_eq!(r.window(1, true, 2, 10), 4);
        r.out += 2;
        // Never above the target.
        assert_eq!(r.window(9, true, 8, 10), 10);
    }

    #[test]
    fn the_first_retransmission_always_goes() {
        assert_eq!(Reduction::new(100).window(0, false, 90, 50), 91);
    }
}
