//! The event queue. It knows no networks: events are typed ids with a documented total order.

mod queue;

pub use queue::EventQueue;

/// What is due; the number names the object. The order at one instant is that of the kinds:
/// - a transmission ends before an arrival, an arrival before a timer, a timer before a source, a source before a sample;
/// - a change of the network follows all of them, which still find the network as it was;
/// - then an acknowledgement that waited for its timer is sent, and then a packet leaves that its host kept back.
///
/// Of one kind the object with the lower number comes first, which is the order of the file.
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
    /// A sink's acknowledgement has waited long enough.
    Sink(u32),
    /// A packet leaves its host, which kept it back for a random time: twice the flow's number, plus 1 for an acknowledgement.
    Leave(u32),
}

/// Maximum number of objects of one kind that an event can name.
pub const MAX_OBJECTS: usize = 1 << OBJECT_BITS;

const OBJECT_BITS: u32 = 29;

impl Event {
    /// Rank of the kind (3 bits) and number of the object (29 bits) in one word: what orders events at one instant.
    #[inline]
    pub fn code(self) -> u32 {
        let (rank, object) = match self {
            Event::Port(i) => (0, i),
            Event::Arrive(i) => (1, i),
            Event::Flow(i) => (2, i),
            Event::Source(i) => (3, i),
            Event::Sample(i) => (4, i),
            Event::Change(i) => (5, i),
            Event::Sink(i) => (6, i),
            Event::Leave(i) => (7, i),
        };
        debug_assert!((object as usize) < MAX_OBJECTS, "scenarios are checked for it");
        rank << OBJECT_BITS | object
    }

    /// The event of a code.
    #[inline]
    fn from_code(code: u32) -> Event {
        let i = code & (MAX_OBJECTS as u32 - 1);
        match code >> OBJECT_BITS {
            0 => Event::Port(i),
            1 => Event::Arrive(i),
            2 => Event::Flow(i),
            3 => Event::Source(i),
            4 => Event::Sample(i),
            5 => Event::Change(i),
            6 => Event::Sink(i),
            _ => Event::Leave(i),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_have_their_ranks_in_the_order_of_an_instant() {
        let events = [
            Event::Port(0),
            Event::Arrive(1),
            Event::Flow(2),
            Event::Source(3),
            Event::Sample(4),
            Event::Change(5),
            Event::Sink(6),
            Event::Leave(7),
        ];
        let codes = [0, 0x2000_0001, 0x4000_0002, 0x6000_0003, 0x8000_0004, 0xa000_0005, 0xc000_0006, 0xe000_0007];
        assert_eq!(events.map(Event::code), codes);
        assert_eq!(events.map(|event| Event::from_code(event.code())), events);
    }
}
