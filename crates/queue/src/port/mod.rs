//! A port: a discipline, the rate of its line, and counters.
//!
//! Both the simulator and a real gateway drive it with `offer`, `advance` and `next` only. Each transmission starts at its own
//! time, so a late wake-up changes no decision.
//! At one instant a discipline's timeout comes first, then the end of a transmission and the start of the next one, then arrivals.
//! A driver that wants another order at an instant uses the parts of `offer`: `advance`, `accept` and `start`.

mod preemption;
mod service;

use crate::line::Law;
use crate::{
    AnyDiscipline, Backlog, Counters, Decisions, Discipline, Dropped, InService, LinkInfo, Look, Number, Sent, Tell,
};
use headgate_packet::{Packet, Rate, Rng, Serialiser, Time};
pub use service::Service;

/// Sentences to what a port tells of its buffer, for every discipline.
pub const SAYS: &str = include_str!("room.says");

/// A discipline that feeds a line: one of the list unless another type is named.
#[derive(Clone, Debug)]
pub struct Port<D = AnyDiscipline> {
    discipline: D,
    service: Service,
}

impl<D: Discipline> Port<D> {
    /// An idle port. `rng` is the discipline's random stream.
    pub fn new(discipline: D, rate: Rate, rng: Rng) -> Port<D> {
        let service = Service::new(&discipline, rate, rng);
        Port { discipline, service }
    }

    /// The discipline's random stream.
    pub fn rng(&self) -> &Rng {
        &self.service.rng
    }

    /// Says whether the packet in transmission takes room in the buffer, before anything was sent.
    pub fn count_in_service(&mut self, in_service: InService) {
        self.service.in_service = in_service;
        self.service.passes &= in_service == InService::Extra;
    }

    /// Sets the law of the line, before anything was sent.
    pub fn follow(&mut self, law: Law) {
        (self.service.law, self.service.passes) = (Some(Box::new(law)), false);
    }

    /// The link has got more conversations.
    pub fn grow(&mut self, link: &LinkInfo) {
        self.discipline.on_link_change(link, self.service.integrated);
    }

    /// The line has another rate from `now` on, up to which everything due was performed. The packet in transmission ends when it would
    /// have; the next one has the new rate, and so has the rest of one that was interrupted.
    pub fn set_link(&mut self, link: &LinkInfo, now: Time) {
        let Port { discipline, service } = self;
        if link.rate != service.line.rate() {
            service.settle_use(now);
            service.line = Serialiser::new(link.rate);
        }
        discipline.on_link_change(link, now);
        service.refresh(discipline, service.dropped.len());
        if service.stalled {
            // What it kept back may be sent at another time now.
            service.stalled = false;
            service.ready_at = service.free_at.max(now);
        }
    }

    /// Takes the line down or brings it up again at `now`. While it is down no transmission starts and packets are still accepted; the
    /// one in transmission ends as it would have. The discipline is not informed.
    pub fn set_up(&mut self, up: bool, now: Time) {
        let Port { discipline, service } = self;
        if up == service.down.is_some() {
            service.settle_use(now);
        }
        match (up, service.down) {
            (false, None) => {
                service.down = Some(service.free_at);
                (service.free_at, service.ready_at) = (Time::NEVER, Time::NEVER);
            }
            (true, Some(free_at)) => {
                service.down = None;
                (service.free_at, service.ready_at) = (free_at, free_at.max(now));
                if D::PREEMPTS {
                    service.contest(now);
                }
            }
            _ => {}
        }
        if D::PREEMPTS {
            service.refresh(discipline, service.dropped.len());
        }
    }

    /// Hands over a packet that arrives at `now`; transmissions due by then start first, each at its own time.
    #[inline(always)]
    pub fn offer(&mut self, packet: Packet, now: Time, sent: &mut impl FnMut(Sent)) {
        match self.discipline.as_fcfs() {
            Some(fcfs) => self.service.offer::<_, true>(fcfs, packet, now, sent),
            None => self.discipline.offer(&mut self.service, packet, now, sent),
        }
    }

    /// Puts a packet that arrives at `now` into the queue, whatever the state of the line.
    #[inline]
    pub fn accept(&mut self, packet: Packet, now: Time) {
        self.service.accept(&mut self.discipline, packet, now);
    }

