//! What a port reports: the packets that it sent, and its counters.

use crate::DropReason;
use headgate_packet::{Packet, Time};

/// A packet on its way into the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent {
    /// The packet as the discipline released it.
    pub packet: Packet,
    /// Start of its transmission; of one that was interrupted, later by as long as that lasted.
    pub start: Time,
    /// End of its transmission.
    pub end: Time,
}

/// What a port counted since it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Packets offered.
    pub offered: u64,
    /// Bytes offered.
    pub offered_bytes: u64,
    /// Packets sent: their transmission has started, or has ended where the discipline preempts.
    pub sent: u64,
    /// Bytes sent.
    pub sent_bytes: u64,
    /// Packets dropped, by reason.
    pub dropped: [u64; DropReason::ALL.len()],
    /// Time spent transmitting until the reading, in ps.
    pub busy_ps: u64,
    /// Time that the transmissions take which have started, in ps: `busy_ps` and what is left of the present one, unless that one may be interrupted.
    pub service_ps: u64,
    /// What was used of what the line offered until the reading, in 10^-12 bits: the time spent transmitting times the rate of the line at each time,
    /// which is 0 while it is down. Of a line that sends at certain times, the bits sent at those before the reading.
    pub used: u128,
    /// Sum over the sent packets of the time spent waiting, in ps.
    pub wait_ps: u128,
    /// Maximum number of packets that waited.
    pub backlog_max: u64,
    /// Waiting packets integrated over time, in packet ps.
    pub backlog_ps: u128,
}

/// Whether the packet in transmission takes room in the buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InService {
    /// No: the buffer is for packets that wait.
    #[default]
    Extra,
    /// Until its transmission ends.
    UntilEnd,
    /// Until its transmission ends, and for arrivals at that very instant.
    ThroughEnd,
}
