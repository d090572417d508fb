//! What a run counts interval by interval.

use crate::capacity::Capacity;
use crate::meter::{Count, FlowMeter, GaugeRow, IntervalRow, LaneMark, PortMeter, Traffic};
use crate::net::Lane;
use headgate_packet::{Duration, Time};
use headgate_queue::Discipline as _;

/// What happens to the rows that a run makes while it runs: of intervals, of gauges and of completions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rows {
    /// They are kept until its end.
    Kept,
    /// They are taken from time to time (see `Run::take_rows`).
    Taken,
    /// They are not made.
    Dropped,
}

/// The intervals that are over, and the present one.
#[derive(Debug)]
pub(crate) struct Samples {
    length: Duration,
    pub warm_up: Time,
    pub number: u32,
    start: Time,
    /// The warm-up is over.
    pub measuring: bool,
    rows: Rows,
    pub intervals: Vec<IntervalRow>,
    pub gauges: Vec<GaugeRow>,
    /// What was counted of each flow since the warm-up when the present interval began; empty if no rows are made.
    marks: Vec<Traffic>,
    /// Data packets sent and received, the warm-up included.
    pub packets: (u64, u64),
    /// Those of the warm-up.
    before: (u64, u64),
    /// Of each lane what it had counted when the warm-up ended; empty before.
    pub at_warm_up: Vec<LaneMark>,
    pub ports: Vec<PortMeter>,
}

impl Samples {
    /// Before the first interval of a run with these lanes.
    pub fn new(length: Duration, warm_up: Duration, lanes: &mut [Lane], rows: Rows) -> Samples {
        let mut samples = Samples {
            length,
            warm_up: Time::ZERO + warm_up,
            number: 0,
            start: Time::ZERO,
            measuring: false,
            rows,
            intervals: Vec::new(),
            gauges: Vec::new(),
            marks: Vec::new(),
            packets: (0, 0),
            before: (0, 0),
            at_warm_up: Vec::new(),
            ports: vec![PortMeter::default(); lanes.len()],
        };
        samples.start_measuring_if_due(lanes);
        samples
    }

    /// The interval that ends now is closed; the next one begins.
    pub fn close(&mut self, end: Time, meters: &mut [FlowMeter], lanes: &mut [Lane], capacities: &[Capacity]) {
        let (start, interval) = (self.start, self.number);
        let warm_up = end <= self.warm_up;
        let wanted = self.rows != Rows::Dropped;
        if wanted {
            self.intervals.reserve(meters.len());
            self.marks.resize(meters.len(), Traffic::default());
        }
        let mut packets = self.before;
        for (i, meter) in meters.iter_mut().enumerate() {
            packets.0 += meter.traffic.sent;
            packets.1 += meter.traffic.received;
            let control = meter.control.as_mut().map(|meter| meter.close(warm_up)).unwrap_or_default();
            if wanted {
                let mark = &mut self.marks[i];
                let count = Count { traffic: meter.traffic.since(mark), control };
                *mark = if warm_up { Traffic::default() } else { meter.traffic };
                self.intervals.push(IntervalRow { flow: i as u32, interval, start, end, warm_up, count });
            }
            if warm_up {
                meter.traffic = Traffic::default();
            }
        }
        self.packets = packets;
        if warm_up {
            self.before = packets;
        }
        // A last interval that the end of the run cuts short is no sample of the others' mean.
        let measured = !warm_up && end.since(start) == self.length;
        for ((lane, meter), capacity) in lanes.iter().zip(&mut self.ports).zip(capacities) {
            meter.sample(&lane.port.counters(end), capacity.before(end), end.since(start).as_ps(), measured);
        }
        for (port, lane) in lanes.iter().enumerate().filter(|_| wanted) {
            let (port, gauges) = (port as u32, &mut self.gauges);
            let mut sink = |gauge, value| gauges.push(GaugeRow { port, gauge, interval, end, value });
            lane.port.discipline().probe(&mut sink);
        }
        self.number += 1;
        self.start = end;
        self.start_measuring_if_due(lanes);
    }

    /// When the present interval ends; nothing if the run is over then. Interval ends lie whole intervals from the end of the warm-up, which
    /// is one of them, as is the end of the run.
    pub fn next(&self, end: Time) -> Option<Time> {
        let (start, step, warm_up) = (self.start.as_ps(), self.length.as_ps(), self.warm_up.as_ps());
        let next = match warm_up.checked_sub(start) {
            None | Some(0) => start.saturating_add(step),
            Some(left) => start + if left % step == 0 { step } else { left % step },
        };
        Some(Time::from_ps(next).min(end)).filter(|next| *next > self.start)
    }

    fn start_measuring_if_due(&mut self, lanes: &mut [Lane]) {
        if self.start < self.warm_up || !self.at_warm_up.is_empty() {
            return;
        }
        self.measuring = true;
        let now = self.start;
        let mark = |lane: &mut Lane| {
            lane.port.reset_backlog_max();
            LaneMark {
                counters: lane.port.counters(now),
                entered: lane.wire.entered,
                travelled_ps: lane.wire.travelled_ps,
                marks: lane.marks,
                wire: lane.wire_counts(),
            }
        };
        self.at_warm_up = lanes.iter_mut().map(mark).collect();
    }
}
