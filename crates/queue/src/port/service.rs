//! The service of a port: when the line is free, what is served next, and what is counted and integrated meanwhile.

use super::preemption::Begun;
use crate::line::Law;
use crate::{Backlog, Counters, Cx, Discipline, DropReason, Dropped, InService, Sent};
use headgate_packet::{Duration, Packet, Rate, Rng, Serialiser, Time};

/// A port without its discipline, which is handed to it for each call. Which discipline of the list it is, is looked up once for a call and not
/// for each question to the discipline.
#[derive(Clone, Debug)]
pub struct Service {
    pub(super) line: Serialiser,
    /// Nothing for a line that sends one bit after the other.
    pub(super) law: Option<Box<Law>>,
    /// Packets of which a part was sent; nothing unless the discipline preempts.
    pub(super) begun: Option<Box<Begun>>,
    pub(super) rng: Rng,
    /// When the line is next free; the present transmission ends then.
    pub(super) free_at: Time,
    /// When the packets that wait may be served: the later of `free_at` and the first one's arrival at an idle line.
    pub(super) ready_at: Time,
    /// The line is down; its last transmission ends, or ended, then. `free_at` is `NEVER` meanwhile.
    pub(super) down: Option<Time>,
    /// The discipline answered nothing although packets wait: it is asked again after its timeout or an arrival.
    pub(super) stalled: bool,
    /// What the discipline said last: packets that wait, and when it wants its timeout.
    pub(super) waiting: u64,
    pub(super) timeout: Time,
    pub(super) in_service: InService,
    /// Whether a packet that finds the line free may pass by the queue: no law says when the line sends, and the one in transmission is not counted.
    pub(super) passes: bool,
    /// Length of the packet in transmission or, on an idle line, of the last one; 0 before the first.
    pub(super) sending: u32,
    /// Time that its transmission takes of the line, in ps.
    pub(super) sending_ps: u64,
    /// What is integrated over time is up to date until then.
    pub(super) integrated: Time,
    pub(super) counters: Counters,
    /// What had been used of the line when its rate or its state last changed: the time of transmissions in ps, or the bytes of a line that sends at
    /// certain times. `Counters::used` holds what that is in bits.
    pub(super) used_by: u64,
    /// What was dropped since the driver last emptied the list, in the order in which it happened.
    pub(super) dropped: Vec<Dropped>,
}

impl Service {
    /// A port that is idle and without a law.
    pub(super) fn new(discipline: &impl Discipline, rate: Rate, rng: Rng) -> Service {
        Service {
            timeout: discipline.timeout().unwrap_or(Time::NEVER),
            line: Serialiser::new(rate),
            law: None,
            begun: discipline.is_preemptive().then(Box::default),
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
            used_by: 0,
            dropped: Vec::new(),
        }
    }

    /// See [`crate::Port::offer`]. A function for each discipline, so that to find out which one it is costs no more than a jump.
    #[inline(never)]
    pub fn offer_apart<D: Discipline>(
        &mut self,
        discipline: &mut D,
        packet: Packet,
        now: Time,
        sent: &mut impl FnMut(Sent),
    ) {
        self.offer::<D, false>(discipline, packet, now, sent);
    }

    /// See [`crate::Port::offer`]. `HERE`: with all that it calls in one place.
    #[inline(always)]
    pub fn offer<D: Discipline, const HERE: bool>(
        &mut self,
        discipline: &mut D,
        packet: Packet,
        now: Time,
        sent: &mut impl FnMut(Sent),
    ) {
        if self.next_start().min(self.timeout) <= now {
            self.advance(discipline, now, sent);
        }
        if D::PASSES && self.waiting == 0 && self.free_at <= now && self.passes {
            return if HERE {
                self.pass(discipline, packet, now, sent);
            } else {
                self.pass_apart(discipline, packet, now, sent);
            };
        }
        self.accept(discipline, packet, now);
        self.start(discipline, now, sent);
    }

    /// Hands over a packet that finds nothing waiting and the line free: a separate function, since many disciplines do not use it.
    #[inline(never)]
    fn pass_apart<D: Discipline>(
        &mut self,
        discipline: &mut D,
        packet: Packet,
        now: Time,
        sent: &mut impl FnMut(Sent),
    ) {
        self.pass(discipline, packet, now, sent);
    }

