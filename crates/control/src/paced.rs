//! The source of a rate-based flow: a protocol that says when packets are sent, and the transport that sends and repairs them.

use crate::transport::Config;
use crate::transport::tcp::Sender;
use crate::{Ack, AckPacket, AnyFlowControl, FlowControl, Loss, LossKind, Release, Segment, Spec, Supply};
use headgate_packet::{Duration, Time};
use std::sync::Arc;

/// What a rate-based source keeps.
#[derive(Clone, Debug)]
pub(crate) struct Paced {
    pub control: AnyFlowControl,
    pub sender: Sender,
    pub timeouts: u64,
    /// Packets of the present release that are still to be sent: of a pair, those above `keep`, or each for itself.
    pair: u8,
    keep: u8,
    single: u64,
}

impl Paced {
    pub fn new(spec: &Spec, config: &Arc<Config>) -> Paced {
        let (control, sender) = (spec.build(), Sender::new(&config.rules));
        Paced { control, sender, timeouts: 0, pair: 0, keep: 0, single: 0 }
    }

    pub fn poll_send(&mut self, now: Time) -> Option<Segment> {
        loop {
            let left = (self.pair > self.keep).then_some(self.pair);
            if left.is_some() || self.single > 0 {
                self.pair -= u8::from(left.is_some());
                self.single -= u64::from(left.is_none());
                match self.sender.release(left, now) {
                    Some((seq, first_sent, retransmission)) => {
                        return Some(Segment::plain(seq, first_sent, retransmission));
                    }
                    None => (self.pair, self.single) = (0, 0),
                }
            }
            let sender = &self.sender;
            let supply =
                Supply { waiting: sender.waiting(), in_flight: sender.pipe(), unanswered: sender.unanswered() };
            match self.control.release(now, &supply) {
                Release::Nothing => return None,
                Release::Packets(n) => self.single = n,
                Release::Pair => (self.pair, self.keep) = (2, 0),
                Release::First => (self.pair, self.keep) = (2, 1),
                Release::Second => (self.pair, self.keep) = (1, 0),
            }
        }
    }

    pub fn on_ack(&mut self, ack: &AckPacket, now: Time, rtts: &mut impl FnMut(Duration)) {
        let (p, pair) = self.sender.on_named_ack(ack.cumulative, (ack.seq, ack.sent), now, rtts);
        if p.delivered == 0 {
            return;
        }
        self.control.on_ack(&Ack {
            now,
            newly_acked: p.delivered,
            duplicates: 0,
            rtt: p.rtt,
            marked: ack.marked,
            cumulative: ack.cumulative,
            highest_sent: self.sender.highest(),
            in_flight: self.sender.pipe(),
            seq: ack.seq,
            waited: ack.waited,
            pair,
            ..Ack::default()
        });
    }

    pub fn timeout(&self) -> Option<Time> {
        let next = self.sender.timeout().min(self.control.next_release());
        (next != Time::NEVER).then_some(next)
    }

    pub fn on_timeout(&mut self, now: Time) {
        let lost = self.sender.on_timeout(now).lost;
        self.timeouts += lost;
        let in_flight = self.sender.pipe();
        // Each packet is a separate loss: those of a pair time out together.
        for _ in 0..lost {
            let kind = LossKind::Timeout;
            self.control.on_loss(&Loss { now, kind, in_flight, remaining: in_flight, again: false, used: u64::MAX });
        }
    }
}
