//! A trace through a port: worked examples of the conventions, closed forms, and what must hold for every discipline.

use headgate_packet::{Ecn, Rate, Serialiser, Time};
use headgate_queue::{DropReason, Dropped, LIST, Sent, Spec};
use headgate_replay::{
    Arrival, AtDeparture, Conventions, EcnDefault, Fate, InService, Replayer, Row, Rows, Ties, Watch,
};
use headgate_sim::link::LineRate;
use num_rational::BigRational as Q;
use proptest::prelude::*;

const SECOND: u64 = 1_000_000_000_000;

/// Fills rows, and remembers the order of transmissions.
#[derive(Default)]
struct Recorder {
    rows: Rows,
    order: Vec<u32>,
}

impl Watch for Recorder {
    fn sent(&mut self, s: &Sent) {
        self.order.push(s.packet.handle);
        self.rows.close(s.packet.handle, Fate::Sent { start: s.start, departure: s.end, marked: false });
    }
    fn dropped(&mut self, dropped: &Dropped) {
        let Dropped { at, handle, reason, .. } = *dropped;
        self.rows.close(handle, Fate::Dropped { at, reason });
    }
}

/// Rows and order of transmissions of packets (time in ps, flow, bytes, priority); the flows are numbered as they arrive.
fn run(spec: &str, bps: u64, conventions: Conventions, packets: &[(u64, u32, u32, u8)]) -> (Vec<Row>, Vec<u32>) {
    let spec: Spec = serde_json::from_str(spec).expect("a discipline");
    let mut replayer = Replayer::new(&spec, &LineRate::Fixed(Rate::from_bps(bps).expect("above zero")), 1, conventions);
    let (mut recorder, mut known) = (Recorder::default(), Vec::new());
    for (i, &(at, name, bytes, priority)) in packets.iter().enumerate() {
        let flow = known.iter().position(|n| *n == name).unwrap_or(known.len()) as u32;
        if flow as usize == known.len() {
            known.push(name);
        }
        let number = i as u64 + 1;
        let arrival = Arrival {
            at: Time::from_ps(at),
            number,
            flow,
            weight: 1,
            bytes,
            priority,
            ecn: Ecn::Ect0,
            ..Arrival::default()
        };
        recorder.rows.open(&arrival);
        replayer.arrive(&arrival, i as u32, &mut recorder);
    }
    while replayer.drain(1, &mut recorder) {}
    assert!(replayer.is_empty());
    (std::mem::take(recorder.rows.done()), recorder.order)
}

/// Times of departure in s, and -1 for a dropped packet; a byte takes a second, packets are (second, flow, bytes).
fn departures(spec: &str, conventions: Conventions, packets: &[(u64, u32, u32)]) -> Vec<i64> {
    let packets: Vec<_> = packets.iter().map(|&(at, flow, bytes)| (at * SECOND, flow, bytes, 0)).collect();
    let departure = |row: &Row| match row.fate {
        Fate::Sent { departure, .. } => (departure.as_ps() / SECOND) as i64,
        Fate::Dropped { .. } => -1,
        Fate::Open => panic!("open at the end"),
    };
    run(spec, 8, conventions, &packets).0.iter().map(departure).collect()
}

const DEFAULT: Conventions = Conventions {
    in_service: InService::Extra,
    ties: Ties::First,
    at_departure: AtDeparture::DeparturesFirst,
    ecn: EcnDefault::Capable,
};
const COUNTS: Conventions = Conventions { in_service: InService::Counts, ..DEFAULT };
const TOGETHER: Conventions = Conventions { ties: Ties::Together, ..DEFAULT };
const ARRIVALS_FIRST: Conventions = Conventions { at_departure: AtDeparture::ArrivalsFirst, ..DEFAULT };

