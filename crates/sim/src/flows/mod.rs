//! The flows of a run: those of the scenario, and those that begin and end during the run.

mod flow;
mod noise;
mod transient;

pub(crate) use flow::{Flow, FlowSink, Kind, Maker, Role, Supplies};
pub(crate) use noise::Kept;
pub(crate) use transient::TransientFlows;

use crate::network::Network;
use headgate_control::Story;
use headgate_packet::{Rng, Time};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The flows of a run.
pub(crate) struct Flows {
    /// Those of the scenario in its order, then the places of those that begin during the run.
    pub places: Vec<Flow>,
    /// The entries whose flows begin during the run.
    pub transient: BTreeMap<u32, TransientFlows>,
    /// What sources and sinks are made by.
    pub makers: Vec<Arc<Maker>>,
    /// Of entries whose packets leave with a label, that label.
    pub labels: BTreeMap<u32, u32>,
    /// Places of flows that were removed.
    pub free: Vec<u32>,
    /// Flows that may be over; they are checked when the present event is over.
    pub maybe_over: Vec<u32>,
    /// No conversation's number is used again: for tests, which compare.
    pub new_numbers_only: bool,
    /// The random stream of flows that draw nothing.
    pub no_draws: Rng,
}

impl Flows {
    /// A packet or an acknowledgement of a flow has left the network.
    #[inline(always)]
    pub fn out_of_network(&mut self, f: usize) {
        let flow = &mut self.places[f];
        flow.in_network -= 1;
        if flow.in_network == 0 && flow.leaves {
            self.maybe_over.push(f as u32);
        }
    }

    /// Wakes the source of a flow, if it sleeps; then its story.
    #[inline(always)]
    pub fn wake(&mut self, f: usize) -> Option<Box<Story>> {
        if self.places[f].connection.is_asleep() { Some(self.wake_up(f)) } else { None }
    }

    #[cold]
    fn wake_up(&mut self, f: usize) -> Box<Story> {
        let flow = &mut self.places[f];
        flow.connection.wake(self.makers[flow.maker as usize].source())
    }

    /// The first packet of a flow arrives whose sink chooses when to acknowledge.
    #[cold]
    pub fn make_sink(&mut self, f: usize) {
        let flow = &mut self.places[f];
        flow.sink = Some(self.makers[flow.maker as usize].sink(flow.object_end));
        flow.sink_due = false;
    }

    /// The scenario's entry of a flow. Those of the scenario are their own entries, and their records need not be read.
    #[inline(always)]
    pub fn entry(&self, f: u32, entries: usize) -> u32 {
        if (f as usize) < entries { f } else { self.places[f as usize].entry }
    }

    /// A flow of an entry begins: its place, and when the next one of the entry begins.
    pub fn begin(&mut self, entry: u32, network: &mut Network, now: Time) -> (usize, Option<Time>) {
        let class = self.transient.get_mut(&entry).expect("its flows begin during the run");
        let next = class.next_arrival(now);
        let way = class.rows(network, now, self.new_numbers_only);
        let place = self.free.pop();
        let old = place.and_then(|f| self.places[f as usize].rng.take());
        let flow = class.make(entry, way, old);
        let f = match place {
            Some(f) => {
                self.places[f as usize] = flow;
                f as usize
            }
            None => {
                self.places.push(flow);
                self.places.len() - 1
            }
        };
        (f, next)
    }

    /// Removes flows of which nothing is left.
    #[cold]
    pub fn remove_those_over(&mut self) {
        for i in 0..self.maybe_over.len() {
            let f = self.maybe_over[i] as usize;
            self.places[f].retire();
            if self.places[f].is_over() {
                let Flow { entry, forward, back, .. } = self.places[f];
                self.transient.get_mut(&entry).expect("its flows begin during the run").give_back([forward, back]);
                // A timer of it that is still in the event queue finds no flow that is armed for that time.
                (self.places[f].role, self.places[f].armed) = (Role::Free, Time::NEVER);
                self.free.push(f as u32);
            }
        }
        self.maybe_over.clear();
    }

    /// The flows of an entry take another way from now on: an entry's present and future flows if its flows begin during the run.
    pub fn move_to(&mut self, entry: usize, way: [u32; 2], network: &mut Network, now: Time) {
        (self.places[entry].forward, self.places[entry].back) = (way[0], way[1]);
        if self.places[entry].role != Role::Template {
            return;
        }
        let class = self.transient.get_mut(&(entry as u32)).expect("its flows begin during the run");
        class.move_to(way, network);
        for flow in &mut self.places {
            if flow.role == Role::Transient && flow.entry as usize == entry {
                [flow.forward, flow.back] = class.rows(network, now, self.new_numbers_only);
            }
        }
    }
}
