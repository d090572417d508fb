//! A source without flow control: each packet is sent once, and none is tracked.

use super::Source;
use crate::{AckPacket, Segment};
use headgate_packet::{Duration, Time};

/// Packets supplied and sent.
#[derive(Clone, Debug, Default)]
pub(crate) struct Open {
    supplied: u64,
    sent: u64,
}

impl Open {
    /// Supplies a packet and sends the next one.
    #[inline(always)]
    pub fn send(&mut self) -> u64 {
        self.supplied = self.supplied.saturating_add(1);
        self.sent += 1;
        self.sent - 1
    }

    /// The next packet, of which there is no more to say than its number.
    #[inline(always)]
    pub fn poll(&mut self) -> Option<u64> {
        (self.sent < self.supplied).then(|| {
            self.sent += 1;
            self.sent - 1
        })
    }
}

impl Source for Open {
    #[inline]
    fn supply(&mut self, packets: u64) {
        self.supplied = self.supplied.saturating_add(packets);
    }

    fn stop(&mut self) {
        self.supplied = self.sent;
    }

    #[inline]
    fn poll_send(&mut self, _: Time) -> Option<Segment> {
        self.poll().map(|seq| Segment::plain(seq, false))
    }

    #[inline]
    fn on_ack(&mut self, ack: &AckPacket<'_>, now: Time, rtts: &mut impl FnMut(Duration)) {
        rtts(now.since(ack.sent));
    }

    #[inline]
    fn in_flight(&self) -> u64 {
        self.sent
    }

    fn is_done(&self) -> bool {
        self.sent == self.supplied
    }
}
