//! The program that reads at a sink: the end of a transfer and a late read are acknowledged in a run as by the sink itself.

use crate::common;

use common::{cell, run};

/// The number of acknowledgements, and the mean round trip in seconds, of a transfer of 31 packets over 10 Mbit/s and 40 ms. Of the buffer of 128 KiB 22
/// packets are acknowledged one by one, and the other nine by nothing but a read or a delay of 2 s.
fn transfer(pause: &str) -> [f64; 2] {
    let scenario = format!(
        r#"{{"duration": "10s", "warm_up": "0s",
            "nodes": [{{"name": "s", "kind": "host"}}, {{"name": "d", "kind": "host"}}],
            "links": [{{"name": "line", "from": "s", "to": "d", "rate": "10Mbit/s", "delay": "20ms", "queue": {{"kind": "fcfs", "buffer": "100pkt"}}}}],
            "flows": [{{"name": "f", "from": "s", "to": "d", "packet": "1500B", "ack": "52B", "control": "reno",
                "workload": {{"kind": "transfer", "packets": 31}},
                "transport": {{"preset": "linux", "tail_probe": false, "min_timeout": "5s"}},
                "receiver": {{"every": 1000, "delay": "2s", "reader": {{"max_buffer": "0B", "pause": "{pause}"}}}}}}]}}"#
    );
    let (s, running) = run(&scenario);
    let acks = cell(&running.finished().link_table(&s), ("link", "line:reverse"), "sent");
    [acks, cell(&running.finished().flow_table(&s), ("flow", "f"), "rtt_mean_s")]
}

#[test]
fn the_end_of_a_transfer_is_acknowledged_when_it_is_read() {
    // 22 and one; the nine that wait are 1.2 ms apart.
    let [acks, rtt] = transfer("0s");
    assert_eq!(acks, 23.0);
    assert!((0.041..0.06).contains(&rtt), "{rtt}");
    // What is not read leaves room for a window that grows with four packets instead of six. All arrive before the first is read, 0.3 s after it came: the
    // eleven that wait for that add to the mean.
    let [acks, late] = transfer("300ms");
    assert_eq!(acks, 21.0);
    assert!((0.05..0.1).contains(&(late - rtt)), "{late}");
}
