//! The source's side: a record per packet, what is lost, what is sent next, and when a timer runs out.
//!
//! Source:
//! - Demers, Keshav and Shenker 1989, section 3, and the 4.3BSD rules as Jacobson 1988 gives them (the plain recoveries).
//! - RFC 5681 and 6582 (duplicates, fast retransmit and recovery), 3042 (limited transmit), 6675 (SACK), 8985 (RACK and the tail probe), 9937 (PRR),
//!   6298 (timer), 3168 (one reaction to marks per window).
//!
//! One count serves all: `pipe`, the packets in the network, is what is outstanding less what is known to have arrived and what is taken for lost
//! and waits. `pairs.rs` serves protocols that release packets themselves, `stamped.rs` sources with their own line.
//! Where the sink reports no blocks each duplicate says that one packet arrived, which is the same as the inflated window of RFC 5681.
//!
//! Deviations:
//! - Packets are counted, not bytes.
//! - A SACK sender takes a hole for lost when enough packets above it arrived, without the rule of three separate ranges, which says the same of whole
//!   packets.
//! - Reno may enter recovery again as soon as it left it, `newreno` and `tahoe` only for packets beyond that episode, without the heuristics of
//!   RFC 6582, section 4.
//! - In `newreno` the timer is set again by the first partial acknowledgement only.
//! - What is sent beyond the window by limited transmit stays counted.
//!
//! State per flow: numbers, counts, the timer and the estimate of the round trip; a record for each packet that is outstanding; and [`More`] for a
//! protocol that uses more than which packets arrived and which are lost.

mod acknowledgement;
mod judge;
mod more;
mod pairs;
mod plain;
mod send;
mod stamped;
mod timer;

use super::rto::RoundTrips;
use super::timers::PacketTimers;
use super::{Growth, RateSample, Rules};
use crate::LossKind;
use headgate_packet::{Duration, Time};
use more::Lazy;
use pairs::Pairs;
use std::ops::Range;
use std::sync::Arc;

/// It came.
const SACKED: u8 = 1;
/// It is taken for lost and waits to be sent again.
const LOST: u8 = 2;
/// It was sent more than once.
const RESENT: u8 = 4;
/// It was sent again in this episode.
const AGAIN: u8 = 8;
/// It was sent again without being taken for lost: both are in the network.
const TWICE: u8 = 16;
/// It left in a pair: [`Pairs`] says which.
const PAIRED: u8 = 32;
/// An acknowledgement named it: it came, though an earlier one is missing.
const NAMED: u8 = 64;
/// A timeout took it for lost, and not its successors' arrival.
const EXPIRED: u8 = 128;

/// One packet that is not acknowledged yet.
#[derive(Clone, Copy, Debug, Default)]
struct Record {
    first: Time,
    last: Time,
    /// How often its own timer ran out.
    timeouts: u32,
    flags: u8,
}

/// What the sender is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Open,
    /// A mark: the window comes down, nothing is to be repaired.
    Marked,
    /// Fast recovery.
    Recovery,
    /// After a timeout.
    Timeout,
}

/// What its timer is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    Retransmit,
    Probe,
    Reorder,
}

/// What an acknowledgement or a timer did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Progress {
    /// Packets acknowledged in sequence for the first time.
    pub advanced: u64,
    /// Packets newly known to have come, in sequence or not.
    pub delivered: u64,
    /// Packets newly taken for lost.
    pub lost: u64,
    /// Duplicates in a row, this one included.
    pub duplicates: u32,
    /// The newest round trip of packets sent once.
    pub rtt: Option<Duration>,
    /// An episode begins: the protocol has to cut its window.
    pub loss: Option<LossKind>,
    /// With `loss`: the threshold was lowered for it before.
    pub again: bool,
    /// The last episode was needless.
    pub undone: bool,
    /// A whole window was acknowledged since the last time.
    pub round: bool,
    /// Packets newly known to carry a mark.
    pub marked: u64,
    /// The rate.
    pub rate: Option<RateSample>,
    /// Nothing of it was new.
    pub stale: bool,
}

/// Sequence numbers, records and timer of one flow. Sequence numbers count packets from 0.
#[derive(Clone, Debug)]
pub struct Sender {
    rules: Arc<Rules>,
    /// Oldest packet not acknowledged, next new one, and end of the supply.
    una: u64,
    next: u64,
    limit: u64,
    /// Record of packet `s` at `s % len`; `len` is a power of two.
    records: Vec<Record>,
    /// How many of those outstanding are known to have come.
    came: u64,
    /// Packets that are lost and wait; none is below `scan`.
    lost: u64,
    scan: u64,
    /// The episode ends here.
    recover: u64,
    timer: Time,
    rtt: RoundTrips,
    duplicates: u32,
    /// This many packets are sent whatever the window: retransmissions that begin an episode, and probes.
    force: u32,
    state: State,
    purpose: Purpose,
    probe_due: bool,
    /// A timer for each packet, with [`Recovery::Each`] from the first one on.
    timers: Option<Box<PacketTimers>>,
    /// For a protocol that releases packets itself, from the first one on.
    pairs: Option<Box<Pairs>>,
    more: Lazy,
}

