//! The network's parts: wires whose delay changes, payloads, paths.

use headgate_packet::{Duration, Ecn, FlowId, Packet, Rate, Rng, Time};
use headgate_queue::{LinkInfo, Port, Spec};
use headgate_sim::net::{InFlight, Lane, Payloads, Routes};
use headgate_sim::spec::Scenario;
use proptest::prelude::*;
use std::collections::BTreeSet;

fn at(ms: u64) -> Time {
    Time::ZERO + Duration::from_millis(ms)
}

/// A line of a packet of 1000 bytes each 100 ms.
fn lane(delay: u64) -> Lane {
    let rate = Rate::from_bps(80_000).expect("not zero");
    let discipline = Spec::default_of("fcfs").expect("in the list").build(&LinkInfo {
        rate,
        flows: 1,
        weights: vec![],
        hosts: vec![],
    });
    Lane::new(Port::new(discipline, rate, Rng::new(1, 0, "port")), Duration::from_millis(delay), 0, false)
}

fn packet(handle: u32, arrived: u64) -> Packet {
    Packet { arrived: at(arrived), handle, flow: FlowId(0), bytes: 1000, ..Packet::default() }
}

/// Handle, arrival in ms and waiting in ms of each packet on the wire.
fn on_wire(lane: &mut Lane) -> Vec<(u32, u64, u64)> {
    let ms = |ps: u64| ps / 1_000_000_000;
    std::iter::from_fn(|| lane.wire.pop_front())
        .map(|p| (p.packet.handle, ms(p.packet.arrived.as_ps()), ms(p.waited)))
        .collect()
}

#[test]
fn a_packet_arrives_one_delay_after_the_end_of_its_transmission() {
    let mut lane = lane(50);
    for handle in 0..3 {
        lane.offer(packet(handle, 0), at(0));
    }
    lane.advance(at(1000));
    assert_eq!(on_wire(&mut lane), [(0, 150, 0), (1, 250, 100), (2, 350, 200)]);
    assert_eq!((lane.wire.entered, lane.wire.travelled_ps), (3, 3 * 50_000_000_000));
}

#[test]
fn what_a_packet_carries_stays_with_it() {
    let mut lane = lane(0);
    let (ecn, label, class) = (Ecn::default(), 77, 3);
    lane.offer(Packet { ecn, label, class, ..packet(9, 0) }, at(0));
    let InFlight { packet: p, .. } = lane.wire.pop_front().expect("it is on the wire");
    assert_eq!((p.handle, p.bytes), (9, 1000));
    lane.offer(Packet { ecn, label, class, ..packet(9, 0) }, at(200));
    let p = lane.wire.pop_front().expect("it is on the wire").packet;
    assert_eq!((p.label, p.class, p.ecn), (label, class, ecn));
}

#[test]
fn after_a_cut_of_the_delay_nothing_overtakes() {
    let mut lane = lane(1000);
    (0..3).for_each(|handle| lane.offer(packet(handle, 0), at(0)));
    // Two transmissions have begun by 150 ms, with the delay of then: they arrive at 1.1 and 1.2 s. The third, at 300 ms + 10 ms, would
    // overtake them, and so would a fourth.
    lane.advance(at(150));
    lane.set_delay(Duration::from_millis(10));
    lane.offer(packet(3, 150), at(150));
    lane.advance(at(1150));
    lane.offer(packet(4, 1150), at(1150));
    assert_eq!(on_wire(&mut lane), [(0, 1100, 0), (1, 1200, 100), (2, 1200, 200), (3, 1200, 150), (4, 1260, 0)]);
    // The achieved delay is what each really took from the end of its transmission: 1, 1, 0.9, 0.8 and 0.01 s.
    assert_eq!((lane.wire.entered, lane.wire.travelled_ps), (5, 3_710_000_000_000));
    // With an empty wire a new delay counts at once; a bound from before stays until it has passed.
    lane.set_delay(Duration::from_millis(20));
    lane.offer(packet(5, 2000), at(2000));
    assert_eq!(on_wire(&mut lane), [(5, 2120, 0)]);
}

