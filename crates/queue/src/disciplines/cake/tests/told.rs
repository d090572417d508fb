//! What CAKE says of its decisions is what it decides with.

use super::*;
use std::collections::BTreeMap;

fn told(bench: &Bench, flow: u32, class: u8) -> BTreeMap<&'static str, f64> {
    let mut all = BTreeMap::new();
    let packet = Packet { flow: FlowId(flow), class, bytes: 100, ..Packet::default() };
    bench.queue.explain(&packet, &Look { now: bench.now, ..Look::default() }, &mut |number, value| {
        assert!(all.insert(number.name(), value).is_none(), "{} twice", number.name());
    });
    all
}

#[test]
fn numbers_by_hand() {
    let hosts = [[1, 5], [1, 6], [1, 7]];
    let mut bench = Bench::new(&CakeParams { rate: rate(12_000_000), ..CakeParams::default() }, &hosts);
    let first = told(&bench, 0, 46);
    assert_eq!((first["tin"], first["own_queue_packets"], first["is_new"], first["held_for"]), (2.0, 0.0, 1.0, 0.0));
    assert!(!first.contains_key("credit") && first["buffer_bytes"] == f64::from(4 << 20));
    for _ in 0..4 {
        (0..3).for_each(|flow| bench.offer(flow, 0, 1500, Ecn::NotEct));
    }
    for _ in 0..6 {
        bench.take();
    }
    // All three have a standing backlog, and one source host. The next packet goes 1 ms after the last one.
    let found = told(&bench, 1, 0);
    assert_eq!((found["tin"], found["host_load"], found["is_new"], found["old_queues"]), (0.0, 3.0, 0.0, 3.0));
    assert_eq!((found["own_queue_packets"], found["own_queue_bytes"], found["held_for"]), (2.0, 3000.0, 0.001));
    assert!(found["credit"] < 0.0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The queue and the tin that are told of an arrival are those from which the packet leaves, if no other conversation takes its queue.
    #[test]
    fn a_packet_leaves_the_queue_that_was_told(
        steps in prop::collection::vec((0..200u32, 0..3usize, 0..5u64, 0..3u32), 1..300), diffserv in
        prop::sample::select(vec![Diffserv::Besteffort, Diffserv::Diffserv3, Diffserv::Diffserv4, Diffserv::Diffserv8, Diffserv::Precedence]),
    ) {
        let mut bench = Bench::new(&CakeParams { rate: rate(1_000_000), diffserv, ..CakeParams::default() }, &[]);
        bench.queue.write_down();
        let (mut waiting, mut left) = (BTreeMap::new(), 0);
        for (flow, class, pause, sends) in steps {
            bench.now += Duration::from_millis(pause * pause);
            let class = [0, 8, 46][class];
            let numbers = told(&bench, flow, class);
            waiting.insert(bench.handles, [numbers["tin"], numbers["queue"]]);
            bench.offer(flow, class, 700, if flow % 2 == 0 { Ecn::Ect0 } else { Ecn::NotEct });
            for _ in 0..sends {
                bench.queue.dequeue(&mut Cx::new(bench.now, &mut bench.rng, &mut bench.dropped));
            }
            let mut wrong = Vec::new();
            bench.queue.decisions().expect("it is asked for").drain(|decision, numbers| {
                if decision.moment == Moment::Departure {
                    let of = |which: Number| numbers.iter().find(|(number, _)| *number == which).map(|(_, value)| *value);
                    let found = [of(Number::Tin), of(Number::Queue)].map(|value| value.expect("it is told"));
                    left += 1;
                    if waiting[&decision.handle] != found {
                        wrong.push((decision.handle, found));
                    }
                }
            });
            prop_assert!(wrong.is_empty(), "{:?}", wrong);
        }
        prop_assert!(left <= waiting.len());
    }
}