impl Sender {
    /// A sender with nothing to send yet.
    pub fn new(rules: &Arc<Rules>) -> Sender {
        Sender {
            rules: Arc::clone(rules),
            una: 0,
            next: 0,
            limit: 0,
            records: vec![],
            came: 0,
            lost: 0,
            scan: 0,
            recover: 0,
            timer: Time::NEVER,
            rtt: RoundTrips::default(),
            duplicates: 0,
            force: 0,
            state: State::Open,
            purpose: Purpose::Retransmit,
            probe_due: false,
            timers: None,
            pairs: None,
            more: Lazy::default(),
        }
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

    /// Packets in the network, as far as is known.
    #[inline]
    pub fn pipe(&self) -> u64 {
        (self.next - self.una) - self.came - self.lost + self.more.twice
    }

    /// The rules that it follows.
    #[inline]
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Packets in the network that a window after a loss has to count in addition to its own: none where a timeout does not say what happened to the others.
    pub fn remaining(&self) -> u64 {
        if self.rules.recovery.is_plain() { 0 } else { self.pipe() }
    }

    /// Packets sent and not acknowledged in sequence.
    #[inline]
    pub fn outstanding(&self) -> u64 {
        self.next - self.una
    }

    /// One above the highest sequence number sent.
    #[inline]
    pub fn highest(&self) -> u64 {
        self.next
    }

    /// Oldest packet not acknowledged.
    pub fn oldest(&self) -> u64 {
        self.una
    }

    /// Packets delivered so far.
    pub fn delivered(&self) -> u64 {
        self.more.sampler.delivered
    }

    /// The smoothed round trip.
    pub fn smoothed(&self) -> Option<Duration> {
        self.rtt.smoothed()
    }

    /// The least round trip of the last 300 s.
    pub fn least_rtt(&self) -> Option<Duration> {
        self.more.min_rtt.map(|(least, _)| least)
    }

    /// An episode is under way: growth has to wait. After a timeout slow start continues.
    pub fn is_recovering(&self) -> bool {
        // Without PRR a mark cuts the window at once, and it grows again.
        self.state == State::Recovery || (self.state == State::Marked && self.rules.prr)
    }

    /// A loss is being repaired, after a timeout, too.
    pub fn is_repairing(&self) -> bool {
        matches!(self.state, State::Recovery | State::Timeout)
    }

    /// Whether the window may grow by what was in use; `slow` in slow start.
    #[inline]
    pub fn was_limited(&self, window: u64, slow: bool) -> bool {
        if self.rules.growth == Growth::Bounded {
            let first = if self.more.lowered { 0 } else { self.rules.initial_window };
            let most = self.more.most_since.max(first);
            return window < if slow { 2 * most } else { most + 1 };
        }
        self.more.limited || (slow && window < 2 * self.more.most_out)
    }

    /// Whether the source reacted to a mark since the last call: the next new packet reports it to the sink.
    pub fn take_answer(&mut self) -> bool {
        std::mem::take(&mut self.more.tell)
    }

    /// When the timer runs out.
    #[inline]
    pub fn timeout(&self) -> Time {
        self.timer
    }

    /// Bytes of the records.
    pub fn memory(&self) -> usize {
        let timers = self.timers.as_ref().map_or(0, |t| t.memory());
        let pairs = self.pairs.as_ref().map_or(0, |p| p.memory());
        self.records.capacity() * size_of::<Record>() + timers + pairs + self.more.memory()
    }

    /// The window of a reduction under way.
    pub fn held(&self) -> Option<u64> {
        self.more.cap
    }

    #[inline]
    fn record(&mut self, seq: u64) -> &mut Record {
        let mask = self.records.len() - 1;
        &mut self.records[seq as usize & mask]
    }

    /// Timeouts in a row.
    pub fn backoffs(&self) -> u32 {
        self.rtt.backoffs()
    }

    #[cold]
    fn grow(&mut self) {
        let len = (self.records.len() * 2).max(4);
        let outstanding = self.una..self.next;
        spread(&mut self.records, outstanding.clone(), len);
        if self.rules.rate_samples {
            spread(&mut self.more.stamps, outstanding.clone(), len);
        }
        if let Some(pairs) = &mut self.pairs {
            pairs.grow(outstanding, len);
        }
    }
}

/// Makes room for `len` packets in what is kept of packet `s` at `s % len`.
fn spread<T: Copy + Default>(kept: &mut Vec<T>, packets: Range<u64>, len: usize) {
    let place = |seq: u64, len: usize| seq as usize & (len - 1);
    let old = std::mem::replace(kept, vec![T::default(); len]);
    for seq in packets {
        kept[place(seq, len)] = old[place(seq, old.len())];
    }
}
