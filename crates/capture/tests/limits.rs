//! The greatest packets and blocks, sources and sinks that stumble, and checksums that carry.

use crate::common;

use common::*;
use headgate_capture::{LinkType, Reader, Stamp, Writer};
use std::io::{self, Cursor, ErrorKind, Read};

const KIB: u32 = 1024;

#[test]
fn a_packet_has_one_byte_to_16_mib_of_which_up_to_256_kib_are_captured() {
    let most = 16 * KIB * KIB;
    for order in Order::BOTH {
        let pcap = |captured: u32, bytes| {
            [pcap(order, MICROSECONDS, 1), record(order, 1, 0, &vec![7; captured as usize], bytes)].concat()
        };
        let pcapng = |captured: u32, bytes| {
            [section(order), interface(order, 1, &[]), packet(order, 0, 1, &vec![7; captured as usize], bytes)].concat()
        };
        let files: [&dyn Fn(u32, u32) -> Vec<u8>; 2] = [&pcap, &pcapng];
        for file in files {
            for (captured, bytes) in [(1, 1), (0, 1), (1, most), (256 * KIB, 256 * KIB)] {
                let read = &read_good(&file(captured, bytes))[0];
                assert_eq!((read.captured.len() as u32, read.bytes), (captured, bytes));
            }
            for (captured, bytes, why) in [
                (0, 0, "a packet of length 0; expected 1 byte to 16 MiB"),
                (0, most + 1, "a packet of length 16777217; expected 1 byte to 16 MiB"),
                (2, 1, "2 bytes captured of a packet of length 1; expected no more than its length"),
                (256 * KIB + 1, most, "262145 bytes captured of one packet; expected at most 256 KiB"),
            ] {
                let errors = errors(&file(captured, bytes));
                assert!(errors[0].ends_with(why), "{errors:?}");
            }
        }
    }
}

#[test]
fn a_block_has_up_to_1_mib() {
    let order = Order::Little;
    let begin = [section(order), interface(order, 1, &[])].concat();
    // Four bytes captured; behind them the end of the options and nothing but padding.
    let numbers = [0, 0, 1, 4, 4].map(|n| order.u32(n)).concat();
    let of = |length: usize| block(order, 6, &[&numbers[..], b"abcd", &vec![0; length - 12 - 24]].concat());
    let read = read_good(&[&begin[..], &of(1 << 20)].concat());
    assert_eq!(read[0].captured, b"abcd");
    let errors = errors(&[begin, of((1 << 20) + 4)].concat());
    assert!(errors[0].ends_with("1048580 bytes; expected a multiple of 4 from 12 bytes to 1 MiB"), "{errors:?}");
}

#[test]
fn a_block_that_is_passed_over_and_cut_off_says_how_much_there_was() {
    let order = Order::Little;
    let whole = block(order, 0x99, &[0; 40]);
    // 12 bytes are read, 36 passed over, and the last four read: cut off in each of the three.
    for cut in [11, 12, 30, 47, 48, 50, 51] {
        let file = [&section(order)[..], &whole[..cut]].concat();
        let of = if cut < 12 { 12 } else { 52 };
        let due =
            format!("header: found the end of the file after {cut} of {of} bytes of a block; expected a whole file");
        assert_eq!(errors(&file), [due]);
    }
}

/// A source that is interrupted before each byte, and fails at the end if it is to.
struct Stumbling {
    bytes: Cursor<Vec<u8>>,
    ready: bool,
    fails: bool,
}

impl Read for Stumbling {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.ready = !self.ready;
        if !self.ready {
            return Err(ErrorKind::Interrupted.into());
        }
        let n = into.len().min(1);
        match self.bytes.read(&mut into[..n])? {
            0 if self.fails => Err(io::Error::other("the cable is out")),
            n => Ok(n),
        }
    }
}

#[test]
fn a_source_may_be_interrupted_and_give_a_byte_at_a_time() {
    let order = Order::Little;
    let captured: Vec<u8> = (0..=255).cycle().take(2000).collect();
    let file =
        [pcap(order, NANOSECONDS, 1), record(order, 3, 4, &captured, 2000), record(order, 5, 6, b"x", 1)].concat();
    for fails in [false, true] {
        let bytes = Cursor::new(file.clone());
        let mut reader = Reader::new(Stumbling { bytes, ready: false, fails }).expect("a header");
        for (ns, captured) in [(3_000_000_004, &captured[..]), (5_000_000_006, b"x")] {
            let frame = reader.next().expect("a good packet").expect("not the end");
            assert_eq!((frame.time.nanos(), frame.captured), (ns, captured));
        }
        let end = reader.next().map(|frame| frame.is_none()).map_err(|e| e.to_string());
        let why = "packet 3: found the cable is out; expected a file that can be read";
        assert_eq!(end, if fails { Err(why.to_owned()) } else { Ok(true) });
    }
}

