//! The source's side: a record per packet, what is lost, what goes next, and when a timer runs out.
//!
//! Sources: RFC 5681 and 6582 (duplicates, fast retransmit and recovery), 3042 (limited transmit), 6675 (SACK), 8985 (RACK and the tail
//! probe), 9937 (PRR), 6298 (timer), 3168 (one reaction to marks per window).
//! One count serves all: `pipe`, the packets in the network, is what is outstanding less what is known to have come and what is taken for lost
//! and waits. Where the sink tells no blocks each duplicate says that one packet came, which is the same as the inflated window of RFC 5681.
//! Deviations: packets, not bytes; a SACK sender takes a hole for lost when enough packets above it came, without the rule of three
//! separate ranges, which says the same of whole packets; Reno may enter recovery again as soon as it left it, `newreno` and `tahoe` only for
//! packets beyond that episode, without the heuristics of RFC 6582, section 4;
//! in `newreno` the timer starts anew with the first partial acknowledgement only; what is sent beyond the window by limited transmit stays
//! counted.

mod acknowledgement;
mod judge;
mod send;
mod timer;

use super::rack::Rack;
use super::rate::{Sampler, Stamp};
use super::reduction::Reduction;
use super::rto::RoundTrips;
use super::undo::Episode;
use super::{Ranges, RateSample, Rules};
use crate::LossKind;
use headgate_packet::{Duration, Time};

/// It came.
const SACKED: u8 = 1;
/// It is taken for lost and waits to go again.
const LOST: u8 = 2;
/// It went more than once.
const RESENT: u8 = 4;
/// It went again in this episode.
const AGAIN: u8 = 8;
/// It went again without being taken for lost: both are in the network.
const TWICE: u8 = 16;

/// One packet that is not acknowledged yet.
#[derive(Clone, Copy, Debug, Default)]
struct Record {
    first: Time,
    last: Time,
    stamp: Stamp,
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

/// A tail probe under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct TailProbe {
    /// One above its packet.
    end: u64,
    again: bool,
}

/// F-RTO (RFC 5682, sections 2.1 and 3.1): new packets go first, and what they bring about tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trial {
    No,
    /// After the timeout.
    First,
    /// Something advanced: so many new packets may go, and nothing else.
    Second(u8),
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
    rules: Rules,
    /// Oldest packet not acknowledged, next new one, and end of the supply.
    una: u64,
    next: u64,
    limit: u64,
    /// Record of packet `s` at `s % len`; `len` is a power of two.
    records: Vec<Record>,
    /// Those beyond `una` that came.
    sacked: Ranges,
    /// How many of those outstanding are known to have come.
    came: u64,
    /// Packets that are lost and wait; none is below `scan`.
    lost: u64,
    scan: u64,
    /// Packets that are in the network twice.
    twice: u64,
    /// All holes below are marked; and, where holes go again that are not known to be lost, those below are done with.
    judged: u64,
    tried: u64,
    /// So many packets go whatever the window: retransmissions that begin an episode, and probes.
    force: u64,
    probe_due: bool,
    state: State,
    /// The episode ends here.
    recover: u64,
    partial: bool,
    /// The last packet goes once an episode without proof (rule 4 of NextSeg), when more than this is acknowledged.
    rescue_after: u64,
    duplicates: u32,
    reduction: Reduction,
    /// The window of an episode with PRR.
    cap: Option<u64>,
    episode: Episode,
    rtt: RoundTrips,
    min_rtt: Option<(Duration, Time)>,
    rack: Rack,
    sampler: Sampler,
    tail: Option<TailProbe>,
    trial: Trial,
    timer: Time,
    purpose: Purpose,
    /// When the last packet went.
    last_sent: Time,
    round_end: u64,
    /// Marks known; and a reaction to some that the sink is to be told of.
    marks: u64,
    tell: bool,
    /// The window was used up, and most packets out in the present window of data.
    limited: bool,
    most_out: u64,
    usage_end: u64,
}

impl Sender {
    /// A sender with nothing to send yet.
    pub fn new(rules: &Rules) -> Sender {
        Sender {
            rules: *rules,
            una: 0,
            next: 0,
            limit: 0,
            records: vec![],
            sacked: Ranges::default(),
            came: 0,
            lost: 0,
            scan: 0,
            twice: 0,
            judged: 0,
            tried: 0,
            force: 0,
            probe_due: false,
            state: State::Open,
            recover: 0,
            partial: false,
            rescue_after: 0,
            duplicates: 0,
            reduction: Reduction::default(),
            cap: None,
            episode: Episode::default(),
            rtt: RoundTrips::default(),
            min_rtt: None,
            rack: Rack::default(),
            sampler: Sampler::default(),
            tail: None,
            trial: Trial::No,
            timer: Time::NEVER,
            purpose: Purpose::Retransmit,
            last_sent: Time::ZERO,
            round_end: 0,
            marks: 0,
            tell: false,
            limited: false,
            most_out: 0,
            usage_end: 0,
        }
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

    /// Packets in the network, as far as is known.
    pub fn pipe(&self) -> u64 {
        (self.next - self.una) - self.came - self.lost + self.twice
    }

    /// Packets sent and not acknowledged in sequence.
    pub fn outstanding(&self) -> u64 {
        self.next - self.una
    }

    /// One above the highest sequence number sent.
    pub fn highest(&self) -> u64 {
        self.next
    }

    /// Oldest packet not acknowledged.
    pub fn oldest(&self) -> u64 {
        self.una
    }

    /// Packets delivered so far.
    pub fn delivered(&self) -> u64 {
        self.sampler.delivered
    }

    /// The smoothed round trip.
    pub fn smoothed(&self) -> Option<Duration> {
        self.rtt.smoothed()
    }

    /// The least round trip of the last 300 s.
    pub fn least_rtt(&self) -> Option<Duration> {
        self.min_rtt.map(|(least, _)| least)
    }

    /// An episode is under way: growth has to wait. After a timeout slow start goes on.
    pub fn is_recovering(&self) -> bool {
        // Without PRR a mark cuts the window at once, and it grows again.
        self.state == State::Recovery || (self.state == State::Marked && self.rules.prr)
    }

    /// A loss is being repaired, after a timeout, too.
    pub fn is_repairing(&self) -> bool {
        matches!(self.state, State::Recovery | State::Timeout)
    }

    /// Whether the window was what kept the source from sending; `slow` in slow start, where half of it is enough.
    pub fn was_limited(&self, window: u64, slow: bool) -> bool {
        self.limited || (slow && window < 2 * self.most_out)
    }

    /// Whether a mark was answered since the last call: the next new packet tells the sink.
    pub fn take_answer(&mut self) -> bool {
        std::mem::take(&mut self.tell)
    }

    /// When the timer runs out.
    pub fn timeout(&self) -> Time {
        self.timer
    }

    /// Bytes of the records.
    pub fn memory(&self) -> usize {
        self.records.capacity() * size_of::<Record>() + self.sacked.memory() + self.rack.memory()
    }

    /// The window of a reduction under way.
    pub fn held(&self) -> Option<u64> {
        self.cap
    }

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
        let old = std::mem::take(&mut self.records);
        let len = (old.len() * 2).max(4);
        self.records = vec![Record::default(); len];
        for seq in self.una..self.next {
            self.records[seq as usize & (len - 1)] = old[seq as usize & (old.len() - 1)];
        }
    }
}
