//! How fast a large capture is read, and in how much memory. Not a test of correctness, so it runs on request only:
//!
//!     cargo test --release -p headgate-capture speed -- --ignored --nocapture
//!
//! It writes 10 million packets of 64 captured bytes, 1000 conversations, as pcap (800 MB) and pcapng (1 GB), one after the other,
//! to the folder for temporary files and removes them.
#![allow(clippy::disallowed_methods, reason = "it measures real time")]

use crate::common;

use common::*;
use headgate_capture::{Classify, Endpoints, Frame, Key, LinkType, Reader, Stamp, Writer, endpoints};
use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Instant;

const PACKETS: u32 = 10_000_000;

/// The captured beginning of packet `i`: TCP over IPv4 over Ethernet, from one of 1000 ports.
fn beginning(i: u32) -> Vec<u8> {
    let mut captured = ethernet(0x0800, &ipv4(6, &[], 0, &udp(36)));
    captured.truncate(64);
    captured[34..36].copy_from_slice(&((i % 1000) as u16).to_be_bytes());
    captured
}

/// Passes over a capture with `use_endpoints`, and prints how fast.
fn measure(path: &Path, what: &str, mut use_endpoints: impl FnMut(Option<Endpoints>) -> u64) -> u64 {
    let (start, mut sum, mut packets) = (Instant::now(), 0, 0);
    let mut reader = Reader::open(path).unwrap();
    while let Some(frame) = reader.next().unwrap() {
        sum += use_endpoints(endpoints(&frame));
        packets += 1;
    }
    let seconds = start.elapsed().as_secs_f64();
    println!("{what}: {:.1} million packets/s", f64::from(packets) / seconds / 1e6);
    assert_eq!(packets, PACKETS);
    sum
}

fn measure_all(path: &Path, name: &str) {
    let port = |e: Option<Endpoints>| u64::from(e.unwrap().ports.unwrap().0);
    let sum = u64::from(PACKETS / 1000) * 499_500;
    for _ in 0..3 {
        assert_eq!(measure(path, &format!("{name}: read and endpoints"), port), sum);
    }
    let mut table: HashMap<Key, u64> = HashMap::new();
    measure(path, &format!("{name}: read, endpoints and a table of conversations"), |e| {
        let next = table.len() as u64;
        *table.entry(e.unwrap().key(Classify::FiveTuple)).or_insert(next)
    });
    assert_eq!(table.len(), 1000);
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    println!("most memory so far: {}", status.lines().find(|l| l.starts_with("VmHWM")).unwrap_or("not known"));
}

#[test]
#[ignore = "takes a minute and 1 GB of disk"]
fn ten_million_packets() {
    let path = std::env::temp_dir().join(format!("headgate-speed-{}.pcap", std::process::id()));
    let beginnings: Vec<Vec<u8>> = (0..1000).map(beginning).collect();
    let captured = |i: u32| &beginnings[(i % 1000) as usize];

    let mut out = BufWriter::new(File::create(&path).unwrap());
    out.write_all(&pcap(Order::Little, NANOSECONDS, 1)).unwrap();
    for i in 0..PACKETS {
        out.write_all(&record(Order::Little, i / 1_000_000, i % 1_000_000 * 1000, captured(i), 1500)).unwrap();
    }
    drop(out);
    measure_all(&path, "pcap");

    let start = Instant::now();
    let mut writer = Writer::create(&path).unwrap();
    for i in 0..PACKETS {
        let (number, time, captured) = (u64::from(i) + 1, Stamp::from_nanos(u64::from(i) * 1000), captured(i));
        let frame = Frame { number, time, bytes: 1500, captured, link: LinkType::Ethernet, interface: 0 };
        writer.write(&frame, time, "", i % 2 == 0).unwrap();
    }
    writer.finish().unwrap();
    println!("pcapng: written at {:.1} million packets/s", f64::from(PACKETS) / start.elapsed().as_secs_f64() / 1e6);
    measure_all(&path, "pcapng");
    fs::remove_file(&path).unwrap();
}
