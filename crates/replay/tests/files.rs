//! Files in and out: what a replay reads of them, and what it writes to the byte.

use crate::common;

use common::{Folder, finish, pcap, replay_of, seconds};
use headgate_capture::{Classify, Reader};
use headgate_packet::{Ecn, Rate};
use headgate_replay::capture::{CaptureOutput, CaptureTrace};
use headgate_replay::{CsvOutput, HEADER, Intake, Kind, Replay, ReplayError, TraceFile};
use std::path::Path;

fn open(path: &Path) -> Result<TraceFile, String> {
    TraceFile::open(path).map_err(|e| e.to_string())
}

#[test]
fn what_cannot_be_a_trace_is_not_opened() {
    let folder = Folder::new("open");
    assert_eq!(open(&folder.file("t.parquet", b"PAR1")).map(|f| f.kind()), Ok(Kind::Parquet));
    assert_eq!(open(&folder.file("t", b"PAR1")).map(|f| f.kind()), Ok(Kind::Parquet));
    let said = |path: &Path| open(path).map(|_| ()).unwrap_err();
    assert_eq!(said(&folder.file("x", b"").with_file_name("")), "found a directory; expected a trace");
    assert_eq!(said(Path::new("/nowhere/t.csv")), "cannot be read; No such file or directory");
}

#[cfg(unix)]
#[test]
fn parquet_is_not_read_from_a_device_and_text_is() {
    let folder = Folder::new("device");
    for (name, kind) in [
        ("t.csv", Ok(Kind::Csv)),
        ("t.parquet", Err("found Parquet in a pipe or a device; expected a file: Parquet is read from its end")),
    ] {
        let path = folder.file("x", b"").with_file_name(name);
        std::os::unix::fs::symlink("/dev/null", &path).expect("a link can be made");
        assert_eq!(open(&path).map(|f| f.kind()), kind.map_err(String::from), "{name}");
    }
}

/// Reads a whole file through a discipline, four packets at a time.
fn replay_all(replay: &mut Replay, trace: &Path) -> Result<(), ReplayError> {
    replay.read(TraceFile::open(trace)?, Classify::FiveTuple)?;
    while replay.step(4)? {}
    finish(replay)
}

