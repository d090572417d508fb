//! Times out of order: one wrong time costs one packet, and packets within a window are sorted.

use crate::common;

use common::{Folder, finish, pcap, replay_of};
use headgate_capture::{Classify, Reader};
use headgate_packet::{Duration, Ecn, Rate};
use headgate_replay::capture::CaptureOutput;
use headgate_replay::{Flows, Intake, Place, Raw, Replay, TraceError, TraceFile};
use proptest::prelude::*;
use std::collections::BTreeMap;

const MS: i128 = 1_000_000_000;
/// 14 November 2023.
const EPOCH: i128 = 1_700_000_000_000 * MS;
const HOUR: i128 = 3_600_000 * MS;

/// The numbers of the packets that are taken of a trace with these times, and what is skipped.
fn taken(
    times: &[i128],
    lenient: bool,
    window: Duration,
) -> Result<(Vec<u64>, BTreeMap<&'static str, u64>), TraceError> {
    let rate = Rate::from_bps(1_000_000_000).expect("above zero");
    let mut intake = Intake::new(lenient, rate, Ecn::NotEct).sorted(window);
    for (i, &time) in times.iter().enumerate() {
        let number = i as u64 + 1;
        let hosts = [Flows::APART; 2];
        let raw = Raw {
            place: Place::Line(number + 1),
            number,
            time,
            size: 9,
            weight: None,
            hosts,
            priority: 0,
            ecn: None,
            shape: None,
        };
        // Each packet has a flow of its own, so that flows have to be numbered as packets are taken.
        intake.take(raw, |flows| flows.number(&number.to_string()))?;
    }
    intake.end()?;
    assert!(intake.arrivals.is_sorted_by_key(|arrival| arrival.at), "arrivals are in order");
    for (place, arrival) in intake.arrivals.iter().enumerate() {
        assert_eq!(
            (arrival.flow as usize, intake.flows.name(arrival.flow)),
            (place, arrival.number.to_string().as_str())
        );
    }
    assert_eq!(intake.packets, intake.arrivals.len() as u64);
    Ok((intake.arrivals.iter().map(|arrival| arrival.number).collect(), intake.skipped().clone()))
}

fn all_but(wrong: u64, of: u64) -> Vec<u64> {
    (1..=of).filter(|n| *n != wrong).collect()
}

/// Packets every millisecond.
fn regular(n: i128) -> Vec<i128> {
    (0..n).map(|i| EPOCH + i * MS).collect()
}

#[test]
fn one_wrong_time_costs_one_packet_wherever_it_is() {
    for place in 0..51 {
        for (wrong, kind) in [(0, "bad_time"), (EPOCH - HOUR, "time_backwards"), (EPOCH + HOUR, "time_ahead")] {
            let mut times = regular(51);
            times[place] = wrong;
            // A first packet that is an hour early, and a last one that is an hour late, contradict no other.
            if (place, kind) == (0, "time_backwards") || (place, kind) == (50, "time_ahead") {
                assert_eq!(taken(&times, true, Duration::ZERO), Ok(((1..=51).collect(), BTreeMap::new())));
                continue;
            }
            let kind = if wrong == 0 && place > 0 { "time_backwards" } else { kind };
            let number = place as u64 + 1;
            let due = (all_but(number, 51), BTreeMap::from([(kind, 1)]));
            assert_eq!(taken(&times, true, Duration::ZERO), Ok(due.clone()), "packet {number} at {wrong}");
            // The same where packets are sorted within a millisecond and a half.
            assert_eq!(
                taken(&times, true, Duration::from_ps(1_500_000_000)),
                Ok(due),
                "packet {number} at {wrong}, sorted"
            );
            for window in [Duration::ZERO, Duration::from_ps(1_500_000_000)] {
                let named = taken(&times, false, window).expect_err("an error").place;
                assert_eq!(named, format!("line {}", number + 1), "packet {number} at {wrong}");
            }
        }
    }
}

#[test]
fn several_wrong_times_cost_as_many_packets() {
    let mut times = regular(300);
    for place in [3, 4, 5, 40, 41, 100, 299] {
        times[place] -= HOUR;
    }
    for place in [10, 60, 61, 62, 63, 200, 297] {
        times[place] += HOUR;
    }
    let (numbers, skipped) = taken(&times, true, Duration::ZERO).expect("lenient");
    assert_eq!(numbers.len(), 300 - 14);
    assert_eq!(skipped, BTreeMap::from([("time_ahead", 7), ("time_backwards", 7)]));
}

#[test]
fn a_clock_that_is_set_back_costs_the_time_that_passes_twice() {
    // After 100 packets it is set back by 20 ms.
    let times: Vec<i128> = (0..300).map(|i| EPOCH + i * MS - if i < 100 { 0 } else { 20 * MS }).collect();
    let (numbers, skipped) = taken(&times, true, Duration::ZERO).expect("lenient");
    assert_eq!((numbers.len(), skipped.values().sum::<u64>()), (300 - 19, 19));
}

