//! Whole replays by hand: what is counted, what is said at the edges, and what a capture's comments tell.

use headgate_capture::Classify;
use headgate_replay::capture::CaptureOutput;
use headgate_replay::table::{Columns, Times};
use headgate_replay::{Options, Replay, ReplayError, TraceFile};
use std::path::PathBuf;

/// A folder that goes away with its owner.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("headgate-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a temporary folder can be made");
        Folder(path)
    }

    /// A file in it.
    fn file(&self, name: &str, content: &[u8]) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, content).expect("a temporary file can be written");
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn replay_of(rate: &str, queue: &str, more: &str) -> Replay {
    let options = format!(r#"{{"rate": "{rate}", "queues": [{queue}]{more}}}"#);
    Replay::new(&Options::from_json(&options).expect("options"))
}

fn finish(replay: &mut Replay) -> Result<(), ReplayError> {
    while replay.finish(1)? {}
    Ok(())
}

/// What a replay says of a CSV trace that it does not take.
fn refusal(name: &str, text: &str, more: &str) -> String {
    let folder = Folder::new(name);
    let file = TraceFile::open(&folder.file("t.csv", text.as_bytes())).expect("a file");
    let mut replay = replay_of("8Mbit/s", r#""fcfs""#, more);
    let go = || {
        replay.read(file, Classify::FiveTuple)?;
        while replay.step(1)? {}
        finish(&mut replay)
    };
    match go() {
        Ok(()) => String::new(),
        Err(ReplayError::Trace(e)) => e.to_string(),
        Err(ReplayError::Output(e)) => panic!("nothing is written: {e}"),
    }
}

/// A table of packets at whole seconds: (second, flow, bytes).
fn seconds(packets: &[(i64, i32, i64)]) -> Columns {
    Columns {
        times: Times::Ticks(packets.iter().map(|p| p.0).collect(), 1_000_000_000_000),
        flows: packets.iter().map(|p| p.1).collect(),
        names: ["a", "b", "c"].map(String::from).to_vec(),
        sizes: packets.iter().map(|p| p.2).collect(),
        weights: None,
        priorities: None,
        ecn: None,
    }
}

#[test]
fn the_longest_trace_is_half_of_what_the_clock_holds() {
    let trace = |last: &str| format!("time_s,flow,size_bytes\n-1,a,1\n{last},a,1\n");
    assert_eq!(refusal("long", &trace("9223371.036854775807"), ""), "");
    let said = refusal("longer", &trace("9223371.036854775808"), "");
    let expected = "line 3: time_s: found 9223371.036854775808; expected at most 9223371.036854775807, 106 days after the first packet";
    assert_eq!(said, expected);
}

#[test]
fn a_trace_without_packets_says_how_many_had_faults() {
    let header = "time_s,flow,size_bytes\n";
    assert_eq!(refusal("empty", header, ""), "holds no packets; expected at least one");
    let said = refusal("faults", &format!("{header}x,a,1\n0,,1\n0,a,0\n"), r#", "lenient": true"#);
    assert_eq!(said, "holds no packets but 3 with faults; expected at least one");
}

#[test]
fn counts_and_delays_by_hand() {
    // A byte takes a second; two packets may wait. a1 is sent 0-4. a2 and b1 wait; a3 finds no room. a2 is sent 4-6, b1 6-7. c comes to an idle line.
    let mut replay = replay_of("8bit/s", r#"{"kind": "fcfs", "buffer": "2pkt"}"#, "");
    replay.push(&seconds(&[(0, 0, 4), (1, 0, 2), (2, 1, 1), (3, 0, 9), (10, 2, 5)])).expect("a good trace");
    finish(&mut replay).expect("a good trace");
    let all = replay.all(0);
    assert_eq!((all.packets, all.bytes, all.sent, all.sent_bytes, all.marks), (5, 21, 4, 12, 0));
    assert_eq!(all.drops, [1, 0, 0]);
    // Delays of 0, 3, 4 and 0 s: half of them are at most 0, three quarters at most 3.
    let quantiles = [0.5, 0.51, 0.75, 0.76, 1.0].map(|q| all.delays.quantile(q));
    assert_eq!((all.delays.mean(), all.delays.greatest(), quantiles), (1.75, 4.0, [0.0, 3.0, 3.0, 4.0, 4.0]));
    let flows: Vec<_> = replay.flows(0).iter().map(|f| (f.packets, f.sent_bytes, f.drops)).collect();
    assert_eq!(flows, [(3, 6, [1, 0, 0]), (1, 1, [0; 3]), (1, 5, [0; 3])]);
    assert_eq!(replay.end(0).as_ps(), 15_000_000_000_000);
    assert_eq!(replay.counters(0).busy_ps, 12_000_000_000_000);
}

#[test]
fn drops_by_reason() {
    let packets = [(0, 0, 5), (0, 0, 5), (0, 0, 5), (1, 1, 5), (1, 0, 5)];
    for (queue, drops) in [
        // b evicts a's last packet, and a's next one finds no room.
        (r#"{"kind": "fq", "buffer": "2pkt"}"#, [1, 1, 0]),
        // Above an average of one packet all go.
        (r#"{"kind": "red", "weight": 1.0, "min_threshold": "1pkt", "max_threshold": "2pkt"}"#, [0, 0, 2]),
    ] {
        let mut replay = replay_of("8bit/s", queue, "");
        replay.push(&seconds(&packets)).expect("a good trace");
        finish(&mut replay).expect("a good trace");
        assert_eq!(replay.all(0).drops, drops, "{queue}: full, evicted, early");
        let sum = |i: usize| replay.flows(0).iter().map(|f| f.drops[i]).sum::<u64>();
        assert_eq!([sum(0), sum(1), sum(2)], drops, "{queue}: of all flows");
    }
}

/// A pcap of raw IPv4 packets of 28 bytes and this payload: (microsecond, last byte of the source, bytes of payload).
fn pcap(packets: &[(u32, u8, u32)]) -> Vec<u8> {
    let mut out = [0xa1b2_c3d4u32, 2 << 16 | 4, 0, 0, 65535, 101].map(u32::to_be_bytes).concat();
    for &(us, source, payload) in packets {
        out.extend([us / 1_000_000, us % 1_000_000, 28, 28 + payload].map(u32::to_be_bytes).concat());
        // ECT(0), UDP from port 1 to port 2.
        out.extend([0x45, 2, 0, 28 + payload as u8, 0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, source, 10, 0, 0, 9]);
        out.extend([0, 1, 0, 2, 0, 8 + payload as u8, 0, 0]);
    }
    out
}

#[test]
fn comments_tell_what_became_of_a_flow() {
    // 100 bytes take 800 us; one packet may wait. Flow 1's first is sent at 0; its second waits 700 us, until which its next two are dropped, of
    // which it tells; flow 2's first is dropped at 400 and its second waits from 900 to 1600 and tells of that. The rest finds an idle line.
    let packets = [(0, 1), (100, 1), (200, 1), (300, 1), (400, 2), (900, 2), (2_500, 1), (9_000, 1)];
    let folder = Folder::new("comments");
    let trace = folder.file("t.pcap", &pcap(&packets.map(|(us, source)| (us, source, 72))));
    let out = folder.file("o.pcapng", b"");
    let mut replay = replay_of("1Mbit/s", r#"{"kind": "fcfs", "buffer": "1pkt"}"#, "");
    replay.read(TraceFile::open(&trace).expect("a file"), Classify::FiveTuple).expect("a capture");
    replay.write_capture(0, CaptureOutput::create(&out).expect("a file"));
    while replay.step(3).expect("a good trace") {}
    finish(&mut replay).expect("a good trace");
    let written = std::fs::read(&out).expect("the output");
    let text = String::from_utf8_lossy(&written);
    let comments: Vec<&str> =
        text.match_indices("waited ").map(|(i, _)| text[i..].split('\0').next().unwrap()).collect();
    assert_eq!(
        comments.iter().map(|c| c.trim_end_matches(|x: char| !x.is_ascii_alphanumeric())).collect::<Vec<_>>(),
        [
            "waited 0.000000000000 s",
            "waited 0.000700000000 s; 2 of its flow dropped since the one before: full",
            "waited 0.000700000000 s; 1 of its flow dropped since the one before: full",
            "waited 0.000000000000 s",
            "waited 0.000000000000 s",
        ]
    );
}
