//! What holds for every discipline of the list while the rate of its line changes and the line goes down and up.

use crate::common::cases::cases;
use crate::common::stale;
use crate::common::told::each_sent;

use headgate_packet::{FlowId, Packet, Rate, Rng, Time};
use headgate_queue::{Discipline, Dropped, LIST, LinkInfo, Port, Sent, Spec};
use proptest::prelude::*;
use stale::Stale;

const FLOWS: u32 = 4;
const MS: u64 = 1_000_000_000;

#[derive(Clone, Copy, Debug)]
enum Step {
    Arrive(u32, u32),
    Rate(u64),
    Up(bool),
}

fn steps() -> impl Strategy<Value = Vec<(u64, Step)>> {
    let step = prop_oneof![
        8 => (0..FLOWS, 1..600u32).prop_map(|(flow, bytes)| Step::Arrive(flow, bytes)),
        2 => prop::sample::select(vec![1_003, 4_000, 8_000, 64_000, 1_000_003]).prop_map(Step::Rate),
        1 => any::<bool>().prop_map(Step::Up),
    ];
    prop::collection::vec((0..400u64, step), 1..120)
}

fn discipline(name: &str, buffer: &str) -> Spec {
    serde_json::from_str(&format!(r#"{{"kind": "{name}", "buffer": "{buffer}"}}"#)).expect(name)
}

/// What a port sent and dropped, up again at the end; `late` wake-ups arrive between the steps.
fn drive<D: Discipline>(
    build: &impl Fn(&LinkInfo) -> D,
    steps: &[(u64, Step)],
    late: bool,
) -> (Vec<Sent>, Vec<Dropped>) {
    let mut link =
        LinkInfo { rate: Rate::from_bps(8_000).unwrap(), flows: FLOWS as usize, weights: vec![], hosts: vec![] };
    let mut port = Port::new(build(&link), link.rate, Rng::new(1, 0, "port"));
    let (mut sent, mut dropped, mut now, mut offered) = (Vec::new(), Vec::new(), Time::ZERO, 0);
    for &(gap, step) in steps {
        let next = Time::from_ps(now.as_ps() + gap * MS);
        while !late && port.next() <= next && port.next() != Time::NEVER {
            let at = port.next();
            port.advance(at, &mut each_sent(|s| sent.push(s)));
            dropped.append(port.dropped());
        }
        now = next;
        port.advance(now, &mut each_sent(|s| sent.push(s)));
        match step {
            Step::Arrive(flow, bytes) => {
                let packet = Packet { handle: offered, flow: FlowId(flow), bytes, ..Packet::default() };
                offered += 1;
                port.offer(packet, now, &mut each_sent(|s| sent.push(s)));
            }
            Step::Rate(bps) => {
                link.rate = Rate::from_bps(bps).unwrap();
                port.set_link(&link, now);
                assert_eq!(port.rate(), link.rate);
            }
            Step::Up(up) => port.set_up(up, now),
        }
        dropped.append(port.dropped());
        let here = port.backlog().packets + port.begun();
        assert_eq!(here as usize, offered as usize - sent.len() - dropped.len(), "conserved");
    }
    port.set_up(true, now);
    port.advance(Time::NEVER, &mut each_sent(|s| sent.push(s)));
    dropped.append(port.dropped());
    assert_eq!(port.backlog().packets + port.begun(), 0);
    (sent, dropped)
}

/// The rate and whether the line is up, just after each step that changed them.
fn states(steps: &[(u64, Step)]) -> Vec<(Time, u64, bool)> {
    let (mut now, mut state, mut all) = (0, (8_000, true), vec![(Time::ZERO, 8_000, true)]);
    for &(gap, step) in steps {
        now += gap * MS;
        match step {
            Step::Rate(bps) => state.0 = bps,
            Step::Up(up) => state.1 = up,
            Step::Arrive(..) => continue,
        }
        all.push((Time::from_ps(now), state.0, state.1));
    }
    all.push((Time::from_ps(now), state.0, true));
    all
}

/// What holds for every discipline.
fn contract<D: Discipline>(
    build: impl Fn(&LinkInfo) -> D,
    work_conserving: bool,
    steps: &[(u64, Step)],
) -> Result<(), TestCaseError> {
    let states = states(steps);
    let (sent, dropped) = drive(&build, steps, false);
    let offered = steps.iter().filter(|s| matches!(s.1, Step::Arrive(..))).count() as u32;
    let mut all: Vec<u32> = sent.iter().map(|s| s.packet.handle).chain(dropped.iter().map(|d| d.handle)).collect();
    all.sort_unstable();
    prop_assert!(all.into_iter().eq(0..offered), "each packet leaves once");
    let link = LinkInfo { rate: Rate::from_bps(8_000).unwrap(), flows: FLOWS as usize, weights: vec![], hosts: vec![] };
    let in_parts = build(&link).is_preemptive();
    for s in sent.iter().filter(|_| !in_parts) {
        // At the instant of a change both the old and the new state are possible.
        let after = states.partition_point(|c| c.0 < s.start).saturating_sub(1);
        let takes = s.end.since(s.start).as_ps();
        let fits = states[after..]
            .iter()
            .take_while(|c| c.0 <= s.start)
            .any(|&(_, bps, up)| up && takes.abs_diff(u64::from(s.packet.bytes) * 8_000_000_000_000 / bps) <= 1);
        prop_assert!(fits, "{:?} at the rate of its start", s);
    }
    for pair in sent.windows(2).filter(|_| !in_parts) {
        prop_assert!(pair[0].end <= pair[1].start, "one at a time");
        let served = pair[0].end == pair[1].start || pair[1].start == pair[1].packet.arrived;
        let raised = states.iter().any(|c| c.0 == pair[1].start && c.2);
        prop_assert!(served || raised || !work_conserving, "idle with a backlog");
    }
    for flow in 0..FLOWS {
        let order = sent.iter().filter(|s| s.packet.flow.0 == flow).map(|s| s.packet.handle);
        prop_assert!(order.is_sorted(), "order within a flow");
    }
    prop_assert_eq!(drive(&build, steps, true), (sent, dropped), "late wake-ups");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(256)))]

    #[test]
    fn the_contract_holds_on_a_changing_line(
        steps in steps(),
        buffer in prop::sample::select(vec!["1pkt", "5pkt", "1000pkt", "600B"]),
    ) {
        for entry in LIST {
            let spec = discipline(entry.name, buffer);
            let checked = contract(|link| spec.build(link), spec.work_conserving(), &steps);
            checked.map_err(|e| TestCaseError::fail(format!("{}: {e}", entry.name)))?;
        }
    }

    /// The harness takes a discipline that drops when it is asked for a packet, and by a timer.
    #[test]
    fn the_contract_allows_drops_at_any_time(steps in steps()) {
        contract(|_| Stale::default(), Stale::WORK_CONSERVING, &steps)?;
    }

    /// A change to the rate that it has is no change.
    #[test]
    fn the_same_rate_again_changes_nothing(steps in steps()) {
        let arrivals: Vec<(u64, Step)> =
            steps.iter().map(|&(gap, step)| (gap, if let Step::Arrive(..) = step { step } else { Step::Rate(8_000) })).collect();
        let mut rest = 0;
        let mut plain = Vec::new();
        for &(gap, step) in &arrivals {
            rest += gap;
            if let Step::Arrive(..) = step {
                plain.push((std::mem::take(&mut rest), step));
            }
        }
        for entry in LIST {
            let spec = discipline(entry.name, "5pkt");
            let run = |steps: &[(u64, Step)]| drive(&|link: &LinkInfo| spec.build(link), steps, false);
            prop_assert_eq!(run(&arrivals), run(&plain), "{}", entry.name);
        }
    }
}

