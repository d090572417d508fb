//! Which packets are lost, and the episodes of recovery.

use super::more::Trial;
use super::{AGAIN, EXPIRED, LOST, Progress, RESENT, SACKED, Sender, State, TWICE};
use crate::LossKind;
use crate::transport::tcp::Recovery;
use crate::transport::tcp::rack::Rack;
use crate::transport::tcp::reduction::Reduction;
use crate::transport::tcp::undo::Episode;
use headgate_packet::{Duration, Time};

impl Sender {
    pub(super) fn needless(&self, sent: Time, original: bool) -> bool {
        self.state != State::Marked && self.more.episode.was_needless(self.rules.undo, sent, original)
    }

    /// Takes back an episode: nothing was lost.
    pub(super) fn undo(&mut self, p: &mut Progress) {
        p.undone = self.more.episode.cut;
        let mut expired = vec![];
        for seq in self.una..self.next {
            let record = self.record(seq);
            if record.flags & EXPIRED != 0 {
                expired.push((record.last, seq));
            }
            record.flags &= !(LOST | AGAIN | EXPIRED);
        }
        if self.rules.recovery == Recovery::Rack {
            self.more.rack.watch_again(expired);
        }
        if self.rules.recovery.needs_blocks() {
            self.recover = self.una;
        }
        (self.lost, self.force, self.state, self.more.cap) = (0, 0, State::Open, None);
        self.more.trial = Trial::No;
        self.more.episode = Episode::NONE;
    }

    /// When the first retransmission was sent that is not yet acknowledged.
    pub(super) fn first_under_way(&self) -> Option<Time> {
        let records = (self.una..self.next).map(|seq| &self.records[seq as usize & (self.records.len() - 1)]);
        records.filter(|r| r.flags & (RESENT | SACKED | LOST) == RESENT).map(|r| r.last).min()
    }

    /// Whether the acknowledgement shows a loss, ends an episode, or continues it.
    pub(super) fn judge(&mut self, now: Time, (advanced, duplicate): (bool, bool), congested: bool, p: &mut Progress) {
        let over = match self.state {
            State::Open => false,
            // Until then the sink may not know of it, and continues to report the mark.
            State::Marked => self.una > self.recover || self.una == self.next,
            State::Recovery | State::Timeout => self.una >= self.recover,
        };
        if over {
            self.leave(p);
        }
        match self.rules.recovery {
            Recovery::Rack => self.judge_by_time(now, p),
            Recovery::Sack => self.judge_by_blocks(p),
            recovery if recovery.is_plain() => self.judge_plainly(advanced, duplicate, p),
            _ => self.judge_by_duplicates(now, advanced, p),
        }
        if congested && self.state == State::Open && self.is_beyond() && p.loss.is_none() {
            p.loss = Some(LossKind::Mark);
        }
    }

    /// Whether what is acknowledged reaches beyond the last episode: what shows at its very end may be due to it.
    fn is_beyond(&self) -> bool {
        self.una > self.recover || self.recover == 0
    }

    fn leave(&mut self, p: &mut Progress) {
        let repaired = std::mem::replace(&mut self.state, State::Open) != State::Marked;
        if repaired && self.rules.recovery == Recovery::Rack {
            self.more.rack.recovered();
            // What was sent in the episode and is lost is a separate loss.
            if (self.una..self.next).any(|seq| self.record(seq).flags & (LOST | AGAIN) != 0) {
                self.found(p);
            }
        }
        if !self.rules.recovery.needs_blocks() {
            self.keep_came(0);
        }
        (self.more.cap, self.more.partial) = (None, false);
    }

