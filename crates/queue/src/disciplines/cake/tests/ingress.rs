//! CAKE with the line to be kept free in front of it.

use super::*;

#[test]
fn at_ingress_dropped_packets_are_charged_for() {
    let run = |ingress: bool| {
        let params =
            CakeParams { rate: rate(12_000_000), buffer: Some(Buffer::Packets(20)), ingress, ..CakeParams::default() };
        let mut bench = Bench::new(&params, &[]);
        for _ in 0..1000 {
            (0..3).for_each(|_| bench.offer(0, 0, 1500, Ecn::NotEct));
            bench.take();
        }
        bench.now.as_secs_f64()
    };
    // Of three packets one is sent: 1 s for 1000 of them, and at most half as much again where those that are dropped take their time too.
    let (egress, ingress) = (run(false), run(true));
    assert!((egress - 0.999).abs() < 0.002, "{egress}");
    assert!((ingress - 1.5).abs() < 0.01, "{ingress}");
}

#[test]
fn dropped_packets_cost_credit_at_ingress_alone() {
    for (ingress, credit) in [(false, 1513 - 1500), (true, 1513 - 3000)] {
        let mut bench = Bench::new(&CakeParams { ingress, ..CakeParams::default() }, &[]);
        (0..3).for_each(|_| bench.offer(0, 0, 1500, Ecn::NotEct));
        bench.now += Duration::from_millis(10);
        let queue = bench.queue.tins[0].place(bench.queue.tags(FlowId(0)).flow).queue;
        let (tin, now) = (&mut bench.queue.tins[0], bench.now);
        let rule = tin.derived.rule;
        tin.flows[queue].cobalt.on_full(now, &rule);
        // It waited too long and is due; the one behind it is not.
        assert_eq!(bench.take().map(|packet| packet.handle), Some(1));
        assert_eq!((bench.dropped.len(), bench.queue.tins[0].flows[queue].credit), (1, credit));
    }
}
