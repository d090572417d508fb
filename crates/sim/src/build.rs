//! From a resolved scenario to a run that is ready to begin.

use crate::change::Change;
use crate::engine::{Event, EventQueue};
use crate::flow::Flow;
use crate::memory;
use crate::meter::{Digest, FlowMeter};
use crate::net::{Classes, Lane, Paths, Payloads};
use crate::pace::Pace;
use crate::run::Run;
use crate::samples::Samples;
use crate::spec::{Classify, NodeKind, Scenario, SpecError, TraceKind};
use crate::trace::Traces;
use headgate_control::{Connection, transport::Receiver};
use headgate_packet::{Buffer, Rng, Time};
use headgate_queue::{LinkInfo, Port, Spec};
use std::collections::BTreeMap;
use std::sync::Arc;

impl Run {
    /// The run of a scenario that [`Scenario::from_json`] resolved, for replication `run`.
    pub fn new(scenario: &Scenario, seed: u64, run: u64) -> Run {
        Run::new_unless(scenario, seed, run, u64::MAX, &mut || false).expect("nothing stops or bounds it")
    }

    /// As [`Run::new`], for a run that may take `most` bytes of memory; `stop` is asked now and then whether to give up.
    ///
    /// # Errors
    /// What is known before the run takes more memory, or `stop` answered true.
    pub fn new_unless(
        s: &Scenario,
        seed: u64,
        run: u64,
        most: u64,
        stop: &mut dyn FnMut() -> bool,
    ) -> Result<Run, SpecError> {
        memory::estimate(s, most)?;
        let mut pace = Pace::new(stop);
        let mut kinds: Vec<Classify> = Vec::new();
        for link in &s.links {
            if !kinds.contains(&link.classify) {
                kinds.push(link.classify);
            }
        }
        let classes = kinds.iter().map(|k| Classes::new(s, *k, &mut pace));
        let classes = classes.collect::<Result<Vec<Classes>, SpecError>>()?;
        let is_host: BTreeMap<&str, bool> =
            s.nodes.iter().map(|n| (n.name.as_str(), n.kind == NodeKind::Host)).collect();
        let mut lanes = Vec::with_capacity(2 * s.links.len());
        for link in &s.links {
            pace.long_step()?;
            let row = kinds.iter().position(|k| *k == link.classify).expect("collected above");
            let info = LinkInfo { rate: link.rate, flows: classes[row].count, weights: classes[row].weights.clone() };
            let back = link.reverse_queue.as_ref().unwrap_or(&link.queue);
            for (end, queue, name) in [(&link.from, &link.queue, "forward"), (&link.to, back, "reverse")] {
                let queue = if is_host[end.as_str()] { unlimited() } else { queue.clone() };
                let rng = Rng::new(seed, run, &format!("link/{}/{name}", link.name));
                lanes.push(Lane::new(Port::new(queue.build(&info), link.rate, rng), link.delay, row as u32));
            }
        }
        let mut paths = Paths::new(s);
        let (mut flows, mut events) = (Vec::with_capacity(s.flows.len()), EventQueue::new());
        let mut config = Arc::new(s.flows[0].control.transport());
        let mut way = (0, 0);
        for (i, f) in s.flows.iter().enumerate() {
            pace.step()?;
            if i == 0 || (&f.from, &f.to) != (&s.flows[i - 1].from, &s.flows[i - 1].to) {
                pace.long_step()?;
                way = paths.both(&f.from, &f.to).expect("checked");
            }
            // Flows of one kind follow each other and share what they have in common.
            if i > 0 && f.control != s.flows[i - 1].control {
                config = Arc::new(f.control.transport());
            }
            let mut rng = Rng::new(seed, run, &format!("flow/{}", f.name));
            let (packet_bytes, lengths) = (f.packet.mean_bytes(), f.packet.build(seed, run, &f.name));
            let start = Time::ZERO + f.start + rng.uniform_duration(f.start_spread);
            events.push(start, Event::Source(i as u32));
            flows.push(Flow {
                connection: Connection::new(&f.control, &config),
                receiver: Receiver::default(),
                workload: f.workload.build(packet_bytes),
                meter: FlowMeter::default(),
                rng,
                forward: way.0,
                back: way.1,
                packet_bytes: if lengths.is_some() { 0 } else { packet_bytes },
                lengths,
                ack_bytes: f.ack.bytes(),
                acknowledge: f.acknowledge,
                priority: f.priority,
                ecn: config.ecn,
                stopped: false,
                armed: Time::NEVER,
                seen_window: f64::NAN,
                seen_in_flight: u64::MAX,
            });
        }
        let changes = Change::all(s, &mut paths, &mut pace)?;
        let samples = Samples::new(s.interval(), s.warm_up(), &mut lanes);
        let mut running = Run {
            now: Time::ZERO,
            end: Time::ZERO + s.duration,
            events,
            lanes,
            flows,
            hops: paths.hops,
            payloads: Payloads::default(),
            classes,
            changes,
            digest: Digest::default(),
            samples,
            traces: Traces::new(&s.traces),
            prompt: s.traces.iter().any(|kind| matches!(kind, TraceKind::Backlog | TraceKind::Drops)),
            log: None,
            budget: 0,
            records: 0,
            records_at: 0,
        };
        for (number, event) in s.events.iter().enumerate() {
            running.events.push(Time::ZERO + event.at, Event::Change(number as u32));
        }
        running.arm_sample();
        Ok(running)
    }
}

/// The queue of a host's own port.
fn unlimited() -> Spec {
    Spec::Fcfs(headgate_queue::fcfs::FcfsParams { buffer: Buffer::Unlimited })
}
