//! A tin of CAKE: its queues in sets of eight, the hosts that they serve, and the lists that they take turns in.

use super::lists::{Links, List};
use super::tins::{Derived, Part};
use crate::Backlog;
use crate::parts::{Cobalt, Ring};
use headgate_packet::{Packet, Rng, Time};

/// Queues of a tin, and places for hosts.
pub const QUEUES: usize = 1024;
/// Queues of a set: a conversation may be in any of them.
const WAYS: usize = 8;

/// What a queue is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Set {
    /// Nothing: it is in no list.
    #[default]
    None,
    /// It began to hold packets, and has not used its first credit.
    Sparse,
    /// It used it, and holds nothing.
    SparseWait,
    /// It has a standing backlog.
    Bulk,
    /// It is empty, and its COBALT has not come to rest.
    Decaying,
}

/// A queue.
#[derive(Clone, Debug)]
pub struct Flow {
    pub packets: Ring<Packet>,
    pub bytes: u64,
    pub set: Set,
    pub credit: i64,
    pub cobalt: Cobalt,
    /// Places of the hosts that its conversation has.
    pub hosts: [u16; 2],
    tag: u32,
}

/// A place for a source host and for a destination host, which have nothing to do with each other.
#[derive(Clone, Copy, Debug, Default)]
struct Hosts {
    tags: [u32; 2],
    /// Queues of it that are `Bulk`.
    bulk: [u16; 2],
}

/// What a packet's conversation and its two hosts are known by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tags {
    pub flow: u32,
    /// Source and destination.
    pub hosts: [u32; 2],
}

/// A queue for a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub queue: usize,
    /// Whether its hosts have to be entered: the queue was idle, or is another conversation's.
    pub enters: bool,
    /// Another conversation has packets in it.
    pub shared: bool,
}

/// A tin.
#[derive(Clone, Debug)]
pub struct Tin {
    pub derived: Derived,
    pub weight: i64,
    /// Which of source and destination count.
    counts: [bool; 2],
    pub flows: Vec<Flow>,
    hosts: Vec<Hosts>,
    links: Links,
    pub new: List,
    pub old: List,
    pub decaying: List,
    pub sparse: u32,
    pub bulk: u32,
    pub backlog: Backlog,
    /// When it has used up what it is promised.
    pub clock: Time,
    /// Bytes that it may still send in its turn, where no rate is set.
    pub deficit: i64,
}

/// The lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    New,
    Old,
    Decaying,
}

impl Tin {
    /// An empty one.
    pub fn new(derived: Derived, part: Part, counts: [bool; 2]) -> Tin {
        Tin {
            derived,
            weight: part.weight,
            counts,
            flows: Vec::new(),
            hosts: Vec::new(),
            links: Vec::new(),
            new: List::default(),
            old: List::default(),
            decaying: List::default(),
            sparse: 0,
            bulk: 0,
            backlog: Backlog::default(),
            clock: Time::ZERO,
            deficit: 0,
        }
    }

    /// Makes its tables, with its first packet: most tins of most ports never hold one.
    pub fn open(&mut self) {
        if self.flows.is_empty() {
            let (packets, cobalt) = (Ring::default(), Cobalt::new(false));
            let flow = Flow { packets, bytes: 0, set: Set::None, credit: 0, cobalt, hosts: [0; 2], tag: 0 };
            self.flows = vec![flow; QUEUES];
            self.hosts = vec![Hosts::default(); QUEUES];
            self.links = vec![[0; 2]; QUEUES];
        }
    }

    /// Whether some of its queues take turns.
    #[inline]
    pub fn is_active(&self) -> bool {
        self.sparse + self.bulk > 0
    }

    /// The queue for a conversation (`cake_hash`): the one that has its tag, else an idle one of its set, else the one that its hash names.
    pub fn place(&self, tag: u32) -> Place {
        let named = tag as usize % QUEUES;
        let mut ways = (0..WAYS).map(|i| named - named % WAYS + (named + i) % WAYS);
        if self.flows.is_empty() {
            return Place { queue: named, enters: true, shared: false };
        }
        let idle = |queue: usize| self.flows[queue].set == Set::None;
        if let Some(queue) = ways.clone().find(|queue| self.flows[*queue].tag == tag) {
            return Place { queue, enters: idle(queue), shared: false };
        }
        match ways.find(|queue| idle(*queue)) {
            Some(queue) => Place { queue, enters: true, shared: false },
            None => Place { queue: named, enters: true, shared: true },
        }
    }

    /// A conversation takes its place.
    pub fn enter(&mut self, place: Place, tags: Tags) {
        self.flows[place.queue].tag = tags.flow;
        if !place.enters {
            return;
        }
        let is_bulk = self.flows[place.queue].set == Set::Bulk;
        for side in (0..2).filter(|side| self.counts[*side]) {
            if is_bulk {
                self.hosts[usize::from(self.flows[place.queue].hosts[side])].bulk[side] -= 1;
            }
            let host = self.host(side, tags.hosts[side]);
            self.hosts[host].tags[side] = tags.hosts[side];
            self.hosts[host].bulk[side] += u16::from(is_bulk);
            self.flows[place.queue].hosts[side] = host as u16;
        }
    }

    /// The place of a host: the one that has its tag, else one without bulk queues, else the one that its hash names.
    fn host(&self, side: usize, tag: u32) -> usize {
        let named = tag as usize % QUEUES;
        let mut ways = (0..WAYS).map(|i| named - named % WAYS + (named + i) % WAYS);
        let same = ways.clone().find(|host| self.hosts[*host].tags[side] == tag);
        same.or_else(|| ways.find(|host| self.hosts[*host].bulk[side] == 0)).unwrap_or(named)
    }

