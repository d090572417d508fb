//! The network of a run: its lanes, the paths through them, and the packets that are under way.

use crate::capacity::Capacity;
use crate::change::{Change, Steps};
use crate::net::{Echoes, Hop, Lane, Payloads};
use headgate_packet::Time;
use headgate_queue::LinkInfo;
use std::collections::BTreeMap;

/// The network of a run.
pub(crate) struct Network {
    /// Two to a link, in its direction and against it.
    pub lanes: Vec<Lane>,
    /// What the line of each of them offers.
    pub capacities: Vec<Capacity>,
    /// All paths, each a row of hops and `Hop::END`.
    pub hops: Vec<Hop>,
    pub payloads: Payloads,
    pub echoes: Echoes,
    /// Some discipline reads what acknowledgements say.
    pub reads_acknowledgements: bool,
    /// The facts for the disciplines of ports that got conversations during the run.
    pub grown: BTreeMap<u32, LinkInfo>,
    /// The future changes of the network, in the order of the file.
    pub changes: Vec<Change>,
    /// Flows that took another path for their data: when, which, and the start of the path before.
    pub moves: Vec<(Time, u32, u32)>,
    /// The lanes whose rates follow traces.
    pub rate_traces: Vec<Steps>,
}

impl Network {
    /// The hops of a path, of which `start` is the place of the first one.
    pub fn path(&self, start: u32) -> impl Iterator<Item = &Hop> + Clone {
        self.hops[start as usize..].iter().take_while(|hop| !hop.is_end())
    }

    /// A path like this one, with a new conversation at each port that distinguishes flows.
    /// The conversations are between these hosts.
    pub fn path_like(&mut self, like: u32, weight: u32, hosts: [u32; 2]) -> u32 {
        let start = self.hops.len() as u32;
        for place in like as usize.. {
            let mut hop = self.hops[place];
            if !hop.is_end() && self.lanes[hop.lane as usize].apart {
                let lane = &mut self.lanes[hop.lane as usize];
                let link = self.grown.entry(hop.lane).or_insert_with(|| LinkInfo {
                    rate: lane.port.rate(),
                    flows: lane.conversations as usize,
                    weights: Vec::new(),
                    hosts: vec![],
                });
                link.rate = lane.port.rate();
                hop.conversation = link.add_between(weight, hosts).0;
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
}
