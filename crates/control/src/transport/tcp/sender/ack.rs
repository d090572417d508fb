//! What an acknowledgement says: which packets arrived, their round trips, the rate, and marks.

use super::{Progress, Quiet, RateSample, Sender};
use crate::transport::ledger::{Record, flag};
use crate::transport::recovery::{LossRecovery as _, Phase};
use crate::transport::tcp::sink::BLOCKS;
use crate::transport::tcp::{Echo, Recovery, Undo};
use headgate_packet::{Duration, Time};

/// After this long the least round trip is looked for again (Linux: tcp_min_rtt_wlen).
const MIN_RTT_FOR: Duration = Duration::from_secs(300);

/// The round trip by the time stamp that an acknowledgement returns, where Linux has no other (tcp_rtt_tsopt_us): in whole milliseconds, at least one.
fn stamped(sent: Time, now: Time) -> Duration {
    const MS: u64 = 1_000_000_000;
    Duration::from_millis((now.as_ps() / MS).saturating_sub(sent.as_ps() / MS).max(1))
}

impl Sender {
    /// An acknowledgement of everything below `cumulative` arrived, caused by a packet sent at `sent`; `echo` is what the sink says beyond it. `rtts`
    /// gets a round trip for each packet that gives one.
    pub fn on_ack(
        &mut self,
        (cumulative, sent): (u64, Time),
        echo: Option<&Echo>,
        now: Time,
        rtts: &mut impl FnMut(Duration),
    ) -> Progress {
        let mut p = Progress { declared_before: self.ledger.declared_lost, ..Progress::default() };
        let (cumulative, before) = (cumulative.min(self.ledger.next), self.ledger.una);
        if cumulative > before {
            self.advance(cumulative, now, &mut p, rtts);
        }
        let duplicate = p.advanced == 0 && cumulative == before && self.ledger.next > before;
        self.on_signals((cumulative, sent, before), echo, duplicate, now, &mut p, rtts);
        (p.duplicates, p.lost) = (self.state.duplicates, self.ledger.declared_lost - p.declared_before);
        let advanced = p.advanced > 0;
        let restart = self.recovery.restarts_timer(&self.ledger, &self.state, advanced, p.oldest_rtt, now);
        self.arm(now, restart, advanced);
        p
    }

    /// Whether nothing is lost, under trial or out of order: then an acknowledgement that advances and reports no more than its number ends no episode, begins
    /// none, and changes nothing but the round trip and the timer.
    #[inline]
    pub fn is_quiet(&self) -> bool {
        let ledger = &self.ledger;
        self.state.phase == Phase::Open
            && ledger.arrived + ledger.lost + ledger.two_copies == 0
            && self.tail.probe.is_none()
            // With packets that wait for their time, an acknowledgement in sequence may show a loss.
            && self.recovery.reordering_timer().is_none()
    }

    /// Such an acknowledgement; `None` if a packet that it acknowledges was sent again, and then nothing
    /// has changed.
    #[inline(always)]
    pub fn on_quiet_ack(&mut self, cumulative: u64, now: Time, rtts: &mut impl FnMut(Duration)) -> Option<Quiet> {
        let una = self.ledger.una;
        if (una..cumulative).any(|seq| self.ledger.get(seq).flags != 0) {
            return None;
        }
        let oldest = now.since(self.ledger.get(una).sent);
        let mut newest = oldest;
        let min_rtt = self.min_rtt();
        for seq in una..cumulative {
            let record = self.ledger.get(seq);
            newest = now.since(record.sent);
            rtts(newest);
            if let Some(sampler) = &mut self.sampler {
                sampler.acknowledged((record.sent, seq), false, now);
            }
            self.recovery.on_packet_acked(seq, record, now, min_rtt);
        }
        self.ledger.una = cumulative;
        self.ledger.delivered += cumulative - una;
        self.state.duplicates = 0;
        self.take_rtt(oldest, newest, now);
        let round = cumulative > self.round_end;
        if round {
            self.round_end = self.ledger.next;
        }
        self.tail.due = false;
        // Nothing is lost: packets that were sent once were sent in the order of their numbers.
        self.arm_quietly(now);
        Some(Quiet { advanced: cumulative - una, rtt: newest, round })
    }

