//! Where packets come out of wires that have laws: they are lost, doubled and delayed there.
//!
//! Those that are delayed arrive with events of their own: `Event::Arrive` of the number of the lane plus the number of lanes.

use crate::engine::Event;
use crate::run::Run;
use headgate_packet::{Packet, Time};

impl Run {
    /// A packet comes out of a wire that has laws.
    #[cold]
    pub(crate) fn out_of_wire(&mut self, l: usize, packet: Packet) {
        let laws = self.lanes[l].laws.as_mut().expect("a wire that has laws");
        let copies = laws.copies();
        if copies == 0 {
            let flow = self.payloads.get(packet.handle).flow;
            self.payloads.remove(packet.handle);
            return self.out_of_network(flow as usize);
        }
        let copy = (copies == 2).then(|| self.copy(packet));
        for packet in [Some(packet), copy].into_iter().flatten() {
            let laws = self.lanes[l].laws.as_mut().expect("a wire that has laws");
            match laws.delay(packet, self.now) {
                Some(packet) => self.go_on(packet),
                None => self.arm_late(l),
            }
        }
    }

    /// The same packet once more, with a payload of its own.
    fn copy(&mut self, packet: Packet) -> Packet {
        let handle = self.payloads.reserve();
        let payload = *self.payloads.get(packet.handle);
        *self.payloads.get(handle) = payload;
        self.flows[payload.flow as usize].in_network += 1;
        Packet { handle, ..packet }
    }

    /// A packet that was neither lost nor is delayed any longer comes to the far end.
    fn go_on(&mut self, packet: Packet) {
        let payload = self.payloads.get(packet.handle);
        let (next, is_ack) = (self.hops[payload.hop as usize], payload.is_ack);
        self.deliver(packet, next, is_ack);
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

    /// The first delayed packet of a wire arrives, unless a nearer event made this one needless.
    #[cold]
    pub(crate) fn on_late(&mut self, l: usize) {
        let laws = self.lanes[l].laws.as_mut().expect("only wires with laws delay packets");
        if laws.armed != self.now {
            return;
        }
        laws.armed = Time::NEVER;
        let packet = laws.take().expect("an armed wire holds a packet");
        self.arm_late(l);
        self.digest.word(self.payloads.get(packet.handle).seq << 1);
        self.go_on(packet);
    }
}
