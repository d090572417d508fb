//! Host noise: a packet leaves its host a random time after it was made there.
//!
//! Source: Floyd and Jacobson 1991, "On Traffic Phase Effects in Packet-Switched Gateways", section 3: the hosts of a simulation have no
//! processing times, so that the arrivals of window-controlled flows keep their phase at a queue; a random time before each packet, uniform between zero and
//! the transmission time of a packet on the bottleneck, takes the phase away. The noise is a span of this time.
//!
//! Deviations:
//! - The packets of a flow keep their order: one whose time is short waits for the one before it.
//! - Acknowledgements leave their host later, too, by the same span. With data alone some of the phase stays.
//! - The bottleneck is the slowest line of the path that the data take at the beginning, at its mean rate, and the packet is one of mean length
//!   with what the line adds to it.
//! - A paced source is left alone unless its flow has its own noise: its packets leave when the source chooses, and some protocols measure by these times.
//!
//! State per flow: its packets that are kept back, 48 bytes each, and two random streams.

use headgate_packet::{Duration, Packet, Rng, Time};
use std::collections::VecDeque;

/// What a host keeps back.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kept {
    /// Data, which get their place in the network when they leave: when they were sent, their number, their priority, and whether the source has
    /// reacted to marks.
    Data(Time, u64, u8, bool),
    /// An acknowledgement, which has its place.
    Ack(Packet),
}

/// One host of a flow.
#[derive(Clone, Debug)]
struct Host {
    rng: Rng,
    /// Each with the time at which it leaves.
    kept: VecDeque<(Time, Kept)>,
    /// When the last packet so far leaves.
    last: Time,
}

/// The noise of a flow's hosts.
#[derive(Clone, Debug)]
pub(crate) struct HostNoise {
    span: Duration,
    /// That of the source and that of the sink.
    hosts: [Host; 2],
}

impl Host {
    fn new(rng: Rng) -> Host {
        Host { rng, kept: VecDeque::new(), last: Time::ZERO }
    }
}

impl HostNoise {
    /// Times uniform in [0, `span`), of a stream for each of the two hosts; nothing if the span is zero.
    pub fn new(span: Duration, rng: impl Fn(&str) -> Rng) -> Option<Box<HostNoise>> {
        (span > Duration::ZERO)
            .then(|| Box::new(HostNoise { span, hosts: ["noise", "noise/sink"].map(|name| Host::new(rng(name))) }))
    }

    /// Bytes of what is kept back.
    pub fn memory(&self) -> usize {
        self.hosts.iter().map(|host| host.kept.capacity() * size_of::<(Time, Kept)>()).sum()
    }

    /// The host of the source (`end` 0) or of the sink (1) keeps a packet back from now on. When its first packet leaves, if that is this one.
    pub fn keep(&mut self, end: usize, what: Kept, now: Time) -> Option<Time> {
        let host = &mut self.hosts[end];
        let leaves = (now + host.rng.uniform_duration(self.span)).max(host.last);
        host.last = leaves;
        host.kept.push_back((leaves, what));
        (host.kept.len() == 1).then_some(leaves)
    }

    /// The first packet that a host keeps back leaves: the packet, and when the next one leaves.
    pub fn release(&mut self, end: usize) -> (Kept, Option<Time>) {
        let host = &mut self.hosts[end];
        let (_, what) = host.kept.pop_front().expect("an event for a packet");
        (what, host.kept.front().map(|(next, _)| *next))
    }
}
