//! Who sends a packet to whom: addresses, protocol and ports, from what was captured of it.

use crate::Frame;
use std::net::IpAddr;

/// Addresses, protocol, ports and traffic class of an IP packet. For a table of conversations use [`Endpoints::key`]:
/// packets of one conversation differ in their traffic class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Endpoints {
    /// Source address.
    pub source: IpAddr,
    /// Destination address.
    pub destination: IpAddr,
    /// Number of the transport protocol, behind any extension headers of IPv6.
    pub protocol: u8,
    /// Source and destination port.
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

/// Who sends a packet to whom; `None` for a packet that is not IP or of which too little was captured.
pub fn endpoints(_frame: &Frame<'_>) -> Option<Endpoints> {
    todo!()
}
