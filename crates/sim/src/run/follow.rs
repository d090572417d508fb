//! The packets of a run at its ports and its traces, taken while it goes on: memory does not grow with its length.

use super::Run;
use crate::log::{self, End, Log};
use crate::spec::Scenario;
use crate::table::Table;
use headgate_packet::{Packet, Time};

/// What a run has done since it was asked last.
pub struct Followed {
    /// Packets and acknowledgements that left ports or were dropped there, in no order; at the end of the run also those that still wait. The
    /// columns are `port`, `number` (of the arrivals at the port, from 0), `flow`, `seq`, `arrived_s`, `start_s` (of the transmission, or when it
    /// was dropped), `left_s`, `bytes`, `marked`, `reason`, `arrival`, `departure` (these as in [`crate::Tracks::table`]), `entry`, `ack` and `ecn`
    /// (the place of the code point with which it arrived).
    pub packets: Table,
    /// What happened at the ends of the paths, in the order of time: the columns `what` (0: data was sent, 1: it reached its sink, 2: an
    /// acknowledgement reached the source), `at_s`, `entry`, `flow`, `seq` (of an acknowledgement that of the packet that it answers), `cumulative`
    /// (of an acknowledgement: packets received in sequence), `bytes` and `marked`.
    pub ends: Table,
    /// The rows of the table of traces.
    pub traces: Table,
    /// No packet whose transmission starts, or that is dropped, before this time is still to come, and no value of a trace.
    pub until: Time,
}

impl Run {
    /// Follows all packets and acknowledgements at all ports, for one who takes them with [`Run::take_followed`]; only before the run begins.
    pub fn follow_packets(&mut self) {
        self.record.log = Some(Log::of_all_packets(self.network.lanes.len()));
        self.attended = true;
        self.network.lanes.iter_mut().for_each(|lane| lane.port.write_down());
    }

    /// What happened since the last call. A run that is `complete` must not be continued. Without [`Run::follow_packets`] there are no packets.
    pub fn take_followed(&mut self, s: &Scenario, complete: bool) -> Followed {
        let (now, network) = (self.now, &mut self.network);
        let mut until = now;
        if complete {
            network.lanes.iter_mut().for_each(|lane| lane.advance(now));
        } else {
            // A port catches up with transmissions that are due when something else happens there. No port is made to do so here: who looks
            // changes nothing.
            until = network.lanes.iter().fold(now, |least, lane| least.min(lane.port.next()));
        }
        let (mut packets, mut ends) = (Table::new(), Table::new());
        if let Some(tracks) = self.record.log.as_mut().and_then(|log| log.tracks.as_mut()) {
            let close = if complete { log::finish } else { log::close_wires };
            close(tracks, &mut network.lanes, &mut network.payloads);
            packets = tracks.take_rows();
        }
        if let Some(log) = &mut self.record.log {
            ends = log.take_ends();
        }
        let traces = self.finished().trace_table(s);
        self.record.traces.rows.clear();
        Followed { packets, ends, traces, until }
    }

    /// A packet has reached the end of its path.
    #[cold]
    #[inline(never)]
    pub(super) fn note_end(&mut self, handle: u32, bytes: u32) {
        let Some(log) = &mut self.record.log else { return };
        let payload = self.network.payloads.get(handle);
        let entry = self.flows.places[payload.flow as usize].entry;
        log.ended(End::reached(payload, self.now, entry, bytes));
    }

    /// A source has handed a packet to its first port, which may have dropped it.
    #[cold]
    #[inline(never)]
    pub(super) fn note_leaving(&mut self, f: usize, seq: u64, packet: Packet) {
        let (now, entry) = (self.now, self.flows.places[f].entry);
        let Some(log) = &mut self.record.log else { return };
        // Its payload is not yet written, and may be that of an earlier packet.
        log.belongs(packet.handle, entry, false);
        log.ended(End {
            what: 0,
            at: now,
            entry,
            flow: f as u32,
            seq,
            cumulative: 0,
            bytes: packet.bytes,
            marked: false,
        });
    }
}
