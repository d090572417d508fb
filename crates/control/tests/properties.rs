//! Rate-based protocols over random inputs: windows, delivery, estimates.

use crate::common;

use common::transfer;
use headgate_control::protocols::packet_pair::slots_to_skip;
use headgate_control::{Ack, FlowControl, Probe, Release, Spec, Supply};
use headgate_packet::{Duration, Time};
use proptest::prelude::*;
use std::collections::BTreeMap;

fn spec(text: &str) -> Spec {
    serde_json::from_str(text).unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// PP_CTH in all its ways.
fn pp_cth() -> impl Strategy<Value = String> {
    let pick = prop::sample::select::<&'static str>;
    let laws = (
        pick(vec!["per_probe", "per_round_trip", "as_printed"]),
        pick(vec!["exponential", "fuzzy", "kalman"]),
        pick(vec!["rate", "spacing"]),
        pick(vec!["points", "triangles"]),
        pick(vec!["first_probe", "as_printed"]),
        pick(vec!["packets", "buffer_share", "power"]),
    );
    let numbers = (0.0..20.0f64, 0..4u32, 0..5u32, any::<bool>());
    (laws, numbers).prop_map(|((law, predictor, predict, shape, start, target), (setpoint, every, resync, prime))| {
        format!(
            r#""kind": "pp_cth", "law": "{law}", "predictor": "{predictor}", "predict": "{predict}", "fuzzy_shape": "{shape}",
               "kalman_start": "{start}", "setpoint_as": "{target}", "setpoint": {setpoint}, "control_every": {every},
               "resync": {resync}, "prime": {prime}"#
        )
    })
}

fn packet_pair() -> impl Strategy<Value = String> {
    let round_trip = prop::sample::select(vec!["as_printed", "first_probe", "least", "queue_echo"]);
    (round_trip, 0..10u32, any::<bool>(), any::<bool>(), 0.0..2.0f64).prop_map(
        |(round_trip, setpoint, carry, cancel, deadband)| {
            format!(
                r#""kind": "packet_pair", "round_trip": "{round_trip}", "setpoint": {setpoint}, "carry": {carry},
                   "cancel_skips": {cancel}, "deadband": {deadband}"#
            )
        },
    )
}

fn gauges(control: &impl FlowControl) -> BTreeMap<&'static str, f64> {
    let mut all = BTreeMap::new();
    control.probe(&mut |name, value| {
        all.insert(name, value);
    });
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// `transfer` checks the window after each packet, those sent again included.
    #[test]
    fn everything_is_delivered_within_the_window(
        protocol in prop_oneof![packet_pair(), pp_cth().prop_map(|p| p + r#", "window_gate": "packet""#), pp_cth()],
        one in any::<bool>(), again in any::<bool>(), window in 2..20u64, packets in 1..150u64, loss in 0.0..0.4f64, seed in any::<u64>(),
    ) {
        let timers = if one { "one_per_flow" } else { "per_packet" };
        let spec = spec(&format!(r#"{{{protocol}, "window": {window}, "timers": "{timers}", "probe_again": {again}}}"#));
        prop_assert_eq!(transfer(&spec, packets, loss, seed).unique, packets, "{:?}", spec);
    }

    /// Gaps of a picosecond to a thousand seconds, in any order.
    #[test]
    fn rates_stay_finite_and_above_zero(
        protocol in prop_oneof![packet_pair(), pp_cth()],
        pairs in prop::collection::vec((0.0..15.0f64, 1..1_000_000_000_000u64, 0..1000u64), 1..60),
    ) {
        let mut control = spec(&format!("{{{protocol}}}")).build();
        let (mut now, mut sent) = (Time::ZERO, 0);
        let supply = |in_flight| Supply { waiting: 1000, in_flight, unanswered: in_flight };
        prop_assert_eq!(control.as_releases().expect("it releases").release(now, &supply(0)), Release::Pair);
        for (log_gap, rtt, in_flight) in pairs {
            let gap = Duration::from_ps(libm::pow(10.0, log_gap) as u64);
            let (rtt, mut last) = (Duration::from_ps(rtt), sent);
            sent += 2;
            for (after, pair) in [(rtt, Probe::First(rtt)), (gap, Probe::Second(gap))] {
                now += after;
                last += 1;
                let (duplicates, marked, waited) = (0, false, Duration::ZERO);
                control.on_ack(&Ack {
                    now, newly_acked: 1, duplicates, rtt: None, marked, cumulative: last, highest_sent: sent, in_flight,
                    seq: last - 1, waited, pair,
                    ..Ack::default()
                });
            }
            for (name, value) in gauges(&control) {
                if ["rate", "service_rate", "packet_spacing", "probe", "spacing"].contains(&name) {
                    prop_assert!(value.is_finite() && value > 0.0, "{name} {value}");
                }
                if ["skip", "burst"].contains(&name) {
                    prop_assert!((0.0..1e18).contains(&value), "{name} {value}");
                }
            }
            // Time advances whatever the rate: it sends until the window is full, or waits for a later TICK.
            let mut out = 0;
            loop {
                match control.as_releases().expect("it releases").release(now, &supply(out)) {
                    Release::Nothing => break,
                    Release::Packets(n) => out += n,
                    _ => out += 2,
                }
            }
            prop_assert!(out <= 1000);
            prop_assert!(control.next_release() > now);
        }
    }

    #[test]
    fn the_slots_to_skip_are_the_least_that_hold_the_change(old in 0.0..1e6f64, new in 0.0..1e6f64) {
        let packets = 2.0 * slots_to_skip(old, new) as f64;
        prop_assert!(packets >= old - new && (packets < old - new + 2.0 || packets == 0.0));
        prop_assert_eq!(packets > 0.0, old > new);
    }
}
