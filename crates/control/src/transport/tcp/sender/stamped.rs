//! Acknowledgements that say when their packet was sent, and of which the first duplicate is a loss.
//!
//! Source: Kim and Farber 1994, sections 3.3.3 and 4.1.2.
//! - Acknowledgements are cumulative, one for every packet, with time stamps; a duplicate or a timeout signals a loss.
//! - A source of bursts begins a new burst with the packet that is lost, and sends everything after it again.
//! - Any other source sends that packet alone after a duplicate, and everything again after a timeout.
//!
//! Deviations, where the paper says nothing:
//! - Timer: every acknowledgement is a sample (it echoes when its packet was sent); the timeout starts again with each acknowledgement of something
//!   new and with each loss. Only an acknowledgement of something new ends a back-off.
//! - Packets after the lost one are sent again even if they arrived; when the acknowledgement passes the next packet, the source continues there.
//!
//! State per flow: with `skip_received` a flag on the record of each packet ahead of a gap.

use super::{LOST, NAMED, Progress, Sender, State};
use crate::LossKind;
use headgate_packet::Time;

impl Sender {
    /// An acknowledgement of everything below `cumulative`, caused by packet `seq` as it was sent at `sent`; it `counts` if as a duplicate it signals a
    /// loss. With a loss the repair has begun.
    pub fn on_stamped_ack(&mut self, cumulative: u64, (seq, sent): (u64, Time), counts: bool, now: Time) -> Progress {
        let mut p = Progress { rtt: Some(now.since(sent)), ..Progress::default() };
        let (Some(rules), Some(averages)) = (self.rules.stamped, self.rules.averages) else { return p };
        if rules.skip_received && (self.una..self.next).contains(&seq) {
            self.record(seq).flags |= NAMED;
        }
        let end = cumulative.min(self.next);
        if end > self.una {
            for seq in self.una..end {
                self.lost -= u64::from(self.record(seq).flags & LOST != 0);
            }
            self.rtt.average(now.since(sent), &averages);
            p.advanced = end - self.una;
            // What was to be sent again whatever the window need not be.
            (self.una, self.duplicates, self.force, self.state) = (end, 0, 0, State::Open);
            let timeout = self.rtt.timeout(&self.rules);
            self.timer = if self.una < self.next { now + timeout } else { Time::NEVER };
            return p;
        }
        if self.una < self.next {
            self.rtt.take_in(now.since(sent), &averages);
        }
        p.stale = cumulative < self.una || self.gone() == 0 || !counts;
        if p.stale {
            return p;
        }
        self.duplicates += 1;
        p.duplicates = self.duplicates;
        if rules.bursts || self.duplicates == self.rules.duplicates {
            p.loss = Some(LossKind::DuplicateAcks);
            // What is lost already is the end of what is outstanding.
            let end = if rules.bursts { self.una + self.gone() } else { self.una + 1 };
            self.force = u32::from(!rules.bursts);
            for seq in self.una..end {
                self.lose(seq, &mut p);
            }
            self.timer = now + self.rtt.timeout(&self.rules);
        }
        p
    }

    /// Packets sent and not acknowledged: of those to be sent again after a timeout or in a new burst, the ones that were. One that is sent
    /// again alone was never out.
    pub fn gone(&self) -> u64 {
        self.pipe() + u64::from(self.force > 0 && self.duplicates > 0)
    }

    /// With `skip_received`: what is known to have come is not lost.
    pub fn skip_received(&mut self) {
        let skips = self.rules.stamped.is_some_and(|rules| rules.skip_received);
        while skips && self.lost > 0 {
            let seq = self.first_lost();
            if seq == self.una || self.record(seq).flags & NAMED == 0 {
                return;
            }
            self.record(seq).flags &= !LOST;
            self.lost -= 1;
        }
    }
}
