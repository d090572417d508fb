//! Where packets arrive at the other ends of wires. Those whose wires have laws are lost, duplicated and delayed there.
//!
//! Those that are delayed arrive with separate events: `Event::Arrive` of the number of the lane plus the number of lanes.

use super::Run;
use crate::engine::Event;
use crate::net::{Hop, InFlight};
use headgate_packet::{Ecn, Packet, Time};

/// A packet that has arrived over a link, and its next hop.
#[derive(Clone, Copy, Default)]
pub(super) struct Arrived {
    pub packet: Packet,
    pub next: Hop,
    pub is_ack: bool,
}

impl Run {
    /// The first packet of a wire comes out of it; nothing if a law of the wire keeps it back.
    #[inline(always)]
    pub(super) fn out_of_wire(&mut self, l: usize) -> Option<Arrived> {
        let lane = &mut self.network.lanes[l];
        let InFlight { packet, waited, .. } = lane.wire.pop_front().expect("an armed wire holds a packet");
        if !lane.prompt {
            lane.advance(self.now);
            let dropped = lane.arm(l, 0, &mut self.events);
            self.after_arming(l, dropped);
        } else if let Some(head) = lane.wire.front() {
            self.events.push(head.packet.arrived, Event::Arrive(l as u32));
        }
        let lane = &mut self.network.lanes[l];
        let payload = self.network.payloads.get(packet.handle);
        self.record.digest.word(payload.seq << 1);
        payload.waited += waited;
        if packet.ecn == Ecn::Ce && !payload.marked {
            payload.marked = true;
            lane.marks += 1;
            if !payload.is_ack {
                self.record.meters[self.flows.places[payload.flow as usize].entry as usize].control().now.marks += 1;
            }
        }
        payload.hop += 1;
        let arrived = Arrived { packet, next: self.network.hops[payload.hop as usize], is_ack: payload.is_ack };
        if lane.laws.is_some() {
            // A copy: only what meets laws has an address, and only there.
            let mut changed = arrived;
            return self.meet_laws(l, &mut changed).then_some(changed);
        }
        Some(arrived)
    }

    /// A packet comes out of a wire that has laws; false if it is lost or delayed.
    #[cold]
    fn meet_laws(&mut self, l: usize, arrived: &mut Arrived) -> bool {
        let laws = self.network.lanes[l].laws.as_mut().expect("a wire that has laws");
        let packet = laws.changed(arrived.packet);
        let copies = laws.copies(self.now);
        if copies == 0 {
            self.lose(packet);
            return false;
        }
        let first = laws.delay(packet, self.now);
        if copies == 2 {
            let copy = self.copy(packet);
            self.network.lanes[l].laws.as_mut().expect("a wire that has laws").delay_copy(copy, self.now);
        }
        self.arm_late(l);
        if let Some(packet) = first {
            arrived.packet = packet;
        }
        first.is_some()
    }

    /// The wire has lost a packet.
    fn lose(&mut self, packet: Packet) {
        let payload = *self.network.payloads.get(packet.handle);
        if !payload.is_ack {
            self.record.meters[self.flows.places[payload.flow as usize].entry as usize].control().now.lost += 1;
        }
        self.remove(packet.handle, payload.flow);
    }

    /// The same packet once more, with its own payload.
    fn copy(&mut self, packet: Packet) -> Packet {
        let handle = self.network.payloads.reserve();
        let mut payload = *self.network.payloads.get(packet.handle);
        payload.echo = self.network.echoes.copy(payload.echo);
        *self.network.payloads.get(handle) = payload;
        self.flows.places[payload.flow as usize].in_network += 1;
        Packet { handle, ..packet }
    }

    /// The first delayed packet of a wire is in the event queue.
    fn arm_late(&mut self, l: usize) {
        let number = (self.network.lanes.len() + l) as u32;
        let laws = self.network.lanes[l].laws.as_mut().expect("a wire that has laws");
        let next = laws.next();
        if next < laws.armed {
            laws.armed = next;
            self.events.push(next, Event::Arrive(number));
        }
    }

    /// The first delayed packet of a wire arrives, unless an earlier event has handled it.
    #[inline(always)]
    pub(super) fn on_late(&mut self, l: usize) -> Option<Arrived> {
        let mut arrived = Arrived::default();
        self.late(l, &mut arrived).then_some(arrived)
    }

    #[cold]
    fn late(&mut self, l: usize, arrived: &mut Arrived) -> bool {
        let laws = self.network.lanes[l].laws.as_mut().expect("only wires with laws delay packets");
        if laws.armed != self.now {
            return false;
        }
        laws.armed = Time::NEVER;
        let packet = laws.take().expect("an armed wire holds a packet");
        self.arm_late(l);
        let payload = self.network.payloads.get(packet.handle);
        self.record.digest.word(payload.seq << 1);
        *arrived = Arrived { packet, next: self.network.hops[payload.hop as usize], is_ack: payload.is_ack };
        true
    }
}
