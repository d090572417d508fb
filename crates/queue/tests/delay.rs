//! Delay bounds of the schedulers that claim one: a conversation that keeps to a leaky bucket (sigma, rho) waits no longer, whatever the others do.
//!
//! rho is the conversation's share of the line by weight. The formulas are those of `headgate.analysis.bounds` with their sources.

use crate::common::told::each_sent;
use headgate_packet::{FlowId, Packet, Rate, Rng, Time};
use headgate_queue::{LinkInfo, Port, Sent, Spec};
use proptest::prelude::*;

const BPS: u64 = 1_000_000;
const PS: u128 = 1_000_000_000_000;
const LONGEST: u32 = 1500;

/// An arrival: time in ps, conversation, bytes.
type Arrival = (u64, u32, u32);

fn run(kind: &str, weights: &[u32], list: &[Arrival]) -> Vec<Sent> {
    let spec: Spec =
        serde_json::from_str(&format!(r#"{{"kind": "{kind}", "buffer": "100000pkt"}}"#)).expect("a valid discipline");
    let link = LinkInfo {
        rate: Rate::from_bps(BPS).expect("above 0"),
        flows: weights.len(),
        weights: weights.to_vec(),
        hosts: vec![],
    };
    let mut port = Port::new(spec.build(&link), link.rate, Rng::new(1, 0, "port"));
    let mut sent = Vec::new();
    for &(at, flow, bytes) in list {
        let packet = Packet { flow: FlowId(flow), bytes, ..Packet::default() };
        port.offer(packet, Time::from_ps(at), &mut each_sent(|s| sent.push(s)));
    }
    port.advance(Time::NEVER, &mut each_sent(|s| sent.push(s)));
    sent
}

/// Time in ps that bits take at the share `weight` of `total` of the line, rounded up.
fn time(bits: u64, weight: u32, total: u32) -> u64 {
    (u128::from(bits) * u128::from(total) * PS).div_ceil(u128::from(weight) * u128::from(BPS)) as u64
}

/// Most delay, from arrival to the end of the transmission, of each conversation by the discipline's own bound, in ps.
fn bounds(kind: &str, weights: &[u32], buckets: &[u64], longest: &[u32]) -> Vec<u64> {
    let total = weights.iter().sum();
    let bits = |bytes: u32| 8 * u64::from(bytes);
    let each = weights.iter().zip(buckets).zip(longest).map(|((&w, &bucket), &own)| {
        time(bucket, w, total)
            + match kind {
                "scfq" => time(longest.iter().map(|l| bits(*l)).sum::<u64>() - bits(own), 1, 1),
                // The quantum per unit of weight is the longest packet.
                "drr" => time(bits(LONGEST) * u64::from(3 * total - 2 * w), 1, 1),
                _ => time(longest.iter().map(|l| bits(*l)).max().unwrap_or(0), 1, 1),
            }
    });
    each.collect()
}

/// A line that keeps packets back until the bucket has as many bits; the bucket starts full.
struct Bucket {
    /// Bits times ps times the sum of weights.
    tokens: u128,
    depth: u128,
    weight: u128,
    total: u128,
    last: u64,
}

impl Bucket {
    fn new(depth: u64, weight: u32, total: u32) -> Bucket {
        let depth = u128::from(depth) * PS * u128::from(total);
        Bucket { tokens: depth, depth, weight: u128::from(weight), total: u128::from(total), last: 0 }
    }
    /// When a packet that wants to arrive at `at` may arrive.
    fn pass(&mut self, at: u64, bytes: u32) -> u64 {
        let (pace, need) = (self.weight * u128::from(BPS), u128::from(bytes) * 8 * PS * self.total);
        let mut now = at.max(self.last);
        let full = |now: u64| (self.tokens + u128::from(now - self.last) * pace).min(self.depth);
        if full(now) < need {
            now += (need - full(now)).div_ceil(pace) as u64;
        }
        (self.tokens, self.last) = (full(now) - need, now);
        now
    }
}

const BOUNDED: [&str; 6] = ["fq", "wfq", "wf2q_plus", "virtual_clock", "scfq", "drr"];

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn leaky_buckets_keep_within_the_bounds(
        packets in prop::collection::vec(prop::collection::vec((0..8u8, 0.0..1.0f64, 40..=LONGEST), 5..60), 2..6),
        more in prop::collection::vec((1..6u32, 1..6u64, 0..4u8), 6),
    ) {
        let weights: Vec<u32> = more.iter().take(packets.len()).map(|m| m.0).collect();
        let total: u32 = weights.iter().sum();
        let longest: Vec<u32> = packets.iter().map(|p| p.iter().map(|x| x.2).max().unwrap_or(0)).collect();
        let buckets: Vec<u64> = longest.iter().zip(&more).map(|(l, m)| 8 * u64::from(*l) * m.1).collect();
        let mut list: Vec<Arrival> = Vec::new();
        for (flow, wanted) in packets.iter().enumerate() {
            let mut bucket = Bucket::new(buckets[flow], weights[flow], total);
            // One in four sends what it likes.
            let conforms = more[flow].2 > 0;
            let mut now = 0;
            for &(kind, part, bytes) in wanted {
                let own = time(8 * u64::from(bytes), weights[flow], total) as f64;
                now += match kind { 0 => 10.0 * part * own, 1..=3 => 2.0 * part * own, _ => 0.0 } as u64;
                let at = if conforms { bucket.pass(now, bytes) } else { now };
                list.push((at, flow as u32, bytes));
            }
        }
        list.sort_by_key(|a| a.0);
        for kind in BOUNDED {
            let bounds = bounds(kind, &weights, &buckets, &longest);
            for s in run(kind, &weights, &list) {
                let flow = s.packet.flow.index();
                let delay = s.end.since(s.packet.arrived).as_ps();
                // Tags are rounded to 2^-12 bit: a bit's time is more than all of these together.
                let allowed = bounds[flow] + time(1, 1, 1);
                prop_assert!(more[flow].2 == 0 || delay <= allowed, "{}: {} ps of {}", kind, delay, allowed);
            }
        }
    }
}

/// The bounds are not idle: first come, first served breaks them all, and SCFQ breaks that of Fair Queueing.
#[test]
fn what_the_bounds_tell_apart() {
    // Ten conversations of weight 1 send packets at 0; one of weight 10, that keeps to a bucket of one packet, arrives as the second starts.
    let weights = [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 10];
    let packet = time(12_000, 1, 1);
    let crowd = |each: usize| {
        let mut list: Vec<Arrival> = (0..each).flat_map(|_| (0..10).map(|flow| (0, flow, LONGEST))).collect();
        list.push((packet + 1, 10, LONGEST));
        list
    };
    let delay = |kind: &str, each: usize| {
        let sent = run(kind, &weights, &crowd(each));
        let own = sent.iter().find(|s| s.packet.flow == FlowId(10)).expect("it is sent");
        own.end.since(own.packet.arrived).as_ps()
    };
    let buckets = [12_000; 11];
    let bound = |kind: &str| bounds(kind, &weights, &buckets, &[LONGEST; 11])[10];
    // Two packet times at half of the line and one for a packet in transmission; ten others' packets; 3 * 20 - 2 * 10 quanta.
    assert_eq!([bound("fq"), bound("scfq"), bound("drr")].map(|b| b / packet), [3, 12, 42]);
    for kind in BOUNDED {
        assert!(delay("fcfs", 30) > bound(kind) && delay(kind, 30) <= bound(kind), "{kind}");
    }
    // At 0 the first of the ten is sent and the others' tags are all the same: the tag in service when the eleventh arrives. They are all sent first.
    assert_eq!(delay("scfq", 1).div_ceil(packet), 10);
    assert!(delay("fq", 1) <= bound("fq") && bound("fq") < delay("scfq", 1));
}
