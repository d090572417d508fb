//! Which packets belong to one conversation.

use crate::{Endpoints, NotIp};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::net::IpAddr;
use std::str::FromStr;

/// The fields that distinguish conversations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Classify {
    /// The flow that the driver knows; in a capture that is the five-tuple.
    #[default]
    Flow,
    /// Source and destination address.
    Pair,
    /// Source address.
    Source,
    /// Destination address.
    Destination,
    /// Addresses, protocol and ports.
    FiveTuple,
    /// Code point (DSCP).
    Priority,
    /// The ECN field.
    Ecn,
}

impl FromStr for Classify {
    type Err = String;
    /// From `flow`, `pair`, `source`, `destination`, `5tuple`, `priority` or `ecn`.
    fn from_str(text: &str) -> Result<Classify, String> {
        Ok(match text {
            "flow" => Classify::Flow,
            "pair" => Classify::Pair,
            "source" => Classify::Source,
            "destination" => Classify::Destination,
            "5tuple" => Classify::FiveTuple,
            "priority" => Classify::Priority,
            "ecn" => Classify::Ecn,
            other => {
                return Err(format!(
                    "found {other:?}; expected flow, pair, source, destination, 5tuple, priority or ecn"
                ));
            }
        })
    }
}

/// Identifies a conversation. Small and cheap to hash; [`Key::NOT_IP`] stands for everything that is not IP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    source: Option<IpAddr>,
    destination: Option<IpAddr>,
    /// Protocol and ports.
    transport: Option<(u8, Option<(u16, u16)>)>,
    field: Option<Field>,
}

/// A field of the header that stands for the whole conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Field {
    Dscp(u8),
    Ecn(u8),
    /// None: too little of the packet was captured.
    CutOff,
}

impl Key {
    /// The one conversation of all packets that are not IP.
    pub const NOT_IP: Key = Key { source: None, destination: None, transport: None, field: None };

    /// The one conversation of all packets of which too little was captured.
    pub const CUT_OFF: Key = Key { field: Some(Field::CutOff), ..Key::NOT_IP };

    /// The conversation of packets that have no addresses.
    pub fn without(why: NotIp) -> Key {
        if why == NotIp::CutOff { Key::CUT_OFF } else { Key::NOT_IP }
    }

    /// Source and destination address, as far as all packets of the conversation have the same.
    pub fn hosts(&self) -> [Option<IpAddr>; 2] {
        [self.source, self.destination]
    }
}

impl Hash for Key {
    /// In whole words: two for a conversation of IPv4.
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        match (self.source, self.destination) {
            (Some(IpAddr::V4(source)), Some(IpAddr::V4(destination))) => {
                state.write_u64(u64::from(source.to_bits()) << 32 | u64::from(destination.to_bits()));
            }
            ends => [ends.0, ends.1].into_iter().for_each(|end| {
                state.write_u128(match end {
                    None => 0,
                    Some(IpAddr::V4(address)) => u128::from(address.to_bits()),
                    Some(IpAddr::V6(address)) => address.to_bits(),
                });
            }),
        }
        state.write_u64(match self.transport {
            None => match self.field {
                None => 0,
                Some(Field::Dscp(dscp)) => 3 << 40 | u64::from(dscp),
                Some(Field::Ecn(ecn)) => 4 << 40 | u64::from(ecn),
                Some(Field::CutOff) => 5 << 40,
            },
            Some((protocol, None)) => 1 << 40 | u64::from(protocol) << 32,
            Some((protocol, Some((from, to)))) => {
                2 << 40 | u64::from(protocol) << 32 | u64::from(from) << 16 | u64::from(to)
            }
        });
    }
}

