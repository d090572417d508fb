//! Loss by time: a packet is lost if one that was sent later arrived, and enough time has passed since.
//!
//! Source: RFC 8985, section 6.2.
//! Deviations:
//! - Packets are counted, not bytes.
//! - The timer runs for the longest wait of those sent before the newest that arrived, as the RFC says, whether or not that one was acknowledged
//!   meanwhile.
//! - Step 2 looks at the least round trip alone, not at echoed time stamps, as Linux does; step 1 follows it.
//! - The window is at most 255 quarters. A duplicate that a tail probe caused does not widen it, and an episode that is undone does not count for its end:
//!   as in Linux.
//! - With the preset `linux`, and in recovery after a timeout, a lost retransmission does not cut the window again (section 9.3).
//! - With the preset `linux` a timeout leaves the reordering window out (section 6.3).
//! - A packet that was wrongly declared lost by its successors' arrival is watched no more until it is sent again, as in Linux; one that a timeout
//!   declared lost is.
//!
//! State: an entry for each retransmission that is outstanding and for each packet that waits. Packets that were sent once stand in the ledger, in the
//! order of sending. Each is looked at a few times, whatever the window.

use super::{Detected, LossRecovery, Phase, Signals, State};
use crate::transport::ledger::{Ledger, Record, flag};
use crate::transport::ranges::Ranges;
use headgate_packet::{Duration, Time};
use std::collections::VecDeque;

/// The newest packet that arrived, and how much reordering to allow for.
#[derive(Clone, Debug)]
pub(crate) struct Rack {
    /// One above the [`place`] of the newest packet that arrived, 0 before the first; and the round trip of the last one.
    newest: u128,
    rtt: Duration,
    /// The highest packet that arrived.
    highest: u64,
    reordered: bool,
    /// The window is this many quarters of the least round trip ...
    quarters: u32,
    /// ... for this many recoveries yet.
    persist: u32,
    /// Further duplicates count only when this is acknowledged.
    round: Option<u64>,
    /// Packets sent once, from this one on, were sent after the newest that arrived, as were these retransmissions, in the order of time; those that
    /// were sent before it wait. Entries that a later event made unnecessary stay until they are at an end.
    watched: u64,
    again: VecDeque<(Time, u64)>,
    waiting: VecDeque<(Time, u64)>,
    /// When to look again, if some wait.
    until: Option<Time>,
    /// Room for what is declared lost at once.
    lost: Vec<u64>,
}

/// The place of a transmission in the order of time, and of numbers at one time: as one number it is compared without branches.
fn place((sent, seq): (Time, u64)) -> u128 {
    u128::from(sent.as_ps()) << 64 | u128::from(seq)
}

/// Recoveries for which a wider window stays (RFC 8985, section 6.2, step 4).
const PERSIST: u32 = 16;

impl Default for Rack {
    fn default() -> Rack {
        Rack {
            newest: 0,
            rtt: Duration::ZERO,
            highest: 0,
            reordered: false,
            quarters: 1,
            persist: 0,
            round: None,
            watched: 0,
            again: VecDeque::new(),
            waiting: VecDeque::new(),
            until: None,
            lost: Vec::new(),
        }
    }
}

impl Rack {
    /// A packet is sent again.
    fn sent_again(&mut self, seq: u64, now: Time) {
        self.again.push_back((now, seq));
        // At one instant several packets are sent, not always in the order of their numbers.
        let mut place = self.again.len() - 1;
        while place > 0 && self.again[place - 1] > (now, seq) {
            self.again.swap(place - 1, place);
            place -= 1;
        }
    }

    /// A packet arrived that was sent last at `sent`.
    fn arrived(&mut self, seq: u64, sent: Time, resent: bool, now: Time, min_rtt: Option<Duration>) {
        if !resent && seq < self.highest {
            self.reordered = true;
        }
        self.highest = self.highest.max(seq);
        let rtt = now.since(sent);
        if resent && min_rtt.is_some_and(|least| rtt < least) {
            return; // It was the original.
        }
        self.rtt = rtt;
        self.newest = self.newest.max(place((sent, seq)) + 1);
    }

