//! Meters: counters per flow and interval, traces, and the digest. They watch and change nothing.

mod digest;
mod estimates;
mod histogram;
mod moments;
mod objects;
mod port;
mod ratio;

pub use digest::Digest;
pub use estimates::Estimates;
pub use histogram::Histogram;
pub use moments::Moments;
pub use objects::{Class, Completions, Ideal, ObjectRow, Objects};
pub use port::{LaneMark, PortMeter, difference};
pub use ratio::Ratio;

use headgate_packet::Time;

/// What is counted of one flow over a span of time. What a source touches with each packet stands together.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Count {
    /// Data packets sent, retransmissions included.
    pub sent: u64,
    /// Data packets dropped anywhere on the way.
    pub drops: u64,
    /// Data packets that reached the sink, duplicates included.
    pub received: u64,
    /// Their bytes.
    pub received_bytes: u64,
    /// Data packets that reached the sink for the first time.
    pub unique: u64,
    /// Their bytes.
    pub unique_bytes: u64,
    /// Sum of one-way delays of the received packets, in ps.
    pub one_way_ps: u128,
    /// Sum of their times in queues, in ps.
    pub waited_ps: u128,
    /// Data packets sent again.
    pub retransmissions: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// Data packets whose congestion bit a gateway set.
    pub marks: u64,
    /// Round-trip times.
    pub rtt: Moments,
}

impl Count {
    /// Takes in a later span.
    pub fn add(&mut self, other: &Count) {
        self.sent += other.sent;
        self.received += other.received;
        self.received_bytes += other.received_bytes;
        self.unique += other.unique;
        self.unique_bytes += other.unique_bytes;
        self.retransmissions += other.retransmissions;
        self.timeouts += other.timeouts;
        self.drops += other.drops;
        self.marks += other.marks;
        self.rtt.merge(&other.rtt);
        self.one_way_ps += other.one_way_ps;
        self.waited_ps += other.waited_ps;
    }

    /// Mean one-way delay of the received packets in seconds; NaN without any.
    pub fn one_way_mean(&self) -> f64 {
        self.one_way_ps as f64 * 1e-12 / self.received as f64
    }

    /// Mean time in queues of the received packets in seconds; NaN without any.
    pub fn waited_mean(&self) -> f64 {
        self.waited_ps as f64 * 1e-12 / self.received as f64
    }
}

/// The meter of one flow.
#[derive(Clone, Debug, Default)]
#[repr(C)]
pub struct FlowMeter {
    /// One-way delays since the warm-up; made when the first one comes.
    pub one_way: Option<Box<Histogram>>,
    /// Round-trip times since the warm-up.
    pub rtt: Option<Box<Histogram>>,
    /// The present interval.
    pub now: Count,
}

/// One flow in one interval.
#[derive(Clone, Copy, Debug)]
pub struct IntervalRow {
    /// The flow's position in the scenario.
    pub flow: u32,
    /// Number of the interval, from 0, warm-up included.
    pub interval: u32,
    /// Its start.
    pub start: Time,
    /// Its end.
    pub end: Time,
    /// Before the end of the warm-up.
    pub warm_up: bool,
    /// What was counted.
    pub count: Count,
}

/// A gauge of a port's discipline at the end of an interval.
#[derive(Clone, Copy, Debug)]
pub struct GaugeRow {
    /// Number of the port (2 * link, plus 1 for the reverse direction).
    pub port: u32,
    /// The gauge's name.
    pub gauge: &'static str,
    /// Number of the interval.
    pub interval: u32,
    /// Its end.
    pub end: Time,
    /// What it showed.
    pub value: f64,
}

/// One recorded value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TraceRow {
    /// Which trace.
    pub kind: crate::spec::TraceKind,
    /// Of an estimate: the number of its name.
    pub estimate: u8,
    /// Position of the flow in the scenario, or number of the port (2 * link, plus 1 for the reverse direction).
    pub object: u32,
    /// When.
    pub at: Time,
    /// The value in the trace's unit.
    pub value: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_add_up_and_have_their_means() {
        let one = |n: u64| Count {
            sent: n,
            drops: 2 * n,
            received: 4 * n,
            received_bytes: 5 * n,
            unique: 6 * n,
            unique_bytes: 7 * n,
            retransmissions: 8 * n,
            timeouts: 9 * n,
            marks: 10 * n,
            rtt: Moments::default(),
            one_way_ps: (8_000_000_000_000 * n).into(),
            waited_ps: (2_000_000_000_000 * n).into(),
        };
        let mut sum = one(1);
        sum.add(&one(2));
        let fields = |c: &Count| {
            let packets = [c.sent, c.drops, c.received, c.unique, c.retransmissions, c.timeouts, c.marks];
            (packets, c.received_bytes, c.unique_bytes)
        };
        assert_eq!(fields(&sum), fields(&one(3)));
        assert_eq!((sum.one_way_mean(), sum.waited_mean()), (2.0, 0.5));
        assert!(Count::default().one_way_mean().is_nan() && Count::default().waited_mean().is_nan());
    }
}
