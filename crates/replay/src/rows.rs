//! One row per packet in the order of arrival, although packets leave in another order.
//!
//! Rows wait in a window from the oldest packet whose fate is open to the newest. What waits in the buffer bounds it, except that
//! every packet that overtakes a waiting one keeps its row until that one has left.

use crate::intake::Arrival;
use headgate_packet::Time;
use headgate_queue::DropReason;
use std::collections::VecDeque;

/// The fate of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Not known yet.
    Open,
    /// It was sent.
    Sent {
        /// Start of its transmission.
        start: Time,
        /// End of its transmission.
        departure: Time,
        /// Its congestion bit was set.
        marked: bool,
    },
    /// It was dropped.
    Dropped {
        /// When.
        at: Time,
        /// Why.
        reason: DropReason,
    },
}

/// A packet and its fate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// The packet.
    pub arrival: Arrival,
    /// Its fate.
    pub fate: Fate,
}

/// Rows in the order of arrival.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    window: VecDeque<Row>,
    /// Handle of the first row of the window.
    first: u32,
    /// Rows whose fate is known, as far as all before them are known too.
    done: Vec<Row>,
}

impl Rows {
    /// A packet arrived; handles are consecutive and may wrap.
    #[inline]
    pub fn open(&mut self, arrival: &Arrival) {
        self.window.push_back(Row { arrival: *arrival, fate: Fate::Open });
    }

    /// The fate of a packet is known.
    #[inline]
    pub fn close(&mut self, handle: u32, fate: Fate) {
        self.window[handle.wrapping_sub(self.first) as usize].fate = fate;
        while self.window.front().is_some_and(|row| row.fate != Fate::Open) {
            self.done.extend(self.window.pop_front());
            self.first = self.first.wrapping_add(1);
        }
    }

    /// Finished rows; the caller empties the list.
    pub fn done(&mut self) -> &mut Vec<Row> {
        &mut self.done
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use headgate_packet::Ecn;

    #[test]
    fn rows_wait_for_those_before_and_handles_wrap() {
        let mut rows = Rows { first: u32::MAX - 1, ..Rows::default() };
        let dropped = |ps| Fate::Dropped { at: Time::from_ps(ps), reason: DropReason::Full };
        for number in 1..=4 {
            rows.open(&Arrival {
                at: Time::ZERO,
                number,
                flow: 0,
                weight: 1,
                bytes: 1,
                priority: 0,
                ecn: Ecn::NotEct,
                ..Arrival::default()
            });
        }
        let mut numbers = |handle: u32, ps: u64| -> Vec<(u64, Fate)> {
            rows.close(handle, dropped(ps));
            rows.done().drain(..).map(|row| (row.arrival.number, row.fate)).collect()
        };
        assert_eq!(numbers(0, 3), []);
        assert_eq!(numbers(u32::MAX, 2), []);
        assert_eq!(numbers(u32::MAX - 1, 1), [(1, dropped(1)), (2, dropped(2)), (3, dropped(3))]);
        assert_eq!(numbers(1, 4), [(4, dropped(4))]);
    }
}
