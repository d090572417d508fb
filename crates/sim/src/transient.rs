//! Flows that come and go: where they come from, and what is used again when they have gone.
//!
//! A flow has two rows of hops, there and back, with its own conversation at each port that distinguishes flows. Rows are used again
//! when every discipline on its way has forgotten its conversation, so memory follows the flows that are alive at one time. Flows of
//! entries whose way has no such port share the rows of their entry.

use crate::arrivals::{AnyArrivals, Arrivals as _};
use crate::engine::Event;
use crate::flow::{Flow, Kind, Role};
use crate::net::Hop;
use crate::run::Run;
use headgate_packet::{Rng, Time};
use headgate_queue::LinkInfo;
use std::collections::VecDeque;

/// An entry whose flows come and go.
#[derive(Debug)]
pub(crate) struct TransientFlows {
    kind: Kind,
    arrivals: AnyArrivals,
    rng: Rng,
    /// Seed and number of the run.
    of_run: (u64, u64),
    /// Starts of its rows in the table of hops.
    way: [u32; 2],
    /// Some port on the path distinguishes its flows.
    apart: bool,
    /// Pairs of rows that no flow uses, the one left first in front.
    spare: VecDeque<[u32; 2]>,
    /// Flows so far.
    number: u64,
}

/// Number of spare pairs that are checked before a new one is made.
const LOOKS: usize = 4;

impl TransientFlows {
    /// No flow has begun.
    pub fn new(kind: Kind, arrivals: AnyArrivals, of_run: (u64, u64), way: [u32; 2], apart: bool) -> TransientFlows {
        let rng = Rng::new(of_run.0, of_run.1, &kind.stream("arrivals"));
        // The entry's own rows are the first ones.
        TransientFlows { kind, arrivals, rng, of_run, way, apart, spare: VecDeque::from([way]), number: 0 }
    }

    /// When the first flow comes, if any does.
    pub fn first(&mut self, start: Time) -> Option<Time> {
        self.arrivals.next(&mut self.rng).map(|gap| start + gap)
    }
}

impl Run {
    /// A flow of an entry begins, and the next one is scheduled.
    #[cold]
    pub(crate) fn on_flow_arrival(&mut self, entry: usize) {
        let class = self.transient.get_mut(&(entry as u32)).expect("its flows come and go");
        if let Some(gap) = class.arrivals.next(&mut class.rng) {
            self.events.push(self.now + gap, Event::Source(entry as u32));
        }
        let way = self.rows_for(entry as u32);
        let class = self.transient.get_mut(&(entry as u32)).expect("its flows come and go");
        // A separate stream, so that the random numbers of a flow do not change the next arrival.
        let rng = Rng::new(class.rng.next_u64(), class.number, "transient");
        let lengths = class.kind.lengths(class.of_run.0, class.of_run.1, class.number);
        class.number += 1;
        let place = self.free.pop();
        let room = place.and_then(|f| self.flows[f as usize].rng.take());
        let flow = class.kind.make((entry as u32, ""), Role::Transient, way, rng, room, lengths);
        let f = match place {
            Some(f) => {
                self.flows[f as usize] = flow;
                f as usize
            }
            None => {
                self.flows.push(flow);
                self.flows.len() - 1
            }
        };
        self.objects.begun(entry as u32, self.samples.measuring);
        self.on_source(f);
        // Everything may have been refused at once.
        self.finished.push(f as u32);
    }

    /// Removes flows of which nothing is left.
    #[cold]
    pub(crate) fn remove_finished(&mut self) {
        for i in 0..self.finished.len() {
            let f = self.finished[i] as usize;
            if self.flows[f].is_over() {
                let Flow { entry, forward, back, .. } = self.flows[f];
                let class = self.transient.get_mut(&entry).expect("its flows come and go");
                if class.apart {
                    class.spare.push_back([forward, back]);
                }
                // A timer of it that is still in the event queue finds no flow that is armed for that time.
                (self.flows[f].role, self.flows[f].armed) = (Role::Free, Time::NEVER);
                self.free.push(f as u32);
            }
        }
        self.finished.clear();
    }

    /// Rows for the next flow of an entry.
    fn rows_for(&mut self, entry: u32) -> [u32; 2] {
        let class = self.transient.get_mut(&entry).expect("its flows come and go");
        if !class.apart {
            return class.way;
        }
        for _ in 0..LOOKS.min(class.spare.len()) {
            let rows = class.spare.pop_front().expect("there are some");
            let (hops, lanes, now) = (&self.hops, &self.lanes, self.now);
            let mut all = rows.iter().flat_map(|row| hops[*row as usize..].iter().take_while(|hop| !hop.is_end()));
            if all.all(|hop| lanes[hop.lane as usize].has_forgotten(hop.conversation, now)) && !self.fresh_numbers {
                return rows;
            }
            class.spare.push_back(rows);
        }
        let (way, weight) = (class.way, class.kind.weight());
        way.map(|row| self.row(row, weight))
    }

    /// A row like this one, with a new conversation at each port that distinguishes flows.
    fn row(&mut self, like: u32, weight: u32) -> u32 {
        let start = self.hops.len() as u32;
        for place in like as usize.. {
            let mut hop = self.hops[place];
            if !hop.is_end() && self.lanes[hop.lane as usize].apart {
                let lane = &mut self.lanes[hop.lane as usize];
                let link = self.grown.entry(hop.lane).or_insert_with(|| LinkInfo {
                    rate: lane.port.rate(),
                    flows: lane.conversations as usize,
                    weights: Vec::new(),
                });
                link.rate = lane.port.rate();
                hop.conversation = link.add(weight).0;
                lane.conversations += 1;
                lane.port.grow(link);
            }
            self.hops.push(hop);
            if hop.is_end() {
                break;
            }
        }
        start
    }

    /// The flows of an entry take another way from now on: those to come, and those that are here.
    #[cold]
    pub(crate) fn move_flows(&mut self, entry: usize, way: [u32; 2]) {
        let class = self.transient.get_mut(&(entry as u32)).expect("its flows come and go");
        class.way = way;
        class.spare.clear();
        class.apart = way.iter().any(|row| {
            let hops: &[Hop] = &self.hops[*row as usize..];
            hops.iter().take_while(|hop| !hop.is_end()).any(|hop| self.lanes[hop.lane as usize].apart)
        });
        for f in 0..self.flows.len() {
            if self.flows[f].role == Role::Transient && self.flows[f].entry as usize == entry {
                let [forward, back] = self.rows_for(entry as u32);
                (self.flows[f].forward, self.flows[f].back) = (forward, back);
            }
        }
    }
}
