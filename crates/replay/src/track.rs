//! What became of each packet that was at the line in a window of time, as narrow columns.

use crate::rows::{Fate, Row};
use headgate_packet::Time;

/// Columns of packets in the order of arrival. Times are seconds since the first packet of the trace.
#[derive(Clone, Debug, Default)]
pub struct Tracks {
    /// Number in the trace, from 1.
    pub packet: Vec<i64>,
    /// Number of the flow.
    pub flow: Vec<u32>,
    /// Length.
    pub bytes: Vec<u32>,
    /// Arrival.
    pub arrived: Vec<f64>,
    /// Start of the transmission, or the time of the drop.
    pub start: Vec<f64>,
    /// End of the transmission; NaN if it was dropped.
    pub left: Vec<f64>,
    /// 0 if it was sent, else the number of the reason from 1.
    pub reason: Vec<u8>,
    /// Whether the discipline marked it.
    pub marked: Vec<u8>,
}

/// Follows the packets that wait or arrive in a window.
#[derive(Clone, Debug)]
pub struct Track {
    from: Time,
    to: Time,
    /// Packets that are still to be followed.
    room: usize,
    tracks: Tracks,
}

impl Track {
    /// Follows the first `most` packets that arrive by `to` and wait, or are on the line, at `from` or later.
    pub fn new(from: Time, to: Time, most: usize) -> Track {
        Track { from, to, room: most, tracks: Tracks::default() }
    }

    /// Takes finished rows.
    pub fn take(&mut self, rows: &[Row]) {
        for row in rows {
            let (start, left, end, reason, marked) = match row.fate {
                Fate::Open => continue,
                Fate::Sent { start, departure, marked } => (start, departure.as_secs_f64(), departure, 0, marked),
                Fate::Dropped { at, reason } => (at, f64::NAN, at, 1 + reason as u8, false),
            };
            if self.room == 0 || row.arrival.at > self.to || end < self.from {
                continue;
            }
            self.room -= 1;
            let tracks = &mut self.tracks;
            tracks.packet.push(row.arrival.number as i64);
            tracks.flow.push(row.arrival.flow);
            tracks.bytes.push(row.arrival.bytes);
            tracks.arrived.push(row.arrival.at.as_secs_f64());
            tracks.start.push(start.as_secs_f64());
            tracks.left.push(left);
            tracks.reason.push(reason);
            tracks.marked.push(u8::from(marked));
        }
    }

    /// What was followed since the last call.
    pub fn columns(&mut self) -> Tracks {
        std::mem::take(&mut self.tracks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::intake::Arrival;
    use headgate_packet::Ecn;
    use headgate_queue::DropReason;

    #[test]
    fn packets_that_are_there_in_the_window_are_followed() {
        let time = |s: u64| Time::from_ps(s * 1_000_000_000_000);
        let row = |number: u64, arrived: u64, fate| Row {
            arrival: Arrival {
                at: time(arrived),
                number,
                flow: 7,
                weight: 1,
                bytes: 9,
                priority: 0,
                ecn: Ecn::NotEct,
                ..Arrival::default()
            },
            fate,
        };
        let sent = |start, end| Fate::Sent { start: time(start), departure: time(end), marked: true };
        let dropped = |at| Fate::Dropped { at: time(at), reason: DropReason::Evicted };
        let rows = [
            row(1, 0, sent(0, 1)),
            row(2, 0, sent(1, 2)),
            row(3, 1, dropped(1)),
            row(4, 1, dropped(2)),
            row(5, 3, sent(3, 9)),
            row(6, 4, sent(9, 10)),
        ];
        let mut track = Track::new(time(2), time(3), 10);
        track.take(&rows[..3]);
        track.take(&rows[3..]);
        let found = track.columns();
        assert_eq!((found.packet, found.reason, found.marked), (vec![2, 4, 5], vec![0, 2, 0], vec![1, 0, 1]));
        assert_eq!((found.arrived, found.start), (vec![0.0, 1.0, 3.0], vec![1.0, 2.0, 3.0]));
        assert!(found.left[1].is_nan() && found.left[2] == 9.0);
        assert!(track.columns().packet.is_empty());
        let mut track = Track::new(time(0), time(9), 2);
        track.take(&rows);
        assert_eq!(track.columns().packet, [1, 2]);
    }
}
