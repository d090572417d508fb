//! What a port counts and reports to its driver, by worked examples: a packet of 1000 bytes takes a second.

use crate::common::told::each_sent;
use headgate_packet::{FlowId, Packet, Rate, Rng, Time};
use headgate_queue::{Backlog, Counters, Discipline as _, DropReason, Dropped, InService, LinkInfo, Port, Spec};

const MS: u64 = 1_000_000_000;

fn port(spec: &str) -> Port {
    let link = LinkInfo { rate: Rate::from_bps(8_000).expect("above 0"), flows: 4, weights: vec![], hosts: vec![] };
    let spec: Spec = serde_json::from_str(spec).expect("a valid discipline");
    Port::new(spec.build(&link), link.rate, Rng::new(1, 0, "port"))
}

/// Offers packets (ms, priority, bytes), handles from 0 on; the driver never looks at what is dropped.
fn offer(port: &mut Port, arrivals: &[(u64, u8, u32)]) {
    for (handle, &(ms, class, bytes)) in (0..).zip(arrivals) {
        let packet = Packet { handle, flow: FlowId(u32::from(class)), class, bytes, ..Packet::default() };
        port.offer(packet, Time::from_ps(ms * MS), &mut each_sent(|_| {}));
    }
}

/// The numbers of drops by reason; 0 for those that are not given.
fn by_reason(given: &[(DropReason, u64)]) -> [u64; DropReason::ALL.len()] {
    let mut all = [0; DropReason::ALL.len()];
    given.iter().for_each(|(reason, count)| all[*reason as usize] = *count);
    all
}

