//! The event queue. It knows no networks: events are typed ids with a documented total order.

mod queue;

pub use queue::EventQueue;

/// What is due; the number names the object. Kinds are ordered: at one instant a transmission ends before an arrival,
/// an arrival comes before a timer, a timer before a source, a source before a sample, and a change of the network comes last:
/// whatever else happens at that instant still finds the network as it was. Changes at one instant keep the order of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A port may start its next transmission or has a timeout of its discipline.
    Port(u32),
    /// The head of a link's ring of packets in flight reaches the far end.
    Arrive(u32),
    /// A flow's timer.
    Flow(u32),
    /// A flow's workload makes its next packet.
    Source(u32),
    /// The meters take their interval sample.
    Sample(u32),
    /// The network changes: the number of the scenario's event.
    Change(u32),
}

/// Most objects of one kind that an event can name.
pub const MAX_OBJECTS: usize = 1 << 21;

impl Event {
    /// Rank of the kind (3 bits) and number of the object (21 bits).
    #[inline]
    fn parts(self) -> (u64, u32) {
        match self {
            Event::Port(i) => (0, i),
            Event::Arrive(i) => (1, i),
            Event::Flow(i) => (2, i),
            Event::Source(i) => (3, i),
            Event::Sample(i) => (4, i),
            Event::Change(i) => (5, i),
        }
    }

    #[inline]
    fn from_parts(rank: u64, i: u32) -> Event {
        match rank {
            0 => Event::Port(i),
            1 => Event::Arrive(i),
            2 => Event::Flow(i),
            3 => Event::Source(i),
            4 => Event::Sample(i),
            _ => Event::Change(i),
        }
    }

    /// Kind and object in one word, for digests.
    #[inline]
    pub fn code(self) -> u64 {
        let (rank, i) = self.parts();
        rank << 21 | u64::from(i)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_have_their_ranks_in_the_order_of_an_instant() {
        let events =
            [Event::Port(0), Event::Arrive(1), Event::Flow(2), Event::Source(3), Event::Sample(4), Event::Change(5)];
        assert_eq!(events.map(Event::code), [0, 0x20_0001, 0x40_0002, 0x60_0003, 0x80_0004, 0xa0_0005]);
    }
}
