//! What a discipline decides follows from what has arrived: neither from how a trace is cut into tables nor from what arrives later.

use headgate_queue::{LIST, Spec};
use headgate_replay::table::{Columns, Times};
use headgate_replay::{Fate, Options, Replay, Row};
use proptest::prelude::*;

const SECOND: u64 = 1_000_000_000_000;
const FLOWS: usize = 6;

/// A packet: its time in ms, its flow, its length in bytes and its priority.
type Packet = (i64, i32, i64, i64);

fn columns(packets: &[Packet], weights: &[i64; FLOWS]) -> Columns {
    Columns {
        times: Times::Ticks(packets.iter().map(|p| p.0).collect(), 1_000_000_000),
        flows: packets.iter().map(|p| p.1).collect(),
        names: (0..FLOWS).map(|i| i.to_string()).collect(),
        sizes: packets.iter().map(|p| p.2).collect(),
        weights: Some(packets.iter().map(|p| weights[p.1 as usize]).collect()),
        priorities: Some(packets.iter().map(|p| p.3).collect()),
        ecn: Some(packets.iter().map(|p| p.2 & 3).collect()),
        sources: None,
        destinations: None,
    }
}

/// The rows of packets that arrive in tables of these lengths, the last length for all that follow.
fn replay(queue: &str, rate: &str, conventions: &str, tables: &[Columns]) -> Vec<Row> {
    let options = format!(r#"{{"rate": "{rate}", "queues": [{queue}], "conventions": {conventions}}}"#);
    let mut replay = Replay::new(&Options::from_json(&options).expect("options"));
    replay.keep_rows(0);
    for table in tables {
        replay.push(table).expect("a good trace");
    }
    while replay.finish(7).expect("a good trace") {}
    let mut rows = Vec::new();
    while rows.len() < tables.iter().map(|t| t.flows.len()).sum() {
        rows.extend(replay.rows(0, 100));
    }
    rows
}

fn pieces(packets: &[Packet], weights: &[i64; FLOWS], lengths: &[usize]) -> Vec<Columns> {
    let (mut rest, mut tables) = (packets, Vec::new());
    for &length in lengths.iter().cycle() {
        let (piece, left) = rest.split_at(length.min(rest.len()));
        tables.push(columns(piece, weights));
        rest = left;
        if rest.is_empty() {
            return tables;
        }
    }
    unreachable!("there is a length")
}

/// Departures in ms.
fn departures(rows: &[Row]) -> Vec<u64> {
    let ms = |row: &Row| match row.fate {
        Fate::Sent { departure, .. } => departure.as_ps() / (SECOND / 1000),
        _ => panic!("{row:?} was to be sent"),
    };
    rows.iter().map(ms).collect()
}

#[test]
fn a_flow_is_unknown_before_its_first_packet() {
    // At 8 bit/s a byte takes a second. A is alone at 0 s and has the whole line: its second packet has the stamp 3 s. At 0.5 s B arrives and
    // each has half: B's stamp is 0.5 + 4 s. Had B been known at 0 s, A's stamp were 6 s.
    let packets = [(0, 0, 1, 0), (0, 0, 2, 0), (500, 1, 2, 0)];
    for lengths in [&[3][..], &[2], &[1]] {
        let rows = replay(r#""virtual_clock""#, "8bit/s", "{}", &pieces(&packets, &[1; FLOWS], lengths));
        assert_eq!(departures(&rows), [1000, 3000, 5000], "in pieces of {lengths:?}");
    }
}

#[test]
fn a_heavy_flow_changes_nothing_before_it_comes() {
    // Two queues with a quantum of 100 bytes; a byte takes 10 ms. The third flow shares the first queue and has weight 3.
    let queue = r#"{"kind": "drr", "queues": 2, "quantum": "100B"}"#;
    let weights = [1, 1, 3, 1, 1, 1];
    let mut packets = vec![(0, 0, 100, 0)];
    packets.extend([(10, 0, 100, 0), (10, 0, 100, 0), (10, 1, 100, 0), (10, 1, 100, 0)]);
    packets.push((9_000, 2, 100, 0));
    let whole = replay(queue, "800bit/s", "{}", &pieces(&packets, &weights, &[packets.len()]));
    let without = replay(queue, "800bit/s", "{}", &pieces(&packets[..5], &weights, &[5]));
    assert_eq!(departures(&whole)[..5], departures(&without));
    assert_eq!(departures(&without), [1000, 2000, 4000, 3000, 5000]);
}

/// Packets at multiples of 1 ms, whose transmissions at 8 kbit/s take multiples of 1 ms: many things fall on one instant.
fn packets() -> impl Strategy<Value = Vec<Packet>> {
    let gap = prop_oneof![3 => Just(0), 5 => 0..30i64, 1 => 100..1000i64];
    prop::collection::vec((gap, 0..FLOWS as i32, 1..30i64, 0..4i64), 1..120).prop_map(|mut packets| {
        let mut now = 0;
        for packet in &mut packets {
            now += packet.0;
            packet.0 = now;
        }
        packets
    })
}

/// What is decided before a time: starts of transmissions and drops; ends of transmissions where they may be interrupted.
fn before(rows: &[Row], cut: i64, in_parts: bool) -> Vec<(u64, Fate)> {
    let early = |row: &&Row| match row.fate {
        Fate::Sent { start, departure, .. } => {
            (if in_parts { departure } else { start }).as_ps() < cut as u64 * (SECOND / 1000)
        }
        Fate::Dropped { at, .. } => at.as_ps() < cut as u64 * (SECOND / 1000),
        Fate::Open => panic!("{row:?} is open at the end"),
    };
    rows.iter().filter(early).map(|row| (row.arrival.number, row.fate)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn neither_batches_nor_the_future_matter(
        packets in packets(),
        weights in prop::array::uniform6(1..5i64),
        lengths in prop::collection::vec(1..40usize, 1..8),
        cut in 0..120usize,
        (in_service, ties, at_departure) in (
            prop::sample::select(vec!["extra", "counts"]),
            prop::sample::select(vec!["first", "together"]),
            prop::sample::select(vec!["departures-first", "arrivals-first"]),
        ),
        buffer in prop::sample::select(vec!["1pkt", "4pkt", "60B", "1000pkt"]),
    ) {
        let conventions =
            format!(r#"{{"in_service": "{in_service}", "ties": "{ties}", "at_departure": "{at_departure}"}}"#);
        let kinds = LIST.iter().map(|entry| format!(r#"{{"kind": "{}", "buffer": "{buffer}""#, entry.name));
        let more = ["drr", "drr_plus"].map(|kind| format!(r#"{{"kind": "{kind}", "buffer": "{buffer}", "queues": 2, "quantum": "20B""#));
        for queue in kinds.chain(more) {
            let queue = format!("{queue}}}");
            let in_parts = serde_json::from_str::<Spec>(&queue).expect("valid").preempts();
            let run = |tables: &[Columns]| replay(&queue, "8kbit/s", &conventions, tables);
            let whole = run(&[columns(&packets, &weights)]);
            prop_assert_eq!(&run(&pieces(&packets, &weights, &lengths)), &whole, "{} in pieces", &queue);
            // Without its tail, up to the first packet of the tail.
            let cut = cut % packets.len();
            if cut > 0 {
                let until = packets[cut].0 - packets[0].0;
                let shorter = run(&[columns(&packets[..cut], &weights)]);
                prop_assert_eq!(before(&shorter, until, in_parts), before(&whole, until, in_parts), "{} with {} packets only", &queue, cut);
            }
        }
    }
}
