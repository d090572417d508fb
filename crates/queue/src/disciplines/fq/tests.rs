use crate::told::each_sent;
use super::*;
use headgate_packet::{Duration, FlowId, Rate, Rng};

/// Sends (time, conversation, bits / 8 as bytes) through a line of 8 bit/s per byte/s and gives the order of service.
fn order(params: &FqParams, arrivals: &[(u64, u32, u32)]) -> Vec<u32> {
    let link = LinkInfo { rate: Rate::from_bps(8).unwrap(), flows: 4, weights: vec![], hosts: vec![] };
    let spec = crate::Spec::Fq(params.clone());
    let mut port = crate::Port::new(spec.build(&link), link.rate, Rng::new(0, 0, "test"));
    let mut out = Vec::new();
    for (i, &(at, flow, bytes)) in arrivals.iter().enumerate() {
        let packet = Packet { handle: i as u32, flow: FlowId(flow), bytes, ..Packet::default() };
        port.offer(packet, Time::ZERO + Duration::from_secs(at), &mut each_sent(|sent| out.push(sent.packet.handle)));
    }
    port.advance(Time::NEVER, &mut each_sent(|sent| out.push(sent.packet.handle)));
    out
}

#[test]
fn serves_by_bid_without_preemption() {
    // Demers sheet: B 0-40, C 40-70, B 70-90, A 90-190.
    let arrivals = [(0, 1, 40), (0, 0, 100), (10, 2, 30), (60, 1, 20)];
    assert_eq!(order(&FqParams::default(), &arrivals), [0, 2, 3, 1]);
}

#[test]
fn promptness_changes_the_order_of_a_newcomer_only() {
    // The line is busy until 300, R(240) = 140. A's bid is 240, 220 or 200 for delta 0, 20 or 1000; its rival's, of a
    // conversation that was never active and so has F = 0, is 230, 210 and 90.
    let arrivals = [(0, 1, 100), (0, 0, 100), (0, 1, 100), (240, 0, 100), (240, 2, 90)];
    let last = |delta| order(&FqParams { delta: Bytes(delta), ..FqParams::default() }, &arrivals)[3..].to_vec();
    assert_eq!(last(0), [4, 3]);
    // With a rival that is active the newcomer overtakes: conversation 1 bids 300 at 240 whatever delta.
    let arrivals = [(0, 1, 100), (0, 0, 100), (0, 1, 100), (240, 1, 30), (241, 0, 100)];
    let last = |delta| order(&FqParams { delta: Bytes(delta), ..FqParams::default() }, &arrivals)[3..].to_vec();
    assert_eq!(last(0), [3, 4]);
    assert_eq!(last(1000), [4, 3]);
}

#[test]
fn with_slots_a_conversation_has_a_fraction_of_the_line() {
    // Packets of 100 bytes. Conversation 0 bids 100, 200, ..., 800 from time 0 on. Conversation 1 comes at 350, while the fourth of these is sent: by
    // weight at R = 350, and its bids 450, 550, 650 and 750 take turns with 500 and so on. With two slots R is half of the line's time, 175, and it
    // bids 275, 375, 475 and 575: it has the line until the other, which used its slot before, has its turn with 500.
    let arrivals: Vec<(u64, u32, u32)> = [(0, 0); 8].into_iter().chain([(350, 1); 4]).map(|(at, flow)| (at, flow, 100)).collect();
    assert_eq!(order(&FqParams::default(), &arrivals), [0, 1, 2, 3, 8, 4, 9, 5, 10, 6, 11, 7]);
    let slots = FqParams { slots: Some(2), ..FqParams::default() };
    assert_eq!(order(&slots, &arrivals), [0, 1, 2, 3, 8, 9, 10, 4, 11, 5, 6, 7]);
    // With as many as are active nothing changes.
    let slots = FqParams { slots: Some(1), ..FqParams::default() };
    assert_eq!(order(&slots, &arrivals), order(&FqParams::default(), &arrivals));
}

