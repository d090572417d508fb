//! The source of a flow that has its own line: a protocol, the sender that serves it, the line, and the present burst.

use super::Source;
use crate::transport::basic::{Rules, Sender, line};
use crate::{Ack, AckPacket, AnyFlowControl, FlowControl, Loss, LossKind, Segment};
use headgate_packet::{Duration, Time};
use std::collections::VecDeque;
use std::sync::Arc;

/// What such a source keeps.
#[derive(Debug)]
pub(crate) struct Line {
    control: AnyFlowControl,
    sender: Sender,
    rules: line::Rules,
    line: line::Line,
    /// The first packet of the burst, and when the last one of the burst before was sent.
    base: u64,
    before: Option<Time>,
    /// Packets supplied, and those among the ones not yet sent with which data begins that was submitted later than the burst.
    supplied: u64,
    starts: VecDeque<u64>,
    last_sent: Option<Time>,
    timeouts: u64,
}

impl Line {
    /// A source with nothing to send yet.
    pub fn new(control: AnyFlowControl, rules: &Arc<Rules>, line: &line::Rules) -> Line {
        let (sender, free) = (Sender::new(rules), line::Line::new(line.rate, 1000));
        let (supplied, starts) = (0, VecDeque::new());
        Line {
            control,
            sender,
            rules: *line,
            line: free,
            base: 0,
            before: None,
            supplied,
            starts,
            last_sent: None,
            timeouts: 0,
        }
    }

    /// Says how long the packets are, before the first one is sent.
    pub fn set_packet_bytes(&mut self, bytes: u32) {
        self.line = line::Line::new(self.rules.rate, bytes);
    }

    /// A loss: the next packet sent is the first one of a burst.
    fn begin_burst(&mut self) {
        if self.rules.repair == line::Repair::Burst {
            (self.base, self.before) = (self.sender.oldest(), self.last_sent);
            self.starts.clear();
        }
    }
}

// Nothing of it is inlined into the dispatch over sources, where it costs the common ones time.
impl Source for Line {
    fn supply(&mut self, packets: u64) {
        self.sender.supply(packets);
        if self.rules.reset_on_submit && packets > 0 {
            self.starts.push_back(self.supplied);
            self.supplied = self.supplied.saturating_add(packets);
        }
    }

    fn stop(&mut self) {
        self.sender.stop();
    }

    #[inline(never)]
    fn poll_send(&mut self, now: Time) -> Option<Segment> {
        self.sender.skip_received();
        if now < self.line.free() {
            return None;
        }
        let (seq, retransmission) = self.sender.poll(self.control.allowance().window, now)?;
        self.line.send(now);
        self.last_sent = Some(now);
        while self.starts.front().is_some_and(|start| *start <= seq) {
            self.base = self.starts.pop_front().unwrap_or(self.base);
        }
        let base = if self.rules.shift_on_ack { self.base.max(self.sender.oldest()) } else { self.base };
        let priority = self.control.priority(seq.saturating_sub(base));
        Some(Segment { priority, ..Segment::plain(seq, retransmission) })
    }

    #[inline(never)]
    fn on_ack(&mut self, ack: &AckPacket<'_>, now: Time, rtts: &mut impl FnMut(Duration)) {
        let since = self.before.is_none_or(|before| ack.sent > before);
        let counts = self.rules.count_old || since && (self.rules.by_stamp || ack.seq >= ack.cumulative);
        let p = self.sender.on_stamped_ack(ack.cumulative, (ack.seq, ack.sent), counts, now);
        if p.stale {
            return;
        }
        let in_flight = self.sender.in_flight();
        if let Some(kind) = p.loss {
            self.begin_burst();
            self.control.on_loss(&Loss {
                now,
                kind,
                in_flight,
                remaining: in_flight,
                again: false,
                used: u64::MAX,
                left: None,
            });
            return;
        }
        if p.advanced > 0 {
            rtts(now.since(ack.sent));
        }
        self.control.on_ack(&Ack {
            newly_acked: p.advanced,
            duplicates: p.duplicates,
            rtt: p.rtt,
            highest_sent: self.sender.highest(),
            in_flight,
            ..Ack::of(ack, now)
        });
    }

    #[inline(never)]
    fn timeout(&self) -> Time {
        let sends = self.sender.can_send(self.control.allowance().window);
        if sends { self.sender.timeout().min(self.line.free()) } else { self.sender.timeout() }
    }

    #[inline(never)]
    fn on_timeout(&mut self, now: Time) {
        let in_flight = self.sender.in_flight();
        if self.sender.on_timeout(now).stale {
            return;
        }
        self.timeouts += 1;
        if self.rules.by_stamp {
            self.before = self.last_sent;
        }
        self.begin_burst();
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

    fn in_flight(&self) -> u64 {
        self.sender.in_flight()
    }

    fn is_done(&self) -> bool {
        self.sender.is_done()
    }

    fn memory(&self) -> usize {
        self.sender.memory() + self.starts.capacity() * size_of::<u64>()
    }

    fn timeouts(&self) -> u64 {
        self.timeouts
    }

    fn probe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        self.control.probe(sink);
    }
}
