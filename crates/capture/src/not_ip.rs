//! What a packet is that is not IP, by the name that people know it by.
//!
//! Source: the registries of IANA and IEEE for EtherTypes, PPP protocols and LLC addresses.

use std::fmt;

/// Why a packet has no addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NotIp {
    /// Too little of it was captured.
    CutOff,
    /// It ends before its headers do, or has one that cannot be.
    Malformed,
    /// Of this kind.
    Kind(&'static str),
    /// Of an EtherType without a name here.
    EtherType(u16),
    /// Of a protocol of PPP without a name here.
    Ppp(u16),
    /// Of a service access point of IEEE 802.2 without a name here.
    Llc(u8),
}

impl NotIp {
    /// Of an EtherType that does not lead to IP.
    pub(crate) fn ether_type(kind: u16) -> NotIp {
        NotIp::Kind(match kind {
            0x0806 => "ARP",
            0x0842 => "Wake-on-LAN",
            0x22f0 => "AVTP",
            0x6003 => "DECnet",
            0x8035 => "RARP",
            0x809b | 0x80f3 => "AppleTalk",
            0x8137 => "IPX",
            0x8808 => "Ethernet pause",
            0x8809 => "LACP and other slow protocols",
            0x8863 => "PPPoE discovery",
            0x8892 => "PROFINET",
            0x888e => "802.1X",
            0x88a4 => "EtherCAT",
            0x88b8 => "GOOSE",
            0x88cc => "LLDP",
            0x88e1 | 0x8912 => "HomePlug",
            0x88e5 => "MACsec",
            0x88f5 | 0x88f6 => "MRP",
            0x88f7 => "PTP",
            0x8902 => "CFM",
            0x8906 | 0x8914 => "FCoE",
            0x893a => "IEEE 1905",
            0x9000 => "Ethernet loopback",
            other => return NotIp::EtherType(other),
        })
    }

    /// Of a protocol of PPP that does not lead to IP.
    pub(crate) fn ppp(protocol: u16) -> NotIp {
        NotIp::Kind(match protocol {
            0x002d | 0x002f => "PPP with compressed headers",
            0x003d => "PPP multilink",
            0x0053 | 0x0055 => "encrypted PPP",
            0x00fb | 0x00fd => "compressed PPP",
            0x8000.. => "PPP control",
            other => return NotIp::Ppp(other),
        })
    }

    /// Of a service access point that does not lead to IP.
    pub(crate) fn llc(access: u8) -> NotIp {
        NotIp::Kind(match access {
            0x42 => "spanning tree",
            0xe0 | 0xff => "IPX",
            0xf0 => "NetBIOS",
            0xfe => "IS-IS",
            other => return NotIp::Llc(other),
        })
    }
}

impl fmt::Display for NotIp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotIp::CutOff => f.pad("cut off"),
            NotIp::Malformed => f.pad("malformed"),
            NotIp::Kind(name) => f.pad(name),
            NotIp::EtherType(kind) => write!(f, "EtherType 0x{kind:04x}"),
            NotIp::Ppp(protocol) => write!(f, "PPP protocol 0x{protocol:04x}"),
            NotIp::Llc(access) => write!(f, "LLC 0x{access:02x}"),
        }
    }
}
