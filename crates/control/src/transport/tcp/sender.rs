//! The source's side of TCP: what an acknowledgement says, the episodes of recovery, what is sent next, and when a timer runs out.
//!
//! Source: RFC 5681 (duplicates, fast retransmit and recovery), 3042 (limited transmit), 9937 (PRR), 6298 (timer), 8985 (tail probe), 3168 (one reaction
//! to marks per window). Which packets are lost is said by the recoveries, which give their sources.
//!
//! Deviations:
//! - Packets are counted, not bytes.
//! - What is sent beyond the window by limited transmit stays counted.
//! - With the preset `linux` marks are what the kernel makes of them (net/ipv4/tcp_input.c: tcp_try_to_open, tcp_init_cwnd_reduction, tcp_cwnd_reduction,
//!   tcp_enter_recovery, tcp_fastretrans_alert). Retransmissions carry marks too, other than there; and where a cut would be taken back but for a mark, the
//!   window becomes the threshold at once, and does not stay as the reduction left it.
//!
//! State per flow: the fields below, the ledger's records, and what the recovery keeps.

mod ack;
mod episode;
mod marks;
mod send;
mod tail;
mod timer;

use super::prr::Reduction;
use super::rate::{RateSample, Sampler, Sent};
use super::sink::BLOCKS;
use super::undo::{Episode, FRto};
use super::{Growth, Ranges, RoundTrips, Rules};
use crate::LossKind;
use crate::transport::ledger::Ledger;
use crate::transport::recovery::{AnyRecovery, LossRecovery as _, Phase, State};
use headgate_packet::{Duration, Time};
use std::sync::Arc;
use tail::Tail;
use timer::Timer;

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
    /// Packets newly known to have arrived, in sequence or not.
    pub delivered: u64,
    /// Packets newly declared lost.
    pub lost: u64,
    /// Duplicates in a row, this one included.
    pub duplicates: u32,
    /// The newest round trip of packets sent once.
    pub rtt: Option<Duration>,
    /// An episode begins: the protocol has to cut its window.
    pub loss: Option<LossKind>,
    /// With `loss`: the threshold was lowered for it before.
    pub again: bool,
    /// With `loss`: the window before the cut, which the source fills in.
    pub window: u64,
    /// The last episode was spurious.
    pub undone: bool,
    /// A whole window was acknowledged since the last time.
    pub round: bool,
    /// Packets newly known to carry a mark.
    pub marked: u64,
    /// The rate.
    pub rate: Option<RateSample>,
    /// Nothing of it was new.
    pub stale: bool,
    /// The round trip of the first packet acknowledged that gives one.
    oldest_rtt: Option<Duration>,
    /// A packet was acknowledged that was declared lost and not sent again.
    original: bool,
    /// Packets declared lost before.
    declared_before: u64,
    /// It reports a mark of this window.
    congested: bool,
}

/// What an acknowledgement did that advanced while nothing was lost, under trial or out of order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quiet {
    /// Packets acknowledged.
    pub advanced: u64,
    /// The newest round trip.
    pub rtt: Duration,
    /// A whole window was acknowledged since the last time.
    pub round: bool,
}

impl Progress {
    /// That of such an acknowledgement.
    #[inline(always)]
    pub fn of_quiet(quiet: Quiet, rate: Option<RateSample>) -> Progress {
        let Quiet { advanced, rtt, round } = quiet;
        Progress { advanced, delivered: advanced, rtt: Some(rtt), round, rate, ..Progress::default() }
    }
}

/// How much of the window was in use.
#[derive(Clone, Copy, Debug, Default)]
struct Usage {
    /// The window was used up, and most packets out in the present window of data.
    limited: bool,
    most_out: u64,
    end: u64,
    /// Most packets out since the window was last lowered; and whether it ever was.
    most_since: u64,
    lowered: bool,
}

/// Longer than every round trip.
const NO_RTT: Duration = Duration::from_ps(u64::MAX);

/// What the sink reported. It stands apart, since many sources never look at it.
#[derive(Clone, Debug, Default)]
struct Scoreboard {
    /// Packets that arrived beyond the oldest one not acknowledged.
    sacked: Ranges,
    /// The ranges that the last acknowledgement reported.
    reported: [(u64, u64); BLOCKS],
    /// Of AccECN: marked bytes known, in 24 bits, and when the newest packet was sent that an acknowledgement with its fields was for.
    marked_bytes: u32,
    newest: Time,
}

/// Sequence numbers, records and timer of one flow. Sequence numbers count packets from 0.
#[derive(Clone, Debug)]
pub struct Sender {
    rules: Arc<Rules>,
    ledger: Ledger,
    state: State,
    recovery: AnyRecovery,
    scoreboard: Box<Scoreboard>,
    rtt: RoundTrips,
    /// The least round trip of the last 300 s, and when it was measured; before the first one [`NO_RTT`].
    min_rtt: (Duration, Time),
    timer: Timer,
    purpose: Purpose,
    tail: Tail,
    prr: Reduction,
    /// The window of an episode with PRR.
    prr_window: Option<u64>,
    episode: Episode,
    f_rto: FRto,
    /// When the last packet was sent.
    last_sent: Time,
    round_end: u64,
    /// Marks known; and a reaction to some of which the sink is to hear (the flag CWR).
    marks: u64,
    cwr: bool,
    usage: Usage,
    /// If the protocol asks for rates.
    sampler: Option<Box<Sampler>>,
}

