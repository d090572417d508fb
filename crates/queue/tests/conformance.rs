//! The contract of `Discipline`, for every discipline of the list under random arrivals.

use crate::common::busy;
use crate::common::cases::cases;
use crate::common::choices;
use crate::common::stale;
use crate::common::told::each_sent;

use choices::{TURNS, in_turn};
use headgate_packet::{Duration, FlowId, Packet, Rate, Rng, Time};
use headgate_queue::{Discipline, DropReason, Dropped, InService, LIST, LinkInfo, Managed, Port, Sent, Spec};
use proptest::prelude::*;
use stale::{Stale, StaleAqm};

const FLOWS: u32 = 4;

/// Long enough after the last arrival that every packet has left and every timer rests.
const REST: Duration = Duration::from_secs(600);

/// An arrival: gap in ms since the one before, flow, bytes.
type Arrival = (u64, u32, u32);

/// The named discipline with room for `buffer`.
fn discipline(name: &str, buffer: &str) -> Spec {
    let text = format!(r#"{{"kind": "{name}", "buffer": "{buffer}"}}"#);
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// What a port did with a list of arrivals; with `late` wake-ups it is woken by arrivals only.
fn drive<D: Discipline>(
    build: &impl Fn(&LinkInfo) -> D,
    arrivals: &[Arrival],
    late: bool,
) -> Result<(Vec<Sent>, Vec<Dropped>), TestCaseError> {
    let link = LinkInfo { rate: Rate::from_bps(8_000).unwrap(), flows: FLOWS as usize, weights: vec![], hosts: vec![] };
    let mut port = Port::new(build(&link), link.rate, Rng::new(1, 0, "port"));
    let (mut sent, mut dropped, mut now) = (Vec::new(), Vec::new(), Time::ZERO);
    for (i, &(gap, flow, bytes)) in arrivals.iter().enumerate() {
        let next = Time::from_ps(now.as_ps() + gap * 1_000_000_000);
        while !late && port.next() != Time::NEVER && port.next() <= next {
            let at = port.next();
            port.advance(at, &mut each_sent(|s| sent.push(s)));
            // A discipline may drop whenever it is asked.
            dropped.append(port.dropped());
            let waiting = i - sent.len() - dropped.len();
            prop_assert_eq!((port.backlog().packets + port.begun()) as usize, waiting, "packets are conserved");
        }
        now = next;
        let packet = Packet { handle: i as u32, flow: FlowId(flow), bytes, ..Packet::default() };
        port.offer(packet, now, &mut each_sent(|s| sent.push(s)));
        dropped.append(port.dropped());
        let waiting = i + 1 - sent.len() - dropped.len();
        prop_assert_eq!((port.backlog().packets + port.begun()) as usize, waiting, "packets are conserved");
        prop_assert!(waiting == 0 || port.next() != Time::NEVER, "packets that wait will be asked for");
    }
    // A timer that never rests would keep the last call busy for ever.
    port.advance(now + REST, &mut each_sent(|s| sent.push(s)));
    prop_assert!(port.next() == Time::NEVER, "timers rest when nothing is left to do");
    port.advance(Time::NEVER, &mut each_sent(|s| sent.push(s)));
    dropped.append(port.dropped());
    prop_assert_eq!(port.backlog().packets + port.begun(), 0);
    let counted: u64 = port.counters(now).dropped.iter().sum();
    prop_assert_eq!(counted, dropped.len() as u64, "the port counts every drop");
    Ok((sent, dropped))
}

/// What holds for every discipline.
fn contract<D: Discipline>(
    build: impl Fn(&LinkInfo) -> D,
    work_conserving: bool,
    arrivals: &[Arrival],
) -> Result<(), TestCaseError> {
    let (sent, dropped) = drive(&build, arrivals, false)?;
    let mut all: Vec<u32> = sent.iter().map(|s| s.packet.handle).chain(dropped.iter().map(|d| d.handle)).collect();
    all.sort_unstable();
    prop_assert!(all.iter().copied().eq(0..arrivals.len() as u32), "each packet leaves once");
    prop_assert!(dropped.is_sorted_by_key(|d| d.at), "drops are in the order of time");
    let link = LinkInfo { rate: Rate::from_bps(8_000).unwrap(), flows: FLOWS as usize, weights: vec![], hosts: vec![] };
    let in_parts = build(&link).is_preemptive();
    if in_parts {
        prop_assert_eq!(busy::check(&sent), Ok(()));
    }
    for pair in sent.windows(2).filter(|_| !in_parts) {
        prop_assert!(pair[0].end <= pair[1].start, "one at a time");
        // Work conserving: a gap means that nothing was waiting when it began.
        let served = pair[0].end == pair[1].start || pair[1].start == pair[1].packet.arrived;
        prop_assert!(served || !work_conserving, "idle with a backlog");
    }
    for flow in 0..FLOWS {
        let order = sent.iter().filter(|s| s.packet.flow.0 == flow).map(|s| s.packet.handle);
        prop_assert!(order.is_sorted(), "order within a flow");
    }
    prop_assert_eq!(&drive(&build, arrivals, false)?, &(sent.clone(), dropped.clone()), "the same again");
    prop_assert_eq!(drive(&build, arrivals, true)?, (sent, dropped), "late wake-ups");
    Ok(())
}

/// Says which discipline failed.
fn named<T>(name: &str, result: Result<T, TestCaseError>) -> Result<T, TestCaseError> {
    result.map_err(|e| TestCaseError::fail(format!("{name}: {e}")))
}

fn arrivals() -> impl Strategy<Value = Vec<Arrival>> {
    prop::collection::vec((0..400u64, 0..FLOWS, 1..600u32), 1..120)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(256)))]

    #[test]
    fn the_contract_holds(
        arrivals in arrivals(),
        buffer in prop::sample::select(vec!["1pkt", "5pkt", "unlimited", "600B", "2KB"]),
        turn in 0..TURNS,
    ) {
        for (name, spec) in in_turn(buffer, turn) {
            named(&name, contract(|link| spec.build(link), spec.work_conserving(), &arrivals))?;
        }
    }

    /// The short way of a packet that finds the line free changes nothing: a driver that calls the parts of `offer` never takes it.
    #[test]
    fn to_pass_is_to_be_queued_and_sent(
        arrivals in arrivals(),
        buffer in prop::sample::select(vec!["1pkt", "5pkt", "unlimited", "600B", "2KB"]),
        turn in 0..TURNS,
    ) {
        for (name, spec) in in_turn(buffer, turn) {
            let link = LinkInfo { rate: Rate::from_bps(8_000).unwrap(), flows: FLOWS as usize, weights: vec![], hosts: vec![] };
            let port = || Port::new(spec.build(&link), link.rate, Rng::new(1, 0, "port"));
            let (mut short, mut long, mut now) = (port(), port(), Time::ZERO);
            let (mut ways, mut gauges) = ([vec![], vec![]], [vec![], vec![]]);
            for (handle, &(gap, flow, bytes)) in (0..).zip(&arrivals) {
                now = Time::from_ps(now.as_ps() + gap * 1_000_000_000);
                let packet = Packet { handle, flow: FlowId(flow), bytes, ..Packet::default() };
                short.offer(packet, now, &mut each_sent(|sent| ways[0].push(sent)));
                long.advance(now, &mut each_sent(|sent| ways[1].push(sent)));
                long.accept(packet, now);
                long.start(now, &mut each_sent(|sent| ways[1].push(sent)));
                prop_assert_eq!(short.counters(now), long.counters(now), "{}", name);
                prop_assert_eq!(short.next(), long.next(), "{}", name);
                prop_assert_eq!(short.dropped(), long.dropped(), "{}", name);
            }
            prop_assert_eq!(&ways[0], &ways[1], "{}", name);
            // Where the longest queue makes room, a queue that was emptied keeps its place in the order of lengths until that is updated.
            let operations = serde_json::to_value(&spec).expect("JSON")["drop_policy"] != "longest_queue";
            for (port, gauges) in [short, long].iter().zip(&mut gauges).filter(|_| operations) {
                port.discipline().probe(&mut |gauge, value| gauges.push((gauge, value.to_bits())));
            }
            prop_assert_eq!(&gauges[0], &gauges[1], "{}", name);
        }
    }

    /// A discipline that looks at conversations says so: a port of another discipline makes one conversation of all packets.
    #[test]
    fn conversations_matter_only_to_those_that_say_so(
        arrivals in arrivals(),
        buffer in prop::sample::select(vec!["1pkt", "5pkt", "unlimited", "600B"]),
        turn in 0..TURNS,
    ) {
        let one: Vec<Arrival> = arrivals.iter().map(|&(gap, _, bytes)| (gap, 0, bytes)).collect();
        for (name, spec) in in_turn(buffer, turn) {
            if !spec.per_conversation() {
                let build = |link: &LinkInfo| spec.build(link);
                let [apart, together] = [&arrivals, &one].map(|arrivals| with_flows(&build, arrivals, &[1; 4], 4));
                prop_assert_eq!(apart, together, "{}", name);
            }
        }
    }

    /// The harness takes a discipline that drops when it is asked for a packet, and by a timer.
    #[test]
    fn the_contract_allows_drops_at_any_time(arrivals in arrivals()) {
        contract(|_| Stale::default(), Stale::WORK_CONSERVING, &arrivals)?;
        let all = with_flows(&|_| Stale::default(), &arrivals, &[1; 4], 4);
        prop_assert_eq!(all.len(), arrivals.len(), "packets are conserved");
    }

    /// Every scheduler that takes an AQM, with one that drops and marks on departure.
    #[test]
    fn the_contract_holds_where_packets_are_dropped_on_departure(arrivals in arrivals()) {
        for entry in LIST.iter().filter(|entry| entry.schema()["properties"].get("aqm").is_some()) {
            let plain = match entry.name {
                "drr_plus" => continue,
                kind => discipline(kind, "20pkt"),
            };
            let build = |link: &LinkInfo| {
                Managed::new(plain.build(link), plain.scheduler_per_conversation(), StaleAqm::default(), link)
            };
            named(entry.name, contract(build, plain.work_conserving(), &arrivals))?;
            let (sent, dropped) = drive(&build, &arrivals, false)?;
            let waits = sent.iter().map(|s| s.start.since(s.packet.arrived));
            prop_assert!(waits.max().unwrap_or_default() <= stale::MOST, "{}: sent although it was dropped", entry.name);
            let at_random = dropped.iter().filter(|d| d.reason == DropReason::Random).count();
            // One in five of each queue, and there are no more queues than packets.
            prop_assert!(at_random <= arrivals.len() / 5 && at_random + 4 * FLOWS as usize >= arrivals.len() / 5);
        }
    }

    #[test]
    fn conversations_may_be_added(
        arrivals in arrivals(),
        buffer in prop::sample::select(vec!["1pkt", "5pkt", "unlimited", "600B"]),
        turn in 0..TURNS,
        weights in prop::sample::select(vec![[1; 4], [1, 2, 3, 4]]),
    ) {
        // Conversations are numbered in the order in which they appear.
        let mut seen: Vec<u32> = Vec::new();
        let arrivals: Vec<Arrival> = arrivals
            .into_iter()
            .map(|(gap, flow, bytes)| {
                if !seen.contains(&flow) {
                    seen.push(flow);
                }
                (gap, seen.iter().position(|f| *f == flow).expect("entered above") as u32, bytes)
            })
            .collect();
        for (name, spec) in in_turn(buffer, turn) {
            let known = with_flows(&|link| spec.build(link), &arrivals, &weights, seen.len());
            let grown = with_flows(&|link| spec.build(link), &arrivals, &weights, 0);
            prop_assert_eq!(grown.len(), arrivals.len(), "{}: packets are conserved", name);
            let link = LinkInfo { rate: Rate::from_bps(8_000).unwrap(), flows: 1, weights: vec![], hosts: vec![] };
            if !spec.build(&link).shares_by_known_weights() {
                prop_assert_eq!(known, grown, "{}", name);
            }
        }
    }
}

