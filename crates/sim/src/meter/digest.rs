//! The digest of a run: a 64-bit hash of all its events in order, with checkpoints to find where two runs diverge.

/// Maximum number of checkpoints kept; the distance between them doubles when there would be more.
const MOST: usize = 4096;

/// Hash of the events so far.
#[derive(Clone, Debug)]
pub struct Digest {
    state: u64,
    /// Events taken in.
    pub events: u64,
    stride: u64,
    next: u64,
    checkpoints: Vec<(u64, u64)>,
}

impl Default for Digest {
    fn default() -> Digest {
        Digest { state: 0x005e_ed0f_bead, events: 0, stride: 1024, next: 1024, checkpoints: Vec::new() }
    }
}

impl Digest {
    /// Takes in one word of the present event.
    #[inline]
    pub fn word(&mut self, x: u64) {
        self.state = (self.state.rotate_left(23) ^ x).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    /// Ends the present event.
    #[inline]
    pub fn end_event(&mut self) {
        self.events += 1;
        if self.events == self.next {
            self.checkpoint();
        }
    }

    #[cold]
    fn checkpoint(&mut self) {
        self.checkpoints.push((self.events, self.value()));
        if self.checkpoints.len() == MOST {
            let mut i = 0;
            self.checkpoints.retain(|_| {
                i += 1;
                i % 2 == 0
            });
            self.stride *= 2;
        }
        self.next = self.events + self.stride;
    }

    /// The digest of everything so far.
    pub fn value(&self) -> u64 {
        let x = (self.state ^ (self.state >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
        x ^ (x >> 32)
    }

    /// Pairs of (events so far, digest then), in order.
    pub fn checkpoints(&self) -> &[(u64, u64)] {
        &self.checkpoints
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checkpoints_are_1024_events_apart_until_there_would_be_4096() {
        let mut digest = Digest::default();
        let go = |digest: &mut Digest, events: u64| {
            for _ in 0..events {
                digest.word(digest.events);
                digest.end_event();
            }
        };
        let at = |digest: &Digest| digest.checkpoints().iter().map(|c| c.0).collect::<Vec<_>>();
        go(&mut digest, 1023);
        assert_eq!((digest.events, digest.checkpoints()), (1023, &[][..]));
        go(&mut digest, 1);
        assert_eq!(digest.checkpoints(), [(1024, digest.value())]);
        go(&mut digest, 4094 * 1024);
        assert_eq!(at(&digest), (1..4096).map(|n| 1024 * n).collect::<Vec<_>>());
        // One more: every other one is removed, and the next ones are twice as far apart.
        go(&mut digest, 1024 + 3 * 2048 - 1);
        assert_eq!(at(&digest), (1..2051).map(|n| 2048 * n).collect::<Vec<_>>());
        go(&mut digest, 1);
        assert_eq!(digest.checkpoints()[2050], (2051 * 2048, digest.value()));
    }

    #[test]
    fn every_bit_and_the_order_of_words_count() {
        let of = |words: &[u64]| {
            let mut digest = Digest::default();
            words.iter().for_each(|w| digest.word(*w));
            digest.value()
        };
        let values: std::collections::BTreeSet<u64> = (0..64).map(|bit| of(&[1 << bit, 7])).collect();
        assert_eq!(values.len(), 64);
        // Each half of a value takes part in the other: changes of the highest bit show in the low half.
        assert!(
            (0..64).all(|bit| of(&[1 << bit]) as u32 != of(&[0]) as u32 && of(&[1 << bit]) >> 32 != of(&[0]) >> 32)
        );
        assert_ne!(of(&[1, 2]), of(&[2, 1]));
    }
}
