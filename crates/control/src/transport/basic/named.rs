//! Packets that a protocol releases itself, in pairs or alone: what is sent next, the place of each transmission in its pair, and acknowledgements
//! that name the packet that caused them.
//!
//! Source: Keshav 1991, sections 4.4.2 and 7.3.6.
//! - Recovery `each`: a timer of X times the last round-trip time for each packet, doubled at each of its timeouts.
//! - Recovery `oldest`: one timer for the conversation, after which the oldest packet is sent again.
//!
//! Deviations, where the thesis says nothing:
//! - An acknowledgement names the packet that caused it and says when that was sent. So this packet counts as received although an earlier one is
//!   missing.
//! - A pair is intact if both its acknowledgements are of first transmissions, timed out or not. If a timeout were enough to break it, a source that
//!   sends at over three times its rate would never correct it, since behind a queue that grows so fast every packet times out.
//! - It is no pair if the second packet, for which the window had no room, leaves after the first was acknowledged.
//! - A packet sent again is sent first, in place of a new one, and breaks its pair: a TICK's pair is of two packets from the client.
//! - With `probe_again` any two that leave as a pair measure, since acknowledgements name the transmission; without it, a source that lost much
//!   measures nothing until all of it was sent again.
//! - A doubled timeout is counted from the round trip known when the packet is sent again.
//! - The one timer starts again when the oldest packet is acknowledged: set at each send, as printed, it would never run out while new packets are
//!   sent.
//! - The two packets of a pair leave at once: the queue of the source's own line keeps them together, which the thesis does with its counter
//!   num_in_burst and the signal FREE.
//!
//! State per flow: [`Pairs`]; the timers of packets; from the first pair on, the places of two transmissions for each packet outstanding.

use super::{Acks, Progress, Sender};
use crate::Probe;
use crate::transport::ledger::flag::{ARRIVED, LOST, PAIRED};
use crate::transport::ledger::spread;
use headgate_packet::{Duration, Time};
use std::collections::VecDeque;
use std::ops::Range;

/// Place of a transmission in a pair, with the pair's number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Place {
    #[default]
    Lone,
    First(u64),
    Second(u64),
}

/// What a sender keeps of packets that a protocol releases.
#[derive(Clone, Debug, Default)]
pub(super) struct Pairs {
    /// Packets to send again, in the order of their timeouts; those that arrived meanwhile stay until their turn.
    again: VecDeque<u64>,
    /// Transmissions less acknowledgements, each for itself.
    unanswered: u64,
    /// Timeouts in a row of the oldest packet, for the one timer.
    in_a_row: u32,
    /// What was sent last is the first packet of a pair.
    half: bool,
    /// Pairs sent so far.
    sent: u64,
    /// The last pair whose first packet was acknowledged, and when.
    first_ack: Option<(u64, Time)>,
    /// Of packets outstanding that have the flag `PAIRED`, as the records are kept: the places of the first and the last transmission.
    places: Vec<[Place; 2]>,
}

impl Pairs {
    pub fn memory(&self) -> usize {
        let queue = self.again.capacity() * size_of::<u64>();
        size_of::<Pairs>() + queue + self.places.capacity() * size_of::<[Place; 2]>()
    }

    /// There is room for `len` packets now.
    pub fn grow(&mut self, outstanding: Range<u64>, len: usize) {
        if !self.places.is_empty() {
            spread(&mut self.places, outstanding, len);
        }
    }
}

impl Sender {
    /// Transmissions less acknowledgements, of packets that a protocol releases: a lost one counts until the end, one that was spurious only until its
    /// own acknowledgement.
    pub fn unanswered(&self) -> u64 {
        self.pairs.as_ref().map_or(0, |pairs| pairs.unanswered)
    }

    fn pairs(&mut self) -> &mut Pairs {
        self.pairs.get_or_insert_default()
    }

    /// Sends the next packet of a pair, of which `left` are still to be sent, or one alone: its sequence number, and whether it is a retransmission;
    /// `None` when nothing waits.
    pub fn release(&mut self, left: Option<u8>, now: Time) -> Option<(u64, bool)> {
        let half = std::mem::take(&mut self.pairs().half);
        let (outstanding, places) = (self.ledger.una..self.ledger.next, self.ledger.places());
        let (seq, again) = match self.first_to_send_again() {
            Some(seq) => {
                self.send_again(seq, now);
                (seq, true)
            }
            None if self.ledger.next < self.ledger.limit => (self.send_new(now), false),
            None => return None,
        };
        let now_places = self.ledger.places();
        if now_places > places {
            self.pairs().grow(outstanding, now_places);
        }
        self.pairs().unanswered += 1;
        self.start_timer(seq, now);
        let probes = !again || matches!(self.rules.acks, Acks::Named { probe_again: true });
        let place = self.place(left.filter(|_| probes), half);
        self.keep_place(seq, again, place);
        Some((seq, again))
    }

    fn first_to_send_again(&mut self) -> Option<u64> {
        while let Some(seq) = self.pairs().again.pop_front() {
            if seq >= self.ledger.una && self.ledger.get(seq).has(LOST) {
                return Some(seq);
            }
        }
        None
    }

    /// The place of a packet just sent, of which `left` were still to be sent and the one before was the first of a pair if `half`.
    fn place(&mut self, left: Option<u8>, half: bool) -> Place {
        let waits = self.waiting() > 0;
        let pairs = self.pairs();
        match left {
            Some(2) if waits => {
                pairs.half = true;
                pairs.sent += 1;
                Place::First(pairs.sent)
            }
            // Behind the acknowledgement of the first the second would show when there was room for it.
            Some(1) if half && pairs.first_ack.is_none_or(|(pair, _)| pair != pairs.sent) => Place::Second(pairs.sent),
            _ => Place::Lone,
        }
    }

