//! What is wrong with a capture: the place, what was found, what was expected, and whether the next packet can be read.

use std::fmt;

/// Where in a capture something is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Before the first packet.
    Header,
    /// In this packet, numbered from 1.
    Packet(u64),
    /// Between this packet and the next.
    After(u64),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Header => f.write_str("header"),
            Place::Packet(number) => write!(f, "packet {number}"),
            Place::After(number) => write!(f, "after packet {number}"),
        }
    }
}

/// One thing that is wrong with a capture. The caller knows the file's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaptureError {
    /// Where it is.
    pub place: Place,
    /// What stands there.
    pub found: String,
    /// What was expected there.
    pub expected: String,
    /// Whether only this packet is lost: the next call reads the packet after it. Otherwise nothing after this can be read.
    pub skippable: bool,
}

impl CaptureError {
    /// Whether only this packet is lost: the next call reads the packet after it. Otherwise nothing after this can be read.
    pub fn skippable(&self) -> bool {
        self.skippable
    }

    /// Nothing after this can be read.
    pub(crate) fn fatal(place: Place, found: impl Into<String>, expected: impl Into<String>) -> CaptureError {
        CaptureError { place, found: found.into(), expected: expected.into(), skippable: false }
    }

    /// Only the packet `number` is lost.
    pub(crate) fn packet(number: u64, found: impl Into<String>, expected: impl Into<String>) -> CaptureError {
        CaptureError { place: Place::Packet(number), found: found.into(), expected: expected.into(), skippable: true }
    }
}

impl fmt::Display for CaptureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: found {}; expected {}", self.place, self.found, self.expected)
    }
}

impl std::error::Error for CaptureError {}