impl Endpoints {
    /// The conversation of this packet.
    #[inline]
    pub fn key(&self, classify: Classify) -> Key {
        let (source, destination) = (Some(self.source), Some(self.destination));
        match classify {
            Classify::Flow | Classify::FiveTuple => {
                Key { source, destination, transport: Some((self.protocol, self.ports)), field: None }
            }
            Classify::Pair => Key { source, destination, ..Key::NOT_IP },
            Classify::Source => Key { source, ..Key::NOT_IP },
            Classify::Destination => Key { destination, ..Key::NOT_IP },
            Classify::Priority => Key { field: Some(Field::Dscp(self.dscp())), ..Key::NOT_IP },
            Classify::Ecn => Key { field: Some(Field::Ecn(self.ecn())), ..Key::NOT_IP },
        }
    }
}

impl fmt::Display for Key {
    /// Such as `10.0.0.1:5001 > 10.0.0.2:80 tcp`, `[2001:db8::1]:53 > [2001:db8::2]:5001 udp`, `10.0.0.1 > 10.0.0.2 icmp`,
    /// `10.0.0.1 > 10.0.0.2`, `10.0.0.1 > *`, `* > 10.0.0.2`, `DSCP 46`, `ECT(1)`, `not IP` and `cut off`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Key::NOT_IP {
            return f.pad("not IP");
        }
        match self.field {
            Some(Field::Dscp(dscp)) => return f.pad(&format!("DSCP {dscp}")),
            Some(Field::Ecn(ecn)) => return f.pad(["Not-ECT", "ECT(1)", "ECT(0)", "CE"][usize::from(ecn & 3)]),
            Some(Field::CutOff) => return f.pad("cut off"),
            None => {}
        }
        let ports = self.transport.and_then(|(_, ports)| ports);
        let mut text = end(self.source, ports.map(|p| p.0)) + " > " + &end(self.destination, ports.map(|p| p.1));
        if let Some((protocol, _)) = self.transport {
            text = text + " " + &protocol_name(protocol);
        }
        f.pad(&text)
    }
}

fn end(address: Option<IpAddr>, port: Option<u16>) -> String {
    match (address, port) {
        (None, _) => "*".to_owned(),
        (Some(address), None) => address.to_string(),
        (Some(address), Some(port)) => std::net::SocketAddr::new(address, port).to_string(),
    }
}

