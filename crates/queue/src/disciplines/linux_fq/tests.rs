//! `linux_fq` by hand, and beside a plain reading of its source.

use super::*;
use crate::Dropped;
use headgate_packet::{Ecn, FlowId, Rng};
use proptest::prelude::*;
use std::collections::{HashMap, VecDeque};

const MS: u64 = 1_000_000_000;

/// A queue on a line that takes no time.
struct Bench {
    queue: LinuxFq,
    now: u64,
    rng: Rng,
    dropped: Vec<Dropped>,
    handles: u32,
}

fn rate(bps: u64) -> Option<Rate> {
    Rate::from_bps(bps)
}

impl Bench {
    fn new(params: LinuxFqParams) -> Bench {
        params.check().expect("valid parameters");
        let link = LinkInfo { rate: Rate::from_bps(8).unwrap(), flows: 4, weights: vec![], hosts: vec![] };
        let queue = LinuxFq::new(&params, &link);
        Bench { queue, now: 0, rng: Rng::new(0, 0, "test"), dropped: Vec::new(), handles: 0 }
    }

    fn offer(&mut self, flow: u32, bytes: u32, ecn: Ecn) -> u32 {
        let arrived = Time::from_ps(self.now);
        let packet =
            Packet { handle: self.handles, flow: FlowId(flow), bytes, ecn, arrived, ..Packet::default() };
        self.queue.enqueue(packet, &mut Cx::new(arrived, &mut self.rng, &mut self.dropped));
        self.handles += 1;
        self.handles - 1
    }

    fn ask(&mut self) -> Option<Packet> {
        self.queue.dequeue(&mut Cx::new(Time::from_ps(self.now), &mut self.rng, &mut self.dropped))
    }

    /// The next packet, when one may leave.
    fn take(&mut self) -> Option<Packet> {
        loop {
            if let Some(packet) = self.ask() {
                return Some(packet);
            }
            let until = self.queue.timeout()?.as_ps();
            assert!(until > self.now, "it waits for what is to come");
            self.now = until;
            self.queue.on_timeout(&mut Cx::new(Time::from_ps(self.now), &mut self.rng, &mut self.dropped));
        }
    }

    /// When the packets that wait leave, in ps, with their numbers.
    fn all(&mut self) -> Vec<(u32, u64)> {
        std::iter::from_fn(|| self.take().map(|packet| (packet.handle, self.now))).collect()
    }

    fn told(&self, flow: u32, number: Number) -> Option<f64> {
        let packet = Packet { flow: FlowId(flow), bytes: 100, ..Packet::default() };
        let look = Look { now: Time::from_ps(self.now), in_service: Backlog::default() };
        let mut all = HashMap::new();
        self.queue.explain(&packet, &look, &mut |number, value| _ = all.insert(number, value));
        all.get(&number).copied()
    }
}

#[test]
fn a_quantum_is_waited_for_at_a_high_rate() {
    // Ten packets of the first credit at once, then two in the time of 3028 bytes at 12 Mbit/s.
    let mut bench = Bench::new(LinuxFqParams { max_rate: rate(12_000_000), ..LinuxFqParams::default() });
    (0..17).for_each(|_| _ = bench.offer(0, 1514, Ecn::NotEct));
    let times: Vec<u64> = bench.all().into_iter().map(|(_, at)| at).collect();
    let pair = 3028 * 8 * 1_000_000 / 12;
    assert_eq!(times[..10], [0; 10]);
    assert_eq!(times[10..], [pair, pair, 2 * pair, 2 * pair, 3 * pair, 3 * pair, 4 * pair]);
}

#[test]
fn a_packet_longer_than_a_quantum_is_waited_for_itself() {
    let quanta = LinuxFqParams { quantum: Bytes(300), initial_quantum: Bytes(1), ..LinuxFqParams::default() };
    let mut bench = Bench::new(LinuxFqParams { max_rate: rate(1_000_000), ..quanta });
    (0..3).for_each(|_| _ = bench.offer(0, 1000, Ecn::NotEct));
    assert_eq!(bench.all(), [(0, 0), (1, 8 * MS), (2, 16 * MS)]);
}

