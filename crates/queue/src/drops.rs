//! Why packets were dropped.

use headgate_packet::{FlowId, Time};

/// Why a packet was dropped: a reason for each rule that drops packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum DropReason {
    /// It arrived at a full buffer.
    Full,
    /// It was queued and had to make room for another packet.
    Evicted,
    /// Chance chose it: the average queue was between the thresholds, or its flow above its share.
    Random,
    /// It arrived while the average queue was at or above the upper threshold, where no packet passes.
    AboveMax,
    /// It arrived while its conversation held more than its part of the queue.
    OverShare,
    /// It arrived at a queue that was full, in a buffer that was not.
    QueueFull,
    /// It left its queue after packets had waited too long there for an interval.
    Sojourn,
    /// It was an acknowledgement, and one behind it in its queue says all that it says.
    Superseded,
    /// It arrived, or was drawn from the queue to be compared with an arrival, and both were of one conversation.
    SameFlow,
    /// It arrived while its conversation, which does not answer to drops, had used up what all of these may send.
    Penalty,
}

/// What the reasons for drops have in common, for columns that add them up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DropKind {
    /// There was no room for the arriving packet.
    Full,
    /// A packet that was queued made room for another one.
    Evicted,
    /// A rule chose the packet although there was room for it.
    Early,
}

impl DropReason {
    /// All reasons, in the order of their numbers.
    pub const ALL: [DropReason; 10] = [
        DropReason::Full,
        DropReason::Evicted,
        DropReason::Random,
        DropReason::AboveMax,
        DropReason::OverShare,
        DropReason::QueueFull,
        DropReason::Sojourn,
        DropReason::Superseded,
        DropReason::SameFlow,
        DropReason::Penalty,
    ];

    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            DropReason::Full => "full",
            DropReason::Evicted => "evicted",
            DropReason::Random => "random",
            DropReason::AboveMax => "above_max",
            DropReason::OverShare => "over_share",
            DropReason::QueueFull => "queue_full",
            DropReason::Sojourn => "sojourn",
            DropReason::Superseded => "superseded",
            DropReason::SameFlow => "same_flow",
            DropReason::Penalty => "penalty",
        }
    }

    /// What it has in common with others.
    pub fn kind(self) -> DropKind {
        match self {
            DropReason::Full | DropReason::QueueFull => DropKind::Full,
            DropReason::Evicted => DropKind::Evicted,
            DropReason::Random
            | DropReason::AboveMax
            | DropReason::OverShare
            | DropReason::Sojourn
            | DropReason::Superseded
            | DropReason::SameFlow
            | DropReason::Penalty => DropKind::Early,
        }
    }
}

impl DropKind {
    /// All kinds.
    pub const ALL: [DropKind; 3] = [DropKind::Full, DropKind::Evicted, DropKind::Early];

    /// The name in columns: `drops_full` and so on.
    pub fn name(self) -> &'static str {
        match self {
            DropKind::Full => "full",
            DropKind::Evicted => "evicted",
            DropKind::Early => "early",
        }
    }

    /// How many packets were dropped for reasons of this kind, of the numbers by reason.
    pub fn of(self, dropped: &[u64; DropReason::ALL.len()]) -> u64 {
        DropReason::ALL.iter().zip(dropped).filter(|(reason, _)| reason.kind() == self).map(|(_, n)| n).sum()
    }
}

/// What is left of a dropped packet: the driver finds its payload by the handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dropped {
    /// When it was dropped.
    pub at: Time,
    /// When it arrived.
    pub arrived: Time,
    /// The packet's handle.
    pub handle: u32,
    /// Its conversation.
    pub flow: FlowId,
    /// Its length.
    pub bytes: u32,
    /// Its priority.
    pub class: u8,
    /// Why it was dropped.
    pub reason: DropReason,
}