#[test]
fn drops_are_reported_in_order_with_their_times_and_counted_by_the_port() {
    let mut port = port(r#"{"kind": "strict_priority", "buffer": "2KB"}"#);
    // Packet 0 is in transmission until 1 s. At 0.5 s packet 4 makes room at the expense of 3, the lowest, then of 2. Packet 5 finds none below it.
    let arrivals = [(0, 0, 1000), (0, 1, 500), (100, 2, 700), (200, 3, 800), (500, 0, 1400), (600, 3, 200)];
    offer(&mut port, &arrivals);
    let gone = |handle, ms, reason| {
        let (arrival, class, bytes) = arrivals[handle as usize];
        let [at, arrived] = [ms, arrival].map(|ms| Time::from_ps(ms * MS));
        Dropped { at, arrived, handle, flow: FlowId(u32::from(class)), bytes, class, reason }
    };
    let expected =
        [gone(3, 500, DropReason::Evicted), gone(2, 500, DropReason::Evicted), gone(5, 600, DropReason::Full)];
    assert_eq!(port.dropped()[..], expected, "in the order in which they were dropped");
    assert_eq!(
        port.counters(Time::from_ps(600 * MS)).dropped,
        by_reason(&[(DropReason::Full, 1), (DropReason::Evicted, 2)]),
        "full, evicted"
    );
    port.dropped().clear();
    assert_eq!(
        port.counters(Time::from_ps(600 * MS)).dropped,
        by_reason(&[(DropReason::Full, 1), (DropReason::Evicted, 2)]),
        "each is counted once"
    );
}

#[test]
fn early_drops_are_counted_as_such() {
    // The average follows the queue at once: with two packets waiting an arrival is dropped.
    let red = r#"{"kind": "red", "buffer": "9pkt", "min_threshold": "1pkt", "max_threshold": "2pkt", "weight": 1}"#;
    let mut port = port(red);
    offer(&mut port, &[(0, 0, 1000), (0, 0, 1000), (0, 0, 1000), (0, 0, 1000)]);
    assert_eq!(port.counters(Time::ZERO).dropped, by_reason(&[(DropReason::AboveMax, 1)]));
}

#[test]
fn waiting_times_backlog_and_busy_time_are_those_of_the_packets() {
    let mut port = port(r#""fcfs""#);
    // Starts at 0, 1, 2 and 5 s: waits of 0, 0.75, 1.5 and 0 s.
    offer(&mut port, &[(0, 0, 1000), (250, 0, 1000), (500, 0, 1000), (5000, 0, 500)]);
    port.advance(Time::NEVER, &mut each_sent(|_| {}));
    let c = port.counters(Time::from_ps(6000 * MS));
    let expected = Counters {
        offered: 4,
        offered_bytes: 3500,
        sent: 4,
        sent_bytes: 3500,
        dropped: [0; DropReason::ALL.len()],
        busy_ps: 3500 * MS,
        service_ps: 3500 * MS,
        // 8 kbit/s: the bits of these bytes.
        used: 8 * 3500 * 1_000_000_000_000,
        wait_ps: u128::from(2250 * MS),
        backlog_max: 2,
        // What the packets waited, seen from the queue.
        backlog_ps: u128::from(2250 * MS),
    };
    assert_eq!(c, expected);
}

#[test]
fn of_a_transmission_what_has_passed_counts_as_busy() {
    let mut port = port(r#""fcfs""#);
    // From 0 to 2 s, and from 5 s to 5.5 s.
    offer(&mut port, &[(0, 0, 1000), (250, 0, 1000), (5000, 0, 500)]);
    for (ms, busy, service) in [(5000, 2000, 2500), (5300, 2300, 2500), (5500, 2500, 2500), (7000, 2500, 2500)] {
        let Counters { busy_ps, service_ps, .. } = port.counters(Time::from_ps(ms * MS));
        assert_eq!((busy_ps, service_ps), (busy * MS, service * MS), "{ms}");
    }
    // A line that is taken down still ends the transmission that it has begun.
    let packet = Packet { bytes: 1000, ..Packet::default() };
    port.offer(packet, Time::from_ps(8000 * MS), &mut each_sent(|_| {}));
    port.set_up(false, Time::from_ps(8400 * MS));
    assert_eq!([8400, 8900, 9500].map(|ms| port.counters(Time::from_ps(ms * MS)).busy_ps / MS), [2900, 3400, 3500]);
    // What it sends while it is down is no use of what it offers, which is nothing.
    assert_eq!([8400, 8900, 9500].map(|ms| bits_used(&port, ms)), [8 * 2900; 3]);
}

/// Bits used of the line.
fn bits_used(port: &Port, ms: u64) -> u128 {
    port.counters(Time::from_ps(ms * MS)).used / 1_000_000_000_000
}

#[test]
fn a_line_is_used_at_the_rate_that_it_has() {
    let mut port = port(r#""fcfs""#);
    // Two packets of 1 s each at 8 kbit/s.
    offer(&mut port, &[(0, 0, 1000), (0, 0, 1000)]);
    let change = |port: &mut Port, ms: u64, bps: u64| {
        port.advance(Time::from_ps(ms * MS), &mut each_sent(|_| {}));
        let link =
            LinkInfo { rate: Rate::from_bps(bps).expect("above zero"), flows: 1, weights: vec![], hosts: vec![] };
        port.set_link(&link, Time::from_ps(ms * MS));
    };
    // At 0.5 s the line slows down to 2 kbit/s: the packet in transmission ends at 1 s as it would have, and takes all of the line until then. The
    // next one takes 4 s, in the last of which the line has 10 kbit/s.
    change(&mut port, 500, 2000);
    assert_eq!(bits_used(&port, 1000), 4000 + 1000);
    change(&mut port, 4000, 10_000);
    let due = [4000 + 7000, 4000 + 7000 + 5000, 4000 + 7000 + 10_000];
    assert_eq!([4000, 4500, 9000].map(|ms| bits_used(&port, ms)), due);
}

#[test]
fn the_most_that_waited_is_seen_after_the_line_took_its_packet_and_may_start_afresh() {
    let mut port = port(r#"{"kind": "fcfs", "buffer": "3pkt"}"#);
    offer(&mut port, &[(0, 0, 1000)]);
    assert_eq!(port.counters(Time::ZERO).backlog_max, 0, "an idle line takes the packet at once");
    offer(&mut port, &[(0, 0, 1000), (0, 0, 1000), (0, 0, 1000), (0, 0, 1000)]);
    assert_eq!(port.counters(Time::ZERO).backlog_max, 3, "a dropped packet never waited");
    port.advance(Time::from_ps(2000 * MS), &mut each_sent(|_| {}));
    assert_eq!(port.counters(Time::from_ps(2000 * MS)).backlog_max, 3, "a maximum stays");
    port.reset_backlog_max();
    assert_eq!(port.counters(Time::from_ps(2000 * MS)).backlog_max, 1, "what waits as the observation begins");
    port.advance(Time::NEVER, &mut each_sent(|_| {}));
    assert_eq!(port.counters(Time::from_ps(9000 * MS)).backlog_max, 1);
}

#[test]
fn the_packet_in_transmission_takes_room_as_long_as_it_is_set_to() {
    // There is room for one packet. The first is in transmission until 1 s; another arrives before, at and after that moment, or long after it.
    let passes = |counted, ms| {
        let mut port = port(r#"{"kind": "fcfs", "buffer": "1pkt"}"#);
        port.count_in_service(counted);
        offer(&mut port, &[(0, 0, 1000)]);
        assert_eq!(
            port.counters(Time::ZERO).dropped,
            [0; DropReason::ALL.len()],
            "before the first packet there is none in transmission"
        );
        offer(&mut port, &[(ms, 0, 1000)]);
        port.dropped().is_empty()
    };
    let at = |counted| [999, 1000, 1001, 9000].map(|ms| passes(counted, ms));
    assert_eq!(at(InService::Extra), [true, true, true, true]);
    assert_eq!(at(InService::UntilEnd), [false, true, true, true]);
    assert_eq!(at(InService::ThroughEnd), [false, false, true, true]);
}

#[test]
fn a_line_is_idle_when_it_is_free_and_nothing_waits() {
    let mut port = port(r#""fcfs""#);
    assert!(port.is_idle(Time::ZERO), "nothing has arrived yet");
    offer(&mut port, &[(0, 0, 1000), (0, 0, 1000)]);
    let idle = [0, 999, 1000].map(|ms| port.is_idle(Time::from_ps(ms * MS)));
    assert_eq!(idle, [false; 3], "one is in transmission until 1 s, another waits");
    port.advance(Time::NEVER, &mut each_sent(|_| {}));
    assert_eq!([1999, 2000].map(|ms| port.is_idle(Time::from_ps(ms * MS))), [false, true], "both are sent at 2 s");
}

#[test]
fn a_port_gives_up_a_packet_for_another_port_and_refuses_one() {
    let mut port = port(r#"{"kind": "fcfs", "buffer": "9pkt"}"#);
    // Packet 0 is in transmission until 1 s; 1 to 3 wait.
    offer(&mut port, &[(0, 0, 1000), (100, 1, 400), (200, 2, 500), (300, 3, 600)]);
    let waiting = |port: &Port| {
        let mut all = vec![];
        port.discipline().waiting(&mut |packet| all.push(packet.handle));
        all
    };
    assert_eq!(waiting(&port), [1, 2, 3]);
    let at = |ms: u64| Time::from_ps(ms * MS);
    assert!(port.withdraw(2, at(400)) && !port.withdraw(2, at(400)) && !port.withdraw(0, at(400)));
    assert_eq!((waiting(&port), port.backlog()), (vec![1, 3], Backlog { packets: 2, bytes: 1000 }));
    port.refuse(Packet { handle: 9, bytes: 300, flow: FlowId(1), ..Packet::default() }, at(500));
    let gone: Vec<_> = port.dropped().iter().map(|d| (d.handle, d.at, d.arrived, d.reason)).collect();
    assert_eq!(gone, [(2, at(400), at(200), DropReason::Evicted), (9, at(500), at(500), DropReason::Full)]);
    assert_eq!(port.withdraw(1, at(600)), port.withdraw(3, at(700)));
    // Nothing waits: what comes next is sent when the line is free.
    assert_eq!((port.next(), port.backlog()), (Time::NEVER, Backlog::default()));
    let mut sent = vec![];
    port.offer(Packet { handle: 10, bytes: 100, ..Packet::default() }, at(900), &mut each_sent(|_| {}));
    port.advance(at(2000), &mut each_sent(|s| sent.push((s.packet.handle, s.start))));
    assert_eq!(sent, [(10, at(1000))]);
    let counters = port.counters(at(1000));
    // 2 waited for 200 ms, 1 for 500, 3 for 400, 10 for 100.
    assert_eq!(counters.backlog_ps, u128::from(1200 * MS));
    assert_eq!((counters.offered, counters.offered_bytes, counters.sent), (6, 2900, 2));
    assert_eq!(counters.dropped, by_reason(&[(DropReason::Full, 1), (DropReason::Evicted, 3)]));
}
