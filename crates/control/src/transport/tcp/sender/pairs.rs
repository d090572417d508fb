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

use super::{LOST, PAIRED, Progress, SACKED, Sender, spread};
use crate::Probe;
use crate::transport::tcp::Recovery;
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
    /// Packets to send again, in the order of their timeouts; those that came meanwhile stay until their turn.
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
    /// Packets that could be sent now: those to be sent again and new ones.
    pub fn waiting(&self) -> u64 {
        (self.limit - self.next).saturating_add(self.lost)
    }

    /// Transmissions less acknowledgements, of packets that a protocol releases: a lost one counts until the end, one that was needless only until its
    /// own acknowledgement.
    pub fn unanswered(&self) -> u64 {
        self.pairs.as_ref().map_or(0, |pairs| pairs.unanswered)
    }

    fn pairs(&mut self) -> &mut Pairs {
        self.pairs.get_or_insert_default()
    }

    /// Sends the next packet of a pair, of which `left` are still to be sent, or one alone: (sequence number, first sent, retransmission); `None` when
    /// nothing waits.
    pub fn release(&mut self, left: Option<u8>, now: Time) -> Option<(u64, Time, bool)> {
        let half = std::mem::take(&mut self.pairs().half);
        let sent = match self.first_to_go_again() {
            Some(seq) => self.send_again(seq, now),
            None if self.fits() => self.send_new(now),
            None => return None,
        };
        let (seq, _, again) = sent;
        self.pairs().unanswered += 1;
        self.start_timer(seq, now);
        let tells = !again || self.rules.released.is_some_and(|rules| rules.probe_again);
        let place = self.place(left.filter(|_| tells), half);
        self.keep_place(seq, again, place);
        Some(sent)
    }

    fn first_to_go_again(&mut self) -> Option<u64> {
        while let Some(seq) = self.pairs().again.pop_front() {
            if seq >= self.una && self.record(seq).flags & LOST != 0 {
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
            Some(1) if half => Place::Second(pairs.sent),
            _ => Place::Lone,
        }
    }

    fn keep_place(&mut self, seq: u64, again: bool, place: Place) {
        let (len, record) = (self.records.len(), self.record(seq));
        let known = record.flags & PAIRED != 0;
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
        let timeouts = self.record(seq).timeouts;
        let runs_out = now + self.rtt.timeout_after(timeouts, &self.rules);
        if self.rules.recovery == Recovery::Each {
            self.timers.get_or_insert_default().start(seq, runs_out);
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
        self.rtt.sample(rtt, (self.una, self.next), &self.rules);
        if (self.una..self.next).contains(&seq) && self.record(seq).flags & SACKED == 0 {
            // The measured delay runs from the first transmission.
            rtts(now.since(self.record(seq).first));
            p.rtt = Some(rtt);
            probe = self.probe(seq, sent, now);
            self.come(seq, &mut p);
        }
        for seq in self.una..cumulative.min(self.next) {
            self.come(seq, &mut p);
        }
        let oldest = self.una;
        while self.una < self.next && self.record(self.una).flags & SACKED != 0 {
            self.una += 1;
            self.came -= 1;
        }
        p.advanced = self.una - oldest;
        if self.rules.recovery == Recovery::Each {
            self.timer = self.next_packet_timer();
        } else if p.advanced > 0 {
            self.pairs().in_a_row = 0;
            let timeout = self.rtt.timeout_after(0, &self.rules);
            self.timer = if self.una < self.next { now + timeout } else { Time::NEVER };
        }
        (p, probe)
    }

    /// A packet came, if that was not known.
    fn come(&mut self, seq: u64, p: &mut Progress) {
        let record = self.record(seq);
        if record.flags & SACKED != 0 {
            return;
        }
        let lost = record.flags & LOST != 0;
        record.flags = record.flags & !LOST | SACKED;
        self.lost -= u64::from(lost);
        self.came += 1;
        p.delivered += 1;
    }

    fn probe(&mut self, seq: u64, sent: Time, now: Time) -> Probe {
        let record = *self.record(seq);
        let which = [record.first, record.last].iter().position(|at| *at == sent);
        let Some(which) = which.filter(|_| record.flags & PAIRED != 0) else { return Probe::None };
        let at = seq as usize & (self.records.len() - 1);
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

    /// The timers of some packets ran out, or the one timer: `p` counts what is lost.
    pub(super) fn time_out_released(&mut self, now: Time, p: &mut Progress) {
        if self.rules.recovery == Recovery::Each {
            return self.run_out(now, |sender, seq| sender.give_up(seq, p));
        }
        let pairs = self.pairs();
        pairs.in_a_row = pairs.in_a_row.saturating_add(1);
        let in_a_row = pairs.in_a_row;
        self.timer = now + self.rtt.timeout_after(in_a_row, &self.rules);
        // If the oldest one waits to be sent again, for room in the window that the others take, it is their turn.
        if let Some(seq) = (self.una..self.next).find(|seq| self.record(*seq).flags & (SACKED | LOST) == 0) {
            let record = self.record(seq);
            record.timeouts = record.timeouts.saturating_add(1);
            self.give_up(seq, p);
        }
    }

    /// Its timer ran out: it waits to be sent again, and is in the network no more.
    fn give_up(&mut self, seq: u64, p: &mut Progress) {
        self.lose(seq, p);
        self.pairs().again.push_back(seq);
    }
}
