//! Bits over time, in intervals of the range that is shown.

use super::slots::Slots;
use crate::view::{Line, Points, View};
use std::sync::Arc;

/// Intervals of a rate in the range that is shown.
const INTERVALS: usize = 120;

/// Longest packets that an interval of a rate takes to be sent, at least: a shorter one would show single packets.
pub(super) const PACKETS: f64 = 8.0;

/// When the bytes of each packet start to arrive, when all of them have arrived, and the sum of all bytes so far.
#[derive(Clone, Debug)]
pub(super) struct Curve {
    pub started: Arc<Vec<f64>>,
    pub ended: Arc<Vec<f64>>,
    pub total: Vec<f64>,
}

impl Curve {
    /// Bytes that arrived before each time; those of a packet arrive evenly during its transmission.
    fn bytes_by(&self, t: f64) -> f64 {
        // Bytes that arrive at one instant count after that instant.
        let done = self.ended.partition_point(|ended| *ended < t);
        let before = if done > 0 { self.total[done - 1] } else { 0.0 };
        let (Some(started), Some(ended)) = (self.started.get(done), self.ended.get(done)) else { return before };
        let length = ended - started;
        let part = if length > 0.0 { ((t - started) / length).clamp(0.0, 1.0) } else { 0.0 };
        before + part * (self.total[done] - before)
    }
}

/// A view of rates.
#[derive(Clone, Debug)]
pub struct Rates {
    pub(super) view: View,
    pub(super) curves: Vec<Curve>,
    pub(super) least: f64,
    pub(super) until: f64,
}

impl Rates {
    /// The views of what came and of what was sent, without their curves. No interval is shorter than `least`.
    pub(super) fn both(slots: &Slots, least: f64, until: f64) -> [Rates; 2] {
        [("offered", "Offered rate by flow"), ("throughput", "Sent rate by flow")].map(|(name, title)| Rates {
            view: slots.view(name, title, "bit/s"),
            curves: Vec::new(),
            least,
            until,
        })
    }

    pub(super) fn size(&self) -> usize {
        let each = |curve: &Curve| curve.started.len() + curve.ended.len() + curve.total.len();
        self.curves.iter().map(|curve| size_of::<f64>() * each(curve)).sum()
    }

    pub(super) fn points(&self, start: f64, end: f64, width: usize) -> Points {
        let (view, wide) = self.lines(start.max(0.0), end.min(self.until), width.clamp(1, INTERVALS));
        Points { interval: Some(wide), ..view.all(start, end) }
    }

    /// With all its points, as the picture of the whole replay has them.
    pub(super) fn whole(&self) -> View {
        self.lines(0.0, self.until, INTERVALS).0
    }

    /// The rates from `start` to `end`, and the length of an interval.
    fn lines(&self, start: f64, end: f64, count: usize) -> (View, f64) {
        let wide = ((end - start) / count as f64).max(self.least);
        let mut edges = Vec::new();
        if wide > 0.0 && end > start {
            // Intervals begin at multiples of their length, so that they stay where they are when the range moves.
            let (first, last) = ((start / wide).floor() as u64, (end / wide - 1e-9).ceil() as u64);
            edges.extend((first..=last).map(|i| (i as f64 * wide).min(self.until.max(end))));
            edges.dedup();
        }
        let spans: Vec<f64> = edges.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let times = Arc::new(if spans.is_empty() { Vec::new() } else { edges.clone() });
        let rates = |curve: &Curve| {
            let so_far: Vec<f64> = edges.iter().map(|t| curve.bytes_by(*t)).collect();
            let bits = so_far.windows(2).map(|pair| 8.0 * (pair[1] - pair[0]));
            let mut rates: Vec<f64> = bits.zip(&spans).map(|(bits, span)| bits / span).collect();
            rates.extend(rates.last().copied());
            Arc::new(rates)
        };
        let line = |(line, curve): (&Line, &Curve)| Line { t: Arc::clone(&times), y: rates(curve), ..line.clone() };
        let lines = self.view.lines.iter().zip(&self.curves).map(line).collect();
        (View { lines, ..self.view.clone() }, wide)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes_of_a_packet_arrive_evenly_during_its_transmission() {
        let curve = Curve { started: vec![0.0, 5.0].into(), ended: vec![2.0, 6.0].into(), total: vec![100.0, 150.0] };
        let found = [0.0, 1.0, 2.0, 4.0, 5.5, 9.0].map(|t| curve.bytes_by(t));
        assert_eq!(found, [0.0, 50.0, 100.0, 100.0, 125.0, 150.0]);
    }
}
