//! What an acknowledgement says: which packets arrived, their round trips, the rate, and marks.

use super::more::Trial;
use super::{LOST, Progress, RESENT, Record, SACKED, Sender, State, TWICE};
use crate::transport::tcp::{Echo, Recovery, Undo};
use headgate_packet::{Duration, Time};

/// After this long the least round trip is looked for again (Linux: tcp_min_rtt_wlen).
const MIN_RTT_FOR: Duration = Duration::from_secs(300);

/// What is gathered of the packets that an acknowledgement covers.
#[derive(Default)]
struct Gathered {
    /// The round trip of the first one that gives one.
    oldest: Option<Duration>,
    /// One was taken for lost and had not gone again.
    original: bool,
}

impl Sender {
    /// An acknowledgement came; `echo` is what the sink says beyond it.
    #[inline]
    pub fn on_ack(
        &mut self,
        (cumulative, sent): (u64, Time),
        echo: Option<&Echo>,
        now: Time,
        rtts: &mut impl FnMut(Duration),
    ) -> Progress {
        if self.rules.signals() {
            self.on_full_ack((cumulative, sent), echo, now, rtts)
        } else {
            self.on_plain_ack(cumulative, now, rtts)
        }
    }

    fn on_full_ack(
        &mut self,
        (cumulative, sent): (u64, Time),
        echo: Option<&Echo>,
        now: Time,
        rtts: &mut impl FnMut(Duration),
    ) -> Progress {
        let mut p = Progress::default();
        let mut g = Gathered::default();
        let (cumulative, before) = (cumulative.min(self.next), self.una);
        if cumulative > self.una {
            self.advance(cumulative, now, (&mut p, &mut g), rtts);
        }
        let duplicate = p.advanced == 0 && cumulative == self.una && self.next > self.una;
        self.on_signals((cumulative, sent, before), echo, duplicate, now, (&mut p, &mut g), rtts);
        p.duplicates = self.duplicates;
        let restart = p.advanced > 0 && !self.is_impatient();
        self.more.partial = self.state == State::Recovery && (self.more.partial || p.advanced > 0);
        let restart = restart || self.outlives(g.oldest, now);
        self.arm(now, restart, p.advanced > 0);
        p
    }

    /// RFC 6582: with one hole a round trip, the timer is to end what lasts too long.
    fn is_impatient(&self) -> bool {
        self.rules.recovery == Recovery::Newreno && self.more.partial && self.una < self.recover
    }

    /// Everything below `cumulative` came.
    #[inline]
    fn advance(
        &mut self,
        cumulative: u64,
        now: Time,
        (p, g): (&mut Progress, &mut Gathered),
        rtts: &mut impl FnMut(Duration),
    ) {
        // Karn: what was sent after a retransmitted packet was acknowledged only with it.
        let timed = (self.una..cumulative).all(|seq| self.record(seq).flags & RESENT == 0);
        for seq in self.una..cumulative {
            let record = *self.record(seq);
            if record.flags & SACKED != 0 {
                self.came -= 1;
                continue;
            }
            self.take(seq, record, timed, now, (p, g), rtts);
        }
        (p.advanced, self.una, self.duplicates) = (cumulative - self.una, cumulative, 0);
        if self.rules.recovery.needs_blocks() {
            self.more.sacked.forget_below(cumulative);
        } else if !self.rules.recovery.is_plain() {
            // Duplicates stood for those acknowledged before, but for the one that filled the hole.
            let known = self.came.min(p.advanced.saturating_sub(1));
            self.came -= known;
            p.delivered -= known;
            self.more.sampler.known_before(known);
            // Outside of an episode the window bounds what is outstanding: needless retransmissions cause duplicates that report nothing new.
            let kept = if self.is_repairing() { self.outstanding() - self.lost } else { 0 };
            self.keep_came(kept);
        }
    }

    /// What beyond packets in sequence and duplicates an acknowledgement says.
    fn on_signals(
        &mut self,
        (cumulative, sent, before): (u64, Time, u64),
        echo: Option<&Echo>,
        duplicate: bool,
        now: Time,
        (p, g): (&mut Progress, &mut Gathered),
        rtts: &mut impl FnMut(Duration),
    ) {
        let blocks = self.rules.recovery.needs_blocks();
        if let Some(echo) = echo {
            if blocks {
                // The sink reports the latest first. In that order, what came long ago would seem to come late after a lost report.
                for (start, end) in echo.ranges(self.rules.recovery == Recovery::Rack) {
                    self.take_block(start, end, now, (p, g), rtts);
                }
                if let Some(seq) = echo.duplicate {
                    self.take_duplicate(seq, p);
                }
            }
            // Without counts, the echo is that of all packets acknowledged (RFC 8257, section 3.3).
            p.marked = if echo.congested { p.delivered } else { echo.marks.saturating_sub(self.more.marks) };
            self.more.marks = self.more.marks.max(echo.marks);
        }
        if duplicate && (!blocks || p.delivered > 0) {
            self.duplicates += 1;
            self.count_duplicate(now, p);
        }
        if let Some(rtt) = g.oldest {
            let least = self.more.min_rtt.is_none_or(|(least, at)| rtt <= least || now.since(at) > MIN_RTT_FOR);
            if least {
                self.more.min_rtt = Some((p.rtt.unwrap_or(rtt).min(rtt), now));
            }
            self.more.measured = true;
            self.rtt.sample(rtt, (self.una, self.next), &self.rules);
        }
        if p.advanced > 0 && self.una > self.more.round_end {
            (p.round, self.more.round_end) = (true, self.next);
        }
        let proves = self.try_out(p.advanced > 0, duplicate) || blocks;
        if (p.advanced > 0 && self.state != State::Open && self.needless(sent, g.original && proves))
            || (g.original && self.tries_as_linux())
        {
            self.undo(p);
        }
        // An old acknowledgement says nothing of marks.
        let congested = cumulative == self.una && echo.is_some_and(|e| e.congested);
        self.judge(now, (p.advanced > 0, duplicate), congested || p.marked > 0, p);
        let bare = p.advanced == 0 && p.delivered == 0 && cumulative == self.una;
        self.end_tail(before, bare && echo.is_none_or(|e| e.is_bare() || self.rules.as_linux), p);
        let said = duplicate || p.delivered > 0 || p.marked > 0;
        p.stale = p.advanced == 0 && !said && p.lost == 0 && p.loss.is_none() && !p.undone;
        self.probe_due &= p.stale;
        if self.rules.rate_samples {
            let least = self.least_rtt();
            p.rate = self.more.sampler.take(least);
        }
    }