    #[inline(always)]
    fn pass<D: Discipline>(&mut self, discipline: &mut D, mut packet: Packet, now: Time, sent: &mut impl FnMut(Sent)) {
        packet.arrived = now;
        self.counters.offered += 1;
        self.counters.offered_bytes += u64::from(packet.bytes);
        // Nothing waits, so that there is nothing to integrate.
        self.integrated = now;
        let drops = self.dropped.len();
        let next = discipline.pass(packet, &mut Cx::new(now, &mut self.rng, &mut self.dropped));
        self.refresh(discipline, drops);
        match next {
            Some(packet) => self.send::<D>(packet, now, sent),
            None => {
                self.ready_at = now;
                self.stalled = self.waiting > 0;
            }
        }
        self.counters.backlog_max = self.counters.backlog_max.max(self.waiting);
    }

    /// See [`crate::Port::accept`].
    #[inline(always)]
    pub fn accept<D: Discipline>(&mut self, discipline: &mut D, mut packet: Packet, now: Time) {
        packet.arrived = now;
        self.counters.offered += 1;
        self.counters.offered_bytes += u64::from(packet.bytes);
        self.integrate(now);
        let (before, drops) = (self.waiting, self.dropped.len());
        if D::SETTLES && before == 0 && self.down.unwrap_or(self.free_at) <= now {
            discipline.on_idle();
        }
        let counts = self.counts(now);
        let interrupted = if D::PREEMPTS { self.interrupted() } else { Backlog::default() };
        let mut cx = Cx::new(now, &mut self.rng, &mut self.dropped);
        if counts {
            cx.in_service = Backlog { packets: 1, bytes: u64::from(self.sending) };
        }
        if D::PREEMPTS {
            cx.in_service.add_all(interrupted);
        }
        discipline.enqueue(packet, &mut cx);
        self.refresh(discipline, drops);
        if before == 0 || self.stalled {
            self.ready_at = self.free_at.max(now);
            self.stalled = false;
        }
        if D::PREEMPTS {
            self.contest(now);
            self.timeout = self.timeout.min(self.due());
        }
    }

    /// See [`crate::Port::withdraw`].
    pub(super) fn withdraw<D: Discipline>(&mut self, discipline: &mut D, handle: u32, now: Time) -> bool {
        self.integrate(now);
        let drops = self.dropped.len();
        let found = discipline.withdraw(handle, &mut Cx::new(now, &mut self.rng, &mut self.dropped));
        self.refresh(discipline, drops);
        self.stalled &= self.waiting > 0;
        found
    }

    /// See [`crate::Port::refuse`].
    pub(super) fn refuse<D: Discipline>(&mut self, discipline: &D, mut packet: Packet, now: Time) {
        packet.arrived = now;
        self.counters.offered += 1;
        self.counters.offered_bytes += u64::from(packet.bytes);
        let drops = self.dropped.len();
        Cx::new(now, &mut self.rng, &mut self.dropped).drop(&packet, DropReason::Full);
        self.refresh(discipline, drops);
    }

    /// Whether the packet in transmission counts against the buffer.
    #[inline(always)]
    pub(super) fn counts(&self, now: Time) -> bool {
        match self.in_service {
            InService::Extra => false,
            InService::UntilEnd => self.down.unwrap_or(self.free_at) > now,
            InService::ThroughEnd => self.down.unwrap_or(self.free_at) >= now && self.sending > 0,
        }
    }

    /// See [`crate::Port::start`].
    #[inline]
    pub fn start<D: Discipline>(&mut self, discipline: &mut D, now: Time, sent: &mut impl FnMut(Sent)) {
        if D::PREEMPTS && self.begun.is_some() {
            self.go_on(discipline, now, sent);
        } else if self.ready_at <= now && self.waiting > 0 {
            self.transmit(discipline, now, sent);
        }
        self.counters.backlog_max = self.counters.backlog_max.max(self.waiting);
    }

    /// Takes note of what the discipline says after a call changed it, and counts what it dropped: all but the first `drops` of the list.
    #[inline]
    pub(super) fn refresh<D: Discipline>(&mut self, discipline: &D, drops: usize) {
        for gone in &self.dropped[drops..] {
            self.counters.dropped[gone.reason as usize] += 1;
        }
        self.waiting = discipline.backlog().packets;
        self.timeout = discipline.timeout().unwrap_or(Time::NEVER);
        if D::PREEMPTS {
            self.timeout = self.timeout.min(self.due());
        }
    }

