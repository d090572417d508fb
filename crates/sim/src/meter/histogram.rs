//! Quantiles of durations in little memory: logarithmic buckets, 32 to the octave.
//!
//! A quantile is exact to a bucket, a relative error of at most 1/32 (3.1 %), and lies between the least and the greatest duration. Of at most 32
//! durations it is exact. Only the buckets between the smallest and the largest duration seen take memory.

use headgate_packet::Duration;

const BITS: u32 = 5;
/// Buckets by which the table grows.
const STEP: u32 = 8;
/// Maximum number of durations that are kept one by one.
const FEW: usize = 32;

/// Durations: one by one while they are few, and later their counts by logarithmic bucket.
#[derive(Clone, Debug)]
pub enum Histogram {
    /// At most 32, in the order in which they came. Most flows of a large run have no more.
    Few(Vec<Duration>),
    /// More.
    Many(Box<Counts>),
}

/// Counts of durations by logarithmic bucket.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    first: u32,
    counts: Vec<u32>,
    /// Buckets, each as often as its count has passed 2^32: a long run has few, and counts of 32 bits take half the memory.
    full: Vec<u32>,
    total: u64,
    least: Duration,
    greatest: Duration,
}

impl Default for Histogram {
    fn default() -> Histogram {
        Histogram::Few(Vec::new())
    }
}

/// Durations below 2^BITS ps have a bucket each; above, an octave has 2^BITS buckets.
#[inline]
fn bucket(d: Duration) -> u32 {
    let x = d.as_ps();
    let octave = (64 - x.leading_zeros()).saturating_sub(BITS + 1);
    (octave << BITS) + (x >> octave) as u32
}

/// Lower edge and width of a bucket, in ps.
fn edges(bucket: u32) -> (f64, f64) {
    let octave = (bucket >> BITS).saturating_sub(1);
    let width = (1u64 << octave) as f64;
    (f64::from(bucket - (octave << BITS)) * width, width)
}

impl Histogram {
    /// Counts one duration.
    #[inline]
    pub fn record(&mut self, d: Duration) {
        match self {
            Histogram::Many(counts) => counts.record(d),
            Histogram::Few(_) => self.keep(d),
        }
    }

    #[cold]
    fn keep(&mut self, d: Duration) {
        let Histogram::Few(few) = self else { return };
        if few.len() < FEW {
            return few.push(d);
        }
        let mut counts = Counts::of(few);
        counts.record(d);
        *self = Histogram::Many(Box::new(counts));
    }

    /// Whether nothing was counted.
    pub fn is_empty(&self) -> bool {
        matches!(self, Histogram::Few(few) if few.is_empty())
    }

    /// Bytes that it takes beside itself.
    pub fn memory(&self) -> usize {
        match self {
            Histogram::Few(few) => few.capacity() * size_of::<Duration>(),
            Histogram::Many(counts) => {
                size_of::<Counts>() + (counts.counts.capacity() + counts.full.capacity()) * size_of::<u32>()
            }
        }
    }

    /// The `q`-quantile in seconds, 0 <= q <= 1; NaN when nothing was counted. Of few durations the one of rank ceil(q n), of many one that is
    /// interpolated inside its bucket.
    pub fn quantile(&self, q: f64) -> f64 {
        match self {
            Histogram::Few(few) if few.is_empty() => f64::NAN,
            Histogram::Few(few) => {
                let (rank, mut few) = (q * few.len() as f64, few.clone());
                few.sort_unstable();
                few[(rank.ceil() as usize).clamp(1, few.len()) - 1].as_secs_f64()
            }
            Histogram::Many(counts) => counts.quantile(q),
        }
    }

    /// The buckets that are not empty, in order: number, lower and upper edge in seconds, count. No edge lies outside of what was counted: the first
    /// one is the least duration, and the last one the greatest.
    pub fn buckets(&self) -> Vec<(u32, f64, f64, u64)> {
        match self {
            Histogram::Few(few) => Counts::of(few).buckets().collect(),
            Histogram::Many(counts) => counts.buckets().collect(),
        }
    }
}