/// Packets as they leave, with the start of the transmission, and then those dropped, where `known` conversations are known from the start
/// and the others are added as they appear.
fn with_flows<D: Discipline>(
    build: &impl Fn(&LinkInfo) -> D,
    arrivals: &[Arrival],
    weights: &[u32],
    known: usize,
) -> Vec<(u32, Time)> {
    let rate = Rate::from_bps(8_000).unwrap();
    let mut link = LinkInfo { rate, flows: known, weights: weights[..known].to_vec(), hosts: vec![] };
    let mut port = Port::new(build(&link), rate, Rng::new(1, 0, "port"));
    let (mut out, mut now) = (Vec::new(), Time::ZERO);
    for (i, &(gap, flow, bytes)) in arrivals.iter().enumerate() {
        now = Time::from_ps(now.as_ps() + gap * 1_000_000_000);
        if flow as usize >= link.flows {
            link.add(weights[flow as usize]);
            port.grow(&link);
        }
        let packet = Packet { handle: i as u32, flow: FlowId(flow), bytes, ..Packet::default() };
        port.offer(packet, now, &mut each_sent(|s| out.push((s.packet.handle, s.start))));
    }
    port.advance(Time::NEVER, &mut each_sent(|s| out.push((s.packet.handle, s.start))));
    out.extend(port.dropped().iter().map(|d| (d.handle, d.at)));
    out
}

