//! The source's side of a rate-based protocol: packets that go out on a release, in pairs or alone, each with a timer of its own.
//!
//! Source: Keshav 1991, sections 4.4.2 and 7.3.6: a timer of X times the last round-trip time for each packet, doubled at each of
//! its timeouts; or one timer for the conversation, after which the oldest packet goes again.
//! Deviations, where the thesis is silent: an acknowledgement names the packet that caused it, which thereby counts as received
//! although an earlier one is missing, and tells when that was sent. A pair is intact if both its acknowledgements are of first
//! transmissions, timed out or not: were a timeout enough to break it, a source that sends at over three times its rate would never
//! learn better, since behind a queue that grows so fast every packet times out. A packet sent again goes first, in place of a new one,
//! and breaks its pair: a TICK's pair is of two packets from the client. With `probe_again` any two that leave as a pair tell, since
//! acknowledgements name the transmission; without, a source that lost much measures nothing until all of it went again. A doubled
//! timeout is counted from the round trip known when the packet goes again. The one timer starts again when the oldest packet is
//! acknowledged: set at each send, as printed, it would never run out while new packets go. The two packets of a pair leave at once:
//! the queue of the source's own line keeps them together, which the thesis does with its counter num_in_burst and the signal FREE.
//! State per flow: a slot and a timer entry for each packet that is outstanding.

use super::tcp::RoundTrips;
use super::{Config, Pacing, Timers};
use crate::Probe;
use headgate_packet::{Duration, Time};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// Place of a packet in its pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Place {
    #[default]
    Lone,
    First,
    Second,
}

/// One transmission of a packet.
#[derive(Clone, Copy, Debug, Default)]
struct Sending {
    at: Time,
    place: Place,
    /// The number of its pair.
    pair: u64,
}

/// One packet that was sent, or waits to be sent again.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    first: Sending,
    /// Its last transmission, once it was sent again.
    again: Sending,
    /// When its timer runs out; `NEVER` while it waits to be sent again or was acknowledged.
    deadline: Time,
    timeouts: u32,
    received: bool,
    queued: bool,
}

/// What an acknowledgement did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairProgress {
    /// Packets acknowledged for the first time.
    pub newly_acked: u64,
    /// The round-trip time of the transmission that caused it.
    pub rtt: Option<Duration>,
    /// What the packet's place in an intact pair tells.
    pub probe: Probe,
}

/// Sequence numbers and timers of one flow. Sequence numbers count packets from 0.
#[derive(Clone, Debug)]
pub struct PairSender {
    /// Oldest packet not received.
    una: u64,
    /// Next new packet.
    next: u64,
    /// Packets that the workload has supplied.
    limit: u64,
    /// Packets sent, not acknowledged and not given up for lost.
    outstanding: u64,
    /// Transmissions less acknowledgements, each for itself.
    unanswered: u64,
    /// Of the packets from `una` on.
    slots: VecDeque<Slot>,
    /// Packets to send again, and timers; entries that a later event made needless stay until their turn.
    again: VecDeque<u64>,
    queued: u64,
    timers: BinaryHeap<Reverse<(Time, u64)>>,
    /// The one timer of the conversation, if there is one.
    deadline: Time,
    /// Timeouts in a row of the oldest packet, for the one timer.
    in_a_row: u32,
    estimator: RoundTrips,
    /// What was sent last is the first packet of a pair.
    half: bool,
    /// Pairs sent so far.
    pairs: u64,
    /// The last pair whose first packet was acknowledged, and when.
    first_ack: Option<(u64, Time)>,
}

impl Default for PairSender {
    fn default() -> PairSender {
        PairSender {
            una: 0,
            next: 0,
            limit: 0,
            outstanding: 0,
            unanswered: 0,
            slots: VecDeque::new(),
            again: VecDeque::new(),
            queued: 0,
            timers: BinaryHeap::new(),
            deadline: Time::NEVER,
            in_a_row: 0,
            estimator: RoundTrips::default(),
            half: false,
            pairs: 0,
            first_ack: None,
        }
    }
}

