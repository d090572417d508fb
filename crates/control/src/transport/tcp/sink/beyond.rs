//! What a sink keeps of packets that arrived beyond gaps. Most sinks of a large run never have any.

use super::BLOCKS;
use crate::transport::tcp::Ranges;

/// What arrived beyond gaps.
#[derive(Clone, Debug, Default)]
pub(super) struct Beyond {
    pub ahead: Ranges,
    /// The ranges that grew last, newest first; some places may be empty, or hold what is no longer beyond a gap.
    pub recent: [(u64, u64); BLOCKS],
}

impl Beyond {
    /// A range grew, of which others may have become a part. It comes first; the first of its parts makes room, the others leave empty places.
    pub fn note_recent(&mut self, range: (u64, u64)) {
        let (mut down, mut fits) = (range, false);
        for place in &mut self.recent {
            let part = range.0 <= place.0 && place.1 <= range.1;
            if !fits {
                std::mem::swap(place, &mut down);
                fits = part;
            } else if part {
                *place = (0, 0);
            }
        }
    }
}
