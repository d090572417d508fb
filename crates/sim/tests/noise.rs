//! Hosts with noise: what it delays and by how much, whom it leaves alone, and that it takes away the phase of Floyd and Jacobson 1991.

use crate::common;

use common::{cell, column, run};
use headgate_sim::Run;
use headgate_sim::spec::Scenario;
use serde_json::{Value, json};

/// A source of 10 packets a second over an idle line of 10 ms per packet, beside which its access is 100 times as fast.
fn lone(hosts: &Value, flow: &Value) -> Value {
    let mut source = json!({"name": "f", "from": "a", "to": "b", "packet": "1000B", "control": "none",
        "workload": {"kind": "cbr", "rate": "80kbit/s"}});
    source.as_object_mut().expect("a table").extend(flow.as_object().expect("a table").clone());
    json!({
        "duration": "1000s", "warm_up": "0s", "interval": "1000s", "hosts": hosts,
        "nodes": [{"name": "a", "kind": "host"}, {"name": "g"}, {"name": "b", "kind": "host"}],
        "links": [{"name": "access", "from": "a", "to": "g", "rate": "80Mbit/s"}, {"name": "slow", "from": "g", "to": "b", "rate": "800kbit/s"}],
        "flows": [source],
    })
}

fn digest(scenario: &Value) -> u64 {
    run(&scenario.to_string()).1.digest().value()
}

/// Mean one-way delay and round-trip time, in seconds.
fn delays(scenario: &Value) -> (f64, f64) {
    let (s, running) = run(&scenario.to_string());
    let flows = running.finished().flow_table(&s);
    (column(&flows, "owd_mean_s")[0], column(&flows, "rtt_mean_s")[0])
}

#[test]
fn a_packet_and_its_acknowledgement_leave_later_by_half_a_packet_time_each() {
    let (owd, rtt) = delays(&lone(&json!({}), &json!({})));
    assert!((owd - 0.0101).abs() < 1e-9, "{owd}");
    // 10,000 draws from [0, 10 ms): the mean within five standard errors, 10 ms / sqrt(12 * 10,000) each.
    for (noise, span) in [("1pkt", 0.01), ("0.5pkt", 0.005), ("2ms", 0.002)] {
        let (noisy, noisy_rtt) = delays(&lone(&json!({"noise": noise}), &json!({})));
        let error = 5.0 * span / (12.0_f64 * 10_000.0).sqrt();
        assert!((noisy - owd - span / 2.0).abs() < error, "{noise}: {noisy}");
        assert!((noisy_rtt - rtt - span).abs() < 2.0 * error, "{noise}: {noisy_rtt}");
    }
}

#[test]
fn the_noise_of_a_flow_replaces_that_of_all_hosts() {
    let (all, own) = (json!({"noise": "1pkt"}), json!({"noise": "1pkt"}));
    assert_eq!(digest(&lone(&json!({}), &own)), digest(&lone(&all, &json!({}))));
    let none = digest(&lone(&json!({}), &json!({})));
    assert_eq!(digest(&lone(&all, &json!({"noise": "0pkt"}))), none);
    assert_eq!(digest(&lone(&json!({"noise": "0s"}), &json!({}))), none);
    assert_ne!(digest(&lone(&all, &json!({}))), none);
}

#[test]
fn a_paced_source_is_left_alone_unless_its_flow_has_noise() {
    let bulk = |hosts: &str, flow: Value| {
        let mut scenario = lone(&json!({"noise": hosts}), &flow);
        scenario["flows"][0]["workload"] = json!("ftp");
        scenario["duration"] = json!("20s");
        scenario["interval"] = json!("20s");
        digest(&scenario)
    };
    for control in ["bbr1", "packet_pair", "pp_cth", "netblt", "blt"] {
        let flow = json!({"control": control});
        assert_eq!(bulk("0pkt", flow.clone()), bulk("1pkt", flow), "{control}");
        assert_ne!(
            bulk("0pkt", json!({"control": control})),
            bulk("0pkt", json!({"control": control, "noise": "1pkt"})),
            "{control}"
        );
    }
    let paced = json!({"control": "reno", "transport": {"paced": true}});
    assert_eq!(bulk("0pkt", paced.clone()), bulk("1pkt", paced));
    for control in ["jk_reno", "reno", "cubic", "generic"] {
        assert_ne!(bulk("0pkt", json!({"control": control})), bulk("1pkt", json!({"control": control})), "{control}");
    }
}

#[test]
fn packets_keep_their_order() {
    // Noise of many packet times: a transport that takes the first duplicate for a loss never sees one.
    let mut scenario = lone(&json!({"noise": "20pkt"}), &json!({"control": "sack", "transport": {"duplicates": 1}}));
    scenario["flows"][0]["workload"] = json!("ftp");
    scenario["duration"] = json!("100s");
    scenario["interval"] = json!("100s");
    scenario["links"][1]["queue"] = json!({"kind": "fcfs", "buffer": "unlimited"});
    scenario["flows"][0]["transport"]["receiver_window"] = json!(20);
    let (s, running) = run(&scenario.to_string());
    let flows = running.finished().flow_table(&s);
    assert!(column(&flows, "received")[0] > 5000.0);
    assert_eq!((column(&flows, "retransmissions")[0], column(&flows, "timeouts")[0]), (0.0, 0.0));
}

