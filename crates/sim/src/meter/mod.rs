//! Meters: counters per flow and interval, traces, and the digest. They observe and change nothing.

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
pub use objects::{Class, Completions, Ideal, ObjectRow, Objects, Transfers};
pub use port::{LaneMark, PortMeter, difference, share};
pub use ratio::Ratio;

use headgate_packet::Time;

/// What is counted of one flow over a span of time.
#[derive(Clone, Copy, Debug, Default)]
pub struct Count {
    /// Of its packets.
    pub traffic: Traffic,
    /// Of what its source learns of them.
    pub control: Control,
}

/// What is counted of the packets of a flow. What a source touches with each packet stands first.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Traffic {
    /// Data packets sent, retransmissions included.
    pub sent: u64,
    /// Data packets dropped anywhere on the path.
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
    pub one_way_ps: Sum,
    /// Sum of their times in queues, in ps.
    pub waited_ps: Sum,
}

/// What is counted of a source with flow control, of marks and of losses on wires. It takes no memory for flows that have none of it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Control {
    /// Data packets sent again.
    pub retransmissions: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// Data packets whose congestion bit a gateway set.
    pub marks: u64,
    /// Data packets that wires lost.
    pub lost: u64,
    /// Round-trip times.
    pub rtt: Moments,
}

/// A sum of 128 bits with the alignment of a number of 64 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sum([u64; 2]);

impl Sum {
    /// Adds a number.
    #[inline(always)]
    pub fn add(&mut self, x: u64) {
        let (low, carry) = self.0[0].overflowing_add(x);
        self.0 = [low, self.0[1] + u64::from(carry)];
    }

    /// The sum.
    pub fn get(self) -> u128 {
        u128::from(self.0[1]) << 64 | u128::from(self.0[0])
    }

    /// What was added since it was `before`.
    fn since(self, before: Sum) -> Sum {
        let more = self.get() - before.get();
        Sum([more as u64, (more >> 64) as u64])
    }
}

impl Traffic {
    /// What was counted since this was `before`.
    pub fn since(&self, before: &Traffic) -> Traffic {
        Traffic {
            sent: self.sent - before.sent,
            drops: self.drops - before.drops,
            received: self.received - before.received,
            received_bytes: self.received_bytes - before.received_bytes,
            unique: self.unique - before.unique,
            unique_bytes: self.unique_bytes - before.unique_bytes,
            one_way_ps: self.one_way_ps.since(before.one_way_ps),
            waited_ps: self.waited_ps.since(before.waited_ps),
        }
    }

    /// Mean one-way delay of the received packets in seconds; NaN without any.
    pub fn one_way_mean(&self) -> f64 {
        self.one_way_ps.get() as f64 * 1e-12 / self.received as f64
    }

    /// Mean time in queues of the received packets in seconds; NaN without any.
    pub fn waited_mean(&self) -> f64 {
        self.waited_ps.get() as f64 * 1e-12 / self.received as f64
    }
}

impl Control {
    /// Takes in a later span.
    pub fn add(&mut self, other: &Control) {
        self.retransmissions += other.retransmissions;
        self.timeouts += other.timeouts;
        self.marks += other.marks;
        self.lost += other.lost;
        self.rtt.merge(&other.rtt);
    }
}

/// The meter of one flow.
#[derive(Clone, Debug, Default)]
#[repr(C)]
pub struct FlowMeter {
    /// Since the warm-up; before its end, of the present interval.
    pub traffic: Traffic,
    /// One-way delays since the warm-up.
    pub one_way: Histogram,
    /// Of its source, if there is anything to count.
    pub control: Option<Box<ControlMeter>>,
}

/// The meter of a source with flow control.
#[derive(Clone, Debug, Default)]
pub struct ControlMeter {
    /// The present interval; if that is over and was measured, and nothing has happened since, the last one.
    pub now: Control,
    over: bool,
    /// The intervals since the warm-up before that one; nothing while there is none.
    total: Option<Box<Control>>,
    /// Round-trip times since the warm-up.
    pub rtt: Histogram,
}

impl ControlMeter {
    /// The last interval joins the total: in a run of one interval there is no total.
    #[cold]
    fn begin(&mut self) {
        self.total.get_or_insert_default().add(&self.now);
        (self.now, self.over) = (Control::default(), false);
    }

    /// The present interval is over: what was counted in it. In the warm-up that is forgotten.
    pub fn close(&mut self, warm_up: bool) -> Control {
        if self.over {
            return Control::default();
        }
        let count = self.now;
        if warm_up {
            self.now = Control::default()
        } else {
            self.over = true
        }
        count
    }

    fn total(&self) -> Control {
        let mut all = self.total.as_deref().copied().unwrap_or_default();
        if self.over {
            all.add(&self.now);
        }
        all
    }
}

impl FlowMeter {
    /// What is counted of its source in the present interval.
    #[inline]
    pub fn control(&mut self) -> &mut ControlMeter {
        let control = self.control.get_or_insert_default();
        if control.over {
            control.begin();
        }
        control
    }

    /// What was counted since the warm-up, when an interval is over.
    pub fn total(&self) -> Count {
        Count { traffic: self.traffic, control: self.control.as_ref().map(|c| c.total()).unwrap_or_default() }
    }
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

    fn traffic(n: u64) -> Traffic {
        let sum = |ps: u64| {
            let mut sum = Sum::default();
            (0..n).for_each(|_| sum.add(ps));
            sum
        };
        Traffic {
            sent: n,
            drops: 2 * n,
            received: 4 * n,
            received_bytes: 5 * n,
            unique: 6 * n,
            unique_bytes: 7 * n,
            one_way_ps: sum(8_000_000_000_000_000_000),
            waited_ps: sum(2_000_000_000_000_000_000),
        }
    }

    #[test]
    fn what_came_since_is_given_and_has_its_means() {
        // Sums beyond 64 bits: 7 times 8 and 2 million seconds, of which 4 times were before.
        let since = traffic(7).since(&traffic(4));
        let fields = |t: &Traffic| {
            let packets = [t.sent, t.drops, t.received, t.unique];
            (packets, t.received_bytes, t.unique_bytes, t.one_way_ps, t.waited_ps)
        };
        assert_eq!(fields(&since), fields(&traffic(3)));
        assert_eq!(traffic(7).one_way_ps.get(), 56_000_000_000_000_000_000);
        assert_eq!((since.one_way_mean(), since.waited_mean()), (2e6, 0.5e6));
        assert!(Traffic::default().one_way_mean().is_nan() && Traffic::default().waited_mean().is_nan());
    }

    #[test]
    fn spans_add_up() {
        let one = |n: u64| {
            let mut rtt = Moments::default();
            rtt.record_value(n as f64);
            Control { retransmissions: 8 * n, timeouts: 9 * n, marks: 10 * n, lost: 11 * n, rtt }
        };
        let mut sum = one(1);
        sum.add(&one(2));
        assert_eq!([sum.retransmissions, sum.timeouts, sum.marks, sum.lost, sum.rtt.count], [24, 27, 30, 33, 2]);
        assert_eq!(sum.rtt.mean(), 1.5);
    }
}