    /// Where the sink reports no blocks, a duplicate says that one packet arrived, unless the recovery does not count so.
    fn count_duplicate(&mut self, now: Time, p: &mut Progress) {
        let counts = self.rules.recovery.counts_duplicates();
        if counts && self.came + self.lost < self.outstanding() - u64::from(self.lost == 0) {
            self.came += 1;
            p.delivered = 1;
            self.more.sampler.one_came(now);
        }
    }

    /// Whether what came out of order starts the timer again: with RACK, packets sent before the last transmission of the oldest one do
    /// (Linux). With later ones, the timer would never run out while new data flow.
    fn outlives(&mut self, oldest: Option<Duration>, now: Time) -> bool {
        let rack = self.rules.recovery == Recovery::Rack && self.una < self.next;
        rack && oldest.is_some_and(|rtt| rtt > now.since(self.record(self.una).last))
    }

    /// A packet is acknowledged for the first time.
    #[inline]
    fn take(
        &mut self,
        seq: u64,
        record: Record,
        timed: bool,
        now: Time,
        (p, g): (&mut Progress, &mut Gathered),
        rtts: &mut impl FnMut(Duration),
    ) {
        p.delivered += 1;
        let resent = record.flags & RESENT != 0;
        if record.flags != 0 {
            let lost = record.flags & LOST != 0;
            self.lost -= u64::from(lost);
            g.original |= lost && !resent;
            if record.flags & TWICE != 0 {
                self.more.twice -= 1;
            }
        }
        if self.rules.rate_samples {
            let stamp = self.more.stamps[seq as usize & (self.records.len() - 1)];
            self.more.sampler.delivered((record.last, seq), resent, &stamp, now);
        } else {
            self.more.sampler.one_came(now);
        }
        if !resent && timed {
            let rtt = now.since(record.last);
            g.oldest.get_or_insert(rtt);
            p.rtt = Some(rtt);
            rtts(rtt);
        }
        if self.rules.recovery == Recovery::Rack {
            let least = self.least_rtt();
            self.more.rack.came(seq, record.last, resent, now, least);
        }
    }

    fn take_block(
        &mut self,
        start: u64,
        end: u64,
        now: Time,
        (p, g): (&mut Progress, &mut Gathered),
        rtts: &mut impl FnMut(Duration),
    ) {
        let range = start.max(self.una)..end.min(self.next);
        let mut sacked = std::mem::take(&mut self.more.sacked);
        sacked.insert(range, &mut |new| {
            for seq in new {
                let record = *self.record(seq);
                self.take(seq, record, true, now, (p, g), rtts);
                self.record(seq).flags = record.flags & !(LOST | TWICE) | SACKED;
                self.came += 1;
            }
        });
        self.more.sacked = sacked;
    }

    /// Without blocks: no more than this many packets are known to have come out of order.
    pub(super) fn keep_came(&mut self, most: u64) {
        let kept = self.came.min(most);
        self.more.sampler.known_before(self.came - kept);
        self.came = kept;
    }

    /// Linux has F-RTO beside the time stamps. A block proves the timeout needless where the oldest packet is still missing.
    fn tries_as_linux(&self) -> bool {
        self.more.f_rto && self.state == State::Timeout && self.rules.undo != Undo::None
    }

    /// Goes on with F-RTO; true if what was acknowledged proves that the timeout was needless.
    fn try_out(&mut self, advanced: bool, duplicate: bool) -> bool {
        match self.more.trial {
            Trial::No => false,
            _ if duplicate || (advanced && self.una >= self.recover) => {
                self.more.trial = Trial::No;
                false
            }
            Trial::First => {
                // Without new packets for the test, everything is sent again.
                self.more.trial = match advanced {
                    true if self.fits() => Trial::Second(2),
                    true => Trial::No,
                    false => Trial::First,
                };
                false
            }
            Trial::Second(_) => {
                if advanced {
                    self.more.trial = Trial::No;
                }
                advanced
            }
        }
    }

    /// The sink had a packet twice.
    fn take_duplicate(&mut self, seq: u64, p: &mut Progress) {
        if self.more.tail.is_some_and(|tail| tail.again && seq + 1 == tail.end) {
            self.more.tail = None; // The probe was needless, and that says nothing.
            return;
        }
        self.more.rack.duplicate(self.una, self.next);
        if self.rules.undo == Undo::Eifel && self.state != State::Marked && self.more.episode.reported(seq) {
            self.undo(p);
        }
    }
}
