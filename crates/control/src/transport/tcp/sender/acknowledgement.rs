//! What an acknowledgement tells: which packets came, their round trips, the rate, and marks.

use super::{LOST, Progress, RESENT, Record, SACKED, Sender, State, TWICE, Trial};
use crate::transport::tcp::{Echo, Recovery, Undo};
use headgate_packet::{Duration, Time};

/// After this long the least round trip is looked for anew (Linux: tcp_min_rtt_wlen).
const MIN_RTT_FOR: Duration = Duration::from_secs(300);

impl Sender {
    /// An acknowledgement came; `echo` is what the sink told beyond it.
    pub fn on_ack(
        &mut self,
        (cumulative, sent): (u64, Time),
        echo: Option<&Echo>,
        now: Time,
        rtts: &mut impl FnMut(Duration),
    ) -> Progress {
        let mut p = Progress::default();
        let cumulative = cumulative.min(self.next);
        let before = self.una;
        let mut original = false;
        let mut oldest_rtt = None;
        // In sequence.
        let blocks = self.rules.recovery.needs_blocks();
        // Karn: what went behind a packet that went again was acknowledged only with it.
        let timed = (self.una..cumulative).all(|seq| self.record(seq).flags & RESENT == 0);
        for seq in self.una..cumulative {
            let record = *self.record(seq);
            if record.flags & SACKED != 0 {
                self.came -= 1;
                continue;
            }
            original |= self.take(seq, record, timed, now, (&mut p, &mut oldest_rtt), rtts);
        }
        if cumulative > self.una {
            p.advanced = cumulative - self.una;
            if blocks {
                self.sacked.forget_below(cumulative);
            } else {
                // Those acknowledged were told by duplicates before, but for the one that filled the hole.
                let told = self.came.min(p.advanced.saturating_sub(1));
                self.came -= told;
                p.delivered -= told;
                self.sampler.known_before(told);
            }
            self.una = cumulative;
            if !blocks {
                // Outside of an episode the window bounds what is outstanding: needless retransmissions bring duplicates that tell of nothing new.
                let kept = if self.is_repairing() { self.outstanding() - self.lost } else { 0 };
                self.keep_came(kept);
            }
            self.duplicates = 0;
        }
        // Out of sequence.
        if let Some(echo) = echo {
            if blocks {
                for (start, end) in echo.blocks() {
                    self.take_block(start, end, now, (&mut p, &mut original, &mut oldest_rtt), rtts);
                }
                if let Some(seq) = echo.duplicate {
                    self.take_duplicate(seq, &mut p);
                }
            }
            // Without counts, the echo is that of all packets acknowledged (RFC 8257, section 3.3).
            p.marked = if echo.congested { p.delivered } else { echo.marks.saturating_sub(self.marks) };
            self.marks = self.marks.max(echo.marks);
        }
        let duplicate = p.advanced == 0 && cumulative == self.una && self.next > self.una;
        if duplicate && (!blocks || p.delivered > 0) {
            self.duplicates += 1;
            if !blocks && self.came + self.lost < self.outstanding() - u64::from(self.lost == 0) {
                self.came += 1;
                p.delivered = 1;
                self.sampler.one_came(now);
            }
        }
        p.duplicates = self.duplicates;
        if let Some(rtt) = oldest_rtt {
            let least = self.min_rtt.is_none_or(|(least, at)| rtt <= least || now.since(at) > MIN_RTT_FOR);
            if least {
                self.min_rtt = Some((p.rtt.unwrap_or(rtt).min(rtt), now));
            }
            self.rtt.sample(rtt, (self.una, self.next), &self.rules);
        }
        if p.advanced > 0 && self.una > self.round_end {
            (p.round, self.round_end) = (true, self.next);
        }
        let proves = self.try_out(p.advanced > 0, duplicate) || blocks;
        let original = original && proves;
        if p.advanced > 0 && self.state != State::Open && self.needless(sent, original) {
            self.undo(&mut p);
        }
        // An old acknowledgement tells nothing of marks.
        let congested = cumulative == self.una && echo.is_some_and(|e| e.congested);
        self.judge(now, p.advanced > 0, congested || p.marked > 0, &mut p);
        self.end_tail(before, &mut p);
        let told = duplicate || p.delivered > 0 || p.marked > 0;
        p.stale = p.advanced == 0 && !told && p.lost == 0 && p.loss.is_none() && !p.undone;
        self.probe_due &= p.stale;
        p.rate = self.sampler.take(self.least_rtt());
        let restart =
            p.advanced > 0 && (self.rules.recovery != Recovery::Newreno || !self.partial || self.una >= self.recover);
        self.partial = self.state == State::Recovery && (self.partial || p.advanced > 0);
        let restart = restart || self.outlives(oldest_rtt, now);
        self.arm(now, restart);
        p
    }

