//! Captures built byte by byte: what is read of them, and what is said of wrong ones.

use crate::common;

use common::*;
use headgate_capture::{LinkType, Reader};
use std::io::Cursor;
use std::path::Path;

const SECOND: u64 = 1_000_000_000;

#[test]
fn pcap_in_both_orders_and_resolutions() {
    for order in Order::BOTH {
        for (magic, unit) in [(MICROSECONDS, 1000), (NANOSECONDS, 1)] {
            let mut file = pcap(order, magic, 1);
            file.extend(record(order, 1_700_000_000, 123_456, b"abcdef", 1500));
            file.extend(record(order, u32::MAX, 999_999, b"", 60));
            let packets = read_good(&file);
            assert_eq!(packets.len(), 2, "{order:?} {magic:#x}");
            let first = Kept {
                number: 1,
                ns: 1_700_000_000 * SECOND + 123_456 * unit,
                bytes: 1500,
                captured: b"abcdef".to_vec(),
                link: LinkType::Ethernet,
                interface: 0,
            };
            assert_eq!(packets[0], first);
            assert_eq!((packets[1].number, packets[1].bytes, packets[1].captured.len()), (2, 60, 0));
            assert_eq!(packets[1].ns, u64::from(u32::MAX) * SECOND + 999_999 * unit);
        }
    }
}

#[test]
fn the_upper_half_of_the_link_type_is_no_part_of_it() {
    let file = [pcap(Order::Little, MICROSECONDS, 0x5000_0001), record(Order::Little, 1, 0, b"x", 1)].concat();
    assert_eq!(read_good(&file)[0].link, LinkType::Ethernet);
}

#[test]
fn every_link_type_is_known_by_its_numbers() {
    for (number, link) in [
        (0, LinkType::Null),
        (1, LinkType::Ethernet),
        (12, LinkType::Raw),
        (14, LinkType::Raw),
        (101, LinkType::Raw),
        (108, LinkType::Loop),
        (113, LinkType::LinuxSll),
        (228, LinkType::Ipv4),
        (229, LinkType::Ipv6),
        (276, LinkType::LinuxSll2),
    ] {
        let file = [pcap(Order::Big, MICROSECONDS, number), record(Order::Big, 1, 0, b"x", 1)].concat();
        assert_eq!(read_good(&file)[0].link, link);
    }
    let wrong = errors(&pcap(Order::Big, MICROSECONDS, 7));
    let all: Vec<String> = LinkType::ALL.iter().map(|link| format!("{} ({link:?})", link.number())).collect();
    assert_eq!(wrong, [format!("header: found link type 7; expected one of the link types {}", all.join(", "))]);
}

#[test]
fn pcapng_with_two_sections_in_two_orders() {
    let mut file = Vec::new();
    for (order, link) in [(Order::Little, 1), (Order::Big, 101)] {
        file.extend(section(order));
        file.extend(interface(order, link, &[]));
        file.extend(block(order, 5, &[0; 12])); // statistics, of no use here
        file.extend(block(order, 0x0bad, b"")); // unknown, empty
        file.extend(packet(order, 0, 1_700_000_000_123_456, b"abcde", 1500));
    }
    let packets = read_good(&file);
    let links: Vec<_> = packets.iter().map(|p| (p.number, p.link)).collect();
    assert_eq!(links, [(1, LinkType::Ethernet), (2, LinkType::Raw)]);
    for p in packets {
        assert_eq!((p.ns, p.bytes, &p.captured[..]), (1_700_000_000_123_456_000, 1500, &b"abcde"[..]));
    }
}

#[test]
fn pcapng_units_of_time() {
    for order in Order::BOTH {
        // One and a half seconds, or the nearest that the unit can say, in nanoseconds.
        for (resolution, ticks, ns) in [
            (0u8, 1, SECOND),
            (3, 1500, 1_500_000_000),
            (6, 1_500_000, 1_500_000_000),
            (9, 1_500_000_001, 1_500_000_001),
            (12, 1_500_000_000_999, 1_500_000_000),
            (0x7f, u64::MAX, 0),
            (0x80, 1, SECOND),
            (0x81, 3, 1_500_000_000),
            (0x80 | 32, 3 << 31, 1_500_000_000),
            (0x80 | 30, 1, 0), // 0.93 ns
            (0xff, u64::MAX, 0),
        ] {
            for (offset, seconds) in [(None, 0u64), (Some(1_700_000_000i64), 1_700_000_000)] {
                let offset = offset.map(|o| order.u64(o as u64));
                let resolution = [resolution];
                let mut options: Vec<(u16, &[u8])> = vec![(2, b"eth0"), (9, &resolution)];
                options.extend(offset.as_ref().map(|o| (14, &o[..])));
                let file = [section(order), interface(order, 1, &options), packet(order, 0, ticks, b"x", 1)].concat();
                assert_eq!(read_good(&file)[0].ns, seconds * SECOND + ns, "{resolution:?} {offset:?}");
            }
        }
    }
}

