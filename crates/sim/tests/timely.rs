//! TIMELY on a data-centre link: bounded between its thresholds, whatever the shares (Zhu et al. 2016).

use crate::common;

use common::{cell, run};

/// Mean time in the queue in us and utilisation of so many flows over 10 Gbit/s with round trips of 20 us, and the shares of a fair one.
fn outcome(count: usize, ms: u64) -> ([f64; 3], Vec<f64>) {
    let (s, running) = run(&format!(
        r#"{{"duration": "{}ms", "warm_up": "{ms}ms", "nodes": [{{"name": "g"}}, {{"name": "h", "kind": "host"}}, {{"name": "s{{i}}", "kind": "host", "count": {count}}}],
        "links": [{{"name": "slow", "from": "g", "to": "h", "rate": "10Gbit/s", "delay": "5us", "queue": {{"kind": "fcfs", "buffer": "4000pkt"}}}},
        {{"name": "in{{i}}", "from": "s{{i}}", "to": "g", "rate": "40Gbit/s", "delay": "5us", "count": {count}}}],
        "flows": [{{"name": "f{{i}}", "from": "s{{i}}", "to": "h", "packet": "1500B", "ack": "64B", "start": "0s", "control": {{"kind": "timely", "path": "0s", "min_rtt": "20us"}}, "count": {count}}}]}}"#,
        2 * ms
    ));
    let (flows, links) = (running.finished().flow_table(&s), running.finished().link_table(&s));
    let link = |column| cell(&links, ("link", "slow"), column);
    let rates = common::column(&flows, "unique");
    let mean = rates.iter().sum::<f64>() / count as f64;
    let waits = common::column(&flows, "queueing_mean_s");
    let wait = waits.iter().zip(&rates).map(|(w, r)| w * r).sum::<f64>() / rates.iter().sum::<f64>();
    ([wait * 1e6, link("utilisation"), link("drops_full")], rates.iter().map(|r| r / mean).collect())
}

#[test]
fn the_delay_stays_below_the_upper_threshold_and_the_line_busy() {
    // No more than that can be expected: there is no unique fixed point.
    for count in [1, 4, 16] {
        let ([wait, utilisation, drops], shares) = outcome(count, 60);
        assert!(wait > 1.0 && wait + 21.5 < 500.0, "{count}: {wait} us in the queue");
        assert!(utilisation > 0.85 && drops < 0.5, "{count}: {utilisation} {drops}");
        assert!(shares.iter().all(|share| (0.5..2.0).contains(share)), "{count}: {shares:?}");
    }
}