impl PairSender {
    /// Bytes of the records of packets sent.
    pub fn memory(&self) -> usize {
        self.slots.capacity() * size_of::<Slot>()
            + self.timers.capacity() * size_of::<(Time, u64)>()
            + self.again.capacity() * size_of::<u64>()
    }

    /// The workload has this many more packets.
    pub fn supply(&mut self, packets: u64) {
        self.limit = self.limit.saturating_add(packets);
    }

    /// The workload takes back what was never sent.
    pub fn stop(&mut self) {
        self.limit = self.next;
    }

    /// All that was supplied is acknowledged.
    pub fn is_done(&self) -> bool {
        self.una == self.limit
    }

    /// Packets that could be sent now: those to be sent again and new ones.
    pub fn waiting(&self) -> u64 {
        (self.limit - self.next).saturating_add(self.queued)
    }

    /// Packets sent, not acknowledged and not given up for lost.
    pub fn in_flight(&self) -> u64 {
        self.outstanding
    }

    /// Transmissions less acknowledgements: a lost one counts for ever, one that was needless only until its own acknowledgement.
    pub fn unanswered(&self) -> u64 {
        self.unanswered
    }

    /// One above the highest sequence number ever sent.
    pub fn highest(&self) -> u64 {
        self.next
    }

    /// Sends the next packet of a pair (`left` of it are still to go) or one alone; `None` when nothing waits.
    pub fn send(&mut self, left: Option<u8>, now: Time, config: &Config) -> Option<(u64, Time, bool)> {
        let half = std::mem::take(&mut self.half);
        while let Some(seq) = self.again.pop_front() {
            if seq < self.una || !self.slot(seq).queued {
                continue;
            }
            self.queued -= 1;
            self.outstanding += 1;
            self.unanswered += 1;
            let timeouts = self.slot(seq).timeouts;
            let deadline = now + self.timeout_of(timeouts, config);
            let left = left.filter(|_| config.paced.is_some_and(|p| p.probe_again));
            let again = self.sending(left, half, now);
            let slot = self.slot(seq);
            (slot.queued, slot.deadline, slot.again) = (false, deadline, again);
            let first = slot.first.at;
            self.set_timer(seq, deadline, config);
            return Some((seq, first, true));
        }
        if self.next == self.limit {
            return None;
        }
        let seq = self.next;
        self.next += 1;
        self.outstanding += 1;
        self.unanswered += 1;
        let first = self.sending(left, half, now);
        let deadline = now + self.timeout_of(0, config);
        self.slots.push_back(Slot { first, deadline, ..Slot::default() });
        self.set_timer(seq, deadline, config);
        Some((seq, now, false))
    }

    /// An acknowledgement of everything below `cumulative`, caused by packet `seq` as it was sent at `sent`. `rtts` gets the samples.
    pub fn on_ack(
        &mut self,
        cumulative: u64,
        (seq, sent): (u64, Time),
        now: Time,
        config: &Config,
        rtts: &mut impl FnMut(Duration),
    ) -> PairProgress {
        let mut progress = PairProgress { newly_acked: 0, rtt: None, probe: Probe::None };
        // It tells when its packet was sent, so that a packet sent twice is timed too: otherwise a queue that grew fast would let every
        // packet time out, and the timer would never learn of it.
        let rtt = now.since(sent);
        self.unanswered = self.unanswered.saturating_sub(1);
        self.estimator.sample(rtt, (self.una, self.next), &config.rules);
        if seq >= self.una && !self.slot(seq).received {
            let Slot { first, again, .. } = *self.slot(seq);
            // The measured delay runs from the first transmission.
            rtts(now.since(first.at));
            progress.rtt = Some(rtt);
            if let Some(sending) = [first, again].iter().find(|s| s.at == sent) {
                progress.probe = self.probe(sending, rtt, now);
            }
            self.take(seq, &mut progress.newly_acked);
        }
        for seq in self.una..cumulative.max(self.una) {
            self.take(seq, &mut progress.newly_acked);
        }
        let oldest = self.una;
        while self.una < self.next && self.slot(self.una).received {
            self.una += 1;
            self.slots.pop_front();
        }
        if self.una > oldest {
            self.in_a_row = 0;
            self.deadline = Time::NEVER;
            if self.una < self.next && one_timer(config) {
                self.deadline = now + self.timeout_of(0, config);
            }
        }
        self.drop_needless_timers();
        progress
    }