#[test]
fn options_after_the_end_of_options_do_not_count() {
    let file = [
        section(Order::Little),
        interface(Order::Little, 1, &[(0, b""), (9, &[0])]),
        packet(Order::Little, 0, 7, b"x", 1),
    ];
    assert_eq!(read_good(&file.concat())[0].ns, 7000);
}

#[test]
fn times_before_1970_and_beyond_2554_are_errors() {
    let order = Order::Little;
    let file = [
        section(order),
        interface(order, 1, &[(14, &order.u64(-10i64 as u64))]),
        interface(order, 1, &[(9, &[0])]),
        interface(order, 1, &[(14, &order.u64(i64::MAX as u64))]),
        packet(order, 0, 9_999_999, b"x", 1),
        packet(order, 0, 10_000_000, b"x", 1),
        packet(order, 1, u64::MAX, b"x", 1),
        packet(order, 2, 1, b"x", 1),
    ]
    .concat();
    assert_eq!(
        errors(&file),
        [
            "skip: packet 1: found 9999999 units of time of interface 0, which begin at -10 s; expected a time from 1970 to 2554",
            "skip: packet 3: found 18446744073709551615 units of time of interface 1; expected a time from 1970 to 2554",
            "skip: packet 4: found 1 units of time of interface 2, which begin at 9223372036854775807 s; \
             expected a time from 1970 to 2554",
        ]
    );
    let good = read_all(&file).unwrap().into_iter().find_map(Result::ok).unwrap();
    assert_eq!((good.number, good.ns), (2, 0));
}

#[test]
fn obsolete_packet_blocks_are_packets() {
    for order in Order::BOTH {
        let mut body = [order.u16(1), order.u16(77)].concat(); // interface 1, 77 drops
        body.extend([0, 5_000_000, 3, 60].map(|n| order.u32(n)).concat());
        body.extend(b"abc\0");
        let file = [section(order), interface(order, 1, &[]), interface(order, 101, &[]), block(order, 2, &body)];
        let packets = read_good(&file.concat());
        let captured = b"abc".to_vec();
        assert_eq!(
            packets,
            [Kept { number: 1, ns: 5 * SECOND, bytes: 60, captured, link: LinkType::Raw, interface: 1 }]
        );
    }
}

#[test]
fn one_wrong_packet_is_skipped_and_counted() {
    let order = Order::Little;
    let huge =
        block(order, 6, &[[0, 0, 0, 300_000, 300_000].map(|n| order.u32(n)).concat(), vec![0; 300_000]].concat());
    let too_long = block(order, 6, &[0, 0, 0, 100, 100].map(|n| order.u32(n)).concat());
    let file = [
        section(order),
        interface(order, 147, &[]),
        interface(order, 1, &[(9, b"ab")]),
        interface(order, 1, &[]),
        packet(order, 0, 1, b"x", 1),
        packet(order, 1, 1, b"x", 1),
        packet(order, 3, 1, b"x", 1),
        packet(order, 2, 1, b"xy", 1),
        packet(order, 2, 1, b"", 0),
        packet(order, 2, 1, b"", 1 << 30),
        huge,
        too_long,
        block(order, 3, &[1, 0, 0, 0, 0, 0, 0, 0]),
        block(order, 6, b""),
        block(order, 2, b""),
        packet(order, 2, 1, b"x", 1),
    ]
    .concat();
    let wrong = errors(&file);
    let parts = [
        "skip: packet 1: found interface 0 with link type 147; expected one of the link types 0 (Null), ",
        "skip: packet 2: found interface 1 with 2 bytes of if_tsresol; expected 1 byte",
        "skip: packet 3: found interface 3; expected one of the 3 interfaces described before",
        "skip: packet 4: found 2 bytes captured of a packet of length 1; expected no more than its length",
        "skip: packet 5: found a packet of length 0; expected 1 byte to 16 MiB",
        "skip: packet 6: found a packet of length 1073741824; expected 1 byte to 16 MiB",
        "skip: packet 7: found 300000 bytes captured of one packet; expected at most 256 KiB",
        "skip: packet 8: found a packet that does not fit into its block of 32 bytes; expected an Enhanced Packet Block",
        "skip: packet 9: found a Simple Packet Block, which has no time; expected an Enhanced Packet Block",
        "skip: packet 10: found a packet that does not fit into its block of 12 bytes; expected an Enhanced Packet Block",
        "skip: packet 11: found a packet that does not fit into its block of 12 bytes; expected an Enhanced Packet Block",
    ];
    assert_eq!(wrong.len(), parts.len(), "{wrong:#?}");
    for (wrong, part) in wrong.iter().zip(parts) {
        assert!(wrong.starts_with(part), "{wrong}");
    }
    let last = read_all(&file).unwrap().pop().unwrap().unwrap();
    assert_eq!(last.number, 12);

    let mut file = pcap(order, MICROSECONDS, 1);
    file.extend(record(order, 1, 1_000_000, b"x", 1));
    file.extend(record(order, 1, 999_999, b"x", 1));
    assert_eq!(
        errors(&file),
        ["skip: packet 1: found 1000000 microseconds within a second; expected less than 1000000"]
    );
    assert_eq!(read_all(&file).unwrap()[1].as_ref().unwrap().number, 2);
}