    /// Drops the packet with this handle at `now`, up to which everything due was performed, because another port needs its room; false if it does
    /// not wait here. Only where the discipline gives packets up: [`Discipline::GIVES_UP`].
    pub fn withdraw(&mut self, handle: u32, now: Time) -> bool {
        self.service.withdraw(&mut self.discipline, handle, now)
    }

    /// Drops a packet that arrives at `now` and for which there is no room outside the port. The discipline does not see it.
    pub fn refuse(&mut self, packet: Packet, now: Time) {
        self.service.refuse(&self.discipline, packet, now);
    }

    /// Starts a transmission at `now` if the line is free and something waits.
    #[inline]
    pub fn start(&mut self, now: Time, sent: &mut impl FnMut(Sent)) {
        self.service.start(&mut self.discipline, now, sent);
    }

    /// Whether the line is free at `now` and nothing waits for it.
    #[inline]
    pub fn is_idle(&self, now: Time) -> bool {
        self.service.free_at <= now && self.service.waiting == 0 && self.begun() == 0
    }

    /// Packets that neither wait nor were sent: a part of them was. There are some only where the discipline preempts, whose packets are sent when
    /// their last bit has left.
    pub fn begun(&self) -> u64 {
        self.service.begun.as_ref().map_or(0, |begun| begun.packets())
    }

    /// The end of the present transmission as far as is known, where its packet is sent only then: see [`Port::begun`].
    pub fn ends(&self) -> Option<Time> {
        self.service.current_end()
    }

    /// Performs every timeout and starts every transmission that is due by `now`.
    #[inline(always)]
    pub fn advance(&mut self, now: Time, sent: &mut impl FnMut(Sent)) {
        if self.next() <= now {
            match self.discipline.as_fcfs() {
                Some(fcfs) => self.service.advance(fcfs, now, sent),
                None => self.discipline.advance(&mut self.service, now, sent),
            }
        }
    }

    /// When `advance` has something to do next; `NEVER` if not before an arrival.
    #[inline]
    pub fn next(&self) -> Time {
        self.service.next_start().min(self.service.timeout)
    }

    /// Packets dropped since the caller last emptied the list, in the order in which it happened. They are counted already.
    #[inline]
    pub fn dropped(&mut self) -> &mut Vec<Dropped> {
        &mut self.service.dropped
    }

    /// Counters up to `now`.
    pub fn counters(&self, now: Time) -> Counters {
        self.service.counters(now)
    }

    /// Starts the maximum of the backlog again, for an observation that begins now.
    pub fn reset_backlog_max(&mut self) {
        self.service.counters.backlog_max = self.discipline.backlog().packets;
    }

    /// What waits.
    #[inline]
    pub fn backlog(&self) -> Backlog {
        self.discipline.backlog()
    }

    /// The configured rate.
    pub fn rate(&self) -> Rate {
        self.service.line.rate()
    }

    /// The numbers that decide about a packet, were it to arrive at `now`, up to which the port was advanced: what the buffer holds, then what
    /// the discipline says. Nothing changes.
    pub fn explain(&self, mut packet: Packet, now: Time, tell: Tell<'_>) {
        packet.arrived = now;
        let mut look = Look { now, in_service: Backlog::default() };
        if self.service.counts(now) {
            look.in_service.add(self.service.sending);
        }
        look.in_service.add_all(self.service.interrupted());
        let Backlog { packets, bytes } = self.discipline.backlog();
        tell(Number::HeldPackets, (packets + look.in_service.packets) as f64);
        tell(Number::HeldBytes, (bytes + look.in_service.bytes) as f64);
        self.discipline.explain(&packet, &look, tell);
    }

    /// Writes down from now on what the discipline decides about packets, to be taken by [`Port::decisions`]. Nothing else changes.
    pub fn write_down(&mut self) {
        self.discipline.write_down();
    }

    /// What was decided about packets since the caller last emptied the list, if it was to be written down and there is anything.
    pub fn decisions(&mut self) -> Option<&mut Decisions> {
        self.discipline.decisions()
    }

    /// The discipline, to be set up.
    pub fn discipline_mut(&mut self) -> &mut D {
        &mut self.discipline
    }

    /// The discipline, for its gauges.
    pub fn discipline(&self) -> &D {
        &self.discipline
    }
}