impl Counts {
    fn of(few: &[Duration]) -> Counts {
        let mut counts = Counts::default();
        few.iter().for_each(|d| counts.record(*d));
        counts
    }

    #[inline]
    fn record(&mut self, d: Duration) {
        let b = bucket(d);
        self.total += 1;
        // Rare: the extremes move in the beginning.
        if self.total == 1 || d < self.least || d > self.greatest {
            self.note(d);
        }
        match self.counts.get_mut(b.wrapping_sub(self.first) as usize) {
            Some(count) => {
                *count = count.wrapping_add(1);
                if *count == 0 {
                    self.full.push(b);
                }
            }
            None => self.widen(b),
        }
    }

    #[cold]
    fn note(&mut self, d: Duration) {
        (self.least, self.greatest) = if self.total == 1 { (d, d) } else { (self.least.min(d), self.greatest.max(d)) };
    }

    #[cold]
    fn widen(&mut self, b: u32) {
        // In steps of some buckets, so that a handful of durations does not mean a handful of allocations.
        if self.counts.is_empty() {
            self.first = b.saturating_sub(STEP / 2);
        }
        if b < self.first {
            let first = b.saturating_sub(STEP / 2);
            let missing = (self.first - first) as usize;
            self.counts.splice(0..0, std::iter::repeat_n(0, missing));
            self.first = first;
        }
        let i = (b - self.first) as usize;
        if i >= self.counts.len() {
            self.counts.resize(i + STEP as usize, 0);
        }
        self.counts[i] += 1;
    }

    /// The counts of all buckets, the first one's first.
    fn counts(&self) -> impl Iterator<Item = u64> {
        (self.first..).zip(&self.counts).map(|(bucket, &count)| {
            let passed = self.full.iter().filter(|full| **full == bucket).count() as u64;
            (passed << 32) + u64::from(count)
        })
    }

    fn quantile(&self, q: f64) -> f64 {
        let rank = q * self.total as f64;
        let mut below = 0.0;
        for (i, count) in self.counts().enumerate() {
            let count = count as f64;
            if count > 0.0 && below + count >= rank {
                let (edge, width) = edges(self.first + i as u32);
                let found = (edge + width * ((rank - below) / count)) * 1e-12;
                return found.clamp(self.least.as_secs_f64(), self.greatest.as_secs_f64());
            }
            below += count;
        }
        f64::NAN
    }

