//! CAKE by hand: what follows from rates, the shaper, the tins, the hosts, the sets of queues, and what is dropped.

use super::*;
use crate::parts::CobaltRule;
use headgate_packet::{Ecn, Rate, Rng};
use proptest::prelude::*;

mod ingress;
mod shares;
mod told;
mod turns;

/// A CAKE that is asked for packets by hand.
pub(super) struct Bench {
    pub queue: Cake,
    pub now: Time,
    pub rng: Rng,
    pub dropped: Vec<crate::Dropped>,
    handles: u32,
}

pub(super) fn rate(bps: u64) -> Option<Rate> {
    Rate::from_bps(bps)
}

impl Bench {
    pub fn new(params: &CakeParams, hosts: &[[u32; 2]]) -> Bench {
        let link =
            LinkInfo { rate: Rate::from_bps(1 << 40).unwrap(), flows: 4096, weights: vec![], hosts: hosts.to_vec() };
        let queue = Cake::new(params, &link);
        Bench { queue, now: Time::ZERO, rng: Rng::new(0, 0, "test"), dropped: Vec::new(), handles: 0 }
    }

    pub fn offer(&mut self, flow: u32, class: u8, bytes: u32, ecn: Ecn) {
        let packet = Packet {
            handle: self.handles,
            flow: FlowId(flow),
            bytes,
            class,
            ecn,
            arrived: self.now,
            ..Packet::default()
        };
        self.handles += 1;
        self.queue.enqueue(packet, &mut Cx::new(self.now, &mut self.rng, &mut self.dropped));
    }

    /// The next packet, when the shaper lets it go.
    pub fn take(&mut self) -> Option<Packet> {
        loop {
            if let Some(packet) = self.queue.dequeue(&mut Cx::new(self.now, &mut self.rng, &mut self.dropped)) {
                return Some(packet);
            }
            self.now = self.now.max(self.queue.timeout()?);
        }
    }
}

#[test]
fn what_follows_from_the_rate() {
    // Rate in kbit/s: quantum, time of the longest packet in ns, target and interval in us, buffer.
    let table = [
        (256, 300, 47_312_500, 70_968, 165_968, 4 << 20),
        (1_000, 300, 12_112_000, 18_168, 113_168, 4 << 20),
        (2_000, 300, 6_056_000, 9_084, 104_084, 4 << 20),
        (5_000, 300, 2_422_400, 5_000, 100_000, 4 << 20),
        (10_000, 305, 1_211_200, 5_000, 100_000, 4 << 20),
        (20_000, 610, 605_600, 5_000, 100_000, 4 << 20),
        (50_000, 1514, 242_240, 5_000, 100_000, 4 << 20),
        (100_000, 1514, 121_120, 5_000, 100_000, 5_000_000),
        (1_000_000, 1514, 12_112, 5_000, 100_000, 15_503_360),
    ];
    for (kbps, quantum, packet_ns, target, interval, buffer) in table {
        let params = CakeParams { rate: rate(kbps * 1000), ..CakeParams::default() };
        let derived = Derived::new(params.per_second(), params.target, params.rtt);
        let CobaltRule { target: t, interval: i, packet_time, .. } = derived.rule;
        let us = |time: Duration| time.as_ps() / 1_000_000;
        assert_eq!(
            (derived.quantum, packet_time.as_ps() / 1000, us(t), us(i), params.room()),
            (quantum, packet_ns, target, interval, Buffer::Bytes(buffer)),
            "{kbps} kbit/s"
        );
        assert_eq!(derived.rule.blue.freeze, t);
    }
    // The bulk tin of 10 Mbit/s has a sixteenth, and so a target of its own.
    let bulk = Derived::new(1_250_000 >> 4, Duration::from_millis(5), Duration::from_millis(100));
    assert_eq!(bulk.rule.target, Duration::from_ps(29_068_800_000));
    // Without a rate: the longest packet as the quantum, no time for it, and the largest buffer.
    let none = CakeParams::default();
    let derived = Derived::new(none.per_second(), none.target, none.rtt);
    assert_eq!((derived.rate, derived.quantum, derived.rule.packet_time), (None, 1514, Duration::ZERO));
    assert_eq!(none.room(), Buffer::Bytes(15_503_360));
    // Where the target and the quantum leave their bounds.
    let of = |bps: u64| Derived::new(bps / 8, none.target, none.rtt);
    assert!(of(3_633_000).rule.target > none.target && of(3_634_000).rule.target == none.target);
    assert_eq!([9_860_000, 9_870_000, 49_600_000, 49_620_000].map(|bps| of(bps).quantum), [300, 301, 1513, 1514]);
}

