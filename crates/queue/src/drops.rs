//! Why packets were dropped.

use headgate_packet::{FlowId, Time};

/// Makes the list of reasons: the comment on each is the sentence that is said of a packet that was dropped for it.
macro_rules! reasons {
    ($(#[doc = $about:literal] $Name:ident ($name:literal, $kind:ident),)+) => {
        /// Why a packet was dropped: a reason for each rule that drops packets.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum DropReason { $(#[doc = $about] $Name),+ }

        impl DropReason {
            /// All reasons, in the order of their numbers.
            pub const ALL: [DropReason; [$($name),+].len()] = [$(DropReason::$Name),+];

            /// The name in tables.
            pub fn name(self) -> &'static str {
                match self { $(DropReason::$Name => $name),+ }
            }
            /// What it has in common with others.
            pub fn kind(self) -> DropKind {
                match self { $(DropReason::$Name => DropKind::$kind),+ }
            }
            /// What happened to the packet, in a sentence.
            pub fn about(self) -> &'static str {
                match self { $(DropReason::$Name => $about.trim_ascii_start()),+ }
            }
        }
    };
}

reasons! {
    /// The buffer was full when the packet arrived, so the packet was refused.
    Full("full", Full),
    /// The packet waited in the queue and was dropped to make room for another one.
    Evicted("evicted", Evicted),
    /// The packet was chosen at random and dropped, although there was room for it.
    Random("random", Early),
    /// The average queue was at or above the upper threshold when the packet arrived, where no packet passes.
    AboveMax("above_max", Early),
    /// The packet's conversation held more than its part of the queue, so the packet was dropped.
    OverShare("over_share", Early),
    /// The packet's own queue was full when the packet arrived, so the packet was refused.
    QueueFull("queue_full", Full),
    /// All packets of an interval had waited too long, so the packet was dropped as it was about to leave.
    Sojourn("sojourn", Early),
    /// It was an acknowledgement, and one behind it in the queue said all that it said.
    Superseded("superseded", Early),
    /// The packet and one drawn at random from the queue were of one conversation, so both were dropped.
    SameFlow("same_flow", Early),
    /// The packet's conversation does not answer to drops, and what all such conversations may send was used up.
    Penalty("penalty", Early),
    /// The rule of the queue chose the packet, so the packet was dropped, although there was room for it.
    Rule("rule", Early),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reason_has_its_own_name_and_a_sentence() {
        for (code, reason) in DropReason::ALL.iter().enumerate() {
            assert_eq!(*reason as usize, code);
            let about = reason.about();
            assert!(about.ends_with('.') && about.starts_with(char::is_uppercase), "{about:?}");
            assert_eq!(
                DropReason::ALL.iter().filter(|other| other.name() == reason.name()).count(),
                1,
                "{}",
                reason.name()
            );
        }
    }
}
