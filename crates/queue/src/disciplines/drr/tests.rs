use crate::told::each_sent;
use super::*;
use crate::parts::test::{Arrival, dropped, order};
use crate::Spec;
use headgate_packet::{Rate, Rng};

#[test]
fn what_a_turn_leaves_is_kept() {
    // Quantum 500. The first packet of A is sent on its arrival and leaves A empty. Then A holds 750, 200, 200 and B 600, 300. A's turn: 500, no;
    // B's: 500, no; A's: 1000 covers 750 and 200, 50 left; B's: 1000 covers 600 and 300; A's: 550 covers 200.
    let spec = r#"{"kind": "drr", "quantum": "500B"}"#;
    let arrivals: [Arrival; 6] = [(0, 0, 200), (0, 0, 750), (0, 0, 200), (0, 0, 200), (0, 1, 600), (0, 1, 300)];
    assert_eq!(order(spec, &[], &arrivals), [0, 1, 2, 4, 5, 3]);
}

#[test]
fn conversations_are_put_into_the_queues_by_turns() {
    let link = LinkInfo { rate: Rate::from_bps(8_000).unwrap(), flows: 7, weights: vec![], hosts: vec![] };
    let drr = |queues| Drr::new(&DrrParams { queues, ..DrrParams::default() }, &link);
    assert_eq!([0, 1, 2, 3, 4, 5, 6].map(|flow| drr(3).place(flow)), [0, 1, 2, 0, 1, 2, 0]);
    assert_eq!([0, 1, 6].map(|flow| drr(0).place(flow)), [0, 1, 6], "one queue each");
}

#[test]
fn rounds_in_which_no_queue_can_send_cost_nothing() {
    // A quantum of a byte, weights 3, 1 and 2. The first packet is sent on its arrival. Of the others A's of 2000000 bytes is covered in round
    // 666667, B's of 1000000 in round 1000000, C's of 1500000 in round 750000; A's second one of 1999998 in round 1333333.
    let spec = r#"{"kind": "drr", "quantum": "1B"}"#;
    let arrivals: [Arrival; 5] =
        [(0, 0, 1), (0, 0, 2_000_000), (0, 1, 1_000_000), (0, 2, 1_500_000), (0, 0, 1_999_998)];
    assert_eq!(order(spec, &[3, 1, 2], &arrivals), [0, 1, 3, 2, 4]);
    // In one round the order of the turns decides.
    let arrivals: [Arrival; 4] = [(0, 0, 1), (0, 2, 5000), (0, 1, 5000), (0, 0, 5000)];
    assert_eq!(order(spec, &[1; 3], &arrivals), [0, 1, 2, 3]);
}

#[test]
fn a_quantum_times_a_weight_beyond_all_numbers_serves_and_ends() {
    // 2^33 bytes times 2^31: the product is 2^64, which wraps to nothing.
    let params = super::DrrParams { quantum: headgate_packet::Bytes(1 << 33), ..Default::default() };
    for spec in [
        crate::Spec::Drr(params.clone()),
        crate::Spec::Drr(DrrParams { queues: 1, queue_weight: QueueWeight::Sum, ..params.clone() }),
    ] {
        let rate = headgate_packet::Rate::from_bps(8).expect("above zero");
        let link = crate::LinkInfo { rate, flows: 2, weights: vec![1 << 31, u32::MAX], hosts: vec![] };
        let mut port = crate::Port::new(spec.build(&link), rate, headgate_packet::Rng::new(0, 0, "test"));
        let mut sent = 0;
        for flow in [0, 1, 0, 1] {
            let packet = headgate_packet::Packet { flow: headgate_packet::FlowId(flow), bytes: 9, ..Default::default() };
            port.offer(packet, headgate_packet::Time::ZERO, &mut each_sent(|_| sent += 1));
        }
        port.advance(headgate_packet::Time::NEVER, &mut each_sent(|_| sent += 1));
        assert_eq!(sent, 4);
    }
}

#[test]
fn weights_and_shared_queues() {
    let arrivals: Vec<Arrival> = (0..12).map(|i| (0, i % 3, 100)).collect();
    // Three conversations in two queues: 0 and 2 share one. The first packet is sent on its arrival; then 1 is first in the round.
    let spec = r#"{"kind": "drr", "quantum": "100B", "queues": 2}"#;
    let flows = |order: Vec<u32>| order.iter().map(|h| h % 3).collect::<Vec<_>>();
    assert_eq!(flows(order(spec, &[], &arrivals))[..8], [0, 1, 2, 1, 0, 1, 2, 1]);
    // Weight 3 against 1.
    let two: Vec<Arrival> = (0..16).map(|i| (0, i % 2, 100)).collect();
    let spec = r#"{"kind": "drr", "quantum": "100B"}"#;
    let heavy = order(spec, &[3, 1], &two)[1..9].iter().filter(|h| *h % 2 == 0).count();
    assert_eq!(heavy, 6);
}

