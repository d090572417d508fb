//! A scheduler whose queues an AQM manages: what stands between the two and the port.
//!
//! A packet that the AQM drops on departure is dropped at the instant at which it would have been sent, and the scheduler chooses the next one. To the
//! scheduler it has been served, unless [`Discipline::take_back`] says otherwise.

use crate::aqm::{AnyAqm, Aqm, Queue, Verdict};
use crate::{AnyDiscipline, Backlog, Cx, Decisions, Discipline, DropKind, Dropped, LinkInfo, Look, Moment, Tell};
use headgate_packet::{FlowId, Packet, Time};
use std::slice;

/// A scheduler with an AQM for its queues: any of the list, or one that is known when this is compiled.
#[derive(Clone, Debug)]
pub struct Managed<A = AnyAqm, D = AnyDiscipline> {
    scheduler: D,
    aqm: A,
    /// What waits in each queue of the scheduler; empty where that has one queue, and counts itself.
    held: Vec<Backlog>,
    /// What waits in all of them, in the same way.
    all: Backlog,
    /// What the AQM decided, if it is to be written down.
    decisions: Option<Box<Decisions>>,
    /// The scheduler keeps conversations apart.
    per_conversation: bool,
}

impl<A: Aqm, D: Discipline> Managed<A, D> {
    /// An empty scheduler with an AQM; `per_conversation` is the scheduler's [`Discipline::PER_CONVERSATION`].
    pub fn new(scheduler: D, per_conversation: bool, aqm: A, link: &LinkInfo) -> Managed<A, D> {
        let (held, all) = (Vec::new(), Backlog::default());
        let mut made = Managed { aqm, held, all, decisions: None, scheduler, per_conversation };
        made.resize(link, Time::ZERO);
        made
    }

    /// A function of its own: asked within others, the choice among all schedulers becomes hundreds of instructions.
    #[inline(never)]
    fn scheduler_timeout(&self) -> Option<Time> {
        self.scheduler.timeout()
    }

    fn resize(&mut self, link: &LinkInfo, now: Time) {
        if D::ONE_QUEUE {
            return self.aqm.on_link_change(link, slice::from_ref(&self.scheduler.backlog()), now);
        }
        self.held.resize(self.scheduler.queues(link), Backlog::default());
        self.aqm.on_link_change(link, &self.held, now);
    }

    /// The number of the queue that a packet waits in.
    #[inline]
    fn number(&self, flow: FlowId, class: u8, arrived: Time) -> usize {
        if D::ONE_QUEUE { 0 } else { self.scheduler.class_queue(flow, class, arrived) as usize }
    }

    /// A queue as the AQM sees it.
    #[inline]
    fn queue(&self, number: usize) -> Queue {
        let port = self.backlog();
        Queue { number, waiting: if D::ONE_QUEUE { port } else { self.held[number] }, port }
    }

    /// A packet goes to this queue.
    #[inline]
    fn add(&mut self, queue: usize, bytes: u32) {
        if !D::ONE_QUEUE {
            self.held[queue].add(bytes);
            self.all.add(bytes);
        }
    }

    /// A packet has left this queue.
    #[inline]
    fn subtract(&mut self, queue: usize, bytes: u32) {
        if !D::ONE_QUEUE {
            self.held[queue].remove(bytes);
            self.all.remove(bytes);
        }
    }

    /// Writes down what the AQM decided about a packet that arrives.
    #[cold]
    #[inline(never)]
    fn write_arrival(&mut self, handle: u32, verdict: Verdict, now: Time) {
        if let Some(decisions) = &mut self.decisions {
            decisions.add(now, handle, Moment::Arrival, verdict);
        }
    }

    /// What the AQM decides about a packet that leaves, which is written down with its numbers.
    #[cold]
    #[inline(never)]
    fn write_departure(&mut self, packet: &Packet, queue: Queue, cx: &mut Cx<'_>) -> Verdict {
        let Some(decisions) = &mut self.decisions else { return Verdict::Pass };
        let look = Look { now: cx.now, in_service: cx.in_service };
        decisions.take(cx.now, packet.handle, |tell| self.aqm.explain_departure(packet, queue, &look, tell));
        let verdict = self.aqm.on_departure(packet, queue, cx);
        decisions.took(verdict);
        verdict
    }

    /// Packets that waited were dropped.
    #[inline]
    fn remove(&mut self, gone: &[Dropped]) {
        for packet in gone {
            let number = self.number(packet.flow, packet.class, packet.arrived);
            self.subtract(number, packet.bytes);
            self.aqm.on_removed(packet, number);
        }
    }
}

/// The packet with the mark. It is a function of its own: a packet that is written to in part waits for that when it is copied whole.
#[inline(never)]
fn marked(mut packet: Packet) -> Packet {
    assert!(packet.ecn.mark(), "an AQM marks only packets that can carry the mark");
    packet
}

