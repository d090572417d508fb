//! Packets built byte by byte: their sources and destinations. And every packet that `etherparse` understands, read as it reads it.

use crate::common;

use common::*;
use etherparse::LaxIpSlice;
use headgate_capture::{Classify, Frame, Key, LinkType, Stamp, endpoints};
use proptest::prelude::*;

fn frame(link: LinkType, captured: &[u8]) -> Frame<'_> {
    Frame { number: 1, time: Stamp::default(), bytes: 65_535, captured, link, interface: 0 }
}

fn text(link: LinkType, captured: &[u8]) -> String {
    endpoints(&frame(link, captured)).map_or(Key::NOT_IP, |e| e.key(Classify::FiveTuple)).to_string()
}

const V4: &str = "10.0.0.1:5001 > 10.0.0.2:80 udp";
const V6: &str = "[2001:db8::1]:5001 > [2001:db8::2]:80 udp";

#[test]
fn behind_every_link_header() {
    let (v4, v6) = (ipv4(17, &[], 0, &udp(4)), ipv6(17, &udp(4)));
    for (ip, expected, number, family) in [(&v4, V4, 0x0800u16, &[2][..]), (&v6, V6, 0x86dd, &[10, 24, 28, 30])] {
        let kind = number.to_be_bytes();
        assert_eq!(text(LinkType::Raw, ip), expected);
        assert_eq!(text(LinkType::Ethernet, &ethernet(number, ip)), expected);
        assert_eq!(text(LinkType::LinuxSll, &[&[0; 14], &kind[..], ip].concat()), expected);
        assert_eq!(text(LinkType::LinuxSll2, &[&kind[..], &[0; 18], ip].concat()), expected);
        for &family in family {
            for header in [[family, 0, 0, 0], [0, 0, 0, family]] {
                assert_eq!(text(LinkType::Null, &[&header[..], ip].concat()), expected);
                assert_eq!(text(LinkType::Loop, &[&header[..], ip].concat()), expected);
            }
        }
    }
    assert_eq!((text(LinkType::Ipv4, &v4), text(LinkType::Ipv6, &v6)), (V4.to_owned(), V6.to_owned()));
    // A header of the other version than the link says is none.
    assert_eq!((text(LinkType::Ipv4, &v6), text(LinkType::Ipv6, &v4)), ("not IP".to_owned(), "not IP".to_owned()));
    assert_eq!(text(LinkType::Ethernet, &ethernet(0x0800, &v6)), "not IP");
}

#[test]
fn behind_vlan_tags() {
    let tag = |number: u16, kind: u16| [number.to_be_bytes(), kind.to_be_bytes()].concat();
    let (v4, v6) = (ipv4(17, &[], 0, &udp(4)), ipv6(17, &udp(4)));
    assert_eq!(text(LinkType::Ethernet, &ethernet(0x8100, &[tag(5, 0x0800), v4.clone()].concat())), V4);
    for outer in [0x88a8, 0x9100, 0x8100] {
        let qinq = ethernet(outer, &[tag(5, 0x8100), tag(0xe006, 0x86dd), v6.clone()].concat());
        assert_eq!(text(LinkType::Ethernet, &qinq), V6);
    }
    let sll = [&[0; 14], &[0x81, 0x00][..], &tag(5, 0x0800), &v4].concat();
    assert_eq!(text(LinkType::LinuxSll, &sll), V4);
    assert_eq!(text(LinkType::Ethernet, &ethernet(0x8100, &tag(5, 0x0806))), "not IP");
    assert_eq!(text(LinkType::Ethernet, &ethernet(0x8100, &[0])), "not IP");
}

#[test]
fn what_is_not_ip_has_no_endpoints() {
    for (link, captured) in [
        (LinkType::Ethernet, ethernet(0x0806, &[0; 28])),
        (LinkType::Ethernet, ethernet(100, &[0; 100])), // 802.3 with a length
        (LinkType::Ethernet, vec![]),
        (LinkType::Raw, vec![]),
        (LinkType::Raw, vec![0x50; 60]),
        (LinkType::Raw, [&[0x44], &[0; 59][..]].concat()), // an IPv4 header of 16 bytes
        (LinkType::Null, [&[7, 0, 0, 0], &ipv4(17, &[], 0, &[])[..]].concat()),
        (LinkType::LinuxSll2, vec![8, 0]),
    ] {
        assert_eq!(text(link, &captured), "not IP", "{link:?} {captured:?}");
    }
}

