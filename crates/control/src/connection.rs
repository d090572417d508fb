//! A flow's source: a protocol and the transport that serves it.

use crate::layered::Layered;
use crate::lined::Lined;
use crate::paced::Paced;
use crate::transport::{Config, Received};
use crate::windowed::Windowed;
use crate::{Echo, FlowControl, Spec};
use headgate_packet::{Duration, Rng, Time};
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
    /// The source reacted to marks (the flag CWR of RFC 3168).
    pub reacted: bool,
    /// Its priority, if the protocol chooses it.
    pub priority: Option<u8>,
}

impl Segment {
    /// One of which there is nothing more to say.
    #[inline]
    pub fn plain(seq: u64, first_sent: Time, retransmission: bool) -> Segment {
        Segment { seq, first_sent, retransmission, reacted: false, priority: None }
    }
}

/// An acknowledgement as it comes back from the sink.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AckPacket<'a> {
    /// Packets received in sequence.
    pub cumulative: u64,
    /// The data packet that caused it.
    pub seq: u64,
    /// When that packet was sent.
    pub sent: Time,
    /// The congestion bit of that packet.
    pub marked: bool,
    /// Time that the packet and this acknowledgement spent waiting in queues.
    pub waited: Duration,
    /// What the sink says beyond that: ranges, duplicates, marks.
    pub echo: Option<&'a Echo>,
}

/// A source: asks a protocol how much may be outstanding, and sends, repairs and measures accordingly.
///
/// Without flow control there is nothing to keep but two counters; the rest lives behind a pointer, so that ten thousand such
/// sources stay small.
#[derive(Clone, Debug)]
pub struct Connection(Kind);

/// The kinds of sources.
#[derive(Clone, Debug)]
enum Kind {
    /// Without flow control: packets supplied and sent.
    Open { supplied: u64, sent: u64 },
    /// With a window, and perhaps a rate.
    Window(Box<Windowed>),
    /// With releases of pairs and single packets.
    Paced(Box<Paced>),
    /// A source that has its own line.
    Line(Box<Lined>),
    /// With layers that its receiver joins and leaves.
    Layered(Box<Layered>),
}

impl Connection {
    /// A source with nothing to send yet. Sources with the same parameters may share the `config` that they give.
    pub fn new(spec: &Spec, config: &Arc<Config>) -> Connection {
        Connection(if config.open_loop {
            Kind::Open { supplied: 0, sent: 0 }
        } else if let Some(rules) = &config.line {
            Kind::Line(Box::new(Lined::new(spec, config, rules)))
        } else if config.rules.released.is_some() {
            Kind::Paced(Box::new(Paced::new(spec, config)))
        } else {
            Kind::Window(Box::new(Windowed::new(spec, &config.rules)))
        })
    }

    /// The source of a session whose workload has this many layers, with its receiver, which takes chances.
    pub fn layered(spec: &Spec, layers: u8, rng: Rng) -> Option<Connection> {
        let Spec::Rlm(params) = spec else { return None };
        Some(Connection(Kind::Layered(Box::new(Layered::new(params, layers, rng)))))
    }

    /// The workload has the next packet of a layer, from 0, of which the source sends what its receiver has joined.
    pub fn offer(&mut self, layer: u8, now: Time) {
        if let Kind::Layered(l) = &mut self.0 {
            l.offer(layer, now);
        }
    }

    /// A packet came to the receiver of layers, which may join and leave now; `None` for any other source.
    pub fn on_data(&mut self, seq: u64, now: Time) -> Option<Received> {
        if let Kind::Layered(l) = &mut self.0 { Some(l.on_data(seq, now)) } else { None }
    }

    /// Gives a source that takes chances its random stream.
    pub fn seed(&mut self, rng: impl FnOnce() -> Rng) {
        if let Kind::Window(w) = &mut self.0 {
            w.rng = Some(Box::new(rng()));
        }
    }

    /// How long its packets are, in the mean, before the first one is sent; a source that has its own line needs to know.
    pub fn set_packet_bytes(&mut self, bytes: u32) {
        if let Kind::Line(l) = &mut self.0 {
            l.set_packet_bytes(bytes);
        }
    }

    /// The workload has this many more packets; `u64::MAX` for an endless supply.
    #[inline]
    pub fn supply(&mut self, packets: u64) {
        match &mut self.0 {
            Kind::Open { supplied, .. } => *supplied = supplied.saturating_add(packets),
            Kind::Window(w) => w.sender.supply(packets),
            Kind::Paced(p) => p.sender.supply(packets),
            Kind::Line(l) => l.sender.supply(packets),
            Kind::Layered(_) => {}
        }
    }

    /// The workload ends: nothing new is sent, and what is outstanding is still repaired.
    pub fn stop(&mut self) {
        match &mut self.0 {
            Kind::Open { supplied, sent } => *supplied = *sent,
            Kind::Window(w) => w.sender.stop(),
            Kind::Paced(p) => p.sender.stop(),
            Kind::Line(l) => l.sender.stop(),
            Kind::Layered(l) => l.stop(),
        }
    }

