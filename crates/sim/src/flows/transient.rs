//! Flows that begin and end during a run: when they begin, and what is used again when they are over.
//!
//! A flow has two rows of hops, there and back, with its own conversation at each port that distinguishes flows. Rows are used again
//! when every discipline on its way has forgotten its conversation, so memory follows the flows that are alive at one time. Flows of
//! entries whose way has no such port share the rows of their entry.

use super::flow::{Flow, Kind, Role};
use crate::arrivals::{AnyArrivals, Arrivals as _};
use crate::network::Network;
use headgate_packet::{Rng, Time};
use std::collections::VecDeque;

/// An entry whose flows begin and end during the run.
#[derive(Debug)]
pub(crate) struct TransientFlows {
    kind: Kind,
    arrivals: AnyArrivals,
    rng: Rng,
    /// Seed and number of the run.
    of_run: (u64, u64),
    /// Starts of its rows in the table of hops.
    way: [u32; 2],
    /// Numbers of their source and destination.
    ends: [u32; 2],
    /// Some port on the path distinguishes its flows.
    apart: bool,
    /// Pairs of rows that no flow uses, the one that was given back first in front.
    spare: VecDeque<[u32; 2]>,
    /// Flows so far.
    number: u64,
}

/// Number of spare pairs that are checked before a new one is made.
const LOOKS: usize = 4;

impl TransientFlows {
    /// No flow has begun.
    pub fn new(
        kind: Kind,
        arrivals: AnyArrivals,
        of_run: (u64, u64),
        way: [u32; 2],
        ends: [u32; 2],
        apart: bool,
    ) -> TransientFlows {
        let rng = Rng::new(of_run.0, of_run.1, &kind.stream("arrivals"));
        // The entry's own rows are the first ones.
        TransientFlows { kind, arrivals, rng, of_run, way, ends, apart, spare: VecDeque::from([way]), number: 0 }
    }

    /// When the next flow begins after this time, if one does.
    pub fn next_arrival(&mut self, after: Time) -> Option<Time> {
        self.arrivals.next(&mut self.rng).map(|gap| after + gap)
    }

    /// The next flow, which takes this way; `old` is what an earlier flow left for a random stream.
    pub fn make(&mut self, entry: u32, way: [u32; 2], old: Option<Box<Rng>>) -> Flow {
        // A separate stream, so that the random numbers of a flow do not change the next arrival.
        let rng = Rng::new(self.rng.next_u64(), self.number, "transient");
        let lengths = self.kind.lengths(self.of_run.0, self.of_run.1, self.number);
        self.number += 1;
        self.kind.make((entry, ""), Role::Transient, way, rng, old, lengths)
    }

    /// Rows for the next flow.
    pub fn rows(&mut self, network: &mut Network, now: Time, new_only: bool) -> [u32; 2] {
        if !self.apart {
            return self.way;
        }
        for _ in 0..LOOKS.min(self.spare.len()) {
            let rows = self.spare.pop_front().expect("there are some");
            let mut all = rows.iter().flat_map(|row| network.path(*row));
            if all.all(|hop| network.lanes[hop.lane as usize].has_forgotten(hop.conversation, now)) && !new_only {
                return rows;
            }
            self.spare.push_back(rows);
        }
        let ([there, back], [from, to], weight) = (self.way, self.ends, self.kind.weight());
        [network.path_like(there, weight, [from, to]), network.path_like(back, weight, [to, from])]
    }

    /// The rows of a flow that is over.
    pub fn give_back(&mut self, rows: [u32; 2]) {
        if self.apart {
            self.spare.push_back(rows);
        }
    }

    /// The later flows take another way.
    pub fn move_to(&mut self, way: [u32; 2], network: &Network) {
        self.way = way;
        self.spare.clear();
        self.apart = way.iter().any(|row| network.path(*row).any(|hop| network.lanes[hop.lane as usize].apart));
    }
}
