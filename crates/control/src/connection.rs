//! A flow's source: a protocol and the transport that serves it.

use crate::source::{AnySource, Asleep, Open, Source, Story};
use crate::transport::{Config, Received};
use crate::{Echo, Spec};
use headgate_packet::foreign::Fault;
use headgate_packet::{Duration, Rng, Time};
use std::sync::Arc;

/// A data packet to be sent now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Its sequence number, in packets from 0.
    pub seq: u64,
    /// It was sent before.
    pub retransmission: bool,
    /// The source reacted to marks (the flag CWR of RFC 3168).
    pub reacted: bool,
    /// Its priority, if the protocol chooses it.
    pub priority: Option<u8>,
    /// Nothing more is sent now: what is asked for next is nothing, and need not be asked for.
    pub last: bool,
}

/// What a source does when it is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// A packet that it sends.
    pub segment: Option<Segment>,
    /// If it sends nothing, or nothing after this packet: when its timer runs out, if that is before the bound given, else some time that is not.
    pub timer: Time,
}

impl Segment {
    /// One of which there is nothing more to say.
    #[inline]
    pub fn plain(seq: u64, retransmission: bool) -> Segment {
        Segment { seq, retransmission, reacted: false, priority: None, last: false }
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
    /// How long that packet was under way to the sink.
    pub one_way: Duration,
    /// What the sink says beyond that: ranges, duplicates, marks.
    pub echo: Option<&'a Echo>,
}

/// A source: asks a protocol how much may be outstanding, and sends, repairs and measures accordingly.
///
/// Without flow control there is nothing to keep but two counters; the rest lives behind a pointer, so that ten thousand such
/// sources stay small.
#[derive(Debug)]
pub struct Connection(AnySource);

impl Connection {
    /// A source with nothing to send yet. Sources with the same parameters may share the `config` that they give.
    pub fn new(spec: &Spec, config: &Arc<Config>) -> Connection {
        Connection(AnySource::new(spec, config))
    }

    /// One that sleeps and has not begun.
    pub fn asleep() -> Connection {
        Connection(AnySource::Asleep(Asleep::default()))
    }

    /// One that is over: nothing is supplied to it any more.
    pub fn over() -> Connection {
        Connection(AnySource::Open(Open::default()))
    }

    /// Whether it sleeps: then it has to be woken before anything is done with it.
    #[inline]
    pub fn is_asleep(&self) -> bool {
        matches!(self.0, AnySource::Asleep(_))
    }

    /// Takes the place of one that sleeps, of the same flow control: what happened to that one happens to it. The story, with which it may sleep again
    /// unless an acknowledgement or a further supply comes.
    pub fn wake(&mut self, fresh: Connection) -> Box<Story> {
        let asleep = std::mem::replace(&mut self.0, fresh.0);
        let story = if let AnySource::Asleep(asleep) = asleep { asleep.0.unwrap_or_default() } else { Box::default() };
        story.repeat(self);
        story
    }

    /// It sleeps from now on; this is all that has happened to it.
    pub fn sleep(&mut self, story: Box<Story>) {
        self.0 = AnySource::Asleep(Asleep(Some(story)));
    }

    /// Sends all that it may send now.
    pub(crate) fn send_all(&mut self, now: Time) {
        while self.poll_send(now).is_some() {}
    }

    /// A session whose workload has this many layers; its receiver takes chances. No other source takes notice.
    pub fn set_layers(&mut self, layers: u8, rng: impl FnOnce() -> Rng) {
        if let AnySource::Layers(l) = &mut self.0 {
            l.set_layers(layers, rng());
        }
    }

    /// Whether its receiver joins and leaves layers.
    pub fn has_layers(&self) -> bool {
        matches!(self.0, AnySource::Layers(_))
    }

    /// The workload has the next packet of a layer, from 0, of which the source sends what its receiver has joined.
    pub fn offer(&mut self, layer: u8, now: Time) {
        if let AnySource::Layers(l) = &mut self.0 {
            l.offer(layer, now);
        }
    }

    /// A packet arrived at the receiver of layers, which may join and leave now; `None` for any other source.
    pub fn on_data(&mut self, seq: u64, now: Time) -> Option<Received> {
        if let AnySource::Layers(l) = &mut self.0 { Some(l.on_data(seq, now)) } else { None }
    }

    /// Gives a source that takes chances its random stream.
    pub fn seed(&mut self, rng: impl Fn() -> Rng) {
        self.0.seed(&rng);
    }

