//! The intake of packets from every reader: it checks them, numbers their flows, and keeps the trace's time.

use crate::acks::Headers;
use crate::clock::Origin;
use crate::error::{Fault, TraceError, quoted};
use crate::flows::Flows;
use crate::order::{Held, JUDGES, Order, Wrong};
use crate::segments::{ETHERNET, Shape};
use headgate_capture::NotIp;
use headgate_packet::{Duration, Ecn, PacketSize, Rate, Time};
use std::collections::BTreeMap;

pub use crate::arrival::{Arrival, Place, Raw};

/// The meanings of the ECN field of the IP header (RFC 3168, section 5), by its number.
const ECN: [Ecn; 4] = [Ecn::NotEct, Ecn::Ect1, Ecn::Ect0, Ecn::Ce];

/// Checks packets and collects them.
#[derive(Clone, Debug, Default)]
pub struct Intake {
    /// The flows so far.
    pub flows: Flows,
    /// Packets that were taken and not yet fetched.
    pub arrivals: Vec<Arrival>,
    /// Packets taken since the start.
    pub packets: u64,
    /// The same, where one that is cut counts as one.
    pub taken: u64,
    /// Priorities are code points.
    pub code_points: bool,
    /// Packets that have no addresses, by why. A packet that was skipped for a fault counts, too.
    pub not_ip: BTreeMap<NotIp, u64>,
    /// Packets with addresses of which the ports were not captured.
    pub ports_missing: u64,
    /// Captures that stood in the file one after the other.
    pub captures: u64,
    /// Where the file could not be read any more, and what was found there.
    pub ended: Option<(Place, String)>,
    /// The longest time in which no packet arrived.
    pub gap: Gap,
    /// Headers of packets of a capture.
    pub headers: Headers,
    /// Packets that are longer than a link sends.
    pub large: Large,
    lenient: bool,
    /// The ECN field of packets of a trace that has none.
    ecn: Ecn,
    /// Longest packet in bytes.
    longest: u32,
    skipped: BTreeMap<&'static str, u64>,
    /// Time of the first packet and of the last.
    span: Option<(i128, i128)>,
    /// Number of the packet that was taken last.
    pub last: u64,
    /// Times and places of the last packets, where they are taken at once: the one number n is at n modulo [`JUDGES`].
    seen: [(i128, Place); JUDGES],
    /// Since a packet contradicted those before it, where faults are errors: which of them has the wrong time.
    suspects: Option<Box<Order>>,
    /// Packets whose place in time is not known yet.
    order: Order,
    /// The flows in the order in which they were read, and the number that each has once a packet of it was taken.
    read: Flows,
    numbers: Vec<Option<u32>>,
}

/// A time in which no packet arrived.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gap {
    /// Its length in ps.
    pub ps: i128,
    /// How many packets were taken before it.
    pub before: u64,
    /// The numbers in the trace of the packets before and after it.
    pub between: (u64, u64),
}

/// Packets of a trace that are longer than an Ethernet sends.
#[derive(Clone, Copy, Debug, Default)]
pub struct Large {
    /// Length of IP above which packets are cut, if they are.
    pub segment: Option<u32>,
    /// How many there are.
    pub packets: u64,
    /// Length of the longest one, with its link header.
    pub longest: u32,
}

impl Large {
    #[inline]
    fn count(&mut self, shape: Option<Shape>, bytes: u32) {
        // Of a table, and of what is not IP, it is not known what of a packet is a link header: Ethernet's has 14 bytes, and VLANs have 4 each.
        let known = shape.filter(|shape| *shape != Shape::TABLE);
        let most = match (self.segment, known) {
            (Some(most), _) => most,
            (None, Some(_)) => ETHERNET,
            (None, None) => ETHERNET + 22,
        };
        let cut = self.segment.is_none() || shape.is_some();
        if cut && shape.map_or(bytes, |shape| shape.of_ip(bytes)) > most {
            self.packets += 1;
            self.longest = self.longest.max(bytes);
        }
    }
}

/// Maximum duration of a trace: the range of 64 bits of picoseconds.
pub(crate) const LONGEST: i128 = u64::MAX as i128 / 2;

