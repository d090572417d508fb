use crate::told::each_sent;
use super::{FqPreemptive, FqPreemptiveParams};
use crate::line::{Bursts, Frame, Gate, Law};
use crate::{Cx, Discipline as _, InService, LinkInfo, Port, Spec};
use headgate_packet::{Duration, FlowId, Packet, Rate, Rng, Time};

const SECOND: u64 = 1_000_000_000_000;

/// A port on a line of 8 bit/s, on which a byte takes a second.
fn port(more: &str, flows: usize) -> Port {
    let spec: Spec = serde_json::from_str(&format!(r#"{{"kind": "fq_preemptive" {more}}}"#)).expect("valid");
    let link = link(8, flows);
    Port::new(spec.build(&link), link.rate, Rng::new(0, 0, "test"))
}

fn link(bps: u64, flows: usize) -> LinkInfo {
    LinkInfo { rate: Rate::from_bps(bps).expect("above zero"), flows, weights: vec![], hosts: vec![] }
}

fn at(second: u64) -> Time {
    Time::ZERO + Duration::from_secs(second)
}

/// What a port sends, as numbers of packets with the start less interruptions, and the end, in seconds.
type Log = Vec<(u32, u64, u64)>;

/// What happens to a port at a second.
type Change<'a> = (u64, &'a dyn Fn(&mut Port, Time));

fn note(log: &mut Log) -> impl FnMut(crate::Sent) {
    |s| log.push((s.packet.handle, s.start.as_ps() / SECOND, s.end.as_ps() / SECOND))
}

/// Arrivals, by second, conversation and bytes, at a port whose line changes at certain seconds.
fn run(port: &mut Port, arrivals: &[(u64, u32, u32)], changes: &[Change<'_>]) -> Log {
    let (mut log, mut changes) = (Log::new(), changes.iter().peekable());
    let mut change = |port: &mut Port, until: u64, log: &mut Log| {
        while let Some((when, what)) = changes.next_if(|c| c.0 <= until) {
            port.advance(at(*when), &mut note(log));
            what(port, at(*when));
        }
    };
    for (handle, &(when, flow, bytes)) in (0..).zip(arrivals) {
        change(port, when, &mut log);
        let packet = Packet { handle, flow: FlowId(flow), bytes, ..Packet::default() };
        port.offer(packet, at(when), &mut note(&mut log));
    }
    change(port, u64::MAX, &mut log);
    port.advance(Time::NEVER, &mut note(&mut log));
    log
}

#[test]
fn a_smaller_finish_number_interrupts() {
    // Packets of B 40, A 100, C 30 and B 20 with finish numbers 40, 100, 35 (R = 5 at 10 s) and 60. C interrupts B, whose 30 bytes that are left
    // go on at 40 s and end at 70 s; then B's second packet until 90 s, then A.
    let arrivals = [(0, 1, 40), (0, 0, 100), (10, 2, 30), (60, 1, 20)];
    let log = run(&mut port("", 3), &arrivals, &[]);
    assert_eq!(log, [(2, 10, 40), (0, 30, 70), (3, 70, 90), (1, 90, 190)]);
}

#[test]
fn interruptions_are_nested() {
    // Finish numbers, R growing by one a second, a half and a third of one: A 100; at 10 s R = 10 and B 60; at 20 s R = 15 and C 35; at 26 s R = 17
    // and D 22. Each interrupts the one before; they go on in the opposite order.
    let arrivals = [(0, 0, 100), (10, 1, 50), (20, 2, 20), (26, 3, 5)];
    let log = run(&mut port("", 4), &arrivals, &[]);
    assert_eq!(log, [(3, 26, 31), (2, 25, 45), (1, 35, 85), (0, 75, 175)]);
}

#[test]
fn one_that_waits_goes_before_an_interrupted_one_with_a_larger_number() {
    // A 100 from 0 s. B's two packets of 20 arrive at 10 s with 30 and 50: the first interrupts A, the second follows it, then A goes on.
    let arrivals = [(0, 0, 100), (10, 1, 20), (10, 1, 20)];
    let log = run(&mut port("", 2), &arrivals, &[]);
    assert_eq!(log, [(1, 10, 30), (2, 30, 50), (0, 40, 140)]);
}

#[test]
fn an_equal_number_does_not_interrupt() {
    // A 40 from 0 s; at 10 s R = 10, and B's packet of 30 has 40 too, that of C 29 bytes and 39.
    let equal = run(&mut port("", 3), &[(0, 0, 40), (10, 1, 30)], &[]);
    assert_eq!(equal, [(0, 0, 40), (1, 40, 70)]);
    let smaller = run(&mut port("", 3), &[(0, 0, 40), (10, 2, 29)], &[]);
    assert_eq!(smaller, [(1, 10, 39), (0, 29, 69)]);
}

#[test]
fn promptness_is_in_the_bid() {
    // A's 100 bytes are in transmission and R = 50 when B's 60 arrive: 110 with delta 0; with 20 bytes it bids 90 and interrupts.
    let arrivals = [(0, 0, 100), (50, 1, 60)];
    assert_eq!(run(&mut port("", 2), &arrivals, &[]), [(0, 0, 100), (1, 100, 160)]);
    let prompt = port(r#", "delta": "20B""#, 2);
    assert_eq!(run(&mut prompt.clone(), &arrivals, &[]), [(1, 50, 110), (0, 60, 160)]);
}

#[test]
fn the_rest_has_the_rate_that_the_line_has_then() {
    // B interrupts A at 10 s. The rate doubles at 15 s: B ends as it would have, at 30 s, and the 90 bytes that are left of A take 45 s. A took 55 s of
    // the line in all.
    let double = |port: &mut Port, now: Time| port.set_link(&link(16, 2), now);
    let mut port = port("", 2);
    let log = run(&mut port, &[(0, 0, 100), (10, 1, 20)], &[(15, &double)]);
    assert_eq!(log, [(1, 10, 30), (0, 20, 75)]);
    let c = port.counters(at(80));
    assert_eq!((c.sent, c.busy_ps, c.service_ps, c.wait_ps), (2, 75 * SECOND, 75 * SECOND, 20 * u128::from(SECOND)));
}

#[test]
fn a_rest_that_is_no_whole_number_of_picoseconds_is_rounded_up() {
    // As above, at 24 bit/s from 15 s on: of A's 101 bytes 91 are left at 30 s, which take 30 1/3 s.
    let (mut port, mut ends) = (port("", 2), Vec::new());
    port.offer(Packet { bytes: 101, ..Packet::default() }, at(0), &mut each_sent(|_| {}));
    port.offer(Packet { flow: FlowId(1), bytes: 20, ..Packet::default() }, at(10), &mut each_sent(|_| {}));
    port.set_link(&link(24, 2), at(15));
    port.advance(Time::NEVER, &mut each_sent(|s| ends.push(s.end.as_ps())));
    assert_eq!(ends, [30 * SECOND, 60 * SECOND + SECOND / 3 + 1]);
}

#[test]
fn nothing_is_interrupted_while_the_line_is_down() {
    // Down from 5 s to 40 s: A's packet ends at 100 s all the same. B's arrives at 10 s and interrupts it when the line is up again; R does not know
    // of the pause. With the line down until 120 s A has ended, and B's is sent then.
    let arrivals = [(0, 0, 100), (10, 1, 20)];
    let up = |up: bool| move |port: &mut Port, now: Time| port.set_up(up, now);
    for late in [false, true] {
        let early: [Change<'_>; 2] = [(5, &up(false)), (40, &up(true))];
        let later: [Change<'_>; 2] = [(5, &up(false)), (120, &up(true))];
        let log = run(&mut port("", 2), &arrivals, if late { &later } else { &early });
        let expected = if late { [(0, 0, 100), (1, 120, 140)] } else { [(1, 40, 60), (0, 20, 120)] };
        assert_eq!(log, expected, "{late}");
    }
}

#[test]
fn an_interrupted_packet_goes_on_when_the_line_is_up_again() {
    // B interrupts A at 10 s and ends at 30 s, while the line is down from 20 s to 50 s. Then the 90 bytes of A that are left go on.
    let up = |up: bool| move |port: &mut Port, now: Time| port.set_up(up, now);
    let log = run(&mut port("", 2), &[(0, 0, 100), (10, 1, 20)], &[(20, &up(false)), (50, &up(true))]);
    assert_eq!(log, [(1, 10, 30), (0, 40, 140)]);
}

#[test]
fn the_buffer_holds_packets_of_which_nothing_was_sent() {
    // Room for one. At 10 s B's packet interrupts A's, and C's, 70 with R = 15 at 20 s, waits. D's of 5 takes its place when it arrives and, as it
    // is sent at once, leaves room for E's.
    let mut port = port(r#", "buffer": "1pkt", "drop_policy": "largest_bid""#, 5);
    let log = run(&mut port, &[(0, 0, 100), (10, 1, 30), (20, 2, 55), (22, 3, 5), (23, 4, 60)], &[]);
    let dropped: Vec<u32> = port.dropped().iter().map(|gone| gone.handle).collect();
    assert_eq!(dropped, [2]);
    assert_eq!(log.iter().map(|sent| (sent.0, sent.2)).collect::<Vec<_>>(), [(3, 27), (1, 45), (4, 105), (0, 195)]);
}

#[test]
fn packets_are_sent_when_their_last_bit_has_left() {
    let (mut port, mut log) = (port("", 2), Log::new());
    let packet = |handle, flow, bytes| Packet { handle, flow: FlowId(flow), bytes, ..Packet::default() };
    port.offer(packet(0, 0, 100), at(0), &mut note(&mut log));
    assert_eq!((port.next(), port.begun(), port.backlog().packets, port.ends()), (at(100), 1, 0, Some(at(100))));
    port.offer(packet(1, 1, 20), at(10), &mut note(&mut log));
    assert_eq!((port.next(), port.begun(), port.backlog().packets), (at(30), 2, 0));
    assert!(log.is_empty() && !port.is_idle(at(10)));
    port.advance(at(30), &mut note(&mut log));
    assert_eq!((port.next(), port.begun(), log.len()), (at(120), 1, 1));
    assert_eq!(port.counters(at(30)).busy_ps, 30 * SECOND);
    port.advance(at(120), &mut note(&mut log));
    assert_eq!((port.next(), port.begun(), log.len(), port.ends()), (Time::NEVER, 0, 2, None));
    assert!(port.is_idle(at(120)));
}

#[test]
fn packets_that_arrive_together_are_compared_together() {
    // A driver that starts nothing between two arrivals of one instant: B's second packet does not wait for an interruption by the first.
    let (mut port, mut log) = (port("", 3), Log::new());
    let packet = |handle, flow, bytes| Packet { handle, flow: FlowId(flow), bytes, ..Packet::default() };
    port.offer(packet(0, 0, 100), at(0), &mut note(&mut log));
    port.accept(packet(1, 1, 40), at(10));
    port.accept(packet(2, 2, 20), at(10));
    assert_eq!((port.next(), port.backlog().packets), (at(10), 2), "the comparison is due");
    port.advance(Time::NEVER, &mut note(&mut log));
    assert_eq!(log, [(2, 10, 30), (1, 30, 70), (0, 60, 160)]);
}

#[test]
fn where_the_packet_in_transmission_takes_room_interrupted_ones_do() {
    // Room for three with what is in transmission. C's packet finds A's interrupted, B's in transmission and one of B's that waits.
    let arrivals = [(0, 0, 100), (10, 1, 20), (11, 1, 20), (12, 2, 90)];
    for (in_service, lost) in [(InService::Extra, vec![]), (InService::UntilEnd, vec![3])] {
        let mut port = port(r#", "buffer": "3pkt", "drop_policy": "arrival""#, 3);
        port.count_in_service(in_service);
        let log = run(&mut port, &arrivals, &[]);
        let dropped: Vec<u32> = port.dropped().iter().map(|gone| gone.handle).collect();
        assert_eq!((dropped, log.len()), (lost.clone(), 4 - lost.len()));
    }
}

#[test]
fn a_line_that_sends_at_certain_times_is_not_interrupted() {
    // A burst of one packet begins at multiples of 50 s. B's smaller number comes at one of them, while A's packet is sent, and waits for the next burst.
    let mut port = port("", 2);
    let gate = Gate::Bursts(Bursts::new(1, Duration::from_secs(50)));
    port.follow(Law { frame: Frame::default(), gate });
    let log = run(&mut port, &[(0, 0, 100), (50, 1, 10)], &[]);
    assert_eq!(log, [(0, 0, 100), (1, 100, 110)]);
}

#[test]
fn a_frame_takes_its_time_in_parts_too() {
    // Ten bytes are added to each packet: A takes 110 s, of which 10 s are over when B's 20 bytes, for 30 s, interrupt it.
    let mut port = port("", 2);
    port.follow(Law { frame: Frame { overhead: 10, ..Frame::default() }, gate: Gate::Open });
    assert_eq!(run(&mut port, &[(0, 0, 100), (10, 1, 20)], &[]), [(1, 10, 40), (0, 30, 140)]);
}

#[test]
fn a_conversation_is_not_forgotten_while_a_packet_of_it_is_interrupted() {
    let link = LinkInfo { rate: Rate::from_bps(8).expect("above zero"), flows: 3, weights: vec![1, 1, 1], hosts: vec![] };
    let mut queue = FqPreemptive::new(&FqPreemptiveParams::default(), &link);
    let (mut rng, mut dropped) = (Rng::new(0, 0, "test"), vec![]);
    let mut cx = Cx::new(Time::ZERO, &mut rng, &mut dropped);
    queue.enqueue(Packet { flow: FlowId(0), bytes: 30, ..Packet::default() }, &mut cx);
    assert!(queue.dequeue(&mut cx).is_some());
    // R passes 30 at 30 s; the rest of the packet waits for a line that is down.
    cx.now = at(40);
    queue.enqueue(Packet { flow: FlowId(1), bytes: 1, ..Packet::default() }, &mut cx);
    assert!(!queue.has_forgotten(FlowId(0), at(40)));
    queue.ended();
    assert!(queue.has_forgotten(FlowId(0), at(40)));
}
