//! One direction of a link: the port that feeds it and the wire that carries its packets.
//!
//! The wire keeps its packets in flight in a ring and has only the head in the event queue, so the event queue does not grow
//! with the bandwidth-delay product.

use headgate_packet::{Duration, Ecn, Time};
use headgate_queue::Port;
use headgate_queue::parts::Ring;

/// A packet on the wire.
#[derive(Clone, Copy, Debug, Default)]
pub struct InFlight {
    /// End of its transmission; it arrives one propagation delay later.
    pub end: Time,
    /// Time it waited in the port, in ps.
    pub waited: u64,
    /// Handle of its payload.
    pub handle: u32,
    /// Its length.
    pub bytes: u32,
    /// Its label between routers.
    pub label: u32,
    /// Its congestion bit.
    pub ecn: Ecn,
    /// Its priority.
    pub class: u8,
}

/// One direction of a link.
#[derive(Clone, Debug)]
pub struct Lane {
    /// The port at its start.
    pub port: Port,
    /// Packets in flight.
    pub wire: Ring<InFlight>,
    /// Propagation delay.
    pub delay: Duration,
    /// Row of the classifier.
    pub classes: u32,
    /// Time of the port's entry in the event queue; `NEVER` without one.
    pub armed: Time,
    /// Packets that came out of the wire, and the sum of their times on it, in ps: the achieved delay.
    pub arrived: u64,
    /// See `arrived`.
    pub travelled_ps: u128,
    /// Packets marked by this port.
    pub marks: u64,
}

impl Lane {
    /// An idle lane.
    pub fn new(port: Port, delay: Duration, classes: u32) -> Lane {
        Lane { port, wire: Ring::default(), delay, classes, armed: Time::NEVER, arrived: 0, travelled_ps: 0, marks: 0 }
    }
}
