//! Lines that do more than send one bit after the other: what a frame adds to a packet, and when the line may send.
//!
//! A port without such a law does not use this module. Time is handed in, and calls come in the order of time.

mod bursts;
mod frame;
mod slots;

pub use bursts::Bursts;
pub use frame::Frame;
pub use slots::{Opportunities, Slots};

use headgate_packet::{Duration, Serialiser, Time};

/// When a line may send.
#[derive(Clone, Debug)]
pub enum Gate {
    /// Whenever it is free.
    Open,
    /// A number of packets at each of equally spaced times.
    Bursts(Bursts),
    /// A number of bytes at each of given times, at once.
    Slots(Slots),
}

/// The law of a line.
#[derive(Clone, Debug)]
pub struct Law {
    /// What is sent for a packet.
    pub frame: Frame,
    /// When it is sent.
    pub gate: Gate,
}

impl Law {
    /// The time from which on a transmission may start that could start at `start`: the same if the line may send then, `NEVER` if it never
    /// does again.
    #[cold]
    pub(crate) fn opens(&mut self, start: Time) -> Time {
        match &mut self.gate {
            Gate::Open => start,
            Gate::Bursts(bursts) => bursts.opens(start),
            Gate::Slots(slots) => slots.opens(start),
        }
    }

    /// The end of a transmission that starts at `start`, when the line may send, and the time that it takes up of the line.
    #[cold]
    pub(crate) fn transmit(&mut self, line: &mut Serialiser, bytes: u32, start: Time) -> (Time, Duration) {
        let bytes = self.frame.length(bytes);
        if let Gate::Slots(slots) = &mut self.gate {
            return slots.transmit(bytes);
        }
        let end = start + line.transmit(bytes);
        if let Gate::Bursts(bursts) = &mut self.gate {
            bursts.sent(end);
        }
        (end, end.since(start))
    }

    /// Bytes that were sent before `now`, where a line sends at certain times.
    pub(crate) fn used_before(&self, now: Time) -> Option<u64> {
        match &self.gate {
            Gate::Slots(slots) => Some(slots.used_before(now)),
            _ => None,
        }
    }
}