#[test]
fn the_packet_in_transmission_takes_room_where_it_is_set_to() {
    // A packet of 1000 bytes takes a second. Packet 0 is in transmission from 0 s; 1 and 2 arrive at 0.5 s, 3 at 1 s, when 1's transmission starts.
    let dropped = |kind: &str, in_service: InService, buffer: &str| {
        let link = LinkInfo { rate: Rate::from_bps(8_000).unwrap(), flows: 1, weights: vec![], hosts: vec![] };
        let mut port = Port::new(discipline(kind, buffer).build(&link), link.rate, Rng::new(1, 0, "port"));
        port.count_in_service(in_service);
        for (handle, ms) in [(0, 0), (1, 500), (2, 500), (3, 1000)] {
            let packet = Packet { handle, bytes: 1000, ..Packet::default() };
            port.offer(packet, Time::from_ps(ms * 1_000_000_000), &mut each_sent(|_| {}));
        }
        port.dropped().iter().map(|d| d.handle).collect::<Vec<_>>()
    };
    for kind in ["fcfs", "fq", "drr", "strict_priority"] {
        for buffer in ["2pkt", "2KB"] {
            assert_eq!(dropped(kind, InService::Extra, buffer), Vec::<u32>::new(), "{kind} {buffer}");
            assert_eq!(dropped(kind, InService::UntilEnd, buffer), [2], "{kind} {buffer}");
        }
        assert_eq!(dropped(kind, InService::Extra, "1pkt"), [2], "{kind}");
        // Nothing waits: the buffer has room for what is in transmission only.
        assert_eq!(dropped(kind, InService::UntilEnd, "1pkt"), [1, 2], "{kind}");
    }
}

