//! What is written is read back as it was; marks; files that appear when they are complete.

use crate::common;

use common::*;
use headgate_capture::{CaptureError, LinkType, Stamp, Writer, endpoints};
use proptest::prelude::*;
use std::fs;
use std::path::Path;

/// Writes packets without marks.
fn write(packets: &[(Kept, String)]) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new()).unwrap();
    for (p, comment) in packets {
        assert_eq!(writer.write(&p.frame(), Stamp::from_nanos(p.ns), comment, false), Ok(false));
    }
    writer.into_inner().unwrap()
}

/// Comments in a capture as `pcap-parser` reads them.
fn comments(capture: &[u8]) -> Vec<String> {
    use pcap_parser::{Block, OptionCode, PcapBlockOwned, PcapError, PcapNGReader, traits::PcapReaderIterator};
    let mut reader = PcapNGReader::new(1 << 20, capture).unwrap();
    let mut out = Vec::new();
    loop {
        match reader.next() {
            Ok((used, block)) => {
                if let PcapBlockOwned::NG(Block::EnhancedPacket(packet)) = block {
                    let comment = packet.options.iter().find(|o| o.code == OptionCode::Comment);
                    out.push(comment.map_or(String::new(), |o| o.as_str().unwrap().to_owned()));
                }
                reader.consume(used);
            }
            Err(PcapError::Eof) => return out,
            Err(PcapError::Incomplete(_)) => reader.refill().unwrap(),
            Err(e) => panic!("{e:?}"),
        }
    }
}

fn any_packets() -> impl Strategy<Value = Vec<(Kept, String)>> {
    let captured = proptest::collection::vec(any::<u8>(), 0..100);
    let packet = (any::<u64>(), 1..2000u32, captured, 0..8usize, 0..3u32, "[^\0]{0,20}").prop_map(
        |(ns, bytes, mut captured, link, interface, comment)| {
            captured.truncate(bytes as usize);
            (Kept { number: 0, ns, bytes, captured, link: LinkType::ALL[link], interface }, comment)
        },
    );
    proptest::collection::vec(packet, 0..30).prop_map(|mut packets| {
        for (i, (packet, _)) in packets.iter_mut().enumerate() {
            packet.number = i as u64 + 1;
        }
        packets
    })
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(packets in any_packets()) {
        let capture = write(&packets);
        let mut read = read_good(&capture);
        prop_assert_eq!(read.len(), packets.len());
        // Each pair of link type and interface becomes a separate interface, in the order of appearance.
        let mut pairs = Vec::new();
        for (read, (written, _)) in read.iter_mut().zip(&packets) {
            let pair = (written.link, written.interface);
            if !pairs.contains(&pair) {
                pairs.push(pair);
            }
            prop_assert_eq!(pairs[read.interface as usize], pair);
            read.interface = written.interface;
            prop_assert_eq!(&*read, written);
        }
        let written: Vec<String> = packets.into_iter().map(|p| p.1).collect();
        prop_assert_eq!(comments(&capture), written);
    }

    #[test]
    fn any_bytes_are_read_without_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400), cut in 0..200usize) {
        let order = Order::Little;
        let begin = [section(order), interface(order, 1, &[(9, &[9])]), packet(order, 0, 1, &bytes, 400)].concat();
        for mut capture in [bytes.clone(), [pcap(order, NANOSECONDS, 1), bytes.clone()].concat(), begin] {
            let _ = read_all(&capture);
            capture.truncate(cut);
            let _ = read_all(&capture);
        }
    }
}

#[test]
fn a_mark_is_congestion_experienced_with_the_checksum_to_match() {
    for class in 0..=255u8 {
        let mut v4 = ipv4(17, &[1; 4], 0, &udp(4));
        v4[1] = class;
        v4[10..12].fill(0);
        let sum = checksum(&v4[..24]);
        v4[10..12].copy_from_slice(&sum.to_be_bytes());
        let mut v6 = ipv6(17, &udp(4));
        (v6[0], v6[1]) = (0x60 | class >> 4, class << 4 | 5);
        for (kind, ip) in [(0x0800, &v4), (0x86dd, &v6)] {
            let captured = ethernet(kind, ip);
            let packet = Kept { number: 1, ns: 0, bytes: 1500, captured, link: LinkType::Ethernet, interface: 0 };
            let mut writer = Writer::new(Vec::new()).unwrap();
            assert_eq!(writer.write(&packet.frame(), Stamp::default(), "", true), Ok(true));
            let read = &read_good(&writer.into_inner().unwrap())[0];
            assert_eq!(endpoints(&read.frame()).unwrap().traffic_class, class | 3);
            let mut unmarked = read.captured[14..].to_vec();
            if kind == 0x0800 {
                assert_eq!(
                    checksum(&unmarked[..24]),
                    0,
                    "class {class}: the sum over the header and its checksum is 0"
                );
                (unmarked[1], unmarked[10], unmarked[11]) = (v4[1], v4[10], v4[11]);
            } else {
                unmarked[1] = v6[1];
            }
            assert_eq!(&unmarked, ip, "nothing else changed");
        }
    }
}

