//! Source and destination of a packet: addresses, protocol and ports, from the captured bytes.
//!
//! Source: RFC 791 (IPv4), RFC 8200 (IPv6 and its extension headers), RFC 4302 (authentication header), IEEE 802.1Q.
//! Deviations: only what is needed is checked, neither lengths nor checksums, so that a packet of which the beginning
//! was captured is known as well as a whole one.

use crate::{Frame, LinkType};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Addresses, protocol, ports and traffic class of an IP packet. For a table of conversations use [`Endpoints::key`]:
/// packets of one conversation may differ in their traffic class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Endpoints {
    /// Source address.
    pub source: IpAddr,
    /// Destination address.
    pub destination: IpAddr,
    /// Number of the transport protocol, behind the extension headers of IPv6 as far as they were captured.
    pub protocol: u8,
    /// Source and destination port of TCP, UDP, UDP-Lite, DCCP and SCTP. Other protocols have none, nor has a fragment other
    /// than the first, nor a packet whose ports were not captured.
    pub ports: Option<(u16, u16)>,
    /// Type of service (IPv4) or traffic class (IPv6): six bits of DSCP, two of ECN.
    pub traffic_class: u8,
}

impl Endpoints {
    /// Explicit congestion notification (RFC 3168): 0 not capable, 1 and 2 capable, 3 congestion experienced.
    #[inline]
    pub fn ecn(&self) -> u8 {
        self.traffic_class & 3
    }

    /// Differentiated services code point (RFC 2474), 0 to 63.
    #[inline]
    pub fn dscp(&self) -> u8 {
        self.traffic_class >> 2
    }
}

/// Source and destination of a packet; `None` for a packet that is not IP or of which too little was captured.
///
/// Behind Ethernet and Linux cooked headers any number of VLAN tags is skipped. A fragment other than the first has no
/// ports, so with [`Classify::FiveTuple`](crate::Classify::FiveTuple) such fragments form a conversation by their addresses
/// and protocol. Packets inside a tunnel are not examined: the ends of the tunnel are the endpoints.
#[inline]
pub fn endpoints(frame: &Frame<'_>) -> Option<Endpoints> {
    let start = ip_header(frame.link, frame.captured)?;
    let ip = &frame.captured[start..];
    if version(ip) == 4 { ipv4(ip) } else { ipv6(ip) }
}

/// Where the IP header begins, of which at least the version was captured.
#[inline]
pub(crate) fn ip_header(link: LinkType, captured: &[u8]) -> Option<usize> {
    const IPV4: u16 = 0x0800;
    const IPV6: u16 = 0x86dd;
    let (mut kind, mut start) = match link {
        LinkType::Ethernet => (number(captured, 12)?, 14),
        LinkType::LinuxSll => (number(captured, 14)?, 16),
        LinkType::LinuxSll2 => (number(captured, 0)?, 20),
        LinkType::Ipv4 => (IPV4, 0),
        LinkType::Ipv6 => (IPV6, 0),
        LinkType::Raw => (if version(captured) == 4 { IPV4 } else { IPV6 }, 0),
        LinkType::Null | LinkType::Loop => match *captured.get(..4)? {
            // AF_INET and the AF_INET6 of Linux, NetBSD, FreeBSD and Darwin; the byte order is the capturing host's.
            [0, 0, 0, 2] | [2, 0, 0, 0] => (IPV4, 4),
            [0, 0, 0, 10 | 24 | 28 | 30] | [10 | 24 | 28 | 30, 0, 0, 0] => (IPV6, 4),
            _ => return None,
        },
    };
    // 802.1Q, 802.1ad (QinQ) and the number that was used before it: two bytes of tag, then the next type.
    while let 0x8100 | 0x88a8 | 0x9100 = kind {
        kind = number(captured, start + 2)?;
        start += 4;
    }
    let expected = match kind {
        IPV4 => 4,
        IPV6 => 6,
        _ => return None,
    };
    (version(captured.get(start..)?) == expected).then_some(start)
}

/// The version of IP; 0 if nothing was captured.
#[inline]
fn version(ip: &[u8]) -> u8 {
    ip.first().map_or(0, |byte| byte >> 4)
}

fn ipv4(ip: &[u8]) -> Option<Endpoints> {
    let address = |at: usize| ip.get(at..at + 4)?.try_into().ok().map(<[u8; 4]>::into).map(|a: Ipv4Addr| IpAddr::V4(a));
    let (source, destination) = (address(12)?, address(16)?);
    let header = usize::from(ip[0] & 15) * 4;
    if header < 20 {
        return None;
    }
    let (protocol, later_fragment) = (ip[9], number(ip, 6)? & 0x1fff != 0);
    let ports = if later_fragment { None } else { ports(ip, protocol, header) };
    Some(Endpoints { source, destination, protocol, ports, traffic_class: ip[1] })
}

fn ipv6(ip: &[u8]) -> Option<Endpoints> {
    let address =
        |at: usize| ip.get(at..at + 16)?.try_into().ok().map(<[u8; 16]>::into).map(|a: Ipv6Addr| IpAddr::V6(a));
    let (source, destination) = (address(8)?, address(24)?);
    let traffic_class = ip[0] << 4 | ip[1] >> 4;
    let (mut protocol, mut start, mut later_fragment) = (ip[6], 40, false);
    while let Some(&[next, length, high, low]) = ip.get(start..start + 4).and_then(|h| h.first_chunk()) {
        start += match protocol {
            // Hop-by-hop, routing and destination options, mobility, HIP and shim6.
            0 | 43 | 60 | 135 | 139 | 140 => 8 * (usize::from(length) + 1),
            // Authentication.
            51 => 4 * (usize::from(length) + 2),
            // Fragment: 13 bits of offset.
            44 => {
                later_fragment = u16::from_be_bytes([high, low]) >> 3 != 0;
                8
            }
            _ => break,
        };
        protocol = next;
        if later_fragment {
            break;
        }
    }
    let ports = if later_fragment { None } else { ports(ip, protocol, start) };
    Some(Endpoints { source, destination, protocol, ports, traffic_class })
}

/// TCP, UDP, DCCP, SCTP and UDP-Lite begin with their ports.
#[inline]
fn ports(ip: &[u8], protocol: u8, start: usize) -> Option<(u16, u16)> {
    let has_ports = matches!(protocol, 6 | 17 | 33 | 132 | 136);
    if has_ports { Some((number(ip, start)?, number(ip, start + 2)?)) } else { None }
}

/// Two bytes, if they were captured.
#[inline]
fn number(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..at + 2)?.try_into().ok().map(u16::from_be_bytes)
}
