//! A cumulative distribution that is given by points and straight lines between them.

use std::sync::Arc;

/// A value and the share of all draws up to it.
pub(super) type Point = (f64, f64);

/// Points of a cumulative distribution: neither value nor share falls, and the last share is 1.
#[derive(Clone, Debug)]
pub(super) enum Points {
    /// Published ones.
    Known(&'static [Point]),
    /// Those of a scenario.
    Given(Arc<[Point]>),
}

impl Points {
    fn list(&self) -> &[Point] {
        match self {
            Points::Known(points) => points,
            Points::Given(points) => points,
        }
    }

    /// The value below which this share of all draws lies, from 0 up to but not including 1.
    pub fn quantile(&self, share: f64) -> f64 {
        let points = self.list();
        let above = points.partition_point(|point| point.1 <= share);
        let (x, p) = points[above.min(points.len() - 1)];
        // What the first point has below it all has its value.
        let Some(&(x0, p0)) = above.checked_sub(1).and_then(|i| points.get(i)) else { return x };
        if p <= p0 { x } else { x0 + (x - x0) * ((share - p0) / (p - p0)) }
    }

    /// The mean.
    pub fn mean(&self) -> f64 {
        mean(self.list())
    }
}

/// The mean: between two points all values are equally likely.
pub(super) fn mean(points: &[Point]) -> f64 {
    let first = points.first().map_or(0.0, |(x, p)| x * p);
    first + points.windows(2).map(|w| 0.5 * (w[0].0 + w[1].0) * (w[1].1 - w[0].1)).sum::<f64>()
}
