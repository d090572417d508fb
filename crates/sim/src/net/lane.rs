//! One direction of a link: the port that feeds it and the wire that carries its packets.
//!
//! The wire keeps its packets in flight in a ring and has only the head in the event queue, so the event queue does not grow
//! with the bandwidth-delay product.

use crate::engine::{Event, EventQueue};
use crate::link::{Wire, WireCounts};
use headgate_packet::{Duration, FlowId, Packet, Time};
use headgate_queue::parts::Ring;
use headgate_queue::{Discipline as _, Port, Sent};
use std::ops::{Deref, DerefMut};

/// A packet on the wire.
#[derive(Clone, Copy, Debug, Default)]
pub struct InFlight {
    /// The packet as it arrives at the far end, which it reaches one propagation delay after the end of its transmission.
    pub packet: Packet,
    /// Time it waited in the port, in ps.
    pub waited: u64,
    /// End of its transmission, whatever the delay of the wire is later.
    pub transmitted: Time,
}

/// The packets in flight, and what it takes to add one: together, so that a port gets it all by one address.
#[derive(Clone, Debug, Default)]
pub struct Flight {
    ring: Ring<InFlight>,
    /// Propagation delay of packets whose transmission starts now.
    pub delay: Duration,
    /// No packet arrives before this time: after the delay was cut, none overtakes those on the wire.
    not_before: Time,
    /// Packets put on the wire, and the sum of their times on it, in ps: the achieved delay.
    pub entered: u64,
    /// See `entered`.
    pub travelled_ps: u128,
}

/// One direction of a link.
#[derive(Clone, Debug)]
pub struct Lane {
    /// The port at its start.
    pub port: Port,
    /// Packets in flight.
    pub wire: Flight,
    /// What the wire does besides carrying packets; nothing, mostly.
    pub laws: Option<Box<Wire>>,
    /// Whether the link works, as events say, and whether its rate is above zero, as its trace says.
    pub up: bool,
    /// See `up`.
    pub flowing: bool,
    /// How many conversations cross the port; 1 if its discipline does not distinguish them.
    pub conversations: u32,
    /// Each flow is a separate conversation there.
    pub apart: bool,
    /// Time of the port's entry in the event queue; `NEVER` without one.
    pub armed: Time,
    /// Packets marked by this port.
    pub marks: u64,
    /// The port acts at each instant at which something is due, and not only when a packet arrives at it: its drops are seen when they happen.
    pub prompt: bool,
}

impl Lane {
    /// An idle lane.
    pub fn new(port: Port, delay: Duration, conversations: u32, apart: bool) -> Lane {
        Lane {
            port,
            wire: Flight { delay, ..Flight::default() },
            laws: None,
            up: true,
            flowing: true,
            conversations,
            apart,
            armed: Time::NEVER,
            marks: 0,
            prompt: false,
        }
    }

    /// Starts the transmissions that are due by `now`; each packet gets the delay that the link has when its own one starts.
    #[inline(always)]
    pub fn advance(&mut self, now: Time) {
        let Lane { port, wire, .. } = self;
        port.advance(now, &mut |sent| wire.enter(&sent));
    }

    /// What the laws of the wire did so far.
    pub fn wire_counts(&self) -> WireCounts {
        self.laws.as_ref().map_or_else(WireCounts::default, |laws| laws.counts)
    }

    /// Whether the number of a conversation can go to another one, as far as the port knows.
    pub fn has_forgotten(&self, conversation: u32, now: Time) -> bool {
        !self.apart || self.port.discipline().has_forgotten(FlowId(conversation), now)
    }

    /// Hands a packet to the port.
    #[inline(always)]
    pub fn offer(&mut self, packet: Packet, now: Time) {
        let Lane { port, wire, .. } = self;
        port.offer(packet, now, &mut |sent| wire.enter(&sent));
    }

    /// Puts into the event queue what is due next at lane `l`. `wire_before` is the number of packets on its wire before the port acted. Returns whether
    /// the port has dropped any.
    ///
    /// While packets are on the wire the port needs no event: nothing that it sends later arrives before them, so it is enough that it
    /// catches up, each transmission at its own time, when the next one arrives, and before anything else arrives at it.
    #[inline(always)]
    pub fn arm(&mut self, l: usize, wire_before: usize, events: &mut EventQueue) -> bool {
        match self.wire.front() {
            Some(head) if wire_before == 0 => events.push(head.packet.arrived, Event::Arrive(l as u32)),
            _ => {}
        }
        if self.wire.is_empty() || self.prompt {
            let next = self.port.next();
            if next < self.armed {
                self.armed = next;
                events.push(next, Event::Port(l as u32));
            }
        }
        !self.port.dropped().is_empty()
    }

    /// The link has another delay. Packets in flight and in transmission keep theirs, and their order: what is sent later arrives no
    /// earlier than the last of them.
    pub fn set_delay(&mut self, delay: Duration) {
        let wire = &mut self.wire;
        wire.delay = delay;
        wire.not_before = wire.back().map_or(wire.not_before, |last| last.packet.arrived);
    }
}

impl Flight {
    /// A packet goes on the wire.
    #[inline(always)]
    fn enter(&mut self, sent: &Sent) {
        let arrived = (sent.end + self.delay).max(self.not_before);
        self.entered += 1;
        self.travelled_ps += u128::from(arrived.since(sent.end).as_ps());
        let waited = sent.start.since(sent.packet.arrived).as_ps();
        self.ring.push_back(InFlight { packet: Packet { arrived, ..sent.packet }, waited, transmitted: sent.end });
    }
}

impl Deref for Flight {
    type Target = Ring<InFlight>;
    #[inline(always)]
    fn deref(&self) -> &Ring<InFlight> {
        &self.ring
    }
}

impl DerefMut for Flight {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut Ring<InFlight> {
        &mut self.ring
    }
}
