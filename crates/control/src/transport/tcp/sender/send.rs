//! What is sent next: retransmissions, probes, new packets.

use super::more::{TailProbe, Trial};
use super::{AGAIN, EXPIRED, LOST, Purpose, RESENT, Record, SACKED, Sender, State, TWICE};
use crate::transport::tcp::Recovery;
use crate::transport::tcp::rto::deadline;
use headgate_packet::Time;

/// New packets that duplicates release before an episode (RFC 3042).
const LIMITED: u64 = 2;

impl Sender {
    /// The window that counts now: the protocol's, or that of a reduction under way.
    #[inline]
    pub fn window(&self, window: u64) -> u64 {
        let window = self.more.cap.unwrap_or(window);
        if self.came == 0 {
            return window;
        }
        // What came out of order makes room in the pipe. Before an episode that is limited transmit, which RACK needs.
        let released = match self.state {
            State::Open if self.rules.recovery == Recovery::Rack => self.came,
            State::Open => LIMITED * u64::from(self.rules.limited_transmit),
            _ => self.came,
        };
        window.saturating_sub(self.came.saturating_sub(released))
    }

    /// Whether a new packet is there that the receiver takes.
    #[inline]
    pub(super) fn fits(&self) -> bool {
        self.next < self.limit && self.outstanding() < self.rules.receiver_window
    }

    /// Whether [`Sender::poll`] has a packet with this window.
    pub fn can_send(&self, window: u64) -> bool {
        let room = self.pipe() < self.window(window);
        if self.timers.as_ref().is_some_and(|timers| timers.is_due(self.una.saturating_add(self.window(window)))) {
            return true;
        }
        if let Trial::Second(left) = self.more.trial {
            return left > 0 && room && self.fits();
        }
        let again = self.lost > 0 && (room || self.force > 0);
        again || self.probe_due || (room && (self.fits() || self.unproved().0.is_some()))
    }

    /// The next packet with the window given: (sequence number, first sent, retransmission).
    #[inline]
    pub fn poll(&mut self, window: u64, now: Time) -> Option<(u64, Time, bool)> {
        if self.lost > 0 || self.timers.is_some() || self.rules.signals() {
            return self.poll_fully(window, now);
        }
        // Nothing waits to be sent again, and only the window counts.
        (self.next < self.limit && self.outstanding() < window).then(|| self.send_new(now))
    }

    fn poll_fully(&mut self, window: u64, now: Time) -> Option<(u64, Time, bool)> {
        let window = self.window(window);
        let (fits, room) = (self.fits(), self.pipe() < window);
        if let Trial::Second(left) = self.more.trial {
            return (left > 0 && room && fits).then(|| {
                self.more.trial = Trial::Second(left - 1);
                self.send_new(now)
            });
        }
        if self.lost > 0 && (room || self.force > 0) {
            self.force = self.force.saturating_sub(1);
            let seq = self.first_lost();
            return Some(self.send_again(seq, now));
        }
        self.force = 0;
        if let Some(timers) = &mut self.timers
            && let Some(seq) = timers.take(self.una, self.una.saturating_add(window))
        {
            return Some(self.send_again(seq, now));
        }
        if std::mem::take(&mut self.probe_due) {
            let end = if fits { self.next + 1 } else { self.next };
            (self.more.tail, self.more.measured) = (Some(TailProbe { end, again: !fits }), false);
            return Some(if fits { self.send_new(now) } else { self.send_again(self.next - 1, now) });
        }
        if room && fits {
            return Some(self.send_new(now));
        }
        if room && self.rules.recovery == Recovery::Sack {
            let (unproved, tried) = self.unproved();
            self.more.tried = tried;
            if let Some(seq) = unproved {
                if seq >= tried {
                    self.more.rescue_after = u64::MAX;
                }
                return Some(self.send_again(seq, now));
            }
        }
        if room && self.rules.rate_samples && self.next == self.limit && self.lost == 0 && self.next > 0 {
            let pipe = self.pipe();
            self.more.sampler.lacks_data(pipe);
        }
        if self.rules.signals() {
            self.note_usage(!room);
        }
        None
    }

    /// How many timeouts passed with nothing outstanding before what could be sent now, if more than one did; asked again, none.
    pub fn take_idle(&mut self, now: Time) -> u64 {
        if self.una < self.next || self.next == 0 || self.next == self.limit {
            return 0;
        }
        let idle = now.since(std::mem::replace(&mut self.more.last_sent, now));
        let timeouts = idle.as_ps().saturating_sub(1) / self.rtt.timeout(&self.rules).as_ps().max(1);
        if timeouts > 0 {
            (self.more.most_since, self.more.lowered) = (0, true);
        }
        timeouts
    }