#[test]
fn ipv4_options_protocols_and_fragments() {
    assert_eq!(text(LinkType::Raw, &ipv4(17, &[1; 40], 0, &udp(4))), V4);
    for (protocol, name) in [(6, "tcp"), (17, "udp"), (33, "dccp"), (132, "sctp"), (136, "udplite")] {
        let expected = format!("10.0.0.1:5001 > 10.0.0.2:80 {name}");
        assert_eq!(text(LinkType::Raw, &ipv4(protocol, &[], 0, &udp(0))), expected);
    }
    for (protocol, name) in [(1, "icmp"), (47, "gre"), (200, "protocol 200")] {
        assert_eq!(text(LinkType::Raw, &ipv4(protocol, &[], 0, &udp(0))), format!("10.0.0.1 > 10.0.0.2 {name}"));
    }
    // Do not fragment; more fragments, of which this is the first; a later one; the last one. All of a datagram are one conversation.
    let whole = "10.0.0.1 > 10.0.0.2 udp";
    for (fragment, expected) in [(0x4000, V4), (0x2000, whole), (0x6000, whole), (0x2001, whole), (1, whole)] {
        assert_eq!(text(LinkType::Raw, &ipv4(17, &[], fragment, &udp(4))), expected);
    }
}

/// Hop-by-hop of 8 bytes, routing of 24, destination options of 16, authentication of 24, then a fragment header.
fn extensions(last: u8, fragment: u16) -> (u8, Vec<u8>) {
    let header = |next: u8, length: u8, bytes: usize| [vec![next, length], vec![0; bytes - 2]].concat();
    let [high, low] = fragment.to_be_bytes();
    let all = [
        header(43, 0, 8),
        header(60, 2, 24),
        header(51, 1, 16),
        header(44, 4, 24),
        vec![last, 0, high, low, 0, 0, 0, 9],
    ];
    (0, all.concat())
}

#[test]
fn ipv6_extension_headers() {
    // The offset is the upper 13 bits; the lowest bit says that more fragments follow. The first one, and one that is the whole datagram
    // (RFC 6946), have no ports either.
    for fragment in [0, 1, 8, 0xfff9] {
        let (first, headers) = extensions(17, fragment);
        let packet = ipv6(first, &[headers, udp(4)].concat());
        assert_eq!(text(LinkType::Raw, &packet), "2001:db8::1 > 2001:db8::2 udp");
    }
    let (first, headers) = extensions(17, 0);
    let (first, headers) = (first, headers[..headers.len() - 8].to_vec());
    let mut unbroken = headers;
    let last = unbroken.len() - 24;
    unbroken[last] = 17;
    assert_eq!(text(LinkType::Raw, &ipv6(first, &[unbroken, udp(4)].concat())), V6);
    for kind in [135, 139, 140] {
        assert_eq!(text(LinkType::Raw, &ipv6(kind, &[vec![17, 0, 0, 0, 0, 0, 0, 0], udp(4)].concat())), V6);
    }
    assert_eq!(text(LinkType::Raw, &ipv6(58, &[128, 0, 0, 0])), "2001:db8::1 > 2001:db8::2 icmp6");
    // What follows in a later fragment is data, even where its type is that of a header.
    let (first, headers) = extensions(60, 8);
    assert_eq!(text(LinkType::Raw, &ipv6(first, &[headers, udp(4)].concat())), "2001:db8::1 > 2001:db8::2 protocol 60");
}

#[test]
fn traffic_class() {
    // DSCP 46 (expedited forwarding) and ECN 1: 46 * 4 + 1 = 0xb9.
    let mut v4 = ipv4(17, &[], 0, &udp(0));
    v4[1] = 0xb9;
    let mut v6 = ipv6(17, &udp(0));
    (v6[0], v6[1]) = (0x6b, 0x9f);
    for ip in [v4, v6] {
        let e = endpoints(&frame(LinkType::Raw, &ip)).unwrap();
        assert_eq!((e.traffic_class, e.dscp(), e.ecn()), (0xb9, 46, 1));
    }
}

