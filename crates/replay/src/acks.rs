//! Headers of captured TCP packets, for disciplines that drop acknowledgements which later ones make needless.

use crate::quick::QuickMap;
use headgate_capture::{Classify, Dissected, Frame, Key};
use headgate_packet::TcpHeader;
use std::collections::HashMap;

/// Headers of packets until they are replayed.
#[derive(Clone, Debug, Default)]
pub struct Headers {
    /// Whether they are wanted.
    pub wanted: bool,
    /// By the number of the packet in the trace; only looked up, never iterated.
    waiting: HashMap<u64, TcpHeader>,
    /// Numbers of addresses and ports; only looked up.
    conversations: QuickMap<Key, u32>,
    /// Packets that do nothing but acknowledge.
    pub acknowledgements: u64,
    /// Packets without data of which not all of the header was captured.
    pub cut_off: u64,
}

/// Number of TCP.
const TCP: u8 = 6;

impl Headers {
    /// Takes the header of a packet, if it has one.
    pub fn take(&mut self, frame: &Frame<'_>, found: &Dissected) {
        let (TCP, Some(at)) = (found.endpoints.protocol, found.transport) else { return };
        let number = |at: usize| frame.captured.get(at..at + 2).map_or(0, |b| u32::from(b[0]) << 8 | u32::from(b[1]));
        // The length of the packet as its header has it; frames may be padded, and with segmentation offload it is 0.
        let ip = match frame.captured[found.inner] >> 4 {
            4 => number(found.inner + 2),
            _ => Some(number(found.inner + 4)).filter(|n| *n > 0).map_or(0, |n| n + 40),
        };
        let headers = (at - found.inner) as u32;
        let length = if ip > headers { ip - headers } else { frame.bytes.saturating_sub(at as u32) };
        let bytes = frame.captured.get(at..).unwrap_or_default();
        let key = found.endpoints.key(Classify::FiveTuple);
        let next = self.conversations.len() as u32;
        let conversation = *self.conversations.entry(key).or_insert(next);
        let Some(header) = TcpHeader::read(bytes, length, conversation) else { return };
        let whole = usize::from(bytes[12] >> 4) * 4;
        self.acknowledgements += u64::from(header.pure);
        self.cut_off += u64::from(length as usize == whole && bytes.len() < whole);
        self.waiting.insert(frame.number, header);
    }

    /// The header of a packet of the trace.
    #[inline]
    pub fn of(&self, number: u64) -> Option<&TcpHeader> {
        if self.wanted { self.waiting.get(&number) } else { None }
    }

    /// The header of a packet is needed no more.
    pub fn forget(&mut self, number: u64) {
        self.waiting.remove(&number);
    }
}
