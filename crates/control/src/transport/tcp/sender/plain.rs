//! The recoveries in which a loss does nothing but send packets again: go-back-N, the oldest packet, repair, a timer for each packet.
//!
//! Source: Demers, Keshav and Shenker 1989, section 3; 4.3BSD as Jacobson 1988 describes it; `repair` is the recovery state of REAL.
//! - There is one timer per flow, set again when an acknowledgement advances and when something is sent again; or one for each packet.
//! - A loss that duplicates show sends the oldest packet alone. No further loss is seen before everything sent until then is acknowledged, so that
//!   duplicates caused by resending what had arrived are not taken for a new loss.

use super::{LOST, Progress, RESENT, SACKED, Sender, State};
use crate::LossKind;
use crate::transport::Clock;
use crate::transport::tcp::Recovery;
use crate::transport::tcp::rto::deadline;
use headgate_packet::{Duration, Time};

impl Sender {
    /// The way of an acknowledgement for a protocol that reads what came and what is lost, and nothing else: no more than that is done.
    #[inline]
    pub(super) fn on_plain_ack(&mut self, cumulative: u64, now: Time, rtts: &mut impl FnMut(Duration)) -> Progress {
        let advanced = cumulative.min(self.next).saturating_sub(self.una);
        if advanced == 0 {
            let duplicate = cumulative == self.una && self.next > self.una;
            self.duplicates += u32::from(duplicate);
            let loss = (duplicate && self.is_shown()).then_some(LossKind::DuplicateAcks);
            return Progress { duplicates: self.duplicates, loss, stale: !duplicate, ..Progress::default() };
        }
        let Some(averages) = &self.rules.averages else { return Progress::default() };
        let mut newest = None;
        let (mask, end) = (self.records.len() - 1, self.una + advanced);
        for seq in self.una..end {
            let record = self.records[seq as usize & mask];
            self.lost -= u64::from(record.flags & LOST != 0);
            let from = match averages.clock {
                Clock::First => record.first,
                Clock::Skip if record.flags & RESENT != 0 || seq < self.recover => continue,
                Clock::Last | Clock::Skip => record.last,
            };
            let rtt = now.since(from);
            newest = Some(rtt);
            if averages.every_sample {
                self.rtt.average(rtt, averages);
            }
            rtts(rtt);
        }
        (self.una, self.duplicates) = (end, 0);
        if let Some(rtt) = newest
            && !averages.every_sample
        {
            self.rtt.average(rtt, averages);
        }
        let timeout = self.rtt.plain_timeout(averages, &self.rules);
        if self.state == State::Timeout {
            self.go_on();
        }
        self.timer = if self.timers.is_some() {
            self.next_packet_timer()
        } else if self.next > self.una {
            now + timeout
        } else {
            Time::NEVER
        };
        Progress { advanced, delivered: advanced, rtt: newest, ..Progress::default() }
    }

    /// Whether the duplicates so far show a loss.
    fn is_shown(&self) -> bool {
        let enough = self.duplicates == self.rules.duplicates && self.una >= self.recover;
        enough && self.state != State::Timeout
    }

    /// After a timeout something advanced: all that was sent before it is acknowledged, or repair continues.
    #[cold]
    fn go_on(&mut self) {
        if self.una >= self.recover {
            self.state = State::Open;
        } else if self.rules.recovery == Recovery::Repair {
            self.lose(self.una, &mut Progress::default());
            self.force = 1;
        }
    }

    /// The same judgement for a protocol that reads more.
    pub(super) fn judge_plainly(&mut self, advanced: bool, duplicate: bool, p: &mut Progress) {
        if duplicate && self.is_shown() {
            self.found(p);
        } else if advanced && self.state == State::Timeout {
            self.go_on();
        }
    }

    /// The protocol has answered to a loss that duplicates showed.
    pub(super) fn begin_plainly(&mut self, p: &mut Progress) {
        (self.state, self.recover, self.force) = (State::Open, self.next, 1);
        self.lose(self.una, p);
    }

    /// The timer of the flow ran out, or those of some packets.
    pub(super) fn time_out_plainly(&mut self, now: Time, p: &mut Progress) {
        if self.rules.released.is_some() {
            return self.time_out_released(now, p);
        }
        p.loss = Some(LossKind::Timeout);
        p.again = self.state == State::Timeout && self.una < self.recover;
        (self.state, self.recover, self.duplicates) = (State::Timeout, self.next, 0);
        if self.timers.is_some() {
            return self.run_out(now, |sender, seq| sender.keep_and_send_again(seq, now));
        }
        self.rtt.back_off(&self.rules);
        self.timer = deadline(now, self.rtt.timeout(&self.rules), self.rules.tick);
        self.force = 1;
        let end = if self.rules.recovery == Recovery::GoBackN { self.next } else { self.una + 1 };
        for seq in self.una..end {
            self.lose(seq, p);
        }
    }

    /// The timer of a packet ran out: it is sent again though it stays in the window, and its timer starts again now.
    fn keep_and_send_again(&mut self, seq: u64, now: Time) {
        let timeouts = self.record(seq).timeouts;
        let timeout = self.rtt.timeout_after(timeouts, &self.rules);
        if let Some(timers) = &mut self.timers {
            timers.send_again(seq);
            // Later than now, or a timeout of nothing would keep us here.
            timers.start(seq, (now + timeout).max(now + Duration::from_ps(1)));
        }
    }

    /// The packets whose own timers ran out, one after the other.
    pub(super) fn run_out(&mut self, now: Time, mut each: impl FnMut(&mut Sender, u64)) {
        while self.next_packet_timer() <= now
            && let Some(seq) = self.timers.as_mut().and_then(|timers| timers.pop())
        {
            let record = self.record(seq);
            record.timeouts = record.timeouts.saturating_add(1);
            each(self, seq);
        }
        self.timer = self.next_packet_timer();
    }

    /// When the next of the packets' own timers runs out; what came needs none.
    pub(super) fn next_packet_timer(&mut self) -> Time {
        let (una, records) = (self.una, &self.records);
        let missing = |seq: u64| seq >= una && records[seq as usize & (records.len() - 1)].flags & SACKED == 0;
        self.timers.as_mut().map_or(Time::NEVER, |timers| timers.next(missing))
    }
}
