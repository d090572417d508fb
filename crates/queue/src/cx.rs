//! What disciplines get from outside: the present, random numbers, and where they put what they drop.

use crate::{Backlog, DropReason, Dropped};
use headgate_packet::{Buffer, Packet, Rng, Time};

/// Everything that a discipline may need from outside, for one call.
pub struct Cx<'a> {
    /// The present; it never decreases from call to call.
    pub now: Time,
    /// The port's random stream.
    pub rng: &'a mut Rng,
    /// What of the packet in transmission counts against the buffer: nothing, unless the port is set to count it.
    pub in_service: Backlog,
    /// The list of dropped packets; [`Cx::drop`] adds one.
    pub dropped: &'a mut Vec<Dropped>,
}

impl<'a> Cx<'a> {
    /// The present, with nothing in transmission that counts.
    #[inline]
    pub fn new(now: Time, rng: &'a mut Rng, dropped: &'a mut Vec<Dropped>) -> Cx<'a> {
        Cx { now, rng, in_service: Backlog::default(), dropped }
    }

    /// Whether a buffer that holds `backlog` has no room for this number of additional packets and bytes.
    #[inline]
    pub fn exceeds(&self, buffer: Buffer, backlog: &Backlog, packets: u64, bytes: u64) -> bool {
        let Backlog { packets: p, bytes: b } = self.in_service;
        buffer.exceeded_by(backlog.packets + p + packets, backlog.bytes + b + bytes)
    }

    /// Drops a packet.
    #[inline]
    pub fn drop(&mut self, packet: &Packet, reason: DropReason) {
        let (at, Packet { handle, flow, bytes, arrived, class, .. }) = (self.now, *packet);
        self.dropped.push(Dropped { at, handle, flow, bytes, class, arrived, reason });
    }
}

/// What a discipline may need from outside to say how it would decide.
#[derive(Clone, Copy, Debug, Default)]
pub struct Look {
    /// The present.
    pub now: Time,
    /// What of the packet in transmission counts against the buffer.
    pub in_service: Backlog,
}

impl Look {
    /// See [`Cx::exceeds`].
    pub fn exceeds(&self, buffer: Buffer, backlog: &Backlog, packets: u64, bytes: u64) -> bool {
        self.in_service.exceeds(buffer, backlog, packets, bytes)
    }
}