    /// Nothing waits that could be sent.
    pub fn lacks_data(&self) -> bool {
        self.next == self.limit && self.lost == 0
    }

    fn note_usage(&mut self, limited: bool) {
        if self.una >= self.more.usage_end || limited || (!self.more.limited && self.outstanding() > self.more.most_out)
        {
            (self.more.limited, self.more.most_out, self.more.usage_end) = (limited, self.outstanding(), self.next);
        }
    }

    pub(super) fn first_lost(&mut self) -> u64 {
        let mut seq = self.scan.max(self.una);
        while self.record(seq).flags & LOST == 0 {
            seq += 1;
        }
        self.scan = seq;
        seq
    }

    // For most protocols two tests and a record.
    #[inline(always)]
    pub(super) fn send_new(&mut self, now: Time) -> (u64, Time, bool) {
        let (seq, idle) = (self.next, self.next == self.una);
        if self.outstanding() == self.records.len() as u64 {
            self.grow();
        }
        self.next += 1;
        *self.record(seq) = Record { first: now, last: now, timeouts: 0, flags: 0 };
        if self.rules.signals() {
            self.more.last_sent = now;
            self.keep_more(seq, idle, now);
        }
        if self.timer == Time::NEVER || self.rules.recovery == Recovery::Each || self.rules.tail_probe {
            self.time_new(seq, now);
        }
        (seq, now, false)
    }

    /// A new packet is sent: its timer, or that of the flow.
    fn time_new(&mut self, seq: u64, now: Time) {
        if self.rules.released.is_some() {
            return; // Its timer starts where it is released.
        }
        if self.rules.recovery == Recovery::Each {
            let runs_out = now + self.rtt.timeout(&self.rules);
            self.timers.get_or_insert_default().start(seq, runs_out);
            self.timer = self.next_packet_timer();
        } else if self.timer == Time::NEVER || self.purpose == Purpose::Probe || self.may_probe() {
            self.arm(now, self.timer == Time::NEVER, true);
        }
    }

    /// A packet is sent: what is kept of it beside its record.
    fn keep_more(&mut self, seq: u64, idle: bool, now: Time) {
        if self.rules.rate_samples {
            let place = seq as usize & (self.records.len() - 1);
            self.more.stamps[place] = self.more.sampler.sent(now, idle);
        }
        if self.rules.recovery == Recovery::Rack {
            self.more.rack.sent(seq, now);
        }
        self.more.reduction.out += 1;
        self.more.most_since = self.more.most_since.max(self.outstanding());
    }

    pub(super) fn send_again(&mut self, seq: u64, now: Time) -> (u64, Time, bool) {
        let plain = self.rules.recovery.is_plain();
        let record = self.record(seq);
        let was_lost = record.flags & LOST != 0;
        let twice = !was_lost && !plain && record.flags & TWICE == 0;
        record.flags = record.flags & !(LOST | EXPIRED) | RESENT | AGAIN | if twice { TWICE } else { 0 };
        record.last = now;
        let first = record.first;
        self.lost -= u64::from(was_lost);
        if self.rules.signals() {
            self.more.last_sent = now;
            self.more.twice += u64::from(twice);
            self.keep_more(seq, false, now);
            if self.state != State::Open {
                self.more.episode.sent_again(now);
            }
        }
        // RFC 6582: with one hole a round trip, the timer is to end what lasts too long.
        let impatient = self.rules.recovery == Recovery::Newreno && self.more.partial;
        let its_timer = seq == self.una && self.purpose == Purpose::Retransmit && !impatient;
        // Packets with timers, and those whose timer starts with the release or the loss.
        let own_timer = self.timers.is_some() || self.rules.released.is_some() || self.rules.stamped.is_some();
        if (its_timer || plain) && !own_timer {
            self.timer = deadline(now, self.rtt.timeout(&self.rules), self.rules.tick);
        }
        (seq, first, true)
    }

    /// RFC 6675, rules 3 and 4 of NextSeg: a hole that is not known to be lost; then, once an episode and when more than the first retransmission
    /// is acknowledged, the last packet. With it, where to look on.
    fn unproved(&self) -> (Option<u64>, u64) {
        if self.rules.recovery != Recovery::Sack || self.state != State::Recovery || self.una == self.next {
            return (None, self.more.tried);
        }
        let stands = |seq: &u64| self.records[*seq as usize & (self.records.len() - 1)].flags & (SACKED | AGAIN) == 0;
        let top = self.more.sacked.end().unwrap_or(self.una);
        let from = self.more.tried.max(self.una);
        match (from..top).find(stands) {
            Some(seq) => (Some(seq), seq + 1),
            None => {
                let due = self.una > self.more.rescue_after;
                (Some(self.next - 1).filter(|last| due && stands(last)), from.max(top))
            }
        }
    }
}
