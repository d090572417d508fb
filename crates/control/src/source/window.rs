//! The source of a protocol from before 1990 with a window.

use super::Source;
use crate::transport::basic::{Rules, Sender};
use crate::{Ack, AckPacket, AnyFlowControl, FlowControl, Loss, LossKind, Segment};
use headgate_packet::{Duration, Time};
use std::sync::Arc;

/// A protocol, and the sender that repairs.
#[derive(Debug)]
pub struct Window<C = AnyFlowControl> {
    control: C,
    sender: Sender,
    timeouts: u64,
}

impl<C: FlowControl> Window<C> {
    /// A source with nothing to send yet.
    pub fn new(mut control: C, rules: &Arc<Rules>) -> Window<C> {
        control.on_start(1);
        Window { control, sender: Sender::new(rules), timeouts: 0 }
    }

    fn lose(&mut self, kind: LossKind, again: bool, now: Time) {
        let in_flight = self.sender.outstanding();
        self.control.on_loss(&Loss { now, kind, in_flight, remaining: 0, again, used: u64::MAX, left: None });
    }
}

impl<C: FlowControl> Source for Window<C> {
    #[inline]
    fn supply(&mut self, packets: u64) {
        self.sender.supply(packets);
    }

    fn stop(&mut self) {
        self.sender.stop();
    }

    #[inline]
    fn poll_send(&mut self, now: Time) -> Option<Segment> {
        let window = self.control.allowance().window;
        let (seq, retransmission) = self.sender.poll(window, now)?;
        Some(Segment { last: self.sender.is_full(window), ..Segment::plain(seq, retransmission) })
    }

    #[inline]
    fn on_ack(&mut self, ack: &AckPacket<'_>, now: Time, rtts: &mut impl FnMut(Duration)) {
        let p = self.sender.on_ack(ack.cumulative, now, rtts);
        if p.stale {
            return;
        }
        if let Some(kind) = p.loss {
            self.lose(kind, p.again, now);
            self.sender.enter_recovery();
        }
        self.control.on_ack(&Ack {
            newly_acked: p.advanced,
            duplicates: p.duplicates,
            rtt: p.rtt,
            highest_sent: self.sender.highest(),
            in_flight: self.sender.pipe(),
            ..Ack::of(ack, now)
        });
    }

    #[inline]
    fn timeout(&self) -> Time {
        self.sender.timeout()
    }

    fn on_timeout(&mut self, now: Time) {
        let p = self.sender.on_timeout(now);
        if !p.stale {
            self.timeouts += 1;
            self.lose(LossKind::Timeout, p.again, now);
        }
    }

    #[inline]
    fn in_flight(&self) -> u64 {
        self.sender.pipe()
    }

    fn is_done(&self) -> bool {
        self.sender.is_done()
    }

    fn memory(&self) -> usize {
        self.sender.memory()
    }

    #[inline]
    fn timeouts(&self) -> u64 {
        self.timeouts
    }

    fn probe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        self.control.probe(sink);
    }
}