#[test]
fn what_has_no_room_for_a_mark_is_left_as_it_was() {
    let v4 = ethernet(0x0800, &ipv4(17, &[], 0, &[]));
    for captured in [ethernet(0x0806, &[0; 28]), vec![], v4[..14 + 11].to_vec(), v4[..15].to_vec()] {
        let packet = Kept { number: 1, ns: 0, bytes: 60, captured, link: LinkType::Ethernet, interface: 0 };
        let mut writer = Writer::new(Vec::new()).unwrap();
        assert_eq!(writer.write(&packet.frame(), Stamp::default(), "", true), Ok(false));
        assert_eq!(read_good(&writer.into_inner().unwrap())[0].captured, packet.captured);
    }
}

#[test]
fn a_comment_has_a_longest_length() {
    let packet = Kept { number: 7, ns: 0, bytes: 60, captured: vec![], link: LinkType::Raw, interface: 0 };
    let mut writer = Writer::new(Vec::new()).unwrap();
    let mut write = |n: usize| writer.write(&packet.frame(), Stamp::default(), &"x".repeat(n), false);
    let why = write(65_536).unwrap_err();
    assert!(why.skippable());
    assert_eq!(why.to_string(), "packet 7: found a comment of 65536 bytes; expected at most 65535 bytes");
    assert_eq!(write(65_535), Ok(false));
    let capture = writer.into_inner().unwrap();
    assert_eq!(comments(&capture), ["x".repeat(65_535)]);
}

#[test]
fn a_file_appears_when_it_is_finished() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("writer");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir(&folder).unwrap();
    let path = folder.join("out.pcapng");
    let names = || fs::read_dir(&folder).unwrap().map(|e| e.unwrap().file_name()).collect::<Vec<_>>();
    fs::write(&path, "before").unwrap();

    let packet = Kept { number: 1, ns: 5, bytes: 60, captured: vec![1], link: LinkType::Raw, interface: 0 };
    let mut writer = Writer::create(&path).unwrap();
    writer.write(&packet.frame(), Stamp::from_nanos(5), "", false).unwrap();
    assert_eq!(names().len(), 2);
    drop(writer);
    assert_eq!((names().len(), fs::read_to_string(&path).unwrap()), (1, "before".to_owned()));

    let mut writer = Writer::create(&path).unwrap();
    writer.write(&packet.frame(), Stamp::from_nanos(5), "", false).unwrap();
    writer.finish().unwrap();
    assert_eq!((names().len(), read_good(&fs::read(&path).unwrap())), (1, vec![packet]));

    let why = |path: &Path| Writer::create(path).err().unwrap().to_string();
    assert!(why(&folder).ends_with("expected a file that can be written"), "{}", why(&folder));
    assert!(why(&folder.join("no/out.pcapng")).starts_with("header: found No such file"));
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_sink_that_fails_is_reported_with_the_packet() {
    struct Full(usize);
    impl std::io::Write for Full {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            let n = bytes.len().min(self.0);
            self.0 -= n;
            if n == 0 { Err(std::io::Error::other("the disk is full")) } else { Ok(n) }
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut writer = Writer::new(Full(1 << 20)).unwrap();
    let packet =
        |number| Kept { number, ns: 0, bytes: 1500, captured: vec![0; 1500], link: LinkType::Raw, interface: 0 };
    let mut write = |n| writer.write(&packet(n).frame(), Stamp::default(), "", false);
    let why: CaptureError = (1..10_000).find_map(|n| write(n).err()).unwrap();
    // 1 MiB of 1532 bytes each is 684 packets; the buffer holds 171 more.
    assert_eq!(why.to_string(), "packet 856: found the disk is full; expected a file that can be written");
    assert!(!why.skippable());
    let why = writer.into_inner().map(|_| ()).unwrap_err();
    assert_eq!(why.to_string(), "packet 856: found the disk is full; expected a file that can be written");
}
