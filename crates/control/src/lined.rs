//! The source of a flow that has its own line: a protocol, the sender that serves it, the line, and the present burst.

use crate::transport::tcp::Sender;
use crate::transport::{Config, line};
use crate::{Ack, AckPacket, AnyFlowControl, FlowControl, Loss, LossKind, Segment, Spec};
use headgate_packet::{Duration, Time};
use std::sync::Arc;

/// What such a source keeps.
#[derive(Clone, Debug)]
pub(crate) struct Lined {
    pub control: AnyFlowControl,
    pub sender: Sender,
    rules: line::Rules,
    line: line::Line,
    /// The first packet of the burst, and when the last one of the burst before was sent.
    base: u64,
    before: Option<Time>,
    last_sent: Option<Time>,
    pub timeouts: u64,
}

// Nothing of it is inlined into the dispatch over sources, where it costs the common ones time.
impl Lined {
    pub fn new(spec: &Spec, config: &Arc<Config>, rules: &line::Rules) -> Lined {
        let (control, sender, line) = (spec.build(), Sender::new(&config.rules), line::Line::new(rules.rate, 1000));
        Lined { control, sender, rules: *rules, line, base: 0, before: None, last_sent: None, timeouts: 0 }
    }

    /// Says how long the packets are, before the first one is sent.
    pub fn set_packet_bytes(&mut self, bytes: u32) {
        self.line = line::Line::new(self.rules.rate, bytes);
    }

    #[inline(never)]
    pub fn poll_send(&mut self, now: Time) -> Option<Segment> {
        self.sender.skip_received();
        if now < self.line.free() {
            return None;
        }
        let (seq, _, retransmission) = self.sender.poll(self.control.allowance().window, now)?;
        self.line.send(now);
        self.last_sent = Some(now);
        let base = if self.rules.shift_on_ack { self.base.max(self.sender.oldest()) } else { self.base };
        let priority = self.control.priority(seq.saturating_sub(base));
        Some(Segment { priority, ..Segment::plain(seq, now, retransmission) })
    }

    #[inline(never)]
    pub fn on_ack(&mut self, ack: &AckPacket, now: Time, rtts: &mut impl FnMut(Duration)) {
        let fresh = ack.seq >= ack.cumulative && self.before.is_none_or(|before| ack.sent > before);
        let counts = self.rules.count_old || fresh;
        let p = self.sender.on_stamped_ack(ack.cumulative, (ack.seq, ack.sent), counts, now);
        if p.stale {
            return;
        }
        let in_flight = self.sender.gone();
        if let Some(kind) = p.loss {
            self.begin_burst();
            self.control.on_loss(&Loss { now, kind, in_flight, remaining: in_flight, again: false, used: u64::MAX });
            return;
        }
        if p.advanced > 0 {
            rtts(now.since(ack.sent));
        }
        self.control.on_ack(&Ack {
            now,
            newly_acked: p.advanced,
            duplicates: p.duplicates,
            rtt: p.rtt,
            marked: ack.marked,
            cumulative: ack.cumulative,
            highest_sent: self.sender.highest(),
            in_flight,
            seq: ack.seq,
            waited: ack.waited,
            ..Ack::default()
        });
    }

    /// A loss: the next packet sent is the first one of a burst.
    fn begin_burst(&mut self) {
        if self.rules.repair == line::Repair::Burst {
            (self.base, self.before) = (self.sender.oldest(), self.last_sent);
        }
    }

    #[inline(never)]
    pub fn timeout(&self) -> Option<Time> {
        let sends = self.sender.can_send(self.control.allowance().window);
        let at = if sends { self.sender.timeout().min(self.line.free()) } else { self.sender.timeout() };
        (at != Time::NEVER).then_some(at)
    }

    #[inline(never)]
    pub fn on_timeout(&mut self, now: Time) {
        let in_flight = self.sender.gone();
        if self.sender.on_timeout(now).stale {
            return;
        }
        self.timeouts += 1;
        self.begin_burst();
        let kind = LossKind::Timeout;
        self.control.on_loss(&Loss { now, kind, in_flight, remaining: in_flight, again: false, used: u64::MAX });
    }
}
