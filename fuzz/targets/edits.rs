//! Changes of an input, for tests that try targets without the coverage that leads a fuzzer: see `fuzzed.rs` among the tests of a crate.

use proptest::prelude::*;

/// A change. Places count from the beginning again behind the end.
#[derive(Clone, Debug)]
pub enum Edit {
    /// Bits of a byte are turned.
    Turn(usize, u8),
    /// Bytes are left out.
    Remove(usize, usize),
    /// Bytes come twice.
    Repeat(usize, usize),
    /// Bytes have these in their place.
    Write(usize, usize, Vec<u8>),
}

/// One to four changes, some of which write one of `words`.
pub fn edits(words: Vec<Vec<u8>>) -> impl Strategy<Value = Vec<Edit>> {
    let place = || 0..100_000_usize;
    let edit = prop_oneof![
        (place(), 1..=u8::MAX).prop_map(|(at, bits)| Edit::Turn(at, bits)),
        (place(), 1..40_usize).prop_map(|(at, length)| Edit::Remove(at, length)),
        (place(), 1..200_usize).prop_map(|(at, length)| Edit::Repeat(at, length)),
        (place(), 0..12_usize, prop::sample::select(words))
            .prop_map(|(at, length, word)| Edit::Write(at, length, word)),
    ];
    prop::collection::vec(edit, 1..=4)
}

/// The input with all changes, one after another.
pub fn changed(input: &[u8], edits: &[Edit]) -> Vec<u8> {
    let mut bytes = input.to_vec();
    for edit in edits {
        let size = bytes.len().max(1);
        let part = |at: usize, length: usize| (at % size).min(bytes.len())..(at % size + length).min(bytes.len());
        match edit {
            Edit::Turn(at, bits) => {
                if let Some(byte) = bytes.get_mut(at % size) {
                    *byte ^= bits;
                }
            }
            Edit::Remove(at, length) => drop(bytes.drain(part(*at, *length))),
            Edit::Repeat(at, length) => {
                let again = bytes[part(*at, *length)].to_vec();
                bytes.splice(part(*at, 0), again);
            }
            Edit::Write(at, length, word) => drop(bytes.splice(part(*at, *length), word.iter().copied())),
        }
    }
    bytes
}