#[test]
fn a_port_that_no_conversation_crosses_yet_may_change_too() {
    for entry in LIST {
        let mut link = LinkInfo { rate: Rate::from_bps(8_000).unwrap(), flows: 0, weights: vec![], hosts: vec![] };
        let mut port = Port::new(discipline(entry.name, "5pkt").build(&link), link.rate, Rng::new(1, 0, "port"));
        for (at, bps) in [(0, 16_000), (7, 80_000), (9, 8_000)] {
            link.rate = Rate::from_bps(bps).unwrap();
            port.advance(Time::from_ps(at * MS), &mut each_sent(|_| panic!("{}: nothing to send", entry.name)));
            port.set_link(&link, Time::from_ps(at * MS));
        }
        let flow = link.add(1);
        port.grow(&link);
        let mut sent = Vec::new();
        port.offer(
            Packet { flow, bytes: 100, ..Packet::default() },
            Time::from_ps(10 * MS),
            &mut each_sent(|s| sent.push(s)),
        );
        port.advance(Time::NEVER, &mut each_sent(|s| sent.push(s)));
        let times: Vec<u64> = sent.iter().map(|s| s.end.since(s.start).as_ps() / MS).collect();
        assert_eq!(times, [100], "{}", entry.name);
    }
}

#[test]
fn the_packet_in_transmission_keeps_its_end() {
    // 1000 bytes take a second at 8 kbit/s, half at 16 kbit/s. The rate doubles at 0.5 s: packet 0 ends at 1 s, packet 1 at 1.5 s.
    let mut link = LinkInfo { rate: Rate::from_bps(8_000).unwrap(), flows: 1, weights: vec![], hosts: vec![] };
    let mut port = Port::new(discipline("fcfs", "9pkt").build(&link), link.rate, Rng::new(1, 0, "port"));
    let mut ends = Vec::new();
    for handle in 0..2 {
        let packet = Packet { handle, bytes: 1000, ..Packet::default() };
        port.offer(packet, Time::ZERO, &mut each_sent(|s| ends.push(s.end.as_ps() / MS)));
    }
    link.rate = Rate::from_bps(16_000).unwrap();
    port.set_link(&link, Time::from_ps(500 * MS));
    port.advance(Time::NEVER, &mut each_sent(|s| ends.push(s.end.as_ps() / MS)));
    assert_eq!(ends, [1000, 1500]);
    assert_eq!(port.counters(Time::from_ps(2000 * MS)).busy_ps, 1500 * MS);
}

