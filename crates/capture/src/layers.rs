//! From what a captured packet begins with to its IP header: link headers, VLAN tags, PPPoE, PPP, MPLS, LLC.
//!
//! Source: tcpdump.org/linktypes.html for the link types; IEEE 802.1Q (VLAN), 802.1ad (QinQ), 802.2 and RFC 1042 (LLC and SNAP), RFC 2516
//! (PPPoE), RFC 1661 and 1662 (PPP), RFC 3032 and 4928 (MPLS), RFC 4448 (Ethernet over MPLS), IEC 62439-3 (HSR).
//! Deviations: an Ethernet frame in MPLS is found behind a control word only, or where its type leads to IP.

use crate::wireless;
use crate::{LinkType, NotIp};

/// A header of the link and where it begins.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Layer {
    /// The IP header, of this version if it is known.
    Ip(usize, Option<u8>),
    /// What an EtherType says.
    Type(u16, usize),
    Ethernet(usize),
    Llc(usize),
    /// A session of PPPoE.
    Session(usize),
    /// PPP, from its protocol on or from the address of its framing on.
    Ppp(usize),
    Mpls(usize),
    /// IEEE 802.11, with padding before its payload or without.
    Wlan(usize, bool),
    /// Another link type.
    Link(LinkType, usize),
}

/// Headers that are passed on the way to IP, at most.
const MOST: usize = 16;

pub(crate) type Found<T> = Result<T, NotIp>;

/// One byte, if it was captured.
#[inline]
pub(crate) fn byte(bytes: &[u8], at: usize) -> Found<u8> {
    bytes.get(at).copied().ok_or(NotIp::CutOff)
}

/// Two bytes, if they were captured.
#[inline]
pub(crate) fn number(bytes: &[u8], at: usize) -> Found<u16> {
    bytes.get(at..at + 2).and_then(|b| b.first_chunk()).map(|b| u16::from_be_bytes(*b)).ok_or(NotIp::CutOff)
}

/// Four bytes, if they were captured.
pub(crate) fn four(bytes: &[u8], at: usize) -> Found<[u8; 4]> {
    bytes.get(at..at + 4).and_then(|b| b.first_chunk()).copied().ok_or(NotIp::CutOff)
}

/// Where the IP header begins, of which at least the version was captured.
#[inline]
pub(crate) fn ip_header(link: LinkType, captured: &[u8]) -> Found<usize> {
    descend(Layer::Link(link, 0), captured)
}

/// Where the IP header begins below a layer.
#[inline]
pub(crate) fn descend(mut layer: Layer, bytes: &[u8]) -> Found<usize> {
    for _ in 0..MOST {
        layer = match layer {
            Layer::Ip(at, version) => {
                let found = byte(bytes, at)? >> 4;
                let good = version.map_or(found == 4 || found == 6, |version| version == found);
                return if good { Ok(at) } else { Err(NotIp::Malformed) };
            }
            Layer::Type(kind, at) => of_type(kind, at, bytes)?,
            Layer::Ethernet(at) => Layer::Type(number(bytes, at + 12)?, at + 14),
            Layer::Llc(at) => llc(at, bytes)?,
            Layer::Session(at) => Layer::Ppp(at + 6),
            Layer::Ppp(at) => ppp(at, bytes)?,
            Layer::Mpls(at) => mpls(at, bytes)?,
            Layer::Wlan(at, padded) => wireless::payload(at, padded, bytes)?,
            Layer::Link(link, at) => of_link(link, at, bytes)?,
        };
    }
    Err(NotIp::Malformed)
}

#[inline]
fn of_type(kind: u16, at: usize, bytes: &[u8]) -> Found<Layer> {
    Ok(match kind {
        0x0800 => Layer::Ip(at, Some(4)),
        0x86dd => Layer::Ip(at, Some(6)),
        // 802.1Q, 802.1ad (QinQ) and the numbers that were used before it: two bytes of tag, then the next type.
        0x8100 | 0x88a8 | 0x9100 | 0x9200 => Layer::Type(number(bytes, at + 2)?, at + 4),
        // A length: an 802.3 frame, which goes on with LLC.
        0..=0x05dc => Layer::Llc(at),
        0x8864 => Layer::Session(at),
        0x880b => Layer::Ppp(at),
        0x8847 | 0x8848 => Layer::Mpls(at),
        0x6558 => Layer::Ethernet(at),
        // HSR: path, size and number, then the next type.
        0x892f => Layer::Type(number(bytes, at + 4)?, at + 6),
        other => return Err(NotIp::ether_type(other)),
    })
}

