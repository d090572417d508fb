//! What waits, in packets and in bytes.

use headgate_packet::Buffer;

/// What a queue holds, not counting a packet in transmission.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Backlog {
    /// Waiting packets.
    pub packets: u64,
    /// Waiting bytes.
    pub bytes: u64,
}

impl Backlog {
    /// One more packet.
    #[inline]
    pub fn add(&mut self, bytes: u32) {
        self.packets += 1;
        self.bytes += u64::from(bytes);
    }
    /// What another one holds, too.
    pub(crate) fn add_all(&mut self, other: Backlog) {
        self.packets += other.packets;
        self.bytes += other.bytes;
    }
    /// One packet less.
    #[inline]
    pub fn remove(&mut self, bytes: u32) {
        self.packets -= 1;
        self.bytes -= u64::from(bytes);
    }
    /// Whether a buffer that holds this and `backlog` has no room for this number of additional packets and bytes.
    #[inline]
    pub(crate) fn exceeds(&self, buffer: Buffer, backlog: &Backlog, packets: u64, bytes: u64) -> bool {
        buffer.exceeded_by(backlog.packets + self.packets + packets, backlog.bytes + self.bytes + bytes)
    }
}