#[test]
fn packets_are_sorted_within_a_window() {
    let window = Duration::from_millis(2);
    let times: Vec<i128> = [0, 3, 1, 2, 2, 5, 3, 9, 7, 8].map(|ms| EPOCH + ms * MS).to_vec();
    // By time, and at one time as they stand in the trace.
    assert_eq!(taken(&times, false, window), Ok((vec![1, 3, 4, 5, 2, 7, 6, 9, 10, 8], BTreeMap::new())));
    // A picosecond more than the window is too much.
    let mut late = times.clone();
    late[6] -= 1;
    let e = taken(&late, false, window).expect_err("too late");
    // The one that is left out otherwise: it contradicts that one, which two more fit.
    let message = "line 7: time_s: found 1700000000.005000000000; expected 1700000000.004999999999 or earlier, the time of packets after it \
                   and the window in which packets are sorted; --lenient leaves such packets out";
    assert_eq!(e.to_string(), message);
    let (numbers, skipped) = taken(&late, true, window).expect("lenient");
    assert_eq!((numbers, skipped), (vec![1, 3, 4, 5, 7, 2, 9, 10, 8], BTreeMap::from([("time_ahead", 1)])));
}

/// The length of the longest sequence in order, by its definition: patience sorting (Fredman 1975).
fn longest_in_order(times: &[i128]) -> usize {
    let mut ends: Vec<i128> = Vec::new();
    for &time in times {
        let place = ends.partition_point(|end| *end <= time);
        if place == ends.len() { ends.push(time) } else { ends[place] = time }
    }
    ends.len()
}

proptest! {
    #[test]
    fn as_few_packets_as_possible_are_skipped(times in prop::collection::vec(0..20_i128, 1..32)) {
        let (numbers, skipped) = taken(&times, true, Duration::ZERO).expect("lenient");
        prop_assert_eq!(numbers.len(), longest_in_order(&times));
        prop_assert_eq!(numbers.len() as u64 + skipped.values().sum::<u64>(), times.len() as u64);
    }

    #[test]
    fn the_packet_that_is_named_is_the_first_that_would_be_left_out(
        steps in prop::collection::vec((0..4_i128, prop::option::weighted(0.03, -9..9_i128)), 1..150),
        far in prop::option::of((0..150_usize, prop::sample::select(vec![-EPOCH, HOUR, -HOUR, 400 * 24 * HOUR]))),
        window in 0..3_u64,
    ) {
        let mut times: Vec<i128> = steps.iter().scan(EPOCH, |at, (gap, _)| { *at += gap * MS; Some(*at) }).collect();
        times.iter_mut().zip(&steps).for_each(|(time, (_, wrong))| *time += wrong.unwrap_or(0) * MS);
        if let Some((place, by)) = far {
            let place = place % times.len();
            times[place] += by;
        }
        let window = Duration::from_millis(window);
        let (numbers, skipped) = taken(&times, true, window).expect("lenient");
        let first = (1..=times.len() as u64).find(|n| !numbers.contains(n));
        let named = taken(&times, false, window).err().map(|e| e.place);
        prop_assert_eq!(named, first.map(|n| format!("line {}", n + 1)));
        prop_assert_eq!(first.is_none(), skipped.is_empty());
    }

    #[test]
    fn a_window_sorts_as_the_whole_trace_is_sorted(jitter in prop::collection::vec(0..1000_i128, 1..400), lenient in any::<bool>()) {
        let times: Vec<i128> = jitter.iter().zip(0..).map(|(late, i)| EPOCH + i * 100 + late).collect();
        let mut due: Vec<u64> = (1..=times.len() as u64).collect();
        due.sort_by_key(|n| times[*n as usize - 1]);
        let got = taken(&times, lenient, Duration::from_ps(1000));
        prop_assert_eq!(got, Ok((due, BTreeMap::new())));
    }
}

/// Reads a file to its end, three packets at a time.
fn read(replay: &mut Replay, folder: &Folder, bytes: &[u8]) {
    let trace = TraceFile::open(&folder.file("t.pcap", bytes)).expect("a file");
    replay.read(trace, Classify::Source).expect("a capture");
    while replay.step(3).expect("lenient") {}
    finish(replay).expect("lenient");
}

#[test]
fn the_packets_of_a_capture_keep_their_bytes() {
    // The last byte of the source, and the payload, say which packet it is.
    let ms = [10, 20, 3_600_000, 30, 40, 0, 60, 50, 70];
    let packets: Vec<(u32, u8, u32)> = ms.iter().zip(1..).map(|(ms, n)| (ms * 1000, n, u32::from(n))).collect();
    for (window, due) in [("0s", vec![1, 2, 4, 5, 7, 9]), ("10ms", vec![1, 2, 4, 5, 8, 7, 9])] {
        let folder = Folder::new("order");
        let more = format!(r#", "lenient": true, "sort": "{window}""#);
        let mut replay = replay_of("1Gbit/s", r#""fcfs""#, &more);
        let out = folder.file("o.pcapng", b"");
        replay.write_capture(0, CaptureOutput::create(&out).expect("a file"));
        read(&mut replay, &folder, &pcap(&packets));
        let mut reader = Reader::open(&out).expect("a capture");
        let mut sent = Vec::new();
        while let Some(frame) = reader.next().expect("a good capture") {
            assert_eq!(frame.bytes, 28 + u32::from(frame.captured[15]));
            sent.push(frame.captured[15]);
        }
        assert_eq!(sent, due, "sorted within {window}");
        assert_eq!(replay.intake().flows.names()[0], "10.0.0.1 > *");
    }
}
