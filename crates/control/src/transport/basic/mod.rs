//! The transport of the protocols before 1990: a mean round trip, a timer, and a loss that does nothing but send packets again.
//!
//! Such a protocol reads of an acknowledgement what arrived and what is lost. `named.rs` serves protocols that release packets themselves, `stamped.rs`
//! sources with a line of their own, `recovery/plain.rs` says what is sent again.
//!
//! Source: Demers, Keshav and Shenker 1989, section 3; 4.3BSD as Jacobson 1988 describes it. The files of the parts give theirs.
//!
//! State per flow: the ledger, the state of the episode, the timer, and the average round trip.

mod averages;
pub mod line;
mod named;
mod stamped;

use super::Clock;
use super::Retransmit;
use super::ledger::{Ledger, flag};
use super::recovery::{Phase, Plain, State};
use crate::LossKind;
pub use averages::{AverageRtt, Averages};
use headgate_packet::{Duration, Time};
use named::Pairs;
use std::sync::Arc;

/// How the acknowledgements are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Acks {
    /// Each says which packets arrived in sequence.
    Cumulative,
    /// Each counts for the packet that caused it, which the protocol itself had released; a packet whose timer ran out is in the network no more, and is
    /// sent again before new ones.
    Named {
        /// Pairs with packets that are sent again measure, too.
        probe_again: bool,
    },
    /// Each says when its packet was sent, and the first duplicate is a loss.
    Stamped {
        /// Every duplicate that counts sends everything again; else the first one the oldest packet alone, until something is acknowledged.
        bursts: bool,
        /// Packets known to have arrived are not sent again.
        skip_received: bool,
    },
}

/// The rules that a sender follows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rules {
    /// What is sent again after a timeout.
    pub retransmit: Retransmit,
    /// Clock and timeout.
    pub averages: Averages,
    /// Duplicate acknowledgements that mean a loss; 0 to leave losses to the timer.
    pub duplicates: u32,
    /// Timeout before the first round trip is known.
    pub initial_timeout: Duration,
    /// Minimum timeout.
    pub min_timeout: Duration,
    /// Maximum timeout.
    pub max_timeout: Duration,
    /// How acknowledgements are read.
    pub acks: Acks,
}

impl Rules {
    /// Those with this recovery and these clocks.
    pub fn new(retransmit: impl Into<Retransmit>, averages: Averages) -> Rules {
        Rules {
            retransmit: retransmit.into(),
            averages,
            duplicates: 0,
            initial_timeout: Duration::from_secs(1),
            min_timeout: Duration::from_secs(1),
            max_timeout: Duration::from_secs(60),
            acks: Acks::Cumulative,
        }
    }
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
    /// The newest round trip that the clock allows.
    pub rtt: Option<Duration>,
    /// A loss that the protocol has to answer.
    pub loss: Option<LossKind>,
    /// With a timeout: one within the repair of an earlier one.
    pub again: bool,
    /// Nothing of it was new.
    pub stale: bool,
}

/// Sequence numbers, records and timer of one flow. Sequence numbers count packets from 0.
#[derive(Clone, Debug)]
pub struct Sender {
    rules: Arc<Rules>,
    ledger: Ledger,
    state: State,
    timer: Time,
    rtt: AverageRtt,
    plain: Plain,
    /// For a protocol that releases packets itself, from the first one on.
    pairs: Option<Box<Pairs>>,
}

