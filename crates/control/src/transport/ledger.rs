//! The packets that were sent and are not yet acknowledged in sequence: what is known of each, and how many are in the network.
//!
//! One count serves every recovery: `pipe`, the packets in the network, is what is outstanding less what is known to have arrived and what is declared
//! lost and waits to be sent again, plus the second copies of packets that were sent again without being declared lost.
//!
//! State per flow: the counts, and 16 bytes for each packet outstanding; 8 bytes more where round trips count from first transmissions.

use headgate_packet::Time;
use std::ops::Range;

/// What is known of a packet. More than one may hold.
pub(crate) mod flag {
    /// It arrived, though an earlier one is missing.
    pub const ARRIVED: u32 = 1;
    /// It is declared lost and waits to be sent again.
    pub const LOST: u32 = 2;
    /// It was sent more than once.
    pub const RETRANSMITTED: u32 = 4;
    /// It was sent again in the present recovery.
    pub const RETRANSMITTED_IN_RECOVERY: u32 = 8;
    /// It was sent again without being declared lost: two copies are in the network.
    pub const TWO_COPIES: u32 = 16;
    /// It left in a pair.
    pub const PAIRED: u32 = 32;
    /// An acknowledgement was caused by it: it arrived, though an earlier one is missing, and stays counted.
    pub const NAMED: u32 = 64;
    /// A timeout declared it lost, and not the arrival of packets sent after it.
    pub const EXPIRED: u32 = 128;
}
use flag::{ARRIVED, LOST, RETRANSMITTED, RETRANSMITTED_IN_RECOVERY, TWO_COPIES};

/// One packet that is not acknowledged yet.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Record {
    /// When it was sent last.
    pub sent: Time,
    /// How often its own timer ran out.
    pub timeouts: u32,
    /// See [`flag`].
    pub flags: u32,
}

impl Record {
    /// Whether it has one of these flags.
    #[inline]
    pub fn has(self, flags: u32) -> bool {
        self.flags & flags != 0
    }
}

/// The packets of one flow. Sequence numbers count packets from 0.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ledger {
    /// Oldest packet not acknowledged, next new one, and end of the supply.
    pub una: u64,
    pub next: u64,
    pub limit: u64,
    /// Record of packet `s` at `s % len`; `len` is a power of two.
    records: Vec<Record>,
    /// First transmissions, kept as the records are; empty unless they are wanted.
    first: Vec<Time>,
    wants_first: bool,
    /// How many of those outstanding are known to have arrived.
    pub arrived: u64,
    /// How many are lost and wait; none is below `scan`.
    pub lost: u64,
    scan: u64,
    /// How many are in the network twice.
    pub two_copies: u64,
    /// Packets that arrived so far, and packets that were declared lost so far.
    pub delivered: u64,
    pub declared_lost: u64,
    /// The packets that were declared lost since somebody asked, if somebody does.
    pub named: Option<Box<Named>>,
}

/// Numbers of packets.
#[derive(Clone, Debug, Default)]
pub(crate) struct Named(pub Vec<u64>);

impl Ledger {
    /// An empty one, which keeps times of first transmissions if `wants_first`.
    pub fn new(wants_first: bool) -> Ledger {
        Ledger { wants_first, ..Ledger::default() }
    }

    /// The workload has this many more packets.
    #[inline]
    pub fn supply(&mut self, packets: u64) {
        self.limit = self.limit.saturating_add(packets);
    }

    /// The workload takes back what was never sent.
    pub fn stop(&mut self) {
        self.limit = self.next;
    }

    /// All that was supplied is acknowledged.
    #[inline]
    pub fn is_done(&self) -> bool {
        self.una == self.limit
    }

    /// Packets sent and not acknowledged in sequence.
    #[inline]
    pub fn outstanding(&self) -> u64 {
        self.next - self.una
    }

    /// Packets in the network, as far as is known.
    #[inline]
    pub fn pipe(&self) -> u64 {
        self.outstanding() - self.arrived - self.lost + self.two_copies
    }

    /// Packets that could be sent now: those to be sent again and new ones.
    pub fn waiting(&self) -> u64 {
        (self.limit - self.next).saturating_add(self.lost)
    }

    /// The places that records have now.
    pub fn places(&self) -> usize {
        self.records.len()
    }

    #[inline]
    fn place(&self, seq: u64) -> usize {
        seq as usize & (self.records.len() - 1)
    }

    /// The record of a packet outstanding.
    #[inline]
    pub fn get(&self, seq: u64) -> Record {
        self.records[self.place(seq)]
    }

    /// The record of a packet outstanding, to be changed.
    #[inline]
    pub fn record(&mut self, seq: u64) -> &mut Record {
        let place = self.place(seq);
        &mut self.records[place]
    }

    /// When a packet outstanding was sent for the first time.
    #[inline]
    pub fn first_sent(&self, seq: u64) -> Time {
        self.first[self.place(seq)]
    }

