//! A run: a simulated network, its flows, and the record of what happened.
//!
//! Each file of this room is one kind of thing that happens: `advance` takes the events in turn, `ports` and `wires` move packets, `hosts` is the
//! ends of the paths, and `changes` are those of the network.

mod advance;
mod audit;
mod build;
mod changes;
mod follow;
mod foreign;
mod hosts;
mod memory;
mod pools;
mod ports;
mod sources;
mod wires;

pub use follow::Followed;

use crate::engine::EventQueue;
use crate::finished::Finished;
use crate::flows::{Flows, Role};
use crate::log::{self, Log};
use crate::meter::{Digest, FlowMeter};
use crate::network::Network;
use crate::record::Record;
use crate::spec::Scenario;
use crate::table::Table;
use crate::tables::{Delays, TableName};
use crate::tracks::{Tracks, Window};
use headgate_packet::Time;
use headgate_queue::AnyDiscipline;

/// A simulated network in the middle of a run.
pub struct Run {
    now: Time,
    end: Time,
    events: EventQueue,
    network: Network,
    flows: Flows,
    record: Record,
    pools: pools::Pools,
    /// Whether a packet that is handed to a port is looked at first: by a log, or because ports share a buffer.
    attended: bool,
    /// What is left of the present slice of work.
    budget: u64,
    /// What runs algorithms that are not the engine's, if anything does.
    foreign: Option<Box<foreign::Hosts>>,
    /// Bytes of the flows' records when they were measured last, and the number of the event at which they are measured again.
    records: u64,
    records_at: u64,
}

impl Run {
    /// Share of the simulated time that has passed.
    pub fn progress(&self) -> f64 {
        self.now.as_ps() as f64 / self.end.as_ps() as f64
    }

    /// The digest of all events so far.
    pub fn digest(&self) -> &Digest {
        &self.record.digest
    }

    /// The discipline at a port: number 2 * link, plus 1 for the reverse direction.
    pub fn discipline(&self, port: usize) -> &AnyDiscipline {
        self.network.lanes[port].port.discipline()
    }

    /// The discipline at a port, for what measures it by itself.
    pub fn discipline_mut(&mut self, port: usize) -> &mut AnyDiscipline {
        self.network.lanes[port].port.discipline_mut()
    }

    /// How many conversations cross a port: 1 where its discipline does not distinguish them.
    pub fn conversations(&self, port: usize) -> usize {
        self.network.lanes[port].conversations as usize
    }

    /// Places for flows: those of the scenario, and those of flows that began during the run; places are used again.
    pub fn places(&self) -> usize {
        self.flows.places.len()
    }

    /// Flows that exist now, those that began during the run included.
    pub fn alive(&self) -> usize {
        self.flows.places.iter().filter(|flow| matches!(flow.role, Role::Permanent | Role::Transient)).count()
    }

    /// Gives each flow that begins conversations that no flow had before, for tests that compare.
    pub fn use_no_number_again(&mut self, new_only: bool) {
        self.flows.new_numbers_only = new_only;
    }

    /// What the run has left behind by now: of a run that is over, its results.
    pub fn finished(&self) -> Finished<'_> {
        Finished { at: self.now, network: &self.network, flows: &self.flows, record: &self.record }
    }

    /// How many rows there are to take.
    pub fn rows(&self) -> usize {
        let Record { samples, objects, .. } = &self.record;
        samples.intervals.len() + samples.gauges.len() + objects.rows.len()
    }

    /// The rows of the tables that grow with the run, since the last call: each table with its columns, also one without rows.
    pub fn take_rows(&mut self, s: &Scenario) -> [(TableName, Table); 3] {
        let finished = self.finished();
        let tables = [TableName::Intervals, TableName::Gauges, TableName::Completions];
        let tables = tables.map(|name| (name, finished.table(name, s)));
        self.record.samples.intervals.clear();
        self.record.samples.gauges.clear();
        self.record.objects.rows.clear();
        tables
    }

    /// Gives back the room of the rows of intervals, of which the table is made: with many flows they are the largest part of a run.
    pub fn forget_intervals(&mut self) {
        self.record.samples.intervals = Vec::new();
    }

    /// The histograms of each flow's delays after the warm-up: what [`crate::delay_table`] is made from. The run keeps none.
    pub fn take_delays(&mut self) -> Vec<Delays> {
        let take = |meter: &mut FlowMeter| {
            let rtt = meter.control.as_mut().map(|control| std::mem::take(&mut control.rtt));
            [rtt.unwrap_or_default(), std::mem::take(&mut meter.one_way)]
        };
        self.record.meters.iter_mut().map(take).collect()
    }

    /// Keeps the text of `count` events from number `first` on.
    pub fn log_events(&mut self, first: u64, count: u64) {
        self.record.log = Some(Log::new(first, count));
        self.attended = true;
    }

    /// The events kept by [`Run::log_events`].
    pub fn logged(&self) -> &[String] {
        self.record.log.as_ref().map_or(&[], |log| &log.lines)
    }

    /// Keeps what becomes of the data packets of a window at ports; only before the run begins.
    pub fn track_packets(&mut self, window: Window) {
        self.record.log = Some(Log::of_packets(window, self.network.lanes.len()));
        self.attended = true;
        self.network.lanes.iter_mut().for_each(|lane| lane.port.write_down());
    }

    /// Since when no further packet is followed, if that is so: the rest of the run adds nothing.
    pub fn tracked_until(&self) -> Option<Time> {
        self.record.log.as_ref()?.tracks.as_ref()?.ended()
    }

    /// The packets that [`Run::track_packets`] asked for. The run must not be continued.
    pub fn take_tracks(&mut self) -> Option<Tracks> {
        let mut tracks = self.record.log.take()?.tracks?;
        let now = self.now;
        self.network.lanes.iter_mut().for_each(|lane| lane.advance(now));
        log::finish(&mut tracks, &mut self.network.lanes, &mut self.network.payloads);
        Some(tracks)
    }

    /// Data packets handed to the network and data packets that reached their sinks, warm-up included.
    pub fn packets(&self) -> (u64, u64) {
        self.record.samples.packets
    }

    /// Transmissions: packets and acknowledgements that ports sent, hop by hop, warm-up included.
    pub fn transmissions(&self) -> u64 {
        self.network.lanes.iter().map(|lane| lane.port.counters(self.now).sent).sum()
    }
}
