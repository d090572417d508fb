//! The intake of packets from every reader: it checks them, numbers their flows, and keeps the trace's time.

use crate::clock::Origin;
use crate::error::{Fault, TraceError, quoted};
use crate::flows::Flows;
use headgate_capture::NotIp;
use headgate_packet::{Ecn, PacketSize, Rate, Time};
use std::collections::BTreeMap;
use std::fmt;

/// The place of a packet in its trace, from 1.
#[derive(Clone, Copy, Debug)]
pub enum Place {
    /// A line of a text file.
    Line(u64),
    /// A row of a table or a packet of a capture.
    Packet(u64),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Line(n) => write!(f, "line {n}"),
            Place::Packet(n) => write!(f, "packet {n}"),
        }
    }
}

/// A packet that arrives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arrival {
    /// Time since the first packet.
    pub at: Time,
    /// Its number in the trace, from 1.
    pub number: u64,
    /// Number of its flow. Flows are numbered from 0 as their first packets arrive.
    pub flow: u32,
    /// Weight of its flow.
    pub weight: u32,
    /// Length in bytes.
    pub bytes: u32,
    /// Numbers of its flow's source and destination host; [`Flows::APART`] for one that is not known.
    pub hosts: [u32; 2],
    /// Priority, 0 the highest, or the code point (DSCP).
    pub priority: u8,
    /// Its ECN field.
    pub ecn: Ecn,
}

/// A packet as given in the trace.
#[derive(Clone, Copy, Debug)]
pub struct Raw {
    /// Where.
    pub place: Place,
    /// Its number in the trace, from 1.
    pub number: u64,
    /// Time in ps, as in the trace.
    pub time: i128,
    /// Length in bytes.
    pub size: i64,
    /// Weight of its flow, if the trace has any.
    pub weight: Option<i64>,
    /// Numbers of its hosts, source and destination; [`Flows::APART`] for one that it does not give.
    pub hosts: [u32; 2],
    /// Its priority.
    pub priority: i64,
    /// Its ECN field as in the IP header, if the trace has any.
    pub ecn: Option<i64>,
}

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
    /// Priorities are code points.
    pub code_points: bool,
    /// Packets that have no addresses, by why. A packet that was skipped for a fault counts, too.
    pub not_ip: BTreeMap<NotIp, u64>,
    lenient: bool,
    /// The ECN field of packets of a trace that has none.
    ecn: Ecn,
    /// Longest packet in bytes.
    longest: u32,
    skipped: BTreeMap<&'static str, u64>,
    /// Time of the first packet and of the last.
    span: Option<(i128, i128)>,
}

/// Maximum duration of a trace: the range of 64 bits of picoseconds.
const LONGEST: i128 = u64::MAX as i128 / 2;

impl Intake {
    /// An empty one, for a line of this rate; if it is lenient, packets with faults are skipped and counted. Packets have this ECN field where
    /// the trace has none.
    pub fn new(lenient: bool, rate: Rate, ecn: Ecn) -> Intake {
        let longest = rate.longest_packet().min(u64::from(PacketSize::LONGEST.bytes())) as u32;
        Intake { lenient, longest, ecn, ..Intake::default() }
    }

    /// Whether packets with faults are skipped and counted.
    pub fn is_lenient(&self) -> bool {
        self.lenient
    }

    /// Longest packet that is taken, in bytes.
    pub fn longest(&self) -> u32 {
        self.longest
    }