    /// The sink had a packet twice; `next` and `una` are the sender's.
    fn widen(&mut self, una: u64, next: u64) {
        if self.round.is_none_or(|end| una >= end) {
            self.quarters = (self.quarters + 1).min(255);
            self.persist = PERSIST;
            self.round = Some(next);
        }
    }

    /// An episode ended.
    fn recovered(&mut self) {
        self.persist = self.persist.saturating_sub(1);
        if self.persist == 0 {
            self.quarters = 1;
        }
    }

    /// How much later than a packet sent after it one may arrive (step 4). `no_wait`: in recovery, or with enough packets that arrived.
    fn window(&self, no_wait: bool, min_rtt: Option<Duration>, smoothed: Option<Duration>) -> Duration {
        if !self.reordered && no_wait {
            return Duration::ZERO;
        }
        let quarter = min_rtt.map_or(0, |least| least.as_ps() / 4);
        let wide = Duration::from_ps(quarter.saturating_mul(u64::from(self.quarters)));
        smoothed.map_or(wide, |most| wide.min(most))
    }

    /// Whether a packet waits that was sent before the newest that arrived.
    fn waits(&mut self, ledger: &Ledger) -> bool {
        self.watched = self.watched.max(ledger.una);
        loop {
            let once = self.next_sent_once(ledger);
            let (of_once, of_again) =
                (once.map_or(u128::MAX, place), self.again.front().map_or(u128::MAX, |e| place(*e)));
            if of_once.min(of_again) >= self.newest {
                break;
            }
            let entry = if of_once < of_again {
                self.watched += 1;
                once
            } else {
                self.again.pop_front()
            };
            if let Some(entry) = entry
                && ledger.is_unknown(entry.0, entry.1)
            {
                self.waiting.push_back(entry);
            }
        }
        !self.waiting.is_empty()
    }

    /// The next packet watched of those that were sent once and of which nothing is known.
    fn next_sent_once(&mut self, ledger: &Ledger) -> Option<(Time, u64)> {
        while self.watched < ledger.next {
            let record = ledger.get(self.watched);
            if !record.has(flag::ARRIVED | flag::LOST | flag::RETRANSMITTED) {
                return Some((record.sent, self.watched));
            }
            self.watched += 1;
        }
        None
    }

    /// Takes out what is lost by now and hands it to `lost`; sets how long to wait for the rest. `window` is asked for if something waits.
    fn detect(
        &mut self,
        ledger: &Ledger,
        now: Time,
        window: impl FnOnce(&Rack) -> Duration,
        mut lost: impl FnMut(u64),
    ) {
        self.until = None;
        // Mostly nothing waits.
        if !self.waits(ledger) {
            return;
        }
        let outstanding = |sent: Time, seq: u64| ledger.is_unknown(sent, seq);
        let allowed = self.rtt + window(self);
        while let Some((sent, seq)) = self.waiting.front().copied() {
            let stands = outstanding(sent, seq);
            if stands && sent + allowed > now {
                break;
            }
            self.waiting.pop_front();
            if stands {
                lost(seq);
            }
        }
        while let Some((sent, seq)) = self.waiting.back().copied() {
            if outstanding(sent, seq) {
                self.until = Some(sent + allowed);
                break;
            }
            self.waiting.pop_back();
        }
    }

    /// Forgets transmissions that no longer count: where nothing arrives for long, a packet may be sent any number of times.
    fn forget(&mut self, ledger: &Ledger) {
        self.again.retain(|(sent, seq)| ledger.is_unknown(*sent, *seq));
        self.waiting.retain(|(sent, seq)| ledger.is_unknown(*sent, *seq));
    }

    /// A timeout took these transmissions for lost, and was wrong: what arrives says again which of them are.
    fn watch_again(&mut self, ledger: &Ledger, mut expired: Vec<(Time, u64)>) {
        // The others are watched as they are.
        expired.retain(|(_, seq)| *seq < self.watched || ledger.get(*seq).has(flag::RETRANSMITTED));
        if expired.is_empty() {
            return;
        }
        expired.extend(self.waiting.drain(..));
        expired.extend(self.again.drain(..));
        expired.sort_unstable();
        self.again = expired.into();
    }