#[test]
fn lengths_on_the_line_below() {
    let of = |overhead, least, framing, bytes| Framed { overhead, least, framing }.length(bytes);
    let (none, atm, ptm) = (Framing::None, Framing::Atm, Framing::Ptm);
    assert_eq!([1500, 40].map(|bytes| of(38, 84, none, bytes)), [1538, 84]);
    assert_eq!([1500, 40].map(|bytes| of(32, 0, atm, bytes)), [1696, 106]);
    assert_eq!([1500, 40].map(|bytes| of(30, 0, ptm, bytes)), [1554, 72]);
    assert_eq!(of(10, 0, atm, 1492), 1696);
    assert_eq!([of(-14, 0, none, 1514), of(-64, 0, none, 10)], [1500, 1]);
}

#[test]
fn code_points_and_their_tins() {
    let of = |mode: Diffserv, points: &[u8]| points.iter().map(|point| mode.tin(*point)).collect::<Vec<_>>();
    assert_eq!(
        of(Diffserv::Diffserv3, &[0, 1, 8, 4, 10, 34, 44, 46, 48, 56, 40, 63, 64, 255]),
        [0, 1, 1, 2, 0, 0, 2, 2, 2, 2, 0, 0, 0, 0]
    );
    assert_eq!(
        of(Diffserv::Diffserv4, &[0, 1, 8, 4, 16, 18, 26, 34, 38, 32, 40, 46, 48, 56, 10, 17]),
        [0, 1, 1, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 0, 0]
    );
    // RFC 4594's classes, in the order of their urgency; the odd ones and the unknown are best effort.
    assert_eq!(of(Diffserv::Diffserv8, &[1, 8, 2, 10, 14, 0, 24, 30, 34, 38, 4, 18, 22, 16]), [
        0, 0, 1, 1, 1, 2, 3, 3, 3, 3, 4, 4, 4, 5
    ]);
    assert_eq!(of(Diffserv::Diffserv8, &[32, 40, 44, 46, 48, 56, 9, 17, 42, 63, 64]), [6, 6, 6, 6, 7, 7, 2, 2, 2, 2, 2]);
    assert_eq!(of(Diffserv::Precedence, &[0, 7, 8, 46, 56, 63, 64]), [0, 0, 1, 5, 7, 7, 0]);
    assert_eq!(of(Diffserv::Besteffort, &[0, 8, 46]), [0, 0, 0]);
    let weights = |mode: Diffserv| mode.parts(0).iter().map(|part| part.weight).collect::<Vec<_>>();
    assert_eq!(weights(Diffserv::Precedence), [256, 224, 196, 171, 149, 130, 113, 98]);
    assert_eq!(weights(Diffserv::Diffserv8), weights(Diffserv::Precedence));
    assert_eq!(Diffserv::Diffserv4.parts(1600).iter().map(|part| part.rate).collect::<Vec<_>>(), [1600, 100, 800, 400]);
}

#[test]
fn packets_leave_at_the_rate_to_the_picosecond() {
    let mut bench = Bench::new(&CakeParams { rate: rate(10_000_000), ..CakeParams::default() }, &[]);
    bench.now = Time::from_ps(777);
    (0..1000).for_each(|i| bench.offer(i % 7, [0, 8, 46][i as usize % 3], 1514, Ecn::Ect0));
    for k in 0..1000 {
        bench.take().expect("it holds packets");
        assert_eq!(bench.now.as_ps(), 777 + k * 1_211_200_000);
    }
    // A rate at which a packet takes no whole number of picoseconds, and an overhead: nothing is lost in rounding.
    let params = CakeParams { rate: rate(7_000_000), overhead: 38, mpu: 84, ..CakeParams::default() };
    let mut bench = Bench::new(&params, &[]);
    (0..701).for_each(|_| bench.offer(0, 0, 962, Ecn::Ect0));
    (0..701).for_each(|_| _ = bench.take());
    assert_eq!(bench.now.as_ps(), 800_000_000_000);
}

