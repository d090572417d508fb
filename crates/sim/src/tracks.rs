//! What became of each data packet at each port at which it arrived, and what the port decided about it, for those who follow single packets: as it
//! arrived and as it left, each with the numbers of that moment. Nothing is kept unless it is asked for.
//!
//! Memory: 72 bytes for each packet at a port, and 8 for each number; the caller says how many packets there may be, or takes them from time to
//! time (see `Run::follow_packets`).

mod all;

use crate::table::{Cells, Table};
use headgate_packet::{Buffer, Duration, Ecn, Packet, Time};
use headgate_queue::aqm::Verdict;
use headgate_queue::{Backlog, Decision, DropKind, DropReason, Dropped, Moment, Number, Port};

/// Which packets are followed.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// Those that are at a port at this time or arrive later; the numbers are kept of what is decided from this time on.
    pub from: Time,
    /// Those that arrive no later than this.
    pub to: Time,
    /// At most this many, each counted at each port at which it arrives.
    pub most: usize,
}

/// A packet at a port: when it arrived, and what became of it.
#[derive(Clone, Copy, Debug)]
struct Track {
    arrived: Time,
    /// Start of its transmission, or when it was dropped; `NEVER` while it waits.
    start: Time,
    /// End of its transmission; `NEVER` without one.
    left: Time,
    /// How many packets arrived at the port before it.
    number: u64,
    seq: u64,
    /// Where its values begin.
    first: u64,
    port: u32,
    flow: u32,
    bytes: u32,
    /// Which numbers these are: those of its arrival, and then those of its departure.
    shapes: [u16; 2],
    marked: bool,
    fate: Fate,
    /// What was decided as it arrived.
    arrival: Verdict,
    /// What was decided as it was about to leave; nothing of one that waits or was dropped before.
    departure: Option<Verdict>,
}

const _: () = assert!(std::mem::size_of::<Track>() <= 72);

/// Whose packet is at a port.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Owner {
    /// The scenario's entry of its flow.
    pub entry: u32,
    /// An acknowledgement, not data.
    pub is_ack: bool,
}

/// The owner of a row, and the code point with which its packet arrived.
type Owned = (Owner, Ecn);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Waits,
    Sent,
    Dropped(DropReason),
}

/// A packet that is at a port or on the wire behind it.
#[derive(Clone, Debug, Default)]
struct Open {
    port: Option<u32>,
    arrived: Time,
    number: u64,
    bytes: u32,
    shapes: [u16; 2],
    /// Those of its arrival, and then those of its departure.
    values: Vec<f64>,
    /// Whether it carried a mark as it arrived.
    ecn: Ecn,
    /// What was written down of its arrival and of its departure.
    decided: [Option<Verdict>; 2],
    owner: Owner,
}

/// The packets of a run at its ports.
#[derive(Clone, Debug)]
pub struct Tracks {
    window: Window,
    /// Of each port, the packets that arrived at it so far.
    arrived: Vec<u64>,
    /// By their handles.
    open: Vec<Open>,
    opened: usize,
    rows: Vec<Track>,
    values: Vec<f64>,
    /// Lists of numbers that disciplines gave; the first one is empty.
    shapes: Vec<Vec<Number>>,
    /// The list of the last packet, kept to be used again.
    shape: Vec<Number>,
    /// Since when no further packet is followed.
    ended: Option<Time>,
    /// Of each row its owner, if acknowledgements are followed too. Then there are no numbers, and the rows are taken while the run goes on.
    owners: Option<Vec<Owned>>,
}

impl Tracks {
    /// None yet.
    pub fn new(window: Window, ports: usize) -> Tracks {
        Tracks {
            window,
            arrived: vec![0; ports],
            open: Vec::new(),
            opened: 0,
            rows: Vec::new(),
            values: Vec::new(),
            shapes: vec![Vec::new()],
            shape: Vec::new(),
            ended: None,
            owners: None,
        }
    }

    /// Since when no further packet is followed: the window has ended, or there are as many as there may be.
    pub fn ended(&self) -> Option<Time> {
        self.ended
    }

    /// A packet is about to be handed to a port, which was advanced up to `now`; `shared` is what its gateway's ports hold together of a buffer that
    /// they share, and that buffer.
    pub fn arrives(
        &mut self,
        (port, at): (usize, &Port),
        packet: &Packet,
        now: Time,
        shared: Option<(Backlog, Buffer)>,
    ) {
        let number = self.arrived[port];
        self.arrived[port] += 1;
        if self.ended.is_none() && (now > self.window.to || self.rows.len() + self.opened >= self.window.most) {
            self.ended = Some(now.min(self.window.to));
        }
        if self.ended.is_some() {
            return;
        }
        let handle = packet.handle as usize;
        if self.open.len() <= handle {
            self.open.resize_with(handle + 1, Open::default);
        }
        let open = &mut self.open[handle];
        open.values.clear();
        self.shape.clear();
        if now >= self.window.from && self.owners.is_none() {
            let (names, values) = (&mut self.shape, &mut open.values);
            let mut tell = |number, value| {
                names.push(number);
                values.push(value);
            };
            match shared {
                None => at.explain(*packet, now, &mut tell),
                Some((held, buffer)) => {
                    tell(Number::HeldPackets, held.packets as f64);
                    tell(Number::HeldBytes, held.bytes as f64);
                    let in_bytes = matches!(buffer, Buffer::Bytes(_));
                    tell(if in_bytes { Number::BufferBytes } else { Number::BufferPackets }, buffer.limit());
                }
            }
        }
        let shape = self.known_shape();
        let open = &mut self.open[handle];
        self.opened += usize::from(open.port.is_none());
        (open.port, open.arrived, open.number) = (Some(port as u32), now, number);
        (open.bytes, open.ecn, open.shapes, open.decided) = (packet.bytes, packet.ecn, [shape, 0], [None; 2]);
    }

