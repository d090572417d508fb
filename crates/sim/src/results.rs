//! Intervals and samples.

use crate::engine::Event;
use crate::meter::{GaugeRow, IntervalRow};
use crate::world::{LaneMark, Log, World};
use headgate_packet::Time;
use headgate_queue::{AnyDiscipline, Discipline as _};

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

    /// The discipline at a port: number 2 * link, plus 1 for the reverse direction.
    pub fn discipline(&self, port: usize) -> &AnyDiscipline {
        self.lanes[port].port.discipline()
    }

    /// The discipline at a port, for what measures it by itself.
    pub fn discipline_mut(&mut self, port: usize) -> &mut AnyDiscipline {
        self.lanes[port].port.discipline_mut()
    }

    /// How many conversations a port can tell apart.
    pub fn conversations(&self, port: usize) -> usize {
        self.classes[self.lanes[port].classes as usize].count
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
                let handle = self.lanes[l as usize].wire.front().map_or(0, |p| p.packet.handle);
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
}
