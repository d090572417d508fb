//! One port that receives the packets of a trace, with the conventions about equal times.
//!
//! A trace does not say what happens when several things fall on one instant, nor whether the packet in transmission takes
//! room in the buffer. Both are options; the defaults are those of the simulator (see `headgate_queue::Port`).

use crate::code_points::{Priorities, priorities};
use crate::flows::Flows;
use crate::intake::Arrival;
use crate::line::Line;
use headgate_packet::foreign::Fault;
use headgate_packet::{Ecn, FlowId, Packet, Rng, TcpHeader, Time};
use headgate_queue::{Counters, Discipline as _, Dropped, LinkInfo, Port, Sent, Spec};
use headgate_sim::link::LineRate;
use serde::{Deserialize, Serialize};

/// Whether the packet in transmission takes room in the buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum InService {
    /// It takes none.
    #[default]
    Extra,
    /// It counts until its transmission ends.
    Counts,
}

/// Several packets that arrive at one instant at an idle link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ties {
    /// The first of them starts at once.
    #[default]
    First,
    /// All are queued, then the discipline chooses.
    Together,
}

/// An arrival at the instant at which a transmission ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AtDeparture {
    /// The transmission ends and the next one starts before the arrival.
    #[default]
    DeparturesFirst,
    /// The arrival finds the buffer as it was before.
    ArrivalsFirst,
}

/// Whether the packets of a trace without an ECN field can be marked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EcnDefault {
    /// They are Not-ECT: no discipline marks them.
    #[default]
    NotCapable,
    /// They are ECT(0).
    Capable,
}

impl From<EcnDefault> for Ecn {
    fn from(default: EcnDefault) -> Ecn {
        match default {
            EcnDefault::NotCapable => Ecn::NotEct,
            EcnDefault::Capable => Ecn::Ect0,
        }
    }
}

/// Conventions for what a trace does not say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Conventions {
    /// Whether the packet in transmission takes room in the buffer.
    pub in_service: InService,
    /// Several packets that arrive at one instant at an idle link.
    pub ties: Ties,
    /// An arrival at the instant at which a transmission ends.
    pub at_departure: AtDeparture,
    /// Whether packets without an ECN field can be marked.
    pub ecn: EcnDefault,
}

/// The observer of what happens to the packets.
pub trait Watch {
    /// A packet is about to be handed to the port, which was advanced up to `now`.
    #[inline]
    fn arrives(&mut self, _port: &Port, _packet: &Packet, _now: Time) {}
    /// The port has acted, or is about to act: what it decided about packets can be taken. It is called before the packets that it dropped are given, and after
    /// those that it sent.
    #[inline]
    fn acted(&mut self, _port: &mut Port) {}
    /// A packet's transmission starts.
    fn sent(&mut self, sent: &Sent);
    /// A packet was dropped.
    fn dropped(&mut self, dropped: &Dropped);
}

/// A port with a discipline, which receives packets in the order of time.
#[derive(Clone, Debug)]
pub struct Replayer {
    port: Port,
    /// Its rate over time.
    line: Line,
    /// The line with the flows that have arrived so far.
    link: LinkInfo,
    conventions: Conventions,
    now: Time,
    /// The end of the transmission that started last.
    busy_until: Option<Time>,
    /// What it gets for each code point.
    priorities: Priorities,
    /// Priorities of packets are code points.
    code_points: bool,
    /// It drops acknowledgements that later ones make needless.
    filters: bool,
    /// The stream of random numbers before the first one was drawn.
    untouched: Rng,
}

impl Replayer {
    /// An idle port; its discipline draws from the stream (seed, 0, "replay").
    pub fn new(spec: &Spec, line: &LineRate, seed: u64, conventions: Conventions) -> Replayer {
        let rate = line.first().unwrap_or(line.mean());
        let link = LinkInfo { rate, flows: 0, weights: vec![], hosts: vec![] };
        let untouched = Rng::new(seed, 0, "replay");
        let mut port = Port::new(spec.build(&link), rate, untouched.clone());
        port.count_in_service(match (conventions.in_service, conventions.at_departure) {
            (InService::Extra, _) => headgate_queue::InService::Extra,
            (InService::Counts, AtDeparture::DeparturesFirst) => headgate_queue::InService::UntilEnd,
            (InService::Counts, AtDeparture::ArrivalsFirst) => headgate_queue::InService::ThroughEnd,
        });
        let (priorities, code_points, now) = (priorities(spec), false, Time::ZERO);
        let line = Line::new(line, &mut port);
        Replayer {
            port,
            line,
            link,
            conventions,
            now,
            busy_until: None,
            priorities,
            code_points,
            filters: spec.filters_acknowledgements(),
            untouched,
        }
    }

    /// Whether the priorities of packets are code points (DSCP), which the discipline reads in its own way.
    pub fn take_code_points(&mut self, code_points: bool) {
        self.code_points = code_points;
    }

    /// The packet with this handle, which arrives next, was captured with this header.
    pub fn read_header(&mut self, handle: u32, header: &TcpHeader) {
        if self.filters {
            self.port.discipline_mut().read_header(handle, header);
        }
    }

