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

use crate::engine::Event;
use crate::run::Run;
use headgate_packet::{Duration, Packet, Rng, Time};
use std::collections::VecDeque;

/// What a host keeps back.
#[derive(Clone, Copy, Debug)]
enum Kept {
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
}

impl Run {
    /// The host of a source keeps a packet back that is sent now.
    #[cold]
    pub(crate) fn keep_data_back(&mut self, f: usize, seq: u64, class: u8, reacted: bool) {
        self.flows[f].in_network += 1;
        self.keep_back(f, 0, Kept::Data(self.now, seq, class, reacted));
    }

    /// The host of a sink keeps an acknowledgement back.
    #[cold]
    pub(crate) fn keep_ack_back(&mut self, f: usize, packet: Packet) {
        self.keep_back(f, 1, Kept::Ack(packet));
    }

    fn keep_back(&mut self, f: usize, end: usize, what: Kept) {
        let noise = self.flows[f].noise.as_mut().expect("its hosts have noise");
        let host = &mut noise.hosts[end];
        let leaves = (self.now + host.rng.uniform_duration(noise.span)).max(host.last);
        host.last = leaves;
        host.kept.push_back((leaves, what));
        if host.kept.len() == 1 {
            self.events.push(leaves, Event::Leave((2 * f + end) as u32));
        }
    }

    /// The first packet that a flow's source or sink keeps back leaves its host; `of` is twice the flow's number, plus one for the sink.
    #[cold]
    pub(crate) fn on_leave(&mut self, of: usize) {
        let (f, end) = (of / 2, of % 2);
        let host = &mut self.flows[f].noise.as_mut().expect("its hosts have noise").hosts[end];
        let (_, packet) = host.kept.pop_front().expect("an event for a packet");
        if let Some((next, _)) = host.kept.front() {
            self.events.push(*next, Event::Leave(of as u32));
        }
        match packet {
            Kept::Data(sent, seq, class, reacted) => {
                self.digest.word(seq << 1);
                // It was in the network, and stays there unless its first port refuses it.
                self.leave(f, seq, class, reacted, sent);
                self.out_of_network(f);
            }
            Kept::Ack(packet) => {
                let payload = self.payloads.get(packet.handle);
                self.digest.word(payload.seq << 1 | 1);
                let first = self.hops[payload.hop as usize];
                self.offer(first, packet);
            }
        }
    }
}
