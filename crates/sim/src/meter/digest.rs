//! The digest of a run: a 64-bit hash of all its events in order, with checkpoints to find where two runs part.

/// Most checkpoints kept; the distance between them doubles when there would be more.
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