    /// Whether a packet sent then is lost at a timeout (section 6.3).
    fn is_late(&self, sent: Time, window: Duration, now: Time) -> bool {
        sent + self.rtt + window <= now
    }

    fn reordering_window(&self, ledger: &Ledger, state: &State, signals: &Signals<'_>) -> Duration {
        let no_wait = state.is_repairing() || ledger.arrived >= u64::from(signals.rules.duplicates);
        self.window(no_wait, signals.min_rtt, signals.rtt.smoothed())
    }
}

impl LossRecovery for Rack {
    fn on_retransmission(&mut self, seq: u64, now: Time) {
        self.sent_again(seq, now);
    }

    fn on_packet_acked(&mut self, seq: u64, record: Record, now: Time, min_rtt: Option<Duration>) {
        self.arrived(seq, record.sent, record.has(flag::RETRANSMITTED), now, min_rtt);
    }

    fn on_reported_duplicate(&mut self, ledger: &Ledger) {
        self.widen(ledger.una, ledger.next);
    }

    fn detect_losses(&mut self, ledger: &mut Ledger, state: &mut State, signals: &Signals<'_>) -> Detected {
        let mut lost = std::mem::take(&mut self.lost);
        let window = |rack: &Rack| rack.reordering_window(ledger, state, signals);
        self.detect(ledger, signals.now, window, |seq| lost.push(seq));
        let (mut retransmission, any) = (false, !lost.is_empty());
        for seq in lost.drain(..) {
            retransmission |= ledger.get(seq).has(flag::RETRANSMITTED_IN_RECOVERY);
            ledger.declare_lost(seq);
        }
        self.lost = lost;
        // Section 9.3: without PRR a lost retransmission is a loss in a further window, and a further cut.
        let once = signals.rules.prr || signals.rules.as_linux;
        let further = state.phase == Phase::Recovery && retransmission && !once;
        let begins = further || matches!(state.phase, Phase::Open | Phase::Cwr);
        if any && begins { Detected::Loss } else { Detected::Nothing }
    }

    fn on_enter(&mut self, _: &mut Ledger, _: &mut State, _: &Ranges, _: u32) {}

    fn on_exit(&mut self, ledger: &mut Ledger, repaired: bool) -> bool {
        if !repaired {
            return false;
        }
        self.recovered();
        // What was sent in the episode and is lost is a separate loss.
        (ledger.una..ledger.next).any(|seq| ledger.get(seq).has(flag::LOST | flag::RETRANSMITTED_IN_RECOVERY))
    }

    fn on_timeout(&mut self, ledger: &mut Ledger, state: &State, signals: &Signals<'_>) {
        let window =
            if signals.rules.as_linux { Duration::ZERO } else { self.reordering_window(ledger, state, signals) };
        for seq in ledger.una..ledger.next {
            let late = seq == ledger.una || self.is_late(ledger.get(seq).sent, window, signals.now);
            if late && ledger.declare_lost(seq) {
                ledger.record(seq).flags |= flag::EXPIRED;
            }
        }
        self.forget(ledger);
        self.until = None;
    }

    fn on_undo(&mut self, ledger: &Ledger, expired: Vec<(Time, u64)>) {
        self.watch_again(ledger, expired);
    }

    fn may_release(&self, _: u64) -> u64 {
        u64::MAX
    }

    fn reordering_timer(&self) -> Option<Time> {
        self.until
    }

    /// Packets that arrived out of order start the timer again if they were sent before the last transmission of the oldest one (Linux). With later
    /// ones, the timer would never run out while new data flow.
    fn restarts_timer(
        &mut self,
        ledger: &Ledger,
        _: &State,
        advanced: bool,
        oldest: Option<Duration>,
        now: Time,
    ) -> bool {
        let earlier = |rtt: Duration| ledger.una < ledger.next && rtt > now.since(ledger.get(ledger.una).sent);
        advanced || oldest.is_some_and(earlier)
    }

    fn memory(&self) -> usize {
        size_of::<Rack>()
            + (self.again.capacity() + self.waiting.capacity()) * size_of::<(Time, u64)>()
            + self.lost.capacity() * size_of::<u64>()
    }
}

#[cfg(test)]
mod tests;
