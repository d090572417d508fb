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
    /// PPP (9), with address and control or without.
    Ppp,
    /// PPP in HDLC framing (50), or Cisco's HDLC.
    PppSerial,
    /// A session of PPPoE (51), without an Ethernet header.
    PppEther,
    /// IPv4 or IPv6 without a link header (101; 12 and 14 in old files).
    Raw,
    /// Cisco's HDLC (104).
    CiscoHdlc,
    /// IEEE 802.11 (105).
    Wlan,
    /// OpenBSD loopback (108): four bytes of address family, big-endian.
    Loop,
    /// OpenBSD's packets inside of IPsec (109).
    Enc,
    /// Linux cooked capture, version 1 (113).
    LinuxSll,
    /// The log of OpenBSD's packet filter (117).
    Pflog,
    /// IEEE 802.11 behind the header of Prism (119).
    Prism,
    /// IEEE 802.11 behind radiotap (127).
    Radiotap,
    /// IEEE 802.11 behind the header of AVS (163).
    Avs,
    /// PPP in HDLC framing with the direction in place of the address (166).
    PppPppd,
    /// Per-Packet Information (192), which says the link type of what is behind it.
    Ppi,
    /// Extensible Record Format of Endace (197).
    Erf,
    /// PPP with the direction before it (204).
    PppWithDirection,
    /// MPLS (219).
    Mpls,
    /// IPv4 without a link header (228).
    Ipv4,
    /// IPv6 without a link header (229).
    Ipv6,
    /// Linux's netfilter log (239).
    Nflog,
    /// Darwin's packet tap (258), which says the link type of what is behind it.
    Pktap,
    /// Linux cooked capture, version 2 (276).
    LinuxSll2,
    /// Ethernet with the tag of a Broadcom switch (281).
    DsaBroadcom,
    /// Ethernet behind the tag of a Broadcom switch (282).
    DsaBroadcomBefore,
    /// Ethernet with the tag of a Marvell switch (284).
    Dsa,
    /// Ethernet with the tag of a Marvell switch and an EtherType before it (285).
    DsaEther,
}

impl LinkType {
    /// Every supported link type.
    pub const ALL: [LinkType; 29] = [
        LinkType::Null,
        LinkType::Ethernet,
        LinkType::Ppp,
        LinkType::PppSerial,
        LinkType::PppEther,
        LinkType::Raw,
        LinkType::CiscoHdlc,
        LinkType::Wlan,
        LinkType::Loop,
        LinkType::Enc,
        LinkType::LinuxSll,
        LinkType::Pflog,
        LinkType::Prism,
        LinkType::Radiotap,
        LinkType::Avs,
        LinkType::PppPppd,
        LinkType::Ppi,
        LinkType::Erf,
        LinkType::PppWithDirection,
        LinkType::Mpls,
        LinkType::Ipv4,
        LinkType::Ipv6,
        LinkType::Nflog,
        LinkType::Pktap,
        LinkType::LinuxSll2,
        LinkType::DsaBroadcom,
        LinkType::DsaBroadcomBefore,
        LinkType::Dsa,
        LinkType::DsaEther,
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
            LinkType::Ppp => 9,
            LinkType::PppSerial => 50,
            LinkType::PppEther => 51,
            LinkType::Raw => 101,
            LinkType::CiscoHdlc => 104,
            LinkType::Wlan => 105,
            LinkType::Loop => 108,
            LinkType::Enc => 109,
            LinkType::LinuxSll => 113,
            LinkType::Pflog => 117,
            LinkType::Prism => 119,
            LinkType::Radiotap => 127,
            LinkType::Avs => 163,
            LinkType::PppPppd => 166,
            LinkType::Ppi => 192,
            LinkType::Erf => 197,
            LinkType::PppWithDirection => 204,
            LinkType::Mpls => 219,
            LinkType::Ipv4 => 228,
            LinkType::Ipv6 => 229,
            LinkType::Nflog => 239,
            LinkType::Pktap => 258,
            LinkType::LinuxSll2 => 276,
            LinkType::DsaBroadcom => 281,
            LinkType::DsaBroadcomBefore => 282,
            LinkType::Dsa => 284,
            LinkType::DsaEther => 285,
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