/// The names of common protocols, and the numbers of others.
fn protocol_name(number: u8) -> String {
    let name = match number {
        1 => "icmp",
        2 => "igmp",
        6 => "tcp",
        17 => "udp",
        33 => "dccp",
        47 => "gre",
        50 => "esp",
        51 => "ah",
        58 => "icmp6",
        132 => "sctp",
        136 => "udplite",
        other => return format!("protocol {other}"),
    };
    name.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoints(source: &str, destination: &str, protocol: u8, ports: Option<(u16, u16)>) -> Endpoints {
        let (source, destination) = (source.parse().unwrap(), destination.parse().unwrap());
        Endpoints { source, destination, protocol, ports, traffic_class: 0 }
    }

    #[test]
    fn each_way_to_classify_has_its_text() {
        let tcp = endpoints("10.0.0.1", "10.0.0.2", 6, Some((5001, 80)));
        for (classify, text) in [
            ("flow", "10.0.0.1:5001 > 10.0.0.2:80 tcp"),
            ("5tuple", "10.0.0.1:5001 > 10.0.0.2:80 tcp"),
            ("pair", "10.0.0.1 > 10.0.0.2"),
            ("source", "10.0.0.1 > *"),
            ("destination", "* > 10.0.0.2"),
        ] {
            assert_eq!(tcp.key(classify.parse().unwrap()).to_string(), text);
        }
        let dns = endpoints("2001:db8::1", "2001:db8::2", 17, Some((53, 5001)));
        assert_eq!(dns.key(Classify::Flow).to_string(), "[2001:db8::1]:53 > [2001:db8::2]:5001 udp");
        assert_eq!(dns.key(Classify::Pair).to_string(), "2001:db8::1 > 2001:db8::2");
        let ping = endpoints("10.0.0.1", "10.0.0.2", 1, None);
        assert_eq!(ping.key(Classify::Flow).to_string(), "10.0.0.1 > 10.0.0.2 icmp");
        assert_eq!(
            endpoints("10.0.0.1", "10.0.0.2", 99, None).key(Classify::Flow).to_string(),
            "10.0.0.1 > 10.0.0.2 protocol 99"
        );
        assert_eq!(Key::NOT_IP.to_string(), "not IP");
        assert_eq!(format!("{:>8}", Key::NOT_IP), "  not IP");
        assert_eq!(Key::without(NotIp::CutOff).to_string(), "cut off");
        assert_eq!(Key::without(NotIp::Kind("ARP")), Key::NOT_IP);
    }

    #[test]
    fn a_conversation_has_the_hosts_that_all_its_packets_have() {
        let tcp = endpoints("10.0.0.1", "10.0.0.2", 6, Some((5001, 80)));
        let (from, to) = (Some(tcp.source), Some(tcp.destination));
        for (classify, due) in [
            (Classify::Flow, [from, to]),
            (Classify::Pair, [from, to]),
            (Classify::Source, [from, None]),
            (Classify::Destination, [None, to]),
            (Classify::Priority, [None; 2]),
            (Classify::Ecn, [None; 2]),
        ] {
            assert_eq!(tcp.key(classify).hosts(), due, "{classify:?}");
        }
        assert_eq!((Key::NOT_IP.hosts(), Key::CUT_OFF.hosts()), ([None; 2], [None; 2]));
    }

    #[test]
    fn a_field_of_the_header_stands_for_a_conversation() {
        let one = endpoints("10.0.0.1", "10.0.0.2", 6, Some((5001, 80)));
        let other = endpoints("2001:db8::1", "2001:db8::2", 17, Some((53, 5001)));
        let key = |ends: Endpoints, class: u8, how: &str| {
            Endpoints { traffic_class: class, ..ends }.key(how.parse().expect("a way"))
        };
        // EF is 46, with each codepoint of ECN behind it.
        for (ecn, text) in ["Not-ECT", "ECT(1)", "ECT(0)", "CE"].into_iter().enumerate() {
            let class = 46 << 2 | ecn as u8;
            assert_eq!(key(one, class, "priority").to_string(), "DSCP 46");
            assert_eq!(key(one, class, "ecn").to_string(), text);
            assert_eq!(key(one, class, "priority"), key(other, class, "priority"));
            assert_eq!(key(one, class, "ecn"), key(other, ecn as u8, "ecn"));
        }
        let all: std::collections::BTreeSet<Key> =
            (0..=255).flat_map(|class| [key(one, class, "priority"), key(one, class, "ecn")]).collect();
        assert_eq!(all.len(), 64 + 4);
        assert!(!all.contains(&Key::NOT_IP));
    }

    #[test]
    fn keys_differ_where_they_should() {
        let one = endpoints("10.0.0.1", "10.0.0.2", 6, Some((5001, 80)));
        let back = endpoints("10.0.0.2", "10.0.0.1", 6, Some((80, 5001)));
        let other_port = endpoints("10.0.0.1", "10.0.0.2", 6, Some((5002, 80)));
        let marked = Endpoints { traffic_class: 3, ..one };
        assert_ne!(one.key(Classify::Pair), back.key(Classify::Pair));
        assert_ne!(one.key(Classify::Flow), other_port.key(Classify::Flow));
        assert_eq!(one.key(Classify::Pair), other_port.key(Classify::Pair));
        assert_eq!(one.key(Classify::Flow), marked.key(Classify::Flow));
        let mapped = endpoints("::ffff:10.0.0.1", "::ffff:10.0.0.2", 6, Some((5001, 80)));
        assert_ne!(one.key(Classify::Flow), mapped.key(Classify::Flow));
    }

    #[test]
    fn a_wrong_word_names_the_right_ones() {
        let why = "five".parse::<Classify>().unwrap_err();
        assert_eq!(why, r#"found "five"; expected flow, pair, source, destination, 5tuple, priority or ecn"#);
    }
}