    /// The sample of the rate that the present acknowledgement gives, if the protocol asks for rates.
    #[inline]
    pub fn take_rate(&mut self) -> Option<RateSample> {
        let (min_rtt, ledger) = (self.min_rtt(), &self.ledger);
        self.sampler.as_mut().and_then(|s| s.take(min_rtt, ledger.delivered, ledger.declared_lost))
    }

    /// An acknowledgement gave round trips, of which these are the first and the newest. Linux takes the first for the timeout and the newest for the
    /// least round trip (tcp_ack_update_rtt: seq_rtt_us and ca_rtt_us).
    #[inline]
    fn take_rtt(&mut self, oldest: Duration, newest: Duration, now: Time) {
        let (told, least) = if self.rules.as_linux { (newest, newest) } else { (oldest, newest.min(oldest)) };
        if told <= self.min_rtt.0 || now.since(self.min_rtt.1) > MIN_RTT_FOR {
            self.min_rtt = (least, now);
        }
        self.tail.measured = true;
        self.rtt.sample(oldest, (self.ledger.una, self.ledger.next), &self.rules);
    }

    /// Everything below `cumulative` arrived.
    fn advance(&mut self, cumulative: u64, now: Time, p: &mut Progress, rtts: &mut impl FnMut(Duration)) {
        let una = self.ledger.una;
        // Karn: what was sent after a retransmitted packet was acknowledged only with it.
        let timed = (una..cumulative).all(|seq| !self.ledger.get(seq).has(flag::RETRANSMITTED));
        for seq in una..cumulative {
            let record = self.ledger.get(seq);
            if record.has(flag::ARRIVED) {
                self.ledger.arrived -= 1;
            } else {
                self.acknowledge(seq, record, timed, now, p, rtts);
            }
        }
        (p.advanced, self.ledger.una, self.state.duplicates) = (cumulative - una, cumulative, 0);
        self.scoreboard.sacked.forget_below(cumulative);
        p.delivered -= self.recovery.on_advance(&mut self.ledger, &self.state, p.advanced);
    }

    /// A packet is acknowledged for the first time.
    #[inline]
    fn acknowledge(
        &mut self,
        seq: u64,
        record: Record,
        timed: bool,
        now: Time,
        p: &mut Progress,
        rtts: &mut impl FnMut(Duration),
    ) {
        p.delivered += 1;
        self.ledger.delivered += 1;
        let again = record.has(flag::RETRANSMITTED);
        if record.flags != 0 {
            let lost = record.has(flag::LOST);
            self.ledger.lost -= u64::from(lost);
            self.ledger.two_copies -= u64::from(record.has(flag::TWO_COPIES));
            p.original |= lost && !again;
        }
        if let Some(sampler) = &mut self.sampler {
            sampler.acknowledged((record.sent, seq), again, now);
        }
        if !again && timed {
            let rtt = now.since(record.sent);
            p.oldest_rtt.get_or_insert(rtt);
            p.rtt = Some(rtt);
            rtts(rtt);
        }
        let min_rtt = self.min_rtt();
        self.recovery.on_packet_acked(seq, record, now, min_rtt);
    }