    /// Whether what came out of order starts the timer anew: with RACK, packets sent before the oldest one went for the last time do
    /// (Linux). With later ones, the timer would never run out while new data flow.
    fn outlives(&mut self, oldest: Option<Duration>, now: Time) -> bool {
        let rack = self.rules.recovery == Recovery::Rack && self.una < self.next;
        rack && oldest.is_some_and(|rtt| rtt > now.since(self.record(self.una).last))
    }

    /// A packet is acknowledged for the first time; true if it was taken for lost and had not gone again.
    fn take(
        &mut self,
        seq: u64,
        record: Record,
        timed: bool,
        now: Time,
        (p, oldest): (&mut Progress, &mut Option<Duration>),
        rtts: &mut impl FnMut(Duration),
    ) -> bool {
        p.delivered += 1;
        self.lost -= u64::from(record.flags & LOST != 0);
        self.twice -= u64::from(record.flags & TWICE != 0);
        let resent = record.flags & RESENT != 0;
        self.sampler.delivered((record.last, seq), resent, &record.stamp, now);
        let rtt = now.since(record.last);
        if !resent && timed {
            oldest.get_or_insert(rtt);
            p.rtt = Some(rtt);
            rtts(rtt);
        }
        if self.rules.recovery == Recovery::Rack {
            let least = self.min_rtt.map(|(least, _)| least);
            self.rack.came(seq, record.last, resent, now, least);
        }
        record.flags & LOST != 0 && !resent
    }

    fn take_block(
        &mut self,
        start: u64,
        end: u64,
        now: Time,
        (p, original, oldest): (&mut Progress, &mut bool, &mut Option<Duration>),
        rtts: &mut impl FnMut(Duration),
    ) {
        let range = start.max(self.una)..end.min(self.next);
        let mut sacked = std::mem::take(&mut self.sacked);
        sacked.insert(range, &mut |new| {
            for seq in new {
                let record = *self.record(seq);
                *original |= self.take(seq, record, true, now, (p, oldest), rtts);
                self.record(seq).flags = record.flags & !(LOST | TWICE) | SACKED;
                self.came += 1;
            }
        });
        self.sacked = sacked;
    }

    /// Without blocks: no more than so many packets are known to have come out of order.
    pub(super) fn keep_came(&mut self, most: u64) {
        let kept = self.came.min(most);
        self.sampler.known_before(self.came - kept);
        self.came = kept;
    }

    /// Goes on with F-RTO; true if what was acknowledged proves that the timeout was needless.
    fn try_out(&mut self, advanced: bool, duplicate: bool) -> bool {
        match self.trial {
            Trial::No => false,
            _ if duplicate || (advanced && self.una >= self.recover) => {
                self.trial = Trial::No;
                false
            }
            Trial::First => {
                // Without new packets to try it out, everything goes again.
                self.trial = match advanced {
                    true if self.fits() => Trial::Second(2),
                    true => Trial::No,
                    false => Trial::First,
                };
                false
            }
            Trial::Second(_) => {
                if advanced {
                    self.trial = Trial::No;
                }
                advanced
            }
        }
    }

    /// The sink had a packet twice.
    fn take_duplicate(&mut self, seq: u64, p: &mut Progress) {
        if self.tail.is_some_and(|tail| tail.again && seq + 1 == tail.end) {
            self.tail = None; // The probe was needless, and that tells nothing.
            return;
        }
        self.rack.duplicate(self.una, self.next);
        if self.rules.undo == Undo::Eifel && self.state != State::Marked && self.episode.reported(seq) {
            self.undo(p);
        }
    }
}
