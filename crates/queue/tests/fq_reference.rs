//! Fair Queueing against bit-by-bit round robin in exact rational arithmetic, written from the papers' definitions alone.
//!
//! The reference never sees the port's heaps or fixed-point numbers: it keeps R, finish numbers and bids as fractions, and judges
//! each packet that the port sends or drops.

use crate::common;
use crate::common::cases::cases;
use crate::common::told::each_sent;

use common::{Gps, q, seconds};
use headgate_packet::{FlowId, Packet, Rate, Rng, Time};
use headgate_queue::{Dropped, LinkInfo, Port, Sent, Spec};
use num_rational::BigRational as Q;
use proptest::prelude::*;
use std::collections::BTreeMap;

/// An arrival: time in ps, conversation, bytes.
type Arrival = (u64, u32, u32);

/// The fixed-point numbers of the port may differ by this much: two roundings to 2^-12 bit.
fn slack() -> Q {
    q(1) / q(2048)
}

#[derive(Clone, Copy, Debug)]
struct Rules {
    bps: u64,
    limit: usize,
    delta_bytes: u64,
    charge: bool,
    largest_bid: bool,
    structure: &'static str,
}

/// Bit-by-bit round robin.
struct Reference {
    rules: Rules,
    weights: Vec<u64>,
    now: Q,
    round: Q,
    finish: Vec<Q>,
    /// Finish number of the last arrival's conversation before it.
    before: Q,
    /// Of each packet that waits: conversation, bits, bid, arrival number.
    waiting: BTreeMap<u32, (usize, u64, Q, usize)>,
    arrivals: usize,
}

impl Reference {
    /// Lets R grow by rate / weight of those with F > R, from one departure to the next.
    fn advance(&mut self, now: &Q) {
        loop {
            let active = || self.finish.iter().zip(&self.weights).filter(|(f, _)| **f > self.round);
            let weight: u64 = active().map(|(_, w)| *w).sum();
            let Some(next) = active().map(|(f, _)| f.clone()).min() else { break };
            let reached = &self.round + (now - &self.now) * q(self.rules.bps) / q(weight);
            if reached < next {
                self.round = reached;
                break;
            }
            self.now += (&next - &self.round) * q(weight) / q(self.rules.bps);
            self.round = next;
        }
        self.now = now.clone();
    }

    fn arrive(&mut self, handle: u32, flow: usize, bytes: u32) {
        let (bits, length) = (u64::from(bytes) * 8, q(u64::from(bytes) * 8) / q(self.weights[flow]));
        let late = &self.round - q(8 * self.rules.delta_bytes);
        let bid = &length + self.finish[flow].clone().max(late);
        self.before = self.finish[flow].clone();
        self.finish[flow] = self.finish[flow].clone().max(self.round.clone()) + length;
        self.arrivals += 1;
        self.waiting.insert(handle, (flow, bits, bid, self.arrivals));
    }

    /// The port sends this packet: no waiting one may have a smaller bid, or an equal one that arrived earlier.
    fn send(&mut self, handle: u32) -> Result<(), String> {
        let (_, _, bid, arrival) = self.waiting.remove(&handle).ok_or("sent a packet that does not wait")?;
        for (other, (_, _, rival, earlier)) in &self.waiting {
            if *rival < &bid - slack() || (*rival == bid && *earlier < arrival) {
                return Err(format!("sent {handle} with bid {bid} before {other} with bid {rival}"));
            }
        }
        Ok(())
    }

    /// The port drops this packet while `arrival` arrives.
    fn drop(&mut self, gone: u32, arrival: u32) -> Result<(), String> {
        let (flow, bits, bid, number) = self.waiting.get(&gone).ok_or("dropped a packet that does not wait")?.clone();
        let held = |flow: usize| self.waiting.values().filter(|w| w.0 == flow).count();
        if self.rules.largest_bid {
            if let Some(rival) = self.waiting.values().find(|w| w.2 > &bid + slack()) {
                return Err(format!("dropped bid {bid}, not {}", rival.2));
            }
        } else {
            let most = (0..self.weights.len()).map(held).max().unwrap_or(0);
            let own = self.waiting[&arrival].0;
            if held(flow) != most || (held(own) == most && gone != arrival) {
                return Err(format!("dropped {gone} of a conversation with {} packets; most have {most}", held(flow)));
            }
            if self.waiting.values().any(|w| w.0 == flow && w.3 > number) {
                return Err(format!("dropped {gone}, which is not the last of its conversation"));
            }
        }
        self.waiting.remove(&gone);
        if !self.rules.charge && gone == arrival {
            self.finish[flow] = self.before.clone();
        } else if !self.rules.charge {
            self.finish[flow] = &self.finish[flow] - q(bits) / q(self.weights[flow]);
        }
        Ok(())
    }
}

