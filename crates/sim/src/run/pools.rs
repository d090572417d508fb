//! Buffers that all ports of a gateway share: who makes room when one is full.
//!
//! Source: Demers, Keshav and Shenker 1989, section 5, on the Fuzzball (Mills 1987, 1988): "the gateways allocate buffers fairly (on a source basis,
//! over all of the gateway's outgoing buffers)". When the buffer is full, the last packet of the source that holds most of it is dropped, the arriving
//! packet counted.
//! Deviations: the sentence does not say which packet of the source makes room, nor which source of several that hold as much. Here it is the packet
//! that came last of all those. Of packets that came at the same instant it is the one at the port that stands later in the file, or the arriving one.
//! The Fuzzball's priorities by type of service are left out. In a buffer that is counted in bytes, a source holds its bytes.

use super::Run;
use crate::spec::{NodeKind, Scenario, WhenFull};
use headgate_packet::{Buffer, Packet, Time};
use headgate_queue::{Backlog, Discipline as _};
use std::collections::HashMap;

/// The shared buffers of a network.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pools {
    pools: Vec<Pool>,
    /// Of each lane, the place of its gateway's buffer, if it has a shared one.
    of: Vec<Option<u32>>,
    /// Of each entry of the scenario, the nodes that send its data and its acknowledgements.
    sources: Vec<[u32; 2]>,
    /// What each node holds of a buffer, while that is counted; otherwise zeros.
    held: Vec<u64>,
    /// What waits: handle, lane, source, share of the buffer, and when it came.
    waiting: Vec<Waiting>,
}

#[derive(Clone, Debug)]
struct Pool {
    buffer: Buffer,
    full: WhenFull,
    lanes: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Waiting {
    handle: u32,
    lane: u32,
    source: u32,
    share: u64,
    came: Time,
}

impl Pools {
    /// Those of a scenario.
    pub fn new(s: &Scenario) -> Pools {
        if s.nodes.iter().all(|node| node.shared_buffer.is_none()) {
            return Pools::default();
        }
        let numbers: HashMap<&str, u32> = s.nodes.iter().map(|node| node.name.as_str()).zip(0..).collect();
        let starts: Vec<u32> =
            s.links.iter().flat_map(|link| [&link.from, &link.to]).map(|end| numbers[end.as_str()]).collect();
        let (mut pools, mut of) = (Vec::new(), vec![None; starts.len()]);
        for (node, number) in s.nodes.iter().zip(0..) {
            let Some(shared) = node.shared_buffer.as_ref().filter(|_| node.kind == NodeKind::Gateway) else { continue };
            let lanes: Vec<u32> = (0..).zip(&starts).filter(|(_, start)| **start == number).map(|(l, _)| l).collect();
            lanes.iter().for_each(|l| of[*l as usize] = Some(pools.len() as u32));
            pools.push(Pool { buffer: shared.buffer, full: shared.full, lanes });
        }
        let sources = s.flows.iter().map(|flow| [numbers[&*flow.from], numbers[&*flow.to]]).collect();
        Pools { pools, of, sources, held: vec![0; s.nodes.len()], waiting: Vec::new() }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.pools.is_empty()
    }
}

impl Run {
    /// Makes room for a packet that arrives at a lane of a gateway whose ports share a buffer; false if there is none for it.
    pub(super) fn makes_room(&mut self, l: usize, packet: &Packet) -> bool {
        let Some(pool) = self.pool_at(l) else { return true };
        for i in 0..self.pools.pools[pool].lanes.len() {
            self.catch_up(self.pools.pools[pool].lanes[i] as usize);
        }
        if self.network.lanes[l].port.is_idle(self.now) {
            return true;
        }
        while !self.has_room(l, packet) {
            let victim = match self.pools.pools[pool].full {
                WhenFull::Arrival => None,
                WhenFull::Preempt => self.victim(pool, l, packet),
            };
            let Some(victim) = victim else { return false };
            let lane = &mut self.network.lanes[victim.lane as usize];
            let found = lane.port.withdraw(victim.handle, self.now);
            debug_assert!(found, "it waits there");
            let wire = lane.wire.len();
            self.after_port(victim.lane as usize, wire);
        }
        true
    }

    /// The place of the buffer that a lane has a part of.
    fn pool_at(&self, l: usize) -> Option<usize> {
        self.pools.of.get(l).copied().flatten().map(|pool| pool as usize)
    }

    /// What the ports of a lane's gateway hold of a buffer that they share, and that buffer.
    pub(super) fn shared_at(&self, l: usize) -> Option<(Backlog, Buffer)> {
        let pool = &self.pools.pools[self.pool_at(l)?];
        let ports = pool.lanes.iter().map(|l| self.network.lanes[*l as usize].port.backlog());
        let all = ports.fold((0, 0), |(packets, bytes), port| (packets + port.packets, bytes + port.bytes));
        Some((Backlog { packets: all.0, bytes: all.1 }, pool.buffer))
    }

    fn has_room(&self, l: usize, packet: &Packet) -> bool {
        let fits = |(held, buffer): (Backlog, Buffer)| {
            !buffer.exceeded_by(held.packets + 1, held.bytes + u64::from(packet.bytes))
        };
        self.shared_at(l).is_none_or(fits)
    }

    /// The packet that makes room for one that arrives at lane `l`; nothing if that is the arriving one.
    fn victim(&mut self, pool: usize, l: usize, packet: &Packet) -> Option<Waiting> {
        let Pools { pools, sources, held, waiting, .. } = &mut self.pools;
        let Pool { buffer, lanes, .. } = &pools[pool];
        let entries = self.record.meters.len();
        let (payloads, flows) = (&mut self.network.payloads, &self.flows);
        waiting.clear();
        let mut note = |packet: &Packet, lane: u32, came: Time| {
            let payload = payloads.get(packet.handle);
            let entry = flows.entry(payload.flow, entries);
            let source = sources[entry as usize][usize::from(payload.is_ack)];
            let share = if matches!(buffer, Buffer::Bytes(_)) { u64::from(packet.bytes) } else { 1 };
            held[source as usize] += share;
            waiting.push(Waiting { handle: packet.handle, lane, source, share, came });
        };
        for lane in lanes {
            let port = &self.network.lanes[*lane as usize].port;
            port.discipline().waiting(&mut |packet| note(packet, *lane, packet.arrived));
        }
        note(packet, l as u32, self.now);
        let most = waiting.iter().map(|packet| held[packet.source as usize]).max();
        // Of several that came at the same instant, the last of the list.
        let last =
            waiting.iter().filter(|packet| Some(held[packet.source as usize]) == most).max_by_key(|p| p.came).copied();
        waiting.iter().for_each(|packet| held[packet.source as usize] -= packet.share);
        last.filter(|last| last.handle != packet.handle)
    }
}