    /// A new packet is sent; its number.
    #[inline(always)]
    pub fn send_new(&mut self, now: Time) -> u64 {
        let seq = self.next;
        if self.outstanding() == self.records.len() as u64 {
            self.grow();
        }
        self.next += 1;
        let place = self.place(seq);
        self.records[place] = Record { sent: now, timeouts: 0, flags: 0 };
        if self.wants_first {
            self.first[place] = now;
        }
        seq
    }

    /// A packet is sent again. With `copies` one that was not declared lost is in the network twice.
    pub fn send_again(&mut self, seq: u64, copies: bool, now: Time) {
        let record = self.record(seq);
        let was_lost = record.has(LOST);
        let copy = copies && !was_lost && !record.has(TWO_COPIES);
        record.flags = record.flags & !(LOST | flag::EXPIRED) | RETRANSMITTED | RETRANSMITTED_IN_RECOVERY;
        record.flags |= if copy { TWO_COPIES } else { 0 };
        record.sent = now;
        self.lost -= u64::from(was_lost);
        self.two_copies += u64::from(copy);
    }

    /// Declares a packet lost; false if it had been, if it arrived, or if it was never sent.
    pub fn declare_lost(&mut self, seq: u64) -> bool {
        if seq >= self.next || self.get(seq).has(LOST | ARRIVED) {
            return false;
        }
        let record = self.record(seq);
        let copy = record.has(TWO_COPIES);
        record.flags = record.flags & !TWO_COPIES | LOST;
        self.two_copies -= u64::from(copy);
        self.lost += 1;
        self.declared_lost += 1;
        if let Some(named) = &mut self.named {
            named.0.push(seq);
        }
        self.scan = self.scan.min(seq);
        true
    }

    /// The first packet that is lost and waits; there has to be one.
    pub fn first_lost(&mut self) -> u64 {
        let mut seq = self.scan.max(self.una);
        while !self.get(seq).has(LOST) {
            seq += 1;
        }
        self.scan = seq;
        seq
    }

    /// Takes a flag from all packets outstanding.
    pub fn clear(&mut self, flags: u32) {
        for seq in self.una..self.next {
            self.record(seq).flags &= !flags;
        }
    }

    /// When duplicates say how many arrived: no more than this many are known to have arrived out of order.
    pub fn keep_arrived(&mut self, most: u64) {
        let kept = self.arrived.min(most);
        self.delivered -= self.arrived - kept;
        self.arrived = kept;
    }

    /// When the first retransmission was sent that is not yet acknowledged.
    pub fn first_retransmission(&self) -> Option<Time> {
        let records = (self.una..self.next).map(|seq| self.get(seq));
        records.filter(|r| r.flags & (RETRANSMITTED | ARRIVED | LOST) == RETRANSMITTED).map(|r| r.sent).min()
    }

    /// Whether a packet was last sent then, and nothing is known of it since.
    pub fn is_unknown(&self, sent: Time, seq: u64) -> bool {
        seq >= self.una && {
            let record = self.get(seq);
            record.sent == sent && !record.has(ARRIVED | LOST)
        }
    }

    /// Bytes of the records.
    pub fn memory(&self) -> usize {
        self.records.capacity() * size_of::<Record>() + self.first.capacity() * size_of::<Time>()
    }

    #[cold]
    fn grow(&mut self) {
        let (outstanding, len) = (self.una..self.next, (self.records.len() * 2).max(4));
        spread(&mut self.records, outstanding.clone(), len);
        if self.wants_first {
            spread(&mut self.first, outstanding, len);
        }
    }
}

/// Makes room for `len` packets in what is kept of packet `s` at `s % len`.
pub(crate) fn spread<T: Copy + Default>(kept: &mut Vec<T>, packets: Range<u64>, len: usize) {
    let place = |seq: u64, len: usize| seq as usize & (len - 1);
    let old = std::mem::replace(kept, vec![T::default(); len]);
    for seq in packets {
        kept[place(seq, len)] = old[place(seq, old.len())];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_packet_at_most_two_copies_are_in_the_network() {
        let mut ledger = Ledger::new(false);
        ledger.supply(1);
        let seq = ledger.send_new(Time::ZERO);
        for _ in 0..2 {
            ledger.send_again(seq, true, Time::ZERO);
            assert_eq!((ledger.two_copies, ledger.pipe()), (1, 2));
        }
        assert!(ledger.declare_lost(seq));
        assert_eq!((ledger.two_copies, ledger.pipe()), (0, 0));
    }

    #[test]
    fn what_goes_again_is_lost_and_expired_no_more() {
        let mut ledger = Ledger::new(false);
        ledger.supply(1);
        let seq = ledger.send_new(Time::ZERO);
        assert!(ledger.declare_lost(seq));
        ledger.record(seq).flags |= flag::EXPIRED;
        ledger.send_again(seq, true, Time::ZERO);
        assert_eq!(ledger.get(seq).flags, RETRANSMITTED | RETRANSMITTED_IN_RECOVERY);
    }
}