    /// A queue begins or ceases to be one with a standing backlog.
    fn count(&mut self, queue: usize, more: bool) {
        self.bulk = if more { self.bulk + 1 } else { self.bulk - 1 };
        for side in (0..2).filter(|side| self.counts[*side]) {
            let count = &mut self.hosts[usize::from(self.flows[queue].hosts[side])].bulk[side];
            *count = if more { *count + 1 } else { *count - 1 };
        }
    }

    /// By how much the credit of a queue is divided: the bulk queues of the host that has more of them.
    pub fn load(&self, queue: usize) -> u64 {
        let Some(flow) = self.flows.get(queue) else { return 1 };
        let of = |side: usize| self.hosts[usize::from(flow.hosts[side])].bulk[side];
        (0..2).filter(|side| self.counts[*side]).map(of).fold(1, u16::max).into()
    }

    /// The credit of a queue whose host has this load, in units of 2^-16 byte.
    pub fn grant(&self, load: u64) -> u64 {
        self.derived.quantum * (65_535 / load)
    }

    fn list(&mut self, which: Which) -> &mut List {
        match which {
            Which::New => &mut self.new,
            Which::Old => &mut self.old,
            Which::Decaying => &mut self.decaying,
        }
    }

    fn move_to(&mut self, queue: usize, from: Option<Which>, to: Option<Which>) {
        let mut links = std::mem::take(&mut self.links);
        if let Some(from) = from {
            self.list(from).remove(queue, &mut links);
        }
        if let Some(to) = to {
            self.list(to).push(queue, &mut links);
        }
        self.links = links;
    }

    /// A packet comes into a queue.
    pub fn push(&mut self, queue: usize, packet: Packet) {
        self.backlog.add(packet.bytes);
        let flow = &mut self.flows[queue];
        flow.bytes += u64::from(packet.bytes);
        flow.packets.push_back(packet);
        match flow.set {
            Set::None | Set::Decaying => {
                let from = if flow.set == Set::Decaying { Some(Which::Decaying) } else { None };
                flow.set = Set::Sparse;
                self.move_to(queue, from, Some(Which::New));
                self.sparse += 1;
                self.flows[queue].credit = (self.grant(self.load(queue)) >> 16) as i64;
            }
            Set::SparseWait => {
                flow.set = Set::Bulk;
                self.sparse -= 1;
                self.count(queue, true);
            }
            Set::Sparse | Set::Bulk => {}
        }
    }

    /// Takes the first packet of a queue.
    pub fn pop(&mut self, queue: usize) -> Option<Packet> {
        let flow = &mut self.flows[queue];
        let packet = flow.packets.pop_front()?;
        flow.bytes -= u64::from(packet.bytes);
        self.backlog.remove(packet.bytes);
        Some(packet)
    }

    /// Takes the packet at a place of a queue that holds others.
    pub fn take(&mut self, queue: usize, place: usize) -> Option<Packet> {
        let flow = &mut self.flows[queue];
        let packet = flow.packets.remove(place)?;
        flow.bytes -= u64::from(packet.bytes);
        self.backlog.remove(packet.bytes);
        Some(packet)
    }

    /// The queue whose turn it is, and its list. The first one of a service is a decaying one, so that these come to rest.
    pub fn turn(&self, first: bool) -> Option<(usize, Which)> {
        let of = |list: &List, which| list.first().map(|queue| (queue, which));
        let decaying = of(&self.decaying, Which::Decaying);
        let early = if first { decaying } else { None };
        early.or(of(&self.new, Which::New)).or(of(&self.old, Which::Old)).or(decaying)
    }

    /// A queue without credit gets some, and goes to the end of the old ones.
    pub fn renew(&mut self, queue: usize, from: Which, rng: &mut Rng) {
        if self.flows[queue].set == Set::Sparse {
            self.flows[queue].set = if self.flows[queue].packets.is_empty() {
                Set::SparseWait
            } else {
                self.sparse -= 1;
                self.count(queue, true);
                Set::Bulk
            };
        }
        // Sixteen random bits make up for what is rounded off.
        let more = (self.grant(self.load(queue)) + (rng.next_u64() >> 48)) >> 16;
        self.flows[queue].credit += more as i64;
        self.move_to(queue, Some(from), Some(Which::Old));
    }

    /// A queue is found empty: it decays, or leaves.
    pub fn leave(&mut self, queue: usize, from: Which, now: Time) {
        let (rule, flow) = (self.derived.rule, &mut self.flows[queue]);
        flow.cobalt.on_empty(now, &rule);
        let (was, rests) = (flow.set, flow.cobalt.is_at_rest(now));
        flow.set = if rests { Set::None } else { Set::Decaying };
        match was {
            Set::Bulk => self.count(queue, false),
            Set::Sparse | Set::SparseWait => self.sparse -= 1,
            Set::None | Set::Decaying => {}
        }
        self.move_to(queue, Some(from), if rests { None } else { Some(Which::Decaying) });
    }

    /// The queue that holds most bytes, and how many; of several the first.
    pub fn longest(&self) -> Option<(u64, usize)> {
        let queues = [&self.new, &self.old].into_iter();
        let all = queues.flat_map(|list| std::iter::successors(list.first(), |queue| List::after(&self.links, *queue)));
        let longest = all.map(|queue| (self.flows[queue].bytes, std::cmp::Reverse(queue))).max()?;
        Some((longest.0, longest.1.0))
    }

    /// Of each host of a side that has bulk queues, how many it is counted with.
    #[cfg(test)]
    pub fn bulk_of_hosts(&self, side: usize) -> Vec<u16> {
        self.hosts.iter().map(|host| host.bulk[side]).collect()
    }
}
