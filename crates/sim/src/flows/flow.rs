//! A flow in a run: its source and its sink.

use super::noise::HostNoise;
use crate::sizes::Lengths;
use crate::spec;
use crate::workload::{AnyWorkload, Workload as _};
use headgate_control::Connection;
use headgate_control::transport::tcp::{Policy, Sink};
use headgate_control::transport::{Config, Receiver, Way};
use headgate_packet::{Duration, Ecn, Noise, Rng, Time};
use std::sync::Arc;

/// The state of a place for flows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// It is there from the beginning to the end.
    Permanent,
    /// It stands for the flows of its entry that come and go, and sends nothing itself.
    Template,
    /// It began during the run and is removed when it is done.
    Transient,
    /// No flow: the place is free.
    Free,
}

/// What the workload of a flow supplies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Supplies {
    /// Whatever it is.
    Anything,
    /// Packets of one length at even times to a source that sends each at once, and that is all: see `Run::supply_even`.
    Even,
    /// Nothing any more: an event has ended it.
    Nothing,
}

/// A source and its sink. The order of the fields is kept: what an uncontrolled source touches with each packet comes first, in two
/// cache lines, which is what ten thousand of them cost.
#[repr(C)]
pub(crate) struct Flow {
    pub workload: AnyWorkload,
    pub connection: Connection,
    /// Start of its paths in the table of hops.
    pub forward: u32,
    pub back: u32,
    /// Length of its packets; 0 if they differ, so that the source need not look at `lengths`.
    pub packet_bytes: u32,
    /// Its position in the scenario, or that of the entry it came from.
    pub entry: u32,
    /// Packets and acknowledgements of it in the network.
    pub in_network: u32,
    pub role: Role,
    pub priority: u8,
    /// What its data packets carry in the ECN field when they leave.
    pub ecn: Ecn,
    pub supplies: Supplies,
    pub acknowledge: bool,
    /// Its receiver joins and leaves layers.
    pub layered: bool,
    /// Its data packets leave with a label, which the run knows.
    pub labelled: bool,
    /// Its hosts keep its packets back for random times.
    pub noisy: bool,
    /// Its sink is made when the first packet arrives.
    pub sink_due: bool,
    /// It goes when nothing of it is in the network.
    pub leaves: bool,
    /// Time of its entry in the event queue; `NEVER` without one.
    pub armed: Time,
    /// When all packets below this one are received an object is complete; the greatest number if there is none.
    pub object_end: u64,
    pub receiver: Receiver,
    pub ack_bytes: u32,
    /// Number of what its source and its sink are made by.
    pub maker: u32,
    /// In the receiver's place, for a flow control on TCP's transport.
    pub sink: Option<Box<FlowSink>>,
    /// Packets of the present object, or of a workload without objects all so far, unless that is even; and when the object began.
    pub supplied: u64,
    pub object_start: Time,
    /// What its workload draws from, if it draws anything.
    pub rng: Option<Box<Rng>>,
    /// Lengths of its packets, if they differ.
    pub lengths: Option<Box<Lengths>>,
    /// What its hosts keep back, if `noisy`.
    pub noise: Option<Box<HostNoise>>,
}

/// A sink that chooses when to acknowledge.
#[derive(Clone, Debug)]
pub(crate) struct FlowSink {
    pub sink: Sink,
    /// Time of its entry in the event queue; `NEVER` without one.
    pub armed: Time,
    /// The newest packet that arrived, when it was sent, and how long it was under way in ps.
    pub last: (u64, Time, u64),
}

/// What sources and sinks of one kind are made by, before the run and during it.
#[derive(Clone, Debug)]
pub(crate) struct Maker {
    flow: spec::Flow,
    config: Arc<Config>,
    policy: Arc<Policy>,
    /// The largest window of a flow control that is not the engine's.
    most: u64,
}

impl Maker {
    /// A source that has done nothing.
    pub fn source(&self) -> Connection {
        let mut connection = Connection::new(&self.flow.control, &self.config);
        connection.set_packet_bytes(self.flow.packet.mean_bytes());
        connection.set_most(self.most);
        connection
    }

    /// A sink that has received nothing, of which packets below `end` are wanted.
    pub fn sink(&self, end: u64) -> Box<FlowSink> {
        let mut sink = Sink::sharing(&self.policy);
        if end < u64::MAX {
            sink.set_end(end);
        }
        Box::new(FlowSink { sink, armed: Time::NEVER, last: (0, Time::ZERO, 0) })
    }

    /// Whether a source may sleep: what it does follows from what happens to it.
    fn may_sleep(&self) -> bool {
        let way = matches!(self.config.way, Way::Tcp(_) | Way::Window(_));
        way && !self.flow.control.takes_chances()
    }
}