    /// The place of the list `shape` among the lists.
    fn known_shape(&mut self) -> u16 {
        let shape = self.shapes.iter().position(|known| *known == self.shape).unwrap_or_else(|| {
            self.shapes.push(self.shape.clone());
            self.shapes.len() - 1
        });
        // There are no more lists than ways through a discipline's rules.
        u16::try_from(shape).unwrap_or(0)
    }

    /// A port decided about a packet with these numbers. It is told before the packet is said to have left or to have been dropped.
    pub fn decided(&mut self, port: usize, decision: &Decision, numbers: &[(Number, f64)]) {
        let handle = decision.handle as usize;
        if self.open.get(handle).is_none_or(|open| open.port != Some(port as u32)) {
            return;
        }
        if decision.moment == Moment::Departure && self.owners.is_none() {
            self.shape.clear();
            self.shape.extend(numbers.iter().map(|(number, _)| *number));
            self.open[handle].shapes[1] = self.known_shape();
            self.open[handle].values.extend(numbers.iter().map(|(_, value)| *value));
        }
        self.open[handle].decided[decision.moment as usize] = Some(decision.verdict);
    }

    /// The transmission of a packet of a flow, which waited for `waited`, has ended at `end`.
    pub fn left(&mut self, handle: u32, (flow, seq): (u32, u64), waited: Duration, end: Time, marked: bool) {
        let Some(open) = self.open.get(handle as usize) else { return };
        let start = open.arrived + waited;
        // Of disciplines that mark by themselves nothing is written down: they do so as a packet arrives.
        let marked_here = marked && open.ecn != Ecn::Ce;
        if let Some(track) = self.close(handle, start, flow, seq) {
            let departure = Some(track.departure.unwrap_or(Verdict::Pass));
            let by_itself = marked_here && departure != Some(Verdict::Mark);
            let arrival = if by_itself { Verdict::Mark } else { track.arrival };
            *track = Track { start, left: end, marked, fate: Fate::Sent, arrival, departure, ..*track };
        }
    }

    /// A packet of a flow was dropped.
    pub fn dropped(&mut self, gone: &Dropped, (flow, seq): (u32, u64)) {
        let Dropped { at, arrived, reason, .. } = *gone;
        if let Some(track) = self.close(gone.handle, at, flow, seq) {
            let (mut arrival, mut departure) = (track.arrival, track.departure);
            // One that made room for another was queued before. A scheduler that drops by itself does so at once or as packets leave.
            match reason.kind() {
                DropKind::Evicted => {}
                _ if departure.is_some() || at > arrived => departure = Some(Verdict::Drop(reason)),
                _ => arrival = Verdict::Drop(reason),
            }
            *track = Track { start: at, fate: Fate::Dropped(reason), arrival, departure, ..*track };
        }
    }

    /// A packet that is not followed, such as an acknowledgement, has left a port.
    pub fn forget(&mut self, handle: u32) {
        self.take(handle);
    }

    /// The packet of a handle, if it is at a port.
    fn take(&mut self, handle: u32) -> Option<(u32, &mut Open)> {
        let open = self.open.get_mut(handle as usize)?;
        let port = open.port.take()?;
        self.opened -= 1;
        Some((port, open))
    }

    /// A packet that is at a port gets its row, unless it left before the window.
    fn close(&mut self, handle: u32, until: Time, flow: u32, seq: u64) -> Option<&mut Track> {
        let (from, first) = (self.window.from, self.values.len() as u64);
        let (port, open) = self.take(handle)?;
        if until < from {
            return None;
        }
        let Open { arrived, number, bytes, shapes, decided: [arrival, departure], .. } = *open;
        let (start, left, marked, fate) = (Time::NEVER, Time::NEVER, false, Fate::Waits);
        let arrival = arrival.unwrap_or(Verdict::Pass);
        let row = Track {
            arrived,
            start,
            left,
            number,
            seq,
            first,
            port,
            flow,
            bytes,
            shapes,
            marked,
            fate,
            arrival,
            departure,
        };
        let values = std::mem::take(&mut open.values);
        self.values.extend_from_slice(&values);
        let open = &mut self.open[handle as usize];
        open.values = values;
        if let Some(owners) = &mut self.owners {
            owners.push((open.owner, open.ecn));
        }
        self.rows.push(row);
        self.rows.last_mut()
    }

