//! The credit of queues, where a conversation waits, and when its queue counts as one with a standing backlog.

use super::*;

#[test]
fn what_is_rounded_off_is_made_up_for() {
    // 1514 bytes times 65535 / 65536 are 1513.977 a turn; without the random bits they would be 1513.
    let mut bench = Bench::new(&CakeParams::default(), &[]);
    bench.offer(0, 0, 1500, Ecn::NotEct);
    let queue = bench.queue.tins[0].place(bench.queue.tags(FlowId(0)).flow).queue;
    let (tin, turns) = (&mut bench.queue.tins[0], 10_000);
    let mut list = tin::Which::New;
    for _ in 0..turns {
        tin.renew(queue, list, &mut bench.rng);
        list = tin::Which::Old;
    }
    let mean = (tin.flows[queue].credit - 1513) as f64 / f64::from(turns);
    assert!((mean - 1513.977).abs() < 0.006, "{mean}");
}

#[test]
fn a_conversation_returns_to_its_queue_before_it_takes_another_idle_one() {
    let part = Diffserv::Besteffort.parts(0)[0];
    let mut tin = Tin::new(Derived::new(0, Duration::from_millis(5), Duration::from_millis(100)), part, [true; 2]);
    tin.open();
    // Two of one name: the second one has the next queue of the set. Once both are idle it has that one still.
    for tag in [5, 5 + 1024] {
        let place = tin.place(tag);
        tin.enter(place, Tags { flow: tag, hosts: [1, 2] });
        tin.flows[place.queue].set = Set::Sparse;
    }
    (5..=6).for_each(|queue| tin.flows[queue].set = Set::None);
    assert_eq!(tin.place(5 + 1024), tin::Place { queue: 6, enters: true, shared: false });
}

#[test]
fn a_queue_that_waited_without_packets_has_a_standing_backlog_with_the_next() {
    let mut bench = Bench::new(&CakeParams::default(), &[]);
    // It uses up its credit with its only packet, and is found without credit and empty at the next turn, behind which another queue waits.
    bench.offer(0, 0, 1514, Ecn::NotEct);
    bench.offer(1, 0, 1514, Ecn::NotEct);
    assert_eq!((0..2).map(|_| bench.take().expect("packets").flow.0).collect::<Vec<_>>(), [0, 1]);
    let queue = bench.queue.tins[0].place(bench.queue.tags(FlowId(0)).flow).queue;
    bench.queue.tins[0].renew(queue, tin::Which::New, &mut bench.rng);
    let tin = &bench.queue.tins[0];
    assert_eq!((tin.flows[queue].set, tin.sparse, tin.bulk), (Set::SparseWait, 2, 0));
    bench.offer(0, 0, 100, Ecn::NotEct);
    let tin = &bench.queue.tins[0];
    assert_eq!((tin.flows[queue].set, tin.sparse, tin.bulk), (Set::Bulk, 1, 1));
}

#[test]
fn an_interval_is_no_shorter_than_two_targets() {
    // 1 Mbit/s and 10 ms: the target is 18.168 ms. 10 ms and what it is longer than 5 ms are 23.168 ms.
    let rule = Derived::new(125_000, Duration::from_millis(5), Duration::from_millis(10)).rule;
    assert_eq!((rule.target.as_ps(), rule.interval.as_ps()), (18_168_000_000, 36_336_000_000));
}