/// What the flows of an entry have in common.
#[derive(Clone, Debug)]
pub(crate) struct Kind {
    flow: spec::Flow,
    maker: Arc<Maker>,
    of_run: (u64, u64),
    /// One that has not begun.
    workload: AnyWorkload,
    /// The span of the noise of its hosts.
    noise: Duration,
    /// Number of its maker, and whether its sources may sleep.
    number: u32,
    sleeps: bool,
}

impl Kind {
    /// That of a flow; `same` is another one, whose transport is shared if it has the same flow control.
    pub fn new(flow: &spec::Flow, same: Option<&Kind>, of_run: (u64, u64)) -> Kind {
        let echo = |flow: &spec::Flow| flow.receiver.as_ref().map(|receiver| receiver.ecn);
        let alike = |kind: &&Kind| {
            (&kind.flow.control, &kind.flow.transport, echo(&kind.flow)) == (&flow.control, &flow.transport, echo(flow))
        };
        let known = same.filter(alike).map(|kind| Arc::clone(&kind.maker.config));
        let config = known.unwrap_or_else(|| Arc::new(flow.transport_config()));
        let workload = flow.workload.build(flow.packet.mean_bytes());
        let policy = flow.sink_policy();
        let policy = config.tcp_rules().map_or(policy.clone(), |rules| policy.for_recovery(rules.recovery));
        let known = same.map(|kind| &kind.maker.policy).filter(|known| ***known == policy);
        let policy = known.map_or_else(|| Arc::new(policy), Arc::clone);
        let maker = Arc::new(Maker { flow: flow.clone(), config, policy, most: u64::MAX });
        Kind { flow: flow.clone(), maker, of_run, workload, noise: Duration::ZERO, number: 0, sleeps: false }
    }

    /// Its maker joins a list, and its sources may sleep if `sleeps`, unless their flow control forbids it.
    pub fn join(&mut self, makers: &mut Vec<Arc<Maker>>, sleeps: bool) {
        self.sleeps = sleeps && self.maker.may_sleep();
        if makers.last().is_none_or(|last| !Arc::ptr_eq(last, &self.maker)) {
            makers.push(Arc::clone(&self.maker));
        }
        self.number = makers.len() as u32 - 1;
    }

    /// Whether a flow is of this kind, too, if the one before it is.
    pub fn serves(&self, flow: &spec::Flow, before: &spec::Flow) -> bool {
        flow.alike(before)
    }

    /// Its flows have this noise from now on: their own, or that of all hosts, which does not touch a paced source. `packet_time` is that of a packet on
    /// the slowest line of the path.
    pub fn set_noise(&mut self, hosts: &spec::Hosts, packet_time: impl FnOnce() -> Duration) {
        let of_hosts = || if self.maker.config.is_paced() { Noise::default() } else { hosts.noise };
        let noise = self.flow.noise.unwrap_or_else(of_hosts);
        self.noise = if noise.is_zero() { Duration::ZERO } else { noise.span(packet_time()) };
    }

    /// The windows of its flows are at most this from now on, if their flow control is not the engine's.
    pub fn set_most(&mut self, window: impl FnOnce() -> u64) {
        if matches!(self.flow.control, headgate_control::Spec::Foreign(_)) {
            let most = window();
            if most != self.maker.most {
                Arc::make_mut(&mut self.maker).most = most;
            }
        }
    }

    /// That of another flow of the same kind.
    pub fn of(&self, flow: &spec::Flow) -> Kind {
        Kind { flow: flow.clone(), ..self.clone() }
    }

    /// The name of a random stream of its flows.
    pub fn stream(&self, what: &str) -> String {
        format!("flow/{}/{what}", self.flow.name())
    }

    /// The lengths of the packets of flow number `number` of the entry, if they differ.
    pub fn lengths(&self, seed: u64, run: u64, number: u64) -> Option<Box<Lengths>> {
        self.flow.packet.build(seed, run, &format!("{}/{number}", self.flow.name()))
    }

    /// The weight of its conversation.
    pub fn weight(&self) -> u32 {
        self.flow.weight
    }

