//! A hash that is quick for short keys: conversations and names of flows are looked up once per packet.
//!
//! Each word is multiplied by an odd random number and the halves of the product are joined, as in `wyhash` and `ahash`. The numbers are drawn for
//! each table, so that no trace can be written whose keys all fall on one place. Tables are only looked up, never iterated: results do
//! not depend on these numbers.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};

/// A table that is looked up once per packet.
pub type QuickMap<K, V> = std::collections::HashMap<K, V, Quick>;

/// The random numbers of a table.
#[derive(Clone, Copy, Debug)]
pub struct Quick {
    start: u64,
    factor: u64,
}

impl Default for Quick {
    fn default() -> Quick {
        let random = RandomState::new();
        Quick { start: random.hash_one(0_u8), factor: random.hash_one(1_u8) | 1 }
    }
}

impl BuildHasher for Quick {
    type Hasher = QuickHasher;

    #[inline]
    fn build_hasher(&self) -> QuickHasher {
        QuickHasher { state: self.start, factor: self.factor }
    }
}

/// The hash of what was written so far.
#[derive(Clone, Copy, Debug)]
pub struct QuickHasher {
    state: u64,
    factor: u64,
}

impl Hasher for QuickHasher {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        words.iter().for_each(|word| self.write_u64(u64::from_le_bytes(*word)));
        // What is left, with its length: `a` and `a\0` are two keys.
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        last[7] = rest.len() as u8;
        self.write_u64(u64::from_le_bytes(last));
    }

    #[inline]
    fn write_u8(&mut self, x: u8) {
        self.write_u64(u64::from(x));
    }

    #[inline]
    fn write_u64(&mut self, x: u64) {
        let product = u128::from(self.state ^ x) * u128::from(self.factor);
        self.state = (product as u64 ^ (product >> 64) as u64).wrapping_add(self.factor);
    }

    #[inline]
    fn write_u128(&mut self, x: u128) {
        self.write_u64(x as u64);
        self.write_u64((x >> 64) as u64);
    }

    #[inline]
    fn finish(&self) -> u64 {
        self.state
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn keys_that_differ_have_hashes_that_differ() {
        let quick = Quick::default();
        // Names that differ in their ends, in their lengths and in zeros.
        let mut names: Vec<String> = (0..10_000).map(|i| format!("10.0.{}.{}:80 > x", i / 100, i % 100)).collect();
        names.extend((0..20).map(|n| "\0".repeat(n)));
        let hashes: HashSet<u64> = names.iter().map(|name| quick.hash_one(name.as_str())).collect();
        assert_eq!(hashes.len(), names.len());
    }

    #[test]
    fn places_in_a_table_are_spread() {
        // A table takes the lower bits for a place and the upper seven to compare.
        for bits in [|hash: u64| hash & 1023, |hash: u64| hash >> 57] {
            let quick = Quick::default();
            let mut counts = vec![0_u32; 1024];
            (0..102_400_u64).for_each(|x| counts[bits(quick.hash_one(x << 16)) as usize] += 1);
            let used = counts.iter().filter(|n| **n > 0).count();
            let most = counts.iter().max().copied().unwrap_or_default() as usize;
            assert!(used >= 100 && most * used < 4 * 102_400, "{used} places, {most} keys on one of them");
        }
    }

    #[test]
    fn each_table_has_its_own_random_numbers() {
        assert_ne!(Quick::default().hash_one(7_u64), Quick::default().hash_one(7_u64));
    }
}
