//! The service of a port whose discipline preempts: an arrival may interrupt the packet in transmission, of which the rest is sent later.
//!
//! A packet is reported, and counted as sent, when its last bit has left. What an interruption leaves of a packet is kept as time of the line at the
//! rate of the part that was interrupted: the parts of a packet take exactly as long as it would have taken in one piece, and where the rate has
//! changed meanwhile the rest takes the time of the new one, rounded up to a picosecond. A line that may send at certain times only, or sends
//! several packets together, is not interrupted: what it sends is decided when it may.

use super::Service;
use crate::line::Gate;
use crate::{Backlog, Discipline, InService, Sent};
use headgate_packet::{Duration, Packet, Rate, Time};

/// The packets of which a part was sent.
#[derive(Clone, Debug, Default)]
pub(super) struct Begun {
    /// The one in transmission. Its last bit leaves when the line is free.
    current: Option<Part>,
    /// Those that were interrupted, the last one at the end: it is the first that goes on.
    interrupted: Vec<Part>,
    /// What they are together.
    held: Backlog,
    /// Since when the packet in transmission may have to give way to one that waits.
    contested: Option<Time>,
}

/// A packet that is sent in parts.
#[derive(Clone, Copy, Debug)]
struct Part {
    packet: Packet,
    /// Time of the line that its parts take, the present one included, in ps.
    takes: u64,
    /// Time that is left of an interrupted part, in ps, and the rate at which that is so.
    left: u64,
    rate: Rate,
}

impl Part {
    /// Time that the rest takes at another rate.
    fn rest(&self, rate: Rate) -> Duration {
        if rate == self.rate {
            return Duration::from_ps(self.left);
        }
        let work = u128::from(self.left) * u128::from(self.rate.as_bps());
        Duration::from_ps(u64::try_from(work.div_ceil(u128::from(rate.as_bps()))).unwrap_or(u64::MAX))
    }
}

impl Begun {
    /// How many packets a part was sent of.
    pub fn packets(&self) -> u64 {
        u64::from(self.current.is_some()) + self.held.packets
    }
}

impl Service {
    /// When something is due that only such a port does: the end of a transmission, the rest of a packet, a comparison with what waits.
    pub(super) fn due(&self) -> Time {
        let Some(begun) = &self.begun else { return Time::NEVER };
        let next = match (&begun.current, self.down) {
            (Some(_), down) => down.unwrap_or(self.free_at),
            (None, None) if !begun.interrupted.is_empty() => self.ready_at,
            (None, _) => Time::NEVER,
        };
        next.min(begun.contested.unwrap_or(Time::NEVER))
    }

    /// The packet in transmission may have to give way from `now` on.
    pub(super) fn contest(&mut self, now: Time) {
        if let Some(begun) = &mut self.begun
            && begun.current.is_some()
        {
            begun.contested.get_or_insert(now);
        }
    }

    /// What of the interrupted packets counts against the buffer: they do where the packet in transmission does.
    pub(super) fn interrupted(&self) -> Backlog {
        let begun = self.begun.as_ref().filter(|_| self.in_service != InService::Extra);
        begun.map_or_else(Backlog::default, |begun| begun.held)
    }

    /// The end of the present transmission, if there is one and its packet is reported then.
    pub(super) fn current_end(&self) -> Option<Time> {
        self.begun.as_ref()?.current.as_ref().map(|_| self.down.unwrap_or(self.free_at))
    }

    /// Does what is due at `now`: ends a transmission, goes on with the next one, or interrupts the present one.
    #[inline(never)]
    pub(super) fn go_on<D: Discipline>(&mut self, discipline: &mut D, now: Time, sent: &mut impl FnMut(Sent)) {
        self.end_current(discipline, now, sent);
        let Some(begun) = &mut self.begun else { return };
        begun.contested = None;
        if self.down.is_none() {
            if begun.current.is_some() {
                if self.waiting > 0 && self.interruptible() && discipline.preempts() {
                    self.interrupt(now);
                    self.transmit(discipline, now, sent);
                    self.resume(now);
                }
            } else if self.ready_at <= now {
                let first = begun.interrupted.is_empty() || discipline.preempts();
                if first && self.waiting > 0 && !self.stalled {
                    self.transmit(discipline, now, sent);
                }
                self.resume(now);
            }
        }
        self.refresh(discipline, self.dropped.len());
    }

    /// Whether the line sends one bit after the other whenever it is free.
    fn interruptible(&self) -> bool {
        self.law.as_ref().is_none_or(|law| matches!(law.gate, Gate::Open))
    }

    /// The last bit of the packet in transmission has left.
    fn end_current<D: Discipline>(&mut self, discipline: &mut D, now: Time, sent: &mut impl FnMut(Sent)) {
        let Some(end) = self.current_end().filter(|end| *end <= now) else { return };
        let Some(Part { packet, takes, .. }) = self.begun.as_mut().and_then(|begun| begun.current.take()) else {
            return;
        };
        discipline.ended();
        let start = Time::from_ps(end.as_ps() - takes);
        let c = &mut self.counters;
        c.sent += 1;
        c.sent_bytes += u64::from(packet.bytes);
        c.wait_ps += u128::from(start.since(packet.arrived).as_ps());
        sent(Sent { packet, start, end });
    }

    /// The first part of a packet is in transmission until `end`.
    pub(super) fn begin(&mut self, packet: Packet, end: Time, busy: Duration) {
        let rate = self.line.rate();
        if let Some(begun) = &mut self.begun {
            begun.current = Some(Part { packet, takes: busy.as_ps(), left: 0, rate });
        }
        self.occupy(packet.bytes, end, busy);
    }

    /// The line is taken until `end`.
    fn occupy(&mut self, bytes: u32, end: Time, busy: Duration) {
        (self.free_at, self.ready_at) = (end, end);
        (self.sending, self.sending_ps) = (bytes, busy.as_ps());
        self.counters.service_ps += busy.as_ps();
        self.timeout = self.timeout.min(self.due());
    }

    /// The packet in transmission, whose last bit has not left, is interrupted.
    fn interrupt(&mut self, now: Time) {
        let Some(begun) = &mut self.begun else { return };
        let Some(mut part) = begun.current.take() else { return };
        part.left = self.free_at.since(now).as_ps();
        part.takes -= part.left;
        self.counters.service_ps -= part.left;
        begun.held.add(part.packet.bytes);
        begun.interrupted.push(part);
        (self.free_at, self.ready_at) = (now, now);
    }

    /// The packet that was interrupted last goes on if nothing is in transmission.
    fn resume(&mut self, now: Time) {
        let rate = self.line.rate();
        let Some(begun) = self.begun.as_mut().filter(|begun| begun.current.is_none()) else { return };
        let Some(mut part) = begun.interrupted.pop() else { return };
        begun.held.remove(part.packet.bytes);
        // As far as the clock reaches, as for a whole packet.
        let end = now + part.rest(rate);
        let rest = end.since(now);
        (part.takes, part.rate) = (part.takes.saturating_add(rest.as_ps()), rate);
        begun.current = Some(part);
        self.occupy(part.packet.bytes, end, rest);
    }
}
