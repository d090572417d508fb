//! Preemptive Fair Queueing against bit-by-bit round robin, which it emulates, and against the rule in exact arithmetic.

use crate::common;
use crate::common::busy;
use crate::common::told::each_sent;

use common::{Gps, q, seconds};
use headgate_packet::{FlowId, Packet, Rate, Rng, Time};
use headgate_queue::{LinkInfo, Port, Sent, Spec};
use num_rational::BigRational as Q;
use proptest::prelude::*;
use std::collections::BTreeMap;

/// An arrival: time in ps, conversation, bytes.
type Arrival = (u64, u32, u32);

const BPS: u64 = 80_000;
const LONGEST: u64 = 1500;
const PS: u64 = 1_000_000_000_000;

/// What a discipline sends, and how often the port had to be looked at.
fn run(kind: &str, bps: u64, weights: &[u32], list: &[Arrival]) -> Vec<Sent> {
    let spec: Spec =
        serde_json::from_str(&format!(r#"{{"kind": "{kind}", "buffer": "100000pkt"}}"#)).expect("a valid discipline");
    let link = LinkInfo {
        rate: Rate::from_bps(bps).expect("above 0"),
        flows: weights.len(),
        weights: weights.to_vec(),
        hosts: vec![],
    };
    let mut port = Port::new(spec.build(&link), link.rate, Rng::new(1, 0, "port"));
    let mut sent = Vec::new();
    for (handle, &(at, flow, bytes)) in (0..).zip(list) {
        let packet = Packet { handle, flow: FlowId(flow), bytes, ..Packet::default() };
        port.offer(packet, Time::from_ps(at), &mut each_sent(|s| sent.push(s)));
    }
    port.advance(Time::NEVER, &mut each_sent(|s| sent.push(s)));
    sent
}

/// Finish numbers, in bits, and finishing times, in seconds, of the packets in bit-by-bit round robin.
fn fluid(bps: u64, weights: &[u32], list: &[Arrival]) -> (Vec<Q>, BTreeMap<u32, Q>) {
    let mut fluid = Gps::new(bps, weights);
    // R by itself: each conversation's last finish number, and the rounds that are made while some are above R.
    let (mut round, mut now, mut last, mut finish) = (q(0), q(0), vec![q(0); weights.len()], Vec::new());
    for (name, &(at, flow, bytes)) in (0..).zip(list) {
        let (arrived, bits) = (seconds(at), 8 * u64::from(bytes));
        fluid.serve(Some(&arrived));
        fluid.arrive(name, flow as usize, bits);
        loop {
            let active: Vec<usize> = (0..last.len()).filter(|f| last[*f] > round).collect();
            let Some(next) = active.iter().map(|f| last[*f].clone()).min() else { break };
            let per_second = q(bps) / q(active.iter().map(|f| u64::from(weights[*f])).sum());
            let takes = (&next - &round) / &per_second;
            if &now + &takes > arrived {
                round += (&arrived - &now) * per_second;
                break;
            }
            (round, now) = (next, now + takes);
        }
        now = arrived;
        let own = &mut last[flow as usize];
        *own = own.clone().max(round.clone()) + q(bits) / q(u64::from(weights[flow as usize]));
        finish.push(own.clone());
    }
    fluid.serve(None);
    (finish, fluid.finished.into_iter().collect())
}

/// Parts of packets: the packet, and from when to when in ps.
type Parts = Vec<(u32, u64, u64)>;

/// The rule by itself, by looking at all packets at every arrival and end: of those that are there the one with the smallest finish number is in
/// transmission. Where a byte takes a whole number of ps.
fn by_the_rule(bps: u64, list: &[Arrival], finish: &[Q]) -> Parts {
    let mut left: Vec<u64> = list.iter().map(|a| u64::from(a.2) * (8 * PS / bps)).collect();
    let (mut parts, mut now) = (Parts::new(), 0);
    loop {
        let here = (0..list.len()).filter(|i| left[*i] > 0 && list[*i].0 <= now);
        let next = list.iter().map(|a| a.0).find(|at| *at > now).unwrap_or(u64::MAX);
        // `min_by` gives the first of equal ones, and they are in the order of arrival.
        match here.min_by(|a, b| finish[*a].cmp(&finish[*b])) {
            None if next == u64::MAX => return parts,
            None => now = next,
            Some(first) => {
                let end = next.min(now + left[first]);
                left[first] -= end - now;
                parts.push((first as u32, now, end));
                now = end;
            }
        }
    }
}

/// The parts of packets that were sent: where the order of two that are there at once never changes, the one that ends first is in transmission.
fn parts(list: &[Arrival], sent: &[Sent]) -> Parts {
    let finish: BTreeMap<u32, Q> = sent.iter().map(|s| (s.packet.handle, q(s.end.as_ps()))).collect();
    by_the_rule(BPS, list, &finish.into_values().collect::<Vec<_>>())
}

/// Most bits that any conversation is ahead of the fluid, at the end of any part.
fn farthest(list: &[Arrival], parts: &Parts, flows: usize) -> Q {
    let (mut fluid, mut next, mut most) = (Gps::new(BPS, &vec![1; flows]), 0, q(0));
    let mut done = vec![q(0); flows];
    for &(packet, start, end) in parts {
        for moment in [start, end] {
            while let Some((at, flow, bytes)) = list.get(next).filter(|a| a.0 <= moment) {
                fluid.serve(Some(&seconds(*at)));
                fluid.arrive(next as u32, *flow as usize, 8 * u64::from(*bytes));
                next += 1;
            }
            fluid.serve(Some(&seconds(moment)));
            if moment == end {
                done[list[packet as usize].1 as usize] += seconds(end - start) * q(BPS);
            }
            for (fluid, done) in fluid.served.iter().zip(&done) {
                most = most.max(fluid - done).max(done - fluid);
            }
        }
    }
    most
}

/// Arrivals on a grid of half the time of a packet of 1000 bytes, so that ties are frequent, or at any picosecond; with idle times.
fn arrivals(gaps: &[(u8, u32, u32, u64)], grid: bool) -> Vec<Arrival> {
    let slot = 4_000 * PS / BPS;
    let mut now = 0;
    gaps.iter()
        .map(|&(steps, flow, bytes, fine)| {
            let idle = if steps == 9 { 200 } else { u64::from(steps / 2) };
            now += if grid { idle * slot } else { idle * slot + fine % slot };
            (now, flow, if grid { 500 * (1 + bytes % 3) } else { bytes })
        })
        .collect()
}

fn gaps() -> impl Strategy<Value = Vec<(u8, u32, u32, u64)>> {
    prop::collection::vec((0..10u8, 0..4u32, 40..LONGEST as u32, 0..u64::MAX), 1..60)
}

/// Bids are rounded to 2^-12 bit, so that two may be equal that differ by less.
fn slack() -> Q {
    q(1) / q(1024)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    /// Every packet ends when the rule says.
    #[test]
    fn the_smallest_finish_number_is_in_transmission(
        gaps in gaps(), grid in any::<bool>(), weights in prop::sample::select(vec![[1; 4], [1, 2, 3, 4], [3, 1, 1, 3]]),
    ) {
        let list = arrivals(&gaps, grid);
        let (finish, _) = fluid(BPS, &weights, &list);
        let expected: BTreeMap<u32, u64> = by_the_rule(BPS, &list, &finish).into_iter().map(|(i, _, end)| (i, end)).collect();
        let sent = run("fq_preemptive", BPS, &weights, &list);
        let found: BTreeMap<u32, u64> = sent.iter().map(|s| (s.packet.handle, s.end.as_ps())).collect();
        prop_assert_eq!(found, expected);
        prop_assert!(sent.iter().all(|s| s.end.since(s.start).as_ps() == u64::from(s.packet.bytes) * (8 * PS / BPS)));
    }

    /// No packet ends later than in bit-by-bit round robin, whatever the weights and the rate: of all that serve one packet at a time the one that serves the
    /// earliest end first meets all ends, if any does, and to share the line by bits meets them. Without preemption it may be a packet later.
    #[test]
    fn no_packet_ends_after_the_fluid(
        gaps in gaps(), grid in any::<bool>(), weights in prop::sample::select(vec![[1; 4], [1, 2, 3, 4], [9, 1, 1, 1]]),
        bps in prop::sample::select(vec![8_000, 80_000, 1_000_003, 56_000]),
    ) {
        let list = arrivals(&gaps, grid);
        let (_, ends) = fluid(bps, &weights, &list);
        let sent = run("fq_preemptive", bps, &weights, &list);
        // A picosecond for each part that is rounded.
        let most = slack() / q(bps) + seconds(list.len() as u64);
        for s in &sent {
            let late = seconds(s.end.as_ps()) - &ends[&s.packet.handle];
            prop_assert!(late <= most, "packet {} by {} s", s.packet.handle, late);
        }
        prop_assert_eq!(sent.len(), list.len());
    }

    /// The line is never idle with a backlog, and sends one bit after the other.
    #[test]
    fn the_line_is_busy_while_there_are_bits(gaps in gaps(), grid in any::<bool>()) {
        let sent = run("fq_preemptive", BPS, &[1; 4], &arrivals(&gaps, grid));
        prop_assert_eq!(busy::check(&sent), Ok(()));
    }

    /// Greenberg and Madras, as section 2.2 quotes them: with equal weights, bits of a conversation sent at any time are within a longest packet of those
    /// that bit-by-bit round robin has sent. Interruptions change at parts only, between which both grow in straight lines.
    #[test]
    fn service_stays_within_a_packet_of_the_fluid(gaps in gaps()) {
        let list = arrivals(&gaps, false);
        let sent = run("fq_preemptive", BPS, &[1; 4], &list);
        let all = parts(&list, &sent);
        let ends: BTreeMap<u32, u64> = all.iter().map(|(i, _, end)| (*i, *end)).collect();
        prop_assert!(sent.iter().all(|s| ends[&s.packet.handle] == s.end.as_ps()), "the parts are those of the packets");
        prop_assert!(farthest(&list, &all, 4) <= q(8 * LONGEST) + slack());
    }
}

#[test]
fn without_preemption_a_short_packet_waits_for_a_long_one() {
    // At 80 kbit/s a packet of 1500 bytes takes 150 ms, one of 40 bytes 4 ms. It arrives 10 ms after the long one, F = 320 + 800 < 12000 bits.
    let list = [(0, 0, 1500), (PS / 100, 1, 40)];
    let ends = |kind: &str| -> Vec<(u32, u64)> {
        run(kind, BPS, &[1; 2], &list).iter().map(|s| (s.packet.handle, s.end.as_ps() * 1000 / PS)).collect()
    };
    assert_eq!(ends("fq_preemptive"), [(1, 14), (0, 154)]);
    assert_eq!(ends("fq"), [(0, 150), (1, 154)]);
    let (_, fluid) = fluid(BPS, &[1; 2], &list);
    assert_eq!(fluid[&1], seconds(18 * PS / 1000), "half the line");
}

#[test]
fn many_interruptions_take_nothing() {
    // A packet of 100 000 bytes at a rate that divides nothing, interrupted by 500 short ones: in the end the line has sent all bits, to a picosecond
    // for each part.
    let bps = 1_000_003;
    let list: Vec<Arrival> =
        std::iter::once((0, 0, 100_000)).chain((1..=500).map(|i| (i * PS / 1000, 1, 41))).collect();
    let sent = run("fq_preemptive", bps, &[1; 2], &list);
    let last = sent.last().expect("sent");
    assert_eq!((last.packet.handle, sent.len()), (0, 501));
    let exact = u128::from(PS) * 8 * (100_000 + 500 * 41) / u128::from(bps);
    assert!(u128::from(last.end.as_ps()).abs_diff(exact) <= 501, "{} instead of {exact}", last.end.as_ps());
}