#[test]
fn each_packet_is_waited_for_at_a_low_rate() {
    for (bps, times) in [
        // Up to the threshold, which counts as low, a packet of 550 bytes takes 8 ms; above it two quanta of credit are not used up.
        (550_000, [0, 8 * MS, 16 * MS]),
        (550_001, [0, 0, 0]),
        // It would be 44 s.
        (100, [0, 1000 * MS, 2000 * MS]),
    ] {
        let mut bench = Bench::new(LinuxFqParams { max_rate: rate(bps), ..LinuxFqParams::default() });
        (0..3).for_each(|_| _ = bench.offer(0, 550, Ecn::NotEct));
        assert_eq!(bench.all().into_iter().map(|(_, at)| at).collect::<Vec<_>>(), times, "{bps}");
    }
}

#[test]
fn what_is_late_is_made_up_for_down_to_half_of_the_wait() {
    let mut bench = Bench::new(LinuxFqParams { max_rate: rate(500_000), ..LinuxFqParams::default() });
    (0..5).for_each(|_| _ = bench.offer(0, 1000, Ecn::NotEct));
    let mut next = |at: u64, until: u64| {
        bench.now = at * MS;
        assert!(bench.ask().is_some());
        assert_eq!(bench.ask(), None);
        assert_eq!(bench.queue.timeout(), Some(Time::from_ps(until * MS)));
    };
    // A packet takes 16 ms. The first wait is a whole one.
    next(5, 21);
    next(25, 37);
    next(60, 68);
    next(68, 84);
}

#[test]
fn new_before_old_and_what_is_empty_is_old_first() {
    let pace = LinuxFqParams { max_rate: rate(u64::MAX), low_rate_threshold: Rate::from_bps(1).unwrap(), ..Default::default() };
    let mut bench = Bench::new(LinuxFqParams { quantum: Bytes(150), initial_quantum: Bytes(150), ..pace });
    // Of 0 and 1 three packets each: in their first turn two, by which their credit ends, then they are old.
    for flow in [0, 0, 0, 1, 1, 1] {
        bench.offer(flow, 100, Ecn::NotEct);
    }
    let mut out = Vec::new();
    let mut take = |bench: &mut Bench, times: usize| {
        (0..times).for_each(|_| out.push(bench.take().map(|packet| packet.handle)));
    };
    take(&mut bench, 2);
    // 2 is new, and goes before 0, which is old.
    bench.offer(2, 100, Ecn::NotEct);
    take(&mut bench, 2);
    let (new, old) = (bench.told(0, Number::NewQueues), bench.told(0, Number::OldQueues));
    assert_eq!((new, old), (Some(2.0), Some(1.0)));
    take(&mut bench, 1);
    // 2 was found empty and has become old with what it had: another packet of it does not go first.
    take(&mut bench, 1);
    bench.offer(2, 100, Ecn::NotEct);
    assert_eq!(bench.told(2, Number::IsNew), Some(0.0));
    take(&mut bench, 3);
    assert_eq!(out, [Some(0), Some(1), Some(3), Some(4), Some(6), Some(2), Some(5), Some(7), None]);
}

