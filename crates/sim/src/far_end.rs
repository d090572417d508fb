//! Where packets come out of wires that have laws: they are lost, duplicated and delayed there.
//!
//! Those that are delayed arrive with separate events: `Event::Arrive` of the number of the lane plus the number of lanes.

use crate::engine::Event;
use crate::net::Hop;
use crate::run::Run;
use headgate_packet::{Packet, Time};

/// A packet that has come to the far end of a link, and its next hop.
pub(crate) struct Come {
    pub packet: Packet,
    pub next: Hop,
    pub is_ack: bool,
}

impl Run {
    /// A packet comes out of a wire that has laws; nothing if it is lost or delayed.
    #[cold]
    pub(crate) fn meet_laws(&mut self, l: usize, packet: Packet) -> Option<Come> {
        let laws = self.lanes[l].laws.as_mut().expect("a wire that has laws");
        let packet = laws.changed(packet);
        let copies = laws.copies(self.now);
        if copies == 0 {
            self.lose(packet);
            return None;
        }
        let first = laws.delay(packet, self.now);
        if copies == 2 {
            let copy = self.copy(packet);
            self.lanes[l].laws.as_mut().expect("a wire that has laws").delay_copy(copy, self.now);
        }
        self.arm_late(l);
        first.map(|packet| self.come(packet))
    }

    /// The wire has lost a packet.
    fn lose(&mut self, packet: Packet) {
        let payload = *self.payloads.get(packet.handle);
        if !payload.is_ack {
            self.meters[self.flows[payload.flow as usize].entry as usize].control().now.lost += 1;
        }
        self.gone(packet.handle, payload.flow);
    }

    /// A packet that does not arrive has left the network, with what it carried.
    pub(crate) fn gone(&mut self, handle: u32, flow: u32) {
        let echo = self.payloads.get(handle).echo;
        if echo > 0 {
            self.echoes.take(echo);
        }
        self.payloads.remove(handle);
        self.out_of_network(flow as usize);
    }

    /// The same packet once more, with its own payload.
    fn copy(&mut self, packet: Packet) -> Packet {
        let handle = self.payloads.reserve();
        let mut payload = *self.payloads.get(packet.handle);
        payload.echo = self.echoes.copy(payload.echo);
        *self.payloads.get(handle) = payload;
        self.flows[payload.flow as usize].in_network += 1;
        Packet { handle, ..packet }
    }

    /// A packet that was not lost and is not delayed any longer.
    fn come(&mut self, packet: Packet) -> Come {
        let payload = self.payloads.get(packet.handle);
        Come { packet, next: self.hops[payload.hop as usize], is_ack: payload.is_ack }
    }

    /// The first delayed packet of a wire is in the event queue.
    fn arm_late(&mut self, l: usize) {
        let number = (self.lanes.len() + l) as u32;
        let laws = self.lanes[l].laws.as_mut().expect("a wire that has laws");
        let next = laws.next();
        if next < laws.armed {
            laws.armed = next;
            self.events.push(next, Event::Arrive(number));
        }
    }

    /// The first delayed packet of a wire arrives, unless an earlier event made this one needless.
    #[cold]
    pub(crate) fn on_late(&mut self, l: usize) -> Option<Come> {
        let laws = self.lanes[l].laws.as_mut().expect("only wires with laws delay packets");
        if laws.armed != self.now {
            return None;
        }
        laws.armed = Time::NEVER;
        let packet = laws.take().expect("an armed wire holds a packet");
        self.arm_late(l);
        self.digest.word(self.payloads.get(packet.handle).seq << 1);
        Some(self.come(packet))
    }
}
