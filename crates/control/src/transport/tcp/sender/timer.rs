//! The timer: for reordering, for a tail probe, for a timeout.
//!
//! Source: RFC 6298, section 5; RFC 8985, sections 7.2, 7.3 and 8.
//! Deviations:
//! - A tail probe has Linux's slack: 2 ms, at least two ticks. With a single packet out the allowance for delayed acknowledgements is the minimum timeout.
//! - No probe before a round trip is known: there is no handshake that measures one.
//! - With the preset `linux` a second probe need not wait for a round trip measured since the first.

use super::more::Trial;
use super::{EXPIRED, LOST, Progress, Purpose, Sender, State};
use crate::LossKind;
use crate::transport::tcp::rack::Rack;
use crate::transport::tcp::rto::deadline;
use crate::transport::tcp::undo::Episode;
use crate::transport::tcp::{Recovery, Undo};
use headgate_packet::{Duration, Time};

impl Sender {
    pub(super) fn may_probe(&self) -> bool {
        self.rules.tail_probe
            && self.more.tail.is_none()
            && matches!(self.state, State::Open | State::Marked)
            && (self.rules.as_linux || self.more.measured)
            && self.came == 0
            && self.lost == 0
            && self.una < self.next
            && self.rtt.smoothed().is_some()
    }

    /// Sets the timer: for reordering, for a tail probe, or for a timeout, which counts from now if `restart`. `probe`: new data were sent or
    /// acknowledged in sequence. Other acknowledgements neither start a probe nor put it off (RFC 8985, section 7.2): each probe that came twice
    /// would cause the next, and the timeout would never come.
    #[inline]
    pub(super) fn arm(&mut self, now: Time, restart: bool, probe: bool) {
        if self.una == self.next {
            (self.timer, self.purpose) = (Time::NEVER, Purpose::Retransmit);
            return;
        }
        if self.timers.is_some() {
            self.timer = self.next_packet_timer();
            return;
        }
        if let Some(at) = self.more.rack.until {
            (self.timer, self.purpose) = (at, Purpose::Reorder);
            return;
        }
        let (tick, may_probe) = (self.rules.tick, self.may_probe());
        let probes = probe && may_probe;
        let stays = match self.purpose {
            Purpose::Retransmit => true,
            Purpose::Probe => may_probe,
            Purpose::Reorder => false,
        };
        if !probes && !restart && stays && self.timer != Time::NEVER {
            return;
        }
        let timeout = self.rtt.timeout(&self.rules);
        let timeout = if restart {
            deadline(now, timeout, tick)
        } else {
            // What its place was given to meanwhile did not stop the clock of the oldest packet.
            deadline(self.record(self.una).last, timeout, tick).max(deadline(now, Duration::ZERO, tick))
        };
        (self.timer, self.purpose) = (timeout, Purpose::Retransmit);
        if probes && let Some(smoothed) = self.rtt.smoothed() {
            let slack = Duration::from_millis(2).max(tick * 2.0);
            let after = smoothed * 2.0 + if self.outstanding() == 1 { self.rules.min_timeout } else { slack };
            (self.timer, self.purpose) = (deadline(now, after, tick).min(timeout), Purpose::Probe);
        }
    }

    /// The timer ran out. With a timeout `loss` is set, and the episode has begun; `remaining` is what is still in the network.
    pub fn on_timeout(&mut self, now: Time) -> Progress {
        let mut p = Progress::default();
        if now < self.timer {
            p.stale = true;
            return p;
        }
        match self.purpose {
            Purpose::Reorder => {
                self.judge_by_time(now, &mut p);
                self.arm(now, false, false);
            }
            Purpose::Probe => {
                self.probe_due = true;
                (self.timer, self.purpose) =
                    (deadline(now, self.rtt.timeout(&self.rules), self.rules.tick), Purpose::Retransmit);
            }
            Purpose::Retransmit if self.rules.recovery.is_plain() => {
                self.time_out_plainly(now, &mut p);
                if self.rules.signals() {
                    (self.more.episode, self.more.tell) = (Episode::NONE, true);
                }
            }
            Purpose::Retransmit => self.time_out(now, &mut p),
        }
        p
    }

    fn time_out(&mut self, now: Time, p: &mut Progress) {
        p.loss = Some(LossKind::Timeout);
        self.rtt.back_off(&self.rules);
        let within = self.rules.as_linux && self.una < self.recover && self.is_recovering();
        // RFC 5681, section 3.1: not for a packet that went again by the timer, whatever came meanwhile.
        let again = self.more.expired == self.una;
        p.again = self.rtt.backoffs() > 1 || within || again;
        self.clear_again();
        let rack = self.rules.recovery == Recovery::Rack;
        let window = if self.rules.as_linux { Duration::ZERO } else { self.reordering_window() };
        if !self.rules.recovery.needs_blocks() {
            self.keep_came(0);
        }
        for seq in self.una..self.next {
            let record = *self.record(seq);
            if seq == self.una || !rack || self.more.rack.is_late(record.last, window, now) {
                self.lose(seq, p);
                if record.flags & LOST == 0 {
                    self.record(seq).flags |= EXPIRED;
                }
            }
        }
        let mut lately = std::mem::replace(&mut self.more.rack, Rack::NEW);
        lately.forget(|sent, seq| self.stands(sent, seq));
        self.more.rack = lately;
        self.more.trial = if self.rules.undo == Undo::FRto { Trial::First } else { Trial::No };
        self.more.f_rto = self.rules.as_linux && (again || matches!(self.state, State::Open | State::Marked));
        self.more.expired = self.una;
        if self.state != State::Timeout {
            self.more.episode = Episode::new(true, self.una, self.first_under_way());
        }
        (self.state, self.recover, self.more.cap, self.more.tail, self.more.partial) =
            (State::Timeout, self.next, None, None, false);
        (self.duplicates, self.force, self.more.judged) = (0, 1, self.una);
        (self.probe_due, self.more.tell, self.more.rack.until) = (false, true, None);
        self.timer = deadline(now, self.rtt.timeout(&self.rules), self.rules.tick);
        self.purpose = Purpose::Retransmit;
    }
}