#[test]
fn first_come_first_served() {
    // The line is busy from 0 to 3 and on to 5, idle to 6, busy to 7.
    assert_eq!(departures(r#""fcfs""#, DEFAULT, &[(0, 0, 3), (1, 1, 2), (6, 0, 1)]), [3, 5, 7]);
}

#[test]
fn fair_queueing() {
    // R grows by 8 bits/s over the active flows. At 0 flow 0 sends 4 bytes (F = 32) and queues 4 more (F = 64). At 1, R = 8: flow 1
    // brings 2 bytes, F = 8 + 16 = 24, and again 2, F = 40. At 4 the bids are 64, 24, 40: flow 1 is sent twice, until 6 and 8.
    let packets = [(0, 0, 4), (0, 0, 4), (1, 1, 2), (1, 1, 2)];
    assert_eq!(departures(r#""fq""#, DEFAULT, &packets), [4, 12, 6, 8]);
    assert_eq!(departures(r#""fcfs""#, DEFAULT, &packets), [4, 8, 10, 12]);
}

#[test]
fn the_packet_in_transmission_may_count() {
    // Room for two. Packet 0 is in transmission to 9. It is extra: 1 and 2 wait, 3 is dropped. It counts: 1 waits, 2 and 3 are
    // dropped; at 9 it has left, 1 is in transmission and counts instead, so that 4 waits and 5 is dropped.
    let packets = [(0, 0, 9), (1, 0, 1), (2, 0, 1), (3, 0, 1), (9, 0, 1), (9, 0, 1)];
    assert_eq!(departures(r#"{"kind": "fcfs", "buffer": "2pkt"}"#, DEFAULT, &packets), [9, 10, 11, -1, 12, -1]);
    assert_eq!(departures(r#"{"kind": "fcfs", "buffer": "2pkt"}"#, COUNTS, &packets), [9, 10, -1, -1, 11, -1]);
    // In bytes: 9 in transmission and 1 waiting leave no room for 1 more of 10, but it has room when 9 are extra.
    let packets = [(0, 0, 9), (1, 0, 1), (2, 0, 1)];
    assert_eq!(departures(r#"{"kind": "fcfs", "buffer": "10B"}"#, DEFAULT, &packets), [9, 10, 11]);
    assert_eq!(departures(r#"{"kind": "fcfs", "buffer": "10B"}"#, COUNTS, &packets), [9, 10, -1]);
}

#[test]
fn packets_at_one_instant_at_an_idle_line() {
    // The first starts, or Fair Queueing sees both and prefers the short one (F = 16 against 40).
    let packets = [(0, 0, 5), (0, 1, 2)];
    assert_eq!(departures(r#""fq""#, DEFAULT, &packets), [5, 7]);
    assert_eq!(departures(r#""fq""#, TOGETHER, &packets), [7, 2]);
    // The same later, at a line that has been busy before.
    let packets = [(0, 0, 1), (3, 0, 5), (3, 1, 2)];
    assert_eq!(departures(r#""fq""#, DEFAULT, &packets), [1, 8, 10]);
    assert_eq!(departures(r#""fq""#, TOGETHER, &packets), [1, 10, 5]);
    // Room for one: the first packet starts and leaves it to the second, or both want it.
    let one = r#"{"kind": "fcfs", "buffer": "1pkt"}"#;
    assert_eq!(departures(one, DEFAULT, &[(0, 0, 2), (0, 0, 2)]), [2, 4]);
    assert_eq!(departures(one, TOGETHER, &[(0, 0, 2), (0, 0, 2)]), [2, -1]);
}

#[test]
fn an_arrival_at_the_end_of_a_transmission() {
    let one = r#"{"kind": "fcfs", "buffer": "1pkt"}"#;
    // At 2 packet 0 ends. It makes room by letting 1 start, or 2 finds 1 still waiting.
    let packets = [(0, 0, 2), (1, 0, 2), (2, 0, 2)];
    assert_eq!(departures(one, DEFAULT, &packets), [2, 4, 6]);
    assert_eq!(departures(one, ARRIVALS_FIRST, &packets), [2, 4, -1]);
    // Nothing waits at 2: packet 1 starts at once and 2 waits, or 1 waits for the departure and 2 has no room.
    let packets = [(0, 0, 2), (2, 0, 2), (2, 0, 2)];
    assert_eq!(departures(one, DEFAULT, &packets), [2, 4, 6]);
    assert_eq!(departures(one, ARRIVALS_FIRST, &packets), [2, 4, -1]);
    // At an idle line there is no departure to wait for.
    assert_eq!(departures(one, ARRIVALS_FIRST, &[(0, 0, 2), (0, 0, 2)]), [2, 4]);
    assert_eq!(departures(one, ARRIVALS_FIRST, &[(0, 0, 1), (5, 0, 2), (5, 0, 2)]), [1, 7, 9]);
    // With arrivals first the packet in transmission also counts through its end.
    let both = Conventions { in_service: InService::Counts, ..ARRIVALS_FIRST };
    assert_eq!(departures(one, COUNTS, &[(0, 0, 2), (2, 0, 2), (5, 0, 1)]), [2, 4, 6]);
    assert_eq!(departures(one, both, &[(0, 0, 2), (2, 0, 2), (5, 0, 1)]), [2, -1, 6]);
}

#[test]
fn priorities_reach_the_discipline() {
    let packets = [(0, 0, 1, 1), (0, 0, 1, 2), (0, 1, 1, 1), (0, 2, 1, 0)];
    assert_eq!(run(r#""strict_priority""#, 8, DEFAULT, &packets).1, [0, 3, 2, 1]);
}

/// Fair Queueing in exact fractions from the papers' definition alone: the order of transmissions without a buffer limit.
fn reference(bps: u64, packets: &[(u64, u32, u32, u8)]) -> Vec<u32> {
    let q = |n: u64| Q::from_integer(n.into());
    let rate = q(bps) / q(SECOND);
    let (mut now, mut round, mut finish) = (q(0), q(0), vec![q(0); 8]);
    let (mut free, mut order) = (q(0), Vec::new());
    let mut waiting: Vec<(Q, u32)> = Vec::new();
    let mut send = |free: &mut Q, waiting: &mut Vec<(Q, u32)>, by: Option<&Q>| {
        while !waiting.is_empty() && by.is_none_or(|t| *free <= *t) {
            let first = (0..waiting.len()).min_by(|a, b| waiting[*a].cmp(&waiting[*b])).expect("not empty");
            let (_, handle) = waiting.remove(first);
            order.push(handle);
            *free += q(8 * u64::from(packets[handle as usize].2)) / &rate;
        }
    };
    for (handle, &(at, flow, bytes, _)) in packets.iter().enumerate() {
        let at = q(at);
        send(&mut free, &mut waiting, Some(&at));
        while now < at {
            let active = finish.iter().filter(|f| **f > round).count() as u64;
            let Some(next) = finish.iter().filter(|f| **f > round).min().cloned() else { break };
            let reached = &now + (&next - &round) * q(active) / &rate;
            if reached > at {
                round += (&at - &now) * &rate / q(active);
                break;
            }
            (now, round) = (reached, next);
        }
        now = at.clone();
        let last = &mut finish[flow as usize];
        *last = last.clone().max(round.clone()) + q(8 * u64::from(bytes));
        waiting.push((last.clone(), handle as u32));
        free = free.max(at.clone());
        send(&mut free, &mut waiting, Some(&at));
    }
    send(&mut free, &mut waiting, None);
    order
}

fn conventions() -> impl Strategy<Value = Conventions> {
    (any::<bool>(), any::<bool>(), any::<bool>()).prop_map(|(counts, together, arrivals)| Conventions {
        in_service: if counts { InService::Counts } else { InService::Extra },
        ties: if together { Ties::Together } else { Ties::First },
        at_departure: if arrivals { AtDeparture::ArrivalsFirst } else { AtDeparture::DeparturesFirst },
        ..DEFAULT
    })
}

/// Packets at multiples of 1 ms, whose transmissions at 8 kbit/s take multiples of 1 ms: many things fall on one instant.
fn packets() -> impl Strategy<Value = Vec<(u64, u32, u32, u8)>> {
    prop::collection::vec((0..30u64, 0..6u32, 1..30u32, 0..4u8), 1..150).prop_map(|gaps| {
        let mut now = 0;
        let mut at = |gap: u64| {
            now += gap * SECOND / 1000;
            now
        };
        gaps.into_iter().map(|(gap, flow, bytes, priority)| (at(gap), flow, bytes, priority)).collect()
    })
}

proptest! {
    #[test]
    fn fcfs_has_its_closed_form(packets in packets(), bps in prop::sample::select(vec![8_000u64, 10_000_000, 1_000_000_000, 56_000, 333])) {
        let (rows, _) = run(r#"{"kind": "fcfs", "buffer": "1000000pkt"}"#, bps, DEFAULT, &packets);
        let (mut line, mut previous, mut bits) = (Serialiser::new(Rate::from_bps(bps).unwrap()), Time::ZERO, 0u128);
        for (row, &(at, _, bytes, _)) in rows.iter().zip(&packets) {
            let start = previous.max(Time::from_ps(at));
            // size / rate: an exact number of ps at most rates here; where it is not, the line carries the remainder.
            let exact = 8 * u128::from(SECOND) * u128::from(bytes);
            bits += exact;
            previous = start + line.transmit(bytes);
            let took = u128::from(previous.since(start).as_ps());
            prop_assert!(took == exact / u128::from(bps) || took == exact.div_ceil(u128::from(bps)));
            prop_assert_eq!(row.fate, Fate::Sent { start, departure: previous, marked: false });
        }
        let busy: u128 = rows.iter().map(|row| match row.fate {
            Fate::Sent { start, departure, .. } => u128::from(departure.since(start).as_ps()),
            _ => 0,
        }).sum();
        prop_assert_eq!(busy, bits / u128::from(bps));
    }

    #[test]
    fn fq_sends_in_the_order_of_bit_by_bit_round_robin(packets in packets()) {
        let (_, order) = run(r#"{"kind": "fq", "buffer": "1000000pkt"}"#, 8_000, DEFAULT, &packets);
        prop_assert_eq!(order, reference(8_000, &packets));
    }

    #[test]
    fn every_discipline_under_every_convention(
        packets in packets(), conventions in conventions(),
        buffer in prop::sample::select(vec!["1pkt", "4pkt", "60B", "1000pkt"]),
    ) {
        for entry in LIST {
            let spec = format!(r#"{{"kind": "{}", "buffer": "{buffer}"}}"#, entry.name);
            let (rows, order) = run(&spec, 8_000, conventions, &packets);
            // A row per packet, in the order of arrival; what was not dropped was sent, one at a time.
            prop_assert!(rows.iter().map(|r| r.arrival.number).eq(1..=packets.len() as u64), "{}", entry.name);
            let drops = rows.iter().filter(|r| matches!(r.fate, Fate::Dropped { .. })).count();
            prop_assert_eq!(order.len() + drops, packets.len());
            // Where packets are interrupted the parts of several are between the start of one and its end.
            let in_parts = serde_json::from_str::<headgate_queue::Spec>(&spec).expect("valid").preempts();
            let mut free = Time::ZERO;
            for &handle in &order {
                let row = &rows[handle as usize];
                let Fate::Sent { start, departure, .. } = row.fate else { panic!("{}: sent and dropped", entry.name) };
                prop_assert!((in_parts || start >= free) && start >= row.arrival.at && departure >= free, "{}", entry.name);
                prop_assert_eq!(departure.since(start).as_ps(), u64::from(row.arrival.bytes) * SECOND / 1000);
                free = departure;
            }
            prop_assert_eq!(run(&spec, 8_000, conventions, &packets), (rows, order), "{}: the same again", entry.name);
        }
    }
}

#[test]
fn an_evicted_packet_says_so_and_when() {
    // Room for two. 0 is in transmission; 1 and 2 of flow 0 wait; 3 of flow 1 takes the place of 2.
    let packets = [(0, 0, 5, 0), (0, 0, 5, 0), (0, 0, 5, 0), (SECOND, 1, 5, 0)];
    let (rows, _) = run(r#"{"kind": "fq", "buffer": "2pkt"}"#, 8, DEFAULT, &packets);
    assert_eq!(rows[2].fate, Fate::Dropped { at: Time::from_ps(SECOND), reason: DropReason::Evicted });
}
