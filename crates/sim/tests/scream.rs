//! SCReAMv2: the queue that it holds, what it uses of a line, and its shares beside itself, CUBIC and Prague.

use crate::common;

use common::{cell, run};

/// A flow: its control, what else stands in it, its round trip in ms and its start in ms.
type Flow<'a> = (&'a str, &'a str, u64, u64);

/// Rate in Mbit/s, mean time in queues in ms and losses of each flow over the second half, and the use of the line.
fn outcome(rate: u64, queue: &str, seconds: u64, flows: &[Flow<'_>]) -> (Vec<[f64; 3]>, f64) {
    let mut links =
        vec![format!(r#"{{"name": "slow", "from": "g", "to": "h", "rate": "{rate}Mbit/s", "queue": {queue}}}"#)];
    let (mut nodes, mut all) = (vec![], vec![]);
    for (n, (control, more, rtt, start)) in flows.iter().enumerate() {
        nodes.push(format!(r#"{{"name": "s{n}", "kind": "host"}}, {{"name": "d{n}", "kind": "host"}}"#));
        links.push(format!(r#"{{"from": "s{n}", "to": "g", "rate": "1Gbit/s"}}"#));
        links.push(format!(r#"{{"from": "h", "to": "d{n}", "rate": "1Gbit/s", "delay": "{}us"}}"#, rtt * 500));
        all.push(format!(
            r#"{{"name": "f{n}", "from": "s{n}", "to": "d{n}", "packet": "1000B", "ack": "52B", "start": "{start}ms", "control": {control}{more}}}"#
        ));
    }
    let (s, running) = run(&format!(
        r#"{{"duration": "{seconds}s", "warm_up": "{}s", "nodes": [{{"name": "g"}}, {{"name": "h"}}, {}], "links": [{}], "flows": [{}]}}"#,
        seconds / 2,
        nodes.join(", "),
        links.join(", "),
        all.join(", ")
    ));
    let table = running.finished().flow_table(&s);
    let of_flow = |n: usize| {
        let value = |column| cell(&table, ("flow", &format!("f{n}")), column);
        let rate = value("unique") * 8e-3 / (seconds - seconds / 2) as f64;
        [rate, value("queueing_mean_s") * 1e3, value("drops")]
    };
    let links = running.finished().link_table(&s);
    ((0..flows.len()).map(of_flow).collect(), cell(&links, ("link", "slow"), "utilisation"))
}

const SCREAM: &str = r#""scream""#;
const FILE: &str = r#"{"kind": "scream", "encoder": false}"#;
const L4S: &str = r#"{"kind": "scream", "l4s": true}"#;
const FCFS: &str = r#"{"kind": "fcfs", "buffer": "200pkt"}"#;
const DUAL: &str = r#""dualpi2""#;

#[test]
fn alone_it_fills_the_line_and_holds_half_of_the_target() {
    // The delay is as a mark from 30 ms on.
    for control in [SCREAM, FILE, L4S] {
        let (flows, used) = outcome(10, FCFS, 24, &[(control, "", 40, 0)]);
        assert!(
            used > 0.99 && (27.0..33.0).contains(&flows[0][1]) && flows[0][2] == 0.0,
            "{control}: {used} {flows:?}"
        );
    }
}

#[test]
fn with_l4s_the_dual_queue_keeps_it_below_a_millisecond() {
    let (flows, used) = outcome(40, DUAL, 24, &[(L4S, "", 20, 0)]);
    assert!(used > 0.97 && flows[0][1] < 1.0 && flows[0][2] == 0.0, "{used} {flows:?}");
    // Otherwise its packets are in the queue of the others, for 15 ms.
    let (flows, _) = outcome(40, DUAL, 24, &[(SCREAM, "", 20, 0)]);
    assert!((8.0..20.0).contains(&flows[0][1]), "{flows:?}");
}

#[test]
fn two_flows_share_where_marks_say_so_and_a_late_one_takes_the_queue_for_its_path() {
    let share = |flows: &[[f64; 3]]| flows[1][0] / (flows[0][0] + flows[1][0]);
    let (flows, _) = outcome(40, DUAL, 80, &[(L4S, "", 20, 0), (L4S, "", 20, 10_000)]);
    assert!((0.4..0.6).contains(&share(&flows)), "{flows:?}");
    // By delay alone as with LEDBAT: the least delay of the second flow has the queue of the first in it.
    let (flows, _) = outcome(10, FCFS, 80, &[(SCREAM, "", 40, 0), (SCREAM, "", 40, 10_000)]);
    assert!(share(&flows) > 0.8, "{flows:?}");
}

#[test]
fn beside_cubic_it_has_its_share_in_fq_codel_and_hardly_any_in_one_buffer() {
    let share = |queue: &str| {
        let (flows, _) = outcome(10, queue, 40, &[(SCREAM, "", 40, 0), (r#""cubic""#, "", 40, 1000)]);
        flows[0][0] / (flows[0][0] + flows[1][0])
    };
    let [fair, one] = [r#""fq_codel""#, FCFS].map(share);
    assert!((0.4..0.6).contains(&fair) && one < 0.1, "{fair} {one}");
}