#[test]
fn a_packet_that_is_kept_back_keeps_its_priority() {
    // The line is busy 9/10 of the time with two equal streams: the first one waits for a packet in transmission only.
    let mut scenario = lone(&json!({"noise": "1pkt"}), &json!({"priority": 0}));
    let mut second = scenario["flows"][0].clone();
    (second["name"], second["priority"]) = (json!("second"), json!(1));
    scenario["flows"].as_array_mut().expect("a list").push(second);
    for flow in scenario["flows"].as_array_mut().expect("a list") {
        flow["workload"] = json!({"kind": "poisson", "mean": "22ms"});
    }
    scenario["links"][1]["queue"] = json!({"kind": "strict_priority", "buffer": "unlimited"});
    let (s, running) = run(&scenario.to_string());
    let owd = column(&running.finished().flow_table(&s), "owd_mean_s");
    assert!(owd[0] < 0.03 && owd[1] > 2.0 * owd[0], "{owd:?}");
}

#[test]
fn another_flow_does_not_move_the_noise_of_this_one() {
    let one = lone(&json!({"noise": "1pkt"}), &json!({}));
    let mut two = one.clone();
    let mut other = one["flows"][0].clone();
    (other["name"], other["from"], other["to"]) = (json!("other"), json!("b"), json!("a"));
    (other["start"], other["acknowledge"]) = (json!("999s"), json!(false));
    two["flows"].as_array_mut().expect("a list").insert(0, other);
    two["duration"] = json!("998s");
    two["interval"] = json!("998s");
    let mut alone = one;
    alone["duration"] = json!("998s");
    alone["interval"] = json!("998s");
    let delay = |scenario: &Value| {
        let (s, running) = run(&scenario.to_string());
        cell(&running.finished().flow_table(&s), ("flow", "f"), "owd_mean_s")
    };
    assert_eq!(delay(&alone).to_bits(), delay(&two).to_bits());
}

/// Each end has a stream and a queue of its own: what a sink keeps back neither delays data nor moves their noise.
#[test]
fn the_two_hosts_of_a_flow_are_apart() {
    // Noise of ten gaps, so that packets and acknowledgements are kept back together.
    let owd = |acknowledge: bool| {
        let (s, running) = run(&lone(&json!({"noise": "1s"}), &json!({"acknowledge": acknowledge})).to_string());
        column(&running.finished().flow_table(&s), "owd_mean_s")[0]
    };
    assert_eq!(owd(true).to_bits(), owd(false).to_bits());
    // Of independent times the variances add up: 2/12 of the square of the span; of equal ones it would be twice that.
    let mut scenario = lone(&json!({"noise": "1pkt"}), &json!({}));
    scenario["interval"] = json!("100ms");
    let (s, running) = run(&scenario.to_string());
    let trips: Vec<f64> = column(&running.finished().interval_table(&s), "rtt_mean_s")
        .into_iter()
        .filter(|trip| trip.is_finite())
        .collect();
    let mean = trips.iter().sum::<f64>() / trips.len() as f64;
    let variance = trips.iter().map(|trip| (trip - mean).powi(2)).sum::<f64>() / trips.len() as f64;
    assert!(trips.len() > 9000 && (variance / 0.01_f64.powi(2) - 2.0 / 12.0).abs() < 0.02, "{variance}");
}

/// Floyd and Jacobson 1991, section 3: without noise one of two connections gets nearly all of a full line, by the phase alone.
#[test]
fn noise_takes_away_the_phase() {
    let share = |noise: &str, seed: u64| {
        let scenario = json!({
            "duration": "100s", "warm_up": "10s", "interval": "90s", "hosts": {"noise": noise},
            "topology": {"kind": "dumbbell", "hosts": 2,
                "line": {"rate": "20Mbit/s", "delay": "10ms", "queue": {"kind": "fcfs", "buffer": "50KB"}},
                "access": {"rate": "200Mbit/s", "delay": ["0s", "10ms"]}, "exit": {"rate": "200Mbit/s"}},
            "flows": [{"name": "a", "from": "s1", "to": "d1", "control": "reno", "start_spread": "400ms"},
                      {"name": "b", "from": "s2", "to": "d2", "control": "reno", "start_spread": "400ms"}],
        });
        let scenario = Scenario::from_json(&scenario.to_string()).expect("a good scenario");
        let mut running = Run::new(&scenario, seed, 0);
        while !running.advance(100_000) {}
        let unique = column(&running.finished().flow_table(&scenario), "unique");
        unique[0] / (unique[0] + unique[1])
    };
    for seed in 1..4 {
        let (without, with) = (share("0pkt", seed), share("1pkt", seed));
        assert!(without > 0.85, "seed {seed}: {without}");
        assert!((0.52..0.72).contains(&with), "seed {seed}: {with}");
    }
}