impl Intake {
    /// An empty one, for a line of this rate; if it is lenient, packets with faults are skipped and counted. Packets have this ECN field where
    /// the trace has none.
    pub fn new(lenient: bool, rate: Rate, ecn: Ecn) -> Intake {
        let longest = rate.longest_packet().min(u64::from(PacketSize::LONGEST.bytes())) as u32;
        Intake { lenient, longest, ecn, order: Order::new(lenient, 0), ..Intake::default() }
    }

    /// Packets are sorted by time, as far as each is at most this much earlier than one before it.
    pub fn sorted(mut self, window: Duration) -> Intake {
        self.order = Order::new(self.lenient || window > Duration::ZERO, i128::from(window.as_ps()));
        self
    }

    /// Whether packets wait for others before they are taken.
    pub fn waits(&self) -> bool {
        self.order.waits()
    }

    /// The number of the first packet of the trace that waits for others.
    pub fn oldest(&self) -> Option<u64> {
        self.order.oldest()
    }

    /// Whether packets with faults are skipped and counted.
    pub fn is_lenient(&self) -> bool {
        self.lenient
    }

    /// Longest packet that is taken, in bytes.
    pub fn longest(&self) -> u32 {
        self.longest
    }

    /// The flows and hosts as they are read: those that count, or while packets wait for others, those from which they are numbered later.
    pub fn reading(&mut self) -> &mut Flows {
        if self.order.waits() { &mut self.read } else { &mut self.flows }
    }

    /// Where the trace's time begins.
    pub fn origin(&self) -> Origin {
        Origin::from_ps(self.span.unwrap_or_default().0)
    }

    /// From the first packet to the last.
    pub fn length(&self) -> Time {
        self.span.map_or(Time::ZERO, |(first, last)| Time::from_ps((last - first) as u64))
    }

