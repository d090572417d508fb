//! RFC 8290's lists and credits by hand; the second and third examples have the numbers of ns-3's tests.

use super::*;
use crate::DropReason;
use headgate_packet::{Rate, Rng};

/// A queue for each of these conversations, which is asked for packets by hand.
struct Bench {
    queue: DrrPlusPlus,
    rng: Rng,
    dropped: Vec<crate::Dropped>,
    handles: u32,
}

impl Bench {
    fn new(params: &DrrPlusPlusParams) -> Bench {
        let link = LinkInfo { rate: Rate::from_bps(8).unwrap(), flows: 16, weights: vec![], hosts: vec![] };
        let params = DrrPlusPlusParams { queues: 0, ..params.clone() };
        Bench { queue: DrrPlusPlus::new(&params, &link), rng: Rng::new(0, 0, "test"), dropped: Vec::new(), handles: 0 }
    }

    fn offer(&mut self, flow: u32, bytes: u32, count: u32) {
        for _ in 0..count {
            let packet = Packet { handle: self.handles, flow: FlowId(flow), bytes, ..Packet::default() };
            self.handles += 1;
            self.queue.enqueue(packet, &mut Cx::new(Time::ZERO, &mut self.rng, &mut self.dropped));
        }
    }

    /// The conversations of the next packets with what credit they leave.
    fn take(&mut self, count: usize) -> Vec<(u32, i64)> {
        let mut cx = Cx::new(Time::ZERO, &mut self.rng, &mut self.dropped);
        (0..count)
            .map_while(|_| {
                let packet = self.queue.dequeue(&mut cx)?;
                Some((packet.flow.0, self.queue.places[packet.flow.index()].credit))
            })
            .collect()
    }
}

#[test]
fn new_queues_are_served_before_old_ones() {
    let (a, b, c, d) = (0, 1, 2, 3);
    let mut bench = Bench::new(&DrrPlusPlusParams::default());
    bench.offer(a, 1500, 4);
    bench.offer(b, 700, 8);
    bench.offer(c, 100, 1);
    assert_eq!(bench.take(6), [(a, 14), (a, -1486), (b, 814), (b, 114), (b, -586), (c, 1414)]);
    // C is on the list of new queues still, and D comes to it: both before A.
    bench.offer(c, 100, 1);
    assert_eq!(bench.take(2), [(c, 1314), (a, -1472)]);
    bench.offer(d, 1500, 1);
    assert_eq!(bench.take(7), [(d, 14), (b, 228), (b, -472), (a, -1458), (b, 342), (b, -358), (b, 456)]);
    assert!(bench.take(9).is_empty());
    assert!(bench.queue.places.iter().all(|place| place.on == On::None) && bench.queue.backlog() == Backlog::default());
}

#[test]
fn an_emptied_new_queue_is_old_and_not_new_again() {
    // By the RFC X waits among the old ones with the credit that it had, so that Y and W go first.
    let (x, y, w) = (0, 1, 2);
    let mut bench = Bench::new(&DrrPlusPlusParams::default());
    bench.offer(x, 100, 1);
    bench.offer(y, 1500, 2);
    assert_eq!(bench.take(2), [(x, 1414), (y, 14)]);
    bench.offer(x, 100, 1);
    bench.offer(w, 100, 1);
    let order: Vec<u32> = bench.take(3).iter().map(|(flow, _)| *flow).collect();
    assert_eq!(order, [y, w, x]);
}

#[test]
fn credits_of_a_quantum_that_is_shorter_than_a_packet() {
    let mut bench = Bench::new(&DrrPlusPlusParams { quantum: Bytes(90), ..DrrPlusPlusParams::default() });
    bench.offer(0, 120, 2);
    assert_eq!(bench.take(1), [(0, -30)]);
    bench.offer(1, 120, 2);
    assert_eq!(bench.take(1), [(1, -30)]);
    assert_eq!(bench.queue.places[0].credit, 60);
    assert_eq!(bench.take(1), [(0, -60)]);
    assert_eq!(bench.queue.places[1].credit, 60);
    assert_eq!(bench.take(1), [(1, -60)]);
    assert_eq!(bench.queue.places[0].credit, 30);
    assert!(bench.take(1).is_empty());
    assert!(bench.queue.places.iter().all(|place| place.on == On::None));
    assert_eq!(bench.queue.places[1].credit, 30);
}

