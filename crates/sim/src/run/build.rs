//! From a resolved scenario to a run that is ready to begin.

use super::Run;
use super::pools::Pools;
use crate::capacity::Capacity;
use crate::change::{Change, Steps};
use crate::engine::{Event, EventQueue};
use crate::flows::{Flows, Kind, Role, TransientFlows};
use crate::link::{Aggregation, Wire, framing};
use crate::memory;
use crate::meter::{Digest, FlowMeter, Ideal, Objects};
use crate::net::{Conversations, Echoes, Hops, Lane, Paths, Payloads, Way};
use crate::network::Network;
use crate::pace::Pace;
use crate::record::Record;
use crate::samples::{Rows, Samples};
use crate::spec::{self, Scenario, SpecError, TraceKind};
use crate::trace::Traces;
use headgate_packet::{Duration, Rng, Time};
use headgate_queue::line::{Bursts, Frame, Gate, Law};
use headgate_queue::{Port, Spec};
use std::collections::BTreeMap;

impl Run {
    /// The run of a scenario that [`Scenario::from_json`] resolved, for replication `run`.
    pub fn new(scenario: &Scenario, seed: u64, run: u64) -> Run {
        Run::new_unless(scenario, seed, run, Rows::Kept, u64::MAX, &mut || false).expect("nothing stops or bounds it")
    }

    /// As [`Run::new`], for a run that may take `most` bytes of memory; `stop` is called from time to time and answers whether to give up.
    ///
    /// # Errors
    /// The memory that is known to be needed before the run exceeds `most`, or `stop` answered true.
    pub fn new_unless(
        s: &Scenario,
        seed: u64,
        run: u64,
        rows: Rows,
        most: u64,
        stop: &mut dyn FnMut() -> bool,
    ) -> Result<Run, SpecError> {
        memory::estimate(s, rows, most)?;
        let mut pace = Pace::new(stop);
        let mut paths = Paths::new(s, seed, most);
        let ways: Vec<Way> = paths.ways(&mut pace)?.into_iter().map(|way| way.expect("checked")).collect();
        let mut changes = Change::all(s, &mut paths, &ways, &mut pace)?;
        let queues = s.queues();
        let conversations = crossings(s, &queues, &paths, &ways, &changes, most, &mut pace)?;
        let traced = s.traces.iter().any(|kind| matches!(kind, TraceKind::Backlog | TraceKind::Drops));
        let mut lanes = Vec::with_capacity(queues.len());
        for (port, queue) in queues.iter().enumerate() {
            pace.long_step()?;
            let (link, back) = (&s.links[port / 2], port % 2 == 1);
            let path = format!("link/{}/{}", link.name, ["forward", "reverse"][port % 2]);
            let rate = link.rate.way(back);
            let info = conversations.info(port, rate.first().unwrap_or(rate.mean()));
            let mut sender = Port::new(queue.build(&info), info.rate, Rng::new(seed, run, &path));
            if let Some(law) = line_law(link, back) {
                sender.follow(law);
            }
            let apart = conversations.apart(port as u32);
            let mut lane = Lane::new(sender, *link.delay.way(back), info.flows as u32, apart);
            // A trace records at each instant; a drop that no arrival causes must be seen when it happens, whoever looks.
            lane.prompt = traced || queue.drops_on_departure();
            let (loss, jitter) = (link.loss.way(back).as_ref(), link.jitter.way(back).as_ref());
            let stream = |law: &str| Rng::new(seed, run, &format!("{path}/{law}"));
            lane.laws = Wire::new(loss, *link.duplicate.way(back), jitter, *link.unlabel.way(back), stream);
            lanes.push(lane);
        }
        let mut hops = Hops::new(&paths, &conversations, most);
        let (mut flows, mut events) = (Vec::with_capacity(s.flows.len()), EventQueue::new());
        let (mut transient, mut objects) = (BTreeMap::new(), Objects::default());
        let mut kind = Kind::new(&s.flows[0], None, (seed, run));
        let mut makers = Vec::new();
        let traces = Traces::new(&s.traces);
        let mut name = "flow/".to_owned();
        let (mut way, mut shared) = ([0; 2], false);
        for (i, f) in s.flows.iter().enumerate() {
            pace.step()?;
            let like_the_last =
                |last: usize| ways[i] == ways[last] && f.same_way(&s.flows[last]) && conversations.alike(i, last);
            if !(shared && like_the_last(i - 1)) {
                (way, shared) = hops.rows(ways[i], i)?;
            }
            // Flows of one kind follow each other and share what they have in common.
            if i > 0 && !kind.serves(f, &s.flows[i - 1]) {
                kind = Kind::new(f, Some(&kind), (seed, run));
            }
            // In whole picoseconds.
            let slowest = || ideal(s, paths.links(ways[i][0]), f.packet.mean_bytes()).further;
            kind.set_noise(&s.hosts, || Duration::from_ps(slowest() as u64));
            kind.set_most(|| {
                super::foreign::most_window(
                    s,
                    &queues,
                    ways[i].map(|path| paths.links(path).collect()),
                    f.packet.mean_bytes(),
                )
            });
            kind.join(&mut makers, !traces.wants_flows());
            name.truncate("flow/".len());
            f.write_name(&mut name);
            let (mut rng, lengths) = (Rng::new(seed, run, &name), f.packet.build(seed, run, &name["flow/".len()..]));
            let mut start = Some(Time::ZERO + f.start + rng.uniform_duration(f.start_spread));
            let mut role = Role::Permanent;
            if f.workload.has_objects() {
                let ideal = ideal(s, paths.links(ways[i][0]), f.packet.mean_bytes());
                objects.add(i, &f.class_name(), ideal, f.packet.mean_bytes());
            }
            if let Some(arrivals) = &f.arrivals {
                let apart = ways[i].iter().any(|path| paths.links(*path).any(|lane| conversations.apart(lane)));
                let mut all =
                    TransientFlows::new(kind.of(f), arrivals.build(), (seed, run), way, conversations.ends(i), apart);
                start = start.and_then(|start| all.next_arrival(start));
                transient.insert(i as u32, all);
                role = Role::Template;
            }
            if let Some(start) = start {
                events.push(start, Event::Source(i as u32));
            }
            flows.push(kind.make((i as u32, &name["flow/".len()..]), role, way, rng, None, lengths));
        }
        for (flow, way) in changes.iter_mut().flat_map(|change| &mut change.moved) {
            *way = hops.rows(*way, *flow)?.0;
        }
        let samples = Samples::new(s.interval(), s.warm_up(), &mut lanes, rows);
        objects.keep_rows = rows != Rows::Dropped && s.traces.contains(&TraceKind::Completions);
        let network = Network {
            reads_acknowledgements: queues.iter().any(|queue| queue.reads_acknowledgements()),
            lanes,
            capacities: Capacity::all(s, &changes),
            hops: hops.table,
            payloads: Payloads::default(),
            echoes: Echoes::default(),
            grown: BTreeMap::new(),
            changes,
            moves: Vec::new(),
            rate_traces: Steps::all(s),
        };
        let record = Record {
            meters: vec![FlowMeter::default(); flows.len()],
            objects,
            digest: Digest::default(),
            samples,
            traces,
            log: None,
        };
        let flows = Flows {
            places: flows,
            transient,
            makers,
            labels: labels(s),
            free: Vec::new(),
            maybe_over: Vec::new(),
            new_numbers_only: false,
            no_draws: Rng::new(seed, run, "none"),
        };
        let end = Time::ZERO + s.duration;
        let pools = Pools::new(s);
        let attended = !pools.is_empty();
        let (now, budget, records, records_at) = (Time::ZERO, 0, 0, 0);
        let foreign = super::foreign::Hosts::of(s);
        let mut running =
            Run { now, end, events, network, flows, record, pools, attended, budget, foreign, records, records_at };
        for (number, event) in s.events.iter().enumerate() {
            running.events.push(Time::ZERO + event.at, Event::Change(number as u32));
        }
        running.begin_traces();
        running.arm_sample();
        Ok(running)
    }
}