#[test]
fn a_packet_that_ends_as_another_comes_may_still_take_room() {
    let link = LinkInfo { rate: Rate::from_bps(8_000).unwrap(), flows: 1, weights: vec![], hosts: vec![] };
    let second = Time::from_ps(1_000_000_000_000);
    let drops = |in_service: InService| {
        let mut port = Port::new(discipline("fcfs", "1pkt").build(&link), link.rate, Rng::new(1, 0, "port"));
        port.count_in_service(in_service);
        port.offer(Packet { bytes: 1000, ..Packet::default() }, Time::ZERO, &mut each_sent(|_| {}));
        port.accept(Packet { bytes: 1000, ..Packet::default() }, second);
        port.start(second, &mut each_sent(|_| {}));
        port.dropped().len()
    };
    assert_eq!((drops(InService::UntilEnd), drops(InService::ThroughEnd)), (0, 1));
}

#[test]
fn parameters_are_read_with_their_place() {
    let error = |text: &str| serde_json::from_str::<Spec>(text).unwrap_err().to_string();
    assert!(error(r#"{"kind": "fq", "bufer": "5pkt"}"#).contains("unknown field `bufer`"));
    assert!(error(r#"{"kind": "fq", "buffer": "0pkt"}"#).contains("at least one"));
    assert!(error(r#"{"kind": "fq", "drop_policy": "tail"}"#).contains("longest_queue"));
    assert!(error(r#"{"kind": "selective_decbit", "panic": -1}"#).contains("at least 0"));
}
