//! What is decided about single packets of a trace: as they arrive and as they leave, with the numbers of that moment.

use crate::common;

use common::{finish, replay_of};
use headgate_packet::Time;
use headgate_replay::Replay;
use headgate_replay::table::{Columns, Times};
use headgate_sim::{Cells, Tracks, Window};

const MS: i128 = 1_000_000_000;

/// Packets of 1500 bytes every ms, and one in 1.2 ms leaves: packet k waits 0.2 k ms while none is dropped.
fn overload(count: i64) -> Columns {
    Columns {
        times: Times::Ticks((0..count).collect(), MS),
        flows: vec![0; count as usize],
        names: vec!["a".to_owned()],
        sizes: vec![1500; count as usize],
        weights: None,
        priorities: None,
        ecn: None,
        sources: None,
        destinations: None,
    }
}

fn replay(queue: &str, more: &str, window: Option<Window>) -> Replay {
    let mut replay = replay_of("10Mbit/s", queue, more);
    replay.keep_rows(0);
    if let Some(window) = window {
        replay.decide(0, window);
    }
    replay.push(&overload(300)).expect("a good table");
    finish(&mut replay).expect("it ends");
    replay
}

fn column(tracks: &Tracks, name: &str) -> Vec<f64> {
    match &tracks.table().iter().find(|(n, _)| *n == name).expect(name).1 {
        Cells::Float(x) => x.clone(),
        Cells::Int(x) | Cells::Name(x, _) => x.iter().map(|v| *v as f64).collect(),
    }
}

/// The numbers of a row's departure.
fn leaving(tracks: &Tracks, row: usize) -> Vec<(&'static str, f64)> {
    let [shape, departs, first] = ["shape", "departure_shape", "first"].map(|name| column(tracks, name)[row] as usize);
    let values = match &tracks.values()[0].1 {
        Cells::Float(x) => x.clone(),
        _ => panic!("numbers are floats"),
    };
    let first = first + tracks.shapes()[shape].len();
    tracks.shapes()[departs].iter().zip(&values[first..]).map(|(number, value)| (number.name(), *value)).collect()
}

const ALL: Window = Window { from: Time::ZERO, to: Time::NEVER, most: 1000 };
const CODEL: &str = r#"{"kind": "codel", "buffer": "unlimited"}"#;

#[test]
fn a_drop_at_departure_has_the_numbers_of_the_departure() {
    let tracks = replay(CODEL, "", Some(ALL)).decided(0).expect("they were asked for");
    let [seq, start, arrival, departure] = ["seq", "start_s", "arrival", "departure"].map(|name| column(&tracks, name));
    let dropped: Vec<(f64, i64)> =
        (0..seq.len()).filter(|i| departure[*i] >= 2.0).map(|i| (seq[i], (start[i] * 1e6).round() as i64)).collect();
    // Packets have numbers from 1 on in a trace; the times are those of RFC 8289's pseudocode (crates/queue/tests/codel.rs).
    assert_eq!(dropped, [(110.0, 130_800), (195.0, 231_600), (255.0, 302_400)]);
    assert!(arrival.iter().all(|code| *code == 0.0));
    let numbers = leaving(&tracks, 109);
    assert!((numbers[0].1 - 0.0218).abs() < 1e-9 && numbers[0].0 == "sojourn", "{numbers:?}");
    assert!((0..seq.len()).all(|row| leaving(&tracks, row).len() >= 5), "every packet left");
}

#[test]
fn those_who_follow_change_nothing() {
    for more in
        ["", r#", "conventions": {"ties": "together"}"#, r#", "conventions": {"at_departure": "arrivals-first"}"#]
    {
        for queue in [CODEL, r#"{"kind": "drr", "buffer": "20pkt", "aqm": "codel"}"#, r#""red""#] {
            let (mut plain, mut followed) = (replay(queue, more, None), replay(queue, more, Some(ALL)));
            let rows = plain.rows(0, 1000);
            assert_eq!(rows, followed.rows(0, 1000), "{queue} {more}");
            let tracks = followed.decided(0).expect("they were asked for");
            let at = |at: f64| Time::from_ps((at * 1e12).round() as u64);
            let starts: Vec<Time> = column(&tracks, "start_s").into_iter().map(at).collect();
            let due: Vec<Time> = rows
                .iter()
                .map(|row| match row.fate {
                    headgate_replay::Fate::Sent { start, .. } => start,
                    headgate_replay::Fate::Dropped { at, .. } => at,
                    headgate_replay::Fate::Open => panic!("it is over"),
                })
                .collect();
            assert_eq!(starts, due, "{queue} {more}");
        }
    }
}
