//! The parts of a run that were followed, and which one is followed next.

use super::part::Part;
use std::sync::Arc;

/// Maximum number of packets at ports in one part. Each takes 64 bytes, and 8 for each of its numbers, of which a discipline gives 5 to 20.
pub const MOST: usize = 1_000_000;

/// Maximum size of the parts of a run that are kept, in bytes; the last part is kept whatever its size.
pub const KEPT: usize = 200_000_000;

/// How many parts are tried until one covers the requested time; the last one starts at that time.
pub const TRIES: usize = 4;

/// A part starts at least 1 / BEFORE of its length before the requested time.
const BEFORE: f64 = 4.0;

/// The parts of a run that are kept, the one that was used last at the end.
///
/// ```
/// use headgate_view::packets::Parts;
/// let mut parts = Parts::default();
/// // Nothing is known of the run: it is followed from its start.
/// assert_eq!(parts.start(50.0, 0), 0.0);
/// parts.lasts(8.0);
/// // The next ones start at multiples of a quarter of that, and the last try starts at the time itself.
/// assert_eq!([parts.start(50.9, 1), parts.start(1.5, 1), parts.start(50.9, 3)], [48.0, 0.0, 50.9]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Parts {
    kept: Vec<Arc<Part>>,
    /// The length of the shortest part in s: where packets arrive faster than in the first part, a part is shorter.
    length: Option<f64>,
}

impl Parts {
    /// The part that covers a time, if it is kept.
    pub fn kept(&mut self, at: f64) -> Option<Arc<Part>> {
        let place = self.kept.iter().position(|part| part.covers(at))?;
        // The part that was used last is discarded last.
        let part = self.kept.remove(place);
        self.kept.push(part.clone());
        Some(part)
    }

    /// Where the part around a time starts, after so many parts that did not cover it. Starts are multiples of one step, so that later requests use the
    /// same parts.
    pub fn start(&self, at: f64, tried: usize) -> f64 {
        let step = match self.length {
            None => return 0.0,
            Some(length) => length / BEFORE,
        };
        if tried + 1 < TRIES && step > 1e-12 { (((at - at % step) / step).round() - 1.0).max(0.0) * step } else { at }
    }

    /// A part is no longer than this, in s.
    pub fn lasts(&mut self, length: f64) {
        self.length = Some(self.length.map_or(length, |own| own.min(length)));
    }

    /// Keeps a part that was followed for a time after so many others, and discards older ones if all together take more than `most` bytes. Gives it if it
    /// is the one that was looked for: it covers the time, or there is no better one, since more packets than a part holds may arrive at one instant.
    pub fn keep(&mut self, part: Arc<Part>, at: f64, tried: usize, most: usize) -> Option<Arc<Part>> {
        self.lasts(part.until - part.start);
        self.kept.push(part.clone());
        let mut over = 0;
        while over + 1 < self.kept.len() && self.kept[over..].iter().map(|part| part.size()).sum::<usize>() > most {
            over += 1;
        }
        self.kept.drain(..over);
        (part.covers(at) || tried + 1 >= TRIES).then_some(part)
    }

    /// Bytes of all of them.
    pub fn size(&self) -> usize {
        self.kept.iter().map(|part| part.size()).sum()
    }

    /// How many are kept.
    pub fn len(&self) -> usize {
        self.kept.len()
    }

    /// Whether none is kept.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }
}
