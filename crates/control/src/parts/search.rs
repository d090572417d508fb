//! Leaving slow start where what is delivered falls behind what was sent a round trip earlier: SEARCH.
//!
//! Source: draft-chung-ccwg-search-09 with the constants that neqo-transport (mozilla/neqo, cc/search.rs) takes from it.
//! Deviations:
//! - Packets are counted, not bytes, and a first transmission only counts as sent: nothing is repaired before a loss, which ends the search.
//! - Between two bins what was sent is interpolated towards the older one, as in neqo. The draft has the newer one there, which its authors call a mistake.
//! - There is no drain phase: the window stays where it is, as in neqo.
//! - After more than a window of bins without an acknowledgement it starts anew, as in neqo. The draft leaves this open.
//!
//! State per flow: 37 counts in a ring each, the time of a bin and its end.

use headgate_packet::{Duration, Time};

/// Bins of a window; the window is 3.5 times the first round trip.
const WINDOW: usize = 10;
const FACTOR: (u64, u64) = (7, 2);
/// Further bins, for a look back of a round trip that has grown.
const EXTRA: usize = 15;
const ACKED: usize = WINDOW + 1;
const SENT: usize = ACKED + EXTRA;
/// The part of what was sent that may be missing, in hundredths.
const MOST: u128 = 26;

/// What is known of the first slow start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Search {
    acked: [u64; ACKED],
    sent: [u64; SENT],
    /// The present bin and its end; none before the first round trip.
    at: Option<(usize, Time)>,
    bin: Duration,
}

impl Default for Search {
    fn default() -> Search {
        Search { acked: [0; ACKED], sent: [0; SENT], at: None, bin: Duration::ZERO }
    }
}

impl Search {
    /// An acknowledgement arrived that gives a round trip; `sent` and `delivered` count all packets until now. Whether slow start ends.
    pub fn on_ack(&mut self, now: Time, rtt: Duration, sent: u64, delivered: u64) -> bool {
        let Some((place, end)) = self.at else {
            self.begin(now, rtt, sent, delivered);
            return false;
        };
        if now <= end {
            return false;
        }
        let passed = now.since(end).as_ps() / self.bin.as_ps() + 1;
        if passed > WINDOW as u64 {
            self.at = None;
            return false;
        }
        let next = place + passed as usize;
        for skipped in place + 1..next {
            self.acked[skipped % ACKED] = self.acked[place % ACKED];
            self.sent[skipped % SENT] = self.sent[place % SENT];
        }
        (self.acked[next % ACKED], self.sent[next % SENT]) = (delivered, sent);
        self.at = Some((next, end + Duration::from_ps(self.bin.as_ps() * passed)));
        self.is_behind(next, rtt)
    }

    fn begin(&mut self, now: Time, rtt: Duration, sent: u64, delivered: u64) {
        let bin = u128::from(rtt.as_ps()) * u128::from(FACTOR.0) / u128::from(FACTOR.1) / WINDOW as u128;
        // A bin of more than a year is as good as one that never ends.
        self.bin = Duration::from_ps(bin.clamp(1, 1 << 60) as u64);
        (self.acked[0], self.sent[0]) = (delivered, sent);
        self.at = Some((0, now + self.bin));
    }

    /// Whether of what was sent in a window of bins a round trip before `place` too little was delivered in the window before it.
    fn is_behind(&self, place: usize, rtt: Duration) -> bool {
        let (bins, rest) = (rtt.as_ps() / self.bin.as_ps(), rtt.as_ps() % self.bin.as_ps());
        if bins >= EXTRA as u64 || place <= WINDOW + bins as usize {
            return false;
        }
        let before = place - bins as usize;
        let acked = self.acked[place % ACKED] - self.acked[(place - WINDOW) % ACKED];
        let in_window = |last: usize| u128::from(self.sent[last % SENT] - self.sent[(last - WINDOW) % SENT]);
        // All in packets times the length of a bin.
        let bin = u128::from(self.bin.as_ps());
        let sent = in_window(before) * (bin - u128::from(rest)) + in_window(before - 1) * u128::from(rest);
        let missing = sent.saturating_sub(u128::from(acked) * bin);
        sent > 0 && missing * 100 >= sent * MOST
    }
}

#[cfg(test)]
mod tests;