#[test]
fn an_idle_shaper_saves_nothing_up() {
    let ms = |ms: u64| Time::ZERO + Duration::from_millis(ms);
    let mut bench = Bench::new(&CakeParams { rate: rate(12_000_000), ..CakeParams::default() }, &[]);
    for start in [5, 500, 502] {
        bench.now = bench.now.max(ms(start));
        (0..2).for_each(|_| bench.offer(0, 0, 1500, Ecn::NotEct));
        let begin = bench.now;
        assert!(bench.take().is_some() && bench.now == begin);
        assert!(bench.take().is_some() && bench.now == begin + Duration::from_millis(1));
    }
    // A packet that comes before the time of the last one is over waits for it.
    bench.offer(0, 0, 1500, Ecn::NotEct);
    assert!(bench.take().is_some() && bench.now == ms(504));
    // After drops that were charged for, a packet goes no later than at two thirds of the rate.
    let shaper = bench.queue.shaper.as_mut().expect("a rate");
    shaper.next += Duration::from_secs(9);
    let failsafe = shaper.failsafe;
    bench.offer(0, 0, 1500, Ecn::NotEct);
    assert!(bench.take().is_some() && bench.now == failsafe.max(ms(504)));
}

#[test]
fn new_queues_are_served_before_old_ones() {
    let (a, b, c, d) = (0, 1, 2, 3);
    let params = CakeParams { isolation: Isolation::Flows, ..CakeParams::default() };
    let mut bench = Bench::new(&params, &[]);
    for (flow, bytes, count) in [(a, 1500, 4), (b, 700, 8), (c, 100, 1)] {
        (0..count).for_each(|_| bench.offer(flow, 0, bytes, Ecn::NotEct));
    }
    let take = |bench: &mut Bench, n: usize| (0..n).map(|_| bench.take().expect("packets").flow.0).collect::<Vec<_>>();
    assert_eq!(take(&mut bench, 6), [a, a, b, b, b, c]);
    bench.offer(c, 0, 100, Ecn::NotEct);
    assert_eq!(take(&mut bench, 2), [c, a]);
    bench.offer(d, 0, 1500, Ecn::NotEct);
    assert_eq!(take(&mut bench, 4), [d, b, b, a]);
    // A queue that was found empty decays: an arrival makes it a new one, with a first credit.
    let tin = &bench.queue.tins[0];
    let flow = |bench: &Bench, number: u32| bench.queue.tins[0].place(bench.queue.tags(FlowId(number)).flow).queue;
    assert_eq!(tin.flows[flow(&bench, c)].set, Set::Decaying);
    bench.offer(c, 0, 100, Ecn::NotEct);
    let queue = flow(&bench, c);
    assert_eq!((bench.queue.tins[0].flows[queue].set, bench.queue.tins[0].flows[queue].credit), (Set::Sparse, 1513));
    assert_eq!(take(&mut bench, 1), [c]);
    while bench.take().is_some() {}
    // After an interval the queues come to rest, one for each packet that is served.
    bench.now += Duration::from_secs(1);
    for _ in 0..9 {
        bench.offer(a, 0, 100, Ecn::NotEct);
        bench.take();
    }
    let tin = &bench.queue.tins[0];
    assert!((tin.decaying.len(), tin.bulk) <= (1, 0), "{} {}", tin.decaying.len(), tin.bulk);
}

#[test]
fn a_full_buffer_drops_from_the_longest_queue() {
    let params = CakeParams { buffer: Some(Buffer::Bytes(5000)), ..CakeParams::default() };
    let mut bench = Bench::new(&params, &[]);
    for (flow, class, bytes) in [(0, 0, 1000), (1, 46, 1500), (0, 0, 1000), (2, 8, 1500), (1, 46, 10)] {
        bench.offer(flow, class, bytes, Ecn::NotEct);
    }
    // 2000 bytes of conversation 0 are more than 1510 and 1500; then 1510 of conversation 1 are the most, in another tin.
    bench.offer(3, 0, 100, Ecn::NotEct);
    bench.offer(3, 0, 900, Ecn::NotEct);
    bench.offer(3, 0, 400, Ecn::NotEct);
    let gone: Vec<(u32, DropReason)> = bench.dropped.iter().map(|gone| (gone.handle, gone.reason)).collect();
    assert_eq!(gone, [(0, DropReason::Evicted), (1, DropReason::Evicted)]);
    // BLUE of the queues that dropped is awake, and of no other.
    let awake: Vec<f64> = bench
        .queue
        .tins
        .iter()
        .flat_map(|tin| &tin.flows)
        .map(|flow| flow.cobalt.probability())
        .filter(|p| *p > 0.0)
        .collect();
    assert_eq!(awake, [1.0 / 256.0; 2]);
    // A packet that is longer than the buffer is refused.
    bench.offer(0, 0, 5001, Ecn::NotEct);
    assert_eq!(bench.dropped.last().map(|gone| gone.reason), Some(DropReason::Full));
    // Of equally long queues the one of the lowest tin.
    let mut bench = Bench::new(&CakeParams { buffer: Some(Buffer::Packets(2)), ..CakeParams::default() }, &[]);
    for (flow, class) in [(0, 46), (1, 8), (2, 0)] {
        bench.offer(flow, class, 500, Ecn::NotEct);
    }
    assert_eq!(bench.dropped[0].handle, 2);
}

