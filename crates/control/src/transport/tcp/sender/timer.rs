//! The timer: for reordering, for a tail probe, for a timeout.

use super::{Progress, Purpose, Sender, State, Trial};
use crate::LossKind;
use crate::transport::tcp::rto::deadline;
use crate::transport::tcp::undo::Episode;
use crate::transport::tcp::{Recovery, Undo};
use headgate_packet::{Duration, Time};

impl Sender {
    pub(super) fn may_probe(&self) -> bool {
        self.rules.tail_probe
            && self.tail.is_none()
            && self.state == State::Open
            && self.came == 0
            && self.lost == 0
            && self.una < self.next
            && self.rtt.smoothed().is_some()
    }

    /// Sets the timer: for reordering, for a tail probe, or for a timeout, which counts anew if `restart`.
    pub(super) fn arm(&mut self, now: Time, restart: bool) {
        if self.una == self.next {
            (self.timer, self.purpose) = (Time::NEVER, Purpose::Retransmit);
            return;
        }
        let tick = self.rules.tick;
        if let Some(at) = self.rack.until {
            (self.timer, self.purpose) = (at, Purpose::Reorder);
            return;
        }
        // What its place was given to meanwhile did not stop the clock of the oldest packet.
        let since = if restart { now } else { self.record(self.una).last };
        let timeout = deadline(since, self.rtt.timeout(&self.rules), tick).max(deadline(now, Duration::ZERO, tick));
        if self.may_probe()
            && let Some(smoothed) = self.rtt.smoothed()
        {
            let slack = Duration::from_millis(2).max(tick * 2.0);
            let after = smoothed * 2.0 + if self.outstanding() == 1 { self.rules.min_timeout } else { slack };
            self.timer = deadline(now, after, tick).min(timeout);
            self.purpose = Purpose::Probe;
            return;
        }
        if restart || self.purpose != Purpose::Retransmit || self.timer == Time::NEVER {
            (self.timer, self.purpose) = (timeout, Purpose::Retransmit);
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
                self.arm(now, false);
            }
            Purpose::Probe => {
                self.probe_due = true;
                (self.timer, self.purpose) =
                    (deadline(now, self.rtt.timeout(&self.rules), self.rules.tick), Purpose::Retransmit);
            }
            Purpose::Retransmit => self.time_out(now, &mut p),
        }
        p
    }

    fn time_out(&mut self, now: Time, p: &mut Progress) {
        p.loss = Some(LossKind::Timeout);
        self.rtt.back_off();
        let within = self.rules.one_cut && self.una < self.recover && self.is_recovering();
        p.again = self.rtt.backoffs() > 1 || within;
        self.clear_again();
        let rack = self.rules.recovery == Recovery::Rack;
        if !self.rules.recovery.needs_blocks() {
            self.keep_came(0);
        }
        for seq in self.una..self.next {
            let record = *self.record(seq);
            if seq == self.una || !rack || self.rack.is_late(record.last, now) {
                self.lose(seq, p);
            }
        }
        let mut lately = std::mem::take(&mut self.rack);
        lately.forget(|sent, seq| self.stands(sent, seq));
        self.rack = lately;
        self.trial = if self.rules.undo == Undo::FRto { Trial::First } else { Trial::No };
        if self.state != State::Timeout {
            self.episode = Episode::new(true, self.una, self.first_under_way());
        }
        (self.state, self.recover, self.cap, self.tail, self.partial) = (State::Timeout, self.next, None, None, false);
        (self.duplicates, self.force, self.judged) = (0, 1, self.una);
        (self.probe_due, self.tell, self.rack.until) = (false, true, None);
        self.timer = deadline(now, self.rtt.timeout(&self.rules), self.rules.tick);
        self.purpose = Purpose::Retransmit;
    }
}