impl Sender {
    /// A sender with nothing to send yet.
    pub fn new(rules: &Arc<Rules>) -> Sender {
        let wants_first = rules.averages.clock == Clock::First || matches!(rules.acks, Acks::Named { .. });
        Sender {
            rules: Arc::clone(rules),
            ledger: Ledger::new(wants_first),
            state: State::default(),
            timer: Time::NEVER,
            rtt: AverageRtt::default(),
            plain: Plain::new(rules.retransmit),
            pairs: None,
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
    pub fn oldest(&self) -> u64 {
        self.ledger.una
    }

    /// Packets that could be sent now: those to be sent again and new ones.
    pub fn waiting(&self) -> u64 {
        self.ledger.waiting()
    }

    /// When the timer runs out.
    #[inline]
    pub fn timeout(&self) -> Time {
        self.timer
    }

    /// Bytes of the records.
    pub fn memory(&self) -> usize {
        let pairs = self.pairs.as_ref().map_or(0, |p| p.memory());
        self.ledger.memory() + self.plain.timers_memory() + pairs
    }

    /// Whether [`Sender::poll`] has a packet with this window.
    pub fn can_send(&self, window: u64) -> bool {
        let (ledger, room) = (&self.ledger, self.ledger.pipe() < window);
        self.plain.is_due(ledger.una.saturating_add(window))
            || (ledger.lost > 0 && (room || self.state.forced > 0))
            || (room && ledger.next < ledger.limit)
    }

    /// The next packet with the window given, and whether it is a retransmission.
    #[inline]
    pub fn poll(&mut self, window: u64, now: Time) -> Option<(u64, bool)> {
        if self.ledger.lost > 0 || self.plain.has_timers() {
            return self.poll_again(window, now);
        }
        // Nothing waits to be sent again, and only the window counts.
        (self.ledger.next < self.ledger.limit && self.ledger.outstanding() < window)
            .then(|| (self.send_new(now), false))
    }

    /// Whether nothing waits to be sent again, and the window has no room: then [`Sender::poll`] has nothing.
    #[inline]
    pub fn is_full(&self, window: u64) -> bool {
        self.ledger.lost == 0 && !self.plain.has_timers() && self.ledger.outstanding() >= window
    }

    fn poll_again(&mut self, window: u64, now: Time) -> Option<(u64, bool)> {
        let room = self.ledger.pipe() < window;
        if self.ledger.lost > 0 && (room || self.state.forced > 0) {
            self.state.forced = self.state.forced.saturating_sub(1);
            let seq = self.ledger.first_lost();
            self.send_again(seq, now);
            return Some((seq, true));
        }
        self.state.forced = 0;
        let una = self.ledger.una;
        if let Some(seq) = self.plain.take_due(una, una.saturating_add(window)) {
            self.send_again(seq, now);
            return Some((seq, true));
        }
        (room && self.ledger.next < self.ledger.limit).then(|| (self.send_new(now), false))
    }

    // For most protocols two tests and a record.
    #[inline(always)]
    fn send_new(&mut self, now: Time) -> u64 {
        let seq = self.ledger.send_new(now);
        if self.timer == Time::NEVER || self.plain.has_timers() {
            self.time_new(seq, now);
        }
        seq
    }

    /// A new packet is sent: its timer, or that of the flow.
    fn time_new(&mut self, seq: u64, now: Time) {
        if matches!(self.rules.acks, Acks::Named { .. }) {
            return; // Its timer starts where it is released.
        }
        let at = now + self.rtt.timeout(&self.rules);
        if self.plain.has_timers() {
            self.plain.start_timer(seq, at);
            self.timer = self.plain.next_timer(&self.ledger);
        } else if self.timer == Time::NEVER {
            self.timer = at;
        }
    }

    fn send_again(&mut self, seq: u64, now: Time) {
        self.ledger.send_again(seq, false, now);
        // The timer of a source whose acknowledgements are read otherwise starts with the release or the loss.
        if self.rules.acks == Acks::Cumulative && !self.plain.has_timers() {
            self.timer = now + self.rtt.timeout(&self.rules);
        }
    }

    /// An acknowledgement of everything below `cumulative`. `rtts` gets a round trip for each packet that gives one.
    #[inline]
    pub fn on_ack(&mut self, cumulative: u64, now: Time, rtts: &mut impl FnMut(Duration)) -> Progress {
        let Sender { rules, ledger, state, rtt, .. } = self;
        let advanced = cumulative.min(ledger.next).saturating_sub(ledger.una);
        if advanced == 0 {
            let duplicate = cumulative == ledger.una && ledger.next > ledger.una;
            state.duplicates += u32::from(duplicate);
            let loss = (duplicate && self.plain.is_loss_shown(ledger, state, rules.duplicates))
                .then_some(LossKind::DuplicateAcks);
            return Progress { duplicates: state.duplicates, loss, stale: !duplicate, ..Progress::default() };
        }
        let averages = &rules.averages;
        let mut newest = None;
        let end = ledger.una + advanced;
        for seq in ledger.una..end {
            let record = ledger.get(seq);
            ledger.lost -= u64::from(record.has(flag::LOST));
            let from = match averages.clock {
                Clock::First => ledger.first_sent(seq),
                Clock::Skip if record.has(flag::RETRANSMITTED) || seq < state.recovery_point => continue,
                Clock::Last | Clock::Skip => record.sent,
            };
            let sample = now.since(from);
            newest = Some(sample);
            if averages.every_sample {
                rtt.sample(sample, averages);
            }
            rtts(sample);
        }
        (ledger.una, state.duplicates) = (end, 0);
        if let Some(sample) = newest
            && !averages.every_sample
        {
            rtt.sample(sample, averages);
        }
        let timeout = rtt.timeout(rules);
        if state.phase == Phase::Loss {
            self.plain.continue_repair(ledger, state);
        }
        self.timer = if self.plain.has_timers() {
            self.plain.next_timer(ledger)
        } else if ledger.next > ledger.una {
            now + timeout
        } else {
            Time::NEVER
        };
        Progress { advanced, delivered: advanced, rtt: newest, ..Progress::default() }
    }

    /// The protocol has answered to a loss that duplicates showed.
    pub fn enter_recovery(&mut self) {
        self.plain.enter(&mut self.ledger, &mut self.state);
    }

    /// The timer ran out: that of the flow, or those of some packets.
    pub fn on_timeout(&mut self, now: Time) -> Progress {
        let mut p = Progress::default();
        if now < self.timer {
            p.stale = true;
            return p;
        }
        let before = self.ledger.declared_lost;
        if matches!(self.rules.acks, Acks::Named { .. }) {
            self.time_out_released(now);
        } else {
            p.loss = Some(LossKind::Timeout);
            p.again = self.state.phase == Phase::Loss && self.ledger.una < self.state.recovery_point;
            (self.state.phase, self.state.recovery_point, self.state.duplicates) = (Phase::Loss, self.ledger.next, 0);
            if self.plain.has_timers() {
                self.time_out_packets(now);
            } else {
                self.rtt.back_off(&self.rules.averages);
                self.timer = now + self.rtt.timeout(&self.rules);
                self.state.forced = 1;
                self.plain.declare_at_timeout(&mut self.ledger);
            }
        }
        p.lost = self.ledger.declared_lost - before;
        p
    }

    /// The timers of packets ran out: each is sent again, and its timer starts again now.
    fn time_out_packets(&mut self, now: Time) {
        for seq in self.plain.expired(&mut self.ledger, now) {
            let timeout = self.rtt.timeout_after(self.ledger.get(seq).timeouts, &self.rules);
            self.plain.send_again(seq);
            // Later than now, or a timeout of nothing would keep us here.
            self.plain.start_timer(seq, (now + timeout).max(now + Duration::from_ps(1)));
        }
        self.timer = self.plain.next_timer(&self.ledger);
    }
}
