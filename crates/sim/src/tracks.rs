//! What became of each data packet at each port that it came to, for those who follow single packets. Nothing is kept unless it is asked for.

use crate::net::{Lane, Payload};
use crate::table::{Cells, Table};
use headgate_packet::{Ecn, Time};
use headgate_queue::{Discipline as _, DropReason, Dropped};

/// A packet that came out of a port's wire, or that the port dropped.
#[derive(Clone, Copy, Debug)]
struct Track {
    /// When it came to the far end of the wire, or was dropped.
    at: Time,
    port: u32,
    flow: u32,
    seq: u64,
    /// Time that it waited in the port, in ps; 0 if it was dropped.
    waited: u64,
    bytes: u32,
    marked: bool,
    reason: Option<DropReason>,
}

/// The packets of a run, in the order in which they left ports.
#[derive(Clone, Debug)]
pub(crate) struct Tracks {
    most: usize,
    rows: Vec<Track>,
    /// Gauges of the discipline when it dropped a packet: its row, the gauge, the value.
    numbers: Vec<(usize, &'static str, f64)>,
}

impl Tracks {
    /// None yet, and at most this many.
    pub fn new(most: usize) -> Tracks {
        Tracks { most, rows: Vec::new(), numbers: Vec::new() }
    }

    /// Whether no more are kept.
    pub fn is_full(&self) -> bool {
        self.rows.len() >= self.most
    }

    /// The first packet on the wire of port `l` is about to come out of it.
    pub fn came(&mut self, l: usize, at: Time, lane: &Lane, payload: &Payload) {
        let Some(head) = lane.wire.front() else { return };
        if payload.is_ack || self.is_full() {
            return;
        }
        self.rows.push(Track {
            at,
            port: l as u32,
            flow: payload.flow,
            seq: payload.seq,
            waited: head.waited,
            bytes: head.packet.bytes,
            marked: payload.marked || head.packet.ecn == Ecn::Ce,
            reason: None,
        });
    }

    /// Port `l` dropped a data packet of a flow.
    pub fn dropped(&mut self, l: usize, gone: &Dropped, flow: u32, seq: u64, lane: &Lane) {
        if self.is_full() {
            return;
        }
        let (row, numbers) = (self.rows.len(), &mut self.numbers);
        lane.port.discipline().probe(&mut |name, value| numbers.push((row, name, value)));
        self.rows.push(Track {
            at: gone.at,
            port: l as u32,
            flow,
            seq,
            waited: 0,
            bytes: gone.bytes,
            marked: false,
            reason: Some(gone.reason),
        });
    }

    /// The packets: the columns `at_s`, `port`, `flow`, `seq`, `waited_s`, `bytes`, `marked`, and `reason`, 0 for one that was sent and otherwise
    /// the place of the reason in the list of reasons, plus 1.
    pub fn table(&self) -> Table {
        let int = |of: fn(&Track) -> i64| Cells::Int(self.rows.iter().map(of).collect());
        let float = |of: fn(&Track) -> f64| Cells::Float(self.rows.iter().map(of).collect());
        vec![
            ("at_s", float(|r| r.at.as_secs_f64())),
            ("port", int(|r| i64::from(r.port))),
            ("flow", int(|r| i64::from(r.flow))),
            ("seq", int(|r| r.seq as i64)),
            ("waited_s", float(|r| r.waited as f64 / 1e12)),
            ("bytes", int(|r| i64::from(r.bytes))),
            ("marked", int(|r| i64::from(r.marked))),
            ("reason", int(|r| r.reason.map_or(0, |reason| 1 + reason as i64))),
        ]
    }

    /// The gauges of disciplines at drops: the columns `row`, `name` and `value`.
    pub fn numbers(&self) -> Table {
        let mut names: Vec<&'static str> = Vec::new();
        let mut codes = Vec::with_capacity(self.numbers.len());
        for (_, name, _) in &self.numbers {
            let place = names.iter().position(|known| known == name).unwrap_or_else(|| {
                names.push(name);
                names.len() - 1
            });
            codes.push(place as i64);
        }
        vec![
            ("row", Cells::Int(self.numbers.iter().map(|(row, _, _)| *row as i64).collect())),
            ("name", Cells::Name(codes, names.into_iter().map(str::to_owned).collect())),
            ("value", Cells::Float(self.numbers.iter().map(|(_, _, value)| *value).collect())),
        ]
    }
}