    /// What beyond packets in sequence an acknowledgement says.
    fn on_signals(
        &mut self,
        (cumulative, sent, before): (u64, Time, u64),
        echo: Option<&Echo>,
        duplicate: bool,
        now: Time,
        p: &mut Progress,
        rtts: &mut impl FnMut(Duration),
    ) {
        let (blocks, in_sequence) = (self.rules.recovery.needs_blocks(), p.delivered);
        if let Some(echo) = echo {
            if blocks {
                let before = std::mem::replace(&mut self.scoreboard.reported, *echo.places());
                let (mut new, mut count) = ([(0, 0); BLOCKS], 0);
                // Most acknowledgements report again what the one before them did.
                for range in echo.blocks() {
                    // Without branches: where it stood is not the same each time.
                    let known = before.iter().fold(false, |known, b| known | (b.0 == range.0) & (b.1 == range.1));
                    new[count] = range;
                    count += usize::from(!known);
                }
                // The sink reports the latest first. In that order, what arrived long ago would seem to arrive late after a lost report.
                if count > 1 && self.rules.recovery == Recovery::Rack {
                    new[..count].sort_unstable();
                }
                for (start, end) in &new[..count] {
                    self.take_block(*start, *end, now, p, rtts);
                }
                if let Some(seq) = echo.duplicate {
                    self.take_duplicate(seq, p);
                }
            }
            // Without exact marks, the echo is that of all packets acknowledged (RFC 8257, section 3.3).
            p.marked = if echo.congested { p.delivered } else { echo.marks.saturating_sub(self.marks) };
            self.marks = self.marks.max(echo.marks);
        }
        // What a duplicate without blocks counts for is no progress: it may have been overtaken.
        let progress = p.delivered;
        if duplicate && (!blocks || p.delivered > 0) {
            self.state.duplicates += 1;
            if self.recovery.on_duplicate(&mut self.ledger) {
                p.delivered = 1;
                self.ledger.delivered += 1;
                if let Some(sampler) = &mut self.sampler {
                    sampler.one_delivered(now);
                }
            }
        }
        if let Some(report) = echo.and_then(Echo::accurate) {
            p.marked = self.take_accurate(report, (cumulative, sent), progress);
        }
        if p.oldest_rtt.is_none() && p.advanced > 0 && self.rules.as_linux {
            let rtt = stamped(sent, now);
            (p.oldest_rtt, p.rtt) = (Some(rtt), Some(rtt));
        }
        if let Some(rtt) = p.oldest_rtt {
            self.take_rtt(rtt, p.rtt.unwrap_or(rtt), now);
        }
        let advanced = p.advanced > 0;
        if advanced && self.ledger.una > self.round_end {
            (p.round, self.round_end) = (true, self.ledger.next);
        }
        let ends = advanced && self.ledger.una >= self.state.recovery_point;
        // An old acknowledgement says nothing of marks.
        p.congested = p.marked > 0 || (cumulative == self.ledger.una && echo.is_some_and(|e| e.congested));
        // Linux: a reduction in which a mark is reported is not undone.
        self.episode.reduced &= !(p.congested && self.rules.as_linux);
        let proves = self.f_rto.on_ack(advanced, duplicate, ends, self.fits()) || blocks;
        let spurious = self.episode.is_spurious(self.rules.undo, sent, p.original && proves);
        if (advanced && self.state.phase != Phase::Open && spurious) || (p.original && self.tries_f_rto_by_blocks()) {
            self.undo(p);
        }
        if blocks && self.tries_f_rto_by_blocks() {
            let after = self.ledger.next > self.state.recovery_point;
            let beyond_gap = duplicate || p.delivered > in_sequence;
            self.f_rto.on_ack_as_linux(advanced && !ends, beyond_gap, after, self.fits());
        }
        self.detect(now, (advanced, duplicate), p);
        let bare = !advanced && p.delivered == 0 && cumulative == self.ledger.una;
        self.end_tail_probe(before, bare && echo.is_none_or(|e| e.is_bare() || self.rules.as_linux), p);
        let new = duplicate || p.delivered > 0 || p.marked > 0;
        let lost = self.ledger.declared_lost > p.declared_before;
        p.stale = !advanced && !new && !lost && p.loss.is_none() && !p.undone;
        self.tail.due &= p.stale;
        p.rate = self.take_rate();
    }