    /// Bounds the window of a protocol that is not of the list, before its first packet.
    pub fn set_most(&mut self, window: u64) {
        if let AnySource::Tcp(tcp) = &mut self.0 {
            tcp.set_most(window);
        }
    }

    /// How long its packets are, in the mean, before the first one is sent; a source that has its own line needs to know.
    pub fn set_packet_bytes(&mut self, bytes: u32) {
        if let AnySource::Line(l) = &mut self.0 {
            l.set_packet_bytes(bytes);
        }
    }

    /// The workload has this many more packets; `u64::MAX` for an endless supply.
    #[inline]
    pub fn supply(&mut self, packets: u64) {
        self.0.supply(packets);
    }

    /// The workload ends: nothing new is sent, and what is outstanding is still repaired.
    pub fn stop(&mut self) {
        self.0.stop();
    }

    /// As [`Connection::poll_send`], of a source without flow control, which has no more to say of a packet than its number.
    #[inline(always)]
    pub fn poll_open(&mut self) -> Option<u64> {
        if let AnySource::Open(open) = &mut self.0 { open.poll() } else { None }
    }

    /// As [`Connection::supply`] of one packet and [`Connection::poll_open`] for it.
    #[inline(always)]
    pub fn send_open(&mut self) -> Option<u64> {
        if let AnySource::Open(open) = &mut self.0 { Some(open.send()) } else { None }
    }

    /// One packet to send now, or none. Ask again until there is none.
    #[inline]
    pub fn poll_send(&mut self, now: Time) -> Option<Segment> {
        self.0.poll_send(now)
    }

    /// An acknowledgement arrived. `rtts` gets a round-trip time for each packet that it acknowledged for the first time, by the
    /// protocol's clock rule; without flow control, for each acknowledgement.
    #[inline]
    pub fn on_ack(&mut self, ack: &AckPacket<'_>, now: Time, rtts: &mut impl FnMut(Duration)) {
        self.0.on_ack(ack, now, rtts);
    }

    /// What it does now; as [`Connection::poll_send`], and with the last packet as [`Connection::timeout_before`].
    #[inline]
    pub fn turn(&mut self, now: Time, bound: Time) -> Turn {
        self.0.turn(now, bound)
    }

    /// As [`Connection::on_ack`]; and what it does first.
    #[inline]
    pub fn turn_on_ack(
        &mut self,
        ack: &AckPacket<'_>,
        now: Time,
        bound: Time,
        rtts: &mut impl FnMut(Duration),
    ) -> Turn {
        self.0.turn_on_ack(ack, now, bound, rtts)
    }

    /// As [`Connection::on_timeout`], which adds the timeouts that were due to `timeouts`; and what it does first.
    #[inline]
    pub fn turn_on_timeout(&mut self, now: Time, timeouts: &mut u64) -> Turn {
        self.0.turn_on_timeout(now, timeouts)
    }

    /// When to call [`Connection::on_timeout`]: a retransmission timer runs out, or a rate-based protocol wants to send.
    #[inline]
    pub fn timeout(&self) -> Option<Time> {
        Some(self.0.timeout()).filter(|at| *at != Time::NEVER)
    }

    /// The same if it is before `bound`: often less work.
    #[inline]
    pub fn timeout_before(&self, bound: Time) -> Option<Time> {
        Some(self.0.timeout_before(bound)).filter(|at| *at < bound)
    }

    /// Performs the timeouts that are due. Ask [`Connection::poll_send`] afterwards.
    pub fn on_timeout(&mut self, now: Time) {
        self.0.on_timeout(now);
    }

    /// Packets sent and not acknowledged; without acknowledgements, packets sent.
    #[inline]
    pub fn in_flight(&self) -> u64 {
        self.0.in_flight()
    }

    /// Whether nothing is left to do: all that was supplied is sent and, with flow control, acknowledged.
    pub fn is_done(&self) -> bool {
        self.0.is_done()
    }

    /// Bytes beside itself, those of the records of packets sent included.
    pub fn memory(&self) -> usize {
        self.0.memory()
    }

    /// Why a flow control that is not of the list is not called any more.
    pub fn fault(&self) -> Option<&Fault> {
        if let AnySource::Tcp(tcp) = &self.0 { tcp.control().fault() } else { None }
    }

    /// Timeouts so far.
    #[inline]
    pub fn timeouts(&self) -> u64 {
        self.0.timeouts()
    }

    /// Whether there is flow control at all.
    #[inline]
    pub fn is_controlled(&self) -> bool {
        !matches!(self.0, AnySource::Open(_))
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
        self.0.probe(sink);
    }
}
