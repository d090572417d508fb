//! Series over time for figures, in memory that does not grow with the trace: a fixed number of bins whose width doubles as needed.

use headgate_packet::{Duration, Time};

/// Maximum number of bins of a series.
const BINS: usize = 512;

/// Width of a bin before any doubling.
const NARROWEST: u64 = 1_000;

/// Number of flows that have their own series; those that appear later share one.
pub const FLOWS: usize = 512;

/// What happened to a flow's packets in one bin, by their arrival.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bin {
    /// Packets sent.
    pub sent: u64,
    /// Sum of their queueing delays in ps.
    pub delay_ps: u128,
    /// The maximum of them.
    pub greatest: Duration,
    /// Packets dropped.
    pub drops: u64,
}

/// Bytes of all flows in one bin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flux {
    /// Bytes that arrived.
    pub arrived: u64,
    /// Bytes whose transmission ended.
    pub departed: u64,
    /// Bytes dropped.
    pub dropped: u64,
}

trait Merge: Copy + Default {
    fn merge(self, later: Self) -> Self;
}

impl Merge for Bin {
    fn merge(self, later: Bin) -> Bin {
        Bin {
            sent: self.sent + later.sent,
            delay_ps: self.delay_ps + later.delay_ps,
            greatest: self.greatest.max(later.greatest),
            drops: self.drops + later.drops,
        }
    }
}

impl Merge for Flux {
    fn merge(self, later: Flux) -> Flux {
        Flux {
            arrived: self.arrived + later.arrived,
            departed: self.departed + later.departed,
            dropped: self.dropped + later.dropped,
        }
    }
}

/// Makes every bin twice as wide.
fn widen<T: Merge>(bins: &mut Vec<T>) {
    for i in 0..bins.len().div_ceil(2) {
        bins[i] = bins[2 * i].merge(bins.get(2 * i + 1).copied().unwrap_or_default());
    }
    bins.truncate(bins.len().div_ceil(2));
}

#[inline]
fn at<T: Merge>(bins: &mut Vec<T>, i: usize) -> &mut T {
    if i >= bins.len() {
        bins.resize(i + 1, T::default());
    }
    &mut bins[i]
}

/// The series of one replay; all have bins of the same width that begin with the first packet.
#[derive(Clone, Debug)]
pub struct Series {
    width: u64,
    flows: Vec<Vec<Bin>>,
    flux: Vec<Flux>,
}

impl Default for Series {
    fn default() -> Series {
        Series { width: NARROWEST, flows: Vec::new(), flux: Vec::new() }
    }
}

impl Series {
    /// The number of the bin for a time.
    #[inline]
    fn bin(&mut self, at: Time) -> usize {
        while at.as_ps() / self.width >= BINS as u64 {
            self.width *= 2;
            self.flows.iter_mut().for_each(widen);
            widen(&mut self.flux);
        }
        (at.as_ps() / self.width) as usize
    }

    #[inline]
    fn flow(&mut self, flow: u32) -> &mut Vec<Bin> {
        let row = (flow as usize).min(FLOWS);
        if row >= self.flows.len() {
            self.flows.resize(row + 1, Vec::new());
        }
        &mut self.flows[row]
    }

    /// A packet arrived.
    pub fn arrived(&mut self, now: Time, bytes: u32) {
        let bin = self.bin(now);
        at(&mut self.flux, bin).arrived += u64::from(bytes);
    }

    /// A packet is sent.
    pub fn sent(&mut self, flow: u32, arrived: Time, start: Time, end: Time, bytes: u32) {
        let last = self.bin(end);
        at(&mut self.flux, last).departed += u64::from(bytes);
        let (bin, delay) = (self.bin(arrived), start.since(arrived));
        let bin = at(self.flow(flow), bin);
        bin.sent += 1;
        bin.delay_ps += u128::from(delay.as_ps());
        bin.greatest = bin.greatest.max(delay);
    }

