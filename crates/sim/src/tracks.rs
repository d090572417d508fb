//! What became of each data packet at each port at which it arrived, and with which numbers the port decided about it, for those who follow single
//! packets. Nothing is kept unless it is asked for.
//!
//! Memory: 72 bytes for each packet at a port, and 8 for each number; the caller says how many packets there may be.

use crate::table::{Cells, Table};
use headgate_packet::{Duration, Packet, Time};
use headgate_queue::{DropReason, Dropped, Number, Port};

/// Which packets are followed.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// Those that are at a port at this time or arrive later; the numbers are kept of those that arrive later.
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
    /// Which numbers these are.
    shape: u16,
    marked: bool,
    fate: Fate,
}

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
    shape: u16,
    values: Vec<f64>,
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
        }
    }

    /// Since when no further packet is followed: the window has ended, or there are as many as there may be.
    pub fn ended(&self) -> Option<Time> {
        self.ended
    }

    /// A packet is about to be handed to a port, which was advanced up to `now`.
    pub fn arrives(&mut self, port: usize, at: &Port, packet: &Packet, now: Time) {
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
        if now >= self.window.from {
            let (names, values) = (&mut self.shape, &mut open.values);
            at.explain(*packet, now, &mut |number, value| {
                names.push(number);
                values.push(value);
            });
        }
        let shape = self.shapes.iter().position(|known| *known == self.shape).unwrap_or_else(|| {
            self.shapes.push(self.shape.clone());
            self.shapes.len() - 1
        });
        self.opened += usize::from(open.port.is_none());
        (open.port, open.arrived, open.number) = (Some(port as u32), now, number);
        // There are no more lists than ways through a discipline's rules.
        (open.bytes, open.shape) = (packet.bytes, u16::try_from(shape).unwrap_or(0));
    }

    /// The transmission of a packet of a flow, which waited for `waited`, has ended at `end`.
    pub fn left(&mut self, handle: u32, (flow, seq): (u32, u64), waited: Duration, end: Time, marked: bool) {
        let Some(open) = self.open.get(handle as usize) else { return };
        let start = open.arrived + waited;
        if let Some(track) = self.close(handle, start, flow, seq) {
            *track = Track { start, left: end, marked, fate: Fate::Sent, ..*track };
        }
    }

    /// A packet of a flow was dropped.
    pub fn dropped(&mut self, gone: &Dropped, (flow, seq): (u32, u64)) {
        if let Some(track) = self.close(gone.handle, gone.at, flow, seq) {
            *track = Track { start: gone.at, fate: Fate::Dropped(gone.reason), ..*track };
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
        let Open { arrived, number, bytes, shape, .. } = *open;
        let (start, left, marked, fate) = (Time::NEVER, Time::NEVER, false, Fate::Waits);
        let row = Track { arrived, start, left, number, seq, first, port, flow, bytes, shape, marked, fate };
        let values = std::mem::take(&mut open.values);
        self.values.extend_from_slice(&values);
        self.open[handle as usize].values = values;
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
        self.rows.sort_unstable_by_key(|row| (row.port, row.number));
    }

    /// The packets: the columns `port`, `number` (of the packets that arrived at the port, from 0), `flow`, `seq`, `arrived_s`, `start_s` (of the
    /// transmission, or when it was dropped), `left_s`, `bytes`, `marked`, `reason` (0 for one that was sent, -1 for one that still waits, and
    /// otherwise the place of the reason in the list of reasons, plus 1), and where its numbers are: `shape` and `first`.
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
            ("shape", int(|r| i64::from(r.shape))),
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

impl Fate {
    fn code(self) -> i64 {
        match self {
            Fate::Waits => -1,
            Fate::Sent => 0,
            Fate::Dropped(reason) => 1 + reason as i64,
        }
    }
}
