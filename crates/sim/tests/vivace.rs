//! PCC Vivace and Allegro on a line: utilisation, random losses, and the shares of two flows.

use crate::common;

use common::run;

/// Each flow's rate in Mbit/s, and the mean time in the queue in ms, over a line of so many Mbit/s with round trips of 30 ms and these random losses.
fn outcome(control: &str, count: usize, line: f64, loss: f64, (warm_up, seconds): (u64, u64)) -> (Vec<f64>, f64) {
    let (s, running) = run(&format!(
        r#"{{"duration": "{}s", "warm_up": "{warm_up}s", "nodes": [{{"name": "g"}}, {{"name": "h", "kind": "host"}}, {{"name": "s{{i}}", "kind": "host", "count": {count}}}],
        "links": [{{"name": "slow", "from": "g", "to": "h", "rate": "{line}Mbit/s", "delay": "14ms", "loss": {{"kind": "bernoulli", "probability": {loss}}}, "queue": {{"kind": "fcfs", "buffer": "250pkt"}}}},
        {{"name": "in{{i}}", "from": "s{{i}}", "to": "g", "rate": "1Gbit/s", "delay": "1ms", "count": {count}}}],
        "flows": [{{"name": "f{{i}}", "from": "s{{i}}", "to": "h", "packet": "1500B", "ack": "40B", "start": "0s", "control": {{"kind": "{control}"}}, "count": {count}}}]}}"#,
        warm_up + seconds
    ));
    let flows = running.finished().flow_table(&s);
    let rates = common::column(&flows, "unique").iter().map(|n| n * 0.012 / seconds as f64).collect();
    (rates, common::column(&flows, "queueing_mean_s")[0] * 1e3)
}

#[test]
fn vivace_fills_a_line_without_a_queue_and_bears_random_losses_that_stop_cubic() {
    let (rates, queue) = outcome("vivace", 1, 100.0, 0.0, (10, 10));
    assert!(rates[0] > 90.0 && queue < 1.0, "{rates:?} {queue}");
    let (rates, _) = outcome("vivace", 1, 100.0, 0.01, (10, 10));
    assert!(rates[0] > 70.0, "{rates:?}");
    let (cubic, _) = outcome("cubic", 1, 100.0, 0.01, (10, 10));
    assert!(cubic[0] < 10.0, "{cubic:?}");
    // Beyond the 5 % that 100 Mbit/s tolerate it gives way.
    let (rates, _) = outcome("vivace", 1, 100.0, 0.1, (10, 10));
    assert!(rates[0] < 50.0, "{rates:?}");
}

#[test]
fn two_flows_of_vivace_and_two_of_allegro_share_fairly() {
    // Allegro takes its time: of twelve seeds three still had 1.5 to 2 times the other's rate after 60 s.
    for (control, line, from) in [("vivace", 50.0, 20), ("allegro", 20.0, 60)] {
        let (rates, _) = outcome(control, 2, line, 0.0, (from, from));
        assert!(
            rates.iter().sum::<f64>() > 0.85 * line && (0.7..1.43).contains(&(rates[0] / rates[1])),
            "{control}: {rates:?}"
        );
    }
}

#[test]
fn allegro_fills_line_and_buffer_and_bears_one_per_cent() {
    let (rates, queue) = outcome("allegro", 1, 100.0, 0.0, (10, 10));
    assert!(rates[0] > 95.0 && queue > 10.0, "{rates:?} {queue}");
    let (rates, _) = outcome("allegro", 1, 100.0, 0.01, (10, 10));
    assert!(rates[0] > 80.0, "{rates:?}");
    let (rates, _) = outcome("allegro", 1, 100.0, 0.08, (10, 10));
    assert!(rates[0] < 20.0, "{rates:?}");
}
