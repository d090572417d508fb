//! The event loop: everything that happens in a run.
//!
//! One pending event per active object. A port is armed only while packets wait; a wire has its head in the event queue; a flow
//! has one timer, re-armed lazily: an entry that fires before the deadline has moved is pushed again.

use crate::change::{Change, Steps};
use crate::engine::{Event, EventQueue};
use crate::far_end::Come;
use crate::flow::Flow;
use crate::flow::Role;
use crate::log::{self, Log};
use crate::meter::{Digest, FlowMeter, Objects};
use crate::net::{Echoes, Hop, InFlight, Lane, Payloads};
use crate::samples::Samples;
use crate::spec::TraceKind;
use crate::trace::Traces;
use crate::tracks::{Tracks, Window};
use crate::transient::TransientFlows;
use headgate_packet::{Duration, Ecn, FlowId, Packet, Rng, Time};
use headgate_queue::{AnyDiscipline, LinkInfo};
use std::collections::BTreeMap;

/// A simulated network in the middle of a run.
pub struct Run {
    pub(crate) now: Time,
    pub(crate) end: Time,
    pub(crate) events: EventQueue,
    pub(crate) lanes: Vec<Lane>,
    /// Those of the scenario in its order, then the places of those that come and go.
    pub(crate) flows: Vec<Flow>,
    /// The counts of the flows, by the scenario's entries.
    pub(crate) meters: Vec<FlowMeter>,
    /// The entries whose flows come and go.
    pub(crate) transient: BTreeMap<u32, TransientFlows>,
    /// Of entries whose packets leave with a label, that label.
    pub(crate) labels: BTreeMap<u32, u32>,
    /// Places of flows that were removed.
    pub(crate) free: Vec<u32>,
    /// Flows that may be over; they are checked when the present event is over.
    pub(crate) finished: Vec<u32>,
    /// The facts for the disciplines of ports that got conversations during the run.
    pub(crate) grown: BTreeMap<u32, LinkInfo>,
    /// No conversation's number is used again: for tests, which compare.
    pub(crate) fresh_numbers: bool,
    pub(crate) objects: Objects,
    /// The random stream of flows that draw nothing.
    pub(crate) no_draws: Rng,
    /// All paths, each a row of hops and `Hop::END`.
    pub(crate) hops: Vec<Hop>,
    pub(crate) payloads: Payloads,
    pub(crate) echoes: Echoes,
    /// The future changes of the network, in the order of the file.
    pub(crate) changes: Vec<Change>,
    /// The lanes whose rates follow traces.
    pub(crate) traced: Vec<Steps>,
    pub(crate) digest: Digest,
    pub(crate) samples: Samples,
    pub(crate) traces: Traces,
    pub(crate) log: Option<Log>,
    /// What is left of the present slice of work.
    pub(crate) budget: u64,
    /// Bytes of the flows' records when they were measured last, and the number of the event at which they are measured again.
    pub(crate) records: u64,
    pub(crate) records_at: u64,
}

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
            self.digest.word(now.as_ps());
            self.digest.word(u64::from(event.code()));
            if let Some(log) = &mut self.log {
                let events = self.changes.len() as u32;
                log.note(self.digest.events, now, event, &self.lanes, &mut self.payloads, events);
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
            if !self.finished.is_empty() {
                self.remove_finished();
            }
            self.digest.end_event();
        }
        false
    }

    /// Share of the simulated time that has passed.
    pub fn progress(&self) -> f64 {
        self.now.as_ps() as f64 / self.end.as_ps() as f64
    }

    /// The digest of all events so far.
    pub fn digest(&self) -> &Digest {
        &self.digest
    }

    /// The discipline at a port: number 2 * link, plus 1 for the reverse direction.
    pub fn discipline(&self, port: usize) -> &AnyDiscipline {
        self.lanes[port].port.discipline()
    }

    /// The discipline at a port, for what measures it by itself.
    pub fn discipline_mut(&mut self, port: usize) -> &mut AnyDiscipline {
        self.lanes[port].port.discipline_mut()
    }

    /// How many conversations cross a port: 1 where its discipline does not distinguish them.
    pub fn conversations(&self, port: usize) -> usize {
        self.lanes[port].conversations as usize
    }

    /// Places for flows: those of the scenario, and those that came; places are used again.
    pub fn places(&self) -> usize {
        self.flows.len()
    }

    /// Flows that are there now, those that come and go included.
    pub fn alive(&self) -> usize {
        self.flows.iter().filter(|flow| matches!(flow.role, Role::Permanent | Role::Transient)).count()
    }

    /// Gives each flow that comes new conversations that no flow had before, for tests that compare.
    pub fn use_no_number_again(&mut self, fresh: bool) {
        self.fresh_numbers = fresh;
    }

    /// Keeps the text of `count` events from number `first` on.
    pub fn log_events(&mut self, first: u64, count: u64) {
        self.log = Some(Log::new(first, count));
    }

    /// The events kept by [`Run::log_events`].
    pub fn logged(&self) -> &[String] {
        self.log.as_ref().map_or(&[], |log| &log.lines)
    }

    /// Keeps what becomes of the data packets of a window at ports; only before the run begins.
    pub fn track_packets(&mut self, window: Window) {
        self.log = Some(Log::of_packets(window, self.lanes.len()));
    }

    /// Since when no further packet is followed, if that is so: the rest of the run adds nothing.
    pub fn tracked_until(&self) -> Option<Time> {
        self.log.as_ref()?.tracks.as_ref()?.ended()
    }

    /// The packets that [`Run::track_packets`] asked for. The run must not be continued.
    pub fn take_tracks(&mut self) -> Option<Tracks> {
        let mut tracks = self.log.take()?.tracks?;
        let now = self.now;
        self.lanes.iter_mut().for_each(|lane| lane.advance(now));
        log::finish(&mut tracks, &self.lanes, &mut self.payloads);
        Some(tracks)
    }

    /// Data packets handed to the network and data packets that reached their sinks, warm-up included.
    pub fn packets(&self) -> (u64, u64) {
        self.samples.packets
    }

    /// Transmissions: packets and acknowledgements that ports sent, hop by hop, warm-up included.
    pub fn transmissions(&mut self) -> u64 {
        self.lanes.iter_mut().map(|lane| lane.port.counters(self.now).sent).sum()
    }

    fn on_port(&mut self, l: usize) {
        let lane = &mut self.lanes[l];
        if lane.armed != self.now {
            return; // an entry that an earlier one made needless
        }
        lane.armed = Time::NEVER;
        self.catch_up(l);
    }

    /// A port starts what is due by now.
    fn catch_up(&mut self, l: usize) {
        let lane = &mut self.lanes[l];
        let before = lane.wire.len();
        lane.advance(self.now);
        self.after_port(l, before);
    }

    /// Hands a packet to the port of a hop.
    #[inline(always)]
    pub(crate) fn offer(&mut self, hop: Hop, packet: Packet) {
        let wire_before = self.enqueue(hop, packet);
        self.after_port(hop.lane as usize, wire_before);
    }

    /// Puts a packet into the queue of a hop's port; gives how many packets were on its wire before.
    #[inline(always)]
    pub(crate) fn enqueue(&mut self, hop: Hop, mut packet: Packet) -> usize {
        let lane = &mut self.lanes[hop.lane as usize];
        packet.flow = FlowId(hop.conversation);
        let wire_before = lane.wire.len();
        if let Some(log) = &mut self.log {
            // A copy: a packet whose address is given away would be kept in memory, also where nobody follows it.
            log.came(hop.lane as usize, lane, packet, self.now);
        }
        lane.offer(packet, self.now);
        wire_before
    }

    /// After a port acted: arms the wire or the port, and removes what was dropped.
    ///
    /// While packets are on the wire the port needs no event: nothing that it sends later arrives before them, so it is enough that it
    /// catches up, each transmission at its own time, when the next one arrives, and before anything else comes to it.
    #[inline(always)]
    pub(crate) fn after_port(&mut self, l: usize, wire_before: usize) {
        let lane = &mut self.lanes[l];
        match lane.wire.front() {
            Some(head) if wire_before == 0 => self.events.push(head.packet.arrived, Event::Arrive(l as u32)),
            _ => {}
        }
        if lane.wire.is_empty() || lane.prompt {
            let next = lane.port.next();
            if next < lane.armed {
                lane.armed = next;
                self.events.push(next, Event::Port(l as u32));
            }
        }
        if !lane.port.dropped().is_empty() {
            self.take_drops(l);
        }
        if self.traces.wants(TraceKind::Backlog) {
            self.traces.backlog(l, self.now, &self.lanes[l]);
        }
    }

    fn take_drops(&mut self, l: usize) {
        for i in 0..self.lanes[l].port.dropped().len() {
            let gone = self.lanes[l].port.dropped()[i];
            debug_assert_eq!(gone.at, self.now, "drops enter the digest in the order of time");
            // Field by field: the payload may have been written just now, and reading it whole would wait for the writes.
            let payload = self.payloads.get(gone.handle);
            let (flow, seq, is_ack) = (payload.flow, payload.seq, payload.is_ack);
            if let Some(log) = &mut self.log {
                log.dropped(gone, flow, seq, is_ack);
            }
            self.note_drop(l, gone.at, flow, seq, is_ack);
            self.gone(gone.handle, flow);
        }
        self.lanes[l].port.dropped().clear();
    }

    #[inline(always)]
    pub(crate) fn note_drop(&mut self, l: usize, at: Time, flow: u32, seq: u64, is_ack: bool) {
        // Those of the scenario are their own entries.
        let own = (flow as usize) < self.meters.len();
        let entry = if own { flow } else { self.flows[flow as usize].entry };
        self.meters[entry as usize].traffic.drops += u64::from(!is_ack);
        self.digest.word(seq << 1 | 1);
        self.traces.dropped(l, at, entry);
    }

    /// A packet or an acknowledgement of a flow has left the network.
    #[inline(always)]
    pub(crate) fn out_of_network(&mut self, f: usize) {
        let flow = &mut self.flows[f];
        flow.in_network -= 1;
        if flow.in_network == 0 && flow.role == Role::Transient {
            self.finished.push(f as u32);
        }
    }

    fn on_arrival(&mut self, l: usize) {
        // Packets from wires with laws arrive here too: arrival is in one place, so that it is compiled into this function.
        let come = if l < self.lanes.len() { self.out_of_wire(l) } else { self.on_late(l - self.lanes.len()) };
        let Some(Come { packet, next, is_ack }) = come else { return };
        if !next.is_end() {
            self.offer(next, packet);
        } else if is_ack {
            self.on_ack(packet.handle);
        } else {
            self.on_data(packet.handle, packet.bytes, packet.class);
        }
    }

    /// The first packet of a wire comes out of it; nothing if a law of the wire keeps it back.
    #[inline(always)]
    fn out_of_wire(&mut self, l: usize) -> Option<Come> {
        let lane = &mut self.lanes[l];
        let InFlight { packet, waited, .. } = lane.wire.pop_front().expect("an armed wire holds a packet");
        if !lane.prompt {
            lane.advance(self.now);
            self.after_port(l, 0);
        } else if let Some(head) = lane.wire.front() {
            self.events.push(head.packet.arrived, Event::Arrive(l as u32));
        }
        let lane = &mut self.lanes[l];
        let payload = self.payloads.get(packet.handle);
        self.digest.word(payload.seq << 1);
        payload.waited += waited;
        if packet.ecn == Ecn::Ce && !payload.marked {
            payload.marked = true;
            lane.marks += 1;
            if !payload.is_ack {
                self.meters[self.flows[payload.flow as usize].entry as usize].control().now.marks += 1;
            }
        }
        payload.hop += 1;
        if lane.laws.is_some() {
            return self.meet_laws(l, packet);
        }
        Some(Come { packet, next: self.hops[payload.hop as usize], is_ack: payload.is_ack })
    }

    /// The interval that ends now is closed.
    fn on_sample(&mut self) {
        self.budget = self.budget.saturating_sub(self.flows.len() as u64);
        for l in 0..self.lanes.len() {
            if !self.lanes[l].prompt {
                self.catch_up(l);
            }
        }
        self.samples.close(self.now, &mut self.meters, &mut self.lanes);
        self.arm_sample();
    }

    pub(crate) fn arm_sample(&mut self) {
        if let Some(next) = self.samples.next(self.end) {
            self.events.push(next, Event::Sample(0));
        }
    }

    /// Changes a lane.
    pub(crate) fn change_lane(&mut self, l: usize, change: impl FnOnce(&mut Lane)) {
        if !self.lanes[l].prompt {
            self.catch_up(l);
        }
        change(&mut self.lanes[l]);
        // The line may be free: what waits starts at once.
        self.catch_up(l);
    }

    /// The scenario's event of this number happens, or a trace's after the last of them.
    #[cold]
    fn on_change(&mut self, number: usize) {
        if number >= self.changes.len() {
            return self.on_step(number - self.changes.len());
        }
        let (change, now) = (std::mem::take(&mut self.changes[number]), self.now);
        for &l in &change.lanes {
            self.change_lane(l, |lane| change.apply(lane, now));
        }
        for (flow, way) in change.moved {
            (self.flows[flow].forward, self.flows[flow].back) = (way[0], way[1]);
            if self.flows[flow].role == Role::Template {
                self.move_flows(flow, way);
            }
        }
        if let Some(f) = change.stop {
            self.flows[f].stopped = true;
            self.flows[f].connection.stop();
        }
    }
}
