//! Every flow control of the list over a random lossy channel: all data arrives, the window is obeyed, nothing gets stuck.

use headgate_control::transport::Receiver;
use headgate_control::{AckPacket, Connection, LIST, Spec};
use headgate_packet::{Duration, Rng, Time};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What happened to a transfer: packets that arrived for the first time, packets sent, and the end.
#[derive(Debug, PartialEq)]
struct Outcome {
    unique: u64,
    sent: u64,
    end: Time,
}

/// Sends `packets` over a channel that keeps order and loses data with probability `loss`.
fn transfer(spec: &Spec, packets: u64, loss: f64, seed: u64) -> Outcome {
    let (mut source, mut sink, mut rng) =
        (Connection::new(spec, &Arc::new(spec.transport())), Receiver::default(), Rng::new(seed, 0, "channel"));
    let open_loop = spec.transport().open_loop;
    let (mut acks, mut n) = (BTreeMap::new(), 0u64);
    let mut outcome = Outcome { unique: 0, sent: 0, end: Time::ZERO };
    let mut now = Time::ZERO;
    source.supply(packets);
    for _ in 0..1_000_000 {
        while let Some(segment) = source.poll_send(now) {
            outcome.sent += 1;
            assert!(segment.first_sent <= now && segment.seq < packets);
            assert!(
                open_loop
                    || source.in_flight() as f64 <= source.window().floor().max(1.0) + 1e-9
                    || segment.retransmission
            );
            if rng.uniform() >= loss {
                let received = sink.on_data(segment.seq);
                outcome.unique += u64::from(!received.duplicate);
                let ack = AckPacket {
                    cumulative: received.cumulative,
                    seq: segment.seq,
                    sent: now,
                    marked: rng.uniform() < 0.3,
                    waited: Duration::ZERO,
                };
                acks.insert((now + Duration::from_millis(100), n), ack);
                n += 1;
            }
        }
        let ack = acks.first_key_value().map(|((at, _), _)| *at);
        let timer = source.timeout();
        match (ack, timer) {
            (Some(at), timer) if timer.is_none_or(|t| at <= t) => {
                let (_, ack) = acks.pop_first().expect("seen above");
                now = at;
                source.on_ack(&ack, now, &mut |rtt| assert!(rtt >= Duration::from_millis(100)));
            }
            (_, Some(at)) => {
                now = at;
                source.on_timeout(now);
            }
            _ => break,
        }
    }
    outcome.end = now;
    outcome
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn every_packet_arrives_and_the_same_seed_repeats(packets in 1..200u64, loss in 0.0..0.4f64, seed in any::<u64>()) {
        for entry in LIST {
            let spec = Spec::default_of(entry.name).unwrap();
            let outcome = transfer(&spec, packets, loss, seed);
            if spec.transport().open_loop {
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
    for entry in LIST {
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
    assert!(error(r#"{"kind": "vegas"}"#).contains("one of generic, "));
    assert!(error(r#"{"kind": "jk_reno", "min_timeout": 1}"#).contains("with its unit"));
}