    fn buckets(&self) -> impl Iterator<Item = (u32, f64, f64, u64)> {
        let (least, greatest) = (self.least.as_secs_f64(), self.greatest.as_secs_f64());
        (self.first..).zip(self.counts()).filter(|(_, count)| *count > 0).map(move |(bucket, count)| {
            let (edge, width) = edges(bucket);
            (bucket, (edge * 1e-12).max(least), ((edge + width) * 1e-12).min(greatest), count)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_quantile_lies_between_the_edges_of_its_bucket_by_its_rank() {
        let mut h = Histogram::default();
        // From 64 ps on a bucket is 2 ps wide: of five four in that of 64 and 65, one in that of 66 and 67.
        [64, 64, 65, 65, 67].repeat(10).into_iter().for_each(|ps| h.record(Duration::from_ps(ps)));
        for (q, due) in [(0.0, 64.0), (0.2, 64.5), (0.4, 65.0), (0.8, 66.0), (0.9, 67.0), (1.0, 67.0)] {
            assert!(
                (h.quantile(q) * 1e12 - due).abs() < 1e-9,
                "the {q} quantile is {} ps, {due} due",
                h.quantile(q) * 1e12
            );
        }
    }

    #[test]
    fn a_quantile_lies_within_what_was_counted() {
        // One transfer: no value but its own.
        let one = Duration::from_ps(186_401_000_000);
        let mut h = Histogram::default();
        h.record(one);
        for q in [0.0, 0.5, 0.99, 1.0] {
            assert_eq!(h.quantile(q).to_bits(), one.as_secs_f64().to_bits());
        }
        // A thousand like it, with the bucket's edges on both sides.
        (0..1000).for_each(|_| h.record(one));
        for q in [0.0, 0.5, 0.99, 1.0] {
            assert_eq!(h.quantile(q).to_bits(), one.as_secs_f64().to_bits());
        }
        // A new least and a new greatest one among many.
        h.record(Duration::from_millis(1));
        h.record(Duration::from_millis(999));
        assert_eq!((h.quantile(0.0), h.quantile(1.0)), (0.001, 0.999));
    }

    #[test]
    fn counts_go_on_beyond_2_to_the_32() {
        let (mut h, d) = (Counts::default(), Duration::from_millis(1));
        h.record(d);
        let i = (bucket(d) - h.first) as usize;
        for passed in 1..3u64 {
            h.counts[i] = u32::MAX;
            h.record(d);
            h.record(d);
            let counts: Vec<u64> = h.buckets().map(|b| b.3).collect();
            assert_eq!(counts, [(passed << 32) + 1]);
        }
        h.total = (2 << 32) + 1;
        assert!((h.quantile(0.5) / 1e-3 - 1.0).abs() < 1.0 / 32.0);
    }

    proptest! {
        #[test]
        fn a_bucket_holds_its_durations(ps in any::<u64>()) {
            let (edge, width) = edges(bucket(Duration::from_ps(ps)));
            let x = ps as f64;
            prop_assert!(edge <= x * (1.0 + 1e-15) && x <= (edge + width) * (1.0 + 1e-15), "{ps}: {edge} + {width}");
            prop_assert!(ps < 64 || width <= edge / 32.0 * 1.000001);
        }

        #[test]
        fn quantiles_are_near_the_exact_ones(mut ps in prop::collection::vec(1_000..1_000_000_000u64, 1..300), q in 0.01..0.99f64) {
            let mut h = Histogram::default();
            for &x in &ps {
                h.record(Duration::from_ps(x));
            }
            ps.sort_unstable();
            let exact = ps[((q * ps.len() as f64).ceil() as usize).clamp(1, ps.len()) - 1] as f64 * 1e-12;
            let got = h.quantile(q);
            prop_assert!((got - exact).abs() <= exact / 31.0, "{got} {exact}");
            prop_assert!(ps.len() > FEW || got == exact, "{got} {exact}, one of {}", ps.len());
            let ends = [ps[0], ps[ps.len() - 1]].map(|x| Duration::from_ps(x).as_secs_f64());
            for q in [0.0, q, 1.0] {
                prop_assert!((ends[0]..=ends[1]).contains(&h.quantile(q)));
            }
        }
    }

    #[test]
    fn buckets_have_their_edges_and_counts_in_order() {
        let mut h = Histogram::default();
        // The second one lies far below the first, the third far above.
        for ps in [1_000, 70, 1_000_000, 71, 33, 1_000] {
            h.record(Duration::from_ps(ps));
        }
        let rounded = |x: f64| (x * 1e12).round() as u64;
        let got: Vec<_> = h.buckets().into_iter().map(|(_, low, high, n)| (rounded(low), rounded(high), n)).collect();
        assert_eq!(got, [(33, 34, 1), (70, 72, 2), (992, 1008, 2), (999_424, 1_000_000, 1)]);
        let numbers: Vec<_> = h.buckets().into_iter().map(|b| b.0).collect();
        // 32 to an octave from 32 ps on: 70 is the fourth of the second octave.
        assert_eq!(numbers, [33, 64 + 3, 5 * 32 + 30, 15 * 32 + 29]);
        (0..FEW).for_each(|_| h.record(Duration::from_ps(1_000)));
        let Histogram::Many(counts) = &h else { panic!("there are more than {FEW}") };
        assert!(counts.counts.len() < 15 * 32 + 29, "the table begins near the least");
    }
}