    fn judge_by_duplicates(&mut self, now: Time, advanced: bool, p: &mut Progress) {
        let early = self.duplicates > 0 && self.is_late(now);
        let enough = (self.duplicates == self.rules.duplicates && self.is_beyond()) || early;
        match self.state {
            State::Open if enough && self.una >= self.recover => self.found(p),
            State::Marked if enough || self.duplicates == self.rules.duplicates => self.found(p),
            State::Recovery if advanced => match self.rules.recovery {
                Recovery::Newreno => self.lose(self.una, p),
                // Reno: the hole is filled, and what else is missing has to show by new duplicates.
                _ => {
                    self.recover = self.una - 1;
                    self.leave(p);
                }
            },
            _ => {}
        }
        if self.rules.recovery == Recovery::Newreno && self.state == State::Recovery && advanced {
            self.force = 1;
        }
    }

    /// Vegas: the oldest packet's own timer, which does not tick and has no floor, has run out.
    fn is_late(&mut self, now: Time) -> bool {
        self.rules.early && self.una < self.next && {
            let sent = self.record(self.una).last;
            self.rtt.fine(&self.rules).is_some_and(|fine| now.since(sent) > fine)
        }
    }

    fn judge_by_blocks(&mut self, p: &mut Progress) {
        let enough = u64::from(self.rules.duplicates);
        let sure = self.more.sacked.from_top(enough).unwrap_or(self.una);
        let fresh = matches!(self.state, State::Open | State::Marked);
        if fresh {
            // An episode that is over leaves nothing below `recover`.
            if sure > self.una || self.duplicates >= self.rules.duplicates {
                self.more.judged = self.una;
                self.found(p);
            }
            return;
        }
        self.mark_holes(sure, p);
    }

    /// Marks every hole below `sure` that was not sent again in this episode.
    fn mark_holes(&mut self, sure: u64, p: &mut Progress) {
        for seq in self.more.judged.max(self.una)..sure {
            if self.record(seq).flags & (SACKED | LOST | AGAIN) == 0 {
                self.lose(seq, p);
            }
        }
        self.more.judged = self.more.judged.max(sure);
    }

    pub(super) fn judge_by_time(&mut self, now: Time, p: &mut Progress) {
        let lost = p.lost;
        let again = self.detect(now, p);
        // Section 9.3: without PRR a lost retransmission is a loss in a further window, and a further cut.
        let once = self.rules.prr || self.rules.as_linux;
        let further = self.state == State::Recovery && again && !once;
        if p.lost > lost && (further || matches!(self.state, State::Open | State::Marked)) {
            self.found(p);
        }
    }

    /// A loss in a window that has not answered to one begins an episode; after a mark in the same window the window has come down already.
    pub(super) fn found(&mut self, p: &mut Progress) {
        if self.state == State::Marked {
            self.begin(p);
            self.more.episode.cut = false;
        } else {
            p.loss = Some(LossKind::DuplicateAcks);
        }
    }

    /// Marks what is lost by now; true if some of it was sent again in this episode.
    pub(super) fn detect(&mut self, now: Time, p: &mut Progress) -> bool {
        let window = self.reordering_window();
        let mut rack = std::mem::replace(&mut self.more.rack, Rack::NEW);
        let mut gone = vec![];
        rack.detect(now, window, |sent, seq| self.stands(sent, seq), |seq| gone.push(seq));
        self.more.rack = rack;
        let mut again = false;
        for seq in gone {
            again |= self.record(seq).flags & AGAIN != 0;
            self.lose(seq, p);
        }
        again
    }

    /// How much later than packets sent after it one may come now.
    pub(super) fn reordering_window(&self) -> Duration {
        let sure = self.is_repairing() || self.came >= u64::from(self.rules.duplicates);
        self.more.rack.window(sure, self.least_rtt(), self.smoothed())
    }

    /// Whether this was the last transmission of a packet of which nothing is known since.
    pub(super) fn stands(&self, sent: Time, seq: u64) -> bool {
        seq >= self.una && {
            let record = &self.records[seq as usize & (self.records.len() - 1)];
            record.last == sent && record.flags & (SACKED | LOST) == 0
        }
    }