impl Sender {
    /// A sender with nothing to send yet.
    pub fn new(rules: &Arc<Rules>) -> Sender {
        let mut ledger = Ledger::new(false);
        ledger.named = rules.rate_samples.then(Box::default);
        Sender {
            rules: Arc::clone(rules),
            ledger,
            state: State::default(),
            recovery: AnyRecovery::new(rules),
            scoreboard: Box::default(),
            rtt: RoundTrips::default(),
            min_rtt: (NO_RTT, Time::ZERO),
            timer: Timer::Never,
            purpose: Purpose::Retransmit,
            tail: Tail::default(),
            prr: Reduction::NONE,
            prr_window: None,
            episode: Episode::NONE,
            f_rto: FRto::default(),
            last_sent: Time::ZERO,
            round_end: 0,
            marks: 0,
            cwr: false,
            usage: Usage::default(),
            sampler: rules.rate_samples.then(Box::default),
        }
    }

    /// The workload has this many more packets.
    #[inline]
    pub fn supply(&mut self, packets: u64) {
        self.ledger.supply(packets);
    }

    /// The workload takes back what was never sent.
    pub fn stop(&mut self) {
        self.ledger.stop();
    }

    /// All that was supplied is acknowledged.
    #[inline]
    pub fn is_done(&self) -> bool {
        self.ledger.is_done()
    }

    /// Packets in the network, as far as is known.
    #[inline]
    pub fn pipe(&self) -> u64 {
        self.ledger.pipe()
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
        self.ledger.outstanding()
    }

    /// One above the highest sequence number sent.
    #[inline]
    pub fn highest(&self) -> u64 {
        self.ledger.next
    }

    /// Oldest packet not acknowledged.
    #[inline]
    pub fn oldest(&self) -> u64 {
        self.ledger.una
    }

    /// Packets delivered so far.
    pub fn delivered(&self) -> u64 {
        self.ledger.delivered
    }

    /// Whether a round trip was measured.
    #[inline]
    pub fn is_timed(&self) -> bool {
        self.rtt.is_sampled()
    }

    /// The smoothed round trip.
    pub fn smoothed(&self) -> Option<Duration> {
        self.rtt.smoothed()
    }

    /// The least round trip of the last 300 s.
    pub fn min_rtt(&self) -> Option<Duration> {
        Some(self.min_rtt.0).filter(|least| *least < NO_RTT)
    }

    /// An episode is under way: growth has to wait. After a timeout slow start continues.
    pub fn is_recovering(&self) -> bool {
        // Without PRR a mark cuts the window at once, and it grows again.
        self.state.phase == Phase::Recovery || (self.state.phase == Phase::Cwr && self.rules.prr)
    }

    /// A loss is being repaired, after a timeout, too.
    pub fn is_repairing(&self) -> bool {
        self.state.is_repairing()
    }

    /// Whether the window may grow by what was in use. `present` gives the window and whether it is in slow start.
    #[inline]
    pub fn was_limited(&self, present: impl FnOnce() -> (u64, bool)) -> bool {
        if self.rules.growth == Growth::Bounded {
            let (window, slow) = present();
            let first = if self.usage.lowered { 0 } else { self.rules.initial_window };
            let most = self.usage.most_since.max(first);
            return window < if slow { 2 * most } else { most + 1 };
        }
        self.usage.limited || {
            let (window, slow) = present();
            slow && window < 2 * self.usage.most_out
        }
    }

    /// Whether the source reacted to a mark since the last call: the next new packet reports it to the sink.
    pub fn take_cwr(&mut self) -> bool {
        std::mem::take(&mut self.cwr)
    }

    /// Bytes of the records.
    pub fn memory(&self) -> usize {
        let sampler = self.sampler.as_ref().map_or(0, |s| s.memory());
        let scoreboard = size_of::<Scoreboard>() + self.scoreboard.sacked.memory();
        self.ledger.memory() + scoreboard + self.recovery.memory() + sampler
    }

    /// The window of a reduction under way.
    pub fn held(&self) -> Option<u64> {
        self.prr_window
    }

    /// Timeouts in a row.
    pub fn backoffs(&self) -> u32 {
        self.rtt.backoffs()
    }

    /// Hands on the packets declared lost since the last call, as they were sent; none unless the protocol asks for rates.
    pub fn name_lost(&mut self, mut lost: impl FnMut(&Sent)) {
        let (Some(sampler), Some(mut named)) = (&self.sampler, self.ledger.named.take()) else { return };
        for seq in named.0.drain(..) {
            lost(&sampler.sent_packet(seq, self.ledger.get(seq).sent, self.ledger.declared_lost));
        }
        self.ledger.named = Some(named);
    }
}