#[test]
fn rows_are_written_in_the_traces_own_time() {
    // A byte takes a second, one packet may wait. The unknown column is passed over.
    let folder = Folder::new("rows");
    let text = "time_s,flow,size_bytes,colour\n1000.5,a,2,red\n1000.5,-b,1,red\n1000.5,a,1,red\n";
    let (trace, out) = (folder.file("t.csv", text.as_bytes()), folder.file("o.csv", b""));
    let mut replay = replay_of("8bit/s", r#"{"kind": "fcfs", "buffer": "1pkt"}"#, r#", "lenient": true"#);
    replay.write_csv(0, CsvOutput::create(&out).expect("a file"));
    replay_all(&mut replay, &trace).expect("a good trace");
    let at = |s: &str| format!("{s}.500000000000");
    let rows = format!(
        "{HEADER}1,a,2,{0},{0},{1},,0,0,\n2,'-b,1,{0},{1},{2},,0,0,\n3,a,1,{0},,,{0},1,0,full\n",
        at("1000"),
        at("1002"),
        at("1003")
    );
    assert_eq!(std::fs::read_to_string(&out).expect("the output"), rows);
    assert_eq!((replay.position(), replay.intake().is_lenient()), (text.len() as u64, true));
    // Without leave, an unknown column is an error.
    let strict = replay_all(&mut replay_of("8bit/s", r#""fcfs""#, ""), &trace);
    assert!(
        matches!(strict, Err(ReplayError::Trace(e)) if e.to_string().starts_with("line 1: found a column \"colour\";"))
    );
}

#[test]
fn a_capture_is_written_with_its_packets_at_their_departures() {
    // 100 bytes take 800 us; one packet may wait. They come from 1 to 7, of which 3 and 4 find no room.
    let packets = [
        (1_000_000, 1),
        (1_000_100, 2),
        (1_000_200, 3),
        (1_000_300, 4),
        (1_002_500, 5),
        (1_002_600, 6),
        (1_009_000, 7),
    ];
    let folder = Folder::new("capture");
    let bytes = pcap(&packets.map(|(us, source)| (us, source, 72)));
    let (trace, out) = (folder.file("t.pcap", &bytes), folder.file("o.pcapng", b""));
    let mut replay = replay_of("1Mbit/s", r#"{"kind": "fcfs", "buffer": "1pkt"}"#, "");
    replay.write_capture(0, CaptureOutput::create(&out).expect("a file"));
    replay_all(&mut replay, &trace).expect("a good trace");
    assert_eq!(replay.position(), bytes.len() as u64);
    let mut reader = Reader::open(&out).expect("a capture");
    let mut got = Vec::new();
    while let Some(frame) = reader.next().expect("a good capture") {
        got.push((frame.time.nanos() / 1000, frame.captured[15], frame.bytes));
    }
    let due = [(1_000_800, 1), (1_001_600, 2), (1_003_300, 5), (1_004_100, 6), (1_009_800, 7)];
    assert_eq!(got, due.map(|(us, source)| (us, source, 100)));
}

#[test]
fn a_departure_is_written_to_the_nearest_nanosecond() {
    // 100 bytes at 7 Mbit/s take 114,285.714 ns.
    let folder = Folder::new("nanoseconds");
    let (trace, out) = (folder.file("t.pcap", &pcap(&[(1_000_000, 1, 72)])), folder.file("o.pcapng", b""));
    let mut replay = replay_of("7Mbit/s", r#""fcfs""#, "");
    replay.write_capture(0, CaptureOutput::create(&out).expect("a file"));
    replay_all(&mut replay, &trace).expect("a good trace");
    let mut reader = Reader::open(&out).expect("a capture");
    let time = reader.next().expect("a good capture").expect("a packet").time;
    assert_eq!(time.nanos(), 1_000_114_286);
}

#[cfg(target_os = "linux")]
#[test]
fn a_capture_that_finds_no_room_is_an_error() {
    // A few packets are written at the end, 100,000 of them on the way.
    let folder = Folder::new("full");
    for n in [3, 100_000] {
        let trace = folder.file("t.pcap", &pcap(&vec![(1, 1, 72); n]));
        let mut replay = replay_of("1Gbit/s", r#"{"kind": "fcfs", "buffer": "1000000pkt"}"#, "");
        replay.write_capture(0, CaptureOutput::create(Path::new("/dev/full")).expect("a device"));
        replay.read(TraceFile::open(&trace).expect("a file"), Classify::FiveTuple).expect("a capture");
        let on_the_way = loop {
            match replay.step(1000) {
                Ok(true) => {}
                Ok(false) => break None,
                Err(e) => break Some(e),
            }
        };
        assert!(on_the_way.is_none(), "nothing leaves at the first instant but the first packet");
        let ends = loop {
            match replay.finish(1000) {
                Ok(true) => {}
                Ok(false) => panic!("{n} packets were written into nothing"),
                Err(e) => break e,
            }
        };
        assert!(matches!(&ends, ReplayError::Output(e) if e.to_string().contains("No space left")), "{ends:?}");
        // Before the end: what is left of many is still waiting.
        assert_eq!(replay.all(0).sent < n as u64, n == 100_000);
    }
}

#[test]
fn a_capture_that_is_cut_off_says_after_which_packet() {
    let bytes = pcap(&[(1, 1, 72), (2, 1, 72), (3, 1, 72)]);
    let read = |bytes: &[u8], lenient| {
        let rate = Rate::from_bps(1_000_000).expect("above zero");
        let (mut intake, bytes) = (Intake::new(lenient, rate, Ecn::NotEct), bytes.to_vec());
        let mut trace = CaptureTrace::new(std::io::Cursor::new(bytes), Classify::FiveTuple).expect("a capture");
        loop {
            match trace.read(1, &mut intake, None) {
                Ok(true) => {}
                Ok(false) => return Ok((intake.packets, intake.skipped().clone().into_iter().collect::<Vec<_>>())),
                Err(e) => return Err(e.to_string()),
            }
        }
    };
    assert_eq!(read(&bytes, false), Ok((3, vec![])));
    // In the head of the third packet.
    let cut = &bytes[..bytes.len() - 35];
    let said = read(cut, false).expect_err("it is cut off");
    assert!(said.starts_with("packet 3: found "), "{said}");
    assert_eq!(read(cut, true), Ok((2, vec![("cut_off", 1)])));
}

#[test]
fn a_table_has_no_position() {
    let mut replay = replay_of("8bit/s", r#""fcfs""#, "");
    replay.push(&seconds(&[(0, 0, 1)])).expect("a good trace");
    assert_eq!(replay.position(), 0);
}