    /// What was skipped, by kind of fault.
    pub fn skipped(&self) -> &BTreeMap<&'static str, u64> {
        &self.skipped
    }

    /// Skips a fault, if that is allowed.
    ///
    /// # Errors
    /// The fault itself if it is not.
    pub fn skip(&mut self, fault: Fault, place: Place, message: impl FnOnce() -> String) -> Result<(), TraceError> {
        if !self.lenient {
            let does = if fault == Fault::CutOff { "replays what is before it" } else { "leaves such packets out" };
            let message = format!("{}; --lenient {does}", message());
            return Err(TraceError { fault, place: place.to_string(), message });
        }
        if fault == Fault::CutOff {
            let message = message();
            let found = message.strip_prefix("found ").and_then(|m| m.split("; expected").next());
            self.ended = Some((place, found.unwrap_or(&message).to_owned()));
        }
        *self.skipped.entry(fault.name()).or_default() += 1;
        Ok(())
    }

    /// Takes a packet; `flow` gives the number of its flow. False if it was skipped; where packets wait for others, it may still be.
    ///
    /// # Errors
    /// The first fault, unless faults are skipped.
    #[inline]
    pub fn take(&mut self, raw: Raw, flow: impl FnOnce(&mut Flows) -> u32) -> Result<bool, TraceError> {
        let size = self.size(raw.size);
        let weight = raw.weight.map(u32::try_from);
        let ecn = raw.ecn.map_or(Some(self.ecn), |n| ECN.get(usize::try_from(n).ok()?).copied());
        let priority = u8::try_from(raw.priority).ok().filter(|priority| !self.code_points || *priority < 64);
        let (Some(size), Some(ecn), Some(priority), true) =
            (size, ecn, priority, weight.is_none_or(|w| w.is_ok_and(|w| w > 0)))
        else {
            return self.refuse(&raw).map(|()| false);
        };
        let weight = weight.and_then(Result::ok);
        let (at, number, bytes) = (Time::ZERO, raw.number, size.bytes());
        let (weight_given, hosts) = (weight.unwrap_or(1), raw.hosts);
        let arrival = Arrival { at, number, flow: 0, weight: weight_given, bytes, hosts, priority, ecn };
        let mut held = Held { time: raw.time, place: raw.place, weight, shape: raw.shape, arrival };
        if self.order.waits() {
            held.arrival.flow = flow(&mut self.read);
            self.order.push(held);
            return self.settle(false).map(|()| true);
        }
        let (first, last) = self.span.unwrap_or((raw.time, raw.time));
        if self.suspects.is_some() || raw.time < last || raw.time.saturating_sub(first) > LONGEST {
            return self.doubt(held).map(|()| false);
        }
        self.seen[self.taken as usize % JUDGES] = (raw.time, raw.place);
        held.arrival.flow = flow(&mut self.flows);
        self.admit(held)
    }

    /// The trace is over: takes the packets that wait.
    ///
    /// # Errors
    /// The first fault, unless faults are skipped.
    pub fn end(&mut self) -> Result<(), TraceError> {
        self.judge(true)?;
        self.settle(true)
    }

    /// A packet contradicts those before it, where that is an error: the one to be named is the one that would be left out.
    #[cold]
    fn doubt(&mut self, held: Held) -> Result<(), TraceError> {
        let (taken, least) = (self.taken, self.taken.saturating_sub(JUDGES as u64 - 1));
        let at = |n: u64| self.seen[n as usize % JUDGES];
        let span = self.span.filter(|_| least > 0).map(|(first, _)| (first, at(least - 1).0));
        let order = self.suspects.get_or_insert_with(|| Box::new(Order::among((least..taken).map(at), span)));
        order.push(held);
        self.judge(false)
    }

    /// Judges packets since one contradicted those before it.
    fn judge(&mut self, end: bool) -> Result<(), TraceError> {
        while let Some((held, wrong)) = self.suspects.as_mut().and_then(|order| order.judged(end)) {
            if let Some(wrong) = wrong {
                return self.refuse_time(&held, wrong);
            }
        }
        Ok(())
    }

    /// Takes the packets whose place in time is known; at the end of the trace all have theirs.
    fn settle(&mut self, end: bool) -> Result<(), TraceError> {
        while let Some((held, wrong)) = self.order.judged(end) {
            match wrong {
                Some(wrong) => self.refuse_time(&held, wrong)?,
                None => self.order.sort(held),
            }
            while let Some(held) = self.order.earliest(false) {
                self.number(held)?;
            }
        }
        while let Some(held) = self.order.earliest(end) {
            self.number(held)?;
        }
        Ok(())
    }

    /// Takes a packet that waited. Its flow has a number from now on, if it had none.
    fn number(&mut self, mut held: Held) -> Result<bool, TraceError> {
        let read = held.arrival.flow;
        if read as usize >= self.numbers.len() {
            self.numbers.resize(read as usize + 1, None);
        }
        held.arrival.hosts = self.hosts(held.arrival.hosts);
        held.arrival.flow = match self.numbers[read as usize] {
            Some(number) => number,
            None => {
                let number = self.flows.number(self.read.name(read));
                // Those of a conversation of a capture.
                let hosts = self.hosts(self.read.hosts(read));
                let new = self.flows.between(number, hosts);
                debug_assert!(new.is_ok(), "no packet of it was taken before");
                self.numbers[read as usize] = Some(number);
                number
            }
        };
        self.admit(held)
    }

    /// The numbers of hosts that were read.
    fn hosts(&mut self, read: [u32; 2]) -> [u32; 2] {
        read.map(|host| if host == Flows::APART { host } else { self.flows.host(self.read.host_name(host)) })
    }

    /// Takes a packet that is the next one in time.
    #[inline]
    fn admit(&mut self, held: Held) -> Result<bool, TraceError> {
        let Held { time, place, weight, shape, mut arrival } = held;
        if let Some(weight) = weight
            && let Err(before) = self.flows.weigh(arrival.flow, weight)
        {
            let name = quoted(self.flows.name(arrival.flow));
            let message = || format!("weight: found {weight}; expected {before}, the weight of flow {name} before");
            return self.skip(Fault::BadWeight, place, message).map(|()| false);
        }
        if let Err([side, before]) = self.flows.between(arrival.flow, arrival.hosts) {
            return self.wrong_host(&arrival, side as usize, before, place).map(|()| false);
        }
        let (first, before) = self.span.unwrap_or((time, time));
        if time - before > self.gap.ps {
            self.gap = Gap { ps: time - before, before: self.taken, between: (self.last, arrival.number) };
        }
        (self.taken, self.last) = (self.taken + 1, arrival.number);
        self.span = Some((first, time));
        self.large.count(shape, arrival.bytes);
        arrival.at = Time::from_ps((time - first) as u64);
        arrival.hosts = self.flows.hosts(arrival.flow);
        match (shape, self.large.segment) {
            (Some(shape), Some(most)) if shape.of_ip(arrival.bytes) > most => {
                let before = self.arrivals.len();
                let pieces = shape.pieces(arrival.bytes, most);
                self.arrivals.extend(pieces.map(|bytes| Arrival { bytes, ..arrival }));
                self.packets += (self.arrivals.len() - before) as u64;
            }
            _ => {
                self.packets += 1;
                self.arrivals.push(arrival);
            }
        }
        Ok(true)
    }

    /// The length of a packet, if it may have this one.
    #[inline]
    fn size(&self, bytes: i64) -> Option<PacketSize> {
        u32::try_from(bytes).ok().filter(|bytes| *bytes <= self.longest).and_then(PacketSize::from_bytes)
    }

    /// Says that a packet has another host than the flow had before.
    #[cold]
    fn wrong_host(&mut self, arrival: &Arrival, side: usize, before: u32, place: Place) -> Result<(), TraceError> {
        let [found, before] = [arrival.hosts[side], before].map(|host| quoted(self.flows.host_name(host)));
        let (side, name) = (["source", "destination"][side], quoted(self.flows.name(arrival.flow)));
        let message = || format!("{side}: found {found}; expected {before}, the {side} of flow {name} before");
        self.skip(Fault::BadHost, place, message)
    }

    /// Says what is wrong with a packet.
    #[cold]
    fn refuse(&mut self, raw: &Raw) -> Result<(), TraceError> {
        let (fault, message) = if self.size(raw.size).is_none() {
            let slow = self.longest < PacketSize::LONGEST.bytes();
            let why = if slow { ": at this rate a longer packet takes more than 213 days" } else { "" };
            (Fault::BadSize, format!("size_bytes: found {}; expected 1 to {}{why}", raw.size, self.longest))
        } else if let Some(ecn) = raw.ecn.filter(|n| !(0..4).contains(n)) {
            (Fault::BadEcn, format!("ecn: found {ecn}; expected 0 to 3, as in the IP header"))
        } else if self.code_points && !(0..64).contains(&raw.priority) {
            (Fault::BadPriority, format!("dscp: found {}; expected 0 to 63", raw.priority))
        } else if u8::try_from(raw.priority).is_err() {
            (Fault::BadPriority, format!("priority: found {}; expected 0 to 255", raw.priority))
        } else {
            let weight = raw.weight.unwrap_or_default();
            (Fault::BadWeight, format!("weight: found {weight}; expected 1 to 4294967295"))
        };
        self.skip(fault, raw.place, || message)
    }

    /// Says what is wrong with the time of a packet.
    #[cold]
    fn refuse_time(&mut self, held: &Held, wrong: Wrong) -> Result<(), TraceError> {
        let seconds = |ps: i128| {
            let mut text = Vec::new();
            Origin::from_ps(ps).write(Time::ZERO, &mut text);
            String::from_utf8(text).expect("digits")
        };
        let found = seconds(held.time);
        let (fault, expected) = match wrong {
            Wrong::Behind(least) => {
                let sorted = self.order.window() > 0;
                let why = if sorted {
                    "the latest time before it less the window in which packets are sorted"
                } else {
                    "the time of the packet before"
                };
                (Fault::TimeBackwards, format!("{} or later, {why}", seconds(least)))
            }
            Wrong::Ahead(next) => {
                let window = self.order.window();
                let why = if window > 0 { " and the window in which packets are sorted" } else { "" };
                (Fault::TimeAhead, format!("{} or earlier, the time of packets after it{why}", seconds(next + window)))
            }
            Wrong::Early(next) => {
                (Fault::BadTime, format!("a time within 106 days of {}, that of packets after it", seconds(next)))
            }
            Wrong::Far(most) => (Fault::BadTime, format!("at most {}, 106 days after the first packet", seconds(most))),
        };
        self.skip(fault, held.place, || format!("time_s: found {found}; expected {expected}"))
    }
}
