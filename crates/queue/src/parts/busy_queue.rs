//! First come, first served, with the average queue length that DECbit gateways measure (`busy_line.rs`).

use super::BusyLine;
use crate::disciplines::fcfs::Fcfs;
use crate::{Backlog, Cx, Discipline, LinkInfo, Look, Tell};
use headgate_packet::{Buffer, Packet, Rate, Time};

/// A first-in first-out queue in front of a line whose busy periods are followed.
#[derive(Clone, Debug)]
pub struct BusyQueue {
    queue: Fcfs,
    line: BusyLine,
}

impl BusyQueue {
    /// An empty queue.
    pub fn new(buffer: Buffer, link: &LinkInfo) -> BusyQueue {
        BusyQueue { queue: Fcfs::with_buffer(buffer), line: BusyLine::new(link.rate) }
    }

    /// The line has another rate; the present transmission ends when it would have.
    pub fn set_rate(&mut self, rate: Rate) {
        self.line.set_rate(rate);
    }

    /// A packet is about to be queued. True when a new cycle begins with it: the line was idle.
    pub fn on_arrival(&mut self, now: Time) -> bool {
        self.line.on_arrival(now)
    }

    /// The average queue length, a packet in transmission included.
    pub fn average(&mut self, now: Time) -> f64 {
        self.line.average(now)
    }

    /// What `on_arrival` and then `average` would give; changes nothing.
    pub fn look(&self, now: Time) -> (bool, f64) {
        let mut line = self.line.clone();
        (line.on_arrival(now), line.average(now))
    }

    /// What decides whether a packet has room.
    pub fn explain(&self, packet: &Packet, look: &Look, tell: Tell<'_>) {
        self.queue.explain(packet, look, tell);
    }

    /// Queues the packet just announced, or drops it.
    pub fn enqueue(&mut self, packet: Packet, cx: &mut Cx<'_>) {
        let before = cx.dropped.len();
        self.queue.enqueue(packet, cx);
        if cx.dropped.len() > before {
            self.line.on_drop();
        }
    }

    /// The packet whose transmission starts now.
    pub fn dequeue(&mut self, cx: &mut Cx<'_>) -> Option<Packet> {
        let packet = self.queue.dequeue(cx)?;
        self.line.on_start(cx.now, packet.bytes);
        Some(packet)
    }

    /// What is waiting.
    #[inline]
    pub fn backlog(&self) -> Backlog {
        self.queue.backlog()
    }
}