    /// As [`Connection::poll_send`], of a source without flow control, which has no more to say of a packet than its number.
    #[inline(always)]
    pub fn poll_open(&mut self) -> Option<u64> {
        match &mut self.0 {
            Kind::Open { supplied, sent } if *sent < *supplied => {
                *sent += 1;
                Some(*sent - 1)
            }
            _ => None,
        }
    }

    /// One packet to send now, or none. Ask again until there is none.
    #[inline]
    pub fn poll_send(&mut self, now: Time) -> Option<Segment> {
        match &mut self.0 {
            // Each is sent once, and not tracked.
            Kind::Open { supplied, sent } => (sent < supplied).then(|| {
                *sent += 1;
                Segment::plain(*sent - 1, now, false)
            }),
            Kind::Window(w) => w.poll_send(now),
            Kind::Paced(p) => p.poll_send(now),
            Kind::Line(l) => l.poll_send(now),
            Kind::Layered(l) => Some(Segment::plain(l.poll_send()?, now, false)),
        }
    }

    /// An acknowledgement came. `rtts` gets a round-trip time for each packet that it acknowledged for the first time, by the
    /// protocol's clock rule; without flow control, for each acknowledgement.
    #[inline]
    pub fn on_ack(&mut self, ack: &AckPacket, now: Time, rtts: &mut impl FnMut(Duration)) {
        match &mut self.0 {
            Kind::Open { .. } | Kind::Layered(_) => rtts(now.since(ack.sent)),
            Kind::Window(w) => w.on_ack(ack, now, rtts),
            Kind::Paced(p) => p.on_ack(ack, now, rtts),
            Kind::Line(l) => l.on_ack(ack, now, rtts),
        }
    }

    /// When to call [`Connection::on_timeout`]: a retransmission timer runs out, or a rate-based protocol wants to send.
    #[inline]
    pub fn timeout(&self) -> Option<Time> {
        match &self.0 {
            Kind::Open { .. } => None,
            Kind::Window(w) => w.timeout(),
            Kind::Paced(p) => p.timeout(),
            Kind::Line(l) => l.timeout(),
            Kind::Layered(l) => Some(l.control.next_release()).filter(|at| *at != Time::NEVER),
        }
    }

    /// Performs the timeouts that are due. Ask [`Connection::poll_send`] afterwards.
    pub fn on_timeout(&mut self, now: Time) {
        match &mut self.0 {
            Kind::Open { .. } => {}
            Kind::Window(w) => w.on_timeout(now),
            Kind::Paced(p) => p.on_timeout(now),
            Kind::Line(l) => l.on_timeout(now),
            Kind::Layered(l) => l.control.0.on_timeout(now),
        }
    }

    /// Packets sent and not acknowledged; without acknowledgements, packets sent.
    #[inline]
    pub fn in_flight(&self) -> u64 {
        match &self.0 {
            Kind::Open { sent, .. } => *sent,
            Kind::Window(w) => w.sender.pipe(),
            Kind::Paced(p) => p.sender.pipe(),
            Kind::Line(l) => l.sender.gone(),
            Kind::Layered(l) => l.sent,
        }
    }

    /// Whether nothing is left to do: all that was supplied is sent and, with flow control, acknowledged.
    pub fn is_done(&self) -> bool {
        match &self.0 {
            Kind::Open { supplied, sent } => sent == supplied,
            Kind::Window(w) => w.sender.is_done(),
            Kind::Paced(p) => p.sender.is_done(),
            Kind::Line(l) => l.sender.is_done(),
            Kind::Layered(l) => l.control.0.level() == 0,
        }
    }

    /// Bytes of the records of packets sent.
    pub fn memory(&self) -> usize {
        match &self.0 {
            Kind::Open { .. } | Kind::Layered(_) => 0,
            Kind::Window(w) => w.sender.memory(),
            Kind::Paced(p) => p.sender.memory(),
            Kind::Line(l) => l.sender.memory(),
        }
    }

    /// Timeouts so far.
    #[inline]
    pub fn timeouts(&self) -> u64 {
        match &self.0 {
            Kind::Open { .. } | Kind::Layered(_) => 0,
            Kind::Window(w) => w.timeouts,
            Kind::Paced(p) => p.timeouts,
            Kind::Line(l) => l.timeouts,
        }
    }

    /// Whether there is flow control at all.
    #[inline]
    pub fn is_controlled(&self) -> bool {
        !matches!(self.0, Kind::Open { .. })
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
        match &self.0 {
            Kind::Open { .. } => {}
            Kind::Window(w) => w.probe(sink),
            Kind::Paced(p) => p.control.probe(sink),
            Kind::Line(l) => l.control.probe(sink),
            Kind::Layered(l) => l.control.probe(sink),
        }
    }
}
