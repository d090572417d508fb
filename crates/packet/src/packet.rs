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

/// What a pure acknowledgement says, as a filter of acknowledgements on its way may read it (RFC 9293, RFC 2018, RFC 3168).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Acknowledges {
    /// Its number: the packet that is expected next, modulo 2^32.
    pub upto: u32,
    /// Packets that its blocks report beyond that, at most [`Acknowledges::MOST`].
    pub beyond: u16,
    /// It carries the echo of a mark.
    pub echo: bool,
}

impl Acknowledges {
    /// Greatest number of packets that are told beyond the gap.
    pub const MOST: u16 = (1 << 14) - 1;
}

/// What a packet carries of [`Acknowledges`], in six bytes; nothing, unless it is a pure acknowledgement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AckHeader([u16; 3]);

impl AckHeader {
    const ECHO: u16 = 1 << 14;
    const IS_ONE: u16 = 1 << 15;

    /// That of a pure acknowledgement.
    pub fn new(says: Acknowledges) -> AckHeader {
        let beyond = says.beyond.min(Acknowledges::MOST);
        let reports = AckHeader::IS_ONE | beyond | if says.echo { AckHeader::ECHO } else { 0 };
        AckHeader([reports, (says.upto >> 16) as u16, says.upto as u16])
    }

    /// What it says, if it is that of a pure acknowledgement.
    pub fn read(self) -> Option<Acknowledges> {
        let [reports, high, low] = self.0;
        (reports & AckHeader::IS_ONE != 0).then_some(Acknowledges {
            upto: u32::from(high) << 16 | u32::from(low),
            beyond: reports & Acknowledges::MOST,
            echo: reports & AckHeader::ECHO != 0,
        })
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
    /// What a pure acknowledgement says, if a discipline may read it.
    pub header: AckHeader,
}

const _: () = assert!(std::mem::size_of::<Packet>() == 32);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_keeps_what_an_acknowledgement_says() {
        assert_eq!(AckHeader::default().read(), None);
        for (upto, beyond, echo) in
            [(0, 0, false), (7, 3, true), (u32::MAX - 5, Acknowledges::MOST, false), (1 << 16, 1, true)]
        {
            let says = Acknowledges { upto, beyond, echo };
            assert_eq!(AckHeader::new(says).read(), Some(says));
        }
        let many = AckHeader::new(Acknowledges { beyond: u16::MAX, ..Acknowledges::default() });
        assert_eq!(many.read().map(|a| (a.beyond, a.echo)), Some((Acknowledges::MOST, false)));
    }

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