    /// When a retransmission timer runs out; `NEVER` without one.
    pub fn timeout(&self) -> Time {
        self.timers.peek().map_or(self.deadline, |Reverse((at, _))| *at)
    }

    /// Puts the packets whose timer ran out among those to be sent again; how many there were.
    pub fn on_timeout(&mut self, now: Time, config: &Config) -> u64 {
        let mut lost = 0;
        while let Some(Reverse((at, seq))) = self.timers.peek().copied()
            && at <= now
        {
            self.timers.pop();
            self.lose(seq);
            lost += 1;
            self.drop_needless_timers();
        }
        if self.deadline <= now {
            self.in_a_row += 1;
            self.deadline = now + self.timeout_of(self.in_a_row, config);
            // If the oldest one waits to be sent again, for room in the window that the others take, it is their turn.
            if let Some(seq) = (self.una..self.next).find(|seq| self.slot(*seq).deadline != Time::NEVER) {
                self.lose(seq);
                lost += 1;
            }
        }
        lost
    }

    fn slot(&mut self, seq: u64) -> &mut Slot {
        &mut self.slots[(seq - self.una) as usize]
    }

    /// X times the last round-trip time, doubled for each timeout that the packet has had.
    fn timeout_of(&self, timeouts: u32, config: &Config) -> Duration {
        self.estimator.timeout_after(timeouts, &config.rules)
    }

    fn set_timer(&mut self, seq: u64, deadline: Time, config: &Config) {
        if one_timer(config) {
            self.deadline = self.deadline.min(deadline);
        } else {
            self.timers.push(Reverse((deadline, seq)));
        }
    }

    fn lose(&mut self, seq: u64) {
        let slot = self.slot(seq);
        slot.timeouts += 1;
        (slot.queued, slot.deadline) = (true, Time::NEVER);
        self.again.push_back(seq);
        self.queued += 1;
        self.outstanding -= 1;
    }

    fn take(&mut self, seq: u64, count: &mut u64) {
        let slot = self.slot(seq);
        if slot.received {
            return;
        }
        let queued = std::mem::take(&mut slot.queued);
        (slot.received, slot.deadline) = (true, Time::NEVER);
        if queued {
            self.queued -= 1;
        } else {
            self.outstanding -= 1;
        }
        *count += 1;
    }

    /// The place of a packet that goes now, of which `left` are still to go and the one before was the first of a pair if `half`.
    fn sending(&mut self, left: Option<u8>, half: bool, at: Time) -> Sending {
        let place = match left {
            Some(2) if self.waiting() > 0 => Place::First,
            Some(1) if half => Place::Second,
            _ => Place::Lone,
        };
        self.half = place == Place::First;
        self.pairs += u64::from(self.half);
        Sending { at, place, pair: self.pairs }
    }

    fn probe(&mut self, sending: &Sending, rtt: Duration, now: Time) -> Probe {
        match sending.place {
            Place::Lone => Probe::None,
            Place::First => {
                self.first_ack = Some((sending.pair, now));
                Probe::First(rtt)
            }
            Place::Second => match self.first_ack {
                // A gap of nothing happens when the way back got shorter: no measurement.
                Some((pair, at)) if pair == sending.pair && now > at => Probe::Second(now.since(at)),
                _ => Probe::None,
            },
        }
    }

    fn drop_needless_timers(&mut self) {
        while let Some(Reverse((at, seq))) = self.timers.peek().copied()
            && (seq < self.una || self.slot(seq).deadline != at)
        {
            self.timers.pop();
        }
    }
}

fn one_timer(config: &Config) -> bool {
    matches!(config.paced, Some(Pacing { timers: Timers::OnePerFlow, .. }))
}
