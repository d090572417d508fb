//! Sets of sequence numbers as sorted, disjoint ranges: what was received beyond a gap, at the sink and as its source knows it.

use std::collections::VecDeque;
use std::ops::Range;

/// Sorted, disjoint ranges that do not touch each other. There may be thousands, of which the first go one by one: so they stand in a ring.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ranges(VecDeque<Range<u64>>);

impl Ranges {
    /// Adds a range that is not empty; gives those parts of it that were not in the set to `new`. The range of the set that holds it then.
    pub fn insert(&mut self, range: Range<u64>, new: &mut impl FnMut(Range<u64>)) -> Range<u64> {
        // Most ranges grow the last one, or begin a new one beyond it.
        match self.0.back_mut() {
            Some(last) if range.start >= last.start && range.start <= last.end => {
                if range.end > last.end {
                    new(last.end..range.end);
                    last.end = range.end;
                }
                return last.clone();
            }
            Some(last) if range.start < last.start => {}
            _ => {
                new(range.clone());
                self.0.push_back(range.clone());
                return range;
            }
        }
        // Those that touch the range are merged with it.
        let from = self.0.partition_point(|r| r.end < range.start);
        if let Some(known) = self.0.get(from).filter(|r| r.start <= range.start && range.end <= r.end) {
            return known.clone();
        }
        let mut to = from;
        let (mut at, mut merged) = (range.start, range.clone());
        for r in self.0.range(from..).take_while(|r| r.start <= range.end) {
            to += 1;
            if r.start > at {
                new(at..r.start);
            }
            at = at.max(r.end);
            merged = merged.start.min(r.start)..merged.end.max(r.end);
        }
        if at < range.end {
            new(at..range.end);
        }
        if to == from {
            self.0.insert(from, merged.clone());
        } else {
            self.0[from] = merged.clone();
            self.0.drain(from + 1..to);
        }
        merged
    }

    /// Takes away everything below `bound`.
    pub fn forget_below(&mut self, bound: u64) {
        if self.0.is_empty() {
            return;
        }
        while self.0.front().is_some_and(|r| r.end <= bound) {
            self.0.pop_front();
        }
        if let Some(first) = self.0.front_mut() {
            first.start = first.start.max(bound);
        }
    }

    /// The ranges, in ascending order.
    pub fn ranges(&self) -> impl ExactSizeIterator<Item = &Range<u64>> + DoubleEndedIterator {
        self.0.iter()
    }

    /// One above the greatest number.
    pub fn end(&self) -> Option<u64> {
        self.0.back().map(|r| r.end)
    }

    /// The `n`th greatest number, from 1.
    pub fn nth_greatest(&self, mut n: u64) -> Option<u64> {
        for r in self.0.iter().rev() {
            let length = r.end - r.start;
            if n <= length {
                return Some(r.end - n);
            }
            n -= length;
        }
        None
    }

    /// Bytes that it takes beside itself.
    pub fn memory(&self) -> usize {
        self.0.capacity() * size_of::<Range<u64>>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// The range that holds a number.
    fn around(ranges: &Ranges, seq: u64) -> Option<Range<u64>> {
        ranges.ranges().find(|r| r.contains(&seq)).cloned()
    }

    proptest! {
        #[test]
        fn it_is_a_set(steps in prop::collection::vec((0..60u64, 0..12u64, any::<bool>()), 0..60)) {
            let (mut ranges, mut set) = (Ranges::default(), BTreeSet::new());
            for (start, length, forget) in steps {
                if forget && start < 20 {
                    ranges.forget_below(start);
                    set = set.split_off(&start);
                    continue;
                }
                if length == 0 {
                    continue;
                }
                let mut new = BTreeSet::new();
                let holds = ranges.insert(start..start + length, &mut |r| new.extend(r));
                prop_assert_eq!(around(&ranges, start), Some(holds));
                let due: BTreeSet<u64> = (start..start + length).filter(|s| !set.contains(s)).collect();
                prop_assert_eq!(new, due);
                set.extend(start..start + length);
                let all: BTreeSet<u64> = ranges.ranges().cloned().flatten().collect();
                prop_assert_eq!(&all, &set);
                prop_assert!(ranges.ranges().zip(ranges.ranges().skip(1)).all(|(a, b)| a.end < b.start));
                for n in 1..=set.len() as u64 + 1 {
                    prop_assert_eq!(ranges.nth_greatest(n), set.iter().rev().nth(n as usize - 1).copied());
                }
                prop_assert_eq!(ranges.end(), set.last().map(|s| s + 1));
                for seq in 0..80 {
                    prop_assert_eq!(around(&ranges, seq).is_some(), set.contains(&seq));
                }
            }
        }
    }
}