fn of_link(link: LinkType, at: usize, bytes: &[u8]) -> Found<Layer> {
    Ok(match link {
        LinkType::Ethernet => Layer::Ethernet(at),
        LinkType::LinuxSll => cooked(number(bytes, at + 2)?, number(bytes, at + 14)?, at + 16)?,
        LinkType::LinuxSll2 => cooked(number(bytes, at + 8)?, number(bytes, at)?, at + 20)?,
        LinkType::Ipv4 => Layer::Ip(at, Some(4)),
        LinkType::Ipv6 => Layer::Ip(at, Some(6)),
        LinkType::Raw => Layer::Ip(at, None),
        LinkType::Null | LinkType::Loop => match four(bytes, at)? {
            // AF_INET and the AF_INET6 of Linux, NetBSD, FreeBSD and Darwin; the byte order is the capturing host's.
            [0, 0, 0, 2] | [2, 0, 0, 0] => Layer::Ip(at + 4, Some(4)),
            [0, 0, 0, 10 | 24 | 28 | 30] | [10 | 24 | 28 | 30, 0, 0, 0] => Layer::Ip(at + 4, Some(6)),
            _ => return Err(NotIp::Kind("another address family")),
        },
        LinkType::Enc => Layer::Ip(at + 12, None),
        LinkType::Pflog => Layer::Ip(at + usize::from(byte(bytes, at)?).next_multiple_of(4), None),
        LinkType::Ppp => Layer::Ppp(at),
        LinkType::PppSerial if byte(bytes, at)? & 0x7f == 0x0f => Layer::Type(number(bytes, at + 2)?, at + 4),
        LinkType::PppSerial => Layer::Ppp(at),
        LinkType::PppEther => Layer::Session(at),
        LinkType::CiscoHdlc => match number(bytes, at + 2)? {
            0x8035 => return Err(NotIp::Kind("Cisco SLARP")),
            0x2000 => return Err(NotIp::Kind("CDP")),
            kind => Layer::Type(kind, at + 4),
        },
        // The direction takes the place of the address, or is before it.
        LinkType::PppPppd => Layer::Ppp(at + 2),
        LinkType::PppWithDirection => Layer::Ppp(at + 1),
        LinkType::Mpls => Layer::Mpls(at),
        LinkType::Wlan => Layer::Wlan(at, false),
        LinkType::Radiotap => wireless::radiotap(at, bytes)?,
        LinkType::Prism | LinkType::Avs => wireless::prism(at, bytes)?,
        LinkType::Ppi => {
            let [.., low, high] = four(bytes, at)?;
            let number = u32::from_le_bytes(four(bytes, at + 4)?);
            within(number, at + usize::from(u16::from_le_bytes([low, high])))?
        }
        LinkType::Pktap => {
            let length = u32::from_le_bytes(four(bytes, at)?) as usize;
            within(u32::from_le_bytes(four(bytes, at + 8)?), at.saturating_add(length))?
        }
        LinkType::Nflog => nflog(at + 4, bytes)?,
        LinkType::Erf => erf(at, bytes)?,
        LinkType::DsaBroadcom | LinkType::Dsa => Layer::Type(number(bytes, at + 16)?, at + 18),
        LinkType::DsaBroadcomBefore => Layer::Ethernet(at + 4),
        LinkType::DsaEther => Layer::Type(number(bytes, at + 20)?, at + 22),
    })
}

/// What a header of another link type stands before.
fn within(number: u32, at: usize) -> Found<Layer> {
    let link = u16::try_from(number).ok().and_then(LinkType::from_number);
    link.map(|link| Layer::Link(link, at)).ok_or(NotIp::Kind("another link type"))
}

/// Linux's cooked header: the kind of device, then what the protocol says there.
fn cooked(device: u16, protocol: u16, at: usize) -> Found<Layer> {
    Ok(match (device, protocol) {
        (803, _) => Layer::Link(LinkType::Radiotap, at),
        (824, _) => return Err(NotIp::Kind("netlink")),
        (_, 1) => return Err(NotIp::Kind("IPX")),
        (_, 4) => Layer::Llc(at),
        (_, 12 | 13) => return Err(NotIp::Kind("CAN")),
        _ => Layer::Type(protocol, at),
    })
}

