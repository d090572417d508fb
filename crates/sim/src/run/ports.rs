//! What a port does with the packets that are handed to it.

use super::Run;
use crate::net::{Hop, Lane};
use crate::spec::TraceKind;
use headgate_packet::{Packet, Time};

impl Run {
    pub(super) fn on_port(&mut self, l: usize) {
        let lane = &mut self.network.lanes[l];
        if lane.armed != self.now {
            return; // an earlier entry has handled it
        }
        lane.armed = Time::NEVER;
        self.catch_up(l);
    }

    /// A port starts what is due by now.
    pub(super) fn catch_up(&mut self, l: usize) {
        let lane = &mut self.network.lanes[l];
        let before = lane.wire.len();
        lane.advance(self.now);
        self.after_port(l, before);
    }

    /// Hands a packet to the port of a hop.
    #[inline(always)]
    pub(super) fn offer(&mut self, hop: Hop, mut packet: Packet) {
        packet.flow = hop.flow();
        let l = hop.lane as usize;
        if self.attended {
            // A copy: a packet whose address is given away would be kept in memory, also where nobody looks at it.
            let wire_before = self.enqueue_attended(l, packet);
            return self.after_port(l, wire_before);
        }
        let lane = &mut self.network.lanes[l];
        let wire_before = lane.wire.len();
        lane.offer(packet, self.now);
        let dropped = lane.arm(l, wire_before, &mut self.events);
        self.after_arming(l, dropped);
    }

    /// Puts a packet into the queue of a port, where a log follows packets or ports share a buffer; gives how many packets were on its wire before.
    #[cold]
    #[inline(never)]
    pub(super) fn enqueue_attended(&mut self, l: usize, packet: Packet) -> usize {
        // Before the wire is looked at: the port may catch up.
        let room = self.makes_room(l, &packet);
        let shared = if self.record.log.is_some() { self.shared_at(l) } else { None };
        let lane = &mut self.network.lanes[l];
        let wire_before = lane.wire.len();
        if let Some(log) = &mut self.record.log {
            log.arrives((l, lane), packet, self.now, shared);
            let (flow, is_ack) =
                (self.network.payloads.get(packet.handle).flow, self.network.payloads.get(packet.handle).is_ack);
            log.belongs(packet.handle, self.flows.entry(flow, self.record.meters.len()), is_ack);
        }
        let lane = &mut self.network.lanes[l];
        if room {
            lane.offer(packet, self.now);
        } else {
            lane.port.refuse(packet, self.now);
        }
        wire_before
    }

    /// After a port acted: arms the wire or the port, and removes what was dropped.
    #[inline(always)]
    pub(super) fn after_port(&mut self, l: usize, wire_before: usize) {
        let dropped = self.network.lanes[l].arm(l, wire_before, &mut self.events);
        self.after_arming(l, dropped);
    }

    /// The rest of [`Run::after_port`].
    #[inline(always)]
    pub(super) fn after_arming(&mut self, l: usize, dropped: bool) {
        if dropped {
            self.take_drops(l);
        }
        if self.record.traces.wants(TraceKind::Backlog) {
            self.record.traces.backlog(l, self.now, &self.network.lanes[l]);
        }
    }

    fn take_drops(&mut self, l: usize) {
        for i in 0..self.network.lanes[l].port.dropped().len() {
            let gone = self.network.lanes[l].port.dropped()[i];
            debug_assert_eq!(gone.at, self.now, "drops enter the digest in the order of time");
            // Field by field: the payload may have been written just now, and reading it whole would wait for the writes.
            let payload = self.network.payloads.get(gone.handle);
            let (flow, seq, is_ack) = (payload.flow, payload.seq, payload.is_ack);
            if let Some(log) = &mut self.record.log {
                log.dropped(l, &mut self.network.lanes[l], gone, (flow, seq), is_ack);
            }
            let entry = self.flows.entry(flow, self.record.meters.len());
            self.record.drop(l, gone.at, entry, seq, is_ack);
            self.remove(gone.handle, flow);
        }
        self.network.lanes[l].port.dropped().clear();
    }

    /// A packet that does not arrive leaves the network, with what it carried.
    pub(super) fn remove(&mut self, handle: u32, flow: u32) {
        let network = &mut self.network;
        network.echoes.remove(network.payloads.get(handle).echo);
        network.payloads.remove(handle);
        self.flows.out_of_network(flow as usize);
    }

    /// Changes a lane.
    pub(super) fn change_lane(&mut self, l: usize, change: impl FnOnce(&mut Lane)) {
        if !self.network.lanes[l].prompt {
            self.catch_up(l);
        }
        change(&mut self.network.lanes[l]);
        // The line may be free: what waits starts at once.
        self.catch_up(l);
    }
}
