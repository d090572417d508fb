//! BBR version 3 beside others on one line: what it leaves to CUBIC, how two of it share, and what it loses in a shallow buffer.

use crate::common;

use common::{cell, run};
use serde_json::json;

/// What each flow of these controls gets of 20 Mbit/s with 40 ms and so many paths of buffer, of which there are 67 packets, and the share lost.
fn shares(controls: &[&str], paths: f64) -> (Vec<f64>, f64) {
    let buffer = format!("{}pkt", (paths * 66.7).round());
    let mut nodes = vec![json!({"name": "g"}), json!({"name": "h"})];
    let mut links = vec![
        json!({"name": "slow", "from": "g", "to": "h", "rate": "20Mbit/s", "delay": "18ms", "queue": {"kind": "fcfs", "buffer": buffer}}),
    ];
    let mut flows = vec![];
    for (i, control) in controls.iter().enumerate() {
        let (a, b) = (format!("a{i}"), format!("b{i}"));
        nodes.push(json!({"name": a, "kind": "host"}));
        nodes.push(json!({"name": b, "kind": "host"}));
        links.push(json!({"name": format!("in{i}"), "from": a, "to": "g", "rate": "1Gbit/s", "delay": "1ms"}));
        links.push(json!({"name": format!("out{i}"), "from": "h", "to": b, "rate": "1Gbit/s", "delay": "1ms"}));
        flows.push(json!({"name": format!("f{i}"), "from": a, "to": b, "packet": "1500B", "control": control,
            "start": format!("{}ms", 300 * i), "workload": "ftp"}));
    }
    let scenario = json!({"duration": "60s", "warm_up": "20s", "interval": "60s", "hosts": {"noise": "1pkt"},
        "nodes": nodes, "links": links, "flows": flows});
    let (scenario, running) = run(&scenario.to_string());
    let done = running.finished();
    let table = done.flow_table(&scenario);
    let of = |name: &str, i: usize| cell(&table, ("flow", &format!("f{i}")), name);
    let shares = (0..controls.len()).map(|i| of("unique_bytes", i) * 8.0 / (40.0 * 20e6)).collect();
    let (lost, sent) = (0..controls.len()).fold((0.0, 0.0), |sum, i| (sum.0 + of("drops", i), sum.1 + of("sent", i)));
    (shares, lost / sent)
}

#[test]
fn it_leaves_cubic_more_than_version_1_does() {
    // A buffer of one path and of a third of one: version 1 leaves CUBIC a tenth, since it answers no loss.
    for paths in [1.0, 0.3] {
        let [old, new] = ["bbr1", "bbr3"].map(|kind| shares(&["cubic_linux", kind], paths));
        assert!(new.0[0] > 0.3 && new.0[1] > 0.3, "{paths} {new:?}");
        assert!(new.0[0] > 2.0 * old.0[0] && new.1 < old.1 / 2.0, "{paths} {new:?} {old:?}");
        assert!(new.0.iter().sum::<f64>() > 0.95);
    }
}

#[test]
fn two_of_it_share_a_line() {
    for paths in [0.2, 1.0, 4.0] {
        let (shares, lost) = shares(&["bbr3", "bbr3"], paths);
        assert!(
            shares.iter().all(|s| (0.35..0.62).contains(s)) && shares.iter().sum::<f64>() > 0.95,
            "{paths} {shares:?}"
        );
        assert!(lost < 0.01, "{lost}");
    }
}

#[test]
fn alone_in_a_shallow_buffer_it_loses_a_tenth_of_what_version_1_does() {
    let [old, new] = ["bbr1", "bbr3"].map(|kind| shares(&[kind], 0.2));
    assert!(new.1 < old.1 / 10.0 && new.0[0] > 0.95, "{new:?} {old:?}");
}
