//! What is sent next: retransmissions, probes, new packets.

use super::tail::Probe;
use super::timer::Timer;
use super::{Purpose, Sender};
use crate::transport::recovery::{LossRecovery as _, Phase};
use crate::transport::timers::deadline;
use headgate_packet::Time;

/// New packets that duplicates release before an episode (RFC 3042).
const LIMITED: u64 = 2;

impl Sender {
    /// The window that counts now: the protocol's, or that of a reduction under way.
    #[inline]
    pub fn window(&self, window: u64) -> u64 {
        // What arrived out of order makes room in the pipe. Before an episode that is limited transmit, which RACK needs.
        let most = self.recovery.may_release(LIMITED * u64::from(self.rules.limited_transmit));
        let most = if self.state.phase == Phase::Open { most } else { u64::MAX };
        self.prr_window.unwrap_or(window).saturating_sub(self.ledger.arrived.saturating_sub(most))
    }

    /// Whether a new packet is there that the receiver takes.
    #[inline]
    pub(super) fn fits(&self) -> bool {
        self.ledger.next < self.ledger.limit && self.ledger.outstanding() < self.rules.receiver_window
    }

    /// Whether [`Sender::poll`] has a packet with this window.
    pub fn can_send(&self, window: u64) -> bool {
        let window = self.window(window);
        let room = self.pipe() < window;
        if room & self.fits() & !self.f_rto.is_second() || self.recovery.is_due(self.ledger.una.saturating_add(window))
        {
            return true;
        }
        if let Some(left) = self.f_rto.new_packets(room && self.fits()) {
            return left > 0 && room && self.fits();
        }
        let again = self.ledger.lost > 0 && (room || self.state.forced > 0);
        let unproved = || self.recovery.has_unproved(&self.ledger, &self.state, &self.scoreboard.sacked);
        again || self.tail.due || (room && (self.fits() || unproved()))
    }

    /// Whether new packets wait until the window has room for this many, a train: less than that and than a third of the window is free, all is well, and acknowledgements
    /// are on their way, which will make room.
    pub fn awaits_room(&self, window: u64, train: u64) -> bool {
        let window = self.window(window);
        let ledger = &self.ledger;
        let well = self.state.phase == Phase::Open && ledger.lost == 0 && !self.tail.due && !self.f_rto.is_second();
        let wanted = train.min(ledger.limit - ledger.next);
        let room = window.saturating_sub(self.pipe());
        // With nothing in flight there is room for all of it.
        well && room < wanted && room < window / 3
    }

    /// Whether the window has no room.
    #[inline]
    pub fn is_full(&self, window: u64) -> bool {
        self.pipe() >= self.window(window)
    }

    /// They wait: what keeps them back is the window.
    pub fn note_waiting(&mut self) {
        self.note_usage(true);
    }

    /// The next packet with the window given, and whether it is a retransmission.
    pub fn poll(&mut self, window: u64, now: Time) -> Option<(u64, bool)> {
        self.poll_full(window, now).map(|(seq, again, _)| (seq, again))
    }

    /// The same, and whether the window is full now, so that the same window gives no other packet. With nothing in flight before, the protocol may yet
    /// allow more, and it is not said.
    #[inline(always)]
    pub fn poll_full(&mut self, window: u64, now: Time) -> Option<(u64, bool, bool)> {
        let (window, pipe) = (self.window(window), self.pipe());
        let (fits, room) = (self.fits(), pipe < window);
        if self.f_rto.is_second() | (self.ledger.lost > 0) | self.tail.due || self.recovery.has_timers() {
            return self.poll_repair(window, fits, room, now).map(|(seq, again)| (seq, again, false));
        }
        self.state.forced = 0;
        if !(room && fits) {
            return self.poll_rest(room, now).map(|(seq, again)| (seq, again, false));
        }
        let seq = self.send_new(now);
        let full = pipe > 0 && pipe + 1 >= window;
        if full {
            self.note_usage(true);
        }
        Some((seq, false, full))
    }

    /// As [`Sender::poll`], when something may have to be sent again.
    fn poll_repair(&mut self, window: u64, fits: bool, room: bool, now: Time) -> Option<(u64, bool)> {
        if let Some(left) = self.f_rto.new_packets(room && fits) {
            return (left > 0 && room && fits).then(|| {
                self.f_rto.on_new_packet();
                (self.send_new(now), false)
            });
        }
        if self.ledger.lost > 0 && (room || self.state.forced > 0) {
            self.state.forced = self.state.forced.saturating_sub(1);
            let seq = self.ledger.first_lost();
            return Some(self.send_again(seq, now));
        }
        self.state.forced = 0;
        let una = self.ledger.una;
        if let Some(plain) = self.recovery.timers()
            && let Some(seq) = plain.take_due(una, una.saturating_add(window))
        {
            return Some(self.send_again(seq, now));
        }
        if std::mem::take(&mut self.tail.due) {
            let next = self.ledger.next;
            let end = if fits { next + 1 } else { next };
            (self.tail.probe, self.tail.measured) = (Some(Probe { end, retransmission: !fits }), false);
            return Some(if fits { (self.send_new(now), false) } else { self.send_again(next - 1, now) });
        }
        if room && fits { Some((self.send_new(now), false)) } else { self.poll_rest(room, now) }
    }