#[test]
fn a_rest_renews_the_credit() {
    let quanta = LinuxFqParams { quantum: Bytes(150), initial_quantum: Bytes(350), ..LinuxFqParams::default() };
    let mut bench = Bench::new(LinuxFqParams { max_rate: rate(u64::MAX), low_rate_threshold: Rate::from_bps(1).unwrap(), ..quanta });
    let credit = |bench: &Bench| bench.told(0, Number::Credit);
    assert_eq!(credit(&bench), Some(350.0));
    (0..3).for_each(|_| _ = bench.offer(0, 100, Ecn::NotEct));
    (0..3).for_each(|_| _ = bench.take());
    // It has 50 left, and is on the list until the queue is asked again.
    (0..2).for_each(|_| _ = bench.offer(1, 100, Ecn::NotEct));
    (0..2).for_each(|_| _ = bench.take());
    assert_eq!((bench.told(0, Number::IsNew), credit(&bench)), (Some(0.0), Some(50.0)));
    // The third packet of the other one needs new credit, so that the turn comes to this one.
    (0..3).for_each(|_| _ = bench.offer(1, 100, Ecn::NotEct));
    bench.now = 10 * MS;
    (0..3).for_each(|_| _ = bench.take());
    assert_eq!((bench.told(0, Number::IsNew), credit(&bench)), (Some(1.0), Some(50.0)));
    // Since 10 ms it has been on no list.
    bench.now = 50 * MS;
    assert_eq!(credit(&bench), Some(50.0));
    bench.now += 1;
    assert_eq!(credit(&bench), Some(150.0));
    bench.offer(0, 100, Ecn::NotEct);
    assert_eq!((bench.queue.flows[0].credit, credit(&bench)), (150, Some(150.0)));
    // One that has more keeps it.
    assert_eq!(bench.told(2, Number::Credit), Some(350.0));
}

#[test]
fn eight_packets_go_first_without_a_rate() {
    let mut bench = Bench::new(LinuxFqParams { initial_quantum: Bytes(100), quantum: Bytes(100), ..LinuxFqParams::default() });
    // Eight pass by; of the others 1 and 2 take turns, so that 11 goes before 9.
    let flows = [0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2];
    flows.iter().for_each(|flow| _ = bench.offer(*flow, 100, Ecn::NotEct));
    assert_eq!(bench.told(0, Number::Ahead), None);
    let order: Vec<u32> = (0..9).map(|_| bench.take().expect("twelve wait").handle).collect();
    assert_eq!(order, [0, 1, 2, 3, 4, 5, 6, 7, 8]);
    // While a conversation has packets none passes by.
    bench.offer(0, 100, Ecn::NotEct);
    assert_eq!(bench.all().into_iter().map(|(handle, _)| handle).collect::<Vec<_>>(), [11, 12, 9, 10]);
    assert_eq!(bench.told(0, Number::Ahead), Some(0.0));
}

#[test]
fn what_leaves_later_than_the_threshold_is_marked() {
    let base = LinuxFqParams { max_rate: rate(500_000), ce_threshold: Some(Duration::from_millis(5)), ..Default::default() };
    let mut bench = Bench::new(base);
    [Ecn::Ect0, Ecn::Ect0, Ecn::Ect1, Ecn::NotEct].iter().for_each(|ecn| _ = bench.offer(0, 1000, *ecn));
    bench.queue.write_down();
    // The first could leave at 0 ms. After 5 ms it is not too late; the second could at 21 ms, the third at 21 + 5 + 11 ms.
    let mut marked = Vec::new();
    for (at, more) in [(5 * MS, 0), (26 * MS, 1), (37 * MS, 0), (70 * MS, 0)] {
        bench.now = at + more;
        marked.push(bench.ask().expect("it may leave").ecn);
    }
    assert_eq!(marked, [Ecn::Ect0, Ecn::Ce, Ecn::Ect1, Ecn::NotEct]);
    let mut told = Vec::new();
    let decisions = bench.queue.decisions().expect("they are written down");
    decisions.drain(|decision, numbers| told.push((decision.verdict, numbers[0].1, numbers[1].1)));
    assert_eq!(told[0], (Verdict::Pass, 0.005, 0.005));
    assert_eq!((told[1].0, told[2].0, told[3].0), (Verdict::Mark, Verdict::Pass, Verdict::Pass));
    assert!(told[1].1 > 0.005 && told[3].1 > 0.005);
}

#[test]
fn a_full_conversation_and_a_full_buffer_take_nothing() {
    let base = LinuxFqParams { max_rate: rate(u64::MAX), flow_limit: 2, ..LinuxFqParams::default() };
    let mut bench = Bench::new(LinuxFqParams { buffer: Buffer::Packets(4), ..base });
    [0, 0, 0, 1, 2, 3].iter().for_each(|flow| _ = bench.offer(*flow, 100, Ecn::NotEct));
    let dropped: Vec<(u32, DropReason)> = bench.dropped.iter().map(|gone| (gone.handle, gone.reason)).collect();
    assert_eq!(dropped, [(2, DropReason::QueueFull), (5, DropReason::Full)]);
    assert_eq!(bench.queue.backlog(), Backlog { packets: 4, bytes: 400 });
    assert_eq!((bench.told(0, Number::OwnPackets), bench.told(0, Number::OwnBytes)), (Some(2.0), Some(200.0)));
    assert_eq!(bench.told(0, Number::QueueLimit), Some(2.0));
}

