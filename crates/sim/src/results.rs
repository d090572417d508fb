//! Intervals, samples, and the tables that a run leaves behind.

use crate::build::END;
use crate::engine::Event;
use crate::meter::{Count, FlowMeter, GaugeRow, Histogram, IntervalRow, PortMeter, difference};
use crate::spec::{Scenario, TraceKind};
use crate::world::{Flow, LaneMark, Log, World};
use headgate_packet::Time;
use headgate_queue::parts::structure::Call;
use headgate_queue::{AnyDiscipline, Discipline as _};

/// One column of a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Cells {
    /// Floating-point numbers; NaN where nothing was measured.
    Float(Vec<f64>),
    /// Whole numbers.
    Int(Vec<i64>),
    /// Names: a code per row, and the name of each code.
    Name(Vec<i64>, Vec<String>),
}

/// A table: columns of equal length, in order, each with its name.
pub type Table = Vec<(&'static str, Cells)>;

impl World {
    /// The interval that ends now is closed; the next one begins.
    pub(crate) fn on_sample(&mut self) {
        self.budget = self.budget.saturating_sub(self.flows.len() as u64);
        let (start, end) = (self.interval_start, self.now);
        let warm_up = end <= self.warm_up;
        self.intervals.reserve(self.flows.len());
        for (i, flow) in self.flows.iter_mut().enumerate() {
            let count = std::mem::take(&mut flow.meter.now);
            let (flow, interval) = (i as u32, self.interval_number);
            self.intervals.push(IntervalRow { flow, interval, start, end, warm_up, count });
        }
        // A last interval cut short by the end is no sample of the others' mean.
        let measured = !warm_up && end.since(start) == self.interval;
        for (lane, meter) in self.lanes.iter_mut().zip(&mut self.ports) {
            meter.sample(&lane.port.counters(end), end.since(start).as_ps(), measured);
        }
        for (port, lane) in self.lanes.iter().enumerate() {
            let (port, interval) = (port as u32, self.interval_number);
            let gauges = &mut self.gauges;
            let mut sink = |gauge, value| gauges.push(GaugeRow { port, gauge, interval, end, value });
            lane.port.discipline().probe(&mut sink);
        }
        self.interval_number += 1;
        self.interval_start = end;
        self.start_measuring_if_due();
        self.arm_sample();
    }

    /// Interval ends lie whole intervals from the end of the warm-up, which is one of them, as is the end of the run.
    pub(crate) fn arm_sample(&mut self) {
        let (start, step, warm_up) = (self.interval_start.as_ps(), self.interval.as_ps(), self.warm_up.as_ps());
        let next = match warm_up.checked_sub(start) {
            None | Some(0) => start.saturating_add(step),
            Some(left) => start + if left % step == 0 { step } else { left % step },
        };
        let next = Time::from_ps(next).min(self.end);
        if next > self.interval_start {
            self.events.push(next, Event::Sample(0));
        }
    }

    pub(crate) fn start_measuring_if_due(&mut self) {
        if self.interval_start < self.warm_up || !self.at_warm_up.is_empty() {
            return;
        }
        self.measuring = true;
        let now = self.interval_start;
        self.at_warm_up = self
            .lanes
            .iter_mut()
            .map(|lane| {
                lane.port.reset_backlog_max();
                LaneMark {
                    counters: lane.port.counters(now),
                    entered: lane.entered,
                    travelled_ps: lane.travelled_ps,
                    marks: lane.marks,
                }
            })
            .collect();
    }

    /// Records the calls of the structure at a port with `fq` from now on.
    pub(crate) fn record(&mut self, port: usize) {
        if let AnyDiscipline::Fq(fq) | AnyDiscipline::Wfq(fq) = self.lanes[port].port.discipline_mut() {
            fq.record();
        }
    }

    /// The calls recorded at a port, and how many conversations it can tell apart.
    pub(crate) fn recorded(&self, port: usize) -> (Vec<Call>, usize) {
        let lane = &self.lanes[port];
        let (AnyDiscipline::Fq(fq) | AnyDiscipline::Wfq(fq)) = lane.port.discipline() else { return (Vec::new(), 0) };
        (fq.calls().to_vec(), self.classes[lane.classes as usize].count)
    }

    /// Keeps the text of `count` events from number `first` on.
    pub fn log_events(&mut self, first: u64, count: u64) {
        self.log = Some(Log { first, count, lines: Vec::new() });
    }

    /// The events kept by [`World::log_events`].
    pub fn logged(&self) -> &[String] {
        self.log.as_ref().map_or(&[], |log| &log.lines)
    }

    #[cold]
    pub(crate) fn log_event(&mut self, event: Event) {
        let number = self.digest.events;
        let Some(log) = &mut self.log else { return };
        if number < log.first || number - log.first >= log.count {
            return;
        }
        let what = match event {
            Event::Port(l) => format!("port {l} starts a transmission"),
            Event::Arrive(l) => {
                let handle = self.lanes[l as usize].wire.front().map_or(0, |p| p.handle);
                let p = *self.payloads.get(handle);
                let kind = if p.is_ack { "acknowledgement" } else { "data" };
                format!("{kind} {} of flow {} arrives over port {l}", p.seq, p.flow)
            }
            Event::Flow(f) => format!("timer of flow {f}"),
            Event::Source(f) => format!("source of flow {f}"),
            Event::Sample(_) => "interval ends".to_owned(),
            Event::Change(n) => format!("event {n} of the scenario changes the network"),
        };
        log.lines.push(format!("event {number} at {:.12} s: {what}", self.now.as_secs_f64()));
    }

    /// Data packets handed to the network and data packets that reached their sinks, warm-up included.
    pub fn packets(&self) -> (u64, u64) {
        self.intervals.iter().fold((0, 0), |(s, r), row| (s + row.count.sent, r + row.count.received))
    }

    /// The table of flows: totals after the warm-up.
    pub fn flow_table(&self, s: &Scenario) -> Table {
        let mut totals = vec![Count::default(); self.flows.len()];
        for row in self.intervals.iter().filter(|row| !row.warm_up) {
            totals[row.flow as usize].add(&row.count);
        }
        let total = |of: fn(&Count) -> u64| Cells::Int(totals.iter().map(|t| of(t) as i64).collect());
        let float = |of: fn(&Count) -> f64| Cells::Float(totals.iter().map(of).collect());
        let quantile = |of: fn(&FlowMeter) -> &Option<Box<Histogram>>, q: f64| {
            let value = |f: &Flow| of(&f.meter).as_ref().map_or(f64::NAN, |h| h.quantile(q));
            Cells::Float(self.flows.iter().map(value).collect())
        };
        let rtt = |q: f64| quantile(|m| &m.rtt, q);
        let one_way = |q: f64| quantile(|m| &m.one_way, q);
        let n = self.flows.len();
        vec![
            ("flow", names(s.flows.iter().map(|f| f.name.clone()))),
            ("source", names(s.flows.iter().map(|f| f.from.to_string()))),
            ("sink", names(s.flows.iter().map(|f| f.to.to_string()))),
            ("control", names(s.flows.iter().map(|f| f.control.name().to_owned()))),
            ("workload", names(s.flows.iter().map(|f| f.workload.name().to_owned()))),
            ("weight", Cells::Int(s.flows.iter().map(|f| i64::from(f.weight)).collect())),
            ("packet_bytes", Cells::Int(s.flows.iter().map(|f| i64::from(f.packet.mean_bytes())).collect())),
            (
                "demand_bps",
                Cells::Float(s.flows.iter().map(|f| f.workload.demand_bps(f.packet.mean_bytes())).collect()),
            ),
            ("start_s", Cells::Float(vec![self.warm_up.as_secs_f64(); n])),
            ("end_s", Cells::Float(vec![self.now.as_secs_f64(); n])),
            ("sent", total(|c| c.sent)),
            ("received", total(|c| c.received)),
            ("received_bytes", total(|c| c.received_bytes)),
            ("unique", total(|c| c.unique)),
            ("unique_bytes", total(|c| c.unique_bytes)),
            ("retransmissions", total(|c| c.retransmissions)),
            ("timeouts", total(|c| c.timeouts)),
            ("drops", total(|c| c.drops)),
            ("marks", total(|c| c.marks)),
            ("rtt_count", total(|c| c.rtt.count)),
            ("rtt_mean_s", float(|c| c.rtt.mean())),
            ("rtt_std_s", float(|c| c.rtt.deviation())),
            ("rtt_min_s", float(|c| c.rtt.least())),
            ("rtt_max_s", float(|c| c.rtt.greatest())),
            ("rtt_p50_s", rtt(0.5)),
            ("rtt_p95_s", rtt(0.95)),
            ("rtt_p99_s", rtt(0.99)),
            ("owd_mean_s", float(Count::one_way_mean)),
            ("owd_p50_s", one_way(0.5)),
            ("owd_p95_s", one_way(0.95)),
            ("owd_p99_s", one_way(0.99)),
            ("queueing_mean_s", float(Count::waited_mean)),
        ]
    }

    /// The table of intervals: one row per flow and interval, warm-up included.
    pub fn interval_table(&self, s: &Scenario) -> Table {
        let rows = &self.intervals;
        let int = |of: fn(&IntervalRow) -> u64| Cells::Int(rows.iter().map(|r| of(r) as i64).collect());
        let float = |of: fn(&IntervalRow) -> f64| Cells::Float(rows.iter().map(of).collect());
        let flow = rows.iter().map(|r| i64::from(r.flow)).collect();
        vec![
            ("flow", Cells::Name(flow, s.flows.iter().map(|f| f.name.clone()).collect())),
            ("interval", int(|r| u64::from(r.interval))),
            ("start_s", float(|r| r.start.as_secs_f64())),
            ("end_s", float(|r| r.end.as_secs_f64())),
            ("warm_up", int(|r| u64::from(r.warm_up))),
            ("sent", int(|r| r.count.sent)),
            ("received", int(|r| r.count.received)),
            ("received_bytes", int(|r| r.count.received_bytes)),
            ("unique", int(|r| r.count.unique)),
            ("unique_bytes", int(|r| r.count.unique_bytes)),
            ("retransmissions", int(|r| r.count.retransmissions)),
            ("timeouts", int(|r| r.count.timeouts)),
            ("drops", int(|r| r.count.drops)),
            ("marks", int(|r| r.count.marks)),
            ("rtt_count", int(|r| r.count.rtt.count)),
            ("rtt_mean_s", float(|r| r.count.rtt.mean())),
            ("rtt_std_s", float(|r| r.count.rtt.deviation())),
            ("owd_mean_s", float(|r| r.count.one_way_mean())),
            ("queueing_mean_s", float(|r| r.count.waited_mean())),
        ]
    }

    /// The table of ports, two to a link: what they did after the warm-up.
    pub fn link_table(&mut self, s: &Scenario) -> Table {
        let (now, span) = (self.now, self.now.since(self.warm_up).as_ps() as f64);
        let rows: Vec<LaneMark> = self
            .lanes
            .iter_mut()
            .zip(&self.at_warm_up)
            .map(|(lane, before)| LaneMark {
                counters: difference(&lane.port.counters(now), &before.counters),
                entered: lane.entered - before.entered,
                travelled_ps: lane.travelled_ps - before.travelled_ps,
                marks: lane.marks - before.marks,
            })
            .collect();
        let text = |of: &dyn Fn(&crate::spec::Link, bool) -> String| {
            names(s.links.iter().flat_map(|l| [of(l, false), of(l, true)]))
        };
        let fixed = |of: &dyn Fn(&crate::spec::Link) -> f64| {
            Cells::Float(s.links.iter().flat_map(|l| [of(l), of(l)]).collect())
        };
        let int = |of: fn(&LaneMark) -> u64| Cells::Int(rows.iter().map(|r| of(r) as i64).collect());
        let float = |of: &dyn Fn(&LaneMark) -> f64| Cells::Float(rows.iter().map(of).collect());
        let over = |of: &dyn Fn(&PortMeter) -> f64| Cells::Float(self.ports.iter().map(of).collect());
        let is_host = |name: &str| s.nodes.iter().any(|n| n.name == name && n.kind == crate::spec::NodeKind::Host);
        vec![
            ("link", names(port_names(s))),
            ("from", text(&|l, back| if back { l.to.clone() } else { l.from.clone() })),
            ("to", text(&|l, back| if back { l.from.clone() } else { l.to.clone() })),
            (
                "queue",
                text(&|l, back| {
                    let (end, queue) = match (&l.reverse_queue, back) {
                        (Some(queue), true) => (&l.to, queue),
                        (None, true) => (&l.to, &l.queue),
                        (_, false) => (&l.from, &l.queue),
                    };
                    if is_host(end) { "host".to_owned() } else { queue.name().to_owned() }
                }),
            ),
            ("rate_bps", fixed(&|l| l.rate.as_bps() as f64)),
            ("achieved_rate_bps", float(&|r| r.counters.sent_bytes as f64 * 8.0 / (r.counters.busy_ps as f64 * 1e-12))),
            ("delay_s", fixed(&|l| l.delay.as_secs_f64())),
            ("achieved_delay_s", float(&|r| r.travelled_ps as f64 * 1e-12 / r.entered as f64)),
            ("utilisation", float(&|r| r.counters.busy_ps as f64 / span)),
            ("utilisation_std", over(&|m| m.utilisation.deviation())),
            ("intervals", Cells::Int(self.ports.iter().map(|m| m.utilisation.count as i64).collect())),
            ("offered", int(|r| r.counters.offered)),
            ("sent", int(|r| r.counters.sent)),
            ("sent_bytes", int(|r| r.counters.sent_bytes)),
            ("drops_full", int(|r| r.counters.dropped[0])),
            ("drops_evicted", int(|r| r.counters.dropped[1])),
            ("drops_early", int(|r| r.counters.dropped[2])),
            ("marks", int(|r| r.marks)),
            ("backlog_mean", float(&|r| r.counters.backlog_ps as f64 / span)),
            ("backlog_std", over(&|m| m.backlog.deviation())),
            ("backlog_max", int(|r| r.counters.backlog_max)),
            ("queueing_mean_s", float(&|r| r.counters.wait_ps as f64 * 1e-12 / r.counters.sent as f64)),
            ("queueing_std_s", over(&|m| m.queueing.deviation())),
        ]
    }

    /// The histograms of each flow's delays after the warm-up: what [`delay_table`] is made from.
    pub fn take_delays(&mut self) -> Vec<Delays> {
        let take = |f: &mut Flow| [f.meter.rtt.take(), f.meter.one_way.take()];
        self.flows.iter_mut().map(take).collect()
    }

    /// The table of routes: the ports that the data of each flow crosses, in order.
    pub fn route_table(&self, s: &Scenario) -> Table {
        let (mut flow, mut hop, mut port) = (Vec::new(), Vec::new(), Vec::new());
        for (i, f) in self.flows.iter().enumerate() {
            let path = self.hops[f.forward as usize..].iter().take_while(|l| **l != END);
            for (h, l) in path.enumerate() {
                flow.push(i as i64);
                hop.push(h as i64);
                port.push(i64::from(*l));
            }
        }
        vec![
            ("flow", Cells::Name(flow, s.flows.iter().map(|f| f.name.clone()).collect())),
            ("hop", Cells::Int(hop)),
            ("link", Cells::Name(port, port_names(s).collect())),
        ]
    }

    /// The table of gauges: what the disciplines showed at the end of each interval, warm-up included.
    pub fn gauge_table(&self, s: &Scenario) -> Table {
        let (rows, mut kinds) = (&self.gauges, Vec::new());
        let gauge = rows.iter().map(|r| code(&mut kinds, r.gauge)).collect();
        vec![
            ("link", Cells::Name(rows.iter().map(|r| i64::from(r.port)).collect(), port_names(s).collect())),
            ("gauge", Cells::Name(gauge, kinds)),
            ("interval", Cells::Int(rows.iter().map(|r| i64::from(r.interval)).collect())),
            ("end_s", Cells::Float(rows.iter().map(|r| r.end.as_secs_f64()).collect())),
            ("value", Cells::Float(rows.iter().map(|r| r.value).collect())),
        ]
    }

    /// The table of traces, in the order of time.
    pub fn trace_table(&self, s: &Scenario) -> Table {
        use crate::spec::TraceKind::{Backlog, Drops, Estimates, InFlight, Rtt, Window};
        // An estimate stands under its own name.
        let kinds = [Window, InFlight, Rtt, Backlog, Drops].map(TraceKind::name);
        let kinds: Vec<String> = kinds.iter().chain(self.estimates.names()).map(|n| (*n).to_owned()).collect();
        let mut objects: Vec<String> = s.flows.iter().map(|f| f.name.clone()).collect();
        let ports = s.flows.len() as i64;
        objects.extend(port_names(s));
        let object = |r: &crate::meter::TraceRow| match r.kind {
            Backlog | Drops => ports + i64::from(r.object),
            Window | InFlight | Rtt | Estimates => i64::from(r.object),
        };
        let rows = &self.traces;
        let kind = rows.iter().map(|r| r.kind as i64 + i64::from(r.estimate)).collect();
        vec![
            ("trace", Cells::Name(kind, kinds)),
            ("object", Cells::Name(rows.iter().map(object).collect(), objects)),
            ("time_s", Cells::Float(rows.iter().map(|r| r.at.as_secs_f64()).collect())),
            ("value", Cells::Float(rows.iter().map(|r| r.value).collect())),
        ]
    }
}

/// The place of a name in a list, which grows by it if it is new.
fn code(names: &mut Vec<String>, name: &str) -> i64 {
    let place = names.iter().position(|n| n == name).unwrap_or_else(|| {
        names.push(name.to_owned());
        names.len() - 1
    });
    place as i64
}

/// Round-trip times and one-way delays of one flow, where there were any.
pub type Delays = [Option<Box<Histogram>>; 2];

/// The table of delays: one row per flow, measure and bucket of its histogram that is not empty.
pub fn delay_table(delays: &[Delays], flows: &[crate::spec::Flow]) -> Table {
    let (mut flow, mut measure, mut number, mut counts) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (mut lower, mut upper) = (Vec::new(), Vec::new());
    for (i, of_flow) in delays.iter().enumerate() {
        for (j, histogram) in of_flow.iter().enumerate() {
            for (bucket, low, high, count) in histogram.iter().flat_map(|h| h.buckets()) {
                flow.push(i as i64);
                measure.push(j as i64);
                number.push(i64::from(bucket));
                lower.push(low);
                upper.push(high);
                counts.push(count as i64);
            }
        }
    }
    vec![
        ("flow", Cells::Name(flow, flows.iter().map(|f| f.name.clone()).collect())),
        ("measure", Cells::Name(measure, vec!["rtt".to_owned(), "owd".to_owned()])),
        ("bucket", Cells::Int(number)),
        ("lower_s", Cells::Float(lower)),
        ("upper_s", Cells::Float(upper)),
        ("count", Cells::Int(counts)),
    ]
}

fn port_names(s: &Scenario) -> impl Iterator<Item = String> {
    s.links.iter().flat_map(|l| [l.name.clone(), format!("{}:reverse", l.name)])
}

fn names(texts: impl Iterator<Item = String>) -> Cells {
    let texts: Vec<String> = texts.collect();
    Cells::Name((0..texts.len() as i64).collect(), texts)
}