    /// Nothing is known to be lost, and no new packet can be sent.
    fn poll_rest(&mut self, room: bool, now: Time) -> Option<(u64, bool)> {
        if room && let Some(seq) = self.recovery.take_unproved(&self.ledger, &self.state, &self.scoreboard.sacked) {
            return Some(self.send_again(seq, now));
        }
        let pipe = self.pipe();
        let ledger = &self.ledger;
        if room
            && ledger.next == ledger.limit
            && ledger.next > 0
            && let Some(sampler) = &mut self.sampler
        {
            sampler.on_app_limited(ledger.delivered, pipe);
        }
        self.note_usage(!room);
        None
    }

    /// How many timeouts passed with nothing outstanding before what could be sent now, if more than one did; asked again, none.
    #[inline]
    pub fn take_idle(&mut self, now: Time) -> u64 {
        let ledger = &self.ledger;
        if ledger.una < ledger.next || ledger.next == 0 || ledger.next == ledger.limit {
            return 0;
        }
        let idle = now.since(std::mem::replace(&mut self.last_sent, now));
        let timeouts = idle.as_ps().saturating_sub(1) / self.rtt.timeout(&self.rules).as_ps().max(1);
        if timeouts > 0 {
            (self.usage.most_since, self.usage.lowered) = (0, true);
        }
        timeouts
    }

    /// The source lacked data, and what was in flight then is not all delivered and more.
    #[inline]
    pub fn is_app_limited(&self) -> bool {
        self.sampler.as_ref().is_some_and(|s| s.is_app_limited())
    }

    #[inline]
    fn note_usage(&mut self, limited: bool) {
        let (out, usage) = (self.ledger.outstanding(), &mut self.usage);
        if self.ledger.una >= usage.end || limited || (!usage.limited && out > usage.most_out) {
            (usage.limited, usage.most_out, usage.end) = (limited, out, self.ledger.next);
        }
    }

    #[inline]
    fn send_new(&mut self, now: Time) -> u64 {
        let ledger = &mut self.ledger;
        let (idle, places, outstanding) = (ledger.next == ledger.una, ledger.places(), ledger.una..ledger.next);
        let seq = ledger.send_new(now);
        if let Some(sampler) = &mut self.sampler
            && ledger.places() > places
        {
            sampler.grow(outstanding, ledger.places());
        }
        self.on_packet_sent(seq, idle, now);
        if self.purpose == Purpose::Probe && self.may_probe() {
            self.put_off_probe(now);
        } else if self.timer == Timer::Never || self.rules.tail_probe || self.recovery.has_timers() {
            self.time_new(seq, now);
        }
        seq
    }

    /// A new packet is sent: its timer, or that of the flow.
    fn time_new(&mut self, seq: u64, now: Time) {
        if let Some(plain) = self.recovery.timers() {
            plain.start_timer(seq, now + self.rtt.timeout(&self.rules));
            self.timer = Timer::At(plain.next_timer(&self.ledger));
        } else if self.timer == Timer::Never || self.purpose == Purpose::Probe || self.may_probe() {
            self.arm(now, self.timer == Timer::Never, true);
        }
    }

    /// A packet is sent, new or again: what is kept of it beside its record.
    #[inline]
    fn on_packet_sent(&mut self, seq: u64, idle: bool, now: Time) {
        self.last_sent = now;
        if let Some(sampler) = &mut self.sampler {
            sampler.sent(seq, idle, &self.ledger, now);
        }
        self.prr.out += 1;
        self.usage.most_since = self.usage.most_since.max(self.ledger.outstanding());
    }

    fn send_again(&mut self, seq: u64, now: Time) -> (u64, bool) {
        self.ledger.send_again(seq, !self.rules.recovery.is_plain(), now);
        self.on_packet_sent(seq, false, now);
        self.recovery.on_retransmission(seq, now);
        if self.state.phase != Phase::Open {
            self.episode.on_retransmission(now);
        }
        let oldest = seq == self.ledger.una;
        if self.purpose == Purpose::Retransmit && self.recovery.retransmission_restarts_timer(oldest) {
            self.timer = Timer::At(deadline(now, self.rtt.timeout(&self.rules), self.rules.tick));
        }
        (seq, true)
    }
}