impl<A: Aqm, D: Discipline> Discipline for Managed<A, D> {
    const SETTLES: bool = true;

    #[inline(always)]
    fn enqueue(&mut self, mut packet: Packet, cx: &mut Cx<'_>) {
        let queue = self.queue(self.number(packet.flow, packet.class, packet.arrived));
        let verdict = self.aqm.on_arrival(&packet, queue, cx);
        if self.decisions.is_some() {
            self.write_arrival(packet.handle, verdict, cx.now);
        }
        match verdict {
            Verdict::Drop(why) => return cx.drop(&packet, why),
            Verdict::Mark => packet = marked(packet),
            Verdict::Pass => {}
        }
        let before = cx.dropped.len();
        self.add(queue.number, packet.bytes);
        self.scheduler.enqueue(packet, cx);
        self.remove(&cx.dropped[before..]);
        debug_assert_eq!(self.backlog(), self.scheduler.backlog(), "what waits is what the scheduler holds");
        if cx.dropped[before..].iter().any(|gone| gone.reason.kind() == DropKind::Full) {
            self.aqm.on_refused(queue.number);
        }
    }

    #[inline(always)]
    fn dequeue(&mut self, cx: &mut Cx<'_>) -> Option<Packet> {
        loop {
            let before = cx.dropped.len();
            let packet = self.scheduler.dequeue(cx);
            self.remove(&cx.dropped[before..]);
            let packet = packet?;
            let number = self.number(packet.flow, packet.class, packet.arrived);
            self.subtract(number, packet.bytes);
            let queue = self.queue(number);
            let verdict = if self.decisions.is_some() {
                self.write_departure(&packet, queue, cx)
            } else {
                self.aqm.on_departure(&packet, queue, cx)
            };
            match verdict {
                Verdict::Pass => return Some(packet),
                Verdict::Mark => return Some(marked(packet)),
                Verdict::Drop(why) => {
                    cx.drop(&packet, why);
                    self.scheduler.take_back(&packet);
                }
            }
        }
    }

    #[inline]
    fn backlog(&self) -> Backlog {
        if D::ONE_QUEUE { self.scheduler.backlog() } else { self.all }
    }

    #[inline]
    fn timeout(&self) -> Option<Time> {
        match (self.scheduler_timeout(), self.aqm.timeout()) {
            (Some(scheduler), Some(aqm)) => Some(scheduler.min(aqm)),
            (scheduler, aqm) => scheduler.or(aqm),
        }
    }

    fn on_timeout(&mut self, cx: &mut Cx<'_>) {
        if self.aqm.timeout().is_some_and(|at| at <= cx.now) {
            if D::ONE_QUEUE {
                self.aqm.on_timeout(slice::from_ref(&self.scheduler.backlog()), cx.now);
            } else {
                self.aqm.on_timeout(&self.held, cx.now);
            }
        }
        if self.scheduler.timeout().is_some_and(|at| at <= cx.now) {
            let before = cx.dropped.len();
            self.scheduler.on_timeout(cx);
            self.remove(&cx.dropped[before..]);
        }
    }

    fn on_link_change(&mut self, link: &LinkInfo, now: Time) {
        self.scheduler.on_link_change(link, now);
        self.resize(link, now);
    }

    fn has_forgotten(&self, flow: FlowId, now: Time) -> bool {
        let own = self.per_conversation.then(|| self.number(flow, 0, now));
        self.scheduler.has_forgotten(flow, now) && self.aqm.has_forgotten(flow, own, now)
    }

    fn shares_by_known_weights(&self) -> bool {
        self.scheduler.shares_by_known_weights()
    }

    fn never_forgets(&self) -> bool {
        self.scheduler.never_forgets() || self.aqm.never_forgets(self.per_conversation)
    }

    fn on_idle(&mut self) {
        self.scheduler.on_idle();
    }

    /// The scheduler's gauges, and those of the AQM where there is one queue.
    fn probe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        self.scheduler.probe(sink);
        if D::ONE_QUEUE || !self.per_conversation && self.held.len() == 1 {
            self.aqm.probe(sink);
        }
    }

    fn explain(&self, packet: &Packet, look: &Look, tell: Tell<'_>) {
        self.scheduler.explain(packet, look, tell);
        let queue = self.queue(self.number(packet.flow, packet.class, packet.arrived));
        self.aqm.explain_arrival(packet, queue, look, tell);
    }

    fn write_down(&mut self) {
        self.decisions.get_or_insert_default();
    }

    fn decisions(&mut self) -> Option<&mut Decisions> {
        self.decisions.as_deref_mut()
    }
}
