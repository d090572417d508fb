//! What is kept of a conversation.

use crate::parts::Ring;
use headgate_packet::{Packet, Time};

/// Where a conversation is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum On {
    #[default]
    None,
    New,
    Old,
    /// It waits until its next packet may be sent.
    Held,
}

#[derive(Clone, Debug)]
pub(super) struct Flow {
    pub(super) packets: Ring<Packet>,
    pub(super) bytes: u64,
    pub(super) credit: i64,
    pub(super) on: On,
    /// When its next packet may be sent; zero before the first wait.
    pub(super) next: Time,
    /// Since when it is on no list.
    pub(super) since: Time,
}
