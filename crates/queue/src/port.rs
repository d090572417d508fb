//! A port: a discipline, the rate of its line, and counters.
//!
//! Both the simulator and a real gateway drive it with `offer`, `advance` and `next` only. Each transmission starts at its own
//! time, so a late wake-up changes no decision.
//! At one instant a discipline's timeout comes first, then the end of a transmission and the start of the next one, then arrivals.
//! A driver that wants another order at an instant uses the parts of `offer`: `advance`, `accept` and `start`.

use crate::line::Law;
use crate::{AnyDiscipline, Backlog, Counters, Cx, Discipline, Dropped, InService, LinkInfo, Look, Number, Sent, Tell};
use headgate_packet::{Duration, Packet, Rate, Rng, Serialiser, Time};

/// A discipline that feeds a line: one of the list unless another type is named.
#[derive(Clone, Debug)]
pub struct Port<D = AnyDiscipline> {
    discipline: D,
    service: Service,
}

/// A port without its discipline, which is handed to it for each call. Which discipline of the list it is, is looked up once for a call and not
/// for each question to the discipline.
#[derive(Clone, Debug)]
pub struct Service {
    line: Serialiser,
    /// Nothing for a line that sends one bit after the other.
    law: Option<Box<Law>>,
    rng: Rng,
    /// When the line is next free; the present transmission ends then.
    free_at: Time,
    /// When the packets that wait may be served: the later of `free_at` and the first one's arrival at an idle line.
    ready_at: Time,
    /// The line is down; its last transmission ends, or ended, then. `free_at` is `NEVER` meanwhile.
    down: Option<Time>,
    /// The discipline answered nothing although packets wait: it is asked again after its timeout or an arrival.
    stalled: bool,
    /// What the discipline said last: packets that wait, and when it wants its timeout.
    waiting: u64,
    timeout: Time,
    in_service: InService,
    /// Whether a packet that finds the line free may pass by the queue: no law says when the line sends, and the one in transmission is not counted.
    passes: bool,
    /// Length of the packet in transmission or, on an idle line, of the last one; 0 before the first.
    sending: u32,
    /// Time that its transmission takes of the line, in ps.
    sending_ps: u64,
    /// What is integrated over time is up to date until then.
    integrated: Time,
    counters: Counters,
    /// What was dropped since the driver last emptied the list, in the order in which it happened.
    dropped: Vec<Dropped>,
}