#[test]
fn those_that_wait_come_back_in_the_order_of_their_times() {
    let mut bench = Bench::new(LinuxFqParams { max_rate: rate(100_000), ..LinuxFqParams::default() });
    // 1 waits for 8 ms, 0 and 2 for 16 ms, of which 2 began to wait first.
    for (flow, bytes) in [(2, 200), (0, 200), (1, 100)] {
        bench.offer(flow, bytes, Ecn::NotEct);
        bench.offer(flow, bytes, Ecn::NotEct);
    }
    assert_eq!(bench.all(), [(0, 0), (2, 0), (4, 0), (5, 8 * MS), (1, 16 * MS), (3, 16 * MS)]);
    assert_eq!(bench.told(1, Number::OwnHeld), Some(0.0));
    bench.offer(1, 100, Ecn::NotEct);
    bench.take();
    assert!(bench.told(1, Number::OwnHeld).is_some_and(|held| held >= 0.004));
}

#[test]
fn a_quantum_of_a_byte_takes_no_time() {
    let quanta = LinuxFqParams { quantum: Bytes(1), initial_quantum: Bytes(1), ..LinuxFqParams::default() };
    let mut bench = Bench::new(LinuxFqParams { max_rate: rate(u64::MAX), low_rate_threshold: Rate::from_bps(1).unwrap(), ..quanta });
    for flow in [0, 0, 1, 1, 0, 1] {
        bench.offer(flow, if flow == 0 { 1 << 31 } else { 1 << 30 }, Ecn::NotEct);
    }
    let order: Vec<u32> = bench.all().into_iter().map(|(handle, _)| handle).collect();
    // Of two that have the same credit, the one that sent last has its turn first.
    assert_eq!(order, [0, 2, 3, 5, 1, 4]);
}

/// Packets, credit, and two times of a conversation.
type PlainFlow = (VecDeque<(u32, u32, u64)>, i64, u64, u64);

/// A plain reading of the source: lists of numbers, a search for whatever is due.
struct Plain {
    params: LinuxFqParams,
    flows: Vec<PlainFlow>,
    new: VecDeque<usize>,
    old: VecDeque<usize>,
    held: Vec<(u64, usize)>,
    fast: VecDeque<u32>,
}

impl Plain {
    fn offer(&mut self, handle: u32, flow: usize, bytes: u32, now: u64) {
        let none = self.flows.iter().all(|flow| flow.0.is_empty());
        if self.params.max_rate.is_none() && none && self.fast.len() < 8 {
            return self.fast.push_back(handle);
        }
        let listed = self.new.contains(&flow) || self.old.contains(&flow) || self.held.iter().any(|h| h.1 == flow);
        if !listed {
            if now - self.flows[flow].3 > self.params.refill_delay.as_ps() {
                self.flows[flow].1 = self.flows[flow].1.max(self.params.quantum.0 as i64);
            }
            self.new.push_back(flow);
        }
        self.flows[flow].0.push_back((handle, bytes, now));
    }

