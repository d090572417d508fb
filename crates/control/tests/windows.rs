//! The protocols with a window, without their transport: what acknowledgements and losses do to the window.

use crate::common::acks;

use acks::{duplicate, gauges, loss, new_ack, protocol};
use headgate_control::{AnyFlowControl, FlowControl, LIST, LossKind, Spec};
use headgate_packet::{Duration, Time};
use proptest::prelude::*;

/// Window and threshold.
fn state(p: &AnyFlowControl) -> (f64, f64) {
    let gauges = gauges(p);
    (gauges["window"], gauges["threshold"])
}

/// A source of this kind whose window has opened to `window` packets in slow start.
fn opened(kind: &str, window: u64) -> AnyFlowControl {
    let mut p = protocol(&format!(r#"{{"kind": "{kind}"}}"#));
    (1..window).for_each(|_| p.on_ack(&new_ack()));
    assert_eq!(p.allowance().window, window);
    p
}

#[test]
fn tahoe_closes_the_window_and_halves_the_threshold_after_any_loss() {
    for kind in [LossKind::Timeout, LossKind::DuplicateAcks] {
        for (window, threshold) in [(1, 2.0), (2, 2.0), (3, 2.0), (5, 2.0), (6, 3.0), (20, 10.0)] {
            let mut p = opened("jk_tahoe", window);
            p.on_loss(&loss(kind));
            assert_eq!((state(&p), p.allowance().window), ((1.0, threshold), 1), "{kind:?} at {window}");
        }
    }
}

#[test]
fn tahoe_takes_no_notice_of_duplicates() {
    let mut p = opened("jk_tahoe", 8);
    (1..10).for_each(|n| p.on_ack(&duplicate(n)));
    assert_eq!(p.allowance().window, 8);
}

#[test]
fn reno_keeps_half_the_window_after_duplicates_and_lets_one_packet_out_for_each() {
    for (window, half) in [(1, 2), (3, 2), (5, 2), (6, 3), (20, 10)] {
        let mut p = opened("jk_reno", window);
        (1..=3).for_each(|n| p.on_ack(&duplicate(n)));
        assert_eq!(p.allowance().window, window, "duplicates before the loss change nothing");
        p.on_loss(&loss(LossKind::DuplicateAcks));
        // The three packets that the duplicates stand for have left the network.
        assert_eq!((p.allowance().window, state(&p).1), (half + 3, half as f64));
        (4..=6).for_each(|n| p.on_ack(&duplicate(n)));
        assert_eq!(p.allowance().window, half + 6);
        // The acknowledgement of new data ends the recovery at half the window; from there the window opens linearly.
        p.on_ack(&new_ack());
        assert_eq!(p.allowance().window, half);
        (1..half).for_each(|_| p.on_ack(&new_ack()));
        assert_eq!(p.allowance().window, half);
        p.on_ack(&new_ack());
        assert_eq!(p.allowance().window, half + 1);
    }
}

#[test]
fn reno_counts_as_many_duplicates_as_its_parameter_says() {
    let mut p = protocol(r#"{"kind": "jk_reno", "duplicates": 5}"#);
    (1..20).for_each(|_| p.on_ack(&new_ack()));
    p.on_loss(&loss(LossKind::DuplicateAcks));
    assert_eq!(p.allowance().window, 10 + 5);
}

#[test]
fn reno_starts_again_from_one_packet_after_a_timeout() {
    let mut p = opened("jk_reno", 20);
    p.on_loss(&loss(LossKind::DuplicateAcks));
    assert_eq!(p.allowance().window, 13);
    // A timeout ends the recovery too: duplicates no longer open the window, and new data opens it exponentially. Half is of the 13.
    p.on_loss(&loss(LossKind::Timeout));
    assert_eq!(state(&p), (1.0, 6.0));
    p.on_ack(&duplicate(1));
    assert_eq!(p.allowance().window, 1);
    (0..5).for_each(|_| p.on_ack(&new_ack()));
    assert_eq!(p.allowance().window, 6);
}

#[test]
fn the_gauge_of_reno_never_shows_more_than_the_largest_window() {
    let mut p = protocol(r#"{"kind": "jk_reno", "window": 4}"#);
    (0..10).for_each(|_| p.on_ack(&new_ack()));
    p.on_loss(&loss(LossKind::DuplicateAcks));
    (4..9).for_each(|n| p.on_ack(&duplicate(n)));
    assert_eq!((p.allowance().window, state(&p)), (4, (4.0, 2.0)));
}

#[test]
fn a_fixed_window_is_fixed() {
    let mut p = protocol(r#"{"kind": "generic", "window": 7}"#);
    p.on_ack(&new_ack());
    p.on_loss(&loss(LossKind::Timeout));
    assert_eq!((p.allowance().window, gauges(&p)["window"]), (7, 7.0));
}

#[test]
fn without_flow_control_there_is_no_bound_and_no_gauge() {
    let p = protocol(r#"{"kind": "none"}"#);
    assert_eq!((p.allowance().window, gauges(&p).len()), (u64::MAX, 0));
}

#[test]
fn a_protocol_with_a_window_lets_nothing_go_at_times_of_its_own() {
    for kind in ["generic", "jk_tahoe", "jk_reno", "decbit"] {
        let mut p = protocol(&format!("\"{kind}\""));
        assert!(p.as_releases().is_none() && p.next_release() == Time::NEVER, "{kind}");
    }
}

#[test]
fn a_timer_runs_for_some_time_at_least() {
    for entry in LIST {
        let config = Spec::default_of(entry.name).expect("in the list").transport();
        let least = match (config.tcp_rules(), config.basic_rules()) {
            (Some(rules), _) => rules.min_timeout,
            (_, Some(rules)) => rules.min_timeout,
            _ => continue,
        };
        assert!(least > Duration::ZERO, "{}", entry.name);
    }
}

proptest! {
    /// 0: new data, 1: a duplicate, 2: a loss by duplicates, 3: a timeout.
    #[test]
    fn the_window_stays_between_one_packet_and_the_largest(
        kind in prop::sample::select(vec!["jk_tahoe", "jk_reno", "decbit"]), most in 1..40u64,
        happens in prop::collection::vec((0..40u32, any::<bool>()), 1..300),
    ) {
        let mut p = protocol(&format!(r#"{{"kind": "{kind}", "window": {most}}}"#));
        for (what, marked) in happens {
            let before = p.allowance().window;
            match what {
                0 => p.on_loss(&loss(LossKind::DuplicateAcks)),
                1 => p.on_loss(&loss(LossKind::Timeout)),
                2..10 => p.on_ack(&duplicate(what)),
                _ => p.on_ack(&headgate_control::Ack { marked, ..new_ack() }),
            }
            let after = p.allowance().window;
            prop_assert!((1..=most).contains(&after), "{after}");
            prop_assert!(gauges(&p)["window"] < after as f64 + 1.0 && gauges(&p)["window"] >= after as f64);
            // Only a loss by duplicates lets more than one packet of window out at once.
            prop_assert!(after <= before + 1 || what == 0, "{before} to {after}");
        }
    }
}