#[test]
fn what_was_captured_of_a_packet_is_enough() {
    let options = vec![17, 2, 1, 20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    for (packet, fixed, ports) in [
        (ethernet(0x0800, &ipv4(17, &[1; 8], 0, &udp(4))), 14 + 20, 14 + 28 + 4),
        (ethernet(0x86dd, &ipv6(60, &[options, udp(4)].concat())), 14 + 40, 14 + 40 + 24 + 4),
    ] {
        let whole = endpoints(&frame(LinkType::Ethernet, &packet)).unwrap();
        for length in 0..packet.len() {
            let cut = endpoints(&frame(LinkType::Ethernet, &packet[..length]));
            assert_eq!(cut.is_some(), length >= fixed, "{length}");
            let Some(cut) = cut else { continue };
            assert_eq!(cut.key(Classify::Pair), whole.key(Classify::Pair));
            assert_eq!(cut.ports, whole.ports.filter(|_| length >= ports), "{length}");
        }
    }
}

/// An IP packet with any options, extension headers, fragment and transport, cut off anywhere.
fn any_ip() -> impl Strategy<Value = Vec<u8>> {
    let protocol = prop_oneof![Just(6u8), Just(17), Just(132), Just(58), Just(1), 200..=252u8];
    let payload = proptest::collection::vec(any::<u8>(), 0..40);
    let v4 = (protocol.clone(), proptest::collection::vec(any::<u8>(), 0..=40), any::<u16>(), payload.clone())
        .prop_map(|(protocol, options, fragment, payload)| ipv4(protocol, &options, fragment & 0x2007, &payload));
    let extension = (prop_oneof![Just(43u8), Just(60), Just(44), Just(51)], 0..4u8, any::<u16>());
    let v6 = (any::<bool>(), proptest::collection::vec(extension, 0..5), protocol, payload).prop_map(
        |(hop_by_hop, extensions, protocol, payload)| {
            let mut kinds: Vec<u8> = extensions.iter().map(|e| e.0).collect();
            let mut headers: Vec<Vec<u8>> = Vec::new();
            if hop_by_hop {
                kinds.insert(0, 0);
            }
            let all = extensions.iter().map(|&(kind, length, fragment)| (kind, length, fragment));
            let all = hop_by_hop.then_some((0, 1, 0)).into_iter().chain(all);
            for (i, (kind, length, fragment)) in all.enumerate() {
                let next = *kinds.get(i + 1).unwrap_or(&protocol);
                let [high, low] = (fragment & 0x000f).to_be_bytes();
                headers.push(match kind {
                    44 => vec![next, 0, high, low, 0, 0, 0, 1],
                    51 => [vec![next, length + 1], vec![0; 4 * usize::from(length) + 10]].concat(),
                    _ => [vec![next, length], vec![0; 8 * usize::from(length) + 6]].concat(),
                });
            }
            ipv6(*kinds.first().unwrap_or(&protocol), &[headers.concat(), payload].concat())
        },
    );
    (prop_oneof![v4, v6], any::<proptest::sample::Index>(), any::<bool>()).prop_map(|(mut ip, cut, whole)| {
        if !whole {
            ip.truncate(cut.index(ip.len() + 1));
        }
        ip
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn read_as_another_reader_reads_it(ip in any_ip()) {
        let ours = endpoints(&frame(LinkType::Raw, &ip));
        let Ok((theirs, stopped)) = LaxIpSlice::from_slice(&ip) else { return Ok(()) };
        let ours = ours.expect("where another reader finds a header, so do we");
        prop_assert_eq!((ours.source, ours.destination), (theirs.source_addr(), theirs.destination_addr()));
        let (class, fragment) = match &theirs {
            LaxIpSlice::Ipv4(v4) => {
                let header = v4.header();
                (header.dcp().value() << 2 | header.ecn().value(), header.is_fragmenting_payload())
            }
            LaxIpSlice::Ipv6(v6) => {
                // Where it stopped within a header, its iterator reads beyond the packet (etherparse 0.21).
                let fragment = stopped.is_none()
                    && v6.extensions().clone().into_iter().any(|e| matches!(e, etherparse::Ipv6ExtensionSlice::Fragment(_)));
                (v6.header().traffic_class(), fragment)
            }
        };
        prop_assert_eq!(ours.traffic_class, class);
        if fragment {
            // The other reader takes what follows in a fragment for headers.
            prop_assert_eq!(ours.ports, None);
        } else if stopped.is_none() {
            let payload = theirs.payload();
            prop_assert_eq!(ours.protocol, payload.ip_number.0);
            let ports = match (payload.ip_number.0, payload.payload) {
                (6 | 17 | 132, &[a, b, c, d, ..]) => Some((u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d]))),
                _ => None,
            };
            prop_assert_eq!(ours.ports, ports);
        }
    }

    #[test]
    fn any_bytes_are_answered_without_panic(bytes in proptest::collection::vec(any::<u8>(), 0..120), link in 0..LinkType::ALL.len()) {
        let _ = text(LinkType::ALL[link], &bytes);
    }
}
