//! What goes next: retransmissions, probes, new packets.

use super::{AGAIN, LOST, Purpose, RESENT, Record, SACKED, Sender, State, TWICE, TailProbe, Trial};
use crate::transport::tcp::Recovery;
use crate::transport::tcp::rto::deadline;
use headgate_packet::Time;

/// New packets that duplicates release before an episode (RFC 3042).
const LIMITED: u64 = 2;

impl Sender {
    /// The window that counts now: the protocol's, or that of a reduction under way.
    pub fn window(&self, window: u64) -> u64 {
        // What came out of order makes room in the pipe. Before an episode that is limited transmit, which RACK needs.
        let released = match self.state {
            State::Open if self.rules.recovery == Recovery::Rack => self.came,
            State::Open => LIMITED * u64::from(self.rules.limited_transmit),
            _ => self.came,
        };
        self.cap.unwrap_or(window).saturating_sub(self.came.saturating_sub(released))
    }

    /// Whether a new packet is there that the receiver takes.
    pub(super) fn fits(&self) -> bool {
        self.next < self.limit && self.outstanding() < self.rules.receiver_window
    }

    /// Whether [`Sender::poll`] has a packet with this window.
    pub fn can_send(&self, window: u64) -> bool {
        let room = self.pipe() < self.window(window);
        if let Trial::Second(left) = self.trial {
            return left > 0 && room && self.fits();
        }
        let again = self.lost > 0 && (room || self.force > 0);
        again || self.probe_due || (room && (self.fits() || self.unproved().0.is_some()))
    }

    /// The next packet with the window given: (sequence number, first sent, retransmission).
    pub fn poll(&mut self, window: u64, now: Time) -> Option<(u64, Time, bool)> {
        let (fits, room) = (self.fits(), self.pipe() < self.window(window));
        if let Trial::Second(left) = self.trial {
            return (left > 0 && room && fits).then(|| {
                self.trial = Trial::Second(left - 1);
                self.send_new(now)
            });
        }
        if self.lost > 0 && (room || self.force > 0) {
            self.force = self.force.saturating_sub(1);
            let seq = self.first_lost();
            return Some(self.send_again(seq, now));
        }
        self.force = 0;
        if std::mem::take(&mut self.probe_due) {
            let end = if fits { self.next + 1 } else { self.next };
            self.tail = Some(TailProbe { end, again: !fits });
            return Some(if fits { self.send_new(now) } else { self.send_again(self.next - 1, now) });
        }
        if !room {
            self.note_usage(true);
            return None;
        }
        if fits {
            return Some(self.send_new(now));
        }
        let (unproved, tried) = self.unproved();
        self.tried = tried;
        if let Some(seq) = unproved {
            if seq >= tried {
                self.rescue_after = u64::MAX;
            }
            return Some(self.send_again(seq, now));
        }
        if self.next == self.limit && self.lost == 0 && self.next > 0 {
            self.sampler.lacks_data(self.pipe());
        }
        self.note_usage(false);
        None
    }

    /// How many timeouts passed with nothing outstanding before what could go now, if more than one did; asked again, none.
    pub fn take_idle(&mut self, now: Time) -> u64 {
        if self.una < self.next || self.next == 0 || self.next == self.limit {
            return 0;
        }
        let idle = now.since(std::mem::replace(&mut self.last_sent, now));
        idle.as_ps().saturating_sub(1) / self.rtt.timeout(&self.rules).as_ps().max(1)
    }

    /// Nothing waits that could go.
    pub fn lacks_data(&self) -> bool {
        self.next == self.limit && self.lost == 0
    }

    fn note_usage(&mut self, limited: bool) {
        if self.una >= self.usage_end || limited || (!self.limited && self.outstanding() > self.most_out) {
            (self.limited, self.most_out, self.usage_end) = (limited, self.outstanding(), self.next);
        }
    }

    fn first_lost(&mut self) -> u64 {
        let mut seq = self.scan.max(self.una);
        while self.record(seq).flags & LOST == 0 {
            seq += 1;
        }
        self.scan = seq;
        seq
    }

    fn send_new(&mut self, now: Time) -> (u64, Time, bool) {
        let (seq, idle) = (self.next, self.next == self.una);
        if self.outstanding() == self.records.len() as u64 {
            self.grow();
        }
        (self.next, self.last_sent) = (self.next + 1, now);
        let stamp = self.sampler.sent(now, idle);
        *self.record(seq) = Record { first: now, last: now, stamp, flags: 0 };
        if self.rules.recovery == Recovery::Rack {
            self.rack.sent(seq, now);
        }
        self.reduction.out += 1;
        if self.timer == Time::NEVER || self.purpose == Purpose::Probe || self.may_probe() {
            self.arm(now, self.timer == Time::NEVER);
        }
        (seq, now, false)
    }

    fn send_again(&mut self, seq: u64, now: Time) -> (u64, Time, bool) {
        let stamp = self.sampler.sent(now, false);
        let record = self.record(seq);
        let was_lost = record.flags & LOST != 0;
        let twice = !was_lost && record.flags & TWICE == 0;
        record.flags = record.flags & !LOST | RESENT | AGAIN | if twice { TWICE } else { 0 };
        (record.last, record.stamp) = (now, stamp);
        let first = record.first;
        self.last_sent = now;
        self.lost -= u64::from(was_lost);
        self.twice += u64::from(twice);
        self.reduction.out += 1;
        if self.state != State::Open {
            self.episode.sent_again(now);
        }
        if self.rules.recovery == Recovery::Rack {
            self.rack.sent(seq, now);
        }
        // RFC 6582: with one hole a round trip, the timer is to end what lasts too long.
        let impatient = self.rules.recovery == Recovery::Newreno && self.partial;
        if seq == self.una && self.purpose == Purpose::Retransmit && !impatient {
            self.timer = deadline(now, self.rtt.timeout(&self.rules), self.rules.tick);
        }
        (seq, first, true)
    }

    /// RFC 6675, rules 3 and 4 of NextSeg: a hole that is not known to be lost; then, once an episode and when more than the first retransmission
    /// is acknowledged, the last packet. With it, where to look on.
    fn unproved(&self) -> (Option<u64>, u64) {
        if self.rules.recovery != Recovery::Sack || self.state != State::Recovery || self.una == self.next {
            return (None, self.tried);
        }
        let stands = |seq: &u64| self.records[*seq as usize & (self.records.len() - 1)].flags & (SACKED | AGAIN) == 0;
        let top = self.sacked.end().unwrap_or(self.una);
        let from = self.tried.max(self.una);
        match (from..top).find(stands) {
            Some(seq) => (Some(seq), seq + 1),
            None => {
                let due = self.una > self.rescue_after;
                (Some(self.next - 1).filter(|last| due && stands(last)), from.max(top))
            }
        }
    }
}
