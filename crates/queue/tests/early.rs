//! Random Early Detection and its relatives under random arrivals.

use headgate_packet::{FlowId, Packet, Rate, Rng, Time};
use headgate_queue::{Dropped, LinkInfo, Port, Sent, Spec};
use proptest::prelude::*;

const FLOWS: u32 = 4;

/// What a discipline sent and dropped of a list of arrivals (gap in ms, flow, bytes) at a line of a byte per ms.
fn drive(spec: &str, arrivals: &[(u64, u32, u32)]) -> (Vec<Sent>, Vec<Dropped>) {
    let spec: Spec = serde_json::from_str(spec).expect("a valid discipline");
    let link = LinkInfo { rate: Rate::from_bps(8_000).unwrap(), flows: FLOWS as usize, weights: vec![1, 2, 4, 8] };
    let mut port = Port::new(spec.build(&link), link.rate, Rng::new(1, 0, "port"));
    let (mut sent, mut now) = (Vec::new(), 0);
    for (i, &(gap, flow, bytes)) in arrivals.iter().enumerate() {
        now += gap * 1_000_000_000;
        let packet = Packet { handle: i as u32, flow: FlowId(flow), bytes, ..Packet::default() };
        port.offer(packet, Time::from_ps(now), &mut |s| sent.push(s));
    }
    port.advance(Time::NEVER, &mut |s| sent.push(s));
    (sent, port.dropped().clone())
}

/// Arrivals at up to twice the rate of the line.
fn arrivals() -> impl Strategy<Value = Vec<(u64, u32, u32)>> {
    prop::collection::vec((0..600u64, 0..FLOWS, 1..600u32), 1..300)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// A single queue of DRR+ is the discipline that runs inside.
    #[test]
    fn one_queue_of_drr_plus_is_red_or_enhanced_red(arrivals in arrivals(), weight in 0.01..1.0f64, max_p in 0.01..1.0f64) {
        let common = format!(
            r#""buffer": "20pkt", "min_threshold": "800B", "max_threshold": "4KB", "mean_packet": "300B", "weight": {weight}"#
        );
        let one = |within: &str| {
            let spec = format!(r#"{{"kind": "drr_plus", "queues": 1, "within": "{within}", "max_p": {max_p}, {common}}}"#);
            drive(&spec, &arrivals)
        };
        let red = drive(&format!(r#"{{"kind": "red", "max_p": {max_p}, {common}}}"#), &arrivals);
        prop_assert_eq!(one("red"), red);
        let enhanced = drive(&format!(r#"{{"kind": "enhanced_red", "initial_p": {max_p}, {common}}}"#), &arrivals);
        prop_assert_eq!(one("enhanced_red"), enhanced);
    }

    /// DRR+ whose thresholds are out of reach is DRR.
    #[test]
    fn without_early_drops_drr_plus_is_drr(arrivals in arrivals(), queues in prop::sample::select(vec![0, 4])) {
        let common = format!(r#""buffer": "20pkt", "quantum": "500B", "queues": {queues}, "drop": "head""#);
        let plus = format!(r#"{{"kind": "drr_plus", "min_threshold": "1MB", "max_threshold": "2MB", {common}}}"#);
        prop_assert_eq!(drive(&plus, &arrivals), drive(&format!(r#"{{"kind": "drr", {common}}}"#), &arrivals));
    }
}