    pub(super) fn lose(&mut self, seq: u64, p: &mut Progress) {
        if seq >= self.next {
            return;
        }
        let record = self.record(seq);
        if record.flags & (LOST | SACKED) != 0 {
            return;
        }
        let twice = record.flags & TWICE != 0;
        record.flags = record.flags & !TWICE | LOST;
        self.lost += 1;
        if twice {
            self.more.twice -= 1;
        }
        self.scan = self.scan.min(seq);
        p.lost += 1;
        if self.came > 0 && self.rules.recovery.counts_duplicates() {
            self.keep_came(self.outstanding() - self.lost);
        }
    }

    /// The protocol has cut its window: an episode begins.
    pub fn enter(&mut self, kind: LossKind, delivered: u64, p: &mut Progress) {
        if self.rules.signals() {
            (self.more.most_since, self.more.lowered) = (0, true);
        }
        match kind {
            LossKind::Mark => {
                self.clear_again();
                (self.state, self.recover, self.more.tell) = (State::Marked, self.next, true);
                // A cut that cannot be taken back, and nor can those before it.
                (self.more.episode, self.more.tail) = (Episode::NONE, None);
            }
            LossKind::DuplicateAcks => self.begin(p),
            LossKind::Probe => {
                self.more.episode = Episode::NONE;
                return;
            }
            LossKind::Timeout => return,
        }
        if self.rules.prr && self.state != State::Open {
            self.more.reduction = Reduction::new(self.outstanding() + delivered - self.came);
            self.more.cap = None;
        }
    }

    /// Repair begins.
    fn begin(&mut self, p: &mut Progress) {
        if self.rules.recovery.is_plain() {
            self.begin_plainly(p);
            if self.rules.signals() {
                (self.more.episode, self.more.tell) = (Episode::NONE, true);
            }
            return;
        }
        self.clear_again();
        (self.state, self.recover, self.more.partial, self.more.rescue_after) =
            (State::Recovery, self.next, false, self.una + 1);
        (self.more.episode, self.force, self.more.tail) =
            (Episode::new(false, self.una, self.first_under_way()), 1, None);
        (self.more.tried, self.more.tell) = (self.una, true);
        match self.rules.recovery {
            Recovery::Rack | Recovery::GoBackN | Recovery::Oldest | Recovery::Repair | Recovery::Each => {}
            Recovery::Sack => {
                let sure = self.more.sacked.from_top(u64::from(self.rules.duplicates)).unwrap_or(self.una);
                self.mark_holes(sure.max(self.una + 1), p);
            }
            Recovery::Reno | Recovery::Newreno => self.lose(self.una, p),
            Recovery::Tahoe => {
                self.lose(self.una, p);
                // BSD sends the oldest one and continues where it was.
                self.state = State::Open;
            }
        }
    }

    pub(super) fn clear_again(&mut self) {
        for seq in self.una..self.next {
            self.record(seq).flags &= !AGAIN;
        }
    }

    /// The window after an acknowledgement of an episode, on its way to the protocol's.
    pub fn reduce(&mut self, p: &Progress, target: u64) {
        if self.rules.prr && self.is_recovering() && (p.delivered > 0 || self.more.cap.is_none()) {
            let safe = p.advanced > 0 && p.lost == 0;
            let pipe = self.pipe();
            self.more.cap = Some(self.more.reduction.window(p.delivered, safe, pipe, target));
        }
    }

    /// A tail probe that was acknowledged ends; one that was sent again and lets others pass repaired a loss.
    /// `bare`: it names the oldest packet that is not acknowledged, and says nothing else.
    pub(super) fn end_tail(&mut self, before: u64, bare: bool, p: &mut Progress) {
        let Some(tail) = self.more.tail else { return };
        if self.una > before && self.una >= tail.end && !tail.again {
            self.more.tail = None;
        } else if tail.again && self.una > tail.end {
            self.more.tail = None;
            if self.state == State::Open && p.loss.is_none() {
                p.loss = Some(LossKind::Probe);
            }
        } else if tail.again && bare && self.una >= tail.end {
            self.more.tail = None;
        }
    }
}