    /// A packet arrives, not before the last one; `handle` names it to `watch`. Its flow is one that arrived before, or the next new one:
    /// a flow exists from its first arrival, and what is due before that is served without it.
    #[inline]
    pub fn arrive(&mut self, arrival: &Arrival, handle: u32, watch: &mut impl Watch) {
        let at = arrival.at;
        if at > self.now {
            self.advance(self.now, watch);
            match self.conventions.at_departure {
                AtDeparture::DeparturesFirst => self.advance(at, watch),
                AtDeparture::ArrivalsFirst => {
                    self.change(at, watch);
                    self.go_on(Time::from_ps(at.as_ps() - 1), watch);
                }
            }
            self.now = at;
        }
        if arrival.flow as usize == self.link.flows {
            self.add_flow(arrival.weight, arrival.hosts);
        }
        let priority = arrival.priority;
        let class = if self.code_points { self.priorities[usize::from(priority & 63)] } else { priority };
        let packet = Packet {
            handle,
            flow: FlowId(arrival.flow),
            bytes: arrival.bytes,
            class,
            ecn: arrival.ecn,
            ..Packet::default()
        };
        watch.arrives(&self.port, &packet, at);
        self.port.accept(packet, at);
        // With arrivals first, a transmission that ends now still holds the line.
        let ends = |end: Option<Time>| end == Some(at);
        let holds = ends(self.busy_until) || ends(self.port.ends());
        let free = self.conventions.at_departure == AtDeparture::DeparturesFirst || !holds;
        if self.conventions.ties == Ties::First && free {
            self.start(at, watch);
        }
        self.tell_drops(watch);
    }

    #[cold]
    fn add_flow(&mut self, weight: u32, hosts: [u32; 2]) {
        if hosts == [Flows::APART; 2] && self.link.hosts.is_empty() {
            self.link.add(weight);
        } else {
            // A host that is not known is one of this flow alone, with a number that no other has.
            let own = 1 << 31 | self.link.flows as u32;
            self.link.add_between(weight, hosts.map(|host| if host == Flows::APART { own } else { host }));
        }
        self.port.grow(&self.link);
    }

    /// Starts a transmission if the line is free.
    #[inline]
    fn start(&mut self, at: Time, watch: &mut impl Watch) {
        let end = &mut self.busy_until;
        self.port.start(at, &mut |sent: Sent| {
            *end = Some(sent.end);
            watch.sent(&sent);
        });
    }

    /// Everything that is due by `at`.
    #[inline]
    fn advance(&mut self, at: Time, watch: &mut impl Watch) {
        self.change(at, watch);
        self.go_on(at, watch);
    }

    /// The changes of the line's rate by `at`. What begins at the instant of a change has the new rate.
    #[inline]
    fn change(&mut self, at: Time, watch: &mut impl Watch) {
        while self.line.due() <= at && self.line.due() != Time::NEVER {
            self.change_next(watch);
        }
    }

    #[cold]
    fn change_next(&mut self, watch: &mut impl Watch) {
        let at = self.line.due();
        self.go_on(Time::from_ps(at.as_ps() - 1), watch);
        if let Some(rate) = self.line.change() {
            self.link.rate = rate;
            // No conversation is added, and those known keep their weights.
            let link = LinkInfo { rate, flows: self.link.flows, weights: vec![], hosts: vec![] };
            self.port.set_link(&link, at);
            self.port.set_up(true, at);
        } else {
            self.port.set_up(false, at);
        }
    }

    /// Everything that is due by `at`, at the present rate.
    #[inline]
    fn go_on(&mut self, at: Time, watch: &mut impl Watch) {
        let end = &mut self.busy_until;
        self.port.advance(at, &mut |sent: Sent| {
            *end = Some(sent.end);
            watch.sent(&sent);
        });
        self.tell_drops(watch);
    }

    #[inline]
    fn tell_drops(&mut self, watch: &mut impl Watch) {
        watch.acted(&mut self.port);
        self.port.dropped().drain(..).for_each(|dropped| watch.dropped(&dropped));
    }

    /// The trace is over: performs up to `most` of the remaining steps. False when nothing is left.
    pub fn drain(&mut self, most: usize, watch: &mut impl Watch) -> bool {
        for _ in 0..most {
            // A line that is at rest goes on with its next step.
            let (next, waits) = (self.port.next(), self.port.backlog().packets + self.port.begun() > 0);
            let next = if next == Time::NEVER && waits { self.line.due() } else { next };
            if next == Time::NEVER {
                return false;
            }
            self.advance(next, watch);
        }
        true
    }

    /// Whether the discipline drew random numbers.
    pub fn drew(&self) -> bool {
        *self.port.rng() != self.untouched
    }

    /// Whether every packet has left, and within the range of the clock.
    pub fn is_empty(&self) -> bool {
        self.end() < Time::NEVER && self.port.backlog().packets + self.port.begun() == 0
    }

    /// The end of the last transmission.
    pub fn end(&self) -> Time {
        self.busy_until.unwrap_or(Time::ZERO)
    }

    /// Writes down from now on what the discipline decides about packets.
    pub fn write_down(&mut self) {
        self.port.write_down();
    }

    /// Why a discipline that is not of the list is not called any more.
    pub fn fault(&self) -> Option<&Fault> {
        self.port.discipline().fault()
    }

    /// What the port counted.
    pub fn counters(&mut self) -> Counters {
        self.port.counters(self.end())
    }
}
