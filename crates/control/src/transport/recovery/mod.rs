//! Loss detection and recovery: which packets are declared lost, when an episode of recovery begins and ends, and what is sent again.
//!
//! Each recovery is one file and one line in the list below. It sees the [`Ledger`] and the state of the episode; timers, the congestion window and
//! the undoing of spurious episodes belong to the sender, which is the same for all.

mod duplicates;
mod plain;
mod rack;
mod sack;

use super::ledger::{Ledger, Record};
use super::ranges::Ranges;
use super::tcp::{Recovery, RoundTrips, Rules};
use duplicates::Duplicates;
use headgate_packet::{Duration, Time};
pub(crate) use plain::Plain;
use rack::Rack;
use sack::Sack;

/// What the sender is doing (the names are Linux's).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) enum Phase {
    /// Nothing is lost.
    #[default]
    Open,
    /// A mark (ECN): the window comes down, nothing is to be repaired.
    Cwr,
    /// Fast recovery.
    Recovery,
    /// After a timeout.
    Loss,
}

/// The present episode, and what leads to the next one.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct State {
    pub phase: Phase,
    /// The episode ends when everything below is acknowledged (`recover` of RFC 6582, `RecoveryPoint` of RFC 6675).
    pub recovery_point: u64,
    /// Duplicate acknowledgements in a row.
    pub duplicates: u32,
    /// This many packets are sent whatever the window: retransmissions that begin an episode, and probes.
    pub forced: u32,
}

impl State {
    /// A loss is being repaired, after a timeout, too.
    pub fn is_repairing(&self) -> bool {
        matches!(self.phase, Phase::Recovery | Phase::Loss)
    }
}

/// What a recovery may look at beside the ledger and the state.
pub(crate) struct Signals<'a> {
    pub now: Time,
    /// The present acknowledgement acknowledged something in sequence; or it is a duplicate.
    pub advanced: bool,
    pub duplicate: bool,
    /// What the sink reported beyond the oldest packet not acknowledged.
    pub sacked: &'a Ranges,
    pub rtt: &'a RoundTrips,
    pub min_rtt: Option<Duration>,
    pub rules: &'a Rules,
}

/// What the detection of losses showed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Detected {
    Nothing,
    /// A loss that begins an episode.
    Loss,
    /// The present episode is over.
    Repaired,
}

