//! A flow's source: a protocol and the transport that serves it.

use crate::transport::{Config, Sender};
use crate::{Ack, AnyFlowControl, FlowControl, Loss, LossKind, Spec};
use headgate_packet::{Duration, Time};
use std::sync::Arc;

/// A data packet to be sent now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Its sequence number, in packets from 0.
    pub seq: u64,
    /// When it was sent for the first time.
    pub first_sent: Time,
    /// It was sent before.
    pub retransmission: bool,
}

/// An acknowledgement as it comes back from the sink.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AckPacket {
    /// Packets received in sequence.
    pub cumulative: u64,
    /// The data packet that caused it.
    pub seq: u64,
    /// When that packet was sent.
    pub sent: Time,
    /// The congestion bit of that packet.
    pub marked: bool,
}

/// A source: asks a protocol how much may be outstanding, and sends, repairs and measures accordingly.
///
/// Without flow control there is nothing to keep but two counters; the rest lives behind a pointer, so that ten thousand such
/// sources stay small.
#[derive(Clone, Debug)]
pub struct Connection {
    /// Packets supplied and sent, of a source without flow control.
    supplied: u64,
    sent: u64,
    tracked: Option<Box<Tracked>>,
}

/// What a source under flow control keeps.
#[derive(Clone, Debug)]
struct Tracked {
    control: AnyFlowControl,
    config: Arc<Config>,
    sender: Sender,
    timeouts: u64,
}

impl Connection {
    /// A source with nothing to send yet. Sources with the same parameters may share the `config` that they give.
    pub fn new(spec: &Spec, config: &Arc<Config>) -> Connection {
        let tracked = (!config.open_loop).then(|| {
            let (control, config) = (spec.build(), Arc::clone(config));
            Box::new(Tracked { control, config, sender: Sender::default(), timeouts: 0 })
        });
        Connection { supplied: 0, sent: 0, tracked }
    }

    /// The workload has this many more packets; `u64::MAX` for an endless supply.
    #[inline]
    pub fn supply(&mut self, packets: u64) {
        match &mut self.tracked {
            Some(t) => t.sender.supply(packets),
            None => self.supplied = self.supplied.saturating_add(packets),
        }
    }

    /// The workload ends: nothing new is sent, and what is outstanding is still repaired.
    pub fn stop(&mut self) {
        match &mut self.tracked {
            Some(t) => t.sender.stop(),
            None => self.supplied = self.sent,
        }
    }

    /// One packet to send now, or none. Ask again until there is none.
    #[inline]
    pub fn poll_send(&mut self, now: Time) -> Option<Segment> {
        let Some(t) = &mut self.tracked else {
            // Each is sent once, and not tracked.
            if self.sent >= self.supplied {
                return None;
            }
            self.sent += 1;
            return Some(Segment { seq: self.sent - 1, first_sent: now, retransmission: false });
        };
        let window = t.control.allowance().window;
        let (seq, first_sent, retransmission) = t.sender.poll(window, now, &t.config)?;
        Some(Segment { seq, first_sent, retransmission })
    }

    /// An acknowledgement came. `rtts` gets a round-trip time for each packet that it acknowledged for the first time, by the
    /// protocol's clock rule; without flow control, for each acknowledgement.
    #[inline]
    pub fn on_ack(&mut self, ack: &AckPacket, now: Time, rtts: &mut impl FnMut(Duration)) {
        let Some(t) = &mut self.tracked else {
            rtts(now.since(ack.sent));
            return;
        };
        let p = t.sender.on_ack(ack.cumulative, now, &t.config, rtts);
        if p.newly_acked == 0 && p.duplicates == 0 {
            return;
        }
        let in_flight = t.sender.in_flight();
        if p.lost {
            t.control.on_loss(&Loss { now, kind: LossKind::DuplicateAcks, in_flight });
            return;
        }
        t.control.on_ack(&Ack {
            now,
            newly_acked: p.newly_acked,
            duplicates: p.duplicates,
            rtt: p.rtt,
            marked: ack.marked,
            cumulative: ack.cumulative,
            highest_sent: t.sender.highest(),
            in_flight,
        });
    }

    /// When to call [`Connection::on_timeout`].
    #[inline]
    pub fn timeout(&self) -> Option<Time> {
        self.tracked.as_ref()?.sender.timeout()
    }

    /// Performs the timeout if it is due.
    pub fn on_timeout(&mut self, now: Time) {
        let Some(t) = &mut self.tracked else { return };
        let in_flight = t.sender.in_flight();
        if t.sender.on_timeout(now, &t.config) {
            t.timeouts += 1;
            t.control.on_loss(&Loss { now, kind: LossKind::Timeout, in_flight });
        }
    }

    /// Packets sent and not acknowledged; without flow control, packets sent.
    #[inline]
    pub fn in_flight(&self) -> u64 {
        self.tracked.as_ref().map_or(self.sent, |t| t.sender.in_flight())
    }

    /// Timeouts so far.
    #[inline]
    pub fn timeouts(&self) -> u64 {
        self.tracked.as_ref().map_or(0, |t| t.timeouts)
    }

    /// Whether there is flow control at all.
    #[inline]
    pub fn is_controlled(&self) -> bool {
        self.tracked.is_some()
    }

    /// The window in packets, as the protocol holds it: not rounded. NaN without a window.
    pub fn window(&self) -> f64 {
        let mut window = f64::NAN;
        self.probe(&mut |name, value| {
            if name == "window" {
                window = value;
            }
        });
        window
    }

    /// The protocol's gauges.
    pub fn probe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        if let Some(t) = &self.tracked {
            t.control.probe(sink);
        }
    }
}