    fn take_block(&mut self, start: u64, end: u64, now: Time, p: &mut Progress, rtts: &mut impl FnMut(Duration)) {
        let range = start.max(self.ledger.una)..end.min(self.ledger.next);
        if range.is_empty() {
            return;
        }
        let mut sacked = std::mem::take(&mut self.scoreboard.sacked);
        sacked.insert(range, &mut |new| {
            for seq in new {
                let record = self.ledger.get(seq);
                self.acknowledge(seq, record, true, now, p, rtts);
                self.ledger.record(seq).flags = record.flags & !(flag::LOST | flag::TWO_COPIES) | flag::ARRIVED;
                self.ledger.arrived += 1;
            }
        });
        self.scoreboard.sacked = sacked;
    }

    /// Linux has F-RTO beside the time stamps. A block proves the timeout spurious where the oldest packet is still missing.
    fn tries_f_rto_by_blocks(&self) -> bool {
        self.f_rto.by_blocks && self.state.phase == Phase::Loss && self.rules.undo != Undo::None
    }

    /// The sink had a packet twice.
    fn take_duplicate(&mut self, seq: u64, p: &mut Progress) {
        if self.tail.probe.is_some_and(|probe| probe.retransmission && seq + 1 == probe.end) {
            self.tail.probe = None; // The probe was not needed, and that says nothing.
            return;
        }
        self.recovery.on_reported_duplicate(&self.ledger);
        if self.rules.undo == Undo::Eifel && self.episode.on_reported_duplicate(seq) {
            self.undo(p);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::tcp::{Preset, Rules};
    use std::sync::Arc;

    fn at(us: u64) -> Time {
        Time::from_ps(us * 1_000_000)
    }

    /// A sender of this preset that sent a packet each 10 ms, of which the first was declared lost and went again after 130.3 ms; the round trips that it
    /// was told of.
    fn sender(preset: Preset) -> (Sender, Vec<u64>) {
        let mut sender =
            Sender::new(&Arc::new(Rules { recovery: Recovery::Rack, tick: Duration::ZERO, ..preset.rules() }));
        sender.supply(7);
        for n in 0..7 {
            sender.poll(10, at(10_000 * n));
        }
        sender.on_ack((0, at(30_000)), Some(&Echo::of(&[(1, 4)])), at(130_300), &mut |_| {});
        sender.enter_recovery(crate::LossKind::DuplicateAcks, 3, &mut Progress::default());
        assert_eq!(sender.poll(10, at(130_300)), Some((0, true)));
        (sender, vec![])
    }

    #[test]
    fn where_only_what_went_again_is_acknowledged_linux_takes_the_time_stamp() {
        for (preset, due) in [(Preset::Linux, Some(Duration::from_millis(60))), (Preset::Rfc, None)] {
            let (mut sender, mut told) = sender(preset);
            let before = sender.smoothed();
            let ack = (4, at(130_300));
            let p = sender.on_ack(ack, Some(&Echo::default()), at(190_299), &mut |rtt| told.push(rtt.as_ps()));
            // 190 ms less 130, whatever the rest of the milliseconds is; the least round trip comes with it.
            assert_eq!((p.rtt, p.advanced, told.len()), (due, 4, 0));
            assert_eq!(sender.min_rtt(), due.or(Some(Duration::from_ps(100_300_000_000))));
            assert_eq!(sender.smoothed() == before, due.is_none());
        }
        // One millisecond at least, and none without an advance.
        let (mut linux, _) = sender(Preset::Linux);
        assert_eq!(linux.on_ack((4, at(130_300)), None, at(130_900), &mut |_| {}).rtt, Some(Duration::from_millis(1)));
        let (mut linux, _) = sender(Preset::Linux);
        assert_eq!(linux.on_ack((0, at(0)), Some(&Echo::of(&[(1, 4)])), at(190_000), &mut |_| {}).rtt, None);
    }

    #[test]
    fn what_is_reported_beside_it_gives_the_round_trip_instead() {
        let (mut linux, mut told) = sender(Preset::Linux);
        // Packets 5 and 6 were sent after 50 and 60 ms: the first counts for the timeout, the last for the least round trip.
        let echo = Echo::of(&[(5, 7)]);
        let p = linux.on_ack((4, at(130_300)), Some(&echo), at(150_000), &mut |rtt| told.push(rtt.as_ps() / 1_000_000));
        assert_eq!(
            (p.oldest_rtt, p.rtt, &*told),
            (Some(Duration::from_millis(100)), Some(Duration::from_millis(90)), &[100_000, 90_000][..])
        );
        assert_eq!(linux.min_rtt(), Some(Duration::from_millis(90)));
    }

    #[test]
    fn the_least_round_trip_is_of_the_newest_packets_in_linux() {
        for (preset, due) in [(Preset::Linux, 80), (Preset::Rfc, 90)] {
            let mut sender = Sender::new(&Arc::new(preset.rules()));
            sender.supply(3);
            [0, 1, 31].iter().for_each(|ms| assert!(sender.poll(10, at(ms * 1000)).is_some()));
            sender.on_ack((1, at(0)), None, at(90_000), &mut |_| {});
            // 110 ms for the older of the two, 80 for the newer.
            sender.on_ack((3, at(31_000)), None, at(111_000), &mut |_| {});
            assert_eq!(sender.min_rtt(), Some(Duration::from_millis(due)), "{preset:?}");
        }
    }

    /// Linux, minmax_running_min: the 300 s count from the last time when the least round trip was measured.
    #[test]
    fn the_least_round_trip_stays_for_300_s_after_it_was_last_measured() {
        let mut sender = Sender::new(&Arc::new(Preset::Linux.rules()));
        sender.supply(5);
        // When a packet is sent, how long its round trip takes, and the least one then, in ms.
        let rows = [(0, 100, 100), (200_000, 100, 100), (499_900, 200, 100), (500_000, 200, 200), (500_500, 150, 150)];
        for (next, (sent, rtt, least)) in (1..).zip(rows) {
            assert!(sender.poll(10, at(1000 * sent)).is_some());
            sender.on_ack((next, at(1000 * sent)), None, at(1000 * (sent + rtt)), &mut |_| {});
            assert_eq!(sender.min_rtt(), Some(Duration::from_millis(least)), "{sent}");
        }
    }

    /// The blocks name packet 4, sent after 40 ms, before packet 1, sent after 10.
    #[test]
    fn by_the_rfc_the_least_round_trip_is_of_whichever_packet_has_it() {
        let mut sender = Sender::new(&Arc::new(Rules { recovery: Recovery::Sack, ..Preset::Rfc.rules() }));
        sender.supply(6);
        (0..6).for_each(|n| assert!(sender.poll(10, at(10_000 * n)).is_some()));
        sender.on_ack((0, at(0)), Some(&Echo::of(&[(4, 5), (1, 2)])), at(140_000), &mut |_| {});
        assert_eq!(sender.min_rtt(), Some(Duration::from_millis(100)));
    }

    #[test]
    fn a_probe_that_is_due_is_not_sent_if_something_new_arrives_before() {
        for (cumulative, sent) in [(2, None), (0, Some((2, true)))] {
            let mut sender = Sender::new(&Arc::new(Rules {
                recovery: Recovery::Rack,
                tick: Duration::ZERO,
                ..Preset::Linux.rules()
            }));
            sender.supply(3);
            (0..3).for_each(|n| assert!(sender.poll(10, at(n)).is_some()));
            sender.on_ack((1, at(0)), None, at(100_000), &mut |_| {});
            assert!(sender.timeout() < at(303_000) && !sender.on_timeout(at(303_000)).stale);
            sender.on_ack((cumulative, at(1)), None, at(304_000), &mut |_| {});
            assert_eq!(sender.poll(10, at(304_000)), sent, "{cumulative}");
        }
    }
}