#[test]
fn bids_go_on_beyond_2_to_the_52_bits() {
    // All conversations have finish numbers just below 2^52 bits, and the line stands there too: packets of 10 and 40 bytes lie on both sides.
    let link = LinkInfo { rate: Rate::from_bps(8).unwrap(), flows: 4, weights: vec![], hosts: vec![] };
    for structure in [Structure::Perc, Structure::Heap, Structure::Tree, Structure::Link] {
        let params = FqParams { structure, drop_policy: DropPolicy::LargestBid, ..FqParams::default() };
        for start in [(1 << 52) - 100, (1 << 53) - 100, (1 << 63) - 100] {
            let (mut queue, mut rng, mut dropped) = (Fq::new(&params, &link), Rng::new(0, 0, "test"), Vec::new());
            queue.round.start_at(Round::bits(start));
            for flow in 0..4 {
                queue.round.extend(flow, 0, 0);
            }
            let mut cx = Cx::new(Time::ZERO, &mut rng, &mut dropped);
            for (handle, flow, bytes) in [(0, 0, 10), (1, 1, 40), (2, 0, 20), (3, 2, 9), (4, 2, 31), (5, 3, 11)] {
                queue.enqueue(Packet { handle, flow: FlowId(flow), bytes, ..Packet::default() }, &mut cx);
            }
            let sent: Vec<u32> = std::iter::from_fn(|| queue.dequeue(&mut cx)).map(|p| p.handle).collect();
            assert_eq!(sent, [3, 0, 5, 2, 1, 4], "{structure:?} from {start}");
        }
    }
}

#[test]
fn arrivals_go_on_beyond_2_to_the_32() {
    // Six equal bids, whose order is that of arrival; the numbers of arrivals begin again between any two of them.
    let link = LinkInfo { rate: Rate::from_bps(8).unwrap(), flows: 6, weights: vec![], hosts: vec![] };
    for drop_policy in [DropPolicy::LongestQueue, DropPolicy::LargestBid, DropPolicy::Arrival] {
        for left in 0..7 {
            let params = FqParams { drop_policy, ..FqParams::default() };
            let (mut queue, mut rng, mut dropped) = (Fq::new(&params, &link), Rng::new(0, 0, "test"), Vec::new());
            queue.arrivals = MOST_ARRIVALS - left;
            let mut cx = Cx::new(Time::ZERO, &mut rng, &mut dropped);
            for (handle, flow) in [(0, 5), (1, 0), (2, 4), (3, 1), (4, 3), (5, 2)] {
                queue.enqueue(Packet { handle, flow: FlowId(flow), bytes: 10, ..Packet::default() }, &mut cx);
            }
            let sent: Vec<u32> = std::iter::from_fn(|| queue.dequeue(&mut cx)).map(|p| p.handle).collect();
            assert_eq!(sent, [0, 1, 2, 3, 4, 5], "{drop_policy:?}, {left} numbers left");
        }
    }
}

fn survivors(params: FqParams, arrivals: &[(u32, u32)]) -> Vec<u32> {
    let link = LinkInfo { rate: Rate::from_bps(8).unwrap(), flows: 4, weights: vec![], hosts: vec![] };
    let mut queue = Fq::new(&params, &link);
    let (mut rng, mut dropped) = (Rng::new(0, 0, "test"), Vec::new());
    let mut cx = Cx::new(Time::ZERO, &mut rng, &mut dropped);
    for (i, &(flow, bytes)) in arrivals.iter().enumerate() {
        queue.enqueue(Packet { handle: i as u32, flow: FlowId(flow), bytes, ..Packet::default() }, &mut cx);
    }
    let mut left: Vec<u32> = std::iter::from_fn(|| queue.dequeue(&mut cx)).map(|p| p.handle).collect();
    left.sort_unstable();
    left
}

