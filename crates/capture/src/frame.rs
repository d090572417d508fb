//! One packet of a capture, and what it needs: a point in time and a link type.

use std::fmt;

/// A point in time: nanoseconds since 1970-01-01 00:00:00 UTC, up to the year 2554.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Stamp(u64);

impl Stamp {
    /// From nanoseconds since 1970.
    pub const fn from_nanos(ns: u64) -> Stamp {
        Stamp(ns)
    }

    /// Nanoseconds since 1970.
    #[inline]
    pub const fn nanos(self) -> u64 {
        self.0
    }
}

impl fmt::Display for Stamp {
    /// Seconds with nine digits, as tools print them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:09}", self.0 / 1_000_000_000, self.0 % 1_000_000_000)
    }
}

/// What a captured packet begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LinkType {
    /// BSD loopback (0): four bytes of address family in the byte order of the capturing host.
    Null,
    /// Ethernet (1).
    Ethernet,
    /// IPv4 or IPv6 without a link header (101; 12 and 14 in old files).
    Raw,
    /// OpenBSD loopback (108): four bytes of address family, big-endian.
    Loop,
    /// Linux cooked capture, version 1 (113).
    LinuxSll,
    /// IPv4 without a link header (228).
    Ipv4,
    /// IPv6 without a link header (229).
    Ipv6,
    /// Linux cooked capture, version 2 (276).
    LinuxSll2,
}

impl LinkType {
    /// Every supported link type.
    pub const ALL: [LinkType; 8] = [
        LinkType::Null,
        LinkType::Ethernet,
        LinkType::Raw,
        LinkType::Loop,
        LinkType::LinuxSll,
        LinkType::Ipv4,
        LinkType::Ipv6,
        LinkType::LinuxSll2,
    ];

    /// From its number in a capture; `None` for one that is not supported.
    pub fn from_number(number: u16) -> Option<LinkType> {
        match number {
            12 | 14 => Some(LinkType::Raw),
            number => LinkType::ALL.into_iter().find(|l| l.number() == number),
        }
    }

    /// Its number in a capture.
    pub const fn number(self) -> u16 {
        match self {
            LinkType::Null => 0,
            LinkType::Ethernet => 1,
            LinkType::Raw => 101,
            LinkType::Loop => 108,
            LinkType::LinuxSll => 113,
            LinkType::Ipv4 => 228,
            LinkType::Ipv6 => 229,
            LinkType::LinuxSll2 => 276,
        }
    }
}

/// One packet of a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame<'a> {
    /// Its number in the capture, from 1, as tools count them.
    pub number: u64,
    /// When it was captured.
    pub time: Stamp,
    /// Length on the wire in bytes, including the link header.
    pub bytes: u32,
    /// The beginning of it that was captured; never longer than `bytes`.
    pub captured: &'a [u8],
    /// What `captured` begins with.
    pub link: LinkType,
    /// The interface that captured it, numbered from 0 over the whole file (a pcapng section starts new ones).
    pub interface: u32,
}
