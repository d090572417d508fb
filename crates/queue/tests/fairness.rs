//! Fairness bounds of the schedulers that claim them, over random packet lengths and weights.
//!
//! Every conversation has packets from time 0 on; while all are backlogged, the bytes per unit of weight that two of them have got may
//! differ by no more than the scheduler's bound.

use crate::common::told::each_sent;
use headgate_packet::{FlowId, Packet, Rate, Rng, Time};
use headgate_queue::{LinkInfo, Port, Spec};
use proptest::prelude::*;

/// Bytes per unit of weight of each conversation after each packet, until the first of them has none left.
fn shares(spec: &str, weights: &[u32], lengths: &[Vec<u32>]) -> Vec<Vec<f64>> {
    let spec: Spec = serde_json::from_str(spec).expect("a valid discipline");
    let link = LinkInfo {
        rate: Rate::from_bps(8_000).expect("above 0"),
        flows: weights.len(),
        weights: weights.to_vec(),
        hosts: vec![],
    };
    let mut port = Port::new(spec.build(&link), link.rate, Rng::new(1, 0, "port"));
    let (mut sent, mut left) = (Vec::new(), lengths.iter().map(Vec::len).collect::<Vec<_>>());
    let most = left.iter().max().copied().unwrap_or(0);
    for i in 0..most {
        for (flow, packets) in lengths.iter().enumerate() {
            if let Some(&bytes) = packets.get(i) {
                let packet = Packet { flow: FlowId(flow as u32), bytes, ..Packet::default() };
                port.offer(packet, Time::ZERO, &mut each_sent(|s| sent.push(s.packet)));
            }
        }
    }
    port.advance(Time::NEVER, &mut each_sent(|s| sent.push(s.packet)));
    let mut got = vec![0.0; weights.len()];
    let mut history = Vec::new();
    for packet in sent {
        let flow = packet.flow.index();
        got[flow] += f64::from(packet.bytes) / f64::from(weights[flow]);
        left[flow] -= 1;
        history.push(got.clone());
        if left[flow] == 0 {
            break;
        }
    }
    history
}

fn most(lengths: &[u32]) -> f64 {
    f64::from(lengths.iter().copied().max().unwrap_or(0))
}

proptest! {
    #[test]
    fn pairs_stay_within_the_bound(
        lengths in prop::collection::vec(prop::collection::vec(40..1500u32, 5..60), 2..6),
        weights in prop::collection::vec(1..5u32, 6),
    ) {
        let weights = &weights[..lengths.len()];
        type Bound = fn(f64, f64, f64, f64) -> f64;
        // Golestani 1994, theorem 1: l_i / w_i + l_j / w_j. The same holds for FQ and WF2Q+ (Bennett and Zhang 1997) with a packet of the line's more.
        let tags: Bound = |li, wi, lj, wj| li / wi + lj / wj;
        let fluid: Bound = |li, wi, lj, wj| (li + 1500.0) / wi + (lj + 1500.0) / wj;
        // Shreedhar and Varghese 1995, theorem: quantum + 2 max, per unit of weight; here the quantum is 1500 bytes.
        let turns: Bound = |li, wi, lj, wj| 1500.0 + li / wi + lj / wj;
        for (kind, bound) in [("scfq", tags), ("fq", fluid), ("wfq", fluid), ("wf2q_plus", fluid), ("drr", turns)] {
            let spec = format!(r#"{{"kind": "{kind}", "buffer": "100000pkt"}}"#);
            for got in shares(&spec, weights, &lengths) {
                for i in 0..weights.len() {
                    for j in 0..i {
                        let (wi, wj) = (f64::from(weights[i]), f64::from(weights[j]));
                        let allowed = bound(most(&lengths[i]), wi, most(&lengths[j]), wj);
                        let apart = (got[i] - got[j]).abs();
                        prop_assert!(apart <= allowed + 1e-6, "{}: {} apart, {} allowed", kind, apart, allowed);
                    }
                }
            }
        }
    }

    /// Bennett and Zhang 1997, theorem 4: WF2Q+ never runs ahead of a conversation's guaranteed share by more than one of its packets.
    #[test]
    fn wf2q_plus_is_worst_case_fair(
        lengths in prop::collection::vec(prop::collection::vec(40..1500u32, 10..60), 2..6),
        weights in prop::collection::vec(1..9u32, 6),
    ) {
        let weights = &weights[..lengths.len()];
        let total = f64::from(weights.iter().sum::<u32>());
        let spec = r#"{"kind": "wf2q_plus", "buffer": "100000pkt"}"#;
        for got in shares(spec, weights, &lengths) {
            let all: f64 = got.iter().zip(weights).map(|(g, w)| g * f64::from(*w)).sum();
            for (i, share) in got.iter().enumerate() {
                let (bytes, due) = (share * f64::from(weights[i]), all * f64::from(weights[i]) / total);
                prop_assert!(bytes - due <= most(&lengths[i]) + 1e-6, "{} bytes, {} due", bytes, due);
            }
        }
    }
}
