//! The packet descriptor that queueing disciplines handle; the payload stays with the driver.

use crate::Time;

/// Dense index of a conversation at one port, handed out by the port's classifier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FlowId(pub u32);

impl FlowId {
    /// The index as an array index.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Explicit congestion notification state: the congestion bit of DECbit, or the ECN field of IP.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ecn {
    /// The sender does not understand marks.
    NotCapable,
    /// The sender understands marks and none was set yet.
    #[default]
    Capable,
    /// A gateway has set the congestion bit.
    Marked,
}

/// One packet as a queueing discipline sees it: 32 bytes, copied freely.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Packet {
    /// When it reached this port.
    pub arrived: Time,
    /// The driver's own reference to the payload.
    pub handle: u32,
    /// Conversation, dense at this port.
    pub flow: FlowId,
    /// Length on the wire in bytes.
    pub bytes: u32,
    /// Label carried from router to router, in the form of the discipline that wrote it; 0 without one. CSFQ: the bit pattern of a 32-bit float,
    /// the conversation's rate in bit/s per unit of weight.
    pub label: u32,
    /// Congestion bit.
    pub ecn: Ecn,
    /// Priority class, 0 the highest.
    pub class: u8,
}

const _: () = assert!(std::mem::size_of::<Packet>() == 32);
