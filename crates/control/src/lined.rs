//! The source of a flow that has its own line: a protocol and the sender that serves it.

use crate::transport::{Config, LineSender, line};
use crate::{Ack, AckPacket, AnyFlowControl, FlowControl, Loss, LossKind, Segment, Spec};
use headgate_packet::{Duration, Time};
use std::sync::Arc;

/// What such a source keeps.
#[derive(Clone, Debug)]
pub(crate) struct Lined {
    pub control: AnyFlowControl,
    config: Arc<Config>,
    pub sender: LineSender,
    pub timeouts: u64,
}

impl Lined {
    pub fn new(spec: &Spec, config: &Arc<Config>, rules: &line::Rules) -> Lined {
        Lined { control: spec.build(), config: Arc::clone(config), sender: LineSender::new(rules), timeouts: 0 }
    }

    pub fn poll_send(&mut self, now: Time) -> Option<Segment> {
        let window = self.control.allowance().window;
        let (seq, offset, retransmission) = self.sender.poll(window, now, &self.config)?;
        let priority = self.control.priority(offset);
        Some(Segment { priority, ..Segment::plain(seq, now, retransmission) })
    }

    pub fn on_ack(&mut self, ack: &AckPacket, now: Time, rtts: &mut impl FnMut(Duration)) {
        let p = self.sender.on_ack(ack.cumulative, (ack.seq, ack.sent), now, &self.config);
        if p.newly_acked == 0 && p.duplicates == 0 {
            return;
        }
        let in_flight = self.sender.in_flight();
        if p.lost {
            let kind = LossKind::DuplicateAcks;
            self.control.on_loss(&Loss { now, kind, in_flight, remaining: in_flight, again: false, used: u64::MAX });
            return;
        }
        if p.newly_acked > 0 {
            rtts(p.rtt);
        }
        self.control.on_ack(&Ack {
            now,
            newly_acked: p.newly_acked,
            duplicates: p.duplicates,
            rtt: Some(p.rtt),
            marked: ack.marked,
            cumulative: ack.cumulative,
            highest_sent: self.sender.highest(),
            in_flight,
            seq: ack.seq,
            waited: ack.waited,
            ..Ack::default()
        });
    }

    pub fn timeout(&self) -> Option<Time> {
        let at = self.sender.timeout(self.control.allowance().window);
        (at != Time::NEVER).then_some(at)
    }

    pub fn on_timeout(&mut self, now: Time) {
        let in_flight = self.sender.in_flight();
        if self.sender.on_timeout(now, &self.config) {
            self.timeouts += 1;
            let kind = LossKind::Timeout;
            self.control.on_loss(&Loss { now, kind, in_flight, remaining: in_flight, again: false, used: u64::MAX });
        }
    }
}