#[test]
fn each_queue_is_held_to_its_target() {
    // 4 Mbit/s in one tin: 20 packets of 1514 bytes wait all the time, so that each waits 60 ms. The signals are those of COBALT's law, whose first comes an
    // interval after the first packet that waited longer than four of the longest, 12.1 ms.
    for (ecn, what) in [(Ecn::Ect0, "marks"), (Ecn::NotEct, "drops")] {
        let params = CakeParams { rate: rate(4_000_000), diffserv: Diffserv::Besteffort, ..CakeParams::default() };
        let mut bench = Bench::new(&params, &[]);
        (0..20).for_each(|_| bench.offer(0, 0, 1514, ecn));
        let mut signals = Vec::new();
        while bench.now < Time::ZERO + Duration::from_millis(400) {
            let before = bench.dropped.len();
            let packet = bench.take().expect("packets");
            bench.offer(0, 0, 1514, ecn);
            for _ in before..bench.dropped.len() {
                bench.offer(0, 0, 1514, ecn);
            }
            if packet.ecn == Ecn::Ce || bench.dropped.len() > before {
                signals.push(bench.now.as_ps() / 1_000_000_000);
            }
        }
        // Packet 5, at 15.1 ms, is the first that waited longer: the next services after 115.1, 185.8, 243.5, 293.5, 338.3 and 379.1 ms.
        assert_eq!(signals, [118, 187, 245, 293, 339, 381], "{what}");
        assert_eq!(bench.dropped.is_empty(), ecn == Ecn::Ect0);
    }
}

#[test]
fn with_8_ways_conversations_rarely_share() {
    // 100 conversations in 128 sets: that a set has more than eight is 1.4e-5; 600: more than 8 of them are in a set so often that some share.
    let share = |conversations: u32, seed: u32| {
        let mut bench = Bench::new(&CakeParams { diffserv: Diffserv::Besteffort, ..CakeParams::default() }, &[]);
        bench.queue.tins[0].open();
        (0..conversations)
            .filter(|i| {
                let tags = bench.queue.tags(FlowId(seed * 4096 + i));
                let place = bench.queue.tins[0].place(tags.flow);
                bench.queue.tins[0].enter(place, tags);
                bench.queue.tins[0].push(place.queue, Packet { bytes: 1, ..Packet::default() });
                place.shared
            })
            .count() as f64
    };
    assert_eq!((0..100).map(|seed| share(100, seed)).sum::<f64>(), 0.0);
    let expected = |n: u32| {
        // The number in a set is binomial; each beyond eight shares.
        let (p, mut some, mut sum) = (1.0 / 128.0, (1.0f64 - 1.0 / 128.0).powi(n as i32), 0.0);
        for k in 0..n {
            sum += f64::from(k.saturating_sub(8)) * some;
            some *= f64::from(n - k) / f64::from(k + 1) * p / (1.0 - p);
        }
        128.0 * sum
    };
    for n in [400, 600, 1000] {
        let mean = (0..40).map(|seed| share(n, seed + 1000)).sum::<f64>() / 40.0;
        let due = expected(n);
        assert!((mean - due).abs() < 4.0 * (due / 40.0).sqrt().max(0.05), "{n}: {mean}, expected {due}");
    }
}