    fn take(&mut self, now: u64) -> Result<u32, Option<u64>> {
        if let Some(handle) = self.fast.pop_front() {
            return Ok(handle);
        }
        if self.flows.iter().all(|flow| flow.0.is_empty()) {
            return Err(None);
        }
        // A stable sort: of equal times the one that began to wait first.
        self.held.sort_by_key(|held| held.0);
        let due = self.held.iter().take_while(|held| held.0 <= now).count();
        self.old.extend(self.held.drain(..due).map(|held| held.1));
        loop {
            let is_new = !self.new.is_empty();
            let list = if is_new { &mut self.new } else { &mut self.old };
            let Some(flow) = list.pop_front() else { return Err(self.held.iter().map(|held| held.0).min()) };
            let (packets, credit, next, since) = &mut self.flows[flow];
            if *credit <= 0 {
                *credit += self.params.quantum.0 as i64;
                self.old.push_back(flow);
                continue;
            }
            let Some((handle, bytes, arrived)) = packets.front().copied() else {
                if is_new { self.old.push_back(flow) } else { *since = now }
                continue;
            };
            if arrived.max(*next) > now {
                *next = arrived.max(*next);
                self.held.push((*next, flow));
                continue;
            }
            packets.pop_front();
            *credit -= i64::from(bytes);
            if let Some(rate) = self.params.max_rate {
                let low = rate <= self.params.low_rate_threshold;
                if low || *credit <= 0 {
                    let length = if low { u64::from(bytes) } else { u64::from(bytes).max(self.params.quantum.0) };
                    *credit = if low { 0 } else { *credit };
                    let gap = (u128::from(length) * 8_000_000_000_000 / u128::from(rate.as_bps())).min(1_000 * u128::from(MS)) as u64;
                    let late = if *next == 0 { 0 } else { now - *next };
                    *next = now + gap - late.min(gap / 2);
                }
            }
            if is_new { self.new.push_front(flow) } else { self.old.push_front(flow) }
            return Ok(handle);
        }
    }
}

proptest! {
    #[test]
    fn it_is_what_a_plain_reading_gives(
        steps in prop::collection::vec((0..4_000_000_000u64, 0..4u32, 1..3000u32, any::<bool>()), 1..200),
        bps in prop::sample::select(vec![0, 300_000, 900_000, 20_000_000]),
        quantum in prop::sample::select(vec![100, 1000, 3028]),
        initial in 1..5000u64,
        refill in 0..30_000_000_000u64,
    ) {
        let params = LinuxFqParams {
            max_rate: rate(bps), quantum: Bytes(quantum), initial_quantum: Bytes(initial), refill_delay: Duration::from_ps(refill),
            flow_limit: 1000, ..LinuxFqParams::default()
        };
        let flow = || (VecDeque::new(), initial as i64, 0, 0);
        let mut plain = Plain {
            params: params.clone(), flows: (0..4).map(|_| flow()).collect(), new: VecDeque::new(), old: VecDeque::new(), held: vec![],
            fast: VecDeque::new(),
        };
        let mut bench = Bench::new(params);
        // Alternately a packet arrives and one is asked for, late at times.
        for (gap, flow, bytes, arrives) in steps {
            bench.now += gap;
            if arrives {
                let handle = bench.offer(flow, bytes, Ecn::NotEct);
                plain.offer(handle, flow as usize, bytes, bench.now);
            }
            let ours = bench.ask().map(|packet| packet.handle).ok_or_else(|| bench.queue.timeout().map(Time::as_ps));
            prop_assert_eq!(ours, plain.take(bench.now));
        }
    }

    /// With a backlog a conversation sends its first credit, and then a quantum in each time of a quantum, to within a packet.
    #[test]
    fn a_conversation_has_its_rate(
        sizes in prop::collection::vec(1..1500u32, 40..90),
        bps in 600_000..1_000_000_000u64,
        initial in 1..20_000u64,
    ) {
        let params = LinuxFqParams { max_rate: rate(bps), initial_quantum: Bytes(initial), ..LinuxFqParams::default() };
        let mut bench = Bench::new(params);
        sizes.iter().for_each(|bytes| _ = bench.offer(0, *bytes, Ecn::NotEct));
        let gap = 3028 * 8_000_000_000_000 / bps;
        let mut sent = 0;
        for (handle, at) in bench.all() {
            prop_assert_eq!(at % gap, 0);
            let due = initial + at / gap * 3028;
            prop_assert!(sent < due, "{} of {}", sent, due);
            prop_assert!(at == 0 || sent + 3028 >= due, "{} of {}", sent, due);
            sent += u64::from(sizes[handle as usize]);
        }
    }
}