/// IEEE 802.2, with the type of SNAP if it has one.
fn llc(at: usize, bytes: &[u8]) -> Found<Layer> {
    let [to, from, control, first] = four(bytes, at)?;
    match (to, from, control) {
        (0xaa, 0xaa, 3) => match (first, number(bytes, at + 4)?, number(bytes, at + 6)?) {
            (0, 0 | 0x00f8, kind) => Ok(Layer::Type(kind, at + 8)),
            (0, 0x000c, 0x2000) => Err(NotIp::Kind("CDP")),
            (0, 0x000c, 0x010b) => Err(NotIp::Kind("spanning tree")),
            _ => Err(NotIp::Kind("SNAP of a vendor")),
        },
        (0x06, 0x06, 3) => Ok(Layer::Ip(at + 3, Some(4))),
        _ => Err(NotIp::llc(to)),
    }
}

/// PPP, whose framing may have address and control, and whose protocol may be one byte.
fn ppp(at: usize, bytes: &[u8]) -> Found<Layer> {
    let at = if byte(bytes, at)? == 0xff && byte(bytes, at + 1)? == 3 { at + 2 } else { at };
    let (protocol, at) = match byte(bytes, at)? {
        short if short & 1 == 1 => (u16::from(short), at + 1),
        _ => (number(bytes, at)?, at + 2),
    };
    Ok(match protocol {
        0x0021 => Layer::Ip(at, Some(4)),
        0x0057 => Layer::Ip(at, Some(6)),
        0x0281 | 0x0283 => Layer::Mpls(at),
        other => return Err(NotIp::ppp(other)),
    })
}

/// A stack of labels, and what is below by its first four bits: IP, a control word before Ethernet, or Ethernet.
fn mpls(mut at: usize, bytes: &[u8]) -> Found<Layer> {
    while byte(bytes, at + 2)? & 1 == 0 {
        at += 4;
    }
    at += 4;
    let ethernet = |at: usize| match descend_ethernet(at, bytes) {
        Err(NotIp::CutOff) => Err(NotIp::CutOff),
        found => found.map_err(|_| NotIp::Kind("MPLS without IP")),
    };
    match byte(bytes, at)? >> 4 {
        4 => Ok(Layer::Ip(at, Some(4))),
        6 => Ok(Layer::Ip(at, Some(6))),
        0 => match ethernet(at + 4) {
            Err(NotIp::Kind(_)) => ethernet(at),
            found => found,
        },
        1 => Err(NotIp::Kind("MPLS control channel")),
        _ => ethernet(at),
    }
}

/// An Ethernet frame in MPLS, if it leads to IP through no more than VLAN tags and PPPoE.
fn descend_ethernet(at: usize, bytes: &[u8]) -> Found<Layer> {
    let (mut kind, mut next) = (number(bytes, at + 12)?, at + 14);
    while matches!(kind, 0x8100 | 0x88a8) {
        (kind, next) = (number(bytes, next + 2)?, next + 4);
    }
    match kind {
        0x0800 | 0x86dd | 0x8864 => Ok(Layer::Type(kind, next)),
        other => Err(NotIp::ether_type(other)),
    }
}

/// The payload among the attributes of NFLOG: each has its length, its kind and its value, in multiples of four.
fn nflog(mut at: usize, bytes: &[u8]) -> Found<Layer> {
    loop {
        let [low, high, kind, more] = four(bytes, at)?;
        let length = usize::from(u16::from_le_bytes([low, high]));
        match u16::from_le_bytes([kind, more & 0x7f]) {
            9 => return Ok(Layer::Ip(at + 4, None)),
            _ if length < 4 => return Err(NotIp::Malformed),
            _ => at += length.next_multiple_of(4),
        }
    }
}

/// The Extensible Record Format of Endace: 16 bytes, more headers of 8 while the first bit of the kind is set.
fn erf(at: usize, bytes: &[u8]) -> Found<Layer> {
    let kind = byte(bytes, at + 8)?;
    let (mut more, mut next) = (kind, at + 16);
    while more & 0x80 != 0 {
        more = byte(bytes, next)?;
        next += 8;
    }
    Ok(match kind & 0x7f {
        // Ethernet has two bytes of offset and padding before it.
        2 | 11 | 16 | 20 => Layer::Ethernet(next + 2),
        1 | 10 | 15 | 19 => Layer::Link(LinkType::PppSerial, next),
        22 => Layer::Ip(next, Some(4)),
        23 => Layer::Ip(next, Some(6)),
        _ => return Err(NotIp::Kind("another kind of ERF")),
    })
}