#[test]
fn rounds_without_credit_are_skipped() {
    // With a quantum of a byte a packet of 1000 bytes takes 1000 rounds, which leave the same credit as if they were gone through one by one.
    let mut bench = Bench::new(&DrrPlusPlusParams { quantum: Bytes(1), ..DrrPlusPlusParams::default() });
    bench.offer(0, 1000, 2);
    bench.offer(1, 400, 3);
    assert_eq!(bench.take(2), [(0, -999), (1, -399)]);
    // Queue 1 has credit first, after 400 rounds; queue 0, which is before it in each round, has had 401 by then.
    assert_eq!(bench.take(1), [(1, -399)]);
    assert_eq!(bench.queue.places[0].credit, -999 + 401);
    assert_eq!(bench.take(2), [(1, -399), (0, -999)]);
}

#[test]
fn a_full_buffer_drops_half_of_the_longest_queue() {
    for bytes in [120, 100] {
        let mut bench = Bench::new(&DrrPlusPlusParams { buffer: Buffer::Packets(4), ..DrrPlusPlusParams::default() });
        bench.offer(0, bytes, 3);
        bench.offer(1, bytes, 2);
        let gone: Vec<(u32, DropReason)> = bench.dropped.iter().map(|gone| (gone.handle, gone.reason)).collect();
        assert_eq!(gone, [(0, DropReason::Evicted), (1, DropReason::Evicted)]);
    }
    // No more than the batch at a time, but as often as it takes.
    let mut bench = Bench::new(&DrrPlusPlusParams { buffer: Buffer::Bytes(1000), drop_batch: 2, ..DrrPlusPlusParams::default() });
    bench.offer(0, 100, 10);
    bench.offer(1, 500, 1);
    assert_eq!(bench.dropped.iter().map(|gone| gone.handle).collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5]);
    // The packet that is the longest queue by itself.
    bench.dropped.clear();
    bench.offer(2, 900, 1);
    assert_eq!(bench.dropped.iter().map(|gone| gone.handle).collect::<Vec<_>>(), [11]);
    bench.dropped.clear();
    bench.offer(2, 1001, 1);
    assert_eq!(bench.dropped[0].reason, DropReason::Full);
}

#[test]
fn a_sparse_conversation_goes_first() {
    // Each time that conversation 1 sends a packet it has left both lists, so that it waits for none of the others' queues.
    let mut bench = Bench::new(&DrrPlusPlusParams::default());
    (2..6).for_each(|flow| bench.offer(flow, 1500, 50));
    bench.take(20);
    for _ in 0..10 {
        bench.offer(1, 100, 1);
        assert_eq!(bench.take(1)[0].0, 1);
        bench.take(12);
    }
}

#[test]
fn a_packet_that_finds_nothing_takes_credit_as_any_other() {
    // On an idle line, and through the queue.
    let params = DrrPlusPlusParams::default();
    let (mut passed, mut queued) = (Bench::new(&params), Bench::new(&params));
    let packet = Packet { flow: FlowId(3), bytes: 1000, ..Packet::default() };
    let mut cx = Cx::new(Time::ZERO, &mut passed.rng, &mut passed.dropped);
    assert_eq!(passed.queue.pass(packet, &mut cx), Some(packet));
    queued.offer(3, 1000, 1);
    queued.take(1);
    for bench in [&passed, &queued] {
        let place = bench.queue.places[3];
        assert_eq!((place.credit, place.on), (514, On::New));
        assert!(!bench.queue.has_forgotten(FlowId(3), Time::ZERO), "it is on a list");
        assert!(bench.queue.has_forgotten(FlowId(2), Time::ZERO));
    }
    // It is given back if the packet is dropped after all.
    passed.queue.take_back(&packet);
    assert_eq!(passed.queue.places[3].credit, 1514);
}

#[test]
fn a_queue_is_remembered_while_it_is_an_old_one() {
    let mut bench = Bench::new(&DrrPlusPlusParams::default());
    bench.offer(0, 1000, 1);
    bench.offer(1, 1500, 4);
    assert_eq!(bench.take(2).iter().map(|(flow, _)| *flow).collect::<Vec<_>>(), [0, 1]);
    assert_eq!(bench.queue.places[0].on, On::Old);
    assert!(!bench.queue.has_forgotten(FlowId(0), Time::ZERO));
    bench.take(9);
    assert!(bench.queue.has_forgotten(FlowId(0), Time::ZERO));
}

#[test]
fn a_new_queue_goes_before_any_number_of_old_ones() {
    let mut bench = Bench::new(&DrrPlusPlusParams::default());
    (0..15).for_each(|flow| bench.offer(flow, 1500, 4));
    bench.take(31);
    assert_eq!(bench.queue.old.len(), 15);
    bench.offer(15, 100, 1);
    assert_eq!(bench.take(1)[0].0, 15);
}
