//! Packets of a trace: as they are given, and as they arrive.

use crate::segments::Shape;
use headgate_packet::{Ecn, Time};
use std::fmt;

/// The place of a packet in its trace, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A line of a text file.
    Line(u64),
    /// A row of a table or a packet of a capture.
    Packet(u64),
}

impl Default for Place {
    fn default() -> Place {
        Place::Packet(0)
    }
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
    /// Numbers of its flow's source and destination host; [`crate::Flows::APART`] for one that is not known.
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
    /// Numbers of its hosts, source and destination; [`crate::Flows::APART`] for one that it does not give.
    pub hosts: [u32; 2],
    /// Its priority.
    pub priority: i64,
    /// Its ECN field as in the IP header, if the trace has any.
    pub ecn: Option<i64>,
    /// How it is cut where it is longer than the link sends; nothing for one that is not.
    pub shape: Option<Shape>,
}
