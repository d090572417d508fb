//! A flow's source: a protocol and the transport that serves it.

use crate::transport::{Config, Sender};
use crate::{Ack, AnyFlowControl, FlowControl, Loss, LossKind, Spec};
use headgate_packet::{Duration, Time};

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
#[derive(Clone, Debug)]
pub struct Connection {
    control: AnyFlowControl,
    config: Config,
    sender: Sender,
    timeouts: u64,
}

impl Connection {
    /// A source with nothing to send yet.
    pub fn new(spec: &Spec) -> Connection {
        Connection { control: spec.build(), config: spec.transport(), sender: Sender::default(), timeouts: 0 }
    }

    /// The workload has this many more packets; `u64::MAX` for an endless supply.
    #[inline]
    pub fn supply(&mut self, packets: u64) {
        self.sender.supply(packets);
    }

    /// One packet to send now, or none. Ask again until there is none.
    #[inline]
    pub fn poll_send(&mut self, now: Time) -> Option<Segment> {
        if self.config.open_loop {
            return self.sender.poll_open(now);
        }
        let window = self.control.allowance().window;
        let (seq, first_sent, retransmission) = self.sender.poll(window, now, &self.config)?;
        Some(Segment { seq, first_sent, retransmission })
    }

    /// An acknowledgement came. `rtts` gets a round-trip time for each packet that it acknowledged for the first time, by the
    /// protocol's clock rule; without flow control, for each acknowledgement.
    #[inline]
    pub fn on_ack(&mut self, ack: &AckPacket, now: Time, rtts: &mut impl FnMut(Duration)) {
        if self.config.open_loop {
            rtts(now.since(ack.sent));
            return;
        }
        let p = self.sender.on_ack(ack.cumulative, now, &self.config, rtts);
        if p.newly_acked == 0 && p.duplicates == 0 {
            return;
        }
        let in_flight = self.sender.in_flight();
        if p.lost {
            self.control.on_loss(&Loss { now, kind: LossKind::DuplicateAcks, in_flight });
            return;
        }
        self.control.on_ack(&Ack {
            now,
            newly_acked: p.newly_acked,
            duplicates: p.duplicates,
            rtt: p.rtt,
            marked: ack.marked,
            cumulative: ack.cumulative,
            highest_sent: self.sender.highest(),
            in_flight,
        });
    }

    /// When to call [`Connection::on_timeout`].
    #[inline]
    pub fn timeout(&self) -> Option<Time> {
        self.sender.timeout()
    }

    /// Performs the timeout if it is due.
    pub fn on_timeout(&mut self, now: Time) {
        let in_flight = self.sender.in_flight();
        if self.sender.on_timeout(now, &self.config) {
            self.timeouts += 1;
            self.control.on_loss(&Loss { now, kind: LossKind::Timeout, in_flight });
        }
    }

    /// Packets sent and not acknowledged; without flow control, packets sent.
    #[inline]
    pub fn in_flight(&self) -> u64 {
        self.sender.in_flight()
    }

    /// Timeouts so far.
    #[inline]
    pub fn timeouts(&self) -> u64 {
        self.timeouts
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
        self.control.probe(sink);
    }
}
