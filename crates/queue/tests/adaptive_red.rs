//! Adaptive RED at a port: the times at which `max_p` changes, and the average that it holds.

use crate::common::told::each_sent;
use headgate_packet::{Duration, Packet, Rate, Rng, Time};
use headgate_queue::{Discipline as _, LinkInfo, Look, Port, Spec};
use serde_json::json;

const MS: u64 = 1_000_000_000;

fn link(bps: u64) -> LinkInfo {
    LinkInfo { rate: Rate::from_bps(bps).expect("above zero"), flows: 2, weights: vec![], hosts: vec![] }
}

fn port(more: serde_json::Value, bps: u64) -> Port {
    let mut table = json!({"kind": "red", "buffer": "1000pkt"});
    more.as_object().expect("a table").iter().for_each(|(name, value)| table[name] = value.clone());
    let spec: Spec = serde_json::from_value(table).expect("a discipline");
    Port::new(spec.build(&link(bps)), link(bps).rate, Rng::new(1, 0, "test"))
}

fn gauge(port: &Port, wanted: &str) -> f64 {
    let mut found = None;
    port.discipline().probe(&mut |name, value| {
        if name == wanted {
            found = Some(value);
        }
    });
    found.unwrap_or_else(|| panic!("no gauge {wanted}"))
}

fn told(port: &Port, wanted: &str, now: Time) -> Option<f64> {
    let mut found = None;
    port.discipline().explain(&Packet::default(), &Look { now, ..Look::default() }, &mut |number, value| {
        if number.name() == wanted {
            found = Some(value);
        }
    });
    found
}

#[test]
fn max_p_changes_with_an_arrival_after_each_interval() {
    // A line of a packet a second, and a packet every 100 ms: the queue grows, and with a weight of 1 the average is the queue found. The band is 9 to 11.
    let mut port = port(
        json!({"adaptive": true, "interval": "450ms", "weight": 1.0, "max_p": 0.1, "gentle": true, "min_threshold": "5pkt", "max_threshold": "15pkt"}),
        8000,
    );
    let mut changes = Vec::new();
    for n in 0..30 {
        let (now, before) = (Time::from_ps(n * 100 * MS), gauge(&port, "max_p"));
        port.advance(now, &mut each_sent(|_| {}));
        let expected = told(&port, "max_probability", now);
        port.offer(
            Packet { handle: n as u32, bytes: 1000, arrived: now, ..Packet::default() },
            now,
            &mut each_sent(|_| {}),
        );
        let after = gauge(&port, "max_p");
        assert_eq!(expected, Some(after), "what is told of the packet is what judges it");
        if after != before {
            changes.push((n * 100, (after * 1e6).round() / 1e6, gauge(&port, "average") > 11.0));
        }
    }
    // Below the band it falls once the first interval is over, and from then on it changes after more than 450 ms, which is each fifth packet.
    assert_eq!(changes[0], (500, 0.09, false));
    assert!(changes.iter().skip(1).zip(&changes).all(|(b, a)| b.0 - a.0 >= 500), "{changes:?}");
    let first_up = changes.iter().position(|change| change.2).expect("it rises");
    assert_eq!(changes[first_up].1, ((changes[first_up - 1].1 + 0.01) * 1e6).round() / 1e6);
    assert!(changes.len() >= 4 && changes[first_up..].iter().all(|change| change.2), "{changes:?}");
}

#[test]
fn without_it_nothing_changes_and_nothing_is_told() {
    let mut port = port(json!({"weight": 0.5}), 8000);
    for n in 0..50 {
        port.offer(Packet { bytes: 1000, ..Packet::default() }, Time::from_ps(n * 100 * MS), &mut each_sent(|_| {}));
    }
    assert_eq!(told(&port, "max_probability", Time::from_ps(9000 * MS)), None);
}

/// The mean of the average queue in the last third of a minute, under a load at random that answers nothing.
fn mean_average(adaptive: bool, load: f64) -> f64 {
    let mut port = port(
        json!({"adaptive": adaptive, "gentle": true, "automatic_weight": true, "max_p": 0.02, "min_threshold": "20pkt", "max_threshold": "60pkt"}),
        8_000_000,
    );
    let (mut rng, mut now, mut sum, mut n) = (Rng::new(7, 0, "load"), Time::ZERO, 0.0, 0.0);
    let gap = Duration::from_secs_f64(0.001 / load);
    while now < Time::from_ps(60_000 * MS) {
        now += rng.exponential(gap);
        port.offer(Packet { bytes: 1000, ..Packet::default() }, now, &mut each_sent(|_| {}));
        if now > Time::from_ps(40_000 * MS) {
            sum += gauge(&port, "average");
            n += 1.0;
        }
    }
    sum / n
}

#[test]
fn the_average_is_brought_into_its_band_whatever_the_load() {
    // The band is 36 to 44 packets. With uniform spacing a drop share d needs pb of about d / 2; 0.02 is too little.
    for load in [1.05, 1.1, 1.2] {
        let (plain, adaptive) = (mean_average(false, load), mean_average(true, load));
        assert!((34.0..46.0).contains(&adaptive), "{load}: {adaptive}");
        assert!(plain > 46.0, "{load}: {plain}");
    }
}

#[test]
fn thresholds_and_weight_follow_the_rate_of_the_link() {
    let more = json!({"automatic_weight": true, "target_delay": "40ms"});
    let mut port = port(more, 8_000_000);
    let at = |port: &Port| {
        [told(port, "min_threshold_packets", Time::ZERO), told(port, "max_threshold_packets", Time::ZERO)]
    };
    // 1000 packets of 1000 bytes per second: 20 in half of 40 ms.
    assert_eq!(at(&port), [Some(20.0), Some(60.0)]);
    let weight = |port: &mut Port, now: u64| {
        // Two packets wait, and one more arrives: it moves the average by the weight times what it finds.
        let now = Time::from_ps(now);
        for _ in 0..3 {
            port.offer(Packet { bytes: 1000, ..Packet::default() }, now, &mut each_sent(|_| {}));
        }
        let (before, waiting) = (gauge(port, "average"), port.backlog().packets as f64);
        port.offer(Packet { bytes: 1000, ..Packet::default() }, now, &mut each_sent(|_| {}));
        (gauge(port, "average") - before) / (waiting - before)
    };
    assert!((weight(&mut port, 0) - (1.0 - (-0.001f64).exp())).abs() < 1e-9);
    port.set_link(&link(80_000_000), Time::from_ps(MS));
    assert_eq!(at(&port), [Some(200.0), Some(600.0)]);
    let faster = weight(&mut port, 2 * MS);
    assert!((faster - (1.0 - (-0.0001f64).exp())).abs() < 1e-9, "{faster}");
}

#[test]
fn bad_parameters_are_refused_and_extreme_ones_taken() {
    for (name, value) in [("interval", "0s"), ("target_delay", "0ms"), ("adaptive", "yes"), ("automatic_weight", "1")] {
        let table = json!({"kind": "red", name: value});
        let found = serde_json::from_value::<Spec>(table).map_err(|e| e.to_string());
        assert!(found.as_ref().is_err_and(|e| e.contains(name)), "{name}: {found:?}");
    }
    let mut port = port(
        json!({"adaptive": true, "interval": "1ps", "target_delay": "10000000s", "automatic_weight": true, "max_p": 0.0, "mean_packet": "16MiB"}),
        1,
    );
    for n in 0..100 {
        port.offer(Packet { bytes: 1, ..Packet::default() }, Time::from_ps(n * 150_000 * MS), &mut each_sent(|_| {}));
    }
    assert!(gauge(&port, "average").is_finite());
}
