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

use super::{Acks, Progress, Sender};
use crate::LossKind;
use crate::transport::ledger::flag::{LOST, NAMED};
use crate::transport::recovery::Phase;
use headgate_packet::Time;

impl Sender {
    /// An acknowledgement of everything below `cumulative`, caused by packet `seq` as it was sent at `sent`; it `counts` if as a duplicate it signals a
    /// loss. With a loss the repair has begun.
    pub fn on_stamped_ack(&mut self, cumulative: u64, (seq, sent): (u64, Time), counts: bool, now: Time) -> Progress {
        let mut p = Progress { rtt: Some(now.since(sent)), ..Progress::default() };
        let Acks::Stamped { bursts, skip_received } = self.rules.acks else { return p };
        let averages = &self.rules.averages;
        let (ledger, state) = (&mut self.ledger, &mut self.state);
        if skip_received && (ledger.una..ledger.next).contains(&seq) {
            ledger.record(seq).flags |= NAMED;
        }
        let end = cumulative.min(ledger.next);
        if end > ledger.una {
            for seq in ledger.una..end {
                ledger.lost -= u64::from(ledger.get(seq).has(LOST));
            }
            self.rtt.sample(now.since(sent), averages);
            p.advanced = end - ledger.una;
            // What was to be sent again whatever the window need not be.
            (ledger.una, state.duplicates, state.forced, state.phase) = (end, 0, 0, Phase::Open);
            let timeout = self.rtt.timeout(&self.rules);
            self.timer = if ledger.una < ledger.next { now + timeout } else { Time::NEVER };
            return p;
        }
        if ledger.una < ledger.next {
            self.rtt.sample_within_back_off(now.since(sent), averages);
        }
        p.stale = cumulative < ledger.una || self.in_flight() == 0 || !counts;
        if p.stale {
            return p;
        }
        self.state.duplicates += 1;
        p.duplicates = self.state.duplicates;
        if bursts || self.state.duplicates == self.rules.duplicates {
            p.loss = Some(LossKind::DuplicateAcks);
            let una = self.ledger.una;
            // What is lost already is the end of what is outstanding.
            let end = if bursts { una + self.in_flight() } else { una + 1 };
            self.state.forced = u32::from(!bursts);
            for seq in una..end {
                p.lost += u64::from(self.ledger.declare_lost(seq));
            }
            self.timer = now + self.rtt.timeout(&self.rules);
        }
        p
    }

    /// Packets sent and not acknowledged: of those to be sent again after a timeout or in a new burst, the ones that were. One that is sent
    /// again alone stays in the network.
    pub fn in_flight(&self) -> u64 {
        self.ledger.pipe() + u64::from(self.state.forced > 0 && self.state.duplicates > 0)
    }

    /// With `skip_received`: what is known to have arrived is not lost.
    pub fn skip_received(&mut self) {
        let skips = matches!(self.rules.acks, Acks::Stamped { skip_received: true, .. });
        while skips && self.ledger.lost > 0 {
            let seq = self.ledger.first_lost();
            if seq == self.ledger.una || !self.ledger.get(seq).has(NAMED) {
                return;
            }
            self.ledger.record(seq).flags &= !LOST;
            self.ledger.lost -= 1;
        }
    }
}