#[test]
fn a_sink_that_fails_at_the_end_is_reported_after_the_last_packet() {
    struct Full;
    impl io::Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::Error::other("the disk is full"))
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let expected = "found the disk is full; expected a file that can be written";
    let writer = Writer::new(Full).expect("buffered");
    assert_eq!(writer.into_inner().map(|_| ()).expect_err("full").to_string(), format!("header: {expected}"));
    let mut writer = Writer::new(Full).expect("buffered");
    let packet = Kept { number: 3, ns: 0, bytes: 60, captured: vec![1], link: LinkType::Raw, interface: 0 };
    writer.write(&packet.frame(), Stamp::default(), "", false).expect("buffered");
    assert_eq!(writer.into_inner().map(|_| ()).expect_err("full").to_string(), format!("after packet 3: {expected}"));
}

#[test]
fn the_checksum_of_a_marked_packet_carries_over() {
    // The mark adds 1 to 3 to the header. Identifications are looked for with which the checksum before it is 0 to 4: subtracting
    // the mark then passes zero.
    for class in 0..4 {
        for before in 0..5u16 {
            let mut ip = ipv4(17, &[], 0, &[]);
            ip[1] = class;
            let fitting = (0..=u16::MAX).find(|id| {
                ip[4..6].copy_from_slice(&id.to_be_bytes());
                ip[10..12].fill(0);
                checksum(&ip) == before
            });
            assert!(fitting.is_some());
            ip[10..12].copy_from_slice(&before.to_be_bytes());
            let packet = Kept { number: 1, ns: 0, bytes: 60, captured: ip, link: LinkType::Raw, interface: 0 };
            let mut writer = Writer::new(Vec::new()).expect("a vector");
            assert_eq!(writer.write(&packet.frame(), Stamp::default(), "", true), Ok(true));
            let read = &read_good(&writer.into_inner().expect("a vector"))[0];
            assert_eq!(
                (read.captured[1], checksum(&read.captured)),
                (class | 3, 0),
                "class {class}, checksum {before}"
            );
        }
    }
}

#[test]
fn a_time_is_written_in_seconds_with_nine_digits() {
    for (nanos, text) in [(0, "0.000000000"), (1_000_000_002, "1.000000002"), (u64::MAX, "18446744073.709551615")] {
        assert_eq!(Stamp::from_nanos(nanos).to_string(), text);
    }
}

/// Packets 1 ns apart from this second on, one in each form of a capture.
fn capture(form: usize, second: u64) -> Vec<u8> {
    let order = Order::BOTH[form % 2];
    let link = [1, 101][form % 2];
    match form / 2 {
        0 => [pcap(order, MICROSECONDS, link), record(order, second as u32, 1, b"abc", 60)].concat(),
        1 => [pcap(order, NANOSECONDS, link), record(order, second as u32, 1000, b"abc", 60)].concat(),
        _ => {
            let ticks = second * 1_000_000 + 1;
            [section(order), interface(order, link as u16, &[]), packet(order, 0, ticks, b"abc", 60)].concat()
        }
    }
}

#[test]
fn captures_that_were_joined_as_files_are_read_one_after_the_other() {
    for first in 0..6 {
        for second in 0..6 {
            let file = [capture(first, 7), capture(second, 8), capture(first, 9)].concat();
            let mut reader = Reader::new(Cursor::new(file.clone())).expect("a header");
            for (number, form) in [(1, first), (2, second), (3, first)] {
                let frame = reader.next().expect("a good packet").expect("not the end");
                let due = (number, (6 + number) * 1_000_000_000 + 1000, [1, 101][form % 2], 60, &b"abc"[..]);
                let found = (frame.number, frame.time.nanos(), frame.link.number(), frame.bytes, frame.captured);
                assert_eq!(found, due, "{first} and {second}");
                assert_eq!(reader.before(), number - 1);
            }
            assert!(reader.next().expect("the end").is_none());
            // The sections of a pcapng file are one capture.
            let joined = if first / 2 == 2 && second / 2 == 2 { 1 } else { 3 };
            assert_eq!(reader.captures(), joined, "{first} and {second}");
            // Cut anywhere in the second header: the first packet is read, and then the end is found.
            let length = capture(first, 7).len();
            for cut in length + 1..length + 24 {
                let said = errors(&file[..cut]);
                assert_eq!(said.len(), 1, "{first} and {second}, {cut}: {said:?}");
                assert!(said[0].contains("found the end of the file after"), "{said:?}");
            }
        }
    }
}