/// A way to detect losses and to repair them.
///
/// Order of calls, for each acknowledgement but those in sequence while nothing is lost or out of order, which call `on_packet_acked` alone: `on_packet_acked` for each packet newly known to have arrived; `on_advance` if something was acknowledged
/// in sequence; `on_duplicate` or `on_reported_duplicate`; `on_exit` if the episode is over; `detect_losses`; then, after the protocol has cut its
/// window, `on_enter` if there was a loss; `restarts_timer`. A timeout calls `on_timeout` alone. `on_retransmission` follows each retransmission.
pub(crate) trait LossRecovery {
    /// A packet is sent again.
    fn on_retransmission(&mut self, _seq: u64, _now: Time) {}
    /// A packet is known to have arrived; its record is that from before.
    fn on_packet_acked(&mut self, _seq: u64, _record: Record, _now: Time, _min_rtt: Option<Duration>) {}
    /// This many packets were acknowledged in sequence, of which `arrived` were not known before; gives how many of those had been counted by
    /// duplicates.
    fn on_advance(&mut self, _ledger: &mut Ledger, _state: &State, _advanced: u64) -> u64 {
        0
    }
    /// A duplicate acknowledgement arrived: whether it stands for a packet that arrived.
    fn on_duplicate(&mut self, _ledger: &mut Ledger) -> bool {
        false
    }
    /// The sink reports a packet that it had before.
    fn on_reported_duplicate(&mut self, _ledger: &Ledger) {}
    /// Declares lost what is lost by now.
    fn detect_losses(&mut self, ledger: &mut Ledger, state: &mut State, signals: &Signals<'_>) -> Detected;
    /// The protocol has cut its window: repair begins. `state` is already that of the new episode; `duplicates` mean a loss.
    fn on_enter(&mut self, ledger: &mut Ledger, state: &mut State, sacked: &Ranges, duplicates: u32);
    /// The episode is over; true if what is left of it is a further loss.
    fn on_exit(&mut self, ledger: &mut Ledger, _repaired: bool) -> bool {
        ledger.keep_arrived(0);
        false
    }
    /// The retransmission timer ran out: declares lost what is sent again.
    fn on_timeout(&mut self, ledger: &mut Ledger, state: &State, signals: &Signals<'_>);
    /// A spurious episode is undone; with the packets, and when they were sent, that a timeout had declared lost.
    fn on_undo(&mut self, _ledger: &Ledger, _expired: Vec<(Time, u64)>) {}
    /// Whether a packet is to be sent again that is not known to be lost, when nothing else can be sent.
    fn has_unproved(&self, _ledger: &Ledger, _state: &State, _sacked: &Ranges) -> bool {
        false
    }
    /// That packet, which is sent now.
    fn take_unproved(&mut self, _ledger: &Ledger, _state: &State, _sacked: &Ranges) -> Option<u64> {
        None
    }
    /// How many packets that arrived out of order may make room for new ones before an episode.
    fn may_release(&self, limited_transmit: u64) -> u64 {
        limited_transmit
    }
    /// When to look for losses again, though nothing may arrive until then.
    fn reordering_timer(&self) -> Option<Time> {
        None
    }
    /// Whether an acknowledgement starts the retransmission timer again; `oldest` is the round trip of the first packet that it acknowledged.
    fn restarts_timer(
        &mut self,
        _ledger: &Ledger,
        _state: &State,
        advanced: bool,
        _oldest: Option<Duration>,
        _now: Time,
    ) -> bool {
        advanced
    }
    /// Whether a retransmission starts it again, which was of the oldest packet or of a later one.
    fn retransmission_restarts_timer(&self, of_oldest: bool) -> bool {
        of_oldest
    }
    /// Bytes beside itself.
    fn memory(&self) -> usize {
        0
    }
}

/// Makes the enum over all recoveries from the list, with static dispatch.
macro_rules! recoveries {
    ($($Type:ident($Held:ty)),+ $(,)?) => {
        /// Any recovery of the list.
        #[derive(Clone, Debug)]
        pub(crate) enum AnyRecovery { $($Type($Held)),+ }

        headgate_packet::dispatch! {
            impl LossRecovery for AnyRecovery [$($Type),+] {
                fn on_retransmission(&mut self, seq: u64, now: Time);
                #[inline]
                fn on_packet_acked(&mut self, seq: u64, record: Record, now: Time, min_rtt: Option<Duration>);
                #[inline]
                fn on_advance(&mut self, ledger: &mut Ledger, state: &State, advanced: u64) -> u64;
                fn on_duplicate(&mut self, ledger: &mut Ledger) -> bool;
                fn on_reported_duplicate(&mut self, ledger: &Ledger);
                #[inline]
                fn detect_losses(&mut self, ledger: &mut Ledger, state: &mut State, signals: &Signals<'_>) -> Detected;
                fn on_enter(&mut self, ledger: &mut Ledger, state: &mut State, sacked: &Ranges, duplicates: u32);
                fn on_exit(&mut self, ledger: &mut Ledger, repaired: bool) -> bool;
                fn on_timeout(&mut self, ledger: &mut Ledger, state: &State, signals: &Signals<'_>);
                fn on_undo(&mut self, ledger: &Ledger, expired: Vec<(Time, u64)>);
                fn has_unproved(&self, ledger: &Ledger, state: &State, sacked: &Ranges) -> bool;
                fn take_unproved(&mut self, ledger: &Ledger, state: &State, sacked: &Ranges) -> Option<u64>;
                #[inline]
                fn may_release(&self, limited_transmit: u64) -> u64;
                fn reordering_timer(&self) -> Option<Time>;
                #[inline]
                fn restarts_timer(&mut self, ledger: &Ledger, state: &State, advanced: bool, oldest: Option<Duration>, now: Time) -> bool;
                fn retransmission_restarts_timer(&self, of_oldest: bool) -> bool;
                fn memory(&self) -> usize;
            }
        }
    };
}

recoveries! {
    Plain(Plain),
    Duplicates(Duplicates),
    Sack(Sack),
    Rack(Box<Rack>),
}

impl AnyRecovery {
    /// The recovery that these rules name.
    pub fn new(rules: &Rules) -> AnyRecovery {
        match rules.recovery {
            Recovery::GoBackN => AnyRecovery::Plain(Plain::new(super::Retransmit::All)),
            Recovery::Oldest => AnyRecovery::Plain(Plain::new(super::Retransmit::Oldest)),
            Recovery::Repair => AnyRecovery::Plain(Plain::new(super::Retransmit::Repair)),
            Recovery::Each => AnyRecovery::Plain(Plain::new(super::Retransmit::Each)),
            Recovery::Tahoe | Recovery::Reno | Recovery::Newreno => {
                AnyRecovery::Duplicates(Duplicates::new(rules.recovery))
            }
            Recovery::Sack => AnyRecovery::Sack(Sack::default()),
            Recovery::Rack => AnyRecovery::Rack(Box::default()),
        }
    }

    /// Whether each packet has a timer of its own.
    #[inline]
    pub fn has_timers(&self) -> bool {
        matches!(self, AnyRecovery::Plain(plain) if plain.has_timers())
    }

    /// Whether a packet below `end` is due whose own timer ran out.
    pub fn is_due(&self, end: u64) -> bool {
        matches!(self, AnyRecovery::Plain(plain) if plain.is_due(end))
    }

    /// The packets' own timers, if each has one.
    pub fn timers(&mut self) -> Option<&mut Plain> {
        match self {
            AnyRecovery::Plain(plain) if plain.has_timers() => Some(plain),
            _ => None,
        }
    }
}
