//! The sink's side: cumulative acknowledgement and detection of duplicates.

/// What a data packet meant to the receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Received {
    /// Packets received in sequence so far: the acknowledgement number.
    pub cumulative: u64,
    /// The packet had been received before.
    pub duplicate: bool,
}

/// Words of bits. Most receivers never need one.
#[derive(Clone, Debug)]
struct Ahead(Vec<u64>);

/// Remembers which packets arrived. Packets ahead of a gap take one bit each.
#[derive(Clone, Debug, Default)]
pub struct Receiver {
    next: u64,
    /// Bit `s % (64 * len)` is set when packet `s > next` arrived; `len` is a power of two or 0.
    ahead: Option<Box<Ahead>>,
    /// One above the highest packet that arrived.
    highest: u64,
}

impl Receiver {
    /// One that has received this many packets, all in sequence.
    pub fn of(received: u64) -> Receiver {
        Receiver { next: received, highest: received, ..Receiver::default() }
    }

    /// Takes in the data packet with sequence number `seq`.
    #[inline]
    pub fn on_data(&mut self, seq: u64) -> Received {
        if seq == self.next && self.highest <= seq {
            self.next += 1;
            self.highest = self.next;
            return Received { cumulative: self.next, duplicate: false };
        }
        self.out_of_order(seq)
    }

    fn out_of_order(&mut self, seq: u64) -> Received {
        if seq < self.next || (seq < self.highest && seq > self.next && self.bit(seq)) {
            return Received { cumulative: self.next, duplicate: true };
        }
        if seq > self.next {
            while seq - self.next >= 64 * self.ahead().len() as u64 {
                self.grow();
            }
            self.set(seq, true);
            self.highest = self.highest.max(seq + 1);
            return Received { cumulative: self.next, duplicate: false };
        }
        self.next += 1;
        while self.next < self.highest && self.bit(self.next) {
            self.set(self.next, false);
            self.next += 1;
        }
        Received { cumulative: self.next, duplicate: false }
    }

    /// Whether packet `seq` arrived.
    pub fn has(&self, seq: u64) -> bool {
        seq < self.next || (seq > self.next && seq < self.highest && self.bit(seq))
    }

    /// Packets received in sequence so far.
    pub fn cumulative(&self) -> u64 {
        self.next
    }

    /// Bytes of the record of packets ahead of a gap.
    pub fn memory(&self) -> usize {
        size_of_val(self.ahead())
    }

    fn ahead(&self) -> &[u64] {
        self.ahead.as_ref().map_or(&[], |ahead| &ahead.0)
    }

    fn place(&self, seq: u64) -> (usize, u64) {
        let bit = seq & (64 * self.ahead().len() as u64 - 1);
        ((bit / 64) as usize, 1 << (bit % 64))
    }

    fn bit(&self, seq: u64) -> bool {
        let (word, mask) = self.place(seq);
        self.ahead()[word] & mask != 0
    }

    fn set(&mut self, seq: u64, value: bool) {
        let (word, mask) = self.place(seq);
        let Some(ahead) = &mut self.ahead else { return };
        if value { ahead.0[word] |= mask } else { ahead.0[word] &= !mask }
    }

    fn grow(&mut self) {
        let held: Vec<u64> = (self.next + 1..self.highest).filter(|s| self.bit(*s)).collect();
        self.ahead = Some(Box::new(Ahead(vec![0; (self.ahead().len() * 2).max(1)])));
        for seq in held {
            self.set(seq, true);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn behaves_like_a_set(jumps in prop::collection::vec((any::<bool>(), 0..200u64), 0..400)) {
            let (mut receiver, mut seen, mut next) = (Receiver::default(), BTreeSet::new(), 0u64);
            for (in_order, jump) in jumps {
                let seq = if in_order { next } else { (next + jump).saturating_sub(20) };
                let duplicate = !seen.insert(seq);
                while seen.contains(&next) { next += 1; }
                prop_assert_eq!(receiver.on_data(seq), Received { cumulative: next, duplicate });
            }
        }
    }

    #[test]
    fn its_memory_follows_the_gap_and_not_the_number_of_packets() {
        let mut receiver = Receiver::default();
        // Each hundredth packet arrives 60 places late.
        for block in (0..1_000_000).step_by(100) {
            (block + 1..block + 61).for_each(|seq| assert_eq!(receiver.on_data(seq).cumulative, block));
            assert_eq!(receiver.on_data(block).cumulative, block + 61);
            (block + 61..block + 100).for_each(|seq| assert_eq!(receiver.on_data(seq).cumulative, seq + 1));
        }
        assert_eq!(receiver.ahead().len(), 1);
    }
}