/// Drives a port and judges it.
fn judge(rules: Rules, weights: &[u32], arrivals: &[Arrival]) -> Result<Vec<Sent>, String> {
    judge_changing(rules, weights, arrivals, &[])
}

/// The same on a line whose rate changes: from a time in ps on, in bit/s.
fn judge_changing(
    rules: Rules,
    weights: &[u32],
    arrivals: &[Arrival],
    changes: &[(u64, u64)],
) -> Result<Vec<Sent>, String> {
    let policy = if rules.largest_bid { "largest_bid" } else { "longest_queue" };
    let spec: Spec = serde_json::from_value(serde_json::json!({
        "kind": "fq", "buffer": format!("{}pkt", rules.limit), "delta": format!("{}B", rules.delta_bytes),
        "drop_policy": policy, "charge_drops": rules.charge,
        "structure": rules.structure,
    }))
    .map_err(|e| e.to_string())?;
    let mut link = LinkInfo {
        rate: Rate::from_bps(rules.bps).expect("above 0"),
        flows: weights.len(),
        weights: weights.to_vec(),
        hosts: vec![],
    };
    let mut port = Port::new(spec.build(&link), link.rate, Rng::new(1, 0, "port"));
    let mut reference = Reference {
        rules,
        weights: weights.iter().map(|w| u64::from(*w)).collect(),
        now: q(0),
        round: q(0),
        finish: vec![q(0); weights.len()],
        before: q(0),
        waiting: BTreeMap::new(),
        arrivals: 0,
    };
    let ps = q(1_000_000_000_000);
    let (mut sent, mut judged, mut changes) = (Vec::new(), 0, changes.iter().peekable());
    for (handle, &(at, flow, bytes)) in arrivals.iter().enumerate() {
        let (now, handle) = (Time::from_ps(at), handle as u32);
        while let Some(&&(when, bps)) = changes.peek().filter(|c| c.0 <= at) {
            port.advance(Time::from_ps(when), &mut each_sent(|s| sent.push(s)));
            link.rate = Rate::from_bps(bps).expect("above 0");
            port.set_link(&link, Time::from_ps(when));
            reference.advance(&(q(when) / &ps));
            reference.rules.bps = bps;
            changes.next();
        }
        port.advance(now, &mut each_sent(|s| sent.push(s)));
        for s in &sent[judged..] {
            reference.send(s.packet.handle)?;
        }
        judged = sent.len();
        reference.advance(&(q(at) / &ps));
        reference.arrive(handle, flow as usize, bytes);
        let packet = Packet { handle, flow: FlowId(flow), bytes, ..Packet::default() };
        port.offer(packet, now, &mut each_sent(|s| sent.push(s)));
        for Dropped { handle: gone, .. } in port.dropped().drain(..) {
            reference.drop(gone, handle)?;
        }
        if reference.waiting.len() - (sent.len() - judged) > rules.limit {
            return Err("the buffer holds more than its limit".to_owned());
        }
    }
    port.advance(Time::NEVER, &mut each_sent(|s| sent.push(s)));
    for s in &sent[judged..] {
        reference.send(s.packet.handle)?;
    }
    if reference.waiting.is_empty() { Ok(sent) } else { Err("packets were left behind".to_owned()) }
}

