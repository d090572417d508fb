//! A discipline for tests that drops what has waited too long, when it is asked for a packet and by a timer, as CoDel and its like do.

use headgate_packet::{Duration, Packet, Time};
use headgate_queue::{Backlog, Cx, Discipline, DropReason, Look, Tell};
use std::collections::VecDeque;

/// A packet that has waited longer is not sent.
const MOST: Duration = Duration::from_millis(500);
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
            cx.drop(&packet, DropReason::Early);
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
