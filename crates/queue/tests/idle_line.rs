//! DRR++ on a line that idles: a port is as a driver that asks once more as the last transmission ends, which RFC 8290 (section 4.2) answers by
//! taking all queues off their lists. ns-3 is such a driver.

use crate::common::told::each_sent;
use headgate_packet::{FlowId, Packet, Rate, Rng, Time};
use headgate_queue::{Cx, Discipline as _, LinkInfo, Port, Spec};

/// Nanoseconds and flow and bytes of each packet.
type Arrivals = [(u64, u32, u32)];

const LINE: u64 = 10_000_000;
const FLOWS: usize = 6;

fn link() -> LinkInfo {
    LinkInfo { rate: Rate::from_bps(LINE).unwrap(), flows: FLOWS, weights: vec![], hosts: vec![] }
}

fn spec(text: &str) -> Spec {
    serde_json::from_str(text).expect("a valid discipline")
}

fn packet(number: usize, flow: u32, bytes: u32) -> Packet {
    Packet { handle: number as u32, flow: FlowId(flow), bytes, ..Packet::default() }
}

/// The order in which a port sends them.
fn by_port(spec: &Spec, arrivals: &Arrivals) -> Vec<u32> {
    let (mut port, mut sent) = (Port::new(spec.build(&link()), link().rate, Rng::new(0, 0, "test")), Vec::new());
    for (number, (at, flow, bytes)) in arrivals.iter().enumerate() {
        port.offer(
            packet(number, *flow, *bytes),
            Time::from_ps(at * 1000),
            &mut each_sent(|s| sent.push(s.packet.handle)),
        );
    }
    port.advance(Time::NEVER, &mut each_sent(|s| sent.push(s.packet.handle)));
    sent
}

/// The order in which a driver sends them that knows no more than `enqueue` and `dequeue`; whether it `asks` as a transmission ends and nothing waits.
fn by_hand(spec: &Spec, arrivals: &Arrivals, asks: bool) -> Vec<u32> {
    let (mut queue, mut rng, mut dropped) = (spec.build(&link()), Rng::new(0, 0, "test"), Vec::new());
    let (mut free, mut busy, mut sent, mut next) = (0, false, Vec::new(), 0);
    loop {
        let arrives = arrivals.get(next).map_or(u64::MAX, |a| a.0 * 1000);
        if busy && free <= arrives {
            // The end of a transmission comes before an arrival.
            let mut cx = Cx::new(Time::from_ps(free), &mut rng, &mut dropped);
            let found = if asks || queue.backlog().packets > 0 { queue.dequeue(&mut cx) } else { None };
            busy = found.is_some();
            if let Some(found) = found {
                sent.push(found.handle);
                free += u64::from(found.bytes) * 8_000_000_000_000 / LINE;
            }
        } else if let Some((_, flow, bytes)) = arrivals.get(next) {
            let mut cx = Cx::new(Time::from_ps(arrives), &mut rng, &mut dropped);
            queue.enqueue(Packet { arrived: Time::from_ps(arrives), ..packet(next, *flow, *bytes) }, &mut cx);
            if !busy && let Some(found) = queue.dequeue(&mut cx) {
                sent.push(found.handle);
                (busy, free) = (true, arrives + u64::from(found.bytes) * 8_000_000_000_000 / LINE);
            }
            next += 1;
        } else {
            return sent;
        }
    }
}

/// Bursts of some flows at a load below that of the line, so that it idles between them.
fn light(count: usize, gap: u64) -> Vec<(u64, u32, u32)> {
    let (mut rng, mut now, mut all) = (Rng::new(1, 0, "arrivals"), 0, Vec::new());
    while all.len() < count {
        now += gap + rng.next_u64() % (2 * gap);
        for _ in 0..1 + rng.next_u64() % 8 {
            now += rng.next_u64() % 200_000;
            let flow = (rng.next_u64() % FLOWS as u64) as u32;
            all.push((now, flow, [1500, 900, 1200, 1400, 300, 100][flow as usize]));
        }
    }
    all.truncate(count);
    all
}

const QUEUES: [&str; 5] = [
    r#"{"kind": "drr_plus_plus", "queues": 0}"#,
    r#"{"kind": "drr_plus_plus", "queues": 0, "quantum": "300B"}"#,
    r#"{"kind": "drr_plus_plus", "queues": 3}"#,
    r#"{"kind": "fq_codel", "queues": 0}"#,
    r#"{"kind": "fq_pie", "queues": 0}"#,
];

#[test]
fn a_port_is_as_a_driver_that_asks_once_more() {
    let differ = |a: &[u32], b: &[u32]| a.iter().zip(b).filter(|(a, b)| a != b).count();
    for queue in QUEUES {
        for gap in [2_000_000, 4_000_000, 8_000_000] {
            let arrivals = light(4000, gap);
            let (port, asks, silent) = (
                by_port(&spec(queue), &arrivals),
                by_hand(&spec(queue), &arrivals, true),
                by_hand(&spec(queue), &arrivals, false),
            );
            assert!(port == asks && port.len() > 3900, "{queue}, {gap}: {} places differ", differ(&port, &asks));
            // One that does not ask would leave other flows on the lists of a line that has idled.
            assert!(differ(&silent, &asks) > 40, "{queue}, {gap}: {}", differ(&silent, &asks));
        }
    }
}

#[test]
fn a_flow_that_returns_to_an_idle_line_is_new() {
    // Flow 0 sends its quantum and is off the lists once the line idles, at 1.2 ms. At 2 ms a packet of flow 1 is in transmission, and packets of 1 and 0 wait: 0 is as
    // new as 1, so that it comes first in which order they arrived. On an old list it would wait for flow 2, which is new.
    let arrivals = [(0, 0, 1500), (2_000_000, 1, 1500), (2_100_000, 0, 300), (2_200_000, 2, 300)];
    for queue in [QUEUES[0], QUEUES[3], QUEUES[4]] {
        assert_eq!(by_port(&spec(queue), &arrivals), [0, 1, 2, 3], "{queue}");
        assert_eq!(by_hand(&spec(queue), &arrivals, false), [0, 1, 3, 2], "{queue}");
        // While the line is busy it is on its list: at 1.1 ms nothing waits, but the first packet is in transmission.
        let busy = [(0, 0, 1500), (1_100_000, 1, 1500), (1_150_000, 0, 300), (1_160_000, 2, 300)];
        assert_eq!(by_port(&spec(queue), &busy), by_hand(&spec(queue), &busy, true), "{queue}");
        // At the instant at which the transmission ends the end comes first.
        let end = [(0, 0, 1500), (1_200_000, 1, 1500), (1_250_000, 0, 300), (1_260_000, 2, 300)];
        assert_eq!(by_port(&spec(queue), &end), [0, 1, 2, 3], "{queue}");
    }
}
