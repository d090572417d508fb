//! The results of a replay, per flow and in total.
//!
//! Delay is queueing delay: from a packet's arrival to the start of its transmission. Means and maxima are exact; quantiles are
//! exact for up to [`EXACT`] packets of a flow and to 3 % beyond, when a histogram takes over.

use headgate_packet::Duration;
use headgate_queue::DropReason;
use headgate_sim::meter::Histogram;

/// Number of delays of a flow that are kept exactly.
pub const EXACT: usize = 1024;

/// The distribution of delays.
#[derive(Clone, Debug, Default)]
pub struct Delays {
    count: u64,
    sum_ps: u128,
    greatest: Duration,
    few: Vec<Duration>,
    many: Option<Box<Histogram>>,
}

impl Delays {
    /// Adds one.
    #[inline]
    pub fn record(&mut self, d: Duration) {
        self.count += 1;
        self.sum_ps += u128::from(d.as_ps());
        self.greatest = self.greatest.max(d);
        match &mut self.many {
            Some(histogram) => histogram.record(d),
            None if self.few.len() < EXACT => self.few.push(d),
            None => {
                let mut histogram = Box::<Histogram>::default();
                self.few.iter().for_each(|x| histogram.record(*x));
                histogram.record(d);
                (self.few, self.many) = (Vec::new(), Some(histogram));
            }
        }
    }

    /// Mean in seconds; NaN without any.
    pub fn mean(&self) -> f64 {
        self.sum_ps as f64 * 1e-12 / self.count as f64
    }

    /// The maximum in seconds; NaN without any.
    pub fn greatest(&self) -> f64 {
        if self.count == 0 { f64::NAN } else { self.greatest.as_secs_f64() }
    }

    /// The `q`-quantile in seconds: the least delay that a share `q` of all does not exceed; NaN without any.
    pub fn quantile(&self, q: f64) -> f64 {
        if let Some(histogram) = &self.many {
            return histogram.quantile(q).min(self.greatest());
        }
        let mut sorted = self.few.clone();
        sorted.sort_unstable();
        let rank = (q * sorted.len() as f64).ceil() as usize;
        sorted.get(rank.max(1) - 1).map_or(f64::NAN, |d| d.as_secs_f64())
    }
}

/// Counts of one flow, or of all together.
#[derive(Clone, Debug, Default)]
pub struct Count {
    /// Packets that arrived.
    pub packets: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Packets sent.
    pub sent: u64,
    /// Their bytes.
    pub sent_bytes: u64,
    /// The bytes of those that had been sent when the last packet of the trace arrived.
    pub loaded_bytes: u64,
    /// Packets dropped, by reason.
    pub drops: [u64; DropReason::ALL.len()],
    /// Packets sent with their congestion bit set by the discipline.
    pub marks: u64,
    /// Queueing delays of the packets sent.
    pub delays: Delays,
}

impl Count {
    /// A packet arrived.
    #[inline]
    pub fn arrived(&mut self, bytes: u32) {
        self.packets += 1;
        self.bytes += u64::from(bytes);
    }

    /// A packet was sent.
    #[inline]
    pub fn sent(&mut self, bytes: u32, delay: Duration, marked: bool) {
        self.sent += 1;
        self.sent_bytes += u64::from(bytes);
        self.marks += u64::from(marked);
        self.delays.record(delay);
    }

    /// A packet was dropped.
    #[inline]
    pub fn dropped(&mut self, reason: DropReason) {
        self.drops[reason as usize] += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn few_delays_have_exact_quantiles() {
        let mut delays = Delays::default();
        (1..=10).rev().for_each(|s| delays.record(Duration::from_secs(s)));
        assert_eq!([0.0, 0.5, 0.51, 0.95, 1.0].map(|q| delays.quantile(q)), [1.0, 5.0, 6.0, 10.0, 10.0]);
        assert_eq!((delays.mean(), delays.greatest()), (5.5, 10.0));
        assert!(Delays::default().mean().is_nan() && Delays::default().quantile(0.5).is_nan());
    }

    #[test]
    fn one_more_than_1024_become_a_histogram() {
        let mut delays = Delays::default();
        (0..EXACT as u64).for_each(|i| delays.record(Duration::from_ps(1_000_000 + i)));
        assert!(delays.many.is_none() && delays.few.len() == EXACT);
        delays.record(Duration::from_ps(1));
        let histogram = delays.many.as_ref().expect("a histogram");
        assert!(delays.few.is_empty() && delays.few.capacity() == 0);
        // All are in it: the least is the new one, and the greatest is no more than it was.
        assert!(histogram.quantile(0.0001) < 1e-9);
        assert_eq!((delays.quantile(1.0), delays.greatest()), (delays.greatest(), 1_001_023e-12));
    }

    proptest! {
        #[test]
        fn many_delays_have_quantiles_within_3_percent(mut ps in prop::collection::vec(1_000..1_000_000_000u64, 1..3000), q in 0.01..0.99f64) {
            let mut delays = Delays::default();
            ps.iter().for_each(|x| delays.record(Duration::from_ps(*x)));
            ps.sort_unstable();
            let exact = ps[((q * ps.len() as f64).ceil() as usize).max(1) - 1] as f64 * 1e-12;
            let most = if ps.len() > EXACT { exact / 31.0 } else { exact * 1e-15 };
            prop_assert!((delays.quantile(q) - exact).abs() <= most);
            prop_assert_eq!(delays.greatest(), Duration::from_ps(ps[ps.len() - 1]).as_secs_f64());
        }
    }
}