#[test]
fn the_longest_queue_makes_room_at_the_end_asked_for() {
    // Four places and one in transmission (packet 0). B's arrival finds A with four packets waiting.
    let arrivals: [Arrival; 6] = [(0, 0, 9), (0, 0, 9), (0, 0, 9), (0, 0, 9), (0, 0, 9), (0, 1, 9)];
    let spec = |end: &str| format!(r#"{{"kind": "drr", "buffer": "4pkt", "drop": "{end}"}}"#);
    assert_eq!(dropped(&spec("tail"), &arrivals), [4]);
    assert_eq!(dropped(&spec("head"), &arrivals), [1]);
    // The arrival's own queue is the longest: the arrival is dropped, or the head in its place.
    let own: [Arrival; 6] = [(0, 0, 9), (0, 0, 9), (0, 0, 9), (0, 0, 9), (0, 0, 9), (0, 0, 9)];
    assert_eq!(dropped(&spec("tail"), &own), [5]);
    // Or the arrival is dropped, whichever queue is the longest.
    assert_eq!(dropped(&spec("arrival"), &arrivals), [5]);
    assert_eq!(dropped(&spec("head"), &own), [1]);
}

#[test]
fn what_an_aqm_drops_on_departure_does_not_count_as_sent() {
    let link = LinkInfo { rate: Rate::from_bps(8_000).unwrap(), flows: 2, weights: vec![], hosts: vec![] };
    let mut drr = Drr::new(&DrrParams { quantum: Bytes(500), ..DrrParams::default() }, &link);
    let (mut rng, mut dropped) = (headgate_packet::Rng::new(0, 0, "test"), Vec::new());
    let mut cx = Cx::new(Time::ZERO, &mut rng, &mut dropped);
    for (handle, flow, bytes) in [(0, 0, 300), (1, 0, 400), (2, 0, 100), (3, 1, 500)] {
        drr.enqueue(Packet { handle, flow: FlowId(flow), bytes, ..Packet::default() }, &mut cx);
    }
    // Packet 0 takes 300 of the turn's 500, and then 400 are too many. Dropped, it takes nothing: packets 1 and 2 are sent in this turn.
    let first = drr.dequeue(&mut cx).expect("four wait");
    drr.take_back(&first);
    let order: Vec<u32> = std::iter::from_fn(|| drr.dequeue(&mut cx)).map(|packet| packet.handle).collect();
    assert_eq!((first.handle, order), (0, vec![1, 2, 3]));
}

#[test]
fn an_emptied_queue_keeps_nothing_of_its_turn() {
    // Quantum 500. A's packet of 100 is sent on its arrival and leaves A empty. A comes back with 600, which a turn does not cover; B's 400 is
    // sent first.
    let spec = r#"{"kind": "drr", "quantum": "500B"}"#;
    assert_eq!(order(spec, &[], &[(0, 0, 100), (0, 0, 600), (0, 1, 400)]), [0, 2, 1]);
    // C is sent from 0 to 100. Then A's turn of 500 does not cover 800 and B's 100 is sent. At 150 D's 300 take the room of A's 800, its only
    // packet, and A sends 700. A's turn is the next one and begins at nothing: D is sent before A. What A had left would have covered the 700.
    let spec = r#"{"kind": "drr", "quantum": "500B", "buffer": "1000B"}"#;
    let arrivals: [Arrival; 5] = [(0, 2, 100), (1, 0, 800), (1, 1, 100), (150, 3, 300), (150, 0, 700)];
    assert_eq!((order(spec, &[], &arrivals), dropped(spec, &arrivals)), (vec![0, 2, 3, 4], vec![1]));
}

#[test]
fn of_queues_that_are_as_long_that_of_the_arrival_makes_room() {
    // Packet 0 of A is in transmission, 1 and 2 wait, and 3 of B. With packet 4 B's queue is as long as A's.
    let arrivals: [Arrival; 5] = [(0, 0, 9), (0, 0, 9), (0, 0, 9), (0, 1, 9), (0, 1, 9)];
    let spec = |end: &str| format!(r#"{{"kind": "drr", "buffer": "3pkt", "drop": "{end}"}}"#);
    assert_eq!(dropped(&spec("tail"), &arrivals), [4]);
    assert_eq!(dropped(&spec("head"), &arrivals), [3]);
    // In bytes too: 18 of A against 8 and 10 of B; with 9 it is one less, and A's last packet is dropped.
    let arrivals = |last| [(0, 0, 9), (0, 0, 9), (0, 0, 9), (0, 1, 8), (0, 1, last)];
    let spec = r#"{"kind": "drr", "buffer": "30B"}"#;
    assert_eq!(dropped(spec, &arrivals(10)), [4]);
    assert_eq!(dropped(spec, &arrivals(9)), [2]);
}

// Under the name `drr_plus`, with RED on each queue.

#[test]
fn each_queue_has_its_own_average() {
    // With a weight of 1 the average is the queue found, with thresholds of 2 and 3 packets pb is 0 at 2 and all are dropped at 3. Packet 0 is
    // sent on its arrival; 1, 2 and 3 find 0, 1 and 2 packets waiting, 4 and 5 find 3. The other conversation's find 0 and 1.
    let spec = r#"{"kind": "drr_plus", "aqm": {"kind": "red", "weight": 1, "min_threshold": "2pkt", "max_threshold": "3pkt"}}"#;
    let arrivals: [Arrival; 8] =
        [(0, 0, 9), (0, 0, 9), (0, 0, 9), (0, 0, 9), (0, 0, 9), (0, 0, 9), (0, 1, 9), (0, 1, 9)];
    assert_eq!(dropped(spec, &arrivals), [4, 5]);
}

#[test]
fn a_queue_may_have_its_own_part_of_the_buffer() {
    let arrivals: [Arrival; 7] = [(0, 0, 9), (0, 0, 9), (0, 0, 9), (0, 0, 9), (0, 1, 9), (0, 1, 9), (0, 1, 9)];
    let spec = r#"{"kind": "drr_plus", "buffer": "4pkt", "queue_buffer": "2pkt"}"#;
    assert_eq!(dropped(spec, &arrivals[..6]), [3]);
    assert_eq!(dropped(spec, &arrivals), [3, 6]);
    // Shared, the buffer is full when packet 5 arrives; the longest queue makes room.
    let spec = r#"{"kind": "drr_plus", "buffer": "4pkt"}"#;
    assert_eq!(dropped(spec, &arrivals[..5]), [] as [u32; 0]);
    assert_eq!(dropped(spec, &arrivals[..6]), [3]);
}

#[test]
fn a_queue_may_have_its_own_part_of_the_buffer_in_bytes() {
    // 9 and 9 bytes wait of A: 5 more are too many, 2 more just fit, and then nothing does. B has as much for itself.
    let spec = r#"{"kind": "drr_plus", "buffer": "99pkt", "queue_buffer": "20B"}"#;
    let arrivals: [Arrival; 8] =
        [(0, 0, 9), (0, 0, 9), (0, 0, 9), (0, 0, 5), (0, 0, 2), (0, 0, 1), (0, 1, 20), (0, 1, 1)];
    assert_eq!(dropped(spec, &arrivals), [3, 5, 7]);
}

#[test]
fn quanta_go_by_the_sum_of_the_weights() {
    // Conversations 0 and 2 of weights 1 and 4 share a queue, 1 and 3 of weights 2 and 3 the other: five packets a turn each. The first packet
    // is sent on its arrival and leaves its queue empty, so that the other one is first in the round.
    let arrivals: Vec<Arrival> = (0..24).map(|i| (0, i % 4, 100)).collect();
    let spec = r#"{"kind": "drr_plus", "quantum": "100B", "queues": 2}"#;
    let queues: Vec<u32> = order(spec, &[1, 2, 4, 3], &arrivals)[..16].iter().map(|h| h % 2).collect();
    assert_eq!(queues, [0, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1]);
}

#[test]
fn a_packet_lost_to_a_full_queue_starts_the_spacing_afresh() {
    // Two always wait, where pb is 0.5: after a packet that passed the next one would certainly be dropped. A packet that finds no room has
    // not passed.
    let link = LinkInfo { rate: Rate::from_bps(8_000).unwrap(), flows: 1, weights: vec![], hosts: vec![] };
    let aqm = r#"{"kind": "red", "weight": 1, "max_p": 1, "min_threshold": "1pkt", "max_threshold": "3pkt"}"#;
    let text = format!(r#"{{"kind": "drr_plus", "queue_buffer": "2pkt", "aqm": {aqm}}}"#);
    let spec: Spec = serde_json::from_str(&text).expect("valid");
    let (mut queue, mut rng, mut dropped) = (spec.build(&link), Rng::new(1, 0, "red"), Vec::new());
    let mut cx = Cx::new(Time::ZERO, &mut rng, &mut dropped);
    for _ in 0..100 {
        queue.enqueue(Packet { bytes: 10, ..Packet::default() }, &mut cx);
    }
    let fates: Vec<DropReason> = dropped.iter().map(|d| d.reason).collect();
    assert!(fates.len() == 98 && fates.contains(&DropReason::Random), "{fates:?}");
    assert!(fates.windows(2).any(|pair| pair == [DropReason::QueueFull; 2]), "{fates:?}");
}