#[test]
fn a_conversation_finds_its_queue_again() {
    let mut tin = Tin::new(
        Derived::new(0, Duration::from_millis(5), Duration::from_millis(100)),
        Diffserv::Besteffort.parts(0)[0],
        [true; 2],
    );
    tin.open();
    let tags = |flow| Tags { flow, hosts: [flow, 9] };
    let queues: Vec<usize> = (0..8u32)
        .map(|i| {
            let tags = tags(5 + 1024 * (i + 1));
            let place = tin.place(tags.flow);
            tin.enter(place, tags);
            tin.push(place.queue, Packet { bytes: 9, ..Packet::default() });
            place.queue
        })
        .collect();
    // All have the same name, and take the next one of the set that is idle, around its end.
    assert_eq!(queues, [5, 6, 7, 0, 1, 2, 3, 4]);
    assert_eq!(tin.place(5 + 1024 * 4), tin::Place { queue: 0, enters: false, shared: false });
    // A ninth one takes the queue that it names, of another conversation; that one is a stranger then.
    let place = tin.place(5 + 1024 * 9);
    assert_eq!((place.queue, place.shared), (5, true));
    tin.enter(place, tags(5 + 1024 * 9));
    assert_eq!(tin.place(5 + 1024).queue, 5);
    assert!(tin.place(5 + 1024).shared);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// What is counted of hosts are their queues with a standing backlog, whatever shares, comes, goes and is dropped; each queue is in one list.
    #[test]
    fn hosts_are_counted_with_their_queues(
        steps in prop::collection::vec((0..40u32, 0..4u64, 1..1500u32, any::<bool>()), 1..400),
        isolation in prop::sample::select(vec![Isolation::TripleIsolate, Isolation::DualSrchost, Isolation::DualDsthost, Isolation::Flows]),
        narrow in any::<bool>(), ingress in any::<bool>(),
    ) {
        let params = CakeParams { rate: rate(1_000_000), isolation, ingress, buffer: Some(Buffer::Bytes(9000)), ..CakeParams::default() };
        let hosts: Vec<[u32; 2]> = (0..40).map(|i| [i % 3, i % 5]).collect();
        let mut bench = Bench::new(&params, &hosts);
        for (flow, pause, bytes, sends) in steps {
            bench.now += Duration::from_millis(pause * pause * 10);
            if narrow {
                // All conversations in one set.
                let tin = &mut bench.queue.tins[0];
                let tags = Tags { flow: 1024 * (flow + 1), hosts: [7 + flow % 3 * 1024, 9 + flow % 5 * 1024] };
                tin.open();
                let place = tin.place(tags.flow);
                tin.enter(place, tags);
                tin.push(place.queue, Packet { bytes, arrived: bench.now, ..Packet::default() });
                bench.queue.backlog.add(bytes);
            } else {
                bench.offer(flow, if flow % 7 == 0 { 46 } else { 0 }, bytes, Ecn::NotEct);
            }
            if sends {
                bench.queue.dequeue(&mut Cx::new(bench.now, &mut bench.rng, &mut bench.dropped));
            }
            for tin in &bench.queue.tins {
                let of = |set: Set| tin.flows.iter().filter(|flow| flow.set == set).count();
                prop_assert_eq!(of(Set::Bulk), tin.bulk as usize);
                prop_assert_eq!(of(Set::Sparse) + of(Set::SparseWait), tin.sparse as usize);
                prop_assert_eq!(of(Set::Decaying), tin.decaying.len());
                prop_assert_eq!(tin.new.len() + tin.old.len(), (tin.sparse + tin.bulk) as usize);
                prop_assert_eq!(tin.flows.iter().map(|flow| flow.bytes).sum::<u64>(), tin.backlog.bytes);
                for side in 0..2 {
                    let mut due = vec![0; if tin.flows.is_empty() { 0 } else { QUEUES }];
                    for flow in tin.flows.iter().filter(|flow| isolation.counts()[side] && flow.set == Set::Bulk) {
                        due[usize::from(flow.hosts[side])] += 1;
                    }
                    prop_assert_eq!(tin.bulk_of_hosts(side), due);
                }
            }
        }
    }
}

#[test]
fn sizes_are_as_said() {
    assert_eq!((size_of::<crate::parts::Cobalt>(), size_of::<crate::parts::Blue>()), (48, 24));
    let tin = QUEUES * (size_of::<tin::Flow>() + 4 + 12);
    assert!((135_000..145_000).contains(&tin), "{tin}");
}
