//! A line of very many points as a screen can show it: the first, the least, the greatest and the last point of each pixel.
//!
//! Source: Jugel, Jerzak, Hackenbroich and Markl 2014, "M4: a visualization-oriented time series data aggregation". A line through these points covers
//! the same pixels as the line through all.

use std::ops::Range;

/// Maximum width of a picture in pixels.
pub const WIDEST: usize = 8192;

/// The places of the points from `start` to `end` and of the nearest one on either side, at most four of each of `width` pixels. `t` rises; `y` is NaN
/// where there is no value.
///
/// ```
/// let t: Vec<f64> = (0..100_000).map(f64::from).collect();
/// let y: Vec<f64> = t.iter().map(|x| x % 7.0).collect();
/// let places = headgate_view::reduced(&t, &y, 0.0, 1e5, 100);
/// assert!(places.len() <= 402 && places.last() == Some(&99_999));
/// assert_eq!(places.iter().map(|&i| y[i]).fold(0.0, f64::max), 6.0);
/// ```
pub fn reduced(t: &[f64], y: &[f64], start: f64, end: f64, width: usize) -> Vec<usize> {
    let low = t.partition_point(|x| *x < start);
    let high = t.partition_point(|x| *x <= end).max(low);
    let (first, last) = (low.saturating_sub(1), (high + 1).min(t.len()));
    let width = width.clamp(1, WIDEST);
    if high - low <= 4 * width {
        return (first..last).collect();
    }
    let mut places: Vec<usize> = (first..low).collect();
    for own in by_pixel(&t[low..high], start, end, width) {
        kept(y, low + own.start, low + own.end, &mut places);
    }
    places.extend(high..last);
    places
}

/// The times of each pixel of a picture from `start` to `end` that has some; `t` rises, and all of it is in the picture.
pub(crate) fn by_pixel(t: &[f64], start: f64, end: f64, width: usize) -> impl Iterator<Item = Range<usize>> {
    let (wide, mut from) = ((end - start) / width as f64, 0);
    let ends = move |pixel: usize| {
        let edge = start + wide * pixel as f64;
        let to = if pixel == width { t.len() } else { from + t[from..].partition_point(|x| *x < edge) };
        std::mem::replace(&mut from, to)..to
    };
    (1..=width).map(ends).filter(|own| !own.is_empty())
}

/// Appends the places of the first, the least, the greatest and the last point of one pixel, each once and in order.
fn kept(y: &[f64], from: usize, to: usize, places: &mut Vec<usize>) {
    let (mut least, mut most) = (from, from);
    for i in from..to {
        // A place without a value is less and greater than none.
        if y[i] < y[least] || (y[least].is_nan() && !y[i].is_nan()) {
            least = i;
        }
        if y[i] > y[most] || (y[most].is_nan() && !y[i].is_nan()) {
            most = i;
        }
    }
    let mut own = [from, least, most, to - 1];
    own.sort_unstable();
    let begin = places.len();
    for place in own {
        if places[begin..].last() != Some(&place) {
            places.push(place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// A column of pixels is covered by a line through the places kept from its least to its greatest value, and the line enters and leaves it
        /// where the whole line does.
        #[test]
        fn each_pixel_keeps_its_first_least_greatest_and_last_point(
            steps in prop::collection::vec((0.0..2.0f64, -5i32..5), 1..400), width in 1usize..40, cut in (0.0..1.0f64, 0.0..1.0f64),
        ) {
            let mut at = 0.0;
            let t: Vec<f64> = steps.iter().map(|(dt, _)| { at += dt; at }).collect();
            let y: Vec<f64> = steps.iter().map(|(_, y)| if *y == -5 { f64::NAN } else { f64::from(*y) }).collect();
            let (start, end) = (at * cut.0.min(cut.1), at * cut.0.max(cut.1));
            let places = reduced(&t, &y, start, end, width);
            prop_assert!(places.is_sorted_by(|a, b| a < b));
            let inside: Vec<usize> = (0..t.len()).filter(|&i| start <= t[i] && t[i] <= end).collect();
            prop_assert!(places.iter().filter(|i| inside.contains(i)).count() <= 4 * width);
            let pixel = |i: usize| (1..width).filter(|p| t[i] >= start + (end - start) / width as f64 * *p as f64).count();
            for p in 0..width {
                let all: Vec<usize> = inside.iter().copied().filter(|&i| pixel(i) == p).collect();
                let kept: Vec<usize> = places.iter().copied().filter(|i| all.contains(i)).collect();
                prop_assert_eq!((all.first(), all.last()), (kept.first(), kept.last()));
                let ends = |of: &[usize]| {
                    let values = of.iter().map(|&i| y[i]).filter(|y| !y.is_nan());
                    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), y| (a.min(y), b.max(y)))
                };
                prop_assert_eq!(ends(&all), ends(&kept));
            }
            let before = inside.first().map_or(t.partition_point(|x| *x < start), |i| *i);
            let after = inside.last().map_or(before, |i| i + 1);
            prop_assert_eq!(before.checked_sub(1), places.iter().copied().rfind(|i| *i < before));
            prop_assert_eq!((after < t.len()).then_some(after), places.iter().copied().find(|i| *i >= after));
        }
    }
}