impl<D: Discipline> Port<D> {
    /// An idle port. `rng` is the discipline's random stream.
    pub fn new(discipline: D, rate: Rate, rng: Rng) -> Port<D> {
        let service = Service {
            timeout: discipline.timeout().unwrap_or(Time::NEVER),
            line: Serialiser::new(rate),
            law: None,
            rng,
            free_at: Time::ZERO,
            ready_at: Time::ZERO,
            down: None,
            stalled: false,
            waiting: 0,
            in_service: InService::Extra,
            passes: true,
            sending: 0,
            sending_ps: 0,
            integrated: Time::ZERO,
            counters: Counters::default(),
            dropped: Vec::new(),
        };
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
    /// have; the next one has the new rate.
    pub fn set_link(&mut self, link: &LinkInfo, now: Time) {
        let Port { discipline, service } = self;
        if link.rate != service.line.rate() {
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
        let service = &mut self.service;
        match (up, service.down) {
            (false, None) => {
                service.down = Some(service.free_at);
                (service.free_at, service.ready_at) = (Time::NEVER, Time::NEVER);
            }
            (true, Some(free_at)) => {
                service.down = None;
                (service.free_at, service.ready_at) = (free_at, free_at.max(now));
            }
            _ => {}
        }
    }

    /// Hands over a packet that arrives at `now`; transmissions due by then start first, each at its own time.
    #[inline]
    pub fn offer(&mut self, packet: Packet, now: Time, sent: &mut impl FnMut(Sent)) {
        self.discipline.offer(&mut self.service, packet, now, sent);
    }

    /// Puts a packet that arrives at `now` into the queue, whatever the state of the line.
    #[inline]
    pub fn accept(&mut self, packet: Packet, now: Time) {
        self.service.accept(&mut self.discipline, packet, now);
    }

    /// Starts a transmission at `now` if the line is free and something waits.
    #[inline]
    pub fn start(&mut self, now: Time, sent: &mut impl FnMut(Sent)) {
        self.service.start(&mut self.discipline, now, sent);
    }

    /// Whether the line is free at `now` and nothing waits for it.
    #[inline]
    pub fn is_idle(&self, now: Time) -> bool {
        self.service.free_at <= now && self.service.waiting == 0
    }

    /// Performs every timeout and starts every transmission that is due by `now`.
    #[inline]
    pub fn advance(&mut self, now: Time, sent: &mut impl FnMut(Sent)) {
        if self.next() <= now {
            self.discipline.advance(&mut self.service, now, sent);
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
    pub fn counters(&mut self, now: Time) -> Counters {
        let service = &mut self.service;
        service.integrate(now);
        let end = service.down.unwrap_or(service.free_at);
        let left = end.since(now).as_ps().min(service.sending_ps);
        Counters { busy_ps: service.counters.service_ps - left, ..service.counters }
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
        let Backlog { packets, bytes } = self.discipline.backlog();
        tell(Number::HeldPackets, (packets + look.in_service.packets) as f64);
        tell(Number::HeldBytes, (bytes + look.in_service.bytes) as f64);
        self.discipline.explain(&packet, &look, tell);
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

impl Service {
    /// See [`Port::offer`].
    #[inline]
    pub fn offer<D: Discipline>(&mut self, discipline: &mut D, packet: Packet, now: Time, sent: &mut impl FnMut(Sent)) {
        self.advance(discipline, now, sent);
        if D::PASSES && self.waiting == 0 && self.free_at <= now && self.passes {
            return self.pass(discipline, packet, now, sent);
        }
        self.accept(discipline, packet, now);
        self.start(discipline, now, sent);
    }

    /// Hands over a packet that finds nothing waiting and the line free. It is a separate function, since many disciplines do not use it.
    #[inline(never)]
    fn pass<D: Discipline>(&mut self, discipline: &mut D, mut packet: Packet, now: Time, sent: &mut impl FnMut(Sent)) {
        packet.arrived = now;
        self.counters.offered += 1;
        self.counters.offered_bytes += u64::from(packet.bytes);
        self.integrate(now);
        let drops = self.dropped.len();
        let next = discipline.pass(packet, &mut Cx::new(now, &mut self.rng, &mut self.dropped));
        self.refresh(discipline, drops);
        match next {
            Some(packet) => self.send(packet, now, sent),
            None => {
                self.ready_at = now;
                self.stalled = self.waiting > 0;
            }
        }
        self.counters.backlog_max = self.counters.backlog_max.max(self.waiting);
    }

    /// See [`Port::accept`].
    #[inline]
    pub fn accept<D: Discipline>(&mut self, discipline: &mut D, mut packet: Packet, now: Time) {
        packet.arrived = now;
        self.counters.offered += 1;
        self.counters.offered_bytes += u64::from(packet.bytes);
        self.integrate(now);
        let (before, drops) = (self.waiting, self.dropped.len());
        let counts = self.counts(now);
        let mut cx = Cx::new(now, &mut self.rng, &mut self.dropped);
        if counts {
            cx.in_service = Backlog { packets: 1, bytes: u64::from(self.sending) };
        }
        discipline.enqueue(packet, &mut cx);
        self.refresh(discipline, drops);
        if before == 0 || self.stalled {
            self.ready_at = self.free_at.max(now);
            self.stalled = false;
        }
    }

    /// Whether the packet in transmission counts against the buffer.
    #[inline(always)]
    fn counts(&self, now: Time) -> bool {
        match self.in_service {
            InService::Extra => false,
            InService::UntilEnd => self.down.unwrap_or(self.free_at) > now,
            InService::ThroughEnd => self.down.unwrap_or(self.free_at) >= now && self.sending > 0,
        }
    }

    /// See [`Port::start`].
    #[inline]
    pub fn start<D: Discipline>(&mut self, discipline: &mut D, now: Time, sent: &mut impl FnMut(Sent)) {
        if self.ready_at <= now && self.waiting > 0 {
            self.transmit(discipline, now, sent);
        }
        self.counters.backlog_max = self.counters.backlog_max.max(self.waiting);
    }

    /// Takes note of what the discipline says after a call changed it, and counts what it dropped: all but the first `drops` of the list.
    #[inline]
    fn refresh<D: Discipline>(&mut self, discipline: &D, drops: usize) {
        for gone in &self.dropped[drops..] {
            self.counters.dropped[gone.reason as usize] += 1;
        }
        self.waiting = discipline.backlog().packets;
        self.timeout = discipline.timeout().unwrap_or(Time::NEVER);
    }

    /// See [`Port::advance`].
    #[inline]
    pub fn advance<D: Discipline>(&mut self, discipline: &mut D, now: Time, sent: &mut impl FnMut(Sent)) {
        loop {
            let start = self.next_start();
            if self.timeout != Time::NEVER && self.timeout <= now && self.timeout <= start {
                let at = self.timeout;
                self.integrate(at);
                let drops = self.dropped.len();
                discipline.on_timeout(&mut Cx::new(at, &mut self.rng, &mut self.dropped));
                self.refresh(discipline, drops);
                if self.stalled {
                    self.stalled = false;
                    self.ready_at = self.free_at.max(at);
                }
            } else if start <= now && start != Time::NEVER {
                self.transmit(discipline, start, sent);
            } else {
                return;
            }
        }
    }

    /// When the next transmission starts, as far as is known.
    #[inline]
    fn next_start(&self) -> Time {
        if self.stalled || self.waiting == 0 { Time::NEVER } else { self.ready_at }
    }

    #[inline]
    fn transmit<D: Discipline>(&mut self, discipline: &mut D, start: Time, sent: &mut impl FnMut(Sent)) {
        if self.law.is_some() {
            return self.transmit_by_law(discipline, start, sent);
        }
        if let Some(packet) = self.next_packet(discipline, start) {
            self.send(packet, start, sent);
        }
    }

    #[inline(always)]
    fn next_packet<D: Discipline>(&mut self, discipline: &mut D, start: Time) -> Option<Packet> {
        self.integrate(start);
        let drops = self.dropped.len();
        let next = discipline.dequeue(&mut Cx::new(start, &mut self.rng, &mut self.dropped));
        self.refresh(discipline, drops);
        if next.is_none() {
            self.stalled = self.waiting > 0;
        }
        next
    }

    /// As `transmit`, on a line that has a law.
    #[cold]
    fn transmit_by_law<D: Discipline>(&mut self, discipline: &mut D, start: Time, sent: &mut impl FnMut(Sent)) {
        let Some(law) = &mut self.law else { return };
        let opens = law.opens(start);
        if opens != start {
            self.ready_at = opens;
            return;
        }
        let Some(packet) = self.next_packet(discipline, start) else { return };
        let Some(law) = &mut self.law else { return };
        let (end, busy) = law.transmit(&mut self.line, packet.bytes, start);
        self.note(packet, start, end, busy, sent);
    }

    /// The transmission of a packet starts.
    #[inline(always)]
    fn send(&mut self, packet: Packet, start: Time, sent: &mut impl FnMut(Sent)) {
        let end = start + self.line.transmit(packet.bytes);
        // As far as the clock reaches: all of it together then is no more than that.
        self.note(packet, start, end, end.since(start), sent);
    }

    #[inline(always)]
    fn note(&mut self, packet: Packet, start: Time, end: Time, busy: Duration, sent: &mut impl FnMut(Sent)) {
        (self.free_at, self.ready_at) = (end, end);
        (self.sending, self.sending_ps) = (packet.bytes, busy.as_ps());
        let c = &mut self.counters;
        c.sent += 1;
        c.sent_bytes += u64::from(packet.bytes);
        c.service_ps += busy.as_ps();
        c.wait_ps += u128::from(start.since(packet.arrived).as_ps());
        sent(Sent { packet, start, end });
    }

    /// Brings what is integrated over time up to `now`, before anything changes: nothing else sets the time up to which it is.
    #[inline]
    fn integrate(&mut self, now: Time) {
        let held: Duration = now.since(self.integrated);
        self.counters.backlog_ps += u128::from(self.waiting) * u128::from(held.as_ps());
        self.integrated = now;
    }
}
