//! Swift on a data-centre link: the delay that flows hold, their shares, and windows below one packet.

use crate::common;

use common::{cell, run};

/// Mean time in the queue in us, its 95 % quantile, utilisation, drops, and each flow's share of a fair one: so many flows over 10 Gbit/s with round trips of 20 us.
fn outcome(count: usize, control: &str, ms: u64) -> ([f64; 4], Vec<f64>) {
    let (s, running) = run(&format!(
        r#"{{"duration": "{}ms", "warm_up": "{ms}ms", "nodes": [{{"name": "g"}}, {{"name": "h", "kind": "host"}}, {{"name": "s{{i}}", "kind": "host", "count": {count}}}],
        "links": [{{"name": "slow", "from": "g", "to": "h", "rate": "10Gbit/s", "delay": "5us", "queue": {{"kind": "fcfs", "buffer": "4000pkt"}}}},
        {{"name": "in{{i}}", "from": "s{{i}}", "to": "g", "rate": "40Gbit/s", "delay": "5us", "count": {count}}}],
        "flows": [{{"name": "f{{i}}", "from": "s{{i}}", "to": "h", "packet": "1500B", "ack": "64B", "start": "0s", "control": {{"kind": "swift", {control}}}, "count": {count}}}]}}"#,
        2 * ms
    ));
    let (flows, links) = (running.finished().flow_table(&s), running.finished().link_table(&s));
    let link = |column| cell(&links, ("link", "slow"), column);
    let rates = common::column(&flows, "unique");
    let mean = rates.iter().sum::<f64>() / count as f64;
    let waits = common::column(&flows, "queueing_mean_s");
    let wait = waits.iter().zip(&rates).map(|(w, r)| w * r).sum::<f64>() / rates.iter().sum::<f64>();
    ([wait * 1e6, link("utilisation"), link("drops_full"), mean], rates.iter().map(|r| r / mean).collect())
}

/// The path: 20 us, two transmissions of a packet and those of its acknowledgement.
const GIVEN: &str = r#""path": "21.5us""#;

/// The time in the queue in us with which windows fill the path: N w / C = path + base + a / sqrt(w) + b, at most `scaling` (section 3.5), by bisection.
fn due(count: usize) -> f64 {
    let a = 100.0 / (10f64.sqrt() - 0.1);
    let scaled = |w: f64| (a / w.sqrt() - 0.1 * a).clamp(0.0, 100.0);
    let beyond = |w: f64| count as f64 * w * 1.2 - 21.5 - 20.0 - scaled(w);
    let (mut low, mut high) = (1e-3, 1e3);
    for _ in 0..100 {
        let middle = (low + high) / 2.0;
        if beyond(middle) < 0.0 { low = middle } else { high = middle }
    }
    20.0 + scaled(low)
}

#[test]
fn flows_hold_the_delay_that_their_windows_aim_at_and_share_fairly() {
    for count in [1, 4, 16, 64] {
        let ([wait, utilisation, drops, _], shares) = outcome(count, GIVEN, 40);
        let due = due(count);
        assert!((wait / due - 1.0).abs() < 0.15, "{count}: {wait} us in the queue, {due} expected");
        assert!(utilisation > 0.99 && drops < 0.5, "{count}: {utilisation} {drops}");
        assert!(shares.iter().all(|share| (share - 1.0).abs() < 0.05), "{count}: {shares:?}");
    }
    // Without scaling the base alone, whatever the number of flows.
    let ([wait, ..], _) = outcome(4, r#""path": "21.5us", "scaling": "0s""#, 40);
    assert!((wait / 20.0 - 1.0).abs() < 0.15, "{wait}");
}

#[test]
fn two_hundred_flows_have_windows_below_one_packet_and_lose_nothing() {
    // At one packet each the queue would be 240 us less the path.
    let ([wait, utilisation, drops, _], shares) = outcome(200, GIVEN, 40);
    assert!(
        (0.7 * due(200)..150.0).contains(&wait) && utilisation > 0.99 && drops < 0.5,
        "{wait} {utilisation} {drops}"
    );
    assert!(shares.iter().all(|share| (0.5..1.5).contains(share)), "{shares:?}");
    // The scaling is what makes them fair.
    let (_, alone) = outcome(200, r#""path": "21.5us", "scaling": "0s""#, 40);
    assert!(alone.iter().any(|share| *share < 0.3), "{alone:?}");
}

#[test]
fn flows_that_measure_the_path_themselves_take_the_queue_of_others_for_a_part_of_it() {
    let ([wait, ..], shares) = outcome(16, r#""hops": 0"#, 40);
    assert!(wait > 1.1 * due(16) && shares.iter().any(|share| *share > 1.3), "{wait} {shares:?}");
}

#[test]
fn after_a_long_outage_retransmissions_open_the_window_by_the_rules_of_the_rfcs_too() {
    // The link is down for 65 s, and the fifth timeout leaves a hundredth of a packet: one in 100 round trips of 40 ms until something that was sent once arrives. Without the time stamps of
    // retransmissions 10 of them take 40 s.
    let (s, running) = run(
        r#"{"duration": "140s", "warm_up": "70s", "nodes": [{"name": "g"}, {"name": "s", "kind": "host"}, {"name": "d", "kind": "host"}],
        "links": [{"from": "s", "to": "g", "rate": "1Gbit/s"},
            {"name": "slow", "from": "g", "to": "d", "rate": "20Mbit/s", "delay": "20ms", "queue": {"kind": "fcfs", "buffer": "10pkt"}}],
        "events": [{"at": "5s", "up": false, "link": "slow"}, {"at": "70s", "up": true, "link": "slow"}],
        "flows": [{"name": "f", "from": "s", "to": "d", "packet": "1000B", "control": {"kind": "swift", "base_target": "20ms"}, "transport": {"preset": "rfc"}}]}"#,
    );
    let unique = cell(&running.finished().flow_table(&s), ("flow", "f"), "unique");
    assert!(unique > 50_000.0, "{unique}");
}