    /// A packet was dropped.
    pub fn dropped(&mut self, flow: u32, now: Time, bytes: u32) {
        let bin = self.bin(now);
        at(&mut self.flux, bin).dropped += u64::from(bytes);
        at(self.flow(flow), bin).drops += 1;
    }

    /// Width of a bin.
    pub fn width(&self) -> Duration {
        Duration::from_ps(self.width)
    }

    /// The bins of each flow; the one numbered [`FLOWS`], if it is there, is that of all later ones.
    pub fn flows(&self) -> &[Vec<Bin>] {
        &self.flows
    }

    /// The bins of all flows together.
    pub fn flux(&self) -> &[Flux] {
        &self.flux
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_counts_in_which_bin() {
        let (mut series, at) = (Series::default(), Time::from_ps);
        // Arrivals and drops count where they happen, a packet with its delay where it arrived, its bytes where its transmission ended.
        series.arrived(at(1_500), 7);
        series.sent(1, at(1_500), at(2_500), at(4_500), 7);
        series.arrived(at(3_500), 5);
        series.dropped(0, at(3_500), 5);
        let flux: Vec<_> = series.flux().iter().map(|f| (f.arrived, f.departed, f.dropped)).collect();
        assert_eq!(flux, [(0, 0, 0), (7, 0, 0), (0, 0, 0), (5, 0, 5), (0, 7, 0)]);
        let bin = Bin { sent: 1, delay_ps: 1_000, greatest: Duration::from_ps(1_000), drops: 0 };
        assert_eq!(series.flows()[1], [Bin::default(), bin]);
        assert_eq!((series.flows()[0].len(), series.flows()[0][3].drops), (4, 1));
        // The last bin ends just before 512 widths; then widths double.
        series.arrived(at(511_999), 1);
        assert_eq!((series.width().as_ps(), series.flux().len()), (NARROWEST, BINS));
        series.arrived(at(512_000), 1);
        assert_eq!((series.width().as_ps(), series.flux().len()), (2 * NARROWEST, BINS / 2 + 1));
        assert_eq!((series.flows()[1][0], series.flows()[0][1].drops), (bin, 1));
        // Two bins that become one keep the bytes of both.
        let flux: Vec<_> = series.flux()[..3].iter().map(|f| (f.arrived, f.departed, f.dropped)).collect();
        assert_eq!(flux, [(7, 0, 0), (5, 0, 5), (0, 7, 0)]);
        // Flows that arrive late share one series.
        for flow in [FLOWS as u32 - 1, FLOWS as u32, FLOWS as u32 + 7] {
            series.dropped(flow, at(0), 1);
        }
        assert_eq!(series.flows().len(), FLOWS + 1);
        assert_eq!((series.flows()[FLOWS - 1][0].drops, series.flows()[FLOWS][0].drops), (1, 2));
    }

    proptest! {
        #[test]
        fn widening_loses_nothing(gaps in prop::collection::vec(0..1u64 << 40, 1..200)) {
            let (mut series, mut now, mut greatest) = (Series::default(), 0, 0);
            for (i, gap) in gaps.iter().enumerate() {
                now += gap;
                series.arrived(Time::from_ps(now), 2);
                let start = now + gap / 2;
                greatest = greatest.max(gap / 2);
                series.sent(i as u32 % 3, Time::from_ps(now), Time::from_ps(start), Time::from_ps(start + 5), 2);
            }
            let bins = || series.flows().iter().flatten();
            prop_assert_eq!(bins().map(|b| b.sent).sum::<u64>(), gaps.len() as u64);
            prop_assert_eq!(bins().map(|b| b.delay_ps).sum::<u128>(), gaps.iter().map(|g| u128::from(g / 2)).sum::<u128>());
            prop_assert_eq!(bins().map(|b| b.greatest.as_ps()).max(), Some(greatest));
            prop_assert_eq!(series.flux().iter().map(|f| f.arrived).sum::<u64>(), 2 * gaps.len() as u64);
            prop_assert!(series.flux().len() <= BINS);
        }
    }
}
