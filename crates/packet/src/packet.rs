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

/// The ECN field of IP (RFC 3168, section 5). For DECbit: whether the source listens to the congestion bit, and the bit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ecn {
    /// Not-ECT: the flow does not understand marks.
    #[default]
    NotEct,
    /// ECT(0): the flow understands marks, and none was set yet.
    Ect0,
    /// ECT(1): the same, in the other codepoint.
    Ect1,
    /// CE: a gateway has set the congestion bit.
    Ce,
}

impl Ecn {
    /// Whether the flow understands marks.
    #[inline]
    pub fn is_capable(self) -> bool {
        self != Ecn::NotEct
    }

    /// Sets the congestion bit of a packet that can carry it; false for one that cannot.
    #[inline]
    pub fn mark(&mut self) -> bool {
        let capable = self.is_capable();
        if capable {
            *self = Ecn::Ce;
        }
        capable
    }
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
    /// The ECN field.
    pub ecn: Ecn,
    /// Priority class, 0 the highest.
    pub class: u8,
}

const _: () = assert!(std::mem::size_of::<Packet>() == 32);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_capable_packet_takes_a_mark() {
        assert_eq!(Packet::default().ecn, Ecn::NotEct);
        for (before, capable, after) in [
            (Ecn::NotEct, false, Ecn::NotEct),
            (Ecn::Ect0, true, Ecn::Ce),
            (Ecn::Ect1, true, Ecn::Ce),
            (Ecn::Ce, true, Ecn::Ce),
        ] {
            let mut ecn = before;
            assert_eq!((ecn.is_capable(), ecn.mark(), ecn), (capable, capable, after), "{before:?}");
        }
    }
}