    /// A flow of this kind that has not begun. `way` is where its paths start in the table of hops; `room` is what an earlier flow left for a
    /// random stream.
    pub fn make(
        &self,
        (entry, name): (u32, &str),
        role: Role,
        way: [u32; 2],
        rng: Rng,
        room: Option<Box<Rng>>,
        lengths: Option<Box<Lengths>>,
    ) -> Flow {
        let f = &self.flow;
        let packet_bytes = f.packet.mean_bytes();
        let control = || match role {
            // Flows of an entry that come and go have numbers instead of names.
            Role::Transient => rng.clone(),
            _ => Rng::new(self.of_run.0, self.of_run.1, &format!("flow/{name}/control")),
        };
        let sleeps = self.sleeps && role != Role::Transient;
        let mut connection = if sleeps { Connection::asleep() } else { self.maker.source() };
        let is_layered = connection.has_layers();
        if let AnyWorkload::Layers(workload) = &self.workload {
            connection.set_layers(workload.count(), control);
        }
        let noise = HostNoise::new(self.noise, |stream| match role {
            // As for the flow control.
            Role::Transient => Rng::new(rng.clone().next_u64(), 0, stream),
            _ => Rng::new(self.of_run.0, self.of_run.1, &format!("flow/{name}/{stream}")),
        });
        let chosen = self.maker.config.has_options();
        if chosen && f.control.takes_chances() {
            connection.seed(control);
        }
        let is_plain = noise.is_none() && lengths.is_none() && f.label.is_none() && !connection.is_controlled();
        let even = is_plain && role != Role::Template && self.workload.clone().even().is_some();
        Flow {
            connection,
            noisy: noise.is_some(),
            noise,
            sink: None,
            sink_due: chosen,
            leaves: role == Role::Transient,
            maker: self.number,
            receiver: Receiver::default(),
            workload: self.workload.clone(),
            entry,
            rng: self.workload.draws().then(|| match room {
                Some(mut room) => {
                    *room = rng;
                    room
                }
                None => Box::new(rng),
            }),
            role,
            in_network: 0,
            forward: way[0],
            back: way[1],
            packet_bytes: if lengths.is_some() { 0 } else { packet_bytes },
            lengths,
            ack_bytes: f.ack.bytes(),
            acknowledge: f.acknowledges(),
            layered: is_layered,
            labelled: f.label.is_some(),
            priority: f.priority,
            ecn: self.maker.config.ecn,
            supplies: if even { Supplies::Even } else { Supplies::Anything },
            armed: Time::NEVER,
            object_end: u64::MAX,
            supplied: 0,
            object_start: Time::NEVER,
        }
    }
}

impl Flow {
    /// The length of a data packet.
    #[inline(always)]
    pub fn bytes(&self, seq: u64) -> u32 {
        match (self.packet_bytes, &self.lengths) {
            (0, Some(lengths)) => lengths.of(seq),
            (bytes, _) => bytes,
        }
    }

    /// The workload has supplied these packets: if it is one of objects, they are the next one.
    #[inline]
    pub fn supply(&mut self, packets: u64, now: Time) {
        self.connection.supply(packets);
        if let AnyWorkload::Layers(layers) = &self.workload {
            self.connection.offer(layers.layer(), now);
        }
        if self.workload.has_objects() {
            let received = self.sink.as_ref().map_or(self.receiver.cumulative(), |s| s.sink.cumulative());
            self.object_end = received.saturating_add(packets);
            (self.supplied, self.object_start) = (packets, now);
            if let Some(s) = &mut self.sink {
                s.sink.set_end(self.object_end);
            }
        } else {
            self.supplied = self.supplied.saturating_add(packets);
        }
    }

    /// An event ends its workload.
    pub fn stop(&mut self) {
        self.supplies = Supplies::Nothing;
        self.connection.stop();
    }

    /// Packets that its workload has supplied and that its sink has not received; nothing of what a source that was ended will not send.
    pub fn owed(&self) -> u64 {
        let end = match self.object_end {
            u64::MAX if self.supplies == Supplies::Nothing => 0,
            u64::MAX if self.supplies == Supplies::Even => self.connection.in_flight(),
            u64::MAX => self.supplied,
            end => end,
        };
        end.saturating_sub(self.sink.as_ref().map_or(self.receiver.cumulative(), |s| s.sink.cumulative()))
    }

    /// Of a flow that stays: its only transfer is complete, and nothing is left to do. Its source and its sink go; what they counted stays.
    pub fn retire(&mut self) {
        let waits = self.sink.as_ref().is_some_and(|s| s.sink.timeout() != Time::NEVER);
        if self.leaves && self.role == Role::Permanent && self.in_network == 0 && self.connection.is_done() && !waits {
            let received = self.sink.take().map_or(self.receiver.cumulative(), |s| s.sink.cumulative());
            self.receiver = Receiver::of(received);
            (self.connection, self.leaves) = (Connection::over(), false);
        }
    }

    /// Whether a flow that comes and goes is over: it has nothing to send and nothing in the network.
    pub fn is_over(&self) -> bool {
        self.role == Role::Transient && self.in_network == 0 && self.connection.is_done() && self.workload.is_over()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_uncontrolled_source_touches_two_cache_lines() {
        assert!(std::mem::offset_of!(Flow, receiver) <= 128);
        assert!(size_of::<Flow>() <= 208, "{}", size_of::<Flow>());
    }
}
