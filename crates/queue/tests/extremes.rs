//! Every discipline and every AQM with its parameters at the ends of their ranges, alone and together, on lines of 1 kbit/s to 400 Gbit/s.
//!
//! Debug builds check every sum and product, so that one that wraps is a panic here.

use crate::common::told::each_sent;
#[path = "../../packet/tests/common/ends.rs"]
mod ends;

use crate::common::cases::cases;
use headgate_packet::{Duration, Ecn, FlowId, Packet, Rate, Rng, Time};
use headgate_queue::{Discipline, LIST, LinkInfo, Port, Spec, aqm};
use proptest::prelude::*;
use serde_json::{Value, json};

/// An arrival: the gap to the one before in picoseconds, flow, bytes.
type Arrival = (u64, u32, u32);

const FLOWS: u32 = 5;
/// Times are shorter than 213 days; what is due later need not come.
const LATEST: Time = Time::from_ps(1 << 63);
/// Wake-ups between two arrivals after which a run may end.
const WAKES: u64 = 50;

/// Sends packets through a port. Each leaves or is dropped, once, and the number of wake-ups is bounded.
fn drive(spec: &Spec, rate: Rate, arrivals: &[Arrival]) {
    let link = LinkInfo { rate, flows: FLOWS as usize, weights: vec![1, 2, 1, 1000, 1], hosts: vec![] };
    let mut port = Port::new(spec.build(&link), rate, Rng::new(1, 0, "port"));
    let (mut sent, mut dropped, mut now) = (0, 0, Time::ZERO);
    for (i, &(gap, flow, bytes)) in arrivals.iter().enumerate() {
        let next = now + Duration::from_ps(gap);
        let mut wakes = 0;
        while port.next() != Time::NEVER && port.next() <= next {
            wakes += 1;
            if wakes > WAKES {
                // A timer may be due a billion times in a long gap.
                return;
            }
            let at = port.next();
            assert!(at >= now, "woken in the past");
            now = at;
            port.advance(at, &mut each_sent(|_| sent += 1));
            dropped += port.dropped().drain(..).count();
        }
        now = next;
        let ecn = if i % 3 == 0 { Ecn::NotEct } else { Ecn::Ect0 };
        let packet =
            Packet { handle: i as u32, flow: FlowId(flow), bytes, ecn, class: flow as u8, ..Packet::default() };
        port.offer(packet, now, &mut each_sent(|_| sent += 1));
        dropped += port.dropped().drain(..).count();
        assert_eq!((port.backlog().packets + port.begun()) as usize, i + 1 - sent - dropped, "packets are conserved");
        port.discipline()
            .probe(&mut |name, value| assert!(value >= 0.0 || name.contains("least"), "{name} is {value}"));
    }
    // Until all has left, at most so long as times can be.
    for _ in 0..WAKES * arrivals.len() as u64 {
        let at = port.next();
        if at == Time::NEVER || at > LATEST || port.backlog().packets + port.begun() == 0 {
            break;
        }
        port.advance(at, &mut each_sent(|_| sent += 1));
        dropped += port.dropped().drain(..).count();
    }
    assert_eq!(
        (port.backlog().packets + port.begun()) as usize,
        arrivals.len() - sent - dropped,
        "packets are conserved"
    );
}

/// Says with which parameters, and over which line, something was wrong.
fn try_out(table: &Value, bps: u64, arrivals: &[Arrival]) -> bool {
    let Ok(spec) = serde_json::from_value::<Spec>(table.clone()) else { return false };
    let rate = Rate::from_bps(bps).expect("above 0");
    let outcome = std::panic::catch_unwind(|| drive(&spec, rate, arrivals));
    assert!(outcome.is_ok(), "{table} at {bps} bit/s with {arrivals:?}");
    true
}

/// As a discipline of its own, which manages one queue or some of them.
fn managed(aqm: Value) -> [Value; 2] {
    [json!({"kind": "fcfs", "aqm": aqm}), json!({"kind": "drr", "aqm": aqm})]
}

#[test]
fn every_number_has_a_range() {
    for entry in LIST.iter().chain(aqm::LIST) {
        let schema = entry.schema();
        for (name, field) in schema["properties"].as_object().into_iter().flatten() {
            let kind = if field["type"].is_array() { &field["type"][0] } else { &field["type"] };
            if kind == "number" || kind == "integer" {
                let has = |key: &str| field[key].is_number();
                let (least, most) = (has("minimum") || has("exclusiveMinimum"), has("maximum"));
                assert!(least && most, "{}: {name} has no range", entry.name);
            }
        }
    }
}

/// Some packets as fast as the line, some faster, some after a rest.
fn busy(bps: u64) -> Vec<Arrival> {
    let packet = (12_000_000_000_000_000 / bps).max(1);
    let one = |i: u64| {
        let gap = if i % 50 == 49 { 40 * packet } else { packet * (i % 4) / 3 };
        let bytes = if i % 40 == 20 { 16 << 20 } else { [1500, 40, 1500, 9000][i as usize % 4] };
        (gap, (i % 7) as u32 % FLOWS, bytes)
    };
    (0..100).map(one).collect()
}

#[test]
fn each_parameter_alone_at_its_ends() {
    let lines = [1_000, 10_000_000, 400_000_000_000].map(|bps| (bps, busy(bps)));
    let tables = |entry| ends::one_by_one(entry).into_iter().chain([json!({"kind": entry.name})]).collect::<Vec<_>>();
    let alone = LIST.iter().map(|entry| (entry.name, tables(entry)));
    let inside = aqm::LIST.iter().map(|entry| (entry.name, tables(entry).into_iter().flat_map(managed).collect()));
    for (name, all) in alone.chain(inside) {
        let taken =
            all.iter().filter(|table| lines.iter().all(|(bps, arrivals)| try_out(table, *bps, arrivals))).count();
        assert!(2 * taken >= all.len(), "{name}: {taken} of {} tables were taken", all.len());
    }
}

fn tables() -> impl Strategy<Value = Value> {
    let whole = || ends::together(LIST.iter().collect());
    let aqm = || ends::together(aqm::LIST.iter().collect());
    let inside = (whole(), aqm()).prop_map(|(mut table, aqm)| {
        // Where the table cannot have one, it stays without.
        table["aqm"] = aqm;
        if serde_json::from_value::<Spec>(table.clone()).is_err() {
            table.as_object_mut().expect("a table").remove("aqm");
        }
        table
    });
    let outside = (aqm(), any::<bool>()).prop_map(|(aqm, one)| managed(aqm)[usize::from(one)].clone());
    prop_oneof![whole(), inside, outside]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(1000), failure_persistence: None, max_shrink_time: 20_000, ..ProptestConfig::default() })]
    #[test]
    fn parameters_together_at_their_ends(
        table in tables(),
        bps in prop::sample::select(vec![1_000, 56_000, 10_000_000, 400_000_000_000]),
        arrivals in prop::collection::vec(
            (prop::sample::select(vec![0, 1, 30_000, 1_000_000, 1_000_000_000, 1_000_000_000_000, 20_000_000_000_000]), 0..FLOWS,
             prop::sample::select(vec![1, 40, 600, 1500, 1500, 9000, 16 << 20])),
            1..150,
        ),
    ) {
        try_out(&table, bps, &arrivals);
    }
}
