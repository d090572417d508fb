//! What tshark says of a written capture, and what is read of captures that editcap wrote.
//!
//! Both arrive with the package `tshark`. Where they are missing this says so and checks nothing; with HEADGATE_NEEDS_TSHARK set
//! it fails.

use crate::common;

use common::*;
use headgate_capture::{Endpoints, LinkType, Stamp, Writer, endpoints};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Link types whose packets both tools write as they get them. Those of other types are in `encapsulation.rs`.
const PLAIN: [LinkType; 8] = [
    LinkType::Null,
    LinkType::Ethernet,
    LinkType::Raw,
    LinkType::Loop,
    LinkType::LinuxSll,
    LinkType::Ipv4,
    LinkType::Ipv6,
    LinkType::LinuxSll2,
];

/// Runs a program; `None` if it is not installed.
fn run(program: &str, arguments: &[&str]) -> Option<String> {
    match Command::new(program).args(arguments).output() {
        Ok(out) => {
            assert!(out.status.success(), "{program}: {}", String::from_utf8_lossy(&out.stderr));
            Some(String::from_utf8(out.stdout).expect("tools print UTF-8"))
        }
        Err(e) => {
            assert!(std::env::var_os("HEADGATE_NEEDS_TSHARK").is_none(), "{program} is needed: {e}");
            // Printed past the test runner, which keeps the output of tests that pass.
            let _ = writeln!(std::io::stderr(), "\n{program} is not installed ({e}): NOTHING WAS CHECKED with it");
            None
        }
    }
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Packets of every link type, with IPv4 and IPv6, fragments, and snapshots of 20 to 120 bytes.
fn packets(links: &[LinkType]) -> Vec<Kept> {
    let mut state = 1u64;
    let mut random = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let mut ns = 1_700_000_000_000_000_007;
    (1..=400)
        .map(|number| {
            let link = links[random(links.len() as u64) as usize];
            let four = link == LinkType::Ipv4 || (link != LinkType::Ipv6 && random(2) == 0);
            let payload = [udp(0), vec![0; random(60) as usize]].concat();
            let mut ip = match (four, random(3)) {
                (true, 0) => ipv4(17, &[1; 8], 0, &payload),
                (true, _) => ipv4(17, &[], 0, &payload),
                (false, 0) => ipv6(60, &[vec![17, 0, 1, 4, 0, 0, 0, 0], payload].concat()),
                (false, _) => ipv6(17, &payload),
            };
            if !four {
                (ip[0], ip[1]) = (0x60 | random(16) as u8, (random(16) as u8) << 4);
            }
            let kind: u16 = if four { 0x0800 } else { 0x86dd };
            let sll = [&[0, 0, 0, 1, 0, 6, 2, 0, 0, 0, 0, 1, 0, 0], &kind.to_be_bytes()[..]].concat();
            let sll2 = [&kind.to_be_bytes()[..], &[0, 0, 0, 0, 0, 1, 0, 1, 0, 6, 2, 0, 0, 0, 0, 1, 0, 0]].concat();
            let family = if four { 2 } else { 30 };
            let mut captured = match link {
                LinkType::Ethernet if random(4) == 0 => {
                    let tagged = [&[0x20, 5], &kind.to_be_bytes()[..], &ip].concat();
                    ethernet(0x8100, &tagged)
                }
                LinkType::Ethernet => ethernet(kind, &ip),
                LinkType::Null => [&[family, 0, 0, 0], &ip[..]].concat(),
                LinkType::Loop => [&[0, 0, 0, family], &ip[..]].concat(),
                LinkType::LinuxSll => [sll, ip].concat(),
                LinkType::LinuxSll2 => [sll2, ip].concat(),
                _ => ip,
            };
            let bytes = captured.len() as u32;
            if random(4) == 0 {
                captured.truncate(20 + random(100) as usize);
            }
            ns += random(2_000_000_000);
            Kept { number, ns, bytes, captured, link, interface: random(2) as u32 }
        })
        .collect()
}

#[test]
fn tshark_reads_what_is_written() {
    let Some(version) = run("tshark", &["--version"]) else { return };
    let folder = folder("tshark");
    let path = folder.join("out.pcapng");
    let mut writer = Writer::create(&path).unwrap();
    let packets = packets(&PLAIN);
    let comment = |p: &Kept| format!("packet {} waited {} ns: ÄÖ", p.number, p.ns % 1000);
    let mut marks = Vec::new();
    for p in &packets {
        let (at, marked) = (Stamp::from_nanos(p.ns + 1), p.number % 2 == 0);
        marks.push(writer.write(&p.frame(), at, &comment(p), marked).unwrap());
    }
    writer.finish().unwrap();

    let fields = "frame.number frame.time_epoch frame.len frame.cap_len frame.comment ip.checksum.status ip.dsfield.ecn \
                  ipv6.tclass.ecn ip.src ipv6.src udp.srcport udp.dstport frame.interface_id";
    let mut arguments = vec!["-r", path.to_str().unwrap(), "-o", "ip.check_checksum:TRUE", "-o", "ip.defragment:FALSE"];
    arguments.extend(["-T", "fields", "-E", "occurrence=f"]);
    fields.split(' ').for_each(|field| arguments.extend(["-e", field]));
    let text = run("tshark", &arguments).unwrap();
    assert_eq!(text.lines().count(), packets.len(), "{version}");
    let (mut good, mut ports) = (0, 0);
    for ((line, p), marked) in text.lines().zip(&packets).zip(marks) {
        let field: Vec<&str> = line.split('\t').collect();
        let numbers = [p.number.to_string(), Stamp::from_nanos(p.ns + 1).to_string(), p.bytes.to_string()];
        assert_eq!(field[..3], numbers);
        assert_eq!(field[3], p.captured.len().to_string());
        assert_eq!(field[4], comment(p));
        // 1 is good, 0 bad; 2 and 3 unverified, as where the header was cut off.
        assert_ne!(field[5], "0", "{line}");
        good += u32::from(field[5] == "1");
        let Some(Endpoints { source, ports: ours, .. }) = endpoints(&p.frame()) else { continue };
        assert_eq!([field[8], field[9]].concat(), source.to_string(), "{line}");
        if marked {
            assert_eq!([field[6], field[7]].concat(), "3", "{line}");
        }
        if let Some((from, to)) = ours {
            assert_eq!([field[10], field[11]], [from, to].map(|port| port.to_string()), "{line}");
            ports += 1;
        } else {
            assert_eq!(field[10], "", "{line}");
        }
    }
    assert!(good > 100 && ports > 300, "{good} checksums, {ports} ports");
}

#[test]
fn captures_of_other_writers_are_read() {
    if run("editcap", &["--version"]).is_none() {
        return;
    }
    let folder = folder("editcap");
    let (ours, theirs) = (folder.join("ours.pcapng"), folder.join("theirs"));
    for link in PLAIN {
        let mut writer = Writer::create(&ours).unwrap();
        let packets: Vec<Kept> = packets(&[link]).into_iter().map(|p| Kept { interface: 0, ..p }).collect();
        packets
            .iter()
            .for_each(|p| assert_eq!(writer.write(&p.frame(), Stamp::from_nanos(p.ns), "", false), Ok(false)));
        writer.finish().unwrap();
        for (format, unit) in [("pcap", 1000), ("nsecpcap", 1), ("pcapng", 1)] {
            run("editcap", &["-F", format, ours.to_str().unwrap(), theirs.to_str().unwrap()]).unwrap();
            let read = read_good(&fs::read(&theirs).unwrap());
            let expected: Vec<Kept> = packets.iter().map(|p| Kept { ns: p.ns / unit * unit, ..p.clone() }).collect();
            assert_eq!(read, expected, "{link:?} {format}");
        }
    }
}