    /// All packets that are still at a port get their rows; `of` gives the flow and the number of those that are followed. Then the rows are in the
    /// order of ports and arrivals.
    pub fn finish(&mut self, mut of: impl FnMut(u32) -> Option<(u32, u64)>) {
        for handle in 0..self.open.len() as u32 {
            if self.open[handle as usize].port.is_none() {
                continue;
            }
            match of(handle) {
                Some((flow, seq)) => {
                    self.close(handle, Time::NEVER, flow, seq);
                }
                None => self.forget(handle),
            }
        }
        if self.owners.is_none() {
            self.rows.sort_unstable_by_key(|row| (row.port, row.number));
        }
    }

    /// The packets: the columns `port`, `number` (of the packets that arrived at the port, from 0), `flow`, `seq`, `arrived_s`, `start_s` (of the
    /// transmission, or when it was dropped), `left_s`, `bytes`, `marked`, `reason` (0 for one that was sent, -1 for one that still waits, and
    /// otherwise the place of the reason in the list of reasons, plus 1), and where its numbers are: `shape` and `first`. What was decided is in `arrival`
    /// (0: it was queued, 1: marked and queued, otherwise dropped: the place of the reason, plus 2) and `departure` (0: it was sent, 1: marked and
    /// sent, otherwise as `arrival`, and -1 if nothing was). The numbers of the departure follow those of the arrival; `departure_shape` says which.
    pub fn table(&self) -> Table {
        let int = |of: fn(&Track) -> i64| Cells::Int(self.rows.iter().map(of).collect());
        let time = |of: fn(&Track) -> Time| {
            let seconds = |at: Time| if at == Time::NEVER { f64::NAN } else { at.as_secs_f64() };
            Cells::Float(self.rows.iter().map(|row| seconds(of(row))).collect())
        };
        vec![
            ("port", int(|r| i64::from(r.port))),
            ("number", int(|r| r.number as i64)),
            ("flow", int(|r| i64::from(r.flow))),
            ("seq", int(|r| r.seq as i64)),
            ("arrived_s", time(|r| r.arrived)),
            ("start_s", time(|r| r.start)),
            ("left_s", time(|r| r.left)),
            ("bytes", int(|r| i64::from(r.bytes))),
            ("marked", int(|r| i64::from(r.marked))),
            ("reason", int(|r| r.fate.code())),
            ("arrival", int(|r| code(r.arrival))),
            ("departure", int(|r| r.departure.map_or(-1, code))),
            ("shape", int(|r| i64::from(r.shapes[0]))),
            ("departure_shape", int(|r| i64::from(r.shapes[1]))),
            ("first", int(|r| r.first as i64)),
        ]
    }

    /// The values of all numbers, one after the other: those of a packet begin at its `first`.
    pub fn values(&self) -> Table {
        vec![("value", Cells::Float(self.values.clone()))]
    }

    /// Which numbers the values of a packet are, by its `shape`.
    pub fn shapes(&self) -> &[Vec<Number>] {
        &self.shapes
    }
}

fn code(verdict: Verdict) -> i64 {
    match verdict {
        Verdict::Pass => 0,
        Verdict::Mark => 1,
        Verdict::Drop(reason) => 2 + reason as i64,
    }
}

impl Fate {
    fn code(self) -> i64 {
        match self {
            Fate::Waits => -1,
            Fate::Sent => 0,
            Fate::Dropped(reason) => 1 + reason as i64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use headgate_packet::{Rate, Rng};
    use headgate_queue::{LinkInfo, Spec};

    #[test]
    fn a_discipline_that_drops_by_itself_does_so_at_arrival_or_later() {
        let (time, rate) =
            (|ms: u64| Time::ZERO + Duration::from_millis(ms), Rate::from_bps(8_000).expect("above zero"));
        let link = LinkInfo { rate, flows: 1, weights: vec![], hosts: vec![] };
        let port = Port::new(Spec::default_of("fcfs").expect("it is there").build(&link), rate, Rng::new(0, 0, "test"));
        let mut tracks = Tracks::new(Window { from: Time::ZERO, to: Time::NEVER, most: 9 }, 1);
        for (handle, at, reason) in
            [(0, 5, DropReason::Full), (1, 9, DropReason::AboveMax), (2, 9, DropReason::Evicted)]
        {
            let packet = Packet { handle, bytes: 1, ..Packet::default() };
            tracks.arrives((0, &port), &packet, time(5), None);
            let gone =
                Dropped { at: time(at), arrived: time(5), handle, flow: packet.flow, bytes: 1, class: 0, reason };
            tracks.dropped(&gone, (0, u64::from(handle)));
        }
        let codes: Vec<[i64; 2]> =
            tracks.rows.iter().map(|row| [code(row.arrival), row.departure.map_or(-1, code)]).collect();
        assert_eq!(codes, [[2, -1], [0, 2 + DropReason::AboveMax as i64], [0, -1]]);
    }
}
