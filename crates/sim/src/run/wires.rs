//! Where packets arrive at the other ends of wires. Those whose wires have laws are lost, duplicated and delayed there.
//!
//! Those that are delayed arrive with separate events: `Event::Arrive` of the number of the lane plus the number of lanes.

use super::Run;
use crate::engine::Event;
use crate::net::{Hop, InFlight};
use headgate_packet::{Ecn, Packet, Time};

/// A packet that has arrived over a link, and its next hop.
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
            self.after_port(l, 0);
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
        if lane.laws.is_some() {
            return self.meet_laws(l, packet);
        }
        Some(Arrived { packet, next: self.network.hops[payload.hop as usize], is_ack: payload.is_ack })
    }

    /// A packet comes out of a wire that has laws; nothing if it is lost or delayed.
    #[cold]
    fn meet_laws(&mut self, l: usize, packet: Packet) -> Option<Arrived> {
        let laws = self.network.lanes[l].laws.as_mut().expect("a wire that has laws");
        let packet = laws.changed(packet);
        let copies = laws.copies(self.now);
        if copies == 0 {
            self.lose(packet);
            return None;
        }
        let first = laws.delay(packet, self.now);
        if copies == 2 {
            let copy = self.copy(packet);
            self.network.lanes[l].laws.as_mut().expect("a wire that has laws").delay_copy(copy, self.now);
        }
        self.arm_late(l);
        first.map(|packet| self.arrived(packet))
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

    /// A packet that was not lost and is not delayed any longer.
    fn arrived(&mut self, packet: Packet) -> Arrived {
        let payload = self.network.payloads.get(packet.handle);
        Arrived { packet, next: self.network.hops[payload.hop as usize], is_ack: payload.is_ack }
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
    #[cold]
    pub(super) fn on_late(&mut self, l: usize) -> Option<Arrived> {
        let laws = self.network.lanes[l].laws.as_mut().expect("only wires with laws delay packets");
        if laws.armed != self.now {
            return None;
        }
        laws.armed = Time::NEVER;
        let packet = laws.take().expect("an armed wire holds a packet");
        self.arm_late(l);
        self.record.digest.word(self.network.payloads.get(packet.handle).seq << 1);
        Some(self.arrived(packet))
    }
}
