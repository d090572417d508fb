//! Every flow control of the list over a random lossy channel: all data arrives, the window is obeyed, nothing gets stuck.

use crate::common;

use common::transfer;
use headgate_control::transport::Way;
use headgate_control::{LIST, Spec};
use headgate_packet::choice::Entry;
use headgate_packet::{Duration, Time};
use proptest::prelude::*;

/// All flow controls but those of layers, whose receivers decide what is sent.
fn with_a_receiver_of_packets() -> impl Iterator<Item = &'static Entry> {
    let layered = |entry: &&Entry| Spec::default_of(entry.name).is_some_and(|s| s.transport().way == Way::Layers);
    LIST.iter().filter(move |entry| !layered(entry))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn every_packet_arrives_and_the_same_seed_repeats(packets in 1..200u64, loss in 0.0..0.4f64, seed in any::<u64>()) {
        for entry in with_a_receiver_of_packets() {
            let spec = Spec::default_of(entry.name).unwrap();
            let outcome = transfer(&spec, packets, loss, seed);
            if spec.transport().is_open_loop() {
                prop_assert_eq!(outcome.sent, packets);
            } else {
                prop_assert_eq!(outcome.unique, packets, "{}", entry.name);
            }
            prop_assert_eq!(transfer(&spec, packets, loss, seed), outcome);
        }
    }
}

#[test]
fn without_loss_nothing_is_sent_twice() {
    for entry in with_a_receiver_of_packets() {
        let outcome = transfer(&Spec::default_of(entry.name).unwrap(), 500, 0.0, 1);
        assert_eq!((outcome.sent, outcome.unique), (500, 500), "{}", entry.name);
    }
}

#[test]
fn a_fixed_window_of_five_moves_five_packets_per_round_trip() {
    let outcome = transfer(&Spec::default_of("generic").unwrap(), 500, 0.0, 1);
    assert_eq!(outcome.end, Time::ZERO + Duration::from_secs(10));
}

#[test]
fn slow_start_doubles_every_round_trip() {
    // 1 + 2 + 4 + ... + 256 = 511 packets take nine round trips.
    for name in ["jk_tahoe", "jk_reno"] {
        let outcome = transfer(&Spec::default_of(name).unwrap(), 511, 0.0, 1);
        assert_eq!(outcome.end, Time::ZERO + Duration::from_millis(900), "{name}");
    }
}

#[test]
fn parameters_are_read_with_their_place() {
    let error = |text: &str| serde_json::from_str::<Spec>(text).unwrap_err().to_string();
    assert!(error(r#"{"kind": "generic", "window": 0}"#).contains("at least 1"));
    assert!(error(r#"{"kind": "generic", "beta": 0.5}"#).contains("at least 1"));
    assert!(error(r#"{"kind": "generic", "windw": 5}"#).contains("unknown field `windw`"));
    assert!(error(r#"{"kind": "no_such_control"}"#).contains("one of generic, "));
    assert!(error(r#"{"kind": "jk_reno", "min_timeout": 1}"#).contains("with its unit"));
}