/// The least time of an object whose packets take these links, from the rates and delays at the beginning.
fn ideal(s: &Scenario, links: impl Iterator<Item = u32>, bytes: u32) -> Ideal {
    let mut all = Ideal::default();
    for lane in links {
        let (link, back) = (&s.links[lane as usize / 2], lane % 2 == 1);
        let sent = link.framing.way(back).as_ref().map_or(bytes, |framing| framing.frame().length(bytes));
        let transmission = f64::from(sent) * 8e12 / link.rate.way(back).mean().as_bps() as f64;
        all.first += transmission + link.delay.way(back).as_ps() as f64;
        all.further = all.further.max(transmission);
    }
    all
}

/// The labels with which packets leave, by entries: rates in the form in which `csfq` writes them.
fn labels(s: &Scenario) -> BTreeMap<u32, u32> {
    let label = |(i, flow): (usize, &spec::Flow)| Some((i as u32, (flow.label?.as_bps() as f32).to_bits()));
    s.flows.iter().enumerate().filter_map(label).collect()
}

/// The law of a line that does more than send one bit after the other.
fn line_law(link: &spec::Link, back: bool) -> Option<Law> {
    let (framing, aggregation) = (link.framing.way(back), link.aggregation.way(back));
    let slots = link.rate.way(back).slots();
    if framing.is_none() && aggregation.is_none() && slots.is_none() {
        return None;
    }
    let bursts = |a: &Aggregation| Gate::Bursts(Bursts::new(a.packets, a.every));
    let gate = slots.map(Gate::Slots).or(aggregation.as_ref().map(bursts)).unwrap_or(Gate::Open);
    Some(Law { frame: framing.as_ref().map_or_else(Frame::default, framing::Spec::frame), gate })
}

/// The conversations at each port, of the paths that flows take at the start and after changes.
fn crossings(
    s: &Scenario,
    queues: &[Spec],
    paths: &Paths<'_>,
    ways: &[Way],
    changes: &[Change],
    most: u64,
    pace: &mut Pace<'_>,
) -> Result<Conversations, SpecError> {
    let looks: Vec<bool> = queues.iter().map(Spec::per_conversation).collect();
    let mut conversations = Conversations::new(s, &looks, pace)?;
    if looks.contains(&true) {
        let mut crossings = 0;
        let moved = changes.iter().flat_map(|change| change.moved.iter().copied());
        for (flow, way) in ways.iter().copied().enumerate().chain(moved) {
            pace.step()?;
            for (path, stream) in paths.streams(flow, way) {
                paths.links(path).for_each(|lane| crossings += usize::from(conversations.cross(lane, stream)));
            }
            memory::check_hops(crossings, most)?;
        }
        conversations.number(s);
    }
    Ok(conversations)
}
