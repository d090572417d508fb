//! Source and destination of a packet: addresses, protocol and ports, from the captured bytes.
//!
//! Source: RFC 791 (IPv4), RFC 8200 (IPv6 and its extension headers), RFC 4302 (authentication header), RFC 2784 and 2890 (GRE), RFC 2637
//! (PPTP). What is looked through, and what a fragment is, are those of Linux's `__skb_flow_dissect`, on which its fair queues rest:
//! - IP in IP, 6in4, GRE of version 0 without routing, PPTP and MPLS in IP are looked through; UDP tunnels such as VXLAN are not.
//! - Every fragment of a datagram, the first one too, has addresses and protocol and no ports.
//!
//! Deviations: only what is needed is checked, neither lengths nor checksums, so that a packet of which the beginning
//! was captured is known as well as a whole one. Linux stops at MPLS and at an authentication header, and hashes the flow label of IPv6 in place of ports.

use crate::layers::{Found, Layer, byte, descend, ip_header, number};
use crate::{Classify, Frame, Key, NotIp};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Addresses, protocol, ports and traffic class of an IP packet. For a table of conversations use [`Endpoints::key`]:
/// packets of one conversation may differ in their traffic class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Endpoints {
    /// Source address.
    pub source: IpAddr,
    /// Destination address.
    pub destination: IpAddr,
    /// Number of the transport protocol, behind the extension headers of IPv6 as far as they were captured. Of a fragment, that of what follows
    /// its header.
    pub protocol: u8,
    /// Source and destination port of TCP, UDP, UDP-Lite, DCCP and SCTP. Other protocols have none, nor has a fragment,
    /// nor a packet whose ports were not captured.
    pub ports: Option<(u16, u16)>,
    /// Type of service (IPv4) or traffic class (IPv6) of the outermost header: six bits of DSCP, two of ECN.
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

/// An IP packet with the places of its headers in the captured bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dissected {
    /// Its source and destination.
    pub endpoints: Endpoints,
    /// Where the outermost IP header begins.
    pub outer: usize,
    /// Where the IP header with its addresses begins.
    pub inner: usize,
    /// Where what follows the headers of IP begins; nothing for a fragment.
    pub transport: Option<usize>,
    /// What of the headers that distinguish conversations was not captured.
    pub missing: Option<Missing>,
}

/// What was not captured of a packet whose addresses, or those of its tunnel, were.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// The addresses inside a tunnel: the endpoints are those of the tunnel.
    Inside,
    /// The ports, or extension headers before them.
    Ports,
}

impl Dissected {
    /// The conversation of this packet. Where addresses are missing it is that of all such packets, unless it does not depend on them.
    #[inline]
    pub fn key(&self, classify: Classify) -> Key {
        match (self.missing, classify) {
            (None | Some(Missing::Ports), _) | (_, Classify::Priority | Classify::Ecn) => self.endpoints.key(classify),
            (Some(Missing::Inside), _) => Key::CUT_OFF,
        }
    }
}

/// Source and destination of a packet; `None` for a packet that is not IP or of which too little was captured.
#[inline]
pub fn endpoints(frame: &Frame<'_>) -> Option<Endpoints> {
    dissect(frame).ok().map(|found| found.endpoints)
}

/// Source and destination of a packet, and where its headers are.
///
/// VLAN tags, PPPoE, PPP, MPLS and LLC before the IP header are passed over, and tunnels are looked through: the endpoints are those of the
/// innermost IP header, the traffic class is that of the outermost.
///
/// # Errors
/// What the packet is, if it is not IP.
#[inline]
pub fn dissect(frame: &Frame<'_>) -> Result<Dissected, NotIp> {
    find(frame).map_err(|what| match what {
        NotIp::CutOff if frame.captured.len() >= frame.bytes as usize => NotIp::Malformed,
        other => other,
    })
}

/// Tunnels that are looked through, at most.
const TUNNELS: usize = 15;

#[inline]
fn find(frame: &Frame<'_>) -> Found<Dissected> {
    let bytes = frame.captured;
    let outer = ip_header(frame.link, bytes)?;
    let mut level = level(bytes, outer)?;
    let (traffic_class, mut inner) = (level.traffic_class, outer);
    let short = bytes.len() < frame.bytes as usize;
    let mut missing = None;
    for _ in 0..TUNNELS {
        let within = tunnel(bytes, &level).and_then(|next| match next {
            Some(next) => descend(next, bytes).and_then(|at| Ok(Some((at, self::level(bytes, at)?)))),
            None => Ok(None),
        });
        match within {
            Ok(Some((at, within))) => (level, inner) = (within, at),
            Err(NotIp::CutOff) if short => {
                missing = Some(Missing::Inside);
                break;
            }
            // Where what is inside is not IP, the ends of the tunnel are the endpoints.
            Ok(None) | Err(_) => break,
        }
    }
    let Level { source, destination, protocol, transport, .. } = level;
    let ports = transport.and_then(|at| ports(bytes, protocol, at));
    let extended = source.is_ipv6() && is_extension(protocol);
    if short && missing.is_none() && ports.is_none() && transport.is_some() && (extended || has_ports(protocol)) {
        missing = Some(Missing::Ports);
    }
    let endpoints = Endpoints { source, destination, protocol, ports, traffic_class };
    Ok(Dissected { endpoints, outer, inner, transport, missing })
}