    /// Where the trace's time begins.
    pub fn origin(&self) -> Origin {
        Origin::from_ps(self.span.unwrap_or_default().0)
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
            return Err(TraceError { fault, place: place.to_string(), message: message() });
        }
        *self.skipped.entry(fault.name()).or_default() += 1;
        Ok(())
    }

    /// Takes a packet; `flow` gives the number of its flow. False if it was skipped.
    ///
    /// # Errors
    /// The first fault, unless faults are skipped.
    #[inline]
    pub fn take(&mut self, raw: Raw, flow: impl FnOnce(&mut Flows) -> u32) -> Result<bool, TraceError> {
        let (first, last) = self.span.unwrap_or((raw.time, raw.time));
        let size = self.size(raw.size);
        let weight = raw.weight.map(u32::try_from);
        let ecn = raw.ecn.map_or(Some(self.ecn), |n| ECN.get(usize::try_from(n).ok()?).copied());
        let (Some(size), Some(ecn), Ok(priority), true, true) = (
            size,
            ecn,
            u8::try_from(raw.priority),
            raw.time >= last && raw.time.saturating_sub(first) <= LONGEST,
            weight.is_none_or(|w| w.is_ok_and(|w| w > 0)),
        ) else {
            return self.refuse(&raw, first, last).map(|()| false);
        };
        let flow = flow(&mut self.flows);
        if let Some(Ok(weight)) = weight
            && let Err(before) = self.flows.weigh(flow, weight)
        {
            let name = quoted(self.flows.name(flow));
            let message = || format!("weight: found {weight}; expected {before}, the weight of flow {name} before");
            return self.skip(Fault::BadWeight, raw.place, message).map(|()| false);
        }
        if let Err([side, before]) = self.flows.between(flow, raw.hosts) {
            return self.wrong_host(flow, side as usize, before, &raw).map(|()| false);
        }
        self.span = Some((first, raw.time));
        self.packets += 1;
        let at = Time::from_ps((raw.time - first) as u64);
        let (number, weight) = (raw.number, weight.and_then(Result::ok).unwrap_or(1));
        let hosts = self.flows.hosts(flow);
        self.arrivals.push(Arrival { at, number, flow, weight, bytes: size.bytes(), hosts, priority, ecn });
        Ok(true)
    }

    /// The length of a packet, if it may have this one.
    #[inline]
    fn size(&self, bytes: i64) -> Option<PacketSize> {
        u32::try_from(bytes).ok().filter(|bytes| *bytes <= self.longest).and_then(PacketSize::from_bytes)
    }

    /// Says that a packet has another host than the flow had before.
    #[cold]
    fn wrong_host(&mut self, flow: u32, side: usize, before: u32, raw: &Raw) -> Result<(), TraceError> {
        let [found, before] = [raw.hosts[side], before].map(|host| quoted(self.flows.host_name(host)));
        let (side, name) = (["source", "destination"][side], quoted(self.flows.name(flow)));
        let message = || format!("{side}: found {found}; expected {before}, the {side} of flow {name} before");
        self.skip(Fault::BadHost, raw.place, message)
    }

    /// Says what is wrong with a packet.
    #[cold]
    fn refuse(&mut self, raw: &Raw, first: i128, last: i128) -> Result<(), TraceError> {
        let seconds = |ps: i128| {
            let mut text = Vec::new();
            Origin::from_ps(ps).write(Time::ZERO, &mut text);
            String::from_utf8(text).expect("digits")
        };
        let (fault, message) = if raw.time < last {
            let message = format!("time_s: found {}; expected {} or later", seconds(raw.time), seconds(last));
            (Fault::TimeBackwards, format!("{message}, the time of the packet before"))
        } else if raw.time.saturating_sub(first) > LONGEST {
            let end = seconds(first.saturating_add(LONGEST));
            (
                Fault::BadTime,
                format!("time_s: found {}; expected at most {end}, 106 days after the first packet", seconds(raw.time)),
            )
        } else if self.size(raw.size).is_none() {
            let slow = self.longest < PacketSize::LONGEST.bytes();
            let why = if slow { ": at this rate a longer packet takes more than 213 days" } else { "" };
            (Fault::BadSize, format!("size_bytes: found {}; expected 1 to {}{why}", raw.size, self.longest))
        } else if let Some(ecn) = raw.ecn.filter(|n| !(0..4).contains(n)) {
            (Fault::BadEcn, format!("ecn: found {ecn}; expected 0 to 3, as in the IP header"))
        } else if u8::try_from(raw.priority).is_err() {
            (Fault::BadPriority, format!("priority: found {}; expected 0 to 255", raw.priority))
        } else {
            let weight = raw.weight.unwrap_or_default();
            (Fault::BadWeight, format!("weight: found {weight}; expected 1 to 4294967295"))
        };
        self.skip(fault, raw.place, || message)
    }
}
