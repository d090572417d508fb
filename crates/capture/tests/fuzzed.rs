//! Captures with a few changes, for which the target of the fuzzer must hold (`fuzz/README.md`).

use crate::common::{Order, ethernet, interface, ipv4, ipv6, packet, pcap, record, section, udp};
use proptest::prelude::*;

#[path = "../../packet/tests/common/cases.rs"]
mod cases;
#[path = "../../../fuzz/targets/edits.rs"]
mod edits;
#[path = "../../../fuzz/targets/capture.rs"]
mod target;

/// A capture in each format and of several link types.
fn captures() -> Vec<Vec<u8>> {
    let frames = [
        ethernet(0x0800, &ipv4(17, &[], 0, &udp(40))),
        ethernet(0x86dd, &ipv6(17, &udp(8))),
        ethernet(0x0800, &ipv4(6, &[1, 1, 1, 1], 0, &[0; 20])),
    ];
    let mut all = Vec::new();
    for order in [Order::Little, Order::Big] {
        for link in [0, 1, 101, 108, 113, 228, 229, 276] {
            let mut capture = pcap(order, 0xa1b2_c3d4, link);
            for (at, frame) in frames.iter().enumerate() {
                capture.extend(record(order, at as u32, 7, frame, frame.len() as u32));
            }
            all.push(capture);
        }
        let mut capture = section(order);
        capture.extend(interface(order, 1, &[]));
        for (at, frame) in frames.iter().enumerate() {
            capture.extend(packet(order, 0, at as u64, frame, frame.len() as u32));
        }
        all.push(capture);
    }
    all
}

#[test]
fn every_capture_that_is_no_error_is_written_and_read_back() {
    captures().iter().for_each(|capture| target::attempt(capture));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases::cases(40_000)))]
    #[test]
    fn a_damaged_capture_is_read_or_is_an_error(
        capture in prop::sample::select(captures()),
        edits in edits::edits([&[0; 4][..], &[0xff; 4], &[0x7f, 0xff, 0xff, 0xff], &[0; 2]].map(<[u8]>::to_vec).to_vec()),
    ) {
        target::attempt(&edits::changed(&capture, &edits));
    }
}