    fn keep_place(&mut self, seq: u64, again: bool, place: Place) {
        let (len, record) = (self.ledger.places(), self.ledger.record(seq));
        let known = record.has(PAIRED);
        if place == Place::Lone && !known {
            return;
        }
        record.flags |= PAIRED;
        let places = &mut self.pairs().places;
        places.resize(len, [Place::Lone; 2]);
        let its = &mut places[seq as usize & (len - 1)];
        if !known {
            *its = [Place::Lone; 2];
        }
        its[usize::from(again)] = place;
    }

    /// X times the last round-trip time from now on, doubled for each timeout that the packet has had.
    fn start_timer(&mut self, seq: u64, now: Time) {
        let timeouts = self.ledger.get(seq).timeouts;
        let runs_out = now + self.rtt.timeout_after(timeouts, &self.rules);
        if self.plain.has_timers() {
            self.plain.start_timer(seq, runs_out);
        }
        self.timer = self.timer.min(runs_out);
    }

    /// An acknowledgement of everything below `cumulative`, caused by packet `seq` as it was sent at `sent`; with what this transmission's place in
    /// an intact pair says. `rtts` gets the delay of that packet.
    pub fn on_named_ack(
        &mut self,
        cumulative: u64,
        (seq, sent): (u64, Time),
        now: Time,
        rtts: &mut impl FnMut(Duration),
    ) -> (Progress, Probe) {
        let (mut p, mut probe) = (Progress::default(), Probe::None);
        // It says when its packet was sent, so that a packet sent twice is timed too: otherwise a queue that grew fast would let every
        // packet time out, and the timer would never learn of it.
        let rtt = now.since(sent);
        let pairs = self.pairs();
        pairs.unanswered = pairs.unanswered.saturating_sub(1);
        self.rtt.sample(rtt, &self.rules.averages);
        if (self.ledger.una..self.ledger.next).contains(&seq) && !self.ledger.get(seq).has(ARRIVED) {
            // The measured delay runs from the first transmission.
            rtts(now.since(self.ledger.first_sent(seq)));
            p.rtt = Some(rtt);
            probe = self.probe(seq, sent, now);
            self.arrive(seq, &mut p);
        }
        for seq in self.ledger.una..cumulative.min(self.ledger.next) {
            self.arrive(seq, &mut p);
        }
        let oldest = self.ledger.una;
        while self.ledger.una < self.ledger.next && self.ledger.get(self.ledger.una).has(ARRIVED) {
            self.ledger.una += 1;
            self.ledger.arrived -= 1;
        }
        p.advanced = self.ledger.una - oldest;
        if self.plain.has_timers() {
            self.timer = self.plain.next_timer(&self.ledger);
        } else if p.advanced > 0 {
            self.pairs().in_a_row = 0;
            let timeout = self.rtt.timeout_after(0, &self.rules);
            self.timer = if self.ledger.una < self.ledger.next { now + timeout } else { Time::NEVER };
        }
        (p, probe)
    }

    /// A packet arrived, if that was not known.
    fn arrive(&mut self, seq: u64, p: &mut Progress) {
        let record = self.ledger.record(seq);
        if record.has(ARRIVED) {
            return;
        }
        let lost = record.has(LOST);
        record.flags = record.flags & !LOST | ARRIVED;
        self.ledger.lost -= u64::from(lost);
        self.ledger.arrived += 1;
        p.delivered += 1;
    }

    fn probe(&mut self, seq: u64, sent: Time, now: Time) -> Probe {
        let record = self.ledger.get(seq);
        let which = [self.ledger.first_sent(seq), record.sent].iter().position(|at| *at == sent);
        let Some(which) = which.filter(|_| record.has(PAIRED)) else { return Probe::None };
        let at = seq as usize & (self.ledger.places() - 1);
        let pairs = self.pairs();
        match (pairs.places[at][which], pairs.first_ack) {
            (Place::First(pair), _) => {
                pairs.first_ack = Some((pair, now));
                Probe::First(now.since(sent))
            }
            // A gap of nothing happens when the way back got shorter: no measurement.
            (Place::Second(pair), Some((first, at))) if pair == first && now > at => Probe::Second(now.since(at)),
            _ => Probe::None,
        }
    }

    /// The timers of some packets ran out, or the one timer.
    pub(super) fn time_out_released(&mut self, now: Time) {
        if self.plain.has_timers() {
            for seq in self.plain.expired(&mut self.ledger, now) {
                self.give_up(seq);
            }
            self.timer = self.plain.next_timer(&self.ledger);
            return;
        }
        let pairs = self.pairs();
        pairs.in_a_row = pairs.in_a_row.saturating_add(1);
        let in_a_row = pairs.in_a_row;
        self.timer = now + self.rtt.timeout_after(in_a_row, &self.rules);
        // If the oldest one waits to be sent again, for room in the window that the others take, it is their turn.
        let unknown = |seq: &u64| !self.ledger.get(*seq).has(ARRIVED | LOST);
        if let Some(seq) = (self.ledger.una..self.ledger.next).find(unknown) {
            let record = self.ledger.record(seq);
            record.timeouts = record.timeouts.saturating_add(1);
            self.give_up(seq);
        }
    }

    /// Its timer ran out: it waits to be sent again, and is in the network no more.
    fn give_up(&mut self, seq: u64) {
        self.ledger.declare_lost(seq);
        self.pairs().again.push_back(seq);
    }
}
