//! The source of a rate-based flow: a protocol that says when packets are sent, and the transport that sends and repairs them.

use super::Source;
use crate::transport::basic::{Rules, Sender};
use crate::{Ack, AckPacket, AnyFlowControl, FlowControl, Loss, LossKind, Segment, Supply};
use headgate_packet::{Duration, Time};
use std::sync::Arc;

/// What a rate-based source keeps.
#[derive(Debug)]
pub(crate) struct Release {
    control: AnyFlowControl,
    sender: Sender,
    timeouts: u64,
    /// Packets of the present release that are still to be sent: of a pair, those above `keep`, or each for itself.
    pair: u8,
    keep: u8,
    single: u64,
}

impl Release {
    /// A source with nothing to send yet.
    pub fn new(control: AnyFlowControl, rules: &Arc<Rules>) -> Release {
        Release { control, sender: Sender::new(rules), timeouts: 0, pair: 0, keep: 0, single: 0 }
    }
}

impl Source for Release {
    fn supply(&mut self, packets: u64) {
        self.sender.supply(packets);
    }

    fn stop(&mut self) {
        self.sender.stop();
    }

    fn poll_send(&mut self, now: Time) -> Option<Segment> {
        loop {
            let left = (self.pair > self.keep).then_some(self.pair);
            if left.is_some() || self.single > 0 {
                self.pair -= u8::from(left.is_some());
                self.single -= u64::from(left.is_none());
                match self.sender.release(left, now) {
                    Some((seq, retransmission)) => return Some(Segment::plain(seq, retransmission)),
                    None => (self.pair, self.single) = (0, 0),
                }
            }
            let sender = &self.sender;
            let supply =
                Supply { waiting: sender.waiting(), in_flight: sender.pipe(), unanswered: sender.unanswered() };
            match self.control.as_releases()?.release(now, &supply) {
                crate::Release::Nothing => return None,
                crate::Release::Packets(n) => self.single = n,
                crate::Release::Pair => (self.pair, self.keep) = (2, 0),
                crate::Release::First => (self.pair, self.keep) = (2, 1),
                crate::Release::Second => (self.pair, self.keep) = (1, 0),
            }
        }
    }

    fn on_ack(&mut self, ack: &AckPacket<'_>, now: Time, rtts: &mut impl FnMut(Duration)) {
        let (p, pair) = self.sender.on_named_ack(ack.cumulative, (ack.seq, ack.sent), now, rtts);
        if p.delivered == 0 {
            return;
        }
        self.control.on_ack(&Ack {
            newly_acked: p.delivered,
            rtt: p.rtt,
            highest_sent: self.sender.highest(),
            in_flight: self.sender.pipe(),
            pair,
            ..Ack::of(ack, now)
        });
    }

    fn timeout(&self) -> Time {
        self.sender.timeout().min(self.control.next_release())
    }

    fn on_timeout(&mut self, now: Time) {
        let lost = self.sender.on_timeout(now).lost;
        self.timeouts += lost;
        let in_flight = self.sender.pipe();
        // Each packet is a separate loss: those of a pair time out together.
        for _ in 0..lost {
            let kind = LossKind::Timeout;
            self.control.on_loss(&Loss {
                now,
                kind,
                in_flight,
                remaining: in_flight,
                again: false,
                used: u64::MAX,
                left: None,
            });
        }
    }

    fn in_flight(&self) -> u64 {
        self.sender.pipe()
    }

    fn is_done(&self) -> bool {
        self.sender.is_done()
    }

    fn memory(&self) -> usize {
        self.sender.memory()
    }

    fn timeouts(&self) -> u64 {
        self.timeouts
    }

    fn probe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        self.control.probe(sink);
    }
}
