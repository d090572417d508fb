//! A discipline for tests that drops what has waited too long, when it is asked for a packet and by a timer, as CoDel and its like do.

use headgate_packet::{Duration, FlowId, Packet, Time};
use headgate_queue::aqm::{Aqm, Queue, Verdict};
use headgate_queue::{Backlog, Cx, Discipline, DropReason, LinkInfo, Look, Number, Tell};
use std::collections::VecDeque;

/// A packet that has waited longer is not sent.
pub const MOST: Duration = Duration::from_millis(500);
/// A packet that has waited so long does not stay.
const LIMIT: Duration = Duration::from_millis(800);

/// First come, first served without a bound, but for time.
#[derive(Clone, Debug, Default)]
pub struct Stale {
    queue: VecDeque<Packet>,
}

impl Discipline for Stale {
    fn enqueue(&mut self, packet: Packet, _cx: &mut Cx<'_>) {
        self.queue.push_back(packet);
    }

    fn dequeue(&mut self, cx: &mut Cx<'_>) -> Option<Packet> {
        loop {
            let packet = self.queue.pop_front()?;
            if cx.now.since(packet.arrived) <= MOST {
                return Some(packet);
            }
            cx.drop(&packet, DropReason::AboveMax);
        }
    }

    fn backlog(&self) -> Backlog {
        Backlog {
            packets: self.queue.len() as u64,
            bytes: self.queue.iter().map(|packet| u64::from(packet.bytes)).sum(),
        }
    }

    fn timeout(&self) -> Option<Time> {
        self.queue.front().map(|packet| packet.arrived + LIMIT)
    }

    fn on_timeout(&mut self, cx: &mut Cx<'_>) {
        while self.timeout().is_some_and(|at| at <= cx.now) {
            let packet = self.queue.pop_front().expect("its time has come");
            cx.drop(&packet, DropReason::Evicted);
        }
    }

    fn explain(&self, _packet: &Packet, _look: &Look, _tell: Tell<'_>) {}
}

/// The same as an AQM: packets that have waited too long are dropped as they leave, every third one is marked then, and one in five arrivals is
/// dropped. It wakes up every second and counts that.
#[derive(Clone, Debug, Default)]
pub struct StaleAqm {
    arrivals: Vec<u64>,
    departures: u64,
    ticks: u64,
}

impl Aqm for StaleAqm {
    const DROPS_ON_DEPARTURE: bool = true;

    fn on_link_change(&mut self, _link: &LinkInfo, queues: &[Backlog], _now: Time) {
        assert!(self.arrivals.len() <= queues.len(), "queues keep their numbers");
        self.arrivals.resize(queues.len(), 0);
    }

    fn on_arrival(&mut self, packet: &Packet, queue: Queue, cx: &mut Cx<'_>) -> Verdict {
        assert_eq!(packet.arrived, cx.now);
        self.arrivals[queue.number] += 1;
        if self.arrivals[queue.number].is_multiple_of(5) { Verdict::Drop(DropReason::Random) } else { Verdict::Pass }
    }

    fn on_departure(&mut self, packet: &Packet, queue: Queue, cx: &mut Cx<'_>) -> Verdict {
        assert!(queue.number < self.arrivals.len());
        if cx.now.since(packet.arrived) > MOST {
            return Verdict::Drop(DropReason::AboveMax);
        }
        self.departures += 1;
        if self.departures.is_multiple_of(3) && packet.ecn.is_capable() { Verdict::Mark } else { Verdict::Pass }
    }

    fn timeout(&self) -> Option<Time> {
        Some(Time::ZERO + Duration::from_secs(self.ticks + 1)).filter(|_| self.ticks < 100)
    }

    fn on_timeout(&mut self, queues: &[Backlog], now: Time) {
        assert!(self.timeout() == Some(now) && queues.len() == self.arrivals.len());
        self.ticks += 1;
    }

    fn has_forgotten(&self, _flow: FlowId, _own: Option<usize>, _now: Time) -> bool {
        false
    }

    fn explain_arrival(&self, _packet: &Packet, queue: Queue, _look: &Look, tell: Tell<'_>) {
        tell(Number::Count, self.arrivals[queue.number] as f64);
    }

    fn explain_departure(&self, packet: &Packet, _queue: Queue, look: &Look, tell: Tell<'_>) {
        tell(Number::Sojourn, look.now.since(packet.arrived).as_secs_f64());
    }
}