#[test]
fn the_longest_queue_loses_its_last_packet() {
    let params = FqParams { buffer: Buffer::Packets(3), ..FqParams::default() };
    assert_eq!(survivors(params.clone(), &[(0, 10), (0, 10), (0, 10), (1, 10)]), [0, 1, 3]);
    // The arrival's own conversation is one of the longest: the arrival is dropped.
    assert_eq!(survivors(params, &[(0, 10), (0, 10), (1, 10), (1, 10)]), [0, 1, 2]);
    // Of two others that hold as much it is the one whose last packet is to leave last, whatever their numbers.
    let params = FqParams { buffer: Buffer::Packets(4), ..FqParams::default() };
    assert_eq!(survivors(params.clone(), &[(0, 10), (0, 10), (1, 10), (1, 30), (2, 10)]), [0, 1, 2, 4]);
    assert_eq!(survivors(params.clone(), &[(0, 10), (0, 30), (1, 10), (1, 10), (2, 10)]), [0, 2, 3, 4]);
    // With equal bids, too.
    assert_eq!(survivors(params.clone(), &[(0, 10), (1, 10), (0, 10), (1, 10), (2, 10)]), [0, 1, 2, 4]);
    assert_eq!(survivors(params, &[(1, 10), (0, 10), (1, 10), (0, 10), (2, 10)]), [0, 1, 2, 4]);
}

#[test]
fn the_largest_bid_is_dropped_in_any_conversation() {
    let params =
        FqParams { buffer: Buffer::Packets(2), drop_policy: DropPolicy::LargestBid, ..FqParams::default() };
    assert_eq!(survivors(params, &[(0, 10), (1, 50), (2, 20)]), [0, 2]);
}

#[test]
fn the_arrival_is_dropped_whatever_its_bid() {
    // Of every structure: 2 arrives at a full buffer, with a smaller bid than 1 and from a conversation that holds nothing.
    for structure in [Structure::Perc, Structure::Link, Structure::Tree, Structure::Heap] {
        let buffer = Buffer::Packets(2);
        let params = FqParams { buffer, drop_policy: DropPolicy::Arrival, structure, ..FqParams::default() };
        assert_eq!(survivors(params, &[(0, 10), (0, 50), (1, 20)]), [0, 1], "{structure:?}");
    }
    // In bytes what fits gets in, and it may be later than what did not.
    let params = FqParams { buffer: Buffer::Bytes(100), drop_policy: DropPolicy::Arrival, ..FqParams::default() };
    assert_eq!(survivors(params, &[(0, 60), (1, 50), (1, 40), (0, 1)]), [0, 2]);
}

#[test]
fn a_dropped_packet_is_charged_or_not() {
    let finish = |charge_drops| {
        let link = LinkInfo { rate: Rate::from_bps(8).unwrap(), flows: 1, weights: vec![], hosts: vec![] };
        let params = FqParams { buffer: Buffer::Packets(1), charge_drops, ..FqParams::default() };
        let (mut queue, mut rng, mut dropped) = (Fq::new(&params, &link), Rng::new(0, 0, "test"), Vec::new());
        for _ in 0..3 {
            let mut cx = Cx::new(Time::ZERO, &mut rng, &mut dropped);
            queue.enqueue(Packet { bytes: 10, ..Packet::default() }, &mut cx);
        }
        assert_eq!(dropped.len(), 2);
        queue.round.finish(0)
    };
    assert_eq!(finish(true), Round::bits(240));
    assert_eq!(finish(false), Round::bits(80));
}

#[test]
fn a_packet_that_is_taken_back_keeps_its_conversation_active_no_longer() {
    // Conversation 0 has two packets of 10 bytes and loses the second to conversation 1: both finish at 80 bits, which two reach in 20 s.
    let active = |charge_drops| {
        let link = LinkInfo { rate: Rate::from_bps(8).unwrap(), flows: 2, weights: vec![], hosts: vec![] };
        let params = FqParams { buffer: Buffer::Packets(2), charge_drops, ..FqParams::default() };
        let (mut queue, mut rng, mut dropped) = (Fq::new(&params, &link), Rng::new(0, 0, "test"), Vec::new());
        for flow in [0, 0, 1] {
            let mut cx = Cx::new(Time::ZERO, &mut rng, &mut dropped);
            queue.enqueue(Packet { flow: FlowId(flow), bytes: 10, ..Packet::default() }, &mut cx);
        }
        assert_eq!(dropped.len(), 1);
        queue.round.advance(Time::from_ps(21_000_000_000_000));
        queue.round.active()
    };
    assert_eq!([active(true), active(false)], [1, 0]);
}
