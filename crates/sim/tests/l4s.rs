//! TCP Prague: what it does in the dual queue of L4S, alone, beside CUBIC, and with round trips of other lengths.

use crate::common;

use common::{cell, run};

/// A line of 40 Mbit/s with this queue, and flows with this control and round trip in ms each.
fn scenario(queue: &str, seconds: u64, flows: &[(&str, u64)]) -> String {
    let mut links =
        vec![format!(r#"{{"name": "slow", "from": "g", "to": "h", "rate": "40Mbit/s", "queue": {queue}}}"#)];
    let (mut nodes, mut all) = (vec![], vec![]);
    for (n, (control, rtt)) in flows.iter().enumerate() {
        nodes.push(format!(r#"{{"name": "s{n}", "kind": "host"}}, {{"name": "d{n}", "kind": "host"}}"#));
        links.push(format!(r#"{{"from": "s{n}", "to": "g", "rate": "1Gbit/s"}}"#));
        links.push(format!(r#"{{"from": "h", "to": "d{n}", "rate": "1Gbit/s", "delay": "{}us"}}"#, rtt * 500));
        let start = 50 * n;
        all.push(format!(
            r#"{{"name": "f{n}", "from": "s{n}", "to": "d{n}", "packet": "1500B", "start": "{start}ms", "control": {control}}}"#
        ));
    }
    format!(
        r#"{{"duration": "{seconds}s", "warm_up": "{}s", "nodes": [{{"name": "g"}}, {{"name": "h"}}, {}], "links": [{}], "flows": [{}]}}"#,
        seconds / 2,
        nodes.join(", "),
        links.join(", "),
        all.join(", ")
    )
}

/// Rate in Mbit/s, mean time in queues in ms, and drops of each flow; use of the line.
fn outcome(queue: &str, seconds: u64, flows: &[(&str, u64)]) -> (Vec<[f64; 3]>, f64) {
    let (s, running) = run(&scenario(queue, seconds, flows));
    let table = running.finished().flow_table(&s);
    let of_flow = |n: usize| {
        let name = format!("f{n}");
        let value = |column| cell(&table, ("flow", &name), column);
        [value("unique") * 12e-3 / (seconds - seconds / 2) as f64, value("queueing_mean_s") * 1e3, value("drops")]
    };
    let links = running.finished().link_table(&s);
    ((0..flows.len()).map(of_flow).collect(), cell(&links, ("link", "slow"), "utilisation"))
}

const PRAGUE: &str = r#""prague""#;
const DUAL: &str = r#""dualpi2""#;

#[test]
fn beside_cubic_the_dual_queue_gives_prague_a_short_delay_and_much_the_same_share() {
    // RFC 9332, section 2.1: marks of L are twice the root of what C drops, with which both take much the same: sheet DP8, a ratio of 0.5 to 2.
    for rtt in [10, 20] {
        let (flows, used) = outcome(DUAL, 60, &[(PRAGUE, rtt), (r#""cubic""#, rtt)]);
        let [prague, cubic] = flows[..] else { panic!("two flows") };
        let ratio = prague[0] / cubic[0];
        assert!((0.5..2.0).contains(&ratio), "{rtt} ms: {flows:?}");
        assert!(prague[1] < 1.5 && cubic[1] > 8.0 && cubic[1] < 22.0, "{rtt} ms: {flows:?}");
        assert!(used > 0.97 && prague[2] == 0.0, "{rtt} ms: {used} {flows:?}");
    }
}

const FALLBACK: &str = r#"{"kind": "prague", "classic_fallback": true}"#;

/// Marks of the queue that the flows share, with a buffer of 2.5 products of 40 Mbit/s and 20 ms.
fn classic(kind: &str) -> String {
    format!(r#"{{"kind": "{kind}", "mark": true, "buffer": "167pkt"}}"#)
}

/// Part of the line that the first flow has beside CUBIC whose packets are marked.
fn share(queue: &str, control: &str, rtt: u64) -> f64 {
    let marked = r#""cubic", "transport": {"ecn": true}"#;
    let (flows, _) = outcome(queue, 40, &[(control, rtt), (marked, rtt)]);
    flows[0][0] / (flows[0][0] + flows[1][0])
}

#[test]
fn with_the_fall_back_a_classic_queue_shares_between_prague_and_cubic() {
    for (kind, rtt) in [("pie", 10), ("codel", 20)] {
        let queue = classic(kind);
        let [off, on] = [PRAGUE, FALLBACK].map(|control| share(&queue, control, rtt));
        assert!(off > 0.88 && (0.4..0.65).contains(&on), "{kind} {rtt}: {off} without it, {on} with it");
    }
}

#[test]
fn the_fall_back_changes_nothing_in_the_dual_queue() {
    for flows in [vec![20], vec![20, 20], vec![5, 80]] {
        let all = |control| flows.iter().map(|rtt| (control, *rtt)).collect::<Vec<_>>();
        assert_eq!(outcome(DUAL, 20, &all(PRAGUE)), outcome(DUAL, 20, &all(FALLBACK)), "{flows:?}");
    }
    for rtt in [10, 40] {
        assert_eq!(share(DUAL, PRAGUE, rtt), share(DUAL, FALLBACK, rtt), "{rtt}");
    }
}

#[test]
fn alone_prague_fills_the_line_with_a_queue_below_a_millisecond() {
    let (flows, used) = outcome(DUAL, 20, &[(PRAGUE, 20)]);
    assert!(used > 0.95 && flows[0][1] < 1.0 && flows[0][2] == 0.0, "{used} {flows:?}");
}

#[test]
fn with_the_virtual_round_trip_short_paths_take_no_more_than_long_ones() {
    // Sheet DP7: rates within 15 %; without it the ratio is near that of the round trips.
    let own = r#"{"kind": "prague", "virtual_rtt": "0s"}"#;
    let (flows, _) = outcome(DUAL, 60, &[(PRAGUE, 5), (PRAGUE, 25)]);
    let with = flows[0][0] / flows[1][0];
    let (flows, _) = outcome(DUAL, 60, &[(own, 5), (own, 25)]);
    let without = flows[0][0] / flows[1][0];
    assert!((0.85..1.15).contains(&with) && without > 2.5, "{with} with it, {without} without");
}

#[test]
fn its_packets_carry_ect_1_whatever_the_scenario_says_but_no() {
    // In a dual queue without drops of C, ECT(0) and Not-ECT wait in C for 15 ms, ECT(1) does not.
    for (transport, short) in [(r#""ecn": true"#, true), (r#""preset": "linux""#, true), (r#""ecn": false"#, false)] {
        let text = scenario(DUAL, 20, &[(PRAGUE, 20)])
            .replace(r#""control": "prague""#, &format!(r#""control": "prague", "transport": {{{transport}}}"#));
        let (s, running) = run(&text);
        let flows = running.finished().flow_table(&s);
        let wait = cell(&flows, ("flow", "f0"), "queueing_mean_s");
        assert_eq!(wait < 0.001, short, "{transport}: {wait}");
    }
}

/// AccECN as it is sent, and the receiver that speaks less.
#[test]
fn three_bits_are_enough_in_the_dual_queue_and_a_classic_receiver_takes_prague_out_of_it() {
    let at = |control: &str, more: &str| {
        let text = scenario(DUAL, 20, &[(control, 20)])
            .replace(&format!(r#""control": {control}"#), &format!(r#""control": {control}, {more}"#));
        let (s, running) = run(&text);
        let flows = running.finished().flow_table(&s);
        ["unique", "marks", "queueing_mean_s"].map(|column| cell(&flows, ("flow", "f0"), column))
    };
    // An acknowledgement for each packet loses nothing.
    for control in [PRAGUE, r#""dctcp""#] {
        let counts = at(control, r#""transport": {"ecn": true}"#);
        for option in [false, true] {
            let more = format!(r#""transport": {{"ecn": "accecn"}}, "receiver": {{"accecn_option": {option}}}"#);
            assert_eq!(at(control, &more), counts, "{control} {option}");
        }
    }
    // Every seventh or twelfth packet is acknowledged, a mark after none, and every second mark. With more than seven the three bits alone may have wrapped each time,
    // and the safe number is eight marks of twelve packets: hardly anything is sent,
    // and nothing is marked.
    for (every, option, least, most) in
        [(7, true, 0.97, 1.03), (7, false, 0.97, 1.03), (12, true, 0.97, 1.03), (12, false, 0.01, 0.5)]
    {
        let counts = at(PRAGUE, &format!(r#""receiver": {{"every": {every}, "ecn": "counts"}}"#))[0];
        let more = format!(r#""receiver": {{"every": {every}, "ecn": "accecn", "accecn_option": {option}}}"#);
        let [unique, marks, wait] = at(PRAGUE, &more);
        assert!(
            (least..most).contains(&(unique / counts)) && (marks > 0.0 || most < 1.0) && wait < 0.001,
            "{every} {option}: {unique} {counts} {marks} {wait}"
        );
    }
    for more in [r#""receiver": {"ecn": "none"}"#, r#""transport": {"ecn": "accecn"}, "receiver": {"ecn": "classic"}"#]
    {
        let [_, marks, wait] = at(PRAGUE, more);
        assert!(marks == 0.0 && wait > 0.001, "{more}: {marks} marks, {wait} s");
    }
}

#[test]
fn flows_of_one_control_whose_receivers_differ_are_served_each_in_its_way() {
    let more = |ecn: &str| format!(r#""control": "prague", "receiver": {{"ecn": "{ecn}"}}"#);
    for names in [["counts", "none"], ["none", "counts"]] {
        let mut text = scenario(DUAL, 10, &[(PRAGUE, 20), (PRAGUE, 20)]);
        for ecn in names {
            text = text.replacen(r#""control": "prague"}"#, &format!("{}}}", more(ecn)), 1);
        }
        let (s, running) = run(&text);
        let flows = running.finished().flow_table(&s);
        let marks = ["f0", "f1"].map(|name| cell(&flows, ("flow", name), "marks") > 0.0);
        assert_eq!(marks, names.map(|ecn| ecn == "counts"), "{names:?}");
    }
}

#[test]
fn an_option_that_a_control_does_not_take_is_an_error_that_names_it() {
    for (control, transport, path) in [
        (r#""bbr1""#, r#"{"slow_start": "search"}"#, "transport.slow_start"),
        (PRAGUE, r#"{"beta_ecn": 0.8}"#, "transport.beta_ecn"),
        (r#""reno""#, r#"{"beta_ecn": 0.4}"#, "transport.beta_ecn"),
        (r#""reno""#, r#"{"slow_start": "hystart"}"#, "transport.slow_start"),
        (r#""reno""#, r#"{"ecn": "AccECN"}"#, "transport.ecn"),
    ] {
        let more = format!(r#""control": {control}, "transport": {transport}"#);
        let text = scenario(DUAL, 10, &[(control, 20)]).replace(&format!(r#""control": {control}"#), &more);
        let error = headgate_sim::spec::Scenario::from_json(&text).map(drop).expect_err(transport).to_string();
        assert!(error.contains(path) && error.to_lowercase().contains("expected"), "{error}");
    }
}