#[test]
fn what_cannot_be_read_on_says_where_and_why() {
    let (order, le) = (Order::Little, |n: u32| n.to_le_bytes());
    let begin = [section(order), interface(order, 1, &[])].concat();
    let one = [&begin[..], &packet(order, 0, 1, b"x", 1)].concat();
    let header = pcap(order, MICROSECONDS, 1);
    let mut version = header.clone();
    version[4] = 3;
    let mut section_version = section(order);
    section_version[12] = 2;
    let mut lengths = one.clone();
    *lengths.last_mut().unwrap() = 1;
    for (file, expected) in [
        (vec![], "header: found an empty file; expected a capture in pcap or pcapng format"),
        (vec![1, 2], "header: found a file of 2 bytes; expected a capture in pcap or pcapng format"),
        (
            b"hello, world, this is no capture".to_vec(),
            "header: found a file that begins with 0x68656c6c; expected a capture in pcap or pcapng format",
        ),
        (
            vec![0x1f, 0x8b, 8, 0],
            "header: found a compressed file (gzip) that begins with 0x1f8b0800; expected a capture in pcap or pcapng format",
        ),
        (
            header[..20].to_vec(),
            "header: found the end of the file after 20 of 24 bytes of the header; expected a whole file",
        ),
        (version, "header: found version 3.4; expected pcap version 2"),
        (
            [&header[..], &[0; 10]].concat(),
            "packet 1: found the end of the file after 10 of 16 bytes of the packet; expected a whole file",
        ),
        (
            [&header[..], &record(order, 1, 0, b"x", 1), &record(order, 1, 0, &[0; 60], 60)[..30]].concat(),
            "packet 2: found the end of the file after 30 of 76 bytes of the packet; expected a whole file",
        ),
        (
            [&header[..], &[0; 8], &le(u32::MAX), &le(60)].concat(),
            "packet 1: found 4294967295 bytes captured of one packet; expected at most 256 KiB",
        ),
        (
            section(order)[..9].to_vec(),
            "header: found the end of the file after 9 of 12 bytes of a block; expected a whole file",
        ),
        (
            section(order)[..20].to_vec(),
            "header: found the end of the file after 20 of 28 bytes of a block; expected a whole file",
        ),
        (section_version, "header: found version 2.0; expected pcapng version 1"),
        (
            [section(order)[..8].to_vec(), vec![0; 20]].concat(),
            "header: found 0x00000000 in a Section Header Block; expected the byte order 0x1a2b3c4d",
        ),
        (
            [&le(0x0a0d_0d0a)[..], &le(16), &le(0x1a2b_3c4d), &le(16)].concat(),
            "header: found a Section Header Block that is too short; expected 28 bytes or more",
        ),
        (
            [&begin[..], &le(6), &le(u32::MAX - 3), &[0; 40]].concat(),
            "packet 1: found a block of type 0x6 and 4294967292 bytes; expected a multiple of 4 from 12 bytes to 1 MiB",
        ),
        (
            [&one[..], &le(0x99), &le(u32::MAX - 3), &[0; 40]].concat(),
            "after packet 1: found the end of the file after 48 of 4294967292 bytes of a block; expected a whole file",
        ),
        (
            [&one[..], &le(6), &le(8), &[0; 40]].concat(),
            "packet 2: found a block of type 0x6 and 8 bytes; expected a multiple of 4 from 12 bytes to 1 MiB",
        ),
        (
            one[..one.len() - 7].to_vec(),
            "packet 1: found the end of the file after 29 of 36 bytes of a block; expected a whole file",
        ),
        (
            lengths,
            "packet 1: found a block of type 0x6 with 36 bytes at its start and 16777252 at its end; \
             expected the same length twice",
        ),
    ] {
        assert_eq!(errors(&file), [expected]);
    }
}

#[test]
fn after_an_error_that_is_not_skippable_comes_the_end() {
    let file = [pcap(Order::Little, MICROSECONDS, 1), vec![0; 10]].concat();
    let mut reader = Reader::new(Cursor::new(file)).unwrap();
    assert!(!reader.next().unwrap_err().skippable());
    assert_eq!(reader.next(), Ok(None));
}

#[test]
fn a_file_that_cannot_be_opened_says_why() {
    let why = |path: &str| Reader::open(Path::new(path)).err().unwrap().to_string();
    assert!(why("no/such/file").starts_with("header: found No such file"), "{}", why("no/such/file"));
    assert!(why(".").ends_with("expected a file that can be read"), "{}", why("."));
}

#[test]
fn interfaces_of_one_section_are_limited() {
    let order = Order::Little;
    let file = [section(order), interface(order, 1, &[]).repeat((1 << 16) + 1)].concat();
    assert_eq!(errors(&file), ["header: found another interface; expected at most 65536 in a section"]);
}
