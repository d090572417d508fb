//! The event loop: everything that happens in a run.
//!
//! One pending event per active object. A port is armed only while packets wait; a wire has its head in the event queue; a flow
//! has one timer, re-armed lazily: an entry that fires before the deadline has moved is pushed again.

use super::Run;
use super::wires::Arrived;
use crate::engine::Event;
use crate::flows::{Role, Supplies};
use crate::network::Network;
use headgate_packet::Duration;

impl Run {
    /// Runs a slice: at most `budget` events, fewer if they are long; true when the run is complete.
    pub fn advance(&mut self, budget: u64) -> bool {
        self.budget = budget;
        while self.budget > 0 {
            self.budget -= 1;
            // Events at the very end still count: the last interval is closed by its own sample.
            let Some((now, event)) = self.events.pop_before(self.end + Duration::from_ps(1)) else { return true };
            debug_assert!(now >= self.now, "an event of the past");
            self.now = now;
            // The packets that a port sends are seen when they arrive, and the time of this call changes nothing: this is no event of the digest.
            if let Event::Port(lane) = event {
                self.on_port(lane as usize);
                continue;
            }
            self.record.digest.word(now.as_ps());
            self.record.digest.word(u64::from(event.code()));
            if let Some(log) = &mut self.record.log {
                let events = self.network.changes.len() as u32;
                log.note(
                    self.record.digest.events,
                    now,
                    event,
                    &mut self.network.lanes,
                    &mut self.network.payloads,
                    events,
                );
            }
            match event {
                Event::Port(_) => {}
                Event::Arrive(lane) => self.on_arrival(lane as usize),
                Event::Flow(flow) => self.on_timer(flow as usize),
                Event::Source(flow) => self.on_source(flow as usize),
                Event::Sample(_) => self.on_sample(),
                Event::Change(number) => self.on_change(number as usize),
                Event::Sink(flow) => self.on_sink_timer(flow as usize),
                Event::Leave(flow) => self.on_leave(flow as usize),
            }
            if !self.flows.maybe_over.is_empty() {
                self.flows.remove_those_over();
            }
            self.record.digest.end_event();
        }
        false
    }

    fn on_arrival(&mut self, l: usize) {
        // Packets from wires with laws arrive here too: arrival is in one place, so that it is compiled into this function.
        let arrived =
            if l < self.network.lanes.len() { self.out_of_wire(l) } else { self.on_late(l - self.network.lanes.len()) };
        let Some(Arrived { packet, next, is_ack }) = arrived else { return };
        if self.attended && next.is_end() {
            self.note_end(packet.handle, packet.bytes);
        }
        if !next.is_end() {
            self.offer(next, packet);
        } else if is_ack {
            self.on_ack(packet.handle);
        } else {
            self.on_data(packet.handle, packet.bytes, packet.class);
        }
    }

    #[inline(always)]
    fn on_source(&mut self, f: usize) {
        let flow = &self.flows.places[f];
        if flow.supplies == Supplies::Even {
            self.supply_even(f);
        } else if flow.role == Role::Template {
            self.on_flow_arrival(f as u32);
        } else {
            self.supply(f);
        }
    }

    /// A flow of an entry begins, and the next one is scheduled.
    #[cold]
    fn on_flow_arrival(&mut self, entry: u32) {
        if self.flows.places[entry as usize].supplies == Supplies::Nothing {
            return;
        }
        let (f, next) = self.flows.begin(entry, &mut self.network, self.now);
        if let Some(next) = next {
            self.events.push(next, Event::Source(entry));
        }
        self.record.objects.begun(entry, self.record.samples.measuring);
        self.supply(f);
        // Everything may have been refused at once.
        self.flows.maybe_over.push(f as u32);
    }

    /// The interval that ends now is closed.
    fn on_sample(&mut self) {
        self.budget = self.budget.saturating_sub(self.flows.places.len() as u64);
        for l in 0..self.network.lanes.len() {
            if !self.network.lanes[l].prompt {
                self.catch_up(l);
            }
        }
        let Network { lanes, capacities, .. } = &mut self.network;
        self.record.samples.close(self.now, &mut self.record.meters, lanes, capacities);
        self.arm_sample();
    }

    pub(super) fn arm_sample(&mut self) {
        if let Some(next) = self.record.samples.next(self.end) {
            self.events.push(next, Event::Sample(0));
        }
    }
}