#[test]
fn a_frame_of_hrr_takes_the_time_of_the_new_rate() {
    // One slot of a byte for each of two conversations in frames of two slots: two seconds at 8 bit/s, one at 16. The frame of 2 s continues
    // from the change at 3 s for the length of a new one.
    let text = r#"{"kind": "hrr", "slot": "1B", "slots": [2], "lower": []}"#;
    let spec: Spec = serde_json::from_str(text).unwrap();
    let mut link = LinkInfo { rate: Rate::from_bps(8).unwrap(), flows: 2, weights: vec![], hosts: vec![] };
    let mut port = Port::new(spec.build(&link), link.rate, Rng::new(1, 0, "port"));
    let mut starts = Vec::new();
    for handle in 0..5 {
        port.offer(
            Packet { handle, bytes: 1, ..Packet::default() },
            Time::ZERO,
            &mut each_sent(|s| starts.push(s.start.as_ps() / MS)),
        );
    }
    port.advance(Time::from_ps(3000 * MS), &mut each_sent(|s| starts.push(s.start.as_ps() / MS)));
    link.rate = Rate::from_bps(16).unwrap();
    port.set_link(&link, Time::from_ps(3000 * MS));
    port.advance(Time::NEVER, &mut each_sent(|s| starts.push(s.start.as_ps() / MS)));
    assert_eq!(starts, [0, 2000, 4000, 5000, 6000]);
}