    /// See [`crate::Port::advance`].
    #[inline(never)]
    pub fn advance<D: Discipline>(&mut self, discipline: &mut D, now: Time, sent: &mut impl FnMut(Sent)) {
        loop {
            let start = self.next_start();
            if self.timeout != Time::NEVER && self.timeout <= now && self.timeout <= start {
                let at = self.timeout;
                if D::PREEMPTS && self.due() == at && discipline.timeout().is_none_or(|timeout| timeout > at) {
                    self.go_on(discipline, at, sent);
                    continue;
                }
                self.integrate(at);
                let drops = self.dropped.len();
                discipline.on_timeout(&mut Cx::new(at, &mut self.rng, &mut self.dropped));
                self.refresh(discipline, drops);
                if self.stalled {
                    self.stalled = false;
                    self.ready_at = self.free_at.max(at);
                }
            } else if start <= now && start != Time::NEVER {
                if D::PREEMPTS && self.begun.is_some() {
                    self.go_on(discipline, start, sent);
                } else {
                    self.transmit(discipline, start, sent);
                }
            } else {
                return;
            }
        }
    }

    /// When the next transmission starts, as far as is known.
    #[inline]
    pub(super) fn next_start(&self) -> Time {
        if self.stalled || self.waiting == 0 { Time::NEVER } else { self.ready_at }
    }

    #[inline]
    pub(super) fn transmit<D: Discipline>(&mut self, discipline: &mut D, start: Time, sent: &mut impl FnMut(Sent)) {
        if self.law.is_some() {
            return self.transmit_by_law(discipline, start, sent);
        }
        if let Some(packet) = self.next_packet(discipline, start) {
            self.send::<D>(packet, start, sent);
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
        self.note::<D>(packet, start, end, busy, sent);
    }

    /// The transmission of a packet starts.
    #[inline(always)]
    fn send<D: Discipline>(&mut self, packet: Packet, start: Time, sent: &mut impl FnMut(Sent)) {
        let end = start + self.line.transmit(packet.bytes);
        // As far as the clock reaches: all of it together then is no more than that.
        self.note::<D>(packet, start, end, end.since(start), sent);
    }

    #[inline(always)]
    fn note<D: Discipline>(
        &mut self,
        packet: Packet,
        start: Time,
        end: Time,
        busy: Duration,
        sent: &mut impl FnMut(Sent),
    ) {
        if D::PREEMPTS && self.begun.is_some() {
            return self.begin(packet, end, busy);
        }
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
        self.counters.backlog_ps += self.waited_since_integrated(now);
        self.integrated = now;
    }

    /// The sum of the waiting packets' times since the integrals were brought up to date.
    #[inline]
    fn waited_since_integrated(&self, now: Time) -> u128 {
        let held: Duration = now.since(self.integrated);
        u128::from(self.waiting) * u128::from(held.as_ps())
    }

    /// See [`crate::Port::counters`].
    pub(super) fn counters(&self, now: Time) -> Counters {
        let backlog_ps = self.counters.backlog_ps + self.waited_since_integrated(now);
        let busy_ps = self.busy_ps(now);
        // A transmission that may be interrupted counts as far as it has come: what is interrupted later must not fall below what was read before.
        let service_ps = if self.begun.is_some() { busy_ps } else { self.counters.service_ps };
        Counters { busy_ps, service_ps, used: self.used(now), backlog_ps, ..self.counters }
    }

    fn busy_ps(&self, now: Time) -> u64 {
        let end = self.down.unwrap_or(self.free_at);
        self.counters.service_ps - end.since(now).as_ps().min(self.sending_ps)
    }

    /// The measure of `used_by`, and the bits of it in 10^-12.
    fn meter(&self, now: Time) -> (u64, u64) {
        match self.law.as_ref().and_then(|law| law.used_before(now)) {
            Some(bytes) => (bytes, 8_000_000_000_000),
            None => (self.busy_ps(now), self.line.rate().as_bps()),
        }
    }

    fn used(&self, now: Time) -> u128 {
        let (reading, bits) = self.meter(now);
        let since = if self.down.is_none() { reading - self.used_by } else { 0 };
        self.counters.used + u128::from(since) * u128::from(bits)
    }

    /// Before the rate of the line changes, or whether it is up.
    pub(super) fn settle_use(&mut self, now: Time) {
        (self.counters.used, self.used_by) = (self.used(now), self.meter(now).0);
    }
}
