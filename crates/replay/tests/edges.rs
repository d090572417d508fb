//! Whole replays by hand: what is counted, what is reported at the edges, and the comments in a capture.

use crate::common;

use common::{Folder, finish, pcap, replay_of, seconds};
use headgate_capture::Classify;
use headgate_queue::DropReason;
use headgate_replay::capture::CaptureOutput;
use headgate_replay::table::Columns;
use headgate_replay::{Fate, Options, ReplayError, Series, TraceFile};

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

/// The numbers of drops by reason; 0 for those that are not given.
fn by_reason(given: &[(DropReason, u64)]) -> [u64; DropReason::ALL.len()] {
    let mut all = [0; DropReason::ALL.len()];
    given.iter().for_each(|(reason, count)| all[*reason as usize] = *count);
    all
}

#[test]
fn the_longest_trace_is_half_of_what_the_clock_holds() {
    let trace = |last: &str| format!("time_s,flow,size_bytes\n-1,a,1\n{last},a,1\n");
    assert_eq!(refusal("long", &trace("9223371.036854775807"), ""), "");
    let said = refusal("longer", &trace("9223371.036854775808"), "");
    let expected = "line 3: time_s: found 9223371.036854775808; expected at most 9223371.036854775807, 106 days after the first packet; --lenient leaves such packets out";
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
    // A byte takes a second; two packets may wait. a1 is sent 0-4. a2 and b1 wait; a3 finds no room. a2 is sent 4-6, b1 6-7. c arrives at an idle line.
    let mut replay = replay_of("8bit/s", r#"{"kind": "fcfs", "buffer": "2pkt"}"#, "");
    replay.push(&seconds(&[(0, 0, 4), (1, 0, 2), (2, 1, 1), (3, 0, 9), (10, 2, 5)])).expect("a good trace");
    finish(&mut replay).expect("a good trace");
    let all = replay.all(0);
    assert_eq!((all.packets, all.bytes, all.sent, all.sent_bytes, all.marks), (5, 21, 4, 12, 0));
    assert_eq!(all.drops, by_reason(&[(DropReason::Full, 1)]));
    // Delays of 0, 3, 4 and 0 s: half of them are at most 0, three quarters at most 3.
    let quantiles = [0.5, 0.51, 0.75, 0.76, 1.0].map(|q| all.delays.quantile(q));
    assert_eq!((all.delays.mean(), all.delays.greatest(), quantiles), (1.75, 4.0, [0.0, 3.0, 3.0, 4.0, 4.0]));
    let flows: Vec<_> = replay.flows(0).iter().map(|f| (f.packets, f.sent_bytes, f.drops)).collect();
    assert_eq!(flows, [(3, 6, by_reason(&[(DropReason::Full, 1)])), (1, 1, by_reason(&[])), (1, 5, by_reason(&[]))]);
    assert_eq!(replay.end(0).as_ps(), 15_000_000_000_000);
    assert_eq!(replay.counters(0).busy_ps, 12_000_000_000_000);
}

#[test]
fn marks_are_those_that_the_discipline_set() {
    // Above an average of one packet all are marked that can be: b's, not that of a, which is dropped, nor c's second, which came marked.
    let queue = r#"{"kind": "red", "weight": 1.0, "min_threshold": "1pkt", "max_threshold": "2pkt", "mark": true}"#;
    let mut replay = replay_of("8bit/s", queue, "");
    let packets = [(0, 0, 5), (0, 2, 5), (0, 2, 5), (1, 1, 5), (1, 2, 5), (1, 0, 5)];
    let ecn = Some(vec![0, 3, 2, 2, 3, 0]);
    replay.keep_rows(0);
    replay.push(&Columns { ecn, ..seconds(&packets) }).expect("a good trace");
    finish(&mut replay).expect("a good trace");
    let marked: Vec<_> = replay.rows(0, 9).iter().map(|r| matches!(r.fate, Fate::Sent { marked: true, .. })).collect();
    assert_eq!(marked, [false, false, false, true, false, false]);
    let marks: Vec<_> = replay.flows(0).iter().map(|f| f.marks).collect();
    assert_eq!((replay.all(0).marks, marks), (1, vec![0, 0, 1]), "flows in the order of a, c, b");
    assert_eq!(replay.all(0).drops, by_reason(&[(DropReason::AboveMax, 1)]));
}

#[test]
fn a_trace_without_an_ecn_field_has_what_the_options_say() {
    let queue = r#"{"kind": "red", "weight": 1.0, "min_threshold": "1pkt", "max_threshold": "2pkt", "mark": true}"#;
    // The averages before each are 0, 0, 1, 2 and 2 packets; those at the upper threshold are marked or dropped.
    for (ecn, due) in [("capable", (2, 0)), ("not-capable", (0, 2))] {
        let mut replay = replay_of("8bit/s", queue, &format!(r#", "conventions": {{"ecn": "{ecn}"}}"#));
        replay.push(&seconds(&[(0, 0, 5); 5])).expect("a good trace");
        finish(&mut replay).expect("a good trace");
        assert_eq!((replay.all(0).marks, replay.all(0).drops.iter().sum::<u64>()), due, "{ecn}");
    }
}

#[test]
fn a_series_is_kept_where_it_is_asked_for() {
    let packets = seconds(&[(0, 0, 4), (1, 0, 2)]);
    for wanted in [false, true] {
        let mut replay = replay_of("8bit/s", r#""fcfs""#, &format!(r#", "series": {wanted}"#));
        replay.push(&packets).expect("a good trace");
        finish(&mut replay).expect("a good trace");
        let sum = |series: &Series| {
            series.flux().iter().map(|f| (f.arrived, f.departed)).fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1))
        };
        assert_eq!(replay.series(0).map(sum), wanted.then_some((6, 6)));
    }
}

#[test]
fn options_are_written_with_their_defaults() {
    let options = Options::from_json(r#"{"rate": "8bit/s", "queues": []}"#).expect("options");
    let due = r#"{"rate":"8bit/s","queues":[],"seed":1,"conventions":{"in_service":"extra","ties":"first","at_departure":"departures-first","ecn":"not-capable"},"lenient":false,"series":false}"#;
    assert_eq!(options.to_json(), due);
}

#[test]
fn what_would_leave_beyond_the_clock_is_an_error() {
    // 2,305,843 bytes at 1 bit/s take 2^64 ps less 9 days: the first leaves in time, the second does not.
    for (packets, fits) in [(1, true), (2, false)] {
        let mut replay = replay_of("1bit/s", r#""fcfs""#, "");
        replay.push(&seconds(&vec![(0, 0, 2_305_843); packets])).expect("a good trace");
        let said = finish(&mut replay).map_err(|e| match e {
            ReplayError::Trace(e) => e.to_string(),
            ReplayError::Output(e) => panic!("nothing is written: {e}"),
        });
        let late =
            "the last packet would leave more than 213 days after the arrival of the first one; expected a higher rate";
        assert_eq!(said, if fits { Ok(()) } else { Err(late.to_owned()) });
    }
}

#[test]
fn drops_by_reason() {
    let packets = [(0, 0, 5), (0, 0, 5), (0, 0, 5), (1, 1, 5), (1, 0, 5)];
    for (queue, drops) in [
        // b evicts a's last packet, and a's next one finds no room.
        (r#"{"kind": "fq", "buffer": "2pkt"}"#, by_reason(&[(DropReason::Full, 1), (DropReason::Evicted, 1)])),
        // Above an average of one packet all are dropped.
        (
            r#"{"kind": "red", "weight": 1.0, "min_threshold": "1pkt", "max_threshold": "2pkt"}"#,
            by_reason(&[(DropReason::AboveMax, 2)]),
        ),
    ] {
        let mut replay = replay_of("8bit/s", queue, "");
        replay.push(&seconds(&packets)).expect("a good trace");
        finish(&mut replay).expect("a good trace");
        assert_eq!(replay.all(0).drops, drops, "{queue}: by reason");
        let sum = |i: usize| replay.flows(0).iter().map(|f| f.drops[i]).sum::<u64>();
        assert_eq!(std::array::from_fn(sum), drops, "{queue}: of all flows");
    }
}

#[test]
fn comments_tell_what_became_of_a_flow() {
    // 100 bytes take 800 us; one packet may wait. Flow 1's first is sent at 0; its second waits 700 us, until which its next two are dropped, of
    // which its comment says; flow 2's first is dropped at 400 and its second waits from 900 to 1600, with a comment on that drop. The rest finds
    // an idle line.
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