/// What an IP header and its extension headers say.
struct Level {
    source: IpAddr,
    destination: IpAddr,
    protocol: u8,
    traffic_class: u8,
    /// Where what follows begins, unless the packet is a fragment.
    transport: Option<usize>,
}

#[inline]
fn level(bytes: &[u8], at: usize) -> Found<Level> {
    let ip = bytes.get(at..).ok_or(NotIp::CutOff)?;
    let found = if byte(ip, 0)? >> 4 == 4 { ipv4(ip) } else { ipv6(ip) }?;
    Ok(Level { transport: found.transport.map(|transport| at + transport), ..found })
}

fn ipv4(ip: &[u8]) -> Found<Level> {
    let address = |at: usize| -> Found<IpAddr> {
        let four: [u8; 4] = ip.get(at..at + 4).and_then(|b| b.first_chunk()).copied().ok_or(NotIp::CutOff)?;
        Ok(IpAddr::V4(Ipv4Addr::from(four)))
    };
    let (source, destination) = (address(12)?, address(16)?);
    let header = usize::from(ip[0] & 15) * 4;
    if header < 20 {
        return Err(NotIp::Malformed);
    }
    // More fragments, or an offset.
    let fragment = number(ip, 6)? & 0x3fff != 0;
    let transport = if fragment { None } else { Some(header) };
    Ok(Level { source, destination, protocol: ip[9], traffic_class: ip[1], transport })
}

fn ipv6(ip: &[u8]) -> Found<Level> {
    let address = |at: usize| -> Found<IpAddr> {
        let all: [u8; 16] = ip.get(at..at + 16).and_then(|b| b.first_chunk()).copied().ok_or(NotIp::CutOff)?;
        Ok(IpAddr::V6(Ipv6Addr::from(all)))
    };
    let (source, destination) = (address(8)?, address(24)?);
    let traffic_class = ip[0] << 4 | ip[1] >> 4;
    let (mut protocol, mut start, mut fragment) = (ip[6], 40, false);
    while let Some(&[next, length]) = ip.get(start..start + 2).and_then(|h| h.first_chunk()) {
        start += match protocol {
            // Hop-by-hop, routing and destination options, mobility, HIP and shim6.
            0 | 43 | 60 | 135 | 139 | 140 => 8 * (usize::from(length) + 1),
            // Authentication.
            51 => 4 * (usize::from(length) + 2),
            44 => {
                fragment = true;
                8
            }
            _ => break,
        };
        protocol = next;
        if fragment {
            break;
        }
    }
    let transport = if fragment { None } else { Some(start) };
    Ok(Level { source, destination, protocol, traffic_class, transport })
}

/// What a packet of a tunnel has inside.
#[inline]
fn tunnel(bytes: &[u8], level: &Level) -> Found<Option<Layer>> {
    let Some(at) = level.transport else { return Ok(None) };
    Ok(match level.protocol {
        4 => Some(Layer::Ip(at, Some(4))),
        41 => Some(Layer::Ip(at, Some(6))),
        47 => gre(bytes, at)?,
        137 => Some(Layer::Mpls(at)),
        _ => None,
    })
}

/// What is behind a GRE header; nothing behind one with routing, or of another version than 0 and that of PPTP.
fn gre(bytes: &[u8], at: usize) -> Found<Option<Layer>> {
    let (flags, kind) = (number(bytes, at)?, number(bytes, at + 2)?);
    let four = |flag: u16| if flags & flag != 0 { 4 } else { 0 };
    // Key and sequence number are in both versions; the checksum is in the first, the acknowledgement in the second.
    let next = at + 4 + four(0x2000) + four(0x1000);
    Ok(match (flags & 7, kind) {
        (0, 0x880b) => None,
        (0, kind) if flags & 0x4000 == 0 => Some(Layer::Type(kind, next + four(0x8000))),
        (1, 0x880b) => Some(Layer::Ppp(next + four(0x0080))),
        _ => None,
    })
}

/// TCP, UDP, DCCP, SCTP and UDP-Lite begin with their ports.
#[inline]
fn ports(bytes: &[u8], protocol: u8, start: usize) -> Option<(u16, u16)> {
    if has_ports(protocol) { Some((number(bytes, start).ok()?, number(bytes, start + 2).ok()?)) } else { None }
}

#[inline]
fn has_ports(protocol: u8) -> bool {
    matches!(protocol, 6 | 17 | 33 | 132 | 136)
}

/// Whether this is the number of an extension header of IPv6.
#[inline]
fn is_extension(protocol: u8) -> bool {
    matches!(protocol, 0 | 43 | 44 | 51 | 60 | 135 | 139 | 140)
}