/// Arrivals on a grid of half the time of a 1000-byte packet, so that ties are frequent, or at any picosecond; with idle times.
fn arrivals(bps: u64, gaps: &[(u8, u32, u32, u64)], grid: bool) -> Vec<Arrival> {
    let slot = 4_000 * 1_000_000_000_000 / bps;
    let mut now = 0;
    gaps.iter()
        .map(|&(steps, flow, bytes, fine)| {
            let idle = if steps == 9 { 200 } else { u64::from(steps / 2) };
            now += if grid { idle * slot } else { idle * slot + fine % slot };
            (now, flow, if grid { 500 * (1 + bytes % 3) } else { bytes })
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(300), ..ProptestConfig::default() })]

    #[test]
    fn the_order_is_that_of_bit_by_bit_round_robin(
        gaps in prop::collection::vec((0..10u8, 0..5u32, 40..1500u32, 0..u64::MAX), 1..80),
        weights in prop::sample::select(vec![[1; 5], [1, 2, 3, 4, 7], [3, 1, 1, 1, 3]]),
        bps in prop::sample::select(vec![8_000u64, 56_000, 80_000, 1_000_003, 1_000_000_000]),
        (limit, delta_bytes) in (prop::sample::select(vec![1, 3, 8, 1000]), prop::sample::select(vec![0, 700, 1_000_000])),
        (charge, largest_bid, grid) in any::<(bool, bool, bool)>(),
    ) {
        // The thesis's chapter 3 charges what it drops; only the last packet of a conversation can be taken back.
        let rules = Rules { bps, limit, delta_bytes, charge: charge || largest_bid, largest_bid, structure: "perc" };
        let arrivals = arrivals(bps, &gaps, grid);
        let verdict = judge(rules, &weights, &arrivals);
        prop_assert!(verdict.is_ok(), "{:?}", verdict);
        // Whatever keeps the packets, they are the same, ties included.
        for structure in if largest_bid { ["link", "tree", "heap"].as_slice() } else { &[] } {
            let other = judge(Rules { structure, ..rules }, &weights, &arrivals);
            prop_assert_eq!(&other, &verdict, "{}", structure);
        }
    }

    /// R grows at whatever rate the line has.
    #[test]
    fn the_order_holds_on_a_line_whose_rate_changes(
        gaps in prop::collection::vec((0..10u8, 0..5u32, 40..1500u32, 0..u64::MAX), 1..80),
        weights in prop::sample::select(vec![[1; 5], [1, 2, 3, 4, 7]]),
        changes in prop::collection::vec((0..4_000_000_000_000u64, prop::sample::select(vec![8_000, 56_000, 80_000, 1_000_003])), 1..8),
        (limit, grid) in (prop::sample::select(vec![3, 8, 1000]), any::<bool>()),
    ) {
        let rules = Rules { bps: 80_000, limit, delta_bytes: 0, charge: true, largest_bid: false, structure: "perc" };
        let mut now = 0;
        let changes: Vec<(u64, u64)> = changes.iter().map(|(gap, bps)| { now += gap; (now, *bps) }).collect();
        let verdict = judge_changing(rules, &weights, &arrivals(80_000, &gaps, grid), &changes);
        prop_assert!(verdict.is_ok(), "{:?}", verdict);
    }

    /// Greenberg and Madras, as the 1989 paper quotes them: with equal weights no conversation is ever more than a largest packet
    /// ahead of or behind bit-by-bit round robin.
    #[test]
    fn service_stays_within_a_packet_of_the_fluid(
        gaps in prop::collection::vec((0..10u8, 0..4u32, 40..1500u32, 0..u64::MAX), 1..60),
    ) {
        let (bps, list) = (80_000, arrivals(80_000, &gaps, false));
        let rules = Rules { bps, limit: 1000, delta_bytes: 0, charge: true, largest_bid: false, structure: "perc" };
        let sent = judge(rules, &[1; 4], &list).map_err(TestCaseError::fail)?;
        for (moment, apart) in lags(bps, &[1; 4], &list, &sent) {
            prop_assert!(apart.iter().all(|a| *a <= q(12_000) && -a <= q(12_000)), "{:?} at {}", apart, moment);
        }
    }

    /// Parekh and Gallager 1993, theorems 1 and 2, for any weights: no packet ends later than in the fluid by more than a largest packet's
    /// time, and no conversation is ever behind the fluid by more than a largest packet. (It may be ahead by more.)
    #[test]
    fn no_conversation_is_behind_the_weighted_fluid_by_more_than_a_packet(
        gaps in prop::collection::vec((0..10u8, 0..4u32, 40..1500u32, 0..u64::MAX), 1..60),
        weights in prop::sample::select(vec![[1, 2, 3, 4], [9, 1, 1, 1], [1, 7, 7, 2]]),
    ) {
        let (bps, list) = (80_000, arrivals(80_000, &gaps, false));
        let rules = Rules { bps, limit: 1000, delta_bytes: 0, charge: true, largest_bid: false, structure: "perc" };
        let sent = judge(rules, &weights, &list).map_err(TestCaseError::fail)?;
        for (moment, apart) in lags(bps, &weights, &list, &sent) {
            prop_assert!(apart.iter().all(|a| *a <= q(12_000) + slack()), "{:?} at {}", apart, moment);
        }
        let mut fluid = Gps::new(bps, &weights);
        for (name, (at, flow, bytes)) in (0..).zip(&list) {
            fluid.serve(Some(&seconds(*at)));
            fluid.arrive(name, *flow as usize, 8 * u64::from(*bytes));
        }
        fluid.serve(None);
        let finishes: BTreeMap<u32, Q> = fluid.finished.into_iter().collect();
        for s in &sent {
            let late = seconds(s.end.as_ps()) - &finishes[&s.packet.handle];
            prop_assert!(late <= (q(12_000) + slack()) / q(bps), "packet {} by {} s", s.packet.handle, late);
        }
    }
}