proptest! {
    #[test]
    fn packets_keep_their_order_whatever_the_delays(steps in prop::collection::vec((0..300u64, prop::option::of(0..2000u64)), 1..40)) {
        let (mut lane, mut now) = (lane(100), 0);
        for (i, (gap, delay)) in steps.iter().enumerate() {
            now += gap;
            lane.advance(at(now));
            if let Some(delay) = delay {
                lane.set_delay(Duration::from_millis(*delay));
            }
            lane.offer(packet(i as u32, now), at(now));
        }
        lane.advance(at(now + 100_000));
        let wire = on_wire(&mut lane);
        prop_assert_eq!(wire.iter().map(|p| p.0).collect::<Vec<_>>(), (0..steps.len() as u32).collect::<Vec<_>>());
        prop_assert!(wire.windows(2).all(|w| w[0].1 <= w[1].1), "{wire:?}");
    }

    /// As many handles as packets at a time, each with its own payload.
    #[test]
    fn handles_are_different_and_used_again(steps in prop::collection::vec(any::<bool>(), 1..200)) {
        let (mut payloads, mut held, mut most) = (Payloads::default(), Vec::<u32>::new(), 0);
        for (i, more) in steps.iter().enumerate() {
            if *more || held.is_empty() {
                let handle = payloads.reserve();
                prop_assert!(!held.contains(&handle));
                payloads.get(handle).seq = i as u64;
                held.push(handle);
                most = most.max(held.len());
                prop_assert!((handle as usize) < most, "a freed handle is used before a new one");
            } else {
                payloads.remove(held.remove(0));
            }
            let seqs: BTreeSet<u64> = held.iter().map(|h| payloads.get(*h).seq).collect();
            prop_assert_eq!(seqs.len(), held.len());
        }
    }
}

/// Hosts a to d round gateways, and two ways from a to d: by g with two hops, by x, y with three.
fn square(flows: &str) -> Scenario {
    let text = format!(
        r#"{{"duration": "1s",
            "nodes": [{{"name": "a", "kind": "host"}}, {{"name": "g"}}, {{"name": "x"}}, {{"name": "y"}},
                      {{"name": "d", "kind": "host"}}],
            "links": [{{"name": "ax", "from": "a", "to": "x", "rate": "1Mbit/s"}}, {{"name": "xy", "from": "x", "to": "y", "rate": "1Mbit/s"}},
                      {{"name": "yd", "from": "y", "to": "d", "rate": "1Mbit/s"}}, {{"name": "ag", "from": "a", "to": "g", "rate": "1Mbit/s"}},
                      {{"name": "dg", "from": "d", "to": "g", "rate": "1Mbit/s"}}, {{"name": "gy", "from": "g", "to": "y", "rate": "1Mbit/s"}}],
            "flows": [{flows}]}}"#
    );
    Scenario::from_json(&text).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn paths_have_the_fewest_hops_and_ties_go_to_the_earlier_link() {
    let s = square(r#"{"name": "f", "from": "a", "to": "d"}"#);
    // Link i is number 2 i from `from` to `to`, and 2 i + 1 the other way.
    let mut routes = Routes::new(&s);
    assert_eq!(routes.path("a", "d"), Some(vec![6, 9]));
    assert_eq!(routes.path("d", "a"), Some(vec![8, 7]));
    assert_eq!(
        (routes.path("a", "a"), routes.path("a", "nowhere"), routes.path("nowhere", "a")),
        (Some(vec![]), None, None)
    );
    // From a to y by x or by g: two hops each, and a's link to x comes first in the file; back, y's link to x does.
    assert_eq!((routes.path("a", "y"), routes.path("y", "a")), (Some(vec![0, 2]), Some(vec![3, 1])));
}

#[test]
fn a_direction_that_is_down_is_gone_round_and_only_that() {
    let s = square(r#"{"name": "f", "from": "a", "to": "d"}"#);
    let without = |lanes: &[usize]| {
        let mut down = vec![false; 12];
        lanes.iter().for_each(|lane| down[*lane] = true);
        let mut routes = Routes::new(&s);
        routes.close(&down);
        (routes.path("a", "d"), routes.path("d", "a"))
    };
    assert_eq!(without(&[6]), (Some(vec![0, 2, 4]), Some(vec![8, 7])));
    assert_eq!(without(&[7]), (Some(vec![6, 9]), Some(vec![5, 3, 1])));
    assert_eq!(without(&[6, 0]), (None, Some(vec![8, 7])));
}
