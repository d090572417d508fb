//! CHOKe against a plain model of it, worked examples, and closed forms.

use headgate_packet::{Ecn, FlowId, Packet, Rate, Rng, Time};
use headgate_queue::{AnyDiscipline, Backlog, Cx, Discipline as _, DropReason, Dropped, LinkInfo, Look, Spec};
use proptest::prelude::*;

fn made(more: &str) -> AnyDiscipline {
    let link = LinkInfo { rate: Rate::from_bps(8_000).unwrap(), flows: 4, weights: vec![], hosts: vec![] };
    let spec: Spec = serde_json::from_str(&format!(r#"{{"kind": "choke", {more}}}"#)).expect("a discipline");
    spec.build(&link)
}

fn packet(handle: u32, flow: u32, bytes: u32) -> Packet {
    let ecn = if flow.is_multiple_of(2) { Ecn::Ect0 } else { Ecn::NotEct };
    Packet { handle, flow: FlowId(flow), bytes, ecn, ..Packet::default() }
}

fn told(queue: &AnyDiscipline, packet: &Packet, name: &str) -> f64 {
    let mut found = None;
    queue.explain(packet, &Look::default(), &mut |number, value| {
        if number.name() == name {
            found = Some(value);
        }
    });
    found.expect("it is told")
}

/// CHOKe with a list for a queue, at a single instant, where the average never decays.
struct Plain {
    low: f64,
    high: f64,
    max_p: f64,
    weight: f64,
    candidates: u32,
    mark: bool,
    in_bytes: bool,
    average: f64,
    count: f64,
    queue: Vec<Packet>,
    dropped: Vec<(u32, DropReason)>,
}

impl Plain {
    fn arrive(&mut self, mut packet: Packet, rng: &mut Rng) {
        let bytes: u32 = self.queue.iter().map(|p| p.bytes).sum();
        let found = if self.in_bytes { f64::from(bytes) } else { self.queue.len() as f64 };
        self.average += self.weight * (found - self.average);
        let mut same = false;
        for _ in 0..if self.average > self.low { self.candidates } else { 0 } {
            if self.queue.is_empty() {
                continue;
            }
            let i = rng.below(self.queue.len() as u64) as usize;
            if self.queue[i].flow == packet.flow {
                self.dropped.push((self.queue.remove(i).handle, DropReason::SameFlow));
                same = true;
            }
        }
        if same {
            return self.dropped.push((packet.handle, DropReason::SameFlow));
        }
        let pb = self.max_p * (self.average - self.low) / (self.high - self.low);
        let chosen = if self.average >= self.high {
            true
        } else if self.average >= self.low {
            let left = 1.0 - self.count * pb;
            left <= pb || rng.uniform() < pb / left
        } else {
            false
        };
        self.count = if chosen || self.average < self.low { 0.0 } else { self.count + 1.0 };
        if chosen {
            if self.mark && packet.ecn == Ecn::Ect0 {
                packet.ecn = Ecn::Ce;
            } else {
                let why = if self.average >= self.high { DropReason::AboveMax } else { DropReason::Random };
                return self.dropped.push((packet.handle, why));
            }
        }
        if self.queue.len() == 12 {
            self.count = 0.0;
            return self.dropped.push((packet.handle, DropReason::Full));
        }
        self.queue.push(packet);
    }
}

proptest! {
    #[test]
    fn it_is_the_plain_model(
        calls in prop::collection::vec((0..5u32, 1..900u32), 1..300), candidates in 1..4u32, weight in 0.02..1.0f64,
        max_p in 0.0..1.0f64, mark in any::<bool>(), in_bytes in any::<bool>(), seed in 0..1000u64,
    ) {
        let (low, high) = if in_bytes { ("800B", "3000B") } else { ("2pkt", "9pkt") };
        let mut queue = made(&format!(
            r#""buffer": "12pkt", "min_threshold": "{low}", "max_threshold": "{high}", "candidates": {candidates}, "weight": {weight}, "max_p": {max_p}, "mark": {mark}"#
        ));
        let (low, high) = if in_bytes { (800.0, 3000.0) } else { (2.0, 9.0) };
        let mut plain = Plain {
            low, high, max_p, weight, candidates, mark, in_bytes, average: 0.0, count: 0.0, queue: vec![], dropped: vec![],
        };
        let (mut rng, mut same, mut dropped) = (Rng::new(seed, 0, "test"), Rng::new(seed, 0, "test"), Vec::new());
        for (i, (flow, bytes)) in (0u32..).zip(calls) {
            let mut cx = Cx::new(Time::ZERO, &mut rng, &mut dropped);
            if flow == 4 {
                let due = if plain.queue.is_empty() { None } else { Some(plain.queue.remove(0)) };
                prop_assert_eq!(queue.dequeue(&mut cx), due);
            } else {
                queue.enqueue(packet(i, flow, bytes), &mut cx);
                plain.arrive(packet(i, flow, bytes), &mut same);
            }
            let bytes = plain.queue.iter().map(|p| u64::from(p.bytes)).sum();
            prop_assert_eq!(queue.backlog(), Backlog { packets: plain.queue.len() as u64, bytes });
        }
        let found: Vec<(u32, DropReason)> = dropped.iter().map(|d| (d.handle, d.reason)).collect();
        prop_assert_eq!(found, plain.dropped);
        prop_assert_eq!(&mut rng.next_u64(), &mut same.next_u64(), "as many numbers are drawn");
    }
}

/// Offers packets of these conversations at one instant, and gives what was dropped.
fn offer(queue: &mut AnyDiscipline, rng: &mut Rng, flows: &[u32]) -> Vec<Dropped> {
    let mut dropped = Vec::new();
    for (handle, flow) in (0..).zip(flows) {
        queue.enqueue(packet(handle, *flow, 100), &mut Cx::new(Time::ZERO, rng, &mut dropped));
    }
    dropped
}

#[test]
fn a_conversation_alone_cannot_pass_the_lower_threshold() {
    // The average is the queue found. Up to 3 every packet is queued; the one that finds 4 takes another with it, so that the next one finds 3.
    let mut queue = made(r#""min_threshold": "3pkt", "max_threshold": "9pkt", "weight": 1.0, "max_p": 0.0"#);
    let dropped = offer(&mut queue, &mut Rng::new(1, 0, "test"), &[1; 10]);
    assert_eq!(queue.backlog().packets, 4);
    let arrived: Vec<u32> = dropped.iter().skip(1).step_by(2).map(|gone| gone.handle).collect();
    assert_eq!(arrived, [4, 6, 8]);
    assert!(dropped.len() == 6 && dropped.iter().all(|gone| gone.reason == DropReason::SameFlow));
    // What was drawn had been queued.
    assert!(dropped.iter().step_by(2).all(|gone| ![4, 6, 8].contains(&gone.handle)));
}

#[test]
fn the_chance_to_be_matched_is_that_of_draws_from_the_queue() {
    // Of seven packets three are of conversation 0: an arrival of it is matched in one draw with 3/7, in two with 1 - (4/7)^2, in five with 0.939.
    for (candidates, due) in [(1, 3.0 / 7.0), (2, 33.0 / 49.0), (5, 1.0 - (4.0f64 / 7.0).powi(5))] {
        let text = format!(
            r#""min_threshold": "2pkt", "max_threshold": "9pkt", "weight": 1.0, "max_p": 0.0, "candidates": {candidates}"#
        );
        let (mut matched, mut rng) = (0, Rng::new(3, 0, "test"));
        let mut full = made(&text);
        // They arrive in an order in which none is drawn: seeds are tried until it is so.
        for seed in 0..1000 {
            let mut queue = made(&text);
            if offer(&mut queue, &mut Rng::new(seed, 0, "fill"), &[0, 0, 0, 1, 2, 3, 1]).is_empty() {
                full = queue;
                break;
            }
        }
        assert!((told(&full, &packet(9, 0, 100), "match_probability") - due).abs() < 1e-12);
        assert_eq!(told(&full, &packet(9, 0, 100), "own_queue_packets"), 3.0);
        assert_eq!(told(&full, &packet(9, 0, 100), "own_queue_bytes"), 300.0);
        for _ in 0..20_000 {
            let (mut queue, mut dropped) = (full.clone(), Vec::new());
            queue.enqueue(packet(9, 0, 100), &mut Cx::new(Time::ZERO, &mut rng, &mut dropped));
            matched += u32::from(!dropped.is_empty());
        }
        // Four standard deviations.
        let share = f64::from(matched) / 20_000.0;
        assert!((share - due).abs() < 4.0 * (due * (1.0 - due) / 20_000.0).sqrt(), "{share} of {due}");
    }
}

#[test]
fn at_the_lower_threshold_nothing_is_compared_and_nothing_is_told() {
    let mut queue = made(r#""min_threshold": "3pkt", "max_threshold": "9pkt", "weight": 1.0, "max_p": 0.0"#);
    let mut rng = Rng::new(1, 0, "test");
    offer(&mut queue, &mut rng, &[1; 3]);
    assert_eq!(told(&queue, &packet(9, 1, 100), "match_probability"), 0.0);
    assert!(offer(&mut queue, &mut rng, &[1]).is_empty());
    assert_eq!(told(&queue, &packet(9, 1, 100), "match_probability"), 1.0);
}

#[test]
fn the_average_decays_while_the_line_is_idle() {
    // Four packets of 1000 bytes, a second each: queues of 0 to 3 are found, then all leave at once; the last one takes until 1 s.
    let mut queue = made(r#""min_threshold": "9pkt", "max_threshold": "20pkt", "weight": 0.25, "mean_packet": "500B""#);
    let (mut rng, mut dropped) = (Rng::new(1, 0, "test"), Vec::new());
    let mut cx = Cx::new(Time::ZERO, &mut rng, &mut dropped);
    (0..4).for_each(|handle| queue.enqueue(packet(handle, 0, 1000), &mut cx));
    (0..4).for_each(|_| assert!(queue.dequeue(&mut cx).is_some()));
    let average = |queue: &AnyDiscipline| {
        let mut found = f64::NAN;
        queue.probe(&mut |name, value| {
            assert_eq!(name, "average");
            found = value;
        });
        found
    };
    // 0, 0.25, 0.6875, 1.265625.
    assert_eq!(average(&queue), 1.265_625);
    // Two typical packets fit into the second from 1 s to 2 s. The link's new rate halves what a packet takes from 3 s on.
    let second = |s: u64| Time::from_ps(s * 1_000_000_000_000);
    queue.enqueue(packet(5, 0, 1000), &mut Cx::new(second(2), &mut rng, &mut dropped));
    let due = 1.265_625 * 0.75 * 0.75;
    assert!((average(&queue) - due).abs() < 1e-12, "{}", average(&queue));
    assert!(queue.dequeue(&mut Cx::new(second(2), &mut rng, &mut dropped)).is_some());
    let link = LinkInfo { rate: Rate::from_bps(16_000).unwrap(), flows: 4, weights: vec![], hosts: vec![] };
    queue.on_link_change(&link, second(3));
    queue.enqueue(packet(6, 0, 1000), &mut Cx::new(second(4), &mut rng, &mut dropped));
    let due = due * 0.75f64.powi(4);
    assert!((average(&queue) - due).abs() < 1e-12, "{}", average(&queue));
}

#[test]
fn bad_parameters_are_refused() {
    for (text, place) in [
        (r#""candidates": 0"#, "candidates"),
        (r#""candidates": 1001"#, "candidates"),
        (r#""max_threshold": "5pkt""#, "max_threshold"),
        (r#""min_threshold": "unlimited""#, "min_threshold"),
        (r#""mean_packet": "0B""#, "mean_packet"),
        (r#""gentle": true"#, "gentle"),
    ] {
        let found = serde_json::from_str::<Spec>(&format!(r#"{{"kind": "choke", {text}}}"#)).map_err(|e| e.to_string());
        assert!(found.as_ref().is_err_and(|e| e.contains(place)), "{text}: {found:?}");
    }
}