/// At the end of each transmission, in seconds: how many bits each conversation is behind bit-by-bit round robin.
fn lags(bps: u64, weights: &[u32], list: &[Arrival], sent: &[Sent]) -> Vec<(Q, Vec<Q>)> {
    let (mut fluid, mut next, mut done) = (Gps::new(bps, weights), 0, vec![0; weights.len()]);
    let each = sent.iter().map(|s| {
        while let Some((at, flow, bytes)) = list.get(next).filter(|a| a.0 <= s.end.as_ps()) {
            fluid.serve(Some(&seconds(*at)));
            fluid.arrive(next as u32, *flow as usize, 8 * u64::from(*bytes));
            next += 1;
        }
        let moment = seconds(s.end.as_ps());
        fluid.serve(Some(&moment));
        done[s.packet.flow.index()] += 8 * u64::from(s.packet.bytes);
        (moment, fluid.served.iter().zip(&done).map(|(fluid, done)| fluid - q(*done)).collect())
    });
    each.collect()
}

#[test]
fn long_backlogs_do_not_drift() {
    // Two conversations of weights 3 and 1 at a rate that divides nothing, 20 000 packets, always backlogged: shares stay exact.
    let list: Vec<Arrival> = (0..20_000u64).map(|i| (i * 1_000_000, (i % 2) as u32, 997)).collect();
    let rules =
        Rules { bps: 1_000_003, limit: 100_000, delta_bytes: 0, charge: true, largest_bid: false, structure: "perc" };
    let link =
        LinkInfo { rate: Rate::from_bps(rules.bps).expect("above 0"), flows: 2, weights: vec![3, 1], hosts: vec![] };
    let spec: Spec = serde_json::from_value(serde_json::json!({"kind": "fq", "buffer": "100000pkt"})).expect("valid");
    let mut port = Port::new(spec.build(&link), link.rate, Rng::new(1, 0, "port"));
    let mut sent = Vec::new();
    for (handle, &(at, flow, bytes)) in list.iter().enumerate() {
        let packet = Packet { handle: handle as u32, flow: FlowId(flow), bytes, ..Packet::default() };
        port.offer(packet, Time::from_ps(at), &mut each_sent(|s| sent.push(s)));
    }
    port.advance(Time::NEVER, &mut each_sent(|s| sent.push(s)));
    // Among the first 12 000 the heavy one has its 10 000 packets' worth at 3 to 1.
    let heavy = sent[..12_000].iter().filter(|s| s.packet.flow == FlowId(0)).count();
    assert!(heavy.abs_diff(9_000) <= 2, "{heavy} of 12000");
}
