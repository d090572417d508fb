//! One random stream per component: PCG64-DXSM keyed by (seed, run, component path).
//!
//! The key is hashed with our own fixed function (FNV-1a, then SplitMix64), so neither a new compiler nor a new
//! component changes the numbers of the others. Logarithms come from the portable `libm`.

use crate::Duration;
use rand_core::Rng as _;
use rand_pcg::Pcg64Dxsm;

/// A deterministic random stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rng(Pcg64Dxsm);

fn fnv1a(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3))
}

fn splitmix(x: u64) -> u64 {
    let mut z = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl Rng {
    /// The stream of `component` in replication `run` of a scenario seeded with `seed`.
    ///
    /// ```
    /// use headgate_packet::Rng;
    /// let (mut a, mut b) = (Rng::new(1, 0, "flow/ftp-1"), Rng::new(1, 0, "flow/ftp-1"));
    /// assert_eq!(a.next_u64(), b.next_u64());
    /// ```
    pub fn new(seed: u64, run: u64, component: &str) -> Rng {
        let key = fnv1a(component);
        let low = splitmix(seed ^ splitmix(run ^ splitmix(key)));
        let high = splitmix(low ^ key);
        Rng(Pcg64Dxsm::new((u128::from(high) << 64) | u128::from(low), u128::from(key)))
    }

    /// 64 random bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Uniform in [0, 1).
    #[inline]
    pub fn uniform(&mut self) -> f64 {
        unit(self.next_u64())
    }

    /// Uniform integer in 0..n (Lemire's multiplication; the bias is below n / 2^64). `n` must not be 0.
    #[inline]
    pub fn below(&mut self, n: u64) -> u64 {
        scaled(self.next_u64(), n)
    }

    /// Exponentially distributed with the given mean; at most the longest duration.
    #[inline]
    pub fn exponential(&mut self, mean: Duration) -> Duration {
        Duration::from_ps(self.exponential_number(mean.as_ps() as f64) as u64)
    }

    /// A number that is exponentially distributed with the given mean; at most 37 times the mean.
    #[inline]
    pub fn exponential_number(&mut self, mean: f64) -> f64 {
        // 1 - u lies in (0, 1], so the logarithm is finite.
        -libm::log(1.0 - self.uniform()) * mean
    }

    /// Uniform in [0, span); 0 when the span is 0.
    #[inline]
    pub fn uniform_duration(&mut self, span: Duration) -> Duration {
        if span == Duration::ZERO { Duration::ZERO } else { Duration::from_ps(self.below(span.as_ps())) }
    }
}

/// Random bits by position: those of number `i` are the same whenever they are asked for, so a packet that is sent again has the length
/// it had. SplitMix64 (Steele, Lea and Flood 2014), with its own start value.
#[derive(Clone, Copy, Debug)]
pub struct Positions(u64);

impl Positions {
    /// The stream of `component`, keyed as [`Rng::new`].
    pub fn new(seed: u64, run: u64, component: &str) -> Positions {
        Positions(Rng::new(seed, run, component).next_u64())
    }

    /// The 64 random bits of number `i`.
    #[inline]
    pub fn at(self, i: u64) -> u64 {
        splitmix(self.0.wrapping_add(i.wrapping_mul(0x9e37_79b9_7f4a_7c15)))
    }
}

/// Uniform in [0, 1), from 64 random bits.
#[inline]
pub fn unit(bits: u64) -> f64 {
    (bits >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
}

/// Uniform integer in 0..n, from 64 random bits (Lemire's multiplication; the bias is below n / 2^64). `n` must not be 0.
#[inline]
pub fn scaled(bits: u64, n: u64) -> u64 {
    ((u128::from(bits) * u128::from(n)) >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_random_and_repeatable() {
        let (a, b) = (Positions::new(1, 0, "a"), Positions::new(1, 0, "b"));
        assert_eq!(a.at(7), Positions::new(1, 0, "a").at(7));
        assert_ne!(a.at(7), b.at(7));
        let n = 100_000;
        let x: Vec<f64> = (0..n).map(|i| unit(a.at(i)) - 0.5).collect();
        let mean = x.iter().sum::<f64>() / n as f64;
        let next = x.windows(2).map(|w| w[0] * w[1]).sum::<f64>() / n as f64 * 12.0;
        // Standard errors: of the mean sqrt(1/12 n) = 0.0009, of the correlation of neighbours 1/sqrt(n) = 0.003.
        assert!(mean.abs() < 0.004 && next.abs() < 0.013, "{mean} {next}");
    }

    #[test]
    fn streams_of_different_components_runs_and_seeds_differ() {
        let first = |seed, run, name| Rng::new(seed, run, name).next_u64();
        let all = [first(1, 0, "a"), first(1, 0, "b"), first(1, 1, "a"), first(2, 0, "a")];
        for (i, x) in all.iter().enumerate() {
            assert!(all[i + 1..].iter().all(|y| x != y));
        }
    }

    #[test]
    fn the_generator_is_pinned() {
        // A change of these two values changes every simulated result: it must never happen by accident.
        let mut rng = Rng::new(1, 0, "flow/ftp-1");
        assert_eq!((rng.next_u64(), rng.next_u64()), PINNED);
    }
    const PINNED: (u64, u64) = (2_822_970_323_391_724_114, 2_173_251_369_093_641_538);

    #[test]
    fn moments_of_the_exponential() {
        let mut rng = Rng::new(7, 0, "x");
        let n = 200_000;
        let samples: Vec<f64> = (0..n).map(|_| rng.exponential(Duration::from_secs(5)).as_secs_f64()).collect();
        let mean = samples.iter().sum::<f64>() / f64::from(n);
        let var = samples.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / f64::from(n);
        // Standard error of the mean 5/sqrt(n) = 0.011; of the variance about sqrt(8) 25/sqrt(n) = 0.16.
        assert!((mean - 5.0).abs() < 0.05, "{mean}");
        assert!((var - 25.0).abs() < 0.7, "{var}");
    }

    #[test]
    fn below_is_even() {
        let mut rng = Rng::new(3, 0, "die");
        let mut count = [0u32; 6];
        for _ in 0..60_000 {
            count[rng.below(6) as usize] += 1;
        }
        assert!(count.iter().all(|&c| (9_600..10_400).contains(&c)), "{count:?}");
    }
}
